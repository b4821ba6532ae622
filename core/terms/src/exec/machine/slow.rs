//! Slow paths of the interpreter: polling, growing the stack, collecting, errors and traces.

use super::{Fp, Machine, STACK_STEP};
use crate::exec::bytecode::*;
use crate::exec::heap::Full;
use crate::exec::run::{Run, Stop};
use crate::plan::Site;
use gchr_base::error::StopReason;
use gchr_base::memory::{self, Shortage};
use gchr_base::op::ArithmeticError;
use gchr_base::signature::{SortId, SymbolId};

impl Machine<'_, '_> {
    /// Applications that are complete at an allocation but not counted yet.
    pub(super) fn pending(&self, pc: usize) -> u32 {
        self.code.maps.get(self.code.map_of[pc] as usize).map_or(0, |m| m.pending)
    }

    /// The sort of a `Repeat`: that of the root in its argument's slot, or of cells not traced when it has none.
    pub(super) fn repeat_sort(&self, pc: usize, slot: Slot) -> SortId {
        let map = self.code.maps.get(self.code.map_of[pc] as usize).copied().unwrap_or_default();
        let roots = &self.code.roots[map.first as usize..][..map.len as usize];
        roots.iter().find(|r| r.0 == slot).map_or(SortId(0), |r| r.1)
    }

    /// Counts a block of a recorded run; of the last one the applications that the step limit allows.
    pub(super) fn enter_block(&mut self, block: u32, fuel: i64) -> Result<(), Stop> {
        let counted = &self.code.blocks[block as usize];
        let after = fuel - i64::from(counted.pending);
        let Some(limit) = self.run.exceeded(after) else {
            self.tally.enter(block);
            return Ok(());
        };
        let beyond = (self.run.computed(after) - limit) as usize;
        self.tally.enter_in_part(&counted.rules[..counted.rules.len().saturating_sub(beyond)]);
        Err(StopReason::Steps { limit }.into())
    }

    /// Takes more of the stack so that a frame can start at `fp`.
    #[cold]
    pub(super) fn grow_stack(&mut self, fp: Fp, fuel: i64) -> Result<(), StopReason> {
        self.run.poll(fuel)?;
        let base: Fp = self.stack.base().cast();
        let reserve = (self.code.max_frame as u64 + 64) * 8;
        // SAFETY of the subtraction: both point into the reservation, or right after it.
        let used = (fp as u64).saturating_sub(base as u64);
        let needed = used + reserve;
        let what = "pending calls (recursion too deep)";
        let limit =
            |machine: &Self| machine.stack.most().min(machine.run.heap.free() + machine.run.heap.stack_bytes);
        if needed > limit(self) {
            self.run.heap.trim();
        }
        let limit = limit(self);
        // In large steps while that takes little of what is left.
        let steps = [STACK_STEP, STACK_STEP >> 4, STACK_STEP >> 8].map(|step| needed.div_ceil(step) * step);
        let spare = limit.saturating_sub(needed) / 8;
        let stack = &mut self.stack;
        let mut fits = |bytes: u64| bytes - needed <= spare && stack.may_touch(bytes) && stack.grow(bytes);
        let bytes = steps.into_iter().find(|&bytes| fits(bytes)).unwrap_or(needed);
        // The first frame is given what it needs.
        if self.run.heap.stack_bytes > 0 {
            if bytes > limit {
                return Err(StopReason::Memory { limit: self.run.heap.memory(), what: what.into() });
            }
            if !self.stack.may_touch(bytes) {
                return Err(Shortage::Limit(memory::bound()).of(what));
            }
        }
        if !self.stack.grow(bytes) {
            return Err(Shortage::System.of(what));
        }
        self.stack.touch(bytes);
        self.run.heap.stack_bytes = bytes.max(self.run.heap.stack_bytes);
        let end = (bytes - reserve) / 8 + 1;
        self.stack_end = base.wrapping_add(end as usize);
        Ok(())
    }

    /// Gives back what the stack has taken beyond the frame at `fp`, which is the last one; says whether that was
    /// anything.
    pub(super) fn trim_stack(&mut self, fp: Fp) -> bool {
        let base: Fp = self.stack.base().cast();
        let reserve = (self.code.max_frame as u64 + 64) * 8;
        let needed = (fp as u64).saturating_sub(base as u64) + reserve;
        if needed >= self.run.heap.stack_bytes {
            return false;
        }
        self.run.heap.stack_bytes = needed;
        self.stack_end = fp.wrapping_add(1);
        true
    }

    #[cold]
    pub(super) fn slow_alloc(&mut self, class: usize, fp: Fp, pc: usize, fuel: i64) -> Result<(), Stop> {
        let rule = self.code.rule_at(pc);
        let fail = |reason| Stop { reason, rule, span: None };
        loop {
            let full = match self.run.heap.refill(class) {
                Ok(()) => return Ok(()),
                Err(Full::Collect) => match self.collect(fp, pc, fuel) {
                    Ok(()) => continue,
                    Err(Ok(full)) => full,
                    Err(Err(reason)) => return Err(fail(reason)),
                },
                Err(full) => full,
            };
            if full == Full::Memory && self.trim_stack(fp) {
                continue;
            }
            return Err(fail(self.run.full(full, class)));
        }
    }

