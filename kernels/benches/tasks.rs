//! The tasks scheduler on a GPU: each program at sizes that fill the card, beside the time that it is to take there.
//!
//! `tasks [REPEATS]` prints a table; times are those of the device, the launch included, best of the repeats. Context, compilation,
//! start term and result are not part of them.

mod support;

use gchr_core::control::{Control, Limits};
use gchr_core::plan::term::{self, TermOptions};
use gchr_kernels::device::Device;
use gchr_kernels::tasks::kernels::{Tuning, kernels};
use gchr_kernels::tasks::run::{Job, Options, Promote, run};
use support::Machine;

/// Name, program, start term, and the milliseconds that it is to take on one H200, if there is such a bar.
type Row = (&'static str, &'static str, &'static str, Option<f64>);

const ROWS: [Row; 10] = [
    (
        "Tree exploration 23",
        include_str!("../../examples/tree_exploration.trs"),
        "Visit(Multl(S^23(Zero()), Leaf(Zero())))",
        Some(1.6),
    ),
    (
        "Transformation tree 24",
        include_str!("../../examples/transformation_tree.trs"),
        "Expand(S^24(Zero()))",
        Some(1.5),
    ),
    (
        "Binary search tree 22",
        include_str!("../../examples/bst.trs"),
        "BST(InputTree(S^22(Zero()), S^2(Zero()), S^2(Zero()), S^2(Zero())), Min(), Max())",
        Some(2.0),
    ),
    ("Fibonacci 40 (Int)", include_str!("../../examples/fib_int.trs"), "Fib(40)", Some(5.0)),
    ("Fibonacci 26 (Peano)", include_str!("../../examples/fib.trs"), "Fib(S^26(Zero()))", None),
    ("Ackermann(3, 8)", include_str!("../../examples/ackermann.trs"), "Ack(S^3(Zero()), S^8(Zero()))", None),
    (
        "Hanoi 18",
        include_str!("../../examples/hanoi.trs"),
        "Hanoi(S^18(Zero()), A(), B(), C(), Done())",
        None,
    ),
    ("Naive reverse 4000", include_str!("../../examples/nrev.trs"), "Rev(Upto(S^4000(Zero())))", None),
    (
        "Sieve 10000",
        include_str!("../../examples/sieve.trs"),
        "Sieve(Range(S^10000(Zero()), S^2(Zero())))",
        None,
    ),
    (
        "Merge sort of a tree 22",
        include_str!("../../examples/mergesort_tree.trs"),
        "Build(S^22(Zero()), Digits())",
        Some(12.0),
    ),
];

fn main() {
    let repeats = support::repeats();
    let Some(machine) = Machine::find() else { return };
    println!("| program | gc | rule applications | promotions | tasks | spills | device ms | bar ms |");
    println!("|---|---|---|---|---|---|---|---|");
    for row in ROWS {
        for counts in [false, true] {
            bench(row, counts, repeats, &machine);
        }
    }
}

fn bench((label, text, input, bar): Row, counts: bool, repeats: u32, machine: &Machine) {
    let gc = if counts { "queue" } else { "none" };
    let (sources, program, input) = support::load(label, text, input);
    let plan = term::compile(&program, &TermOptions::tasks(counts)).expect("the plan compiles");
    let kernels = kernels(&plan, &program, &sources, Tuning::default()).expect("kernels are generated");
    let (mut gpu, memory) = machine.gpu(&kernels.module, label);
    let inputs = [input];
    let job = Job { program: &program, plan: &plan, kernels: &kernels, inputs: &inputs };
    let mut best = f64::INFINITY;
    let mut row = String::new();
    for _ in 0..repeats {
        let blocks = gpu.limits().multiprocessors * 4;
        let first_memory = memory / 4;
        let options = Options {
            memory,
            first_memory,
            block: 128,
            blocks,
            run: 256,
            batch: 64,
            report: 1 << 20,
            promote: Promote::WhenAsked,
        };
        let outcome = match run(job, options, &mut gpu, &mut Control::new(Limits::default())) {
            Ok(outcome) => outcome,
            Err(failure) => return println!("| {label} | {gc} | {failure:?} |"),
        };
        let (stats, report) = (outcome.stats, outcome.report);
        best = best.min(stats.device_ms.unwrap_or(f64::INFINITY));
        let applied = stats.rewrites.unwrap_or(0);
        row = format!("{applied} | {} | {} | {}", report.promotions, report.tasks, report.spills);
    }
    let bar = bar.map_or_else(|| "-".to_string(), |bar| bar.to_string());
    println!("| {label} | {gc} | {row} | {best:.2} | {bar} |");
}
