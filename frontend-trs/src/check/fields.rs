//! Projections and recognisers of a `struct`: functions with an equation for each constructor that they know.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::rule::{Expr, ExprKind, Pattern, PatternKind, Rule, Var, VarId};
use gchr_base::signature::{Signature, SortId, SymbolId, SymbolKind};
use gchr_base::source::Span;

use super::Reporter;
use super::declarations::Scope;
use super::resolve::{WILD, no_truth};
use super::rules::rule_of;

/// What the functions of a `struct` give for one of its constructors.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    /// The projection or recogniser.
    pub function: SymbolId,
    /// The constructor.
    pub of: SymbolId,
    /// The argument that it projects to; `None` for a recogniser.
    pub argument: Option<usize>,
    /// Where it is named.
    pub span: Span,
}

/// The projections and recognisers of a program.
#[derive(Default)]
pub(crate) struct Fields {
    all: Vec<Field>,
    /// Sort and result sort of the projections.
    projections: HashMap<SymbolId, (SortId, SortId)>,
}

impl Fields {
    /// Adds what a function gives for a constructor.
    pub fn add(&mut self, field: Field, sort: SortId, result: SortId) {
        if field.argument.is_some() {
            self.projections.insert(field.function, (sort, result));
        }
        self.all.push(field);
    }

    /// Whether a symbol is a projection from one sort to another: constructors may share it.
    pub fn is_projection(&self, symbol: SymbolId, sort: Option<SortId>, result: Option<SortId>) -> bool {
        let found = self.projections.get(&symbol).map(|&(sort, result)| (Some(sort), Some(result)));
        found == Some((sort, result))
    }

    /// All these functions.
    pub fn functions(&self) -> HashSet<SymbolId> {
        self.all.iter().map(|field| field.function).collect()
    }

    /// Their rules.
    pub fn rules(&self, scope: &Scope<'_>, reporter: &mut Reporter) -> Vec<Rule> {
        let signature = &*scope.signature;
        let mut rules = Vec::new();
        let mut of_sort: HashMap<SortId, Vec<SymbolId>> = HashMap::default();
        if self.all.iter().any(|field| field.argument.is_none()) {
            let symbols = signature.symbols.iter_enumerated();
            symbols.for_each(|(id, symbol)| of_sort.entry(symbol.result).or_default().push(id));
        }
        for field in &self.all {
            let constructor = &signature.symbols[field.of];
            if constructor.kind != SymbolKind::Constructor {
                reporter.report(has_equations(field, signature));
                continue;
            }
            match field.argument {
                Some(argument) => rules.push(projection(field, argument, signature)),
                None if scope.truth.is_none() => reporter.report(no_truth(field.span)),
                None => recogniser(field, &of_sort[&constructor.result], scope, &mut rules),
            }
        }
        rules
    }
}

/// A projection of a function: its applications are rewritten.
fn has_equations(field: &Field, signature: &Signature) -> Diagnostic {
    let [function, of] = [field.function, field.of].map(|symbol| signature.symbols[symbol].name.as_str());
    let mut diagnostic =
        Diagnostic::error("T0009", "projections and recognisers belong to constructors, not to functions")
            .label(field.span, format!("`{of}` has equations"));
    if let Some(span) = signature.symbols[field.of].span {
        diagnostic = diagnostic.label(span, "the function");
    }
    diagnostic.help(format!("remove `{function}`, or the equations of `{of}`"))
}

/// The pattern that a constructor builds, and the variables in it.
fn built(of: SymbolId, signature: &Signature, span: Span) -> (Pattern, IdVec<VarId, Var>) {
    let constructor = &signature.symbols[of];
    let vars: IdVec<VarId, Var> =
        constructor.args.iter().map(|&sort| Var { name: WILD.into(), sort, span }).collect();
    let args = vars.iter_enumerated();
    let args = args.map(|(id, var)| Pattern { kind: PatternKind::Var(id), sort: var.sort, span }).collect();
    (Pattern { kind: PatternKind::App { symbol: of, args }, sort: constructor.result, span }, vars)
}

fn projection(field: &Field, argument: usize, signature: &Signature) -> Rule {
    let (pattern, mut vars) = built(field.of, signature, field.span);
    let id = VarId(argument as u32);
    vars[id].name = "X".into();
    let value = Expr { kind: ExprKind::Var(id), sort: vars[id].sort, span: field.span };
    rule_of(field.function, vars, vec![pattern], value, field.span)
}

/// `true` for its constructor, `false` for the others; terms that are neither stay. `of_sort`: the symbols of the sort.
fn recogniser(field: &Field, of_sort: &[SymbolId], scope: &Scope<'_>, rules: &mut Vec<Rule>) {
    let (signature, span) = (&*scope.signature, field.span);
    let Some(truth) = scope.truth else { return };
    let mut add = |pattern, vars, value| {
        let kind = ExprKind::App { symbol: value, args: Vec::new() };
        let value = Expr { kind, sort: truth.sort, span };
        rules.push(rule_of(field.function, vars, vec![pattern], value, span));
    };
    let (pattern, vars) = built(field.of, signature, span);
    let sort = pattern.sort;
    add(pattern, vars, truth.true_symbol);
    let is_constructor = |symbol: SymbolId| signature.symbols[symbol].kind == SymbolKind::Constructor;
    if of_sort.iter().any(|&symbol| !is_constructor(symbol)) {
        for &other in of_sort.iter().filter(|&&symbol| symbol != field.of && is_constructor(symbol)) {
            let (pattern, vars) = built(other, signature, span);
            add(pattern, vars, truth.false_symbol);
        }
    } else if of_sort.len() > 1 {
        let mut vars = IdVec::new();
        let any = vars.push(Var { name: WILD.into(), sort, span });
        add(Pattern { kind: PatternKind::Var(any), sort, span }, vars, truth.false_symbol);
    }
}
