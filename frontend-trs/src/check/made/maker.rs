//! Makes the parts of rules that no text has: of functions on lists and on characters.

use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{Const, Expr, ExprKind, Goal, GoalKind, Pattern, PatternKind, Rule, Var, VarId};
use gchr_base::signature::{SortId, SymbolId};
use gchr_base::source::Span;

use crate::check::declarations::Scope;

/// Makes rules at a place of a text.
pub(crate) struct Maker<'v, 'a> {
    pub scope: &'v mut Scope<'a>,
    pub span: Span,
}

/// A part of a rule in the making, as a pattern and as a term.
#[derive(Clone)]
pub(crate) struct Part {
    pub pattern: Pattern,
    pub value: Expr,
}

impl Maker<'_, '_> {
    pub fn var(&self, vars: &mut IdVec<VarId, Var>, name: &str, sort: SortId) -> Part {
        let span = self.span;
        let id = vars.push(Var { name: name.into(), sort, span });
        Part {
            pattern: Pattern { kind: PatternKind::Var(id), sort, span },
            value: Expr { kind: ExprKind::Var(id), sort, span },
        }
    }

    pub fn app(&self, symbol: SymbolId, args: Vec<Part>) -> Part {
        let (sort, span) = (self.scope.signature.symbols[symbol].result, self.span);
        let (patterns, values) = args.into_iter().map(|arg| (arg.pattern, arg.value)).unzip();
        Part {
            pattern: Pattern { kind: PatternKind::App { symbol, args: patterns }, sort, span },
            value: Expr { kind: ExprKind::App { symbol, args: values }, sort, span },
        }
    }

    pub fn int(&self, value: i64, sort: SortId) -> Part {
        let (value, span) = (Const::Int(value), self.span);
        Part {
            pattern: Pattern { kind: PatternKind::Const(value), sort, span },
            value: Expr { kind: ExprKind::Const(value), sort, span },
        }
    }

    pub fn operation(&self, op: Op, args: [Part; 2]) -> Expr {
        let sort = self.scope.signature.sort_of_result(op, args[0].value.sort);
        let args = args.map(|arg| arg.value).to_vec();
        Expr { kind: ExprKind::Op { op, args }, sort, span: self.span }
    }

    pub fn test(&self, mut rule: Rule, condition: Expr) -> Rule {
        rule.guard.push(Goal { kind: GoalKind::Test(condition), span: self.span });
        rule
    }
}
