//! Programs that the logic machine runs, by the command line.

use crate::support::Scratch;

const LEQ: &str = ":- use_module(library(chr)).
:- chr_constraint leq(?any, ?any).
reflexivity  @ leq(X, X) <=> true.
antisymmetry @ leq(X, Y), leq(Y, X) <=> X = Y.
idempotence  @ leq(X, Y) \\ leq(X, Y) <=> true.
transitivity @ leq(X, Y), leq(Y, Z) ==> leq(X, Z).

";

#[test]
fn answers_are_written_in_all_formats() {
    let scratch = Scratch::new();
    scratch.file("leq.chr", LEQ);
    let run = |more: &[&str]| scratch.gchr(&[&["run", "leq.chr"], more].concat());
    let text = run(&["--query", "leq(A, B), leq(B, A), leq(A, C)"]);
    assert_eq!((text.code, text.stdout.as_str()), (0, "A = B\nleq(B, C)\n"), "{}", text.stderr);
    let all = run(&["--query", "member(X, [1, 2]), leq(X, _)", "--all"]);
    assert_eq!(
        (all.code, all.stdout.as_str()),
        (0, "X = 1\nleq(1, _1)\n;\nX = 2\nleq(2, _1)\n"),
        "{}",
        all.stderr
    );
    let json = run(&["--query", "X = f(_, \"s\", a), leq(X, Y)", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let f = serde_json::json!({"functor": "f", "args": [{"variable": "_1"}, "s", "a"]});
    assert_eq!(value["answers"][0]["bindings"]["X"], f, "{}", json.stderr);
    assert_eq!(value["answers"][0]["store"][0]["args"][1], serde_json::json!({"variable": "Y"}));
    assert_eq!(value["more"], false);
    let csv = run(&["--query", "leq(X, 'a b')", "--format", "csv"]);
    assert_eq!((csv.code, csv.stdout.as_str()), (0, "leq,X,a b\n"), "{}", csv.stderr);
}

#[test]
fn it_is_explained_what_keeps_each_rule_from_rounds() {
    let scratch = Scratch::new();
    let rules = "same @ c(X) \\ c(X) <=> true.\nc(X) ==> (X > 1 -> d(X) ; true).\n";
    scratch.file("p.chr", &format!(":- chr_constraint c(?int), d(?int).\n{rules}"));
    let text = scratch.gchr(&["check", "p.chr", "--explain"]).stderr;
    assert!(text.contains("same (line 2): could run in rounds and on a GPU"), "{text}");
    assert!(text.contains("rule (line 3): cannot run in rounds or on a GPU: disjunction"), "{text}");
}

#[test]
fn answers_are_written_when_they_are_found() {
    let scratch = Scratch::new();
    scratch.file("leq.chr", LEQ);
    let late = "member(X, [1, 2]), write(x), (X < 2 -> true ; throw(late))";
    let run = |more: &[&str]| scratch.gchr(&[&["run", "leq.chr", "--all", "--query", late], more].concat());
    let text = run(&[]);
    assert_eq!((text.code, text.stdout.as_str()), (1, "x\nX = 1\nx"), "{}", text.stderr);
    assert!(text.stderr.contains("R0304"), "{}", text.stderr);
    let json = run(&["--format", "json"]);
    assert_eq!((json.code, json.stdout.as_str()), (1, ""), "{}", json.stderr);
}

#[test]
fn failures_errors_and_limits_have_codes() {
    let scratch = Scratch::new();
    scratch
        .file("leq.chr", &format!("{LEQ}loop(N) :- M is N + 1, loop(M).\nbad(X) :- Y is X + 1, print(Y).\n"));
    let run =
        |query: &str, more: &[&str]| scratch.gchr(&[&["run", "leq.chr", "--query", query], more].concat());
    let failed = run("leq(X, Y), X = 1, Y = 2, fail", &[]);
    assert!(failed.code == 1 && failed.stderr.contains("R0301"), "{}", failed.stderr);
    let error = run("bad(_)", &[]);
    assert!(error.code == 1 && error.stderr.contains("R0304"), "{}", error.stderr);
    assert!(error.stderr.contains("not sufficiently instantiated"), "{}", error.stderr);
    let steps = run("loop(0)", &["--max-steps", "1000"]);
    assert!(steps.code == 1 && steps.stderr.contains("R0201"), "{}", steps.stderr);
    let time = run("loop(0)", &["--timeout", "300ms"]);
    assert!(time.code == 1 && time.stderr.contains("R0204"), "{}", time.stderr);
}

#[test]
fn a_program_ends_the_run_with_a_code_of_its_own() {
    let scratch = Scratch::new();
    scratch.file("p.chr", "p(1).\np(2).\nstop :- p(X), X > 1, halt(3).\n");
    let run = |query: &str| scratch.gchr(&["run", "p.chr", "--query", query]);
    assert_eq!(run("stop").code, 3);
    assert_eq!(run("p(_), halt").code, 0);
    let written = run("p(_), write(user_error, hello), write(there)");
    assert!(written.code == 0 && written.stderr.contains("hello"), "{}", written.stderr);
    assert!(written.stdout.starts_with("there"), "{}", written.stdout);
}

#[test]
fn the_store_of_a_run_that_stopped_is_written_on_demand() {
    let scratch = Scratch::new();
    scratch.file("leq.chr", LEQ);
    let run = |more: &[&str]| {
        scratch.gchr(&[&["run", "leq.chr", "--query", "leq(X, 1), throw(mine)", "--partial"], more].concat())
    };
    let text = run(&[]);
    assert_eq!((text.code, text.stdout.as_str()), (1, "leq(_1, 1)\n"), "{}", text.stderr);
    assert!(text.stderr.contains("one constraint was in the store"), "{}", text.stderr);
    let json = run(&["--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let constraint = serde_json::json!({"constraint": "leq", "args": [{"variable": "_1"}, 1]});
    assert_eq!(value["partial_store"][0], constraint);
}

#[test]
fn other_semantics_and_devices_are_refused_with_the_reason() {
    let scratch = Scratch::new();
    scratch.file("leq.chr", LEQ);
    let run =
        scratch.gchr(&["run", "leq.chr", "--query", "member(X, [1]), leq(X, 2)", "--semantics", "rounds"]);
    assert!(run.code != 0 && run.stderr.contains("U0110"), "{}", run.stderr);
    assert!(run.stderr.contains("refined semantics only") && run.stderr.contains("╭─[ "), "{}", run.stderr);
}

#[test]
fn constraints_are_found_with_the_module_that_declares_them() {
    let scratch = Scratch::new();
    scratch.file(
        "mm.pl",
        ":- module(mm, [c/1]).\n:- use_module(library(chr)).\n:- use_module(chr(chr_runtime)).\n:- chr_constraint c/1.\n\
         all :- c(1), findall(M-X, current_chr_constraint(M:X), L), print(L), nl.\n?- mm:all.\n",
    );
    let run = scratch.gchr(&["run", "mm.pl"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "[mm-c(1)]\nc(1)\n"), "{}", run.stderr);
}
