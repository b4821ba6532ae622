//! Memory that is there from the start, for the time between the moment in which the system gives no more and the end
//! of the run.
//!
//! Blocks have sizes that are powers of two; those given back wait in a list for the next one of their size. The region
//! has address space but no pages until it is used.

use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::sync::{Mutex, PoisonError};

/// Enough for all threads to come to their next look at the control, and for the message.
const BYTES: usize = 16 << 20;
/// Blocks are aligned to their size, up to this.
const ALIGNED: usize = 4096;
/// The smallest block.
const LEAST: usize = 16;
/// One more than the binary logarithm of the largest one.
const SIZES: usize = BYTES.ilog2() as usize + 1;

#[repr(C, align(4096))]
struct Region(UnsafeCell<[u8; BYTES]>);

// SAFETY: its bytes are handed out to one owner at a time, under the lock of `STATE`.
unsafe impl Sync for Region {}

static REGION: Region = Region(UnsafeCell::new([0; BYTES]));

/// What of the region was handed out, and what has come back.
struct State {
    /// Where no block begins yet.
    next: usize,
    /// By the logarithm of their size: the first of the blocks that were given back. Each holds the place of the next
    /// one.
    free: [Option<usize>; SIZES],
}

static STATE: Mutex<State> = Mutex::new(State { next: 0, free: [None; SIZES] });

fn base() -> *mut u8 {
    REGION.0.get().cast()
}

/// The size of the block for a layout, and its logarithm; `None` when there is none so large.
fn size_of_block(layout: Layout) -> Option<(usize, usize)> {
    let size = layout.size().max(layout.align()).max(LEAST).checked_next_power_of_two()?;
    (size <= BYTES && layout.align() <= ALIGNED).then_some((size, size.ilog2() as usize))
}

/// A block, or null when the reserve is used up.
pub(super) fn take(layout: Layout) -> *mut u8 {
    let Some((size, log)) = size_of_block(layout) else { return std::ptr::null_mut() };
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(place) = state.free[log] {
        let block = base().wrapping_add(place);
        // SAFETY: a block that was given back, inside the region, with the place of the next one in it.
        state.free[log] = unsafe { block.cast::<Option<usize>>().read() };
        return block;
    }
    let start = state.next.next_multiple_of(size.min(ALIGNED));
    if start > BYTES - size {
        return std::ptr::null_mut();
    }
    state.next = start + size;
    base().wrapping_add(start)
}

/// Whether a block is one of the reserve.
pub(super) fn holds(block: *mut u8) -> bool {
    block.addr().wrapping_sub(base().addr()) < BYTES
}

/// Takes a block back.
///
/// # Safety
/// The block was [taken](take) for this layout, and nobody uses it any more.
pub(super) unsafe fn give_back(block: *mut u8, layout: Layout) {
    let Some((_, log)) = size_of_block(layout) else { return };
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the block is inside the region, is nobody's, and is large and aligned enough.
    unsafe { block.cast::<Option<usize>>().write(state.free[log]) };
    state.free[log] = Some(block.addr() - base().addr());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_apart_and_used_again() {
        let layout = |size, align| Layout::from_size_align(size, align).expect("a layout");
        let all = [(3, 1), (64, 64), (5000, 8), (100, 4096), (16, 16), (1, 1)]
            .map(|(size, align)| layout(size, align));
        let blocks = all.map(take);
        let mut ranges = Vec::new();
        for (block, layout) in blocks.iter().zip(all) {
            assert!(holds(*block) && block.addr().is_multiple_of(layout.align()), "{layout:?}");
            ranges.push(block.addr()..block.addr() + layout.size());
        }
        ranges.sort_unstable_by_key(|range| range.start);
        assert!(ranges.is_sorted_by(|a, b| a.end <= b.start), "{ranges:?}");
        assert!(take(layout(BYTES, 1)).is_null(), "more than is left");
        assert!(take(layout(8, 2 * ALIGNED)).is_null());
        assert!(!holds(std::ptr::from_mut(&mut 0u8)));
        for (block, layout) in blocks.into_iter().zip(all) {
            // SAFETY: taken above, and not used any more.
            unsafe { give_back(block, layout) };
        }
        let again = take(all[2]);
        assert_eq!(again, blocks[2], "a block that was given back");
        // SAFETY: as above.
        unsafe { give_back(again, all[2]) };
    }
}
