//! Makes symbols that no text has, and the parts of their rules.

use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Const, Expr, ExprKind, Goal, GoalKind, Head, HeadAtom, Pattern, PatternKind, Role, Rule, Var, VarId,
};
use gchr_base::signature::{SortId, Symbol, SymbolId, SymbolKind};
use gchr_base::source::Span;

use crate::check::scope::Scope;

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

impl Scope<'_> {
    /// A symbol with rules that no text can write or that is built in; `None` in a finished program. It has the
    /// parameters of the function whose equation needs it, and those of its sorts.
    pub fn make(&mut self, name: String, args: Vec<SortId>, result: SortId) -> Option<SymbolId> {
        self.make_of(SymbolKind::Defined, name, args, result)
    }

    /// The same of a function, or of a constructor.
    pub fn make_of(
        &mut self,
        kind: SymbolKind,
        name: String,
        args: Vec<SortId>,
        result: SortId,
    ) -> Option<SymbolId> {
        if self.made.is_final {
            return None;
        }
        let own = self.made.owner.map_or(&[][..], |owner| self.families.parameters_of(owner));
        let mut parameters = own.to_vec();
        args.iter().chain([&result]).for_each(|&sort| self.families.parameters_in(sort, &mut parameters));
        let symbol = Symbol { name, args, result, kind, span: None };
        let id = self.signature.to_mut().symbols.push(symbol);
        if !parameters.is_empty() {
            self.families.to_mut().generalise(id, parameters);
        }
        if let Some(owner) = self.made.owner {
            self.made.owners.insert(id, owner);
        }
        Some(id)
    }
}

/// The rule that rewrites a symbol applied to what these patterns match.
pub(crate) fn rule_of(
    symbol: SymbolId,
    vars: IdVec<VarId, Var>,
    args: Vec<Pattern>,
    value: Expr,
    span: Span,
) -> Rule {
    let head = Head { role: Role::Removed, atom: HeadAtom::Term { symbol, args }, passive: false, span };
    let (heads, guard, body) = (vec![head], Vec::new(), Body::Replace(value));
    Rule { name: None, vars, heads, guard, body, span }
}
