//! Threads with a large stack, for the parts of the compiler that recurse over rules.

use std::cell::Cell;

const STACK_BYTES: usize = 256 << 20;

thread_local! {
    static LARGE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` on a thread whose stack is large enough for everything that recurses over one rule (frontends bound the nesting of rules;
/// data of any depth is handled without recursion). Runs it in place when the caller already is on such a thread, or when the system
/// gives no thread. A panic of `f` goes on in the caller.
pub fn with_large_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    if LARGE.get() {
        return f();
    }
    let mut task = Some(f);
    let finished = std::thread::scope(|scope| {
        let work = || {
            LARGE.set(true);
            task.take().map(|f| f())
        };
        let thread = std::thread::Builder::new().name("gchr".into()).stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, work).ok().map(|handle| handle.join())
    });
    match finished {
        Some(Ok(Some(value))) => value,
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        Some(Ok(None)) | None => {
            let f = task.take().expect("the task was not started");
            f()
        }
    }
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
        assert_eq!(with_large_stack(|| with_large_stack(|| depth(100_000))), 100_000);
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let caught = std::panic::catch_unwind(|| with_large_stack(|| std::panic::panic_any(7)));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&7));
    }
}
