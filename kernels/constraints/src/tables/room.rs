//! Room for what a round or a batch needs: lists and tables that grow, tables that are compacted.

use gchr_base::ids::Id;
use gchr_base::signature::ConstraintId;

use super::buffers::{Lists, Table, part_bytes, places};
use super::{BLOCK, End, FIRST_EPOCH, Grown, MOST, NO_ID, Part, Tables};
use crate::contract::MoveRows;
use crate::start::Batch;
use gchr_kernel::device::{Device, Launch, Result, Value};

/// Rows of a table up to which it grows to four times its size: a launch ends for each growth, which takes longer than
/// rounds of so few constraints.
pub(super) const SMALL: u32 = 1 << 13;

impl Tables {
    /// Makes room for a batch.
    pub(crate) fn make_room(&mut self, batch: &Batch, memory: u64, device: &mut dyn Device) -> Result<Grown> {
        let mut more = vec![0; self.tables.len()];
        self.tables.ids().for_each(|table| more[table.index()] = batch.count(table) as u64);
        self.make_room_for(&more, memory, device)
    }

    /// Makes room for so many more rows of each table.
    pub(crate) fn make_room_for(
        &mut self,
        more: &[u64],
        memory: u64,
        device: &mut dyn Device,
    ) -> Result<Grown> {
        let wanted: Vec<u64> =
            self.tables.iter().zip(more).map(|(table, more)| u64::from(table.used) + more).collect();
        if let Some(table) = self.tables.ids().find(|t| wanted[t.index()] > MOST) {
            return Ok(Grown::NoNumbers(self.rows_of(table)));
        }
        for table in self.layout.tables.ids() {
            if self.tables[table].stale {
                self.move_table(table, self.tables[table].capacity, device)?;
            }
        }
        let wanted: Vec<u32> = wanted.into_iter().map(|n| n as u32).collect();
        self.grow_tables(&wanted, memory, device)
    }

    /// What the last launch had no room for gets it.
    pub(crate) fn grow(&mut self, end: &End, memory: u64, device: &mut dyn Device) -> Result<Grown> {
        for (wanted, what) in
            [(end.items, "constraints that are new in a round"), (end.staged, "candidates of a round")]
        {
            if wanted > MOST {
                return Ok(Grown::NoNumbers(what.into()));
            }
        }
        if end.items > self.lists.items || end.staged > self.lists.entries {
            return self.make_room_for_lists(end.items, end.staged, memory, device);
        }
        match self.grow_tables(&end.wanted, memory, device)? {
            Grown::Yes => {}
            other => return Ok(other),
        }
        let grown = self.grow_log(end, memory, device)?;
        self.upload_counts(device)?;
        Ok(grown)
    }

    /// Makes room for the constraints of the batch, which are all new in its first round.
    pub(crate) fn make_room_for_items(&mut self, memory: u64, device: &mut dyn Device) -> Result<Grown> {
        match self.batch_size() {
            items if items > self.lists.items => self.make_room_for_lists(items, 0, memory, device),
            _ => Ok(Grown::Yes),
        }
    }

    /// Lists for twice so many constraints that are new in a round, and candidates.
    fn make_room_for_lists(
        &mut self,
        items: u64,
        staged: u64,
        memory: u64,
        device: &mut dyn Device,
    ) -> Result<Grown> {
        // Most constraints have a candidate; but no run shall fail for room that it may not need.
        let roomy = [staged.max(items) * 2, staged * 2];
        let items = self.lists.items.max((items * 2).min(MOST));
        let before = self.bytes() - self.lists.bytes(self.entry);
        let fits =
            |entries: u64| before + Lists::bytes_of(self.entry, items, entries, self.lists.deltas) <= memory;
        let roomy = roomy.map(|entries| self.lists.entries.max(entries.min(MOST)));
        let Some(entries) = roomy.into_iter().find(|&entries| fits(entries)) else {
            return Ok(Grown::NoMemory("candidates of a round".into()));
        };
        self.grow_lists(items, entries, self.lists.deltas, device)?;
        Ok(Grown::Yes)
    }

