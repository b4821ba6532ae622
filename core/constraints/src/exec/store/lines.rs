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
