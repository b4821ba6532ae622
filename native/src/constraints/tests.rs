//! Native code and the interpreter agree: on stores, firings, output and errors, and wherever a run is stopped.

mod examples;
mod limits;
mod random;

use gchr_base::control::{Control, Limits};
use gchr_base::error::RunError;
use gchr_base::rule::Program;
use gchr_base::source::SourceMap;
use gchr_chr::Request;
use gchr_constraints::exec::{self, Outcome, Stopped, Store};
use gchr_constraints::plan::compile;

use super::{Unfinished, run};

fn load(text: &str, query: Option<&str>) -> Option<Program> {
    let mut sources = SourceMap::new();
    let program = sources.add("test.chr", text);
    let queries = query.map(|query| sources.add("query", query)).into_iter().collect();
    gchr_chr::load(&mut sources, &Request { program, queries, facts: Vec::new() }).program
}

fn program(text: &str, query: Option<&str>) -> Program {
    load(text, query).unwrap_or_else(|| panic!("refused: {text}"))
}

/// What a run comes to.
#[derive(PartialEq, Debug)]
struct Came {
    store: String,
    error: Option<Box<RunError>>,
    firings: Option<u64>,
    live: Option<u64>,
    written: String,
}

impl Came {
    fn of(ran: Result<Outcome, Box<Stopped>>, program: &Program, written: Vec<u8>) -> Self {
        let shown = |store: &Store| {
            let mut text = Vec::new();
            store.write_text(&program.signature, &mut text).expect("a vector takes any text");
            String::from_utf8(text).expect("UTF-8")
        };
        let (store, error, stats) = match ran {
            Ok(outcome) => (shown(&outcome.store), None, outcome.stats),
            Err(stopped) => {
                let mut error = stopped.error;
                // Bytes of frames are others.
                error.progress.bytes = 0;
                (shown(&stopped.store), Some(Box::new(error)), stopped.stats)
            }
        };
        let written = String::from_utf8(written).expect("UTF-8");
        Self { store, error, firings: stats.firings, live: stats.live_cells, written }
    }
}

fn interpreted(program: &Program, limits: Limits) -> Came {
    let plan = compile(program).expect("a plan");
    let mut written = Vec::new();
    let ran = exec::run(program, &plan, &[], &mut Control::new(limits).output(&mut written));
    Came::of(ran, program, written)
}

fn native(program: &Program, limits: Limits) -> Came {
    let plan = compile(program).expect("a plan");
    let mut written = Vec::new();
    let ran = match run(program, &plan, &[], &mut Control::new(limits).output(&mut written)) {
        Ok(outcome) => Ok(outcome),
        Err(Unfinished::Stopped(stopped)) => Err(stopped),
        Err(Unfinished::Refused(why)) => panic!("{why}"),
    };
    Came::of(ran, program, written)
}

/// Both ways.
fn agree(program: &Program, limits: Limits, what: &str) -> Came {
    let expected = interpreted(program, limits);
    assert_eq!(native(program, limits), expected, "{what}");
    expected
}
