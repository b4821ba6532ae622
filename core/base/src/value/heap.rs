//! The hash-consed heap of constraint programs and the tagged words that point into it.
//!
//! A cell is a header and its fields. Equal terms have one cell, so equality of terms is equality of words, and a term
//! is built at most once while it lives. Cells never move; a tracing collector returns those that no root reaches to
//! free lists by size.

mod import;

pub use import::{Import, ImportError};

use std::hash::Hasher as _;

use crate::hash::{FxHasher, HashTable};
use crate::memory::{self, Shortage};
use crate::signature::{SymbolId, TextId};
use crate::stop::StopReason;
use crate::value::tag::{self, BIG_CELL, FLOAT_CELL};

/// A word of sort `Any`, taken apart.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Word<'a> {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// An atom.
    Atom(TextId),
    /// A string.
    Str(TextId),
    /// A compound term: functor and argument words.
    Compound(SymbolId, &'a [u64]),
}

/// Header: number of fields in bits 32 to 60, what the cell is in the low 32 bits.
const MARK: u64 = 1 << 63;
const FREE: u64 = 1 << 62;
const SIZE_MASK: u64 = (1 << 28) - 1;

/// Why there is no room for a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeapFull {
    /// Offsets of cells have 32 bits.
    Offsets,
    /// There is no more memory.
    Memory(Shortage),
}

impl HeapFull {
    /// The reason to stop a run.
    pub fn reason(self) -> StopReason {
        match self {
            HeapFull::Offsets => StopReason::Indices { what: "terms".into(), limit: Heap::MAX_WORDS },
            HeapFull::Memory(shortage) => shortage.of("terms"),
        }
    }
}

/// Cells of compound terms, big integers and floats, each distinct value once.
#[derive(Default)]
pub struct Heap {
    cells: Vec<u64>,
    by_content: HashTable<u32>,
    /// Offsets of free cells, by number of fields.
    free: Vec<Vec<u32>>,
    /// Words of cells in use, headers included.
    live: usize,
    /// Collect when more than so many words are in use.
    threshold: usize,
    collections: u64,
}

fn size(header: u64) -> usize {
    (header >> 32 & SIZE_MASK) as usize
}

/// Makes what is between two places a cell that is free.
fn leave_free(cells: &mut [u64], from: usize, to: usize) {
    if from < to {
        cells[from] = FREE | ((to - from - 1) as u64) << 32;
    }
}

fn hash_cell(header: u64, fields: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(header);
    fields.iter().for_each(|&w| hasher.write_u64(w));
    hasher.finish()
}

impl Heap {
    /// Most cells words a heap can have.
    pub const MAX_WORDS: u64 = u32::MAX as u64;
    const FIRST_THRESHOLD: usize = 1 << 17;

    /// An empty heap.
    pub fn new() -> Self {
        Self { threshold: Self::FIRST_THRESHOLD, ..Self::default() }
    }

    /// A heap of the cells of another one, whose words are words of this one. `places` are those of the cells in use,
    /// in any order; what is between them is free. `None` where these are no places of cells.
    pub fn of_cells(mut cells: Vec<u64>, mut places: Vec<u32>) -> Option<Result<Self, HeapFull>> {
        places.sort_unstable();
        if let Err(full) = memory::ask(places.len() as u64 * 12) {
            return Some(Err(HeapFull::Memory(full)));
        }
        let (mut end, mut live) = (0, 0);
        let mut by_content = HashTable::with_capacity(places.len());
        for &place in &places {
            let at = place as usize;
            let next = at + 1 + size(*cells.get(at)?);
            if at < end || next > cells.len() || cells[at] & (MARK | FREE) != 0 {
                return None;
            }
            leave_free(&mut cells, end, at);
            by_content.insert_unique(rehash(&cells, place), place, |&at| rehash(&cells, at));
            live += next - at;
            end = next;
        }
        let all = cells.len();
        leave_free(&mut cells, end, all);
        let threshold = (live * 2).max(Self::FIRST_THRESHOLD);
        Some(Ok(Self { cells, by_content, free: Vec::new(), live, threshold, collections: 0 }))
    }

