//! Every kernel of every term example compiles for every configuration, without a word from the compiler.

use gchr_cuda::Nvrtc;
use gchr_kernels_terms::topology::codegen::Strategy;
use gchr_kernels_terms::topology::kernels::{Collector, kernels};
use gchr_kernels_terms::topology::system::System;
use gchr_testkit::{compiler, programs};
use rayon::prelude::*;

#[test]
fn kernels_of_all_examples_compile() {
    let nvrtc = compiler::nvrtc("kernels_of_all_examples_compile");
    let examples = programs::examples("trs");
    let compiled = examples.par_iter().map(|(name, text)| compiles(nvrtc.as_ref(), name, text));
    let compiled: Vec<String> = compiled.collect();
    if nvrtc.is_some() {
        insta::assert_snapshot!("resources_sm_90_innermost_queue", compiled.concat());
    }
}

/// Compiles the kernels of a program for every configuration; gives the resources of one.
fn compiles(nvrtc: Option<&Nvrtc>, name: &str, text: &str) -> String {
    let mut resources = String::new();
    let (sources, program) = programs::terms(name, text);
    let system = System::new(&program);
    for strategy in [Strategy::Innermost, Strategy::Relaxed] {
        for collector in [Collector::None, Collector::Queue, Collector::Compact] {
            let made = programs::made(kernels(&system, &program, &sources, strategy, collector), &sources);
            let source = compiler::text(&made.module, name);
            let Some(nvrtc) = nvrtc else { continue };
            // The configurations differ in the template only, which is the same code on every architecture.
            let archs: &[u32] = match (strategy, collector) {
                (Strategy::Innermost, Collector::Queue) => {
                    resources += &compiler::resources(nvrtc, &source, name);
                    &[80, 100]
                }
                (Strategy::Relaxed, Collector::Compact) => &[80, 90, 100],
                _ => &[90],
            };
            let label = format!("{name}, {}, {}", strategy.name(), collector.name());
            compiler::compiles_silently(nvrtc, &source, &label, archs);
        }
    }
    resources
}
