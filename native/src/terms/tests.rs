//! Native code and the interpreter agree: on results, counts of rule applications and of live cells, and on errors;
//! whenever the collector runs, and wherever a run is stopped.

mod examples;
mod limits;
mod random;
mod workers;

use std::sync::Arc;

use gchr_base::control::{Control, Limits};
use gchr_base::error::RunError;
use gchr_base::rule::{GroundTerm, Program, Start};
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;
use gchr_terms::exec;
use gchr_terms::plan::{TermOptions, compile};

use super::{Terms, Unfinished};

fn program(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let id = sources.add("test.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    loaded.program.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics))
}

fn input(program: &Program) -> &GroundTerm {
    match &program.start {
        Start::Term(Some(input)) => input,
        _ => panic!("no input"),
    }
}

/// What a run comes to.
#[derive(PartialEq, Debug)]
struct Outcome {
    /// The normal form, or the error.
    value: Result<String, Box<RunError>>,
    rewrites: Option<u64>,
    live_cells: Option<u64>,
}

impl Outcome {
    fn of(ran: Result<exec::Evaluation, Box<exec::Stopped>>) -> Self {
        let known = |stats: &Stats| (stats.rewrites, stats.live_cells);
        let (value, (rewrites, live_cells)) = match ran {
            Ok(run) => {
                let run = run.counted();
                (Ok(run.normal_form.to_text()), known(&run.stats))
            }
            Err(stopped) => {
                let mut error = stopped.error;
                // What was allocated when is not a part of the outcome.
                (error.progress.bytes, error.progress.live) = (0, 0);
                (Err(Box::new(error)), known(&stopped.stats))
            }
        };
        Self { value, rewrites, live_cells }
    }
}

fn interpreted(program: &Program, limits: Limits) -> Outcome {
    let plan = compile(program, &TermOptions::default()).expect("a plan");
    Outcome::of(exec::run(program, &plan, input(program), &mut Control::new(limits)))
}

fn terms(program: &Program) -> Terms {
    let plan = compile(program, &TermOptions::default().native()).unwrap_or_else(|e| panic!("{e:?}"));
    Terms::new(program, Arc::new(plan)).expect("this machine has executable memory")
}

fn native(program: &Program, terms: &Terms, limits: Limits, stress: bool) -> Outcome {
    let mut evaluator = terms.evaluator(program);
    if stress {
        evaluator = evaluator.stressed();
    }
    match evaluator.run(input(program), &mut Control::new(limits)) {
        Ok(run) => Outcome::of(Ok(run)),
        Err(Unfinished::Stopped(stopped)) => Outcome::of(Err(stopped)),
        Err(Unfinished::Refused(why)) => panic!("{why}"),
    }
}

/// Both ways, also with a collection before each cell.
fn agree(text: &str) {
    let program = program(text);
    let limits = Limits::default();
    let expected = interpreted(&program, limits);
    let terms = terms(&program);
    for stress in [false, true] {
        let found = native(&program, &terms, limits, stress);
        assert_eq!(found, expected, "stress {stress}\n{text}");
    }
    workers::agree(&program, &expected, limits, text);
}
