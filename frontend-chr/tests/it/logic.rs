//! Programs that need more than ground stores: which do, why, and what they become; several files.

use std::path::Path;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::logic::{LogicProgram, NoEvaluator, Terms, Variable};
use gchr_base::reading::Account;
use gchr_base::source::SourceMap;
use gchr_chr::{Loaded, Opened, Request, load_any, open, parse};
use proptest::prelude::*;

use crate::terms::written;

fn loaded(sources: &mut SourceMap, name: &str, text: &str, query: &str) -> Loaded {
    let program = sources.add(name, text);
    let queries = if query.is_empty() { Vec::new() } else { vec![sources.add("--query", query)] };
    let request = Request { program, queries, facts: Vec::new() };
    load_any(sources, &request, &Account::default(), &mut NoEvaluator)
}

/// `ground`, the codes of the reasons for the logic machine with the texts that they are about, or the errors.
fn decision(text: &str, query: &str) -> String {
    let mut sources = SourceMap::new();
    let loaded = loaded(&mut sources, "p.chr", text, query);
    let about = |list: &[gchr_base::diagnostic::Diagnostic]| {
        let all: Vec<_> =
            list.iter().map(|d| format!("{} {}", d.code, sources.snippet(d.labels[0].span))).collect();
        all.join("; ")
    };
    match (loaded.program, loaded.logic) {
        (Some(_), None) => "ground".into(),
        (None, Some(_)) => format!("logic: {}", about(&loaded.reasons)),
        _ => {
            let errors: Vec<_> = loaded.diagnostics.into_iter().filter(|d| d.is_error()).collect();
            format!("errors: {}", about(&errors))
        }
    }
}

const LEQ: &str = ":- chr_constraint leq/2.
reflexivity @ leq(X, X) <=> true.
antisymmetry @ leq(X, Y), leq(Y, X) <=> X = Y.
idempotence @ leq(X, Y) \\ leq(X, Y) <=> true.
transitivity @ leq(X, Y), leq(Y, Z) ==> leq(X, Z).
";

#[test]
fn ground_stores_are_left_only_for_a_reason() {
    let c = ":- chr_constraint c/1, d/1.\n";
    for (text, query, expected) in [
        (LEQ.to_string(), "leq(1, 2), leq(2, 1)", "ground"),
        (LEQ.to_string(), "leq(A, B), leq(B, A)", "logic: C0401 A; C0401 B; C0401 B; C0401 A"),
        (format!("{c}c(X) <=> p(X).\np(1)."), "c(1)", "logic: C0302 p(X)"),
        (format!("{c}c(X) <=> d(X).\nmain :- p(1).\np(1)."), "c(1)", "ground"),
        (format!("{c}c(X) <=> d(X).\nmain :- p(1).\np(1)."), "main", "logic: C0302 main"),
        (format!("{c}c(X) <=> X > 1 | (d(X) ; d(2))."), "c(1)", "logic: C0307 (d(X) ; d(2))"),
        (format!("{c}c(X) <=> Y is sqrt(X), d(Y)."), "c(1)", "logic: C0310 sqrt(X)"),
        (format!("{c}c(X) <=> d(100000000000000000000)."), "", "logic: C0105 100000000000000000000"),
        (format!("{c}c(X) <=> length(X, N), d(N)."), "", "logic: C0302 length(X, N); C0401 N"),
        (format!("{c}:- initialization(main).\nmain :- c(1)."), "", "logic: C0206 initialization(main)"),
        (format!("{c}:- frobnicate(1)."), "", "logic: C0206 frobnicate(1)"),
        (format!("{c}:- op(700, xfx, ===>).\nc(X ===> Y) <=> d(Y ===> X)."), "c(1 ===> 2)", "ground"),
        (format!("{c}c(X) <=> X < 3 | d(X)."), "c(inf)", "logic: C0307 inf"),
        (format!("{c}c(X) \\ c(Y) <=> X =< Y | true.\nd(X) <=> c(inf)."), "d(1)", "logic: C0307 inf"),
        (format!("{c}c(X) <=> d(inf)."), "c(1)", "ground"),
        (format!("{c}:- chr_type t ---> inf ; low.\nc(X) <=> X < 3 | d(inf)."), "c(1)", "ground"),
        (format!("{c}c(X) <=> e(X)."), "", "errors: C0302 e(X)"),
        (format!("{c}e(X) <=> d(_)."), "", "errors: C0301 e(X)"),
        ("handler h.\nconstraints c(+int), d/1.\nrules c, d.\nc(X) <=> d(X).".into(), "c(1)", "ground"),
    ] {
        assert_eq!(decision(&text, query), expected, "{text}?- {query}");
    }
}

