//! Every diagnostic: its code and the text that its primary label covers.

use gchr_base::diagnostic::render_all;
use gchr_base::source::SourceMap;
use gchr_chr::{Request, load};

/// A program and what is found in it, in order: code and text under the primary label.
type Case = (&'static str, &'static [(&'static str, &'static str)]);

const SYNTAX: &[Case] = &[
    ("c(1) d(2).", &[("C0101", "d")]),
    ("c(X Y) <=> true.", &[("C0101", "Y")]),
    ("c(1, ) <=> true.", &[("C0101", ")")]),
    ("c(X) <=> X(1).", &[("C0101", "X")]),
    ("c <=> 1 = 2 = 3.", &[("C0101", "=")]),
    ("c(X <=> true.\n:- chr_constraint c/1.", &[("C0102", "(")]),
    (":- chr_constraint c(int.", &[("C0102", "(")]),
    ("?- c([1, 2).", &[("C0102", "[")]),
    ("?- c({a).", &[("C0102", "{")]),
    ("?- c('abc).\n?- c(\"ab\n).", &[("C0103", "'abc)."), ("C0103", "\"ab")]),
    (":- chr_constraint c/0. c <=> true. ?- c. /* no end", &[("C0104", "/*")]),
    (
        ":- chr_constraint c/1.\n?- c(9223372036854775808), X is -9223372036854775809, c(X).",
        &[("C0105", "9223372036854775808"), ("C0105", "-9223372036854775809")],
    ),
    ("?- c(1e999).", &[("C0105", "1e999")]),
    ("?- c('a\\qb').", &[("C0106", "\\q")]),
    ("?- c(\u{7}).", &[("C0107", "\u{7}")]),
    (":- chr_constraint c/0.\nc <=> true", &[("C0108", "")]),
    ("  % nothing\n", &[("C0109", "")]),
    (":- chr_constraint c/0, d/0.\nc \\ d ==> true.", &[("C0110", "==>")]),
    ("<=> true.\nx @ ==> true.", &[("C0306", "<=>"), ("C0306", "==>")]),
];

const DECLARATIONS: &[Case] = &[
    (":- chr_constraint c/x, 7.", &[("C0201", "c/x"), ("C0201", "7")]),
    (":- chr_constraint c/1, c/1.\nc(_) <=> true.", &[("C0202", "c/1")]),
    (":- chr_constraint c(int), c(float).\nc(_) <=> true.", &[("C0202", "c(float)")]),
    (":- chr_constraint c(?itn).\nc(_) <=> true.", &[("C0203", "c(?itn)")]),
    (":- chr_constraint c(?7).\nc(_) <=> true.", &[("C0203", "7")]),
    (":- chr_type t ---> a.\n:- chr_type t ---> b.\n:- chr_type 7.", &[("C0204", "t"), ("C0204", "7")]),
    (
        ":- chr_type a == b.\n:- chr_type b == a.\n:- chr_constraint c(?a).\nc(_) <=> c(1).",
        &[("C0204", "a"), ("C0204", "b")],
    ),
    (
        ":- chr_option(semantics, fast).\n:- chr_option(optimise, full).",
        &[("C0205", "fast"), ("C0205", "optimise")],
    ),
    (
        ":- frobnicate.\n:- op(1300, xfx, ===).",
        &[("C0206", "frobnicate"), ("C0302", "frobnicate"), ("C0206", "1300")],
    ),
    (":- initialization(main).\n:- chr_constraint c/0.\nc <=> true.", &[("C0206", "initialization(main)")]),
    (
        ":- chr_constraint c/1.\nc(X) :- tick(X).\nc(1).\ntick(1).",
        &[("C0207", "c(X) :- tick(X)."), ("C0207", "c(1).")],
    ),
    (
        ":- chr_constraint c/1.\nc(X) <=> print(X).\nportray(1) :- write(one).\n",
        &[("C0207", "portray(1) :- write(one).")],
    ),
    (":- chr_constraint c/1.\nc(X) <=> tick(X).\ntick(1).", &[("C0302", "tick(X)")]),
    (
        ":- chr_constraint c/0.\nc <=> true.\nterm_expansion(a, b).\nuser:goal_expansion(a, b) :- fail.",
        &[("C0320", "user:goal_expansion(a, b) :- fail")],
    ),
    ("#!/usr/bin/gchr run\n:- chr_constraint c/0.\nc <=> true.\n#! more.", &[("C0101", "#")]),
    (
        ":- use_module([library(lists), library(clpr)]).\n:- use_module(library(clpq)).\n:- chr_constraint c/0.\nc <=> true.",
        &[("C0319", "library(clpr)"), ("C0319", "library(clpq)")],
    ),
    (":- use_module(library(frob)).\n:- chr_constraint c/0.\nc <=> true.", &[("C0206", "library(frob)")]),
    (":- if(frob).\n:- chr_constraint c/0.\n:- endif.\n:- endif.", &[("C0113", "frob"), ("C0113", "endif")]),
    (":- if(true).\n:- chr_constraint c/0.\nc <=> true.", &[("C0113", "if(true)")]),
    (":- chr_constraint write/1, true.", &[("C0208", "write/1"), ("C0208", "true")]),
];

