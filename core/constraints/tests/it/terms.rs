//! A printed store is read as the store that was printed.

use gchr_base::source::{SourceId, SourceMap};
use gchr_base::value::operators::{INFIX, PREFIX};
use gchr_chr::ast::Module;
use proptest::prelude::*;

use crate::support::{How, check, execute, loaded, shown};

/// Names that are hard to tell apart from something else.
const SPECIAL: &[&str] = &[
    "[]",
    "{}",
    "!",
    ";",
    ",",
    "|",
    ".",
    "a",
    "a b",
    "A",
    "_",
    "_a",
    "Ab",
    "",
    " ",
    "'",
    "\\",
    "\n",
    "\t",
    "0",
    "1",
    "/*",
    "*/",
    "%",
    "$VAR",
    "a.b",
    "a.",
    "=.",
    "-.",
    "é",
    "É",
    "ß",
    "x²",
    "x₁",
    "日本",
    "→",
    "ⓐ",
    "aⓐ",
    "Ⅷ",
    "ⅷ",
    "ǅ",
    "ʰ",
    "ª",
    "a٣",
    "٣",
    "x·",
    "\u{200b}",
    "\u{202e}",
    "\u{feff}",
    "a\u{301}",
    "end_of_file",
    "tnot",
    "divs",
    "::",
    "..",
    "=>>",
    "---",
    "<>",
    "&",
    "##",
    "@@",
    "~",
    "`",
    "\"",
];

/// Every operator and every special name.
fn names() -> Vec<&'static str> {
    let operators = INFIX.iter().chain(PREFIX).flat_map(|(names, _)| names.iter().copied());
    operators.chain(SPECIAL.iter().copied()).collect()
}

/// An atom in quotes, whatever is in it.
fn quoted(name: &str) -> String {
    let escaped = |c: char| match c {
        '\'' | '\\' => format!("\\{c}"),
        c if c.is_alphanumeric() || c.is_ascii_punctuation() || c == ' ' => c.to_string(),
        c => format!("\\x{:x}\\", u32::from(c)),
    };
    format!("'{}'", name.chars().map(escaped).collect::<String>())
}

/// Terms in canonical form: every functor in quotes before its arguments.
fn term() -> impl Strategy<Value = String> {
    let name = || prop::sample::select(names());
    let leaf = prop_oneof![
        6 => name().prop_map(quoted),
        2 => prop_oneof![Just(i64::MIN), Just(i64::MAX), -3i64..4].prop_map(|n| n.to_string()),
        1 => prop::sample::select(vec!["0.0", "-0.0", "-1.5", "1.0e22", "1.0e-7", "123456789.125", "-5.0e-324"])
            .prop_map(str::to_string),
        1 => name().prop_map(|name| {
            let inner = quoted(name);
            format!("\"{}\"", inner[1..inner.len() - 1].replace('"', "\\\""))
        }),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let args = prop::collection::vec(inner.clone(), 1..=3);
        let items = prop::collection::vec(inner, 1..=3);
        prop_oneof![
            6 => (name(), args).prop_map(|(name, args)| format!("{}({})", quoted(name), args.join(","))),
            1 => items.clone().prop_map(|items| format!("[{}]", items.join(","))),
            1 => (items, name()).prop_map(|(items, tail)| match tail {
                "[]" => format!("[{}]", items.join(",")),
                tail => format!("[{}|{}]", items.join(","), quoted(tail)),
            }),
        ]
    })
}

/// The syntax tree of a query, without places.
fn tree(query: &str) -> Result<Module, String> {
    let mut sources = SourceMap::new();
    let id = sources.add("query", format!("?- {query}."));
    let parsed = gchr_chr::parse(&sources, id);
    match parsed.diagnostics.first() {
        Some(diagnostic) => Err(format!("{} {}", diagnostic.code, diagnostic.message)),
        None => Ok(parsed.ast.canonical(SourceId(0))),
    }
}

/// How a term is printed in a store.
fn printed(term: &str) -> String {
    let program = loaded(":- chr_constraint c(?any).", &format!("c({term})")).expect(term);
    let outcome = execute(&program, How::Refined, Default::default()).expect("it runs");
    shown(&outcome.store, &program)
}

