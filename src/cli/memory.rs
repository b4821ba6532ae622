//! How much memory and how many threads this process may have: what the system leaves it, so that endless programs end
//! with a message and not with a killed process.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use gchr::base::memory;
use gchr::base::stack;

use super::exit::Exit;
use super::report;

/// The part of what is left that the process may take; the rest is for what nobody counts: the program text, stacks,
/// gaps between allocations.
const SHARE: f64 = 0.8;
/// Address space that a thread takes beside its large stack.
const THREAD: u64 = 4 << 20;
/// Address space of an arena of the C library, of which it makes one for each thread where nobody says otherwise.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENA: u64 = 64 << 20;

/// To be called before any other thread starts: bounds the process by what the system leaves it, and says what is done
/// when even the reserve is used up.
pub fn set_up() {
    memory::when_exhausted(last_words);
    return_large_blocks();
    memory::address_space_left().into_iter().for_each(limit_arenas);
    bound_by_system();
}

/// Bounds the process by what the system leaves it, beside what it has already.
pub fn bound_by_system() {
    // A quarter of the address space is for stacks.
    let space = memory::address_space_left().map(|space| space / 4 * 3);
    if let Some(left) = memory::available().into_iter().chain(space).min() {
        memory::set_bound(memory::in_use().saturating_add((left as f64 * SHARE) as u64));
    }
}

/// Has the C library take large blocks from the system one by one: then they grow without being copied, and what is
/// freed is given back. By itself it keeps them in one heap after the first one was freed, with gaps as large as the
/// blocks.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn return_large_blocks() {
    for (what, bytes) in [(libc::M_MMAP_THRESHOLD, 1 << 20), (libc::M_TRIM_THRESHOLD, 4 << 20)] {
        // SAFETY: as below.
        unsafe { libc::mallopt(what, bytes) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn return_large_blocks() {}

/// Leaves most of a limited address space to the program: arenas of the C library take much more of it than they use.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn limit_arenas(space: u64) {
    let arenas = i32::try_from(space / (16 * ARENA)).unwrap_or(i32::MAX).max(1);
    // SAFETY: the call has no preconditions but that no other thread allocates meanwhile: there is none yet.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, arenas) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn limit_arenas(_: u64) {}

/// The end of a process that has used up its reserve, too. Nothing here allocates.
fn last_words(bytes: usize) {
    let mut text = [0; 256];
    let mut rest = &mut text[..];
    let _ = write!(
        rest,
        "[R0202] Error: the system gives no more memory: {bytes} bytes asked for\n  Help: end other programs, or \
         raise the limit of the process (ulimit -v) or of its container\n"
    );
    let unused = rest.len();
    let length = text.len() - unused;
    let _ = std::io::stderr().write_all(&text[..length]);
    // SAFETY: the call has no preconditions; nothing of this process is used after it.
    unsafe { libc::_exit(Exit::Failed.code().into()) }
}

/// How many threads there is room for, at most as many as wanted; says so, once, where they are fewer.
pub fn threads(wanted: usize) -> usize {
    static SAID: AtomicBool = AtomicBool::new(false);
    let Some(space) = memory::address_space_left() else { return wanted };
    let room = space / 4 / (stack::bytes() as u64 + THREAD);
    let threads = usize::try_from(room).unwrap_or(usize::MAX).clamp(1, wanted.max(1));
    if threads < wanted && !SAID.swap(true, Ordering::Relaxed) {
        report::say(&format!(
            "gchr: {threads} threads in place of {wanted}: the address space (ulimit -v) has room for no more\n"
        ));
    }
    threads
}

/// Whether threads must be counted: where they are not, parallel loops start as many as there are cores when they need
/// them.
pub fn is_tight() -> bool {
    memory::address_space_left().is_some()
}

/// Starts the threads that all parallel loops of this process share, unless they are there: as many as wanted, or one
/// for each core.
pub fn start_threads(wanted: Option<usize>) -> Result<(), Exit> {
    static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
    let started = STARTED.get_or_init(|| {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads(wanted.unwrap_or_else(all));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        // This thread takes part in its loops: it would have to be woken at the end of each. A single one does what
        // other threads ask for, too.
        let pool = if threads > 1 { pool.use_current_thread() } else { pool };
        let built = pool.build_global();
        built.map_err(|error| format!("{threads} threads cannot be started: {error}"))
    });
    started.as_ref().copied().map_err(|message| {
        report::problem("R0208", message, "give a smaller number with --threads N");
        Exit::Failed
    })
}
