//! Tables that only grow (`monotone.cu`): sets have a bit a key, what rules add goes straight behind the rows in use.
//!
//! The values that columns can take follow from those in the store, as rules copy them; a rule that computes one leaves
//! the batch to the general rounds. While tables grow, their columns and ids do, and the indexes in which rules look
//! for what is added; all others are built anew when something else needs them.

use std::collections::BTreeMap;
use std::sync::Arc;

use gchr_base::ids::{Id, IdVec};
use gchr_base::rule::{Const, Expr, ExprKind, GoalKind, RuleId};
use gchr_base::signature::{ConstraintId, SortKind};
use gchr_constraints::class::Monotone;
use gchr_constraints::plan::Step as Match;

use crate::contract::BLOCK;
use crate::contract::{LinkRows, MonotoneRounds, NO_ID, RememberRows};
use crate::job::Job;
use crate::layout::Part;
use crate::specialised::fast_path::{FastPath, FastPathEnd, FastPathStep, Launcher};
use crate::specialised::range::ranges;
use crate::tables::buffers::Table;
use crate::tables::{Grown, MOST, Tables};
use gchr_kernel::device::{Arg, BufferId, Device, DeviceExt, KernelId, Launch, Result, Value};
use gchr_runtime::outcome::Failure;

/// A table starts with room for so many rows a constraint that is there.
const ROWS_EACH: u64 = 512;

/// Least and greatest value by column.
type Ranges = BTreeMap<(ConstraintId, usize), (i64, i64)>;

/// A batch that only adds.
pub(crate) struct MonotoneRun {
    kernel: KernelId,
    grid: u32,
    monotone: Monotone,
    /// The most rows that a table can get to have.
    most: IdVec<ConstraintId, u64>,
    bits: Vec<(ConstraintId, BufferId, u64)>,
    spans: BufferId,
    counts: BufferId,
    firings: BufferId,
    control: BufferId,
    /// Rows in use with what a round had no room for.
    wanted: Vec<u64>,
    /// Rows at the start.
    first: Vec<u32>,
}

impl MonotoneRun {
    /// Prepares the tables; `None` when the batch is not one that only adds, or bits would take too much memory.
    pub fn start(
        tables: &mut Tables,
        job: &Job<'_>,
        memory: u64,
        device: &mut dyn Device,
    ) -> Result<Option<Box<Self>>> {
        let Some(monotone) = tables.layout.monotone.clone() else { return Ok(None) };
        let is_monotone = |t: ConstraintId| monotone.is_monotone(t);
        if tables.fresh.iter_enumerated().any(|(t, rows)| !rows.is_empty() && !is_monotone(t)) {
            return Ok(None);
        }
        let Some(ranges) = value_ranges(tables, job, &monotone, device)? else { return Ok(None) };
        let mut sets = Vec::new();
        for table in monotone.added_tables().filter(|&t| job.plan.classes.reduction_of(t).is_some()) {
            let Some((spans, bits)) = key_spans(tables, table, &ranges, memory) else { return Ok(None) };
            sets.push((table, spans, bits));
        }
        let all = tables.tables.len();
        let Some(host) = &tables.host.monotone else { return Ok(None) };
        let (kernel, words) = (device.kernel(host.rounds.name())?, host.words);
        let mut spans = vec![0u32; all * words.spans as usize];
        for (rows, span) in tables.fresh.iter().zip(spans.chunks_exact_mut(words.spans as usize)) {
            (span[words.span_begin as usize], span[words.span_end as usize]) = (rows.start, rows.end);
        }
        let first: Vec<u32> = tables.tables.iter().map(|t| t.used).collect();
        let mut started = Self {
            kernel,
            grid: device.resident_blocks(kernel, BLOCK)?,
            most: tables.tables.iter().map(|_| MOST).collect(),
            bits: Vec::new(),
            spans: device.upload_new(&spans)?,
            counts: device.alloc(4 * 3 * (all as u64 + 1))?,
            firings: device.upload_new(&[0u64])?,
            control: device.upload_new(&vec![0u32; words.monotone_control as usize])?,
            first,
            wanted: vec![0; all],
            monotone,
        };
        for (table, spans, bits) in sets {
            started.most[table] = (bits + u64::from(tables.tables[table].used)).min(MOST);
            started.set_bits(tables, table, &spans, bits, device)?;
        }
        let bias = |t: &Table| (tables.state[tables.words.next_id] as u32).wrapping_sub(t.used);
        let biases: Vec<u32> = tables.tables.iter().map(bias).collect();
        for table in started.monotone.added_tables() {
            tables.set(table, Part::Bias, Value::U32(biases[table.index()]));
        }
        let there: u64 = started.first.iter().map(|&used| u64::from(used)).sum();
        for table in started.monotone.added_tables().collect::<Vec<_>>() {
            let each = tables.row_bytes(table);
            let wanted = (ROWS_EACH * there.max(u64::from(tables.rows))).min(memory / 16 / each);
            let rows = started.clamped(tables, table, wanted);
            if rows > u64::from(tables.tables[table].capacity) {
                grow_table(tables, table, rows as u32, device)?;
            }
        }
        tables.upload_counts(device)?;
        Ok(Some(Box::new(started)))
    }

