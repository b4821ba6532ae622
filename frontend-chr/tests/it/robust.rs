//! No text makes the frontend panic; what it accepts passes the verifier and prints to a text that reads back the same.

use gchr_base::diagnostic::render_all;
use gchr_base::logic::NoEvaluator;
use gchr_base::reading::Account;
use gchr_base::rule::verify;
use gchr_base::source::SourceMap;
use gchr_base::stack::with_large_stack;
use gchr_chr::{Loaded, Request, load, load_any, parse};
use proptest::prelude::*;

const PROGRAMS: [&str; 6] = [
    include_str!("programs/syntax.chr"),
    include_str!("programs/evaluator.chr"),
    include_str!("programs/unionfind.chr"),
    include_str!("programs/floyd.chr"),
    include_str!("programs/primes.chr"),
    include_str!("programs/tc.chr"),
];

fn check(text: &str, query: &str) -> Loaded {
    let mut sources = SourceMap::new();
    let program = sources.add("p.chr", text);
    let queries = if query.is_empty() { Vec::new() } else { vec![sources.add("--query", query)] };
    let loaded = load(&mut sources, &Request { program, queries: queries.clone(), facts: Vec::new() });
    assert_eq!(loaded.program.is_none(), loaded.diagnostics.iter().any(|d| d.is_error()));
    // Rendering looks at every span.
    render_all(&loaded.diagnostics, &sources, false);
    for d in &loaded.diagnostics {
        assert!(d.code.starts_with('C'), "an internal error: {d:?}\n{text}");
        assert!(d.help.is_some() && !d.labels.is_empty(), "{d:?}");
    }
    if let Some(program) = &loaded.program {
        assert_eq!(verify(program), [], "{text}");
        let _ = program.to_string();
    }
    let request = Request { program, queries, facts: Vec::new() };
    let any = load_any(&mut sources, &request, &Account::default(), &mut NoEvaluator);
    let broken = any.diagnostics.iter().any(|d| d.is_error());
    assert_eq!(any.program.is_none() && any.logic.is_none(), broken, "{text}");
    assert_eq!(any.program.is_some(), !broken && any.reasons.is_empty(), "{text}");
    assert!(loaded.program.is_none() || any.program.is_some(), "{text}");
    let printed = loaded.ast.to_string();
    let again = sources.add("printed", printed.as_str());
    let parsed = parse(&sources, again);
    if !loaded.ast.clauses.is_empty() {
        assert_eq!(parsed.diagnostics, [], "{text}\n----\n{printed}");
    }
    assert!(parsed.ast.canonical(again) == loaded.ast.canonical(again), "{text}\n----\n{printed}");
    loaded
}

/// Pieces that programs are made of, in any order.
fn soup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "c",
        "d",
        "X",
        "Y",
        "_",
        "_Z",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        "|",
        ".",
        ".\n",
        " ",
        " ",
        "\\",
        "<=>",
        "==>",
        "@",
        "#",
        "pragma",
        "passive",
        "passive(X)",
        "1",
        "-1",
        "2.5",
        "1e5",
        "0'a",
        "0x1f",
        "16'ff",
        "99999999999999999999",
        "\"s\"",
        "'q a'",
        "`ab`",
        "+",
        "-",
        "*",
        "/",
        "//",
        "mod",
        "**",
        "^",
        "is",
        "=",
        "\\=",
        "==",
        "<",
        "=<",
        ">=",
        ":-",
        "?-",
        "-->",
        "--->",
        ";",
        "->",
        "\\+",
        "!",
        "true",
        "fail",
        "write(X)",
        "nl",
        "format(\"~w~n\",[X])",
        "integer(X)",
        "var(X)",
        "c(X)",
        "c(1)",
        "d(X,Y)",
        "d(a,[X|Y])",
        "f(X)",
        "chr_constraint",
        "chr_type",
        "chr_option",
        "semantics",
        "rounds",
        "c/1",
        "d/2",
        "?int",
        "+dense_int",
        "list(T)",
        "%x\n",
        "/*c*/",
        "'",
        "\"",
        "é",
        "日",
        "\0",
        "max(X,1)",
        "?",
        ":- chr_constraint c(?int), d/2.\n",
        ":- chr_constraint c(?t), d/2.\n:- chr_type t ---> a ; f(t).\n",
        "{}",
        "[]",
        "'[]'",
        "'[|]'(X,Y)",
        "- ",
        "\\ ",
        "dynamic",
        ":",
        "$",
        "@<",
        ":- op(700, xfx, ===).\n",
        ":- op(300, fy, ~).\n:- op(150, yf, d).\n",
        "===",
        "~",
        "→",
        ":- if(fail).\n",
        ":- else.\n",
        ":- endif.\n",
        "end_of_file.\n",
        "handler c.\n",
        "constraints c(?int), d/2.\n",
        "p(X) :- c(X), !.\n",
        "p --> [a], {c(X)}, p.\n",
        "p(X) => d(X, X).\n",
        ":- dynamic p/1.\n",
        ":- initialization(p(1)).\n",
        "append(X, Y, Z)",
        "(c(X) -> d(X, X) ; true)",
        "m:c(X)",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

