//! Shared memory Σ: cells, and which warps have touched them, because nothing orders the accesses of two warps.

use super::program::Value;

/// The threads that have accessed a cell.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Who {
    #[default]
    Nobody,
    One(u32),
    Several,
}

impl Who {
    fn includes_other_than(self, warp: u32) -> bool {
        match self {
            Who::Nobody => false,
            Who::One(one) => one != warp,
            Who::Several => true,
        }
    }
    fn add(&mut self, warp: u32) {
        *self = if self.includes_other_than(warp) { Who::Several } else { Who::One(warp) };
    }
}

/// What warps have done to a cell.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Touched {
    loaded: Who,
    stored: Who,
    incremented: Who,
}

/// An access that another warp's one to the same cell is not ordered with, so that its result is undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unordered;

/// Memory of a run.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    cells: Vec<Value>,
    /// By cell; empty when there is one warp only.
    touched: Vec<Touched>,
}

impl Memory {
    /// Memory with these cells, for one warp or for several.
    pub fn new(cells: Vec<Value>, several_warps: bool) -> Self {
        let touched = if several_warps { vec![Touched::default(); cells.len()] } else { Vec::new() };
        Self { cells, touched }
    }
    /// All cells.
    pub fn cells(&self) -> &[Value] {
        &self.cells
    }
    /// The cell of an address, if there is one.
    pub fn cell(&self, address: i64) -> Option<usize> {
        usize::try_from(address).ok().filter(|&cell| cell < self.cells.len())
    }
    /// Σ(c).
    pub fn value(&self, cell: usize) -> Value {
        self.cells[cell]
    }
    /// Σ[c ↦ v].
    pub fn set(&mut self, cell: usize, value: Value) {
        self.cells[cell] = value;
    }
    /// Notes that a warp loads from a cell.
    pub fn load(&mut self, cell: usize, warp: u32) -> Result<(), Unordered> {
        self.touch(cell, |t| {
            t.loaded.add(warp);
            t.stored.includes_other_than(warp) || t.incremented.includes_other_than(warp)
        })
    }
    /// Notes that a warp stores a value to a cell. Storing what is there already contradicts nobody.
    pub fn store(&mut self, cell: usize, value: Value, warp: u32) -> Result<(), Unordered> {
        let same = self.cells[cell] == value;
        self.touch(cell, |t| {
            let others = [t.loaded, t.stored].iter().any(|who| who.includes_other_than(warp));
            t.stored.add(warp);
            others && !same || t.incremented.includes_other_than(warp)
        })
    }
    /// Notes that a warp increments a cell.
    pub fn increment(&mut self, cell: usize, warp: u32) -> Result<(), Unordered> {
        self.touch(cell, |t| {
            t.incremented.add(warp);
            t.stored.includes_other_than(warp) || t.loaded.includes_other_than(warp)
        })
    }
    fn touch(&mut self, cell: usize, f: impl FnOnce(&mut Touched) -> bool) -> Result<(), Unordered> {
        match self.touched.get_mut(cell).map(f) {
            Some(true) => Err(Unordered),
            _ => Ok(()),
        }
    }
}

/// Number of segments of so many cells that an instruction touches: what the memory system has to move for one warp.
pub(super) fn segments(cells: &[usize], segment: u32) -> u64 {
    let mut touched: Vec<usize> = cells.iter().map(|cell| cell / segment.max(1) as usize).collect();
    touched.sort_unstable();
    touched.dedup();
    touched.len() as u64
}
