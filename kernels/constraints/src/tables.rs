//! Device tables of a run: the store, the lists of a round, control words, and the way back of the store.

pub(crate) mod batch;
pub(crate) mod buffers;
mod cells;
mod log;
mod room;
pub(crate) mod snapshot;

use std::ops::Range;
use std::sync::Arc;

use gchr_base::error::StopReason;
use gchr_base::ids::IdVec;
use gchr_base::signature::{ConstraintId, SortKind};
use gchr_base::value::Heap;
use gchr_base::value::heap::Import;
use gchr_constraints::exec::Store;

use buffers::{Fixed, Lists, Table, is_index, part_bytes};
use cells::Cells;
pub(crate) use cells::MOST_WORDS;
use log::Log;

use crate::contract::{BLOCK, Host, NO_ID, Params, State};
use crate::job::{Job, Options};
use crate::kernels::Kernels;
use crate::layout::ENTRY_WORDS;
use crate::layout::{Layout, Part};
use crate::start::Batch;
use gchr_kernel::device::{BufferId, Device, DeviceError, DeviceExt, Result, Value};
use gchr_runtime::codegen::DeviceTrap;

/// The first epoch: a claim's key has 20 bits for it, and all ones mean "unclaimed".
const FIRST_EPOCH: u64 = (1 << 20) - 2;
/// Most rows of a table, items and entries of a round: twice as many places of an index have numbers of 32 bits.
pub(crate) const MOST: u64 = 1 << 31;
/// Items and entries that a run starts with room for.
const FIRST_ITEMS: u64 = 1 << 9;

/// Whether there is room now.
pub(crate) enum Grown {
    /// There is.
    Yes,
    /// The memory does not suffice for this.
    NoMemory(String),
    /// There would be more than [`MOST`] of these.
    NoNumbers(String),
}

impl Grown {
    /// Why there is no room; nothing where there is.
    pub(crate) fn lack(self, limit: u64) -> Option<StopReason> {
        match self {
            Grown::Yes => None,
            Grown::NoMemory(what) => Some(StopReason::Memory { limit, what }),
            Grown::NoNumbers(what) => Some(StopReason::Indices { what, limit: MOST }),
        }
    }
}

/// What a host reads after a launch.
pub(crate) struct End {
    pub stop: u32,
    pub rounds: u64,
    pub fired: u64,
    items: u64,
    staged: u64,
    /// Rows that tables want room for; behind a whole round, those that they had before it.
    wanted: Vec<u32>,
    /// Rows of the log that the last round asked for.
    output: u32,
    /// Whether they did not fit behind those of the rounds before it.
    log_is_full: bool,
}

pub(crate) struct Tables {
    pub(crate) layout: Layout,
    pub(crate) entry: u64,
    pub(crate) fixed: Fixed,
    pub(crate) lists: Lists,
    pub(crate) tables: IdVec<ConstraintId, Table>,
    /// The heap of a program with terms.
    pub(crate) cells: Option<Cells>,
    /// What rules write, if they do.
    pub(crate) log: Option<Log>,
    pub(crate) state: Vec<u64>,
    /// What the words of `state` mean.
    pub(crate) words: State,
    pub(crate) host: Arc<Host>,
    /// Whether the carried entries are in the second of the two buffers.
    pub(crate) swapped: bool,
    /// Rows that tables have at first.
    pub(crate) rows: u32,
    /// Rows that the rounds to come start from: those of a batch, or of a round where a fast path may begin.
    pub(crate) fresh: IdVec<ConstraintId, Range<u32>>,
}

/// The most rows that tables have at first because the first batch has as many constraints.
const MOST_FIRST_ROWS: u32 = 1 << 18;

impl Tables {
    pub fn new(job: &Job<'_>, options: &Options, device: &mut dyn Device) -> Result<Self> {
        // Rules add about as many constraints as they are given, as a rule.
        let facts = job.input.batches.first().map_or(0, |batch| batch.len() as u32);
        let rows = if facts < room::SMALL { 0 } else { facts.min(MOST_FIRST_ROWS) };
        let layout = &job.kernels.layout;
        let bytes: u64 = layout.tables.ids().map(|table| table_bytes(layout, table, rows)).sum();
        let least = if bytes <= options.memory / 8 { rows } else { 0 };
        Self::sized(job, &job.input.heap, options, |_| least, device)
    }

