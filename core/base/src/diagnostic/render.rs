//! Text form of diagnostics (through ariadne): source line, caret, cause and way out.

use std::ops::Range;

use super::excerpt::{Excerpt, line_at};
use super::{Diagnostic, Severity};
use crate::hash::HashMap;
use crate::source::{SourceId, SourceMap, Span};
use ariadne::{Cache, Config, IndexType, Label, Report, ReportKind};

/// The texts that one diagnostic is about.
struct Texts<'a> {
    map: &'a SourceMap,
    /// Of the texts with long lines.
    excerpts: HashMap<SourceId, Excerpt>,
}

struct Sources<'a> {
    texts: &'a Texts<'a>,
    parsed: HashMap<SourceId, ariadne::Source<&'a str>>,
}

impl<'a> Texts<'a> {
    fn new(map: &'a SourceMap, diagnostic: &Diagnostic) -> Self {
        let mut excerpts = HashMap::default();
        for label in &diagnostic.labels {
            let source = label.span.source;
            let spans = diagnostic.labels.iter().map(|l| l.span).filter(|span| span.source == source);
            let places = spans.map(|span| range(map, span)).flat_map(|range| [range.start, range.end]);
            if let Some(excerpt) = Excerpt::new(&map.get(source).text, places) {
                excerpts.insert(source, excerpt);
            }
        }
        Self { map, excerpts }
    }

    /// A span in the text that is shown.
    fn place(&self, span: Span) -> (SourceId, Range<usize>) {
        let range = range(self.map, span);
        match self.excerpts.get(&span.source) {
            Some(excerpt) => (span.source, excerpt.map(range.start)..excerpt.map(range.end)),
            None => (span.source, range),
        }
    }

    /// Corrects the column of the first place that is named: that of the whole line, not of what is shown of it.
    fn whole_column(&self, span: Span, shown: String) -> String {
        let Some(excerpt) = self.excerpts.get(&span.source) else { return shown };
        let source = self.map.get(span.source);
        let column = |text: &str, place: usize| text[line_at(text, place).start..place].chars().count() + 1;
        let start = range(self.map, span).start;
        let line = source.text[..start].matches('\n').count() + 1;
        let at = format!("{}:{line}:", source.name);
        let cut = column(&excerpt.text, excerpt.map(start));
        shown.replacen(&format!("{at}{cut} "), &format!("{at}{} ", column(&source.text, start)), 1)
    }
}

/// The bytes of a span, as far as its text has them.
fn range(map: &SourceMap, span: Span) -> Range<usize> {
    let text = &map.get(span.source).text;
    let start = text.floor_char_boundary(span.range().start.min(text.len()));
    start..text.ceil_char_boundary(span.range().end.clamp(start, text.len()))
}

impl<'a> Cache<SourceId> for Sources<'a> {
    type Storage = &'a str;
    fn fetch(&mut self, id: &SourceId) -> Result<&ariadne::Source<&'a str>, impl std::fmt::Debug> {
        let texts = self.texts;
        let text = texts.excerpts.get(id).map_or(&texts.map.get(*id).text, |excerpt| &excerpt.text);
        Ok::<_, std::convert::Infallible>(
            self.parsed.entry(*id).or_insert_with(|| ariadne::Source::from(text.as_str())),
        )
    }
    fn display<'b>(&self, id: &'b SourceId) -> Option<impl std::fmt::Display + 'b> {
        Some(self.texts.map.get(*id).name.clone())
    }
}

/// Renders one diagnostic as it is shown on a terminal; `color` adds ANSI colours.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let Some(primary) = diagnostic.labels.first() else {
        return render_plain(diagnostic);
    };
    let texts = Texts::new(sources, diagnostic);
    let kind = match diagnostic.severity {
        Severity::Error => ReportKind::Error,
        Severity::Warning => ReportKind::Warning,
    };
    let config = Config::default().with_index_type(IndexType::Byte).with_color(color);
    let mut report = Report::build(kind, texts.place(primary.span))
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message);
    // Labels in textual order share one excerpt; in another order each one gets its own.
    let mut labels: Vec<_> = diagnostic.labels.iter().collect();
    labels.sort_by_key(|label| (label.span.source != primary.span.source, label.span));
    for label in labels {
        report = report.with_label(Label::new(texts.place(label.span)).with_message(&label.text));
    }
    for note in &diagnostic.notes {
        report = report.with_note(note);
    }
    if let Some(help) = &diagnostic.help {
        report = report.with_help(help);
    }
    let mut out = Vec::new();
    let cache = Sources { texts: &texts, parsed: HashMap::default() };
    match report.finish().write(cache, &mut out) {
        Ok(()) => {
            let shown =
                String::from_utf8_lossy(&out).lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
                    + "\n";
            texts.whole_column(primary.span, shown)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_very_long_line_is_cut_around_the_labels() {
        let mut sources = SourceMap::new();
        let text = format!("sort N;\ninput {}ö{};\n", "(".repeat(1_000_000), ")".repeat(1_000_000));
        let source = sources.add("long.trs", text);
        let diagnostic = Diagnostic::error("T0001", "unexpected `ö`")
            .label(Span::new(source, 1_000_014, 1_000_016), "no token starts like this")
            .label(Span::new(source, 8, 13), "in this input");
        let shown = render(&diagnostic, &sources, false);
        assert!(shown.len() < 4000, "{} bytes", shown.len());
        assert!(shown.contains("[ long.trs:2:1000007 ]"), "{shown}");
        assert!(shown.contains("(ö)") && shown.contains("in this input"), "{shown}");
    }
}
