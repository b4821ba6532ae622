//! Memory of the simulated device: bytes as the device lays them out, which of them are written, and the shadow of a
//! launch.

use std::sync::Arc;

use gchr_base::hash::HashMap;

use super::clock::Thread;
use super::layout::Layout;
use super::order::{ShadowCell, SyncPoint};
use gchr_kernel::ir::Scalar;

/// The owner of an element until its next barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub thread: Thread,
    pub block: u32,
    /// Barriers its block had passed.
    pub barriers: u32,
    pub name: u32,
}

/// A buffer of global memory, or a shared array of one block.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    bytes: Vec<u8>,
    /// One bit a byte: whether it is written. `None`: all are.
    written: Option<Vec<u64>>,
    /// Layout of the elements in the current launch.
    pub layout: Arc<Layout>,
    /// Number of elements.
    pub len: u64,
    /// One cell a scalar.
    pub shadow: Vec<ShadowCell>,
    /// What atomics published, by cell.
    pub sync: HashMap<u64, SyncPoint>,
    /// Owned cells.
    pub owners: HashMap<u64, Owner>,
}

impl Memory {
    /// Memory of so many unwritten bytes; `None` when it does not fit the machine.
    pub(crate) fn new(bytes: u64) -> Option<Self> {
        let len = usize::try_from(bytes).ok().filter(|&b| fits::<u8>(b))?;
        Some(Self {
            bytes: vec![0; len],
            written: Some(vec![0; len.div_ceil(64)]),
            layout: Arc::new(Layout::scalar(Scalar::U8)),
            len: bytes,
            shadow: Vec::new(),
            sync: HashMap::default(),
            owners: HashMap::default(),
        })
    }
    /// Bytes of the machine that memory of so many bytes takes before it is used: a bit a byte says whether it is
    /// written.
    pub(crate) fn cost(bytes: u64) -> u64 {
        bytes.saturating_add(bytes.div_ceil(64) * 8)
    }
    /// Bytes of its shadow.
    pub(crate) fn shadow_bytes(&self) -> u64 {
        size_of_val(&self.shadow[..]) as u64
    }
    /// Bytes of the shadow that a launch needs which takes it as elements of this layout.
    pub(crate) fn shadow_bytes_for(&self, layout: &Layout) -> u64 {
        let elements = (self.bytes.len() / layout.size as usize) as u64;
        elements.saturating_mul(layout.cells() as u64).saturating_mul(size_of::<ShadowCell>() as u64)
    }
    /// Prepares for a launch that takes it as elements of this layout; `renew` when the shadow may hold times to come.
    /// `None` when the shadow does not fit the machine.
    pub(crate) fn start_launch(&mut self, layout: &Arc<Layout>, renew: bool) -> Option<()> {
        let elements = self.bytes.len() / layout.size as usize;
        let cells = elements.checked_mul(layout.cells())?;
        if renew || cells != self.shadow.len() {
            self.shadow = Vec::new();
            if !fits::<ShadowCell>(cells) {
                return None;
            }
            // Zeroed by the system, page by page as it is touched.
            self.shadow = vec![[[0; 3]; 3]; cells];
        }
        self.layout = layout.clone();
        self.len = elements as u64;
        self.sync = HashMap::default();
        self.owners = HashMap::default();
        Some(())
    }
    /// The layout of the next accesses: the one of the launch, or one that [`Layout::overlays`] it.
    #[inline]
    pub(crate) fn show_as(&mut self, layout: &Arc<Layout>) {
        if !Arc::ptr_eq(&self.layout, layout) {
            self.layout = layout.clone();
            self.len = self.bytes.len() as u64 / u64::from(layout.size);
        }
    }
    /// Makes all of it zero and unwritten, for the next block.
    pub(crate) fn clear(&mut self) {
        self.bytes.fill(0);
        self.written = Some(vec![0; self.bytes.len().div_ceil(64)]);
        self.shadow.fill([[0; 3]; 3]);
        self.sync = HashMap::default();
        self.owners = HashMap::default();
    }

    // The host's view: bytes

    /// Bytes that the device needs for it.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
    /// Bytes of a range, to be written all by the caller.
    pub(crate) fn write(&mut self, range: std::ops::Range<usize>) -> &mut [u8] {
        if range.len() == self.bytes.len() {
            self.written = None;
        } else if let Some(bits) = &mut self.written {
            set_bits(bits, range.clone());
        }
        &mut self.bytes[range]
    }
    /// Everything counts as written.
    pub(crate) fn vouch(&mut self) {
        self.written = None;
    }
    /// Everything counts as unwritten.
    pub(crate) fn forget(&mut self) {
        self.written = Some(vec![0; self.bytes.len().div_ceil(64)]);
    }
    /// The first `count` bytes of `from` become the first of this one, written or not.
    pub(crate) fn copy_from(&mut self, from: &Memory, count: usize) {
        self.write(0..count).copy_from_slice(&from.bytes[..count]);
        let Some(source) = &from.written else { return };
        let bits = self.written.get_or_insert_with(|| vec![u64::MAX; self.bytes.len().div_ceil(64)]);
        let words = count / 64;
        bits[..words].copy_from_slice(&source[..words]);
        let rest = (1u64 << (count % 64)) - 1;
        if rest != 0 {
            bits[words] = bits[words] & !rest | source[words] & rest;
        }
    }

