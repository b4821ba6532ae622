//! Generated parts of the kernels of a constraint program: what its rules match, want and do.
//!
//! | module | holes of `rounds.cu` |
//! |---|---|
//! | `terms` | `is_crowded`: whether terms lack room |
//! | `index` | `index_row`: rows into hash indexes, and the look-ups that lists use |
//! | `list` | `list`, `matches`, `seek`, `stage_kept`: the candidates of a constraint |
//! | `claim` | `claim_rows`, `rank_rows`, `is_beaten`, `remove_rows`, `id_of`, `all_live` |
//! | `body` | `build`, `explain` |
//! | `moving` | `pin_rows`, `rename_rows`, `copy_row` |
//!
//! The holes of rule classes are filled in [`class`](crate::class). `value` has what they share: values of slots,
//! expressions and conditions; `terms` and `dynamic` add what is known at run time only; `join` has the loops over
//! partners.

mod body;
mod claim;
mod dynamic;
mod index;
pub(crate) mod join;
mod list;
mod moving;
mod terms;
pub(crate) mod value;

pub(crate) use body::{build_functions, explain_functions};
pub(crate) use claim::{all_live, claim_rows, id_of, is_beaten, rank_rows, remove_rows};
pub(crate) use index::index_functions;
pub(crate) use list::{list_functions, match_functions, shared_functions};
pub(crate) use moving::{copy_row, pin_rows, rename_rows};
pub(crate) use terms::is_crowded;

use gchr_base::rule::{Program, RuleId};
use gchr_base::signature::ConstraintId;
use gchr_base::source::SourceMap;
use gchr_constraints::plan::ChrPlan;

use super::contract::{BitFunctions, Names, NumberFunctions, TermFunctions};
use super::layout::{Layout, Part};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;

/// What all generators read.
#[derive(Clone, Copy)]
pub(crate) struct CodegenCtx<'a> {
    pub program: &'a Program,
    pub plan: &'a ChrPlan,
    pub layout: &'a Layout,
    pub sources: &'a SourceMap,
    /// The module as it is when a hole is filled: the functions above the hole can be called.
    pub module: &'a Module,
    /// What of its templates generated code names.
    pub names: &'a Names,
}

impl CodegenCtx<'_> {
    /// The type of the record of buffers.
    pub(crate) fn params(&self) -> Type {
        Type::Record(self.module.record("Params").expect("the template defines Params"))
    }

    /// A function whose name the generator makes itself: one that it has put into an earlier hole, or of an operator.
    pub(crate) fn generated(&self, name: &str) -> FunctionId {
        self.module.function(name).unwrap_or_else(|| panic!("{name} is generated first"))
    }

    /// Functions of programs that order numbers of different types.
    pub(crate) fn numbers(&self) -> NumberFunctions {
        self.names.numbers.expect("the program orders numbers")
    }

    /// Functions of programs with terms.
    pub(crate) fn terms(&self) -> TermFunctions {
        self.names.terms.expect("the program has terms")
    }

    /// Functions of programs with monotone tables.
    pub(crate) fn bits(&self) -> BitFunctions {
        self.names.bits.expect("the program has monotone tables")
    }

    /// A field of the record of buffers.
    pub(crate) fn field(&self, p: &Expr, name: &str) -> Expr {
        build::field(self.module, p.clone(), name)
    }

    /// A buffer or number of a table.
    pub(crate) fn part(&self, p: &Expr, table: ConstraintId, part: Part) -> Expr {
        self.field(p, &self.layout.field(table, part))
    }

    /// The id in a row.
    pub(crate) fn id(&self, p: &Expr, table: ConstraintId, row: &Expr) -> Expr {
        build::element(self.part(p, table, Part::Ids), row.clone())
    }

    /// The line of a rule, for places in generated code.
    pub(crate) fn line(&self, rule: RuleId) -> Option<u32> {
        u32::try_from(self.sources.line_column(self.program.rules[rule].span).0).ok()
    }

    /// The table of a head.
    pub(crate) fn table_of(&self, rule: RuleId, head: usize) -> ConstraintId {
        self.plan.rules[rule].heads[head].constraint
    }
}

/// `a op b`.
pub(crate) fn op(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    build::binary(op, a, b)
}

/// `!a`.
pub(crate) fn not(a: Expr) -> Expr {
    Expr::new(ExprKind::Unary(UnaryOp::Not, Box::new(a)), Type::BOOL)
}

/// `a || b || ...`; `false` for none.
pub(crate) fn any(conditions: impl IntoIterator<Item = Expr>) -> Expr {
    conditions.into_iter().reduce(|a, b| op(BinaryOp::OrElse, a, b)).unwrap_or_else(|| build::bool(false))
}

/// `u64` literal.
pub(crate) fn u64(n: u64) -> Expr {
    Expr::new(ExprKind::Literal(Literal::Int(n)), Type::U64)
}

/// A device function with the record of buffers as its first parameter.
pub(crate) fn function(
    ctx: CodegenCtx<'_>,
    name: impl Into<String>,
    outlined: bool,
    result: Type,
) -> (FunctionBuilder, Expr) {
    let kind = if outlined { FunctionKind::Outlined } else { FunctionKind::Device };
    let mut b = FunctionBuilder::new(name, kind, result);
    let p = b.param("p", ctx.params());
    (b, p)
}

#[cfg(test)]
mod tests {
    use gchr_base::op::Op;
    use gchr_base::signature::SortKind;
    use gchr_constraints::plan::operator_can_fail;
    use gchr_runtime::codegen::checked_name;
    use gchr_runtime::templates::{CHECKED, POWER};

    #[test]
    fn the_templates_check_just_the_operators_that_can_fail() {
        use Op::*;
        let both = [Add, Sub, Mul, Min, Max, Neg, Abs, Sign, Pow, Truncate, ToFloat];
        let integers = [Quot, Rem, FloorDiv, Mod, Gcd, Msb, And, Or, Xor, Not, Shl, Shr];
        let cases = both.iter().flat_map(|op| [(*op, false), (*op, true)]);
        for (op, float) in cases.chain(integers.map(|op| (op, false))).chain([(Div, true)]) {
            let kind = if float { SortKind::Float } else { SortKind::Int };
            let check = checked_name(op, float).map(|name| format!("{name}_check("));
            let checked = check.is_some_and(|name| match op {
                Pow if float => POWER.text.contains("pow_check("),
                _ => CHECKED.text.contains(&name),
            });
            assert_eq!(operator_can_fail(op, &[kind; 2], kind), checked, "{op:?} on {kind:?}");
        }
    }
}