    /// The word of an integer that needs no cell.
    #[inline]
    pub fn small_int(n: i64) -> Option<u64> {
        let word = (n as u64) << tag::BITS;
        ((word as i64) >> tag::BITS == n).then_some(word)
    }

    /// The word of an integer.
    #[inline]
    pub fn int(&mut self, n: i64) -> Result<u64, HeapFull> {
        if let Some(word) = Self::small_int(n) {
            return Ok(word);
        }
        self.cell(1 << 32 | BIG_CELL, &[n as u64]).map(|w| w | tag::BIG)
    }

    /// The word of a float.
    pub fn float(&mut self, x: f64) -> Result<u64, HeapFull> {
        self.cell(1 << 32 | FLOAT_CELL, &[x.to_bits()]).map(|w| w | tag::FLOAT)
    }

    /// The word of an atom.
    #[inline]
    pub fn atom(text: TextId) -> u64 {
        u64::from(text.0) << tag::BITS | tag::ATOM
    }

    /// The word of a string.
    #[inline]
    pub fn str(text: TextId) -> u64 {
        u64::from(text.0) << tag::BITS | tag::STR
    }

    /// The word of a compound term.
    pub fn compound(&mut self, symbol: SymbolId, args: &[u64]) -> Result<u64, HeapFull> {
        self.cell((args.len() as u64) << 32 | u64::from(symbol.0), args).map(|w| w | tag::COMPOUND)
    }

