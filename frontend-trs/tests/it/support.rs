//! What tests of programs that are given as text share.

use gchr_base::diagnostic::render_all;
use gchr_base::rule::Start;
use gchr_base::source::SourceMap;
use gchr_testkit::findings;

/// Loads a program; what is found in it has codes, places and helps.
pub fn load(text: &str) -> (SourceMap, gchr_trs::Loaded) {
    let mut sources = SourceMap::new();
    let id = sources.add("test.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    findings::are_complete(&loaded.diagnostics);
    (sources, loaded)
}

/// The normal forms of terms.
#[track_caller]
pub fn check_normal_forms(text: &str, cases: &[(&str, &str)]) {
    let (mut sources, loaded) = load(text);
    let shown = render_all(&loaded.diagnostics, &sources, false);
    let (Some(mut program), Some(reader)) = (loaded.program, loaded.reader) else {
        panic!("{shown}\n{text}")
    };
    for (term, expected) in cases {
        let id = sources.add("--input", *term);
        program.start = Start::Term(Some(reader.read(&sources, id).expect("a term")));
        assert_eq!(&gchr_terms::testing::normal_form(&program), expected, "{term}\n{text}");
    }
}
