//! The tasks kernels of every term example compile for every architecture, without a word from the compiler.
#![cfg(feature = "cuda")]

#[path = "support/programs.rs"]
mod programs;
mod support;

use gchr_core::plan::term::{TermOptions, compile};
use gchr_kernels::tasks::kernels::{Tuning, kernels};

#[test]
fn tasks_kernels_of_all_examples_compile() {
    let nvrtc = support::nvrtc("tasks_kernels_of_all_examples_compile");
    let mut resources = String::new();
    for (name, text) in programs::examples("trs") {
        let (sources, program) = programs::terms(&name, &text);
        for (counts, compact) in [(false, false), (true, false), (false, true)] {
            let plan = compile(&program, &TermOptions::tasks(counts)).expect("the plan compiles");
            let tuning = Tuning { compact, ..Tuning::default() };
            let made = programs::made(kernels(&plan, &program, &sources, tuning), &sources);
            let source = support::text(&made.module, &name);
            let Some(nvrtc) = &nvrtc else { continue };
            if counts || compact {
                let label = format!("{name}, cells {}", if counts { "given back" } else { "shifted" });
                support::compiles_silently(nvrtc, &source, &label, &[90]);
            } else {
                resources += &support::resources(nvrtc, &source, &name);
                support::compiles_silently(nvrtc, &source, &name, &[80, 90, 100]);
            }
        }
    }
    if nvrtc.is_some() {
        insta::assert_snapshot!("tasks_resources_sm_90", resources);
    }
}
