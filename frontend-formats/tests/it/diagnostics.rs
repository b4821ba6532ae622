//! Every diagnostic: its code and the place it points at.

use gchr_formats::Format::{self, Ari, Rec, Tpdb, Xtc};
use gchr_testkit::findings;

use super::load_text;

/// Code and source text of the primary place of each diagnostic.
#[track_caller]
fn check(format: Format, text: &str, expected: &[(&str, &str)]) {
    let (sources, loaded) = load_text(text, format);
    findings::check(&sources, &loaded.diagnostics, expected);
}

/// A module with some declarations and these sections.
#[track_caller]
fn check_rec(rest: &str, expected: &[(&str, &str)]) {
    let text = format!(
        "REC-SPEC M\nSORTS A B\nCONS a : -> A\n b : A -> B\nOPNS f : A A -> A\nVARS X Y : A\n{rest}\nEND-SPEC"
    );
    check(Rec, &text, expected);
}

#[test]
fn syntax() {
    check(Rec, "", &[("T1001", ""), ("T1001", "")]);
    check(Rec, "SPEC M END-SPEC", &[("T1001", "SPEC")]);
    check_rec("RULES f(X, X) X", &[("T1001", "X")]);
    check_rec("RULES f(X, X -> X", &[("T1001", "->")]);
    check_rec("RULES f(X, X) -> X if X", &[("T1001", "END-SPEC")]);
    check_rec("EVAL a\nEND-SPEC\nget normal form", &[("T1403", "get")]);
    check_rec("CONS c : A -> VARS Z : A", &[("T1001", "VARS")]);
    check(Rec, "REC-SPEC M SORTS A CONS a : -> A EVAL a(a", &[("T1001", ""), ("T1002", "")]);
    check(Tpdb, "VAR x", &[("T1001", "VAR")]);
    check(Tpdb, "(RULES f(x) -> ", &[("T1001", "")]);
    check(Tpdb, "(RULES f(x) = x)", &[("T1001", "=")]);
    check(Ari, "(fun f 1)", &[("T1003", ""), ("T1101", "1")]);
    check(Ari, "(format TRS) (fun f many)", &[("T1001", "many")]);
    check(Ari, "(format TRS) (fun a 0) (rule (a", &[("T1002", "")]);
    check(Ari, "(format TRS) (format TRS)", &[("T1104", "TRS")]);
}

#[test]
fn names_and_sorts() {
    check_rec("CONS c : C -> A", &[("T1101", "C")]);
    check_rec("EVAL g(a)", &[("T1102", "g")]);
    check_rec("EVAL f(a)", &[("T1103", "f")]);
    check_rec("CONS a : -> B", &[("T1104", "a")]);
    check_rec("CONS a : -> A", &[]);
    check_rec("EVAL f(a, b(a))", &[("T1201", "b")]);
    check_rec("RULES f(X, Y) -> b(X)", &[("T1201", "b")]);
    check_rec("RULES f(X, b(X)) -> X", &[("T1201", "b")]);
    check_rec("EVAL f(X, a)", &[("T1304", "X")]);
    check(Rec, "REC-SPEC M : Other END-SPEC", &[("T1105", "Other")]);
    check(Tpdb, "(RULES f(a) -> f(a, a))", &[("T1103", "f")]);
    let unsorted = "(format MSTRS) (sort A) (fun a A) (fun f (-> A A)) (rule (f a) a (= x y))";
    check(Ari, unsorted, &[("T1202", "x")]);
}

#[test]
fn rules_that_give_no_value() {
    check_rec("RULES X -> a", &[("T1301", "X")]);
    check_rec("RULES f(a, X) -> Y", &[("T1302", "Y")]);
    check_rec("RULES f(a, X) -> X if Y <> a", &[("T1302", "Y")]);
    check(Tpdb, "(VAR x) (RULES a -> x)", &[("T1302", "x")]);
    check(Ari, "(format TRS) (fun a 0) (rule x a)", &[("T1301", "x")]);
    let deep = format!("(VAR x) (RULES f(x) -> {}x{})", "f(".repeat(30_000), ")".repeat(30_000));
    let (_, loaded) = load_text(&deep, Tpdb);
    assert_eq!(loaded.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["T1303"]);
}