    /// Tables without constraints, with room for so many rows at least, and the terms of a heap.
    fn sized(
        job: &Job<'_>,
        heap: &Heap,
        options: &Options,
        least: impl Fn(ConstraintId) -> u32,
        device: &mut dyn Device,
    ) -> Result<Self> {
        let layout = job.kernels.layout.clone();
        let entry = (ENTRY_WORDS + layout.heads) as u64;
        let fixed = Fixed::new(job.kernels, device)?;
        let lists = Lists::new(entry, FIRST_ITEMS, FIRST_ITEMS, FIRST_ITEMS, layout.terms.is_some(), device)?;
        let rows = options.rows.clamp(1, MOST as u32);
        let mut tables = IdVec::new();
        for table in layout.tables.ids() {
            tables.push(Table::new(&layout, table, rows.max(least(table)), device)?);
        }
        let cells = match &layout.terms {
            Some(terms) => {
                let kernels = job.kernels.host.of_terms();
                Some(Cells::of_heap((terms, kernels), heap, &job.program.signature, u64::from(rows), device)?)
            }
            None => None,
        };
        let log = match layout.output.is_empty() {
            true => None,
            false => Some(Log::new(rows, device)?),
        };
        let host = Arc::clone(&job.kernels.host);
        let words = host.state;
        let mut state = vec![0; words.state_words];
        state[words.epoch] = FIRST_EPOCH;
        state[words.failed_entry] = u64::MAX;
        let fresh = layout.tables.iter().map(|_| 0..0).collect();
        Ok(Self {
            layout,
            entry,
            fixed,
            lists,
            tables,
            cells,
            log,
            state,
            words,
            host,
            swapped: false,
            rows,
            fresh,
        })
    }

    /// Bytes of all buffers that grow.
    pub fn bytes(&self) -> u64 {
        let own = |t: ConstraintId| {
            self.layout.parts(t).into_iter().map(|part| self.part_size(t, part)).sum::<u64>()
        };
        let cells = self.cells.as_ref().map_or(0, Cells::bytes);
        let lists =
            self.lists.bytes(self.entry) + if self.cells.is_some() { 8 * self.lists.deltas } else { 0 };
        self.tables.ids().map(own).sum::<u64>() + lists + cells + self.log.as_ref().map_or(0, Log::bytes)
    }

    /// Bytes of a part of a table.
    pub(crate) fn part_size(&self, t: ConstraintId, part: Part) -> u64 {
        let follows = !is_index(part) || self.is_linked(t) && matches!(part, Part::Slots(_) | Part::Next(_));
        let rows = if follows { self.tables[t].capacity } else { self.tables[t].indexed };
        part_bytes(&self.layout, t, part, rows)
    }

    /// The most bytes that a row takes in the parts that follow a table while it only grows.
    pub(crate) fn row_bytes(&self, table: ConstraintId) -> u64 {
        let layout = &self.layout.tables[table];
        // A link, and up to four places of 4 bytes.
        let indexes = if self.is_linked(table) { layout.indexes.len() as u64 } else { 0 };
        8 * layout.columns.len() as u64 + 4 + 20 * indexes
    }

    /// Whether the indexes of a table are kept up to date while it only grows.
    pub(crate) fn is_linked(&self, table: ConstraintId) -> bool {
        self.layout.monotone.as_ref().is_some_and(|monotone| monotone.is_linked(table))
    }

    /// The buffer of a part.
    pub(crate) fn buffer(&self, table: ConstraintId, wanted: Part) -> BufferId {
        let found = self.tables[table].parts.iter().find_map(|&(part, value)| match value {
            Value::Buffer(buffer) if part == wanted => Some(buffer),
            _ => None,
        });
        found.expect("the layout has this part")
    }

