//! The definition of rounds as a program: every combination of constraints is tried in every round, one step after the
//! other, with a history of what fired. It is the oracle of the other executor, and the scheme of Zaki, Frühwirth and
//! Geller (Parallel Execution of Constraint Handling Rules on a Graphical Processing Unit) with claims, so that no two
//! firings conflict.

use std::collections::{HashMap, HashSet};

use crate::exec::added::Added;
use crate::exec::code::{OccurrenceCode, Pc};
use crate::exec::common::Stop;
use crate::exec::round::bodies::{
    Adds, BodyEnd, is_hidden, is_of_program, load_active, load_instance, run_body,
};
use crate::exec::round::state::RoundsState;
use crate::exec::round::strategy::{rank, row_of_head, table_of_head};
use crate::exec::search::Search;
use crate::exec::step::{EvalCtx, Trap};
use crate::ir::classes::Verdict;
use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::rule::{Role, RuleId};
use gchr_base::signature::SortKind;

/// The executor.
pub(super) struct Definition<'a, 'c> {
    pub(super) state: RoundsState<'a, 'c>,
    /// Instances that fired: the rule, and the ids of its constraints by head.
    history: HashSet<(RuleId, Vec<u64>)>,
    /// The first id of this run: instances of older constraints alone have fired in earlier ones.
    first: u64,
    /// What the bodies of the round at hand add and write.
    adds: Adds,
    /// For each fired instance where its adds end.
    ends: Vec<usize>,
    regs: Vec<u64>,
    tried: u32,
}

/// An instance of a rule.
#[derive(Clone)]
struct Instance<'a> {
    occurrence: &'a OccurrenceCode,
    rule: RuleId,
    newest: Added,
    /// Rows of partners, by level.
    rows: Vec<u32>,
    /// Ids by head.
    ids: Vec<u64>,
    rank: Vec<u64>,
    failure: Option<(StopReason, Pc)>,
}

/// A value for a constraint.
struct Value {
    table: usize,
    row: u32,
    column: usize,
    value: u64,
    rule: RuleId,
}

/// Combinations tried between two looks at the control.
const POLL_INTERVAL: u32 = 1 << 16;

impl<'a, 'c> Definition<'a, 'c> {
    pub(super) fn new(state: RoundsState<'a, 'c>) -> Self {
        let registers = state.code.activations.iter().map(|a| a.registers).max().unwrap_or(0);
        let (history, first) = (HashSet::new(), state.next_id);
        let (adds, ends, regs) = (Adds::default(), Vec::new(), vec![0; registers]);
        Self { state, history, first, adds, ends, regs, tried: 0 }
    }

    pub(super) fn saturate(&mut self) -> Result<(), Stop> {
        self.state.release();
        loop {
            self.state.ask_control()?;
            self.state.rounds += 1;
            match self.round() {
                Ok(true) => {}
                Ok(false) => {
                    self.state.rounds -= 1;
                    return Ok(());
                }
                Err(stop) => {
                    self.state.rounds -= 1;
                    return Err(stop);
                }
            }
            let Self { state, adds, .. } = self;
            adds.written.drain(..).try_for_each(|written| state.write(written))?;
            self.state.collect()?;
            self.state.report_round();
        }
    }

