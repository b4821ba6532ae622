//! The page of the language tells the truth: its examples load, and the table of findings lists the codes of the
//! source.

use gchr_testkit::pages;

use super::{load_text, value};

fn page() -> String {
    pages::read("docs/language-maude.md")
}

#[test]
fn examples_load() {
    let mut examples = pages::fences(&page());
    examples.retain(|fence| fence.info == "maude");
    assert!(!examples.is_empty());
    for pages::Fence { text, .. } in examples {
        let (_, loaded) = load_text(&text, None);
        assert_eq!(loaded.diagnostics, [], "{text}");
        if let Some((_, expected)) = text.split_once("*** gives ") {
            assert_eq!(value(&text, None), expected.trim());
        }
    }
}

#[test]
fn every_code_is_listed() {
    let quoted = pages::codes(&pages::sources(env!("CARGO_MANIFEST_DIR")), "\"T");
    assert!(quoted.len() > 15);
    assert_eq!(quoted, pages::codes(&page(), "| T"));
}
