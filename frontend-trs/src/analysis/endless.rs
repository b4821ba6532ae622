//! Rules whose right-hand side contains the redex itself: once such a rule applies, rewriting never ends.

use gchr_base::cases::{Effort, Matrix, Question, Values};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{Body, Expr, ExprKind, Pattern, PatternKind, Rule, Var, VarId};
use gchr_base::signature::SymbolId;
use gchr_base::source::Span;

use super::{Case, Function, is_linear};
use crate::check::Checked;

/// Largest rule that is looked at with an identity for a variable.
const MOST: usize = 1_000;

/// Warns of unconditional rules that rewrite a term to one that contains it where it is rewritten again.
pub(crate) fn rules(
    checked: &Checked,
    functions: &[Function<'_>],
    (values, effort): (&Values, &Effort),
    diagnostics: &mut Vec<Diagnostic>,
) {
    for function in functions {
        let name = &checked.program.signature.symbols[function.symbol].name;
        for (at, case) in function.cases.iter().enumerate() {
            let Body::Replace(right) = &case.rule.body else { continue };
            if !case.rule.guard.is_empty() {
                continue;
            }
            let redex = |args: &[Pattern], right: &Expr| {
                let again = evaluated(right).into_iter().find(|expr| is_redex(expr, function.symbol, args));
                again.map(|again| again.span)
            };
            let warning = |again: Span, what: &'static str| {
                let text = format!("this rule of `{name}` applies to its own result for ever");
                Diagnostic::warning("T0508", text)
                    .label(again, what)
                    .label(case.rule.heads[0].span, "the left-hand side")
            };
            if let Some(again) = redex(case.args, right) {
                diagnostics.push(
                    warning(again, "the left-hand side again, unchanged")
                        .help("change an argument, or add a condition to the rule"),
                );
                continue;
            }
            let collapses = Collapses { checked, function, at, values, effort };
            if let Some((again, var)) = collapses.find(case.rule, right, &redex) {
                let var = &case.rule.vars[var].name;
                diagnostics.push(
                    warning(again, "the left-hand side again")
                        .note(format!("a left-hand side matches modulo axioms: `{var}` may be the identity"))
                        .help(format!(
                            "add equations for single elements before the rule, or a condition on `{var}`"
                        )),
                );
            }
        }
    }
}

/// What a rule is where one of its variables is an identity.
struct Collapses<'c, 'p> {
    checked: &'c Checked,
    function: &'c Function<'p>,
    /// Which of its rules.
    at: usize,
    /// What heads normal forms.
    values: &'c Values,
    effort: &'c Effort,
}

impl Collapses<'_, '_> {
    /// A variable that may be an identity, so that the rule applies to its own result, and where. It must do so for
    /// some term: one that no earlier rule may match, nor this one otherwise.
    fn find(
        &self,
        rule: &Rule,
        right: &Expr,
        redex: &impl Fn(&[Pattern], &Expr) -> Option<Span>,
    ) -> Option<(Span, VarId)> {
        let case = &self.function.cases[self.at];
        let (args, mut size) = (case.args, case.size);
        right.walk(&mut |_| size += 1);
        if size > MOST || self.checked.otherwise.contains(&case.id) {
            return None;
        }
        self.variables(args, &rule.vars).into_iter().find_map(|(var, identity)| {
            let left = self.pattern(self.whole(args), var, identity);
            let PatternKind::App { symbol, args: collapsed } = &left.kind else { return None };
            let right = self.expr(right.clone(), var, identity);
            let again = redex(collapsed, &right).filter(|_| *symbol == self.function.symbol)?;
            (is_linear(collapsed) && self.is_reached(collapsed)).then_some((again, var))
        })
    }

    /// Variables that are arguments of a symbol with an identity, and that.
    fn variables(&self, args: &[Pattern], vars: &IdVec<VarId, Var>) -> Vec<(VarId, SymbolId)> {
        let mut found: Vec<(VarId, SymbolId)> = Vec::new();
        self.whole(args).walk(&mut |pattern| {
            let PatternKind::App { symbol, args } = &pattern.kind else { return };
            let Some(identity) = self.identity(*symbol) else { return };
            for arg in args {
                if let PatternKind::Var(var) = arg.kind
                    && vars[var].sort == arg.sort
                    && !found.contains(&(var, identity))
                    && self.effort.spend(self.function.cases[self.at].size)
                {
                    found.push((var, identity));
                }
            }
        });
        found
    }

    fn whole(&self, args: &[Pattern]) -> Pattern {
        let head = &self.function.cases[self.at].rule.heads[0];
        let sort = self.checked.program.signature.symbols[self.function.symbol].result;
        let kind = PatternKind::App { symbol: self.function.symbol, args: args.to_vec() };
        Pattern { kind, sort, span: head.span }
    }

    fn identity(&self, symbol: SymbolId) -> Option<SymbolId> {
        self.checked.axioms.get(&symbol)?.identity
    }