    fn round(&mut self) -> Result<bool, Stop> {
        let mut candidates = Vec::new();
        let mut failing: Vec<Instance> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        for constraint in self.constraints() {
            let (list, failure) = self.list(constraint)?;
            candidates.extend(list);
            failing.extend(failure);
            failing.extend(self.values(constraint, &mut values)?);
        }
        failing.sort_by_key(body_order);
        if let Some((reason, pc)) = failing.into_iter().next().and_then(|instance| instance.failure) {
            return Err(self.state.stop_at(reason, pc));
        }
        let count = candidates.len() as u64;
        if candidates.is_empty() && values.is_empty() {
            return Ok(false);
        }
        self.state.check_rounds()?;
        let mut fired = self.fire(candidates);
        fired.sort_by_key(body_order);
        let firings = (fired.len() + values.len()) as u64;
        self.state.check_steps(firings)?;
        self.bodies(&fired)?;
        self.state.count_firings(firings, fired.last().map(|i| i.rule));
        self.state.candidates += count;
        fired.iter().for_each(|instance| self.state.count_rule(instance.rule, 1));
        values.iter().for_each(|value| self.state.count_replaced(value.table, 1));
        self.state.begin_bodies();
        fired.iter().for_each(|instance| self.trace(instance));
        fired.iter().for_each(|instance| self.remove(instance));
        self.replace(values);
        let mut at = 0;
        for &end in &self.ends {
            self.state.next_body();
            while at < end {
                let (table, args, next) = self.adds.get(&self.state.tables, at);
                self.state.add(table, args)?;
                at = next;
            }
        }
        self.state.release();
        Ok(true)
    }

    /// The live constraints by id.
    fn constraints(&self) -> Vec<Added> {
        let tables = self.state.tables.iter().enumerate();
        let mut all: Vec<Added> = tables
            .flat_map(|(t, table)| {
                table.rows().map(move |row| Added { table: t as u32, row, id: table.ids.get(row) })
            })
            .collect();
        all.sort_by_key(|c| c.id);
        all
    }

    /// The list of a constraint, without a failing instance at its end, which is the second result.
    fn list(&mut self, n: Added) -> Result<(Vec<Instance<'a>>, Option<Instance<'a>>), Stop> {
        let mut instances = Vec::new();
        let activation = &self.state.code.activations[n.table as usize];
        for occurrence in &activation.occurrences {
            if self.state.plan.classes.verdicts[occurrence.rule].is_general() {
                self.instances(n, occurrence, &mut instances)?;
            }
        }
        let is_new = |i: &Instance| i.ids.iter().any(|&id| id >= self.first);
        instances.retain(|i| is_new(i) && !self.history.contains(&(i.rule, i.ids.clone())));
        instances.sort_by(|a, b| (a.rule, &a.rank).cmp(&(b.rule, &b.rank)));
        let ends = |i: &Instance| i.failure.is_some() || i.occurrence.removes_active;
        if let Some(end) = instances.iter().position(ends) {
            instances.truncate(end + 1);
        }
        let failure = instances.pop_if(|i| i.failure.is_some());
        Ok((instances, failure))
    }

    /// All instances of which `n` is the newest constraint, at this head. (All with `n` at this head for rules that
    /// replace values.)
    fn instances(
        &mut self,
        n: Added,
        occurrence: &'a OccurrenceCode,
        found: &mut Vec<Instance<'a>>,
    ) -> Result<(), Stop> {
        let levels = occurrence.levels.len();
        let rows: Vec<Vec<u32>> =
            occurrence.levels.iter().map(|l| self.state.tables[l.table].rows().collect()).collect();
        let mut at = vec![0; levels];
        loop {
            self.tried += 1;
            if self.tried == POLL_INTERVAL {
                self.tried = 0;
                self.state.ask_control()?;
            }
            if at.iter().zip(&rows).any(|(&i, rows)| i >= rows.len()) {
                // Some symbol has no constraints at all.
                return Ok(());
            }
            let chosen: Vec<u32> = at.iter().zip(&rows).map(|(&i, rows)| rows[i]).collect();
            found.extend(self.instance(n, occurrence, chosen)?);
            // The next combination, like a counter.
            let Some(level) = (0..levels).rev().find(|&level| at[level] + 1 < rows[level].len()) else {
                return Ok(());
            };
            at[level] += 1;
            at[level + 1..].fill(0);
        }
    }

