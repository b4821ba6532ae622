//! Text form of diagnostics (through ariadne): source line, caret, cause and way out.

use std::ops::Range;

use super::excerpt::Excerpt;
use super::shown::Shown;
use super::{Diagnostic, Severity};
use crate::escape;
use crate::hash::HashMap;
use crate::source::{SourceId, SourceMap, Span, Start};
use ariadne::{Cache, Config, IndexType, Label, Report, ReportKind};

/// Texts as they are shown, each prepared once for all diagnostics about it.
struct Texts<'a> {
    map: &'a SourceMap,
    prepared: HashMap<SourceId, Prepared>,
}

/// A text as it is shown.
struct Prepared {
    /// `None` if it is shown as it is.
    shown: Option<Shown>,
    lines: ariadne::Source<String>,
}

impl Prepared {
    fn new(text: &str) -> Self {
        let shown = Shown::new(text);
        let lines = ariadne::Source::from(shown.as_ref().map_or(text, |shown| &shown.text).to_string());
        Self { shown, lines }
    }
    fn map(&self, place: usize) -> usize {
        self.shown.as_ref().map_or(place, |shown| shown.map(place))
    }
}

/// Labels of one text that are more lines apart are shown in parts: else every line between them is looked at.
const FAR: usize = 1000;

/// A text, and which of its parts that are shown.
type Part = (SourceId, usize);

/// What is shown for one diagnostic: texts, and excerpts of those whose lines are very long.
struct View<'t, 'a> {
    texts: &'t Texts<'a>,
    excerpts: HashMap<SourceId, (Excerpt, Prepared)>,
}

impl<'a> Texts<'a> {
    fn new(map: &'a SourceMap) -> Self {
        Self { map, prepared: HashMap::default() }
    }

    fn view(&mut self, diagnostic: &Diagnostic) -> View<'_, 'a> {
        let mut excerpts = HashMap::default();
        for source in diagnostic.labels.iter().map(|label| label.span.source) {
            let spans = diagnostic.labels.iter().map(|l| l.span).filter(|span| span.source == source);
            let places = spans.map(|span| range(self.map, span)).flat_map(|range| [range.start, range.end]);
            let text = &self.map.get(source).text;
            match Excerpt::new(text, places) {
                Some(excerpt) => {
                    let prepared = Prepared::new(&excerpt.text);
                    excerpts.insert(source, (excerpt, prepared));
                }
                None => drop(self.prepared.entry(source).or_insert_with(|| Prepared::new(text))),
            }
        }
        View { texts: self, excerpts }
    }
}

impl View<'_, '_> {
    /// A span in the text that is shown.
    fn place(&self, span: Span) -> (SourceId, Range<usize>) {
        let Range { start, end } = range(self.texts.map, span);
        let map = |place: usize| match self.excerpts.get(&span.source) {
            Some((excerpt, prepared)) => prepared.map(excerpt.map(place)),
            None => self.texts.prepared.get(&span.source).map_or(place, |prepared| prepared.map(place)),
        };
        (span.source, map(start)..map(end))
    }

    fn lines(&self, source: SourceId) -> Option<&ariadne::Source<String>> {
        let excerpt = self.excerpts.get(&source).map(|(_, prepared)| prepared);
        excerpt.or_else(|| self.texts.prepared.get(&source)).map(|prepared| &prepared.lines)
    }

    fn name(&self, source: SourceId) -> String {
        escape::line(&self.texts.map.get(source).name).into_owned()
    }

    /// Corrects the first place that is named: it is that of the whole text, whatever is shown of it.
    fn whole_place(&self, span: Span, shown: String) -> String {
        let is_same = !self.excerpts.contains_key(&span.source)
            && self.texts.prepared.get(&span.source).is_none_or(|prepared| prepared.shown.is_none())
            && self.texts.map.get(span.source).start == Start::default();
        let Some(lines) = self.lines(span.source).filter(|_| !is_same) else { return shown };
        let (_, place) = self.place(span);
        let text = lines.text();
        let Some((_, line, offset)) = lines.get_byte_line(place.start) else { return shown };
        let (line, column) = (line + 1, text[place.start - offset..place.start].chars().count() + 1);
        let (whole_line, whole_column) = self.texts.map.line_column(span);
        if (line, column) == (whole_line, whole_column) {
            return shown;
        }
        let name = self.name(span.source);
        let shown = shown.replacen(
            &format!(" {name}:{line}:{column} "),
            &format!(" {name}:{whole_line}:{whole_column} "),
            1,
        );
        if line == whole_line { shown } else { renumber(&shown, whole_line - line) }
    }
}

