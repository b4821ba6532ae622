//! Expressions and places.

use super::code::{FunctionCheck, VarState};
use super::finding::{MAX_DEPTH, slot};
use crate::ir::*;

impl FunctionCheck<'_> {
    /// Checks that `expr` is well-typed and reads only what can be read here.
    pub(super) fn expr(&mut self, expr: &Expr) {
        self.nested(expr, 0);
    }

    fn nested(&mut self, expr: &Expr, depth: usize) {
        if depth >= MAX_DEPTH {
            return self.fail("K0110", "an expression is nested too deeply");
        }
        for operand in expr.operands() {
            self.nested(operand, depth + 1);
        }
        if let ExprKind::Var(var) = &expr.kind {
            self.read(*var);
        }
        let fits = self.fits(expr);
        self.expect(fits, "K0101", "an expression has a type that its operands do not give");
    }

    fn read(&mut self, var: VarId) {
        match self.states.get(slot(var)) {
            Some(VarState::Live { level, uniform, .. }) => {
                let visible = *level == self.level || *uniform;
                self.expect(
                    visible,
                    "K0108",
                    "an `everywhere` body reads a variable of one lane; capture it",
                );
            }
            Some(VarState::Fresh) => self.fail("K0102", "a variable is used before it is declared"),
            Some(VarState::Gone) => self.fail("K0102", "a variable is used outside of its block"),
            None => self.fail("K0102", "a variable does not exist"),
        }
    }

    fn fits(&self, expr: &Expr) -> bool {
        let ty = expr.ty;
        match &expr.kind {
            ExprKind::Literal(value) => ty.scalar().is_some_and(|s| value.fits(s)),
            ExprKind::Constant(c) => self.module.constants.get(*c).is_some_and(|c| Type::Scalar(c.ty) == ty),
            ExprKind::Var(var) => self.function.vars.get(*var).is_some_and(|v| v.ty == ty),
            ExprKind::Field(base, field) => self.field(base.ty, *field) == Some(ty),
            ExprKind::Element { buffer, index } => buffer.ty.element() == Some(ty) && is_index(index),
            ExprKind::Special(_) => ty == Type::U32,
            ExprKind::Unary(op, a) => {
                let fits = a.ty.scalar().is_some_and(|s| match op {
                    UnaryOp::Neg => s.is_word() || s == Scalar::F64,
                    UnaryOp::BitNot => s.is_word(),
                    UnaryOp::Not => s == Scalar::Bool,
                });
                fits && a.ty == ty
            }
            ExprKind::Binary(op, a, b) => binary_fits(*op, a.ty, b.ty, ty),
            ExprKind::Select(c, a, b) => {
                let movable = match ty {
                    Type::Scalar(_) => true,
                    _ => ty.space().is_some_and(|s| s != Space::Local),
                };
                c.ty == Type::BOOL && a.ty == ty && b.ty == ty && movable
            }
            ExprKind::Cast(a) => a.ty.scalar().is_some() && ty.scalar().is_some(),
            ExprKind::Intrinsic(f, args) => intrinsic_fits(*f, args, ty),
            ExprKind::Record(args) => match ty {
                Type::Record(r) if self.is_plain(r) => {
                    let fields = &self.module.records[r].fields;
                    fields.iter().map(|f| f.ty).eq(args.iter().map(|a| a.ty))
                }
                _ => false,
            },
        }
    }

    fn field(&self, ty: Type, field: u32) -> Option<Type> {
        let Type::Record(record) = ty else { return None };
        self.module.records.get(record)?.fields.get(field as usize).map(|f| f.ty)
    }

    /// Checks a place; `written` says whether it is written without an atomic.
    pub(super) fn place(&mut self, place: &Place, written: bool) {
        let base = match &place.base {
            PlaceBase::Var(var) => {
                let Some(declared) = self.function.vars.get(*var) else {
                    return self.fail("K0102", "a variable does not exist");
                };
                match self.states[slot(*var)] {
                    VarState::Live { level, writable, .. } => {
                        let may = writable && level == self.level;
                        self.expect(!written || may, "K0102", "this variable is not written here");
                    }
                    VarState::Fresh => self.fail("K0102", "a variable is written before it is declared"),
                    VarState::Gone => self.fail("K0102", "a variable is written outside of its block"),
                }
                declared.ty
            }
            PlaceBase::Element { buffer, index } => {
                self.expr(buffer);
                self.expr(index);
                self.expect(is_index(index), "K0101", "an index is an integer of 32 or 64 bits");
                match buffer.ty.element() {
                    Some(ty) => ty,
                    None => return self.fail("K0101", "only buffers and arrays have elements"),
                }
            }
        };
        let ty = match place.field {
            None => Some(base),
            Some(field) => self.field(base, field),
        };
        self.expect(ty == Some(place.ty), "K0101", "a place has another type than what it names");
    }
}

fn is_index(index: &Expr) -> bool {
    index.ty.scalar().is_some_and(Scalar::is_word)
}

fn binary_fits(op: BinaryOp, a: Type, b: Type, ty: Type) -> bool {
    let (Some(left), Some(right)) = (a.scalar(), b.scalar()) else { return false };
    if op.is_shift() {
        return left.is_word() && right.is_word() && ty == a;
    }
    if left != right {
        return false;
    }
    let operands = match op {
        BinaryOp::AndAlso | BinaryOp::OrElse => left == Scalar::Bool,
        BinaryOp::Eq | BinaryOp::Ne => true,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => left != Scalar::Bool,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
            left.is_word() || left == Scalar::F64
        }
        _ => left.is_word(),
    };
    operands && ty == if op.is_test() { Type::BOOL } else { a }
}

fn intrinsic_fits(f: Intrinsic, args: &[Expr], ty: Type) -> bool {
    let scalars: Option<Vec<_>> = args.iter().map(|a| a.ty.scalar()).collect();
    let Some(scalars) = scalars else { return false };
    let unsigned = |s: &Scalar| matches!(s, Scalar::U32 | Scalar::U64);
    match (f, &scalars[..]) {
        (Intrinsic::PopCount | Intrinsic::FindFirstSet | Intrinsic::LeadingZeros, [a]) => {
            unsigned(a) && ty == Type::U32
        }
        (Intrinsic::Min | Intrinsic::Max, [a, b]) => {
            a == b && (a.is_word() || *a == Scalar::F64) && ty == Type::Scalar(*a)
        }
        (Intrinsic::MulHigh, [a, b]) => a == b && a.is_word() && ty == Type::Scalar(*a),
        (Intrinsic::SquareRoot, [a]) => *a == Scalar::F64 && ty == Type::F64,
        (Intrinsic::FloatBits, [a]) => *a == Scalar::F64 && ty == Type::U64,
        (Intrinsic::FloatFromBits, [a]) => *a == Scalar::U64 && ty == Type::F64,
        _ => false,
    }
}