    /// Takes a word apart. The word must be one that this heap made and that no collection has freed since.
    #[inline]
    pub fn view(&self, word: u64) -> Word<'_> {
        let payload = (word >> tag::BITS) as usize;
        match word & tag::MASK {
            tag::INT => Word::Int((word as i64) >> tag::BITS),
            tag::BIG => Word::Int(self.cells[payload + 1] as i64),
            tag::FLOAT => Word::Float(f64::from_bits(self.cells[payload + 1])),
            tag::ATOM => Word::Atom(TextId(payload as u32)),
            tag::STR => Word::Str(TextId(payload as u32)),
            _ => {
                let header = self.cells[payload];
                Word::Compound(SymbolId(header as u32), &self.cells[payload + 1..payload + 1 + size(header)])
            }
        }
    }

    /// The integer of a word, if it is one.
    #[inline]
    pub fn as_int(&self, word: u64) -> Option<i64> {
        match word & tag::MASK {
            tag::INT => Some((word as i64) >> tag::BITS),
            tag::BIG => Some(self.cells[(word >> tag::BITS) as usize + 1] as i64),
            _ => None,
        }
    }

    /// Whether the word is a compound term with this functor.
    #[inline]
    pub fn has_functor(&self, word: u64, symbol: SymbolId) -> bool {
        word & tag::MASK == tag::COMPOUND && self.cells[(word >> tag::BITS) as usize] as u32 == symbol.0
    }

    /// The argument of a compound word at a position it has.
    #[inline]
    pub fn field(&self, word: u64, index: usize) -> u64 {
        self.cells[(word >> tag::BITS) as usize + 1 + index]
    }

    /// The words of all cells. A word `place << 3 | tag` with tag 1 (integer), 2 (float) or 5 (compound term) points at
    /// the cell at `place`: a header, the number of fields above the functor's number (two reserved numbers for
    /// integers and floats), and its fields.
    pub fn cells(&self) -> &[u64] {
        &self.cells
    }

    /// Places of the cells in use.
    pub fn places(&self) -> impl Iterator<Item = u32> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            while let Some(&header) = self.cells.get(at) {
                let place = at as u32;
                at += 1 + size(header);
                if header & FREE == 0 {
                    return Some(place);
                }
            }
            None
        })
    }

    /// Bytes the heap takes.
    pub fn bytes(&self) -> u64 {
        let free: usize = self.free.iter().map(Vec::capacity).sum();
        // A table of offsets takes a control byte and an offset for each bucket.
        (self.cells.capacity() * 8 + self.by_content.capacity() * 6 + free * 4) as u64
    }

    /// How often the heap was collected.
    pub fn collections(&self) -> u64 {
        self.collections
    }

    /// Whether the words in use have doubled since the last collection.
    #[inline]
    pub fn wants_collection(&self) -> bool {
        self.live > self.threshold
    }

    fn cell(&mut self, header: u64, fields: &[u64]) -> Result<u64, HeapFull> {
        let hash = hash_cell(header, fields);
        if self.by_content.len() == self.by_content.capacity() {
            // It doubles beside the old one: an offset and a control byte for each bucket, of which an eighth stays
            // empty.
            memory::ask(self.by_content.capacity() as u64 * 12).map_err(HeapFull::Memory)?;
        }
        let cells = &self.cells;
        let same = |&at: &u32| {
            let at = at as usize;
            cells[at] == header && cells[at + 1..at + 1 + fields.len()] == *fields
        };
        if let Some(&at) = self.by_content.find(hash, same) {
            return Ok(u64::from(at) << tag::BITS);
        }
        let at = match self.free.get_mut(fields.len()).and_then(Vec::pop) {
            Some(at) => {
                let start = at as usize;
                self.cells[start] = header;
                self.cells[start + 1..start + 1 + fields.len()].copy_from_slice(fields);
                at
            }
            None => {
                let end = self.cells.len() + 1 + fields.len();
                let at = u32::try_from(self.cells.len()).map_err(|_| HeapFull::Offsets)?;
                u32::try_from(end).map_err(|_| HeapFull::Offsets)?;
                if end > self.cells.capacity() {
                    memory::reserve(&mut self.cells, 1 + fields.len()).map_err(HeapFull::Memory)?;
                }
                self.cells.push(header);
                self.cells.extend_from_slice(fields);
                at
            }
        };
        let cells = &self.cells;
        self.by_content.insert_unique(hash, at, |&at| rehash(cells, at));
        self.live += 1 + fields.len();
        Ok(u64::from(at) << tag::BITS)
    }

    /// Frees every cell that no root reaches. Each root is an exact word or, when it comes from registers of unknown
    /// content, any bits: what does not point at the start of a cell in use is ignored.
    pub fn collect(&mut self, roots: impl Iterator<Item = u64>) {
        let starts = self.starts();
        let mut pending = Vec::new();
        let visit = |cells: &mut [u64], word: u64, pending: &mut Vec<u32>| {
            let at = (word >> tag::BITS) as usize;
            let tagged = tag::is_cell(word);
            if tagged && starts.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1) {
                let header = cells[at];
                if header & MARK == 0 {
                    cells[at] = header | MARK;
                    if header as u32 as u64 != BIG_CELL && header as u32 as u64 != FLOAT_CELL {
                        pending.push(at as u32);
                    }
                }
            }
        };
        for root in roots {
            visit(&mut self.cells, root, &mut pending);
            while let Some(at) = pending.pop() {
                let at = at as usize;
                for field in at + 1..at + 1 + size(self.cells[at]) {
                    let word = self.cells[field];
                    visit(&mut self.cells, word, &mut pending);
                }
            }
        }
        self.sweep();
        self.collections += 1;
        self.threshold = (self.live * 2).max(Self::FIRST_THRESHOLD);
    }

    /// One bit a word: whether a cell in use starts there.
    fn starts(&self) -> Vec<u64> {
        let mut starts = vec![0u64; self.cells.len().div_ceil(64)];
        let mut at = 0;
        while at < self.cells.len() {
            let header = self.cells[at];
            if header & FREE == 0 {
                starts[at / 64] |= 1 << (at % 64);
            }
            at += 1 + size(header);
        }
        starts
    }

    fn sweep(&mut self) {
        let cells = &self.cells;
        self.by_content.retain(|&mut at| cells[at as usize] & MARK != 0);
        self.live = 0;
        let mut at = 0;
        while at < self.cells.len() {
            let header = self.cells[at];
            let size = size(header);
            if header & MARK != 0 {
                self.cells[at] = header & !MARK;
                self.live += 1 + size;
            } else if header & FREE == 0 {
                self.cells[at] = header | FREE;
                if self.free.len() <= size {
                    self.free.resize_with(size + 1, Vec::new);
                }
                self.free[size].push(at as u32);
            }
            at += 1 + size;
        }
    }
}

