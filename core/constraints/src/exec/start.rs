//! What runs start with: the constraints that facts and goals add, evaluated without rules.
//!
//! Goals only build values and see no constraints, so that every executor evaluates them by the same code: the CPU adds
//! what they give to its store (`StartSink`), and backends that run elsewhere take it as words ([`start_rows`]).

use std::io::{self, Write};

use super::code::{Code, Ins, Pc};
use super::common::{self, Stop};
use super::errors::ErrorFormatter;
use super::exchange::RowList;
use super::flatten::flatten_queries;
use super::step::{EvalCtx, Flow, Trap};
use crate::ir::{ChrPlan, ColumnPlan, TablePlan};
use gchr_base::control::{Control, Progress};
use gchr_base::error::{RunError, StopReason};
use gchr_base::facts::{FactColumn, Facts};
use gchr_base::ids::Id;
use gchr_base::limited::Limited;
use gchr_base::memory::{self, Shortage};
use gchr_base::rule::Program;
use gchr_base::signature::{Signature, SortKind};
use gchr_base::value::heap::HeapFull;
use gchr_base::value::{Heap, Terms};

/// Facts, or goals, between two polls of the control.
const POLL_FACTS: usize = 1 << 14;

/// What takes the constraints and the output of facts and goals.
pub(super) trait StartSink {
    /// What instructions are evaluated with.
    fn context(&mut self) -> EvalCtx<'_, &mut Heap>;
    /// Takes a constraint of a table.
    fn add(&mut self, table: usize, args: &[u64]) -> Result<(), Stop>;
    /// Takes the output of an instruction, whose value is the word.
    fn write(&mut self, pc: Pc, word: u64) -> Result<(), Stop>;
    /// Looks at limits and interrupts.
    fn poll(&mut self) -> Result<(), Stop>;
    /// A stop outside of any instruction.
    fn stop(&self, reason: StopReason) -> Stop;
    /// A stop at an instruction.
    fn stop_at(&self, reason: StopReason, pc: Pc) -> Stop;
    /// A stop at an instruction without a result.
    fn trapped(&self, regs: &[u64], trap: Trap) -> Stop;
}

/// Adds all facts of a batch, in their own order or in another one of their rows.
pub(super) fn add_facts(
    plan: &ChrPlan,
    facts: &Facts,
    order: Option<&[u32]>,
    sink: &mut impl StartSink,
) -> Result<(), Stop> {
    let kinds: Vec<SortKind> = plan.tables[facts.constraint].columns.iter().map(|c| c.kind).collect();
    let mut args = vec![0; kinds.len()];
    for number in 0..facts.rows {
        let row = order.map_or(number, |order| order[number] as usize);
        if let Err(error) = super::read_fact(sink.context().heap, facts, row, &kinds, &mut args) {
            let reason = error.reason(row, |column| super::column_text(plan, facts.constraint, column));
            return Err(sink.stop(reason));
        }
        sink.add(facts.constraint.index(), &args)?;
        if number % POLL_FACTS == 0 {
            sink.poll()?;
        }
    }
    Ok(())
}

/// Ranges of values that facts are ordered by: those of one are close enough.
const RANGES: usize = 1 << 12;

/// The rows of facts by the values of a column, in their own order where these are close to each other. `None` where
/// they are in such an order already, and where a value need not be one of its column's sort: the first that is not is
/// to be found first.
pub(super) fn by_column(
    table: &TablePlan,
    facts: &Facts,
    column: usize,
) -> Result<Option<Vec<u32>>, Shortage> {
    let fits = |(values, column): (&FactColumn, &ColumnPlan)| {
        use {FactColumn as Values, SortKind::*};
        let kind = column.kind;
        matches!(
            (values, kind),
            (Values::Int(_), Int)
                | (Values::Float(_), Float)
                | (Values::Atom(_), Atom)
                | (Values::Str(_), Str)
        )
    };
    let Some(FactColumn::Int(values)) = facts.columns.get(column) else { return Ok(None) };
    let (Some(least), Some(most)) = (values.iter().min(), values.iter().max()) else { return Ok(None) };
    let shift = (RANGES.leading_zeros() + 1).saturating_sub(most.abs_diff(*least).leading_zeros());
    let range = |value: i64| (value.abs_diff(*least) >> shift) as usize;
    let is_number = u32::try_from(facts.rows).is_ok();
    if !is_number
        || values.is_sorted_by_key(|&value| range(value))
        || !facts.columns.iter().zip(&table.columns).all(fits)
    {
        return Ok(None);
    }
    memory::ask(facts.rows as u64 * size_of::<u32>() as u64)?;
    let mut ends = vec![0; RANGES + 1];
    values.iter().for_each(|&value| ends[range(value) + 1] += 1);
    (0..RANGES).for_each(|at| ends[at + 1] += ends[at]);
    let mut order = vec![0; facts.rows];
    for (row, &value) in (0..).zip(values) {
        let place = &mut ends[range(value)];
        order[*place] = row;
        *place += 1;
    }
    Ok(Some(order))
}

