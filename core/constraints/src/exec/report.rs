//! What a run says on its way: trace lines, program output, errors with their operands.

use super::code::{Code, Ins, OccurrenceCode, Pc};
use super::machine::{Frame, Machine, Stop};
use super::start::{write_output, written_word};
use super::step::{Trap, TrapKind};
use super::store::trace_constraint;
use crate::ir::ChrPlan;
use gchr_base::error::StopReason;
use gchr_base::op::Op;
use gchr_base::rule::Role;
use gchr_base::signature::{ConstraintId, Signature, SortKind, TypeId};
use gchr_base::value::{Heap, Terms, Value};

impl Machine<'_, '_> {
    fn value(&self, kind: SortKind, word: u64) -> Value<'_> {
        Terms { signature: &self.program.signature, heap: &self.heap }.value(kind, word)
    }

    /// One line a firing: rule, kept constraints, `\`, removed constraints, each with its id.
    pub(crate) fn trace(&mut self, frame: &Frame, occurrence: &OccurrenceCode) {
        if !self.control.traces() {
            return;
        }
        let rule = &self.plan.rules[occurrence.rule];
        let mut line = format!("{}:", rule.name);
        for role in [Role::Kept, Role::Removed] {
            if role == Role::Removed && rule.heads.iter().any(|h| h.role == role) {
                line.push_str(" \\");
            }
            for (head, plan) in rule.heads.iter().enumerate().filter(|(_, h)| h.role == role) {
                line.push(' ');
                let row = self.row_of_head(frame, occurrence, head);
                self.trace_head(&mut line, frame, plan.constraint, row);
            }
        }
        self.control.trace_line(&line);
    }

    fn trace_head(&self, line: &mut String, frame: &Frame, constraint: ConstraintId, row: Option<u32>) {
        let table = &self.tables[constraint.0 as usize];
        let word = |column: usize| match row {
            Some(row) => table.columns[column].get(row),
            None => self.stack[frame.base + column],
        };
        let values = table.kinds.iter().enumerate().map(|(c, &kind)| self.value(kind, word(c)));
        let name = &self.program.signature.constraints[constraint].name;
        let id = row.map_or(frame.id, |row| table.ids.get(row));
        trace_constraint(line, name, values, id);
    }

    /// Program output.
    pub(crate) fn effect(&mut self, frame: &Frame, pc: Pc) -> Result<(), Stop> {
        let word = written_word(self.code, &self.stack[frame.base..], pc);
        let terms = Terms { signature: &self.program.signature, heap: &self.heap };
        let result = write_output(self.control.out(), self.code, terms, pc, word);
        result.map_err(|error| self.stop_at(error.into(), pc))
    }

    /// A trap as a stopped run.
    pub(crate) fn trapped(&self, frame: &Frame, trap: Trap) -> Stop {
        let reason = self.error_formatter().reason(&self.stack[frame.base..], trap);
        self.stop_at(reason, trap.pc)
    }

    /// `argument 2 of edge/3 (int)`.
    pub(crate) fn column_name(&self, constraint: ConstraintId, column: usize) -> String {
        self.error_formatter().column_name(constraint, column)
    }

    fn error_formatter(&self) -> ErrorFormatter<'_> {
        let Self { program, plan, code, heap, .. } = self;
        ErrorFormatter { signature: &program.signature, plan, code, heap }
    }
}

/// What is needed to put errors into words.
#[derive(Clone, Copy)]
pub(crate) struct ErrorFormatter<'a> {
    pub(crate) signature: &'a Signature,
    pub(crate) plan: &'a ChrPlan,
    pub(crate) code: &'a Code,
    pub(crate) heap: &'a Heap,
}

