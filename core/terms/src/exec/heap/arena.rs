//! The cells of a size class, with the bitmap that a collection leaves.

use super::Full;
use super::part::Part;
use crate::plan::Class;
use gchr_base::memory::{self, Reservation};

/// So many bytes at the start of an arena are taken in small pages.
const SMALL: u64 = 32 << 20;

pub(super) struct Arena {
    pub cells: Reservation,
    pub marks: Reservation,
    /// Cells below this have been handed out at least once; cell 0 never is.
    pub high: u32,
    /// Cells that the values can name and the reservation may come to hold.
    pub limit: u32,
    /// Cells below this are in parts that have been handed out since the last collection.
    cursor: u32,
    /// Where parts end: `high` at the last collection.
    scan_end: u32,
    pub cell_bytes: u64,
}

impl Arena {
    /// Without cells; `None` when the system gives no address space.
    pub fn new(class: &Class, memory: u64) -> Option<Self> {
        let cell_bytes = 4 * u64::from(class.words);
        let indices = 1u64 << (32 - class.tag_bits);
        let bytes = indices.saturating_mul(cell_bytes).min(memory.max(1 << 20));
        let mut cells = Reservation::new(bytes, (1 << 20).max(2 * cell_bytes))?;
        cells.prefer_large_pages(SMALL);
        let limit = (cells.most() / cell_bytes).min(indices).min(u64::from(u32::MAX)) as u32;
        let marks = Reservation::new((cells.most() / cell_bytes).div_ceil(64) * 8, 4096)?;
        Some(Self { cells, marks, high: 1, limit, cursor: 1, scan_end: 1, cell_bytes })
    }

    /// Forgets all cells.
    pub fn clear(&mut self) {
        (self.high, self.cursor, self.scan_end) = (1, 1, 1);
    }

    /// A collection has filled the bitmap.
    pub fn collected(&mut self) {
        (self.cursor, self.scan_end) = (1, self.high);
    }

    /// Takes so many cells that were never handed out, or fewer where the process may not have as many.
    pub fn take(&mut self, mut cells: u32) -> Result<u32, Full> {
        let high = u64::from(self.high);
        let reach = self.cells.touched().saturating_add(memory::left()) / self.cell_bytes;
        cells = cells.min(u32::try_from(reach.saturating_sub(high)).unwrap_or(u32::MAX));
        if cells == 0 {
            return Err(Full::Process);
        }
        let sizes = |cells: u32| {
            let end = high + u64::from(cells);
            (end * self.cell_bytes, end.div_ceil(64) * 8)
        };
        while !(self.cells.grow(sizes(cells).0) && self.marks.grow(sizes(cells).1)) {
            if cells == 1 {
                return Err(Full::System);
            }
            cells /= 2;
        }
        let (bytes, marks) = sizes(cells);
        self.cells.touch(bytes);
        self.marks.touch(marks);
        self.high += cells;
        Ok(cells)
    }

    /// Gives back the cells from `from` to the last one, which have not been used.
    pub fn give_back(&mut self, from: u32) {
        self.high = from;
        self.scan_end = self.scan_end.min(from);
        self.cursor = self.cursor.min(from);
    }

    /// The next part of the bitmap, of at most so many cells.
    pub fn next_part(&mut self, cells: u32) -> Option<Part> {
        if self.cursor >= self.scan_end {
            return None;
        }
        let end = self.cursor.saturating_add(cells).min(self.scan_end);
        let part = Part::new(self.marks.base().cast(), self.cursor, end);
        self.cursor = end;
        Some(part)
    }
}
