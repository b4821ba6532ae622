//! The documentation lists the directives of the table.

use std::fmt::Write;
use std::path::Path;

use gchr_base::hash::HashSet;

use super::{Directive, Ground, ROWS, Row};

#[test]
fn the_page_lists_all_directives() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/language-chr.md");
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let (begin, end) = ("<!-- directives -->\n", "<!-- end of directives -->\n");
    let (before, rest) = text.split_once(begin).expect("the table begins");
    let (found, after) = rest.split_once(end).expect("the table ends");
    let table = table();
    if found == table {
        return;
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{begin}{table}{end}{after}")).expect("the page is written");
        return;
    }
    panic!("docs/language-chr.md differs from the directives: run this test with UPDATE_DOCS=1\n{table}");
}

fn table() -> String {
    let mut table =
        "| directives | | in logic programs | over ground stores |\n|---|---|---|---|\n".to_string();
    for row in ROWS {
        let names: Vec<String> = row.names.split_ascii_whitespace().map(|name| label(name, row)).collect();
        let logic = match row.directive {
            Directive::Nothing => "no effect",
            Directive::Refused(..) => "refused",
            _ => "read",
        };
        let ground = match (row.ground, row.directive) {
            (Ground::Same, Directive::Initialization) => "not run there",
            (Ground::Same, _) => logic,
            (Ground::Ignored, _) => "no effect: a warning",
            (Ground::Silent, _) => "no effect",
        };
        let _ = writeln!(table, "| {} | {} | {logic} | {ground} |", names.join(" "), row.says);
    }
    table
}

/// `name/1`, `name/1,2`, or `name` for any number of arguments.
fn label(name: &str, row: &Row) -> String {
    match row.arity {
        (_, usize::MAX) => format!("`{name}`"),
        (least, most) if least == most => format!("`{name}/{least}`"),
        (least, most) => format!("`{name}/{least},{most}`"),
    }
}

#[test]
fn no_directive_has_two_rows() {
    let mut seen = HashSet::default();
    for row in ROWS {
        for name in row.names.split_ascii_whitespace() {
            assert!(seen.insert(name), "{name}");
        }
    }
}
