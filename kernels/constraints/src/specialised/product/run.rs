//! Monotone replacements that are products of matrices (`product.cu`): values in a square array, rounds as products
//! over (min, +).
//!
//! **Invariant:** every key has one constraint, keys are small and not negative, values are so small that no sum
//! overflows. A store that is not like that is left to the general rounds, also when it ceases to be in the middle: the
//! tables still hold the values from before.

use std::sync::Arc;

use gchr_base::rule::RuleId;

use super::WIDTHS;
use crate::contract::BLOCK;
use crate::contract::{Gather, Offer, ProductRounds, Spread};
use crate::layout::{MinPlusTable, Part, number};
use crate::specialised::fast_path::{FastPath, FastPathEnd, FastPathStep, Launcher};
use crate::specialised::range::ranges;
use crate::tables::{Grown, Tables};
use gchr_kernel::device::{BufferId, Device, DeviceExt, KernelId, Launch, Result};
use gchr_kernel::ir::Scalar;
use gchr_runtime::outcome::Failure;

/// Keys below this are always worth an array; else a 64th of its places must be used.
const SMALL: u64 = 256;

/// A table as a matrix.
pub(crate) struct Product {
    square: MinPlusTable,
    /// The instance of the template for the values.
    of_width: usize,
    width: u64,
    kernel: KernelId,
    gather: KernelId,
    grid: u32,
    /// Values before and after a round; the flags of their tiles.
    cells: [BufferId; 2],
    flags: [BufferId; 2],
    places: BufferId,
    control: BufferId,
    sum: BufferId,
    bytes: u64,
    /// Whether the values are in the second array.
    swapped: bool,
}

impl Product {
    /// Takes the values of the table; `None` when they do not fit.
    pub fn start(
        tables: &Tables,
        square: MinPlusTable,
        memory: u64,
        device: &mut dyn Device,
    ) -> Result<Option<Box<Self>>> {
        let table = &tables.tables[square.table];
        let live = u64::from(table.used - table.dead);
        let columns: Vec<_> = square.columns.iter().map(|&c| (square.table, c)).collect();
        let found = ranges(tables, &columns, device)?;
        let &[(least_row, row), (least_column, column), (least, greatest)] = &found[..] else {
            return Ok(None);
        };
        let Ok(width) = u64::try_from(i128::from(row.max(column)) + 1) else { return Ok(None) };
        let cells = u128::from(width) * u128::from(width);
        let dense = width <= SMALL || cells / 64 <= u128::from(live) + 1;
        let most = least.unsigned_abs().max(greatest.unsigned_abs());
        let Some((prefix, scalar, absent, _)) = WIDTHS.into_iter().find(|w| most < w.3) else {
            return Ok(None);
        };
        if live == 0 || least_row < 0 || least_column < 0 || !dense || cells > 1 << 34 {
            return Ok(None);
        }
        let (cells, size) = (cells as u64, if scalar == Scalar::I32 { 4 } else { 8 });
        let host = Arc::clone(&tables.host);
        let Some(of_width) = host.products.iter().position(|(name, _)| *name == prefix) else {
            return Ok(None);
        };
        let (_, layouts) = &host.products[of_width];
        let tiles = width.div_ceil(u64::from(layouts.words.tile)).pow(2);
        let bytes = cells * (2 * size + 4) + 8 * tiles;
        if tables.bytes() + bytes > memory {
            return Ok(None);
        }
        let kernel = device.kernel(layouts.rounds.name())?;
        let grid = u64::from(device.resident_blocks(kernel, BLOCK)?).min(tiles) as u32;
        let product = Self {
            square,
            width,
            kernel,
            gather: device.kernel(layouts.gather.name())?,
            of_width,
            grid,
            cells: [device.alloc(size * cells)?, device.alloc(size * cells)?],
            flags: [device.alloc(4 * tiles)?, device.alloc(4 * tiles)?],
            places: device.alloc(4 * cells)?,
            control: device.upload_new(&vec![0u32; layouts.words.product_control as usize])?,
            sum: device.upload_new(&[0u64])?,
            bytes,
            swapped: false,
        };
        device.fill(product.cells[0], 0, size * cells, absent)?;
        device.fill(product.places, 0, 4 * cells, 0xff)?;
        device.fill(product.flags[0], 0, 4 * tiles, 0xff)?;
        product.spread(tables, device)?;
        Ok(Some(Box::new(product)))
    }

    /// Brings the values of the table's rows to their cells.
    fn spread(&self, tables: &Tables, device: &mut dyn Device) -> Result<()> {
        let square = &self.square;
        let (_, layouts) = &tables.host.products[self.of_width];
        let table = &tables.tables[square.table];
        let spread = device.kernel(layouts.spread.name())?;
        let [rows, columns, values] = square.columns.map(|c| tables.buffer(square.table, Part::Column(c)));
        let arguments = Spread {
            row_keys: rows,
            column_keys: columns,
            values,
            ids: tables.buffer(square.table, Part::Ids),
            rows: table.used,
            width: self.width as u32,
            greatest: square.greatest,
            cells: self.cells[0],
            places: self.places,
            control: self.control,
        };
        let args = layouts.spread.args(&arguments);
        let grid = table.used.div_ceil(BLOCK).min(1 << 16);
        device.launch(&Launch { kernel: spread, grid, block: BLOCK, args: &args, cooperative: false })
    }

