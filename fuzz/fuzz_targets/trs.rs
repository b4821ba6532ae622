//! Any text is loaded without a panic; a program passes the verifier; a text without syntax errors prints as one
//! without.

#![no_main]

use gchr_base::rule::{Start, verify};
use gchr_base::source::SourceMap;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let id = sources.add("fuzz.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    if let Some(mut program) = loaded.program {
        assert_eq!(verify(&program), []);
        let reader = loaded.reader.expect("a program has a reader");
        if let Ok(term) = reader.read(&sources, id) {
            program.start = Start::Term(Some(term));
            assert_eq!(verify(&program), []);
        }
    }
    if gchr_trs::parse(&sources, id).diagnostics.is_empty() {
        let printed = loaded.ast.to_string();
        let id = sources.add("printed.trs", printed.clone());
        let again = gchr_trs::parse(&sources, id);
        assert_eq!(again.diagnostics, []);
        assert_eq!(again.ast.to_string(), printed);
    }
});