    /// Lists of other sizes; what carries over to the next round is kept.
    pub(crate) fn grow_lists(
        &mut self,
        items: u64,
        entries: u64,
        deltas: u64,
        device: &mut dyn Device,
    ) -> Result<()> {
        let delta = self.delta();
        let grown = Lists::new(self.entry, items, entries, deltas, self.cells.is_some(), device)?;
        let old = std::mem::replace(&mut self.lists, grown);
        let carried = 4 * self.entry * self.state[self.words.carried];
        let current = usize::from(self.swapped);
        device.copy(old.carried[current], self.lists.carried[0], carried)?;
        device.copy(delta, self.lists.delta[0], 8 * self.state[self.words.new])?;
        device.copy(old.changed, self.lists.changed, 8 * self.state[self.words.changed])?;
        self.swapped = false;
        old.free(device)
    }

    /// A round's bodies can add as many constraints as the tables have rows.
    pub(crate) fn reserve_delta(&mut self, wanted: u64, device: &mut dyn Device) -> Result<()> {
        let rows: u64 = self.tables.iter().map(|t| u64::from(t.capacity)).sum();
        if wanted.max(rows) <= self.lists.deltas {
            return Ok(());
        }
        self.grow_lists(self.lists.items, self.lists.entries, wanted.max(rows), device)
    }

    pub(crate) fn grow_tables(
        &mut self,
        wanted: &[u32],
        memory: u64,
        device: &mut dyn Device,
    ) -> Result<Grown> {
        for table in self.layout.tables.ids() {
            let (wanted, capacity) = (wanted[table.index()], self.tables[table].capacity);
            if wanted == NO_ID {
                return Ok(Grown::NoNumbers(self.rows_of(table)));
            }
            if wanted > capacity && !self.grow_table(table, wanted, memory, device)? {
                // What was moved stays so.
                self.upload_counts(device)?;
                return Ok(Grown::NoMemory(self.rows_of(table)));
            }
        }
        self.reserve_delta(0, device)?;
        self.upload_counts(device)?;
        Ok(Grown::Yes)
    }

    /// Makes room for rows up to a number; says whether the memory suffices.
    pub(crate) fn grow_table(
        &mut self,
        table: ConstraintId,
        wanted: u32,
        memory: u64,
        device: &mut dyn Device,
    ) -> Result<bool> {
        let Table { capacity, used, dead, .. } = self.tables[table];
        let mut needed = u64::from(wanted);
        let fits = |this: &Self, rows: u64| this.bytes() + this.table_bytes(table, rows as u32) <= memory;
        let worthwhile = used - dead < capacity / 2 && wanted - dead.min(wanted) <= capacity;
        let cramped = dead > 0 && !fits(self, needed.min(MOST));
        if (worthwhile || cramped) && fits(self, u64::from(capacity)) {
            // What is left after the dead rows are gone may fit; but those that the next round still names stay.
            self.move_table(table, capacity, device)?;
            needed = u64::from(self.tables[table].used) + u64::from(wanted - used.min(wanted));
            if needed <= u64::from(capacity) {
                return Ok(true);
            }
        }
        // Twice as many rows, or as many more as there is memory for.
        let times = if capacity < SMALL { 4 } else { 2 };
        let spare = u64::from(capacity) * times - needed.min(u64::from(capacity) * times);
        let sizes = [1, 2, 4, 8].map(|part| (needed + spare / part).min(MOST)).into_iter().chain([needed]);
        match sizes.into_iter().find(|&rows| rows <= MOST && fits(self, rows)) {
            Some(rows) => self.move_table(table, rows as u32, device).map(|()| true),
            None => Ok(false),
        }
    }

    /// Columns and ids of other sizes, one after the other, so that little memory is taken twice.
    pub(crate) fn grow_columns(
        &mut self,
        table: ConstraintId,
        rows: u32,
        device: &mut dyn Device,
    ) -> Result<()> {
        let used = u64::from(self.tables[table].used);
        for at in 0..self.tables[table].parts.len() {
            let (part, value) = self.tables[table].parts[at];
            let size = match part {
                Part::Column(_) => 8,
                Part::Ids => 4,
                _ => continue,
            };
            let Value::Buffer(old) = value else { continue };
            let new = device.alloc(size * u64::from(rows))?;
            device.copy(old, new, size * used)?;
            device.free(old)?;
            self.tables[table].parts[at].1 = Value::Buffer(new);
        }
        self.tables[table].capacity = rows;
        Ok(())
    }

