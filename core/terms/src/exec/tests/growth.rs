//! Reading a program, and compiling it to a plan and to bytecode, take time in proportion to its text.

use super::*;
use gchr_base::diagnostic::render_all;
use gchr_base::source::SourceMap;
use gchr_testkit::growth::{TERM_PROGRAMS, faster_than_the_text};

fn work(text: &str) -> usize {
    let mut sources = SourceMap::new();
    let id = sources.add("large.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    let program = loaded.program.expect("no errors");
    let shown = render_all(&loaded.diagnostics, &sources, false);
    let plan = compile(&program, &TermOptions::default()).expect("a plan");
    assert!(Prepared::new(&program, &plan, false).is_ok());
    shown.len() + plan.functions.len()
}

#[test]
fn time_is_in_proportion_to_the_text() {
    let slow = faster_than_the_text(TERM_PROGRAMS, work);
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

/// Plans for schedulers with many workers exist, or are refused by name.
#[test]
fn plans_for_many_workers_end() {
    for (name, n, text) in TERM_PROGRAMS {
        for n in [*n, 4 * n] {
            let mut sources = SourceMap::new();
            let id = sources.add("large.trs", text(n));
            let program = gchr_trs::load(&sources, id).program.expect("no errors");
            if let Err(found) = compile(&program, &TermOptions::tasks(true)) {
                assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), ["P0104"], "{name} {n}");
            }
        }
    }
}
