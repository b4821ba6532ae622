//! Options that bound a run.

use std::time::Duration;

use gchr::base::memory as limits_of_process;
use gchr::{Device, Limits};

use super::{memory, values};

/// Limits of a run.
#[derive(clap::Args, Clone, Copy)]
pub struct LimitArgs {
    /// Stop after N rule applications or firings
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Stop after N rounds (.chr with --semantics rounds)
    #[arg(long, value_name = "N")]
    max_rounds: Option<u64>,
    /// Stop when the process has more than SIZE in use, e.g. 512M or 16G; on a GPU: when the run's tables do [default:
    /// 80% of the free memory; gpu: 90% of the device's]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    memory: Option<u64>,
    /// Stop after this time, e.g. 10s, 5m or 1.5h: from the start of the process to the last byte of the result; in
    /// comparisons and tests, of each run
    #[arg(long, value_name = "T", value_parser = values::duration)]
    timeout: Option<Duration>,
    /// Stop when the result, or what the program itself writes, takes more than SIZE, e.g. 100M [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    max_output: Option<u64>,
}

impl LimitArgs {
    /// The limits for a run on a device.
    pub fn limits(&self, device: Device) -> Limits {
        Limits {
            max_steps: self.max_steps,
            max_rounds: self.max_rounds,
            memory: match device {
                Device::Cpu | Device::Auto => self.memory_of_host(),
                Device::Gpu(_) | Device::Sim => self.memory,
            },
            timeout: self.timeout,
            max_output: self.max_output,
        }
    }

    /// Bounds this process as a run on a device is bounded: `--memory` is about the memory of a GPU where there is one.
    pub fn bound_process(&self, device: Device) {
        if self.memory.is_some() {
            bound_process(self.memory, device);
        }
    }

    /// Bytes that reading may take: `--memory`, else most of what the machine has left.
    pub fn memory_of_host(&self) -> Option<u64> {
        Some(self.memory.unwrap_or_else(limits_of_process::bound))
    }

    /// `--timeout`.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// `--max-output`.
    pub fn max_output(&self) -> Option<u64> {
        self.max_output
    }

    /// These limits, and where they say nothing, those.
    pub fn or(self, other: Self) -> Self {
        Self {
            max_steps: self.max_steps.or(other.max_steps),
            max_rounds: self.max_rounds.or(other.max_rounds),
            memory: self.memory.or(other.memory),
            timeout: self.timeout.or(other.timeout),
            max_output: self.max_output.or(other.max_output),
        }
    }
}

/// Bounds this process by a limit of memory for runs on a device, or by what the system leaves it.
pub fn bound_process(memory: Option<u64>, device: Device) {
    match (memory, device) {
        (Some(bytes), Device::Cpu | Device::Auto | Device::Sim) => limits_of_process::set_bound(bytes),
        (Some(_), Device::Gpu(_)) => {}
        (None, _) => memory::bound_by_system(),
    }
}
