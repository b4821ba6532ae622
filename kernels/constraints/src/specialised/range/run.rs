//! Finds the ranges of columns on the device.

use gchr_base::signature::ConstraintId;

use crate::contract::{BLOCK, ColumnRange};
use crate::layout::Part;
use crate::tables::Tables;
use gchr_kernel::device::{Device, DeviceExt, Launch, Result};

/// The range of a column without values.
const EMPTY: (i64, i64) = (i64::MAX, i64::MIN);

/// Least and greatest value of columns of integers; for a table without constraints the other way round.
pub(crate) fn ranges(
    tables: &Tables,
    columns: &[(ConstraintId, usize)],
    device: &mut dyn Device,
) -> Result<Vec<(i64, i64)>> {
    let Some(layout) = &tables.host.column_range else { return Ok(vec![EMPTY; columns.len()]) };
    let kernel = device.kernel(layout.name())?;
    let found = device.upload_new(&[EMPTY.0, EMPTY.1].repeat(columns.len().max(1)))?;
    for (at, &(table, column)) in columns.iter().enumerate() {
        let used = tables.tables[table].used;
        let arguments = ColumnRange {
            column: tables.buffer(table, Part::Column(column)),
            ids: tables.buffer(table, Part::Ids),
            rows: used,
            range: found,
            at: 2 * at as u32,
        };
        let args = layout.args(&arguments);
        let grid = used.div_ceil(BLOCK).clamp(1, 1 << 10);
        device.launch(&Launch { kernel, grid, block: BLOCK, args: &args, cooperative: false })?;
    }
    let words: Vec<i64> = device.download_vec(found, 2 * columns.len())?;
    device.free(found)?;
    Ok(words.chunks_exact(2).map(|range| (range[0], range[1])).collect())
}
