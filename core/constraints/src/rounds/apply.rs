//! Applies what a round decided: runs the bodies of what fires, removes constraints and stores new ones, in body order.

use rayon::prelude::*;

use super::CHUNK;
use super::bodies::Bodies;
use super::claims::Round;
use super::engine::{Engine, by_place, failure, round_of};
use super::found::Entry;
use crate::exec::added::AddedRuns;
use crate::exec::code::Pc;
use crate::exec::common::Stop;
use crate::exec::errors::ErrorFormatter;
use crate::exec::round::Failure;
use crate::exec::round::bodies::{Adds, BodyEnd, is_of_program, load_instance, run_body};
use crate::exec::round::numbers::{Numbers, TooMany};
use crate::exec::round::state::RoundsState;
use crate::exec::round::strategy::row_of_head;
use crate::exec::step::{Cells, EvalCtx, Trap, TrapKind};
use gchr_base::error::StopReason;

/// Bodies, and entries of lists, that one thread handles between two looks whether the run must stop.
const PART: usize = 1 << 12;

/// Why bodies were not run.
enum BodyHalt {
    Trap(TrapKind),
    /// The run must stop.
    Watch,
    /// What bodies add needs more than 32 bits to be counted.
    TooMany,
}

impl From<TooMany> for BodyHalt {
    fn from(_: TooMany) -> Self {
        Self::TooMany
    }
}

impl From<TrapKind> for BodyHalt {
    fn from(kind: TrapKind) -> Self {
        Self::Trap(kind)
    }
}

impl Engine<'_, '_> {
    /// Runs the bodies of what fires, in body order.
    pub(super) fn run_bodies(&mut self, failed: Option<Failure>) -> Result<(), Stop> {
        let count = self.fired.len();
        let parallel = self.threads > 1 && count > CHUNK && !self.alone[1];
        let mut result = if parallel { self.bodies_together() } else { self.bodies_alone() };
        if let Err(BodyHalt::Trap(TrapKind::Shared)) = result {
            self.alone[1] = true;
            result = self.bodies_alone();
        }
        match result {
            Ok(()) => {}
            Err(BodyHalt::Watch) => return Err(self.state.called()),
            Err(BodyHalt::TooMany) => return Err(self.state.too_many()),
            Err(BodyHalt::Trap(TrapKind::HeapFull(full))) => return Err(self.state.stop(full.reason())),
            Err(BodyHalt::Trap(TrapKind::AddsFull(shortage))) => {
                return Err(self.state.stop(shortage.of("the constraints that bodies add")));
            }
            Err(BodyHalt::Trap(_)) => {
                let what = "a body was run where it cannot be".into();
                return Err(self.state.stop(StopReason::Internal { what }));
            }
        }
        let failures = self.bodies.iter_mut().filter_map(|b| b.failure.take());
        match failures.chain(failed).min_by(by_place) {
            Some(failure) => Err(self.state.stop_at(failure.reason, failure.pc)),
            None => Ok(()),
        }
    }

    fn bodies_alone(&mut self) -> Result<(), BodyHalt> {
        let watch = self.state.watch();
        let Self { state, pending, found, fired, bodies, regs, .. } = self;
        bodies.truncate(1);
        if bodies.is_empty() {
            bodies.push(Bodies::default());
        }
        bodies[0].clear();
        if fired.is_empty() {
            return Ok(());
        }
        let RoundsState { program, plan, code, tables, heap, numbers, .. } = state;
        let numbers = *numbers;
        let error_formatter = |heap| ErrorFormatter { signature: &program.signature, plan, code, heap };
        let round = round_of(plan, code, pending, found);
        for (n, &number) in fired.iter().enumerate() {
            if n % PART == PART - 1 && watch.calls() {
                return Err(BodyHalt::Watch);
            }
            let mut ctx = EvalCtx { code, signature: &program.signature, tables, heap: &mut *heap };
            let end = run_one(&mut ctx, regs, &round, number, numbers, &mut bodies[0]);
            if let Some((trap_or_goal, pc)) = end? {
                let reason = match trap_or_goal {
                    Some(trap) => error_formatter(&*heap).reason(regs, trap),
                    None => StopReason::Failed,
                };
                bodies[0].failure = Some(failure(tables, &round, number, reason, pc));
                break;
            }
        }
        Ok(())
    }

