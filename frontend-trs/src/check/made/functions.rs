//! Functions as values: functions without names, and symbols that are handed on.
//!
//! A function value is a constructor with the values of the variables that it uses. What applies values of a sort is a
//! function of its own, `apply`, which has a rule for each of them. So programs stay of first order.

use gchr_base::ids::IdVec;
use gchr_base::rule::{Expr, ExprKind, Outline, Pattern, PatternKind, Var, VarId};
use gchr_base::signature::{SortId, Symbol, SymbolId, SymbolKind};
use gchr_base::source::Span;

use super::maker::rule_of;
use super::site::Site;
use crate::check::families::FamilyId;
use crate::check::scope::Scope;

impl Scope<'_> {
    /// The sorts of functions with so many arguments, and what applies their values; `None` where a finished program
    /// has none.
    pub fn function_family(&mut self, arity: usize) -> Option<(FamilyId, SymbolId)> {
        if !self.made.is_final {
            let Self { families, functions, signature, .. } = self;
            let signature = signature.to_mut();
            functions.to_mut().family(arity, families.to_mut(), &mut signature.sorts, &mut signature.symbols);
        }
        self.functions.known(arity)
    }

    /// What applies values of a sort of functions.
    fn apply(&mut self, function: SortId) -> Option<SymbolId> {
        let (_, args) = self.families.origin_of_sort(function)?;
        let args = args.to_vec();
        let (_, apply) = self.function_family(args.len() - 1)?;
        self.instance(apply, &args)
    }

    /// The value that stands for a symbol with arguments; `None` where a finished program has none.
    pub fn value_of_symbol(&mut self, symbol: SymbolId, span: Span) -> Option<SymbolId> {
        if let Some(known) = self.functions.known_value(symbol) {
            return Some(known);
        }
        let Symbol { name, args, result, .. } = self.signature.symbols[symbol].clone();
        let (family, _) = self.function_family(args.len()).filter(|_| !self.made.is_final)?;
        let profile = args.iter().copied().chain([result]).collect();
        let sort = self.sort_instance(family, profile)?;
        let kind = SymbolKind::Constructor;
        let made = Symbol { name, args: Vec::new(), result: sort, kind, span: None };
        let value = self.signature.to_mut().symbols.push(made);
        let parameters = self.families.parameters_of(symbol).to_vec();
        if !parameters.is_empty() {
            self.families.to_mut().generalise(value, parameters);
        }
        self.functions.to_mut().add(symbol, value);
        let vars = args.iter().map(|&sort| Var { name: "X".into(), sort, span });
        let vars: IdVec<VarId, Var> = vars.collect();
        let arguments = vars.iter_enumerated();
        let arguments = arguments.map(|(id, var)| Expr { kind: ExprKind::Var(id), sort: var.sort, span });
        let kind = ExprKind::App { symbol, args: arguments.collect() };
        let patterns = vars.iter_enumerated();
        let patterns = patterns.map(|(id, var)| Pattern { kind: PatternKind::Var(id), sort: var.sort, span });
        let function = Pattern { kind: PatternKind::App { symbol: value, args: Vec::new() }, sort, span };
        let patterns = [function].into_iter().chain(patterns).collect();
        let apply = self.apply(sort)?;
        self.made.rules.push(rule_of(apply, vars, patterns, Expr { kind, sort: result, span }, span));
        Some(value)
    }
}

/// A function without a name, whose parameters are `count` variables from `first` on, as a value with those of other
/// variables; `None` where a finished program has no rules for it.
pub(crate) fn close(
    site: &mut Site<'_, '_>,
    first: VarId,
    count: u32,
    body: Expr,
    (sort, span): (SortId, Span),
) -> Option<Expr> {
    let variable =
        |id: VarId| Expr { kind: ExprKind::Var(id), sort: site.vars[id].sort, span: site.vars[id].span };
    let parameters: Vec<Expr> = (first.0..first.0 + count).map(|id| variable(VarId(id))).collect();
    let all: Vec<&Expr> = parameters.iter().chain([&body]).collect();
    let outline = Outline::of(&all, site.vars);
    let owner = site.scope.made.owner.map(|owner| site.scope.signature.symbols[owner].name.as_str());
    let name = format!("{}.lambda", owner.unwrap_or_default());
    let captured = outline.sorts().skip(count as usize).collect();
    let symbol = site.scope.make_of(SymbolKind::Constructor, name, captured, sort)?;
    site.scope.made.parts.insert(symbol, 0);
    let apply = site.scope.apply(sort)?;
    let mut patterns: Vec<Pattern> = outline.patterns(span).collect();
    let captured = patterns.split_off(count as usize);
    let function = Pattern { kind: PatternKind::App { symbol, args: captured }, sort, span };
    patterns.insert(0, function);
    site.scope.made.rules.push(rule_of(apply, outline.vars(), patterns, outline.inside(body), span));
    let args = outline.values(span).skip(count as usize).collect();
    Some(Expr { kind: ExprKind::App { symbol, args }, sort, span })
}
