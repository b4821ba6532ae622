//! Pages of the system: a wish for large ones.

/// Asks the system for large pages, before memory is touched from its start to its end: that costs one fault for each
/// of them. A wish: systems without large pages, or with others' rules for them, leave it at that.
pub fn prefer_large_pages(memory: &mut [u8]) {
    // SAFETY: it is all of a slice.
    unsafe { prefer_large(memory.as_mut_ptr(), memory.len()) }
}

/// As [`prefer_large_pages`], for memory that is no slice.
///
/// # Safety
/// The bytes belong to one allocation or mapping.
#[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
pub(super) unsafe fn prefer_large(start: *mut u8, bytes: usize) {
    /// A multiple of the size of every system's small pages, at which the wish has to begin.
    const PAGE: usize = 64 << 10;
    let skipped = start.align_offset(PAGE);
    if let Some(bytes) = bytes.checked_sub(skipped).filter(|&bytes| bytes > 0) {
        // SAFETY: inside the memory, as the caller says; what it contains does not change.
        unsafe { libc::madvise(start.add(skipped).cast(), bytes, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(any(target_os = "linux", target_os = "android"), not(miri))))]
pub(super) unsafe fn prefer_large(_: *mut u8, _: usize) {}
