//! Happens-before: vector clocks of threads, and whether two accesses are ordered.
//!
//! Each scalar of global and shared memory has a shadow [`ShadowCell`] of three [`ShadowAccess`]s: the last write, and
//! two other accesses that a later one may race with. A [`ShadowAccess`] has time, thread, kind and statement. Two
//! accesses are ordered when the later thread's clock knows the earlier thread up to that time. See `docs/simulator.md`
//! for what this misses.

use std::sync::Arc;

use super::clock::{Clock, ClockIndex, Thread, Time};
use super::report::Touch;
use gchr_kernel::ir::{Order, Scope};

/// An access in shadow memory: time, thread and kind, statement. All zero: none.
pub(crate) type ShadowAccess = [u32; 3];
/// The shadow of one scalar: last write, two others.
pub(crate) type ShadowCell = [ShadowAccess; 3];

/// The moment of everything the host does.
pub(crate) const HOST_TIME: Time = 1;

fn slot(time: Time, thread: Thread, touch: Touch, site: u32) -> ShadowAccess {
    [time, thread << 2 | touch as u32, site]
}

pub(crate) fn slot_thread(slot: &ShadowAccess) -> Thread {
    slot[1] >> 2
}

pub(crate) fn slot_touch(slot: &ShadowAccess) -> Touch {
    match slot[1] & 3 {
        0 => Touch::Read,
        1 => Touch::Write,
        2 => Touch::AtomicRead,
        _ => Touch::AtomicWrite,
    }
}

/// Whether two kinds of access conflict: one writes, and not both are atomic.
fn conflict(a: u32, b: u32) -> bool {
    (a | b) & 1 != 0 && a & b & 2 == 0
}

/// The clocks of one lane, besides that of its block.
#[derive(Clone, Default, Debug)]
pub(crate) struct LaneOrder {
    /// Its clock; `None`: that of its block since the last barrier.
    clock: Option<Arc<Clock>>,
    /// Clocks read by relaxed atomics, which a fence would add to its own, from its block and from the device.
    seen: [Option<Arc<Clock>>; 2],
    /// Its clock at its last fence, for the block and for the device: a relaxed atomic write publishes it.
    fenced: [Option<Arc<Clock>>; 2],
}

/// The clock of one block.
#[derive(Clone, Default, Debug)]
pub(crate) struct BlockOrder {
    pub index: u32,
    clock: Arc<Clock>,
    /// Time of the last barrier.
    time: Time,
}

/// The clocks published at a location: to the block of the writer, and to the device.
#[derive(Clone, Default, Debug)]
pub(crate) struct SyncPoint {
    device: Option<Arc<Clock>>,
    blocks: Vec<(u32, Arc<Clock>)>,
}

/// The happens-before relation of a launch.
#[derive(Debug)]
pub(crate) struct HappensBefore {
    now: Time,
    /// All before this is ordered: earlier launches and the host.
    floor: Time,
    warps_per_block: u32,
    /// Barriers that each block has passed.
    pub barriers: Vec<u32>,
    enabled: bool,
}

/// The accessing lane.
pub(crate) struct Accessor<'a> {
    pub thread: Thread,
    pub lane: &'a LaneOrder,
    pub block: &'a BlockOrder,
}

impl HappensBefore {
    /// The order of a launch that starts at `floor`.
    pub(crate) fn new(floor: Time, blocks: u32, warps_per_block: u32, enabled: bool) -> Self {
        let barriers = vec![0; blocks as usize];
        Self { now: floor.saturating_add(1), floor, warps_per_block, barriers, enabled }
    }
    /// The present moment.
    pub(crate) fn now(&self) -> Time {
        self.now
    }
    fn tick(&mut self) {
        // At the end of time everything looks ordered: races are missed, none is invented.
        self.now = self.now.saturating_add(1);
    }
    pub(crate) fn start_block(&self, index: u32) -> BlockOrder {
        BlockOrder { index, clock: Arc::default(), time: self.floor }
    }

