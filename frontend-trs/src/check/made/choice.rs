//! `if`: a function of the sort of its branches, and a function of its own where a branch is to be left out.

use gchr_base::ids::IdVec;
use gchr_base::rule::{Expr, ExprKind, Outline, Pattern, PatternKind, Var, VarId};
use gchr_base::signature::{SortId, SymbolId, SymbolKind};
use gchr_base::source::Span;

use super::maker::rule_of;
use super::site::Site;
use crate::check::builtin::IF;
use crate::check::scope::Scope;

impl Scope<'_> {
    /// The function that chooses between two values of a sort; `None` where a finished program has none.
    pub fn choice(&mut self, sort: SortId, span: Span) -> Option<SymbolId> {
        let symbol = match self.made.choice {
            Some(known) => known,
            None => self.make_choice(span)?,
        };
        self.instance(symbol, &[sort])
    }

    /// The function that chooses between two values of any sort.
    fn make_choice(&mut self, span: Span) -> Option<SymbolId> {
        let truth = self.truth?;
        if self.made.is_final {
            return None;
        }
        let (families, sorts, symbols) = self.store();
        let sort = families.hidden_parameter(sorts, symbols);
        let owner = self.made.owner.take();
        let symbol = self.make(IF.to_string(), vec![truth.sort, sort, sort], sort)?;
        self.made.owner = owner;
        self.made.choice = Some(symbol);
        let vars: IdVec<VarId, Var> =
            ["X", "Y"].map(|name| Var { name: name.into(), sort, span }).into_iter().collect();
        for (chosen, id) in [truth.true_symbol, truth.false_symbol].into_iter().zip(vars.ids()) {
            let mut args = vec![constant(chosen, truth.sort, span)];
            args.extend(vars.ids().map(|id| Pattern { kind: PatternKind::Var(id), sort, span }));
            let value = Expr { kind: ExprKind::Var(id), sort, span };
            self.made.rules.push(rule_of(symbol, vars.clone(), args, value, span));
        }
        Some(symbol)
    }
}

fn constant(symbol: SymbolId, sort: SortId, span: Span) -> Pattern {
    Pattern { kind: PatternKind::App { symbol, args: Vec::new() }, sort, span }
}

/// Whether there is nothing to evaluate.
fn is_value(expr: &Expr, scope: &Scope<'_>) -> bool {
    match &expr.kind {
        ExprKind::Var(_) | ExprKind::Const(_) => true,
        ExprKind::App { symbol, args } => {
            args.is_empty() && scope.signature.symbols[*symbol].kind == SymbolKind::Constructor
        }
        ExprKind::Repeat { .. } | ExprKind::Op { .. } => false,
    }
}

/// Whether a test has one of the two truth values, or none at all: built-in operators do. An application may be one
/// that no rule matches, and a variable may hold one.
fn is_decided(test: &Expr) -> bool {
    matches!(test.kind, ExprKind::Op { .. })
}

/// `if(test, yes, no)` in a rule: only the branch that is chosen is evaluated. A test that is neither true nor false
/// leaves an `if` of values. `None` where a finished program has no rules for it.
pub(crate) fn choose(site: &mut Site<'_, '_>, [test, yes, no]: [Expr; 3], span: Span) -> Option<Expr> {
    let sort = yes.sort;
    let choice = site.scope.choice(sort, span)?;
    let app = |symbol, args| Expr { kind: ExprKind::App { symbol, args }, sort, span };
    if is_value(&yes, site.scope) && is_value(&no, site.scope) {
        return Some(app(choice, vec![test, yes, no]));
    }
    let outline = Outline::of(&[&yes, &no], site.vars);
    let truth = site.scope.truth?;
    let owner = site.scope.made.owner.map(|owner| site.scope.signature.symbols[owner].name.as_str());
    let name = format!("{}.{IF}", owner.unwrap_or_default());
    let sorts = [truth.sort].into_iter().chain(outline.sorts()).collect();
    let symbol = site.scope.make(name, sorts, sort)?;
    site.scope.made.parts.insert(symbol, 1);
    let is_decided = is_decided(&test);
    let args = [test].into_iter().chain(outline.values(span)).collect();
    let (yes, no) = (outline.inside(yes), outline.inside(no));
    let mut rule = |vars, first: Pattern, value| {
        let args = [first].into_iter().chain(outline.patterns(span)).collect();
        site.scope.made.rules.push(rule_of(symbol, vars, args, value, span));
    };
    let stays = (yes.clone(), no.clone());
    rule(outline.vars(), constant(truth.true_symbol, truth.sort, span), yes);
    rule(outline.vars(), constant(truth.false_symbol, truth.sort, span), no);
    if !is_decided {
        let mut vars = outline.vars();
        let test = vars.push(Var { name: "C".into(), sort: truth.sort, span });
        let first = Pattern { kind: PatternKind::Var(test), sort: truth.sort, span };
        let test = Expr { kind: ExprKind::Var(test), sort: truth.sort, span };
        let args = [first].into_iter().chain(outline.patterns(span)).collect();
        let value = app(choice, vec![test, stays.0, stays.1]);
        site.scope.made.rules.push(rule_of(symbol, vars, args, value, span));
    }
    Some(app(symbol, args))
}
