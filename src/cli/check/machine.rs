//! Findings for programs that read them: JSON, and SARIF (Static Analysis Results Interchange Format, OASIS, 2.1.0).

use std::collections::BTreeSet;

use gchr::base::diagnostic::Label;
use gchr::base::escape;
use gchr::base::source::{SourceMap, Span};
use gchr::{Diagnostic, Severity};
use serde_json::{Value, json};

use super::{Checked, properties};

/// One object: each file with its findings.
pub fn json(all: &[Checked]) -> String {
    let files: Vec<Value> = all
        .iter()
        .map(|checked| {
            let found = findings(checked).map(|(found, sources)| finding(found, sources));
            let mut file = json!({
                "file": checked.file,
                "errors": checked.errors,
                "warnings": checked.warnings,
                "findings": found.collect::<Vec<_>>(),
            });
            if let Some((program, known)) = &checked.properties {
                file["properties"] = properties::json(program, known);
            }
            file
        })
        .collect();
    text(&json!({ "files": files }))
}

/// As it is written: a terminal obeys nothing of it.
fn text(whole: &Value) -> String {
    escape::json_text(&format!("{whole:#}\n"))
}

fn findings(checked: &Checked) -> impl Iterator<Item = (&Diagnostic, &SourceMap)> {
    checked.found.iter().flat_map(|found| found.list().iter().map(|one| (one, found.sources())))
}

fn severity(found: &Diagnostic) -> &'static str {
    match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn finding(found: &Diagnostic, sources: &SourceMap) -> Value {
    let places: Vec<Value> = found.labels.iter().map(|label| place(label, sources)).collect();
    json!({
        "code": found.code,
        "severity": severity(found),
        "message": found.message,
        "places": places,
        "notes": found.notes,
        "help": found.help,
    })
}

/// Line and column, both from 1, of the start of a place and of the character behind it.
fn bounds(span: Span, sources: &SourceMap) -> [usize; 4] {
    let (line, column) = sources.line_column(span);
    let (end_line, end_column) = sources.line_column(span.after());
    [line, column, end_line, end_column]
}

fn place(label: &Label, sources: &SourceMap) -> Value {
    let [line, column, end_line, end_column] = bounds(label.span, sources);
    json!({
        "file": sources.get(label.span.source).name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "text": label.text,
    })
}

/// One SARIF log with one run.
pub fn sarif(all: &[Checked]) -> String {
    let codes: BTreeSet<&str> = all.iter().flat_map(findings).map(|(found, _)| found.code).collect();
    let rules: Vec<Value> = codes.iter().map(|code| json!({ "id": code })).collect();
    let results: Vec<Value> = all
        .iter()
        .flat_map(|checked| findings(checked).map(|(found, sources)| result(found, sources, &checked.file)))
        .collect();
    let driver = json!({
        "name": "gchr",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }],
    });
    text(&log)
}

fn result(found: &Diagnostic, sources: &SourceMap, file: &str) -> Value {
    let mut message = found.message.clone();
    found.notes.iter().for_each(|note| message.push_str(&format!(". Note: {note}")));
    found.help.iter().for_each(|help| message.push_str(&format!(". Help: {help}")));
    let mut places = found.labels.iter().map(|label| location(label, sources));
    // A finding without a place is one of the file.
    let first = places
        .next()
        .unwrap_or_else(|| json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } }));
    json!({
        "ruleId": found.code,
        "level": severity(found),
        "message": { "text": message },
        "locations": [first],
        "relatedLocations": places.collect::<Vec<_>>(),
    })
}

/// The reference of a file: from the folder of the process, as its name is, or from the root.
fn uri(file: &str) -> String {
    let path = escape::uri_path(file);
    if file.starts_with('/') { format!("file://{path}") } else { path }
}

fn location(label: &Label, sources: &SourceMap) -> Value {
    let [line, column, end_line, end_column] = bounds(label.span, sources);
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(&sources.get(label.span.source).name) },
            "region": {
                "startLine": line,
                "startColumn": column,
                "endLine": end_line,
                "endColumn": end_column,
            },
        },
        "message": { "text": label.text },
    })
}
