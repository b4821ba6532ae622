//! What the queries capture.

use std::collections::BTreeSet;

use tree_sitter::{Language, Query, QueryCursor, StreamingIterator};

use crate::{Kind, parse};

/// The captures of a text in which `text` is what is captured: `capture text`.
fn captures(kind: Kind, text: &str) -> BTreeSet<String> {
    let query = Query::new(&kind.language(), kind.highlights()).expect("a query");
    let tree = parse(kind, text);
    let mut cursor = QueryCursor::new();
    let mut found = BTreeSet::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    while let Some(one) = matches.next() {
        for capture in one.captures() {
            let name = query.capture_names()[capture.index as usize];
            found.insert(format!("{name} {}", &text[capture.node.byte_range()]));
        }
    }
    found
}

fn has(kind: Kind, text: &str, expected: &[&str], not: &[&str]) {
    let found = captures(kind, text);
    for capture in expected {
        assert!(found.contains(*capture), "{capture}: {found:#?}");
    }
    for capture in not {
        assert!(!found.contains(*capture), "{capture}: {found:#?}");
    }
}

#[test]
fn parts_of_term_programs_are_told_apart() {
    has(
        Kind::Trs,
        "sort Nat = struct Zero | S(Nat); % numbers\ncons Nil: List;\nmap Len: List # Nat -> Nat;\nvar X: Nat;\n\
         eqn X < 3 -> Len(Nil, X) = S^2(Zero);\ninput Len(Nil, Zero);",
        &[
            "comment % numbers",
            "keyword sort",
            "keyword struct",
            "keyword input",
            "constructor Zero",
            "constructor S",
            "constructor Nil",
            "function Len",
            "type Nat",
            "type List",
            "variable X",
            "constant Zero",
            "number 3",
            "number 2",
            "operator <",
            "operator ^",
            "keyword.operator =",
            "keyword.operator ->",
            "punctuation.delimiter ;",
        ],
        &["constant X", "variable Zero", "variable Nil", "type Zero"],
    );
}

#[test]
fn parts_of_constraint_programs_are_told_apart() {
    has(
        Kind::Chr,
        ":- chr_constraint edge(+dense_int, ?list(int)), w/2. % declared\n/* a /* b */ */\n\
         :- chr_type color ---> red ; green.\n\
         short @ edge(X, node('A b', 1.5)) # Id \\ old(red) # passive <=> X > 1, \\+ ok(X) | true, write(\"x\"), ! pragma passive(Id).\n\
         p ==> q.\n\
         h(X) :- g(X). d --> [a], { e }. ?- f(0'a, [-]).",
        &[
            "comment % declared",
            "comment /* a /* b */ */",
            "keyword chr_constraint",
            "function edge",
            "function w",
            "type dense_int",
            "type list",
            "type color",
            "label short",
            "keyword.operator @",
            "keyword.operator \\",
            "keyword.operator <=>",
            "keyword.operator ==>",
            "keyword.operator |",
            "keyword.operator :-",
            "keyword.operator -->",
            "keyword.operator ?-",
            "keyword pragma",
            "keyword passive",
            "keyword !",
            "function old",
            "function p",
            "function h",
            "function d",
            "function.call ok",
            "function.call true",
            "function.call write",
            "function.call g",
            "function.call q",
            "function.call f",
            "constructor node",
            "constant red",
            "constant -",
            "variable X",
            "variable Id",
            "string \"x\"",
            "string.special 'A b'",
            "number 1.5",
            "character 0'a",
            "operator >",
            "operator \\+",
        ],
        &["function node", "constructor edge", "operator \\", "variable red"],
    );
}

#[test]
fn other_queries_are_those_of_their_languages() {
    let check = |language: Language, query: &str| assert!(Query::new(&language, query).is_ok());
    check(Kind::Trs.language(), gchr_tree_sitter::TRS_LOCALS);
    check(Kind::Trs.language(), gchr_tree_sitter::TRS_TAGS);
    check(Kind::Chr.language(), gchr_tree_sitter::CHR_TAGS);
}
