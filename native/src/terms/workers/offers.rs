//! The calls that a thread offers to others: entries in a list that native code appends to and takes from, each the
//! address of a record in a frame. The oldest ones, at the beginning, are handed over first.
//!
//! **Invariant:** the records of all entries below the end that native code has are in live frames. The first word of a
//! record is `2 * function + 1` with the arguments behind it, or, in the first `handed` entries, a task, of which it
//! owns a reference.

use std::sync::Arc;

use gchr_base::memory::Reservation;

use super::shared::Task;
use crate::code::Code;
use crate::function::Func;
use crate::stack::RED_ZONE;

/// A frame with records has usually so many bytes for each byte of their entries.
const PART: u64 = 4;
/// What frames may take beyond their limit.
const MORE: u64 = 2 * RED_ZONE;

/// The list.
pub(super) struct Offers {
    space: Reservation,
    /// Entries that have been handed over.
    handed: usize,
}

impl Offers {
    /// A list for frames of at most so many bytes; `None` when the system gives no address space.
    pub fn new(frames: u64) -> Option<Self> {
        // A record is no smaller than its entry.
        let bytes = frames + MORE;
        Reservation::new(bytes, bytes).map(|space| Self { space, handed: 0 })
    }

    /// Where the first entry is.
    pub fn bottom(&mut self) -> *mut *mut u64 {
        self.space.base().cast()
    }

    /// Frames take, or will take, so many bytes.
    pub fn touch(&mut self, frames: u64) {
        self.space.touch(frames / PART);
    }

    fn record(&mut self, at: usize) -> *mut u64 {
        // SAFETY: an entry below the end.
        unsafe { *self.bottom().add(at) }
    }

    /// Makes a task of the oldest entry below `end` that is none; `None` where there is none.
    pub fn promote(&mut self, end: *mut *mut u64, code: &Code<'static>) -> Option<Arc<Task>> {
        // SAFETY: the end lies in the list, and not before its beginning.
        let entries = unsafe { end.offset_from(self.bottom()) }.unsigned_abs();
        if self.handed >= entries {
            return None;
        }
        let record = self.record(self.handed);
        self.handed += 1;
        // SAFETY: by the invariant.
        let task = unsafe {
            let function = Func((*record >> 1) as u32);
            let args = std::slice::from_raw_parts(record.add(1), code.signature(function).params.len());
            let task = Arc::new(Task::new(function, args.into()));
            *record = Arc::into_raw(Arc::clone(&task)) as u64;
            task
        };
        Some(task)
    }

    /// The task of a record that was taken from the list.
    ///
    /// # Safety
    /// Its first word is a task, which is not asked for again.
    pub unsafe fn task(record: *mut u64) -> Arc<Task> {
        // SAFETY: made by `promote`.
        unsafe { Arc::from_raw(*record as *const Task) }
    }

    /// The last entry was taken from the list, which ends there now.
    pub fn taken_back(&mut self, end: *mut *mut u64) {
        // SAFETY: as in `promote`.
        let entries = unsafe { end.offset_from(self.bottom()) }.unsigned_abs();
        self.handed = self.handed.min(entries);
    }

    /// The entries below `end`: functions with arguments, and with a value for what was handed over and is done.
    pub fn for_each(
        &mut self,
        end: *mut *mut u64,
        code: &Code<'static>,
        mut f: impl FnMut(Func, &[u64], Option<u64>),
    ) {
        // SAFETY: as in `promote`.
        let entries = unsafe { end.offset_from(self.bottom()) }.unsigned_abs();
        for at in 0..entries {
            let record = self.record(at);
            // SAFETY: by the invariant; a record keeps its reference.
            unsafe {
                if at < self.handed {
                    let task = &*(*record as *const Task);
                    f(task.function, &task.args, task.value());
                } else {
                    let function = Func((*record >> 1) as u32);
                    let arguments = code.signature(function).params.len();
                    f(function, std::slice::from_raw_parts(record.add(1), arguments), None);
                }
            }
        }
    }

    /// Drops all tasks: native code was left, and has written nothing to its stack since.
    pub fn drop_all(&mut self) {
        for at in 0..std::mem::take(&mut self.handed) {
            let record = self.record(at);
            // SAFETY: by the invariant; nobody uses the record any more.
            drop(unsafe { Self::task(record) });
        }
    }
}
