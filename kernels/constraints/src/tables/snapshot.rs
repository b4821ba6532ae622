//! Tables of a session: what they hold, copied and brought back, and what was in a store elsewhere.
//!
//! Indexes, claims and lists are not part of it: they are made anew for tables that are brought back.

use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::ConstraintId;
use gchr_base::value::Heap;
use gchr_constraints::exec::Store;

use super::cells::{Cells, CopiedCells};
use super::{MOST, Part, Tables};
use crate::job::{Job, Options};
use gchr_kernel::device::{BufferId, Device, Result, Value};

/// The constraints and terms of tables, on the device.
pub(crate) struct Snapshot {
    tables: IdVec<ConstraintId, CopiedRows>,
    cells: Option<CopiedCells>,
    next_id: u64,
    bytes: u64,
}

/// The rows of a table.
struct CopiedRows {
    used: u32,
    dead: u32,
    parts: Vec<(Part, BufferId)>,
}

/// Bytes of a row in a part that a snapshot keeps.
fn kept_bytes(part: Part) -> Option<u64> {
    match part {
        Part::Column(_) => Some(8),
        Part::Ids => Some(4),
        _ => None,
    }
}

impl Snapshot {
    /// Bytes that a snapshot of these tables takes.
    pub(crate) fn bytes_of(tables: &Tables) -> u64 {
        let row = |t: ConstraintId| 8 * tables.layout.tables[t].columns.len() as u64 + 4;
        let rows: u64 =
            tables.tables.iter_enumerated().map(|(t, table)| row(t) * u64::from(table.used)).sum();
        rows + tables.cells.as_ref().map_or(0, Cells::bytes)
    }

    /// Copies what tables hold between two runs.
    pub(crate) fn take(tables: &Tables, device: &mut dyn Device) -> Result<Self> {
        let mut copied = IdVec::new();
        for table in &tables.tables {
            let mut parts = Vec::new();
            for &(part, value) in &table.parts {
                let (Value::Buffer(from), Some(size)) = (value, kept_bytes(part)) else { continue };
                let bytes = size * u64::from(table.used);
                let to = device.alloc(bytes.max(size))?;
                device.copy(from, to, bytes)?;
                parts.push((part, to));
            }
            copied.push(CopiedRows { used: table.used, dead: table.dead, parts });
        }
        let cells = match &tables.cells {
            Some(cells) => Some(cells.copied(device)?),
            None => None,
        };
        Ok(Self { tables: copied, cells, next_id: tables.next_id(), bytes: Self::bytes_of(tables) })
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Tables that hold it. Its memory is given back.
    pub(crate) fn restore(self, job: &Job<'_>, options: &Options, device: &mut dyn Device) -> Result<Tables> {
        let used: Vec<u32> = self.tables.iter().map(|rows| rows.used).collect();
        let mut tables = Tables::with_rows(job, &Heap::new(), options, &used, device)?;
        for ((_, rows), table) in self.tables.into_iter_enumerated().zip(tables.tables.iter_mut()) {
            for (part, from) in rows.parts {
                let to = table.parts.iter().find(|(own, _)| *own == part);
                if let (Some((_, Value::Buffer(to))), Some(size)) = (to, kept_bytes(part)) {
                    device.copy(from, *to, size * u64::from(rows.used))?;
                }
                device.free(from)?;
            }
            (table.used, table.dead) = (rows.used, rows.dead);
            table.stale = rows.used > 0;
        }
        if let Some(copied) = self.cells {
            let restored = Cells::restored(copied, job, device)?;
            if let Some(unused) = tables.cells.replace(restored) {
                unused.free(device)?;
            }
        }
        tables.set_next_id(self.next_id);
        Ok(tables)
    }

    /// Gives its memory back.
    pub(crate) fn free(self, device: &mut dyn Device) -> Result<()> {
        for (_, buffer) in self.tables.into_iter_enumerated().flat_map(|(_, rows)| rows.parts) {
            device.free(buffer)?;
        }
        self.cells.map_or(Ok(()), |cells| cells.free(device))
    }
}

impl Tables {
    /// Tables that hold the constraints of a store, in the order of their ids, which are given anew. The heap of the
    /// job is that of the store. `None` where there are too many of a symbol.
    pub(crate) fn of_store(
        job: &Job<'_>,
        options: &Options,
        store: &Store,
        device: &mut dyn Device,
    ) -> Result<Option<Self>> {
        let counts: Vec<usize> =
            job.plan.tables.ids().map(|t| if store.has_table(t) { store.count(t) } else { 0 }).collect();
        if counts.iter().any(|&count| count as u64 > MOST) {
            return Ok(None);
        }
        let counts: Vec<u32> = counts.into_iter().map(|count| count as u32).collect();
        let mut tables = Self::with_rows(job, store.heap(), options, &counts, device)?;
        let rows = store.rows_by_id();
        tables.append(&rows, 0, device)?;
        for table in tables.tables.iter_mut() {
            table.stale = table.used > 0;
        }
        tables.set_next_id(rows.len() as u64);
        Ok(Some(tables))
    }

    /// Tables without constraints, with room for so many rows of each symbol.
    fn with_rows(
        job: &Job<'_>,
        heap: &Heap,
        options: &Options,
        rows: &[u32],
        device: &mut dyn Device,
    ) -> Result<Self> {
        let least = |table: ConstraintId| rows.get(table.index()).copied().unwrap_or(0);
        Self::sized(job, heap, options, least, device)
    }

    /// The id of the next constraint.
    pub(crate) fn next_id(&self) -> u64 {
        self.state[self.words.next_id]
    }

    fn set_next_id(&mut self, next_id: u64) {
        self.state[self.words.next_id] = next_id;
    }

    /// What a run has counted is forgotten: another one begins.
    pub(crate) fn begin_run(&mut self) {
        self.set_progress(0, 0);
        self.fresh.iter_mut().for_each(|rows| *rows = 0..0);
        if let Some(cells) = &mut self.cells {
            cells.begin_run();
        }
    }

    /// How many constraints live, by symbol.
    pub(crate) fn counts(&self) -> IdVec<ConstraintId, u64> {
        self.tables.iter().map(|table| u64::from(table.used - table.dead)).collect()
    }
}
