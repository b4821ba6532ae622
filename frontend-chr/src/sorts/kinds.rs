//! The abstract values of the inference, and the walk of one clause over them.

use gchr_base::ids::Id;
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Const, Expr, ExprKind, Goal, GoalKind, Head, HeadAtom, Pattern, PatternKind, Query, Rule, VarId,
};
use gchr_base::signature::{ConstraintId, SortKind};
use gchr_base::source::Span;

use super::Columns;

/// What the values at a place are: a lattice with `Nothing` below and `Any` above all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// No value ever gets there.
    Nothing,
    Int,
    Float,
    Atom,
    Str,
    Any,
}

impl Kind {
    pub fn of_sort(kind: SortKind) -> Self {
        match kind {
            SortKind::Int => Kind::Int,
            SortKind::Float => Kind::Float,
            SortKind::Atom => Kind::Atom,
            SortKind::Str => Kind::Str,
            SortKind::Any | SortKind::Data => Kind::Any,
        }
    }
    pub fn of_const(c: Const) -> Self {
        match c {
            Const::Int(_) => Kind::Int,
            Const::Float(_) => Kind::Float,
            Const::Atom(_) => Kind::Atom,
            Const::Str(_) => Kind::Str,
        }
    }
    /// The kind of the sort that places without any value get.
    pub fn sort_kind(self) -> SortKind {
        match self {
            Kind::Int => SortKind::Int,
            Kind::Float => SortKind::Float,
            Kind::Atom => SortKind::Atom,
            Kind::Str => SortKind::Str,
            Kind::Any | Kind::Nothing => SortKind::Any,
        }
    }
    pub fn join(self, other: Kind) -> Kind {
        match (self, other) {
            (Kind::Nothing, k) | (k, Kind::Nothing) => k,
            (a, b) if a == b => a,
            _ => Kind::Any,
        }
    }
    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Nothing => "nothing",
            Kind::Int => "an integer",
            Kind::Float => "a float",
            Kind::Atom => "an atom",
            Kind::Str => "a string",
            Kind::Any => "any value",
        }
    }
    /// Whether arithmetic on values of this kind surely fails, for integer-only operators or for all.
    fn is_wrong_operand(self, integers_only: bool) -> bool {
        matches!(self, Kind::Atom | Kind::Str) || (integers_only && self == Kind::Float)
    }
}

/// Kind of the result of an operator.
pub(super) fn result(op: Op, args: &[Expr], kinds: &[Kind]) -> Kind {
    if kinds.contains(&Kind::Nothing) {
        return Kind::Nothing;
    }
    // A power of integers is one of them, but for negative exponents.
    let is_int_power = op == Op::Pow && kinds.iter().all(|&kind| kind == Kind::Int);
    if is_int_power && is_natural(args.last()) {
        return Kind::Int;
    }
    let operands: Vec<SortKind> = kinds.iter().map(|kind| kind.sort_kind()).collect();
    match op.result(&operands) {
        SortKind::Int => Kind::Int,
        SortKind::Any => Kind::Any,
        _ => Kind::Float,
    }
}

fn is_natural(arg: Option<&Expr>) -> bool {
    matches!(arg.map(|a| &a.kind), Some(ExprKind::Const(Const::Int(0..))))
}

/// Heads and goals of a rule or of a query.
pub(super) struct Clause<'a> {
    heads: &'a [Head],
    goals: [&'a [Goal]; 2],
    vars: usize,
}

impl<'a> Clause<'a> {
    pub fn of_rule(rule: &'a Rule) -> Self {
        let body: &[Goal] = match &rule.body {
            Body::Goals(goals) => goals,
            Body::Replace(_) => &[],
        };
        Self { heads: &rule.heads, goals: [&rule.guard, body], vars: rule.vars.len() }
    }
    pub fn of_query(query: &'a Query) -> Self {
        Self { heads: &[], goals: [&[], &query.goals], vars: query.vars.len() }
    }
}

/// An operand that is surely not what its operator needs.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    pub span: Span,
    pub kind: Kind,
    pub op: Op,
    /// The column the operand comes from, if it is a variable bound there.
    pub origin: Option<(ConstraintId, usize)>,
}