    /// Gives a part another value; the one before.
    pub(crate) fn set(&mut self, table: ConstraintId, wanted: Part, value: Value) -> Option<Value> {
        let found = self.tables[table].parts.iter_mut().find(|(part, _)| *part == wanted)?;
        Some(std::mem::replace(&mut found.1, value))
    }

    fn table_bytes(&self, table: ConstraintId, capacity: u32) -> u64 {
        table_bytes(&self.layout, table, capacity)
    }

    /// Lets launches of rounds end where a fast path may begin: where all that is new is in tables of one, and was not
    /// before.
    pub fn probe_fast_paths(&mut self, look: bool, kernels: &Kernels, batch: &Batch) {
        let common = batch.runs().fold(u32::MAX, |common, (table, _)| common & kernels.fast_paths_of(table));
        self.state[self.words.left_fast_path] = u64::from(common == 0);
        let from = if look { self.state[self.words.rounds] } else { u64::MAX };
        self.state[self.words.next_fast_path_probe] = from;
        self.state[self.words.next_offer_probe] = from;
    }

    /// Whether a batch starts from so many values of a matrix, among other things, that a product of matrices finds
    /// what they offer in less time than a look at partner after partner.
    pub fn starts_from_values(&self, table: ConstraintId, few: u32) -> bool {
        let (fresh, offers) = (self.fresh_rows(table), self.host.offers);
        let Table { used, dead, .. } = self.tables[table];
        fresh > 0
            && fresh >= u64::from(few) * offers.offered_few
            && fresh * offers.offered_share >= u64::from(used - dead)
    }

    /// A product has found what values offer to a round: the next such round asks for one again.
    pub fn keep_offering(&mut self, device: &mut dyn Device) -> Result<()> {
        self.state[self.words.next_offer_probe] = self.state[self.words.rounds];
        device.upload(self.fixed.state, 0, bytemuck::cast_slice(&self.state))
    }

    /// Whether the lists have room for what the next round starts from.
    pub fn has_room_for_items(&self) -> bool {
        self.state[self.words.new] + self.state[self.words.carried] <= self.lists.items
    }

    /// Takes the rows that the last round has added for those to start from.
    pub fn start_from_round(&mut self, end: &End) {
        for ((table, fresh), &before) in self.tables.iter().zip(self.fresh.iter_mut()).zip(&end.wanted) {
            *fresh = before..table.used;
        }
    }

    /// Whether values of constraints were replaced in the last round, which the next one starts from too.
    pub fn has_changed_values(&self) -> bool {
        self.state[self.words.changed] > 0
    }

    /// Whether all constraints to start from are of this table.
    pub fn is_only_new(&self, table: ConstraintId) -> bool {
        self.fresh.iter_enumerated().all(|(t, rows)| t == table || rows.is_empty())
    }

    /// Rows that the last batch has put into a table, those that were reduced away again included.
    pub fn fresh_rows(&self, table: ConstraintId) -> u64 {
        self.fresh[table].len() as u64
    }

    /// Constraints to start from, those that were reduced away again included.
    pub fn batch_size(&self) -> u64 {
        self.fresh.iter().map(|rows| rows.len() as u64).sum()
    }

    /// Takes over what rounds were done elsewhere.
    pub fn set_progress(&mut self, rounds: u64, fired: u64) {
        (self.state[self.words.rounds], self.state[self.words.fired]) = (rounds, fired);
    }

    /// Firings so far, those of reductions included.
    pub fn fired(&self) -> u64 {
        self.state[self.words.fired]
    }

    /// Constraints that live.
    pub fn live(&self) -> u64 {
        self.tables.iter().map(|t| u64::from(t.used - t.dead)).sum()
    }

    /// The template's `Params`.
    pub fn params(&self) -> Result<Vec<Value>> {
        self.params_with(None)
    }

