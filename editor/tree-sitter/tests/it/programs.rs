//! Every program is parsed without errors, and something in it is highlighted.

use std::path::PathBuf;

use gchr_base::diagnostic::Severity;
use gchr_base::source::SourceMap;
use gchr_testkit::pages::{Fence, fences as fences_of};
use gchr_testkit::programs::files_below;
use tree_sitter::{Query, QueryCursor, StreamingIterator};

use crate::{Kind, error, parse};

/// All programs of the project in the two languages.
pub fn programs() -> Vec<(Kind, PathBuf, String)> {
    let folders = [
        "examples",
        "core/logic/src/library",
        "core/logic/tests/programs",
        "frontend-chr/tests/it/programs",
        "tests/regressions",
    ];
    let all = folders.iter().flat_map(|folder| files_below(folder, &["trs", "chr", "pl"]));
    // `examples/formats` has programs of other languages, one of them with the same ending.
    let ours = all.filter(|(path, _)| !path.parent().is_some_and(|folder| folder.ends_with("formats")));
    ours.map(|(path, text)| {
        let is_trs = path.extension().is_some_and(|ending| ending == "trs");
        (if is_trs { Kind::Trs } else { Kind::Chr }, path, text)
    })
    .collect()
}

/// The blocks of the documentation that are programs of the two languages.
fn fences() -> Vec<(Kind, PathBuf, String)> {
    let mut found = Vec::new();
    for (path, page) in files_below("docs", &["md"]) {
        for Fence { info, text } in fences_of(&page) {
            match info.split_whitespace().next() {
                Some("trs") => found.push((Kind::Trs, path.clone(), text)),
                Some("chr" | "prolog") => found.push((Kind::Chr, path.clone(), text)),
                _ => {}
            }
        }
    }
    found
}

/// Whether the front end reads a text.
pub fn is_read(kind: Kind, text: &str) -> bool {
    let mut sources = SourceMap::new();
    let id = sources.add("text", text);
    let diagnostics = match kind {
        Kind::Trs => gchr_trs::parse(&sources, id).diagnostics,
        Kind::Chr => gchr_chr::parse(&sources, id).diagnostics,
    };
    diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
}

#[test]
fn programs_are_parsed_without_errors() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (kind, path, text) in programs() {
        count += 1;
        wrong.extend(error(&parse(kind, &text), &text).map(|error| format!("{}: {error}", path.display())));
    }
    assert!(count > 170, "{count}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn programs_of_the_documentation_are_parsed_without_errors() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (kind, path, text) in fences() {
        if is_read(kind, &text) {
            count += 1;
            wrong.extend(
                error(&parse(kind, &text), &text).map(|error| format!("{}: {error}", path.display())),
            );
        }
    }
    assert!(count > 10, "{count}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn something_is_highlighted_in_every_program() {
    let queries = [Kind::Trs, Kind::Chr]
        .map(|kind| (kind, Query::new(&kind.language(), kind.highlights()).expect("a query")));
    for (kind, path, text) in programs() {
        let tree = parse(kind, &text);
        let query = &queries.iter().find(|(of, _)| *of == kind).expect("a query").1;
        let mut cursor = QueryCursor::new();
        let captures = cursor.captures(query, tree.root_node(), text.as_bytes()).count();
        assert!(captures > 5, "{}: {captures}", path.display());
    }
}
