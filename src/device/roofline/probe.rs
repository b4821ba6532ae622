//! Measures what a device's memory gives at most: copies in order, random reads, random atomic operations.
//!
//! The kernels are in the kernel language (`kernels.cu`) and run on any [`Device`]; figures of the simulator mean
//! nothing.

use std::time::Duration;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::profile::{RooflinePeaks, Traffic};
use gchr_base::source::SourceMap;

use gchr_kernel::device::{Arg, BufferId, Device, Launch, Result};
use gchr_kernel::ir::Module;
use gchr_kernel::text::parse;

const BLOCK: u32 = 256;
/// Blocks a multiprocessor: more than fit at a time, so that none idles at the end.
const BLOCKS: u32 = 16;
/// Each figure is the best of so many.
const REPEATS: u32 = 3;

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbeSize {
    /// Bytes of memory that accesses go to, a power of two: more than caches hold, at most 16 GiB.
    pub bytes: u64,
    /// Random accesses of each thread.
    pub turns: u32,
}

impl ProbeSize {
    /// What fits a device with so many free bytes: up to 8 GiB, as much again not being used.
    pub fn of_free(free: u64) -> Self {
        let most = (free / 2).clamp(1 << 12, 8 << 30);
        Self { bytes: 1 << most.ilog2(), turns: 256 }
    }
}

/// The kernels that measure.
pub fn module() -> std::result::Result<Module, Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let id = sources.add("roofline.cu", include_str!("kernels.cu"));
    parse(&sources, id)
}

/// Measures a device that was opened with the kernels of [`module`].
pub fn measure(size: ProbeSize, device: &mut dyn Device) -> Result<RooflinePeaks> {
    let memory = device.alloc(size.bytes)?;
    let grid = device.limits().multiprocessors.max(1) * BLOCKS;
    let sums = device.alloc(u64::from(grid * BLOCK) * 4)?;
    let measured =
        device.fill(memory, 0, size.bytes, 1).and_then(|()| figures(size, memory, sums, grid, device));
    device.free(sums)?;
    device.free(memory)?;
    measured
}

fn figures(
    size: ProbeSize,
    memory: BufferId,
    sums: BufferId,
    grid: u32,
    device: &mut dyn Device,
) -> Result<RooflinePeaks> {
    let ProbeSize { bytes, turns } = size;
    let accesses = f64::from(grid) * f64::from(BLOCK) * f64::from(turns);
    let mask = u32::try_from(bytes / 4 - 1).unwrap_or(u32::MAX);
    // Half of the memory goes to the other half.
    let half = device.alloc(bytes / 2)?;
    let lines = u32::try_from(bytes / 2 / 16).unwrap_or(u32::MAX);
    let copied = best(device, grid, "copy_in_order", &[memory.into(), half.into(), lines.into()]);
    device.free(half)?;
    let copied = copied?;
    let read =
        best(device, grid, "read_at_random", &[memory.into(), mask.into(), turns.into(), sums.into()])?;
    let added = best(device, grid, "add_at_random", &[memory.into(), mask.into(), turns.into()])?;
    Ok(RooflinePeaks {
        coalesced: 2.0 * 16.0 * f64::from(lines) / copied.as_secs_f64(),
        random: Traffic::SECTOR as f64 * accesses / read.as_secs_f64(),
        atomics: accesses / added.as_secs_f64(),
    })
}

/// The shortest time of a kernel, after a first launch that is not timed.
fn best(device: &mut dyn Device, grid: u32, name: &str, args: &[Arg<'_>]) -> Result<Duration> {
    let kernel = device.kernel(name)?;
    let launch = Launch { kernel, grid, block: BLOCK, args, cooperative: false };
    device.launch(&launch)?;
    let mut best = Duration::MAX;
    for _ in 0..REPEATS {
        let timer = device.start_timer()?;
        device.launch(&launch)?;
        best = best.min(device.stop_timer(timer)?);
    }
    Ok(best.max(Duration::from_nanos(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_simulator::{Program, SimDevice, SimulatorOptions};

    #[test]
    fn the_kernels_do_what_they_measure() {
        let module = module().expect("the kernels are right");
        let verdicts = gchr_checker::check(&module);
        assert!(verdicts.iter().all(|v| v.diagnostics().is_empty()), "{verdicts:?}");
        let program = Program::new(&module).expect("lowers");
        let mut device =
            SimDevice::new(program, SimulatorOptions { resident_blocks: 1, ..SimulatorOptions::default() });
        let peaks = measure(ProbeSize { bytes: 1 << 16, turns: 2 }, &mut device).expect("runs");
        assert!(peaks.coalesced > 0.0 && peaks.random > 0.0 && peaks.atomics > 0.0);
        let counts = device.counts().expect("counts").expect("it counts");
        // Four launches of each: the copy of half of the memory, 2 reads and 2 additions of 4096 threads.
        let traffic = counts.traffic;
        assert_eq!(traffic.atomics, 4 * 2 * 4096);
        let sums = 4 * 4096 * 4;
        assert_eq!(traffic.written, 4 * (1 << 15) + sums);
        assert!(traffic.random > 4 * 2 * 4096 * 24, "{traffic:?}");
    }
}
