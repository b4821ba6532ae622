//! Batches: constraints that are added at once, and the one of them that stays where a table keeps the best of all.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::ConstraintId;

use super::{BLOCK, Part, Table, Tables};
use crate::contract::{Enter, NO_ID, ThinOut};
use crate::start::Batch;
use gchr_kernel::device::{Device, DeviceExt, Launch, Result, Value};

/// Ids of constraints, by symbol.
type Ids = IdVec<ConstraintId, Vec<u32>>;

/// Constraints that are written behind those of a table.
#[derive(Clone, Default)]
pub(crate) struct NewRows {
    pub count: usize,
    pub columns: Vec<Vec<u64>>,
    /// Given when they are written.
    ids: Vec<u32>,
}

impl NewRows {
    pub fn push(&mut self, values: &[u64]) {
        self.count += 1;
        self.columns.iter_mut().zip(values).for_each(|(column, &value)| column.push(value));
    }
}

impl Tables {
    /// Adds constraints behind those that are there, for rounds to start from them.
    /// Says how long the device took to reduce them and to enter them into the indexes.
    pub(crate) fn put(&mut self, batch: &Batch, resident: u32, device: &mut dyn Device) -> Result<Duration> {
        let first_id = self.next_id();
        let (delta, ids) = self.append(batch, first_id, device)?;
        self.enter(delta, &ids, &[], resident, device)
    }

    /// The same for constraints by table, beside which others are new already: places in the list of what is new.
    pub(crate) fn put_beside(
        &mut self,
        mut new: IdVec<ConstraintId, NewRows>,
        others: &[u64],
        resident: u32,
        device: &mut dyn Device,
    ) -> Result<Duration> {
        let mut id = self.next_id() as u32;
        let mut delta = Vec::new();
        for table in self.tables.ids() {
            let (first, count) = (u64::from(self.tables[table].used), new[table].count as u64);
            delta.extend((first..first + count).map(|row| (table.index() as u64) << 32 | row));
            new[table].ids = (id..id + count as u32).collect();
            id += count as u32;
        }
        self.append_rows(&new, device)?;
        let ids = new.into_iter_enumerated().map(|(_, rows)| rows.ids).collect();
        self.enter(delta, &ids, others, resident, device)
    }

    /// Lets rounds start from constraints that were written, and from others.
    fn enter(
        &mut self,
        mut delta: Vec<u64>,
        ids: &Ids,
        others: &[u64],
        resident: u32,
        device: &mut dyn Device,
    ) -> Result<Duration> {
        let added = delta.len() as u64;
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
        let count = delta.len() as u32;
        delta.extend(others);
        self.reserve_delta(delta.len() as u64, device)?;
        device.upload(self.delta(), 0, bytemuck::cast_slice(&delta))?;
        self.state[self.words.new] = delta.len() as u64;
        self.state[self.words.next_id] += added;
        self.upload_counts(device)?;
        let kernel = device.kernel(self.host.enter.name())?;
        let params = self.params()?;
        let enter = Enter { p: &params, count };
        let args = self.host.enter.args(&enter);
        let timer = device.start_timer()?;
        device.launch(&Launch { kernel, grid: resident, block: BLOCK, args: &args, cooperative: true })?;
        let entered = device.stop_timer(timer)?;
        self.read_counts(device)?;
        Ok(reduced + entered)
    }

    /// Writes constraints behind those that are there. Says where each is, as in the list of what is new, and their ids
    /// by table.
    pub(crate) fn append(
        &mut self,
        batch: &Batch,
        first_id: u64,
        device: &mut dyn Device,
    ) -> Result<(Vec<u64>, Ids)> {
        let mut delta = Vec::with_capacity(batch.len());
        let mut new = self.no_rows();
        let mut ids = (first_id..).map(|id| id as u32);
        for (table, rows) in batch.runs() {
            let used = u64::from(self.tables[table].used);
            let places = rows.start as u64 + used..rows.end as u64 + used;
            delta.extend(places.map(|row| (table.index() as u64) << 32 | row));
            new[table].ids.extend(ids.by_ref().take(rows.len()));
        }
        for table in self.tables.ids().filter(|&table| batch.count(table) > 0) {
            new[table].count = batch.count(table);
            new[table].columns = batch.columns(table).to_vec();
        }
        self.append_rows(&new, device)?;
        Ok((delta, new.into_iter_enumerated().map(|(_, rows)| rows.ids).collect()))
    }

    /// No rows for any table.
    pub(crate) fn no_rows(&self) -> IdVec<ConstraintId, NewRows> {
        let columns = |of: usize| NewRows { columns: vec![Vec::new(); of], ..NewRows::default() };
        self.layout.tables.iter().map(|table| columns(table.columns.len())).collect()
    }

    /// Places of what is new: the table in the upper half, the row in the lower one.
    pub(crate) fn new_entries(&self, device: &mut dyn Device) -> Result<Vec<u64>> {
        device.download_vec(self.delta(), self.state[self.words.new] as usize)
    }

