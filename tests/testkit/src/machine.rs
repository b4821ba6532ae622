//! Machines that run kernels: the simulator, and a GPU when there is one. A test that takes a [`Machine`] runs on both.

use bytemuck::{AnyBitPattern, NoUninit};
use gchr_base::control::Control;
use gchr_kernel::device::{Arg, BufferId};
use gchr_kernel::ir::Module;
use gchr_simulator::{Program, Shape, SimControl, Simulator, SimulatorOptions};

/// Something that runs the kernels of one module.
pub trait Machine {
    /// A buffer that holds these bytes.
    fn upload(&mut self, bytes: &[u8]) -> BufferId;
    /// The first bytes of a buffer.
    fn download(&mut self, buffer: BufferId, bytes: &mut [u8]);
    /// Runs a kernel to its end; what goes wrong in words.
    fn launch(&mut self, kernel: &str, shape: Shape, args: &[Arg<'_>]) -> Result<(), String>;
}

/// Typed forms.
pub trait MachineExt: Machine {
    /// A buffer that holds these values.
    fn buffer<T: NoUninit>(&mut self, values: &[T]) -> BufferId {
        self.upload(bytemuck::cast_slice(values))
    }
    /// The first values of a buffer.
    fn get<T: AnyBitPattern + NoUninit>(&mut self, buffer: BufferId, count: usize) -> Vec<T> {
        let mut values = vec![T::zeroed(); count];
        self.download(buffer, bytemuck::cast_slice_mut(&mut values));
        values
    }
}

impl<M: Machine + ?Sized> MachineExt for M {}

/// The simulator; whatever it reports fails the test.
pub struct Simulated {
    device: Simulator,
    program: Program,
}

impl Simulated {
    /// The kernels of a module, under the schedule of a seed.
    pub fn new(module: &Module, seed: u64) -> Self {
        Self::running(Program::new(module).unwrap_or_else(|errors| panic!("{errors:?}\n{module}")), seed)
    }

    /// Lowered kernels, under the schedule of a seed.
    pub fn running(program: Program, seed: u64) -> Self {
        Self { device: Simulator::new(SimulatorOptions { seed, ..SimulatorOptions::default() }), program }
    }
}

impl Machine for Simulated {
    fn upload(&mut self, bytes: &[u8]) -> BufferId {
        self.device.alloc_from(bytes).expect("fits")
    }
    fn download(&mut self, buffer: BufferId, bytes: &mut [u8]) {
        bytes.copy_from_slice(self.device.bytes(buffer, 0, bytes.len() as u64).expect("is there"));
    }
    fn launch(&mut self, kernel: &str, shape: Shape, args: &[Arg<'_>]) -> Result<(), String> {
        let mut control = Control::default();
        let mut control = SimControl::new(&mut control).max_thread_steps(300_000_000);
        let report = self.device.launch(&self.program, kernel, shape, args, &mut control);
        report.map(|_| ()).map_err(|error| format!("{kernel} {shape:?}: {error}"))
    }
}

/// A GPU.
pub struct OnGpu {
    gpu: gchr_cuda::Gpu,
}

impl OnGpu {
    /// The first GPU with the kernels of the module; `None` without a GPU, which is noted. One test at a time may hold
    /// it.
    pub fn new(test: &str, module: &Module) -> Option<Self> {
        let mut gpu = crate::compiler::open_gpu(test)?;
        crate::compiler::load(&mut gpu, &crate::compiler::compiler(), module, "program.chr");
        Some(Self { gpu })
    }
}

impl Machine for OnGpu {
    fn upload(&mut self, bytes: &[u8]) -> BufferId {
        use gchr_kernel::device::Device;
        let buffer = self.gpu.alloc(bytes.len().max(1) as u64).expect("fits");
        self.gpu.upload(buffer, 0, bytes).expect("is there");
        buffer
    }
    fn download(&mut self, buffer: BufferId, bytes: &mut [u8]) {
        use gchr_kernel::device::Device;
        self.gpu.download(buffer, 0, bytes).expect("is there");
    }
    fn launch(&mut self, kernel: &str, shape: Shape, args: &[Arg<'_>]) -> Result<(), String> {
        use gchr_kernel::device::{Device, Launch};
        let kernel = self.gpu.kernel(kernel).expect("is there");
        let launch =
            Launch { kernel, grid: shape.grid, block: shape.block, args, cooperative: shape.cooperative };
        let done = self.gpu.launch(&launch).and_then(|()| self.gpu.synchronize());
        done.map_err(|error| format!("{error:?}"))
    }
}