    /// An operation on integers of any size, which are collected when many have been made.
    #[cold]
    pub(super) fn big(
        &mut self,
        site: u32,
        operands: [u64; 2],
        fp: Fp,
        pc: usize,
        fuel: i64,
    ) -> Result<u64, Stop> {
        let OpSite { op, rule, span, .. } = self.code.sites[site as usize];
        let [a, b] = operands;
        let mut result = Err(StopReason::Interrupted);
        // A second time, after a collection, where there was no room.
        for full in [self.run.heap.is_due(), true] {
            if full {
                match self.collect(fp, pc, fuel) {
                    Ok(()) | Err(Ok(_)) => {}
                    Err(Err(reason)) => return Err(Stop { reason, rule: Some(rule), span: None }),
                }
            }
            result = self.run.big_integer(op, a, b);
            if !matches!(result, Err(StopReason::Memory { .. })) {
                break;
            }
        }
        result.map_err(|reason| Stop { reason, rule: Some(rule), span: Some(span) })
    }

    /// Collects; the roots are the live slots of all frames, the roots of their holes, and `values`.
    pub(super) fn collect(&mut self, fp: Fp, pc: usize, fuel: i64) -> Result<(), Result<Full, StopReason>> {
        self.run.poll(fuel).map_err(Err)?;
        let code = self.code;
        let (values, outermost) = (&self.run.values, self.outermost);
        let base: Fp = self.stack.base().cast();
        let bottom = base as usize;
        self.run
            .heap
            .collect(&mut |marker| {
                values.iter().for_each(|v| marker.value(v.0, v.1));
                let (mut fp, mut pc) = (fp, pc);
                loop {
                    let Some(map) = code.maps.get(code.map_of[pc] as usize) else { return };
                    for &(slot, sort) in &code.roots[map.first as usize..][..map.len as usize] {
                        // SAFETY: verified maps name slots of the frame; they are initialised where the map holds.
                        marker.value(sort, unsafe { *fp.add(slot as usize) });
                    }
                    // SAFETY: every frame has a return word right below, and a root below that when the caller says so.
                    let word = unsafe { *fp.sub(1) };
                    let (caller, delta) = ((word >> 32) as usize, (word >> 16) as u16 as usize);
                    let call =
                        if caller == 0 { None } else { code.maps.get(code.map_of[caller - 1] as usize) };
                    let holes = match call {
                        Some(call) => call.hole_callee.then_some(SortId(call.result.into())),
                        None => outermost,
                    };
                    if let Some(sort) = holes {
                        // SAFETY: as above.
                        marker.root(sort, unsafe { *fp.sub(3).cast::<u32>() });
                    }
                    fp = fp.wrapping_sub(delta);
                    if caller == 0 || (fp as usize) <= bottom {
                        return;
                    }
                    pc = caller - 1;
                }
            })
            .map_err(Ok)
    }

    #[cold]
    pub(super) fn arithmetic(&self, site: u32, error: ArithmeticError, operands: &[u64]) -> Stop {
        let OpSite { op, rule, span, float, .. } = self.code.sites[site as usize];
        Run::arithmetic(op, Site { rule, span }, float, error, operands.iter().copied())
    }

    #[cold]
    pub(super) fn type_error(&self, site: u32, sort: SortId, value: u64) -> Stop {
        let OpSite { op, rule, span, .. } = self.code.sites[site as usize];
        self.run.type_error(op, Site { rule, span }, sort, value)
    }

    /// Reports a rule application, unless it is beyond the step limit.
    #[cold]
    pub(super) fn trace(&mut self, index: u32, fp: Fp, fuel: i64) -> Result<(), Stop> {
        let point = &self.code.traces[index as usize];
        if let Some(limit) = self.run.exceeded(fuel - i64::from(point.pending)) {
            return Err(StopReason::Steps { limit }.into());
        }
        if !self.run.control.traces() {
            return Ok(());
        }
        let redex = self.application(point.symbol, &point.args, fp);
        self.run.control.trace_line(&format!("{}: {redex}", self.run.program.rule_name(point.rule)));
        Ok(())
    }

    /// An application as text, its arguments cut when they are long.
    /// The normal form that an application is that no rule matches, where integers have any size.
    #[cold]
    pub(super) fn no_value(&mut self, symbol: SymbolId, args: &[(Slot, SortId)], fp: Fp) -> Option<u64> {
        // SAFETY: verified failures name slots of the frame.
        self.run.no_value(symbol, args.iter().map(|&(slot, sort)| (sort, unsafe { *fp.add(slot as usize) })))
    }

    pub(super) fn application(&self, symbol: SymbolId, args: &[(Slot, SortId)], fp: Fp) -> String {
        // SAFETY: verified trace points and failures name slots of the frame.
        self.run
            .application(symbol, args.iter().map(|&(slot, sort)| (sort, unsafe { *fp.add(slot as usize) })))
    }
}