    /// Does the part of the next round that finds better values, and leaves them with the rows; says whether it could.
    /// The launch of general rounds that follows does the rest of the round, or forgets them again.
    pub fn offer(
        mut self: Box<Self>,
        tables: &mut Tables,
        with: Launcher<'_, '_>,
    ) -> std::result::Result<bool, Failure> {
        let Launcher { slices, device, control, progress } = with;
        let step = self.launch(tables, 1, Launcher { slices, device: &mut *device, control, progress });
        if let Ok(FastPathStep { ended: FastPathEnd::Paused, .. }) = step {
            self.leave_with_rows(tables, device)?;
        }
        if !matches!(step, Err(Failure::Device(_))) {
            self.end(tables, false, device)?;
        }
        Ok(step?.ended != FastPathEnd::Unfit)
    }

    /// Leaves what the last round made better with the rows, and lists them.
    fn leave_with_rows(&self, tables: &Tables, device: &mut dyn Device) -> Result<()> {
        let [a, b] = self.cells;
        let [before, after] = if self.swapped { [a, b] } else { [b, a] };
        let count = self.width * self.width;
        let words = tables.host.control;
        let arguments = Offer {
            before,
            after,
            places: self.places,
            count,
            greatest: self.square.greatest,
            table: number(self.square.table),
            better: tables.buffer(self.square.table, Part::Better),
            touched: tables.lists.touched,
            control: tables.fixed.control,
            found: (words.flags + words.touched) as u32,
        };
        let layout = &tables.host.products[self.of_width].1.offer;
        let args = layout.args(&arguments);
        let kernel = device.kernel(layout.name())?;
        let grid = count.div_ceil(u64::from(BLOCK)).min(1 << 16) as u32;
        device.launch(&Launch { kernel, grid, block: BLOCK, args: &args, cooperative: false })
    }
}

impl FastPath for Product {
    fn knows_its_end(&self) -> bool {
        // The product after the last change says that there was none.
        false
    }
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn rule(&self) -> Option<RuleId> {
        Some(self.square.rule)
    }

    fn launch(
        &mut self,
        tables: &mut Tables,
        slice: u32,
        with: Launcher<'_, '_>,
    ) -> std::result::Result<FastPathStep, Failure> {
        let [now, next] = if self.swapped { [1, 0] } else { [0, 1] };
        let (_, layouts) = &tables.host.products[self.of_width];
        let f = layouts.words;
        let arguments = ProductRounds {
            cells_a: self.cells[now],
            cells_b: self.cells[next],
            places: self.places,
            flags_a: self.flags[now],
            flags_b: self.flags[next],
            width: self.width as u32,
            slice,
            control: self.control,
            state: self.sum,
            arrivals: tables.fixed.arrivals,
        };
        let args = layouts.rounds.args(&arguments);
        let launch =
            Launch { kernel: self.kernel, grid: self.grid, block: BLOCK, args: &args, cooperative: true };
        let Launcher { slices, device, control, progress } = with;
        slices.launch("product", &launch, device, control, progress)?;
        let words: Vec<u32> = device.download_vec(self.control, f.product_control as usize)?;
        let sums: Vec<u64> = device.download_vec(self.sum, 1)?;
        device.upload(self.control, 0, bytemuck::cast_slice(&vec![0u32; f.product_control as usize]))?;
        device.upload(self.sum, 0, bytemuck::cast_slice(&[0u64]))?;
        let rounds = words[f.done_rounds as usize];
        self.swapped ^= rounds % 2 == 1;
        let ended = match words[f.stopped as usize] {
            _ if words[f.unfit as usize] != 0 => FastPathEnd::Unfit,
            why if why == f.at_end => FastPathEnd::Done,
            why if why == f.at_pause => FastPathEnd::Paused,
            _ => FastPathEnd::Unfit,
        };
        Ok(FastPathStep { ended, rounds: u64::from(rounds), fired: sums[0] })
    }

    fn grow(&mut self, _: &mut Tables, _: u64, _: &mut dyn Device) -> Result<Grown> {
        Ok(Grown::Yes)
    }

    fn end(self: Box<Self>, tables: &mut Tables, wanted: bool, device: &mut dyn Device) -> Result<()> {
        if wanted {
            let count = self.width * self.width;
            let arguments = Gather {
                cells: self.cells[usize::from(self.swapped)],
                places: self.places,
                count,
                greatest: self.square.greatest,
                values: tables.buffer(self.square.table, Part::Column(self.square.columns[2])),
            };
            let args = tables.host.products[self.of_width].1.gather.args(&arguments);
            let grid = count.div_ceil(u64::from(BLOCK)).min(1 << 16) as u32;
            let launch = Launch { kernel: self.gather, grid, block: BLOCK, args: &args, cooperative: false };
            device.launch(&launch)?;
            tables.forget_new(device)?;
        }
        let [a, b] = self.cells;
        let [c, d] = self.flags;
        [a, b, c, d, self.places, self.control, self.sum]
            .into_iter()
            .try_for_each(|buffer| device.free(buffer))
    }
}
