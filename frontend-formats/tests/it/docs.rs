//! The pages of the formats tell the truth: their examples load without a finding, and the table of findings lists the
//! codes of the source.

use gchr_formats::Format;
use gchr_testkit::pages;

use super::load_clean;

#[test]
fn examples_load() {
    for (file, name, format) in [
        ("language-rec.md", "rec", Format::Rec),
        ("language-ari.md", "ari", Format::Ari),
        ("language-ari.md", "tpdb", Format::Tpdb),
        ("language-ari.md", "xml", Format::Xtc),
    ] {
        let mut found = pages::fences(&pages::read(&format!("docs/{file}")));
        found.retain(|fence| fence.info == name);
        assert!(!found.is_empty(), "{file} has no example of {name}");
        found.iter().for_each(|fence| {
            load_clean(&fence.text, format);
        });
    }
}

#[test]
fn every_code_is_listed() {
    let quoted = pages::codes(&pages::sources(env!("CARGO_MANIFEST_DIR")), "\"T");
    assert!(quoted.len() > 15);
    assert_eq!(quoted, pages::codes(&pages::read("docs/formats.md"), "| T"));
}
