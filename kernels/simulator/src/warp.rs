//! State of a warp and of a block.

use std::hash::Hasher as _;

use gchr_base::hash::FxHasher;

use super::code::{BLOCK, KernelCode, LANE, LaneValues, THREAD, WARP};
use super::divergence::{ContextStack, DivergenceStack, Lanes};
use super::memory::Memory;
use super::order::{BlockOrder, HappensBefore, LaneOrder};

/// All lanes of a warp.
pub(crate) const ALL: Lanes = u32::MAX as Lanes;

/// Whether a warp can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    Ready,
    /// At the barrier at this position.
    Waiting(u32),
    Done,
}

/// A local array of a warp: by cell, one value a lane.
#[derive(Clone, Debug)]
pub(crate) struct LocalArray {
    pub data: Vec<LaneValues>,
    pub written: Vec<u32>,
}

/// Jumps back without a change of memory after which a loop that reads the clock is no longer taken to wait for some
/// moment.
const LONGEST_WAIT: u64 = 1 << 20;

/// Detection of loops that wait for a change of memory.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Spin {
    /// Memory version since which the warp jumps back.
    version: u64,
    jumps: u64,
    snapshot: Option<(u32, u64)>,
    stuck: bool,
}

/// A warp.
#[derive(Debug)]
pub(crate) struct Warp {
    /// Number within the block.
    pub index: u32,
    pub status: Status,
    pub pc: u32,
    pub active: Lanes,
    pub exited: Lanes,
    pub stack: DivergenceStack,
    pub contexts: ContextStack,
    pub regs: Vec<LaneValues>,
    /// Lanes in which a register is written; only kept for variables.
    pub written: Vec<u32>,
    pub locals: Vec<LocalArray>,
    pub lanes: Vec<LaneOrder>,
    pub spin: Spin,
    /// Writes to local arrays: progress that registers do not show.
    pub local_writes: u64,
}

impl Warp {
    fn new(kernel: &KernelCode, index: u32) -> Self {
        let registers = kernel.registers as usize;
        let local = |a: &super::code::ArrayCode| {
            let cells = a.length as usize * a.layout.cells();
            LocalArray { data: vec![[0; WARP]; cells], written: vec![0; cells] }
        };
        Self {
            index,
            status: Status::Done,
            pc: 0,
            active: 0,
            exited: 0,
            stack: DivergenceStack::new(),
            contexts: ContextStack::new(),
            regs: vec![[0; WARP]; registers],
            written: vec![0; registers],
            locals: kernel.local.iter().map(local).collect(),
            lanes: vec![LaneOrder::default(); WARP],
            spin: Spin::default(),
            local_writes: 0,
        }
    }

    fn start(&mut self, block: u32) {
        self.status = Status::Ready;
        self.pc = 0;
        self.active = ALL;
        self.exited = 0;
        self.lanes.fill(LaneOrder::default());
        self.spin = Spin::default();
        for lane in 0..WARP {
            self.regs[LANE as usize][lane] = lane as u64;
            self.regs[THREAD as usize][lane] = u64::from(self.index) * WARP as u64 + lane as u64;
        }
        self.regs[BLOCK as usize] = [u64::from(block); WARP];
    }

    /// Bytes of a warp of this kernel.
    pub(crate) fn bytes(kernel: &KernelCode) -> u64 {
        let cells = |a: &super::code::ArrayCode| u64::from(a.length) * a.layout.cells() as u64;
        let cells = u64::from(kernel.registers) + kernel.local.iter().map(cells).sum::<u64>();
        cells * (size_of::<LaneValues>() as u64 + 4)
    }

    fn state_hash(&self) -> u64 {
        let mut hash = FxHasher::default();
        for word in self.regs.iter().flatten() {
            hash.write_u64(*word);
        }
        hash.write_u64(self.active);
        hash.write_u64(self.local_writes);
        // The lanes that an `everywhere` block has yet to serve are progress too.
        let outer = self.contexts.iter().map(|context| {
            hash.write_u64(context.pending);
            &context.stack
        });
        let stacks: Vec<_> = outer.chain([&self.stack]).collect();
        for entry in stacks.into_iter().flat_map(|stack| stack.entries()) {
            hash.write_u64(entry.done);
            hash.write_u64(entry.todo);
        }
        hash.finish()
    }

    /// To be called at each jump back. A warp whose state recurs while no memory changes waits for another one. States
    /// are compared near powers of two of the jumps, so that a long computation in registers costs next to nothing.
    pub(crate) fn jumped_back(&mut self, version: u64) {
        let spin = &mut self.spin;
        if spin.version != version {
            *spin = Spin { version, ..Spin::default() };
            return;
        }
        spin.jumps += 1;
        let jumps = spin.jumps;
        if jumps < 64 || spin.stuck {
            return;
        }
        let since = jumps - (1 << jumps.ilog2());
        if since == 0 {
            self.spin.snapshot = Some((self.pc, self.state_hash()));
        } else if since <= 4 {
            self.spin.stuck = self.spin.snapshot == Some((self.pc, self.state_hash()));
        }
    }

    /// To be called when it reads the clock: what recurs until then may go on when time has passed.
    pub(crate) fn reads_clock(&mut self) {
        if self.spin.jumps < LONGEST_WAIT {
            (self.spin.snapshot, self.spin.stuck) = (None, false);
        }
    }

    /// Whether it waits for another warp to change memory.
    pub(crate) fn is_stuck(&self, version: u64) -> bool {
        self.spin.stuck && self.spin.version == version
    }
}

/// What the warps of a block share.
#[derive(Debug)]
pub(crate) struct BlockShared {
    pub shared: Vec<Memory>,
    pub order: BlockOrder,
}

/// A resident block.
#[derive(Debug)]
pub(crate) struct Block {
    pub common: BlockShared,
    pub warps: Vec<Warp>,
}

impl Block {
    /// A block to be started; `None` when its shared memory does not fit the machine.
    pub(crate) fn new(kernel: &KernelCode, warps: u32) -> Option<Self> {
        let shared = kernel.shared.iter();
        let shared = shared.map(|a| {
            let mut memory = Memory::new(u64::from(a.length) * u64::from(a.layout.size))?;
            memory.start_launch(&a.layout, false)?;
            Some(memory)
        });
        Some(Self {
            common: BlockShared { shared: shared.collect::<Option<_>>()?, order: BlockOrder::default() },
            warps: (0..warps).map(|i| Warp::new(kernel, i)).collect(),
        })
    }
    /// Starts it as block `index` of the grid.
    pub(crate) fn start(&mut self, index: u32, order: &HappensBefore) {
        self.common.order = order.start_block(index);
        for memory in &mut self.common.shared {
            memory.clear();
        }
        for warp in &mut self.warps {
            warp.start(index);
        }
    }
}
