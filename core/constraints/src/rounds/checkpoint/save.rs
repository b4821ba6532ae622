//! The state of an engine between two rounds as plain data, before what the last round has added is queued.

use super::{Moment, Part, Scope, Waiting};
use crate::exec::image::{ImageRows, Writer};
use crate::exec::round::strategy::{row_of_head, table_of_head};
use crate::exec::table::Table;
use crate::ir::places::Place;
use crate::rounds::engine::Engine;
use crate::rounds::found::{Pending, State};
use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::memory;
use gchr_base::watch::Watch;

/// The part of a worker; the reason where there is no room for it.
pub(in crate::rounds) fn save(
    engine: &Engine<'_, '_>,
    scope: Scope<'_>,
    moment: Moment,
) -> Result<Part, StopReason> {
    let state = &engine.state;
    let is_first = scope.shared.is_none_or(|(_, worker)| worker.rank == 0);
    let is_kept = |place: &Place| is_first || *place != Place::Everywhere;
    let own: Vec<Option<&Table>> = scope
        .plan
        .tables
        .ids()
        .zip(&state.tables)
        .map(|(id, table)| {
            let home = scope.shared.map(|_| &scope.plan.places.tables[id].home);
            home.is_none_or(is_kept).then_some(table)
        })
        .collect();
    let words: usize = own.iter().flatten().map(|table| table.live() * (1 + table.kinds.len())).sum();
    memory::ask(8 * words as u64).map_err(|shortage| shortage.of("a checkpoint"))?;
    let mut writer = Writer::new(&state.heap, Watch::new());
    let mut rows = |range: std::ops::Range<u64>| -> Result<Vec<ImageRows>, StopReason> {
        let of = |table: &Option<&Table>| {
            table.map_or_else(|| Ok(ImageRows::default()), |table| writer.rows(table, range.clone()))
        };
        own.iter().map(of).collect()
    };
    let (old, new) = (rows(0..moment.mark)?, rows(moment.mark..state.next_id)?);
    let id = |&(table, row): &(u32, u32)| (table, state.tables[table as usize].ids.get(row));
    Ok(Part {
        counts: moment.counts,
        last_rule: state.last_rule.map(|rule| scope.origin(rule).index() as u32),
        query: moment.query as u64,
        mark: moment.mark,
        next_id: state.next_id,
        values: writer.values(&state.program.signature),
        old,
        new,
        waiting: match is_first {
            true => engine.pending.iter().map(|pending| waiting(engine, scope, pending)).collect(),
            false => Vec::new(),
        },
        replaced: if is_first { engine.replacements.replaced().iter().map(id).collect() } else { Vec::new() },
    })
}

fn waiting(engine: &Engine<'_, '_>, scope: Scope<'_>, pending: &Pending) -> Waiting {
    let Engine { state, kept, .. } = engine;
    let occurrences = &state.code.activations[pending.added.table as usize].occurrences;
    let member = |&(k, at): &(u32, u32)| {
        let occurrence = &occurrences[k as usize];
        let rows = &kept.rows[at as usize..];
        let id = |head| {
            let table = table_of_head(state.plan, occurrence.rule, head);
            state.tables[table].ids.get(row_of_head(occurrence, head, pending.added.row, rows))
        };
        (scope.origin(occurrence.rule).index() as u32, (0..occurrence.heads()).map(id).collect())
    };
    let cut = match &pending.state {
        State::Cut(rule, rank) => Some((scope.origin(*rule).index() as u32, rank.to_vec())),
        State::Fresh | State::Done => None,
    };
    let members = &kept.instances[pending.kept.0 as usize..pending.kept.1 as usize];
    Waiting {
        table: pending.added.table,
        id: pending.added.id,
        cut,
        members: members.iter().map(member).collect(),
    }
}
