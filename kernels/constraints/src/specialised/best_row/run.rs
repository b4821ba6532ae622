//! Finds the best of new rows on the device.

use gchr_base::signature::{ConstraintId, SortKind};
use gchr_constraints::class::{Best, BestOrder};

use crate::contract::{BLOCK, FindBestRow};
use crate::layout::Part;
use crate::tables::Tables;
use gchr_kernel::device::{Device, DeviceExt, Launch, Result};

impl Tables {
    /// The best of so many rows from `first` on.
    pub(crate) fn best_row(
        &self,
        table: ConstraintId,
        best: Best,
        first: u32,
        rows: u32,
        device: &mut dyn Device,
    ) -> Result<u32> {
        let Some(layout) = &self.host.best_row else { return Ok(first) };
        let kernel = device.kernel(layout.name())?;
        let grid = rows.div_ceil(BLOCK).min(device.resident_blocks(kernel, BLOCK)?);
        let words = device.alloc(8 * u64::from(grid))?;
        let found = device.alloc(4 * u64::from(grid))?;
        let floats = u32::from(self.layout.tables[table].columns[best.column] == SortKind::Float);
        let order = floats | u32::from(best.order == BestOrder::Greatest) << 1;
        let column = self.buffer(table, Part::Column(best.column));
        let arguments = FindBestRow { column, first, rows, order, words, found };
        let args = layout.args(&arguments);
        device.launch(&Launch { kernel, grid, block: BLOCK, args: &args, cooperative: false })?;
        let merits: Vec<u64> = device.download_vec(words, grid as usize)?;
        let at: Vec<u32> = device.download_vec(found, grid as usize)?;
        device.free(words)?;
        device.free(found)?;
        Ok(merits.into_iter().zip(at).min().map_or(first, |(_, row)| row))
    }
}
