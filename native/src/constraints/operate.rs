//! Sequences of instructions.

use std::collections::BTreeMap;

use gchr_base::op::Op;
use gchr_base::signature::SortKind;
use gchr_constraints::exec::code::{Ins, Pc, Reg};

use super::lower::{Lower, Registers};
use super::machine::{TRAPPED, effect, fail, step, trap};
use crate::emit::{CheckedOp, Compare, Cond, Label, Val, WordOp};
use crate::function::Kind;

/// What becomes of instructions that do not hold, and of those without a result.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    /// A condition: where it does not hold, control goes elsewhere.
    Test(Label),
    /// A condition that is tried early: one without a result is decided later.
    Prune { fail: Label, ok: Label },
    /// A body: a goal that does not hold stops the run.
    Body,
}

/// Where jumps of a sequence meet what comes after what they jump over: in a label that is given the register.
struct Meeting {
    label: Label,
    register: Reg,
    before: Registers,
}

impl Lower<'_, '_, '_> {
    /// Emits the sequence at `pc` up to its end.
    pub(super) fn sequence(&mut self, mut pc: Pc, mode: Mode) {
        let mut meetings: BTreeMap<Pc, Meeting> = BTreeMap::new();
        loop {
            if let Some(Meeting { label, register, before }) = meetings.remove(&pc) {
                let value = self.get(register);
                self.e.jump(label, &[value]);
                let value = self.e.bind(label)[0];
                self.registers = before;
                self.set(register, value, false);
            }
            match self.p.code.ins[pc as usize] {
                Ins::End => return,
                Ins::JumpIf { a, truth, to } => {
                    let label = match meetings.get(&to) {
                        Some(meeting) => meeting.label,
                        None => self.e.label(&[Kind::Word]),
                    };
                    let before = self.registers.clone();
                    meetings.entry(to).or_insert(Meeting { label, register: a, before });
                    let on = self.e.label(&[]);
                    let value = self.get(a);
                    let how = if truth { Compare::NotEqual } else { Compare::Equal };
                    let jumps = self.e.compare_to(how, value, 0);
                    self.e.branch(jumps, (label, &[value]), (on, &[]));
                    self.e.bind(on);
                }
                ins => self.instruction(pc, ins, mode),
            }
            pc += 1;
        }
    }

    fn instruction(&mut self, pc: Pc, ins: Ins, mode: Mode) {
        match ins {
            Ins::Call { call } => self.call(&self.p.code.calls[call as usize]),
            Ins::CallLast { call } => {
                self.call_last(&self.p.code.calls[call as usize]);
                // The end of the sequence is never reached.
                let never = self.e.label(&[]);
                self.e.bind(never);
            }
            Ins::Write { .. } | Ins::Newline => {
                self.spill(ins.reads(self.p.code));
                let at = self.e.int(i64::from(pc));
                let status = self.e.helper(effect, &[at], &[]);
                self.stops_unless_zero(status);
            }
            Ins::Load { dst, row, table, column } => {
                let row = self.get(row);
                let value = self.column(table as usize, column as usize, row);
                let is_term = self.is_term_column(table as usize, column as usize);
                self.set(dst, value, is_term);
            }
            Ins::SameColumn { src, row, table, column } => {
                let (src, row) = (self.get(src), self.get(row));
                let value = self.column(table as usize, column as usize, row);
                self.holds_unless(Compare::NotEqual, value, src, pc, mode);
            }
            Ins::Const { dst, word } => {
                let value = self.e.int(word.cast_signed());
                self.set(dst, value, false);
            }
            Ins::Move { dst, src } => {
                let held = self.registers[&src];
                self.set(dst, held.value, held.is_term);
            }
            Ins::Fail => {
                let fails = self.e.holds(true);
                self.fails_if(fails, pc, mode);
            }
            _ if self.comparison(pc, ins, mode) || self.arithmetic(pc, ins, mode) => {}
            _ => self.step(pc, ins, mode),
        }
    }

    pub(super) fn is_term_column(&self, table: usize, column: usize) -> bool {
        self.p.tables[table].kinds[column] == SortKind::Any
    }

    /// A condition on words, if the instruction is one.
    fn comparison(&mut self, pc: Pc, ins: Ins, mode: Mode) -> bool {
        let (how, a, b) = match ins {
            Ins::Same { a, b } => (Compare::NotEqual, a, self.get(b)),
            Ins::Differ { a, b } => (Compare::Equal, a, self.get(b)),
            Ins::Less { a, b } => (Compare::GreaterOrEqual, a, self.get(b)),
            Ins::LessEq { a, b } => (Compare::Greater, a, self.get(b)),
            Ins::SameConst { a, word } => (Compare::NotEqual, a, self.e.int(word.cast_signed())),
            Ins::DifferConst { a, n } => (Compare::Equal, a, self.e.int(n)),
            Ins::LessConst { a, n } => (Compare::GreaterOrEqual, a, self.e.int(n)),
            Ins::GreaterConst { a, n } => (Compare::LessOrEqual, a, self.e.int(n)),
            Ins::Holds { a } => (Compare::Equal, a, self.e.int(0)),
            Ins::IntTest { dst, a, b, op } => {
                let Some(how) = Compare::of(op) else { return false };
                let (a, b) = (self.get(a), self.get(b));
                let holds = self.e.compare(how, a, b);
                self.set_truth(dst, holds);
                return true;
            }
            Ins::Not { dst, a } => {
                let a = self.get(a);
                let is_false = self.e.compare_to(Compare::Equal, a, 0);
                self.set_truth(dst, is_false);
                return true;
            }
            _ => return false,
        };
        let a = self.get(a);
        self.holds_unless(how, a, b, pc, mode);
        true
    }

    fn set_truth(&mut self, dst: Reg, holds: Cond) {
        let (yes, no) = (self.e.int(1), self.e.int(0));
        let value = self.e.select(holds, yes, no);
        self.set(dst, value, false);
    }

    /// Integer arithmetic that is computed in line, if the instruction is such; the rare cases are left to the helper.
    fn arithmetic(&mut self, pc: Pc, ins: Ins, mode: Mode) -> bool {
        let (dst, value) = match ins {
            Ins::Add { dst, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                (dst, self.checked(CheckedOp::Add, a, b, pc, ins, mode))
            }
            Ins::Sub { dst, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                (dst, self.checked(CheckedOp::Sub, a, b, pc, ins, mode))
            }
            Ins::AddConst { dst, a, n } => {
                let (a, n) = (self.get(a), self.e.int(i64::from(n)));
                (dst, self.checked(CheckedOp::Add, a, n, pc, ins, mode))
            }
            Ins::KeyAdd { dst, a, n } => {
                let (a, n) = (self.get(a), self.e.int(i64::from(n)));
                let (sum, overflows) = self.e.checked(CheckedOp::Add, a, n);
                self.fails_if(overflows, pc, mode);
                (dst, sum)
            }
            Ins::Int { dst, a, b, op } => {
                let (a, b) = (self.get(a), self.get(b));
                // Whether a rest is zero does not depend on how the quotient is rounded.
                let next = self.p.code.ins[pc as usize + 1];
                let is_zero = op == Op::Mod && matches!(next, Ins::SameConst { a, word: 0 } if a == dst);
                let op = if is_zero { Op::Rem } else { op };
                let Some(value) = self.integer(op, a, b, pc, ins, mode) else { return false };
                (dst, value)
            }
            _ => return false,
        };
        self.set(dst, value, false);
        true
    }

    fn checked(&mut self, op: CheckedOp, a: Val, b: Val, pc: Pc, ins: Ins, mode: Mode) -> Val {
        let (value, overflows) = self.e.checked(op, a, b);
        self.traps_if(overflows, pc, ins, mode);
        value
    }

    fn integer(&mut self, op: Op, a: Val, b: Val, pc: Pc, ins: Ins, mode: Mode) -> Option<Val> {
        let word = match op {
            Op::Mul => return Some(self.checked(CheckedOp::Mul, a, b, pc, ins, mode)),
            Op::Neg => {
                let zero = self.e.int(0);
                return Some(self.checked(CheckedOp::Sub, zero, a, pc, ins, mode));
            }
            Op::Quot | Op::Rem | Op::FloorDiv | Op::Mod => {
                // By 0 and by -1: errors, and what fits no 64 bits.
                if self.e.constant(b).is_none_or(|b| b == 0 || b == -1) {
                    return Some(self.unless_special(op, a, b, pc, ins, mode));
                }
                return Some(self.e.integer_division(op, a, b));
            }
            Op::Shr if self.e.constant(b).is_some_and(|b| (0..64).contains(&b)) => WordOp::ShiftRightSigned,
            Op::And => WordOp::And,
            Op::Or => WordOp::Or,
            Op::Xor => WordOp::Xor,
            Op::Min => WordOp::Min,
            Op::Max => WordOp::Max,
            Op::Eval | Op::Truncate | Op::Round | Op::Floor | Op::Ceiling => return Some(a),
            _ => return None,
        };
        Some(self.e.word(word, a, b))
    }

    /// Division, by 0 and -1 by a helper.
    fn unless_special(&mut self, op: Op, a: Val, b: Val, pc: Pc, ins: Ins, mode: Mode) -> Val {
        let (cold, on) = (self.e.cold_label(&[]), self.e.label(&[]));
        let join = self.e.label(&[Kind::Word]);
        let more = self.e.word_by(WordOp::Add, b, 1);
        let special = self.e.compare_to(Compare::BelowOrEqual, more, 1);
        self.e.branch(special, (cold, &[]), (on, &[]));
        self.e.bind(cold);
        let registers = self.registers.clone();
        self.step(pc, ins, mode);
        let value = ins.sets().map_or(a, |dst| self.get(dst));
        self.registers = registers;
        self.e.jump(join, &[value]);
        self.e.bind(on);
        let value = self.e.integer_division(op, a, b);
        self.e.jump(join, &[value]);
        self.e.bind(join)[0]
    }

    /// An instruction that a helper executes.
    fn step(&mut self, pc: Pc, ins: Ins, mode: Mode) {
        self.spill(ins.reads(self.p.code));
        let at = self.e.int(i64::from(pc));
        let done = self.e.helper(step, &[at], &[]);
        let traps = self.e.compare_to(Compare::Equal, done, TRAPPED);
        self.traps_if(traps, pc, ins, mode);
        let fails = self.e.compare_to(Compare::Equal, done, 0);
        self.fails_if(fails, pc, mode);
        if let Some(dst) = ins.sets() {
            let value = self.spilled(dst);
            self.set(dst, value, super::may_set_term(self.p.code, ins));
        }
    }

    fn holds_unless(&mut self, how: Compare, a: Val, b: Val, pc: Pc, mode: Mode) {
        let fails = self.e.compare(how, a, b);
        self.fails_if(fails, pc, mode);
    }

    /// The instruction does not hold in a case.
    fn fails_if(&mut self, fails: Cond, pc: Pc, mode: Mode) {
        match mode {
            Mode::Test(to) | Mode::Prune { fail: to, .. } => self.e.jump_if(fails, to),
            Mode::Body => {
                let (cold, on) = (self.e.cold_label(&[]), self.e.label(&[]));
                self.e.branch(fails, (cold, &[]), (on, &[]));
                self.e.bind(cold);
                let at = self.e.int(i64::from(pc));
                let [table, row] = self.active();
                self.e.leave(fail, &[at, table, row]);
                self.e.bind(on);
            }
        }
    }

    /// The instruction has no result in a case.
    fn traps_if(&mut self, traps: Cond, pc: Pc, ins: Ins, mode: Mode) {
        if let Mode::Prune { ok, .. } = mode {
            return self.e.jump_if(traps, ok);
        }
        let (cold, on) = (self.e.cold_label(&[]), self.e.label(&[]));
        self.e.branch(traps, (cold, &[]), (on, &[]));
        self.e.bind(cold);
        let [table, row] = self.active();
        self.spill(ins.reads(self.p.code));
        let at = self.e.int(i64::from(pc));
        self.e.leave(trap, &[at, table, row]);
        self.e.bind(on);
    }
}
