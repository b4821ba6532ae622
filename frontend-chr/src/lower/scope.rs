//! The variables of a clause, and terms that are built from them.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::{Id, IdVec};
use gchr_base::rule::{Const, Expr, ExprKind, Goal, GoalKind, Var, VarId};
use gchr_base::signature::SortId;
use gchr_base::source::Span;

use super::Lowering;
use crate::ast::{Module, TermId, TermKind};

/// Deepest expression that is handed out: what is nested deeper is bound to a variable first, so that no later stage
/// recurses further than this.
pub(super) const MAX_DEPTH: usize = 64;

/// What is known about a clause while it is walked from left to right.
pub(crate) struct Scope<'a> {
    pub module: &'a Module,
    pub vars: IdVec<VarId, Var>,
    /// Goals lowered so far in this guard or body.
    pub goals: Vec<Goal>,
    bound: Vec<bool>,
    names: HashMap<&'a str, Name>,
    /// Terms that variables are bound to by `=`.
    terms: HashMap<&'a str, TermId>,
    /// Sort that variables have until sorts are inferred.
    placeholder: SortId,
}

struct Name {
    occurrences: usize,
    first: Span,
    var: Option<VarId>,
}

impl<'a> Scope<'a> {
    /// Counts the variables of a clause; none is bound.
    pub fn new(module: &'a Module, terms: impl DoubleEndedIterator<Item = TermId>) -> Self {
        let mut names: HashMap<&str, Name> = HashMap::default();
        let mut pending: Vec<TermId> = terms.rev().collect();
        while let Some(id) = pending.pop() {
            match module.kind(id) {
                TermKind::Var(name) if name != "_" => {
                    let first = module.span(id);
                    names.entry(name).or_insert(Name { occurrences: 0, first, var: None }).occurrences += 1;
                }
                TermKind::Compound { args, .. } => pending.extend(args.iter().rev()),
                TermKind::List { items, tail } => pending.extend(tail.iter().chain(items.iter().rev())),
                _ => {}
            }
        }
        let placeholder = SortId::from_index(0);
        let (bound, terms) = (Vec::new(), HashMap::default());
        Self { module, vars: IdVec::new(), goals: Vec::new(), bound, names, terms, placeholder }
    }

    /// Variables that occur once without being marked by `_`, in textual order.
    pub fn singletons(&self) -> Vec<(&'a str, Span)> {
        let single = |(name, n): (&&'a str, &Name)| {
            (n.occurrences == 1 && !name.starts_with('_')).then_some((*name, n.first))
        };
        let mut found: Vec<_> = self.names.iter().filter_map(single).collect();
        found.sort_by_key(|&(_, span)| span);
        found
    }

    /// Whether the variable is mentioned nowhere else.
    pub fn is_single(&self, name: &str) -> bool {
        self.names.get(name).is_none_or(|n| n.occurrences == 1)
    }

    /// The variable of a name, if it is bound here.
    pub fn bound_var(&self, name: &str) -> Option<VarId> {
        self.names.get(name)?.var.filter(|v| self.bound[v.index()])
    }

    /// The name of the term when it is a variable that is not bound here.
    pub fn unbound(&self, id: TermId) -> Option<&'a str> {
        match self.module.kind(id) {
            TermKind::Var(name) if self.bound_var(name).is_none() => Some(name),
            _ => None,
        }
    }

    /// The first unbound variable of a term.
    pub fn first_unbound(&self, id: TermId) -> Option<(&'a str, Span)> {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            match self.module.kind(id) {
                TermKind::Var(_) => {
                    if let Some(name) = self.unbound(id) {
                        return Some((name, self.module.span(id)));
                    }
                }
                TermKind::Compound { args, .. } => pending.extend(args.iter().rev()),
                TermKind::List { items, tail } => pending.extend(tail.iter().chain(items.iter().rev())),
                _ => {}
            }
        }
        None
    }

    /// Binds the variable of a name from here on.
    pub fn bind(&mut self, name: &'a str, span: Span) -> VarId {
        if name == "_" {
            return self.fresh("_", span);
        }
        if let Some(var) = self.names.get(name).and_then(|n| n.var) {
            self.bound[var.index()] = true;
            return var;
        }
        let var = self.fresh(name, span);
        self.names.entry(name).or_insert(Name { occurrences: 1, first: span, var: None }).var = Some(var);
        var
    }

    /// Notes the term that a variable is bound to.
    pub fn bind_term(&mut self, name: &'a str, term: TermId) {
        if matches!(self.module.kind(term), TermKind::Compound { .. }) {
            self.terms.insert(name, term);
        }
    }

    /// The compound term that a variable was bound to by `=`.
    pub fn term_of(&self, id: TermId) -> Option<TermId> {
        match self.module.kind(id) {
            TermKind::Var(name) => self.terms.get(name.as_str()).copied(),
            _ => None,
        }
    }

    /// A new bound variable.
    fn fresh(&mut self, name: &str, span: Span) -> VarId {
        self.bound.push(true);
        self.vars.push(Var { name: name.into(), sort: self.placeholder, span })
    }

    pub fn push(&mut self, kind: GoalKind, span: Span) {
        self.goals.push(Goal { kind, span });
    }

    /// Binds a value to a new variable by a goal of its own; an expression for the variable.
    pub fn hoist(&mut self, value: Expr) -> Expr {
        let (sort, span) = (value.sort, value.span);
        let var = self.fresh("_", span);
        self.push(GoalKind::Bind { var, value }, span);
        Expr { kind: ExprKind::Var(var), sort, span }
    }
}