const NAMES: &[Case] = &[
    (":- chr_constraint edge/2.\nedgee(X, X) <=> edge(X, X).", &[("C0301", "edgee(X, X)")]),
    (":- chr_constraint c/1.\nc(X) <=> d(X).", &[("C0302", "d(X)")]),
    (":- chr_constraint c/1.\nc(X) <=> X.", &[("C0302", "X")]),
    (":- chr_constraint c/1.\nc(X) <=> p(X) | true.", &[("C0302", "p(X)")]),
    (":- chr_constraint edge/2.\nedge(X, X) <=> edge(X).", &[("C0303", "edge(X)")]),
    (":- chr_constraint c/1.\nc(X), X > 1 <=> true.", &[("C0304", "X > 1")]),
    (":- chr_constraint c/1.\nc(_), 7 <=> true.", &[("C0305", "7")]),
    (":- chr_constraint c/1.\nc(X) <=> ( X > 1 -> true ; fail ).", &[("C0307", "( X > 1 -> true ; fail )")]),
    (":- chr_constraint c/1.\nc(X) <=> \\+ X > 1, ! | true.", &[("C0307", "\\+ X > 1"), ("C0307", "!")]),
    (":- chr_constraint c/1.\nc(X) <=> c(X) | true.", &[("C0308", "c(X)")]),
    (":- chr_constraint c/1.\nc(X) <=> write(X) | true.", &[("C0309", "write(X)")]),
    (":- chr_constraint c/1.\nc(X) <=> Y is sqrt(X), c(Y).", &[("C0310", "sqrt(X)")]),
    (":- chr_constraint c/1.\nc(X) <=> Y is X + foo, c(Y).", &[("C0310", "foo")]),
    (":- chr_constraint c/1.\nc(X) <=> X > \"ab\" | true.", &[("C0311", "\"ab\"")]),
    (
        ":- chr_constraint c/1.\nc(X) <=> format(\"~e\", [X]), format(\"~w\").",
        &[("C0312", "format(\"~e\", [X])"), ("C0312", "format(\"~w\")")],
    ),
    (
        ":- chr_constraint c/0.\nc # 7 <=> true pragma passive(X), fast.",
        &[("C0313", "7"), ("C0313", "passive(X)"), ("C0313", "fast"), ("C0501", "X")],
    ),
    (
        ":- chr_option(check_guard_bindings, error).\n:- chr_constraint c/1.\nc(X) # I ==> X > 0 | true pragma \
         already_in_heads, already_in_head(I), history(h, [I]), no_history, mpassive([I]).",
        &[
            ("C0205", "check_guard_bindings"),
            ("C0313", "already_in_heads"),
            ("C0313", "already_in_head(I)"),
            ("C0313", "history(h, [I])"),
            ("C0313", "no_history"),
        ],
    ),
];

const MODES: &[Case] = &[
    (":- chr_constraint c/1.\nc(X) <=> c(f(X, Y)), c(Y).", &[("C0401", "Y"), ("C0401", "Y")]),
    (":- chr_constraint c/1.\nc(X) <=> Z is X + Y, Y = 1, c(Z).", &[("C0402", "Y")]),
    (":- chr_constraint c/1.\nc(X) <=> Y = Z, c(f(X, Y, Z)).", &[("C0403", "Y")]),
    (":- chr_constraint c/1.\nc(X) <=> X == Y | c(Y).", &[("C0403", "Y"), ("C0401", "Y")]),
    (
        ":- chr_constraint c(?int).\nc(X) <=> c(a), c(X + 1), c(1.0).",
        &[("C0404", "a"), ("C0404", "X + 1"), ("C0404", "1.0")],
    ),
    (
        ":- chr_constraint c(?natural).\nc(X) <=> c(-1), Y = \"s\", c(Y), Z = f(X), c(Z).",
        &[("C0404", "-1"), ("C0404", "Y"), ("C0404", "f(X)")],
    ),
    (":- chr_constraint c(?atom).\nc(X) <=> Y is X + 1, c(Y).", &[("C0405", "X"), ("C0404", "Y")]),
    (":- chr_constraint c(?float).\nc(X) <=> Y is X mod 2, write(Y).", &[("C0405", "X")]),
    (
        ":- chr_type t ---> red ; node(t, int).\n:- chr_constraint c(?t).\nc(_) <=> c(node(blue, 1)), c(X), X = 1.",
        &[("C0406", "blue"), ("C0401", "X")],
    ),
];

