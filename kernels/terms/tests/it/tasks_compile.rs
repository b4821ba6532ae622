//! The tasks kernels of every term example compile without a word from the compiler.

use std::path::Path;

use gchr_cuda::{Arch, Compiler, NvrtcOptions};
use gchr_kernel::Unit;
use gchr_kernels_terms::tasks::codegen::Pieces;
use gchr_kernels_terms::tasks::kernels::{Tuning, kernels};
use gchr_terms::plan::{TermOptions, compile};
use gchr_testkit::{compiler, programs};
use rayon::prelude::*;

/// What becomes of cells that nothing refers to. Cells are shifted unless a user says otherwise.
#[derive(Clone, Copy)]
enum Collector {
    None,
    Counts,
    Compact,
}

/// The kernels of a program as CUDA C++.
fn cuda(name: &str, text: &str, collector: Collector) -> String {
    let (sources, program) = programs::terms(name, text);
    let counts = matches!(collector, Collector::Counts);
    let plan = compile(&program, &TermOptions::tasks(counts)).expect("the plan compiles");
    let tuning = Tuning { compact: matches!(collector, Collector::Compact), ..Tuning::default() };
    let made = programs::made(kernels(&plan, &program, &sources, tuning), &sources);
    compiler::text(&made.module, name)
}

#[test]
fn tasks_kernels_of_all_examples_compile() {
    let nvrtc = compiler::cached_nvrtc("tasks_kernels_of_all_examples_compile");
    let examples = programs::examples("trs");
    let resources = examples.par_iter().map(|(name, text)| {
        let source = cuda(name, text, Collector::Compact);
        nvrtc.as_ref().map(|nvrtc| compiler::resources(nvrtc, &source, name)).unwrap_or_default()
    });
    let resources: Vec<String> = resources.collect();
    if nvrtc.is_some() {
        let recorded = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it/snapshots/it__tasks_compile__tasks_resources_sm_90.snap");
        let resources = compiler::with_recorded_registers(&resources.concat(), &recorded);
        insta::assert_snapshot!("tasks_resources_sm_90", resources);
    }
}

/// Kernels that are made in a hurry come in objects, each of which compiles alone.
#[test]
fn objects_of_tasks_kernels_compile() {
    let Some(nvrtc) = compiler::cached_nvrtc("objects_of_tasks_kernels_compile") else { return };
    let name = "bst.trs";
    let examples = programs::examples("trs");
    let (_, text) = examples.iter().find(|(found, _)| found == name).expect("the example");
    let (sources, program) = programs::terms(name, text);
    let plan = compile(&program, &TermOptions::tasks(false).short()).expect("the plan compiles");
    let tuning = Tuning { compact: true, pieces: Pieces::SOON, ..Tuning::default() };
    let made = programs::made(kernels(&plan, &program, &sources, tuning), &sources);
    let unit = made.units().into_iter().find(|unit| !unit.rare).expect("what all runs need");
    let objects = gchr_kernel::cuda_objects(&unit, &made.module, name).expect("CUDA C++");
    assert!(objects.len() > 3, "{} objects", objects.len());
    let registers = Unit::registers(&unit.of(&made.module), 1 << 16);
    assert_eq!(registers, 168, "three blocks of 128 threads");
    let options = NvrtcOptions::kernels_soon().object(registers);
    objects.par_iter().for_each(|object| {
        let built = nvrtc.build(object, name, Arch::Real(90), &options);
        built.unwrap_or_else(|error| panic!("{error}"));
    });
}

/// The collectors, and the architectures that each is compiled for, other than in the everyday test of all examples.
/// What collectors add is not compiled for sm_100, where the compiler spills registers of the kernel `compact`.
const OTHERS: [(&str, Collector, &[u32]); 3] = [
    ("cells given back", Collector::Counts, &[80, 90]),
    ("cells shifted", Collector::Compact, &[80]),
    ("no collector", Collector::None, &[80, 90, 100]),
];

/// Compiles programs for what `OTHERS` has, or each for one entry of it, by turns.
fn compile_others(nvrtc: &Compiler, examples: &[(String, String)], by_turns: bool) {
    examples.par_iter().enumerate().for_each(|(number, (name, text))| {
        for (at, (what, collector, archs)) in OTHERS.into_iter().enumerate() {
            if by_turns && at != number % OTHERS.len() {
                continue;
            }
            let label = format!("{name}, {what}");
            compiler::compiles_silently(nvrtc, &cuda(name, text, collector), &label, archs);
        }
    });
}

/// Programs that differ: numbers, terms that are shared and taken apart, sorts with many symbols.
const VARIED: [&str; 3] = ["fib_int.trs", "bst.trs", "floyd.trs"];

#[test]
fn tasks_kernels_compile_for_other_collectors_and_architectures() {
    let test = "tasks_kernels_compile_for_other_collectors_and_architectures";
    let Some(nvrtc) = compiler::cached_nvrtc(test) else { return };
    let mut examples = programs::examples("trs");
    examples.retain(|(name, _)| VARIED.contains(&name.as_str()));
    assert_eq!(examples.len(), VARIED.len());
    compile_others(&nvrtc, &examples, true);
}

#[test]
#[ignore = "some minutes of compiling; run with the benchmarks"]
fn tasks_kernels_of_all_examples_compile_in_every_configuration() {
    let test = "tasks_kernels_of_all_examples_compile_in_every_configuration";
    let Some(nvrtc) = compiler::cached_nvrtc(test) else { return };
    compile_others(&nvrtc, &programs::examples("trs"), false);
}
