//! Ids of what a device holds.

use gchr_base::define_id;

define_id!(
    /// A buffer in device memory. Numbers are never used again, so that a stale one is noticed.
    BufferId, "buffer"
);
define_id!(
    /// A kernel of the device's program.
    KernelId, "kernel"
);
define_id!(
    /// A running timer.
    TimerId, "timer"
);