fn reads_back(term: &str) -> Result<(), TestCaseError> {
    // `'[|]'(a, b)` is a list.
    if term.contains("'[|]'") {
        return Ok(());
    }
    // A list that ends in `[]` has no tail.
    let term = &term.replace("|'[]']", "]");
    let text = printed(term);
    let (original, read) = (tree(&format!("c({term})")), tree(&text));
    prop_assert!(original.is_ok(), "{term}: {original:?}");
    prop_assert_eq!(&read, &original, "{} was printed as {}", term, text);
    // The lines of a store are a query again, and of it the same store comes.
    let again = text.strip_prefix("c(").and_then(|text| text.strip_suffix(')')).map(printed);
    prop_assert_eq!(again, Some(text));
    Ok(())
}

#[test]
fn every_operator_reads_back_in_every_place() {
    let all = names();
    for name in &all {
        let a = quoted(name);
        for term in [
            a.clone(),
            format!("f({a},{a})"),
            format!("[{a},{a}|{a}]"),
            format!("'{{}}'({a})"),
            format!("{a}(1)"),
            format!("{a}(-1)"),
            format!("{a}(-1.5)"),
            format!("{a}(0.5)"),
            format!("{a}({a})"),
            format!("{a}({a},{a})"),
            format!("{a}({a}({a}))"),
            format!("{a}(f,{a}(f,f))"),
            format!("{a}({a}(f,f),f)"),
            format!("{a}(-1,-1)"),
            format!("{a}([],{a})"),
            format!("{a}('{{}}'(x))"),
            format!("{a}(\"s\")"),
        ] {
            reads_back(&term).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    for outer in &all {
        for inner in &all {
            let (f, g) = (quoted(outer), quoted(inner));
            // All in one, as arguments of one term.
            let terms = [
                format!("{f}({g})"),
                format!("{f}({g},a)"),
                format!("{f}(a,{g})"),
                format!("{f}({g}(a))"),
                format!("{f}({g}(1))"),
                format!("{f}({g}(a,b))"),
                format!("{f}({g}(a),b)"),
                format!("{f}(a,{g}(b))"),
                format!("{f}({g}(a,b),c)"),
                format!("{f}(a,{g}(b,c))"),
                format!("{f}({g}({g},b),{g}({g}))"),
            ];
            let all = format!("all({})", terms.join(","));
            reads_back(&all).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// Terms of 2^100 leaves that share their parts, and differ in one leaf: comparing them takes a step a level.
#[test]
fn comparisons_of_terms_that_share_their_parts_take_no_time() {
    for (operator, holds) in [
        ("@<", true),
        ("@=<", true),
        ("@>", false),
        ("@>=", false),
        ("==", false),
        ("\\==", true),
        ("\\=", true),
    ] {
        let text = format!(
            ":- chr_constraint s(+any, +int, +int), t(+any, +any), r(+atom).\n\
             s(X, N, K) <=> N > 0 | M is N - 1, s(f(X, X), M, K).\n\
             s(X, 0, 1), s(Y, 0, 2) <=> t(X, Y).\n\
             t(X, Y) <=> X {operator} Y | r(yes).\nt(_, _) <=> r(no)."
        );
        let answer = if holds { "r(yes)" } else { "r(no)" };
        for (left, right) in [("a", "b"), ("g(c,a)", "g(c,b)"), ("1", "2"), ("1.0", "1")] {
            check(&text, &format!("s({left}, 100, 1), s({right}, 100, 2)"), answer);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_term_reads_back(term in term()) {
        reads_back(&term)?;
    }
}

#[test]
fn constraints_that_are_operators_are_written_as_such() {
    let text = ":- op(700, xfx, '->>').\n:- op(300, fx, neg).\n:- op(700, xfx, is_a).\n\
                :- chr_constraint (->>)/2, neg/1, (is_a)/2, (->>)/1.\nX ->> X <=> true.\n";
    check(text, "3 ->> (-1), 2 ->> 2", "3->> -1");
    check(text, "neg(4), (a, b) is_a (c :- d), f is_a [1]", "neg 4 f is_a [1] (a,b) is_a (c:-d)");
    check(text, "->>(1)", "->>(1)");
}