/// Executes the goals of a query.
pub(super) fn run_goals(code: &Code, number: usize, sink: &mut impl StartSink) -> Result<(), Stop> {
    let query = &code.queries[number];
    let mut regs = vec![0; query.registers];
    let mut pc = query.body;
    for goal in 1_usize.. {
        if goal % POLL_FACTS == 0 {
            sink.poll()?;
        }
        let at = match sink.context().run(&mut regs, pc) {
            Ok(Flow::Done) => return Ok(()),
            Ok(Flow::Failed(at)) => return Err(sink.stop_at(StopReason::Failed, at)),
            Err(trap) => return Err(sink.trapped(&regs, trap)),
            Ok(Flow::Effect(at)) => at,
        };
        match code.ins[at as usize] {
            Ins::Call { call } | Ins::CallLast { call } => {
                let call = &code.calls[call as usize];
                let args: Vec<u64> = call.args.iter().map(|&r| regs[r as usize]).collect();
                sink.add(call.constraint.index(), &args)?;
            }
            _ => sink.write(at, written_word(code, &regs, at))?,
        }
        pc = at + 1;
    }
    Ok(())
}

/// The value that an instruction of output writes; 0 for one that writes a constant text.
pub(super) fn written_word(code: &Code, regs: &[u64], pc: Pc) -> u64 {
    match code.ins[pc as usize] {
        Ins::Write { src, .. } => regs[src as usize],
        _ => 0,
    }
}

/// Writes what an instruction of output writes.
pub(super) fn write_output(
    out: &mut dyn Write,
    code: &Code,
    terms: Terms<'_>,
    pc: Pc,
    word: u64,
) -> io::Result<()> {
    match code.ins[pc as usize] {
        Ins::Write { quoted, .. } => {
            let value = terms.value(code.sites[pc as usize].kinds[0], word);
            let written = if quoted { value.quoted() } else { value.plain() };
            write!(out, "{written}")
        }
        Ins::Newline => writeln!(out),
        _ => Ok(()),
    }
}

/// Constraints and output of one batch: the facts with the goals of the first query, or the goals of a further query.
#[derive(Debug, Default)]
pub struct StartBatch {
    /// The constraints in the order in which they are added.
    pub constraints: RowList,
    /// What the goals write.
    pub written: Vec<u8>,
}

/// What a run starts with, as words of one heap.
#[derive(Default)]
pub struct StartRows {
    /// The facts with the goals of the first query, then each further query.
    pub batches: Vec<StartBatch>,
    /// The heap that the words of all batches are of.
    pub heap: Heap,
    /// Why the goals of the last batch failed, if they did; the batch has what was added before.
    pub ended: Option<RunError>,
}

/// Evaluates the facts and the queries of a program up to the first failure. `plan` says what the columns of the tables
/// store.
pub fn start_rows(
    program: &Program,
    plan: &ChrPlan,
    facts: &[Facts],
    control: &mut Control<'_>,
) -> StartRows {
    let mut heap = Heap::new();
    let code = flatten_queries(program, plan, &mut heap);
    let code = code.map_err(HeapFull::reason);
    let none = Code::default();
    let (code, usable) = match &code {
        Ok(code) => (code, Ok(())),
        Err(reason) => (&none, Err(reason.clone())),
    };
    let signature = &program.signature;
    let batch = StartBatch::default();
    let mut rows = RowSink { signature, plan, code, control, heap, batch, live: 0, bytes: 0 };
    let mut batches = Vec::new();
    let mut ended = usable.map_err(|reason| rows.stop(reason)).err();
    for number in 0..code.queries.len().max(1) {
        if ended.is_none() {
            let facts = if number == 0 { facts } else { &[] };
            ended = rows.batch(facts, number).err();
        }
        let now = rows.progress();
        rows.control.record(now);
        batches.push(std::mem::take(&mut rows.batch));
        if ended.is_some() {
            break;
        }
    }
    StartRows { batches, heap: rows.heap, ended: ended.map(|error| *error) }
}

