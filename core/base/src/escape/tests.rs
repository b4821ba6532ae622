//! Every hidden character in every place.

use super::*;
use proptest::prelude::*;
use std::io::Write as _;

fn all() -> impl Iterator<Item = char> {
    ('\0'..='\u{3000}').chain('\u{fff0}'..='\u{1000f}').chain(['\u{10ffff}'])
}

#[test]
fn hidden_characters_are_those_that_do_something() {
    let hidden: Vec<u32> = all().filter(|&c| is_hidden(c)).map(u32::from).collect();
    let wanted = (0..0x20)
        .chain(0x7f..0xa0)
        .chain([0x61c, 0x200e, 0x200f])
        .chain(0x2028..0x202f)
        .chain(0x2066..0x206a);
    assert_eq!(hidden, wanted.collect::<Vec<_>>());
    assert!(all().filter(|&c| turns_text(c)).all(|c| is_hidden(c) && !c.is_control()));
}

#[test]
fn lines_show_everything_hidden() {
    assert_eq!(line("plain ä"), "plain ä");
    assert!(matches!(line("plain"), Cow::Borrowed(_)));
    assert_eq!(line("a\u{1b}[31m\u{7}\n\u{9b}\u{202e}\0"), r"a\u{1b}[31m\u{7}\u{a}\u{9b}\u{202e}\u{0}");
    assert_eq!(lines("a\n\tb\r"), "a\n\tb\\u{d}");
    assert_eq!(Line("\u{1b}").to_string(), r"\u{1b}");
    for c in all() {
        let text = format!("a{c}b");
        assert_eq!(line(&text) == text, !is_hidden(c), "{c:?}");
        assert!(
            !line(&text).contains(is_hidden) && !lines(&text).contains(|c| c < ' ' && c != '\n' && c != '\t')
        );
    }
}

/// Whether XML 1.0 has a character.
fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[test]
fn markup_is_neither_markup_nor_unknown_to_xml() {
    for c in all() {
        let text = markup(&c.to_string()).into_owned();
        assert!(
            text.chars().all(|c| is_xml(c) && !turns_text(c) && !matches!(c, '<' | '>' | '"' | '\'')),
            "{c:?}"
        );
        assert!(!text.contains('&') || text.ends_with(';'), "{c:?}");
    }
}

/// What a filter makes of a text that comes in pieces.
fn filtered(filter: impl FnOnce(Vec<u8>) -> Filter<Vec<u8>>, text: &[u8], piece: usize) -> String {
    let mut filter = filter(Vec::new());
    for piece in text.chunks(piece) {
        filter.write_all(piece).expect("memory takes it");
    }
    String::from_utf8(filter.out).expect("text")
}

proptest! {
    #[test]
    fn filters_do_what_the_functions_do(text in "[a-z\\x00-\\x20\\x7f-\\xa0\u{61c}\u{200e}-\u{2070}äß€😀\"\\\\]{0,40}", piece in 1..9usize) {
        prop_assert_eq!(filtered(terminal, text.as_bytes(), piece), lines(&text));
        // Valid JSON stays valid, and means the same.
        let json_text = serde_json::to_string_pretty(&[&text]).expect("JSON");
        let shown = filtered(json, json_text.as_bytes(), piece);
        prop_assert!(!shown.contains(|c| is_hidden(c) && c != '\n'), "{shown:?}");
        prop_assert_eq!(serde_json::from_str::<Vec<String>>(&shown).expect("JSON"), vec![text]);
    }

    #[test]
    fn filters_take_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40), piece in 1..9usize) {
        let shown = filtered(terminal, &bytes, piece);
        prop_assert!(!shown.contains(|c| is_hidden(c) && !matches!(c, '\n' | '\t')));
    }
}