const WARNINGS: &[Case] = &[
    (":- chr_constraint c/2.\nc(X, _Y) <=> true.", &[("C0501", "X")]),
    (":- chr_constraint c(?int).\nc(a) <=> true.", &[("C0502", "a")]),
    (":- chr_constraint c/1.\nc(a) <=> true.\n?- c(1).", &[("C0502", "a")]),
    (":- chr_constraint c/1, d/1.\nc(X), d(X) <=> true.\n?- c(1), d(1.0).", &[("C0502", "X")]),
    (
        ":- chr_constraint c/2.\nc(X, _) <=> write(X).\nc(1, Y) <=> Y > 1 | true.",
        &[("C0503", "c(1, Y) <=> Y > 1 | true.")],
    ),
    // Which head of the general rule says most does not matter, nor where the special one has it.
    (
        ":- chr_constraint c/2, d/0.\nc(_, _), c(1, _) <=> true.\nd, c(1, 2), c(3, 4) <=> true.\nc(3, 4), c(2, 1) <=> true.",
        &[("C0503", "d, c(1, 2), c(3, 4) <=> true.")],
    ),
    (
        ":- chr_constraint c/2, d/0.\nd, c(_, 1) <=> true.\nc(2, 1), d <=> true.\nc(2, 2), d <=> true.",
        &[("C0503", "c(2, 1), d <=> true.")],
    ),
    (":- chr_constraint c/0, d/0.\nc <=> true.", &[("C0504", "d/0")]),
    (":- chr_constraint c/0, d/0.\nc, d <=> true.\n?- c.", &[("C0505", "d/0")]),
    (":- chr_constraint c/1.\nr @ c(1) <=> true.\nr @ c(2) <=> true.", &[("C0506", "r @ c(2) <=> true.")]),
    (":- chr_constraint c/1.\nc(X) ==> Y is X + 1, c(Y).", &[("C0507", "c(Y)")]),
];

/// Programs without any finding: what is near a warning but right.
const CLEAN: &[&str] = &[
    // A type whose parameters grow with the depth of the term.
    ":- chr_type t(X) ---> z ; f(t(p(X, X))).\n:- chr_type p(X, Y) ---> p(X, Y).\n:- chr_constraint c(?t(int)).\nc(_) <=> c(f(f(f(f(f(f(f(f(f(f(f(f(z))))))))))))).",
    // The special rule comes first.
    ":- chr_constraint c/2.\nc(1, _) <=> true.\nc(_, _) <=> true.",
    // A rule in between keeps c/1: in its body, c(1) is in the store.
    ":- chr_constraint c/1, d/0.\nc(_) ==> d.\nc(_) <=> true.\nc(X), d <=> write(X).",
    // The general rule has a guard, keeps a head, or is passive.
    ":- chr_constraint c/1.\nc(X) <=> X > 1 | true.\nc(_) <=> true.",
    ":- chr_constraint c/1.\nc(X) \\ c(X) <=> true.\nc(X), c(X) <=> true.",
    ":- chr_constraint c/1.\nc(_) # passive <=> true.\nc(_) <=> true.",
    // A type test before arithmetic on values of all kinds.
    ":- chr_constraint c/1, d/1.\nc(X) <=> number(X) | Y is X + 1, d(Y).\nd(_) <=> true.\n?- c(a).",
    // A propagation rule with duplicates removed.
    ":- chr_constraint c/1.\nc(X) \\ c(X) <=> true.\nc(X) ==> Y is (X + 1) mod 5, c(Y).\n?- c(0).",
    // No query: nothing is known about what is added.
    ":- chr_constraint c/0, d/0.\nc, d <=> true.",
    ":- chr_constraint c/1.\nc(X) <=> var(_Y), nonvar(X), ground(f(X)) | true.",
    ":- chr_constraint c/1.\nc(X) <=> f(A, B) = f(B, X) | write(A).",
    ":- chr_constraint c/1.\nc(X) <=> [H|T] = X, f(H, _) = f(T, X) | true.",
    ":- chr_constraint c(?int).\nc(X) <=> Y is X / 2, c(Y).\n?- c(4).",
    ":- chr_type list(T) ---> [] ; [T|list(T)].\n:- chr_constraint c(?list(int)).\nc(_) <=> c([]), c([1, 2|[3]]).",
];

