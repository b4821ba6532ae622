//! Rows as lines: of numbers and short texts on all threads, of other values one after the other, since their texts may
//! be larger than any memory.

use std::io::{self, Write};
use std::ops::Range;

use gchr_base::ordered::{self, Piece};
use gchr_base::signature::SortKind;

use super::Rows;

/// Rows that are written at once.
const ROWS: usize = 1 << 8;
/// Bytes of the longest text that is short.
const SHORT: usize = 1 << 8;

/// What stands around the arguments of a constraint on its line, and between them.
pub struct Frame<'a> {
    /// Before the first one.
    pub start: &'a str,
    /// Between two of them.
    pub separator: &'a str,
    /// Behind the last one, with the end of the line.
    pub end: &'a str,
}

impl Rows<'_> {
    /// Writes all rows in their order, on all threads where their lines are short: `some` writes a range of them.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write_lines(
        &self,
        out: &mut impl Write,
        some: impl Fn(Range<usize>, &mut dyn Write) -> io::Result<()> + Sync,
    ) -> io::Result<()> {
        if self.are_short() {
            ordered::write(Lines { left: 0..self.len(), some: &some }, out)
        } else {
            some(0..self.len(), out)
        }
    }

    /// Writes constraints all of whose arguments are integers, the most frequent ones by far, in their order on all
    /// threads; whether they are such constraints, else nothing is written.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write_integers(&self, frame: &Frame<'_>, out: &mut impl Write) -> io::Result<bool> {
        let are_integers = !self.kinds.is_empty() && self.kinds.iter().all(|&kind| kind == SortKind::Int);
        if are_integers {
            self.write_lines(out, |range, out| out.write_all(&self.integers(range, frame)))?;
        }
        Ok(are_integers)
    }

    /// The lines of some rows. What a line has in common with the one before, up to its last argument, is copied.
    fn integers(&self, range: Range<usize>, frame: &Frame<'_>) -> Vec<u8> {
        let last = self.kinds.len() - 1;
        let mut leading = vec![None; last];
        let (mut line, mut digits) = (Vec::new(), itoa::Buffer::new());
        let mut lines =
            Vec::with_capacity(range.len() * (frame.start.len() + frame.end.len() + 8 * (last + 1)));
        for at in range {
            let word = |column| self.sorted.word(at, column);
            if line.is_empty() || (0..last).any(|column| leading[column] != Some(word(column))) {
                line.clear();
                line.extend_from_slice(frame.start.as_bytes());
                for (column, leading) in leading.iter_mut().enumerate() {
                    *leading = Some(word(column));
                    line.extend_from_slice(digits.format(word(column).cast_signed()).as_bytes());
                    line.extend_from_slice(frame.separator.as_bytes());
                }
            }
            lines.extend_from_slice(&line);
            lines.extend_from_slice(digits.format(word(last).cast_signed()).as_bytes());
            lines.extend_from_slice(frame.end.as_bytes());
        }
        lines
    }

    fn are_short(&self) -> bool {
        let are_numbers = |kind: &SortKind| matches!(kind, SortKind::Int | SortKind::Float);
        let are_texts = |kind: &SortKind| matches!(kind, SortKind::Atom | SortKind::Str);
        self.kinds.iter().all(|kind| are_numbers(kind) || are_texts(kind))
            && (self.kinds.iter().all(are_numbers) || self.terms.signature.texts.longest() <= SHORT)
    }
}

/// Rows that are still to be written.
struct Lines<'a, S> {
    left: Range<usize>,
    some: &'a S,
}

impl<S: Fn(Range<usize>, &mut dyn Write) -> io::Result<()> + Sync> Piece for Lines<'_, S> {
    fn advance(&mut self, out: &mut Vec<u8>, bytes: usize) -> io::Result<bool> {
        while out.len() < bytes && !self.left.is_empty() {
            let to = (self.left.start + ROWS).min(self.left.end);
            (self.some)(self.left.start..to, out)?;
            self.left.start = to;
        }
        Ok(!self.left.is_empty())
    }

    fn split(&mut self) -> Option<Self> {
        let middle = self.left.start.midpoint(self.left.end);
        let rest = middle..self.left.end;
        self.left.end = middle;
        (!rest.is_empty()).then_some(Self { left: rest, some: self.some })
    }
}
