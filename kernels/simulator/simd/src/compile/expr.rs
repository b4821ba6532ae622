//! Expressions: 32-bit arithmetic on integers of 64 bits, and what is evaluated only when it is needed.

use gchr_base::ids::Id;

use super::*;
use crate::program::BinaryOp;
use gchr_kernel::ir::{self, ConstantValue, Intrinsic, Literal, Special, UnaryOp};

/// The bits of a `u32`.
const WORD: Operand = Operand::Const(u32::MAX as i64);

impl Compiler<'_> {
    /// Code for an expression; where its value is.
    pub(super) fn expr(&mut self, e: &Expr) -> Result<Operand> {
        if !is_expressible(e.ty) {
            return Err(self.unsupported("a value that is neither u32 nor bool"));
        }
        match &e.kind {
            ExprKind::Literal(literal) => self.literal(*literal),
            ExprKind::Constant(id) => match self.module.constants[*id].value {
                ConstantValue::Given(literal) => self.literal(literal),
                ConstantValue::Hole => Err(self.unsupported("a hole of a template")),
            },
            ExprKind::Var(var) => Ok(Operand::Variable(self.slot(*var)?)),
            ExprKind::Field(..) => self.field(e).map(Operand::Variable),
            ExprKind::Element { buffer, index } => {
                let address = self.address(buffer, index)?;
                let to = self.temporary();
                self.emit(Instr::Load { to, address });
                Ok(Operand::Variable(to))
            }
            ExprKind::Special(special) => Ok(match special {
                Special::ThreadInBlock => Operand::Thread,
                Special::Block => Operand::Const(0),
                Special::BlockSize => Operand::Threads,
                Special::GridSize => Operand::Const(1),
                Special::Lane => Operand::Lane,
            }),
            ExprKind::Unary(op, a) => {
                let a = self.expr(a)?;
                Ok(match op {
                    UnaryOp::Not => self.binary(BinaryOp::Eq, a, Operand::Const(0)),
                    UnaryOp::BitNot => self.binary(BinaryOp::Xor, a, WORD),
                    UnaryOp::Neg => self.wrapped(BinaryOp::Sub, Operand::Const(0), a),
                })
            }
            ExprKind::Binary(op, a, b) if op.is_logical() => self.logical(*op, a, b),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.arithmetic(*op, a, b)
            }
            ExprKind::Select(condition, a, b) => self.select(condition, a, b),
            ExprKind::Cast(a) => {
                let value = self.expr(a)?;
                let to_bool = e.ty == Type::BOOL && a.ty != Type::BOOL;
                Ok(if to_bool { self.binary(BinaryOp::Ne, value, Operand::Const(0)) } else { value })
            }
            ExprKind::Intrinsic(op @ (Intrinsic::Min | Intrinsic::Max), args) if args.len() == 2 => {
                let (a, b) = (self.expr(&args[0])?, self.expr(&args[1])?);
                let op = if *op == Intrinsic::Min { BinaryOp::Min } else { BinaryOp::Max };
                Ok(self.binary(op, a, b))
            }
            ExprKind::Intrinsic(..) => Err(self.unsupported("a built-in function other than min and max")),
            ExprKind::Record(_) => Err(self.unsupported("a record")),
        }
    }

    fn literal(&self, literal: Literal) -> Result<Operand> {
        match literal {
            Literal::Bool(value) => Ok(Operand::Const(i64::from(value))),
            Literal::Int(bits) => Ok(Operand::Const(bits as i64)),
            Literal::Float(_) => Err(self.unsupported("a float")),
        }
    }

    /// The variable of a field of a parameter.
    fn field(&self, e: &Expr) -> Result<Variable> {
        if let ExprKind::Field(base, field) = &e.kind
            && let Some(var) = as_variable(base)
            && let Slot::Record(fields) = &self.frame.slots[var.index()]
            && let Some(&variable) = fields.get(*field as usize)
        {
            return Ok(variable);
        }
        Err(self.unsupported("a record that is no parameter"))
    }

    /// The address of an element.
    pub(super) fn address(&mut self, buffer: &Expr, index: &Expr) -> Result<Operand> {
        let base = match as_variable(buffer) {
            None => self.field(buffer)?,
            Some(var) => match self.frame.slots[var.index()] {
                Slot::Variable(variable) => variable,
                _ => return Err(self.unsupported("memory that is no parameter")),
            },
        };
        let index = self.expr(index)?;
        Ok(self.binary(BinaryOp::Add, Operand::Variable(base), index))
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: Operand, b: Operand) -> Operand {
        let to = self.temporary();
        self.emit(Instr::Binary { op, to, a, b });
        Operand::Variable(to)
    }

    /// The operation modulo 2^32.
    fn wrapped(&mut self, op: BinaryOp, a: Operand, b: Operand) -> Operand {
        let exact = self.binary(op, a, b);
        self.binary(BinaryOp::And, exact, WORD)
    }

    fn arithmetic(&mut self, op: ir::BinaryOp, a: Operand, b: Operand) -> Result<Operand> {
        Ok(match op {
            ir::BinaryOp::Add => self.wrapped(BinaryOp::Add, a, b),
            ir::BinaryOp::Sub => self.wrapped(BinaryOp::Sub, a, b),
            ir::BinaryOp::Mul => self.product(a, b),
            ir::BinaryOp::Shl => self.wrapped(BinaryOp::Shl, a, b),
            ir::BinaryOp::Shr => self.binary(BinaryOp::Shr, a, b),
            ir::BinaryOp::Div => self.binary(BinaryOp::Div, a, b),
            ir::BinaryOp::Rem => self.binary(BinaryOp::Mod, a, b),
            ir::BinaryOp::And => self.binary(BinaryOp::And, a, b),
            ir::BinaryOp::Or => self.binary(BinaryOp::Or, a, b),
            ir::BinaryOp::Xor => self.binary(BinaryOp::Xor, a, b),
            ir::BinaryOp::Eq => self.binary(BinaryOp::Eq, a, b),
            ir::BinaryOp::Ne => self.binary(BinaryOp::Ne, a, b),
            ir::BinaryOp::Lt => self.binary(BinaryOp::Lt, a, b),
            ir::BinaryOp::Le => self.binary(BinaryOp::Le, a, b),
            ir::BinaryOp::Gt => self.binary(BinaryOp::Gt, a, b),
            ir::BinaryOp::Ge => self.binary(BinaryOp::Ge, a, b),
            ir::BinaryOp::AndAlso | ir::BinaryOp::OrElse => {
                return Err(self.unsupported("a logical operator here"));
            }
        })
    }

    /// A product modulo 2^32, in two halves so that no part outgrows 63 bits.
    fn product(&mut self, a: Operand, b: Operand) -> Operand {
        let low = self.binary(BinaryOp::And, b, Operand::Const(0xffff));
        let low = self.binary(BinaryOp::Mul, a, low);
        let high = self.binary(BinaryOp::Shr, b, Operand::Const(16));
        let high = self.binary(BinaryOp::Mul, a, high);
        let high = self.binary(BinaryOp::And, high, Operand::Const(0xffff));
        let high = self.binary(BinaryOp::Shl, high, Operand::Const(16));
        self.wrapped(BinaryOp::Add, low, high)
    }

    /// `&&` and `||`: lanes that know the answer skip the right operand.
    fn logical(&mut self, op: ir::BinaryOp, a: &Expr, b: &Expr) -> Result<Operand> {
        let to = self.temporary();
        let end = self.mark("known");
        let from = self.expr(a)?;
        self.emit(Instr::Copy { to, from });
        let on_zero = op == ir::BinaryOp::AndAlso;
        self.emit(Instr::Branch { on_zero, value: Operand::Variable(to), target: end.0 });
        let from = self.expr(b)?;
        self.emit(Instr::Copy { to, from });
        self.place(end);
        self.emit(Instr::Sync);
        Ok(Operand::Variable(to))
    }

    fn select(&mut self, condition: &Expr, a: &Expr, b: &Expr) -> Result<Operand> {
        let to = self.temporary();
        let (otherwise, end) = (self.mark("other"), self.mark("chosen"));
        let value = self.expr(condition)?;
        self.emit(Instr::Branch { on_zero: true, value, target: otherwise.0 });
        let from = self.expr(a)?;
        self.emit(Instr::Copy { to, from });
        self.emit(Instr::Jump { target: end.0 });
        self.place(otherwise);
        let from = self.expr(b)?;
        self.emit(Instr::Copy { to, from });
        self.place(end);
        self.emit(Instr::Sync);
        Ok(Operand::Variable(to))
    }
}
