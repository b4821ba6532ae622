//! Arrays of plain values that grow: small ones in memory of the allocator, large ones in a [`Reservation`]. What is in
//! those does not move when they grow, takes memory when it is touched, and comes in large pages.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use super::Reservation;

/// Bytes from which on an array has a reservation of its own.
const LARGE: usize = if cfg!(test) { 1 << 11 } else { 1 << 20 };
/// What a reservation may grow to, as a multiple of what it has at first: address space costs nothing, and an array
/// that outgrows it moves.
const ROOM: u64 = if cfg!(test) { 8 } else { 1 << 12 };
/// Bytes at the start of a reservation that come in small pages: a large one more is little beside them.
const SMALL_PAGES: u64 = 16 << 20;
/// Bytes of a large page, by which memory behind those is taken.
const LARGE_PAGE: u64 = 2 << 20;

/// An array that grows. New values are zero.
pub struct Growing<T> {
    /// The first of `len` values, in `space`.
    start: NonNull<T>,
    len: usize,
    space: Space<T>,
}

enum Space<T> {
    Small(Vec<T>),
    Large(Reservation),
}

// SAFETY: it owns its memory; `start` points into it.
unsafe impl<T: Send> Send for Growing<T> {}
// SAFETY: shared access only reads values.
unsafe impl<T: Sync> Sync for Growing<T> {}

impl<T> Deref for Growing<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `start` is aligned and points to `len` values, which this owns (see `place`).
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Growing<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`; access is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: bytemuck::Pod> Default for Growing<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<T: bytemuck::Pod> From<Vec<T>> for Growing<T> {
    fn from(values: Vec<T>) -> Self {
        let mut own = Self { start: NonNull::dangling(), len: values.len(), space: Space::Small(values) };
        own.place();
        own
    }
}

impl<T: bytemuck::Pod> Growing<T> {
    /// Makes the array `len` values long, if it is shorter, and gives those that are new: all zero.
    pub fn grow(&mut self, len: usize) -> &mut [T] {
        let old = self.len;
        if len > old {
            if let Space::Large(memory) = &mut self.space
                && memory.grow((len * size_of::<T>()) as u64)
            {
                touch(memory, len * size_of::<T>());
                self.len = len;
            } else {
                self.move_to(len);
            }
        }
        &mut self[old..]
    }

    /// Moves the values to where there is room for `len`.
    #[cold]
    fn move_to(&mut self, len: usize) {
        let bytes = len * size_of::<T>();
        let large = (bytes >= LARGE).then(|| Reservation::new(bytes as u64 * ROOM, bytes as u64)).flatten();
        match (large, &mut self.space) {
            (Some(mut memory), _) => {
                memory.prefer_large_pages(SMALL_PAGES);
                touch(&mut memory, bytes);
                // SAFETY: the reservation has room for more than the values that there are, is aligned to pages, and
                // is no part of what they are in.
                unsafe {
                    let to = memory.base().cast::<T>();
                    std::ptr::copy_nonoverlapping(self.start.as_ptr(), to, self.len);
                }
                self.space = Space::Large(memory);
            }
            (None, Space::Small(values)) => {
                values.reserve_exact(len - values.len());
                values.resize(len, T::zeroed());
            }
            (None, Space::Large(_)) => {
                let mut values = Vec::with_capacity(len);
                values.extend_from_slice(self);
                values.resize(len, T::zeroed());
                self.space = Space::Small(values);
            }
        }
        self.len = len;
        self.place();
    }

    /// Says again where the values are, which has to be done after each change of `space`: there are at least `len` of
    /// them, all of them written or zero.
    fn place(&mut self) {
        self.start = match &mut self.space {
            Space::Small(values) => NonNull::new(values.as_mut_ptr()),
            Space::Large(memory) => NonNull::new(memory.base().cast()),
        }
        .unwrap_or(NonNull::dangling());
    }
}

/// Counts the first so many bytes of a reservation as in use.
fn touch(memory: &mut Reservation, bytes: usize) {
    let bytes = bytes as u64;
    memory.touch(if bytes > SMALL_PAGES { bytes.next_multiple_of(LARGE_PAGE) } else { bytes });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_grow_and_keep_their_values() {
        let mut array = Growing::<u32>::default();
        assert!(array.is_empty() && array.grow(0).is_empty());
        let mut len = 0;
        // To far beyond the first reservation.
        while len * 4 < LARGE * 3 * ROOM as usize {
            let next = len + len / 3 + 5;
            let new = array.grow(next);
            assert!(new.len() == next - len && new.iter().all(|&value| value == 0));
            new.iter_mut().zip(len as u32..).for_each(|(value, at)| *value = at);
            len = next;
        }
        assert!(array.iter().zip(0..).all(|(&value, at)| value == at));
        assert!(array.grow(7).is_empty(), "arrays do not shrink");
        assert_eq!(array.len(), len);
    }

    #[test]
    fn large_arrays_stay_where_they_are() {
        let mut array = Growing::from(vec![7_u64; LARGE / 8]);
        array.grow(LARGE / 4)[0] = 8;
        let place = array.as_ptr();
        array.grow(LARGE);
        assert_eq!((array.as_ptr(), array[0], array[LARGE / 8]), (place, 7, 8));
    }
}