    /// A pattern with an identity for a variable, without identities beside other arguments.
    fn pattern(&self, mut pattern: Pattern, var: VarId, identity: SymbolId) -> Pattern {
        match &mut pattern.kind {
            PatternKind::Var(own) if *own == var => {
                pattern.kind = PatternKind::App { symbol: identity, args: Vec::new() };
            }
            PatternKind::App { symbol, args } => {
                let inner = std::mem::take(args).into_iter();
                *args = inner.map(|arg| self.pattern(arg, var, identity)).collect();
                let own = self.identity(*symbol);
                let is_own = |arg: &Pattern| matches!(arg.kind, PatternKind::App { symbol, .. } if Some(symbol) == own);
                if args.len() == 2
                    && let Some(at) = args.iter().position(is_own)
                {
                    return args.swap_remove(1 - at);
                }
            }
            _ => {}
        }
        pattern
    }

    /// The same of an expression.
    fn expr(&self, mut expr: Expr, var: VarId, identity: SymbolId) -> Expr {
        match &mut expr.kind {
            ExprKind::Var(own) if *own == var => {
                expr.kind = ExprKind::App { symbol: identity, args: Vec::new() };
            }
            ExprKind::App { args, .. } | ExprKind::Op { args, .. } => {
                let inner = std::mem::take(args).into_iter();
                *args = inner.map(|arg| self.expr(arg, var, identity)).collect();
            }
            ExprKind::Repeat { arg, .. } => **arg = self.expr((**arg).clone(), var, identity),
            ExprKind::Var(_) | ExprKind::Const(_) => {}
        }
        if let ExprKind::App { symbol, args } = &mut expr.kind
            && let Some(own) = self.identity(*symbol)
            && let Some(at) =
                args.iter().position(|arg| matches!(arg.kind, ExprKind::App { symbol, .. } if symbol == own))
            && args.len() == 2
        {
            return args.swap_remove(1 - at);
        }
        expr
    }

    /// Whether arguments like these are matched by no earlier rule, nor by this one as it is written. What may match
    /// modulo axioms is taken to match anything.
    fn is_reached(&self, collapsed: &[Pattern]) -> bool {
        let signature = &self.checked.program.signature;
        let cases = &self.function.cases;
        let earlier: Vec<Vec<Pattern>> = cases[..self.at].iter().map(|case| self.at_most(case)).collect();
        let mut matrix = Matrix::new(signature, self.values, self.effort);
        earlier.iter().for_each(|args| matrix.push(args));
        matrix.push(cases[self.at].args);
        matches!(matrix.useful(collapsed), Question::Yes(_))
    }

    /// Patterns that match whatever these match modulo axioms.
    fn at_most(&self, case: &Case<'_>) -> Vec<Pattern> {
        let args = case.args;
        if case.size > MOST || self.checked.axioms.contains_key(&self.function.symbol) {
            return args.iter().map(|arg| Pattern { kind: PatternKind::Wild, ..arg.clone() }).collect();
        }
        args.iter().map(|arg| self.widened(arg)).collect()
    }

    fn widened(&self, pattern: &Pattern) -> Pattern {
        let kind = match &pattern.kind {
            PatternKind::App { symbol, .. } if self.checked.axioms.contains_key(symbol) => PatternKind::Wild,
            PatternKind::App { symbol, args } => {
                let args = args.iter().map(|arg| self.widened(arg)).collect();
                PatternKind::App { symbol: *symbol, args }
            }
            _ => pattern.kind.clone(),
        };
        Pattern { kind, ..pattern.clone() }
    }
}

/// The subterms that are evaluated in any case.
fn evaluated(expr: &Expr) -> Vec<&Expr> {
    let mut all = vec![expr];
    let mut next = 0;
    while let Some(&expr) = all.get(next) {
        next += 1;
        match &expr.kind {
            ExprKind::Var(_) | ExprKind::Const(_) => {}
            ExprKind::Op { op: Op::Both | Op::Either, args } => all.extend(args.first()),
            ExprKind::App { args, .. } | ExprKind::Op { args, .. } => all.extend(args),
            ExprKind::Repeat { arg, .. } => all.push(arg),
        }
    }
    all
}

fn is_redex(expr: &Expr, symbol: SymbolId, patterns: &[Pattern]) -> bool {
    let ExprKind::App { symbol: found, args } = &expr.kind else { return false };
    let mut pairs: Vec<(&Expr, &Pattern)> = args.iter().zip(patterns).collect();
    let mut same = *found == symbol;
    while let (true, Some((expr, pattern))) = (same, pairs.pop()) {
        same = match (&expr.kind, &pattern.kind) {
            (ExprKind::Var(a), PatternKind::Var(b)) => a == b,
            (ExprKind::Const(a), PatternKind::Const(b)) => a == b,
            (ExprKind::App { symbol: f, args }, PatternKind::App { symbol: g, args: patterns }) => {
                pairs.extend(args.iter().zip(patterns));
                f == g
            }
            _ => false,
        };
    }
    same
}
