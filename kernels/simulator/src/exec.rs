//! One turn of one warp: executes instructions until the turn is over, a barrier is reached or the warp is done.

mod atomic;
mod collective;
mod memory;

use gchr_base::profile::Traffic;

use super::agreement::Agreement;
use super::alu;
use super::code::*;
use super::divergence::{Lanes, Resumption, lanes};
use super::memory::Memory;
use super::order::HappensBefore;
use super::report::{Element, Fault, Report, Reports, ThreadName};
use super::rng::Rng;
use super::warp::{ALL, BlockShared, Status, Warp};
use gchr_kernel::ir::{BinaryOp, Scope};

/// Counters of a launch.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counters {
    /// Operations and statements executed, one for each lane that executes them.
    pub thread_steps: u64,
    /// The same, one for each warp.
    pub warp_steps: u64,
    /// 32-byte sectors of global memory touched by plain reads, each counted once per warp instruction.
    pub sectors_read: u64,
    /// The same for plain writes.
    pub sectors_written: u64,
    /// Those of both that random accesses touched; see [`Traffic::is_random`].
    pub sectors_random: u64,
    /// Atomic read-modify-writes of global memory, counted per lane.
    pub atomics: u64,
    /// Block barriers passed, counted per block.
    pub barriers: u64,
    /// Branches that split a warp.
    pub divergent_branches: u64,
}

impl Counters {
    /// The memory traffic.
    pub fn traffic(&self) -> Traffic {
        let bytes = |sectors: u64| sectors * Traffic::SECTOR;
        Traffic {
            read: bytes(self.sectors_read),
            written: bytes(self.sectors_written),
            random: bytes(self.sectors_random),
            atomics: self.atomics,
        }
    }
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.thread_steps += other.thread_steps;
        self.warp_steps += other.warp_steps;
        self.sectors_read += other.sectors_read;
        self.sectors_written += other.sectors_written;
        self.sectors_random += other.sectors_random;
        self.atomics += other.atomics;
        self.barriers += other.barriers;
        self.divergent_branches += other.divergent_branches;
    }
}

/// How a turn ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TurnEnd {
    /// The turn is over.
    Yield,
    /// The warp waits at a barrier.
    Waiting,
    /// The warp is done.
    Done,
    /// The launch cannot go on.
    Fatal,
}

/// The state that a turn works on.
pub(crate) struct Turn<'t> {
    pub kernel: &'t KernelCode,
    pub uniform: &'t [LaneValues],
    pub buffers: &'t mut [Option<Memory>],
    /// Buffer of each slot of the kernel.
    pub slots: &'t [usize],
    pub block: &'t mut BlockShared,
    pub warp: &'t mut Warp,
    pub order: &'t mut HappensBefore,
    pub agreement: &'t mut Agreement,
    pub reports: &'t mut Reports,
    pub rng: &'t mut Rng,
    pub counters: &'t mut Counters,
    pub tallies: &'t mut Vec<u64>,
    /// Counts changes of memory.
    pub version: &'t mut u64,
    pub warps_per_block: u32,
    /// Whether choices are random: the order of atomics of a warp, and turns that end at memory accesses.
    pub random: bool,
    pub fuel: u32,
}