    fn bodies_together(&mut self) -> Result<(), BodyHalt> {
        let watch = self.state.watch();
        let size = self.fired.len().div_ceil(self.threads * 8).max(CHUNK / 4);
        self.bodies.resize_with(self.fired.len().div_ceil(size), Bodies::default);
        let Self { state, pending, found, fired, bodies, registers, .. } = self;
        let RoundsState { program, plan, code, tables, heap, numbers, .. } = state;
        let (heap, numbers) = (&*heap, *numbers);
        let round = round_of(plan, code, pending, found);
        bodies.par_iter_mut().zip(fired.par_chunks(size)).try_for_each(|(bodies, fired)| {
            bodies.clear();
            if watch.calls() {
                return Err(BodyHalt::Watch);
            }
            let mut regs = vec![0; *registers];
            for &number in fired {
                let mut ctx = EvalCtx { code, signature: &program.signature, tables, heap };
                let end = run_one(&mut ctx, &mut regs, &round, number, numbers, bodies);
                if let Some((trap, pc)) = end? {
                    let error_formatter = ErrorFormatter { signature: &program.signature, plan, code, heap };
                    let reason = trap.map_or(StopReason::Failed, |trap| error_formatter.reason(&regs, trap));
                    bodies.failure = Some(failure(tables, &round, number, reason, pc));
                    break;
                }
            }
            Ok(())
        })
    }

    /// Removes what fired candidates remove.
    pub(super) fn remove(&mut self) {
        let Self { state, pending, found, fired, .. } = self;
        if fired.is_empty() {
            return;
        }
        let plan = state.plan;
        let round = round_of(plan, state.code, pending, found);
        if state.control.sees_firings() {
            state.begin_bodies();
            for &number in &*fired {
                let member = round.get(number);
                let row = |head| row_of_head(member.occurrence, head, member.pending.added.row, member.rows);
                state.trace_instance(member.occurrence.rule, row);
            }
        }
        for &number in &*fired {
            round.get(number).constraints(plan, |table, row, removed| {
                if removed {
                    state.remove(table as u32, row);
                }
            });
        }
    }

    /// Puts what bodies add into the store, in body order.
    pub(super) fn store(&mut self) -> Result<AddedRuns, Stop> {
        let mut added = AddedRuns::default();
        let Self { state, found, bodies, fires, .. } = self;
        let (mut number, mut entries) = (0, 0);
        let mut body = BodyCursor::default();
        for found in &*found {
            let mut at = 0;
            for entry in &found.entries {
                entries += 1;
                if entries % PART == 0 {
                    state.go_on()?;
                }
                match *entry {
                    Entry::Fired { adds_end, .. } => {
                        store_range(state, &found.adds, at, adds_end as usize, &mut added)?;
                        at = adds_end as usize;
                    }
                    Entry::Candidate => {
                        if fires[number] {
                            let (adds, from, to) = body.next(bodies);
                            state.next_body();
                            store_range(state, adds, from, to, &mut added)?;
                        }
                        number += 1;
                    }
                }
            }
        }
        Ok(added)
    }
}

/// Walks through the adds of fired candidates.
#[derive(Default)]
struct BodyCursor {
    part: usize,
    item: usize,
    from: usize,
}

impl BodyCursor {
    fn next<'b>(&mut self, bodies: &'b [Bodies]) -> (&'b Adds, usize, usize) {
        while self.item == bodies[self.part].ends.len() {
            *self = Self { part: self.part + 1, item: 0, from: 0 };
        }
        let body = &bodies[self.part];
        let (from, to) = (self.from, body.ends[self.item] as usize);
        (self.item, self.from) = (self.item + 1, to);
        (&body.adds, from, to)
    }
}

fn store_range(
    state: &mut RoundsState<'_, '_>,
    adds: &Adds,
    mut at: usize,
    end: usize,
    added: &mut AddedRuns,
) -> Result<(), Stop> {
    while at < end {
        let (table, args, next) = adds.get(&state.tables, at);
        let room = added.reserve(1);
        room.map_err(|shortage| state.stop(shortage.of("the constraints that a round adds")))?;
        added.extend(state.add(table, args)?);
        at = next;
    }
    Ok(())
}

/// Runs the body of one candidate. Says where it failed, if it did; an error is one of the executor.
fn run_one<H: Cells>(
    ctx: &mut EvalCtx<'_, H>,
    regs: &mut [u64],
    round: &Round<'_>,
    number: u32,
    numbers: Numbers,
    bodies: &mut Bodies,
) -> Result<Option<(Option<Trap>, Pc)>, BodyHalt> {
    let member = round.get(number);
    let mut end = BodyEnd::Done;
    if let Some(pc) = member.occurrence.body {
        let active = (member.pending.added.table as usize, member.pending.added.row);
        load_instance(ctx, regs, member.occurrence, active, member.rows).map_err(|t| t.kind)?;
        end = run_body(ctx, regs, pc, &mut bodies.adds);
    }
    bodies.ends.push(numbers.of(bodies.adds.len())?);
    match end {
        BodyEnd::Done => Ok(None),
        BodyEnd::Failed(pc) => Ok(Some((None, pc))),
        BodyEnd::Trapped(trap) if is_of_program(trap) => Ok(Some((Some(trap), trap.pc))),
        BodyEnd::Trapped(trap) => Err(trap.kind.into()),
    }
}