fn findings(text: &str) -> Vec<(&'static str, String)> {
    let mut sources = SourceMap::new();
    let program = sources.add("p.chr", text);
    let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts: Vec::new() });
    loaded.diagnostics.iter().map(|d| (d.code, sources.snippet(d.labels[0].span).to_string())).collect()
}

fn check(cases: &[Case]) {
    for (text, expected) in cases {
        let found = findings(text);
        let found: Vec<_> = found.iter().map(|(code, snippet)| (*code, snippet.as_str())).collect();
        let (mut sorted, mut wanted) = (found.clone(), expected.to_vec());
        sorted.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(sorted, wanted, "{text}\nfound in order {found:?}");
    }
}

#[test]
fn syntax() {
    check(SYNTAX);
}

#[test]
fn declarations() {
    check(DECLARATIONS);
}

#[test]
fn names() {
    check(NAMES);
}

#[test]
fn modes_and_types() {
    check(MODES);
}

#[test]
fn warnings() {
    check(WARNINGS);
}

#[test]
fn clean_programs() {
    for text in CLEAN {
        assert_eq!(findings(text), [], "{text}");
    }
}

#[test]
fn queries_are_checked_too() {
    let mut sources = SourceMap::new();
    let program = sources.add("p.chr", ":- chr_constraint c(?int).\nc(X) \\ c(X) <=> true.");
    let texts = ["", "?- .", "c(1), d(2)", "?- c(1).\n?- c(a).", "c(3) . c(4)"];
    let queries = texts.map(|t| sources.add("--query", t)).to_vec();
    let loaded = load(&mut sources, &Request { program, queries, facts: Vec::new() });
    let found: Vec<_> =
        loaded.diagnostics.iter().map(|d| (d.code, sources.snippet(d.labels[0].span))).collect();
    assert_eq!(found, [("C0109", ""), ("C0101", "."), ("C0302", "d(2)"), ("C0404", "a")]);
}

#[test]
fn every_code_is_described() {
    let page = include_str!("../../../docs/language-chr.md");
    let all = [SYNTAX, DECLARATIONS, NAMES, MODES, WARNINGS].concat();
    let mut codes: Vec<&str> =
        all.iter().flat_map(|(_, found)| found.iter().map(|(code, _)| *code)).collect();
    codes.extend(["C0407", "C0601", "C0602", "C0603", "C0604", "C0605", "C0606", "C0607", "C0608", "C0610"]);
    codes.extend(["C0614", "C0615", "C0616"]);
    for code in codes {
        assert!(page.contains(&format!("| {code} |")), "{code} is not described");
    }
}

#[test]
fn a_rule_of_too_many_heads() {
    let codes = |heads: usize| {
        let mut sources = SourceMap::new();
        let heads = vec!["c(_)"; heads].join(", ");
        let program = sources.add("p.chr", format!(":- chr_constraint c/1.\n{heads} <=> true.\n?- c(1)."));
        let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts: Vec::new() });
        loaded.diagnostics.iter().map(|d| (d.code, d.labels[0].span.start)).collect::<Vec<_>>()
    };
    assert_eq!(codes(100), []);
    assert_eq!(codes(101), [("C0314", 23 + 100 * "c(_), ".len() as u32)]);
}

#[test]
fn a_byte_order_mark_is_white_space() {
    let mut sources = SourceMap::new();
    let program = sources
        .add("p.chr", "\u{feff}% Comment.\r\n:- chr_constraint c/1.\r\nc(_) <=> true.\r\n?- c(1).\r\n");
    let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts: Vec::new() });
    assert_eq!(loaded.diagnostics, []);
}

#[test]
fn rendered() {
    let mut sources = SourceMap::new();
    let text = "\
:- chr_constraint edge(+int, +int, ?int), path/2.
close @ edge(X, Y, D) \\ edge(X, Z, E) <=> D > E + F | path(X, Y, Z).
grow @ path(X, Y) ==> edge(X, Y, Z), pth(X, Y), tick.
bad @ path(X, [Y) <=> true.
?- edge(1, 2, a), path(1, 2).
";
    let program = sources.add("graph.chr", text);
    let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts: Vec::new() });
    insta::assert_snapshot!(render_all(&loaded.diagnostics, &sources, false));
}