#[test]
fn what_is_not_supported_is_named() {
    check(Tpdb, "(VAR x) (THEORY (EQUATIONS f(x) == x)) (RULES f(x) -> x)", &[("T1401", "EQUATIONS")]);
    check(Tpdb, "(VAR x) (THEORY (AC f)) (RULES f(x) -> x)", &[("T1103", "f")]);
    let twice = "(RULES f(a, a) -> a) (STRATEGY CONTEXTSENSITIVE (f 1) (f 2))";
    check(Tpdb, twice, &[("T1104", "f")]);
    let twice = "(format CSTRS) (fun f 2 :replacement-map (2) :replacement-map (1)) (rule (f x x) x)";
    check(Ari, twice, &[("T1104", "f")]);
    check(Tpdb, "(RULES a -> b) (STRATEGY LAZY)", &[("T1401", "LAZY")]);
    check(Tpdb, "(VAR x) (RULES f(x) -> x) (STRATEGY CONTEXTSENSITIVE (f 2))", &[("T1103", "f")]);
    check(Tpdb, "(REPLACEMENT-MAP (f 0)) (VAR x) (RULES f(x) -> x)", &[("T1103", "f")]);
    check(Tpdb, "(REPLACEMENT-MAP (f x)) (RULES a -> b)", &[("T1001", "x")]);
    check(Tpdb, "(VAR x) (THEORY (C f)) (RULES f(x, x) -> x) (STRATEGY OUTERMOST)", &[("T1401", "f")]);
    check(Tpdb, "(CONDITIONTYPE OTHER) (RULES a -> b)", &[("T1401", "OTHER")]);
    check(Tpdb, "(RULES a -> b) (PROPER x)", &[("T1403", "PROPER")]);
    check(Tpdb, "(RULES a -> b b ->= c)", &[("T1402", "b ->= c")]);
    check(Ari, "(format LCTRS)", &[("T1401", "LCTRS")]);
    check(Ari, "(format TRS) (fun f 2 :theory ACU)", &[("T1401", "ACU")]);
    check(Ari, "(format TRS) (fun f 1 :theory AC)", &[("T1103", "f")]);
    check(Ari, "(format CSTRS) (fun f 2 :replacement-map (3))", &[("T1103", "f")]);
    check(Ari, "(format TRS) (fun a 0) (theory Ints)", &[("T1401", "theory")]);
    check(Ari, "(format TRS) (fun a 0) (fun b 0) (rule a b :cost 0)", &[("T1402", "rule a b :cost 0")]);
    check(Ari, "(format TRS) (fun a 0) (infeasible? (= a a))", &[("T1403", "infeasible?")]);
    check(Ari, "(format TRS) (frob)", &[("T1401", "frob")]);
}

#[test]
fn elements_that_are_not_understood() {
    let rules = |inside: &str| format!("<problem><trs><rules>{inside}</rules></trs></problem>");
    let check = |inside: &str, expected: &[(&str, &str)]| check(Xtc, &rules(inside), expected);
    let rule = |left: &str, right: &str| format!("<rule><lhs>{left}</lhs><rhs>{right}</rhs></rule>");
    let a = "<funapp><name>a</name></funapp>";
    check(&rule(a, "<var>x</var>"), &[("T1302", "x")]);
    check(&rule("<var>x</var>", a), &[("T1301", "x")]);
    check(&rule(a, "<lambda></lambda>"), &[("T1401", "<lambda>")]);
    check(&rule(a, ""), &[("T1001", "</rhs>")]);
    check("<rule><lhs></rule>", &[("T1001", "</rule>")]);
    check("<rule", &[("T1002", "<rule")]);
    check("<funcsym>", &[("T1001", "</rules>")]);
    check(&rule(a, "<var>&x;</var>"), &[("T1001", "&x;")]);
}

#[test]
fn very_many_errors_are_cut() {
    let (_, loaded) = load_text(&format!("(RULES {})", "f(a) -> f(a, a) ".repeat(500)), Tpdb);
    assert_eq!(loaded.diagnostics.len(), 101);
    assert!(loaded.diagnostics.iter().any(|d| d.code == "T1004"));
}
