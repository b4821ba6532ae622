//! Conditions: what they compare, what they bind, and what happens when they do not hold, by running programs.

use gchr_base::control::Control;
use gchr_base::rule::Start;
use gchr_formats::{Format, InputReader};
use gchr_terms::plan::{TermOptions, compile};

use super::load_clean;

/// The normal form of a term, as text, and how many rules were applied.
#[track_caller]
fn run(text: &str, format: Format, term: &str) -> (String, u64) {
    let (mut sources, loaded) = load_clean(text, format);
    let mut program = loaded.program.expect("a program");
    let id = sources.add("--input", term);
    let term = InputReader::new(&program).read(&sources, id).expect("a term");
    program.start = Start::Term(Some(term.clone()));
    let mut results = Vec::new();
    for options in [TermOptions::default(), TermOptions::traced(), TermOptions::tasks(true)] {
        let plan = compile(&program, &options).expect("a plan");
        let found =
            gchr_terms::exec::run(&program, &plan, &term, &mut Control::default()).expect("a normal form");
        let mut text = Vec::new();
        found.normal_form.write_text(&mut text).expect("a vector takes everything");
        results.push((String::from_utf8(text).expect("a text"), found.stats.rewrites.unwrap_or(0)));
    }
    assert!(results.iter().all(|result| *result == results[0]), "{results:?}");
    results.remove(0)
}

const SPLIT: &str = "(VAR x y xs ys zs)
(RULES
  leq(0, y) -> true
  leq(s(x), 0) -> false
  leq(s(x), s(y)) -> leq(x, y)
  split(x, nil) -> pair(nil, nil)
  split(x, cons(y, ys)) -> pair(xs, cons(y, zs)) | leq(x, y) == true, split(x, ys) == pair(xs, zs)
  split(x, cons(y, ys)) -> pair(cons(y, xs), zs) | leq(x, y) == false, split(x, ys) == pair(xs, zs)
)";

#[test]
fn a_pattern_binds_variables() {
    let list = "cons(s(0), cons(0, cons(s^2(0), nil)))";
    let (found, steps) = run(SPLIT, Format::Tpdb, &format!("split(s(0), {list})"));
    assert_eq!(found, "pair(cons(0, nil), cons(s(0), cons(s(s(0)), nil)))");
    // Four times `split`; comparisons take 2, 1 and 2 steps, and the one that is false is made again by the next rule.
    assert_eq!(steps, 4 + (2 + 1 + 1 + 2));
}

#[test]
fn a_pattern_that_does_not_match_goes_on_with_the_next_rule() {
    let text = "(VAR x y)
(RULES
  f(x) -> first(y) | g(x) == p(a, y)
  f(x) -> second(x, y) | g(x) == p(y, q(x))
  f(x) -> third
  g(a) -> p(a, b)
  g(b) -> p(c, q(b))
  g(c) -> p(b, q(a))
  g(q(x)) -> h(x)
)";
    let found = |term: &str| run(text, Format::Tpdb, term).0;
    assert_eq!(found("f(a)"), "first(b)");
    // The second pattern has the variable of the left-hand side: it stands for an equal term.
    assert_eq!(found("f(b)"), "second(b, c)");
    assert_eq!(found("f(c)"), "third");
    // The value is a term that no rule matches.
    assert_eq!(found("f(third)"), "third");
    assert_eq!(found("f(q(a))"), "third");
}

#[test]
fn a_pattern_may_be_a_variable_or_have_one_twice() {
    let text = "(VAR x y)
(RULES
  f(x) -> y | g(x) == y, g(y) == a
  twice(x) -> yes(y) | x == p(y, y)
  g(b) -> a
  g(c) -> b
)";
    assert_eq!(run(text, Format::Tpdb, "f(c)").0, "b");
    assert_eq!(run(text, Format::Tpdb, "f(b)").0, "f(b)");
    assert_eq!(run(text, Format::Tpdb, "twice(p(g(c), b))").0, "yes(b)");
    assert_eq!(run(text, Format::Tpdb, "twice(p(a, b))").0, "twice(p(a, b))");
}

#[test]
fn deep_patterns_are_matched() {
    let (left, right) = ("s(".repeat(400), ")".repeat(400));
    let text = format!("(VAR x y) (RULES f(x) -> y | x == {left}y{right} f(x) -> 0)");
    assert_eq!(run(&text, Format::Tpdb, "f(s^401(0))").0, "s(0)");
    assert_eq!(run(&text, Format::Tpdb, "f(s^399(0))").0, "0");
}

#[test]
fn conditions_of_a_join_are_read_in_both_directions() {
    let text = "(CONDITIONTYPE JOIN) (VAR x y) (RULES f(x) -> y | p(y, a) == x  f(x) -> none)";
    assert_eq!(run(text, Format::Tpdb, "f(p(none, a))").0, "none");
    assert_eq!(run(text, Format::Tpdb, "f(a)").0, "none");
}

#[test]
fn different_terms() {
    let text = "REC-SPEC M SORTS N CONS 0 : -> N s : N -> N OPNS f : N N -> N VARS X Y : N
RULES f(X, Y) -> s(X) if X <> Y and-if Y ->/<- 0  f(X, Y) -> Y if X -><- Y  END-SPEC";
    assert_eq!(run(text, Format::Rec, "f(0, s(0))").0, "s(0)");
    assert_eq!(run(text, Format::Rec, "f(s(0), s(0))").0, "s(0)");
    assert_eq!(run(text, Format::Rec, "f(s(0), 0)").0, "f(s(0), 0)");
}

/// Symbols that only a signature of numbers of arguments declares may occur in terms.
#[test]
fn symbols_are_declared_by_their_numbers_of_arguments() {
    for variables in ["(VAR x y)", ""] {
        let text = format!(
            "{variables} (SIG (plus 2) (s 1) (0 0)) (RULES plus(0, y) -> y plus(s(x), y) -> s(plus(x, y)))"
        );
        assert_eq!(run(&text, Format::Tpdb, "plus(s(0), s(0))"), ("s(s(0))".into(), 2));
    }
    let words = "(VAR x) (SIG (a 1) (b 1) (end 0)) (RULES a(b(x)) -> b(a(x)))";
    assert_eq!(run(words, Format::Tpdb, "a(b(b(end)))"), ("b(b(a(end)))".into(), 2));
}
