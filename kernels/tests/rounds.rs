//! Rounds on the simulator: the programs of docs/semantics.md, round by round.

use gchr_chr::Request;
use gchr_core::control::{Control, Limits};
use gchr_core::diagnostic::render_all;
use gchr_core::error::StopReason;
use gchr_core::exec::chr::Store;
use gchr_core::plan::chr::{ChrPlan, RoundsOptions, compile_rounds};
use gchr_core::rule::Program;
use gchr_core::source::SourceMap;
use gchr_kernels::device::Device;
use gchr_kernels::rounds::kernels::{Kernels, kernels};
use gchr_kernels::rounds::run::{Batch, Failure, Job, Options, run};
use gchr_kernels::rounds::start::batches;
use gchr_kernels::sim::{self, SimDevice};

struct Case {
    sources: SourceMap,
    program: Program,
    plan: ChrPlan,
    batches: Vec<Batch>,
    kernels: Kernels,
}

impl Case {
    fn new(text: &str, options: RoundsOptions) -> Self {
        let mut sources = SourceMap::new();
        let id = sources.add("test.chr", text);
        let loaded =
            gchr_chr::load(&mut sources, &Request { program: id, queries: Vec::new(), facts: Vec::new() });
        let rendered = render_all(&loaded.diagnostics, &sources, false);
        let program = loaded.program.unwrap_or_else(|| panic!("{rendered}"));
        let plan = compile_rounds(&program, options).expect("the plan compiles");
        let batches = batches(&program, &[], &mut Control::default()).expect("goals run");
        let kernels = kernels(&program, &plan, &sources)
            .unwrap_or_else(|found| panic!("{}", render_all(&found, &sources, false)));
        Self { sources, program, plan, batches, kernels }
    }

    fn on(
        &self,
        device: &mut dyn Device,
        rows: u32,
        limits: Limits,
    ) -> (Option<Store>, Option<StopReason>, u64) {
        let job =
            Job { program: &self.program, plan: &self.plan, kernels: &self.kernels, batches: &self.batches };
        let options = Options { memory: 1 << 28, rows };
        match run(job, options, device, &mut Control::new(limits)) {
            Ok(outcome) => (Some(outcome.store), None, outcome.stats.steps.unwrap_or(0)),
            Err(Failure::Stopped(stopped)) => {
                (stopped.store, Some(stopped.error.reason), stopped.stats.steps.unwrap_or(0))
            }
            Err(Failure::Device(error)) => {
                panic!("{}", render_all(&error.into_diagnostics(), &self.sources, false))
            }
        }
    }

    fn simulator(&self) -> SimDevice<'static> {
        let program = sim::Program::new(&self.kernels.module).unwrap_or_else(|errors| panic!("{errors:?}"));
        let options = sim::Options { resident_blocks: 2, ..sim::Options::default() };
        SimDevice::new(program, options).max_thread_steps(400_000_000)
    }

    fn text(&self, store: &Store) -> String {
        let mut text = Vec::new();
        store.write_text(&self.program.signature, &mut text).expect("a vector takes any text");
        let text = String::from_utf8(text).expect("text");
        text.lines().collect::<Vec<_>>().join(", ")
    }
}

/// Stores before the first round and after each one.
fn rounds_of(case: &Case, rows: u32) -> Vec<String> {
    let mut stores = Vec::new();
    for most in 0.. {
        let limits = Limits { max_rounds: Some(most), ..Limits::default() };
        let (store, stopped, rounds) = case.on(&mut case.simulator(), rows, limits);
        if most > rounds {
            assert!(stopped.is_none(), "{stopped:?}");
            break;
        }
        stores.push(case.text(&store.expect("the device has it")));
    }
    stores
}

/// The blocks of a page with a program and its rounds.
fn blocks(page: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let mut program = String::new();
    let mut parts = page.split("```");
    parts.next();
    while let Some(part) = parts.next() {
        let (kind, text) = part.split_once('\n').unwrap_or_default();
        match kind {
            "chr" => program = text.to_string(),
            "rounds" => {
                let line = |l: &str| l.split_once(": ").map_or(String::new(), |(_, store)| store.to_string());
                found.push((program.clone(), text.lines().map(line).collect()));
            }
            _ => {}
        }
        parts.next();
    }
    found
}

#[test]
fn the_programs_of_the_definition() {
    let all = blocks(include_str!("../../docs/semantics.md"));
    assert!(all.len() >= 5, "{}", all.len());
    for (text, expected) in all {
        let case = Case::new(&text, RoundsOptions::default());
        assert_eq!(rounds_of(&case, 1), expected, "{text}");
    }
}
