//! A text with its lines: bytes to lines and columns, as an editor counts them, and back.

use std::ops::Range;

/// How columns are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// In bytes.
    Utf8,
    /// In 16-bit units: what the language server protocol has where nothing else was agreed.
    Utf16,
}

/// A line and a column, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// A text and where its lines begin.
#[derive(Clone, Debug)]
pub struct Text {
    text: String,
    lines: Vec<usize>,
    encoding: Encoding,
    /// 16-bit units before each so many bytes, where columns are counted in them: lines may be long.
    units: Vec<usize>,
}

/// Bytes between two of these counts.
const STEP: usize = 1 << 10;

impl Text {
    /// Looks for the lines of a text: they end with `\n`, `\r\n` or `\r`.
    pub fn new(text: String, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        let ends = |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        let lines =
            std::iter::once(0).chain((0..bytes.len()).filter(|&at| ends(at)).map(|at| at + 1)).collect();
        let units = match encoding {
            Encoding::Utf8 => Vec::new(),
            Encoding::Utf16 => units(&text),
        };
        Self { text, lines, encoding, units }
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte; the end of the text for what lies behind it.
    pub fn place(&self, byte: usize) -> Place {
        let byte = self.text.floor_char_boundary(byte.min(self.text.len()));
        let line = self.lines.partition_point(|&start| start <= byte) - 1;
        let start = self.lines[line];
        let column = match self.encoding {
            Encoding::Utf8 => byte - start,
            Encoding::Utf16 => self.units_before(byte) - self.units_before(start),
        };
        Place { line: line as u32, column: column as u32 }
    }

    /// 16-bit units before a byte where a character begins.
    fn units_before(&self, byte: usize) -> usize {
        let known = byte / STEP;
        let from = self.text.floor_char_boundary(known * STEP);
        self.units[known] + self.text[from..byte].encode_utf16().count()
    }

    /// The byte at a line and column; the nearest one where the text has no such place.
    pub fn byte(&self, place: Place) -> usize {
        let Some(&start) = self.lines.get(place.line as usize) else { return self.text.len() };
        let end = self.lines.get(place.line as usize + 1).map_or(self.text.len(), |&next| next);
        let line = self.text[start..end].trim_end_matches(['\n', '\r']);
        let mut column = 0;
        for (at, c) in line.char_indices() {
            if column >= place.column as usize {
                return start + at;
            }
            column += match self.encoding {
                Encoding::Utf8 => c.len_utf8(),
                Encoding::Utf16 => c.len_utf16(),
            };
        }
        start + line.len()
    }

    /// Replaces a part of the text.
    pub fn replace(&mut self, range: Range<Place>, with: &str) {
        let (start, end) = (self.byte(range.start), self.byte(range.end));
        let mut text = std::mem::take(&mut self.text);
        text.replace_range(start..end.max(start), with);
        *self = Self::new(text, self.encoding);
    }

    /// The comment directly above the line of a byte, without its signs.
    pub fn comment_above(&self, byte: usize) -> String {
        let mut line = self.place(byte).line as usize;
        let mut found = Vec::new();
        while line > 0 {
            line -= 1;
            let text = self.text[self.lines[line]..self.lines[line + 1]].trim();
            match text.strip_prefix('%') {
                Some(comment) => found.push(comment.trim_start_matches('%').trim()),
                None => break,
            }
        }
        found.reverse();
        found.join("\n")
    }
}

/// 16-bit units before each multiple of [`STEP`], or before the character that is there.
fn units(text: &str) -> Vec<usize> {
    let (mut units, mut before, mut from) = (Vec::new(), 0, 0);
    for step in 0..=text.len() / STEP {
        let to = text.floor_char_boundary(step * STEP);
        before += text[from..to].encode_utf16().count();
        units.push(before);
        from = to;
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also where a character lies across the places that counts are kept for.
    #[test]
    fn columns_of_long_lines_are_those_of_counting() {
        for (piece, before) in [("a", 0), ("ä", 1), ("𝄞", 0), ("𝄞", 1), ("𝄞", 3), ("aß𝄞", 2)] {
            let text = format!("{}\n{}\nb", "x".repeat(before), piece.repeat(3 * STEP / piece.len() + 5));
            let counted = Text::new(text.clone(), Encoding::Utf16);
            for (byte, _) in text.char_indices() {
                let start = text[..byte].rfind('\n').map_or(0, |at| at + 1);
                let column = text[start..byte].encode_utf16().count();
                assert_eq!(counted.place(byte).column as usize, column, "{piece} at {byte}");
            }
            assert_eq!(counted.place(text.len()), Place { line: 2, column: 1 });
        }
    }

    #[test]
    fn places_are_those_of_bytes_in_both_encodings() {
        let text = "a\r\näß𝄞b\n\nend";
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let text = Text::new(text.into(), encoding);
            for (byte, _) in text.as_str().char_indices().filter(|&(_, c)| c != '\n' && c != '\r') {
                assert_eq!(text.byte(text.place(byte)), byte, "{encoding:?}");
            }
        }
        let wide = Text::new(text.into(), Encoding::Utf16);
        assert_eq!(wide.place(text.find('b').expect("it is there")), Place { line: 1, column: 4 });
        assert_eq!(wide.byte(Place { line: 1, column: 99 }), text.find('b').expect("it is there") + 1);
        assert_eq!(wide.byte(Place { line: 9, column: 0 }), text.len());
        assert_eq!(wide.place(1000), wide.place(text.len()));
    }

    #[test]
    fn parts_are_replaced() {
        let mut text = Text::new("one\ntwo\n".into(), Encoding::Utf16);
        text.replace(Place { line: 0, column: 1 }..Place { line: 1, column: 1 }, "x\ny");
        assert_eq!(text.as_str(), "ox\nywo\n");
        assert_eq!(text.place(3), Place { line: 1, column: 0 });
    }

    #[test]
    fn comments_stand_directly_above() {
        let text = Text::new("% no\n\n%% A pair\n%  of things.\np :- q.\n".into(), Encoding::Utf8);
        assert_eq!(
            text.comment_above(text.as_str().find("p :-").expect("it is there")),
            "A pair\nof things."
        );
        assert_eq!(text.comment_above(0), "");
    }
}
