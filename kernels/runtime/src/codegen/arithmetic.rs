//! Code for operators on scalars.

use gchr_base::op::Op;

use super::{Site, Sites};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;

/// Generates code for operators.
pub struct Arithmetic<'a> {
    /// A module with the functions of the template `arithmetic.cu`.
    pub module: &'a Module,
    /// The buffer in which errors are noted.
    pub error: Expr,
    /// Where errors can arise; grows with the code.
    pub sites: &'a mut Sites,
}

impl Arithmetic<'_> {
    /// The value of an operator other than the lazy `Op::Both` and `Op::Either`, in a variable. What cannot fail is an expression;
    /// checked operations are calls that report errors with the number of the site.
    pub fn compute(self, b: &mut FunctionBuilder, op: Op, float: bool, args: Vec<Expr>, site: Site) -> Expr {
        if let Some(value) = expression(op, &args) {
            return b.var("value", value);
        }
        let name = checked_name(op, float).unwrap_or_default();
        let function = self.module.function(&name);
        let function = function.unwrap_or_else(|| panic!("the template of arithmetic defines {name}"));
        let number = self.sites.add(op, float, site);
        let mut all = vec![self.error, build::u32(number)];
        all.extend(args);
        b.call("value", self.module, function, all)
    }
}

/// The value of an operator that cannot fail; `None` for one that can. Floats are structurally the same when their bits are.
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
        _ => None,
    }
}

/// Name in the template of an operation that can fail, or that the kernel language has no operator for; `None` for others.
pub fn checked_name(op: Op, float: bool) -> Option<String> {
    let name = match op {
        Op::Add => "add",
        Op::Sub => "sub",
        Op::Mul => "mul",
        Op::Div => "div",
        Op::Quot => "quot",
        Op::Rem => "rem",
        Op::FloorDiv => "floor_div",
        Op::Mod => "mod",
        Op::Neg => "neg",
        Op::Abs => "abs",
        Op::Sign => "sign",
        Op::Gcd => "gcd",
        Op::Msb => "msb",
        Op::Pow => "pow",
        Op::Shl => "shl",
        Op::Shr => "shr",
        Op::Truncate => "truncate",
        _ => return None,
    };
    Some(format!("{}_{name}", if float { "float" } else { "int" }))
}
