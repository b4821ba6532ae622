//! Source texts and places in them: a program file, an `--input` term, a query, a fact file.

use std::ops::Range;
use std::sync::OnceLock;

use crate::define_id;
use crate::ids::IdVec;

define_id!(
    /// One source text known to a [`SourceMap`].
    SourceId, "src"
);

/// A half-open byte range in one source text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `source`.
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { source, start: clamp(start), end: clamp(end) }
    }
    /// The smallest range that covers both; of the first one's text when the two differ in text.
    pub fn to(self, other: Span) -> Span {
        if self.source != other.source {
            return self;
        }
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
    /// The empty range just behind this one.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
    /// The range as byte offsets.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A source text with the name it is shown under.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path as the user wrote it, or a word like `--input`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Where it begins in what has the name: a part of a file begins further down.
    pub start: Start,
    /// Where its lines are, once somebody has asked.
    index: OnceLock<Index>,
}

/// Where the lines and characters of a text are.
#[derive(Clone, Debug)]
struct Index {
    /// First byte of each line.
    lines: Vec<usize>,
    /// Characters that begin before each block of bytes.
    characters: Vec<usize>,
}

/// Bytes of a block of which the first character's number is kept.
const BLOCK: usize = 1 << 12;

impl Index {
    fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        let mut characters = vec![0];
        for block in text.as_bytes().chunks(BLOCK) {
            characters.push(characters[characters.len() - 1] + begun(block));
        }
        Self { lines, characters }
    }
}

/// Characters that begin in some bytes of a text.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

impl Source {
    fn new(name: String, start: Start, text: String) -> Self {
        Self { name, text, start, index: OnceLock::new() }
    }
    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.text))
    }
    /// Zero-based number of the line that holds a byte.
    pub fn line_of(&self, place: usize) -> usize {
        self.index().lines.partition_point(|&start| start <= place) - 1
    }
    /// The line that holds a byte, without its end.
    pub fn line_at(&self, place: usize) -> Range<usize> {
        let (lines, line) = (&self.index().lines, self.line_of(place));
        lines[line]..lines.get(line + 1).map_or(self.text.len(), |next| next - 1)
    }
    /// Characters before a place.
    fn characters(&self, place: usize) -> usize {
        let block = place / BLOCK;
        self.index().characters[block] + begun(&self.text.as_bytes()[block * BLOCK..place])
    }
    /// Characters between the start of a line and a place in it.
    pub fn characters_before(&self, place: usize) -> usize {
        self.characters(place) - self.characters(self.index().lines[self.line_of(place)])
    }
}

/// Where a text begins.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Start {
    /// Lines before its first one.
    pub lines: usize,
    /// Characters before it on its first line.
    pub columns: usize,
}

/// All texts of one program: spans point into them.
#[derive(Clone, Default, Debug)]
pub struct SourceMap {
    sources: IdVec<SourceId, Source>,
}

impl SourceMap {
    /// A map without texts.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.add_part(name, Start::default(), text)
    }
    /// Adds a part of a text, which begins at `start` there.
    pub fn add_part(&mut self, name: impl Into<String>, start: Start, text: impl Into<String>) -> SourceId {
        self.sources.push(Source::new(name.into(), start, text.into()))
    }
    /// Puts another part of a text in the place of one; spans into the old one lose their meaning.
    pub fn replace(&mut self, id: SourceId, name: impl Into<String>, start: Start, text: impl Into<String>) {
        self.sources[id] = Source::new(name.into(), start, text.into());
    }
    /// The text of `id`.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.sources[id]
    }
    /// All texts.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.sources.iter_enumerated()
    }
    /// The characters a span covers; empty when the span lies outside its text.
    pub fn snippet(&self, span: Span) -> &str {
        self.sources.get(span.source).and_then(|s| s.text.get(span.range())).unwrap_or("")
    }
    /// One-based line and column (in characters) of the start of `span`.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let source = &self.sources[span.source];
        let place = source.text.floor_char_boundary((span.start as usize).min(source.text.len()));
        let line = source.line_of(place);
        // What the text begins with may stand further to the right.
        let before = if line == 0 { source.start.columns } else { 0 };
        (source.start.lines + line + 1, before + source.characters_before(place) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_those_of_a_count() {
        let long = "aö€𝄞".repeat(3 * BLOCK);
        for text in ["", "\n", "a", "a\nb", "ö\n\n€\r\n", &long, &format!("{long}\n{long}\n")] {
            let mut sources = SourceMap::new();
            let id = sources.add("text", text);
            let step = 1 + text.len() / 200;
            for place in (0..=text.len()).step_by(step).chain([text.len(), text.len() + 7]) {
                let found = sources.line_column(Span::new(id, place, place));
                let before = &text[..text.floor_char_boundary(place.min(text.len()))];
                let line = before.rfind('\n').map_or(0, |at| at + 1);
                let expected = (before.matches('\n').count() + 1, before[line..].chars().count() + 1);
                assert_eq!(found, expected, "{place}");
            }
        }
    }
}
