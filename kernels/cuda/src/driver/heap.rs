//! Buffers inside a few large allocations.
//!
//! The driver's own allocator is slow, rounds up to megabytes, and waits for all work when it frees. Small buffers
//! therefore share allocations of [`CHUNK`] bytes, large ones have their own. Nothing here touches memory, so it is the
//! same with any kind of it.

use std::collections::BTreeMap;

/// Alignment of buffers, in bytes: that of the driver's own allocations.
pub(super) const ALIGNMENT: u64 = 256;

/// Smallest allocation.
pub(super) const CHUNK: u64 = 64 << 20;

/// Allocations are multiples of this, the page size of the hardware.
const PAGE: u64 = 2 << 20;

/// A piece of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Block {
    chunk: usize,
    offset: u64,
    bytes: u64,
}

/// Allocations of type `M` and what is free in them.
pub(super) struct Heap<M> {
    chunks: Vec<Option<Chunk<M>>>,
}

struct Chunk<M> {
    memory: M,
    bytes: u64,
    /// Free pieces, offset to length. No two of them touch.
    free: BTreeMap<u64, u64>,
}

impl<M> Chunk<M> {
    fn is_empty(&self) -> bool {
        self.free.get(&0) == Some(&self.bytes)
    }
}

impl<M> Heap<M> {
    pub(super) fn new() -> Self {
        Heap { chunks: Vec::new() }
    }

    /// Bytes that a buffer takes; `None` when no number says how many.
    fn rounded(bytes: u64) -> Option<u64> {
        bytes.max(1).checked_next_multiple_of(ALIGNMENT)
    }

    /// How large an allocation should be for a buffer, and how large it must be at least.
    pub(super) fn chunk_sizes(bytes: u64) -> Option<(u64, u64)> {
        let least = Self::rounded(bytes)?.checked_next_multiple_of(PAGE)?;
        Some((least.max(CHUNK), least))
    }

    /// Takes a block from what is free: the smallest piece that is large enough.
    pub(super) fn take(&mut self, bytes: u64) -> Option<Block> {
        let bytes = Self::rounded(bytes)?;
        let fits = self.chunks.iter().enumerate().flat_map(|(index, chunk)| {
            let pieces = chunk.iter().flat_map(|chunk| &chunk.free);
            pieces
                .filter(|(_, length)| **length >= bytes)
                .map(move |(offset, length)| (*length, index, *offset))
        });
        let (length, index, offset) = fits.min()?;
        let free = &mut self.chunks[index].as_mut()?.free;
        free.remove(&offset);
        if length > bytes {
            free.insert(offset + bytes, length - bytes);
        }
        Some(Block { chunk: index, offset, bytes })
    }

    /// Adds an allocation.
    pub(super) fn add(&mut self, memory: M, bytes: u64) {
        let chunk = Some(Chunk { memory, bytes, free: BTreeMap::from([(0, bytes)]) });
        match self.chunks.iter().position(Option::is_none) {
            Some(index) => self.chunks[index] = chunk,
            None => self.chunks.push(chunk),
        }
    }

    /// Gives a block back. The allocation comes with it when it is empty now and of no use for small buffers.
    pub(super) fn release(&mut self, block: Block) -> Option<M> {
        let slot = self.chunks.get_mut(block.chunk)?;
        let chunk = slot.as_mut()?;
        let (mut start, mut end) = (block.offset, block.offset + block.bytes);
        if let Some((&before, &length)) = chunk.free.range(..start).next_back()
            && before + length == start
        {
            start = before;
        }
        if let Some(length) = chunk.free.remove(&end) {
            end += length;
        }
        chunk.free.insert(start, end - start);
        if chunk.is_empty() && chunk.bytes > CHUNK { slot.take().map(|chunk| chunk.memory) } else { None }
    }

    /// Takes all empty allocations out.
    pub(super) fn take_empty(&mut self) -> Vec<M> {
        let empty = self.chunks.iter_mut().filter(|slot| slot.as_ref().is_some_and(Chunk::is_empty));
        empty.filter_map(Option::take).map(|chunk| chunk.memory).collect()
    }

    /// The allocation that a block lies in, and where in it.
    pub(super) fn place(&self, block: Block) -> Option<(&M, u64)> {
        self.chunks.get(block.chunk)?.as_ref().map(|chunk| (&chunk.memory, block.offset))
    }

    /// Bytes of all allocations.
    pub(super) fn bytes(&self) -> u64 {
        self.chunks.iter().flatten().map(|chunk| chunk.bytes).sum()
    }

    /// Bytes of all allocations that no block uses.
    pub(super) fn free_bytes(&self) -> u64 {
        self.chunks.iter().flatten().flat_map(|chunk| chunk.free.values()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn alloc(heap: &mut Heap<usize>, bytes: u64) -> Block {
        heap.take(bytes).unwrap_or_else(|| {
            let (size, _) = Heap::<usize>::chunk_sizes(bytes).expect("a size");
            heap.add(heap.chunks.len(), size);
            heap.take(bytes).expect("the new allocation is large enough")
        })
    }

    #[test]
    fn small_buffers_share_an_allocation() {
        let mut heap = Heap::new();
        let blocks: Vec<_> = (0..1000).map(|i| alloc(&mut heap, i * 10)).collect();
        assert_eq!(heap.chunks.len(), 1);
        assert!(blocks.iter().all(|b| b.offset % ALIGNMENT == 0 && b.bytes >= 1));
        for block in blocks {
            assert_eq!(heap.release(block), None);
        }
        assert_eq!(heap.free_bytes(), CHUNK);
        assert_eq!(heap.take_empty(), [0]);
        assert_eq!(heap.bytes(), 0);
    }

    #[test]
    fn a_large_buffer_takes_its_allocation_with_it() {
        let mut heap = Heap::new();
        alloc(&mut heap, 1);
        let large = alloc(&mut heap, CHUNK + 1);
        assert_eq!(heap.bytes(), 2 * CHUNK + PAGE);
        assert_eq!(heap.release(large), Some(1));
        assert_eq!(heap.bytes(), CHUNK);
        // The slot is used again.
        assert_eq!(alloc(&mut heap, CHUNK + 1).chunk, 1);
    }

    #[test]
    fn sizes_beyond_all_numbers_are_refused() {
        assert_eq!(Heap::<()>::chunk_sizes(u64::MAX), None);
        assert_eq!(Heap::<()>::new().take(u64::MAX), None);
    }

    proptest! {
        /// Blocks never overlap, and when all are released everything is free again.
        #[test]
        fn blocks_are_apart(steps in proptest::collection::vec((any::<bool>(), 0u64..(20 << 20)), 1..60)) {
            let mut heap = Heap::new();
            let mut live: Vec<Block> = Vec::new();
            for (release, bytes) in steps {
                if release && !live.is_empty() {
                    let block = live.swap_remove(bytes as usize % live.len());
                    heap.release(block);
                } else {
                    let block = alloc(&mut heap, bytes);
                    prop_assert!(block.bytes >= bytes);
                    let apart = |b: &Block| {
                        b.chunk != block.chunk || b.offset + b.bytes <= block.offset || block.offset + block.bytes <= b.offset
                    };
                    prop_assert!(live.iter().all(apart));
                    live.push(block);
                }
                let used: u64 = live.iter().map(|b| b.bytes).sum();
                prop_assert_eq!(heap.free_bytes() + used, heap.bytes());
            }
            for block in live {
                heap.release(block);
            }
            let chunks = heap.chunks.iter().flatten().count();
            prop_assert_eq!(heap.take_empty().len(), chunks);
        }
    }
}
