//! Writes inferred sorts into the program, and checks additions and heads against them.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::{Id, IdVec};
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Expr, ExprKind, Goal, GoalKind, HeadAtom, Pattern, PatternKind, Program, Rule, Start, Var,
};
use gchr_base::signature::{ConstraintId, Signature, SortId, SortKind};

use super::Columns;
use super::kinds::{self, Clause, Conflict, Kind, Walk};
use crate::declare::Declarations;
use crate::lower::Sorts;

struct Assign<'a> {
    sorts: Sorts,
    columns: &'a [Columns],
    declarations: &'a Declarations,
    diagnostics: &'a mut Vec<Diagnostic>,
}

pub(super) fn assign(
    program: &mut Program,
    sorts: Sorts,
    declarations: &Declarations,
    columns: &[Columns],
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (constraint, columns) in program.signature.constraints.iter_mut().zip(columns) {
        for (column, kind) in constraint.columns.iter_mut().zip(&columns.kinds) {
            column.sort = sorts.of(kind.sort_kind());
        }
    }
    let mut assign = Assign { sorts, columns, declarations, diagnostics };
    let mut possible = Vec::with_capacity(program.rules.len());
    for rule in program.rules.iter_mut() {
        possible.push(assign.rule(&program.signature, rule));
    }
    if possible.contains(&false) {
        // The others keep the names that they have by their places in the text.
        let rules = program.rules.iter_enumerated().zip(&possible).filter(|(_, possible)| **possible);
        let named = |id, rule: &Rule| Rule { name: Some(program.rule_name(id)), ..rule.clone() };
        program.rules = rules.map(|((id, rule), _)| named(id, rule)).collect();
    }
    if let Start::Goals(queries) = &mut program.start {
        for query in queries {
            let walk = Walk::of(columns, &Clause::of_query(query));
            let (vars, conflicts) = (walk.vars, walk.conflicts);
            assign.conflicts(&conflicts);
            assign.vars(&mut query.vars, &vars);
            assign.goals(&query.vars, &mut query.goals);
        }
    }
}

