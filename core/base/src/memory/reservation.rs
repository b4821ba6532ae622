//! Zeroed memory at a fixed address, whose pages are taken from the system when they are touched first.

use super::{count, pages};

/// Address space that is reserved where the process has only so much of it; it grows in place up to what was wanted.
const FIRST: u64 = 1 << 20;
/// Limited address space that no reservation takes, so that the allocator finds some.
const SPARE: u64 = 32 << 20;

/// Zeroed memory that never moves. Its owner says how much of it has been touched, which is counted as in use.
pub struct Reservation {
    space: space::Space,
    /// Bytes that it may grow to.
    most: u64,
    touched: u64,
}

impl Reservation {
    /// Memory that may grow to `most` bytes, and has `least` at once. `None` when the system gives no address space.
    pub fn new(most: u64, least: u64) -> Option<Self> {
        let most = most.max(least).max(4096);
        let first =
            if super::address_space_left().is_some() { FIRST.clamp(least.min(most), most) } else { most };
        Self::with_first(first, most, least)
    }

    /// Memory of `first` bytes, or of as many as the system gives down to `least`, that may grow to `most`.
    fn with_first(first: u64, most: u64, least: u64) -> Option<Self> {
        let mut bytes = first;
        loop {
            if let Some(space) = space::Space::new(usize::try_from(bytes).ok()?, most) {
                return Some(Self { space, most, touched: 0 });
            }
            if bytes <= least {
                return None;
            }
            bytes = (bytes / 2).max(least);
        }
    }

    /// Asks the system for large pages behind the first so many bytes: memory that is touched from its start to its end
    /// costs one fault for each of them. What lies before has small ones, for reservations of which little is used.
    pub fn prefer_large_pages(&mut self, behind: u64) {
        if let Some(bytes) = self.bytes().checked_sub(behind).filter(|&bytes| bytes > 0) {
            // SAFETY: inside the space.
            unsafe { pages::prefer_large(self.space.base().add(behind as usize), bytes as usize) };
        }
    }

    /// Start of the memory.
    #[inline]
    pub fn base(&mut self) -> *mut u8 {
        self.space.base()
    }

    /// Start of the memory, to read from.
    #[inline]
    pub(super) fn start(&self) -> *const u8 {
        self.space.start()
    }

    /// Bytes that can be used.
    pub fn bytes(&self) -> u64 {
        self.space.bytes() as u64
    }

    /// Bytes that it can grow to, if the system has them.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Makes room for so many bytes, in place; more than that while it is easy. Says whether they can be used.
    pub fn grow(&mut self, bytes: u64) -> bool {
        if bytes > self.most {
            return false;
        }
        let mut wanted = (self.bytes() * 2).clamp(bytes, self.most);
        while self.bytes() < bytes {
            let more = wanted - self.bytes();
            let spared = super::address_space_left().is_none_or(|left| left >= more + SPARE);
            if !(spared && self.space.grow(wanted as usize)) && wanted == bytes {
                return false;
            }
            wanted = (bytes + (wanted - bytes) / 2).max(bytes);
        }
        true
    }

    /// Bytes that were ever touched.
    pub fn touched(&self) -> u64 {
        self.touched
    }

    /// Whether the bound of the process allows that the first so many bytes are touched.
    pub fn may_touch(&self, bytes: u64) -> bool {
        bytes.saturating_sub(self.touched) <= super::left()
    }

    /// The first so many bytes are, or will be, touched.
    pub fn touch(&mut self, bytes: u64) {
        if bytes > self.touched {
            count((bytes - self.touched) as i64);
            self.touched = bytes;
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        count(-(self.touched as i64));
    }
}

/// Address space of the system.
#[cfg(all(unix, not(miri)))]
mod space {
    use std::ptr::{NonNull, null_mut};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Where reservations are asked for, so that they can grow: far from everything that the system places, and from
    /// each other.
    const FROM: usize = 0x1000_0000_0000;
    const TO: usize = 0x5000_0000_0000;
    const GAP: u64 = 1 << 30;
    static NEXT: AtomicUsize = AtomicUsize::new(FROM);

    pub(super) struct Space {
        base: NonNull<u8>,
        bytes: usize,
    }

    // SAFETY: it owns the memory.
    unsafe impl Send for Space {}
    // SAFETY: shared access reads the address, the size, and memory that only exclusive access writes.
    unsafe impl Sync for Space {}

