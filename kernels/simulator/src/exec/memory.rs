//! Plain accesses to memory, and ownership of elements.

use gchr_base::profile::Traffic;

use super::super::memory::Owner;
use super::super::order::{Accessor, ShadowAccess, slot_thread, slot_touch};
use super::super::report::Touch;
use super::*;

/// Memory that is not local.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryTarget {
    Global(u32),
    Shared(u32),
}

impl MemoryTarget {
    /// Distinguishes findings in one statement.
    fn number(self) -> u32 {
        match self {
            MemoryTarget::Global(slot) => slot << 1,
            MemoryTarget::Shared(slot) => slot << 1 | 1,
        }
    }
}

/// Something wrong with one access, before it is made into a report.
pub(super) enum AccessProblem {
    Bounds { index: u64, length: u64 },
    Unwritten { index: u64, field: u32 },
    Race { index: u64, field: u32, touch: Touch, other: ShadowAccess },
    NotOwner { index: u64, field: u32, owner: Owner },
}

/// The memory of a target, from the parts of a turn. `None` when there is none with so many fields: an unwritten
/// handle.
pub(super) fn resolve<'a>(
    buffers: &'a mut [Option<Memory>],
    kernel: &KernelCode,
    slots: &[usize],
    shared: &'a mut [Memory],
    target: MemoryTarget,
    fields: u32,
) -> Option<&'a mut Memory> {
    let memory = match target {
        MemoryTarget::Global(slot) => {
            let memory = buffers.get_mut(*slots.get(slot as usize)?)?.as_mut()?;
            // Another parameter may name the same memory with elements of another size.
            memory.show_as(&kernel.buffers.get(slot as usize)?.1);
            Some(memory)
        }
        MemoryTarget::Shared(slot) => shared.get_mut(slot as usize),
    };
    memory.filter(|m| m.layout.cells() >= fields as usize)
}

/// Counts distinct 32-byte sectors, given first and last one of each lane.
#[derive(Default)]
pub(super) struct SectorCount {
    ranges: [(u64, u64); WARP],
    lanes: usize,
    previous: Option<(u64, u64)>,
    count: u64,
    unsorted: bool,
}

impl SectorCount {
    pub(super) fn add(&mut self, (first, last): (u64, u64)) {
        match self.previous {
            Some((start, end)) if first >= start => {
                self.count += (last + 1).saturating_sub(first.max(end + 1));
                self.previous = Some((first, end.max(last)));
            }
            Some(_) => self.unsorted = true,
            None => {
                self.count = last + 1 - first;
                self.previous = Some((first, last));
            }
        }
        self.ranges[self.lanes % WARP] = (first, last);
        self.lanes += 1;
    }
    pub(super) fn finish(mut self) -> u64 {
        if !self.unsorted {
            return self.count;
        }
        let ranges = &mut self.ranges[..self.lanes.min(WARP)];
        ranges.sort_unstable();
        let mut end = None;
        ranges.iter().fold(0, |count, &(first, last)| {
            let start = end.map_or(first, |e| first.max(e + 1));
            end = Some(end.map_or(last, |e: u64| e.max(last)));
            count + (last + 1).saturating_sub(start)
        })
    }
}

