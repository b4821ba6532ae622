//! Which expressions can be without a value: decided here for guards, bodies and kernels alike.

use gchr_base::op::Op;
use gchr_base::rule::{Const, Expr, ExprKind, Goal, GoalKind, Rule, VarId};
use gchr_base::signature::{Signature, SortKind};

/// Whether an operator on operands of these kinds, with results of this kind, can be without a result.
///
/// Operands of kind `Any` are checked when the program runs, so that every operator that computes with them can fail.
pub fn operator_can_fail(op: Op, operands: &[SortKind], result: SortKind) -> bool {
    use SortKind::{Data, Float, Int};
    if op.is_structural() || op.is_logical() {
        return false;
    }
    let numbers = operands.iter().all(|k| matches!(k, Int | Float)) && matches!(result, Int | Float | Data);
    if !numbers {
        return true;
    }
    let float = operands.contains(&Float);
    match op {
        _ if op.is_test() => false,
        Op::Min | Op::Max | Op::Sign | Op::ToFloat => false,
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Truncate => float,
        Op::Neg | Op::Abs => !float,
        _ => true,
    }
}

/// What the failures of a rule's expressions depend on.
#[derive(Clone, Copy)]
pub(super) struct Failures<'a> {
    pub sig: &'a Signature,
    pub rule: &'a Rule,
}

impl Failures<'_> {
    /// Whether the expression can be without a value, or with one that is not of the kind that is to be stored.
    pub fn can_fail(self, expr: &Expr, stored: Option<SortKind>) -> bool {
        let mut fails = stored.is_some_and(|kind| kind != SortKind::Any && kind != self.kind(expr));
        expr.walk(&mut |e| {
            if let ExprKind::Op { op, args } = &e.kind {
                let operands: Vec<SortKind> = args.iter().map(|a| self.kind(a)).collect();
                fails |= operator_can_fail(*op, &operands, self.sig.kind(e.sort));
            }
        });
        fails
    }

    /// Whether each expression of a goal can fail, in the order in which they are written.
    pub fn of_goal(self, goal: &Goal) -> Vec<bool> {
        match &goal.kind {
            GoalKind::Test(value) | GoalKind::Match { value, .. } | GoalKind::Write { value, .. } => {
                vec![self.can_fail(value, None)]
            }
            GoalKind::Bind { var, value } => vec![self.can_fail(value, Some(self.kind_of_var(*var)))],
            GoalKind::Add { constraint, args } => {
                let columns = &self.sig.constraints[*constraint].columns;
                let kinds = columns.iter().map(|c| self.sig.kind(c.sort));
                args.iter().zip(kinds).map(|(arg, kind)| self.can_fail(arg, Some(kind))).collect()
            }
            GoalKind::Fail | GoalKind::Newline => Vec::new(),
        }
    }

    fn kind_of_var(self, var: VarId) -> SortKind {
        self.sig.kind(self.rule.vars[var].sort)
    }

    /// What the values of an expression are.
    fn kind(self, expr: &Expr) -> SortKind {
        match &expr.kind {
            ExprKind::Var(var) => self.kind_of_var(*var),
            ExprKind::Const(Const::Int(_)) => SortKind::Int,
            ExprKind::Const(Const::Float(_)) => SortKind::Float,
            ExprKind::Const(Const::Atom(_)) => SortKind::Atom,
            ExprKind::Const(Const::Str(_)) => SortKind::Str,
            ExprKind::Repeat { .. } => SortKind::Any,
            ExprKind::App { .. } | ExprKind::Op { .. } => self.sig.kind(expr.sort),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_base::op::ArithmeticError;

    /// Operands at which operators on integers and floats fail, if they ever do.
    const INTS: [i64; 6] = [i64::MIN, -1, 0, 1, 64, i64::MAX];
    const FLOATS: [f64; 6] = [f64::MIN, -0.5, 0.0, 1.0, 1e300, f64::MAX];

    const ARITHMETIC: [Op; 22] = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Quot,
        Op::Rem,
        Op::FloorDiv,
        Op::Mod,
        Op::Min,
        Op::Max,
        Op::Neg,
        Op::Abs,
        Op::Sign,
        Op::Gcd,
        Op::Msb,
        Op::Pow,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Not,
        Op::Shl,
        Op::Shr,
        Op::Div,
    ];

    #[test]
    fn an_operator_can_fail_on_integers_where_its_arithmetic_fails() {
        for op in ARITHMETIC {
            let fails = INTS.iter().any(|&a| INTS.iter().any(|&b| op.int(a, b).is_err()));
            assert_eq!(
                operator_can_fail(op, &[SortKind::Int, SortKind::Int], SortKind::Int),
                fails,
                "{op:?}"
            );
        }
    }

    #[test]
    fn an_operator_can_fail_on_floats_where_its_arithmetic_fails() {
        for op in ARITHMETIC {
            let fails = FLOATS.iter().any(|&a| FLOATS.iter().any(|&b| op.float(a, b).is_err()));
            let decided = operator_can_fail(op, &[SortKind::Float, SortKind::Float], SortKind::Float);
            assert_eq!(decided, fails, "{op:?}");
        }
        assert_eq!(Op::And.float(1.0, 1.0), Err(ArithmeticError::Type));
    }

    #[test]
    fn the_sign_of_an_integer_is_total_and_that_of_any_value_is_not() {
        assert!(!operator_can_fail(Op::Sign, &[SortKind::Int], SortKind::Int));
        assert!(operator_can_fail(Op::Sign, &[SortKind::Any], SortKind::Any));
    }
}
