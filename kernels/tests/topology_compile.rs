//! Every kernel of every term example compiles for every configuration, without a word from the compiler.
#![cfg(feature = "cuda")]

#[path = "support/programs.rs"]
mod programs;
mod support;

use gchr_kernels::topology::codegen::Strategy;
use gchr_kernels::topology::kernels::{Collector, kernels};
use gchr_kernels::topology::system::System;

#[test]
fn kernels_of_all_examples_compile() {
    let nvrtc = support::nvrtc("kernels_of_all_examples_compile");
    let mut resources = String::new();
    for (name, text) in programs::examples("trs") {
        let (sources, program) = programs::terms(&name, &text);
        let system = System::new(&program);
        for strategy in [Strategy::Innermost, Strategy::Relaxed] {
            for collector in [Collector::None, Collector::Queue, Collector::Compact] {
                let made =
                    programs::made(kernels(&system, &program, &sources, strategy, collector), &sources);
                let source = support::text(&made.module, &name);
                let Some(nvrtc) = &nvrtc else { continue };
                if (strategy, collector) == (Strategy::Innermost, Collector::Queue) {
                    resources += &support::resources(nvrtc, &source, &name);
                }
                // The configurations differ in the template only, which is the same code on every architecture.
                let all = (strategy, collector) == (Strategy::Relaxed, Collector::Compact)
                    || (strategy, collector) == (Strategy::Innermost, Collector::Queue);
                let label = format!("{name}, {}, {}", strategy.name(), collector.name());
                let archs = if all { &[80, 90, 100][..] } else { &[90] };
                support::compiles_silently(nvrtc, &source, &label, archs);
            }
        }
    }
    if nvrtc.is_some() {
        insta::assert_snapshot!("resources_sm_90_innermost_queue", resources);
    }
}
