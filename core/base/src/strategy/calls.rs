//! Innermost, with arguments that are lazy or never rewritten: a function is called with those of its arguments that
//! are evaluated, and gives a term that is.

use super::{Argument, Evaluates, Made, Strategy, Vars, compares, kinds};
use crate::hash::HashMap;
use crate::ids::{Id, IdVec};
use crate::rule::{Body, Expr, ExprKind, Goal, GoalKind, HeadAtom, Pattern, PatternKind, Rule, Var, VarId};
use crate::signature::{SortId, SymbolId, SymbolKind};
use crate::source::Span;

/// The functions that are called.
#[derive(Default)]
struct Called {
    /// For those of the program.
    functions: HashMap<SymbolId, SymbolId>,
    /// For choices between two terms that are not evaluated.
    choices: HashMap<SymbolId, SymbolId>,
}

/// Makes the rules of the program.
pub(super) fn make(made: &mut Made<'_>, strategy: &Strategy) {
    let open = made.open_sorts();
    let source = made.source;
    let lazy =
        made.reaching(|id, symbol| (0..symbol.args.len()).any(|at| made.argument(id, at) == Argument::Lazy));
    for &sort in &open {
        let evaluate = made.declare("@evaluate", vec![sort], sort, SymbolKind::Defined);
        made.evaluates.insert(sort, Evaluates { evaluate, complete: None });
    }
    for sort in lazy {
        // Where nothing is to be evaluated, being lazy makes no difference.
        if made.evaluates.contains_key(&sort) {
            let complete = made.declare("@complete", vec![sort], sort, SymbolKind::Defined);
            made.evaluates.entry(sort).and_modify(|of| of.complete = Some(complete));
        }
    }
    let mut called = Called::default();
    for (id, symbol) in source.signature.symbols.iter_enumerated() {
        if symbol.kind != SymbolKind::Defined || made.is_number(symbol.result) {
            continue;
        }
        let mut declare = |name: &str| {
            let name = format!("{name}{}", symbol.name);
            made.declare(&name, symbol.args.clone(), symbol.result, SymbolKind::Defined)
        };
        called.functions.insert(id, declare("@"));
        if strategy.choices.contains(&id) {
            called.choices.insert(id, declare("@lazy "));
        }
    }
    for rule in &source.rules {
        if let Some(rule) = OfRule::new(made, &called, rule).finish(rule) {
            made.rules.push(rule);
        }
    }
    for (id, symbol) in source.signature.symbols.iter_enumerated() {
        if let Some(&call) = called.functions.get(&id) {
            stays(made, id, call, &symbol.args);
        }
        if let Some(&call) = called.choices.get(&id) {
            choice(made, id, call);
        }
    }
    let symbols = made.symbols_of(&open);
    for sort in open {
        evaluation(made, &symbols[&sort], sort, &called);
        completion(made, &symbols[&sort], sort);
    }
}

/// An application that no rule matches is a term.
fn stays(made: &mut Made<'_>, symbol: SymbolId, call: SymbolId, sorts: &[SortId]) {
    let span = made.place(symbol);
    let mut vars = Vars::default();
    let (patterns, values): (Vec<Pattern>, Vec<Expr>) =
        sorts.iter().map(|&sort| vars.fresh(sort, span)).unzip();
    let body = made.app(symbol, values, span);
    made.rule(call, vars.0, patterns, Vec::new(), body);
}

/// Chooses one of two terms, and evaluates it. Where the test is neither true nor false, both are evaluated.
fn choice(made: &mut Made<'_>, symbol: SymbolId, call: SymbolId) {
    let span = made.place(symbol);
    let sorts = made.source.signature.symbols[symbol].args.clone();
    let booleans = made.source.signature.booleans;
    for chosen in [Some((booleans.true_symbol, 1)), Some((booleans.false_symbol, 2)), None] {
        let mut vars = Vars::default();
        let (mut patterns, mut values): (Vec<Pattern>, Vec<Expr>) =
            sorts.iter().map(|&sort| vars.fresh(sort, span)).unzip();
        let body = match chosen {
            Some((value, at)) => {
                patterns[0] = made.built(value, Vec::new(), span);
                // The variable of the test is not used.
                made.evaluated(values.swap_remove(at))
            }
            None => {
                let branches = values.split_off(1);
                values.extend(branches.into_iter().map(|branch| made.evaluated(branch)));
                made.app(symbol, values, span)
            }
        };
        made.rule(call, vars.0, patterns, Vec::new(), body);
    }
}

/// Evaluates the terms of a sort.
fn evaluation(made: &mut Made<'_>, symbols: &[SymbolId], sort: SortId, called: &Called) {
    let Some(&of) = made.evaluates.get(&sort) else { return };
    for &symbol in symbols {
        let choice = called.choices.get(&symbol);
        let call = choice.or_else(|| called.functions.get(&symbol)).copied();
        inside(made, of.evaluate, symbol, call, |made, at, value| {
            let is_evaluated = match choice {
                // Only the test is.
                Some(_) => at == 0,
                None => made.argument(symbol, at) == Argument::Evaluated,
            };
            if is_evaluated { made.evaluated(value) } else { value }
        });
    }
    unchanged(made, of.evaluate, sort);
}

