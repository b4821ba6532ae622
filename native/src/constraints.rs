//! Native code for plans of constraint programs under the refined semantics: a function for each constraint symbol, its
//! activation, that tries the occurrences one after the other.
//!
//! The source is the interpreter's code, the store is the interpreter's, too: searches read tables where they are, all
//! that changes the store is done by [`Engine`].

mod fire;
mod lower;
mod machine;
mod operate;
mod search;
mod tables;
#[cfg(test)]
mod tests;

use std::time::Instant;

use gchr_base::control::Control;
use gchr_base::facts::Facts;
use gchr_base::rule::Program;
use gchr_base::signature::SortKind;
use gchr_constraints::exec::code::{self, Ins};
use gchr_constraints::exec::engine::{Chain, Engine, Storing};
use gchr_constraints::exec::{Outcome, Stopped};
use gchr_constraints::ir::ChrPlan;

use crate::code::{Code, Refused, Source};
use crate::emit::Emit;
use crate::function::{Func, Kind, Signature};
use crate::stack::Stack;
use lower::Lower;
use machine::Machine;

/// Why a run did not come to its end.
#[derive(Debug)]
pub enum Unfinished {
    /// The program or a limit stopped it.
    Stopped(Box<Stopped>),
    /// There is no native code for the program, or some function could not be compiled: the run is to be repeated in
    /// another way. It has written nothing.
    Refused(Refused),
}

/// What functions are lowered from.
struct Activations<'a> {
    code: &'a code::Code,
    storing: Storing,
    tables: Vec<TableLayout>,
    /// Whether a run may have to collect terms.
    has_terms: bool,
}

/// Where a table is, and what it looks like.
struct TableLayout {
    kinds: Vec<SortKind>,
    ids: usize,
    columns: Vec<usize>,
    indexes: Vec<IndexLayout>,
}

/// The same of an index.
struct IndexLayout {
    view: usize,
    columns: usize,
    chain: Chain,
    is_list: bool,
    is_set: bool,
}

impl Source for Activations<'_> {
    fn emit(&self, function: Func, emit: &mut Emit<'_>) {
        Lower::new(emit, self, function.0 as usize).activation();
    }
}

impl<'a> Activations<'a> {
    fn new(plan: &ChrPlan, code: &'a code::Code, engine: &mut Engine<'_, '_>) -> Self {
        let mut tables = Vec::new();
        for (t, table) in plan.tables.iter().enumerate() {
            let mut indexes = Vec::new();
            for (i, index) in table.indexes.iter().enumerate() {
                let (chain, is_list, is_set) =
                    (engine.chain(t, i), engine.is_list(t, i), engine.is_set(t, i));
                let (view, columns) = (engine.views().index(t, i), index.columns.len());
                indexes.push(IndexLayout { view, columns, chain, is_list, is_set });
            }
            let kinds: Vec<SortKind> = table.columns.iter().map(|column| column.kind).collect();
            let views = engine.views();
            let columns = (0..kinds.len()).map(|column| views.column(t, column)).collect();
            tables.push(TableLayout { ids: views.ids(t), columns, indexes, kinds });
        }
        let of_terms = tables.iter().any(|table| table.kinds.contains(&SortKind::Any));
        let has_terms = of_terms || code.ins.iter().any(|ins| may_set_term(code, *ins));
        Self { code, storing: Storing::new(plan, code), tables, has_terms }
    }
}

/// Whether an instruction may set a register to a value on the heap.
fn may_set_term(code: &code::Code, ins: Ins) -> bool {
    match ins {
        Ins::ToAny { .. } | Ins::Build { .. } | Ins::Repeat { .. } | Ins::Field { .. } => true,
        Ins::FromAny { kind, .. } => kind == SortKind::Any,
        Ins::Num { .. } => code.sites.iter().any(|site| site.result == SortKind::Any),
        _ => false,
    }
}

/// Runs `program` by its plan as [`gchr_constraints::exec::run`] does, with native code. Traces and records nothing.
pub fn run(
    program: &Program,
    plan: &ChrPlan,
    facts: &[Facts],
    control: &mut Control<'_>,
) -> Result<Outcome, Unfinished> {
    let start = Instant::now();
    let Some((instructions, heap)) = Engine::code(program, plan) else {
        return Err(Unfinished::Refused(Refused::Size));
    };
    let memory = control.limits().memory.unwrap_or(u64::MAX >> 1);
    let mut engine = Engine::new(program, plan, &instructions, heap, control);
    let activations = Activations::new(plan, &instructions, &mut engine);
    let signature =
        |table: &TableLayout| Signature { params: vec![Kind::Word; table.kinds.len()], result: Kind::Word };
    let signatures = activations.tables.iter().map(signature).collect();
    let code = Code::new(signatures, activations, cfg!(debug_assertions)).map_err(Unfinished::Refused)?;
    // What is written cannot be taken back.
    if instructions.ins.iter().any(|ins| ins.writes()) {
        code.compile_all().map_err(Unfinished::Refused)?;
    }
    let stack = Stack::new(memory).ok_or_else(|| Unfinished::Refused(Refused::Memory("no stack".into())))?;
    let mut machine = Machine::new(engine, &code, stack);
    let queries = instructions.queries.len();
    let result = facts.iter().try_for_each(|facts| machine.facts(facts));
    let result = result.and_then(|()| (0..queries).try_for_each(|query| machine.query(query)));
    if let Some(why) = machine.refused() {
        return Err(Unfinished::Refused(why));
    }
    let native_ms = Some(code.compile_time().as_secs_f64() * 1e3);
    match machine.into_engine().outcome(start, result) {
        Ok(mut outcome) => {
            outcome.stats.native_ms = native_ms;
            Ok(outcome)
        }
        Err(mut stopped) => {
            stopped.stats.native_ms = native_ms;
            Err(Unfinished::Stopped(stopped))
        }
    }
}