    fn ordered(&self, slot: &ShadowAccess, by: &Accessor<'_>) -> bool {
        let (time, thread) = (slot[0], slot_thread(slot));
        if time <= self.floor || thread == by.thread {
            return true;
        }
        let block_threads = self.warps_per_block * 32;
        let same_block = thread.wrapping_sub(by.block.index * block_threads) < block_threads;
        if same_block && time <= by.block.time {
            return true;
        }
        let clock = by.lane.clock.as_ref().unwrap_or(&by.block.clock);
        clock.knows(thread, time, self.warps_per_block)
    }

    /// Records an access in the shadow; returns an earlier one that it races with.
    #[inline]
    pub(crate) fn access(
        &self,
        cell: &mut ShadowCell,
        touch: Touch,
        site: u32,
        by: &Accessor<'_>,
    ) -> Option<ShadowAccess> {
        let new = slot(self.now, by.thread, touch, site);
        if !self.enabled {
            return None;
        }
        let kind = touch as u32;
        if cell.iter().all(|s| s[0] <= self.floor) {
            // The first access in this launch.
            *cell = if kind & 1 != 0 { [new, [0; 3], [0; 3]] } else { [[0; 3], new, [0; 3]] };
            return None;
        }
        let racing = |s: &&ShadowAccess| conflict(s[1] & 3, kind) && !self.ordered(s, by);
        let found = cell.iter().find(racing).copied();
        match touch {
            Touch::Write => *cell = [new, [0; 3], [0; 3]],
            Touch::AtomicWrite => {
                let old = std::mem::replace(&mut cell[0], new);
                if old[1] != new[1] && old[0] > self.floor {
                    self.keep(cell, old, by);
                }
            }
            Touch::Read | Touch::AtomicRead => self.keep(cell, new, by),
        }
        found
    }

    /// Keeps an access in one of the two lesser slots: in its own old one, in place of one that is ordered before, else
    /// in either.
    fn keep(&self, cell: &mut ShadowCell, new: ShadowAccess, by: &Accessor<'_>) {
        let free = |s: &ShadowAccess| s[0] <= self.floor || s[1] == new[1];
        let [_, first, second] = cell;
        if free(first) {
            *first = new;
        } else if free(second) {
            *second = new;
        } else if self.ordered(first, by) {
            *first = new;
        } else if self.ordered(second, by) || (new[1] >> 2 ^ new[0]) & 1 == 0 {
            *second = new;
        } else {
            *first = new;
        }
    }

    // Synchronisation

    fn clock_of(&self, lane: &LaneOrder, block: &BlockOrder) -> Arc<Clock> {
        lane.clock.as_ref().unwrap_or(&block.clock).clone()
    }

    fn join(&self, a: &Arc<Clock>, b: &Arc<Clock>) -> Arc<Clock> {
        if Arc::ptr_eq(a, b) || a.covers(b, self.warps_per_block) {
            a.clone()
        } else {
            Arc::new(a.joined(b, self.warps_per_block))
        }
    }

    fn join_into(&self, into: &mut Option<Arc<Clock>>, from: &Arc<Clock>) {
        *into = Some(match into {
            Some(clock) => self.join(clock, from),
            None => from.clone(),
        });
    }

    /// The clock of the lane, with its own work until now.
    fn published(&self, thread: Thread, lane: &LaneOrder, block: &BlockOrder) -> Arc<Clock> {
        let mut clock = Clock::clone(lane.clock.as_ref().unwrap_or(&block.clock));
        clock.learn(ClockIndex::Thread(thread), self.now, self.warps_per_block);
        Arc::new(clock)
    }

    fn learn(&self, lane: &mut LaneOrder, block: &BlockOrder, clock: &Arc<Clock>) {
        lane.clock = Some(self.join(&self.clock_of(lane, block), clock));
    }

