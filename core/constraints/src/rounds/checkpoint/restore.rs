//! Makes an engine without a store go on from a checkpoint. Parts of several workers become one store, or the part of a
//! worker.
//!
//! Constraints from before the last round get smaller ids than those that it has added, as rules look for older
//! partners. Those of the first part keep their order: all that is told by the order of ids is among them.

use super::{Checkpoints, Part, Restored, Scope, Waiting, active_head};
use crate::exec::added::{Added, AddedRuns};
use crate::exec::common::Stop;
use crate::exec::image::{ImageRows, MAX_ID, Reader, Unrestored};
use crate::exec::round::state::RoundsState;
use crate::exec::round::strategy::table_of_head;
use crate::exec::table::{DEAD, Table};
use crate::rounds::engine::Engine;
use crate::rounds::found::{KeptCandidates, Pending, State};
use gchr_base::error::StopReason;
use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::memory;
use gchr_base::rule::RuleId;
use gchr_base::signature::SymbolId;
use gchr_base::watch::Watch;

const DAMAGED_LIST: Unrestored = Unrestored::Damaged("a list is of constraints that are not there");

/// Fills the tables and lists of an engine. The caller takes the counts over.
pub(in crate::rounds) fn restore(
    engine: &mut Engine<'_, '_>,
    scope: Scope<'_>,
    checkpoints: &dyn Checkpoints,
) -> Result<Restored, Stop> {
    let restored = restored(engine, scope, checkpoints);
    restored.map_err(|unrestored| {
        engine.state.stop(match unrestored {
            Unread::No(what) => StopReason::Checkpoint { what },
            Unread::Unrestored(Unrestored::Damaged(what)) => {
                StopReason::Checkpoint { what: format!("it is damaged: {what}") }
            }
            Unread::Unrestored(Unrestored::Stopped(reason)) => reason,
        })
    })
}

/// Why there is nothing to go on from.
enum Unread {
    /// It cannot be read.
    No(String),
    Unrestored(Unrestored),
}

impl From<Unrestored> for Unread {
    fn from(unrestored: Unrestored) -> Self {
        Unread::Unrestored(unrestored)
    }
}

fn restored(
    engine: &mut Engine<'_, '_>,
    scope: Scope<'_>,
    checkpoints: &dyn Checkpoints,
) -> Result<Restored, Unread> {
    let mut filling = Filling::new(&mut engine.state, scope);
    let first = checkpoints.read(0).map_err(Unread::No)?;
    let (mut counts, query, mark) = (first.counts, first.query, first.mark);
    if mark > first.next_id || first.next_id > MAX_ID {
        return Err(Unrestored::Damaged("it has too many constraints").into());
    }
    filling.next_id = mark;
    filling.old(&first, true)?;
    let mut added = vec![filling.new_of(&first)?];
    for part in 1..checkpoints.parts() {
        let part = checkpoints.read(part).map_err(Unread::No)?;
        counts.firings = counts.firings.saturating_add(part.counts.firings);
        counts.candidates = counts.candidates.saturating_add(part.counts.candidates);
        filling.old(&part, false)?;
        added.push(filling.new_of(&part)?);
    }
    let added = filling.store_new(added)?;
    let next_id = filling.next_id;
    let tables = std::mem::take(&mut engine.state.tables);
    engine.state.take_over(tables, next_id);
    engine.state.last_rule = first.last_rule.and_then(|rule| scope.own(RuleId::from_index(rule as usize)));
    lists(engine, scope, &first.waiting)?;
    let replaced = first.replaced.iter().map(|&(table, id)| place(&engine.state, table, id));
    let replaced = replaced.collect::<Option<_>>().ok_or(DAMAGED_LIST)?;
    engine.replacements.resume(&engine.state.tables, mark, replaced);
    let queries = engine.state.code.queries.len().max(1);
    let query = usize::try_from(query).ok().filter(|&query| query < queries);
    let query = query.ok_or(Unrestored::Damaged("it is of a goal that is not there"))?;
    Ok(Restored { counts, query, added })
}

