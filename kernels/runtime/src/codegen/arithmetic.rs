//! Code for operators on scalars.

use gchr_base::op::Op;

use super::{Site, Sites};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;

/// Generates code for operators.
pub struct Arithmetic<'a> {
    /// A module with the functions of the template `arithmetic.cu`, and of those of the operators that are used.
    pub module: &'a Module,
    /// The buffer in which errors are noted.
    pub error: Expr,
    /// Where errors can arise; grows with the code.
    pub sites: &'a mut Sites,
}

impl Arithmetic<'_> {
    /// The value of an operator other than the lazy `Op::Both` and `Op::Either`, in a variable. What cannot fail is an
    /// expression; checked operations are calls that report errors with the number of the site.
    pub fn compute(self, b: &mut FunctionBuilder, op: Op, float: bool, args: Vec<Expr>, site: Site) -> Expr {
        if let Some(value) = expression(op, &args) {
            return b.var("value", value);
        }
        let name = checked_name(op, float).unwrap_or_default();
        let function = self.module.function(&name);
        let function = function.unwrap_or_else(|| panic!("the template of arithmetic defines {name}"));
        let number = self.sites.add(op, float, site);
        let mut all = vec![self.error, build::u32(number)];
        all.extend(args.iter().cloned());
        let value = b.call("value", self.module, function, all);
        rounded(b, op, &args[0], value)
    }
}

/// The value of an operator that cannot fail; `None` for one that can. Floats are structurally the same when their bits
/// are.
pub fn expression(op: Op, args: &[Expr]) -> Option<Expr> {
    if let (Op::Same | Op::Differ, [a, b]) = (op, args)
        && a.ty == Type::F64
    {
        let bits = |x: &Expr| build::intrinsic(Intrinsic::FloatBits, vec![x.clone()], Scalar::U64);
        let op = if op == Op::Same { BinaryOp::Eq } else { BinaryOp::Ne };
        return Some(build::binary(op, bits(a), bits(b)));
    }
    let comparison = match op {
        Op::Eq | Op::Same => Some(BinaryOp::Eq),
        Op::Ne | Op::Differ => Some(BinaryOp::Ne),
        Op::Lt | Op::Before => Some(BinaryOp::Lt),
        Op::Le | Op::BeforeOrSame => Some(BinaryOp::Le),
        Op::Gt | Op::After => Some(BinaryOp::Gt),
        Op::Ge | Op::AfterOrSame => Some(BinaryOp::Ge),
        _ => None,
    };
    let simple = match op {
        Op::And => Some(BinaryOp::And),
        Op::Or => Some(BinaryOp::Or),
        Op::Xor => Some(BinaryOp::Xor),
        _ => comparison,
    };
    let unary = |op, a: &Expr| Expr::new(ExprKind::Unary(op, Box::new(a.clone())), a.ty);
    match (op, args) {
        (_, [a, b]) if simple.is_some() => simple.map(|op| build::binary(op, a.clone(), b.clone())),
        (Op::Negate, [a]) => Some(unary(UnaryOp::Not, a)),
        (Op::Not, [a]) => Some(unary(UnaryOp::BitNot, a)),
        (Op::Min | Op::Max, [a, b]) => {
            let f = if op == Op::Min { Intrinsic::Min } else { Intrinsic::Max };
            Some(Expr::new(ExprKind::Intrinsic(f, vec![a.clone(), b.clone()]), a.ty))
        }
        (Op::ToFloat, [a]) => Some(build::cast(Scalar::F64, a.clone())),
        (Op::Eval, [a]) => Some(a.clone()),
        (_, [a]) if op.rounds() && a.ty == Type::I64 => Some(a.clone()),
        _ => None,
    }
}

/// The result of an operator by the value of its function in the template: what rounds makes it of the integer part of
/// its operand.
pub fn rounded(b: &mut FunctionBuilder, op: Op, operand: &Expr, value: Expr) -> Expr {
    let (order, bound) = match op {
        Op::Round => (BinaryOp::Ge, 0.5),
        Op::Floor | Op::Ceiling => (BinaryOp::Gt, 0.0),
        _ => return value,
    };
    let float = |x: f64| Expr::new(ExprKind::Literal(Literal::Float(x)), Type::F64);
    let whole = build::cast(Scalar::F64, value.clone());
    let above = b.var("rest", build::binary(BinaryOp::Sub, operand.clone(), whole));
    let below = build::binary(BinaryOp::Sub, float(0.0), above.clone());
    let mut result = value.clone();
    let moves = [(op != Op::Floor, above, BinaryOp::Add), (op != Op::Ceiling, below, BinaryOp::Sub)];
    for (_, rest, step) in moves.into_iter().filter(|(moves, ..)| *moves) {
        let condition = build::binary(order, rest, float(bound));
        let moved = build::binary(step, value.clone(), build::i64(1));
        let select = ExprKind::Select(Box::new(condition), Box::new(moved), Box::new(result));
        result = Expr::new(select, Type::I64);
    }
    b.var("rounded", result)
}

/// Name in the template of an operation that can fail, or that the kernel language has no operator for; `None` for
/// others.
pub fn checked_name(op: Op, float: bool) -> Option<String> {
    op.row().device.map(|name| format!("{}_{name}", if float { "float" } else { "int" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates;
    use gchr_base::signature::SortKind;
    use gchr_kernel::template::parsed;

    /// Whether one of the templates of arithmetic has a function. Powers of floats are an instance with a prefix.
    fn has_function(name: &str) -> bool {
        let whole = [&templates::ARITHMETIC, &templates::CHECKED, &templates::TEXTS];
        let mut all = whole.into_iter().map(|template| (template, "")).chain([(&templates::POWER, "float_")]);
        all.any(|(template, prefix)| {
            let module = parsed(template, &[]).expect("the template is well formed");
            let Some(name) = name.strip_prefix(prefix) else { return false };
            module.function(name).is_some_and(|id| !module.functions[id].is_hole())
        })
    }

    /// An operand of a scalar type.
    fn operand(float: bool) -> Expr {
        if float { Expr::new(ExprKind::Literal(Literal::Float(1.0)), Type::F64) } else { build::i64(1) }
    }

    #[test]
    fn every_operator_of_the_table_has_code() {
        for &op in Op::ALL.iter().filter(|op| !op.is_logical() && !op.is_type_test()) {
            for (float, kind) in [(false, SortKind::Int), (true, SortKind::Float)] {
                // The quotient of two integers is of either sort: what computes numbers of any sort makes it of
                // `int_quot`.
                if float && op.is_integer_only() || !float && op == Op::Div {
                    continue;
                }
                let operands = vec![operand(float); op.arity()];
                let can_fail = op.can_fail(&[kind].repeat(op.arity()));
                let Some(name) = checked_name(op, float).filter(|_| expression(op, &operands).is_none())
                else {
                    assert!(expression(op, &operands).is_some(), "{op:?} has no code for {kind:?}");
                    assert!(!can_fail, "{op:?} cannot report its errors for {kind:?}");
                    continue;
                };
                // Powers of floats have no function that reports by itself: only constraints compute them.
                assert!(has_function(&name) || has_function(&format!("{name}_check")), "{name} is missing");
                // Constraints ask before they compute.
                let asks = can_fail && !op.row().constraints.is_empty();
                assert_eq!(has_function(&format!("{name}_check")), asks, "{name}_check");
            }
        }
    }
}
