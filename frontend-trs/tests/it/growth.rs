//! Time to read a program with errors and to show them, in proportion to its text.

use gchr_base::diagnostic::{has_errors, render_all};
use gchr_base::source::SourceMap;
use gchr_testkit::growth::{TERM_ERRORS, faster_than_the_text};

#[test]
fn many_errors_take_time_in_proportion() {
    let work = |text: &str| {
        let mut sources = SourceMap::new();
        let id = sources.add("large.trs", text);
        let loaded = gchr_trs::load(&sources, id);
        assert!(has_errors(&loaded.diagnostics), "{}", &text[..text.len().min(200)]);
        render_all(&loaded.diagnostics, &sources, false).len()
    };
    let slow = faster_than_the_text(TERM_ERRORS, work);
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}
