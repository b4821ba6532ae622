//! `gchr devices`: what can run programs here.

use std::fmt::Write as _;

use gchr::device;
use indicatif::BinaryBytes;

use super::sink::print;
use super::{Exit, report};

/// Lists the devices on standard output; what is missing for GPUs goes to standard error.
pub fn run() -> Exit {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut text = format!("cpu    the processor, with {threads} threads\n");
    text += "sim    simulator of a GPU, for small inputs\n";
    match device::gpus() {
        Err(missing) => report::diagnostics(&missing),
        Ok(gpus) => {
            for gpu in gpus {
                let _ = write!(
                    text,
                    "gpu:{}  {}, compute capability {}, {} multiprocessors, {} of memory",
                    gpu.ordinal,
                    gpu.name,
                    gpu.capability,
                    gpu.multiprocessors,
                    BinaryBytes(gpu.memory_total),
                );
                if let Some(free) = gpu.memory_free {
                    let _ = write!(text, " ({} free)", BinaryBytes(free));
                }
                let _ = writeln!(text, ", driver for CUDA {}", gpu.driver);
            }
            match device::compiler() {
                Ok(found) => text += &format!("kernels for GPUs are compiled by {found}\n"),
                Err(missing) => report::diagnostics(&missing),
            }
        }
    }
    print(&text)
}
