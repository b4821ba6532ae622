//! What the tests share: kernels from text, launches, and what they find.

use bytemuck::{AnyBitPattern, NoUninit};
use gchr_base::control::Control;
use gchr_base::diagnostic::render_all;
use gchr_base::source::SourceMap;

use crate::{LaunchError, LaunchReport, Program, Report, Shape, SimControl, Simulator, SimulatorOptions};
use gchr_kernel::device::{Arg, BufferId};
use gchr_kernel::ir::Module;
use gchr_kernel::text::parse;

/// The start of the definition of a kernel.
pub const KERNEL: &str = "extern \"C\" __global__ void __launch_bounds__(1024) ";

/// Reads a module; `KERNEL` stands for the start of a kernel's definition, `DEVICE` for that of a function's.
pub fn read(text: &str) -> Module {
    let text = text.replace("KERNEL", KERNEL).replace("DEVICE", "__device__ __forceinline__");
    let mut sources = SourceMap::new();
    let id = sources.add("test.cu", text.as_str());
    match parse(&sources, id) {
        Ok(module) => module,
        Err(found) => panic!("{}", render_all(&found, &sources, false)),
    }
}

/// A simulator with kernels.
pub struct Bench {
    pub device: Simulator,
    pub program: Program,
}

/// Prepares kernels for a seed.
pub fn bench(text: &str, seed: u64) -> Bench {
    let program = Program::new(&read(text)).unwrap_or_else(|errors| panic!("{errors:?}"));
    Bench { device: Simulator::new(SimulatorOptions { seed, ..SimulatorOptions::default() }), program }
}

impl Bench {
    pub fn buffer<T: NoUninit>(&mut self, values: &[T]) -> BufferId {
        self.device.alloc_from(values).unwrap()
    }
    pub fn zeros(&mut self, words: u64) -> BufferId {
        self.device.alloc_zeroed::<u32>(words).unwrap()
    }
    /// Launches the kernel `k`.
    pub fn launch(&mut self, shape: Shape, args: &[Arg<'_>]) -> Result<LaunchReport, LaunchError> {
        let mut control = Control::default();
        let mut control = SimControl::new(&mut control).max_thread_steps(50_000_000);
        self.device.launch(&self.program, "k", shape, args, &mut control)
    }
    /// Launches the kernel `k`, which does nothing wrong.
    pub fn run(&mut self, shape: Shape, args: &[Arg<'_>]) -> LaunchReport {
        self.launch(shape, args).unwrap_or_else(|e| panic!("{e}"))
    }
    /// Launches the kernel `k`, which does something wrong.
    pub fn faults(&mut self, shape: Shape, args: &[Arg<'_>]) -> Vec<Report> {
        match self.launch(shape, args) {
            Err(LaunchError::Faults(reports)) => reports,
            other => panic!("faults are expected, not {other:?}"),
        }
    }
    pub fn get<T: AnyBitPattern + NoUninit>(&self, id: BufferId, count: usize) -> Vec<T> {
        self.device.download(id, count).unwrap()
    }
}

/// Seeds that tests of schedules try.
pub const SEEDS: std::ops::Range<u64> = 0..24;

/// Runs a kernel without parameters but `u32* out`, of one block of 32, and gives `out`.
pub fn warp_result(text: &str) -> Vec<u32> {
    let mut bench = bench(text, 0);
    let out = bench.buffer(&[u32::MAX; 32]);
    bench.run(Shape::new(1, 32), &[out.into()]);
    bench.get(out, 32)
}
