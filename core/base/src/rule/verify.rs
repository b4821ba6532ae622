//! Checks the invariants of the rule IR. A program that a frontend hands out without errors always passes; what fails
//! here is a bug of a frontend, reported as a diagnostic with code `I...` rather than as a panic.

use super::*;
use crate::diagnostic::Diagnostic;
use crate::signature::{SortKind, SymbolKind};

/// Checks `program`; one diagnostic a broken invariant:
/// every term is well-sorted and has its symbol's arity; variables are bound before they are used; a rewrite rule has
/// one removed head whose symbol is defined; a rule over constraints has heads over constraints and a body of goals;
/// guards have no effects; ground terms are well-formed.
pub fn verify(program: &Program) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for rule in &program.rules {
        let mut check = Check::new(&program.signature, &rule.vars, &mut diagnostics);
        check.rule(rule);
    }
    match &program.start {
        Start::Term(Some(term)) => verify_ground(&program.signature, term, &mut diagnostics),
        Start::Term(None) => {}
        Start::Goals(queries) => queries.iter().for_each(|query| {
            Check::new(&program.signature, &query.vars, &mut diagnostics).goals(&query.goals, true);
        }),
    }
    diagnostics
}

fn internal(span: Span, text: impl Into<String>) -> Diagnostic {
    Diagnostic::error("I0001", "internal error: the rule IR is not well-formed")
        .label(span, text)
        .help("this is a bug of gchr, not of the program; please report it with the program")
}

fn verify_ground(sig: &Signature, term: &GroundTerm, diagnostics: &mut Vec<Diagnostic>) {
    let mut stack: Vec<SortId> = Vec::new();
    for node in &term.nodes {
        let ok = match *node {
            GroundNode::Const(c) => match const_kind(c).and_then(|k| sig.sort_of_kind(k)) {
                Some(sort) => {
                    stack.push(sort);
                    true
                }
                None => false,
            },
            GroundNode::App(symbol) => {
                let symbol = &sig.symbols[symbol];
                let base = stack.len().checked_sub(symbol.args.len());
                let ok = base.is_some_and(|base| stack[base..] == symbol.args[..]);
                stack.truncate(base.unwrap_or(0));
                stack.push(symbol.result);
                ok
            }
            GroundNode::Repeat(symbol, count) => {
                let symbol = &sig.symbols[symbol];
                count > 0 && symbol.args == [symbol.result] && stack.last() == Some(&symbol.result)
            }
            GroundNode::Op(op, sort) => {
                let base = stack.len().checked_sub(op.arity());
                let ok = base.is_some_and(|base| stack[base..].iter().all(|&s| s == sort));
                stack.truncate(base.unwrap_or(0));
                stack.push(sig.sort_of_result(op, sort));
                ok
            }
        };
        if !ok {
            diagnostics.push(internal(term.span, "a node of this term does not fit its operands"));
            return;
        }
    }
    if stack != [term.sort] {
        diagnostics.push(internal(term.span, "this term is not one complete term of its sort"));
    }
}

fn const_kind(c: Const) -> Option<SortKind> {
    match c {
        Const::Int(_) => Some(SortKind::Int),
        Const::Float(x) => x.is_finite().then_some(SortKind::Float),
        Const::Atom(_) => Some(SortKind::Atom),
        Const::Str(_) => Some(SortKind::Str),
    }
}

