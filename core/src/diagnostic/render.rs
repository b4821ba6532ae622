//! Text form of diagnostics (through ariadne): source line, caret, cause and way out.

use super::{Diagnostic, Severity};
use crate::source::{SourceId, SourceMap, Span};
use ariadne::{Cache, Config, IndexType, Label, Report, ReportKind};

struct Sources<'a> {
    map: &'a SourceMap,
    parsed: crate::hash::HashMap<SourceId, ariadne::Source<&'a str>>,
}

impl<'a> Cache<SourceId> for Sources<'a> {
    type Storage = &'a str;
    fn fetch(&mut self, id: &SourceId) -> Result<&ariadne::Source<&'a str>, impl std::fmt::Debug> {
        let map = self.map;
        Ok::<_, std::convert::Infallible>(
            self.parsed.entry(*id).or_insert_with(|| ariadne::Source::from(map.get(*id).text.as_str())),
        )
    }
    fn display<'b>(&self, id: &'b SourceId) -> Option<impl std::fmt::Display + 'b> {
        Some(self.map.get(*id).name.clone())
    }
}

/// Renders one diagnostic as it is shown on a terminal; `color` adds ANSI colours.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let Some(primary) = diagnostic.labels.first() else {
        return render_plain(diagnostic);
    };
    let place = |span: Span| {
        let len = sources.get(span.source).text.len();
        let start = span.range().start.min(len);
        (span.source, start..span.range().end.clamp(start, len))
    };
    let kind = match diagnostic.severity {
        Severity::Error => ReportKind::Error,
        Severity::Warning => ReportKind::Warning,
    };
    let config = Config::default().with_index_type(IndexType::Byte).with_color(color);
    let mut report = Report::build(kind, place(primary.span))
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message);
    // Labels in textual order share one excerpt; in another order each one gets its own.
    let mut labels: Vec<_> = diagnostic.labels.iter().collect();
    labels.sort_by_key(|label| (label.span.source != primary.span.source, label.span));
    for label in labels {
        report = report.with_label(Label::new(place(label.span)).with_message(&label.text));
    }
    for note in &diagnostic.notes {
        report = report.with_note(note);
    }
    if let Some(help) = &diagnostic.help {
        report = report.with_help(help);
    }
    let mut out = Vec::new();
    let cache = Sources { map: sources, parsed: crate::hash::HashMap::default() };
    match report.finish().write(cache, &mut out) {
        Ok(()) => {
            String::from_utf8_lossy(&out).lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n"
        }
        Err(_) => render_plain(diagnostic),
    }
}

/// Renders all diagnostics one after the other.
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    diagnostics.iter().map(|d| render(d, sources, color)).collect()
}

fn render_plain(d: &Diagnostic) -> String {
    let kind = match d.severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
    };
    let mut out = format!("[{}] {kind}: {}\n", d.code, d.message);
    for note in &d.notes {
        out += &format!("  Note: {note}\n");
    }
    if let Some(help) = &d.help {
        out += &format!("  Help: {help}\n");
    }
    out
}
