//! Short texts that the front ends read, and texts that nobody reads.

use crate::programs::{is_read, programs};
use crate::{Kind, error, parse};

/// Terms as SWI-Prolog reads them, with their canonical forms; operators that they declare have names of their own.
const TERMS: &str = include_str!("../../../../frontend-chr/tests/it/terms.tsv");

#[test]
fn terms_that_the_front_end_reads_are_parsed_without_errors() {
    let (mut count, mut wrong) = (0, Vec::new());
    for line in TERMS.lines() {
        let (term, _) = line.split_once('\t').expect("a term and its form");
        let inner = term.trim_end_matches('.').replace('⏎', "\n");
        let text = format!("?- p(({inner}\n)).\n");
        // Operators of declarations are known where declarations stand.
        let declares = ["dynamic", "table", "handler", "rules"].iter().any(|word| term.contains(word));
        if declares || !is_read(Kind::Chr, &text) {
            continue;
        }
        count += 1;
        if error(&parse(Kind::Chr, &text), &text).is_some() {
            wrong.push(term);
        }
    }
    assert!(count > 300, "{count}");
    assert!(wrong.is_empty(), "{} of {count}: {wrong:#?}", wrong.len());
}

/// A text that is damaged at a random place.
fn damage(text: &str, random: &mut fastrand::Rng) -> String {
    const PIECES: [&str; 16] =
        ["(", ")", "[", "}", "'", "\"", "/*", "*/", ". ", ";", "<=>", "|", "% ", "0'", "sort", "\u{1F600}"];
    let at = |random: &mut fastrand::Rng| text.floor_char_boundary(random.usize(..=text.len()));
    let (one, other) = (at(random), at(random));
    let (start, end) = (one.min(other), one.max(other));
    match random.u8(..3) {
        0 => text[..start].to_string(),
        1 => format!("{}{}", &text[..start], &text[text.floor_char_boundary(end.min(start + 20))..]),
        _ => format!("{}{}{}", &text[..start], random.choice(PIECES).unwrap_or_default(), &text[start..]),
    }
}

#[test]
fn trees_of_damaged_texts_cover_them() {
    let mut random = fastrand::Rng::with_seed(1);
    for (kind, path, text) in programs() {
        for _ in 0..10 {
            let damaged = damage(&text, &mut random);
            let tree = parse(kind, &damaged);
            let root = tree.root_node();
            // White space and comments at both ends belong to no clause.
            assert_eq!(root.end_byte(), damaged.len(), "{}: {damaged}", path.display());
            let before = &damaged[..root.start_byte()];
            assert!(before.chars().all(|c| c.is_whitespace() || c == '\u{FEFF}'), "{}", path.display());
            // The leaves are in order and leave nothing but white space out.
            let (mut cursor, mut at) = (root.walk(), 0);
            'leaves: loop {
                let node = cursor.node();
                if node.child_count() == 0 {
                    assert!(at <= node.start_byte(), "{}: {damaged}", path.display());
                    at = node.end_byte();
                }
                if !cursor.goto_first_child() {
                    while !cursor.goto_next_sibling() {
                        if !cursor.goto_parent() {
                            break 'leaves;
                        }
                    }
                }
            }
            assert!(at <= damaged.len());
        }
    }
}

#[test]
fn an_edited_text_has_the_tree_of_the_new_one() {
    use tree_sitter::{InputEdit, Parser, Point};
    let point = |text: &str, at: usize| {
        let before = &text[..at];
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        Point { row: before.matches('\n').count(), column: at - line }
    };
    let mut random = fastrand::Rng::with_seed(2);
    for (kind, path, text) in programs().into_iter().step_by(7) {
        let mut parser = Parser::new();
        parser.set_language(&kind.language()).expect("a language");
        let at = text.floor_char_boundary(random.usize(..text.len()));
        let changed = format!("{} {}", &text[..at], &text[at..]);
        let mut old = parse(kind, &text);
        old.edit(&InputEdit {
            start_byte: at,
            old_end_byte: at,
            new_end_byte: at + 1,
            start_position: point(&text, at),
            old_end_position: point(&text, at),
            new_end_position: point(&changed, at + 1),
        });
        let tree = parser.parse(&changed, Some(&old)).expect("a tree");
        let fresh = parse(kind, &changed);
        // How an error is recovered from may depend on what was there before.
        if !fresh.root_node().has_error() {
            assert_eq!(tree.root_node().to_sexp(), fresh.root_node().to_sexp(), "{}", path.display());
        }
    }
}
