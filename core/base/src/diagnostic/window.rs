//! The lines of source texts that one diagnostic shows: what it costs does not depend on the rest of the texts.

use std::ops::Range;

use super::excerpt::Excerpt;
use crate::source::{Source, SourceId, SourceMap, Span};

/// Labels at most so many lines apart are shown together, with a mark for the lines between them.
const NEAR: usize = 100;

/// Some lines of a text.
pub(super) struct Window<'a> {
    /// The text.
    pub source: &'a Source,
    /// Which one it is.
    pub id: SourceId,
    /// When some of the lines are cut.
    pub cut: Option<Cut>,
}

/// Lines of a text, long ones cut, behind as many empty ones as there are lines before them: so they have their numbers.
pub(super) struct Cut {
    /// What is shown.
    pub text: String,
    /// Empty lines before it.
    empty: usize,
    /// First byte of the lines in the whole text.
    start: usize,
    excerpt: Excerpt,
}

/// The bytes of a span, as far as its text has them.
fn range(source: &Source, span: Span) -> Range<usize> {
    let text = &source.text;
    let start = text.floor_char_boundary(span.range().start.min(text.len()));
    start..text.ceil_char_boundary(span.range().end.clamp(start, text.len()))
}

/// The windows for some spans, and the window of each of them. The first span is in the first window, the others follow in the order
/// of the text.
pub(super) fn windows<'a>(map: &'a SourceMap, spans: &[Span]) -> (Vec<Window<'a>>, Vec<usize>) {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|&at| spans[at]);
    // Lines and members of the windows.
    let mut groups: Vec<(SourceId, Range<usize>, Vec<usize>)> = Vec::new();
    for at in order {
        let id = spans[at].source;
        let source = map.get(id);
        let bytes = range(source, spans[at]);
        let lines =
            source.line_of(bytes.start)..source.line_of(bytes.end.saturating_sub(1).max(bytes.start)) + 1;
        match groups.last_mut() {
            Some((of, shown, members)) if *of == id && lines.start < shown.end + NEAR => {
                shown.end = shown.end.max(lines.end);
                members.push(at);
            }
            _ => groups.push((id, lines, vec![at])),
        }
    }
    let primary = spans.first().map(|span| span.source);
    groups
        .sort_by_key(|(id, lines, members)| (!members.contains(&0), Some(*id) != primary, *id, lines.start));
    let mut window_of = vec![0; spans.len()];
    let mut windows = Vec::new();
    for (id, lines, members) in groups {
        let source = map.get(id);
        members.iter().for_each(|&at| window_of[at] = windows.len());
        let places = members.iter().map(|&at| range(source, spans[at]));
        windows.push(Window::new(source, id, lines, places));
    }
    (windows, window_of)
}

impl<'a> Window<'a> {
    fn new(
        source: &'a Source,
        id: SourceId,
        lines: Range<usize>,
        places: impl Iterator<Item = Range<usize>>,
    ) -> Self {
        let start = source.line(lines.start).start;
        let end = source.line(lines.end - 1).end;
        // The end of the last line belongs to it: a label may stand there.
        let text = &source.text[start..(end + 1).min(source.text.len())];
        let ends = places.flat_map(|range| [range.start - start, range.end.min(start + text.len()) - start]);
        let line_at = |place: usize| {
            let line = source.line(source.line_of(start + place));
            line.start - start..line.end - start
        };
        let cut = Excerpt::new(text, ends, line_at).map(|excerpt| {
            let empty = lines.start;
            Cut { text: "\n".repeat(empty) + &excerpt.text, empty, start, excerpt }
        });
        Self { source, id, cut }
    }

    /// The characters of a span in what is shown.
    pub fn characters(&self, span: Span) -> Range<usize> {
        let bytes = range(self.source, span);
        let character = |place: usize| match &self.cut {
            Some(cut) => cut.character(place),
            None => self.source.characters(place),
        };
        character(bytes.start)..character(bytes.end)
    }

    /// Corrects the column of a place in the line that names it: that of the whole line, not of what is shown of it.
    pub fn whole_column(&self, span: Span, shown: String) -> String {
        let Some(cut) = &self.cut else { return shown };
        let start = range(self.source, span).start;
        let line = self.source.line_of(start);
        let before = cut.character(self.source.line(line).start);
        let at = format!("{}:{}:", self.source.name, line + 1);
        let column = cut.character(start) - before + 1;
        let whole = self.source.characters_before(start) + 1;
        shown.replacen(&format!("{at}{column} "), &format!("{at}{whole} "), 1)
    }
}

impl Cut {
    /// Where a byte of the whole text is in what is shown, in characters.
    fn character(&self, place: usize) -> usize {
        let place = self.excerpt.map(place.saturating_sub(self.start));
        let text = &self.excerpt.text;
        self.empty + text[..text.floor_char_boundary(place)].chars().count()
    }
}
