//! The tasks scheduler on a GPU: each program at sizes that fill the card, beside the time that it is to take there.
//!
//! `tasks [--only TEXT]... [--repeats N] [--blocks N] [--steps N] [--batch N] [--gc none|queue|compact] [--input TERM]
//! [--cuda DIR] [--write DIR] [--programs DIR] [--compile ARCH]` prints a table of the rows whose names contain a TEXT.
//! Times are those of the device, the launch and the host's loop around it included, best of the repeats. Context,
//! compilation, allocation, start term and result are not part of them. `--blocks` are blocks a multiprocessor in place
//! of those that suit the program, `--steps` those between two looks for waiting threads, `--batch` the free cells that
//! threads hand to each other at a time, `--input` is taken in place of the start terms of the rows. `--write` leaves
//! the CUDA text of the rows, for `--gc` or `queue`, in a folder, `--cuda` takes it from there: so generated code can
//! be changed by hand and measured. `--programs` takes programs from a folder in place of the examples of the same
//! name. `--compile 90` only compiles for an architecture, without a GPU, and says what the kernel needs of a
//! multiprocessor.

use gchr_testkit::bench;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use gchr_base::control::{Control, Limits};
use gchr_cuda::{Capability, Compiler, parse_resources};
use gchr_kernel::device::Device;
use gchr_kernels_terms::tasks::kernels::{Tuning, kernels};
use gchr_kernels_terms::tasks::run::{Job, Options, Promote, Results, Uncollected, run};
use gchr_terms::plan::{self, TermOptions};
use gchr_testkit::bench::GpuMachine;

/// A program at a size.
struct Row {
    label: &'static str,
    /// File under `examples`, without its ending.
    file: &'static str,
    text: Cow<'static, str>,
    input: Cow<'static, str>,
    /// Milliseconds that it is to take on one H200.
    bar: Option<f64>,
}

macro_rules! row {
    ($label:literal, $file:literal, $input:literal, $bar:expr) => {
        Row {
            label: $label,
            file: $file,
            text: Cow::Borrowed(include_str!(concat!("../../../examples/", $file, ".trs"))),
            input: Cow::Borrowed($input),
            bar: $bar,
        }
    };
}

const ROWS: [Row; 14] = [
    row!("Tree exploration 23", "tree_exploration", "Visit(Multl(S^23(Zero()), Leaf(Zero())))", Some(1.6)),
    row!("Transformation tree 24", "transformation_tree", "Expand(S^24(Zero()))", Some(1.5)),
    row!(
        "Binary search tree 22",
        "bst",
        "BST(InputTree(S^22(Zero()), S^2(Zero()), S^2(Zero()), S^2(Zero())), Min(), Max())",
        Some(2.0)
    ),
    row!("Fibonacci 40 (Int)", "fib_int", "Fib(40)", Some(5.0)),
    row!("Build and fold 24", "build_fold", "Run(24)", Some(3.0)),
    row!("Bitonic sort 20", "bitonic", "Run(20)", Some(50.0)),
    row!("Queens 14", "queens", "Queens(14)", Some(15.0)),
    row!("Merge sort of a tree 22", "mergesort_tree", "Build(S^22(Zero()), Digits())", Some(12.0)),
    row!("Lexer 18 x 200", "lexer", "Lex(18, 200)", None),
    row!("Fibonacci 26 (Peano)", "fib", "Fib(S^26(Zero()))", None),
    row!("Ackermann(3, 8)", "ackermann", "Ack(S^3(Zero()), S^8(Zero()))", None),
    row!("Hanoi 18", "hanoi", "Hanoi(S^18(Zero()), A(), B(), C(), Done())", None),
    row!("Naive reverse 4000", "nrev", "Rev(Upto(S^4000(Zero())))", None),
    row!("Sieve 10000", "sieve", "Sieve(Range(S^10000(Zero()), S^2(Zero())))", None),
];

/// What the command line asks for.
struct Choices {
    only: Vec<String>,
    repeats: u32,
    blocks: Option<u32>,
    steps: u32,
    batch: u32,
    gc: Option<String>,
    input: Option<String>,
    cuda: Option<PathBuf>,
    write: Option<PathBuf>,
    compile: Option<u32>,
    programs: Option<PathBuf>,
}

impl Choices {
    fn from_args() -> Self {
        let mut choices = Self {
            only: Vec::new(),
            repeats: 3,
            blocks: None,
            steps: 128,
            batch: 64,
            gc: None,
            input: None,
            cuda: None,
            write: None,
            compile: None,
            programs: None,
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut number = || args.next().and_then(|n| n.parse().ok()).expect("a number follows");
            match arg.as_str() {
                "--repeats" => choices.repeats = number(),
                "--blocks" => choices.blocks = Some(number()),
                "--steps" => choices.steps = number(),
                "--compile" => choices.compile = Some(number()),
                "--batch" => choices.batch = number(),
                "--input" => choices.input = args.next(),
                "--gc" => choices.gc = args.next(),
                "--only" => choices.only.extend(args.next()),
                "--cuda" => choices.cuda = args.next().map(PathBuf::from),
                "--programs" => choices.programs = args.next().map(PathBuf::from),
                "--write" => choices.write = args.next().map(PathBuf::from),
                // What cargo passes to every benchmark.
                "--bench" => {}
                other => panic!("no such option: {other}"),
            }
        }
        choices
    }

