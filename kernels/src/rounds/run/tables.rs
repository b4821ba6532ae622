//! Device tables of a run: the store, the lists of a round, control words; how they grow and are collected.

mod cells;
mod growth;
mod product;

use std::ops::Range;
use std::time::Duration;

use gchr_core::exec::chr::{Store, Words};
use gchr_core::ids::{Id, IdVec};
use gchr_core::plan::chr::class::{Best, BestOrder};
use gchr_core::signature::{ConstraintId, SortKind};
use gchr_core::value::Heap;
use gchr_core::value::heap::Import;

use cells::Cells;
pub(super) use cells::MOST_WORDS;
pub(super) use growth::Growing;
pub(super) use product::Product;

use super::{BLOCK, Batch, Job, Options};
use crate::codegen::Noted;
use crate::device::{Arg, BufferId, Device, DeviceError, DeviceExt, Launch, Result, Value};
use crate::rounds::kernels::{ENTRY_WORDS, Kernels};
use crate::rounds::layout::{Layout, Part};

/// Words of the template's `control`: the reason of the end, then two sets of flags.
const CONTROL: usize = 192;
const STOP: usize = 0;

/// Words of the template's `state`.
mod state {
    pub const NEW: usize = 0;
    pub const CARRIED: usize = 1;
    pub const NEXT_ID: usize = 2;
    pub const EPOCH: usize = 3;
    pub const ROUNDS: usize = 4;
    pub const FIRED: usize = 5;
    pub const WANTED_ITEMS: usize = 6;
    pub const WANTED_STAGED: usize = 7;
    pub const SLICE: usize = 8;
    pub const FAILED_ENTRY: usize = 9;
    pub const CHANGED: usize = 10;
    pub const CALM: usize = 11;
    pub const WORDS: usize = 16;
}

/// The first epoch: a claim's key has 20 bits for it, and all ones mean "unclaimed".
const FIRST_EPOCH: u64 = (1 << 20) - 2;
/// Id of a row that holds no constraint.
const NO_ID: u32 = u32::MAX;
/// Most rows of a table, items and entries of a round: twice as many places of an index have numbers of 32 bits.
const MOST: u64 = 1 << 31;
/// Rows in use from which on a launch ends for a table that has many dead ones, as in the template.
const WORTH_COLLECTING: u32 = 4096;
/// Items and entries that a run starts with room for.
const FIRST_ITEMS: u64 = 1 << 9;

/// Whether there is room now.
pub(super) enum Grown {
    /// There is.
    Yes,
    /// The memory does not suffice for this.
    NoMemory(String),
    /// 32 bits do not suffice to number these.
    NoNumbers(String),
}

/// What a host reads after a launch.
pub(super) struct End {
    pub stop: u32,
    pub rounds: u64,
    pub fired: u64,
    items: u64,
    staged: u64,
    wanted: Vec<u32>,
}

/// A table on the device.
struct Table {
    capacity: u32,
    used: u32,
    dead: u32,
    /// Rows that its indexes have room for: fewer than `capacity` while it only grows.
    indexed: u32,
    /// Whether rows are missing from its indexes.
    stale: bool,
    parts: Vec<(Part, Value)>,
}

/// Buffers whose sizes do not change.
struct Fixed {
    control: BufferId,
    arrivals: BufferId,
    error: BufferId,
    state: BufferId,
    used: BufferId,
    dead: BufferId,
    capacity: BufferId,
    wanted: BufferId,
    block_sums: BufferId,
    adds: BufferId,
    added_tables: BufferId,
    removed_heads: BufferId,
}

/// Lists of a round.
struct Lists {
    /// Constraints that are new in a round, and in the next one; the second is used if there are terms.
    delta: [BufferId; 2],
    changed: BufferId,
    touched: BufferId,
    deltas: u64,
    carried: [BufferId; 2],
    asks: BufferId,
    count: BufferId,
    offset: BufferId,
    items: u64,
    staged: BufferId,
    staged_key: BufferId,
    order: BufferId,
    entries: u64,
}

pub(super) struct Tables {
    layout: Layout,
    entry: u64,
    fixed: Fixed,
    lists: Lists,
    tables: IdVec<ConstraintId, Table>,
    /// The heap of a program with terms.
    cells: Option<Cells>,
    state: [u64; state::WORDS],
    /// Whether the carried entries are in the second of the two buffers.
    swapped: bool,
    /// Rows that tables have at first.
    rows: u32,
    /// Rows of the last batch.
    fresh: IdVec<ConstraintId, Range<u32>>,
}

