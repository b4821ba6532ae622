//! Rounds all of whose instances fire where they are found, and whose new constraints can be stored at once: nothing
//! that instances look at changes by that. On one thread there is nothing to write down then: neither candidates nor
//! what bodies add.
//!
//! Several threads share in waves what is more than a little work. Each fires the instances of some of a wave's
//! constraints and leaves out what the store has already; the rest is put into the store in the order in which one
//! thread would have found it, or, where that order cannot be told, by the thread whose key was the first. So neither
//! their number nor the size of a wave shows anywhere.
//!
//! What goes otherwise than expected (an instance that fails, a limit of steps) is left to the general round, from the
//! same store.

mod fire;
pub(super) mod frames;
pub(super) mod place;
mod shares;
mod vectors;

use rayon::prelude::*;

use super::CHUNK;
use crate::exec::added::{AddedRuns, Stretch};
use crate::exec::common::Stop;
use crate::exec::round::state::RoundsState;
use crate::exec::round::strategy::{DirectRound, Strategy};
use crate::exec::round::watch::RoundWatch;
use crate::exec::step::{Trap, TrapKind};
use fire::{Firing, Setting};
use frames::Vectors;
use gchr_base::rule::RuleId;
use place::{Direct, ThreadList, ThreadPart};

/// What a round did.
pub(super) struct Done {
    /// The constraints that it has put into the store, in the order of their ids; some may have been removed since.
    pub(super) added: AddedRuns,
    pub(super) counts: FiringCounts,
}

/// What was counted.
#[derive(Default)]
pub(super) struct FiringCounts {
    pub(super) firings: u64,
    pub(super) last: Option<RuleId>,
    /// Firings by rule.
    pub(super) fired: Vec<u64>,
    /// Rows looked at.
    pub(super) tried: u64,
}

impl FiringCounts {
    fn new(rules: usize) -> Self {
        Self { fired: vec![0; rules], ..Self::default() }
    }

    /// Counts what came after.
    fn append(&mut self, other: &Self) {
        self.firings += other.firings;
        self.last = other.last.or(self.last);
        self.fired.iter_mut().zip(&other.fired).for_each(|(all, more)| *all += more);
        self.tried += other.tried;
    }
}

/// Why a round was not done.
enum Halt {
    /// It is one for the general rounds.
    General,
    /// The run must stop.
    Watch,
    /// The store cannot take a constraint.
    Full(Stop),
    /// Terms must be built, or there is no memory for what threads find: one thread has to do the rest alone.
    Alone,
    /// Threads find too much for one wave.
    Long,
}

impl From<Trap> for Halt {
    fn from(trap: Trap) -> Self {
        match trap.kind {
            TrapKind::Shared => Halt::Alone,
            _ => Halt::General,
        }
    }
}

/// How a round is to be done.
pub(super) struct Task<'w> {
    pub(super) strategy: &'w Strategy,
    /// The constraints that it starts from.
    pub(super) fresh: Stretch<'w>,
    pub(super) how: DirectRound,
    pub(super) regs: &'w mut [u64],
    pub(super) vectors: &'w mut Vectors,
    pub(super) threads: usize,
    /// Threads cannot share rounds: one thread does them.
    pub(super) alone: &'w mut bool,
    /// What threads find, used again.
    pub(super) parts: &'w mut Vec<ThreadPart>,
}

/// A round at work.
struct RoundAtWork<'w, 'a, 'c> {
    state: &'w mut RoundsState<'a, 'c>,
    task: Task<'w>,
    /// Firings that the limit of steps leaves.
    steps: u64,
    /// Constraints of a part of a wave, at least.
    least: usize,
    done: Done,
}

/// Parts of a wave for each thread, so that all end at about the same time.
const PARTS: usize = 8;

/// Rows that a thread looks at for a part, at least: fewer are looked at before another thread is awake.
const PART_ROWS: u64 = if cfg!(test) { 1 } else { 1 << 11 };

/// Rows that one thread looks at before others help: about as much work as it is to call them.
const WORK: u64 = if cfg!(test) { 8 } else { 1 << 13 };

/// Constraints that it takes between two looks at how much that was.
const FEW: usize = if cfg!(test) { 2 } else { 64 };

/// Words of constraints that each thread should find between two visits to the store: they take long enough that the
/// time in which threads wait for each other is little beside.
const WAVE_WORDS: usize = if cfg!(test) { 1 << 5 } else { 1 << 17 };

/// Words of one thread after which a wave is done again in smaller ones: what is found twice is in memory twice until
/// it is stored.
const MOST_WORDS: usize = 8 * WAVE_WORDS;

/// Does a round; `added` is a list for what is added. `None`, with the store as it was, when it is one for the general
/// rounds.
pub(super) fn round(
    state: &mut RoundsState<'_, '_>,
    task: Task<'_>,
    mut added: AddedRuns,
) -> Result<Option<Done>, Stop> {
    added.clear();
    let mark = state.mark();
    let limit = state.control.limits().max_steps;
    let steps = limit.map_or(u64::MAX, |limit| limit.saturating_sub(state.firings));
    let counts = FiringCounts::new(state.plan.rules.len());
    let mut round = RoundAtWork { state, task, steps, least: 1, done: Done { added, counts } };
    let result = round.run();
    let RoundAtWork { state, done, .. } = round;
    match result {
        Ok(()) => Ok(Some(done)),
        Err(halt) => {
            state.return_to(mark, &done.added)?;
            match halt {
                Halt::General | Halt::Alone | Halt::Long => Ok(None),
                Halt::Watch => Err(state.called()),
                Halt::Full(stop) => Err(state.stop(stop.reason)),
            }
        }
    }
}