#[test]
fn sessions_are_decided_as_programs_are() {
    let c = ":- chr_constraint c/1, d/1.\nc(X) \\ c(Y) <=> X =< Y | true.\n";
    for (text, rounds, logic) in [
        (format!("{c}d(X) <=> c(inf)."), false, true),
        (format!("{c}d(X) <=> c(inf)."), true, false),
        (format!("{c}d(X) <=> c(1)."), false, false),
    ] {
        let mut sources = SourceMap::new();
        let program = sources.add("p.chr", &text);
        let (opened, diagnostics) =
            open(&mut sources, program, (false, rounds), &Account::default(), &mut NoEvaluator);
        assert!(diagnostics.iter().all(|found| !found.is_error()), "{text}: {diagnostics:?}");
        assert_eq!(matches!(opened, Some(Opened::Logic(_))), logic, "{text} in rounds: {rounds}");
    }
}

#[test]
fn what_is_left_out_is_said() {
    let mut sources = SourceMap::new();
    let text = ":- chr_constraint c/1.\nc(X) <=> write(X).\np(1).\np(2).\n?- c(1).";
    let loaded = loaded(&mut sources, "p.chr", text, "");
    assert_eq!(loaded.notices, ["2 clauses of Prolog that no rule and no query calls are left out"]);
}

fn clause_text(
    terms: &Terms,
    head: gchr_base::logic::LogicTermId,
    body: gchr_base::logic::LogicTermId,
) -> String {
    format!("{} :- {}", written(terms, head), written(terms, body))
}

fn shown(program: &LogicProgram) -> String {
    let mut lines = Vec::new();
    let names = |all: &[Variable]| all.iter().filter(|v| v.name.is_some()).count();
    for c in &program.constraints {
        let columns: Vec<_> = c
            .columns
            .iter()
            .map(|c| format!("{:?} {}", c.mode, c.ty.map_or("-".into(), |ty| written(&program.terms, ty))))
            .collect();
        lines.push(format!("constraint {} [{}]", c.name, columns.join(", ")));
    }
    for c in &program.clauses {
        lines.push(clause_text(&program.terms, c.head, c.body));
    }
    for r in &program.rules {
        let heads = |all: &[gchr_base::logic::RuleHead]| {
            let all: Vec<_> = all
                .iter()
                .map(|h| {
                    format!("{}{}", written(&program.terms, h.constraint), if h.passive { "#" } else { "" })
                })
                .collect();
            all.join(", ")
        };
        lines.push(format!(
            "rule {:?}: {} \\ {} <=> {} | {}",
            r.name,
            heads(&r.kept),
            heads(&r.removed),
            written(&program.terms, r.guard),
            written(&program.terms, r.body)
        ));
    }
    for (kind, goals) in [("init", &program.initialization), ("query", &program.queries)] {
        for g in goals {
            lines.push(format!("{kind} {} ({} named)", written(&program.terms, g.goal), names(&g.variables)));
        }
    }
    lines.join("\n")
}

#[test]
fn programs_for_the_logic_machine() {
    let text = "\
:- module(m, [main/0, op(700, xfx, ==>>)]).
:- use_module(library(chr)), use_module(library(lists)).
:- chr_constraint edge(+int, ?any, -), done, path(list(int), ?).
:- dynamic fact/1, other/2.
:- chr_type list(T) ---> [] ; [T|list(T)].
first @ edge(A, _, _) # passive \\ path([A|T], R) # Id <=> A > 1, \\+ lists:member(A, T) | m:go(R) | done pragma passive(Id).
done, done ==> a ==>> b ; true.
a ==>> b :- user:(c, d ; e -> f), X, findall(Y, m:g(Y), _), call(X).
digits([D|T]) --> digit(D), !, digits(T).
digits([]) --> [].
digit(D) --> [D], { code_type(D, digit) }, \"ab\", (x ; [y], \\+ z -> w).
q, [p] --> Body, call(foo, 1).
max(X, Y), X >= Y => true.
max(X, X, Z) => Z = 1.
go(_).
:- initialization(main).
:- fact(1).
?- edge(1, X, _Y), path(X, Z).
";
    let mut sources = SourceMap::new();
    let loaded = loaded(&mut sources, "p.chr", text, "");
    let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    insta::assert_snapshot!(shown(&loaded.logic.expect("it has clauses")));
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn in_folder(files: &[(&str, &str)]) -> (SourceMap, Loaded) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    let mut sources = SourceMap::new();
    let name = folder.path().join(files[0].0).display().to_string();
    let loaded = loaded(&mut sources, &name, files[0].1, "");
    (sources, loaded)
}

