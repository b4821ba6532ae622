//! Reading, checking and planning take time in proportion to the text, of whatever kind it is.

use std::fmt::Write;

use gchr_base::rule::Program;
use gchr_base::source::SourceMap;
use gchr_chr::{Request, load};
use gchr_constraints::plan::{self, RoundsOptions};
use gchr_testkit::growth::{Text, faster_than_the_text};

use crate::support::{How, execute};

/// Declarations of symbols, and a line for each number below `n`.
fn lines(header: &str, n: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = format!("{header}\n");
    (0..n).for_each(|i| writeln!(text, "{}", line(i)).expect("a string takes any text"));
    text
}

/// Parts that are separated by commas.
fn list(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(", ")
}

const AB: &str = ":- chr_constraint a/1, b/1, c/2.";

/// Kinds of texts, with a size that takes some milliseconds.
const TEXTS: &[(&str, usize, Text)] = &[
    ("rules over constants", 1000, |n| lines(AB, n, |i| format!("a({i}) <=> b({i})."))),
    ("rules over the second column", 1000, |n| lines(AB, n, |i| format!("c(X, {i}) <=> b(X)."))),
    ("rules over one pattern", 1000, |n| lines(AB, n, |i| format!("a(X) ==> X > {i} | b(X)."))),
    ("rules with two heads", 500, |n| lines(AB, n, |i| format!("a({i}), b(X) <=> c(X, {i})."))),
    ("rules that keep a head", 500, |n| lines(AB, n, |i| format!("a({i}) \\ b({i}) <=> c({i}, {i})."))),
    ("symbols", 1000, |n| lines("", n, |i| format!(":- chr_constraint s{i}/1."))),
    ("symbols in one directive", 1000, |n| format!(":- chr_constraint {}.", list(n, |i| format!("s{i}/1")))),
    ("a rule for each symbol", 500, |n| {
        let symbols = list(n + 1, |i| format!("s{i}/1"));
        lines(&format!(":- chr_constraint {symbols}."), n, |i| format!("s{i}(X) <=> s{}(X).", i + 1))
            + "?- s0(1).\n"
    }),
    ("a chain of propagations backwards", 500, |n| {
        let symbols = list(n + 1, |i| format!("s{i}/1"));
        let rule = |i: usize| format!("s{}(X) ==> s{}(X).", n - i, n - i - 1);
        lines(&format!(":- chr_constraint {symbols}."), n, rule) + &format!("?- s{n}(1).\n")
    }),
    ("a set for each symbol", 500, |n| {
        let symbols = list(n, |i| format!("s{i}(+int)"));
        lines(&format!(":- chr_constraint {symbols}."), n, |i| format!("s{i}(X) \\ s{i}(X) <=> true."))
    }),
    ("rules that nothing competes with", 500, |n| {
        lines(AB, n, |i| format!("a({i}), b({i}) <=> c({i}, {i}).")) + "a(X) \\ c(X, Y) <=> b(Y).\n"
    }),
    ("alternatives of a type, each in a rule", 500, |n| {
        let alternatives: Vec<String> = (0..n).map(|i| format!("k{i}")).collect();
        let header = format!(":- chr_type t ---> {}.\n:- chr_constraint a(+t).", alternatives.join(" ; "));
        lines(&header, n, |i| format!("a(k{i}) <=> true."))
    }),
    ("aliases in a chain", 1000, |n| {
        let header = ":- chr_constraint a(+t0).\na(_) <=> true.";
        lines(header, n, |i| format!(":- chr_type t{i} == t{}.", i + 1))
            + &format!(":- chr_type t{n} == int.\n")
    }),
    ("types that use each other", 1000, |n| {
        let header = ":- chr_constraint a(+t0).\na(_) <=> true.";
        lines(header, n, |i| format!(":- chr_type t{i} ---> c{i} ; f{i}(t{}).", i + 1))
            + &format!(":- chr_type t{n} == int.\n")
    }),
    ("sums that follow each other", 1000, |n| {
        let goals = list(n, |i| format!("X{} is X{i} + 1", i + 1));
        format!("{AB}\na(X0) <=> {goals}, b(X{n}).\n?- a(1).\n")
    }),
    ("sums that follow each other in a guard", 500, |n| {
        let goals = list(n, |i| format!("X{} is X{i} + 1, X{} > 0", i + 1, i + 1));
        format!("{AB}\na(X0) <=> {goals} | b(X{n}).\n?- a(1).\n")
    }),
    ("a query of sums", 1000, |n| {
        let goals = list(n, |i| format!("X{} is X{i} + 1", i + 1));
        format!("{AB}\n?- X0 = 1, {goals}, b(X{n}).\n")
    }),
    ("a body of constraints", 1000, |n| {
        format!("{AB}\na(X) ==> {}.\n?- a(1).\n", list(n, |i| format!("b({i})")))
    }),
    ("a query of constraints", 1000, |n| format!("{AB}\n?- {}.\n", list(n, |i| format!("a({i})")))),
    ("queries", 1000, |n| lines(AB, n, |i| format!("?- a({i})."))),
    ("a wide pattern", 4000, |n| {
        let args = list(n, |i| format!("X{i}"));
        format!("{AB}\na(f({args})) <=> b(X0), b(X{}).\n", n - 1)
    }),
    ("a pattern of constants", 1000, |n| {
        format!("{AB}\na(f({})) <=> true.\n", list(n, |i| format!("g({i})")))
    }),
    ("a sum of many parts", 1000, |n| {
        let sum: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        format!("{AB}\na(X) <=> Y is X + {}, b(Y).\n?- a(1).\n", sum.join(" + "))
    }),
    ("a long list", 4000, |n| format!("{AB}\n?- a([{}]).\n", list(n, |i| i.to_string()))),
    ("a deep term", 4000, |n| format!("{AB}\n?- a({}0{}).\n", "f(".repeat(n), ")".repeat(n))),
    ("atoms", 1000, |n| format!("{AB}\n?- {}.\n", list(n, |i| format!("a(atom{i})")))),
    ("tests in a guard", 500, |n| format!("{AB}\na(X) <=> {} | true.\n", list(n, |i| format!("X > {i}")))),
    ("unknown goals", 1000, |n| lines(AB, n, |i| format!("a({i}) <=> unknown{i}({i})."))),
    ("unknown heads", 1000, |n| lines(AB, n, |i| format!("unknown{i}({i}) <=> true."))),
    ("unbound variables", 1000, |n| lines(AB, n, |i| format!("a({i}) <=> b(X{i})."))),
    ("wrong types", 1000, |n| lines(":- chr_constraint a(+int).", n, |i| format!("?- a(x{i})."))),
    ("syntax errors", 1000, |n| lines(AB, n, |i| format!("a({i}) <=> b({i}."))),
    ("characters that start no token", 1000, |n| "\u{1}".repeat(n)),
    ("quotes without an end", 1000, |n| lines(AB, n, |_| "a('x) <=> true.".into())),
    ("unknown directives", 1000, |n| lines(AB, n, |i| format!(":- directive{i}."))),
    ("unknown types", 1000, |n| lines("", n, |i| format!(":- chr_constraint a{i}(+type{i})."))),
];

/// Loads and plans a text, and runs it.
fn work(text: &str) {
    let mut sources = SourceMap::new();
    let id = sources.add("test.chr", text);
    let loaded = load(&mut sources, &Request { program: id, queries: Vec::new(), facts: Vec::new() });
    let Some(program): Option<Program> = loaded.program else { return };
    let planned = plan::compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
    plan::differences(&program, &planned);
    execute(&program, How::Refined, Default::default()).expect("it runs");
}

#[test]
fn time_is_in_proportion_to_the_text() {
    let slow = faster_than_the_text(TEXTS, work);
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}
