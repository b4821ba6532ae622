//! The rules of figures 6 to 8 of the paper, one function each, on the state of one warp.
//!
//! [`State::step`] finds the rule that applies to the next instruction (the premises of no two hold at once) and
//! applies it. `push` of figure 6 and what SS, SP, EB and EE do to the stacks are in
//! [`divergence`](gchr_simulator::divergence).

mod control;
mod data;

use gchr_base::hash::HashMap;

use super::counters::Counters;
use super::fault::{Fault, Report, Undefined};
use super::memory::Memory;
use super::program::*;
use super::warp::Warp;

/// A rule of figure 7 (control) or 8 (data). The paper names two of them SP. IT and TL stand around those of figure 8
/// (and are functions here), MM, MT and MV are their premises.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// SP, of `stop`.
    SpStop,
    /// BT: all lanes jump.
    Bt,
    /// BF: no lane jumps.
    Bf,
    /// BD: some lanes jump; the others go first.
    Bd,
    /// BA: `branch_mask` of a lane that asked.
    Ba,
    /// BI: `branch_mask` of a lane that did not.
    Bi,
    /// SS: `sync` with lanes that wait for their turn.
    Ss,
    /// SP, of `sync`: all lanes of the region meet.
    SpSync,
    /// JP: `jump`.
    Jp,
    /// EB: `everywhere`.
    Eb,
    /// EE: `end_everywhere`.
    Ee,
    /// CT: a constant.
    Ct,
    /// AS: a copy.
    As,
    /// LD: a load.
    Ld,
    /// ST: a store.
    St,
    /// AT: an atomic increment.
    At,
    /// BP: arithmetic.
    Bp,
    /// SV: a shuffle from a lane in the mask.
    Sv,
    /// SI: a shuffle of which at least one lane reads from outside of the mask.
    Si,
}

impl Rule {
    /// Name in the paper.
    pub fn name(self) -> &'static str {
        match self {
            Rule::SpStop | Rule::SpSync => "SP",
            Rule::Bt => "BT",
            Rule::Bf => "BF",
            Rule::Bd => "BD",
            Rule::Ba => "BA",
            Rule::Bi => "BI",
            Rule::Ss => "SS",
            Rule::Jp => "JP",
            Rule::Eb => "EB",
            Rule::Ee => "EE",
            Rule::Ct => "CT",
            Rule::As => "AS",
            Rule::Ld => "LD",
            Rule::St => "ST",
            Rule::At => "AT",
            Rule::Bp => "BP",
            Rule::Sv => "SV",
            Rule::Si => "SI",
        }
    }
}

/// What a step works on: the machine from the point of view of one warp.
pub(super) struct State<'m> {
    /// P.
    pub program: &'m Program,
    /// Θ, β, Π, Λ and pc.
    pub warp: &'m mut Warp,
    /// Number of the warp.
    pub index: u32,
    /// Σ.
    pub memory: &'m mut Memory,
    /// Number of threads of the run.
    pub threads: u32,
    /// Cells of a memory segment.
    pub segment: u32,
    /// What is counted.
    pub counters: &'m mut Counters,
    /// Undefined results.
    pub reports: &'m mut Reports,
}

impl State<'_> {
    /// One step of the machine.
    pub fn step(&mut self) -> Result<Rule, Fault> {
        match *self.program.code.get(self.warp.pc as usize).ok_or(Fault::NoInstruction)? {
            Instr::Stop => self.sp_stop(),
            Instr::Branch { on_zero, value, target } => self.branch(on_zero, value, target),
            Instr::BranchMask { lane, target } => self.branch_mask(lane, target),
            Instr::Sync => self.sync(),
            Instr::Jump { target } => Ok(self.jp(target)),
            Instr::Everywhere => Ok(self.eb()),
            Instr::EndEverywhere => self.ee(),
            instr => self.it(instr),
        }
    }
    fn goto(&mut self, target: u32) {
        self.warp.pc = target;
    }
    fn next(&mut self) {
        self.warp.pc += 1;
    }
    fn undefined(&mut self, what: Undefined) {
        self.reports.add(self.warp.pc, what);
    }
}

/// The undefined results of a run.
#[derive(Clone, Default, Debug)]
pub(super) struct Reports {
    reports: Vec<Report>,
    index: HashMap<(u32, u8), usize>,
}

impl Reports {
    /// All of them, in the order in which they were found.
    pub fn all(&self) -> &[Report] {
        &self.reports
    }
    fn add(&mut self, pc: u32, what: Undefined) {
        let next = self.reports.len();
        let at = *self.index.entry((pc, what.kind())).or_insert(next);
        match self.reports.get_mut(at) {
            Some(report) => report.count += 1,
            None => self.reports.push(Report { what, pc, count: 1 }),
        }
    }
}