impl Turn<'_> {
    /// Calls `f` for each memory that the active lanes name, with these lanes.
    pub(super) fn targets(&mut self, mem: MemRef, mut f: impl FnMut(&mut Self, MemoryTarget, Lanes)) {
        let active = self.warp.active;
        match mem {
            MemRef::Global(slot) => f(self, MemoryTarget::Global(slot), active),
            MemRef::Shared(slot) => f(self, MemoryTarget::Shared(slot), active),
            MemRef::Local(_) => {}
            MemRef::Handle(reg) => {
                let handles = *self.get(reg);
                let mut rest = active;
                while let Some(first) = lanes(rest).next() {
                    let handle = handles[first];
                    let same = lanes(rest).filter(|&l| handles[l] == handle).fold(0, |s, l| s | 1 << l);
                    rest &= !same;
                    let slot = handle as u32;
                    let target = if handle >= SHARED_HANDLE {
                        MemoryTarget::Shared(slot)
                    } else {
                        MemoryTarget::Global(slot)
                    };
                    f(self, target, same);
                }
            }
        }
    }

    pub(super) fn target_name(&self, target: MemoryTarget) -> &str {
        match target {
            MemoryTarget::Global(slot) => self.kernel.buffers.get(slot as usize).map_or("?", |b| &b.0),
            MemoryTarget::Shared(slot) => self.kernel.shared.get(slot as usize).map_or("?", |a| &a.name),
        }
    }

    /// Under random schedules about every other access to memory ends the turn.
    pub(super) fn maybe_yield(&mut self) {
        if self.random && self.rng.next() & 1 == 0 {
            self.fuel = 0;
        }
    }

    pub(super) fn load(&mut self, access: &Access) {
        match access.mem {
            MemRef::Local(array) => self.load_local(array, access),
            mem => {
                self.targets(mem, |turn, target, set| turn.plain(access, target, set, Touch::Read));
                self.maybe_yield();
            }
        }
    }

    /// Reads without counting or race detection: only missing elements are reported.
    pub(super) fn peek(&mut self, access: &Access) {
        if let MemRef::Local(array) = access.mem {
            return self.load_local(array, access);
        }
        self.targets(access.mem, |turn, target, set| {
            let index = *turn.get(access.index);
            let mut problems = Vec::new();
            let fields = access.first + access.regs.len() as u32;
            let memory =
                resolve(turn.buffers, turn.kernel, turn.slots, &mut turn.block.shared, target, fields);
            let Some(memory) = memory else { return turn.no_buffer(set) };
            let set = check_bounds(memory, set, &index, &mut problems);
            for (field, &reg) in (access.first..).zip(&access.regs) {
                let ty = memory.layout.fields[field as usize];
                for lane in lanes(set) {
                    let i = index[lane];
                    if !memory.is_written(i, ty) {
                        problems.push((lane, AccessProblem::Unwritten { index: i, field }));
                    }
                    turn.warp.regs[reg as usize][lane] = memory.load(i, ty);
                }
            }
            turn.report_problems(target, problems);
        });
    }

    pub(super) fn store(&mut self, access: &Access) {
        match access.mem {
            MemRef::Local(array) => self.store_local(array, access),
            mem => {
                self.targets(mem, |turn, target, set| turn.plain(access, target, set, Touch::Write));
                self.maybe_yield();
            }
        }
    }

    /// A plain read or write of the lanes of `set`.
    fn plain(&mut self, access: &Access, target: MemoryTarget, set: Lanes, touch: Touch) {
        let index = *self.get(access.index);
        let mut problems = Vec::new();
        let site = self.site();
        let thread = self.thread(0);
        let fields = access.first + access.regs.len() as u32;
        let Some(memory) =
            resolve(self.buffers, self.kernel, self.slots, &mut self.block.shared, target, fields)
        else {
            return self.no_buffer(set);
        };
        let set = check_bounds(memory, set, &index, &mut problems);
        if let MemoryTarget::Global(_) = target {
            let (sectors, asked) = sectors_of(memory, set, &index, access.first, access.regs.len());
            match touch {
                Touch::Read => self.counters.sectors_read += sectors,
                _ => self.counters.sectors_written += sectors,
            }
            if Traffic::is_random(sectors, asked) {
                self.counters.sectors_random += sectors;
            }
        }
        for (field, &reg) in (access.first..).zip(&access.regs) {
            let ty = memory.layout.fields[field as usize];
            for lane in lanes(set) {
                let i = index[lane];
                let cell = memory.cell(i, field);
                let by = Accessor {
                    thread: thread + lane as u32,
                    lane: &self.warp.lanes[lane],
                    block: &self.block.order,
                };
                if touch == Touch::Read && !memory.is_written(i, ty) {
                    problems.push((lane, AccessProblem::Unwritten { index: i, field }));
                }
                note(self.order, memory, cell, touch, site, &by, &mut problems, (lane, i, field));
                if touch == Touch::Read {
                    self.warp.regs[reg as usize][lane] = memory.load(i, ty);
                } else {
                    let bits = if reg >= UNIFORM {
                        self.uniform[(reg - UNIFORM) as usize][lane]
                    } else {
                        self.warp.regs[reg as usize][lane]
                    };
                    *self.version += u64::from(memory.store(i, ty, bits));
                }
            }
        }
        self.report_problems(target, problems);
    }

    pub(super) fn no_buffer(&mut self, set: Lanes) {
        if let Some(lane) = lanes(set).next() {
            self.report(lane, 0, || Fault::NoBuffer);
        }
    }

    pub(super) fn report_problems(&mut self, target: MemoryTarget, problems: Vec<(usize, AccessProblem)>) {
        for (lane, problem) in problems {
            let name = self.target_name(target);
            let (other, fault) = match problem {
                AccessProblem::Bounds { index, length } => {
                    (target.number(), Fault::OutOfBounds { element: element(name, index, 0), length })
                }
                AccessProblem::Unwritten { index, field } => {
                    (target.number(), Fault::UnwrittenElement(element(name, index, field)))
                }
                AccessProblem::Race { index, field, touch, other } => {
                    let fault = Fault::Race {
                        element: element(name, index, field),
                        touch,
                        other_touch: slot_touch(&other),
                        other: self.name_of(slot_thread(&other)),
                        other_site: self.kernel.sites[other[2] as usize].clone(),
                    };
                    (other[2], fault)
                }
                AccessProblem::NotOwner { index, field, owner } => {
                    let fault = Fault::NotOwner {
                        element: element(name, index, field),
                        name: self.kernel.names[owner.name as usize].clone(),
                        owner: self.name_of(owner.thread),
                    };
                    (owner.name, fault)
                }
            };
            self.report(lane, other, || fault);
        }
    }

    /// The executing lanes own elements until their next block barrier.
    pub(super) fn own(&mut self, mem: MemRef, index: Reg, first: u32, count: u32, name: u32) {
        let index = *self.get(index);
        self.targets(mem, |turn, target, set| {
            let thread = turn.thread(0);
            let block = turn.block.order.index;
            let barriers = turn.order.barriers[block as usize];
            let mut problems = Vec::new();
            let fields = first + count;
            let Some(memory) =
                resolve(turn.buffers, turn.kernel, turn.slots, &mut turn.block.shared, target, fields)
            else {
                return turn.no_buffer(set);
            };
            for lane in lanes(check_bounds(memory, set, &index, &mut problems)) {
                let owner = Owner { thread: thread + lane as u32, block, barriers, name };
                for field in first..first + count {
                    let cell = memory.cell(index[lane], field);
                    let place = (lane, index[lane], field);
                    check_owner(turn.order, memory, cell, owner.thread, &mut problems, place);
                    memory.owners.insert(cell as u64, owner);
                }
            }
            turn.report_problems(target, problems);
        });
    }

    // Local arrays

    fn local_bounds(&mut self, array: u32, access: &Access) -> Lanes {
        let kernel = self.kernel;
        let code = &kernel.local[array as usize];
        let index = *self.get(access.index);
        let length = u64::from(code.length);
        let out = lanes(self.warp.active).filter(|&l| index[l] >= length).fold(0, |s, l| s | 1 << l);
        if let Some(lane) = lanes(out).next() {
            let fault = || Fault::OutOfBounds { element: element(&code.name, index[lane], 0), length };
            self.report(lane, 0, fault);
        }
        self.warp.active & !out
    }

    pub(super) fn fresh_local(&mut self, array: u32) {
        let active = self.warp.active as u32;
        for written in &mut self.warp.locals[array as usize].written {
            *written &= !active;
        }
    }

    fn load_local(&mut self, array: u32, access: &Access) {
        let set = self.local_bounds(array, access);
        let kernel = self.kernel;
        let code = &kernel.local[array as usize];
        let index = *self.get(access.index);
        let cells = code.layout.cells();
        for (field, &reg) in (access.first..).zip(&access.regs) {
            let mut missing = None;
            for lane in lanes(set) {
                let cell = index[lane] as usize * cells + field as usize;
                let local = &self.warp.locals[array as usize];
                if local.written[cell] >> lane & 1 == 0 {
                    missing = missing.or(Some(lane));
                }
                self.warp.regs[reg as usize][lane] = local.data[cell][lane];
            }
            if let Some(lane) = missing {
                let fault = || Fault::UnwrittenElement(element(&code.name, index[lane], field));
                self.report(lane, 0, fault);
            }
        }
    }

    fn store_local(&mut self, array: u32, access: &Access) {
        let set = self.local_bounds(array, access);
        let index = *self.get(access.index);
        let cells = self.kernel.local[array as usize].layout.cells();
        for (field, &reg) in (access.first..).zip(&access.regs) {
            let value = *self.get(reg);
            let local = &mut self.warp.locals[array as usize];
            for lane in lanes(set) {
                let cell = index[lane] as usize * cells + field as usize;
                local.written[cell] |= 1 << lane;
                local.data[cell][lane] = value[lane];
            }
        }
        self.warp.local_writes += 1;
    }
}