struct Check<'a> {
    sig: &'a Signature,
    vars: &'a IdVec<VarId, Var>,
    bound: Vec<bool>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Check<'a> {
    fn new(sig: &'a Signature, vars: &'a IdVec<VarId, Var>, diagnostics: &'a mut Vec<Diagnostic>) -> Self {
        Self { sig, vars, bound: vec![false; vars.len()], diagnostics }
    }

    fn fail(&mut self, span: Span, text: impl Into<String>) {
        self.diagnostics.push(internal(span, text));
    }

    fn rule(&mut self, rule: &Rule) {
        for head in &rule.heads {
            match &head.atom {
                HeadAtom::Term { symbol, args } => {
                    let symbol = &self.sig.symbols[*symbol];
                    if symbol.kind != SymbolKind::Defined {
                        self.fail(head.span, "the head symbol of a redex is not a defined symbol");
                    }
                    self.patterns(head.span, args, &symbol.args);
                }
                HeadAtom::Constraint { constraint, args } => {
                    let sorts: Vec<_> =
                        self.sig.constraints[*constraint].columns.iter().map(|c| c.sort).collect();
                    self.patterns(head.span, args, &sorts);
                }
            }
        }
        self.goals(&rule.guard, false);
        match (&rule.body, rule.heads.as_slice()) {
            (
                Body::Replace(expr),
                [Head { atom: HeadAtom::Term { symbol, .. }, role: Role::Removed, .. }],
            ) => {
                self.expr(expr, self.sig.symbols[*symbol].result);
            }
            (Body::Goals(goals), [_, ..])
                if rule.heads.iter().all(|h| matches!(h.atom, HeadAtom::Constraint { .. })) =>
            {
                self.goals(goals, true);
            }
            _ => self.fail(rule.span, "heads and body do not belong together"),
        }
    }

    fn goals(&mut self, goals: &[Goal], effects: bool) {
        for goal in goals {
            match &goal.kind {
                GoalKind::Test(test) => self.expr(test, self.sig.booleans.sort),
                GoalKind::Bind { var, value } => {
                    self.expr(value, self.vars[*var].sort);
                    if std::mem::replace(&mut self.bound[var.0 as usize], true) {
                        self.fail(goal.span, "this variable is bound already");
                    }
                }
                GoalKind::Match { value, pattern } => {
                    self.expr(value, pattern.sort);
                    self.pattern(pattern, pattern.sort);
                }
                GoalKind::Add { constraint, args } => {
                    let columns = &self.sig.constraints[*constraint].columns;
                    if columns.len() == args.len() {
                        for (arg, column) in args.iter().zip(columns) {
                            // A value of any type is checked against its column when it is stored.
                            let unchecked = self.sig.kind(arg.sort) == SortKind::Any;
                            self.expr(arg, if unchecked { arg.sort } else { column.sort });
                        }
                    } else {
                        self.fail(goal.span, "wrong number of arguments");
                    }
                }
                GoalKind::Write { value, .. } => self.expr(value, value.sort),
                GoalKind::Fail | GoalKind::Newline => {}
            }
            let effect =
                matches!(goal.kind, GoalKind::Add { .. } | GoalKind::Write { .. } | GoalKind::Newline);
            if effect && !effects {
                self.fail(goal.span, "a guard has no effects");
            }
        }
    }

    fn patterns(&mut self, span: Span, patterns: &[Pattern], sorts: &[SortId]) {
        if patterns.len() != sorts.len() {
            return self.fail(span, "wrong number of arguments");
        }
        patterns.iter().zip(sorts).for_each(|(p, &s)| self.pattern(p, s));
    }

    fn pattern(&mut self, pattern: &Pattern, sort: SortId) {
        if pattern.sort != sort {
            self.fail(pattern.span, format!("this pattern should have sort {}", self.sig.sorts[sort].name));
        }
        match &pattern.kind {
            PatternKind::Wild => {}
            PatternKind::Var(var) => {
                // A later occurrence may stand in a column of another type: the values are compared across `Any`.
                let any = [sort, self.vars[*var].sort].iter().any(|&s| self.sig.kind(s) == SortKind::Any);
                let again = std::mem::replace(&mut self.bound[var.0 as usize], true);
                if self.vars[*var].sort != sort && !(again && any) {
                    self.fail(pattern.span, "this variable has another sort");
                }
            }
            PatternKind::Const(c) => self.constant(*c, pattern.span, sort),
            PatternKind::App { symbol, args } => {
                let symbol = &self.sig.symbols[*symbol];
                if symbol.result != sort {
                    self.fail(pattern.span, "this symbol builds values of another sort");
                }
                self.patterns(pattern.span, args, &symbol.args);
            }
        }
    }

    fn constant(&mut self, c: Const, span: Span, sort: SortId) {
        let kind = self.sig.kind(sort);
        if const_kind(c).is_none_or(|k| k != kind && kind != SortKind::Any) {
            self.fail(span, "this constant has another sort");
        }
    }

    fn expr(&mut self, expr: &Expr, sort: SortId) {
        if expr.sort != sort && self.sig.kind(sort) != SortKind::Any {
            self.fail(expr.span, format!("this term should have sort {}", self.sig.sorts[sort].name));
        }
        match &expr.kind {
            ExprKind::Var(var) => {
                if self.vars[*var].sort != expr.sort {
                    self.fail(expr.span, "this variable has another sort");
                }
                if !self.bound[var.0 as usize] {
                    self.fail(expr.span, "this variable is not bound here");
                }
            }
            ExprKind::Const(c) => self.constant(*c, expr.span, expr.sort),
            ExprKind::App { symbol, args } => {
                let symbol = &self.sig.symbols[*symbol];
                if symbol.result != expr.sort || symbol.args.len() != args.len() {
                    return self.fail(expr.span, "this application does not fit its symbol");
                }
                args.iter().zip(&symbol.args).for_each(|(a, &s)| self.expr(a, s));
            }
            ExprKind::Repeat { symbol, count, arg } => {
                let symbol = &self.sig.symbols[*symbol];
                if *count == 0 || symbol.args != [expr.sort] || symbol.result != expr.sort {
                    self.fail(expr.span, "this repetition does not fit its symbol");
                }
                self.expr(arg, expr.sort);
            }
            ExprKind::Op { op, args } => self.operation(expr, *op, args),
        }
    }

    fn operation(&mut self, expr: &Expr, op: Op, args: &[Expr]) {
        if args.len() != op.arity() {
            return self.fail(expr.span, "wrong number of operands");
        }
        if op.is_test() && expr.sort != self.sig.booleans.sort {
            self.fail(expr.span, "a test has the sort of truth values");
        }
        for arg in args {
            let numeric = matches!(self.sig.kind(arg.sort), SortKind::Int | SortKind::Float | SortKind::Any);
            if op.is_logical() {
                self.expr(arg, self.sig.booleans.sort);
            } else {
                if !numeric && !op.is_structural() {
                    self.fail(arg.span, "an operand of arithmetic is not a number");
                }
                self.expr(arg, arg.sort);
            }
        }
    }
}