impl Tables {
    pub fn new(job: &Job<'_>, options: &Options, device: &mut dyn Device) -> Result<Self> {
        let layout = job.kernels.layout.clone();
        let entry = (ENTRY_WORDS + layout.heads) as u64;
        let fixed = Fixed::new(job.kernels, device)?;
        let lists = Lists::new(entry, FIRST_ITEMS, FIRST_ITEMS, FIRST_ITEMS, layout.terms.is_some(), device)?;
        let rows = options.rows.clamp(1, MOST as u32);
        let mut tables = IdVec::new();
        for table in layout.tables.ids() {
            tables.push(Table::new(&layout, table, rows, device)?);
        }
        let cells = match &layout.terms {
            Some(terms) => Some(Cells::new(terms, job, u64::from(rows), device)?),
            None => None,
        };
        let mut state = [0; state::WORDS];
        state[state::EPOCH] = FIRST_EPOCH;
        state[state::FAILED_ENTRY] = u64::MAX;
        let fresh = layout.tables.iter().map(|_| 0..0).collect();
        Ok(Self { layout, entry, fixed, lists, tables, cells, state, swapped: false, rows, fresh })
    }

    /// Bytes of all buffers that grow.
    pub fn bytes(&self) -> u64 {
        let own = |t: ConstraintId| {
            let parts = self.layout.parts(t).into_iter();
            let rows = |part| if is_index(part) { self.tables[t].indexed } else { self.tables[t].capacity };
            parts.map(|part| part_bytes(&self.layout, t, part, rows(part))).sum::<u64>()
        };
        let cells = self.cells.as_ref().map_or(0, Cells::bytes);
        let lists =
            self.lists.bytes(self.entry) + if self.cells.is_some() { 8 * self.lists.deltas } else { 0 };
        self.tables.ids().map(own).sum::<u64>() + lists + cells
    }

    /// Bytes of a row's values and id.
    fn row_bytes(&self, table: ConstraintId) -> u64 {
        8 * self.layout.tables[table].columns.len() as u64 + 4
    }

    /// The buffer of a part.
    fn buffer(&self, table: ConstraintId, wanted: Part) -> BufferId {
        let found = self.tables[table].parts.iter().find_map(|&(part, value)| match value {
            Value::Buffer(buffer) if part == wanted => Some(buffer),
            _ => None,
        });
        found.expect("the layout has this part")
    }

    /// Gives a part another value; the one before.
    fn set(&mut self, table: ConstraintId, wanted: Part, value: Value) -> Option<Value> {
        let found = self.tables[table].parts.iter_mut().find(|(part, _)| *part == wanted)?;
        Some(std::mem::replace(&mut found.1, value))
    }

