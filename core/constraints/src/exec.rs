//! Runs a constraint program on the CPU under the refined operational semantics (Duck, Stuckey, García de la Banda,
//! Holzbaur: The Refined Operational Semantics of Constraint Handling Rules, 2004).
//!
//! [`run`] flattens the plan into instructions, adds the facts in order, then executes the queries on one store. The
//! order of rule tries is that of SWI-Prolog's library(chr); `docs/plan-constraints.md` says how far.

pub(crate) mod added;
#[doc(hidden)]
pub mod code;
pub(crate) mod column;
pub(crate) mod common;
pub(crate) mod errors;
pub(crate) mod evaluate;
mod exchange;
mod flatten;
mod history;
pub(crate) mod image;
pub(crate) mod index;
pub(crate) mod machine;
pub(crate) mod round;
pub(crate) mod search;
pub mod start;
pub(crate) mod step;
mod store;
pub(crate) mod storing;
pub(crate) mod table;
mod tally;
#[cfg(test)]
mod tests;
mod views;

/// What an engine that executes plans on the processor in another way shares with the interpreter: the instructions,
/// the store, the heap, looks at the control, and the errors.
pub mod engine {
    pub use super::common::Stop;
    pub use super::index::Chain;
    pub use super::machine::{Engine, Goals, Trial, try_run};
    pub use super::storing::Storing;
    pub use super::views::Views;
}

pub use errors::{column_text, variable_text};
pub use evaluate::is_evaluated;
pub use exchange::RowList;
pub use image::Unrestored;
pub use store::{Frame, Row, Rows, Store, trace_constraint};

use std::time::Instant;

use crate::ir::ChrPlan;
use common::{End, Stop};
use gchr_base::control::Control;
use gchr_base::derivation::Cause;
use gchr_base::error::{RunError, StopReason};
use gchr_base::facts::Facts;
use gchr_base::ids::Id;
use gchr_base::rule::{Program, Semantics};
use gchr_base::signature::SortKind;
use gchr_base::stats::Stats;
use gchr_base::value::Heap;
use gchr_base::value::heap::HeapFull;
use machine::Machine;

/// A run that reached its end.
#[derive(Debug)]
pub struct Outcome {
    /// The final store.
    pub store: Store,
    /// What it cost.
    pub stats: Stats,
}

/// A run that stopped before its end.
#[derive(Debug)]
pub struct Stopped {
    /// Why.
    pub error: RunError,
    /// The store at that moment, with the constraint that was active.
    pub store: Store,
    /// What it cost.
    pub stats: Stats,
}

/// Runs `program` by its plan: adds `facts`, then executes the queries.
pub fn run(
    program: &Program,
    plan: &ChrPlan,
    facts: &[Facts],
    control: &mut Control,
) -> Result<Outcome, Box<Stopped>> {
    let start = Instant::now();
    let mut heap = Heap::new();
    let (code, usable) = common::code(program, plan, &mut heap);
    let mut machine = Machine::new(program, plan, &code, heap, control);
    let result = match usable {
        Ok(()) => execute(&mut machine, facts),
        Err(reason) => Err(machine.stop(reason)),
    };
    machine.report();
    let (progress, peak) = (machine.progress(), machine.peak);
    let store = Store { tables: machine.tables, heap: machine.heap };
    let end = End { start, semantics: Semantics::Refined, progress, peak, store };
    end.outcome(result, Stats::default())
}

/// Adds the facts and executes the queries.
pub(crate) fn execute(machine: &mut Machine, facts: &[Facts]) -> Result<(), Stop> {
    for (number, batch) in facts.iter().enumerate() {
        add_facts(machine, number, batch)?;
    }
    (0..machine.code.queries.len()).try_for_each(|query| machine.query(query))
}

fn add_facts(machine: &mut Machine, number: usize, facts: &Facts) -> Result<(), Stop> {
    let constraint = facts.constraint.index();
    let kinds = machine.tables[constraint].kinds.clone();
    let mut args = vec![0; kinds.len()];
    for row in 0..facts.rows {
        if let Err(error) = read_fact(&mut machine.heap, facts, row, &kinds, &mut args) {
            let reason = error.reason(row, |column| machine.column_name(facts.constraint, column));
            return Err(machine.stop(reason));
        }
        machine.begin(Cause::Fact { batch: number as u32, row: row as u64 });
        machine.activate(constraint, &args)?;
    }
    Ok(())
}

/// Why a fact cannot be stored.
enum FactError {
    /// The heap is full.
    Full(HeapFull),
    /// The value of this column does not fit it.
    Column(usize),
}

impl FactError {
    fn reason(self, row: usize, name: impl Fn(usize) -> String) -> StopReason {
        match self {
            FactError::Full(full) => full.reason(),
            FactError::Column(column) => {
                StopReason::Column { column: name(column), value: format!("the value in row {}", row + 1) }
            }
        }
    }
}

/// The words of a fact.
fn read_fact(
    heap: &mut Heap,
    facts: &Facts,
    row: usize,
    kinds: &[SortKind],
    args: &mut [u64],
) -> Result<(), FactError> {
    for (column, (arg, &kind)) in args.iter_mut().zip(kinds).enumerate() {
        *arg = match facts.columns.get(column).and_then(|values| values.word(row, kind, heap)) {
            Some(Ok(word)) => word,
            Some(Err(full)) => return Err(FactError::Full(full)),
            None => return Err(FactError::Column(column)),
        };
    }
    Ok(())
}
