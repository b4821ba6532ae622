//! Device memory of a run: the buffers of a table, of the lists of a round, of control words.

use gchr_base::signature::ConstraintId;

use super::{BLOCK, Part};
use crate::kernels::Kernels;
use crate::layout::{ASK_WORDS, Layout};
use gchr_kernel::device::{BufferId, Device, DeviceExt, Result, Value};
use gchr_runtime::codegen::DeviceTrap;

/// A table on the device.
pub(crate) struct Table {
    pub(crate) capacity: u32,
    pub(crate) used: u32,
    pub(crate) dead: u32,
    /// Rows that its indexes have room for: fewer than `capacity` while it only grows.
    pub(crate) indexed: u32,
    /// Whether rows are missing from its indexes.
    pub(crate) stale: bool,
    pub(crate) parts: Vec<(Part, Value)>,
}

/// Buffers whose sizes do not change.
pub(crate) struct Fixed {
    pub(crate) control: BufferId,
    pub(crate) arrivals: BufferId,
    pub(crate) error: BufferId,
    pub(crate) state: BufferId,
    pub(crate) used: BufferId,
    pub(crate) dead: BufferId,
    pub(crate) capacity: BufferId,
    pub(crate) wanted: BufferId,
    pub(crate) block_sums: BufferId,
    pub(crate) adds: BufferId,
    pub(crate) added_tables: BufferId,
    pub(crate) removed_heads: BufferId,
    pub(crate) fast_paths: BufferId,
}

/// Lists of a round.
pub(crate) struct Lists {
    /// Constraints that are new in a round, and in the next one; the second is used if there are terms.
    pub(crate) delta: [BufferId; 2],
    pub(crate) changed: BufferId,
    pub(crate) touched: BufferId,
    pub(crate) deltas: u64,
    pub(crate) carried: [BufferId; 2],
    pub(crate) asks: BufferId,
    pub(crate) count: BufferId,
    pub(crate) offset: BufferId,
    pub(crate) items: u64,
    pub(crate) staged: BufferId,
    pub(crate) staged_key: BufferId,
    pub(crate) order: BufferId,
    pub(crate) entries: u64,
}

impl Fixed {
    pub(crate) fn new(kernels: &Kernels, device: &mut dyn Device) -> Result<Self> {
        let targets = kernels.layout.targets().max(1);
        let mut blocks = 1;
        let host = &kernels.host;
        for layout in [&host.rounds, &host.enter, &host.move_rows] {
            let kernel = device.kernel(layout.name())?;
            blocks = blocks.max(u64::from(device.resident_blocks(kernel, BLOCK)?));
        }
        let added = kernels.layout.added_targets();
        let sums = added.len() as u64 + 2;
        let of_tables = kernels.layout.tables.ids().map(|t| kernels.fast_paths_of(t));
        // What is written does not say where a round starts from.
        let fast_paths: Vec<u32> = of_tables.chain([u32::MAX]).collect();
        let mut words =
            |data: &[u32]| if data.is_empty() { device.upload_new(&[0u32]) } else { device.upload_new(data) };
        let zeros = vec![0u32; targets];
        Ok(Self {
            control: words(&vec![0; host.control.control_words])?,
            arrivals: words(&[0])?,
            error: words(&[0; DeviceTrap::WORDS])?,
            used: words(&zeros)?,
            dead: words(&zeros)?,
            capacity: words(&zeros)?,
            wanted: words(&zeros)?,
            adds: words(&kernels.adds)?,
            added_tables: words(&added)?,
            removed_heads: words(&kernels.removed_heads)?,
            fast_paths: words(&fast_paths)?,
            state: device.upload_new(&vec![0u64; host.state.state_words])?,
            block_sums: device.alloc(4 * sums * blocks)?,
        })
    }

    /// All of them.
    pub(crate) fn buffers(&self) -> [BufferId; 13] {
        [
            self.control,
            self.arrivals,
            self.error,
            self.state,
            self.used,
            self.dead,
            self.capacity,
            self.wanted,
            self.block_sums,
            self.adds,
            self.added_tables,
            self.removed_heads,
            self.fast_paths,
        ]
    }
}

/// Bytes of what is asked of warps for an item: passes over the lists take two halves of the buffer in turns.
const ASK_BYTES: u64 = 2 * 4 * ASK_WORDS as u64;

