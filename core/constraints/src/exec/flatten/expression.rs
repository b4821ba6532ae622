//! Instructions for expressions and conditions, by the kinds of their operands.

use super::{Coded, Coder, TypedRegister};
use crate::exec::code::{Build, Ins, Reg};
use gchr_base::op::Op;
use gchr_base::rule::{Const, Expr, ExprKind};
use gchr_base::signature::SortKind;
use gchr_base::source::Span;

impl Coder<'_> {
    /// The value of an expression, in its natural kind.
    pub(super) fn value(&mut self, expr: &Expr) -> Coded<TypedRegister> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Var(v) => Ok(self.slot(v.0 as usize)),
            ExprKind::Const(c) => {
                let kind = self.sig().kind(expr.sort);
                self.constant(*c, kind, span)
            }
            ExprKind::App { symbol, args } => {
                let truth = self.sig().booleans;
                if expr.sort == truth.sort {
                    let dst = self.fresh();
                    let word = u64::from(*symbol == truth.true_symbol);
                    self.emit(Ins::Const { dst, word }, span);
                    return Ok(TypedRegister { reg: dst, kind: SortKind::Data });
                }
                let mut regs = Vec::with_capacity(args.len());
                for arg in args {
                    let held = self.value(arg)?;
                    regs.push(self.matched(held, SortKind::Any, arg.span));
                }
                let dst = self.fresh();
                let build = self.code.builds.len() as u32;
                self.code.builds.push(Build { symbol: *symbol, args: regs.into() });
                self.emit(Ins::Build { dst, build }, span);
                Ok(TypedRegister { reg: dst, kind: SortKind::Any })
            }
            ExprKind::Repeat { symbol, count, arg } => {
                let held = self.value(arg)?;
                let src = self.matched(held, SortKind::Any, span);
                let dst = self.fresh();
                self.emit(Ins::Move { dst, src }, span);
                self.emit(Ins::Repeat { dst, symbol: *symbol, count: *count }, span);
                Ok(TypedRegister { reg: dst, kind: SortKind::Any })
            }
            ExprKind::Op { op, args } if op.is_test() => self.truth(*op, args, span),
            ExprKind::Op { op, args } => self.arithmetic(expr, *op, args),
        }
    }

    fn arithmetic(&mut self, expr: &Expr, op: Op, args: &[Expr]) -> Coded<TypedRegister> {
        let span = expr.span;
        let result = self.sig().kind(expr.sort);
        let a = self.value(&args[0])?;
        if let (Op::Add | Op::Sub, Some(ExprKind::Const(Const::Int(n)))) = (op, args.get(1).map(|e| &e.kind))
            && (a.kind, result) == (SortKind::Int, SortKind::Int)
            && let Some(n) = if op == Op::Add { Some(*n) } else { n.checked_neg() }
            && let Ok(n) = i32::try_from(n)
        {
            let dst = self.fresh();
            self.emit_kinds(Ins::AddConst { dst, a: a.reg, n }, span, [a.kind; 2], result);
            return Ok(TypedRegister { reg: dst, kind: SortKind::Int });
        }
        let b = match args.get(1) {
            Some(arg) => self.value(arg)?,
            None => a,
        };
        let dst = self.fresh();
        let (x, y) = (a.reg, b.reg);
        let kinds = [a.kind, b.kind];
        // `/` and `**` on integers may give floats, and only the general operation says so.
        let special = matches!(op, Op::Div | Op::Pow | Op::ToFloat);
        let ins = match (kinds, result) {
            ([SortKind::Int, SortKind::Int], SortKind::Int) if !special => match op {
                Op::Add => Ins::Add { dst, a: x, b: y },
                Op::Sub => Ins::Sub { dst, a: x, b: y },
                _ => Ins::Int { dst, a: x, b: y, op },
            },
            ([SortKind::Float, SortKind::Float], SortKind::Float) => Ins::Float { dst, a: x, b: y, op },
            _ => Ins::Num { dst, a: x, b: y, op },
        };
        self.emit_kinds(ins, span, kinds, result);
        Ok(TypedRegister { reg: dst, kind: result })
    }

    /// A test as a truth value.
    fn truth(&mut self, op: Op, args: &[Expr], span: Span) -> Coded<TypedRegister> {
        let dst = self.fresh();
        let truth = TypedRegister { reg: dst, kind: SortKind::Data };
        if op.is_logical() {
            let a = self.value(&args[0])?.reg;
            if op == Op::Negate {
                self.emit(Ins::Not { dst, a }, span);
                return Ok(truth);
            }
            if self.is_plain(&args[1]) {
                // Both are asked: vectors of instances have no jumps.
                let b = self.value(&args[1])?.reg;
                let op = if op == Op::Either { Op::Or } else { Op::And };
                self.emit(Ins::Int { dst, a, b, op }, span);
                return Ok(truth);
            }
            self.emit(Ins::Move { dst, src: a }, span);
            let jump = self.pc();
            self.emit(Ins::End, span);
            let b = self.value(&args[1])?.reg;
            self.emit(Ins::Move { dst, src: b }, span);
            let to = self.pc();
            self.code.ins[jump as usize] = Ins::JumpIf { a: dst, truth: op == Op::Either, to };
            return Ok(truth);
        }
        let a = self.value(&args[0])?;
        let b = if args.len() > 1 { self.value(&args[1])? } else { a };
        let ins = match (a.kind, b.kind) {
            (SortKind::Int, SortKind::Int) if !op.is_structural() => {
                Ins::IntTest { dst, a: a.reg, b: b.reg, op }
            }
            (SortKind::Int, SortKind::Int) if matches!(op, Op::Same | Op::Differ) => {
                let op = if op == Op::Same { Op::Eq } else { Op::Ne };
                Ins::IntTest { dst, a: a.reg, b: b.reg, op }
            }
            _ => Ins::AnyTest { dst, a: a.reg, b: b.reg, op },
        };
        self.emit_kinds(ins, span, [a.kind, b.kind], SortKind::Data);
        Ok(truth)
    }

    /// Whether a test compares integers that are there: it always has a truth value, and costs no more than a jump.
    fn is_plain(&self, test: &Expr) -> bool {
        let is_there = |arg: &Expr| match arg.kind {
            ExprKind::Var(var) => self.slots[var.0 as usize].kind == SortKind::Int,
            ExprKind::Const(Const::Int(_)) => self.sig().kind(arg.sort) == SortKind::Int,
            _ => false,
        };
        match &test.kind {
            ExprKind::Op { op, args } if op.is_logical() => args.iter().all(|arg| self.is_plain(arg)),
            ExprKind::Op { op, args } => op.is_test() && args.len() == 2 && args.iter().all(is_there),
            _ => false,
        }
    }

    /// Fails unless the test holds.
    pub(super) fn condition(&mut self, test: &Expr) -> Coded<()> {
        let span = test.span;
        let ExprKind::Op { op, args } = &test.kind else {
            let a = self.value(test)?.reg;
            self.emit(Ins::Holds { a }, span);
            return Ok(());
        };
        match op {
            Op::Both => {
                self.condition(&args[0])?;
                self.condition(&args[1])
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Same | Op::Differ => {
                self.comparison(*op, args, test)
            }
            _ => {
                let a = self.value(test)?.reg;
                self.emit(Ins::Holds { a }, span);
                Ok(())
            }
        }
    }

    fn comparison(&mut self, op: Op, args: &[Expr], test: &Expr) -> Coded<()> {
        let span = test.span;
        let int = |e: &Expr| self.sig().kind(e.sort) == SortKind::Int;
        let ints = int(&args[0]) && int(&args[1]);
        if ints && let ExprKind::Const(Const::Int(n)) = args[1].kind {
            let a = self.value(&args[0])?;
            if a.kind == SortKind::Int {
                return self.with_constant(op, a.reg, n, span);
            }
        }
        if ints && let ExprKind::Const(Const::Int(n)) = args[0].kind {
            let a = self.value(&args[1])?;
            if a.kind == SortKind::Int {
                return self.with_constant(mirrored(op), a.reg, n, span);
            }
        }
        let a = self.value(&args[0])?;
        let b = self.value(&args[1])?;
        let structural = matches!(op, Op::Same | Op::Differ);
        if (a.kind, b.kind) == (SortKind::Int, SortKind::Int) || structural && a.kind == b.kind {
            let (a, b) = (a.reg, b.reg);
            self.emit(
                match op {
                    Op::Eq | Op::Same => Ins::Same { a, b },
                    Op::Ne | Op::Differ => Ins::Differ { a, b },
                    Op::Lt => Ins::Less { a, b },
                    Op::Le => Ins::LessEq { a, b },
                    Op::Gt => Ins::Less { a: b, b: a },
                    _ => Ins::LessEq { a: b, b: a },
                },
                span,
            );
            return Ok(());
        }
        let dst = self.fresh();
        self.emit_kinds(Ins::AnyTest { dst, a: a.reg, b: b.reg, op }, span, [a.kind, b.kind], SortKind::Data);
        self.emit(Ins::Holds { a: dst }, span);
        Ok(())
    }

    fn with_constant(&mut self, op: Op, a: Reg, n: i64, span: Span) -> Coded<()> {
        let ins = match op {
            Op::Eq | Op::Same => Ins::SameConst { a, word: n as u64 },
            Op::Ne | Op::Differ => Ins::DifferConst { a, n },
            Op::Lt => Ins::LessConst { a, n },
            Op::Gt => Ins::GreaterConst { a, n },
            Op::Le => match n.checked_add(1) {
                Some(n) => Ins::LessConst { a, n },
                None => return Ok(()),
            },
            _ => match n.checked_sub(1) {
                Some(n) => Ins::GreaterConst { a, n },
                None => return Ok(()),
            },
        };
        self.emit(ins, span);
        Ok(())
    }
}

/// The comparison that holds for exchanged operands.
fn mirrored(op: Op) -> Op {
    match op {
        Op::Lt => Op::Gt,
        Op::Gt => Op::Lt,
        Op::Le => Op::Ge,
        Op::Ge => Op::Le,
        _ => op,
    }
}
