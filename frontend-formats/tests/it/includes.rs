//! Modules that include others, from files.

use std::path::PathBuf;

use gchr_base::diagnostic::render_all;
use gchr_base::reading::{Account, read_text};
use gchr_base::rule::{Start, verify};
use gchr_base::source::SourceMap;
use gchr_formats::{Files, Format, Loaded, load};

fn load_file(name: &str) -> (SourceMap, Loaded) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/modules").join(name);
    let (mut sources, account) = (SourceMap::new(), Account::default());
    let text = read_text(&path, &mut sources, "", &account).expect("a test file");
    let id = sources.add(name, text);
    let loaded = load(&mut sources, id, Format::Rec, &Files::beside(Some(&path), &account));
    (sources, loaded)
}

#[test]
fn a_module_is_read_once_and_variables_are_its_own() {
    let (sources, loaded) = load_file("main.rec");
    assert_eq!(loaded.diagnostics, [], "\n{}", render_all(&loaded.diagnostics, &sources, false));
    let program = loaded.program.expect("a program");
    assert_eq!(verify(&program), []);
    // `X` is a bit in one module and a pair in the other, and `c`, a constant of one, is a variable of the other.
    assert_eq!(program.rules.len(), 3);
    assert!(
        matches!(&program.start, Start::Term(Some(term)) if term.nodes.len() == 4),
        "{:?}",
        program.start
    );
    let files: Vec<&str> = sources.iter().map(|(_, source)| source.name.as_str()).collect();
    assert_eq!(files.iter().filter(|name| name.ends_with("bits.rec")).count(), 1, "{files:?}");
}

#[test]
fn the_printed_module_has_no_includes_and_means_the_same() {
    let (_, loaded) = load_file("main.rec");
    let printed = loaded.ast.to_string();
    let (_, again) = super::load_clean(&printed, Format::Rec);
    assert_eq!(again.ast.to_string(), printed);
    let rules = |loaded: Loaded| loaded.program.expect("a program").rules.len();
    assert_eq!(rules(again), rules(loaded));
}

#[test]
fn modules_that_include_each_other_end() {
    let (_, loaded) = load_file("left.rec");
    assert_eq!(loaded.diagnostics, []);
    assert!(loaded.program.is_some());
}