    // The device's view: elements. Indices are within bounds.

    pub(crate) fn cell(&self, index: u64, field: u32) -> usize {
        index as usize * self.layout.cells() + field as usize
    }
    #[inline(always)]
    fn at(&self, index: u64, offset: u32) -> usize {
        index as usize * self.layout.size as usize + offset as usize
    }
    /// Whether all bytes of a scalar are written.
    #[inline(always)]
    pub(crate) fn is_written(&self, index: u64, (offset, ty): (u32, Scalar)) -> bool {
        let Some(bits) = &self.written else { return true };
        let at = self.at(index, offset);
        let mask = (1u64 << ty.bytes()) - 1;
        bits[at / 64] >> (at % 64) & mask == mask
    }
    /// Bits of a scalar.
    #[inline(always)]
    pub(crate) fn load(&self, index: u64, (offset, ty): (u32, Scalar)) -> u64 {
        let at = self.at(index, offset);
        match ty.bytes() {
            1 => u64::from(self.bytes[at]),
            4 => u64::from(u32::from_le_bytes(self.array(at))),
            _ => u64::from_le_bytes(self.array(at)),
        }
    }
    #[inline(always)]
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut out = [0; N];
        out.copy_from_slice(&self.bytes[at..at + N]);
        out
    }
    /// Writes the bits of a scalar; says whether they changed.
    #[inline(always)]
    pub(crate) fn store(&mut self, index: u64, (offset, ty): (u32, Scalar), bits: u64) -> bool {
        let at = self.at(index, offset);
        let size = ty.bytes() as usize;
        if let Some(written) = &mut self.written {
            written[at / 64] |= ((1 << size) - 1) << (at % 64);
        }
        match size {
            1 => replace(&mut self.bytes[at..=at], [bits as u8]),
            4 => replace(&mut self.bytes[at..at + 4], (bits as u32).to_le_bytes()),
            _ => replace(&mut self.bytes[at..at + 8], bits.to_le_bytes()),
        }
    }
    /// 32-byte sectors that hold `bytes` bytes at `offset` in element `index`: first and last.
    pub(crate) fn sectors(&self, index: u64, offset: u32, bytes: u32) -> (u64, u64) {
        let start = index * u64::from(self.layout.size) + u64::from(offset);
        (start / 32, (start + u64::from(bytes).max(1) - 1) / 32)
    }
}

/// Writes bytes of a known number; says whether they changed.
#[inline(always)]
fn replace<const N: usize>(target: &mut [u8], new: [u8; N]) -> bool {
    let changed = target != new;
    target.copy_from_slice(&new);
    changed
}

/// Whether the machine can give memory for so many values.
fn fits<T>(count: usize) -> bool {
    Vec::<T>::new().try_reserve_exact(count).is_ok()
}

/// Sets a range of bits.
fn set_bits(bits: &mut [u64], range: std::ops::Range<usize>) {
    let mut at = range.start;
    while at < range.end {
        let end = range.end.min((at / 64 + 1) * 64);
        bits[at / 64] |= u64::MAX >> (64 - (end - at)) << (at % 64);
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const U32: (u32, Scalar) = (0, Scalar::U32);

    fn words(bytes: u64) -> Memory {
        let mut memory = Memory::new(bytes).unwrap();
        memory.start_launch(&Arc::new(Layout::scalar(Scalar::U32)), false).unwrap();
        memory
    }

    #[test]
    fn ranges_of_bits_are_set() {
        for (start, end) in [(0, 0), (0, 64), (3, 5), (60, 70), (1, 191), (64, 128)] {
            let mut bits = [0; 3];
            set_bits(&mut bits, start..end);
            for i in 0..192 {
                assert_eq!(
                    bits[i / 64] >> (i % 64) & 1 == 1,
                    (start..end).contains(&i),
                    "{start}..{end} at {i}"
                );
            }
        }
    }

    #[test]
    fn a_scalar_is_written_when_all_its_bytes_are() {
        let mut memory = words(1024);
        memory.write(400..403).fill(1);
        assert!(!memory.is_written(100, U32));
        memory.write(403..404).fill(1);
        assert!(memory.is_written(100, U32) && !memory.is_written(101, U32) && !memory.is_written(99, U32));
        memory.store(7, U32, 9);
        assert!(memory.is_written(7, U32) && memory.load(7, U32) == 9);
    }

    #[test]
    fn copies_carry_what_is_written() {
        let mut from = words(400);
        from.store(3, U32, 5);
        from.store(40, U32, 6);
        let mut to = words(800);
        to.write(0..800).fill(0);
        to.copy_from(&from, 400);
        assert!(to.is_written(3, U32) && to.is_written(40, U32) && to.is_written(100, U32));
        assert!(!to.is_written(4, U32) && !to.is_written(99, U32));
        assert_eq!((to.load(3, U32), to.load(40, U32)), (5, 6));
    }

    #[test]
    fn unreasonable_sizes_are_refused() {
        assert!(Memory::new(u64::MAX).is_none());
        assert!(Memory::new(1 << 62).is_none());
    }
}
