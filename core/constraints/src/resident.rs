//! A store that outlives runs: each run goes on with what the ones before it left, and a run that stops leaves the
//! store as it was.
//!
//! Constraints of earlier runs are never active again, so all that a rule finds afterwards has a new one among its
//! heads: neither semantics has to remember more than the tables, the heap and the next id. While a run goes on, tables
//! note what it takes from older constraints (`Table::note_from`), which is what returning to a moment needs.

mod image;

use std::time::Instant;

use crate::exec::code::Code;
use crate::exec::common::Stop;
use crate::exec::common::{self, End, Kept, KeptRun};
use crate::exec::machine::Machine;
use crate::exec::round::storing::RoundsStoring;
use crate::exec::storing::Storing;
use crate::exec::table::{Table, TableFull};
use crate::exec::{Store, execute};
use crate::ir::ChrPlan;
use crate::rounds;
use gchr_base::control::{Control, Progress};
use gchr_base::error::{RunError, StopReason};
use gchr_base::facts::Facts;
use gchr_base::rule::{Program, Semantics};
use gchr_base::signature::SortKind;
use gchr_base::stats::Stats;
use gchr_base::value::Heap;
use gchr_base::value::heap::HeapFull;

pub use image::Image;

/// A store that runs go on with.
pub struct Resident {
    store: Store,
    next_id: u64,
    /// Before each run that can be taken back, oldest first.
    moments: Vec<Moment>,
    /// How many runs can be taken back.
    depth: usize,
    /// The tables are those of another plan.
    is_stale: bool,
    /// Whether they keep what traces and records of derivations show.
    is_whole: bool,
}

/// A moment between two runs.
#[derive(Clone)]
struct Moment {
    next_id: u64,
    /// What each table had noted.
    noted: Vec<usize>,
}

/// A run that stopped. The store is what it was before it.
#[derive(Debug)]
pub struct Undone {
    /// Why.
    pub error: RunError,
    /// What it cost.
    pub stats: Stats,
}

/// Why a table cannot hold what another one held.
enum Misfit {
    Table(TableFull),
    Heap(HeapFull),
    Kind,
}

impl From<TableFull> for Misfit {
    fn from(full: TableFull) -> Self {
        Misfit::Table(full)
    }
}

impl Misfit {
    fn reason(self, table: &str) -> StopReason {
        match self {
            Misfit::Table(full) => full.reason(format!("constraints {table}; the store is lost")),
            Misfit::Heap(full) => full.reason(),
            Misfit::Kind => StopReason::Internal { what: format!("a column of {table} became narrower") },
        }
    }
}

impl Resident {
    /// An empty store. The last `depth` runs can be [taken back](Self::undo).
    pub fn new(depth: usize) -> Self {
        let store = Store { tables: Vec::new(), heap: Heap::new() };
        Self { store, next_id: 0, moments: Vec::new(), depth, is_stale: true, is_whole: false }
    }

    /// The store that runs elsewhere have left; constraints of further ones have ids from `next_id` on.
    pub fn of(store: Store, next_id: u64, depth: usize) -> Self {
        Self { store, next_id, ..Self::new(depth) }
    }

    /// The same store for runs on the processor, of which the last `depth` can be taken back.
    pub fn with_depth(self, depth: usize) -> Self {
        Self::of(self.store, self.next_id, depth)
    }

    /// Gives the columns the kinds that those of a plan have.
    pub fn fit(&mut self, plan: &ChrPlan) -> Result<(), StopReason> {
        let tables = Store::new(plan, Heap::new()).tables;
        self.adopt(tables)?;
        (self.is_stale, self.is_whole) = (true, false);
        Ok(())
    }

    /// The constraints that the last run left. Tables exist from the first run on.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// How many constraints got an id so far.
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    /// The next run is by another plan of a program with the same constraints; its columns hold at least the values
    /// that those of the former one hold.
    pub fn replan(&mut self) {
        self.is_stale = true;
    }

    /// Runs `facts`, then the queries of `program`, on the store.
    pub fn run(
        &mut self,
        program: &Program,
        plan: &ChrPlan,
        facts: &[Facts],
        control: &mut Control,
    ) -> Result<Stats, Box<Undone>> {
        let start = Instant::now();
        let mut heap = std::mem::take(&mut self.store.heap);
        let (code, usable) = common::code(program, plan, &mut heap);
        self.store.heap = heap;
        let semantics = plan.semantics;
        let ready = usable.and_then(|()| self.make_ready(plan, &code, control.sees_firings()));
        if let Err(reason) = ready {
            let progress = Progress { steps: 0, bytes: 0, live: common::live(&self.store.tables) };
            let error = *common::stop(plan, None, reason, progress);
            return Err(Box::new(Undone { error, stats: Stats::default() }));
        }
        self.remember();
        let kept = Kept {
            tables: std::mem::take(&mut self.store.tables),
            heap: std::mem::take(&mut self.store.heap),
            next_id: self.next_id,
        };
        let ran = match semantics {
            Semantics::Refined => run_refined(program, plan, &code, kept, facts, control),
            Semantics::Rounds => rounds::run_on(program, plan, &code, kept, facts, control),
        };
        let KeptRun { result, kept, progress, peak, stats } = ran;
        let Kept { tables, heap, next_id } = kept;
        // Statistics are about a store, and this one stays here.
        let collections = heap.collections();
        let none = Store { tables: Vec::new(), heap: Heap::new() };
        let end = End { start, semantics, progress, peak, store: none }.outcome(Ok(()), stats);
        let mut stats = end.map_or_else(|stopped| stopped.stats, |outcome| outcome.stats);
        stats.collections = Some(collections);
        (self.store, self.next_id) = (Store { tables, heap }, next_id);
        match result {
            Ok(()) => {
                self.forget();
                Ok(stats)
            }
            Err(error) => {
                let error = match self.undo(plan) {
                    Ok(_) => *error,
                    Err(lost) => *lost,
                };
                Err(Box::new(Undone { error, stats }))
            }
        }
    }