    /// Gives a set its bits, those of the constraints that are there being set.
    fn set_bits(
        &mut self,
        tables: &mut Tables,
        table: ConstraintId,
        spans: &[(i64, u64)],
        bits: u64,
        device: &mut dyn Device,
    ) -> Result<()> {
        let bytes = bits.div_ceil(32) * 4;
        let buffer = device.alloc(bytes)?;
        device.fill(buffer, 0, bytes, 0)?;
        let none = tables.set(table, Part::Bits, Value::Buffer(buffer));
        if let Some(Value::Buffer(none)) = none {
            device.free(none)?;
        }
        for (column, &(low, span)) in spans.iter().enumerate() {
            tables.set(table, Part::Low(column), Value::U64(low as u64));
            tables.set(table, Part::Span(column), Value::U64(span));
        }
        self.bits.push((table, buffer, bytes));
        let used = tables.tables[table].used;
        if used == 0 {
            return Ok(());
        }
        let Some(host) = &tables.host.monotone else { return Ok(()) };
        let params = tables.params()?;
        let ids = tables.buffer(table, Part::Ids);
        let remember = RememberRows { p: &params, table: table.index() as u32, ids, rows: used };
        launch_over(used, host.remember_rows.name(), &host.remember_rows.args(&remember), device)
    }

    /// Rows that a table is to have, when so many are wanted: no more than it can get, or there are ids for.
    fn clamped(&self, tables: &Tables, table: ConstraintId, wanted: u64) -> u64 {
        let ids =
            u64::from(NO_ID) - tables.state[tables.words.next_id] + u64::from(self.first[table.index()]);
        wanted.min(self.most[table]).min(ids)
    }
}

/// Gives a table room for more rows, and indexes that are kept up to date as many places.
fn grow_table(tables: &mut Tables, table: ConstraintId, rows: u32, device: &mut dyn Device) -> Result<()> {
    tables.grow_columns(table, rows, device)?;
    let used = tables.tables[table].used;
    let host = Arc::clone(&tables.host);
    let Some(host) = host.monotone.as_ref().filter(|_| tables.is_linked(table)) else { return Ok(()) };
    tables.empty_indexes(table, rows, device)?;
    if used == 0 {
        return Ok(());
    }
    let params = tables.params()?;
    let link = LinkRows { p: &params, table: table.index() as u32, rows: used };
    launch_over(used, host.link_rows.name(), &host.link_rows.args(&link), device)
}