    impl Space {
        pub fn new(bytes: usize, most: u64) -> Option<Self> {
            let place = if (bytes as u64) < most { place(most) } else { null_mut() };
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
            // SAFETY: a new mapping; the address is a wish.
            let base = unsafe { libc::mmap(place, bytes, access, flags, -1, 0) };
            if base == libc::MAP_FAILED {
                return None;
            }
            NonNull::new(base.cast()).map(|base| Self { base, bytes })
        }

        #[inline]
        pub fn base(&mut self) -> *mut u8 {
            self.base.as_ptr()
        }

        #[inline]
        pub fn start(&self) -> *const u8 {
            self.base.as_ptr()
        }

        pub fn bytes(&self) -> usize {
            self.bytes
        }

        /// Grows in place to so many bytes.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        pub fn grow(&mut self, bytes: usize) -> bool {
            // SAFETY: the mapping is our own, and does not move.
            let grown = unsafe { libc::mremap(self.base.as_ptr().cast(), self.bytes, bytes, 0) };
            if grown == libc::MAP_FAILED {
                return false;
            }
            self.bytes = bytes;
            true
        }

        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        pub fn grow(&mut self, _: usize) -> bool {
            false
        }
    }

    impl Drop for Space {
        fn drop(&mut self) {
            // SAFETY: the mapping is our own, and nothing refers to it any more.
            unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
        }
    }

    /// An address with so much room behind it, unless someone else is there.
    fn place(most: u64) -> *mut libc::c_void {
        let room =
            usize::try_from(most.saturating_add(2 * GAP) / GAP * GAP).unwrap_or(TO - FROM).min(TO - FROM);
        let next = |at: usize| if at + room > TO - room { FROM } else { at + room };
        let at = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |at| Some(next(at)));
        std::ptr::without_provenance_mut(at.unwrap_or(FROM))
    }
}

/// Memory of the allocator, where there is no address space to be had apart.
#[cfg(any(not(unix), miri))]
mod space {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    pub(super) struct Space {
        base: NonNull<u8>,
        layout: Layout,
    }

    // SAFETY: it owns the memory.
    unsafe impl Send for Space {}
    // SAFETY: shared access reads the address, the size, and memory that only exclusive access writes.
    unsafe impl Sync for Space {}

    impl Space {
        pub fn new(bytes: usize, _: u64) -> Option<Self> {
            let layout = Layout::from_size_align(bytes.max(1), 4096).ok()?;
            // SAFETY: the size is not zero.
            NonNull::new(unsafe { alloc_zeroed(layout) }).map(|base| Self { base, layout })
        }

        #[inline]
        pub fn base(&mut self) -> *mut u8 {
            self.base.as_ptr()
        }

        #[inline]
        pub fn start(&self) -> *const u8 {
            self.base.as_ptr()
        }

        pub fn bytes(&self) -> usize {
            self.layout.size()
        }

        pub fn grow(&mut self, _: usize) -> bool {
            false
        }
    }

    impl Drop for Space {
        fn drop(&mut self) {
            // SAFETY: allocated with this layout, and nothing refers to it any more.
            unsafe { dealloc(self.base.as_ptr(), self.layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zero_and_keeps_what_is_written() {
        let mut memory = Reservation::new(1 << 20, 4096).expect("address space");
        let base = memory.base();
        // SAFETY: inside the reservation.
        unsafe {
            assert_eq!((*base, *base.add((1 << 20) - 1)), (0, 0));
            *base.add(5000) = 9;
            assert_eq!(*memory.base().add(5000), 9);
        }
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn it_grows_in_place_beside_others() {
        let most = 1 << 30;
        let mut all: Vec<Reservation> =
            (0..8).map(|_| Reservation::with_first(8192, most, 8192).expect("address space")).collect();
        for memory in &mut all {
            let base = memory.base();
            // SAFETY: inside the reservation, before and after it has grown.
            unsafe { *base.add(8191) = 1 };
            for bytes in [10_000, 1 << 20, 100 << 20, most] {
                assert!(memory.grow(bytes), "{bytes}");
                assert!(memory.bytes() >= bytes && memory.bytes() <= most && memory.base() == base);
                // SAFETY: as above.
                unsafe { assert_eq!((*base.add(8191), *base.add(bytes as usize - 1)), (1, 0)) };
            }
            assert!(!memory.grow(most + 1));
        }
    }
}
