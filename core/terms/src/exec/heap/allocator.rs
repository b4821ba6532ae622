//! Where a thread takes cells from: runs of free cells, and the parts of the bitmaps that further runs come from.

use super::arena::Arena;
use super::part::Part;
use crate::exec::text::Cells;
use crate::plan::{ClassId, Layout};
use gchr_base::ids::Id;

/// What allocation from one arena reads and writes: the current run of free cells.
///
/// **Invariant:** cells `next..end` are reserved, hold no live value, no other run has them, and `end` is at most the
/// arena's `high`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Bump {
    /// First word of the arena.
    pub base: *mut u32,
    /// Words per cell.
    pub words: u32,
    /// Tag bits of the values.
    pub shift: u32,
    /// Next free cell.
    pub next: u32,
    /// End of the run.
    pub end: u32,
}

/// Runs of free cells by class, for one thread.
#[derive(Default)]
pub struct Allocator {
    /// A leaked box: compiled code and the interpreter go on using its pointers while runs are replaced.
    bumps: Option<Bumps>,
    parts: Box<[Part]>,
    /// By class: how many cells its arena may come to hold.
    limits: Box<[u32]>,
    cell_bytes: Box<[u64]>,
    /// Bytes of the runs that the heap has not been told of.
    untold: u64,
    /// So many bytes may be left untold.
    most_untold: u64,
    /// Bytes of a run of cells that a collection has found free, at most. All of it counts as allocated.
    pub(super) run_bytes: u64,
}

/// The pointers of all classes.
struct Bumps(*mut [Bump]);

// SAFETY: the pointers point into the reservations of a heap, which outlives its allocators; the box is owned.
unsafe impl Send for Allocator {}
// SAFETY: shared access only reads.
unsafe impl Sync for Allocator {}

impl Allocator {
    /// Without runs; leaves at most so many bytes of runs untold.
    pub(super) fn new(layout: &Layout, arenas: &mut [Arena], most_untold: u64) -> Self {
        let bump = |(class, arena): (_, &mut Arena)| {
            let class: &crate::plan::Class = class;
            let (words, shift) = (class.words, class.tag_bits);
            Bump { base: arena.cells.base().cast(), words, shift, next: 1, end: 1 }
        };
        let bumps: Vec<Bump> = layout.classes.iter().zip(arenas.iter_mut()).map(bump).collect();
        Self {
            parts: bumps.iter().map(|_| Part::empty()).collect(),
            bumps: Some(Bumps(Box::into_raw(bumps.into_boxed_slice()))),
            limits: arenas.iter().map(|arena| arena.limit).collect(),
            cell_bytes: arenas.iter().map(|arena| arena.cell_bytes).collect(),
            untold: 0,
            most_untold,
            run_bytes: u64::MAX,
        }
    }

    /// The pointers, by class.
    pub fn bumps(&self) -> *mut Bump {
        self.all().cast()
    }

    fn all(&self) -> *mut [Bump] {
        self.bumps.as_ref().map_or(std::ptr::slice_from_raw_parts_mut(std::ptr::null_mut(), 0), |b| b.0)
    }

    /// The pointer of a class, as it is now.
    pub(super) fn bump(&self, class: usize) -> Bump {
        assert!(class < self.all().len(), "every arena has a pointer");
        // SAFETY: inside the leaked box. Engines write through their copy of the pointer only while nothing borrows
        // the allocator.
        unsafe { *self.bumps().add(class) }
    }

    /// Sets the run of free cells of a class.
    pub(super) fn set_run(&mut self, class: usize, next: u32, end: u32) {
        assert!(class < self.all().len(), "every arena has a pointer");
        // SAFETY: as for reading; the allocator is borrowed mutably.
        unsafe {
            let bump = self.bumps().add(class);
            ((*bump).next, (*bump).end) = (next, end);
        }
    }

    /// A new run for a class, without the heap. Says whether there was one.
    pub fn refill(&mut self, class: usize) -> bool {
        self.untold < self.most_untold && self.next_run(class)
    }

    /// The same, however much is untold.
    pub(super) fn next_run(&mut self, class: usize) -> bool {
        let most = (self.run_bytes / self.cell_bytes[class]).clamp(1, u32::MAX.into()) as u32;
        let Some((next, end)) = self.parts[class].next_run(most) else { return false };
        self.take(class, next, end);
        true
    }

    /// Has a run for a class.
    pub(super) fn take(&mut self, class: usize, next: u32, end: u32) {
        self.set_run(class, next, end);
        self.untold += u64::from(end - next) * self.cell_bytes[class];
    }

    /// Leaves one cell of the run of a class, and the others for later.
    pub(super) fn leave_one(&mut self, class: usize) {
        let Bump { next, end, .. } = self.bump(class);
        if end > next {
            self.untold -= u64::from(end - next - 1) * self.cell_bytes[class];
            self.parts[class].back_to(next + 1);
            self.set_run(class, next, next + 1);
        }
    }

    /// Has a part of the bitmap of a class.
    pub(super) fn search(&mut self, class: usize, part: Part) {
        self.parts[class] = part;
    }

    /// Bytes of the runs since this was asked last.
    pub(super) fn tell(&mut self) -> u64 {
        std::mem::take(&mut self.untold)
    }

    /// Forgets all runs: to be called when a collection is over.
    pub fn clear(&mut self) {
        for class in 0..self.parts.len() {
            self.parts[class] = Part::empty();
            self.set_run(class, 1, 1);
        }
        self.untold = 0;
    }
}

/// For a thread that has values of the heap: it sees their cells.
impl Cells for Allocator {
    fn cell(&self, class: ClassId, index: u32) -> Option<&[u32]> {
        let class = class.index();
        if index == 0 || index >= *self.limits.get(class)? {
            return None;
        }
        let Bump { base, words, .. } = self.bump(class);
        // SAFETY: values name cells that have been taken, which lie in the reservation, and nobody writes to the cell
        // of a value that is complete.
        Some(unsafe { std::slice::from_raw_parts(base.add(index as usize * words as usize), words as usize) })
    }
}

impl Drop for Allocator {
    fn drop(&mut self) {
        if let Some(Bumps(bumps)) = self.bumps.take() {
            // SAFETY: made by `Box::into_raw`, freed here only.
            drop(unsafe { Box::from_raw(bumps) });
        }
    }
}
