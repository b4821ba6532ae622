//! The kernels of every constraint example compile for rounds.

use std::path::Path;

use gchr_constraints::plan::{RoundsOptions, compile_rounds};
use gchr_cuda::{Arch, NvrtcOptions};
use gchr_kernel::{Unit, cuda_objects};
use gchr_kernels_constraints::generate::kernels;
use gchr_testkit::{compiler, programs};
use rayon::prelude::*;

#[test]
fn kernels_of_all_examples_compile() {
    let nvrtc = compiler::cached_nvrtc("kernels_of_all_examples_compile");
    let examples = programs::examples("chr");
    let resources = examples.par_iter().map(|(name, text)| {
        let (sources, program) = programs::constraints(name, text);
        let plan = compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
        let made = programs::made(kernels(&program, &plan, &sources), &sources);
        let source = compiler::text(&made.module, name);
        nvrtc.as_ref().map(|nvrtc| compiler::resources(nvrtc, &source, name)).unwrap_or_default()
    });
    let resources: Vec<String> = resources.collect();
    if nvrtc.is_some() {
        let recorded = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it/snapshots/it__compile__rounds_resources_sm_90.snap");
        let resources = compiler::with_recorded_registers(&resources.concat(), &recorded);
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

/// Terms matched, built and ordered; arithmetic on values whose types are known at run time only.
const TERMS: &str = "
:- chr_constraint p(?any), q(?any, ?any), n(?any), i(+int, ?any).
split @ p(f(X, Y)) <=> p(X), p(Y), q(X, g(Y, Y)).
order @ q(X, A), q(Y, B) ==> X @< Y, A == B | p(h(X)).
sum   @ n(X), n(Y) <=> number(X), number(Y), X < Y | Z is X + Y * 2, n(Z).
typed @ i(N, X) <=> integer(X) | i(X, [N|X]).
?- p(f(1, 2)).
";

/// Powers of floats, in a guard and in bodies, of known types and of others.
const POWERS: &str = "
:- chr_constraint x(+float, +float), n(?any).
grow @ x(A, B) <=> A ** B < 1000.0 | C is A ** B, n(C), x(C, B).
any  @ n(A), n(B) <=> number(A), number(B), A < B | C is A ** B, n(C).
?- x(1.5, 2.0).
";

#[test]
fn kernels_compile_without_a_word_on_all_architectures() {
    let Some(nvrtc) = compiler::cached_nvrtc("kernels_compile_without_a_word_on_all_architectures") else {
        return;
    };
    for (name, text) in [("all.chr", PROGRAM), ("terms.chr", TERMS), ("powers.chr", POWERS)] {
        let (sources, program) = programs::constraints(name, text);
        let plan = compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
        let made = programs::made(kernels(&program, &plan, &sources), &sources);
        let source = compiler::text(&made.module, name);
        compiler::compiles_silently(&nvrtc, &source, name, &[80, 90, 100]);
    }
}

/// Kernels that are made in a hurry come in objects, each of which compiles alone: no function of them is large, and
/// runs that do not fail need no kernel that explains failures.
#[test]
fn objects_of_rounds_kernels_compile() {
    let nvrtc = compiler::cached_nvrtc("objects_of_rounds_kernels_compile");
    for (name, text, least) in [("all.chr", PROGRAM, 8), ("terms.chr", TERMS, 5)] {
        let (sources, program) = programs::constraints(name, text);
        let plan = compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
        let mut made = programs::made(kernels(&program, &plan, &sources), &sources);
        let whole = made.units();
        made.cut();
        let kernels = |units: &[Unit], rare| -> Vec<String> {
            units.iter().filter(|unit| unit.rare == rare).flat_map(|unit| unit.kernels.clone()).collect()
        };
        let units = made.units();
        assert!(kernels(&units, true).contains(&"explain_failure".to_string()));
        assert_eq!(kernels(&units, true), kernels(&whole, true), "cuts change no kernel");
        let mut count = 0;
        for unit in units.iter().filter(|unit| !unit.rare) {
            let objects = cuda_objects(unit, &made.module, name).expect("CUDA C++");
            let registers = Unit::registers(&unit.of(&made.module), 1 << 16);
            let options = NvrtcOptions::kernels_soon().object(registers);
            count += objects.len();
            if let Some(nvrtc) = &nvrtc {
                objects.par_iter().for_each(|object| {
                    let built = nvrtc.build(object, name, Arch::Real(90), &options);
                    built.unwrap_or_else(|error| panic!("{error}"));
                });
            }
        }
        assert!(count >= least, "{name}: {count} objects");
    }
}
