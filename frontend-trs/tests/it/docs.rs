//! The language's page tells the truth: its examples load without a finding, and its tables list the codes of the
//! source.

use std::collections::BTreeSet;
use std::path::Path;

use gchr_base::diagnostic::render_all;
use gchr_base::source::SourceMap;
use gchr_testkit::pages;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    pages::read("docs/language-trs.md")
}

#[test]
fn examples_load() {
    let mut examples = pages::fences(&page());
    examples.retain(|fence| fence.info == "trs");
    assert_eq!(examples.len(), 3);
    for example in examples {
        let mut sources = SourceMap::new();
        let id = sources.add("docs/language-trs.md", example.text);
        let loaded = gchr_trs::load(&sources, id);
        let shown = render_all(&loaded.diagnostics, &sources, false);
        assert_eq!(shown, "");
    }
}

#[test]
fn every_code_is_listed() {
    let mut source = String::new();
    read_all(&root().join("src"), &mut source);
    let quoted = codes(&source, "\"T");
    assert!(quoted.len() > 30);
    assert_eq!(quoted, codes(page().split("## Checks").nth(1).expect("a section"), "T"));
}

fn read_all(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_all(&path, text);
        } else {
            *text += &std::fs::read_to_string(path).expect("a text");
        }
    }
}

/// Numbers of four digits behind `prefix`.
fn codes(text: &str, prefix: &str) -> BTreeSet<String> {
    let is_code = |code: &&str| code.bytes().all(|b| b.is_ascii_digit());
    text.split(prefix).skip(1).filter_map(|rest| rest.get(..4)).filter(is_code).map(String::from).collect()
}
