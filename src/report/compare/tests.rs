//! Answers through mappings, and growth.

use gchr_base::control::Control;

use super::Answered;
use crate::input::Input;
use crate::options::CompileOptions;
use crate::report::spread::exponent;

fn answer(input: &Input, rules: &str) -> Result<Vec<String>, String> {
    let program = input.parse().expect("a program");
    let executable = program.compile(&CompileOptions::default()).expect("a plan");
    let outcome = executable.run(&mut Control::default()).expect("a result");
    Answered::of(&outcome, Some(rules), &mut Control::default()).map(|a| a.rows)
}

const LIST: &str = "sort List = struct Nil() | Cons(Int, List) | Two(List, List);\nmap F: List -> List;\nvar L: List;\neqn F(L) = Two(L, L);\n";

#[test]
fn cells_are_constraints() {
    let rules = ":- chr_constraint at(+int, +int), row(+int, +int).\n\
                 root(T), 'Two'(T, L, _) ==> at(0, L).\n\
                 at(I, L), 'Cons'(L, X, M) ==> row(I, X), J is I + 1, at(J, M).";
    let input = Input::terms(LIST).term("F(Cons(7, Cons(5, Nil())))");
    assert_eq!(answer(&input, rules).expect("an answer"), ["row(0,7)", "row(1,5)"]);
}

/// A chain of pairs of equal subterms has as many cells as it is long, and twice as many paths with each.
#[test]
fn shared_cells_have_one_number() {
    let text = "sort T = struct L() | N(T, T);\nmap F: T -> T;\n    G: Int # T -> T;\nvar X: T; I: Int;\neqn F(X) = N(X, X);\n\
                    G(0, X) = X;\n    G(I, X) = G(I - 1, F(X));\n";
    let rules = ":- chr_constraint row(+int).\n'N'(C, _, _) ==> row(C).";
    let input = Input::terms(text).term("G(60, L())");
    assert_eq!(answer(&input, rules).expect("an answer").len(), 60);
}

#[test]
fn values_keep_their_types() {
    let rules = ":- chr_constraint row(+any, +any).\np(X, Y) ==> row(Y, X).";
    let program = ":- chr_constraint p(?any, ?any), q(?any).\n";
    let good = Input::constraints(program).query("p(1.5, abc), p(2.5, 'A b'), q(f(x))");
    assert_eq!(answer(&good, rules).expect("an answer"), ["row('A b',2.5)", "row(abc,1.5)"]);
    let mixed = Input::constraints(program).query("p(1, abc), p(f(x), abc)");
    let told = answer(&mixed, rules).expect_err("a compound term");
    assert!(told.contains("argument 1 of p/2"), "{told}");
}

#[test]
fn numbers_are_roots() {
    let row = ":- chr_constraint row(?any).\nroot(X) ==> row(X).";
    let int = Input::terms("map F: Int -> Int;\nvar X: Int;\neqn F(X) = X * X;\n").term("F(-12)");
    assert_eq!(answer(&int, row).expect("an answer"), ["row(144)"]);
    let float = Input::terms("map F: Float -> Float;\nvar X: Float;\neqn F(X) = X / 4.0;\n").term("F(1.0)");
    assert_eq!(answer(&float, row).expect("an answer"), ["row(0.25)"]);
}

#[test]
fn wrong_rules_are_told() {
    let input = Input::terms(LIST).term("Nil()");
    let told = answer(&input, "root(X) ==> row(X).").expect_err("row is not declared");
    assert!(told.contains("rules of its answer are wrong") && told.contains("row"), "{told}");
}

#[test]
fn long_lists_need_no_stack() {
    let text = "sort List = struct Nil() | Cons(Int, List);\nmap Upto: Int -> List;\nvar N: Int;\neqn Upto(0) = Nil();\n    Upto(N) = Cons(N, Upto(N - 1));\n";
    let rules = ":- chr_constraint at(+int, +int), row(+int, +int).\nroot(L) ==> at(0, L).\n\
                 at(I, L), 'Cons'(L, X, M) ==> row(I, X), J is I + 1, at(J, M).";
    let rows = answer(&Input::terms(text).term("Upto(50000)"), rules).expect("an answer");
    assert_eq!((rows.len(), rows[0].as_str()), (50_000, "row(0,50000)"));
}

#[test]
fn answers_part_somewhere() {
    let of = |rows: &[&str]| Answered { rows: rows.iter().map(|r| r.to_string()).collect() };
    assert_eq!(of(&["a", "b"]).difference(&of(&["a", "b"])), None);
    let told = of(&["a", "c"]).difference(&of(&["a", "b"])).expect("a difference");
    assert!(told.contains("row 2 is c against b"), "{told}");
    let told = of(&["a"]).difference(&of(&["a", "b"])).expect("a difference");
    assert!(told.contains("1 row against 2") && told.contains("no row against b"), "{told}");
}

#[test]
fn the_exponent_of_a_power_law_is_found() {
    let law = |k: f64| [10.0, 20.0, 80.0].map(|n: f64| (n, 3.0 * n.powf(k)));
    for k in [0.0, 1.0, 2.5] {
        let found = exponent(&law(k)).expect("an exponent");
        assert!((found - k).abs() < 1e-9, "{found} for {k}");
    }
    assert_eq!(exponent(&[(10.0, 1.0)]), None);
    assert_eq!(exponent(&[(10.0, 1.0), (10.0, 2.0)]), None);
    assert_eq!(exponent(&[(10.0, 0.0), (20.0, 2.0)]), None);
}
