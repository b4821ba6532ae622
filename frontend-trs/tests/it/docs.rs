//! The language's page tells the truth: its examples load without a finding, and its tables list the codes of the
//! source.

use gchr_base::diagnostic::render_all;
use gchr_base::source::SourceMap;
use gchr_testkit::pages;

fn page() -> String {
    pages::read("docs/language-trs.md")
}

#[test]
fn examples_load() {
    let mut examples = pages::fences(&page());
    examples.retain(|fence| fence.info == "trs");
    assert_eq!(examples.len(), 9);
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
    let quoted = pages::codes(&pages::sources(env!("CARGO_MANIFEST_DIR")), "\"T");
    assert!(quoted.len() > 30);
    assert_eq!(quoted, pages::codes(page().split("## Checks").nth(1).expect("a section"), "T"));
}