    /// The columns and ids of some rows.
    pub(crate) fn rows_of_range(
        &self,
        table: ConstraintId,
        rows: Range<u32>,
        device: &mut dyn Device,
    ) -> Result<(Vec<Vec<u64>>, Vec<u32>)> {
        let (first, count) = (u64::from(rows.start), rows.len());
        let (mut columns, mut ids) = (Vec::new(), vec![0u32; count]);
        for &(part, value) in &self.tables[table].parts {
            let Value::Buffer(buffer) = value else { continue };
            match part {
                Part::Column(_) => {
                    let mut column = vec![0u64; count];
                    device.download(buffer, 8 * first, bytemuck::cast_slice_mut(&mut column))?;
                    columns.push(column);
                }
                Part::Ids => device.download(buffer, 4 * first, bytemuck::cast_slice_mut(&mut ids))?,
                _ => {}
            }
        }
        Ok((columns, ids))
    }

    /// Takes all of some tables out of the list of what is new; of a list of at least `long` entries what is dead, too.
    pub(crate) fn thin_out(
        &mut self,
        emptied: &[ConstraintId],
        (long, resident): (u64, u32),
        device: &mut dyn Device,
    ) -> Result<()> {
        let count = self.state[self.words.new];
        if count == 0 {
            return Ok(());
        }
        if count < long {
            let is_left = |entry: &u64| !emptied.iter().any(|table| table.index() as u64 == entry >> 32);
            let left: Vec<u64> = self.new_entries(device)?.into_iter().filter(is_left).collect();
            device.upload(self.delta(), 0, bytemuck::cast_slice(&left))?;
            self.state[self.words.new] = left.len() as u64;
            return self.upload_counts(device);
        }
        let is_emptied: Vec<u32> =
            self.tables.ids().map(|table| u32::from(emptied.contains(&table))).collect();
        let is_emptied = device.upload_new(&is_emptied)?;
        let (keep, map) = (device.alloc(4 * count)?, device.alloc(4 * (count + 1))?);
        let left = device.alloc(8 * count)?;
        let host = Arc::clone(&self.host);
        let kernel = device.kernel(host.thin_out.name())?;
        let params = self.params()?;
        let thin_out = ThinOut { p: &params, count: count as u32, emptied: is_emptied, keep, map, left };
        let grid = device.resident_blocks(kernel, BLOCK)?.min(resident);
        let args = host.thin_out.args(&thin_out);
        device.launch(&Launch { kernel, grid, block: BLOCK, args: &args, cooperative: true })?;
        let mut kept = [0u32];
        device.download(map, 4 * count, bytemuck::cast_slice_mut(&mut kept))?;
        device.copy(left, self.delta(), 8 * u64::from(kept[0]))?;
        [is_emptied, keep, map, left].into_iter().try_for_each(|buffer| device.free(buffer))?;
        self.state[self.words.new] = u64::from(kept[0]);
        self.upload_counts(device)
    }

    /// The rows of a table that live, which it has no more then. It is one in which no rule looks for constraints, and
    /// of which nothing is new. Of at least `long` rows, only those come here that live.
    pub(crate) fn take_rows(
        &mut self,
        table: ConstraintId,
        long: u64,
        device: &mut dyn Device,
    ) -> Result<(Vec<Vec<u64>>, Vec<u32>)> {
        let Table { used, dead, capacity, .. } = self.tables[table];
        if dead > used / 4 && u64::from(used) >= long {
            self.move_table(table, capacity, device)?;
        }
        let used = self.tables[table].used;
        let (columns, ids) = self.rows_of_range(table, 0..used, device)?;
        let rows = (0..used).filter(|&row| ids[row as usize] != NO_ID).collect();
        (self.tables[table].used, self.tables[table].dead) = (0, 0);
        self.clear_indexes(table, device)?;
        self.upload_counts(device)?;
        Ok((columns, rows))
    }

    fn append_rows(&mut self, new: &IdVec<ConstraintId, NewRows>, device: &mut dyn Device) -> Result<()> {
        for (table, rows) in new.iter_enumerated() {
            let used = u64::from(self.tables[table].used);
            for &(part, value) in &self.tables[table].parts {
                let Value::Buffer(buffer) = value else { continue };
                match part {
                    Part::Column(c) => {
                        device.upload(buffer, 8 * used, bytemuck::cast_slice(&rows.columns[c]))?;
                    }
                    Part::Ids => device.upload(buffer, 4 * used, bytemuck::cast_slice(&rows.ids))?,
                    _ => {}
                }
            }
            let before = self.tables[table].used;
            self.tables[table].used += rows.ids.len() as u32;
            self.fresh[table] = before..self.tables[table].used;
        }
        Ok(())
    }

    /// Drops all new rows of a table of which one constraint stays but the best of them; says which that is. `None`
    /// when there is but one.
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
        self.state[self.words.fired] += u64::from(rows - 1);
        Ok(Some(survivor))
    }
}
