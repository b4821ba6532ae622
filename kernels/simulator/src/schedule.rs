//! Which warp runs next: blocks are started and ended, warps take turns, barriers open, deadlocks are found.
//!
//! Every ready warp gets one turn per round, so no warp starves. With seed 0 the order is that of the blocks and warps
//! and all turns have the same length; other seeds shuffle the blocks, the warps of each round, the lengths of turns
//! and the lanes of atomics.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use gchr_base::control::{Control, Progress};
use gchr_base::error::StopReason;

use super::agreement::Agreement;
use super::code::{KernelCode, LaneValues};
use super::exec::{Counters, Turn, TurnEnd, make_report};
use super::memory::Memory;
use super::order::HappensBefore;
use super::report::{Fault, Report, Reports, ThreadName};
use super::rng::Rng;
use super::warp::{Block, Status};

/// Instructions of a turn with seed 0.
const TURN: u32 = 64;
/// Poll interval in thread steps.
const POLL: u64 = 1 << 20;
/// Warps named in a report of a deadlock.
const NAMED_WARPS: usize = 8;

/// Limits of a launch, and its connection to the control of the run.
pub struct SimControl<'a, 'c> {
    /// Time limit and interruption; polled about every million thread steps.
    pub control: &'a mut Control<'c>,
    /// Progress of the run, as `control` counts it (rule applications or firings), not in thread steps.
    pub progress: Progress,
    /// Thread steps that this launch may take.
    pub max_thread_steps: Option<u64>,
    /// Grace period of a launch that is to stop, so that one that is nearly over ends by itself.
    pub patience: Duration,
    /// When `control` first asked to stop.
    told: Option<Instant>,
}

impl<'a, 'c> SimControl<'a, 'c> {
    /// A control without a step limit.
    pub fn new(control: &'a mut Control<'c>) -> Self {
        let progress = Progress { steps: 0, bytes: 0, live: 0 };
        Self { control, progress, max_thread_steps: None, patience: Duration::ZERO, told: None }
    }
    /// Why the launch must stop now, if it must.
    fn poll(&mut self) -> Result<(), StopReason> {
        let Err(reason) = self.control.poll(self.progress) else { return Ok(()) };
        let told = *self.told.get_or_insert_with(Instant::now);
        if told.elapsed() < self.patience { Ok(()) } else { Err(reason) }
    }
    /// Stops the launch after so many thread steps.
    #[must_use]
    pub fn max_thread_steps(mut self, steps: u64) -> Self {
        self.max_thread_steps = Some(steps);
        self
    }
}

/// Why a launch ended early.
pub(crate) enum EarlyEnd {
    Fatal,
    Steps(u64),
    Control(StopReason),
}

/// A launch while it runs.
pub(crate) struct Launch<'l> {
    pub kernel: &'l KernelCode,
    pub uniform: &'l [LaneValues],
    pub buffers: &'l mut [Option<Memory>],
    pub slots: &'l [usize],
    pub random: bool,
    pub order: HappensBefore,
    pub agreement: Agreement,
    pub reports: Reports,
    pub rng: Rng,
    pub counters: Counters,
    pub tallies: Vec<u64>,
    pub version: u64,
    /// Longest turn.
    turn: u32,
}

impl<'l> Launch<'l> {
    pub(crate) fn new(
        kernel: &'l KernelCode,
        uniform: &'l [LaneValues],
        buffers: &'l mut [Option<Memory>],
        slots: &'l [usize],
        seed: u64,
        order: HappensBefore,
        reports: Reports,
    ) -> Self {
        let mut rng = Rng::new(seed);
        let random = seed != 0;
        let turn = if random { [4, 32, 256][rng.below(3) as usize] } else { TURN };
        let counters = Counters::default();
        let agreement = Agreement::default();
        Self {
            kernel,
            uniform,
            buffers,
            slots,
            random,
            order,
            agreement,
            reports,
            rng,
            counters,
            tallies: Vec::new(),
            version: 0,
            turn,
        }
    }

    /// Runs the blocks `0 .. grid`, at most as many at once as there are in `resident`.
    pub(crate) fn run(
        &mut self,
        grid: u32,
        mut resident: Vec<Block>,
        control: &mut SimControl<'_, '_>,
    ) -> Result<(), EarlyEnd> {
        let mut pending: Vec<u32> = (0..grid).collect();
        if self.random {
            self.rng.shuffle(&mut pending);
        }
        let mut pending = VecDeque::from(pending);
        for block in &mut resident {
            if let Some(index) = pending.pop_front() {
                block.start(index, &self.order);
            }
        }
        let mut next_poll = POLL;
        let mut ready = Vec::new();
        loop {
            list_ready(&resident, &mut ready);
            if ready.is_empty() {
                return Ok(());
            }
            if self.random {
                self.rng.shuffle(&mut ready);
            }
            for &(block, warp) in &ready {
                let state = &mut resident[block as usize];
                let outcome = self.turn(state, warp);
                match outcome {
                    TurnEnd::Yield => {}
                    TurnEnd::Fatal => return Err(EarlyEnd::Fatal),
                    TurnEnd::Waiting | TurnEnd::Done => {
                        self.meet(state)?;
                        if state.warps.iter().all(|w| w.status == Status::Done) {
                            self.order.barriers[state.common.order.index as usize] += 1;
                            if let Some(index) = pending.pop_front() {
                                state.start(index, &self.order);
                            }
                        }
                    }
                }
                if self.counters.thread_steps >= next_poll {
                    next_poll = self.counters.thread_steps + POLL;
                    control.poll().map_err(EarlyEnd::Control)?;
                }
            }
            if let Some(max) = control.max_thread_steps.filter(|&m| self.counters.thread_steps >= m) {
                return Err(EarlyEnd::Steps(max));
            }
            self.check_deadlock(&resident, pending.len() as u32)?;
        }
    }

