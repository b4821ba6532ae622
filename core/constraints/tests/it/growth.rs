//! Reading, checking and planning take time in proportion to the text, of whatever kind it is.

use gchr_base::rule::Program;
use gchr_base::source::SourceMap;
use gchr_chr::{Request, load};
use gchr_constraints::plan::{self, RoundsOptions};
use gchr_testkit::growth::{CONSTRAINT_ERRORS, CONSTRAINT_PROGRAMS, faster_than_the_text};

use crate::support::{How, execute};

/// Loads and plans a text, and runs it.
fn work(text: &str) {
    let mut sources = SourceMap::new();
    let id = sources.add("test.chr", text);
    let loaded = load(&mut sources, &Request { program: id, queries: Vec::new(), facts: Vec::new() });
    let Some(program): Option<Program> = loaded.program else { return };
    let planned = plan::compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
    plan::differences(&program, &planned);
    execute(&program, How::Refined, Default::default()).expect("it runs");
}

#[test]
fn time_is_in_proportion_to_the_text() {
    for texts in [CONSTRAINT_PROGRAMS, CONSTRAINT_ERRORS] {
        let slow = faster_than_the_text(texts, work);
        assert!(slow.is_empty(), "{}", slow.join("\n"));
    }
}
