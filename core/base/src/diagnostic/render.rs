//! Text form of diagnostics (through ariadne): source line, caret, cause and way out.

use std::ops::Range;

use super::excerpt::Excerpt;
use super::numbers;
use super::shown::Shown;
use super::{Diagnostic, Severity};
use crate::escape;
use crate::hash::HashMap;
use crate::source::{SourceId, SourceMap, Span};
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

/// A text, and which of the parts of a diagnostic: labels that are shown together.
type Part = (SourceId, usize);

/// What stands around the number of a part in the line that names its place. No text that is shown has it.
const MARK: char = '\u{1}';

/// What is shown for one diagnostic: texts, and excerpts in place of those whose lines are very long.
struct View<'t, 'a> {
    texts: &'t Texts<'a>,
    excerpts: HashMap<Part, (Excerpt, Prepared)>,
    /// By part, the place that it is named by.
    named: Vec<Span>,
}

impl<'a> Texts<'a> {
    fn new(map: &'a SourceMap) -> Self {
        Self { map, prepared: HashMap::default() }
    }

    /// Prepares what is shown of `labels`, each with its part, in order; the primary one is what names its part.
    fn view(&mut self, labels: &[(&super::Label, usize)], primary: Span) -> View<'_, 'a> {
        let (mut excerpts, mut named) = (HashMap::default(), Vec::new());
        for labels in labels.chunk_by(|(_, a), (_, b)| a == b) {
            let (first, part) = (labels[0].0.span, labels[0].1);
            let places = labels.iter().map(|(label, _)| range(self.map, label.span));
            let source = self.map.get(first.source);
            match Excerpt::new(source, places.flat_map(|range| [range.start, range.end])) {
                Some(excerpt) => {
                    let prepared = Prepared::new(&excerpt.text);
                    excerpts.insert((first.source, part), (excerpt, prepared));
                }
                None => {
                    let prepared = || Prepared::new(&source.text);
                    self.prepared.entry(first.source).or_insert_with(prepared);
                }
            }
            let has_primary = labels.iter().any(|(label, _)| label.span == primary);
            named.push(if has_primary { primary } else { first });
        }
        View { texts: self, excerpts, named }
    }
}

impl View<'_, '_> {
    /// A span in what is shown of a part.
    fn place(&self, span: Span, part: usize) -> (Part, Range<usize>) {
        let Range { start, end } = range(self.texts.map, span);
        let part = (span.source, part);
        let map = |place: usize| match self.excerpts.get(&part) {
            Some((excerpt, prepared)) => prepared.map(excerpt.map(place)),
            None => self.texts.prepared.get(&span.source).map_or(place, |prepared| prepared.map(place)),
        };
        (part, map(start)..map(end))
    }

    fn lines(&self, part: Part) -> Option<&ariadne::Source<String>> {
        let excerpt = self.excerpts.get(&part).map(|(_, prepared)| prepared);
        excerpt.or_else(|| self.texts.prepared.get(&part.0)).map(|prepared| &prepared.lines)
    }

    /// Lines of the file before what is shown of a part.
    fn lines_before(&self, part: Part) -> usize {
        let excerpt = self.excerpts.get(&part).map_or(0, |(excerpt, _)| excerpt.lines_before);
        excerpt + self.texts.map.get(part.0).start.lines
    }

    /// What names the place of a part, `-[ NAME MARK part MARK :1:1 ]`: what stands before the place, the place, the
    /// part, and what stands behind the place.
    fn named_in<'l>(&self, line: &'l str) -> Option<(&'l str, Span, usize, &'l str)> {
        let (name, rest) = line.split_once(MARK)?;
        let (part, rest) = rest.split_once(MARK)?;
        let part = part.parse().ok()?;
        Some((name, *self.named.get(part)?, part, &rest[rest.find(' ').unwrap_or(rest.len())..]))
    }

    /// Names the place of each part in its whole file, and numbers lines as the file does.
    fn with_whole_places(&self, shown: &str) -> String {
        let mut before = 0;
        let lines = shown.lines().map(|line| {
            let Some((name, span, part, end)) = self.named_in(line) else {
                return (line.trim_end().to_string(), before);
            };
            before = self.lines_before((span.source, part));
            let (line, column) = self.texts.map.line_column(span);
            (format!("{name}:{line}:{column}{end}"), before)
        });
        numbers::renumber(&lines.collect::<Vec<_>>())
    }
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
        self.lines(*id).ok_or("a text without labels")
    }
    fn display<'b>(&self, id: &'b Part) -> Option<impl std::fmt::Display + 'b> {
        Some(format!("{}{MARK}{}{MARK}", escape::line(&self.texts.map.get(id.0).name), id.1))
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
    let kind = match diagnostic.severity {
        Severity::Error => ReportKind::Error,
        Severity::Warning => ReportKind::Warning,
    };
    let config = Config::default().with_index_type(IndexType::Byte).with_color(color);
    // Labels in textual order share one excerpt; in another order each one gets its own.
    let mut labels: Vec<_> = diagnostic.labels.iter().collect();
    labels.sort_by_key(|label| (label.span.source != primary.span.source, label.span));
    let labels = in_parts(texts.map, labels);
    let view = texts.view(&labels, primary.span);
    let own = labels.iter().find(|(label, _)| label.span == primary.span).map_or(0, |&(_, part)| part);
    let mut report = Report::build(kind, view.place(primary.span, own))
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(escape::lines(&diagnostic.message));
    for (label, part) in labels {
        let place = view.place(label.span, part);
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
        Ok(()) => view.with_whole_places(&String::from_utf8_lossy(&out)),
        Err(_) => render_plain(diagnostic),
    }
}

