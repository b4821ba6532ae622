//! Text form of diagnostics (through ariadne): source line, caret, cause and way out.

use std::borrow::Cow;

use super::window::{Window, windows};
use super::{Diagnostic, Severity};
use crate::hash::HashMap;
use crate::source::{SourceId, SourceMap};
use ariadne::{Cache, Config, IndexType, Label, Report, ReportKind};

/// A text as it is taken apart into lines.
type Lines<'a> = ariadne::Source<Cow<'a, str>>;

/// Renders diagnostics about some texts, each of which is taken apart once.
struct Renderer<'a> {
    map: &'a SourceMap,
    color: bool,
    whole: HashMap<SourceId, Lines<'a>>,
}

/// The windows of one diagnostic, each a source of its own.
struct Sources<'r, 'a> {
    windows: &'r [Window<'a>],
    whole: &'r mut HashMap<SourceId, Lines<'a>>,
    cut: HashMap<usize, Lines<'a>>,
}

impl<'a> Cache<usize> for Sources<'_, 'a> {
    type Storage = Cow<'a, str>;
    fn fetch(&mut self, id: &usize) -> Result<&Lines<'a>, impl std::fmt::Debug> {
        let window = &self.windows[*id];
        let whole: &'a str = &window.source.text;
        Ok::<_, std::convert::Infallible>(match &window.cut {
            Some(cut) => self.cut.entry(*id).or_insert_with(|| Lines::from(Cow::Owned(cut.text.clone()))),
            None => self.whole.entry(window.id).or_insert_with(|| Lines::from(Cow::Borrowed(whole))),
        })
    }
    fn display<'b>(&self, id: &'b usize) -> Option<impl std::fmt::Display + 'b> {
        Some(self.windows[*id].source.name.clone())
    }
}

/// Renders one diagnostic as it is shown on a terminal; `color` adds ANSI colours.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    Renderer { map: sources, color, whole: HashMap::default() }.render(diagnostic)
}

/// Renders all diagnostics one after the other.
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    let mut renderer = Renderer { map: sources, color, whole: HashMap::default() };
    diagnostics.iter().map(|d| renderer.render(d)).collect()
}

impl Renderer<'_> {
    fn render(&mut self, diagnostic: &Diagnostic) -> String {
        if diagnostic.labels.is_empty() {
            return render_plain(diagnostic);
        }
        let spans: Vec<_> = diagnostic.labels.iter().map(|label| label.span).collect();
        let (windows, window_of) = windows(self.map, &spans);
        let place = |label: usize| {
            let window = window_of[label];
            (window, windows[window].characters(spans[label]))
        };
        let kind = match diagnostic.severity {
            Severity::Error => ReportKind::Error,
            Severity::Warning => ReportKind::Warning,
        };
        let config = Config::default().with_index_type(IndexType::Char).with_color(self.color);
        let mut report = Report::build(kind, place(0))
            .with_config(config)
            .with_code(diagnostic.code)
            .with_message(&diagnostic.message);
        // Labels in textual order share one excerpt; in another order each one gets its own.
        let mut labels: Vec<_> = (0..spans.len()).collect();
        labels.sort_by_key(|&label| (window_of[label], spans[label]));
        for &label in &labels {
            let text = &diagnostic.labels[label].text;
            report = report.with_label(Label::new(place(label)).with_message(text));
        }
        for note in &diagnostic.notes {
            report = report.with_note(note);
        }
        if let Some(help) = &diagnostic.help {
            report = report.with_help(help);
        }
        let mut out = Vec::new();
        let cache = Sources { windows: &windows, whole: &mut self.whole, cut: HashMap::default() };
        if report.finish().write(cache, &mut out).is_err() {
            return render_plain(diagnostic);
        }
        let mut shown =
            String::from_utf8_lossy(&out).lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n";
        // A window is named by the primary place, or by its first label.
        for (at, window) in windows.iter().enumerate() {
            let first = labels.iter().copied().find(|&label| window_of[label] == at).filter(|_| at > 0);
            shown = window.whole_column(spans[first.unwrap_or(0)], shown);
        }
        shown
    }
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
    use crate::source::Span;

    #[test]
    fn labels_far_apart_are_shown_each_with_its_lines() {
        let mut sources = SourceMap::new();
        let text = format!("sort ö;\n{}input ö(x) ;\n", "% ü\n".repeat(5000));
        let source = sources.add("far.trs", &text);
        let place =
            |of: &str| text.rfind(of).map(|at| Span::new(source, at, at + of.len())).expect("is there");
        let other = sources.add("--input", "ö = ö é");
        let declared = Span::new(source, 5, 7);
        let diagnostic = Diagnostic::error("T0101", "an error")
            .label(place("(x)"), "here")
            .label(declared, "declared here")
            .label(Span::new(other, 8, 10), "in another text");
        let shown = render(&diagnostic, &sources, false);
        assert!(shown.lines().count() < 30, "{shown}");
        let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("no {text} in\n{shown}"));
        assert!(at("[ far.trs:5002:8 ]") < at("[ far.trs:1:6 ]"), "{shown}");
        assert!(at("[ far.trs:1:6 ]") < at("[ --input:1:7 ]"), "{shown}");
        for line in ["5002 │ input ö(x) ;", "1 │ sort ö;", "1 │ ö = ö é"] {
            at(line);
        }
    }

    /// The text is looked at once, however many diagnostics there are.
    #[test]
    fn many_diagnostics_take_time_in_proportion() {
        let time = |n: usize, error: &str, rest: &str| {
            let mut sources = SourceMap::new();
            let part = format!("{error}{}", rest.repeat(200));
            let source = sources.add("many.trs", part.repeat(n));
            let places = (0..n).map(|at| Span::new(source, at * part.len(), at * part.len() + 1));
            let error = |span| {
                let declared = Span::new(source, 0, 1);
                Diagnostic::error("T0001", "an error").label(span, "here").label(declared, "declared here")
            };
            let all: Vec<_> = places.map(error).collect();
            let start = std::time::Instant::now();
            assert!(render_all(&all, &sources, false).len() > 100 * n);
            start.elapsed().as_secs_f64()
        };
        for (error, rest) in [("an error\n", "right\n"), ("an error; ", "right; "), ("an error\n", "right; ")]
        {
            let ratio = || time(400, error, rest) / time(50, error, rest);
            // Eight times the work; by the square it would be 64 times.
            let least = (0..3).map(|_| ratio()).fold(f64::INFINITY, f64::min);
            assert!(least < 24.0, "{error:?} {rest:?}: {least}");
        }
    }

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
