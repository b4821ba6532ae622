//! The machine that measures.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is known of the machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor.
    pub processor: String,
    /// Threads that run side by side.
    pub threads: usize,
    /// Operating system and architecture.
    pub system: String,
    /// GPUs that can be used.
    pub gpus: Vec<String>,
    /// Version of gchr, and whether it was built with optimisation.
    pub gchr: String,
}

impl Machine {
    /// This one.
    pub fn here() -> Self {
        let gpus = crate::device::gpus().unwrap_or_default();
        let build = if cfg!(debug_assertions) { "unoptimised build" } else { "optimised build" };
        Self {
            processor: processor().unwrap_or_else(|| "unknown processor".into()),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            gpus: gpus.iter().map(|g| format!("{} ({})", g.name, g.capability)).collect(),
            gchr: format!("{} ({build})", env!("CARGO_PKG_VERSION")),
        }
    }
}

fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} threads, ", self.processor, self.threads)?;
        match self.gpus.is_empty() {
            true => write!(f, "no GPU, ")?,
            false => write!(f, "{}, ", self.gpus.join(", "))?,
        }
        write!(f, "{}, gchr {}", self.system, self.gchr)
    }
}
