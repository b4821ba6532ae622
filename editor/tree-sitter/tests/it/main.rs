//! The grammars on all programs of the project, on texts that the front ends read, and on damaged texts.

mod corpus;
mod generated;
mod highlights;
mod programs;
mod texts;

use tree_sitter::{Language, Node, Parser, Tree};

/// The two languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Trs,
    Chr,
}

impl Kind {
    fn language(self) -> Language {
        match self {
            Kind::Trs => gchr_tree_sitter::TRS.into(),
            Kind::Chr => gchr_tree_sitter::CHR.into(),
        }
    }

    fn highlights(self) -> &'static str {
        match self {
            Kind::Trs => gchr_tree_sitter::TRS_HIGHLIGHTS,
            Kind::Chr => gchr_tree_sitter::CHR_HIGHLIGHTS,
        }
    }
}

fn parse(kind: Kind, text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&kind.language()).expect("a language of a version that is known");
    parser.parse(text, None).expect("a tree")
}

/// What the first node that is wrong or missing covers, with its line; `None` when there is none.
fn error(tree: &Tree, text: &str) -> Option<String> {
    let mut node = tree.root_node();
    if !node.has_error() {
        return None;
    }
    while !node.is_error() && !node.is_missing() {
        let mut cursor = node.walk();
        let inner: Option<Node<'_>> = node.children(&mut cursor).find(Node::has_error);
        node = inner?;
    }
    let shown: String = text[node.byte_range()].chars().take(60).collect();
    Some(format!("line {}: {shown:?}", node.start_position().row + 1))
}