/// Labels in order, each with the part that it is shown in: lines far apart, or a line before the last one, begin
/// another part.
fn in_parts<'d>(map: &SourceMap, labels: Vec<&'d super::Label>) -> Vec<(&'d super::Label, usize)> {
    let lines = |span: Span| {
        let (source, range) = (map.get(span.source), range(map, span));
        (source.line_of(range.start), source.line_of(range.end.max(range.start + 1) - 1))
    };
    let (mut part, mut before) = (0, None::<Span>);
    let with_part = |label: &'d super::Label| {
        let is_other = before.is_some_and(|before| {
            let (first, last) = lines(before);
            let (own_first, own_last) = lines(label.span);
            before.source != label.span.source || own_first - first > FAR || own_last < last
        });
        part += usize::from(is_other);
        before = Some(label.span);
        (label, part)
    };
    labels.into_iter().map(with_part).collect()
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
    use crate::source::Start;

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
    fn places_in_several_parts_are_those_of_their_files() {
        let mut sources = SourceMap::new();
        let long =
            |name: &str| format!("{}{}{name}{}\n", "x\n".repeat(4999), "y".repeat(900), "z".repeat(900));
        let first = sources.add("first.trs", long("HERE") + &"short\n".repeat(3000) + &long("THERE"));
        let second = sources.add_part("second.trs", Start { lines: 99, columns: 0 }, long("ELSEWHERE"));
        let span = |source: SourceId, word: &str| {
            let at = sources.get(source).text.find(word).expect("a word");
            Span::new(source, at, at + word.len())
        };
        let diagnostic = Diagnostic::error("T0001", "three places")
            .label(span(first, "THERE"), "label 1")
            .label(span(first, "HERE"), "label 2")
            .label(span(second, "ELSEWHERE"), "label 3")
            .label(span(first, "short"), "label 4");
        for color in [false, true] {
            let shown = render(&diagnostic, &sources, color);
            for (place, line) in [
                ("first.trs:5000:901", 5000),
                ("first.trs:13000:901", 13_000),
                ("second.trs:5099:901", 5099),
                ("first.trs:5000:901", 5001),
            ] {
                assert!(shown.contains(&format!(" {place} ")), "{place}\n{shown}");
                assert!(shown.contains(&format!("{line} │")), "{line}\n{shown}");
            }
            let bars: Vec<_> = shown.lines().filter_map(|line| line.find('│')).collect();
            assert!(color || bars.iter().all(|&at| at == bars[0]), "{shown}");
        }
    }

    /// As many findings as there is text take time proportional to it, whatever its lines are like.
    #[test]
    fn findings_on_long_lines_grow_with_them() {
        let time = |words: usize, separator: &str, before: &str| {
            let mut sources = SourceMap::new();
            let start = before.repeat(words);
            let source =
                sources.add("long.trs", format!("{start}{}", format!("nope{separator}").repeat(words)));
            let each = 4 + separator.len();
            let diagnostics: Vec<_> = (0..words)
                .map(|i| start.len() + i * each)
                .map(|at| Diagnostic::error("T0102", "unknown").label(Span::new(source, at, at + 4), "here"))
                .collect();
            let once = || {
                let started = std::time::Instant::now();
                assert!(render_all(&diagnostics, &sources, false).len() > 100 * words);
                started.elapsed()
            };
            once().min(once())
        };
        for (separator, before) in [(" ", ""), ("\n", ""), (" ", "x\n"), (" ", "é\u{1b}\n")] {
            let (few, many) = (time(1000, separator, before), time(8000, separator, before));
            assert!(many < 24 * few, "{few:?}, {many:?} for {separator:?} behind {before:?}");
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