/// All that is found in a program, as text.
fn shown(text: &str) -> String {
    let mut sources = SourceMap::new();
    let program = sources.add("test.chr", text);
    let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts: Vec::new() });
    render_all(&loaded.diagnostics, &sources, false)
}

#[test]
fn swapped_letters_are_a_typing_error() {
    let found = shown(":- chr_constraint edge/2.\nedge(X, Y) ==> egde(Y, X).");
    assert!(found.contains("did you mean edge?"), "{found}");
    let found = shown(":- chr_constraint c/1.\nc(X) ==> Y is trucnate(X), c(Y).");
    assert!(found.contains("did you mean truncate?"), "{found}");
}

/// The distance of names takes quadratic time and space: it is not asked for between long ones.
#[test]
fn long_names_are_told_apart_in_no_time() {
    let (long, other) = ("a".repeat(40_000), "b".repeat(40_000));
    let found = shown(&format!(":- chr_constraint {long}/0.\n{long} <=> {other}."));
    assert!(found.contains("C0302") && !found.contains("did you mean"), "{}", &found[..200]);
}

/// Slips of those who know other languages, and what the help says.
const WAYS_OUT: &[(&str, &str, &str)] = &[
    ("c(X) <=> X <= 1 | true.", "C0101", "`=<`"),
    ("c(X) => d(X).", "C0101", "`==>`"),
    ("c(X) <=> X => 1 | true.", "C0101", "`>=`"),
    ("r @ c(X) \\ d(X) <=> X => 1 | true.", "C0101", "`>=`"),
    ("c(X) <=> gdc(X).", "C0302", "gcd"),
    ("c(X) <=> Y = X - 1, num(Y).", "C0404", "Y is X - 1"),
    ("c(X) <=> X != 1 | true.", "C0101", "`=\\=`"),
    ("c(X) <=> X === 1 | true.", "C0101", "`==`"),
    ("r : c(X) <=> true.", "C0305", "`@`"),
    ("chr_constraint e/1.", "C0101", ":- chr_constraint"),
    ("c(X) <=> user:d(X).", "C0307", "leave it out"),
    ("c(X) <=> length(X, 3).", "C0302", "constraints and rules"),
    ("c(X) <=> append(X, X, []).", "C0302", "constraints and rules"),
    ("c(X) <=> is_list(X) | true.", "C0302", "constraints and rules"),
    (":- chr_constraints e(+int).", "C0206", "chr_constraint"),
    (":- chr_constraint e(+integer).", "C0203", "int"),
    (":- set_prolog_flag(double_quotes, code).", "C0206", "codes"),
];

#[test]
fn the_way_out_is_that_of_the_slip() {
    for (text, code, help) in WAYS_OUT {
        let mut sources = SourceMap::new();
        let program =
            sources.add("p.chr", format!(":- chr_constraint c/1, d/1, gcd/1, num(+int).\n{text}\n"));
        let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts: Vec::new() });
        let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.is_error()).collect();
        let [error] = errors.as_slice() else { panic!("{text}: {errors:?}") };
        let said = error.help.as_deref().unwrap_or_default();
        assert!(error.code == *code && said.contains(help), "{text}: {error:?}");
    }
}

#[test]
fn an_undeclared_name_is_reported_once() {
    let mut sources = SourceMap::new();
    let program = sources
        .add("p.chr", "edge(X, Y) ==> path(X, Y).\nedge(X, Y), path(Y, Z) ==> path(X, Z).\n?- edge(1, 2).\n");
    let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts: Vec::new() });
    let codes: Vec<&str> = loaded.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.code).collect();
    assert_eq!(codes, ["C0301", "C0302"]);
}

#[test]
fn so_many_errors_are_enough() {
    for (line, code, most) in
        [("c(1.\n", "C0111", 100), ("c(X) <=> d(Y).\n", "C0112", 200), ("\u{1}", "C0111", 100)]
    {
        let mut sources = SourceMap::new();
        let program = sources.add("p.chr", format!(":- chr_constraint c/1, d/1.\n{}", line.repeat(5000)));
        let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts: Vec::new() });
        let errors = loaded.diagnostics.iter().filter(|d| d.is_error()).count();
        assert!(errors <= most + 1, "{errors} errors of {line:?}");
        assert_eq!(loaded.diagnostics.last().map(|d| d.code), Some(code), "{line:?}");
    }
}
