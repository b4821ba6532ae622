//! The simulator as a backend: what host code of a scheduler needs of a device.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gchr_base::control::{Control, Limits};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::StopReason;
use gchr_base::ids::{Id, IdVec};
use gchr_base::limit::Limit;

use super::device::MAX_BLOCK;
use super::{
    Counters, LaunchError, LowerError, MemoryError, Program, Shape, SimControl, Simulator, SimulatorOptions,
    WARP,
};
use gchr_kernel::device::{
    BufferId, Counts, Device, DeviceError, DeviceLimits, KernelId, Launch, Result, TimerId,
};

/// Bytes of statically declared shared memory a block may have, as in CUDA.
const SHARED_BYTES: u32 = 48 << 10;

/// A device without a GPU: launches run on the CPU while they are called, watched by the checks of the simulator.
#[derive(Debug)]
pub struct SimDevice<'a> {
    simulator: Simulator,
    program: Program,
    kernels: IdVec<KernelId, String>,
    limits: DeviceLimits,
    timers: IdVec<TimerId, Option<Instant>>,
    deadline: Option<Instant>,
    interrupt: Option<&'a AtomicBool>,
    patience: Duration,
    max_thread_steps: Option<u64>,
    late: Vec<String>,
    totals: Counters,
}

impl<'a> SimDevice<'a> {
    /// A device with the kernels of a program.
    pub fn new(program: Program, options: SimulatorOptions) -> Self {
        let limits = DeviceLimits {
            name: "simulator".into(),
            multiprocessors: options.resident_blocks.max(1),
            block_threads: MAX_BLOCK,
            multiprocessor_threads: MAX_BLOCK,
            shared_bytes: SHARED_BYTES,
            memory_bytes: options.memory_limit,
            kernel_time_limit: false,
        };
        Self {
            simulator: Simulator::new(options),
            program,
            kernels: IdVec::new(),
            limits,
            timers: IdVec::new(),
            deadline: None,
            interrupt: None,
            patience: Duration::ZERO,
            max_thread_steps: None,
            late: Vec::new(),
            totals: Counters::default(),
        }
    }
    /// Ends launches at this moment.
    #[must_use]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }
    /// Ends launches soon after `flag` becomes true.
    #[must_use]
    pub fn interrupt(mut self, flag: &'a AtomicBool) -> Self {
        self.interrupt = Some(flag);
        self
    }
    /// Ends launches so long after these: a launch that ends by itself leaves its results complete.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }
    /// Ends a launch after so many thread steps.
    #[must_use]
    pub fn max_thread_steps(mut self, steps: u64) -> Self {
        self.max_thread_steps = Some(steps);
        self
    }
    /// Says of a kernel that it is not at hand until it was looked up, as of one that a GPU has to compile.
    #[must_use]
    pub fn late(mut self, kernel: &str) -> Self {
        self.late.push(kernel.into());
        self
    }
    /// What all launches did.
    pub fn totals(&self) -> Counters {
        self.totals
    }
    /// Goes on with the buffers of another device, which had the same kernels; options are those of this one.
    #[must_use]
    pub fn with_buffers_of(mut self, other: Simulator) -> Self {
        let options = self.simulator.options();
        self.simulator = other.with_options(options);
        self
    }
    /// The simulator with its buffers, for a [further device](Self::with_buffers_of).
    pub fn into_simulator(self) -> Simulator {
        self.simulator
    }
    /// The simulator itself.
    pub fn simulator(&mut self) -> &mut Simulator {
        &mut self.simulator
    }

    fn refuse(&self, kernel: KernelId, reason: String) -> DeviceError {
        DeviceError::Launch { kernel: self.kernels.get(kernel).cloned().unwrap_or_default(), reason }
    }
}

