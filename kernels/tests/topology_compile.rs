//! Every kernel of every term example compiles for every configuration, without a word from the compiler.
#![cfg(feature = "cuda")]

mod support;

use gchr_core::diagnostic::render_all;
use gchr_core::source::SourceMap;
use gchr_kernels::cuda::{Arch, Options, parse_resources, resource_table};
use gchr_kernels::emit::cuda_text;
use gchr_kernels::topology::codegen::Strategy;
use gchr_kernels::topology::kernels::{Collector, kernels};
use gchr_kernels::topology::system::System;

fn examples() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .expect("the examples are there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "trs"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("readable");
            (path.file_name().expect("a file").to_string_lossy().into_owned(), text)
        })
        .collect();
    found.sort();
    found
}

#[test]
fn kernels_of_all_examples_compile() {
    let nvrtc = support::nvrtc("kernels_of_all_examples_compile");
    let mut resources = String::new();
    for (name, text) in examples() {
        let mut sources = SourceMap::new();
        let id = sources.add(&name, &text);
        let loaded = gchr_trs::load(&sources, id);
        let program =
            loaded.program.unwrap_or_else(|| panic!("{}", render_all(&loaded.diagnostics, &sources, false)));
        let system = System::new(&program);
        for strategy in [Strategy::Innermost, Strategy::Relaxed] {
            for collector in [Collector::None, Collector::Queue, Collector::Compact] {
                let made = kernels(&system, &program, &sources, strategy, collector);
                let made = made.unwrap_or_else(|found| panic!("{name}: {found:#?}"));
                let source =
                    cuda_text(&made.module, &name).unwrap_or_else(|found| panic!("{name}: {found:#?}"));
                let Some(nvrtc) = &nvrtc else { continue };
                if (strategy, collector) == (Strategy::Innermost, Collector::Queue) {
                    let options = Options::kernels().with_resource_usage();
                    let compiled =
                        nvrtc.compile(&source, "kernels.cu", Arch::Real(90), &options).expect("compiles");
                    resources += &format!("{name}\n{}\n", resource_table(&parse_resources(&compiled.log)));
                }
                let options = Options::kernels().with("--ptxas-options=--warn-on-spills");
                // The configurations differ in the template only, which is the same code on every architecture.
                let all = (strategy, collector) == (Strategy::Relaxed, Collector::Compact)
                    || (strategy, collector) == (Strategy::Innermost, Collector::Queue);
                for arch in if all { &[80, 90, 100][..] } else { &[90] } {
                    let compiled = nvrtc.compile(&source, "kernels.cu", Arch::Real(*arch), &options);
                    match compiled {
                        Ok(compiled) if compiled.log.is_empty() => {}
                        Ok(compiled) => {
                            let text = std::env::temp_dir().join("gchr-kernels.cu");
                            let _ = std::fs::write(&text, &source);
                            let label =
                                format!("{name} for sm_{arch}, {}, {}", strategy.name(), collector.name());
                            panic!("{label}: {}\nthe text is in {}", compiled.log, text.display());
                        }
                        Err(error) => panic!("{name} for sm_{arch}: {error}\n{source}"),
                    }
                }
            }
        }
    }
    if nvrtc.is_some() {
        insta::assert_snapshot!("resources_sm_90_innermost_queue", resources);
    }
}