    fn turn(&mut self, block: &mut Block, warp: u32) -> TurnEnd {
        let fuel = if self.random { 1 + self.rng.below(self.turn) } else { self.turn };
        let warps_per_block = block.warps.len() as u32;
        let warp = &mut block.warps[warp as usize];
        if warp.status != Status::Ready {
            return TurnEnd::Yield;
        }
        let mut turn = Turn {
            kernel: self.kernel,
            uniform: self.uniform,
            buffers: self.buffers,
            slots: self.slots,
            block: &mut block.common,
            warp,
            order: &mut self.order,
            agreement: &mut self.agreement,
            reports: &mut self.reports,
            rng: &mut self.rng,
            counters: &mut self.counters,
            tallies: &mut self.tallies,
            version: &mut self.version,
            warps_per_block,
            random: self.random,
            fuel,
        };
        turn.run()
    }

    /// Opens the barrier of a block when all its warps have arrived.
    fn meet(&mut self, block: &mut Block) -> Result<(), EarlyEnd> {
        let waiting = |s: Status| matches!(s, Status::Waiting(_));
        let Some(first) = block.warps.iter().find(|w| waiting(w.status)) else { return Ok(()) };
        let cause = if let Some(gone) = block.warps.iter().find(|w| w.status == Status::Done) {
            format!("warp {} of the block has ended", gone.index)
        } else if let Some(other) = block.warps.iter().find(|w| waiting(w.status) && w.status != first.status)
        {
            let Status::Waiting(pc) = other.status else { return Ok(()) };
            let site = self.kernel.sites_of[pc as usize] as usize;
            format!("warp {} waits at another one: {}", other.index, self.kernel.sites[site])
        } else if block.warps.iter().all(|w| waiting(w.status)) {
            let lanes = block.warps.iter_mut().flat_map(|w| &mut w.lanes);
            self.order.block_barrier(&mut block.common.order, lanes);
            self.counters.barriers += 1;
            self.version += 1;
            for warp in &mut block.warps {
                warp.status = Status::Ready;
            }
            return Ok(());
        } else {
            return Ok(());
        };
        let Status::Waiting(pc) = first.status else { return Ok(()) };
        let thread = ThreadName { block: block.common.order.index, warp: first.index, lane: 0 };
        self.add_fatal(pc, thread, Fault::BarrierDivergence { cause });
        Err(EarlyEnd::Fatal)
    }

    fn add_fatal(&mut self, pc: u32, thread: ThreadName, fault: Fault) {
        let site = self.kernel.sites_of.get(pc as usize).copied().unwrap_or(0);
        let report: Report = make_report(self.kernel, site, thread, fault);
        self.reports.add(site, 0, report);
    }

    /// Every warp waits at a barrier or for a change of memory that no warp makes.
    fn check_deadlock(&mut self, resident: &[Block], pending: u32) -> Result<(), EarlyEnd> {
        let mut running = resident.iter().flat_map(|b| &b.warps).filter(|w| w.status == Status::Ready);
        let mut spins = running.clone().peekable();
        if spins.peek().is_none() || !running.all(|w| w.is_stuck(self.version)) {
            return Ok(());
        }
        let mut waiting = Vec::new();
        let mut first = None;
        for block in resident {
            for warp in &block.warps {
                let (pc, how) = match warp.status {
                    Status::Done => continue,
                    Status::Waiting(pc) => (pc, "waits at"),
                    Status::Ready => (warp.pc, "spins at"),
                };
                let name = ThreadName {
                    block: block.common.order.index,
                    warp: warp.index,
                    lane: warp.active.trailing_zeros() % 32,
                };
                if first.is_none() && warp.status == Status::Ready {
                    first = Some((pc, name));
                }
                if waiting.len() < NAMED_WARPS {
                    let site = self.kernel.sites_of.get(pc as usize).map_or(0, |&s| s as usize);
                    let site = &self.kernel.sites[site];
                    waiting.push(format!("block {} warp {} {how} {site}", name.block, name.warp));
                }
            }
        }
        if let Some((pc, name)) = first {
            self.add_fatal(pc, name, Fault::Deadlock { waiting, pending_blocks: pending });
        }
        Err(EarlyEnd::Fatal)
    }
}

/// Ready warps, by block and warp.
fn list_ready(resident: &[Block], ready: &mut Vec<(u32, u32)>) {
    ready.clear();
    for (b, block) in (0..).zip(resident) {
        ready.extend(block.warps.iter().filter(|w| w.status == Status::Ready).map(|w| (b, w.index)));
    }
}