    /// The instance that these constraints are, if they are one.
    fn instance(
        &mut self,
        n: Added,
        occurrence: &'a OccurrenceCode,
        rows: Vec<u32>,
    ) -> Result<Option<Instance<'a>>, Stop> {
        let plan = self.state.plan;
        let rule = occurrence.rule;
        let id = |head: usize| {
            let row = row_of_head(occurrence, head, n.row, &rows);
            self.state.tables[table_of_head(plan, rule, head)].ids.get(row)
        };
        let ids: Vec<u64> = (0..occurrence.heads()).map(id).collect();
        let mut different = ids.clone();
        different.sort_unstable();
        different.dedup();
        let newest = ids.iter().max() == Some(&n.id) || !occurrence.older_partners;
        if !newest || different.len() < ids.len() {
            return Ok(None);
        }
        let mut key = Vec::new();
        rank(plan, rule, id, &mut key);
        let failure = match self.fits(n, occurrence, &rows) {
            Ok(true) => None,
            Ok(false) => return Ok(None),
            Err(trap) if is_of_program(trap) => {
                let mut ctx = ctx(&mut self.state);
                if is_hidden(&mut ctx, &mut self.regs, occurrence) {
                    return Ok(None);
                }
                Some((self.state.error_formatter().reason(&self.regs, trap), trap.pc))
            }
            Err(trap) => return Err(self.state.trapped(&self.regs, trap)),
        };
        Ok(Some(Instance { occurrence, rule, newest: n, rows, ids, rank: key, failure }))
    }

    /// Whether constraints match the heads and the guard holds.
    fn fits(&mut self, n: Added, occurrence: &'a OccurrenceCode, rows: &[u32]) -> Result<bool, Trap> {
        let Self { state, regs, .. } = self;
        load_active(&state.tables, regs, (n.table as usize, n.row));
        let tables = &state.tables;
        let ctx =
            EvalCtx { code: state.code, signature: &state.program.signature, tables, heap: &mut state.heap };
        let mut search = Search { ctx, regs, occurrence, active: n.id, until_poll: &mut u32::MAX.clone() };
        if !search.entry()? {
            return Ok(false);
        }
        for (level, &row) in occurrence.levels.iter().zip(rows) {
            if !search.fits(level, &tables[level.table], row)? {
                return Ok(false);
            }
        }
        search.commit()
    }

    /// The values that a constraint takes by rules that replace; an instance that fails instead.
    fn values(&mut self, n: Added, values: &mut Vec<Value>) -> Result<Option<Instance<'a>>, Stop> {
        let plan = self.state.plan;
        let mut best: Option<Value> = None;
        let activation = &self.state.code.activations[n.table as usize];
        for occurrence in &activation.occurrences {
            let Verdict::Replacement(at) = plan.classes.verdicts[occurrence.rule] else { continue };
            let replacement = &plan.classes.replacements[at];
            if occurrence.level_of_head[replacement.head].is_some() {
                continue;
            }
            let mut instances = Vec::new();
            self.instances(n, occurrence, &mut instances)?;
            for mut instance in instances {
                let mut adds = Adds::default();
                if instance.failure.is_none() {
                    instance.failure = self.body(&instance, &mut adds);
                }
                if instance.failure.is_some() {
                    if let Some(newest) = instance.ids.iter().max() {
                        instance.newest.id = *newest;
                    }
                    return Ok(Some(instance));
                }
                let (table, args, _) = adds.get(&self.state.tables, 0);
                let value = args[replacement.best.column];
                if best.as_ref().is_none_or(|b| replacement.best.is_better(SortKind::Int, value, b.value)) {
                    let column = replacement.best.column;
                    best = Some(Value { table, row: n.row, column, value, rule: instance.rule });
                }
            }
        }
        values.extend(best);
        Ok(None)
    }

    fn replace(&mut self, values: Vec<Value>) {
        for Value { table, row, column, value, rule } in values {
            if self.state.control.traces() {
                self.state.trace_replacement(rule, table, row, value as i64);
            }
            self.state.tables[table].replace(row, column, value);
        }
    }

    /// A candidate fires iff no better one removes one of its constraints.
    fn fire(&mut self, mut candidates: Vec<Instance<'a>>) -> Vec<Instance<'a>> {
        candidates.sort_by(|a, b| priority(a).cmp(&priority(b)));
        let mut removed: HashMap<u64, usize> = HashMap::new();
        for (i, candidate) in candidates.iter().enumerate() {
            for id in self.removed(candidate) {
                removed.entry(id).or_insert(i);
            }
        }
        let fires =
            |i: usize, c: &Instance| c.ids.iter().all(|id| removed.get(id).is_none_or(|&best| best >= i));
        let fired: Vec<Instance> =
            candidates.iter().enumerate().filter(|(i, c)| fires(*i, c)).map(|(_, c)| c.clone()).collect();
        self.history.extend(fired.iter().map(|c| (c.rule, c.ids.clone())));
        fired
    }

    /// Ids of the constraints that an instance removes.
    fn removed(&self, instance: &Instance) -> Vec<u64> {
        let heads = &self.state.plan.rules[instance.rule].heads;
        heads.iter().zip(&instance.ids).filter(|(h, _)| h.role == Role::Removed).map(|(_, &id)| id).collect()
    }

    fn trace(&mut self, instance: &Instance) {
        let row = |head| row_of_head(instance.occurrence, head, instance.newest.row, &instance.rows);
        if self.state.control.sees_firings() {
            self.state.trace_instance(instance.rule, row);
        }
    }

    fn remove(&mut self, instance: &Instance) {
        let plan = self.state.plan;
        let row = |head| row_of_head(instance.occurrence, head, instance.newest.row, &instance.rows);
        for (head, h) in plan.rules[instance.rule].heads.iter().enumerate() {
            if h.role == Role::Removed {
                self.state.remove(h.constraint.index() as u32, row(head));
            }
        }
    }

    /// What the bodies of fired instances add and write.
    fn bodies(&mut self, fired: &[Instance<'a>]) -> Result<(), Stop> {
        let mut adds = Adds::default();
        self.ends.clear();
        for instance in fired {
            if let Some((reason, pc)) = self.body(instance, &mut adds) {
                return Err(self.state.stop_at(reason, pc));
            }
            self.ends.push(adds.len());
        }
        self.adds = adds;
        Ok(())
    }

    fn body(&mut self, instance: &Instance<'a>, adds: &mut Adds) -> Option<(StopReason, Pc)> {
        let pc = instance.occurrence.body?;
        let Self { state, regs, .. } = self;
        let active = (instance.newest.table as usize, instance.newest.row);
        let mut ctx = ctx(state);
        let loaded = load_instance(&mut ctx, regs, instance.occurrence, active, &instance.rows);
        let end = match loaded {
            Err(trap) => BodyEnd::Trapped(trap),
            Ok(()) => run_body(&mut ctx, regs, pc, adds),
        };
        match end {
            BodyEnd::Done => None,
            BodyEnd::Failed(pc) => Some((StopReason::Failed, pc)),
            BodyEnd::Trapped(trap) => Some((state.error_formatter().reason(regs, trap), trap.pc)),
        }
    }
}

fn ctx<'s>(state: &'s mut RoundsState<'_, '_>) -> EvalCtx<'s, &'s mut gchr_base::value::Heap> {
    EvalCtx {
        code: state.code,
        signature: &state.program.signature,
        tables: &state.tables,
        heap: &mut state.heap,
    }
}

/// Smaller is better.
fn priority<'i>(i: &'i Instance<'_>) -> (RuleId, u64, &'i [u64]) {
    (i.rule, i.newest.id.reverse_bits(), &i.rank)
}

fn body_order(i: &Instance<'_>) -> (u64, RuleId, Vec<u64>) {
    (i.newest.id, i.rule, i.rank.clone())
}