/// Evaluates what is lazy in terms of a sort.
fn completion(made: &mut Made<'_>, symbols: &[SymbolId], sort: SortId) {
    let Some(complete) = made.evaluates.get(&sort).and_then(|of| of.complete) else { return };
    for &symbol in symbols {
        inside(made, complete, symbol, None, |made, at, value| match made.argument(symbol, at) {
            Argument::Evaluated => made.completed(value),
            Argument::Lazy => made.completed(made.evaluated(value)),
            Argument::Frozen => value,
        });
    }
    unchanged(made, complete, sort);
}

/// A rule of a function for the terms that a symbol builds, which does this to their arguments and applies the symbol
/// again, or a function in its place; none where nothing is done.
fn inside(
    made: &mut Made<'_>,
    function: SymbolId,
    symbol: SymbolId,
    call: Option<SymbolId>,
    each: impl Fn(&Made<'_>, usize, Expr) -> Expr,
) {
    let span = made.place(symbol);
    let mut vars = Vars::default();
    let sorts = &made.source.signature.symbols[symbol].args;
    let (patterns, values): (Vec<Pattern>, Vec<Expr>) =
        sorts.iter().map(|&sort| vars.fresh(sort, span)).unzip();
    let values: Vec<Expr> = values.into_iter().enumerate().map(|(at, value)| each(made, at, value)).collect();
    if call.is_none() && values.iter().all(|value| matches!(value.kind, ExprKind::Var(_))) {
        return;
    }
    let body = made.app(call.unwrap_or(symbol), values, span);
    let left = made.built(symbol, patterns, span);
    made.rule(function, vars.0, vec![left], Vec::new(), body);
}

/// The other terms stay as they are.
fn unchanged(made: &mut Made<'_>, function: SymbolId, sort: SortId) {
    let span = made.place_of_sort(sort);
    let mut vars = Vars::default();
    let (pattern, value) = vars.fresh(sort, span);
    made.rule(function, vars.0, vec![pattern], Vec::new(), value);
}

/// A rule of the program that becomes one of a function that is called.
struct OfRule<'m, 'p> {
    made: &'m Made<'p>,
    called: &'m Called,
    vars: IdVec<VarId, Var>,
    /// Of the variables of the program.
    kinds: Vec<Argument>,
    /// What is matched behind the left-hand side, or behind a part of the condition.
    later: Vec<Goal>,
}

impl<'m, 'p> OfRule<'m, 'p> {
    fn new(made: &'m Made<'p>, called: &'m Called, rule: &Rule) -> Self {
        let kinds = kinds(rule, &made.arguments);
        Self { made, called, vars: rule.vars.clone(), kinds, later: Vec::new() }
    }

    fn finish(mut self, rule: &Rule) -> Option<Rule> {
        let (head, Body::Replace(right)) = (rule.heads.first()?, &rule.body) else { return None };
        let HeadAtom::Term { symbol, args } = &head.atom else { return None };
        let args = self.arguments(*symbol, args);
        let mut guard = std::mem::take(&mut self.later);
        for goal in &rule.guard {
            let kind = match &goal.kind {
                GoalKind::Test(test) => GoalKind::Test(self.value(test)),
                GoalKind::Bind { var, value } => GoalKind::Bind { var: *var, value: self.value(value) },
                GoalKind::Match { value, pattern } => {
                    GoalKind::Match { value: self.value(value), pattern: self.pattern(pattern) }
                }
                other => other.clone(),
            };
            guard.push(Goal { kind, span: goal.span });
            guard.append(&mut self.later);
        }
        let body = Body::Replace(self.value(right));
        let mut head = head.clone();
        let symbol = self.called.functions.get(symbol).copied().unwrap_or(*symbol);
        head.atom = HeadAtom::Term { symbol, args };
        Some(Rule {
            name: rule.name.clone(),
            vars: self.vars,
            heads: vec![head],
            guard,
            body,
            span: rule.span,
        })
    }

    /// Patterns for the arguments of a symbol.
    fn arguments(&mut self, symbol: SymbolId, args: &[Pattern]) -> Vec<Pattern> {
        let each = |(at, arg): (usize, &Pattern)| match self.made.argument(symbol, at) {
            Argument::Evaluated => self.pattern(arg),
            Argument::Frozen => arg.clone(),
            Argument::Lazy if matches!(arg.kind, PatternKind::Var(_) | PatternKind::Wild) => arg.clone(),
            Argument::Lazy => self.on_demand(arg),
        };
        args.iter().enumerate().map(each).collect()
    }

    /// A pattern for a term that is evaluated.
    fn pattern(&mut self, pattern: &Pattern) -> Pattern {
        let PatternKind::App { symbol, args } = &pattern.kind else { return pattern.clone() };
        let args = self.arguments(*symbol, args);
        Pattern { kind: PatternKind::App { symbol: *symbol, args }, ..pattern.clone() }
    }

    /// A variable in the place of a pattern for a term that is evaluated because it is matched.
    fn on_demand(&mut self, pattern: &Pattern) -> Pattern {
        let (sort, span) = (pattern.sort, pattern.span);
        let var = self.vars.push(Var { name: "x".into(), sort, span });
        let value = self.made.evaluated(Expr { kind: ExprKind::Var(var), sort, span });
        // What is matched within it comes behind.
        let at = self.later.len();
        let inner = self.pattern(pattern);
        self.later.insert(at, Goal { kind: GoalKind::Match { value, pattern: inner }, span });
        Pattern { kind: PatternKind::Var(var), sort, span }
    }

    /// Whether a term is a variable whose value is not evaluated.
    fn is_built(&self, expr: &Expr) -> bool {
        let ExprKind::Var(var) = expr.kind else { return false };
        self.kinds.get(var.index()).is_some_and(|&kind| kind != Argument::Evaluated)
    }

    /// A term, evaluated.
    fn value(&self, expr: &Expr) -> Expr {
        let (made, sort, span) = (self.made, expr.sort, expr.span);
        let kind = match &expr.kind {
            ExprKind::Var(_) if self.is_built(expr) => return made.evaluated(expr.clone()),
            ExprKind::Var(_) | ExprKind::Const(_) => return expr.clone(),
            ExprKind::App { symbol, args } => match (self.called.choices.get(symbol), args.as_slice()) {
                (Some(&choice), [test, yes, no]) if self.is_built(yes) || self.is_built(no) => {
                    ExprKind::App { symbol: choice, args: vec![self.value(test), yes.clone(), no.clone()] }
                }
                _ => {
                    let call = self.called.functions.get(symbol).copied().unwrap_or(*symbol);
                    ExprKind::App { symbol: call, args: self.argument_values(*symbol, args) }
                }
            },
            ExprKind::Repeat { symbol, count, arg } => {
                return self.repeated(*symbol, *count, arg, (sort, span));
            }
            ExprKind::Op { op, args } => {
                let operand = |arg: &Expr| match compares(*op) {
                    true => made.completed(self.value(arg)),
                    false => self.value(arg),
                };
                ExprKind::Op { op: *op, args: args.iter().map(operand).collect() }
            }
        };
        Expr { kind, sort, span }
    }

    fn argument_values(&self, symbol: SymbolId, args: &[Expr]) -> Vec<Expr> {
        let each = |(at, arg)| match self.made.argument(symbol, at) {
            Argument::Evaluated => self.value(arg),
            Argument::Lazy | Argument::Frozen => self.built(arg),
        };
        args.iter().enumerate().map(each).collect()
    }

    /// A symbol so many times, evaluated.
    fn repeated(&self, symbol: SymbolId, count: u32, arg: &Expr, (sort, span): (SortId, Span)) -> Expr {
        let call = self.called.functions.get(&symbol).copied();
        let inner = match self.made.argument(symbol, 0) {
            Argument::Evaluated => self.value(arg),
            Argument::Lazy | Argument::Frozen => self.built(arg),
        };
        match call {
            // Only the outermost application is evaluated.
            Some(call) if self.made.argument(symbol, 0) != Argument::Evaluated => {
                let mut arg = inner;
                if count > 1 {
                    let kind = ExprKind::Repeat { symbol, count: count - 1, arg: Box::new(arg) };
                    arg = Expr { kind, sort, span };
                }
                Expr { kind: ExprKind::App { symbol: call, args: vec![arg] }, sort, span }
            }
            _ => {
                let symbol = call.unwrap_or(symbol);
                Expr { kind: ExprKind::Repeat { symbol, count, arg: Box::new(inner) }, sort, span }
            }
        }
    }

    /// A term that is not evaluated, but for numbers and operators in it.
    fn built(&self, expr: &Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Var(_) | ExprKind::Const(_) => return expr.clone(),
            ExprKind::Op { .. } => return self.value(expr),
            ExprKind::App { .. } | ExprKind::Repeat { .. } if self.made.is_number(expr.sort) => {
                return self.value(expr);
            }
            ExprKind::App { symbol, args } => {
                ExprKind::App { symbol: *symbol, args: args.iter().map(|arg| self.built(arg)).collect() }
            }
            ExprKind::Repeat { symbol, count, arg } => {
                ExprKind::Repeat { symbol: *symbol, count: *count, arg: Box::new(self.built(arg)) }
            }
        };
        Expr { kind, sort: expr.sort, span: expr.span }
    }
}