impl<'w, 'a> RoundAtWork<'w, 'a, '_> {
    fn run(&mut self) -> Result<(), Halt> {
        let mut rest = self.task.fresh;
        if self.task.threads == 1 || *self.task.alone {
            return self.alone(rest);
        }
        // So many constraints are work for several threads whatever they find.
        while !rest.is_empty() && self.done.counts.tried < WORK && (rest.len() as u64) < WORK / 2 {
            let (few, behind) = rest.split_at(FEW);
            self.alone(few)?;
            rest = behind;
        }
        let all = self.task.fresh.len();
        let (mut size, wanted) = (self.task.threads * CHUNK, self.task.threads * WAVE_WORDS);
        while !rest.is_empty() {
            let (wave, behind) = rest.split_at(size);
            let (seen, tried) = ((all - rest.len()) as u64, self.done.counts.tried);
            self.least = (PART_ROWS * seen / tried.max(1)).clamp(1, PART_ROWS) as usize;
            let words = match self.together(wave) {
                Err(Halt::Alone) => {
                    *self.task.alone = true;
                    self.task.parts.clear();
                    return self.alone(rest);
                }
                Err(Halt::Long) if wave.len() > 1 => {
                    size = (wave.len() / 8).max(1);
                    continue;
                }
                Err(Halt::Long) => {
                    self.alone(wave)?;
                    wanted
                }
                words => words?,
            };
            if words < wanted / 2 {
                size *= 2;
            } else if words > wanted * 2 {
                size = (size / 2).max(1);
            }
            rest = behind;
        }
        Ok(())
    }

    /// Goes on from these constraints on one thread.
    fn alone(&mut self, fresh: Stretch<'_>) -> Result<(), Halt> {
        let watch = self.state.watch();
        let setting = self.setting(&watch, self.steps);
        let Self { state, task, done, .. } = self;
        let place = Direct { state, added: &mut done.added };
        let work = (&mut *task.regs, &mut *task.vectors);
        let mut firing = Firing::new(setting, place, work, std::mem::take(&mut done.counts));
        let result = firing.all(fresh);
        done.counts = firing.into_counts();
        result
    }

    /// Goes on from these constraints on all threads. Gives the number of words that they found.
    fn together(&mut self, wave: Stretch<'_>) -> Result<usize, Halt> {
        self.task.parts.iter_mut().for_each(ThreadPart::clear);
        let result = self.wave(wave);
        if result.is_err() {
            shares::take_back(self.state, self.task.parts);
        }
        result
    }

    fn wave(&mut self, wave: Stretch<'_>) -> Result<usize, Halt> {
        let watch = self.state.watch();
        let setting = self.setting(&watch, self.steps - self.done.counts.firings);
        let Self { state, task, steps, least, done } = self;
        let size = wave.len().div_ceil(task.threads * PARTS).max(*least);
        task.parts.resize_with(task.parts.len().max(wave.len().div_ceil(size)), ThreadPart::default);
        let (rules, registers) = (state.plan.rules.len(), task.regs.len());
        let (tables, heap, filters) = (&state.tables, &state.heap, state.filters());
        let parts = task.parts.par_iter_mut().zip(wave.chunks(size));
        let any_order = task.how.any_order;
        let most = task.threads * MOST_WORDS / wave.len().div_ceil(size);
        let found = parts.try_for_each(|(part, fresh)| {
            if watch.calls() {
                return Err(Halt::Watch);
            }
            let mut regs = vec![0; registers];
            let mut vectors = std::mem::take(&mut part.vectors);
            let place = ThreadList::new(tables, heap, filters, (&watch, any_order), (part, most));
            let mut firing = Firing::new(setting, place, (&mut regs, &mut vectors), FiringCounts::new(rules));
            firing.all(fresh)?;
            (part.counts, part.vectors) = (firing.into_counts(), vectors);
            Ok(())
        });
        // One thread may need less memory.
        let is_short = matches!(found, Err(Halt::Watch)) && watch.of_run.look().is_ok();
        if is_short { Err(Halt::Alone) } else { found }?;
        let parts = &task.parts[..wave.len().div_ceil(size)];
        let words = parts.iter().map(ThreadPart::words).sum();
        parts.iter().for_each(|part| done.counts.append(&part.counts));
        if done.counts.firings > *steps {
            return Err(Halt::General);
        }
        shares::store(state, parts, &mut done.added).map_err(Halt::Full)?;
        parts.iter().try_for_each(|part| part.store(state, &mut done.added)).map_err(Halt::Full)?;
        Ok(words)
    }

    fn setting<'s>(&self, watch: &'s RoundWatch<'s>, steps: u64) -> Setting<'s, 'a>
    where
        'w: 's,
    {
        let RoundsState { program, plan, code, .. } = &*self.state;
        Setting {
            program,
            plan,
            code,
            strategy: self.task.strategy,
            watch,
            any_order: self.task.how.any_order,
            steps,
        }
    }
}
