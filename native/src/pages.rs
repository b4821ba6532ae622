//! Memory for code: pages are written first and executable afterwards, never both.

use std::ptr::{NonNull, null_mut};

/// Address space for code: calls inside it reach everywhere on each platform.
const SPACE: usize = 64 << 20;
/// Functions begin at different places of their pages, so that not all compete for the same lines of the instruction
/// cache.
const STAGGER: usize = 704;

/// Code of one program.
pub(crate) struct Pages {
    base: NonNull<u8>,
    page: usize,
    /// Pages below this are executable.
    used: usize,
    /// Pieces placed so far.
    pieces: usize,
}

// SAFETY: it owns the memory.
unsafe impl Send for Pages {}

/// Why there is no memory for code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NoPages {
    /// The system's answer.
    System(String),
    /// The space is used up.
    Full,
}

impl Pages {
    /// Address space, nothing in it.
    pub(crate) fn new() -> Result<Self, NoPages> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
        // SAFETY: a new mapping.
        let base = unsafe { libc::mmap(null_mut(), SPACE, libc::PROT_NONE, flags, -1, 0) };
        match NonNull::new(base.cast::<u8>()) {
            Some(start) if base != libc::MAP_FAILED => {
                Ok(Self { base: start, page: page_size() as usize, used: 0, pieces: 0 })
            }
            _ => Err(last_error()),
        }
    }

    /// Bytes of pages that are in use.
    pub(crate) fn bytes(&self) -> usize {
        self.used
    }

    /// Places code: `write` is given its bytes and the address at which they will run. Gives that address.
    pub(crate) fn place(
        &mut self,
        code: &[u8],
        write: impl FnOnce(&mut [u8], u64) -> Option<()>,
    ) -> Result<u64, NoPages> {
        let room = (self.pieces * STAGGER % self.page) & !63;
        let bytes = (room + code.len()).next_multiple_of(self.page);
        if bytes > SPACE - self.used {
            return Err(NoPages::Full);
        }
        // SAFETY: the pages lie inside the mapping, behind all that are executable.
        let pages = unsafe { self.base.as_ptr().add(self.used) };
        protect(pages, bytes, libc::PROT_READ | libc::PROT_WRITE)?;
        // SAFETY: writable now, and nobody else knows of them.
        let place = unsafe { std::slice::from_raw_parts_mut(pages.add(room), code.len()) };
        place.copy_from_slice(code);
        let address = place.as_ptr() as u64;
        write(place, address).ok_or(NoPages::Full)?;
        protect(pages, bytes, libc::PROT_READ | libc::PROT_EXEC)?;
        synchronise(address, code.len());
        self.used += bytes;
        self.pieces += 1;
        Ok(address)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the own mapping; who runs code in it borrows it.
        unsafe { libc::munmap(self.base.as_ptr().cast(), SPACE) };
    }
}

fn protect(pages: *mut u8, bytes: usize, access: libc::c_int) -> Result<(), NoPages> {
    // SAFETY: whole pages of the own mapping in which no code runs.
    if unsafe { libc::mprotect(pages.cast(), bytes, access) } == 0 { Ok(()) } else { Err(last_error()) }
}

fn last_error() -> NoPages {
    NoPages::System(std::io::Error::last_os_error().to_string())
}

/// Makes new code visible to the processor that fetches it: x86-64 does so by itself.
#[cfg(target_arch = "x86_64")]
fn synchronise(_: u64, _: usize) {}

#[cfg(target_arch = "aarch64")]
fn synchronise(address: u64, bytes: usize) {
    unsafe extern "C" {
        fn __clear_cache(start: *mut libc::c_char, end: *mut libc::c_char);
    }
    // SAFETY: the range is mapped.
    unsafe { __clear_cache(address as *mut _, (address + bytes as u64) as *mut _) };
}

/// Bytes of a page of memory.
pub(crate) fn page_size() -> u64 {
    // SAFETY: reads a constant of the system.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}
