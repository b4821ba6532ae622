//! Arrays of words that are zero at first and take memory only where they were written. Threads may set bits of them
//! side by side, so that all their accesses are atomic, which costs nothing: none orders others.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::{Reservation, Shortage, ask};

/// Words of a page, the unit in which they take memory.
const PAGE: usize = 1 << 10;

/// Words, zero at first, of which only the pages that were written to are in use. Their number does not change.
pub struct SparseWords {
    memory: Reservation,
    words: usize,
    /// A bit for each page that may be written to.
    pages: Vec<AtomicU64>,
    in_use: AtomicU64,
    /// Whether most pages are in use, so that the rest comes in large ones, and all are counted.
    is_dense: bool,
}

/// Bytes in use from which on large pages are worth while, where they are at least a quarter of all.
const LARGE: u64 = 1 << 20;

impl SparseWords {
    /// So many words. `None` when the system gives no address space for them.
    pub fn new(words: usize) -> Option<Self> {
        let bytes = (words as u64).checked_mul(4)?;
        let memory = Reservation::new(bytes, bytes)?;
        let pages = (0..words.div_ceil(PAGE).div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Some(Self { memory, words, pages, in_use: AtomicU64::new(0), is_dense: false })
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.words
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// Bytes in use: of the pages that may be written to.
    pub fn bytes(&self) -> u64 {
        if self.is_dense {
            return self.all_bytes();
        }
        self.in_use.load(Ordering::Relaxed) * PAGE as u64 * 4
    }

    fn all_bytes(&self) -> u64 {
        self.words.div_ceil(PAGE) as u64 * PAGE as u64 * 4
    }

    /// The first word: they follow each other, and can be read.
    pub fn start(&self) -> *const u32 {
        self.memory.start().cast()
    }

    /// A word; `None` behind the last one.
    #[inline]
    pub fn get(&self, at: usize) -> Option<u32> {
        (at < self.words).then(|| self.word(at).load(Ordering::Relaxed))
    }

    /// A word. Before it is written to, its page must be in use.
    #[inline]
    fn word(&self, at: usize) -> &AtomicU32 {
        assert!(at < self.words, "the word is one of the array");
        // SAFETY: inside the reservation, which is aligned to pages, and whose memory is readable and writable, and
        // zero before it is written; all accesses are atomic.
        unsafe { AtomicU32::from_ptr(self.memory.start().cast::<u32>().cast_mut().add(at)) }
    }

    /// Whether words of a page may be written to.
    #[inline]
    fn is_taken(&self, page: usize) -> bool {
        self.pages[page / 64].load(Ordering::Relaxed) >> (page % 64) & 1 == 1
    }

    /// Makes sure that a word can be written to. Says whether that took memory.
    #[inline]
    pub fn make_room(&mut self, at: usize) -> Result<bool, Shortage> {
        if self.is_taken(at / PAGE) {
            return Ok(false);
        }
        self.take(at / PAGE)?;
        self.settle();
        Ok(true)
    }

    #[cold]
    fn take(&self, page: usize) -> Result<(), Shortage> {
        ask(PAGE as u64 * 4)?;
        let bit = 1 << (page % 64);
        if self.pages[page / 64].fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            self.in_use.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Sets bits of a word, as other threads may do at the same time; gives the word as it was. Afterwards the memory
    /// is to be [accounted for](Self::settle).
    #[inline]
    pub fn set_bits(&self, at: usize, bits: u32) -> Result<u32, Shortage> {
        if !self.is_taken(at / PAGE) {
            self.take(at / PAGE)?;
        }
        Ok(self.word(at).fetch_or(bits, Ordering::Relaxed))
    }

    /// Accounts for the memory of the words that threads have written to.
    pub fn settle(&mut self) {
        let (bytes, all) = (self.bytes(), self.all_bytes());
        if !self.is_dense && bytes >= LARGE && bytes >= all / 4 && self.memory.may_touch(all) {
            self.is_dense = true;
            self.memory.prefer_large_pages(0);
        }
        self.memory.touch(self.bytes());
    }

    /// Writes a word for which there [is room](Self::make_room).
    #[inline]
    pub fn set(&mut self, at: usize, word: u32) {
        debug_assert!(self.is_taken(at / PAGE), "there is room for the word");
        self.word(at).store(word, Ordering::Relaxed);
    }

    /// Places and values of the words that are not zero, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let pages = (0..self.words.div_ceil(PAGE)).filter(|&page| self.is_taken(page));
        let words = pages.flat_map(|page| page * PAGE..((page + 1) * PAGE).min(self.words));
        words.filter_map(|at| self.get(at).filter(|&word| word != 0).map(|word| (at, word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_set_bits_side_by_side() {
        let mut words = SparseWords::new(3 * PAGE).expect("address space");
        // Each bit is set by one of two threads that try to.
        let set = |thread: u32| {
            let bits = (0..2 * PAGE).flat_map(|at| (0..32).map(move |bit| (at, 1 << ((bit + thread) % 32))));
            bits.filter(|&(at, bit)| words.set_bits(at, bit).expect("there is memory") & bit == 0).count()
        };
        let counts = std::thread::scope(|scope| {
            [0, 1]
                .map(|thread| scope.spawn(move || set(thread)))
                .map(|thread| thread.join().expect("a count"))
        });
        assert_eq!(counts[0] + counts[1], 2 * PAGE * 32);
        words.settle();
        assert_eq!(words.bytes(), 2 * PAGE as u64 * 4);
        assert!((0..3 * PAGE).all(|at| words.get(at) == Some(if at < 2 * PAGE { u32::MAX } else { 0 })));
    }

    #[test]
    fn words_take_memory_where_they_are_written() {
        let mut words = SparseWords::new(3 * PAGE + 5).expect("address space");
        assert_eq!((words.len(), words.bytes(), words.get(2 * PAGE)), (3 * PAGE + 5, 0, Some(0)));
        assert_eq!(words.get(3 * PAGE + 5), None);
        for (at, word) in [(3 * PAGE + 4, 7), (1, 8), (2, 9)] {
            words.make_room(at).expect("there is memory");
            words.set(at, word);
        }
        assert_eq!(words.make_room(3), Ok(false));
        assert_eq!(words.bytes(), 2 * PAGE as u64 * 4);
        words.set(2, 0);
        assert_eq!(words.iter().collect::<Vec<_>>(), [(1, 8), (3 * PAGE + 4, 7)]);
    }
}
