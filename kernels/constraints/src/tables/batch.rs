//! Batches: constraints that are added at once, and the one of them that stays where a table keeps the best of all.

use std::time::Duration;

use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::ConstraintId;

use super::{BLOCK, Part, Tables};
use crate::contract::Enter;
use crate::start::Batch;
use gchr_constraints::exec::Words;
use gchr_kernel::device::{Device, Launch, Result, Value};

/// Ids of constraints, by symbol.
type Ids = IdVec<ConstraintId, Vec<u32>>;

impl Tables {
    /// Adds constraints behind those that are there.
    /// Says how long the device took to reduce them and to enter them into the indexes.
    pub(crate) fn put(&mut self, batch: &Batch, resident: u32, device: &mut dyn Device) -> Result<Duration> {
        let first_id = self.next_id();
        let (mut delta, ids) = self.append(batch, first_id, device)?;
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
        self.state[self.words.new] = delta.len() as u64;
        self.state[self.words.next_id] += batch.len() as u64;
        self.upload_counts(device)?;
        let kernel = device.kernel(self.host.enter.name())?;
        let params = self.params()?;
        let enter = Enter { p: &params, count: delta.len() as u32 };
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
        batch: &[Words],
        first_id: u64,
        device: &mut dyn Device,
    ) -> Result<(Vec<u64>, Ids)> {
        let mut delta = Vec::with_capacity(batch.len());
        let mut columns: IdVec<ConstraintId, Vec<Vec<u64>>> =
            self.layout.tables.iter().map(|t| vec![Vec::new(); t.columns.len()]).collect();
        let mut ids: Ids = self.tables.iter().map(|_| Vec::new()).collect();
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
        Ok((delta, ids))
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
