//! Every kernel of every term example compiles for topology without a word from the compiler.

use std::path::Path;

use gchr_kernels_terms::topology::codegen::Strategy;
use gchr_kernels_terms::topology::kernels::{Collector, kernels};
use gchr_kernels_terms::topology::system::System;
use gchr_testkit::{compiler, programs};
use rayon::prelude::*;

/// The kernels of a program as CUDA C++.
fn cuda(name: &str, text: &str, strategy: Strategy, collector: Collector) -> String {
    let (sources, program) = programs::terms(name, text);
    let made = kernels(&System::new(&program), &program, &sources, strategy, collector);
    compiler::text(&programs::made(made, &sources).module, name)
}

#[test]
fn kernels_of_all_examples_compile() {
    let nvrtc = compiler::cached_nvrtc("kernels_of_all_examples_compile");
    let examples = programs::examples("trs");
    let resources = examples.par_iter().map(|(name, text)| {
        let source = cuda(name, text, Strategy::Innermost, Collector::Queue);
        nvrtc.as_ref().map(|nvrtc| compiler::resources(nvrtc, &source, name)).unwrap_or_default()
    });
    let resources: Vec<String> = resources.collect();
    if nvrtc.is_some() {
        let recorded = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it/snapshots/it__topology_compile__resources_sm_90_innermost_queue.snap");
        let resources = compiler::with_recorded_registers(&resources.concat(), &recorded);
        insta::assert_snapshot!("resources_sm_90_innermost_queue", resources);
    }
}

/// The other configurations. They differ in the template only, which is the same code on every architecture: two are
/// compiled for all.
#[test]
#[ignore = "some minutes of compiling; run with the benchmarks"]
fn kernels_of_all_examples_compile_in_every_configuration() {
    let test = "kernels_of_all_examples_compile_in_every_configuration";
    let Some(nvrtc) = compiler::cached_nvrtc(test) else { return };
    programs::examples("trs").par_iter().for_each(|(name, text)| {
        for strategy in [Strategy::Innermost, Strategy::Relaxed] {
            for collector in [Collector::None, Collector::Queue, Collector::Compact] {
                let archs: &[u32] = match (strategy, collector) {
                    (Strategy::Innermost, Collector::Queue) => &[80, 100],
                    (Strategy::Relaxed, Collector::Compact) => &[80, 90, 100],
                    _ => &[90],
                };
                let label = format!("{name}, {}, {}", strategy.name(), collector.name());
                let source = cuda(name, text, strategy, collector);
                compiler::compiles_silently(&nvrtc, &source, &label, archs);
            }
        }
    });
}
