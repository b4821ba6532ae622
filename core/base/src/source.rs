//! Source texts and places in them: a program file, an `--input` term, a query, a fact file.

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
    pub fn range(self) -> std::ops::Range<usize> {
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
        self.sources.push(Source { name: name.into(), text: text.into(), start })
    }
    /// Puts another part of a text in the place of one; spans into the old one lose their meaning.
    pub fn replace(&mut self, id: SourceId, name: impl Into<String>, start: Start, text: impl Into<String>) {
        self.sources[id] = Source { name: name.into(), text: text.into(), start };
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
        let Source { text, start: Start { lines, columns }, .. } = &self.sources[span.source];
        let mut start = (span.start as usize).min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let before = &text[..start];
        let (line_start, columns) = before.rfind('\n').map_or((0, *columns), |i| (i + 1, 0));
        let line = lines + before.matches('\n').count() + 1;
        (line, columns + before[line_start..].chars().count() + 1)
    }
}
