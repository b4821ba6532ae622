//! A large stack for the parts of the compiler that recurse over rules and kernels.

/// Enough for everything that recurses over one rule or kernel: frontends bound their nesting, and data of any depth is handled
/// without recursion.
const BYTES: usize = 256 << 20;
/// With less than this left, another stack is taken.
const RESERVE: usize = 192 << 20;

/// Runs `f` with a large stack: on the caller's while much of it is left, as in nested use, else on a new one. A panic of `f` goes on
/// in the caller.
pub fn with_large_stack<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RESERVE, BYTES, f)
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