impl Turn<'_> {
    /// Runs until the turn is over.
    pub(crate) fn run(&mut self) -> TurnEnd {
        let kernel = self.kernel;
        while self.fuel > 0 {
            self.fuel -= 1;
            let pc = self.warp.pc;
            let Some(instr) = kernel.code.get(pc as usize) else {
                self.warp.status = Status::Done;
                return TurnEnd::Done;
            };
            if instr.is_step() {
                self.counters.warp_steps += 1;
                self.counters.thread_steps += u64::from(self.warp.active.count_ones());
            }
            self.warp.pc = pc + 1;
            if let Some(outcome) = self.execute(instr, pc) {
                return outcome;
            }
        }
        TurnEnd::Yield
    }

    fn execute(&mut self, instr: &Instr, pc: u32) -> Option<TurnEnd> {
        match instr {
            Instr::Load(access) => self.load(access),
            Instr::Peek(access) => self.peek(access),
            Instr::Store(access) => self.store(access),
            Instr::Atomic(atomic) => self.atomic(atomic),
            Instr::FreshLocal { array } => self.fresh_local(*array),
            Instr::Own { mem, index, first, count, name } => self.own(*mem, *index, *first, *count, *name),
            Instr::Assume { cond, name } => {
                self.assume(*cond, *name, |name| Fault::AssumptionFailed { name });
            }
            Instr::Step { cond, name } => self.assume(*cond, *name, |name| Fault::StepFailed { name }),
            Instr::Uniform { scope, value, name } => self.uniform(*scope, *value, *name),
            Instr::Vote { op, mask, predicate, dst } => self.vote(*op, *mask, *predicate, *dst),
            Instr::Shuffle { op, mask, value, lane, dst } => self.shuffle(*op, *mask, *value, *lane, *dst),
            Instr::ActiveMask { dst } => self.warp.regs[*dst as usize] = [self.warp.active; WARP],
            Instr::Cycles { dst } => {
                self.warp.reads_clock();
                self.warp.regs[*dst as usize] = [self.counters.warp_steps & u64::from(u32::MAX); WARP];
            }
            Instr::WarpBarrier { mask } => self.warp_barrier(*mask),
            Instr::Fence(scope) => self.fence(*scope),
            Instr::Sleep => self.fuel = 0,
            Instr::Tally { number } => self.tally(*number),
            Instr::Barrier => return Some(self.barrier(pc)),
            Instr::Set { .. }
            | Instr::Undefine { .. }
            | Instr::CheckWritten { .. }
            | Instr::Unary { .. }
            | Instr::Binary { .. }
            | Instr::Shift { .. }
            | Instr::Select { .. }
            | Instr::Cast { .. }
            | Instr::Intrinsic { .. } => self.compute(instr),
            control => return self.control(control, pc),
        }
        None
    }

    // Registers

    fn get(&self, reg: Reg) -> &LaneValues {
        if reg >= UNIFORM { &self.uniform[(reg - UNIFORM) as usize] } else { &self.warp.regs[reg as usize] }
    }

    /// Active lanes in which a truth value holds.
    fn holds(&self, reg: Reg) -> Lanes {
        let mut set = 0;
        for (lane, value) in self.get(reg).iter().enumerate() {
            set |= (value & 1) << lane;
        }
        set & self.warp.active
    }

    fn compute(&mut self, instr: &Instr) {
        let mut out = [0; WARP];
        let dst = match *instr {
            Instr::Unary { op, ty, dst, a } => {
                alu::unary(op, ty, &mut out, self.get(a));
                dst
            }
            Instr::Binary { op, ty, dst, a, b } => {
                if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
                    self.check_division(ty, a, b);
                }
                alu::binary(op, ty, &mut out, self.get(a), self.get(b));
                dst
            }
            Instr::Shift { left, ty, dst, a, b } => {
                let wide = alu::shift(left, ty, &mut out, self.get(a), self.get(b)) & self.warp.active;
                if let Some(lane) = lanes(wide).next() {
                    let amount = self.get(b)[lane];
                    self.report(lane, 0, || Fault::ShiftTooWide { amount });
                }
                dst
            }
            Instr::Select { dst, cond, a, b } => {
                let (cond, a, b) = (self.get(cond), self.get(a), self.get(b));
                for i in 0..WARP {
                    out[i] = if cond[i] != 0 { a[i] } else { b[i] };
                }
                dst
            }
            Instr::Cast { from, to, dst, a } => {
                let faults = alu::cast(from, to, &mut out, self.get(a)) & self.warp.active;
                if let Some(lane) = lanes(faults).next() {
                    self.report(lane, 0, || Fault::FloatOutOfRange);
                }
                dst
            }
            Instr::Intrinsic { op, ty, dst, a, b } => {
                alu::intrinsic(op, ty, &mut out, self.get(a), self.get(b));
                dst
            }
            Instr::Set { dst, src } => return self.set(dst, src),
            Instr::Undefine { reg } => {
                self.warp.written[reg as usize] &= !(self.warp.active as u32);
                return;
            }
            Instr::CheckWritten { reg, name } => return self.check_written(reg, name),
            _ => return,
        };
        self.warp.regs[dst as usize] = out;
    }

    fn set(&mut self, dst: Reg, src: Reg) {
        let active = self.warp.active;
        let value = *self.get(src);
        let target = &mut self.warp.regs[dst as usize];
        if active == ALL {
            *target = value;
        } else {
            for lane in lanes(active) {
                target[lane] = value[lane];
            }
        }
        self.warp.written[dst as usize] |= active as u32;
    }

    fn check_written(&mut self, reg: Reg, name: u32) {
        let missing = self.warp.active & !Lanes::from(self.warp.written[reg as usize]);
        if let Some(lane) = lanes(missing).next() {
            let kernel = self.kernel;
            self.report(lane, 0, || Fault::UnwrittenVariable(kernel.names[name as usize].clone()));
        }
    }

    fn check_division(&mut self, ty: gchr_kernel::ir::Scalar, a: Reg, b: Reg) {
        let (zero, overflow) = alu::division_faults(ty, self.warp.active, self.get(a), self.get(b));
        if let Some(lane) = lanes(zero).next() {
            self.report(lane, 0, || Fault::DivisionByZero);
        }
        if let Some(lane) = lanes(overflow).next() {
            self.report(lane, 0, || Fault::DivisionOverflow);
        }
    }

    fn tally(&mut self, number: u32) {
        let number = number as usize;
        if number >= self.tallies.len() {
            self.tallies.resize(number + 1, 0);
        }
        self.tallies[number] += u64::from(self.warp.active.count_ones());
    }

    fn assume(&mut self, cond: Reg, name: u32, fault: impl FnOnce(String) -> Fault) {
        let failed = self.warp.active & !self.holds(cond);
        if let Some(lane) = lanes(failed).next() {
            let kernel = self.kernel;
            self.report(lane, 0, || fault(kernel.names[name as usize].clone()));
        }
    }

    fn uniform(&mut self, scope: Scope, value: Reg, name: u32) {
        let values = *self.get(value);
        let site = self.site();
        let group = (scope == Scope::Block).then_some(self.block.order.index);
        for lane in lanes(self.warp.active) {
            let thread = self.thread(lane);
            let Some(other) = self.agreement.check(site, group, thread, values[lane]) else { continue };
            let fault = Fault::NotUniform {
                name: self.kernel.names[name as usize].clone(),
                value: values[lane],
                other: self.name_of(other.thread),
                other_value: other.value,
            };
            self.report_at(site, lane, 0, fault);
        }
    }

    // Control

    fn control(&mut self, instr: &Instr, pc: u32) -> Option<TurnEnd> {
        match instr {
            Instr::Push { join } => self.warp.stack.push(pc, 0, *join, *join),
            Instr::Branch { cond, otherwise, join } => {
                let taken = self.holds(*cond);
                let waiting = self.warp.active & !taken;
                if taken != 0 {
                    self.counters.divergent_branches += u64::from(waiting != 0);
                    self.warp.stack.push(pc, waiting, *otherwise, *join);
                    self.warp.active = taken;
                } else {
                    self.warp.stack.push(pc, 0, *otherwise, *join);
                    self.warp.pc = *otherwise;
                }
            }
            Instr::Guard { cond, expect, join } => {
                let holds = self.holds(*cond);
                let taken = if *expect { holds } else { self.warp.active & !holds };
                let waiting = self.warp.active & !taken;
                if taken == 0 {
                    self.warp.pc = *join + 1;
                    return None;
                }
                self.counters.divergent_branches += u64::from(waiting != 0);
                self.warp.stack.push(pc, 0, *join, *join);
                self.park_top(waiting);
                self.warp.active = taken;
            }
            Instr::Filter { cond } => {
                let stay = self.holds(*cond);
                let leave = self.warp.active & !stay;
                self.counters.divergent_branches += u64::from(leave != 0 && stay != 0);
                self.park_top(leave);
                self.warp.active = stay;
                return self.go_on();
            }
            Instr::Switch { value, table } => self.switch(*value, *table, pc),
            Instr::Park { level } => {
                self.warp.stack.park(*level as usize, self.warp.active);
                self.warp.active = 0;
                return self.go_on();
            }
            Instr::Sync => {
                let step = self.warp.stack.sync(self.warp.active);
                return self.follow(step);
            }
            Instr::Jump { target } => self.warp.pc = *target,
            Instr::Loop { target } => {
                self.warp.pc = *target;
                self.warp.jumped_back(*self.version);
            }
            Instr::Exit => {
                self.warp.exited |= self.warp.active;
                self.warp.active = 0;
                return self.go_on();
            }
            Instr::EverywhereBegin => {
                let warp = &mut *self.warp;
                warp.contexts.enter(warp.active, &mut warp.stack);
            }
            Instr::EverywhereNext { captures, exit } => self.next_lane(captures, *exit),
            Instr::EverywhereEnd => {
                let warp = &mut *self.warp;
                warp.active = warp.contexts.leave(&mut warp.stack).unwrap_or(0);
            }
            _ => {}
        }
        None
    }

    fn park_top(&mut self, lanes: Lanes) {
        let top = self.warp.stack.depth().saturating_sub(1);
        self.warp.stack.park(top, lanes);
    }

    /// Continues with the active lanes, or when there are none with waiting ones.
    fn go_on(&mut self) -> Option<TurnEnd> {
        if self.warp.active != 0 {
            return None;
        }
        let step = self.warp.stack.resume();
        self.follow(step)
    }

    fn follow(&mut self, step: Option<Resumption>) -> Option<TurnEnd> {
        match step {
            Some(Resumption::Switch { next, active }) => {
                self.warp.pc = next;
                self.warp.active = active;
            }
            Some(Resumption::Join { join, active }) => {
                self.warp.pc = join + 1;
                self.warp.active = active;
            }
            None => {
                self.warp.status = Status::Done;
                return Some(TurnEnd::Done);
            }
        }
        None
    }

    fn switch(&mut self, value: Reg, table: u32, pc: u32) {
        let table = &self.kernel.tables[table as usize];
        let target = |value: u64| table.cases.get(&value).copied().unwrap_or(table.default);
        let value = *self.get(value);
        let mut same = 0;
        let mut first = None;
        for lane in lanes(self.warp.active) {
            let way = target(value[lane]);
            if *first.get_or_insert(way) == way {
                same |= 1 << lane;
            }
        }
        let Some(first) = first else { return };
        let others = self.warp.active & !same;
        self.counters.divergent_branches += u64::from(others != 0);
        let top = self.warp.stack.depth().saturating_sub(1);
        self.warp.stack.postpone(top, others, pc);
        self.warp.active = same;
        self.warp.pc = first;
    }

    fn next_lane(&mut self, captures: &[(Reg, Reg)], exit: u32) {
        self.barrier_of(ALL as u32);
        let Some(lane) = self.warp.contexts.next_lane() else {
            self.warp.pc = exit;
            return;
        };
        for &(dst, src) in captures {
            let value = self.get(src)[lane];
            self.warp.regs[dst as usize] = [value; WARP];
        }
        self.warp.active = ALL;
    }

    // Reports

    fn thread_name(&self, lane: usize) -> ThreadName {
        ThreadName { block: self.block.order.index, warp: self.warp.index, lane: lane as u32 }
    }

    /// Name of a thread of the grid.
    fn name_of(&self, thread: u32) -> ThreadName {
        let warp = thread / 32;
        ThreadName {
            block: warp / self.warps_per_block,
            warp: warp % self.warps_per_block,
            lane: thread % 32,
        }
    }

    /// Number of a lane in the grid.
    fn thread(&self, lane: usize) -> u32 {
        (self.block.order.index * self.warps_per_block + self.warp.index) * 32 + lane as u32
    }

    /// Statement of the instruction that is being executed.
    fn site(&self) -> u32 {
        self.kernel.sites_of.get(self.warp.pc.wrapping_sub(1) as usize).copied().unwrap_or(0)
    }

    fn report(&mut self, lane: usize, other: u32, fault: impl FnOnce() -> Fault) {
        let site = self.site();
        self.report_at(site, lane, other, fault());
    }

    pub(crate) fn report_at(&mut self, site: u32, lane: usize, other: u32, fault: Fault) {
        if self.reports.seen(fault.code(), site, other) && !fault.is_fatal() {
            return;
        }
        let thread = self.thread_name(lane);
        self.reports.add(site, other, make_report(self.kernel, site, thread, fault));
    }
}

/// A report with the statement and the calls that led there.
pub(crate) fn make_report(kernel: &KernelCode, site: u32, thread: ThreadName, fault: Fault) -> Report {
    let sites = &kernel.sites;
    let mut calls = Vec::new();
    let mut at = sites[site as usize].call;
    while let Some(call) = at {
        calls.push(sites[call as usize].clone());
        at = sites[call as usize].call;
    }
    let site = sites[site as usize].clone();
    Report { fault, kernel: kernel.name.clone(), site, calls, thread, count: 1 }
}

/// An element for a report.
fn element(memory: &str, index: u64, field: u32) -> Element {
    Element { memory: memory.to_string(), index: index.cast_signed(), field }
}
