//! Every instruction of the interpreter runs, with a collection before every cell and without: small enough for Miri,
//! which checks what the unsafe code of the interpreter and the heap rests on (`.ci/miri`).

use std::collections::BTreeSet;

use super::*;
use crate::exec::assemble::assemble;
use gchr_base::control::Limits;
use gchr_base::profile::Recorder;
use gchr_testkit::systems::Generator;

/// Random systems of these seeds have most instructions.
const SEEDS: [u64; 6] = [1, 2, 3, 4, 5, 6];

/// Arithmetic, comparisons and cells with numbers; wide and narrow cells; contexts with one and more cells; calls of
/// all shapes.
const PROGRAMS: [&str; 7] = [
    "sort P = struct P(Int, Float) | Q(P, P, P) | R(P, P, P, P);
     map Sum: Int -> Int; Mean: P -> Float; Near: Float # Float -> Bool; Deep: P -> Int; Round: Float -> Int;
     var N, M: Int; X, Y: Float; A, B, C, D: P;
     eqn Sum(0) = 0; Sum(N) = (N + Sum((N - 1)));
      Mean(P(N, X)) = ((float(N) + X) * 0.5); Mean(Q(A, B, C)) = Mean(B); Mean(R(A, B, C, D)) = (Mean(A) / Mean(D));
      Near(X, Y) = (X < Y); (X < 0.5) -> Round(X) = 0; Round(X) = (floor(X) * 2);
      Deep(P(N, X)) = Sum(N); Deep(Q(A, B, C)) = ((Deep(A) + Deep(B)) - Deep(C)); Deep(R(A, B, C, D)) = Deep(Q(B, C, D));
     input R(P(Sum(5), Mean(Q(P(1, 2.0), P(2, 3.0), P(3, 4.0)))), P(Deep(R(P(1, 1.0), P(2, 1.0), P(3, 1.0), P(4, 1.0))), 0.5),
       P(Round(2.75), Mean(R(P(1, 1.0), P(2, 1.0), P(3, 1.0), P(4, 1.0)))), P(Round(0.25), 1.0));",
    "sort Nat = struct Zero | S(Nat) | Plus(Nat, Nat) | Twice(Nat) | Both(Nat, Nat); List = struct Nil | Cons(Nat, List) | From(Nat) | Copy(List);
     map Len: List -> Int; Same: List # List -> Bool; var X, Y: Nat; L, M: List;
     eqn Plus(Zero, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y)); Twice(Zero) = Zero; Twice(S(X)) = Both(Twice(X), Zero);
      Both(X, Y) = S(Plus(Y, S(X))); From(Zero) = Nil; From(S(X)) = Cons(X, From(X));
      Copy(Nil) = Nil; Copy(Cons(X, L)) = Cons(X, Copy(L)); Len(Nil) = 0; Len(Cons(X, L)) = (1 + Len(L));
      Same(L, L) = true; Same(L, M) = (L == M);
     input Cons(Plus(S^9(Zero), Twice(S^3(Zero))), Copy(From(S^5(Zero))));",
    "map Div: Int # Int -> Int; var N, M: Int; eqn Div(N, M) = (N div M); input Div(7, 0);",
    "sort Nat = struct Zero | S(Nat); map Depth: Nat -> Int; var X: Nat; eqn Depth(S(X)) = (1 + Depth(X));
     input Depth(S(S(Zero)));",
    "sort Nat = struct Zero | S(Nat) | Plus(Nat, Nat) | Add(Nat, Nat, Nat); Two = struct Two(Nat, Nat) | Use(Nat, Nat);
     var X, Y, Z: Nat; eqn Plus(Zero, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y)); Add(Zero, Y, Z) = Plus(Y, Z); Add(S(X), Y, Z) = S(Add(X, Z, Y));
      Use(X, Y) = Two(Plus(Plus(X, Y), Add(X, Y, X)), Plus(Add(X, Y, X), Plus(Y, X)));
     input Use(S^3(Zero), S^2(Zero));",
    "sort Nat = struct Zero | S(Nat) | Mix(Nat, Nat, Nat, Nat); Two = struct Two(Nat, Nat) | Use(Nat);
     var W, X, Y, Z: Nat; eqn Mix(Zero, X, Y, Z) = X; Mix(S(W), X, Y, Z) = S(Mix(W, Y, Z, X));
      Use(X) = Two(Mix(X, X, S(X), X), Mix(S(X), X, X, X)); input Use(S^3(Zero));",
    super::peers::TREEXP,
];

