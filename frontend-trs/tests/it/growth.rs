//! Time to read a program with errors and to show them, in proportion to its text.

use gchr_base::diagnostic::render_all;
use gchr_base::source::SourceMap;
use gchr_testkit::growth::ratio;

/// Eight times the text takes at most so many times as long; by the square it would be 64 times.
const MOST: f64 = 24.0;

fn load(text: &str) -> usize {
    let mut sources = SourceMap::new();
    let id = sources.add("large.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    render_all(&loaded.diagnostics, &sources, false).len()
}

#[test]
fn many_errors_take_time_in_proportion() {
    let errors: [fn(usize) -> String; 2] = [
        |n| {
            (0..n).fold("sort N = struct Z; map f: N -> N; eqn ".into(), |text, i| {
                text + &format!("f(Y{i}) = Z;\n")
            })
        },
        |n| {
            (0..n).fold("sort N = struct Z; map f: N -> N; eqn ".into(), |text, i| {
                text + &format!("f(Y{i}) = Z; ")
            })
        },
    ];
    for text in errors {
        let found = ratio([400, 3200], text, |text| load(text));
        assert!(found < MOST, "{}: {found}", text(2));
    }
}
