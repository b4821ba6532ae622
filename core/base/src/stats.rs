//! Statistics of one run, under the same keys for every backend.

use serde::{Deserialize, Serialize};

/// What a run did and cost. A key that does not apply to the program or the backend is `None` (JSON `null`).
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Stats {
    /// Rule applications of a term program.
    pub rewrites: Option<u64>,
    /// Rule firings of a constraint program.
    pub firings: Option<u64>,
    /// Rounds of a constraint program, or iterations of a scheduler that works in such.
    pub rounds: Option<u64>,
    /// Instances that could fire in some round; those that did not fire count again.
    pub candidates: Option<u64>,
    /// Milliseconds from start to result, loading and compiling included.
    pub wall_ms: Option<f64>,
    /// Milliseconds for reading, parsing and checking the program and its input.
    pub parse_ms: Option<f64>,
    /// Milliseconds from checked program to executable plan.
    pub compile_ms: Option<f64>,
    /// Milliseconds that the check of the kernels of a device was waited for, part of `compile_ms`.
    pub verify_ms: Option<f64>,
    /// Which kernels a GPU ran: `fast`, or `soon` for those that were compiled in less time and run slower.
    pub kernels: Option<String>,
    /// Milliseconds for the run itself.
    pub run_ms: Option<f64>,
    /// Milliseconds for making native code, part of `run_ms`; none when a run was interpreted.
    pub native_ms: Option<f64>,
    /// Milliseconds of kernels, on the device's own clock.
    pub device_ms: Option<f64>,
    /// Milliseconds of copies between host and GPU, part of `run_ms`; those that nothing waits for are not in it.
    pub transfer_ms: Option<f64>,
    /// Term cells that the result reaches, or constraints in the final store.
    pub live_cells: Option<u64>,
    /// Largest number of bytes the run's own tables took.
    pub peak_bytes: Option<u64>,
    /// Garbage collections.
    pub collections: Option<u64>,
    /// Milliseconds for garbage collections, part of `device_ms`.
    pub collect_ms: Option<f64>,
    /// When memory ended the run: milliseconds from the moment when it was found full to the error.
    pub full_ms: Option<f64>,
    /// Threads that could share the run of a term on the processor; none when one did it all.
    pub threads: Option<u64>,
    /// Calls that these threads have handed over to each other.
    pub handed_over: Option<u64>,
    /// Workers that have shared the run, if it was shared.
    pub workers: Option<u64>,
    /// Bytes of constraints that workers have sent to each other.
    pub sent_bytes: Option<u64>,
    /// What ran it: `cpu`, ...
    pub device: Option<String>,
    /// When something was to be chosen that runs it: what was, and why.
    pub choice: Option<String>,
    /// Which term scheduler ran it.
    pub scheduler: Option<String>,
    /// Which constraint semantics it ran under.
    pub semantics: Option<String>,
}
