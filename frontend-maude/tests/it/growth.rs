//! Time to read modules and terms, in proportion to their text.

use gchr_base::diagnostic::render_all;
use gchr_testkit::growth::{MAUDE_MODULES, faster_than_the_text};

use super::load_text;

#[test]
fn reading_takes_time_in_proportion_to_the_text() {
    let slow = faster_than_the_text(MAUDE_MODULES, |text| {
        let (sources, loaded) = load_text(text, None);
        assert!(loaded.program.is_some(), "{}", render_all(&loaded.diagnostics, &sources, false));
    });
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}
