//! Whole programs: the listings of van Eerd et al., "Innermost many-sorted term rewriting on GPUs", load unchanged.

use gchr_base::diagnostic::render_all;
use gchr_base::rule::{Program, Start, verify};
use gchr_base::source::SourceMap;

/// Loads a program that has no errors.
#[track_caller]
fn load(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let id = sources.add("program.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    let shown = render_all(&loaded.diagnostics, &sources, false);
    let program = loaded.program.unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(verify(&program), []);
    program
}

/// Listing 11 names constants and variables alike: `X` is the variable, `X()` the constant.
#[test]
fn transformation_tree() {
    let program = load(
        "sort Nat = struct Zero() | Suc(Nat);
              Tree = struct A() | B() | X() | O() | End() | Node(Tree, Tree) | Expand(Nat) | Expand2(Nat);
         var X : Nat; O, P : Tree;
         eqn
          Expand(Zero()) = A();
          Expand(Suc(X)) = Node(Expand(X), Expand2(X));
          Expand2(Zero()) = A();
          Expand2(Suc(X)) = Node(Expand(X), Expand2(X));
          A() = B(); B() = O(); O() = X(); X() = End();
         input Expand(Suc(Suc(Suc(Zero()))));",
    );
    assert_eq!(program.rules.len(), 8);
    insta::assert_snapshot!(program.to_string());
}

/// Listing 12 writes `Zero` for `Zero()`, and its input calls a constant that is a function.
#[test]
fn binary_search_tree() {
    let program = load(
        "sort Nat = struct Zero() | S(Nat) | Min() | Max() | Depth();
              Bool = struct True() | False() | BST(NatTree, Nat, Nat) | Leq(Nat, Nat) | And(Bool, Bool);
              NatTree = struct Leaf(Nat) | Tree(Nat, NatTree, NatTree) | InputTree(Nat, Nat, Nat, Nat);
         var Levels, X, Y, Z : Nat; B : Bool; Tl, Tr : NatTree;
         eqn
          Leq(Min(), Y) = True();
          BST(Leaf(X), Y, Z) = And(Leq(Y, X), Leq(X, Z));
          BST(Tree(X, Tl, Tr), Y, Z) = And(BST(Tl, Y, X), BST(Tr, X, Z));
          And(False(), B) = False();
          InputTree(Zero(), X, Y, Z) = Tree(X, Leaf(Y), Leaf(Z));
          InputTree(S(Levels), X, Y, Z) = Tree(X, InputTree(Levels, X, Y, Z), InputTree(Levels, X, Y, Z));
          Depth() = S(Zero);
         input BST(InputTree(Depth(), S(S(Zero())), S(S(Zero())), S(S(Zero()))), Min(), Max())",
    );
    let booleans = program.signature.booleans;
    assert_eq!(program.signature.symbols[booleans.true_symbol].name, "True");
    assert!(matches!(&program.start, Start::Term(Some(term)) if term.sort == booleans.sort));
}