/// Launches a kernel that goes through so many rows.
fn launch_over(rows: u32, kernel: &str, args: &[Arg<'_>], device: &mut dyn Device) -> Result<()> {
    let kernel = device.kernel(kernel)?;
    let grid = rows.div_ceil(BLOCK).min(1 << 16);
    device.launch(&Launch { kernel, grid, block: BLOCK, args, cooperative: false })
}

/// The ranges of all integer columns of monotone tables: of the values that are there and of those that rules can put
/// there. `None` when a rule computes a value.
fn value_ranges(
    tables: &Tables,
    job: &Job<'_>,
    monotone: &Monotone,
    device: &mut dyn Device,
) -> Result<Option<Ranges>> {
    let is_int = |t: ConstraintId, c: usize| job.plan.tables[t].columns[c].kind == SortKind::Int;
    let filled = tables.tables.ids().filter(|&t| monotone.is_monotone(t) && tables.tables[t].used > 0);
    let columns: Vec<(ConstraintId, usize)> = filled
        .flat_map(|t| (0..job.plan.tables[t].columns.len()).map(move |c| (t, c)))
        .filter(|&(t, c)| is_int(t, c))
        .collect();
    let found = ranges(tables, &columns, device)?;
    let mut all: Ranges =
        columns.into_iter().zip(found).filter(|(_, (least, greatest))| least <= greatest).collect();
    let Some(copies) = copies(job, monotone) else { return Ok(None) };
    loop {
        let mut changed = false;
        for (to, from) in &copies {
            let range = match from {
                Source::Column(column) => all.get(column).copied(),
                Source::Value(n) => Some((*n, *n)),
            };
            let Some((least, greatest)) = range else { continue };
            let own = all.entry(*to).or_insert((least, greatest));
            let wider = (own.0.min(least), own.1.max(greatest));
            changed |= wider != *own || range == Some(wider) && own.0 > own.1;
            *own = wider;
        }
        if !changed {
            return Ok(Some(all));
        }
    }
}

/// Where a value comes from that a rule puts into a column.
enum Source {
    Column((ConstraintId, usize)),
    Value(i64),
}

/// What rules copy into the columns of sets; `None` when one computes it.
fn copies(job: &Job<'_>, monotone: &Monotone) -> Option<Vec<((ConstraintId, usize), Source)>> {
    let mut copies = Vec::new();
    let mut seen: Vec<RuleId> = Vec::new();
    for occurrence in monotone.occurrences(job.plan) {
        if seen.contains(&occurrence.rule) {
            continue;
        }
        seen.push(occurrence.rule);
        let heads = &job.plan.rules[occurrence.rule].heads;
        let joins = occurrence.joins.iter().flat_map(|j| &j.steps);
        let steps: Vec<&Match> = occurrence.entry.iter().chain(joins).chain(&occurrence.commit).collect();
        let source = |arg: &Expr| match &arg.kind {
            ExprKind::Const(Const::Int(n)) => Some(Source::Value(*n)),
            ExprKind::Var(v) => steps.iter().find_map(|step| match step {
                Match::Load { slot, head, column } if slot.0 == v.0 => {
                    Some(Source::Column((heads[*head].constraint, *column)))
                }
                _ => None,
            }),
            _ => None,
        };
        for goal in &job.plan.rules[occurrence.rule].body {
            let GoalKind::Add { constraint, args } = &goal.kind else { continue };
            if job.plan.classes.reduction_of(*constraint).is_none() {
                continue;
            }
            for (column, arg) in args.iter().enumerate() {
                copies.push(((*constraint, column), source(arg)?));
            }
        }
    }
    Some(copies)
}

/// Least value and number of values of each column of a set, and the number of keys; `None` when bits would take too
/// much memory.
fn key_spans(
    tables: &Tables,
    table: ConstraintId,
    ranges: &Ranges,
    memory: u64,
) -> Option<(Vec<(i64, u64)>, u64)> {
    let columns = tables.layout.tables[table].columns.len();
    let mut spans = Vec::with_capacity(columns);
    let mut bits = 1u128;
    for column in 0..columns {
        // A column that nothing can come to has no values.
        let (least, greatest) = ranges.get(&(table, column)).copied().unwrap_or((0, 0));
        let span = (i128::from(greatest) - i128::from(least) + 1) as u128;
        bits = bits.checked_mul(span)?;
        spans.push((least, u64::try_from(span).ok()?));
    }
    let most = u128::from(memory / 8) * 8;
    (bits <= most).then_some((spans, bits as u64))
}

impl FastPath for MonotoneRun {
    fn knows_its_end(&self) -> bool {
        true
    }
    fn bytes(&self) -> u64 {
        self.bits.iter().map(|(_, _, bytes)| bytes).sum()
    }

    fn rule(&self) -> Option<RuleId> {
        None
    }

    fn launch(
        &mut self,
        tables: &mut Tables,
        slice: u32,
        with: Launcher<'_, '_>,
    ) -> std::result::Result<FastPathStep, Failure> {
        let all = tables.tables.len();
        let Launcher { slices, device, control, progress } = with;
        device.fill(self.counts, 0, 4 * 3 * (all as u64 + 1), 0)?;
        let host = Arc::clone(&tables.host);
        let Some(host) = &host.monotone else {
            return Ok(FastPathStep { ended: FastPathEnd::Unfit, rounds: 0, fired: 0 });
        };
        let f = host.words;
        let params = tables.params()?;
        let monotone = MonotoneRounds {
            p: &params,
            capacity: tables.fixed.capacity,
            spans: self.spans,
            counts: self.counts,
            firings: self.firings,
            control: self.control,
            arrivals: tables.fixed.arrivals,
            slice,
        };
        let args = host.rounds.args(&monotone);
        let launch =
            Launch { kernel: self.kernel, grid: self.grid, block: BLOCK, args: &args, cooperative: true };
        slices.launch("monotone", &launch, device, control, progress)?;
        let spans: Vec<u32> = device.download_vec(self.spans, f.spans as usize * all)?;
        let words: Vec<u32> = device.download_vec(self.control, f.monotone_control as usize)?;
        let firings: Vec<u64> = device.download_vec(self.firings, 1)?;
        device.upload(self.firings, 0, bytemuck::cast_slice(&[0u64]))?;
        for (t, span) in spans.chunks_exact(f.spans as usize).enumerate() {
            if self.monotone.is_added(ConstraintId::from_index(t)) {
                tables.tables[ConstraintId::from_index(t)].used = span[f.span_end as usize];
                let more = span[f.span_wanted as usize];
                self.wanted[t] = u64::from(span[f.span_end as usize]) + u64::from(more);
            }
        }
        let ended = match words[f.ended as usize] {
            why if why == f.nothing_new => FastPathEnd::Done,
            why if why == f.at_slice => FastPathEnd::Paused,
            _ => FastPathEnd::NoRoom,
        };
        let rounds = u64::from(words[f.rounds_done as usize]);
        Ok(FastPathStep { ended, rounds, fired: firings[0] })
    }

    fn grow(&mut self, tables: &mut Tables, memory: u64, device: &mut dyn Device) -> Result<Grown> {
        for table in self.monotone.added_tables().collect::<Vec<_>>() {
            let capacity = u64::from(tables.tables[table].capacity);
            let wanted = self.wanted[table.index()];
            if wanted <= capacity {
                continue;
            }
            let each = tables.row_bytes(table);
            let larger = match capacity * each {
                bytes if bytes <= memory / 128 => capacity * 8,
                bytes if bytes <= memory / 32 => capacity * 2,
                _ => capacity + capacity / 2,
            };
            let least = self.clamped(tables, table, wanted);
            if least < wanted.min(self.most[table]) || least <= capacity {
                return Ok(Grown::NoNumbers(tables.rows_of(table)));
            }
            let fits =
                |rows: u64| tables.bytes() + self.bytes() + (rows - capacity) * each + 8 * capacity <= memory;
            let rows = self.clamped(tables, table, larger.max(wanted + wanted / 4));
            let Some(rows) = [rows, least].into_iter().find(|&rows| fits(rows)) else {
                return Ok(Grown::NoMemory(tables.rows_of(table)));
            };
            grow_table(tables, table, rows as u32, device)?;
        }
        tables.upload_counts(device)?;
        Ok(Grown::Yes)
    }

    fn end(self: Box<Self>, tables: &mut Tables, wanted: bool, device: &mut dyn Device) -> Result<()> {
        for &(table, _, _) in &self.bits {
            let none = device.alloc(4)?;
            if let Some(Value::Buffer(bits)) = tables.set(table, Part::Bits, Value::Buffer(none)) {
                device.free(bits)?;
            }
        }
        if wanted {
            let mut added = 0;
            for table in self.monotone.added_tables() {
                let more = tables.tables[table].used - self.first[table.index()];
                added = added.max(u64::from(more));
                tables.tables[table].stale |= more > 0;
            }
            tables.state[tables.words.next_id] += added;
            tables.forget_new(device)?;
        }
        [self.spans, self.counts, self.firings, self.control].into_iter().try_for_each(|b| device.free(b))
    }
}
