//! Arrays of words that are zero at first and take memory only where they were written.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::{Reservation, Shortage, ask};

/// Words of a page, the unit in which they take memory.
const PAGE: usize = 1 << 10;

/// Words, zero at first, of which only the pages that were written to are in use. Their number does not change.
pub struct SparseWords {
    memory: Reservation,
    words: usize,
    /// A bit for each page that may be written to.
    pages: Vec<u64>,
    in_use: u64,
}

impl SparseWords {
    /// So many words. `None` when the system gives no address space for them.
    pub fn new(words: usize) -> Option<Self> {
        let bytes = (words as u64).checked_mul(4)?;
        let memory = Reservation::new(bytes, bytes)?;
        Some(Self { memory, words, pages: vec![0; words.div_ceil(PAGE).div_ceil(64)], in_use: 0 })
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
        self.in_use * PAGE as u64 * 4
    }

    /// The first word: they follow each other, and can be read.
    pub fn start(&self) -> *const u32 {
        self.memory.start().cast()
    }

    /// A word; `None` behind the last one.
    #[inline]
    pub fn get(&self, at: usize) -> Option<u32> {
        // SAFETY: inside the reservation, whose memory is readable and zero before it is written.
        (at < self.words).then(|| unsafe { self.memory.start().cast::<u32>().add(at).read() })
    }

    /// Makes sure that a word can be written to. Says whether that took memory.
    #[inline]
    pub fn make_room(&mut self, at: usize) -> Result<bool, Shortage> {
        let page = at / PAGE;
        if self.pages[page / 64] >> (page % 64) & 1 == 1 { Ok(false) } else { self.take(page) }
    }

    #[cold]
    fn take(&mut self, page: usize) -> Result<bool, Shortage> {
        ask(PAGE as u64 * 4)?;
        self.pages[page / 64] |= 1 << (page % 64);
        self.in_use += 1;
        self.memory.touch(self.bytes());
        Ok(true)
    }

    /// Writes a word for which there [is room](Self::make_room).
    #[inline]
    pub fn set(&mut self, at: usize, word: u32) {
        assert!(at < self.words, "the word is one of the array");
        debug_assert!(self.pages[at / PAGE / 64] >> (at / PAGE % 64) & 1 == 1, "there is room for the word");
        // SAFETY: inside the reservation, which nobody else refers to.
        unsafe { self.memory.base().cast::<u32>().add(at).write(word) }
    }

    /// Places and values of the words that are not zero, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let pages = (0..self.words.div_ceil(PAGE)).filter(|&p| self.pages[p / 64] >> (p % 64) & 1 == 1);
        let words = pages.flat_map(|page| page * PAGE..((page + 1) * PAGE).min(self.words));
        words.filter_map(|at| self.get(at).filter(|&word| word != 0).map(|word| (at, word)))
    }
}

/// Words that threads write to side by side. A word that several of them write to has the value of one.
pub struct SharedWords<'w> {
    words: &'w [AtomicU32],
    pages: &'w [AtomicU64],
    taken: AtomicU64,
}

impl SparseWords {
    /// Lets threads write side by side.
    pub fn share<T>(&mut self, work: impl FnOnce(&SharedWords<'_>) -> T) -> T {
        let words = self.memory.base().cast::<AtomicU32>();
        let pages = self.pages.as_mut_ptr().cast::<AtomicU64>();
        // SAFETY: atomic words have the size and the alignment of plain ones; the reservation is aligned to pages, is
        // readable and writable, and both are borrowed mutably, so that nobody else refers to them meanwhile.
        let (words, pages) = unsafe {
            let pages = std::slice::from_raw_parts(pages, self.pages.len());
            (std::slice::from_raw_parts(words, self.words), pages)
        };
        let shared = SharedWords { words, pages, taken: AtomicU64::new(0) };
        let result = work(&shared);
        self.in_use += shared.taken.into_inner();
        self.memory.touch(self.bytes());
        result
    }
}

impl SharedWords<'_> {
    /// A word, which must be one of the array.
    #[inline]
    pub fn get(&self, at: usize) -> u32 {
        self.words[at].load(Ordering::Relaxed)
    }

    /// Writes a word.
    #[inline]
    pub fn set(&self, at: usize, word: u32) -> Result<(), Shortage> {
        let page = at / PAGE;
        if self.pages[page / 64].load(Ordering::Relaxed) >> (page % 64) & 1 == 0 {
            self.take(page)?;
        }
        self.words[at].store(word, Ordering::Relaxed);
        Ok(())
    }

    #[cold]
    fn take(&self, page: usize) -> Result<(), Shortage> {
        ask(PAGE as u64 * 4)?;
        let bit = 1 << (page % 64);
        if self.pages[page / 64].fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            self.taken.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_write_side_by_side() {
        let mut words = SparseWords::new(3 * PAGE).expect("address space");
        words.share(|shared| {
            std::thread::scope(|scope| {
                for thread in 0..3 {
                    scope.spawn(move || {
                        for at in (0..2 * PAGE).filter(|at| at % 3 == thread) {
                            assert_eq!(shared.get(at), 0);
                            shared.set(at, at as u32 + 1).expect("there is memory");
                        }
                    });
                }
            });
        });
        assert_eq!(words.bytes(), 2 * PAGE as u64 * 4);
        assert!((0..3 * PAGE).all(|at| words.get(at) == Some(if at < 2 * PAGE { at as u32 + 1 } else { 0 })));
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
