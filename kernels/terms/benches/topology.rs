//! The topology scheduler on a GPU: the papers' three systems in the five configurations of Table 3 of van Eerd,
//! Groote, Hijma, Martens, Osama, Wijs, "Innermost many-sorted term rewriting on GPUs".
//!
//! `topology [REPEATS] [--largest]` prints a table, with `--largest` only of the largest size of each system; times are
//! those of the device, best of the repeats.

use gchr_base::control::{Control, Limits};
use gchr_kernels_terms::COUNTED;
use gchr_kernels_terms::topology::codegen::Strategy;
use gchr_kernels_terms::topology::kernels::{Collector, kernels};
use gchr_kernels_terms::topology::run::{Job, Options, run};
use gchr_kernels_terms::topology::system::System;
use gchr_terms::plan::{self, TermOptions};
use gchr_testkit::bench;
use gchr_testkit::bench::GpuMachine;

const SYSTEMS: [(&str, &str, &str, [u32; 3]); 3] = [
    (
        "Tree exploration",
        include_str!("../../../examples/tree_exploration.trs"),
        "Visit(Multl(S^N(Zero()), Leaf(Zero())))",
        [21, 22, 23],
    ),
    (
        "Transformation tree",
        include_str!("../../../examples/transformation_tree.trs"),
        "Expand(S^N(Zero()))",
        [22, 23, 24],
    ),
    (
        "Binary search tree",
        include_str!("../../../examples/bst.trs"),
        "BST(InputTree(S^N(Zero()), S^2(Zero()), S^2(Zero()), S^2(Zero())), Min(), Max())",
        [20, 21, 22],
    ),
];

const CONFIGURATIONS: [(&str, Strategy, Collector); 5] = [
    ("innermost", Strategy::Innermost, Collector::None),
    ("innermost, queue", Strategy::Innermost, Collector::Queue),
    ("relaxed, queue", Strategy::Relaxed, Collector::Queue),
    ("innermost, compact", Strategy::Innermost, Collector::Compact),
    ("relaxed, compact", Strategy::Relaxed, Collector::Compact),
];

fn main() {
    let repeats = bench::repeats();
    let largest = std::env::args().any(|a| a == "--largest");
    let Some(machine) = GpuMachine::find() else { return };
    println!(
        "| system | configuration | iterations | rule applications | rewritten | slots live = reachable | collections | device ms |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, text, input, sizes) in SYSTEMS {
        for size in sizes.into_iter().skip(if largest { sizes.len() - 1 } else { 0 }) {
            for configuration in CONFIGURATIONS {
                let label = format!("{name} {size}");
                let input = input.replace("S^N", &format!("S^{size}"));
                bench(&label, text, &input, configuration, repeats, &machine);
            }
        }
    }
}

fn bench(
    label: &str,
    text: &str,
    input: &str,
    (name, strategy, collector): (&str, Strategy, Collector),
    repeats: u32,
    machine: &GpuMachine,
) {
    let (sources, program, input) = bench::load(label, text, input);
    let system = System::new(&program);
    let kernels = kernels(&system, &program, &sources, strategy, collector).expect("kernels are generated");
    let (mut gpu, memory) = machine.gpu(&kernels.module, label);
    let plan = plan::compile(&program, &TermOptions::default()).expect("the plan compiles");
    let job = Job { program: &program, system: &system, kernels: &kernels, plan: &plan, input: &input };
    let mut best = f64::INFINITY;
    let mut row = String::new();
    for _ in 0..repeats {
        let options = Options { strategy, collector, memory, slots: 1 << 29, counted: COUNTED };
        let outcome = match run(job, options, &mut gpu, &mut Control::new(Limits::default())) {
            Ok(outcome) => outcome,
            Err(failure) => return println!("| {label} | {name} | {failure:?} |"),
        };
        let (stats, report) = (outcome.stats, outcome.report);
        best = best.min(stats.device_ms.unwrap_or(f64::INFINITY));
        row = format!(
            "{} | {} | {} | {} = {} | {}",
            stats.rounds.unwrap_or(0),
            stats.rewrites.unwrap_or(0),
            report.rewritten,
            report.live_slots,
            report.reachable_slots.map_or("-".into(), |slots| slots.to_string()),
            stats.collections.unwrap_or(0),
        );
    }
    println!("| {label} | {name} | {row} | {best:.2} |");
}