/// Arithmetic, comparisons and conditions with integers of any size.
const BIG: &str = "sort L = struct Nil | Cons(Int, L);
     map Fact: Int -> Int; Down: Int # L -> L; Same: Int # Int -> Bool; Meet: L # L -> Int; var N, M: Int; K, L: L;
     eqn Fact(0) = 1; Fact(N) = (N * Fact((N - 1))); Down(0, L) = L; (N < 0) -> Down(N, L) = Down(-N, L);
      Down(N, L) = Cons(Fact(N), Down((N - 1), L)); Same(N, M) = (N == M);
      Meet(Cons(N, K), Cons(N, L)) = N; Meet(Cons(N, K), Cons(M, L)) = Meet(K, Cons(M, L)); Meet(K, L) = 0;
     input Cons(Meet(Down(-23, Nil), Down(22, Nil)), Down(3, Nil));";

/// Applications of the sort of integers that no rule matches, in a function and in parts of one; a comparison with one.
const NO_NUMBER: &str = "sort L = struct Nil | Cons(Int, L);
     map Half: Int -> Int; Halves: Int # L -> L; Least: Int # Int -> Int; var N, M: Int; L: L;
     eqn Half(0) = 0; Half(2) = 1; Half(4) = 2; Halves(0, L) = L;
      Halves(N, L) = Halves((N - 1), Cons(Half(N), Cons((Half((N + 1)) - 1), L)));
      (N < M) -> Least(N, M) = N; Least(N, M) = M;
     input Cons(Least(Half(5), Half(5)), Halves(4, Cons(Least(Half(3), 7), Nil)));";

/// A sort of many symbols, and functions that know three and four of them, the first and the last among these, with and
/// without an equation for the others.
fn many_symbols() -> String {
    let symbols: Vec<String> = (0..300).map(|i| format!(" | C{i}(L)")).collect();
    let terms =
        ["Nil", "C0(Nil)", "C150(C7(Nil))", "C151(Nil)", "C298(C0(Nil))", "C299(Nil)", "Both(Nil, Nil)"];
    let calls = terms.map(|term| format!("Both(Three({term}), Four({term}))"));
    let input = calls.iter().fold("Nil".to_string(), |rest, call| format!("Both({call}, {rest})"));
    format!(
        "sort L = struct Nil{} | Both(L, L) | Three(L); map Four: L -> L; var X, Y: L;
         eqn Three(C0(X)) = X; Three(C150(X)) = C1(X); Three(C299(X)) = Three(X);
          Four(Nil) = C2(Nil); Four(C150(X)) = C3(X); Four(C298(X)) = X; Four(Both(X, Y)) = Y; Four(X) = C4(X);
         input {input};",
        symbols.concat(),
    )
}

/// The names of all instructions, from the text of their type.
fn all() -> BTreeSet<&'static str> {
    let text = include_str!("../bytecode.rs");
    let body = text.split("enum Instr {").nth(1).and_then(|rest| rest.split("\n}").next()).expect("the type");
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    lines
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
        .map(|line| line.trim_end_matches([' ', '{', ',']))
        .collect()
}

/// Runs a program; gives the names of the instructions of its code, and its end.
fn run_all(text: &str, options: &TermOptions, stress: bool, seen: &mut BTreeSet<String>) -> String {
    let mut program = program(&text.replace("$N", "S^3(Zero)"));
    program.signature.big_integers = [BIG, NO_NUMBER].contains(&text);
    let Start::Term(Some(input)) = &program.start else { panic!("no input") };
    let plan = compile(&program, options).unwrap_or_else(|e| panic!("{e:?}"));
    let code = assemble(&plan, program.signature.booleans, true).expect("code");
    seen.extend(
        code.ops.iter().map(|op| format!("{op:?}").split(' ').next().unwrap_or_default().to_string()),
    );
    let mut recorder = Recorder::new();
    let limits = Limits { memory: Some(4 << 20), max_steps: Some(20_000), ..Limits::default() };
    let mut control = Control::new(limits).profile(&mut recorder);
    if options.trace {
        control = control.trace(|line| assert!(!line.is_empty()));
    }
    match run_with(&program, &plan, input, &mut control, stress) {
        Ok(out) => out.normal_form.to_text(),
        Err(stopped) => format!("{:?}", stopped.error.reason),
    }
}

#[test]
fn every_instruction_runs_whenever_the_collector_does() {
    let mut seen = BTreeSet::new();
    let mut generated = SEEDS.map(Generator::program).to_vec();
    generated.push(many_symbols());
    let texts = PROGRAMS.into_iter().chain([BIG, NO_NUMBER]).chain(generated.iter().map(String::as_str));
    for text in texts {
        let mut ends = BTreeSet::new();
        let plain = TermOptions { inline: false, simplify: false, ..TermOptions::default() };
        for options in [TermOptions::default(), plain, TermOptions::traced()] {
            for stress in [false, true] {
                ends.insert(run_all(text, &options, stress, &mut seen));
            }
        }
        assert_eq!(ends.len(), 1, "{text}\n{ends:?}");
    }
    let missing: Vec<_> = all().into_iter().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "no program has {missing:?}");
}