    fn params_with(&self, other: Option<(ConstraintId, &Table)>) -> Result<Vec<Value>> {
        let mut values = self.host.params.fill(&self.declared_params());
        // As the generator of the record has appended them.
        values.fill_rest(self.cells.iter().flat_map(Cells::params));
        values.fill_rest(self.log.iter().flat_map(Log::params));
        for (id, own) in self.tables.iter_enumerated() {
            let table = other.filter(|&(t, _)| t == id).map_or(own, |(_, table)| table);
            values.fill_rest(table.parts.iter().map(|&(_, value)| value));
        }
        values.finish()
    }

    /// The fields that the template declares.
    fn declared_params(&self) -> Params {
        let (fixed, lists) = (&self.fixed, &self.lists);
        let [carried, carried_next] = lists.carried_now(self.swapped);
        let [delta, delta_next] = lists.delta_now(self.swapped && self.cells.is_some());
        Params {
            control: fixed.control,
            arrivals: fixed.arrivals,
            error: fixed.error,
            state: fixed.state,
            used: fixed.used,
            dead: fixed.dead,
            capacity: fixed.capacity,
            wanted: fixed.wanted,
            block_sums: fixed.block_sums,
            adds: fixed.adds,
            added_tables: fixed.added_tables,
            removed_heads: fixed.removed_heads,
            fast_paths: fixed.fast_paths,
            delta,
            delta_next,
            changed: lists.changed,
            touched: lists.touched,
            carried,
            carried_next,
            asks: lists.asks,
            count: lists.count,
            offset: lists.offset,
            staged: lists.staged,
            staged_key: lists.staged_key,
            order: lists.order,
            item_capacity: lists.items as u32,
            staged_capacity: lists.entries as u32,
        }
    }

    /// The list of the constraints that are new.
    fn delta(&self) -> BufferId {
        self.lists.delta[usize::from(self.swapped && self.cells.is_some())]
    }

    pub(crate) fn rows_of(&self, table: ConstraintId) -> String {
        format!("constraints {}", self.layout.tables[table].prefix)
    }

    /// Writes what a launch begins with.
    pub(crate) fn upload_counts(&self, device: &mut dyn Device) -> Result<()> {
        // The log follows the tables; what it holds at the end of a launch is taken from it.
        let all = |f: &dyn Fn(&Table) -> u32, of_log: u32| {
            self.tables.iter().map(f).chain(self.log.iter().map(|_| of_log)).collect::<Vec<u32>>()
        };
        let capacity = self.log.as_ref().map_or(0, |log| log.capacity);
        device.upload(self.fixed.used, 0, bytemuck::cast_slice(&all(&|t| t.used, 0)))?;
        device.upload(self.fixed.dead, 0, bytemuck::cast_slice(&all(&|t| t.dead, 0)))?;
        device.upload(self.fixed.capacity, 0, bytemuck::cast_slice(&all(&|t| t.capacity, capacity)))?;
        device.upload(self.fixed.state, 0, bytemuck::cast_slice(&self.state))?;
        device.upload(
            self.fixed.control,
            0,
            bytemuck::cast_slice(&vec![0u32; self.host.control.control_words]),
        )
    }

    fn read_counts(&mut self, device: &mut dyn Device) -> Result<()> {
        let used: Vec<u32> = device.download_vec(self.fixed.used, self.tables.len())?;
        let dead: Vec<u32> = device.download_vec(self.fixed.dead, self.tables.len())?;
        for ((table, used), dead) in self.tables.iter_mut().zip(used).zip(dead) {
            (table.used, table.dead) = (used, dead);
        }
        let words: Vec<u64> = device.download_vec(self.fixed.state, self.words.state_words)?;
        self.state = words;
        Ok(())
    }

