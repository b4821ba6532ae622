//! Signed arithmetic as unsigned arithmetic: C++ leaves signed overflow open, the kernel IR wraps.

use crate::ir::rewrite::each_statement_mut;
use crate::ir::*;

/// Rewrites `+ - * <<` and negation on signed integers to the same on unsigned ones of the same width.
pub fn signed(module: &mut Module) {
    for id in module.functions.ids() {
        each_statement_mut(&mut module.functions[id].body, &mut |stmt| {
            stmt.exprs_mut(&mut |e| e.rewrite(&mut unsign));
        });
    }
}

fn unsigned(ty: Type) -> Option<Type> {
    match ty {
        Type::Scalar(Scalar::I32) => Some(Type::U32),
        Type::Scalar(Scalar::I64) => Some(Type::U64),
        _ => None,
    }
}

fn unsign(expr: &mut Expr) {
    let Some(ty) = unsigned(expr.ty) else { return };
    let wraps = match &expr.kind {
        ExprKind::Unary(op, _) => *op == UnaryOp::Neg,
        ExprKind::Binary(op, ..) => {
            matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl)
        }
        _ => false,
    };
    if !wraps {
        return;
    }
    let shift = matches!(expr.kind, ExprKind::Binary(BinaryOp::Shl, ..));
    for (i, operand) in expr.operands_mut().into_iter().enumerate() {
        if i == 0 || !shift {
            convert(operand, ty);
        }
    }
    let signed = std::mem::replace(&mut expr.ty, ty);
    let inner = std::mem::replace(expr, Expr::new(ExprKind::Literal(Literal::Int(0)), ty));
    *expr = Expr::new(ExprKind::Cast(Box::new(inner)), signed);
}

/// Converts a signed operand to the unsigned type; literals and conversions that just came from there change in place.
fn convert(operand: &mut Expr, ty: Type) {
    let back = std::mem::replace(operand, Expr::new(ExprKind::Literal(Literal::Int(0)), ty));
    *operand = match back.kind {
        ExprKind::Literal(Literal::Int(bits)) => Expr::new(ExprKind::Literal(Literal::Int(bits)), ty),
        ExprKind::Cast(inner) if inner.ty == ty => *inner,
        _ => Expr::new(ExprKind::Cast(Box::new(back)), ty),
    };
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use crate::testing::module;

    #[test]
    fn wrapping_operations_become_unsigned() {
        let mut lowered = module(
            "__device__ __forceinline__ i64 f(i32 a, i64 b, u32 n) {\n\
             i32 x = a + 1 - a * -a;\nx = -x << n;\nx = x >> 2;\nbool less = x / a < 5;\nreturn b * 3ll + i64(x);\n}",
        );
        super::signed(&mut lowered);
        assert_eq!(crate::verify::verify(&lowered), vec![]);
        assert_snapshot!(lowered, @r"
        __device__ __forceinline__ i64 f(i32 a, i64 b, u32 n) {
            i32 x = i32(u32(a) + 1u - u32(a) * -u32(a));
            x = i32(-u32(x) << n);
            x >>= 2;
            bool less = x / a < 5;
            return i64(u64(b) * 3ull + u64(i64(x)));
        }
        ");
    }
}