impl ErrorFormatter<'_> {
    /// Why an instruction had no result, given the registers.
    pub(crate) fn reason(&self, regs: &[u64], trap: Trap) -> StopReason {
        let pc = trap.pc;
        let ins = self.code.ins[pc as usize];
        let kinds = self.code.sites[pc as usize].kinds;
        let terms = Terms { signature: self.signature, heap: self.heap };
        let reg = |r: u32, kind| terms.value(kind, regs[r as usize]).shown();
        match trap.kind {
            TrapKind::Arithmetic(error) => {
                let (op, operands) = match ins {
                    Ins::AddConst { a, n, .. } if n < 0 => {
                        (Op::Sub, vec![reg(a, kinds[0]), n.unsigned_abs().to_string()])
                    }
                    Ins::AddConst { a, n, .. } => (Op::Add, vec![reg(a, kinds[0]), n.to_string()]),
                    Ins::Add { a, b, .. } => (Op::Add, vec![reg(a, kinds[0]), reg(b, kinds[1])]),
                    Ins::Sub { a, b, .. } => (Op::Sub, vec![reg(a, kinds[0]), reg(b, kinds[1])]),
                    Ins::Int { a, b, op, .. }
                    | Ins::Float { a, b, op, .. }
                    | Ins::Num { a, b, op, .. }
                    | Ins::AnyTest { a, b, op, .. } => {
                        let mut operands = vec![reg(a, kinds[0]), reg(b, kinds[1])];
                        operands.truncate(op.arity());
                        (op, operands)
                    }
                    _ => (Op::Add, Vec::new()),
                };
                StopReason::Arithmetic { op, error, operands }
            }
            TrapKind::Column => {
                let value = match ins {
                    Ins::Narrow { src, .. } | Ins::Check { src, .. } => reg(src, kinds[0]),
                    _ => String::new(),
                };
                StopReason::Column { column: self.column_text(pc), value }
            }
            TrapKind::HeapFull(full) => full.reason(),
            TrapKind::AddsFull(shortage) => shortage.of("the constraints that bodies add"),
            TrapKind::Shared => StopReason::Internal { what: "a shared heap was to be changed".into() },
        }
    }

    /// The column for which an instruction converts: that of the call which takes its result.
    fn column_text(&self, pc: Pc) -> String {
        let (dst, kind) = match self.code.ins[pc as usize] {
            Ins::Check { ty, column, .. } => return self.typed_column_text(pc, ty, column),
            Ins::Narrow { dst, kind, .. } => (dst, kind),
            _ => return "a column".into(),
        };
        let later = &self.code.ins[pc as usize..];
        for ins in later {
            match *ins {
                Ins::Call { call } | Ins::CallLast { call } => {
                    let call = &self.code.calls[call as usize];
                    if let Some(column) = call.args.iter().position(|&r| r == dst) {
                        return self.column_name(call.constraint, column);
                    }
                    break;
                }
                Ins::End => break,
                _ => {}
            }
        }
        variable_text(kind)
    }

    /// The column of the next call that has a declared type.
    fn typed_column_text(&self, pc: Pc, ty: TypeId, column: u16) -> String {
        let call = self.code.ins[pc as usize..].iter().find_map(|ins| match ins {
            Ins::Call { call } | Ins::CallLast { call } => Some(&self.code.calls[*call as usize]),
            _ => None,
        });
        let name = call.map_or("a constraint", |call| &self.plan.tables[call.constraint].name);
        format!("argument {} of {name} ({})", column + 1, self.signature.column_types.types[ty].name)
    }

    /// `argument 2 of edge/3 (int)`.
    pub(crate) fn column_name(&self, constraint: ConstraintId, column: usize) -> String {
        column_text(self.plan, constraint, column)
    }
}

/// A column in messages: `argument 2 of edge/3 (int)`.
pub fn column_text(plan: &ChrPlan, constraint: ConstraintId, column: usize) -> String {
    let table = &plan.tables[constraint];
    format!("argument {} of {} ({})", column + 1, table.name, table.columns[column].kind.type_name())
}

/// A variable that only values of one kind fit, in messages.
pub fn variable_text(kind: SortKind) -> String {
    format!("a variable of type {}", kind.type_name())
}