    /// Reads how a launch ended, and makes the control words ready for another one.
    pub fn end_of_launch(&mut self, device: &mut dyn Device) -> Result<End> {
        let control: Vec<u32> = device.download_vec(self.fixed.control, self.host.control.control_words)?;
        let mut wanted: Vec<u32> = device.download_vec(self.fixed.wanted, self.layout.targets())?;
        let mut logged = 0;
        if let Some(log) = &mut self.log {
            let used: Vec<u32> = device.download_vec(self.fixed.used, self.layout.targets())?;
            logged = used.last().copied().unwrap_or_default();
            log.take(logged, device)?;
        }
        let asked = wanted.split_off(self.tables.len()).pop().unwrap_or_default();
        self.read_counts(device)?;
        let (s, words) = (&mut self.state, self.words);
        let end = End {
            stop: control[self.host.control.stop],
            rounds: s[words.rounds],
            fired: s[words.fired],
            items: s[words.wanted_items],
            staged: s[words.wanted_staged],
            wanted,
            output: if asked == NO_ID { NO_ID } else { asked.saturating_sub(logged) },
            log_is_full: self.log.as_ref().is_some_and(|log| asked > log.capacity),
        };
        self.swapped ^= s[words.slice] % 2 == 1;
        (s[words.slice], s[words.small_rounds]) = (0, 0);
        s[words.wanted_items] = 0;
        s[words.wanted_staged] = 0;
        self.upload_counts(device)?;
        Ok(end)
    }

    /// The error that was noted.
    pub fn noted(&self, device: &mut dyn Device) -> Result<Option<DeviceTrap>> {
        let words = device.download_vec(self.fixed.error, DeviceTrap::WORDS)?;
        Ok(DeviceTrap::new(&words))
    }

    /// Nothing is new any more: a fast path has followed it to its end.
    pub(crate) fn forget_new(&mut self, device: &mut dyn Device) -> Result<()> {
        (self.state[self.words.new], self.state[self.words.changed]) = (0, 0);
        self.upload_counts(device)
    }

    /// The constraints that live.
    pub fn download(&self, job: &Job<'_>, device: &mut dyn Device) -> Result<Store> {
        let mut found = IdVec::new();
        for (id, table) in self.tables.iter_enumerated() {
            let (columns, ids) = self.rows_of_range(id, 0..table.used, device)?;
            found.push(Found { columns, ids });
        }
        let mut heap = Heap::new();
        if let Some(cells) = &self.cells {
            let cells = cells.download(device)?;
            let mut import = Import::new(&cells);
            for (table, found) in self.layout.tables.iter().zip(found.iter_mut()) {
                let any = table.columns.iter().map(|kind| *kind == SortKind::Any);
                for (column, _) in found.columns.iter_mut().zip(any).filter(|(_, any)| *any) {
                    for (word, _) in column.iter_mut().zip(&found.ids).filter(|(_, id)| **id != NO_ID) {
                        *word = import.word(&mut heap, *word).map_err(|_| broken())?;
                    }
                }
            }
        }
        let mut store = Store::new(job.plan, heap);
        for (table, found) in found.into_iter_enumerated() {
            if !store.insert_columns(table, (&found.ids, NO_ID), &found.columns) {
                return Err(broken());
            }
        }
        Ok(store)
    }

    /// Gives all device memory back.
    pub fn free(self, device: &mut dyn Device) -> Result<()> {
        self.fixed.buffers().into_iter().try_for_each(|buffer| device.free(buffer))?;
        self.lists.free(device)?;
        self.cells.map_or(Ok(()), |cells| cells.free(device))?;
        self.log.map_or(Ok(()), |log| log.free(device))?;
        self.tables.into_iter_enumerated().try_for_each(|(_, table)| table.free(device))
    }
}

/// What a table holds, column by column.
struct Found {
    columns: Vec<Vec<u64>>,
    ids: Vec<u32>,
}

/// What was brought back is no store.
pub(crate) fn broken() -> DeviceError {
    DeviceError::Findings(vec![
        gchr_base::diagnostic::Diagnostic::error(
            "I0202",
            "internal error: the device gave back more rows than it has, or terms that are none",
        )
        .help("this is a bug of gchr, not of the program; please report it with the program"),
    ])
}

/// Bytes of a table with so many rows.
fn table_bytes(layout: &Layout, table: ConstraintId, rows: u32) -> u64 {
    layout.parts(table).into_iter().map(|part| part_bytes(layout, table, part, rows)).sum()
}