/// Adds to the numbers of lines in the margin of a diagnostic about one text.
fn renumber(shown: &str, more: usize) -> String {
    // A colour may come before the number.
    let number = |line: &str| -> Option<(usize, usize, usize)> {
        let (margin, _) = line.split_once('│')?;
        let digits = margin.trim_end_matches(' ');
        let start = digits.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
        let is_number = digits[..start].ends_with([' ', 'm']) && digits.len() > start;
        Some((start, digits.len(), digits[start..].parse().ok()?)).filter(|_| is_number)
    };
    let mut widest = 0;
    for (start, end, n) in shown.lines().skip(1).filter_map(number) {
        widest = widest.max((n + more).to_string().len() - (end - start));
    }
    let mut out = String::new();
    for (i, line) in shown.lines().enumerate() {
        match number(line).filter(|_| i > 0) {
            Some((start, end, n)) => {
                let wide = (n + more).to_string();
                let pad = widest - (wide.len() - (end - start));
                out += &format!("{}{}{wide}{}", " ".repeat(pad), &line[..start], &line[end..]);
            }
            None if i > 0 && !line.is_empty() => out += &format!("{}{line}", " ".repeat(widest)),
            None => out += line,
        }
        out.push('\n');
    }
    out
}

/// The bytes of a span, as far as its text has them.
fn range(map: &SourceMap, span: Span) -> Range<usize> {
    let text = &map.get(span.source).text;
    let start = text.floor_char_boundary(span.range().start.min(text.len()));
    start..text.ceil_char_boundary(span.range().end.clamp(start, text.len()))
}

impl Cache<Part> for &View<'_, '_> {
    type Storage = String;
    fn fetch(&mut self, id: &Part) -> Result<&ariadne::Source<String>, impl std::fmt::Debug> {
        self.lines(id.0).ok_or("a text without labels")
    }
    fn display<'b>(&self, id: &'b Part) -> Option<impl std::fmt::Display + 'b> {
        Some(self.name(id.0))
    }
}

/// Renders one diagnostic as it is shown on a terminal; `color` adds ANSI colours. Whatever the texts hold, nothing
/// else in it is obeyed by a terminal.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    render_with(diagnostic, &mut Texts::new(sources), color)
}

/// Renders all diagnostics one after the other.
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    let mut texts = Texts::new(sources);
    diagnostics.iter().map(|d| render_with(d, &mut texts, color)).collect()
}

fn render_with(diagnostic: &Diagnostic, texts: &mut Texts<'_>, color: bool) -> String {
    let Some(primary) = diagnostic.labels.first() else {
        return render_plain(diagnostic);
    };
    let view = texts.view(diagnostic);
    let kind = match diagnostic.severity {
        Severity::Error => ReportKind::Error,
        Severity::Warning => ReportKind::Warning,
    };
    let config = Config::default().with_index_type(IndexType::Byte).with_color(color);
    // Labels in textual order share one excerpt; in another order each one gets its own.
    let mut labels: Vec<_> = diagnostic.labels.iter().collect();
    labels.sort_by_key(|label| (label.span.source != primary.span.source, label.span));
    let parts = parts(view.texts.map, &labels);
    let place = |span: Span, part: usize| {
        let (source, range) = view.place(span);
        ((source, part), range)
    };
    let own = labels.iter().position(|label| label.span == primary.span).map_or(0, |at| parts[at]);
    let mut report = Report::build(kind, place(primary.span, own))
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(escape::lines(&diagnostic.message));
    for (label, part) in labels.into_iter().zip(parts) {
        let place = place(label.span, part);
        report = report.with_label(Label::new(place).with_message(escape::lines(&label.text)));
    }
    for note in &diagnostic.notes {
        report = report.with_note(escape::lines(note));
    }
    if let Some(help) = &diagnostic.help {
        report = report.with_help(escape::lines(help));
    }
    let mut out = Vec::new();
    match report.finish().write(&view, &mut out) {
        Ok(()) => {
            let shown =
                String::from_utf8_lossy(&out).lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
                    + "\n";
            view.whole_place(primary.span, shown)
        }
        Err(_) => render_plain(diagnostic),
    }
}