    fn wants(&self, row: &Row) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| row.label.contains(text.as_str()))
    }

    /// The rows that are wanted, with programs from the folder where it has some, and the start term that was given.
    fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = ROWS.into_iter().filter(|row| self.wants(row)).collect();
        for row in &mut rows {
            let file = self.programs.as_ref().map(|folder| folder.join(format!("{}.trs", row.file)));
            if let Some(text) = file.and_then(|file| std::fs::read_to_string(file).ok()) {
                row.text = Cow::Owned(text);
            }
            if let Some(input) = &self.input {
                row.input = Cow::Owned(input.clone());
            }
        }
        rows
    }
}

fn main() {
    let choices = Choices::from_args();
    let rows = choices.rows();
    if let Some(folder) = &choices.write {
        let gc = choices.gc.as_deref().unwrap_or("queue");
        return rows.iter().for_each(|row| write(row, gc, folder));
    }
    if let Some(number) = choices.compile {
        let gc = choices.gc.as_deref().unwrap_or("queue");
        return rows.iter().for_each(|row| compile(row, gc, number, choices.cuda.as_deref()));
    }
    let Some(machine) = GpuMachine::find() else { return };
    println!(
        "| program | gc | rule applications | promotions | tasks | spills | restarts | device ms | bar ms | all ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for row in &rows {
        for gc in ["none", "queue", "compact"] {
            if choices.gc.as_ref().is_none_or(|only| only == gc) {
                bench(row, gc, &choices, &machine);
            }
        }
    }
}

/// What the kernel of a row needs of a multiprocessor of an architecture such as 90, compiled without a GPU.
fn compile(row: &Row, gc: &str, number: u32, folder: Option<&Path>) {
    let capability = Capability { major: number / 10, minor: number % 10 };
    let text = text(row, gc, folder);
    let start = Instant::now();
    let compiler = Compiler::from_env().expect("NVRTC is there");
    let built = compiler.build_for(capability, &text, "kernels.cu", &bench::options());
    let log = built.expect("kernels compile").compiled.log;
    for kernel in parse_resources(&log).iter().filter(|kernel| kernel.name == "run") {
        println!("{} {gc}: {:.1} s, {kernel:?}", row.label, start.elapsed().as_secs_f64());
    }
}

/// The CUDA text of a row: the one in the folder, if there is one.
fn text(row: &Row, gc: &str, folder: Option<&Path>) -> String {
    let changed = folder.map(|folder| folder.join(format!("{}.cu", row.file)));
    if let Some(text) = changed.and_then(|file| std::fs::read_to_string(file).ok()) {
        return text;
    }
    let tuning = Tuning { compact: gc == "compact", ..Tuning::default() };
    let (sources, program, _) = bench::load(row.label, &row.text, &row.input);
    let plan = plan::compile(&program, &TermOptions::tasks(gc == "queue")).expect("the plan compiles");
    let kernels = kernels(&plan, &program, &sources, tuning).expect("kernels are generated");
    bench::cuda(&kernels.module, row.label)
}

/// Leaves the CUDA text of a row in a folder.
fn write(row: &Row, gc: &str, folder: &Path) {
    let file = folder.join(format!("{}.cu", row.file));
    std::fs::write(file, text(row, gc, None)).expect("the folder can be written");
}

fn bench(row: &Row, gc: &str, choices: &Choices, machine: &GpuMachine) {
    let tuning = Tuning { compact: gc == "compact", ..Tuning::default() };
    let (sources, program, input) = bench::load(row.label, &row.text, &row.input);
    let plan = plan::compile(&program, &TermOptions::tasks(gc == "queue")).expect("the plan compiles");
    let kernels = kernels(&plan, &program, &sources, tuning).expect("kernels are generated");
    let (mut gpu, memory) = machine.gpu_with(&text(row, gc, choices.cuda.as_deref()));
    let job = Job { program: &program, plan: &plan, kernels: &kernels, inputs: &[input] };
    let mut best = f64::INFINITY;
    let mut figures = String::new();
    let mut all = 0.0;
    for _ in 0..choices.repeats {
        let options = Options {
            memory,
            first_memory: memory / 4,
            block: 128,
            blocks: gpu.limits().multiprocessors * choices.blocks.unwrap_or(kernels.blocks),
            run: 256,
            batch: choices.batch,
            report: 1 << 16,
            promote: Promote::WhenAsked,
            steps: choices.steps,
            spare: None,
            uncollected: Uncollected::FASTER,
            results: Results::Nothing,
        };
        let start = Instant::now();
        let outcome = match run(job, options, &mut gpu, &mut Control::new(Limits::default())) {
            Ok(outcome) => outcome,
            Err(failure) => return println!("| {} | {gc} | {failure:?} |", row.label),
        };
        all = start.elapsed().as_secs_f64() * 1e3;
        let (stats, report) = (outcome.stats, outcome.report);
        best = best.min(stats.device_ms.unwrap_or(f64::INFINITY));
        let applied = stats.rewrites.unwrap_or(0);
        let r = report;
        figures = format!("{applied} | {} | {} | {} | {}", r.promotions, r.tasks, r.spills, r.restarts);
    }
    let bar = row.bar.map_or_else(|| "-".to_string(), |bar| bar.to_string());
    println!("| {} | {gc} | {figures} | {best:.2} | {bar} | {all:.0} |", row.label);
}
