//! Figure 7: the rules of control flow, with `split` of figure 6.
//!
//! Three of them are printed with slips, which are mended here and listed in `docs/simd.md`: BD sends the lanes with
//! zero to the next instruction although BT sends them to the label; SP of `sync` stands upside down; and the patterns
//! of `push` and SS have no room for a second branch within the later way of a first one.

use super::{Rule, State};
use crate::fault::Fault;
use crate::program::Operand;
use gchr_simulator::divergence::{Lanes, Resumption, lanes};

/// Where lanes that leave a region early would go on; those of this machine never do.
const NO_JOIN: u32 = u32::MAX;

impl State<'_> {
    /// SP: the machine stops when no region is open.
    pub(super) fn sp_stop(&mut self) -> Result<Rule, Fault> {
        self.closed()?;
        // The rule does not look at Λ, and would forget the lanes that wait there.
        let waiting =
            |c: &gchr_simulator::divergence::Context| c.stack.entries().iter().fold(0, |set, e| set | e.todo);
        let asleep: Lanes = self.warp.contexts.iter().map(waiting).fold(0, |set, lanes| set | lanes);
        if asleep != 0 {
            let threads = lanes(asleep).map(|lane| self.warp.thread(lane)).collect();
            return Err(Fault::Asleep { threads });
        }
        self.warp.stopped = true;
        Ok(Rule::SpStop)
    }

    /// Π = ∅.
    fn closed(&self) -> Result<(), Fault> {
        match self.warp.stack.entries().last() {
            Some(entry) => Err(Fault::Open { branch: entry.id }),
            None => Ok(()),
        }
    }

    /// `split`: the active lanes whose value is zero, and the others.
    fn split(&self, value: Operand) -> Result<(Lanes, Lanes), Fault> {
        let (mut zero, mut other) = (0, 0);
        for lane in lanes(self.warp.active) {
            match self.operand(value, lane)? {
                0 => zero |= 1 << lane,
                _ => other |= 1 << lane,
            }
        }
        Ok((zero, other))
    }

    pub(super) fn branch(&mut self, on_zero: bool, value: Operand, target: u32) -> Result<Rule, Fault> {
        let (zero, other) = self.split(value)?;
        let (jumping, staying) = if on_zero { (zero, other) } else { (other, zero) };
        Ok(match (jumping, staying) {
            (_, 0) => self.bt(target),
            (0, _) => self.bf(target),
            _ => self.bd(jumping, staying, target),
        })
    }

    fn bt(&mut self, target: u32) -> Rule {
        self.warp.stack.push(self.warp.pc, 0, target, NO_JOIN);
        self.goto(target);
        Rule::Bt
    }

    fn bf(&mut self, target: u32) -> Rule {
        self.warp.stack.push(self.warp.pc, 0, target, NO_JOIN);
        self.next();
        Rule::Bf
    }

    fn bd(&mut self, jumping: Lanes, staying: Lanes, target: u32) -> Rule {
        self.counters.divergent_branches += 1;
        self.warp.stack.push(self.warp.pc, jumping, target, NO_JOIN);
        self.warp.active = staying;
        self.next();
        Rule::Bd
    }

    pub(super) fn branch_mask(&mut self, lane: Operand, target: u32) -> Result<Rule, Fault> {
        let mask = self.warp.contexts.top().ok_or(Fault::NoEverywhere)?.active;
        let mut named = None;
        for active in lanes(self.warp.active) {
            let name = self.operand(lane, active)?;
            let first = *named.get_or_insert(name);
            if first != name {
                return Err(Fault::Disagree { lanes: [first, name] });
            }
        }
        let asked = named.is_some_and(|name| (0..64).contains(&name) && mask >> name & 1 == 1);
        Ok(if asked { self.ba(target) } else { self.bi() })
    }

    fn ba(&mut self, target: u32) -> Rule {
        self.goto(target);
        Rule::Ba
    }

    fn bi(&mut self) -> Rule {
        self.next();
        Rule::Bi
    }

    pub(super) fn sync(&mut self) -> Result<Rule, Fault> {
        match self.warp.stack.sync(self.warp.active).ok_or(Fault::NoBranch)? {
            Resumption::Switch { next, active } => Ok(self.ss(next, active)),
            Resumption::Join { active, .. } => Ok(self.sp_sync(active)),
        }
    }

    fn ss(&mut self, next: u32, active: Lanes) -> Rule {
        self.warp.active = active;
        self.goto(next);
        Rule::Ss
    }

    fn sp_sync(&mut self, active: Lanes) -> Rule {
        self.warp.active = active;
        self.next();
        Rule::SpSync
    }

    pub(super) fn jp(&mut self, target: u32) -> Rule {
        self.goto(target);
        Rule::Jp
    }

    pub(super) fn eb(&mut self) -> Rule {
        self.warp.contexts.enter(self.warp.active, &mut self.warp.stack);
        self.warp.active = self.warp.all;
        self.next();
        Rule::Eb
    }

    /// EE, whose premise is that all regions of the block are closed.
    pub(super) fn ee(&mut self) -> Result<Rule, Fault> {
        if self.warp.contexts.depth() > 0 {
            self.closed()?;
        }
        self.warp.active = self.warp.contexts.leave(&mut self.warp.stack).ok_or(Fault::NoEverywhere)?;
        self.next();
        Ok(Rule::Ee)
    }
}