    /// Makes the store what it was before the last run that is not taken back; `false` where there is none.
    pub fn undo(&mut self, plan: &ChrPlan) -> Result<bool, Stop> {
        let Some(Moment { next_id, noted }) = self.moments.pop() else { return Ok(false) };
        let mut tables = self.store.tables.iter_mut().zip(noted);
        let full = tables.find_map(|(table, place)| {
            let full = table.return_to(next_id, place).err()?;
            Some(full.reason(format!("constraints {}; the store is lost", table.name)))
        });
        if let Some(reason) = full {
            *self = Self::new(self.depth);
            let progress = Progress { steps: 0, bytes: 0, live: 0 };
            return Err(common::stop(plan, None, reason, progress));
        }
        self.next_id = next_id;
        Ok(true)
    }

    /// How many runs can be taken back now.
    pub fn undoable(&self) -> usize {
        self.moments.len()
    }

    /// Tables for a plan, with what the former ones hold.
    fn make_ready(&mut self, plan: &ChrPlan, code: &Code, whole: bool) -> Result<(), StopReason> {
        if !self.is_stale && self.is_whole == whole {
            return Ok(());
        }
        let tables = match plan.semantics {
            Semantics::Refined => Storing::new(plan, code).tables(plan, whole),
            Semantics::Rounds => RoundsStoring::new(plan, code, whole).tables,
        };
        self.adopt(tables)?;
        (self.is_stale, self.is_whole) = (false, whole);
        Ok(())
    }

    /// Puts what the tables hold into others.
    fn adopt(&mut self, mut tables: Vec<Table>) -> Result<(), StopReason> {
        let heap = &mut self.store.heap;
        for (new, old) in tables.iter_mut().zip(std::mem::take(&mut self.store.tables)) {
            let (from, to) = (old.kinds.clone(), new.kinds.clone());
            let adopted: Result<(), Misfit> =
                new.adopt(old, |column, word| widened(heap, from[column], to[column], word));
            if let Err(misfit) = adopted {
                *self = Self::new(self.depth);
                return Err(misfit.reason(&new.name));
            }
        }
        self.store.tables = tables;
        Ok(())
    }

    fn remember(&mut self) {
        let noted = self.store.tables.iter().map(Table::noted).collect();
        self.moments.push(Moment { next_id: self.next_id, noted });
        // The mark 0 is for runs that note nothing: of a first run nothing is older.
        self.store.tables.iter_mut().for_each(|table| table.note_from(self.next_id));
    }

    /// Forgets what no moment needs.
    fn forget(&mut self) {
        while self.moments.len() > self.depth {
            self.moments.remove(0);
        }
        for (at, table) in self.store.tables.iter_mut().enumerate() {
            let place = self.moments.first().map_or(table.noted(), |moment| moment.noted[at]);
            if place > 0 {
                table.forget(place);
                self.moments.iter_mut().for_each(|moment| moment.noted[at] -= place);
            }
        }
    }
}

impl std::fmt::Debug for Resident {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resident").field("store", &self.store).finish_non_exhaustive()
    }
}

fn run_refined(
    program: &Program,
    plan: &ChrPlan,
    code: &Code,
    kept: Kept,
    facts: &[Facts],
    control: &mut Control,
) -> KeptRun {
    let mut machine = Machine::new(program, plan, code, kept.heap, control);
    machine.take_over(kept.tables, kept.next_id);
    let result = execute(&mut machine, facts);
    machine.report();
    let (progress, peak, next_id) = (machine.progress(), machine.peak, machine.next_id());
    let kept = Kept { tables: machine.tables, heap: machine.heap, next_id };
    KeptRun { result, kept, progress, peak, stats: Stats::default() }
}

/// The word of a column of another kind.
fn widened(heap: &mut Heap, from: SortKind, to: SortKind, word: u64) -> Result<u64, Misfit> {
    use gchr_base::signature::TextId;
    match (from, to) {
        _ if from == to => Ok(word),
        (SortKind::Int, SortKind::Any) => heap.int(word.cast_signed()).map_err(Misfit::Heap),
        (SortKind::Float, SortKind::Any) => heap.float(f64::from_bits(word)).map_err(Misfit::Heap),
        (SortKind::Atom, SortKind::Any) => Ok(Heap::atom(TextId(word as u32))),
        (SortKind::Str, SortKind::Any) => Ok(Heap::str(TextId(word as u32))),
        _ => Err(Misfit::Kind),
    }
}