impl Device for SimDevice<'_> {
    fn limits(&self) -> &DeviceLimits {
        &self.limits
    }

    fn free_bytes(&mut self) -> Result<u64> {
        Ok(self.limits.memory_bytes.saturating_sub(self.simulator.bytes_in_use()))
    }

    fn kernel(&mut self, name: &str) -> Result<KernelId> {
        if self.program.kernel(name).is_none() {
            let known = self.program.kernels().into_iter().map(String::from).collect();
            return Err(DeviceError::UnknownKernel { name: name.into(), known });
        }
        let known = self.kernels.ids().find(|&id| self.kernels[id] == name);
        Ok(known.unwrap_or_else(|| self.kernels.push(name.into())))
    }

    fn is_at_hand(&mut self, name: &str) -> Result<bool> {
        Ok(!self.late.iter().any(|late| late == name) || self.kernels.iter().any(|known| known == name))
    }

    fn resident_blocks(&mut self, kernel: KernelId, block: u32) -> Result<u32> {
        if self.kernels.get(kernel).is_none() {
            return Err(DeviceError::Stale { id: kernel.to_string() });
        }
        if block == 0 || block > MAX_BLOCK || !block.is_multiple_of(WARP as u32) {
            return Err(self.refuse(kernel, format!("a block of {block} threads")));
        }
        Ok(self.limits.multiprocessors)
    }

    fn alloc(&mut self, bytes: u64) -> Result<BufferId> {
        Ok(self.simulator.alloc(bytes)?)
    }

    fn free(&mut self, buffer: BufferId) -> Result<()> {
        Ok(self.simulator.free(buffer)?)
    }

    fn upload(&mut self, buffer: BufferId, offset: u64, data: &[u8]) -> Result<()> {
        Ok(self.simulator.upload(buffer, offset, data)?)
    }

    fn download(&mut self, buffer: BufferId, offset: u64, into: &mut [u8]) -> Result<()> {
        into.copy_from_slice(self.simulator.bytes(buffer, offset, into.len() as u64)?);
        Ok(())
    }

    fn fill(&mut self, buffer: BufferId, offset: u64, bytes: u64, value: u8) -> Result<()> {
        Ok(self.simulator.fill(buffer, offset, bytes, value)?)
    }

    fn accept_unwritten(&mut self, buffer: BufferId) -> Result<()> {
        Ok(self.simulator.accept_unwritten(buffer)?)
    }

    fn copy(&mut self, from: BufferId, to: BufferId, bytes: u64) -> Result<()> {
        Ok(self.simulator.copy(from, to, bytes)?)
    }

    fn launch(&mut self, launch: &Launch<'_>) -> Result<()> {
        let Some(name) = self.kernels.get(launch.kernel) else {
            return Err(DeviceError::Stale { id: launch.kernel.to_string() });
        };
        if launch.grid == 0 {
            return Ok(());
        }
        if launch.cooperative && launch.grid > self.limits.multiprocessors {
            let reason = format!("{} blocks cannot be resident at once", launch.grid);
            return Err(self.refuse(launch.kernel, reason));
        }
        let shape = Shape { grid: launch.grid, block: launch.block, cooperative: launch.cooperative };
        let timeout = self.deadline.map(|d| d.saturating_duration_since(Instant::now()));
        let mut control = Control::new(Limits { timeout, ..Limits::default() });
        if let Some(flag) = self.interrupt {
            control = control.interrupt(flag);
        }
        let mut control = SimControl::new(&mut control);
        control.max_thread_steps = self.max_thread_steps;
        control.patience = self.patience;
        let result = self.simulator.launch(&self.program, name, shape, launch.args, &mut control);
        match result {
            Ok(report) => {
                self.totals += report.counters;
                Ok(())
            }
            Err(LaunchError::Arguments(reason)) => Err(self.refuse(launch.kernel, reason)),
            Err(LaunchError::Memory(error)) => Err(error.into()),
            Err(error) => Err(DeviceError::Findings(error.diagnostics())),
        }
    }

    fn synchronize(&mut self) -> Result<()> {
        Ok(())
    }

    fn counts(&mut self) -> Result<Option<Counts>> {
        let tallies = self.simulator.tallies().to_vec();
        Ok(Some(Counts { traffic: self.totals.traffic(), tallies }))
    }

    fn start_timer(&mut self) -> Result<TimerId> {
        Ok(self.timers.push(Some(Instant::now())))
    }

    fn stop_timer(&mut self, timer: TimerId) -> Result<Duration> {
        let start = if timer.index() < self.timers.len() { self.timers[timer].take() } else { None };
        start.map(|s| s.elapsed()).ok_or_else(|| DeviceError::Stale { id: timer.to_string() })
    }
}

impl From<MemoryError> for DeviceError {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::OutOfMemory { bytes, in_use, limit } => DeviceError::OutOfMemory {
                requested: bytes,
                used: in_use,
                free: limit.saturating_sub(in_use),
                total: limit,
            },
            MemoryError::NoBuffer(id) => DeviceError::Stale { id: id.to_string() },
            MemoryError::Range { buffer, offset, bytes, size } => {
                DeviceError::Range { buffer, offset, bytes, size }
            }
        }
    }
}

impl LowerError {
    /// The error for the user.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error("D0501", format!("the kernel cannot be simulated: {}", self.message))
            .note(format!("in function `{}`, kernel line {}", self.function, self.kernel_line))
            .help("kernels are generated by gchr or shipped with it: please report this, with the program")
    }
}

impl LaunchError {
    /// The error for the user: one diagnostic a finding.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let (stop, reports) = match self {
            LaunchError::Arguments(text) => (Some(Diagnostic::error("D0404", text.clone())), &[][..]),
            LaunchError::Memory(error) => (Some(Diagnostic::error("D0401", error.to_string())), &[][..]),
            LaunchError::Faults(reports) => (None, &reports[..]),
            LaunchError::Steps { limit, reports } => {
                let stop = Diagnostic::error("D0502", format!("a launch took {limit} thread steps"))
                    .help("use a smaller input: the simulator is for small ones");
                (Some(stop), &reports[..])
            }
            LaunchError::Stopped { reason, reports } => (Some(stopped(reason)), &reports[..]),
        };
        stop.into_iter().chain(reports.iter().map(super::Report::diagnostic)).collect()
    }
}

fn stopped(reason: &StopReason) -> Diagnostic {
    match reason {
        StopReason::Timeout { .. } => Diagnostic::error("D0503", "time limit reached within a kernel")
            .note("the simulator is for small inputs")
            .limit(Limit::Time),
        StopReason::Memory { .. } | StopReason::NoMemory { .. } => reason.to_diagnostic(),
        _ => Diagnostic::error("D0504", "interrupted within a kernel"),
    }
}
