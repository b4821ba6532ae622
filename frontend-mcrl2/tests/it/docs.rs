//! The page of the language tells the truth: its examples load, and the table of findings lists the codes of the source.

use std::collections::BTreeSet;
use std::path::Path;

use super::load_text;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/language-mcrl2.md");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn examples_load() {
    let page = page();
    let examples: Vec<&str> =
        page.split("```mcrl2\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty());
    for text in examples {
        let (_, loaded) = load_text(text, None);
        assert_eq!(loaded.diagnostics, [], "{text}");
    }
}

fn codes(text: &str, before: &str) -> BTreeSet<String> {
    let code = |rest: &str| {
        rest.get(..4).filter(|code| code.bytes().all(|b| b.is_ascii_digit())).map(str::to_string)
    };
    text.split(before).skip(1).filter_map(code).collect()
}

fn read_all(folder: &Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_all(&path, into);
        } else {
            *into += &std::fs::read_to_string(&path).expect("a source file");
        }
    }
}

#[test]
fn every_code_is_listed() {
    let mut source = String::new();
    read_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut source);
    let quoted = codes(&source, "\"T");
    assert!(quoted.len() > 15);
    assert_eq!(quoted, codes(&page(), "| T"));
}