/// The lanes whose index is within bounds.
pub(super) fn check_bounds(
    memory: &Memory,
    set: Lanes,
    index: &LaneValues,
    problems: &mut Vec<(usize, AccessProblem)>,
) -> Lanes {
    let mut inside = 0;
    for lane in lanes(set) {
        if index[lane] < memory.len {
            inside |= 1 << lane;
        } else {
            problems.push((lane, AccessProblem::Bounds { index: index[lane], length: memory.len }));
        }
    }
    inside
}

/// Sectors that the lanes of a set touch, and bytes that they ask for.
fn sectors_of(memory: &Memory, set: Lanes, index: &LaneValues, first: u32, count: usize) -> (u64, u64) {
    let fields = &memory.layout.fields[first as usize..first as usize + count];
    let (Some(&(offset, _)), Some(&(last, ty))) = (fields.first(), fields.last()) else { return (0, 0) };
    // A whole record is moved with its padding.
    let whole = count > 1 && count == memory.layout.cells();
    let bytes = if whole { memory.layout.size } else { last + ty.bytes() - offset };
    let mut sectors = SectorCount::default();
    lanes(set).for_each(|lane| sectors.add(memory.sectors(index[lane], offset, bytes)));
    (sectors.finish(), u64::from(bytes) * u64::from(set.count_ones()))
}

