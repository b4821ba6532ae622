//! What a run starts with: the constraints of facts and queries, evaluated on the CPU, and their terms.

use gchr_base::control::Control;
use gchr_base::error::RunError;
use gchr_base::facts::Facts;
use gchr_base::rule::Program;
use gchr_base::signature::SortKind;
use gchr_base::value::Heap;
use gchr_base::value::heap::{Import, ImportError};
use gchr_constraints::exec::RowList;
use gchr_constraints::exec::start::start_rows;
use gchr_constraints::plan::ChrPlan;

use crate::layout::Layout;

/// Constraints that are added at once, in the order of their ids.
pub type Batch = RowList;

/// What a run starts with.
#[derive(Default)]
pub struct Input {
    /// The facts with the goals of the first query, then each further query.
    pub batches: Vec<Batch>,
    /// What the goals of each batch write, before its rounds.
    pub written: Vec<Vec<u8>>,
    /// The heap that the words of all batches are of.
    pub heap: Heap,
    /// Why the query of the last batch failed, if it did: after the rounds of the batches before it, the run stops with
    /// what the query has added.
    pub ended: Option<RunError>,
}

impl Input {
    /// Gives all words their values in another heap, which takes the terms.
    pub(crate) fn rename(&mut self, layout: &Layout, heap: &mut Heap) -> Result<(), ImportError> {
        let mut import = Import::new(self.heap.cells());
        for batch in &mut self.batches {
            for (table, of_table) in layout.tables.iter_enumerated() {
                let columns = batch.columns_mut(table).iter_mut().zip(&of_table.columns);
                for word in columns.filter(|(_, kind)| **kind == SortKind::Any).flat_map(|(column, _)| column)
                {
                    *word = import.word(heap, *word)?;
                }
            }
        }
        Ok(())
    }
}

/// The batches of a program, up to a query that fails.
pub fn input(program: &Program, plan: &ChrPlan, facts: &[Facts], control: &mut Control<'_>) -> Input {
    let rows = start_rows(program, plan, facts, control);
    let (batches, written) = rows.batches.into_iter().map(|b| (b.constraints, b.written)).unzip();
    Input { batches, written, heap: rows.heap, ended: rows.ended }
}