    /// Empty indexes for so many rows.
    pub(crate) fn empty_indexes(
        &mut self,
        table: ConstraintId,
        rows: u32,
        device: &mut dyn Device,
    ) -> Result<()> {
        for at in 0..self.tables[table].parts.len() {
            let (part, value) = self.tables[table].parts[at];
            self.tables[table].parts[at].1 = match (part, value) {
                (Part::Mask(_), _) => Value::U32((places(rows) - 1) as u32),
                (Part::Slots(_) | Part::Next(_), Value::Buffer(old)) => {
                    device.free(old)?;
                    let bytes = part_bytes(&self.layout, table, part, rows);
                    let new = device.alloc(bytes)?;
                    if matches!(part, Part::Slots(_)) {
                        device.fill(new, 0, bytes, 0xff)?;
                    }
                    Value::Buffer(new)
                }
                _ => value,
            };
        }
        Ok(())
    }

    /// Takes all rows out of the indexes of a table, which stay as large as they are.
    pub(crate) fn clear_indexes(&mut self, table: ConstraintId, device: &mut dyn Device) -> Result<()> {
        for &(part, value) in &self.tables[table].parts {
            if let (Part::Slots(_) | Part::Best, Value::Buffer(places)) = (part, value) {
                device.fill(places, 0, self.part_size(table, part), 0xff)?;
            }
        }
        self.tables[table].stale = false;
        Ok(())
    }

    /// Collects the tables of which most rows are dead, and of large ones an eighth, which may be why the launch has
    /// ended; says how many.
    pub(crate) fn collect(&mut self, device: &mut dyn Device) -> Result<u64> {
        let mut collected = 0;
        for table in self.layout.tables.ids() {
            let Table { used, dead, .. } = self.tables[table];
            if dead > used / 2 || used >= self.host.numbers.worth_collecting && dead > used / 8 {
                self.move_table(table, self.tables[table].capacity, device)?;
                collected += 1;
            }
        }
        self.upload_counts(device)?;
        Ok(collected)
    }

    /// Moves the rows of a table to new buffers, without those that hold nothing.
    pub(crate) fn move_table(
        &mut self,
        table: ConstraintId,
        rows: u32,
        device: &mut dyn Device,
    ) -> Result<()> {
        let mut moved = Table::new(&self.layout, table, rows, device)?;
        let used = self.tables[table].used;
        let keep = device.alloc(4 * u64::from(used.max(1)))?;
        let map = device.alloc(4 * (u64::from(used) + 1))?;
        let kernel = device.kernel(self.host.move_rows.name())?;
        // Blocks meet again and again: those without anything to do would only be waited for.
        let lists = [self.words.new, self.words.carried, self.words.changed];
        let most = lists.into_iter().map(|word| self.state[word]).fold(u64::from(used).max(1), u64::max);
        let busy = most.div_ceil(u64::from(BLOCK));
        let grid = u64::from(device.resident_blocks(kernel, BLOCK)?).min(busy) as u32;
        let (from, to) = (self.params()?, self.params_with(Some((table, &moved)))?);
        let move_rows = MoveRows { p: &from, to: &to, table: table.index() as u32, rows: used, keep, map };
        let args = self.host.move_rows.args(&move_rows);
        device.launch(&Launch { kernel, grid, block: BLOCK, args: &args, cooperative: true })?;
        let mut last = [0u32];
        device.download(map, 4 * u64::from(used), bytemuck::cast_slice_mut(&mut last))?;
        device.free(keep)?;
        device.free(map)?;
        let live = used - self.tables[table].dead;
        (moved.used, moved.dead) = (last[0], last[0] - live.min(last[0]));
        std::mem::replace(&mut self.tables[table], moved).free(device)
    }

    /// Takes all claims back: their epochs start again.
    pub(crate) fn clear_claims(&mut self, device: &mut dyn Device) -> Result<()> {
        for table in &self.tables {
            for &(part, value) in &table.parts {
                if let (Part::Claims, Value::Buffer(buffer)) = (part, value) {
                    device.fill(buffer, 0, 8 * u64::from(table.capacity), 0xff)?;
                }
            }
        }
        self.state[self.words.epoch] = FIRST_EPOCH;
        self.upload_counts(device)
    }
}
