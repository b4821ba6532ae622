//! Options that bound a run.

use std::time::Duration;

use gchr::base::memory;
use gchr::{Device, Limits};

use super::values;

/// Limits of a run.
#[derive(clap::Args, Clone, Copy)]
pub struct LimitArgs {
    /// Stop after N rule applications or firings
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Stop after N rounds (.chr with --semantics rounds)
    #[arg(long, value_name = "N")]
    max_rounds: Option<u64>,
    /// Stop when the process has more than SIZE in use, e.g. 512M or 16G; on a GPU: when the run's tables do [default: 80% of the free memory; gpu: 90% of the device's]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    memory: Option<u64>,
    /// Stop after this time, e.g. 10s, 5m or 1.5h
    #[arg(long, value_name = "T", value_parser = values::duration)]
    timeout: Option<Duration>,
}

impl LimitArgs {
    /// The limits for a run on a device.
    pub fn limits(&self, device: Device) -> Limits {
        Limits {
            max_steps: self.max_steps,
            max_rounds: self.max_rounds,
            memory: match device {
                Device::Cpu | Device::Auto => Some(self.memory.unwrap_or_else(memory::bound)),
                Device::Gpu(_) | Device::Sim => self.memory,
            },
            timeout: self.timeout,
        }
    }

    /// Bounds this process as a run on a device is bounded: `--memory` is about the memory of a GPU where there is one.
    pub fn bound_process(&self, device: Device) {
        if let (Some(bytes), Device::Cpu | Device::Auto | Device::Sim) = (self.memory, device) {
            memory::set_bound(bytes);
        }
    }

    /// These limits, and where they say nothing, those.
    pub fn or(self, other: Self) -> Self {
        Self {
            max_steps: self.max_steps.or(other.max_steps),
            max_rounds: self.max_rounds.or(other.max_rounds),
            memory: self.memory.or(other.memory),
            timeout: self.timeout.or(other.timeout),
        }
    }
}
