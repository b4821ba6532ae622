//! What the lanes of a warp, or the warps of a block, do together: votes, shuffles, barriers.

use super::*;
use gchr_kernel::ir::{ShuffleOp, VoteOp};

impl Turn<'_> {
    /// The masks that the active lanes give. Each must hold the lane itself and active lanes only, and these must give
    /// the same one.
    fn masks(&mut self, mask: Reg) -> LaneValues {
        let mut masks = *self.get(mask);
        let active = self.warp.active;
        let first = lanes(active).next().map_or(0, |l| masks[l]);
        if first == active && lanes(active).all(|l| masks[l] == first) {
            return masks;
        }
        let given = masks;
        for lane in lanes(active) {
            let mask = given[lane];
            let same = |other: usize| active >> other & 1 != 0 && given[other] == mask;
            if mask >> lane & 1 == 0 || !lanes(mask).all(same) {
                let fault = || Fault::Mask { mask: mask as u32, active: active as u32 };
                self.report(lane, 0, fault);
            }
            masks[lane] = mask & active;
        }
        masks
    }

    pub(super) fn vote(&mut self, op: VoteOp, mask: Reg, predicate: Reg, dst: Reg) {
        let masks = self.masks(mask);
        let holds = self.holds(predicate);
        for lane in lanes(self.warp.active) {
            let members = masks[lane];
            self.warp.regs[dst as usize][lane] = match op {
                VoteOp::Ballot => holds & members,
                VoteOp::Any => u64::from(holds & members != 0),
                VoteOp::All => u64::from(holds & members == members),
            };
        }
    }

    pub(super) fn shuffle(&mut self, op: ShuffleOp, mask: Reg, value: Reg, lane: Reg, dst: Reg) {
        let masks = self.masks(mask);
        let value = *self.get(value);
        let distance = *self.get(lane);
        let mut out = self.warp.regs[dst as usize];
        for me in lanes(self.warp.active) {
            let here = me as u64;
            let source = match op {
                ShuffleOp::Index => distance[me] % WARP as u64,
                ShuffleOp::Up => here.checked_sub(distance[me]).unwrap_or(here),
                ShuffleOp::Down => Some(here + distance[me]).filter(|&s| s < WARP as u64).unwrap_or(here),
                ShuffleOp::Xor => here ^ (distance[me] % WARP as u64),
            };
            if masks[me] >> source & 1 == 0 {
                let fault = Fault::ShuffleSource { source: source as u32, mask: masks[me] as u32 };
                self.report(me, 0, || fault);
            }
            out[me] = value[source as usize];
        }
        self.warp.regs[dst as usize] = out;
    }

    pub(super) fn warp_barrier(&mut self, mask: Reg) {
        let masks = self.masks(mask);
        let mut rest = self.warp.active;
        while let Some(first) = lanes(rest).next() {
            let set = masks[first] | 1 << first;
            rest &= !set;
            self.barrier_of(set as u32);
        }
    }

    /// A barrier of a set of lanes, for the order of their accesses.
    pub(super) fn barrier_of(&mut self, set: u32) {
        let warp = self.thread(0) / 32;
        self.order.warp_barrier(warp, set, &mut self.warp.lanes, &self.block.order);
    }

    /// Arrives at a block barrier.
    pub(super) fn barrier(&mut self, pc: u32) -> TurnEnd {
        let warp = &*self.warp;
        let cause = if warp.contexts.depth() > 0 {
            Some("a barrier in an everywhere block".to_string())
        } else if warp.exited != 0 {
            Some(format!("lanes {:#010x} of the warp have ended", warp.exited))
        } else if warp.active != ALL {
            Some(format!("lanes {:#010x} of the warp are elsewhere", ALL & !warp.active))
        } else {
            None
        };
        if let Some(cause) = cause {
            let lane = lanes(warp.active).next().unwrap_or(0);
            self.report(lane, 0, || Fault::BarrierDivergence { cause });
            return TurnEnd::Fatal;
        }
        self.warp.status = Status::Waiting(pc);
        TurnEnd::Waiting
    }
}
