//! The tasks scheduler on a GPU: each program at sizes that fill the card, beside the time that it is to take there.
//!
//! `tasks [REPEATS]` prints a table; times are those of the device, the launch included, best of the repeats. Context, compilation,
//! start term and result are not part of them.

use gchr_core::control::{Control, Limits};
use gchr_core::plan::term::{self, TermOptions};
use gchr_core::source::SourceMap;
use gchr_kernels::cuda::{Cache, Compiler, Gpu, Nvrtc, Options as NvrtcOptions};
use gchr_kernels::device::Device;
use gchr_kernels::tasks::kernels::{Tuning, kernels};
use gchr_kernels::tasks::run::{Job, Options, Promote, run};

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
    let repeats = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(3);
    if let Err(error) = Gpu::open(0) {
        return println!("no GPU: skipped ({error})");
    }
    let compiler = match Nvrtc::find() {
        Ok(nvrtc) => Compiler::new(nvrtc.clone(), Cache::disabled()),
        Err(error) => return println!("no NVRTC: skipped ({error})"),
    };
    println!("| program | rule applications | promotions | tasks | spills | device ms | bar ms |");
    println!("|---|---|---|---|---|---|---|");
    for row in ROWS {
        bench(row, repeats, &compiler);
    }
}

fn bench((label, text, input, bar): Row, repeats: u32, compiler: &Compiler) {
    let mut sources = SourceMap::new();
    let file = sources.add(label, text);
    let program = gchr_trs::load(&sources, file).program.expect("the example is right");
    let term = sources.add("--input", input);
    let input = gchr_trs::parse_term(&program, &sources, term).expect("the input is right");
    let plan = term::compile(&program, &TermOptions::tasks(false)).expect("the plan compiles");
    let kernels = kernels(&plan, &program, &sources, Tuning::default()).expect("kernels are generated");
    let source = gchr_kernels::emit::cuda_text(&kernels.module, label).expect("kernels are printed");
    let options = NvrtcOptions::kernels();
    let mut gpu = Gpu::open(0).expect("a GPU was there before");
    let built =
        compiler.build_for(gpu.info().capability, &source, "kernels.cu", &options).expect("kernels compile");
    gpu.load(&built.compiled.image).expect("kernels load");
    let inputs = [input];
    let job = Job { program: &program, plan: &plan, kernels: &kernels, inputs: &inputs };
    let mut best = f64::INFINITY;
    let mut row = String::new();
    for _ in 0..repeats {
        let memory = gpu.free_bytes().expect("memory is known") / 10 * 9;
        let blocks = gpu.limits().multiprocessors * 4;
        let first_memory = memory / 4;
        let options = Options {
            memory,
            first_memory,
            block: 128,
            blocks,
            run: 256,
            report: 1 << 20,
            promote: Promote::WhenAsked,
        };
        let outcome = match run(job, options, &mut gpu, &mut Control::new(Limits::default())) {
            Ok(outcome) => outcome,
            Err(failure) => return println!("| {label} | {failure:?} |"),
        };
        let (stats, report) = (outcome.stats, outcome.report);
        best = best.min(stats.device_ms.unwrap_or(f64::INFINITY));
        let applied = stats.rewrites.unwrap_or(0);
        row = format!("{applied} | {} | {} | {}", report.promotions, report.tasks, report.spills);
    }
    let bar = bar.map_or_else(|| "-".to_string(), |bar| bar.to_string());
    println!("| {label} | {row} | {best:.2} | {bar} |");
}
