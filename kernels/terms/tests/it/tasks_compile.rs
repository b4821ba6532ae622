//! The tasks kernels of every term example compile for every architecture, without a word from the compiler.

use gchr_cuda::Nvrtc;
use gchr_kernels_terms::tasks::kernels::{Tuning, kernels};
use gchr_terms::plan::{TermOptions, compile};
use gchr_testkit::{compiler, programs};
use rayon::prelude::*;

#[test]
fn tasks_kernels_of_all_examples_compile() {
    let nvrtc = compiler::nvrtc("tasks_kernels_of_all_examples_compile");
    let examples = programs::examples("trs");
    let compiled = examples.par_iter().map(|(name, text)| compiles(nvrtc.as_ref(), name, text));
    let compiled: Vec<String> = compiled.collect();
    if nvrtc.is_some() {
        insta::assert_snapshot!("tasks_resources_sm_90", compiled.concat());
    }
}

/// Compiles the kernels of a program for every collector; gives their resources without one. What collectors add is the same code on every
/// architecture.
fn compiles(nvrtc: Option<&Nvrtc>, name: &str, text: &str) -> String {
    let mut resources = String::new();
    let (sources, program) = programs::terms(name, text);
    for (counts, compact) in [(false, false), (true, false), (false, true)] {
        let plan = compile(&program, &TermOptions::tasks(counts)).expect("the plan compiles");
        let tuning = Tuning { compact, ..Tuning::default() };
        let made = programs::made(kernels(&plan, &program, &sources, tuning), &sources);
        let source = compiler::text(&made.module, name);
        let Some(nvrtc) = nvrtc else { continue };
        let (what, archs) = match (counts, compact) {
            (true, _) => ("cells given back", &[90][..]),
            (_, true) => ("cells shifted", &[90][..]),
            _ => {
                resources += &compiler::resources(nvrtc, &source, name);
                ("no collector", &[80, 100][..])
            }
        };
        compiler::compiles_silently(nvrtc, &source, &format!("{name}, {what}"), archs);
    }
    resources
}
