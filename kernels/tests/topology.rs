//! The topology scheduler against the interpreter: every term example, in every configuration, on the simulator and on a GPU when
//! there is one. Same normal form, same rule applications; with a collector no slot is lost.

mod support;

use gchr_core::control::{Control, Limits};
use gchr_core::diagnostic::render_all;
use gchr_core::plan::term::{self, TermOptions, TermPlan};
use gchr_core::rule::{GroundTerm, Program, Start};
use gchr_core::source::SourceMap;
use gchr_kernels::device::Device;
use gchr_kernels::sim::{self, SimDevice};
use gchr_kernels::topology::codegen::Strategy;
use gchr_kernels::topology::kernels::{Collector, Kernels, kernels};
use gchr_kernels::topology::run::{Failure, Job, Options, Report, run};
use gchr_kernels::topology::system::System;

const STRATEGIES: [Strategy; 2] = [Strategy::Innermost, Strategy::Relaxed];
const COLLECTORS: [Collector; 3] = [Collector::None, Collector::Queue, Collector::Compact];

struct Case {
    sources: SourceMap,
    program: Program,
    plan: TermPlan,
    system: System,
    input: GroundTerm,
}

impl Case {
    fn new(name: &str, text: &str) -> Self {
        let mut sources = SourceMap::new();
        let id = sources.add(name, text);
        let loaded = gchr_trs::load(&sources, id);
        let rendered = render_all(&loaded.diagnostics, &sources, false);
        let program = loaded.program.unwrap_or_else(|| panic!("{rendered}"));
        let plan = term::compile(&program, &TermOptions::default()).expect("the plan compiles");
        let system = System::new(&program);
        let Start::Term(Some(input)) = program.start.clone() else { panic!("{name} has no input") };
        Self { sources, program, plan, system, input }
    }

    fn kernels(&self, strategy: Strategy, collector: Collector) -> Kernels {
        kernels(&self.system, &self.program, &self.sources, strategy, collector)
            .unwrap_or_else(|found| panic!("{}", render_all(&found, &SourceMap::new(), false)))
    }

    /// Normal form and rule applications of the interpreter.
    fn expected(&self) -> (String, u64) {
        let outcome =
            gchr_core::exec::term::run(&self.program, &self.plan, &self.input, &mut Control::default());
        let outcome = outcome.expect("the interpreter reaches a normal form");
        (outcome.normal_form.to_text(), outcome.stats.rewrites.expect("a term program"))
    }

    fn on(
        &self,
        device: &mut dyn Device,
        kernels: &Kernels,
        options: Options,
    ) -> Result<(String, u64, u64, Report), Failure> {
        let job = Job {
            program: &self.program,
            system: &self.system,
            kernels,
            plan: &self.plan,
            input: &self.input,
        };
        let outcome = run(job, options, device, &mut Control::new(Limits::default()))?;
        let stats = outcome.stats;
        let counts = (stats.rewrites.expect("counted"), stats.steps.expect("counted"));
        Ok((outcome.normal_form.to_text(), counts.0, counts.1, outcome.report))
    }
}

fn simulator(kernels: &Kernels) -> SimDevice {
    let program = sim::Program::new(&kernels.module).unwrap_or_else(|errors| panic!("{errors:?}"));
    let options = sim::Options { resident_blocks: 2, ..sim::Options::default() };
    SimDevice::new(program, options).max_thread_steps(400_000_000)
}

fn check(case: &Case, name: &str, slots: u64) {
    let expected = case.expected();
    for strategy in STRATEGIES {
        for collector in COLLECTORS {
            let label = format!("{name}, {}, {}", strategy.name(), collector.name());
            let kernels = case.kernels(strategy, collector);
            let options = Options { strategy, collector, memory: 1 << 29, slots };
            let result = case.on(&mut simulator(&kernels), &kernels, options);
            let (text, rewrites, _, report) = match result {
                Ok(result) => result,
                Err(Failure::Device(error)) => {
                    panic!("{label}: {}", render_all(&error.into_diagnostics(), &case.sources, false))
                }
                Err(failure) => panic!("{label}: {failure:?}"),
            };
            assert_eq!((&text, rewrites), (&expected.0, expected.1), "{label}");
            if collector != Collector::None {
                assert_eq!(report.live_slots, report.reachable_slots, "{label}");
            }
        }
    }
}

const PLUS: &str = "sort Nat = struct Zero() | S(Nat) | Plus(Nat, Nat);
    var X, Y : Nat;
    eqn Plus(Zero(), Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
    input Plus(S(S(Zero())), Plus(S(Zero()), S(Zero())));";

#[test]
fn plus() {
    check(&Case::new("plus.trs", PLUS), "plus", 64);
}
