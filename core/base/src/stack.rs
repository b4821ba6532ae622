//! A large stack for the parts of the compiler that recurse over rules and kernels.

use std::sync::OnceLock;

use crate::memory::{self, Reservation};

/// Enough for everything that recurses over one rule or kernel: frontends bound their nesting, and data of any depth is
/// handled without recursion.
const BYTES: usize = 256 << 20;
/// What there is at least where address space is limited.
const LEAST: usize = 8 << 20;
/// The part of a limited address space that a large stack may take.
const SHARE: u64 = 48;

/// Address space of a large stack: less where the process has only so much of it.
pub fn bytes() -> usize {
    static KNOWN: OnceLock<usize> = OnceLock::new();
    *KNOWN.get_or_init(|| match memory::address_space_left() {
        Some(left) => usize::try_from(left / SHARE).unwrap_or(BYTES).clamp(LEAST, BYTES),
        None => BYTES,
    })
}

/// Runs `f` with a large stack: on the caller's while much of it is left, as in nested use, else on a new one, which is
/// smaller where the system gives no more. A panic of `f` goes on in the caller.
pub fn with_large_stack<T>(f: impl FnOnce() -> T) -> T {
    if cfg!(miri) {
        // It has a stack of its own, of any size.
        return f();
    }
    let mut bytes = bytes();
    // With less than this left, another stack is taken.
    let enough = bytes / 4 * 3;
    if bytes < BYTES && stacker::remaining_stack().is_none_or(|left| left < enough) {
        while !is_free(bytes) {
            bytes /= 2;
            if bytes < LEAST / 8 {
                return f();
            }
        }
    }
    stacker::maybe_grow(enough, bytes, f)
}

/// Whether there is address space for a stack, and something beside it.
fn is_free(bytes: usize) -> bool {
    let bytes = bytes as u64 + (1 << 20);
    Reservation::new(bytes, bytes).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(n: u32) -> u32 {
        let filler = std::hint::black_box([n; 64]);
        if n == 0 { 0 } else { depth(n - 1) + filler[0] / n }
    }

    #[test]
    fn deep_recursion_fits() {
        let on_small_stack = std::thread::Builder::new().stack_size(64 << 10);
        let thread = on_small_stack.spawn(|| with_large_stack(|| with_large_stack(|| depth(100_000))));
        assert_eq!(thread.expect("a thread").join().expect("no panic"), 100_000);
    }

    #[test]
    fn nested_use_stays_on_the_stack() {
        let address = |x: &u8| std::ptr::from_ref(x).addr();
        let (outer, inner) = with_large_stack(|| {
            let here = std::hint::black_box(0);
            (address(&here), with_large_stack(|| address(&std::hint::black_box(0))))
        });
        assert!(outer.abs_diff(inner) < 1 << 20);
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let caught = std::panic::catch_unwind(|| with_large_stack(|| std::panic::panic_any(7)));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&7));
    }
}
