//! Input terms read against a finished program, and terms as the syntax tree prints them.

use gchr_base::diagnostic::render_all;
use gchr_base::rule::{GroundNode, Program, Start};
use gchr_base::source::SourceMap;
use gchr_trs::InputReader;

const PROGRAM: &str = "sort Nat = struct Zero() | S(Nat) | Plus(Nat, Nat); Pair = struct P(Int, Float);
var X, Y: Nat; eqn Plus(Zero, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));";

fn program(text: &str) -> (SourceMap, Program, InputReader) {
    let mut sources = SourceMap::new();
    let id = sources.add("program.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    let shown = render_all(&loaded.diagnostics, &sources, false);
    let (Some(program), Some(reader)) = (loaded.program, loaded.reader) else { panic!("{shown}") };
    (sources, program, reader)
}

/// The nodes of a term as the rules printer shows them, and its sort; or codes and places of its errors.
fn read(text: &str, term: &str) -> String {
    let (mut sources, mut program, reader) = program(text);
    let id = sources.add("--input", term);
    match reader.read(&sources, id) {
        Ok(term) => {
            program.start = Start::Term(Some(term));
            assert_eq!(gchr_base::rule::verify(&program), []);
            let shown = program.to_string();
            shown.lines().last().unwrap_or_default().to_string()
        }
        Err(diagnostics) => {
            let each = diagnostics
                .iter()
                .map(|d| format!("{} at `{}`: {}", d.code, sources.snippet(d.labels[0].span), d.message));
            each.collect::<Vec<_>>().join("; ")
        }
    }
}

#[test]
fn terms_over_the_symbols_of_the_program() {
    insta::assert_snapshot!(read(PROGRAM, "Plus(S^3(Zero), S(Zero()));"), @"start Zero/0 S^3 Zero/0 S/1 Plus/2 : Nat");
    insta::assert_snapshot!(read(PROGRAM, "P(1 + 2 * -3, 2.5)"), @"start 1 2 -3 * + 2.5 P/2 : Pair");
    insta::assert_snapshot!(read(PROGRAM, "Zero == S^0(Zero) && !(1 < 2 || True)"), @"start Zero/0 Zero/0 == 1 2 < true/0 || ! && : Bool");
    insta::assert_snapshot!(read(PROGRAM, "7 div 2 - 7 mod 2 == 1"), @"start 7 2 div 7 2 mod - 1 =:= : Bool");
}

#[test]
fn errors_in_terms() {
    insta::assert_snapshot!(read(PROGRAM, ""), @"T0003 at ``: expected a term, found the end of the text");
    insta::assert_snapshot!(read(PROGRAM, "Plus(Zero"), @"T0004 at `(`: this bracket is never closed");
    insta::assert_snapshot!(read(PROGRAM, "Zero; Zero"), @"T0003 at `Zero`: expected the end of the term, found `Zero`");
    insta::assert_snapshot!(read(PROGRAM, "Zero)"), @"T0003 at `)`: expected the end of the term, found `)`");
    insta::assert_snapshot!(read(PROGRAM, "Plus(zero, 1)"), @"T0102 at `zero`: unknown symbol `zero`; T0201 at `1`: expected sort `Nat`, found `Int`");
    insta::assert_snapshot!(read(PROGRAM, "S(@Zero)"), @"T0001 at `@`: unexpected `@`");
    insta::assert_snapshot!(read(PROGRAM, "X"), @"T0102 at `X`: unknown symbol `X`");
}

/// The truth values of the rule IR that stand in for a `Bool` without any cannot be written.
#[test]
fn programs_with_their_own_bool() {
    let own = "sort Bool = struct Yes() | No();";
    insta::assert_snapshot!(read(own, "Yes"), @"start Yes/0 : Bool");
    insta::assert_snapshot!(read(own, "true"), @"T0102 at `true`: unknown symbol `true`");
    insta::assert_snapshot!(read(own, "1 < 2"), @"T0207 at `1 < 2`: the program has no truth values");
    let lower = "sort Bool = struct true() | false();";
    insta::assert_snapshot!(read(lower, "1 < 2 == true"), @"T0006 at `==`: comparisons do not associate");
    insta::assert_snapshot!(read(lower, "(1 < 2) == true"), @"start 1 2 < true/0 == : Bool");
    insta::assert_snapshot!(read(lower, "True"), @"T0102 at `True`: unknown symbol `True`");
}

/// Arithmetic, and a repetition of a defined symbol, in rules.
#[test]
fn rules_with_operators() {
    let (_, program, _) = program(
        "map F: Int # Bool -> Int; Twice: Int -> Int; var N: Int; B: Bool;
         eqn !B && N >= 0 -> F(N, B) = Twice^3(N) div 1 * 0 - 1; F(-1, B) = 0; Twice(N) = N + N;",
    );
    insta::assert_snapshot!(program.to_string());
    assert!(matches!(program.start, Start::Term(None)));
}

#[test]
fn constants_of_repeat_in_patterns() {
    let (_, program, _) = program(
        "sort Nat = struct Zero() | S(Nat); map F: Nat -> Nat; var X: Nat; eqn F(S^3(X)) = S^2(X); F(S^0(Zero)) = Zero; input F(S^7(Zero));",
    );
    let rules = program.to_string();
    assert!(rules.contains("removed F(S(S(S(X.0))))"), "{rules}");
    assert!(rules.contains("replace S^2(X.0)"), "{rules}");
    assert!(rules.contains("removed F(Zero)"), "{rules}");
    let Start::Term(Some(term)) = &program.start else { panic!("an input") };
    assert!(matches!(term.nodes[1], GroundNode::Repeat(_, 7)));
}

#[test]
fn the_syntax_tree_prints_as_a_program() {
    let text = "sort A,B;Nat=struct Zero|S(Nat)?isS|Pair(left:Nat,right:Nat);cons C:A;map F,G:A#B->A;
      var a:A;b,b':B;eqn a==C->F(a,b)=F((a),b');G(C,b)=G(C(),b);
      input ((1)+2)*3-(4-5)-6 == -(7) && !(true||false) || (1<2)==(3<4) && S^3(-7- -x)== - - -7.50";
    let mut sources = SourceMap::new();
    let id = sources.add("test.trs", text);
    let parsed = gchr_trs::parse(&sources, id);
    assert_eq!(parsed.diagnostics, []);
    insta::assert_snapshot!(parsed.ast.to_string());
}