#[test]
fn a_program_of_several_files_is_one_program() {
    let main = "\
:- use_module(rules), ensure_loaded('deep/more.pl'), include(part).
:- use_module(library(lists)).
:- ['deep/more'].
?- c(a ~> b), d(\"x\"), e(x <~ y).
";
    let rules = ":- module(rules, [c/1, op(700, xfx, ~>)]).\n:- op(700, xfx, <~).\n:- set_prolog_flag(double_quotes, codes).
:- chr_constraint c/1, d/1.\nc(X ~> Y) <=> d(X <~ Y), d(\"a\").\n";
    let more = ":- include('../part2').\n:- op(700, xfx, <~).\n";
    let (_, loaded) = in_folder(&[
        ("main.pl", main),
        ("rules.pl", rules),
        ("deep/more.pl", more),
        ("part.pl", "d(X) \\ d(X) <=> true.\n"),
        ("part2.chr", ":- chr_constraint e/1.\n"),
    ]);
    assert_eq!(loaded.diagnostics.iter().filter(|d| d.is_error()).count(), 0, "{:?}", loaded.diagnostics);
    let text = loaded.ast.to_string();
    let expected = "\
:- module((rules), [c / 1, op(700, xfx, ~>)]).
:- op(700, xfx, <~).
:- set_prolog_flag(double_quotes, codes).
:- chr_constraint c / 1, d / 1.
c(X ~> Y) <=> d(X <~ Y), d([97]).
:- set_prolog_flag(double_quotes, string).
:- op(0, xfx, (<~)).
:- chr_constraint e / 1.
:- op(700, xfx, <~).
d(X) \\ d(X) <=> true.
:- use_module(library(lists)).
?- c(a ~> b), d(\"x\"), e(x <~ y).
";
    assert_eq!(text, expected);
    let mut sources = SourceMap::new();
    let again = sources.add("printed", text);
    assert!(parse(&sources, again).ast.canonical(again) == loaded.ast.canonical(again));
}

#[test]
fn a_module_that_another_one_has_read_gives_its_operators() {
    let (_, loaded) = in_folder(&[
        (
            "main.pl",
            ":- use_module(a).\n:- use_module(b).\n:- chr_constraint u/1.\nu(X) <=> X ===> Y | write(Y).\n",
        ),
        ("a.pl", ":- module(a, [pa/0]).\n:- use_module(b).\npa :- x ===> y.\n"),
        ("b.pl", ":- module(b, [op(700, xfx, ===>), (===>)/2]).\na ===> b.\n"),
    ]);
    assert_eq!(loaded.diagnostics.iter().filter(|d| d.is_error()).count(), 0, "{:?}", loaded.diagnostics);
    let text = loaded.ast.to_string();
    assert!(text.contains("u(X) <=> X ===> Y | write(Y)."), "{text}");
    let mut sources = SourceMap::new();
    let again = sources.add("printed", text);
    assert!(parse(&sources, again).ast.canonical(again) == loaded.ast.canonical(again));
}

#[test]
fn modules_keep_what_others_define_too() {
    let main = "\
:- use_module(a), use_module(b).
:- chr_constraint item/1, go/0.
helper(main).
go <=> helper(X), item(X), a:item(Y), a:helper(Y), findall(Z, helper(Z), _), put(Y).
";
    let a = ":- module(a, [count/1]).\n:- chr_type t ---> x.\n:- chr_constraint item(?t), count/1.
item(X) <=> maplist(helper, [X]) | true.\nhelper(x) --> [].\nhelper(a).\nappend(mine).\n";
    let b = ":- module(b, [put/1, reverse/2]).\n:- chr_type t ---> y.\n:- chr_constraint item(?t), put/1.
put(X) <=> item(X), reverse(X, _), last(X).\nreverse(X, X).\nlast(_).\nlast(_, _).\n";
    let (_, loaded) = in_folder(&[("main.pl", main), ("a.pl", a), ("b.pl", b)]);
    let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let text = loaded.ast.to_string();
    let wanted = [
        "helper(main).",
        "go <=> helper(X), item(X), a : 'a:item'(Y), a : 'a:helper'(Y), findall(Z, helper(Z), _), put(Y).",
        ":- chr_constraint 'a:item'(?t), count / 1.",
        "'a:item'(X) <=> maplist('a:helper', [X]) | true.",
        "helper(x) --> [].",
        "'a:helper'(a).",
        // It would hide the one of the library from the others.
        "'a:append'(mine).",
        ":- chr_type 'b:t' ---> y.",
        ":- chr_constraint 'b:item'(?'b:t'), put / 1.",
        "put(X) <=> 'b:item'(X), reverse(X, _), last(X).",
        "reverse(X, X).",
        "'b:last'(_, _).",
    ];
    for line in wanted {
        assert!(text.lines().any(|found| found == line), "no {line} in\n{text}");
    }
}

#[test]
fn folders_that_a_program_declares_are_searched() {
    let files = |main| {
        [("main.pl", main), ("deep/sorted.pl", ":- module(sorted, [less/2]).\nless(X, Y) :- X < Y.\n")]
    };
    let mains = [
        "user:library_directory('deep').\n:- use_module(library(sorted)).\nc.\n",
        "user:file_search_path(own, deep).\n:- use_module(own(sorted)).\nc.\n",
        ":- multifile user:file_search_path/2.\n:- prolog_load_context(directory, D), asserta(user:file_search_path(here, D)).
:- use_module(here('deep/sorted')).\nc.\n",
    ];
    for main in mains {
        let (_, loaded) = in_folder(&files(main));
        assert!(loaded.ast.to_string().contains("less(X, Y) :- X < Y."), "{main}{:?}", loaded.diagnostics);
    }
    let (_, missing) = in_folder(&[("main.pl", ":- use_module(own(sorted)).\nc.\n")]);
    assert!(missing.diagnostics.iter().any(|d| d.code == "C0114"), "{:?}", missing.diagnostics);
}

#[test]
fn what_only_running_shows_is_no_error_before() {
    let logic = |text: &str| {
        let mut sources = SourceMap::new();
        let loaded = loaded(&mut sources, "p.pl", text, "");
        assert!(loaded.diagnostics.iter().all(|d| !d.is_error()), "{text}{:?}", loaded.diagnostics);
        loaded.logic.is_some()
    };
    // A goal that nothing defines, a constraint in a guard, a predicate of a library beside a constraint of its name.
    assert!(logic(":- chr_constraint c/1.\nc(0) <=> report_to_nobody(0).\nc(_) <=> true.\n?- c(1).\n"));
    assert!(logic(":- chr_constraint c/1, seen/1.\nc(X) <=> seen(X) | true.\n?- c(1).\n"));
    assert!(logic(":- chr_constraint sort/1.\nsort(L) <=> sort(0, @>=, L, S), S == L.\n?- sort([1]).\n"));
    // Types that nothing checks, and a predicate that takes the place of a built-in.
    assert!(logic(":- chr_option(optimize, full).\n:- chr_constraint c(+int).\n?- c(a).\n"));
    assert!(logic("print(_).\n:- chr_constraint c/1.\nc(X) <=> print(X).\n?- c(1).\n"));
    assert!(!logic(":- chr_constraint c(+int).\nc(X) <=> print(X).\n?- c(1).\n"));
}

#[test]
fn clauses_of_a_constraint_are_no_rules_but_run() {
    let mut sources = SourceMap::new();
    let text = ":- chr_constraint c/1.\nc(1).\nc(X) :- X == 2.\nc(3) <=> true.";
    let loaded = loaded(&mut sources, "clauses", text, "c(1), c(X).");
    let logic = loaded.logic.expect("a logic program");
    assert_eq!(logic.clauses.len(), 2);
    let codes = |all: &[Diagnostic]| all.iter().map(|d| (d.code, d.is_error())).collect::<Vec<_>>();
    // Once for all clauses of the constraint; the reasons say it of each.
    assert_eq!(codes(&loaded.diagnostics), [("C0207", false)]);
    let reasons = loaded.reasons.iter().filter(|d| d.code == "C0207");
    assert_eq!(reasons.count(), 2);
}

#[test]
fn imports_under_another_name_are_clauses() {
    let mut sources = SourceMap::new();
    let text = ":- use_module(library(lists), [append/3 as joined]).\n\
                :- use_module(library(lists), except([last/2 as final])).\n\
                t(L) :- joined([1], [2], L).";
    let loaded = loaded(&mut sources, "imports", text, "t(L), final(L, X).");
    let shown = shown(&loaded.logic.expect("a logic program"));
    assert!(shown.contains("joined(A,B,C) :- append(A,B,C)"), "{shown}");
    assert!(shown.contains("final(A,B) :- last(A,B)"), "{shown}");
}

#[test]
fn files_that_cannot_be_read_are_named_with_those_that_name_them() {
    let codes = |files: &[(&str, &str)]| {
        let (sources, loaded) = in_folder(files);
        let found = loaded.diagnostics.iter().filter(|d| d.is_error());
        found
            .map(|d| (d.code, sources.snippet(d.labels[0].span).to_string(), d.labels.len()))
            .collect::<Vec<_>>()
    };
    let missing = codes(&[("a.pl", ":- include(b).\n"), ("b.pl", ":- use_module(c).\n")]);
    assert_eq!(missing, [("C0114", "c".into(), 2)]);
    let circle = codes(&[("a.pl", ":- include(b).\n"), ("b.pl", ":- include('a.pl').\n")]);
    assert_eq!(circle, [("C0114", "'a.pl'".into(), 2)]);
    let number = codes(&[("a.pl", ":- include(7).\n:- [b].\n"), ("b.pl", "c(1 .\n")]);
    assert_eq!(number, [("C0114", "7".into(), 1), ("C0102", "(".into(), 2)]);
    // A file that two name is read once; what names each other is no circle.
    let pair = codes(&[
        ("a.pl", ":- use_module(b).\n:- use_module(c).\n:- chr_constraint a/0.\na <=> b, c.\n"),
        ("b.pl", ":- module(b, []).\n:- use_module(c).\n:- chr_constraint b/0.\nb <=> true.\n"),
        ("c.pl", ":- module(c, []).\n:- use_module(b).\n:- chr_constraint c/0.\nc <=> true.\n"),
    ]);
    assert_eq!(pair, []);
}

#[test]
fn conditions_choose_clauses() {
    let text = "\
:- if(current_prolog_flag(dialect, swi)).
:- chr_constraint a/1.
:- if(\\+ exists_source(library(chr))).
broken (.
:- elif((true, fail)).
a(1).
:- else.
a(X) <=> writeln(X).
:- endif.
:- else.
what is(this.
:- endif.
?- a(1).
end_of_file.
and (this";
    assert_eq!(decision(text, ""), "ground");
}

/// A table of operators and a term over their names, in canonical notation.
fn operators_and_term() -> impl Strategy<Value = (Vec<String>, String)> {
    let names = ["+++", "is_a", "~", "and", "=>>", "-", ";;", "dyn"];
    let kinds = prop::sample::select(vec!["xfx", "xfy", "yfx", "fy", "fx", "xf", "yf"]);
    let priorities = prop_oneof![prop::sample::select(vec![200_u16, 700, 1000]), 1..1200_u16];
    let operator = (priorities, kinds, prop::sample::select(names.to_vec()))
        .prop_map(|(priority, kind, name)| format!(":- op({priority}, {kind}, '{name}')."));
    let leaf = prop::sample::select(vec![
        "X", "a", "1", "-1", "'+++'", "'~'", "'-'", "is_a", "\"s\"", "[]", "'A b'",
    ]);
    let name = prop::sample::select(names.to_vec());
    let term = leaf.prop_map(String::from).prop_recursive(5, 40, 3, move |inner| {
        prop_oneof![
            (name.clone(), inner.clone()).prop_map(|(name, a)| format!("'{name}'({a})")),
            (name.clone(), inner.clone(), inner.clone())
                .prop_map(|(name, a, b)| format!("'{name}'({a}, {b})")),
            inner.clone().prop_map(|a| format!("[{a}, {a}|T]")),
            inner.prop_map(|a| format!("{{{a}}}")),
        ]
    });
    (prop::collection::vec(operator, 0..6), term)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    /// Whatever the operators are, what is printed is read as what was printed.
    #[test]
    fn terms_are_printed_by_the_operators_that_read_them((operators, term) in operators_and_term()) {
        let mut sources = SourceMap::new();
        let text = format!("{}\nx({term}).\n?- x({term}), '-'({term}).\n", operators.join("\n"));
        let first = sources.add("p.chr", text.as_str());
        let parsed = parse(&sources, first);
        prop_assert_eq!(&parsed.diagnostics, &[]);
        let printed = parsed.ast.to_string();
        let again = sources.add("printed", printed.as_str());
        let read = parse(&sources, again);
        prop_assert!(read.ast.canonical(first) == parsed.ast.canonical(first), "{}\n{}\n{:?}", text, printed, read.diagnostics);
    }
}