/// Rules over two declared constraints, most of them whole.
fn rules() -> impl Strategy<Value = String> {
    let term = prop::sample::select(vec![
        "X", "Y", "Z", "1", "2.0", "a", "\"s\"", "f(X)", "[X|Y]", "g(1,a)", "_", "X+1", "-1", "[]", "[a,b]",
    ]);
    let term = term.boxed();
    let constraint =
        (prop::sample::select(vec!["c", "d", "e"]), term.clone(), term.clone()).prop_map(|(name, a, b)| {
            match name {
                "c" => format!("c({a})"),
                "d" => format!("d({a}, {b})"),
                _ => "e".to_string(),
            }
        });
    let constraint = constraint.boxed();
    let test =
        (term.clone(), prop::sample::select(vec!["=", "\\=", "==", "is", "<", "=:=", "@<"]), term.clone())
            .prop_map(|(a, op, b)| format!("{a} {op} {b}"));
    let kind = prop::sample::select(vec!["number(X)", "atom(Y)", "true", "ground(X)", "var(Z)", "fail"])
        .prop_map(String::from);
    let guard = prop_oneof![test.clone(), kind].boxed();
    let written = term.clone().prop_map(|t| format!("writeln({t})"));
    let goal = prop_oneof![3 => constraint.clone(), 2 => test, 1 => written].boxed();
    let list = |s: BoxedStrategy<String>, n| prop::collection::vec(s, 1..n).prop_map(|v| v.join(", "));
    let rule = (
        list(constraint.clone(), 3),
        prop::bool::ANY,
        list(constraint.clone(), 3),
        list(guard, 3),
        list(goal.clone(), 4),
    )
        .prop_map(|(kept, propagate, removed, guard, body)| {
            if propagate {
                format!("{kept} ==> {guard} | {body}.")
            } else {
                format!("{kept} \\ {removed} <=> {guard} | {body}.")
            }
        });
    let types = prop::sample::select(vec![
        "c/1, d/2, e",
        "c(?int), d(+any, ?float), e",
        "c(+natural), d(?atom, ?string), e",
        "c(?t), d(t, u), e",
    ]);
    (types, prop::collection::vec(rule, 0..5), list(goal, 4)).prop_map(|(types, rules, query)| {
        format!(
            ":- chr_constraint {types}.\n:- chr_type t ---> a ; f(t) ; [t|u].\n:- chr_type u == int.\n{}\n?- X = 1, Y = a, {query}.\n",
            rules.join("\n")
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in "\\PC*", query in "\\PC{0,20}") {
        check(&text, &query);
    }

    #[test]
    fn any_pieces(text in soup(), query in soup()) {
        check(&text, &query);
    }

    #[test]
    fn any_rules(text in rules()) {
        check(&text, "");
    }

    #[test]
    fn changed_programs(which in 0..PROGRAMS.len(), at in 0.0..1.0f64, length in 0..12usize, insert in soup()) {
        let text = PROGRAMS[which];
        let boundary = |mut i: usize| { while !text.is_char_boundary(i) { i -= 1; } i };
        let start = boundary((at * text.len() as f64) as usize);
        let end = boundary((start + length).min(text.len())).max(start);
        check(&format!("{}{insert}{}", &text[..start], &text[end..]), "");
    }
}

#[test]
fn random_rules_are_often_accepted() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let accepted = (0..300)
        .filter(|_| {
            let text = rules().new_tree(&mut runner).unwrap().current();
            check(&text, "").program.is_some()
        })
        .count();
    assert!(accepted > 10, "only {accepted} of 300 programs were accepted: the property says too little");
}

#[test]
fn deep_and_long_inputs_do_not_overflow_the_stack() {
    let n = 200_000;
    let declared = ":- chr_constraint c(?any).\n";
    let unary = format!("{declared}?- c({}x{}).", "f(".repeat(n), ")".repeat(n));
    let list = format!("{declared}?- c([{}0]).", "1,".repeat(n));
    let nested = format!("{declared}?- c({}{}).", "[".repeat(n), "]".repeat(n));
    let sum = format!("{declared}?- X is {}1, c(X).", "1+".repeat(n));
    let signs = format!("{declared}?- X is {}1, c(X).", "- ".repeat(n));
    let parens = format!("{declared}?- c({}1{}).", "(".repeat(n), ")".repeat(n));
    let goals = format!("{declared}?- {}c(0).", "c(1), ".repeat(n));
    for text in [unary, list, nested, sum, signs, parens, goals] {
        let loaded = check(&text, "");
        assert!(loaded.program.is_some(), "{:?}", loaded.diagnostics.first());
    }
    let open = format!("{declared}?- c({}", "f(".repeat(n));
    assert!(check(&open, "").program.is_none());
    let head = format!("{declared}c({}x{}) <=> true.", "f(".repeat(n), ")".repeat(n));
    assert_eq!(check(&head, "").diagnostics[0].code, "C0407");
    let ty = format!("{declared}:- chr_type t ---> a({}x{}).", "f(".repeat(n), ")".repeat(n));
    assert_eq!(check(&ty, "").diagnostics[0].code, "C0203");
}

/// What follows a branch goes into both its rules, and a call may stand for many goals: texts of a few lines that would
/// be more rules than fit any memory are left as they are, as fast as others.
#[test]
fn branches_that_would_be_too_many_rules_are_left() {
    let declared = ":- chr_constraint c(+int), d(+int).";
    let nested = |inner: &str, before: &str, after: &str, n: usize| {
        format!("{}{inner}{}", before.repeat(n), after.repeat(n))
    };
    let calls = |n: usize| {
        let clause = |i| format!("p{i}(X) :- p{}(X), p{}(X).\n", i + 1, i + 1);
        (0..n).map(clause).collect::<String>() + &format!("p{n}(X) :- d(X).\n")
    };
    type Text<'a> = &'a dyn Fn(usize) -> String;
    let bodies: [(Text, bool); 7] = [
        (&|n| nested("X > 1", "\\+ (", ")", n), true),
        (&|n| nested("X > 1", "\\+ (X > 3, ", ", X < 9)", n), true),
        (&|n| nested("X > 1", "((", ", X > 3) -> X < 9 ; X > 8)", n), true),
        (&|n| nested("X > 1", "(", " -> true ; true)", n), true),
        (&|n| nested("X > 1", "(", " ; X > 7)", n), true),
        (&|n| vec!["(X > 1 -> d(1) ; true)"; n].join(", "), false),
        (&|n| vec!["\\+ X > 1"; n].join(", "), true),
    ];
    let load_text = |text: &str| {
        let mut sources = SourceMap::new();
        let program = sources.add("p.chr", text);
        let request = Request { program, queries: Vec::new(), facts: Vec::new() };
        let any =
            with_large_stack(|| load_any(&mut sources, &request, &Account::default(), &mut NoEvaluator));
        assert!(!any.diagnostics.iter().any(|d| d.is_error()), "{text:.300}: {:?}", any.diagnostics.first());
        // Nothing is left that rounds could not run.
        any.left.is_empty()
    };
    for (body, is_test) in bodies {
        for n in [1, 2, 40, 80] {
            let ground = load_text(&format!("{declared}\nc(X) <=> {}, d(X).\n", body(n)));
            // Few become rules, unless they are a search.
            assert!(ground || n > 2 || body(n).ends_with(" ; X > 7)"), "{}", body(n));
            if is_test {
                load_text(&format!("{declared}\nc(X) <=> {} | d(X).\n", body(n)));
            }
        }
    }
    for n in [1, 3, 30, 300] {
        let ground = load_text(&format!("{declared}\nc(X) <=> p0(X).\n{}", calls(n)));
        assert_eq!(ground, n <= 3, "{n}");
    }
}
