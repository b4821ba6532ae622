//! Memory of the simulated device: bytes as the device lays them out, and their shadow.

use std::sync::Arc;

use gchr_core::hash::HashMap;

use super::clock::Thread;
use super::layout::Layout;
use super::order::{Cell, HOST_TIME, SyncPoint};
use crate::ir::Scalar;

/// Who owns an element until its next barrier.
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
    pub layout: Arc<Layout>,
    pub len: u64,
    bytes: Vec<u8>,
    /// One cell a scalar.
    pub shadow: Vec<Cell>,
    /// Whether everything counts as written from the start.
    born_written: bool,
    /// What atomics published, by cell.
    pub sync: HashMap<u64, SyncPoint>,
    /// Owned cells.
    pub owners: HashMap<u64, Owner>,
}

impl Memory {
    /// Memory of `len` elements, all zero; `None` when it does not fit the machine.
    pub(crate) fn new(layout: Arc<Layout>, len: u64, born_written: bool) -> Option<Self> {
        let elements = usize::try_from(len).ok()?;
        let bytes = elements.checked_mul(layout.size as usize)?;
        let cells = elements.checked_mul(layout.cells())?;
        cells.checked_mul(size_of::<Cell>()).filter(|&b| b < isize::MAX as usize)?;
        Some(Self {
            layout,
            len,
            bytes: vec![0; bytes],
            shadow: vec![[[0; 3]; 3]; cells],
            born_written,
            sync: HashMap::default(),
            owners: HashMap::default(),
        })
    }
    /// Makes all of it zero and unwritten, for the next block.
    pub(crate) fn clear(&mut self) {
        self.bytes.fill(0);
        self.shadow.fill([[0; 3]; 3]);
        self.born_written = false;
        self.forget_launch();
    }
    /// Forgets what only matters within a launch.
    pub(crate) fn forget_launch(&mut self) {
        self.sync = HashMap::default();
        self.owners = HashMap::default();
    }
    pub(crate) fn cell(&self, index: u64, field: u32) -> usize {
        index as usize * self.layout.cells() + field as usize
    }
    pub(crate) fn is_written(&self, cell: usize) -> bool {
        self.born_written || self.shadow[cell][0][0] != 0
    }
    /// Everything counts as written, by the host.
    pub(crate) fn set_written(&mut self) {
        self.born_written = true;
    }
    /// Elements of this range count as written, by the host.
    pub(crate) fn mark_written(&mut self, start: u64, count: u64) {
        if count >= self.len {
            return self.set_written();
        }
        let cells = self.layout.cells();
        let range = start as usize * cells..(start + count) as usize * cells;
        if !self.born_written {
            for cell in &mut self.shadow[range] {
                if cell[0][0] == 0 {
                    cell[0][0] = HOST_TIME;
                }
            }
        }
    }
    /// Everything counts as unwritten.
    pub(crate) fn set_unwritten(&mut self) {
        self.born_written = false;
        self.shadow.fill([[0; 3]; 3]);
    }
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
    /// Bytes that the device would need.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    /// Bits of a scalar. The index is within bounds.
    #[inline(always)]
    pub(crate) fn load(&self, index: u64, (offset, ty): (u32, Scalar)) -> u64 {
        let at = index as usize * self.layout.size as usize + offset as usize;
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
    /// Writes the bits of a scalar; says whether they changed. The index is within bounds.
    #[inline(always)]
    pub(crate) fn store(&mut self, index: u64, (offset, ty): (u32, Scalar), bits: u64) -> bool {
        let at = index as usize * self.layout.size as usize + offset as usize;
        let size = ty.bytes() as usize;
        let target = &mut self.bytes[at..at + size];
        let new = bits.to_le_bytes();
        let changed = *target != new[..size];
        target.copy_from_slice(&new[..size]);
        changed
    }
    /// 32-byte sectors that hold `bytes` bytes at `offset` in element `index`: first and last.
    pub(crate) fn sectors(&self, index: u64, offset: u32, bytes: u32) -> (u64, u64) {
        let start = index * u64::from(self.layout.size) + u64::from(offset);
        (start / 32, (start + u64::from(bytes).max(1) - 1) / 32)
    }
}