impl Assign<'_> {
    /// Whether the rule can match at all.
    fn rule(&mut self, sig: &Signature, rule: &mut Rule) -> bool {
        let walk = Walk::of(self.columns, &Clause::of_rule(rule));
        let (vars, conflicts) = (walk.vars, walk.conflicts);
        self.vars(&mut rule.vars, &vars);
        let mut bound = vec![false; rule.vars.len()];
        let mut misfit = None;
        for head in &mut rule.heads {
            if let HeadAtom::Constraint { constraint, args } = &mut head.atom {
                let columns = &sig.constraints[*constraint].columns;
                for (i, (arg, column)) in args.iter_mut().zip(columns).enumerate() {
                    if !self.pattern(sig, &rule.vars, &mut bound, arg, column.sort) {
                        misfit.get_or_insert((arg.span, *constraint, i, column.sort));
                    }
                }
            }
        }
        if let Some((span, constraint, column, sort)) = misfit {
            let label = self.declarations.label(constraint);
            let kind = Kind::of_sort(sig.kind(sort)).name();
            self.diagnostics.push(
                Diagnostic::warning(
                    "C0502",
                    format!("this head never matches argument {} of {label}", column + 1),
                )
                .label(span, format!("the argument is always {kind}"))
                .help("correct the pattern; the rule never fires as it is"),
            );
            return false;
        }
        self.conflicts(&conflicts);
        self.goals(&rule.vars, &mut rule.guard);
        if let Body::Goals(goals) = &mut rule.body {
            self.goals(&rule.vars, goals);
        }
        true
    }

    fn conflicts(&mut self, conflicts: &[Conflict]) {
        for c in conflicts {
            let needs = if c.op.is_integer_only() { "integers" } else { "numbers" };
            self.diagnostics.push(
                Diagnostic::error("C0405", format!("{} computes with {needs} only", c.op.name()))
                    .label(c.span, format!("always {}", c.kind.name()))
                    .help("compare terms with == or @<; convert floats by truncate(X) or round(X)"),
            );
        }
    }

    fn vars(&self, vars: &mut IdVec<gchr_base::rule::VarId, Var>, kinds: &[Kind]) {
        for (var, kind) in vars.iter_mut().zip(kinds) {
            var.sort = self.sorts.of(kind.sort_kind());
        }
    }

    /// Sets the sorts of a pattern that is matched against values of `sort`; whether it can match.
    fn pattern(
        &self,
        sig: &Signature,
        vars: &IdVec<gchr_base::rule::VarId, Var>,
        bound: &mut [bool],
        pattern: &mut Pattern,
        sort: SortId,
    ) -> bool {
        pattern.sort = sort;
        let is_any = |s: SortId| sig.kind(s) == SortKind::Any;
        match &mut pattern.kind {
            PatternKind::Wild => true,
            PatternKind::Var(var) => {
                let again = std::mem::replace(&mut bound[var.index()], true);
                let own = vars[*var].sort;
                own == sort || (again && (is_any(own) || is_any(sort)))
            }
            PatternKind::Const(c) => is_any(sort) || Kind::of_const(*c).sort_kind() == sig.kind(sort),
            PatternKind::App { args, .. } => {
                // Every argument is visited: all of them get their sorts.
                let mut fits = is_any(sort);
                for arg in args {
                    fits &= self.pattern(sig, vars, bound, arg, self.sorts.any);
                }
                fits
            }
        }
    }

    fn goals(&mut self, vars: &IdVec<gchr_base::rule::VarId, Var>, goals: &mut [Goal]) {
        for goal in goals {
            match &mut goal.kind {
                GoalKind::Test(value) | GoalKind::Bind { value, .. } | GoalKind::Write { value, .. } => {
                    self.expr(vars, value);
                }
                GoalKind::Match { value, pattern } => {
                    self.expr(vars, value);
                    self.any_pattern(pattern);
                }
                GoalKind::Add { constraint, args } => {
                    args.iter_mut().for_each(|a| self.expr(vars, a));
                    self.check_added(*constraint, args);
                }
                GoalKind::Fail | GoalKind::Newline => {}
            }
        }
    }

    /// Patterns of `=` take compound terms apart: every part of them has sort `any`.
    fn any_pattern(&self, pattern: &mut Pattern) {
        pattern.sort = self.sorts.any;
        if let PatternKind::App { args, .. } = &mut pattern.kind {
            args.iter_mut().for_each(|a| self.any_pattern(a));
        }
    }

    fn expr(&self, vars: &IdVec<gchr_base::rule::VarId, Var>, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Var(var) => expr.sort = vars[*var].sort,
            ExprKind::Const(c) => expr.sort = self.sorts.of(Kind::of_const(*c).sort_kind()),
            ExprKind::App { args, .. } => {
                args.iter_mut().for_each(|a| self.expr(vars, a));
                expr.sort = self.sorts.any;
            }
            ExprKind::Repeat { arg, .. } => self.expr(vars, arg),
            ExprKind::Op { op, args } => {
                args.iter_mut().for_each(|a| self.expr(vars, a));
                expr.sort = self.operation(*op, args);
                // What is known to be a number is its own value.
                if *op == Op::Eval && [self.sorts.int, self.sorts.float].contains(&expr.sort) {
                    *expr = args.remove(0);
                }
            }
        }
    }

    /// Sort of an operation; an integer that meets a float in it is converted.
    fn operation(&self, op: Op, args: &mut [Expr]) -> SortId {
        self.evaluate_in_order(op, args);
        if op.is_test() {
            return self.sorts.bool;
        }
        let kind = |e: &Expr| {
            [(self.sorts.int, Kind::Int), (self.sorts.float, Kind::Float)]
                .into_iter()
                .find_map(|(s, k)| (s == e.sort).then_some(k))
                .unwrap_or(Kind::Any)
        };
        let kinds: Vec<Kind> = args.iter().map(kind).collect();
        let result = kinds::result(op, args, &kinds);
        if result == Kind::Float && op != Op::ToFloat {
            args.iter_mut().filter(|a| a.sort == self.sorts.int).for_each(|a| self.to_float(a));
        }
        self.sorts.of(result.sort_kind())
    }

    /// Operands are evaluated from left to right. An operator finds that a variable of unknown sort holds no number
    /// only when it has all its operands, so before an operand that may fail the variable is evaluated by itself.
    fn evaluate_in_order(&self, op: Op, args: &mut [Expr]) {
        if let [first, Expr { kind: ExprKind::Op { .. }, .. }] = args
            && matches!(first.kind, ExprKind::Var(_))
            && first.sort == self.sorts.any
            && !op.is_structural()
            && !op.is_logical()
        {
            apply(Op::Eval, self.sorts.any, first);
        }
    }

    fn to_float(&self, expr: &mut Expr) {
        apply(Op::ToFloat, self.sorts.float, expr);
    }

    /// Reports arguments that cannot be stored in their columns. What may fit is checked at run time.
    fn check_added(&mut self, constraint: ConstraintId, args: &[Expr]) {
        let columns = &self.columns[constraint.index()];
        let declared = &self.declarations.constraints[constraint].columns;
        for (i, (arg, &column)) in args.iter().zip(&columns.kinds).enumerate() {
            let needed = self.sorts.of(column.sort_kind());
            if arg.sort == needed || [arg.sort, needed].contains(&self.sorts.any) {
                // A compound term is never a number, an atom or a string; what a rule that cannot fire adds to an
                // inferred
                // column does not matter.
                let is_compound = matches!(arg.kind, ExprKind::App { .. });
                if needed == self.sorts.any || !is_compound || declared[i].is_none() {
                    continue;
                }
            }
            let label = self.declarations.label(constraint);
            self.diagnostics.push(
                Diagnostic::error("C0404", format!("argument {} of {label} has the wrong type", i + 1))
                    .label(arg.span, format!("not {}", column.name()))
                    .label(self.declarations.constraints[constraint].span, "declared here")
                    .help("give a value of the declared type, or declare the column with a wider type, such as ?any"),
            );
        }
    }
}

/// Replaces an expression by an operation on it.
fn apply(op: Op, sort: SortId, expr: &mut Expr) {
    let span = expr.span;
    let none = Expr { kind: ExprKind::Const(gchr_base::rule::Const::Int(0)), sort, span };
    let operand = std::mem::replace(expr, none);
    *expr = Expr { kind: ExprKind::Op { op, args: vec![operand] }, sort, span };
}