    /// Columns and ids of other sizes, one after the other, so that little memory is taken twice.
    fn grow_columns(&mut self, table: ConstraintId, rows: u32, device: &mut dyn Device) -> Result<()> {
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

    fn table_bytes(&self, table: ConstraintId, capacity: u32) -> u64 {
        self.layout.parts(table).into_iter().map(|part| part_bytes(&self.layout, table, part, capacity)).sum()
    }

    /// Whether the last batch has constraints of this table only.
    pub fn is_only_new(&self, table: ConstraintId) -> bool {
        self.fresh.iter_enumerated().all(|(t, rows)| t == table || rows.is_empty())
    }

    /// Rows that the last batch has put into a table, those that were reduced away again included.
    pub fn fresh_rows(&self, table: ConstraintId) -> u64 {
        self.fresh[table].len() as u64
    }

    /// Constraints of the last batch, those that were reduced away again included.
    pub fn batch_size(&self) -> u64 {
        self.fresh.iter().map(|rows| rows.len() as u64).sum()
    }

    /// Takes over what rounds were done elsewhere.
    pub fn set_progress(&mut self, rounds: u64, fired: u64) {
        (self.state[state::ROUNDS], self.state[state::FIRED]) = (rounds, fired);
    }

    /// Firings so far, those of reductions included.
    pub fn fired(&self) -> u64 {
        self.state[state::FIRED]
    }

    /// Constraints that live.
    pub fn live(&self) -> u64 {
        self.tables.iter().map(|t| u64::from(t.used - t.dead)).sum()
    }

    /// The template's `Params`.
    pub fn params(&self) -> Vec<Value> {
        self.params_with(None)
    }

    fn params_with(&self, other: Option<(ConstraintId, &Table)>) -> Vec<Value> {
        let lists = &self.lists;
        let buffers =
            self.fixed.buffers().into_iter().chain(lists.buffers(self.swapped, self.cells.is_some()));
        let mut values: Vec<Value> = buffers.map(Value::Buffer).collect();
        values.extend([Value::U32(lists.items as u32), Value::U32(lists.entries as u32)]);
        values.extend(self.cells.iter().flat_map(Cells::params));
        for (id, own) in self.tables.iter_enumerated() {
            let table = other.filter(|&(t, _)| t == id).map_or(own, |(_, table)| table);
            values.extend(table.parts.iter().map(|&(_, value)| value));
        }
        values
    }

    /// Makes room for a batch.
    pub fn make_room(&mut self, batch: &Batch, memory: u64, device: &mut dyn Device) -> Result<Grown> {
        let mut wanted: Vec<u64> = self.tables.iter().map(|t| u64::from(t.used)).collect();
        for words in batch {
            wanted[words.constraint.index()] += 1;
        }
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

    /// The list of the constraints that are new.
    fn delta(&self) -> BufferId {
        self.lists.delta[usize::from(self.swapped && self.cells.is_some())]
    }

    fn rows_of(&self, table: ConstraintId) -> String {
        format!("constraints {}", self.layout.tables[table].prefix)
    }

    /// Adds constraints behind those that are there.
    /// Says how long the device took to reduce them and to enter them into the indexes.
    pub fn put(&mut self, batch: &Batch, resident: u32, device: &mut dyn Device) -> Result<Duration> {
        let first_id = self.state[state::NEXT_ID];
        let mut delta = Vec::with_capacity(batch.len());
        let mut columns: IdVec<ConstraintId, Vec<Vec<u64>>> =
            self.layout.tables.iter().map(|t| vec![Vec::new(); t.columns.len()]).collect();
        let mut ids: IdVec<ConstraintId, Vec<u32>> = self.tables.iter().map(|_| Vec::new()).collect();
        for (words, id) in batch.iter().zip(first_id..) {
            let table = words.constraint;
            let row = self.tables[table].used as usize + ids[table].len();
            delta.push((table.index() as u64) << 32 | row as u64);
            ids[table].push(id as u32);
            columns[table].iter_mut().zip(&words.values).for_each(|(column, &word)| column.push(word));
        }
        for (table, ids) in ids.iter_enumerated() {
            let used = u64::from(self.tables[table].used);
            for &(part, value) in &self.tables[table].parts {
                let Value::Buffer(buffer) = value else { continue };
                match part {
                    Part::Column(c) => {
                        device.upload(buffer, 8 * used, bytemuck::cast_slice(&columns[table][c]))?;
                    }
                    Part::Ids => device.upload(buffer, 4 * used, bytemuck::cast_slice(ids))?,
                    _ => {}
                }
            }
            let before = self.tables[table].used;
            self.tables[table].used += ids.len() as u32;
            self.fresh[table] = before..self.tables[table].used;
        }
        let timer = device.start_timer()?;
        let mut survivors = Vec::new();
        for table in self.layout.tables.ids() {
            if !self.layout.tables[table].reduced_to_one {
                continue;
            }
            if let Some(survivor) = self.keep_best(table, &ids[table], device)? {
                survivors.push((table.index() as u64, survivor));
            }
        }
        let reduced = device.stop_timer(timer)?;
        for (table, survivor) in survivors {
            delta.retain(|&entry| entry >> 32 != table || entry as u32 == survivor);
        }
        self.reserve_delta(delta.len() as u64, device)?;
        device.upload(self.delta(), 0, bytemuck::cast_slice(&delta))?;
        self.state[state::NEW] = delta.len() as u64;
        self.state[state::NEXT_ID] += batch.len() as u64;
        self.upload_counts(device)?;
        let kernel = device.kernel("enter")?;
        let params = self.params();
        let args = [Arg::Record(&params), Arg::Value(Value::U32(delta.len() as u32))];
        let timer = device.start_timer()?;
        device.launch(&Launch { kernel, grid: resident, block: BLOCK, args: &args, cooperative: true })?;
        let entered = device.stop_timer(timer)?;
        self.read_counts(device)?;
        Ok(reduced + entered)
    }

    /// Drops all new rows of a table of which one constraint stays but the best of them; says which that is. `None` when there is but one.
    fn keep_best(
        &mut self,
        table: ConstraintId,
        ids: &[u32],
        device: &mut dyn Device,
    ) -> Result<Option<u32>> {
        let rows = ids.len() as u32;
        if rows < 2 {
            return Ok(None);
        }
        let first = self.fresh[table].start;
        let survivor = match self.layout.tables[table].best {
            Some(best) => self.best_row(table, best, first, rows, device)?,
            None => first,
        };
        let buffer = self.buffer(table, Part::Ids);
        device.fill(buffer, 4 * u64::from(first), 4 * u64::from(rows), 0xff)?;
        let id = ids[(survivor - first) as usize];
        device.upload(buffer, 4 * u64::from(survivor), bytemuck::cast_slice(&[id]))?;
        self.tables[table].dead += rows - 1;
        self.state[state::FIRED] += u64::from(rows - 1);
        Ok(Some(survivor))
    }

    fn best_row(
        &self,
        table: ConstraintId,
        best: Best,
        first: u32,
        rows: u32,
        device: &mut dyn Device,
    ) -> Result<u32> {
        let kernel = device.kernel("best_row")?;
        let grid = rows.div_ceil(BLOCK).min(device.resident_blocks(kernel, BLOCK)?);
        let words = device.alloc(8 * u64::from(grid))?;
        let found = device.alloc(4 * u64::from(grid))?;
        let floats = u32::from(self.layout.tables[table].columns[best.column] == SortKind::Float);
        let order = floats | u32::from(best.order == BestOrder::Greatest) << 1;
        let args = [
            Arg::from(self.buffer(table, Part::Column(best.column))),
            first.into(),
            rows.into(),
            order.into(),
            words.into(),
            found.into(),
        ];
        device.launch(&Launch { kernel, grid, block: BLOCK, args: &args, cooperative: false })?;
        let merits: Vec<u64> = device.download_vec(words, grid as usize)?;
        let at: Vec<u32> = device.download_vec(found, grid as usize)?;
        device.free(words)?;
        device.free(found)?;
        Ok(merits.into_iter().zip(at).min().map_or(first, |(_, row)| row))
    }

    /// Writes what a launch begins with.
    fn upload_counts(&self, device: &mut dyn Device) -> Result<()> {
        let all = |f: &dyn Fn(&Table) -> u32| self.tables.iter().map(f).collect::<Vec<u32>>();
        device.upload(self.fixed.used, 0, bytemuck::cast_slice(&all(&|t| t.used)))?;
        device.upload(self.fixed.dead, 0, bytemuck::cast_slice(&all(&|t| t.dead)))?;
        device.upload(self.fixed.capacity, 0, bytemuck::cast_slice(&all(&|t| t.capacity)))?;
        device.upload(self.fixed.state, 0, bytemuck::cast_slice(&self.state))?;
        device.upload(self.fixed.control, 0, bytemuck::cast_slice(&[0u32; CONTROL]))
    }

    fn read_counts(&mut self, device: &mut dyn Device) -> Result<()> {
        let used: Vec<u32> = device.download_vec(self.fixed.used, self.tables.len())?;
        let dead: Vec<u32> = device.download_vec(self.fixed.dead, self.tables.len())?;
        for ((table, used), dead) in self.tables.iter_mut().zip(used).zip(dead) {
            (table.used, table.dead) = (used, dead);
        }
        let words: Vec<u64> = device.download_vec(self.fixed.state, state::WORDS)?;
        self.state.copy_from_slice(&words);
        Ok(())
    }

    /// Reads how a launch ended, and makes the control words ready for another one.
    pub fn end_of_launch(&mut self, device: &mut dyn Device) -> Result<End> {
        let control: Vec<u32> = device.download_vec(self.fixed.control, CONTROL)?;
        let wanted = device.download_vec(self.fixed.wanted, self.tables.len())?;
        self.read_counts(device)?;
        let s = &mut self.state;
        let end = End {
            stop: control[STOP],
            rounds: s[state::ROUNDS],
            fired: s[state::FIRED],
            items: s[state::WANTED_ITEMS],
            staged: s[state::WANTED_STAGED],
            wanted,
        };
        self.swapped ^= s[state::SLICE] % 2 == 1;
        (s[state::SLICE], s[state::CALM]) = (0, 0);
        s[state::WANTED_ITEMS] = 0;
        s[state::WANTED_STAGED] = 0;
        self.upload_counts(device)?;
        Ok(end)
    }

    /// What the last launch had no room for gets it.
    pub fn grow(&mut self, end: &End, memory: u64, device: &mut dyn Device) -> Result<Grown> {
        for (wanted, what) in
            [(end.items, "constraints that are new in a round"), (end.staged, "candidates of a round")]
        {
            if wanted > MOST {
                return Ok(Grown::NoNumbers(what.into()));
            }
        }
        if end.items > self.lists.items || end.staged > self.lists.entries {
            let items = self.lists.items.max((end.items * 2).min(MOST));
            // Most constraints have a candidate; but no run shall fail for room that it may not need.
            let before = self.bytes() - self.lists.bytes(self.entry);
            let fits = |entries: u64| {
                before + Lists::bytes_of(self.entry, items, entries, self.lists.deltas) <= memory
            };
            let roomy = [end.staged.max(end.items) * 2, end.staged * 2];
            let roomy = roomy.map(|entries| self.lists.entries.max(entries.min(MOST)));
            let Some(entries) = roomy.into_iter().find(|&entries| fits(entries)) else {
                return Ok(Grown::NoMemory("candidates of a round".into()));
            };
            self.grow_lists(items, entries, self.lists.deltas, device)?;
            return Ok(Grown::Yes);
        }
        self.grow_tables(&end.wanted, memory, device)
    }

    /// Lists of other sizes; what carries over to the next round is kept.
    fn grow_lists(&mut self, items: u64, entries: u64, deltas: u64, device: &mut dyn Device) -> Result<()> {
        let delta = self.delta();
        let grown = Lists::new(self.entry, items, entries, deltas, self.cells.is_some(), device)?;
        let old = std::mem::replace(&mut self.lists, grown);
        let carried = 4 * self.entry * self.state[state::CARRIED];
        let current = usize::from(self.swapped);
        device.copy(old.carried[current], self.lists.carried[0], carried)?;
        device.copy(delta, self.lists.delta[0], 8 * self.state[state::NEW])?;
        device.copy(old.changed, self.lists.changed, 8 * self.state[state::CHANGED])?;
        self.swapped = false;
        old.free(device)
    }

    /// A round's bodies can add as many constraints as the tables have rows.
    fn reserve_delta(&mut self, wanted: u64, device: &mut dyn Device) -> Result<()> {
        let rows: u64 = self.tables.iter().map(|t| u64::from(t.capacity)).sum();
        if wanted.max(rows) <= self.lists.deltas {
            return Ok(());
        }
        self.grow_lists(self.lists.items, self.lists.entries, wanted.max(rows), device)
    }

    fn grow_tables(&mut self, wanted: &[u32], memory: u64, device: &mut dyn Device) -> Result<Grown> {
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
    fn grow_table(
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
        let spare = u64::from(capacity) * 2 - needed.min(u64::from(capacity) * 2);
        let sizes = [1, 2, 4, 8].map(|part| (needed + spare / part).min(MOST)).into_iter().chain([needed]);
        match sizes.into_iter().find(|&rows| rows <= MOST && fits(self, rows)) {
            Some(rows) => self.move_table(table, rows as u32, device).map(|()| true),
            None => Ok(false),
        }
    }

    /// Collects the tables of which most rows are dead, and of large ones an eighth, which may be why the launch has ended; says how many.
    pub fn collect(&mut self, device: &mut dyn Device) -> Result<u64> {
        let mut collected = 0;
        for table in self.layout.tables.ids() {
            let Table { used, dead, .. } = self.tables[table];
            if dead > used / 2 || used >= WORTH_COLLECTING && dead > used / 8 {
                self.move_table(table, self.tables[table].capacity, device)?;
                collected += 1;
            }
        }
        self.upload_counts(device)?;
        Ok(collected)
    }

    /// Moves the rows of a table to new buffers, without those that hold nothing.
    fn move_table(&mut self, table: ConstraintId, rows: u32, device: &mut dyn Device) -> Result<()> {
        let mut moved = Table::new(&self.layout, table, rows, device)?;
        let used = self.tables[table].used;
        let keep = device.alloc(4 * u64::from(used.max(1)))?;
        let map = device.alloc(4 * (u64::from(used) + 1))?;
        let kernel = device.kernel("move_rows")?;
        let grid = device.resident_blocks(kernel, BLOCK)?;
        let (from, to) = (self.params(), self.params_with(Some((table, &moved))));
        let args = [
            Arg::Record(&from),
            Arg::Record(&to),
            Arg::Value(Value::U32(table.index() as u32)),
            Arg::Value(Value::U32(used)),
            Arg::Value(Value::Buffer(keep)),
            Arg::Value(Value::Buffer(map)),
        ];
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
    pub fn clear_claims(&mut self, device: &mut dyn Device) -> Result<()> {
        for table in &self.tables {
            for &(part, value) in &table.parts {
                if let (Part::Claims, Value::Buffer(buffer)) = (part, value) {
                    device.fill(buffer, 0, 8 * u64::from(table.capacity), 0xff)?;
                }
            }
        }
        self.state[state::EPOCH] = FIRST_EPOCH;
        self.upload_counts(device)
    }

    /// The error that was noted.
    pub fn noted(&self, device: &mut dyn Device) -> Result<Option<Noted>> {
        let words = device.download_vec(self.fixed.error, Noted::WORDS)?;
        Ok(Noted::new(&words))
    }

    /// The constraints that live.
    pub fn download(&self, job: &Job<'_>, device: &mut dyn Device) -> Result<Store> {
        let mut words = Vec::new();
        for (constraint, table) in self.tables.iter_enumerated() {
            let used = table.used as usize;
            let mut columns: Vec<Vec<u64>> = Vec::new();
            let mut ids: Vec<u32> = Vec::new();
            for &(part, value) in &table.parts {
                let Value::Buffer(buffer) = value else { continue };
                match part {
                    Part::Column(_) => columns.push(device.download_vec(buffer, used)?),
                    Part::Ids => ids = device.download_vec(buffer, used)?,
                    _ => {}
                }
            }
            let live = ids.iter().enumerate().filter(|&(_, &id)| id != NO_ID);
            words.extend(live.map(|(row, &id)| Words {
                constraint,
                id: u64::from(id),
                values: columns.iter().map(|c| c[row]).collect(),
            }));
        }
        let Some(cells) = &self.cells else { return store(job, Heap::new(), words) };
        let found = cells.download(device)?;
        let (mut heap, mut import) = (Heap::new(), Import::new(&found));
        for words in &mut words {
            let kinds = &self.layout.tables[words.constraint].columns;
            for (word, _) in words.values.iter_mut().zip(kinds).filter(|(_, kind)| **kind == SortKind::Any) {
                *word = import.word(&mut heap, *word).map_err(|_| broken())?;
            }
        }
        store(job, heap, words)
    }

    /// Gives all device memory back.
    pub fn free(self, device: &mut dyn Device) -> Result<()> {
        self.fixed.buffers().into_iter().try_for_each(|buffer| device.free(buffer))?;
        self.lists.free(device)?;
        self.cells.map_or(Ok(()), |cells| cells.free(device))?;
        self.tables.into_iter_enumerated().try_for_each(|(_, table)| table.free(device))
    }
}

impl Fixed {
    fn new(kernels: &Kernels, device: &mut dyn Device) -> Result<Self> {
        let tables = kernels.layout.tables.len().max(1);
        let mut blocks = 1;
        for kernel in ["rounds", "enter", "move_rows"] {
            let kernel = device.kernel(kernel)?;
            blocks = blocks.max(u64::from(device.resident_blocks(kernel, BLOCK)?));
        }
        let sums = kernels.layout.added.len() as u64 + 2;
        let added: Vec<u32> = kernels.layout.added.iter().map(|t| t.0).collect();
        let mut words =
            |data: &[u32]| if data.is_empty() { device.upload_new(&[0u32]) } else { device.upload_new(data) };
        let zeros = vec![0u32; tables];
        Ok(Self {
            control: words(&[0; CONTROL])?,
            arrivals: words(&[0])?,
            error: words(&[0; Noted::WORDS])?,
            used: words(&zeros)?,
            dead: words(&zeros)?,
            capacity: words(&zeros)?,
            wanted: words(&zeros)?,
            adds: words(&kernels.adds)?,
            added_tables: words(&added)?,
            removed_heads: words(&kernels.removed_heads)?,
            state: device.upload_new(&[0u64; state::WORDS])?,
            block_sums: device.alloc(4 * sums * blocks)?,
        })
    }

    /// All of them, in the order of the template's `Params`.
    fn buffers(&self) -> [BufferId; 12] {
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
        ]
    }
}

impl Lists {
    fn new(
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
            asks: device.alloc(32 * items)?,
            count: device.alloc(4 * items)?,
            offset: device.alloc(4 * (items + 1))?,
            items,
            staged: device.alloc(4 * entry * entries)?,
            staged_key: device.alloc(8 * entries)?,
            order: device.alloc(4 * entries)?,
            entries,
        })
    }

    /// All of them, in the order of the template's `Params`.
    fn buffers(&self, swapped: bool, terms: bool) -> [BufferId; 12] {
        let [now, next] = self.carried;
        let [now, next] = if swapped { [next, now] } else { [now, next] };
        let [delta, delta_next] = self.delta;
        let [delta, delta_next] = if swapped && terms { [delta_next, delta] } else { [delta, delta_next] };
        [
            delta,
            delta_next,
            self.changed,
            self.touched,
            now,
            next,
            self.asks,
            self.count,
            self.offset,
            self.staged,
            self.staged_key,
            self.order,
        ]
    }

    fn bytes_of(entry: u64, items: u64, entries: u64, deltas: u64) -> u64 {
        24 * deltas + 40 * items + entries * (12 * entry + 12)
    }

    fn bytes(&self, entry: u64) -> u64 {
        Self::bytes_of(entry, self.items, self.entries, self.deltas)
    }

    fn free(self, device: &mut dyn Device) -> Result<()> {
        self.buffers(false, false).into_iter().try_for_each(|buffer| device.free(buffer))
    }
}

/// A store of these constraints.
pub(super) fn store(job: &Job<'_>, heap: Heap, words: Vec<Words>) -> Result<Store> {
    Store::from_words(job.plan, heap, words).ok_or_else(broken)
}

/// What was brought back is no store.
fn broken() -> DeviceError {
    DeviceError::Findings(vec![
        gchr_core::diagnostic::Diagnostic::error(
            "I0202",
            "internal error: the device gave back more rows than it has, or terms that are none",
        )
        .help("this is a bug of gchr, not of the program; please report it with the program"),
    ])
}

/// Least and greatest value of columns of integers; for a table without constraints the other way round.
fn ranges(
    tables: &Tables,
    columns: &[(ConstraintId, usize)],
    device: &mut dyn Device,
) -> Result<Vec<(i64, i64)>> {
    let kernel = device.kernel("column_range")?;
    let found = device.upload_new(&[i64::MAX, i64::MIN].repeat(columns.len().max(1)))?;
    for (at, &(table, column)) in columns.iter().enumerate() {
        let used = tables.tables[table].used;
        let args = [
            Arg::from(tables.buffer(table, Part::Column(column))),
            tables.buffer(table, Part::Ids).into(),
            used.into(),
            found.into(),
            (2 * at as u32).into(),
        ];
        let grid = used.div_ceil(BLOCK).clamp(1, 1 << 10);
        device.launch(&Launch { kernel, grid, block: BLOCK, args: &args, cooperative: false })?;
    }
    let words: Vec<i64> = device.download_vec(found, 2 * columns.len())?;
    device.free(found)?;
    Ok(words.chunks_exact(2).map(|range| (range[0], range[1])).collect())
}

/// Whether a part of a table is rebuilt and not copied when the table moves.
fn is_index(part: Part) -> bool {
    matches!(part, Part::Slots(_) | Part::Next(_) | Part::Best | Part::Claims | Part::Ranks | Part::Better)
}

/// Places of a hash index for so many rows: a power of two, at most half full.
fn places(rows: u32) -> u64 {
    (u64::from(rows) * 2).next_power_of_two().max(4)
}

fn part_bytes(layout: &Layout, table: ConstraintId, part: Part, rows: u32) -> u64 {
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
    fn new(layout: &Layout, table: ConstraintId, capacity: u32, device: &mut dyn Device) -> Result<Self> {
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

    fn free(self, device: &mut dyn Device) -> Result<()> {
        self.parts.into_iter().try_for_each(|(_, value)| match value {
            Value::Buffer(buffer) => device.free(buffer),
            _ => Ok(()),
        })
    }
}