/// Tables that are filled.
struct Filling<'f, 'a, 'c> {
    state: &'f mut RoundsState<'a, 'c>,
    scope: Scope<'f>,
    functors: HashMap<(&'a str, usize), SymbolId>,
    next_id: u64,
}

/// Constraints that are stored later: table, id in the first part if they come from there, and values.
type New = Vec<(u32, u64, Vec<u64>)>;

impl<'f, 'a, 'c> Filling<'f, 'a, 'c> {
    fn new(state: &'f mut RoundsState<'a, 'c>, scope: Scope<'f>) -> Self {
        let functors = state.program.signature.functors();
        let functors = functors.map(|(name, arity, id)| ((name, arity), id)).collect();
        Self { state, scope, functors, next_id: 0 }
    }

    /// Hands out the constraints of this worker: table, id, values.
    fn rows(
        &mut self,
        part: &Part,
        tables: &[ImageRows],
        mut each: impl FnMut(&mut Vec<Table>, u32, u64, &[u64]) -> Result<(), Unrestored>,
    ) -> Result<(), Unrestored> {
        let RoundsState { program, tables: own, heap, .. } = &mut *self.state;
        if tables.len() != self.scope.plan.tables.len() {
            return Err(Unrestored::Damaged("it has other constraints"));
        }
        let texts = part.values.texts().map(|text| program.signature.texts.find(text)).collect::<Option<_>>();
        let texts = texts.ok_or(Unrestored::Damaged("it has a text that the program does not have"))?;
        let symbol = |name: &str, arity| self.functors.get(&(name, arity)).copied();
        let reader = Reader::new(&part.values, heap, Watch::new(), texts, symbol)?;
        for (id, rows) in self.scope.plan.tables.ids().zip(tables) {
            if rows.ids.is_empty() {
                continue;
            }
            let kinds = &self.scope.plan.tables[id].columns;
            if !rows.kinds.iter().map(|kind| kind.sort()).eq(kinds.iter().map(|column| column.kind)) {
                return Err(Unrestored::Damaged("its columns are not those of its constraints"));
            }
            let scope = self.scope;
            reader.rows(rows, kinds.len(), part.next_id, |constraint, values| match scope.shared {
                None => each(own, id.index() as u32, constraint, values),
                Some((shared, worker)) => shared.deals[id]
                    .tables(worker, |column| values[column])
                    .try_for_each(|table| each(own, table as u32, constraint, values)),
            })?;
        }
        Ok(())
    }

    /// Stores what was there before the last round; with its ids where it is of the first part.
    fn old(&mut self, part: &Part, is_first: bool) -> Result<(), Unrestored> {
        let mut next_id = self.next_id;
        let mark = part.mark;
        self.rows(part, &part.old, |tables, table, id, values| {
            if id >= mark {
                return Err(Unrestored::Damaged("its constraints are out of order"));
            }
            let id = if is_first { id } else { next_id };
            next_id += u64::from(!is_first);
            insert(tables, table, id, values).map(drop)
        })?;
        self.next_id = next_id;
        Ok(())
    }

    fn new_of(&mut self, part: &Part) -> Result<New, Unrestored> {
        let mut new = New::new();
        let mark = part.mark;
        self.rows(part, &part.new, |_, table, id, values| {
            if id < mark {
                return Err(Unrestored::Damaged("its constraints are out of order"));
            }
            let room = memory::reserve(&mut new, 1);
            room.map_err(|shortage| Unrestored::Stopped(shortage.of("a checkpoint")))?;
            new.push((table, id - mark, values.to_vec()));
            Ok(())
        })?;
        Ok(new)
    }

