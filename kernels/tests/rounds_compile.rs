//! The kernels of every constraint example compile for rounds.
#![cfg(feature = "cuda")]

mod support;

use gchr_chr::Request;
use gchr_core::diagnostic::render_all;
use gchr_core::plan::chr::{RoundsOptions, compile_rounds};
use gchr_core::source::SourceMap;
use gchr_kernels::cuda::{Arch, Options, parse_resources, resource_table};
use gchr_kernels::emit::cuda_text;
use gchr_kernels::rounds::kernels::kernels;

fn examples() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .expect("the examples are there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "chr"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("readable");
            (path.file_name().expect("a file").to_string_lossy().into_owned(), text)
        })
        .collect();
    found.sort();
    found
}

/// Examples with something that devices do not run yet.
const REFUSED: [&str; 3] = ["expressions.chr", "roads.chr", "union_find.chr"];

#[test]
fn kernels_of_all_examples_compile() {
    let nvrtc = support::nvrtc("kernels_of_all_examples_compile");
    let mut resources = String::new();
    for (name, text) in examples() {
        let mut sources = SourceMap::new();
        let id = sources.add(&name, &text);
        let request = Request { program: id, queries: Vec::new(), facts: Vec::new() };
        let loaded = gchr_chr::load(&mut sources, &request);
        let program =
            loaded.program.unwrap_or_else(|| panic!("{}", render_all(&loaded.diagnostics, &sources, false)));
        let plan = compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
        let made = match kernels(&program, &plan, &sources) {
            Ok(made) => made,
            Err(found) => {
                assert!(REFUSED.contains(&&*name), "{}", render_all(&found, &sources, false));
                assert_eq!(found[0].code, "D0611", "{name}");
                continue;
            }
        };
        assert!(!REFUSED.contains(&&*name), "{name} can be run");
        let source = cuda_text(&made.module, &name).unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        let Some(nvrtc) = &nvrtc else { continue };
        let options = Options::kernels().with_resource_usage();
        let compiled = nvrtc.compile(&source, "kernels.cu", Arch::Real(90), &options);
        let compiled = compiled.unwrap_or_else(|error| panic!("{name}: {error}"));
        let used = parse_resources(&compiled.log);
        assert!(used.iter().all(|kernel| kernel.spill_stores == 0), "{name}: {}", compiled.log);
        resources += &format!("{name}\n{}\n", resource_table(&used));
    }
    if nvrtc.is_some() {
        insta::assert_snapshot!("rounds_resources_sm_90", resources);
    }
}

/// Rules of all classes, and general ones with several heads, without division.
const PROGRAM: &str = "
:- chr_constraint edge(+dense_int, +dense_int, +int), e(+int, +int), p(+int, +int), best(+int, +float), next(+int, +int), run(+int, +int).
floydw @ edge(I, K, D1), edge(K, J, D2) \\ edge(I, J, D3) <=> D3 > D1 + D2 | D4 is D1 + D2, edge(I, J, D4).
set    @ p(X, Y) \\ p(X, Y) <=> true.
base   @ e(X, Y) ==> p(X, Y).
step   @ e(X, Y), p(Y, Z) ==> p(X, Z).
least  @ best(K, A) \\ best(K, B) <=> A =< B | true.
merge  @ next(X, A) \\ next(X, B) <=> A < B | next(A, B).
pair   @ run(N, A), run(N, B) <=> A < B | M is 2 * N, run(M, A), next(A, B).
chain  @ e(A, B), e(B, C), e(C, D) ==> N is A + 1, D =:= N | best(A, 0.5).
?- e(1, 2).
";

#[test]
fn kernels_compile_without_a_word_on_all_architectures() {
    let Some(nvrtc) = support::nvrtc("kernels_compile_without_a_word_on_all_architectures") else { return };
    let mut sources = SourceMap::new();
    let program = sources.add("all.chr", PROGRAM);
    let request = Request { program, queries: Vec::new(), facts: Vec::new() };
    let loaded = gchr_chr::load(&mut sources, &request);
    let program =
        loaded.program.unwrap_or_else(|| panic!("{}", render_all(&loaded.diagnostics, &sources, false)));
    let plan = compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
    let made = kernels(&program, &plan, &sources)
        .unwrap_or_else(|found| panic!("{}", render_all(&found, &sources, false)));
    let source = cuda_text(&made.module, "all.chr").unwrap_or_else(|found| panic!("{found:#?}"));
    for arch in [80, 90, 100] {
        match nvrtc.compile(&source, "kernels.cu", Arch::Real(arch), &Options::kernels()) {
            Ok(compiled) => assert_eq!(compiled.log, "", "sm_{arch}"),
            Err(error) => panic!("sm_{arch}: {error}\n{source}"),
        }
    }
}
