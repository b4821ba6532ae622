//! Work that threads share.

use gchr_base::stack::with_large_stack;

/// Threads at most.
const MAX_THREADS: usize = 8;

/// How many threads are of use here.
pub(super) fn available() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS))
}

/// What `work` gives in each of so many threads, one of which is the caller.
pub(super) fn in_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    // The walk recurses over the code, refutations over long conditions.
    let work = || with_large_stack(&work);
    std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        // Without another thread the caller does it all.
        let others: Vec<_> = (1..threads).filter_map(spawn).collect();
        let mut all = vec![work()];
        for other in others {
            all.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    })
}
