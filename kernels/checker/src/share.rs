//! Work that threads share.

use gchr_base::memory;
use gchr_base::stack::with_large_stack;

/// Threads at most.
const MAX_THREADS: usize = 8;

/// Memory that the check of a large kernel takes, in bytes: where the process has less, kernels are checked one after
/// the other.
const MEMORY: u64 = 32 << 20;

/// How many threads are of use here.
pub(super) fn available() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS));
    let room = usize::try_from(memory::left() / MEMORY).unwrap_or(usize::MAX);
    processors.min(room).max(1)
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