/// By label, in order: the part of its text that it is shown in.
fn parts(map: &SourceMap, labels: &[&super::Label]) -> Vec<usize> {
    let mut part = 0;
    let mut before: Option<Span> = None;
    let next = |label: &&super::Label| {
        let is_far = before.is_some_and(|before| {
            let line = |span: Span| map.line_column(span).0;
            before.source == label.span.source && line(label.span).abs_diff(line(before)) > FAR
        });
        part += usize::from(is_far);
        before = Some(label.span);
        part
    };
    labels.iter().map(next).collect()
}

fn render_plain(d: &Diagnostic) -> String {
    let kind = match d.severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
    };
    let mut out = format!("[{}] {kind}: {}\n", d.code, escape::lines(&d.message));
    for note in &d.notes {
        out += &format!("  Note: {}\n", escape::lines(note));
    }
    if let Some(help) = &d.help {
        out += &format!("  Help: {}\n", escape::lines(help));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::is_hidden;

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
    #[test]
    fn places_are_those_of_the_file() {
        for (lines, columns) in [(0, 0), (1, 3), (98, 0), (70_000, 1000)] {
            let mut sources = SourceMap::new();
            let source = sources.add_part("e.csv", Start { lines, columns }, "1,two,3");
            let diagnostic =
                Diagnostic::error("C0605", "no integer").label(Span::new(source, 2, 5), "this field");
            for color in [false, true] {
                let shown = render(&diagnostic, &sources, color);
                assert!(shown.contains(&format!(" e.csv:{}:{} ", lines + 1, columns + 3)), "{shown}");
                let bars: Vec<_> = shown.lines().filter_map(|line| line.find('│')).collect();
                assert!(color || bars.len() > 2 && bars.iter().all(|&at| at == bars[0]), "{shown}");
                assert!(
                    shown.contains(&format!("{}{} │", if color { "m" } else { " " }, lines + 1)),
                    "{shown}"
                );
            }
        }
    }

    #[test]
    fn nothing_in_a_text_is_obeyed_by_a_terminal() {
        let evil: String =
            ('\0'..='\u{ff}').chain('\u{2000}'..='\u{2070}').filter(|&c| is_hidden(c)).collect();
        let is_obeyed = |c| is_hidden(c) && !matches!(c, '\n' | '\t');
        let mut sources = SourceMap::new();
        let source = sources.add(format!("a{evil}.chr"), format!("first\na{evil}b\u{202e} here\nc\u{1b}d\n"));
        let at = sources.get(source).text.find("here").expect("a place");
        let label = format!("label{evil}");
        let mut diagnostic = Diagnostic::error("C0101", format!("message{evil}"))
            .label(Span::new(source, at, at + 4), label)
            .label(Span::new(source, 0, at + 10), "all")
            .note(format!("note{evil}"))
            .help(format!("help{evil}"));
        for labels in [2, 1, 0] {
            diagnostic.labels.truncate(labels);
            let shown = render(&diagnostic, &sources, false);
            assert!(!shown.contains(is_obeyed), "{shown:?}");
            assert!(shown.contains(r"note\u{0}") && shown.contains(r"\u{202e}"), "{shown}");
            assert!(labels == 0 || shown.contains(r"b\u{202e} here"), "{shown}");
            // With colours the only sequences are those of colours.
            let coloured = render(&diagnostic, &sources, true);
            let obeyed = coloured.split('\u{1b}').skip(1).all(|rest| {
                rest.starts_with('[')
                    && rest[1..].trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m')
            });
            assert!(obeyed && !coloured.contains(|c| is_obeyed(c) && c != '\u{1b}'), "{coloured:?}");
        }
    }
}