fn check_owner(
    order: &HappensBefore,
    memory: &Memory,
    cell: usize,
    thread: u32,
    problems: &mut Vec<(usize, AccessProblem)>,
    (lane, index, field): (usize, u64, u32),
) {
    if let Some(&owner) = memory.owners.get(&(cell as u64))
        && owner.thread != thread
        && order.barriers[owner.block as usize] == owner.barriers
    {
        problems.push((lane, AccessProblem::NotOwner { index, field, owner }));
    }
}

/// Records an access in the shadow and finds problems with it.
#[allow(clippy::too_many_arguments)] // The parts of a turn, borrowed apart.
#[inline(always)]
pub(super) fn note(
    order: &HappensBefore,
    memory: &mut Memory,
    cell: usize,
    touch: Touch,
    site: u32,
    by: &Accessor<'_>,
    problems: &mut Vec<(usize, AccessProblem)>,
    place: (usize, u64, u32),
) {
    if !memory.owners.is_empty() {
        check_owner(order, memory, cell, by.thread, problems, place);
    }
    if let Some(other) = order.access(&mut memory.shadow[cell], touch, site, by) {
        let (lane, index, field) = place;
        problems.push((lane, AccessProblem::Race { index, field, touch, other }));
    }
}

#[cfg(test)]
mod tests {
    use super::SectorCount;

    fn count(ranges: &[(u64, u64)]) -> u64 {
        let mut sectors = SectorCount::default();
        ranges.iter().for_each(|&r| sectors.add(r));
        sectors.finish()
    }

    #[test]
    fn sectors_are_counted_once() {
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&[(0, 0), (0, 0), (1, 1)]), 2);
        assert_eq!(count(&[(5, 6), (6, 7), (9, 9)]), 4);
        assert_eq!(count(&[(9, 9), (5, 6), (6, 7), (5, 5)]), 4);
        assert_eq!(count(&[(3, 8), (4, 5), (6, 9), (2, 3)]), 8);
    }
}
