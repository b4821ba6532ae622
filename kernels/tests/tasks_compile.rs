//! The tasks kernels of every term example compile for every architecture, without a word from the compiler.
#![cfg(feature = "cuda")]

mod support;

use gchr_core::diagnostic::render_all;
use gchr_core::plan::term::{TermOptions, compile};
use gchr_core::source::SourceMap;
use gchr_kernels::cuda::{Arch, Options, parse_resources, resource_table};
use gchr_kernels::emit::cuda_text;
use gchr_kernels::tasks::kernels::{Tuning, kernels};

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
fn tasks_kernels_of_all_examples_compile() {
    let nvrtc = support::nvrtc("tasks_kernels_of_all_examples_compile");
    let mut resources = String::new();
    for (name, text) in examples() {
        let mut sources = SourceMap::new();
        let id = sources.add(&name, &text);
        let loaded = gchr_trs::load(&sources, id);
        let program =
            loaded.program.unwrap_or_else(|| panic!("{}", render_all(&loaded.diagnostics, &sources, false)));
        let plan = compile(&program, &TermOptions::tasks(false)).expect("the plan compiles");
        let made = kernels(&plan, &program, &sources, Tuning::default());
        let made = made.unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        let source = cuda_text(&made.module, &name).unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        let Some(nvrtc) = &nvrtc else { continue };
        let options = Options::kernels().with_resource_usage();
        let compiled = nvrtc.compile(&source, "kernels.cu", Arch::Real(90), &options).expect("compiles");
        resources += &format!("{name}\n{}\n", resource_table(&parse_resources(&compiled.log)));
        let options = Options::kernels().with("--ptxas-options=--warn-on-spills");
        for arch in [80, 90, 100] {
            match nvrtc.compile(&source, "kernels.cu", Arch::Real(arch), &options) {
                Ok(compiled) if compiled.log.is_empty() => {}
                Ok(compiled) => {
                    let text = std::env::temp_dir().join("gchr-kernels.cu");
                    let _ = std::fs::write(&text, &source);
                    panic!("{name} for sm_{arch}: {}\nthe text is in {}", compiled.log, text.display());
                }
                Err(error) => panic!("{name} for sm_{arch}: {error}\n{source}"),
            }
        }
    }
    if nvrtc.is_some() {
        insta::assert_snapshot!("tasks_resources_sm_90", resources);
    }
}
