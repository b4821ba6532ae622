//! A global allocator that counts what is in use, and that has a reserve for the time after the system has given its
//! last memory.
//!
//! Rust ends a process whose allocation fails. This allocator does not fail as long as the reserve lasts: it serves
//! from there and notes that it did ([`MemoryWatch`](super::MemoryWatch)), so that the run stops with an error at its
//! next look at the limits. Where the reserve does not suffice either, the process may have [last
//! words](when_exhausted).

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use super::{REFUSALS, TRIES, count, reserve};

/// A global allocator over another one, by default the system's.
#[derive(Debug)]
pub struct Allocator<S = System> {
    source: S,
}

impl Allocator {
    /// Over the system's allocator.
    pub const fn new() -> Self {
        Self { source: System }
    }
}

impl Default for Allocator {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> Allocator<S> {
    /// Over another allocator.
    pub const fn over(source: S) -> Self {
        Self { source }
    }
}

static LAST_WORDS: OnceLock<fn(usize)> = OnceLock::new();

/// Sets what is called, once and for all, before an allocation of so many bytes fails because the reserve is used up,
/// too. It should end the process: else Rust does so, by a signal. It must not allocate.
pub fn when_exhausted(last_words: fn(usize)) {
    // The first one stays.
    let _ = LAST_WORDS.set(last_words);
}

/// Bytes that an allocation takes. The C library of GNU rounds blocks up and puts a word before each: where there are
/// many small ones that is half of what a process takes, and it would be counted nowhere else.
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
fn taken(size: usize) -> i64 {
    const WORD: usize = 8;
    const LEAST: usize = 4 * WORD;
    (size.saturating_add(WORD).next_multiple_of(2 * WORD)).max(LEAST) as i64
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64")))]
fn taken(size: usize) -> i64 {
    size as i64
}

/// A block of the reserve for a request that was refused.
#[cold]
fn refused(layout: Layout) -> *mut u8 {
    if TRIES.get() {
        return std::ptr::null_mut();
    }
    REFUSALS.fetch_add(1, Ordering::Relaxed);
    let block = reserve::take(layout);
    if block.is_null()
        && let Some(last_words) = LAST_WORDS.get()
    {
        last_words(layout.size());
    }
    block
}

// SAFETY: blocks come from the other allocator, or from the reserve, which gives each byte to one owner at a time; each
// goes back to where it came from. Counting neither allocates nor unwinds.
unsafe impl<S: GlobalAlloc> GlobalAlloc for Allocator<S> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let block = unsafe { self.source.alloc(layout) };
        if block.is_null() {
            return refused(layout);
        }
        count(taken(layout.size()));
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let block = unsafe { self.source.alloc_zeroed(layout) };
        if !block.is_null() {
            count(taken(layout.size()));
            return block;
        }
        let block = refused(layout);
        if !block.is_null() {
            // SAFETY: a block of this size that nobody else has.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if reserve::holds(block) {
            // SAFETY: as the caller promises; the layout is the one that the block was taken for.
            return unsafe { reserve::give_back(block, layout) };
        }
        count(-taken(layout.size()));
        // SAFETY: the block is one of the other allocator's, else as the caller promises.
        unsafe { self.source.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size fits a layout.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let moved = if reserve::holds(block) {
            // SAFETY: as the caller promises.
            unsafe { self.alloc(wanted) }
        } else {
            // SAFETY: the block is one of the other allocator's, else as the caller promises.
            let moved = unsafe { self.source.realloc(block, layout, size) };
            if !moved.is_null() {
                count(taken(size) - taken(layout.size()));
                return moved;
            }
            refused(wanted)
        };
        if !moved.is_null() {
            // SAFETY: both blocks have so many bytes, and they are apart; the old one is given back as it was taken.
            unsafe {
                moved.copy_from_nonoverlapping(block, size.min(layout.size()));
                self.dealloc(block, layout);
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::super::MemoryWatch;
    use super::*;

    /// Gives nothing while it is told so.
    struct Moody(AtomicBool);

    // SAFETY: the system's allocator, or none.
    unsafe impl GlobalAlloc for Moody {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            if self.0.load(Ordering::Relaxed) {
                return std::ptr::null_mut();
            }
            // SAFETY: as the caller promises.
            unsafe { System.alloc(layout) }
        }
        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            // SAFETY: as the caller promises.
            unsafe { System.dealloc(block, layout) }
        }
    }

    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64", not(miri)))]
    #[test]
    fn what_a_block_takes_is_what_the_library_says() {
        for size in (1..3000).chain([10_000, 99_999]) {
            // SAFETY: each block is used for nothing but the question, and given back once.
            let usable = unsafe {
                let block = libc::malloc(size);
                assert!(!block.is_null());
                let usable = libc::malloc_usable_size(block);
                libc::free(block);
                usable as i64
            };
            // A block of the heap may be one unit larger, where the rest would be too small for another one.
            assert!([0, 16].contains(&(usable + 8 - taken(size))), "{size}: {usable}");
        }
    }

    /// Blocks keep their bytes on their way into the reserve, in it, and out of it.
    #[test]
    fn a_refused_request_is_served_from_the_reserve() {
        let _alone = super::super::ALONE.lock();
        let watch = MemoryWatch::start();
        let allocator = Allocator::over(Moody(AtomicBool::new(false)));
        let layout = |size| Layout::from_size_align(size, 8).expect("a layout");
        let filled = |block: *mut u8, size: usize| {
            // SAFETY: blocks of at least this size, written before.
            unsafe { std::slice::from_raw_parts(block, size) }.iter().all(|&b| b == 7)
        };
        // SAFETY: each block is used within its size and given back once, with its layout.
        unsafe {
            let block = allocator.alloc(layout(100));
            block.write_bytes(7, 100);
            assert!(!reserve::holds(block) && watch.shortage().is_none());
            allocator.source.0.store(true, Ordering::Relaxed);
            let block = allocator.realloc(block, layout(100), 200);
            assert!(reserve::holds(block) && filled(block, 100) && watch.shortage().is_some());
            block.write_bytes(7, 200);
            let block = allocator.realloc(block, layout(200), 300);
            assert!(reserve::holds(block) && filled(block, 200));
            let zeroed = allocator.alloc_zeroed(layout(50));
            assert_eq!(std::slice::from_raw_parts(zeroed, 50), [0; 50]);
            allocator.source.0.store(false, Ordering::Relaxed);
            let block = allocator.realloc(block, layout(300), 150);
            assert!(!reserve::holds(block) && filled(block, 150));
            allocator.dealloc(block, layout(150));
            allocator.dealloc(zeroed, layout(50));
        }
    }
}
