//! Which expressions of a right-hand side or a condition are equal, so that they are evaluated once.

use gchr_base::op::Op;
use gchr_base::rule::{Expr, ExprKind};
use gchr_base::signature::SymbolId;

/// An expression by its outermost symbol and the places of the values of what is below.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum ExprKey<P> {
    Int(i64),
    Float(u64),
    App(SymbolId, Vec<P>),
    Repeat(SymbolId, u32, P),
    Op(Op, Vec<P>),
    /// `&&` or `||`: its second operand as text, since what that evaluates has no place outside.
    Junction(Op, P, String),
}

/// An expression without its places, as text: equal for equal terms.
pub(crate) fn shape(expr: &Expr) -> String {
    let mut text = String::new();
    expr.walk(&mut |e| {
        use std::fmt::Write;
        // Arities are fixed, so that prefix order is unambiguous. Writing to a string does not fail.
        let _ = match &e.kind {
            ExprKind::Var(v) => write!(text, "v{} ", v.0),
            ExprKind::Const(c) => write!(text, "{c:?} "),
            ExprKind::App { symbol, .. } => write!(text, "{symbol} "),
            ExprKind::Repeat { symbol, count, .. } => write!(text, "{symbol}^{count} "),
            ExprKind::Op { op, .. } => write!(text, "{op:?} "),
        };
    });
    text
}
