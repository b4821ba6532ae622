//! The pages of the formats tell the truth: their examples load without a finding, and the table of findings lists the
//! codes of the source.

use std::collections::BTreeSet;
use std::path::Path;

use gchr_formats::Format;

use super::load_clean;

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The blocks of a page that have a name.
fn examples<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let begin = format!("```{name}\n");
    page.split(&begin).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn examples_load() {
    for (file, name, format) in [
        ("language-rec.md", "rec", Format::Rec),
        ("language-ari.md", "ari", Format::Ari),
        ("language-ari.md", "tpdb", Format::Tpdb),
    ] {
        let page = page(file);
        let found = examples(&page, name);
        assert!(!found.is_empty(), "{file} has no example of {name}");
        found.iter().for_each(|text| {
            load_clean(text, format);
        });
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
    assert_eq!(quoted, codes(&page("formats.md"), "| T"));
}
