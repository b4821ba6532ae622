//! Large and deeply nested texts: linear time, no recursion.

use std::fmt::Write;

use gchr_base::rule::{GroundNode, Program, Start};
use gchr_base::source::SourceMap;

const DECLARATIONS: &str = "sort Nat = struct Zero() | S(Nat); List = struct Nil() | Cons(Nat, List);\n";
const SIZE: usize = 200_000;

fn load(text: String) -> (SourceMap, gchr_trs::Loaded) {
    let mut sources = SourceMap::new();
    let id = sources.add("test.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    (sources, loaded)
}

#[track_caller]
fn nodes(program: &Program) -> &[GroundNode] {
    match &program.start {
        Start::Term(Some(term)) => &term.nodes,
        _ => panic!("the program has an input"),
    }
}

#[test]
fn long_lists_and_deep_numbers() {
    let mut text = format!("{DECLARATIONS}input ");
    (0..SIZE).for_each(|i| write!(text, "Cons(S^{i}(Zero), ").unwrap());
    text += "Nil";
    text += &")".repeat(SIZE);
    let program = load(text).1.program.expect("no errors");
    // `S^0(Zero)` is `Zero`.
    assert_eq!(nodes(&program).len(), 3 * SIZE);

    let text = format!("{DECLARATIONS}input {}Zero{}", "S(".repeat(SIZE), ")".repeat(SIZE));
    let (mut sources, loaded) = load(text);
    assert_eq!(nodes(loaded.program.as_ref().expect("no errors")).len(), SIZE + 1);
    // Printed and read again.
    let printed = loaded.ast.to_string();
    let id = sources.add("printed", printed);
    assert_eq!(gchr_trs::parse(&sources, id).diagnostics, []);
}

#[test]
fn counts_up_to_the_limit() {
    let program = load(format!("{DECLARATIONS}input S^10000000(Zero)")).1.program.expect("no errors");
    assert!(matches!(nodes(&program), [GroundNode::App(_), GroundNode::Repeat(_, 10_000_000)]));
}

#[test]
fn operators_and_brackets() {
    for (open, middle, close) in
        [("(", "1", ")"), ("-", "1", ""), ("!", "true", ""), ("1 + ", "1", ""), ("1 + (", "1", ")")]
    {
        let text = format!("input {}{middle}{};", open.repeat(SIZE), close.repeat(SIZE));
        let (sources, loaded) = load(text);
        let shown = gchr_base::diagnostic::render_all(&loaded.diagnostics, &sources, false);
        assert!(loaded.program.is_some(), "{shown}");
        assert!(loaded.ast.to_string().len() > 5);
    }
}

#[test]
fn unclosed_and_refused() {
    for text in ["input (", "input F(", "eqn F(", "sort A = struct B(", "eqn ! "] {
        let (keyword, rest) = text.split_once(' ').unwrap();
        let (_, loaded) = load(format!("{keyword} {}", rest.repeat(SIZE)));
        assert!(loaded.program.is_none());
    }
    // Rules have a limit, the input has none.
    let deep = format!("{}X{}", "S(".repeat(SIZE), ")".repeat(SIZE));
    let (_, loaded) =
        load(format!("{DECLARATIONS}map F: Nat -> Nat; var X: Nat; eqn F({deep}) = X; F(X) = {deep};"));
    let codes: Vec<_> = loaded.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["T0007", "T0007"]);
}

/// The deepest rules that are allowed go through the analysis.
#[test]
fn deepest_rules() {
    let deep = format!("{}X{}", "S(".repeat(19_998), ")".repeat(19_998));
    let (sources, loaded) = load(format!(
        "{DECLARATIONS}map F: Nat -> Nat; var X: Nat; eqn F({deep}) = {deep}; F(S^19998(X)) = X; input F(S^5(Zero));"
    ));
    let shown = gchr_base::diagnostic::render_all(&loaded.diagnostics, &sources, false);
    assert!(loaded.program.is_some(), "{shown}");
}

/// Many rules of one function: the analysis stops when it gets too expensive.
#[test]
fn many_rules() {
    let mut text = "map F: Int # Int -> Int; var X: Int; eqn\n".to_string();
    (0..3_000).for_each(|i| writeln!(text, "F({i}, X) = X; F(X, {i}) = {i};").unwrap());
    let (_, loaded) = load(text);
    assert!(loaded.program.is_some());
}
