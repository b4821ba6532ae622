//! The stack of native code: memory with a guard page, entry to native code, calls of helpers from it, and leaving it
//! without unwinding.
//!
//! Helpers run on the host's stack, so that native frames need no room for them. A helper that wants native code to end
//! sets [`Vm::status`](crate::vm::Vm::leave) and returns; the shim that called it then drops all native frames at once
//! by putting back the host's stack pointer.

#[cfg_attr(target_arch = "x86_64", path = "stack/x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "stack/aarch64.rs")]
mod platform;

pub(crate) use platform::{STUB_BYTES, call_helper, call_helper_preserving, enter, stub};

use gchr_base::memory::{self, Reservation};

use crate::pages::page_size;

/// What lies below the limit that functions test: frames of functions that call nothing, and shims.
pub(crate) const RED_ZONE: u64 = 64 << 10;
/// Bytes below the last frame that are taken with it.
pub(crate) const RESERVE: u64 = 4096;
/// The least stack.
const LEAST: u64 = 1 << 20;
/// Of limited address space a stack takes at most this part.
const PART: u64 = 4;

/// A stack for native code. It grows downwards; a guard page lies below it.
pub struct Stack {
    space: Reservation,
    /// The lowest usable address.
    bottom: u64,
    /// Above the highest one.
    top: u64,
}

impl Stack {
    /// A stack of at most so many bytes; pages are taken from the system when they are touched first. `None` when the
    /// system gives no address space.
    pub fn new(most: u64) -> Option<Self> {
        let page = page_size();
        let room = memory::address_space_left().map_or(u64::MAX, |left| left / PART);
        let mut frames = most.clamp(LEAST, room.max(LEAST));
        let (mut space, bytes) = loop {
            let bytes = frames.next_multiple_of(page) + RED_ZONE + page;
            match Reservation::new(bytes, bytes) {
                Some(space) => break (space, bytes),
                // Where the system reserves nothing in advance.
                None if frames > LEAST => frames = (frames / 2).max(LEAST),
                None => return None,
            }
        };
        let base = space.base();
        // SAFETY: the first page of the reservation, which nobody has used; it stays a part of the reservation.
        let refused = unsafe { libc::mprotect(base.cast(), page as usize, libc::PROT_NONE) } != 0;
        if refused {
            return None;
        }
        let base = base as u64;
        Some(Self { space, bottom: base + page, top: (base + bytes) & !15 })
    }

    /// Where the first frame begins.
    pub fn top(&self) -> u64 {
        self.top
    }

    /// The bytes that frames may take at most.
    pub fn most(&self) -> u64 {
        self.top - self.bottom - RED_ZONE
    }

    /// The limit for frames that may take so many bytes, at most [`most`](Self::most): what
    /// [`Vm::stack_limit`](crate::Vm) is to be.
    pub fn limit(&self, bytes: u64) -> u64 {
        self.top - bytes.min(self.most())
    }

    /// The bytes of the frames from the first one down to an address.
    pub fn used(&self, address: u64) -> u64 {
        self.top.saturating_sub(address)
    }

    /// Whether the bound of the process allows frames of so many bytes.
    pub fn may_touch(&self, bytes: u64) -> bool {
        self.space.may_touch(bytes)
    }

    /// Frames take, or will take, so many bytes: counts them as in use.
    pub fn touch(&mut self, bytes: u64) {
        self.space.touch(bytes);
    }
}
