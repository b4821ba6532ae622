//! Symbols that are associative or commutative.

use gchr_base::rule::Start;
use gchr_formats::Format;

use super::load_clean;

/// The normal forms of terms.
#[track_caller]
fn check(text: &str, format: Format, cases: &[(&str, &str)]) {
    let (mut sources, loaded) = load_clean(text, format);
    let (mut program, reader) = (loaded.program.expect("a program"), loaded.reader.expect("a reader"));
    for (term, expected) in cases {
        let id = sources.add("--input", *term);
        program.start = Start::Term(Some(reader.read(&sources, id).expect("a term")));
        assert_eq!(&gchr_terms::testing::normal_form(&program), expected, "{term}");
    }
}

const NUMBERS: &str = "(VAR x y z)
(THEORY (AC plus times))
(RULES
  plus(0, x) -> x
  plus(s(x), y) -> s(plus(x, y))
  times(0, x) -> 0
  times(s(x), y) -> plus(y, times(x, y))
  times(plus(x, y), z) -> plus(times(x, z), times(y, z))
)";

#[test]
fn rules_apply_to_arguments_in_any_order_and_nesting() {
    check(
        NUMBERS,
        Format::Tpdb,
        &[
            ("plus(s(0), s(s(0)))", "s(s(s(0)))"),
            ("times(s(s(0)), s(s(s(0))))", "s^6(0)"),
            ("plus(plus(s(0), plus(0, s(0))), 0)", "s(s(0))"),
        ],
    );
}

#[test]
fn a_part_of_nested_arguments_is_matched() {
    let text = "(VAR x) (THEORY (AC f)) (RULES f(a, b) -> c  f(c, c) -> d  g(f(x, d)) -> x  top -> e)";
    check(
        text,
        Format::Tpdb,
        &[
            ("f(f(a, e), b)", "f(c, e)"),
            ("f(a, f(b, f(b, a)))", "d"),
            ("g(f(e, f(d, e)))", "f(e, e)"),
            ("g(d)", "g(d)"),
        ],
    );
}

#[test]
fn the_same_variable_stands_for_terms_that_are_equal_modulo_axioms() {
    let text =
        "(VAR x y) (THEORY (AC f) (C g)) (RULES f(x, x) -> x  eq(x, x) -> true  top -> g(h(k(a, b)), c))";
    check(
        text,
        Format::Tpdb,
        &[
            ("f(a, f(b, f(a, b)))", "f(a, b)"),
            ("eq(g(a, h(b)), g(h(b), a))", "true"),
            ("eq(f(a, f(b, c)), f(f(c, a), b))", "true"),
            ("eq(k(a, b), k(b, a))", "eq(k(a, b), k(b, a))"),
        ],
    );
}

#[test]
fn associative_or_commutative_alone() {
    let text = "(VAR x y) (THEORY (A k) (C g)) (RULES k(a, b) -> c  g(x, 0) -> x  top -> 1)";
    check(
        text,
        Format::Tpdb,
        &[
            ("k(a, k(b, a))", "k(c, a)"),
            ("k(k(b, a), b)", "k(b, c)"),
            ("k(b, a)", "k(b, a)"),
            ("g(0, 1)", "1"),
            ("g(g(0, 1), 0)", "1"),
        ],
    );
}

#[test]
fn conditions_match_modulo_axioms() {
    let text = "(VAR x y z) (CONDITIONTYPE ORIENTED) (THEORY (AC f))
      (RULES h(x) -> pair(y, z) | x == f(y, f(a, z)), x == x  h2(f(x, y)) -> x | p(x) == true  p(b) -> true  top -> c)";
    check(text, Format::Tpdb, &[("h2(f(a, f(c, b)))", "b"), ("h(b)", "h(b)")]);
    check(text, Format::Tpdb, &[("h(f(b, f(b, a)))", "pair(b, b)")]);
}

#[test]
fn many_sorts_and_the_notation_of_ari() {
    let text = "(format MSTRS) (sort N) (sort L) (fun 0 N) (fun s (-> N N)) (fun nil L) (fun one :sort (N L))
      (fun cup (-> L L L) :theory AC) (fun has :sort (N L B)) (sort B) (fun true B)
      (rule (cup nil x) x) (rule (has x (one x)) true) (rule (has x (cup (one x) y)) true)";
    check(
        text,
        Format::Ari,
        &[
            ("has(s(0), cup(one(0), cup(nil, one(s(0)))))", "true"),
            ("(has (s (s 0)) (cup (one 0) (one (s 0))))", "has(s(s(0)), cup(one(0), one(s(0))))"),
        ],
    );
    let (_, loaded) = load_clean(text, Format::Ari);
    let printed = loaded.ast.to_string();
    let (_, again) = load_clean(&printed, Format::Ari);
    assert_eq!(again.ast.to_string(), printed);
}
