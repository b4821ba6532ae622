//! Terms of another heap: how backends take terms that were built on the CPU, and give theirs back.

use super::{FREE, Heap, HeapFull, size};
use crate::hash::HashMap;
use crate::signature::SymbolId;
use crate::value::tag::{self, BIG_CELL, FLOAT_CELL};

/// Why a term cannot be taken over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImportError {
    /// The heap has no room for it.
    Full(HeapFull),
    /// A word does not point at a cell, or cells contain each other.
    Broken,
}

impl From<HeapFull> for ImportError {
    fn from(full: HeapFull) -> Self {
        ImportError::Full(full)
    }
}

/// Cells of another heap, and which of them a heap has already.
pub struct Import<'a> {
    cells: &'a [u64],
    /// Words of this heap by places in `cells`; `None` while the fields of a cell are being taken over.
    known: HashMap<u64, Option<u64>>,
}

impl<'a> Import<'a> {
    /// Nothing is taken over yet.
    pub fn new(cells: &'a [u64]) -> Self {
        Self { cells, known: HashMap::default() }
    }

    /// The word in `heap` of a word of the other heap. Terms may be of any depth.
    pub fn word(&mut self, heap: &mut Heap, word: u64) -> Result<u64, ImportError> {
        let mut pending = vec![word];
        while let Some(&next) = pending.last() {
            if self.known_word(next)?.is_some() {
                pending.pop();
                continue;
            }
            let place = next >> tag::BITS;
            let fields = self.fields(next)?;
            let first_visit = self.known.insert(place, None).is_none();
            let before = pending.len();
            if next & tag::MASK == tag::COMPOUND {
                for &field in fields {
                    if self.known_word(field)?.is_none() {
                        pending.push(field);
                    }
                }
            }
            if pending.len() == before {
                let made = self.make(heap, next, fields)?;
                self.known.insert(place, Some(made));
                pending.pop();
            } else if !first_visit {
                // All fields are done when a cell is met again, unless it is inside itself.
                return Err(ImportError::Broken);
            }
        }
        self.known_word(word)?.ok_or(ImportError::Broken)
    }

    /// The word in the other heap where that is known.
    fn known_word(&self, word: u64) -> Result<Option<u64>, ImportError> {
        match word & tag::MASK {
            _ if tag::is_cell(word) => Ok(self.known.get(&(word >> tag::BITS)).copied().flatten()),
            other if other > tag::COMPOUND => Err(ImportError::Broken),
            _ => Ok(Some(word)),
        }
    }

    /// The fields of the cell at which a word points.
    fn fields(&self, word: u64) -> Result<&'a [u64], ImportError> {
        let place = usize::try_from(word >> tag::BITS).map_err(|_| ImportError::Broken)?;
        let header = *self.cells.get(place).ok_or(ImportError::Broken)?;
        let kind = match header as u32 as u64 {
            BIG_CELL => tag::BIG,
            FLOAT_CELL => tag::FLOAT,
            _ => tag::COMPOUND,
        };
        if header & FREE != 0 || kind != word & tag::MASK {
            return Err(ImportError::Broken);
        }
        self.cells.get(place + 1..place + 1 + size(header)).ok_or(ImportError::Broken)
    }

    fn make(&self, heap: &mut Heap, word: u64, fields: &[u64]) -> Result<u64, ImportError> {
        let symbol = SymbolId(self.cells[(word >> tag::BITS) as usize] as u32);
        Ok(match (word & tag::MASK, fields) {
            (tag::BIG, &[n]) => heap.int(n as i64)?,
            (tag::FLOAT, &[bits]) => heap.float(f64::from_bits(bits))?,
            (tag::COMPOUND, _) => {
                let mut own = Vec::with_capacity(fields.len());
                for &field in fields {
                    own.push(self.known_word(field)?.ok_or(ImportError::Broken)?);
                }
                heap.compound(symbol, &own)?
            }
            _ => return Err(ImportError::Broken),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `f(f(.. f(g(2^62, 0.5)) ..))`, with a second argument that is shared.
    fn deep(heap: &mut Heap, depth: usize) -> u64 {
        let (big, half) = (heap.int(1 << 62).unwrap(), heap.float(0.5).unwrap());
        let shared = heap.compound(SymbolId(1), &[big, half]).unwrap();
        (0..depth).fold(shared, |term, _| heap.compound(SymbolId(0), &[term, shared]).unwrap())
    }

    #[test]
    fn terms_of_any_depth_are_taken_over_once() {
        let mut from = Heap::new();
        let term = deep(&mut from, 100_000);
        let mut to = Heap::new();
        to.float(7.5).unwrap();
        let mut import = Import::new(from.cells());
        let word = import.word(&mut to, term).unwrap();
        assert_eq!(import.word(&mut to, term), Ok(word));
        assert_eq!(word, deep(&mut to, 100_000), "an equal term is the same word");
        assert_eq!(import.word(&mut to, 5 << tag::BITS), Ok(5 << tag::BITS), "a small integer has no cell");
    }

    #[test]
    fn broken_cells_are_refused() {
        let header = 1 << 32;
        // A word past the end, a float where a compound term is, and a cell inside itself.
        for (cells, word) in [
            (vec![], tag::COMPOUND),
            (vec![header, 0], tag::FLOAT),
            (vec![header, tag::COMPOUND], tag::COMPOUND),
            (vec![2 << 32, 0], tag::COMPOUND),
        ] {
            assert_eq!(
                Import::new(&cells).word(&mut Heap::new(), word),
                Err(ImportError::Broken),
                "{cells:?}"
            );
        }
    }
}
