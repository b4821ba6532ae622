//! Errors of instructions in words, with their operands and the columns that they were for.

use super::code::{Code, Ins, Pc};
use super::step::{Trap, TrapKind};
use crate::ir::ChrPlan;
use gchr_base::error::StopReason;
use gchr_base::op::Op;
use gchr_base::signature::{ConstraintId, Signature, SortKind, TypeId};
use gchr_base::value::{Heap, Terms};

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