/// A built expression with the depth of its nesting.
pub(super) type Built = (Expr, usize);

/// One step of building a term bottom-up without recursion.
enum Step {
    Visit(TermId),
    Build(TermId),
}

impl Lowering<'_> {
    /// The value of a variable, unless it is unbound.
    pub(super) fn variable(&self, scope: &Scope<'_>, id: TermId) -> Option<Expr> {
        match scope.module.kind(id) {
            TermKind::Var(name) => {
                let var = scope.bound_var(name)?;
                Some(self.expr(ExprKind::Var(var), scope.module.span(id)))
            }
            _ => None,
        }
    }

    /// An expression whose sort is not known yet.
    pub(super) fn expr(&self, kind: ExprKind, span: Span) -> Expr {
        Expr { kind, sort: self.sorts.any, span }
    }

    /// The constant that a term is, if it is one.
    pub(super) fn constant(&mut self, module: &Module, id: TermId) -> Option<Const> {
        Some(match module.kind(id) {
            TermKind::Int(n) => Const::Int(*n),
            TermKind::Float(x) if x.is_finite() => Const::Float(*x),
            TermKind::Big(_) | TermKind::Rational(_) | TermKind::Float(_) => {
                self.out_of_range(module.span(id));
                Const::Int(0)
            }
            TermKind::Str(text) => self.string(text),
            TermKind::Atom(name) => self.atom(name),
            _ => return None,
        })
    }

    fn out_of_range(&mut self, span: Span) {
        self.beyond(
            Diagnostic::error("C0105", "this number is out of range")
                .label(span, "does not fit")
                .help("integers have 64 bits, floats must be finite, and there are no rationals; use a smaller number"),
        );
    }

    /// A term as a value; every variable in it must be bound. `None` when one is not, which is reported.
    pub(super) fn term(&mut self, scope: &mut Scope<'_>, id: TermId) -> Option<Expr> {
        let (mut steps, mut values) = (vec![Step::Visit(id)], Vec::<Built>::new());
        let mut whole = true;
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(id) => match scope.module.kind(id) {
                    TermKind::Compound { args, .. } => {
                        steps.push(Step::Build(id));
                        steps.extend(args.iter().rev().map(|&a| Step::Visit(a)));
                    }
                    TermKind::List { items, tail } => {
                        steps.push(Step::Build(id));
                        steps.extend(tail.iter().chain(items.iter().rev()).map(|&a| Step::Visit(a)));
                    }
                    TermKind::Var(_) => match self.variable(scope, id) {
                        Some(value) => values.push((value, 1)),
                        None => {
                            whole = false;
                            self.unbound_in_term(scope, id);
                            let none = self.atom("[]");
                            values.push((self.expr(ExprKind::Const(none), scope.module.span(id)), 1));
                        }
                    },
                    _ => {
                        if let Some(c) = self.constant(scope.module, id) {
                            values.push((self.expr(ExprKind::Const(c), scope.module.span(id)), 1));
                        }
                    }
                },
                Step::Build(id) => self.build(scope, id, &mut values),
            }
        }
        values.pop().filter(|_| whole).map(|(value, _)| value)
    }

    /// Replaces the values of a term's children, the last ones of `values`, by the term's own.
    fn build(&mut self, scope: &mut Scope<'_>, id: TermId, values: &mut Vec<Built>) {
        let span = scope.module.span(id);
        match scope.module.kind(id) {
            TermKind::Compound { name, args } => {
                let symbol = self.functor(name, args.len(), span);
                let args = values.split_off(values.len().saturating_sub(args.len()));
                values.push(self.apply(scope, span, args, |args| ExprKind::App { symbol, args }));
            }
            TermKind::List { items, tail } => {
                let mut list = match tail.and_then(|_| values.pop()) {
                    Some(tail) => tail,
                    None => {
                        let none = self.atom("[]");
                        (self.expr(ExprKind::Const(none), span), 1)
                    }
                };
                let symbol = self.functor("[|]", 2, span);
                for _ in items {
                    let Some(item) = values.pop() else { break };
                    list = self.apply(scope, span, vec![item, list], |args| ExprKind::App { symbol, args });
                }
                values.push(list);
            }
            _ => {}
        }
    }

    /// Applies a symbol or an operator; arguments that are nested too deep are bound to variables first.
    pub(super) fn apply(
        &mut self,
        scope: &mut Scope<'_>,
        span: Span,
        args: Vec<Built>,
        kind: impl FnOnce(Vec<Expr>) -> ExprKind,
    ) -> Built {
        let mut depth = 0;
        let args: Vec<Expr> = args
            .into_iter()
            .map(|(arg, d)| {
                let (arg, d) = if d >= MAX_DEPTH { (scope.hoist(arg), 1) } else { (arg, d) };
                depth = depth.max(d);
                arg
            })
            .collect();
        (self.expr(kind(args), span), depth + 1)
    }

    fn unbound_in_term(&mut self, scope: &Scope<'_>, id: TermId) {
        let span = scope.module.span(id);
        let Some(name) = scope.unbound(id) else { return };
        self.beyond(
            Diagnostic::error("C0401", format!("the variable {name} is not bound here"))
                .label(span, "has no value")
                .note("stores are ground: logical variables that are bound later are not supported")
                .help("bind it before (X is ..., X = ...) or in a head; to return a result, add a constraint that carries it"),
        );
    }
}
