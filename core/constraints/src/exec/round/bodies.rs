//! Instances and their bodies: what is loaded into registers, and what bodies add and write.

use super::state::Written;
use crate::exec::code::{Ins, OccurrenceCode, Pc};
use crate::exec::step::{Cells, EvalCtx, Flow, Trap, TrapKind};
use crate::exec::table::Table;
use gchr_base::hash::HashSet;
use gchr_base::ids::Id;
use gchr_base::memory::{self, Shortage};
use gchr_base::rule::VarId;

/// Constraints that bodies add, in order: for each its table and its arguments; and what they write.
#[derive(Default)]
pub(crate) struct Adds {
    words: Vec<u64>,
    /// Output waits until the round is part of the run.
    pub(crate) written: Vec<Written>,
}

impl Adds {
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.written.clear();
    }
    pub(crate) fn bytes(&self) -> u64 {
        (self.words.capacity() * 8 + self.written.capacity() * size_of::<Written>()) as u64
    }
    pub(crate) fn push(
        &mut self,
        table: usize,
        args: impl ExactSizeIterator<Item = u64>,
    ) -> Result<(), Shortage> {
        memory::reserve(&mut self.words, 1 + args.len())?;
        self.words.push(table as u64);
        self.words.extend(args);
        Ok(())
    }
    /// The constraint that begins at a place, and where the next one begins.
    pub(crate) fn get(&self, tables: &[Table], at: usize) -> (usize, &[u64], usize) {
        let table = self.words[at] as usize;
        let end = at + 1 + tables[table].columns.len();
        (table, &self.words[at + 1..end], end)
    }
    /// Puts the parts of the end that begin at these places, and of which the last ends it, in another order.
    pub(crate) fn reorder(&mut self, starts: &[u32], order: impl Iterator<Item = usize>) {
        let Some(&first) = starts.first() else { return };
        let tail = self.words.split_off(first as usize);
        let part = |i: usize| {
            let end = starts.get(i + 1).map_or(tail.len(), |&e| (e - first) as usize);
            &tail[(starts[i] - first) as usize..end]
        };
        order.for_each(|i| self.words.extend_from_slice(part(i)));
    }
}

/// Loads the constraints of an instance into registers as a search leaves them: the arguments of the newest one, then
/// for each level its row and what is computed on it.
pub(crate) fn load_instance<H: Cells>(
    ctx: &mut EvalCtx<'_, H>,
    regs: &mut [u64],
    occurrence: &OccurrenceCode,
    active: (usize, u32),
    rows: &[u32],
) -> Result<(), Trap> {
    load_active(ctx.tables, regs, active);
    let holds = |flow: Flow| debug_assert!(matches!(flow, Flow::Done), "an instance holds");
    if let Some(pc) = occurrence.entry {
        holds(ctx.run(regs, pc)?);
    }
    for (level, &row) in occurrence.levels.iter().zip(rows) {
        if let Some(pc) = level.key {
            holds(ctx.run(regs, pc)?);
        }
        regs[level.row as usize] = u64::from(row);
        for &(dst, column) in &level.loads {
            regs[dst as usize] = ctx.tables[level.table].columns[column as usize].get(row);
        }
        if let Some(pc) = level.check {
            holds(ctx.run(regs, pc)?);
        }
    }
    if let Some(pc) = occurrence.commit {
        holds(ctx.run(regs, pc)?);
    }
    Ok(())
}

/// The arguments of the newest constraint into the first registers.
pub(crate) fn load_active(tables: &[Table], regs: &mut [u64], (table, row): (usize, u32)) {
    for (reg, column) in regs.iter_mut().zip(&tables[table].columns) {
        *reg = column.get(row);
    }
}

/// How a body ended.
pub(crate) enum BodyEnd {
    Done,
    /// This goal does not hold, or this instruction has no result.
    Failed(Pc),
    Trapped(Trap),
}

/// Runs a body for what it adds and writes.
pub(crate) fn run_body<H: Cells>(
    ctx: &mut EvalCtx<'_, H>,
    regs: &mut [u64],
    mut pc: Pc,
    adds: &mut Adds,
) -> BodyEnd {
    loop {
        match ctx.run(regs, pc) {
            Ok(Flow::Done) => return BodyEnd::Done,
            Ok(Flow::Failed(at)) => return BodyEnd::Failed(at),
            Err(trap) => return BodyEnd::Trapped(trap),
            Ok(Flow::Effect(at)) => {
                match ctx.code.ins[at as usize] {
                    Ins::Call { call } | Ins::CallLast { call } => {
                        let call = &ctx.code.calls[call as usize];
                        let args = call.args.iter().map(|&r| regs[r as usize]);
                        if let Err(shortage) = adds.push(call.constraint.index(), args) {
                            return BodyEnd::Trapped(Trap { pc: at, kind: TrapKind::AddsFull(shortage) });
                        }
                    }
                    _ => adds.written.push(Written::new(ctx.code, regs, at)),
                }
                pc = at + 1;
            }
        }
    }
}

/// Whether a guard that raised an error holds not at all: another of its conditions is false. One that needs a value
/// which the error has left out says nothing.
pub(crate) fn is_hidden<H: Cells>(
    ctx: &mut EvalCtx<'_, H>,
    regs: &mut [u64],
    occurrence: &OccurrenceCode,
) -> bool {
    let mut missing: HashSet<VarId> = HashSet::default();
    occurrence.commit_tests.iter().any(|test| {
        let is_known = !test.needs.iter().any(|var| missing.contains(var));
        match is_known.then(|| ctx.run(regs, test.code)) {
            Some(Ok(flow)) => matches!(flow, Flow::Failed(_)),
            None | Some(Err(_)) => {
                missing.extend(&test.binds);
                false
            }
        }
    })
}

/// Whether the error is one of the program, to be told when its turn comes, and not one of the executor.
pub(crate) fn is_of_program(trap: Trap) -> bool {
    matches!(trap.kind, TrapKind::Arithmetic(_) | TrapKind::Column)
}
