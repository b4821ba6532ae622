//! The CUDA text is real CUDA: NVRTC takes it without a word.

use gchr_cuda::{Arch, Nvrtc, NvrtcOptions};
use gchr_kernel::emit::{Form, PRELUDE, cuda_text, cuda_text_as};
use gchr_kernel::testing::{self, random};
use gchr_testkit::compiler;
use insta::assert_snapshot;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

fn compile(nvrtc: &Nvrtc, text: &str, arch: u32, options: &NvrtcOptions) -> Result<(), String> {
    match nvrtc.compile(text, "kernels.cu", Arch::Real(arch), options) {
        Ok(compiled) if compiled.log.is_empty() => Ok(()),
        Ok(compiled) => Err(compiled.log),
        Err(error) => Err(format!("{error:?}")),
    }
}

#[test]
fn every_construct_compiles_for_all_generations() {
    let Some(nvrtc) = compiler::nvrtc("every_construct_compiles") else { return };
    let mut module = testing::module(include_str!("../../../language/src/text/tests/everything.cu"));
    testing::fill(&mut module);
    for form in [Form::Plain, Form::Counting] {
        let text = cuda_text_as(&module, "program.chr", form).expect("lowers");
        for arch in [75, 80, 90, 100, 120] {
            compile(&nvrtc, &text, arch, &NvrtcOptions::kernels()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        }
    }
}

#[test]
fn the_counting_form_counts_device_memory_only() {
    let module = testing::module(
        "struct Node {\nu32 a;\nu32 b;\n};\n\
         extern \"C\" __global__ void __launch_bounds__(32) k(Node* nodes, u32* words) {\n\
         __shared__ u32 tile[32];\nu32 i = threadIdx.x;\ntally(6u);\nNode n = nodes[i];\ntile[i] = nodes[words[i]].b + n.a;\n\
         words[tile[0u]] = 1u;\nnodes[i].a = tile[i];\natomic_add(&words[0u], 1u);\natomic_add(&tile[0u], 1u);\n}",
    );
    let text = cuda_text_as(&module, "p.chr", Form::Counting).expect("lowers");
    assert!(text.starts_with("#define GCHR_TALLIES 7u\n"));
    let kernel = text.split("extern \"C\"").last().unwrap_or("");
    assert_snapshot!(kernel);
    let plain = cuda_text(&module, "p.chr").expect("lowers");
    let plain = plain.split("extern \"C\"").last().unwrap_or("");
    assert!(plain.contains("atomic_add") && !plain.contains("gchr_"), "{plain}");
}

#[test]
fn every_atomic_compiles() {
    let Some(nvrtc) = compiler::nvrtc("every_atomic_compiles") else { return };
    let mut text = String::new();
    for ty in ["i32", "u32", "i64", "u64"] {
        text += &format!("extern \"C\" __global__ void __launch_bounds__(32) with_{ty}({ty}* a) {{\n");
        text += &format!("__shared__ {ty} b[4];\n{ty} x = a[0u];\n");
        for (i, (name, op)) in gchr_kernel::names::atomics().into_iter().enumerate() {
            use gchr_kernel::ir::AtomicOp;
            let operands = match op {
                AtomicOp::Load => "",
                AtomicOp::CompareExchange => ", x, x",
                _ => ", x",
            };
            for place in ["a[1u]", "b[threadIdx.x]"] {
                text += &match op {
                    AtomicOp::Store => format!("{name}(&{place}{operands});\n"),
                    _ => format!("x = {name}(&{place}{operands});\na[{}u] = x;\n", i + 2),
                };
            }
        }
        text += "}\n";
    }
    let text = cuda_text(&testing::module(&text), "").expect("lowers");
    for arch in [75, 90, 100] {
        compile(&nvrtc, &text, arch, &NvrtcOptions::kernels()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
}

#[test]
fn errors_point_into_the_program() {
    let Some(nvrtc) = compiler::nvrtc("errors_point_into_the_program") else { return };
    let module = testing::module(
        "// doc\n__device__ __forceinline__ u32 f(u32 a) {\n//@ 7\n// rule gcd\nu32 b = a;\nu32 c = b;\nreturn c;\n}\n\
         __device__ __forceinline__ u32 g(u32 a) {\nreturn a;\n}\n",
    );
    let text = cuda_text(&module, "a \"b\".chr").expect("lowers");
    let own = text.strip_prefix(PRELUDE).expect("starts with the prelude").trim_start();
    // Lines behind the prelude, whatever its length.
    let relative =
        |line: &str| match line.strip_prefix("#line ").and_then(|l| l.strip_suffix(" \"kernels.cu\"")) {
            Some(number) => {
                let number: usize = number.parse().expect("a number");
                format!("#line {} behind the prelude", number - PRELUDE.lines().count())
            }
            None => line.to_string(),
        };
    assert_snapshot!(own.lines().map(relative).collect::<Vec<_>>().join("\n"));
    // Every `#line` says the truth: a wrong statement is found where it is.
    for (statement, place) in [("u32 b = a;", "a _b_.chr(7)"), ("return a;", "kernels.cu(")] {
        let broken = text.replace(statement, &format!("{statement} wrong;"));
        let line = broken.lines().position(|l| l.contains("wrong")).unwrap_or(0) + 1;
        let error = compile(&nvrtc, &broken, 90, &NvrtcOptions::kernels()).expect_err("it is wrong");
        let place = if place.ends_with('(') { format!("{place}{line})") } else { place.to_string() };
        assert!(error.contains(&place), "{place}: {error}");
    }
}

#[test]
fn random_modules_compile() {
    let Some(nvrtc) = compiler::nvrtc("random_modules_compile") else { return };
    let cases = std::env::var("GCHR_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    let mut runner = TestRunner::new(Config { cases, max_shrink_iters: 60, ..Config::default() });
    // Random constants are shifted and divided in ways that deserve warnings, and need many registers.
    let options = NvrtcOptions::none().with("--std=c++17").with("--fmad=false").with("-w");
    let run = runner.run(&prop::collection::vec(any::<u16>(), 100..600), |choices| {
        let even = choices.len() % 2 == 0;
        let mut module = random::module(choices);
        testing::fill(&mut module);
        let form = if even { Form::Plain } else { Form::Counting };
        let text = match cuda_text_as(&module, "random.chr", form) {
            Ok(text) => text,
            Err(found) => return Err(TestCaseError::fail(format!("{found:#?}\n{module}"))),
        };
        compile(&nvrtc, &text, 80, &options).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}