/// Keeps constraints as words.
struct RowSink<'a, 'c> {
    signature: &'a Signature,
    plan: &'a ChrPlan,
    code: &'a Code,
    control: &'a mut Control<'c>,
    heap: Heap,
    batch: StartBatch,
    live: u64,
    /// Bytes of all batches.
    bytes: u64,
}

impl RowSink<'_, '_> {
    fn batch(&mut self, facts: &[Facts], number: usize) -> Result<(), Stop> {
        let plan = self.plan;
        for facts in facts {
            add_facts(plan, facts, None, self)?;
        }
        if number < self.code.queries.len() {
            run_goals(self.code, number, self)?;
        }
        self.poll()
    }

    fn progress(&self) -> Progress {
        Progress { steps: 0, bytes: self.bytes + self.heap.bytes(), live: self.live }
    }
}

impl StartSink for RowSink<'_, '_> {
    fn context(&mut self) -> EvalCtx<'_, &mut Heap> {
        EvalCtx { code: self.code, signature: self.signature, tables: &[], heap: &mut self.heap }
    }

    fn add(&mut self, table: usize, args: &[u64]) -> Result<(), Stop> {
        self.bytes += size_of_val(args) as u64;
        self.live += 1;
        self.batch.constraints.push(Id::from_index(table), args);
        Ok(())
    }

    fn write(&mut self, pc: Pc, word: u64) -> Result<(), Stop> {
        let terms = Terms { signature: self.signature, heap: &self.heap };
        let mut out = Limited::new(&mut self.batch.written, self.control.watch().clone());
        if let Some(limit) = self.control.limits().memory {
            let reason = StopReason::Memory { limit, what: "what queries write".into() };
            out = out.up_to(limit.saturating_sub(self.bytes), reason);
        }
        let result = write_output(&mut out, self.code, terms, pc, word);
        self.bytes += out.written();
        result.map_err(|error| self.stop_at(error.into(), pc))
    }

    fn poll(&mut self) -> Result<(), Stop> {
        let progress = self.progress();
        if let Some(limit) = self.control.limits().memory.filter(|&limit| progress.bytes > limit) {
            return Err(self.stop(StopReason::Memory { limit, what: "facts and queries".into() }));
        }
        match self.control.poll(progress) {
            Ok(()) | Err(StopReason::Steps { .. }) => Ok(()),
            Err(reason) => Err(self.stop(reason)),
        }
    }

    fn stop(&self, reason: StopReason) -> Stop {
        common::stop(self.plan, None, reason, self.progress())
    }

    fn stop_at(&self, reason: StopReason, pc: Pc) -> Stop {
        common::stop_at(self.code, pc, reason, self.progress())
    }

    fn trapped(&self, regs: &[u64], trap: Trap) -> Stop {
        let error_formatter =
            ErrorFormatter { signature: self.signature, plan: self.plan, code: self.code, heap: &self.heap };
        self.stop_at(error_formatter.reason(regs, trap), trap.pc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_base::signature::Density;

    fn ordered(values: Vec<i64>, kind: SortKind) -> Option<Vec<u32>> {
        let columns = vec![ColumnPlan { kind, density: Density::Sparse }];
        let (indexes, occurrences, removed_by) = (Vec::new(), Vec::new(), Vec::new());
        let table =
            TablePlan { name: "t/1".into(), columns, indexes, occurrences, removed_by, any_order: true };
        let rows = values.len();
        let facts = Facts { constraint: Id::from_index(0), columns: vec![FactColumn::Int(values)], rows };
        by_column(&table, &facts, 0).expect("there is memory")
    }

    #[test]
    fn facts_are_ordered_by_a_column() {
        let int = SortKind::Int;
        assert_eq!(ordered(vec![3, 1, 2, 1], int), Some(vec![1, 3, 2, 0]));
        assert_eq!(ordered(vec![i64::MAX, 0, i64::MIN], int), Some(vec![2, 1, 0]));
        // Neighbours keep their order where there are many values.
        let far = 1 << 30;
        assert_eq!(ordered(vec![far, 2, 1, 0], int), Some(vec![1, 2, 3, 0]));
        for sorted in [vec![], vec![5], vec![1, 1, 2], vec![2, 1, far]] {
            assert_eq!(ordered(sorted, int), None);
        }
        assert_eq!(ordered(vec![2, 1], SortKind::Atom), None, "a value that does not fit is found first");
    }
}
