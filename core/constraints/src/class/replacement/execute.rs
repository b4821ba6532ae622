//! Monotone replacement: every constraint of a symbol takes the best value that some instance computes for it, all from
//! the values at the start of the round.
//!
//! Only instances with a constraint that is new, or whose value changed in the last round, can improve anything.

use super::matrix::{Better, Matrix};
use crate::class::{BestOrder, Replacement};
use crate::exec::added::Added;
use crate::exec::code::{Code, OccurrenceCode};
use crate::exec::common::Stop;
use crate::exec::round::Failure;
use crate::exec::round::bodies::{Adds, BodyEnd, is_of_program, load_active, run_body};
use crate::exec::round::state::RoundsState;
use crate::exec::round::strategy::{rank, row_of_head, table_of_head};
use crate::exec::round::watch::RoundWatch;
use crate::exec::search::{Search, Searched};
use crate::exec::step::{EvalCtx, Trap};
use crate::exec::table::Table;
use crate::ir::ChrPlan;
use gchr_base::error::StopReason;
use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::rule::RuleId;
use gchr_base::signature::SortKind;

/// The rules that replace values, and what they have to look at.
pub(crate) struct Replacements<'a> {
    plan: &'a ChrPlan,
    code: &'a Code,
    /// By table: occurrences of rules that replace, and the replacement.
    occurrences: Vec<Vec<(usize, &'a Replacement)>>,
    fresh: Vec<Added>,
    changed: Vec<Added>,
    /// By table: values as a matrix, while they fit one.
    matrices: Vec<Option<(Matrix, &'a Replacement)>>,
    /// Table and cells that take another value.
    cells: Vec<(u32, Vec<Better>)>,
    /// Table and row of each constraint that takes another value, with the value and the rule.
    better: HashMap<(u32, u32), (i64, RuleId)>,
    adds: Adds,
    /// Rows to try until the control is asked again.
    until_poll: u32,
}

/// Rows tried between two looks at the control.
const POLL_INTERVAL: u32 = 1 << 18;

impl<'a> Replacements<'a> {
    pub(crate) fn new(plan: &'a ChrPlan, code: &'a Code) -> Self {
        let by_rule: HashMap<RuleId, &Replacement> =
            plan.classes.replacements.iter().map(|r| (r.rule, r)).collect();
        let of = |occurrence: &OccurrenceCode| by_rule.get(&occurrence.rule).copied();
        let occurrences = code.activations.iter().map(|activation| {
            let own = activation.occurrences.iter().enumerate();
            own.filter_map(|(k, o)| of(o).map(|r| (k, r))).collect()
        });
        let mut matrices: Vec<Option<(Matrix, &Replacement)>> = plan.tables.iter().map(|_| None).collect();
        for replacement in plan.classes.replacements.iter().filter(|r| r.product.is_ok()).rev() {
            matrices[replacement.constraint.index()] = Some((Matrix::new(), replacement));
        }
        Self {
            plan,
            code,
            matrices,
            cells: Vec::new(),
            occurrences: occurrences.collect(),
            fresh: Vec::new(),
            changed: Vec::new(),
            better: HashMap::default(),
            adds: Adds::default(),
            until_poll: POLL_INTERVAL,
        }
    }

    /// Goes on with a store that earlier runs left. Values of tables that hold something are joined row by row: a
    /// matrix would have to compute all of them again.
    pub(crate) fn go_on(&mut self, tables: &[Table]) {
        let matrices = self.matrices.iter_mut().zip(tables);
        matrices.filter(|(_, table)| table.live() > 0).for_each(|(matrix, _)| *matrix = None);
    }

    /// Table and row of each constraint whose value the last round has replaced, before what it has added is
    /// [noted](Self::note).
    pub(crate) fn replaced(&self) -> Vec<(u32, u32)> {
        let of_lists = self.changed.iter().map(|added| (added.table, added.row));
        let of_matrices =
            (0..).zip(&self.matrices).filter_map(|(table, matrix)| Some((table, matrix.as_ref()?)));
        of_lists
            .chain(of_matrices.flat_map(|(table, (m, _))| m.changed_rows().map(move |row| (table, row))))
            .collect()
    }

    /// Goes on between two rounds of an earlier run: with its store, in which ids from `mark` on are still to be
    /// [noted](Self::note), and what was [replaced](Self::replaced).
    pub(crate) fn resume(&mut self, tables: &[Table], mark: u64, replaced: Vec<Added>) {
        for (stored, matrix) in tables.iter().zip(&mut self.matrices) {
            let Some((values, replacement)) = matrix else { continue };
            let Ok(product) = &replacement.product else { continue };
            let mut old = stored.rows().filter(|&row| stored.ids.get(row) < mark);
            let fits = old.all(|row| {
                let word = |column: usize| stored.columns[column].get(row) as i64;
                let value = signed(replacement, word(replacement.best.column));
                value.is_some_and(|value| values.set(word(product.row), word(product.column), value, row))
            });
            if !fits {
                *matrix = None;
            }
        }
        let mut cells: Vec<Vec<Better>> = vec![Vec::new(); tables.len()];
        for added in replaced {
            let table = added.table as usize;
            let word = |column: usize| tables[table].columns[column].get(added.row) as i64;
            match &self.matrices[table] {
                Some((_, replacement)) => {
                    let value = signed(replacement, word(replacement.best.column));
                    if let (Ok(product), Some(value)) = (&replacement.product, value) {
                        cells[table].push((word(product.row) as u32, word(product.column) as u32, value));
                    }
                }
                None => self.changed.push(added),
            }
        }
        for (matrix, cells) in self.matrices.iter_mut().zip(&cells) {
            if let Some((matrix, _)) = matrix {
                matrix.apply(cells);
            }
        }
    }

    /// Whether there is something to look at.
    pub(crate) fn is_pending(&self) -> bool {
        let matrices = self.matrices.iter().flatten().any(|(m, _)| m.is_pending());
        matrices || !self.fresh.is_empty() || !self.changed.is_empty()
    }

    pub(crate) fn bytes(&self) -> u64 {
        let lists = (self.fresh.capacity() + self.changed.capacity()) * size_of::<Added>();
        let matrices: u64 = self.matrices.iter().flatten().map(|(m, _)| m.bytes()).sum();
        (lists + self.better.capacity() * 32) as u64 + matrices
    }

    /// Whether new constraints of a table are to be [noted](Self::note).
    pub(crate) fn notes(&self, table: usize) -> bool {
        !self.occurrences[table].is_empty()
    }

    /// A constraint is new.
    pub(crate) fn note(&mut self, tables: &[Table], added: Added) {
        let table = added.table as usize;
        if !self.notes(table) {
            return;
        }
        match &mut self.matrices[table] {
            Some((matrix, replacement)) => {
                let word = |column: usize| tables[table].columns[column].get(added.row) as i64;
                let Ok(product) = replacement.product else { return };
                let value = signed(replacement, word(replacement.best.column));
                let fits = value.is_some_and(|value| {
                    matrix.set(word(product.row), word(product.column), value, added.row)
                });
                if !fits {
                    self.leave_matrix(tables, table);
                    self.fresh.push(added);
                }
            }
            None => self.fresh.push(added),
        }
    }

    /// Leaves the constraints of a table to the general join: a matrix does not fit any more.
    fn leave_matrix(&mut self, tables: &[Table], table: usize) {
        if let Some((matrix, _)) = self.matrices[table].take() {
            let added = |row: u32| Added { table: table as u32, row, id: tables[table].ids.get(row) };
            self.fresh.extend(matrix.changed_rows().map(added));
        }
    }

    /// Rounds of matrices: how many cells take another value; nothing when the watch calls.
    fn multiply(&mut self, tables: &[Table], watch: &RoundWatch<'_>) -> Option<u64> {
        self.cells.clear();
        let mut count = 0;
        for table in 0..self.matrices.len() {
            let Some((matrix, _)) = &self.matrices[table] else { continue };
            if !matrix.is_pending() {
                continue;
            }
            let better = matrix.improve(watch)?;
            if matrix.overflows(&better) {
                self.leave_matrix(tables, table);
            } else {
                count += better.len() as u64;
                self.cells.push((table as u32, better));
            }
        }
        Some(count)
    }

    /// Finds the constraints that take another value: how many they are, and the first instance that fails.
    pub(crate) fn improve(
        &mut self,
        state: &mut RoundsState<'_, '_>,
        regs: &mut [u64],
    ) -> Result<(u64, Option<Failure>), Stop> {
        self.better.clear();
        self.cells.clear();
        if !self.is_pending() {
            return Ok((0, None));
        }
        let watch = state.watch();
        let Some(cells) = self.multiply(&state.tables, &watch) else { return Err(state.called()) };
        let mut failure = None;
        let (fresh, changed) = (std::mem::take(&mut self.fresh), std::mem::take(&mut self.changed));
        for (list, is_fresh) in [(&fresh, true), (&changed, false)] {
            for added in list {
                for at in 0..self.occurrences[added.table as usize].len() {
                    let (k, replacement) = self.occurrences[added.table as usize][at];
                    let target = self.code.activations[added.table as usize].occurrences[k].level_of_head
                        [replacement.head]
                        .is_none();
                    // A constraint whose own value improved can only improve others.
                    if is_fresh || !target {
                        self.search(state, regs, *added, k, replacement, &mut failure)?;
                    }
                }
            }
        }
        (self.fresh, self.changed) = (fresh, changed);
        Ok((self.better.len() as u64 + cells, failure))
    }

    fn search(
        &mut self,
        state: &mut RoundsState<'_, '_>,
        regs: &mut [u64],
        active: Added,
        k: usize,
        replacement: &Replacement,
        failure: &mut Option<Failure>,
    ) -> Result<(), Stop> {
        let occurrence = &self.code.activations[active.table as usize].occurrences[k];
        load_active(&state.tables, regs, (active.table as usize, active.row));
        // Many short searches are as much work as a long one.
        if self.until_poll == 0 {
            state.ask_control()?;
            self.until_poll = POLL_INTERVAL;
        }
        self.until_poll -= 1;
        let mut until_poll = self.until_poll;
        macro_rules! search {
            () => {
                Search {
                    ctx: EvalCtx {
                        code: self.code,
                        signature: &state.program.signature,
                        tables: &state.tables,
                        heap: &mut state.heap,
                    },
                    regs: &mut *regs,
                    occurrence,
                    active: active.id,
                    until_poll: &mut until_poll,
                }
            };
        }
        let entered = search!().entry();
        if !entered.map_err(|t| state.trapped(regs, t))? {
            return Ok(());
        }
        let first = search!().first(&occurrence.levels[0]);
        let (mut level, mut row) = (0, first.map_err(|t| state.trapped(regs, t))?);
        loop {
            let trap = match search!().find(level, row) {
                Ok(Searched::Nothing) => {
                    self.until_poll = until_poll;
                    return Ok(());
                }
                Ok(Searched::Pause(at, on)) => {
                    state.ask_control()?;
                    until_poll = POLL_INTERVAL;
                    (level, row) = (at, on);
                    continue;
                }
                Ok(Searched::Match) => None,
                Err(trap) if is_of_program(trap) => Some(trap),
                Err(trap) => return Err(state.trapped(regs, trap)),
            };
            level = occurrence.levels.len() - 1;
            let last = &occurrence.levels[level];
            row = state.tables[last.table].indexes[last.index].next(regs[last.row as usize] as u32);
            let failed = match trap {
                Some(trap) => Some(trap),
                None => self.take(state, regs, active, occurrence, replacement)?,
            };
            if let Some(trap) = failed {
                let rows: Vec<u32> = occurrence.levels.iter().map(|l| regs[l.row as usize] as u32).collect();
                let found = self.failure(state, regs, active, occurrence, &rows, trap);
                if failure.as_ref().is_none_or(|f| found.place < f.place) {
                    *failure = Some(found);
                }
            }
        }
    }

    /// Computes the value of an instance for its target, and keeps the best.
    fn take(
        &mut self,
        state: &mut RoundsState<'_, '_>,
        regs: &mut [u64],
        active: Added,
        occurrence: &OccurrenceCode,
        replacement: &Replacement,
    ) -> Result<Option<Trap>, Stop> {
        let Some(pc) = occurrence.body else { return Ok(None) };
        self.adds.clear();
        let mut ctx = EvalCtx {
            code: self.code,
            signature: &state.program.signature,
            tables: &state.tables,
            heap: &mut state.heap,
        };
        match run_body(&mut ctx, regs, pc, &mut self.adds) {
            BodyEnd::Done => {}
            BodyEnd::Failed(pc) => return Err(state.stop_at(StopReason::Failed, pc)),
            BodyEnd::Trapped(trap) if is_of_program(trap) => return Ok(Some(trap)),
            BodyEnd::Trapped(trap) => return Err(state.trapped(regs, trap)),
        }
        let (table, args, _) = self.adds.get(&state.tables, 0);
        let value = args[replacement.best.column];
        let level = occurrence.level_of_head[replacement.head];
        let row = level.map_or(active.row, |l| regs[occurrence.levels[l].row as usize] as u32);
        let entry = self.better.entry((table as u32, row)).or_insert((value as i64, replacement.rule));
        if replacement.best.is_better(SortKind::Int, value, entry.0 as u64) {
            *entry = (value as i64, replacement.rule);
        }
        Ok(None)
    }

    fn failure(
        &self,
        state: &RoundsState<'_, '_>,
        regs: &[u64],
        active: Added,
        occurrence: &OccurrenceCode,
        rows: &[u32],
        trap: Trap,
    ) -> Failure {
        let rule = occurrence.rule;
        let id = |head: usize| {
            let row = row_of_head(occurrence, head, active.row, rows);
            state.tables[table_of_head(self.plan, rule, head)].ids.get(row)
        };
        let newest = (0..occurrence.heads()).map(id).max().unwrap_or(active.id);
        let mut key = Vec::new();
        rank(self.plan, rule, id, &mut key);
        Failure {
            place: (false, newest, rule, key.into()),
            reason: state.error_formatter().reason(regs, trap),
            pc: trap.pc,
        }
    }

    /// Counts the constraints that take another value, by rule.
    pub(crate) fn count(&self, state: &mut RoundsState<'_, '_>) {
        self.cells
            .iter()
            .for_each(|(table, cells)| state.count_replaced(*table as usize, cells.len() as u64));
        self.better.keys().for_each(|&(table, _)| state.count_replaced(table as usize, 1));
    }

    /// Gives constraints their new values.
    pub(crate) fn apply(&mut self, state: &mut RoundsState<'_, '_>) {
        self.fresh.clear();
        self.changed.clear();
        let mut better: Vec<_> = self.better.drain().collect();
        for (table, cells) in std::mem::take(&mut self.cells) {
            let Some((matrix, replacement)) = &mut self.matrices[table as usize] else { continue };
            for &(i, j, value) in &cells {
                let (row, value) = (matrix.row(i, j), signed(replacement, value).unwrap_or(value));
                if state.control.traces() {
                    better.push(((table, row), (value, replacement.rule)));
                } else {
                    state.tables[table as usize].replace(row, replacement.best.column, value as u64);
                }
            }
            matrix.apply(&cells);
        }
        let id = |table: u32, row: u32| state.tables[table as usize].ids.get(row);
        better.sort_unstable_by_key(|&((table, row), _)| id(table, row));
        for ((table, row), (value, rule)) in better {
            let Some(replacement) = self.plan.classes.replacements.iter().find(|r| r.rule == rule) else {
                continue;
            };
            if state.control.traces() {
                state.trace_replacement(rule, replacement.constraint.index(), row, value);
            }
            let id = state.tables[table as usize].ids.get(row);
            state.tables[table as usize].replace(row, replacement.best.column, value as u64);
            if self.matrices[table as usize].is_none() {
                self.changed.push(Added { table, row, id });
            }
        }
    }
}

/// The value that is least where the given one is best; nothing when it has none.
fn signed(replacement: &Replacement, value: i64) -> Option<i64> {
    match replacement.best.order {
        BestOrder::Least => Some(value),
        BestOrder::Greatest => value.checked_neg(),
    }
}
