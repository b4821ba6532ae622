//! Any text is loaded in each of the formats of others without a panic; a program passes the verifier, and prints as a
//! text that is read as the same program.

#![no_main]

use gchr_base::reading::Account;
use gchr_base::rule::{Start, verify};
use gchr_base::source::SourceMap;
use gchr_formats::{Files, Format, InputReader, load};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    specification(text);
    modules(text);
    let account = Account::default();
    for format in [Format::Rec, Format::Ari, Format::Tpdb, Format::Xtc] {
        let mut sources = SourceMap::new();
        let id = sources.add("fuzz", text);
        let files = Files::beside(None, &account);
        let loaded = load(&mut sources, id, format, &files);
        let Some(mut program) = loaded.program else { continue };
        assert_eq!(verify(&program), []);
        let printed = loaded.ast.to_string();
        let again = sources.add("printed", printed.clone());
        let again = load(&mut sources, again, format, &files);
        assert_eq!(again.ast.to_string(), printed);
        assert_eq!(again.program.map(|program| program.to_string()), Some(program.to_string()));
        let term = InputReader::new(&program).read(&sources, id);
        if let Ok(term) = term {
            program.start = Start::Term(Some(term));
            assert_eq!(verify(&program), []);
        }
    }
});

/// The same of modules of Maude.
fn modules(text: &str) {
    let account = Account::default();
    let files = gchr_maude::Files::beside(None, &account);
    let mut sources = SourceMap::new();
    let id = sources.add("fuzz", text);
    let loaded = gchr_maude::load(&mut sources, id, Some(id), &files);
    assert!(loaded.program.is_none_or(|program| verify(&program).is_empty()));
    let loaded = gchr_maude::load(&mut sources, id, None, &files);
    let Some(program) = loaded.program else { return };
    assert_eq!(verify(&program), []);
    let printed = loaded.ast.to_string();
    let again = sources.add("printed", printed.clone());
    let again = gchr_maude::load(&mut sources, again, None, &files);
    assert_eq!(again.ast.to_string(), printed);
    assert_eq!(again.program.map(|program| program.to_string()), Some(program.to_string()));
}

/// The same of an mCRL2 specification.
fn specification(text: &str) {
    let mut sources = SourceMap::new();
    let id = sources.add("fuzz", text);
    let loaded = gchr_mcrl2::load(&sources, id, Some(id));
    assert!(loaded.program.is_none_or(|program| verify(&program).is_empty()));
    let loaded = gchr_mcrl2::load(&sources, id, None);
    let Some(program) = loaded.program else { return };
    assert_eq!(verify(&program), []);
    let printed = loaded.ast.to_string();
    let again = sources.add("printed", printed.clone());
    let again = gchr_mcrl2::load(&sources, again, None);
    assert_eq!(again.ast.to_string(), printed);
    assert_eq!(again.program.map(|program| program.to_string()), Some(program.to_string()));
}