/// What a walk over a clause finds out.
pub(super) struct Walk<'c> {
    columns: &'c [Columns],
    /// Kind of each variable: that of the place that binds it.
    pub vars: Vec<Kind>,
    bound: Vec<bool>,
    origins: Vec<Option<(ConstraintId, usize)>>,
    /// Constraints added, with the kinds of their arguments.
    pub added: Vec<(ConstraintId, Vec<Kind>)>,
    pub conflicts: Vec<Conflict>,
}

impl<'c> Walk<'c> {
    /// Walks a clause from left to right.
    pub fn of(columns: &'c [Columns], clause: &Clause<'_>) -> Self {
        let mut walk = Walk {
            columns,
            vars: vec![Kind::Nothing; clause.vars],
            bound: vec![false; clause.vars],
            origins: vec![None; clause.vars],
            added: Vec::new(),
            conflicts: Vec::new(),
        };
        for head in clause.heads {
            if let HeadAtom::Constraint { constraint, args } = &head.atom {
                for (i, arg) in args.iter().enumerate() {
                    let kind = walk.columns[constraint.index()].kinds[i];
                    walk.pattern(arg, kind, Some((*constraint, i)));
                }
            }
        }
        clause.goals.iter().flat_map(|goals| goals.iter()).for_each(|goal| walk.goal(goal));
        walk
    }

    fn bind(&mut self, var: VarId, kind: Kind, origin: Option<(ConstraintId, usize)>) {
        if !std::mem::replace(&mut self.bound[var.index()], true) {
            self.vars[var.index()] = kind;
            self.origins[var.index()] = origin;
        }
    }

    fn pattern(&mut self, pattern: &Pattern, kind: Kind, origin: Option<(ConstraintId, usize)>) {
        match &pattern.kind {
            PatternKind::Var(var) => self.bind(*var, kind, origin),
            PatternKind::App { args, .. } => {
                let inner = if kind == Kind::Nothing { Kind::Nothing } else { Kind::Any };
                args.iter().for_each(|a| self.pattern(a, inner, None));
            }
            PatternKind::Wild | PatternKind::Const(_) => {}
        }
    }

    fn goal(&mut self, goal: &Goal) {
        match &goal.kind {
            GoalKind::Test(value) | GoalKind::Write { value, .. } => {
                self.expr(value);
            }
            GoalKind::Bind { var, value } => {
                let kind = self.expr(value);
                self.bind(*var, kind, None);
            }
            GoalKind::Match { value, pattern } => {
                let kind = self.expr(value);
                self.pattern(pattern, kind, None);
            }
            GoalKind::Add { constraint, args } => {
                let kinds = args.iter().map(|a| self.expr(a)).collect();
                self.added.push((*constraint, kinds));
            }
            GoalKind::Fail | GoalKind::Newline => {}
        }
    }

    /// Kind of an expression.
    pub fn expr(&mut self, expr: &Expr) -> Kind {
        match &expr.kind {
            ExprKind::Var(var) => self.vars[var.index()],
            ExprKind::Const(c) => Kind::of_const(*c),
            ExprKind::App { args, .. } => {
                for arg in args {
                    self.expr(arg);
                }
                Kind::Any
            }
            ExprKind::Repeat { arg, .. } => {
                self.expr(arg);
                Kind::Any
            }
            ExprKind::Op { op, args } => self.operation(*op, args),
        }
    }

    fn operation(&mut self, op: Op, args: &[Expr]) -> Kind {
        let kinds: Vec<Kind> = args.iter().map(|a| self.expr(a)).collect();
        if !op.is_structural() && !op.is_logical() {
            for (arg, &kind) in args.iter().zip(&kinds) {
                if kind.is_wrong_operand(op.is_integer_only()) {
                    let origin = match arg.kind {
                        ExprKind::Var(var) => self.origins[var.index()],
                        _ => None,
                    };
                    self.conflicts.push(Conflict { span: arg.span, kind, op, origin });
                }
            }
        }
        if op.is_test() { Kind::Any } else { result(op, args, &kinds) }
    }
}
