//! Atomic operations and fences.

use super::super::order::Accessor;
use super::super::report::Touch;
use super::memory::{MemoryTarget, check_bounds, note, resolve};
use super::*;
use gchr_kernel::ir::{AtomicOp, Scope};

/// The lanes of a set, in an order.
struct LaneOrdering {
    lanes: [u8; WARP],
    count: usize,
}

impl Turn<'_> {
    fn ordering(&mut self, set: Lanes) -> LaneOrdering {
        let mut order = LaneOrdering { lanes: [0; WARP], count: 0 };
        for lane in lanes(set) {
            order.lanes[order.count] = lane as u8;
            order.count += 1;
        }
        if self.random {
            self.rng.shuffle(&mut order.lanes[..order.count]);
        }
        order
    }

    pub(super) fn atomic(&mut self, atomic: &Atomic) {
        self.targets(atomic.mem, |turn, target, set| turn.atomic_on(atomic, target, set));
        self.maybe_yield();
    }

    fn atomic_on(&mut self, atomic: &Atomic, target: MemoryTarget, set: Lanes) {
        let index = *self.get(atomic.index);
        let a = *self.get(atomic.operands[0]);
        let b = *self.get(atomic.operands[1]);
        let order = self.ordering(set);
        let site = self.site();
        let thread = self.thread(0);
        let mut problems = Vec::new();
        let field = atomic.field;
        let Some(memory) =
            resolve(self.buffers, self.kernel, self.slots, &mut self.block.shared, target, field + 1)
        else {
            return self.no_buffer(set);
        };
        let inside = check_bounds(memory, set, &index, &mut problems);
        let place = memory.layout.fields[field as usize];
        for &lane in &order.lanes[..order.count] {
            let lane = usize::from(lane);
            if inside >> lane & 1 == 0 {
                continue;
            }
            let modifies = !matches!(atomic.op, AtomicOp::Load | AtomicOp::Store);
            self.counters.atomics += u64::from(modifies && matches!(target, MemoryTarget::Global(_)));
            let i = index[lane];
            let cell = memory.cell(i, field);
            let old = memory.load(i, place);
            let writes = match atomic.op {
                AtomicOp::Load => false,
                AtomicOp::CompareExchange => old == a[lane],
                _ => true,
            };
            let reads = atomic.op != AtomicOp::Store;
            if reads && !memory.is_written(i, place) {
                problems.push((lane, super::memory::AccessProblem::Unwritten { index: i, field }));
            }
            let touch = if writes { Touch::AtomicWrite } else { Touch::AtomicRead };
            let me = thread + lane as u32;
            let state = &mut self.warp.lanes[lane];
            if reads && let Some(point) = memory.sync.get(&(cell as u64)) {
                self.order.atomic_read(point, state, &self.block.order, atomic.order, atomic.scope);
            }
            let by = Accessor { thread: me, lane: state, block: &self.block.order };
            note(self.order, memory, cell, touch, site, &by, &mut problems, (lane, i, field));
            if writes {
                let new = super::alu::modify(atomic.op, atomic.ty, old, a[lane], b[lane]);
                *self.version += u64::from(memory.store(i, place, new));
                let mut point = memory.sync.remove(&(cell as u64));
                let by = (me, &*state, &self.block.order);
                self.order.atomic_write(&mut point, by, (atomic.order, atomic.scope), !reads);
                if let Some(point) = point {
                    memory.sync.insert(cell as u64, point);
                }
            }
            if let Some(result) = atomic.result {
                self.warp.regs[result as usize][lane] = old;
            }
        }
        self.report_problems(target, problems);
    }

    pub(super) fn fence(&mut self, scope: Scope) {
        let thread = self.thread(0);
        for lane in lanes(self.warp.active) {
            let state = &mut self.warp.lanes[lane];
            self.order.fence(thread + lane as u32, state, &self.block.order, scope);
        }
    }
}
