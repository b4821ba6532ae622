//! Milliseconds that the checker takes, for the kernels of every example by scheduler and collector:
//! `cargo bench -p gchr-checker --bench check [-- NAME]`. The best of some repeats (of one with `--once`, for
//! profilers); a program pays it once a machine. With `taskset -c 0` one thread does it all; `--busy` then counts the
//! time that it had the core, which says more on a machine that does something else beside.

use gchr_testkit::programs;
use std::sync::OnceLock;
use std::time::Instant;

use gchr_checker::{Verdict, check};
use gchr_constraints::plan::{Joins, RoundsOptions, compile_rounds};
use gchr_kernel::ir::Module;
use gchr_kernels_constraints as rounds;
use gchr_kernels_terms::topology::codegen::Strategy;
use gchr_kernels_terms::topology::kernels::Collector;
use gchr_kernels_terms::topology::system::System;
use gchr_kernels_terms::{tasks, topology};
use gchr_terms::plan::{TermOptions, compile};

const REPEATS: usize = 5;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str()));
    println!("| example | kernels of | statements | accesses | pairs | ms |");
    println!("|---|---|---|---|---|---|");
    let mut worst = 0.0_f64;
    for (name, text) in programs::examples("trs").into_iter().filter(|(name, _)| is_wanted(name)) {
        terms(&name, &text, |family, module| worst = worst.max(measure(&name, family, module)));
    }
    for (name, text) in programs::examples("chr").into_iter().filter(|(name, _)| is_wanted(name)) {
        constraints(&name, &text, |family, module| worst = worst.max(measure(&name, family, module)));
    }
    println!("\nat most {worst:.1} ms");
}

fn terms(name: &str, text: &str, mut visit: impl FnMut(&str, &Module)) {
    let (sources, program) = programs::terms(name, text);
    let plan = compile(&program, &TermOptions::tasks(false)).expect("the plan compiles");
    let made = tasks::kernels::kernels(&plan, &program, &sources, tasks::kernels::Tuning::default());
    visit("tasks", &programs::made(made, &sources).module);
    let system = System::new(&program);
    for strategy in [Strategy::Innermost, Strategy::Relaxed] {
        for collector in [Collector::None, Collector::Queue, Collector::Compact] {
            let made = topology::kernels::kernels(&system, &program, &sources, strategy, collector);
            let family = format!("topology, {strategy:?}, {collector:?}").to_lowercase();
            visit(&family, &programs::made(made, &sources).module);
        }
    }
}

fn constraints(name: &str, text: &str, mut visit: impl FnMut(&str, &Module)) {
    let (sources, program) = programs::constraints(name, text);
    let exhaustive = RoundsOptions { joins: Joins::Exhaustive, ..RoundsOptions::default() };
    for (family, options) in [("rounds", RoundsOptions::default()), ("rounds, exhaustive", exhaustive)] {
        let plan = compile_rounds(&program, options).expect("the plan compiles");
        // Some examples have something that devices do not run.
        if let Ok(made) = rounds::generate::kernels(&program, &plan, &sources) {
            visit(family, &made.module);
        }
    }
}

/// Milliseconds since the first call.
fn since_start() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
}

/// Milliseconds that this thread has had a core, as Linux says.
fn on_core() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("--busy needs Linux");
    let nanoseconds = text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    nanoseconds.expect("schedstat begins with a number") / 1e6
}

/// Prints a line; gives the milliseconds.
fn measure(name: &str, family: &str, module: &Module) -> f64 {
    let mut best = f64::INFINITY;
    let mut verdicts: Vec<Verdict> = Vec::new();
    let flag = |name: &str| std::env::args().any(|a| a == name);
    let clock = if flag("--busy") { on_core } else { since_start };
    for _ in 0..if flag("--once") { 1 } else { REPEATS } {
        let start = clock();
        verdicts = check(module);
        best = best.min(clock() - start);
    }
    let refused = if verdicts.iter().all(Verdict::accepted) { "" } else { " (refused)" };
    let sum = |figure: fn(&Verdict) -> usize| verdicts.iter().map(figure).sum::<usize>();
    let (statements, accesses, pairs) =
        (sum(|v| v.effort.statements), sum(|v| v.effort.accesses), sum(|v| v.effort.pairs));
    println!("| {name} | {family}{refused} | {statements} | {accesses} | {pairs} | {best:.1} |");
    best
}