fn rehash(cells: &[u64], at: u32) -> u64 {
    let at = at as usize;
    let header = cells[at];
    hash_cell(header, &cells[at + 1..at + 1 + size(header)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_one_cell() {
        let mut heap = Heap::new();
        let (f, g) = (SymbolId(0), SymbolId(1));
        let one = heap.int(1).unwrap();
        let a = heap.compound(f, &[one]).unwrap();
        assert_eq!(heap.compound(f, &[one]).unwrap(), a);
        assert_ne!(heap.compound(g, &[one]).unwrap(), a);
        let big = heap.int(i64::MIN).unwrap();
        assert_eq!(heap.int(i64::MIN).unwrap(), big);
        assert_eq!(heap.view(big), Word::Int(i64::MIN));
        let half = heap.float(0.5).unwrap();
        assert_eq!(heap.view(half), Word::Float(0.5));
    }

    /// Cells that came from elsewhere, with gaps and with a copy that is none of the places.
    #[test]
    fn cells_of_another_heap() {
        let (f, g) = (SymbolId(0), SymbolId(1));
        let mut heap = Heap::new();
        let two = heap.float(2.5).unwrap();
        let term = heap.compound(f, &[two, two]).unwrap();
        let mut cells = heap.cells().to_vec();
        let places: Vec<u32> = heap.places().collect();
        cells.extend([7, 7, 7]);
        let twin = cells.len() as u32;
        cells.extend_from_slice(&heap.cells()[..2]);
        for places in [places.clone(), places.iter().rev().copied().collect()] {
            let mut other = Heap::of_cells(cells.clone(), places).expect("they are cells").unwrap();
            assert_eq!(other.float(2.5).unwrap(), two);
            assert_eq!(other.compound(f, &[two, two]).unwrap(), term);
            let new = other.compound(g, &[term]).unwrap();
            assert_eq!(new >> tag::BITS, u64::from(twin) + 2, "behind all that was there");
            assert_eq!(other.places().count(), 3);
            other.collect([new].into_iter());
            assert_eq!(other.view(term), Word::Compound(f, &[two, two]));
        }
        assert!(Heap::of_cells(Vec::new(), Vec::new()).is_some_and(|heap| heap.is_ok()));
        for wrong in [vec![0, 1], vec![cells.len() as u32], vec![cells.len() as u32 - 1]] {
            assert!(Heap::of_cells(cells.clone(), wrong.clone()).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn collection_keeps_what_roots_reach_and_reuses_the_rest() {
        let mut heap = Heap::new();
        let f = SymbolId(0);
        let mut deep = heap.int(0).unwrap();
        for _ in 0..100_000 {
            deep = heap.compound(f, &[deep]).unwrap();
        }
        for n in 0..1000 {
            let x = heap.float(f64::from(n)).unwrap();
            heap.compound(SymbolId(1), &[x, x]).unwrap();
        }
        let words = heap.cells.len();
        heap.collect([deep, u64::MAX, 12345 << 3 | tag::COMPOUND].into_iter());
        assert!(heap.live < 200_000 + 10, "live: {}", heap.live);
        let mut depth = 0;
        let mut at = deep;
        while let Word::Compound(_, args) = heap.view(at) {
            at = args[0];
            depth += 1;
        }
        assert_eq!(depth, 100_000);
        for n in 0..1000 {
            let x = heap.float(f64::from(n) + 0.5).unwrap();
            heap.compound(SymbolId(1), &[x, x]).unwrap();
        }
        assert_eq!(heap.cells.len(), words, "free cells are reused");
    }
}
