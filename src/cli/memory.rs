//! How much memory a run may take when `--memory` does not say: most of what the machine has left, so that endless programs end
//! with a message and not with a killed process.

use std::fs;

/// The part of the free memory that tables may take; the rest is for the program text, results and everything else.
const SHARE: f64 = 0.8;

/// Bytes, or `None` where the system does not tell.
pub fn default_limit() -> Option<u64> {
    let free = [available_memory(), control_group_memory()].into_iter().flatten().min()?;
    Some((free as f64 * SHARE) as u64)
}

fn available_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// What the control group (a container) allows; "max" does not parse and means no limit.
fn control_group_memory() -> Option<u64> {
    let read =
        |name: &str| fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse::<u64>().ok();
    Some(read("memory.max")?.saturating_sub(read("memory.current").unwrap_or(0)))
}