    /// The reading half of an atomic operation.
    pub(crate) fn atomic_read(
        &self,
        point: &SyncPoint,
        lane: &mut LaneOrder,
        block: &BlockOrder,
        order: Order,
        scope: Scope,
    ) {
        let acquires = matches!(order, Order::Acquire | Order::AcquireRelease);
        let near = point.blocks.iter().find(|b| b.0 == block.index).map(|b| &b.1);
        let far = point.device.as_ref().filter(|_| scope == Scope::Device);
        for (i, clock) in [near, far].into_iter().enumerate() {
            let Some(clock) = clock else { continue };
            if acquires {
                self.learn(lane, block, clock);
            } else {
                self.join_into(&mut lane.seen[i], clock);
            }
        }
    }

    /// The writing half of an atomic operation; a store starts a new release sequence, a read-modify-write continues
    /// one. `point` is made when there is something to publish.
    pub(crate) fn atomic_write(
        &mut self,
        point: &mut Option<SyncPoint>,
        (thread, lane, block): (Thread, &LaneOrder, &BlockOrder),
        (order, scope): (Order, Scope),
        is_store: bool,
    ) {
        if is_store {
            *point = None;
        }
        let releases = matches!(order, Order::Release | Order::AcquireRelease);
        let clocks = if releases {
            let clock = self.published(thread, lane, block);
            self.tick();
            [Some(clock.clone()), Some(clock)]
        } else {
            lane.fenced.clone()
        };
        let [near, far] = clocks;
        if let Some(near) = near {
            let point = point.get_or_insert_default();
            match point.blocks.iter_mut().find(|b| b.0 == block.index) {
                Some((_, clock)) => *clock = self.join(clock, &near),
                None => point.blocks.push((block.index, near)),
            }
        }
        if let Some(far) = far.filter(|_| scope == Scope::Device) {
            let point = point.get_or_insert_default();
            self.join_into(&mut point.device, &far);
        }
    }

    /// A fence of one lane.
    pub(crate) fn fence(&mut self, thread: Thread, lane: &mut LaneOrder, block: &BlockOrder, scope: Scope) {
        let seen = if scope == Scope::Device { 2 } else { 1 };
        for i in 0..seen {
            if let Some(clock) = lane.seen[i].take() {
                self.learn(lane, block, &clock);
            }
        }
        let clock = self.published(thread, lane, block);
        lane.fenced[0] = Some(clock.clone());
        if scope == Scope::Device {
            lane.fenced[1] = Some(clock);
        }
        self.tick();
    }

    /// A barrier of some lanes of a warp: each knows what all of them know and did.
    pub(crate) fn warp_barrier(&mut self, warp: u32, set: u32, lanes: &mut [LaneOrder], block: &BlockOrder) {
        let members = || (0..32u32).filter(|l| set >> l & 1 != 0);
        let mut clock: Option<Arc<Clock>> = None;
        for lane in members() {
            let own = self.clock_of(&lanes[lane as usize], block);
            self.join_into(&mut clock, &own);
        }
        let Some(clock) = clock else { return };
        let mut clock = Arc::unwrap_or_clone(clock);
        if set == u32::MAX {
            clock.learn(ClockIndex::Warp(warp), self.now, self.warps_per_block);
        } else {
            for lane in members() {
                clock.learn(ClockIndex::Thread(warp * 32 + lane), self.now, self.warps_per_block);
            }
        }
        self.tick();
        let clock = Arc::new(clock);
        for lane in members() {
            lanes[lane as usize].clock = Some(clock.clone());
        }
    }

    /// A barrier of a block: all its threads know what all of them know and did.
    pub(crate) fn block_barrier<'a>(
        &mut self,
        block: &mut BlockOrder,
        lanes: impl Iterator<Item = &'a mut LaneOrder>,
    ) {
        let mut clock = block.clock.clone();
        for lane in lanes {
            if let Some(own) = lane.clock.take() {
                clock = self.join(&clock, &own);
            }
        }
        let mut clock = Arc::unwrap_or_clone(clock);
        clock.learn(ClockIndex::Block(block.index), self.now, self.warps_per_block);
        block.clock = Arc::new(clock);
        block.time = self.now;
        self.barriers[block.index as usize] += 1;
        self.tick();
    }
}