impl Lists {
    pub(crate) fn new(
        entry: u64,
        items: u64,
        entries: u64,
        deltas: u64,
        terms: bool,
        device: &mut dyn Device,
    ) -> Result<Self> {
        Ok(Self {
            delta: [device.alloc(8 * deltas)?, device.alloc(if terms { 8 * deltas } else { 8 })?],
            changed: device.alloc(8 * deltas)?,
            touched: device.alloc(8 * deltas)?,
            deltas,
            carried: [device.alloc(4 * entry * entries)?, device.alloc(4 * entry * entries)?],
            asks: device.alloc(ASK_BYTES * items)?,
            count: device.alloc(4 * items)?,
            offset: device.alloc(4 * (items + 1))?,
            items,
            staged: device.alloc(4 * entry * entries)?,
            staged_key: device.alloc(8 * entries)?,
            order: device.alloc(4 * entries)?,
            entries,
        })
    }

    /// The entries that this round and the next one begin with.
    pub(crate) fn carried_now(&self, swapped: bool) -> [BufferId; 2] {
        let [now, next] = self.carried;
        if swapped { [next, now] } else { [now, next] }
    }

    /// The constraints that are new in this round and in the next one.
    pub(crate) fn delta_now(&self, swapped: bool) -> [BufferId; 2] {
        let [now, next] = self.delta;
        if swapped { [next, now] } else { [now, next] }
    }

    /// All of them.
    fn buffers(&self) -> [BufferId; 12] {
        let ([delta, delta_next], [carried, carried_next]) = (self.delta, self.carried);
        [
            delta,
            delta_next,
            self.changed,
            self.touched,
            carried,
            carried_next,
            self.asks,
            self.count,
            self.offset,
            self.staged,
            self.staged_key,
            self.order,
        ]
    }

    pub(crate) fn bytes_of(entry: u64, items: u64, entries: u64, deltas: u64) -> u64 {
        24 * deltas + (ASK_BYTES + 8) * items + entries * (12 * entry + 12)
    }

    pub(crate) fn bytes(&self, entry: u64) -> u64 {
        Self::bytes_of(entry, self.items, self.entries, self.deltas)
    }

    pub(crate) fn free(self, device: &mut dyn Device) -> Result<()> {
        self.buffers().into_iter().try_for_each(|buffer| device.free(buffer))
    }
}

/// Whether a part of a table is rebuilt and not copied when the table moves.
pub(crate) fn is_index(part: Part) -> bool {
    matches!(part, Part::Slots(_) | Part::Next(_) | Part::Best | Part::Claims | Part::Ranks | Part::Better)
}

/// Places of a hash index for so many rows: a power of two, at most half full.
pub(crate) fn places(rows: u32) -> u64 {
    (u64::from(rows) * 2).next_power_of_two().max(4)
}

pub(crate) fn part_bytes(layout: &Layout, table: ConstraintId, part: Part, rows: u32) -> u64 {
    let n = u64::from(rows);
    match part {
        Part::Column(_) | Part::Claims | Part::Ranks | Part::Better => 8 * n,
        Part::Ids | Part::Next(_) => 4 * n,
        Part::Slots(_) => 4 * places(rows),
        Part::Best => 4 * if layout.tables[table].reduced_to_one { 1 } else { places(rows) },
        // Those of a table that only grows are counted where they are taken.
        Part::Bits => 4,
        Part::BestMask | Part::Mask(_) | Part::Low(_) | Part::Span(_) | Part::Bias => 0,
    }
}

impl Table {
    pub(crate) fn new(
        layout: &Layout,
        table: ConstraintId,
        capacity: u32,
        device: &mut dyn Device,
    ) -> Result<Self> {
        let mut parts = Vec::new();
        for part in layout.parts(table) {
            let bytes = part_bytes(layout, table, part, capacity);
            let value = match part {
                Part::Mask(_) => Value::U32((places(capacity) - 1) as u32),
                Part::BestMask if layout.tables[table].reduced_to_one => Value::U32(0),
                Part::BestMask => Value::U32((places(capacity) - 1) as u32),
                Part::Bias => Value::U32(0),
                Part::Low(_) | Part::Span(_) => Value::U64(0),
                _ => Value::Buffer(device.alloc(bytes)?),
            };
            if let (
                Part::Claims | Part::Ranks | Part::Better | Part::Slots(_) | Part::Best,
                Value::Buffer(buffer),
            ) = (part, value)
            {
                device.fill(buffer, 0, bytes, 0xff)?;
            }
            parts.push((part, value));
        }
        Ok(Self { capacity, used: 0, dead: 0, indexed: capacity, stale: false, parts })
    }

    pub(crate) fn free(self, device: &mut dyn Device) -> Result<()> {
        self.parts.into_iter().try_for_each(|(_, value)| match value {
            Value::Buffer(buffer) => device.free(buffer),
            _ => Ok(()),
        })
    }
}