    /// Stores what the last round has added; those of the first part come first, in their order.
    fn store_new(&mut self, parts: Vec<New>) -> Result<AddedRuns, Unrestored> {
        let mut added = AddedRuns::default();
        for mut new in parts {
            new.sort_by_key(|&(_, id, _)| id);
            let room = added.reserve(new.len());
            room.map_err(|shortage| Unrestored::Stopped(shortage.of("a checkpoint")))?;
            for (table, _, values) in new {
                let id = self.next_id;
                self.next_id += 1;
                let row = insert(&mut self.state.tables, table, id, &values)?;
                added.push(Added { table, row, id });
            }
        }
        Ok(added)
    }
}

fn insert(tables: &mut [Table], table: u32, id: u64, values: &[u64]) -> Result<u32, Unrestored> {
    let table = &mut tables[table as usize];
    let stored = table.insert(id, values).map(|(row, _)| row);
    stored.map_err(|full| Unrestored::Stopped(full.reason(format!("constraints {}", table.name))))
}

/// Where a constraint was stored, in a table that nothing was removed from yet.
fn place(state: &RoundsState<'_, '_>, table: u32, id: u64) -> Option<Added> {
    let of = state.tables.get(table as usize)?;
    let (mut from, mut to) = (0, of.used() as u32);
    while from < to {
        let middle = from + (to - from) / 2;
        if of.ids.get(middle) < id { from = middle + 1 } else { to = middle }
    }
    let is_there = from < of.used() as u32 && of.ids.get(from) == id && id != DEAD;
    is_there.then_some(Added { table, row: from, id })
}

/// Fills the lists of constraints that were not at their end.
fn lists(engine: &mut Engine<'_, '_>, scope: Scope<'_>, waiting: &[Waiting]) -> Result<(), Unrestored> {
    let (mut pending, mut kept) = (Vec::new(), KeptCandidates::default());
    for list in waiting {
        let added = place(&engine.state, list.table, list.id).ok_or(DAMAGED_LIST)?;
        let first = kept.instances.len() as u32;
        for (rule, ids) in &list.members {
            member(&engine.state, scope, &added, (*rule, ids), &mut kept).ok_or(DAMAGED_LIST)?;
        }
        let state = match &list.cut {
            None => State::Done,
            Some((rule, rank)) => {
                let rule = scope.own(RuleId::from_index(*rule as usize)).ok_or(DAMAGED_LIST)?;
                if rank.len() != engine.state.plan.rules[rule].heads.len() {
                    return Err(DAMAGED_LIST);
                }
                State::Cut(rule, rank.clone().into())
            }
        };
        pending.push(Pending { added, state, kept: (first, kept.instances.len() as u32) });
    }
    (engine.pending, engine.kept) = (pending, kept);
    Ok(())
}

/// Adds an instance to those that may still fire; nothing where there is none such.
fn member(
    state: &RoundsState<'_, '_>,
    scope: Scope<'_>,
    added: &Added,
    (rule, ids): (u32, &[u64]),
    kept: &mut KeptCandidates,
) -> Option<()> {
    let rule = scope.own(RuleId::from_index(rule as usize))?;
    let occurrences = &state.code.activations[added.table as usize].occurrences;
    let k = occurrences.iter().position(|occurrence| {
        let is_active = active_head(occurrence).is_some_and(|head| ids.get(head) == Some(&added.id));
        occurrence.rule == rule && occurrence.heads() == ids.len() && is_active
    })?;
    let occurrence = &occurrences[k];
    let mut rows = vec![0; occurrence.levels.len()];
    for (head, &id) in ids.iter().enumerate() {
        if let Some(level) = occurrence.level_of_head[head] {
            let table = table_of_head(state.plan, rule, head);
            *rows.get_mut(level)? = place(state, table as u32, id)?.row;
        }
    }
    kept.instances.push((u32::try_from(k).ok()?, u32::try_from(kept.rows.len()).ok()?));
    kept.rows.extend(rows);
    Some(())
}
