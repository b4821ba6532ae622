//! Terms to expressions. What must not be evaluated too early, and what binds variables, becomes a function of its own
//! over the variables that it uses.

use super::*;
use crate::library::Special;
use crate::scope::Access;

impl Lowering {
    /// A term. Its variables have values in `cx`.
    pub(super) fn expr(&mut self, cx: &mut Cx<'_>, term: &Term) -> Expr {
        let span = cx.span(term.span);
        match &term.kind {
            Kind::Var(var) => match cx.ids.get(var) {
                Some(&id) => self.value_of(cx, id, span),
                None => self.truth(false, span),
            },
            Kind::Number(value) => {
                let sort = self.sort(&term.ty);
                Expr::integer(value, sort, span)
            }
            Kind::Call(callee, args) => self.call(cx, callee, args, &term.ty, span),
            Kind::Value(callee) => {
                let symbol = self.value_symbol(callee, &term.ty, span);
                self.app(symbol, Vec::new(), &term.ty, span)
            }
            Kind::Apply(function, args) => {
                if let Kind::Lambda(vars, body) = &function.kind {
                    let bindings: Vec<(usize, &Term)> = vars.iter().copied().zip(args).collect();
                    return self.bind_values(cx, &bindings, body, span);
                }
                let symbol = self.apply_symbol(&function.ty, span);
                let mut values = vec![self.expr(cx, function)];
                values.extend(args.iter().map(|arg| self.expr(cx, arg)));
                self.app(symbol, values, &term.ty, span)
            }
            Kind::Lambda(vars, body) => self.lambda(cx, vars, body, term, span),
            Kind::Where(bindings, body) => {
                let bindings: Vec<(usize, &Term)> =
                    bindings.iter().map(|(var, value)| (*var, value)).collect();
                self.bind_values(cx, &bindings, body, span)
            }
            Kind::Quantifier { all, var, body, shown } => {
                self.quantifier(cx, (*all, *var), body, shown, span)
            }
        }
    }

    fn call(&mut self, cx: &mut Cx<'_>, callee: &Callee, args: &[Term], ty: &Type, span: Span) -> Expr {
        match (self.meaning(callee), args) {
            (Meaning::Constructor | Meaning::Equations, [test]) if self.is_comprehension(callee, test) => {
                self.comprehension(cx, test, ty, span)
            }
            (Meaning::Constructor | Meaning::Equations, _) => {
                let symbol = self.symbol(callee, span);
                let args = args.iter().map(|arg| self.expr(cx, arg)).collect();
                self.app(symbol, args, ty, span)
            }
            (Meaning::Number(op), _) => {
                let args = args.iter().map(|arg| self.expr(cx, arg)).collect();
                let sort = self.sort(ty);
                Expr { kind: ExprKind::Op { op, args }, sort, span }
            }
            (Meaning::Identity, [arg]) => self.expr(cx, arg),
            (Meaning::Identity, _) => self.truth(false, span),
            (Meaning::Special(special), _) => self.special(cx, special, args, span),
        }
    }

    fn special(&mut self, cx: &mut Cx<'_>, special: Special, args: &[Term], span: Span) -> Expr {
        match (special, args) {
            (Special::True, _) => self.truth(true, span),
            (Special::Not, [a]) => {
                let a = self.expr(cx, a);
                self.operation(Op::Negate, vec![a], span)
            }
            (Special::And | Special::Or, [a, b]) => {
                let op = if special == Special::And { Op::Both } else { Op::Either };
                let mut parts = Vec::new();
                self.operands(special, a, &mut parts);
                self.operands(special, b, &mut parts);
                // The order does not matter but for parts that have no value: what has one always goes first.
                parts.sort_by_key(|part| !self.has_value(part));
                let mut found: Option<Expr> = None;
                for part in parts.into_iter().rev() {
                    let part = self.expr(cx, part);
                    found = Some(match found {
                        None => part,
                        Some(rest) => self.operation(op, vec![part, rest], span),
                    });
                }
                found.unwrap_or_else(|| self.truth(true, span))
            }
            (Special::Implies, [a, b]) => {
                let (a, b) = (self.expr(cx, a), self.expr(cx, b));
                let not = self.operation(Op::Negate, vec![a], span);
                self.operation(Op::Either, vec![not, b], span)
            }
            (Special::If, [test, then, otherwise]) => self.choice(cx, test, [then, otherwise], span),
            (Special::Equal | Special::Differ, [a, b]) => {
                let ty = a.ty.clone();
                let (a, b) = (self.expr(cx, a), self.expr(cx, b));
                let equal = self.equal(&ty, a, b, span);
                if special == Special::Equal { equal } else { self.negated(equal) }
            }
            (Special::Before, [a, b]) => {
                let ty = a.ty.clone();
                let (a, b) = (self.expr(cx, a), self.expr(cx, b));
                self.before(&ty, a, b, span)
            }
            (Special::Same, [a, b]) => {
                let args = vec![self.expr(cx, a), self.expr(cx, b)];
                self.operation(Op::Same, args, span)
            }
            (Special::Less | Special::LessEqual | Special::Greater | Special::GreaterEqual, [a, b]) => {
                let ty = a.ty.clone();
                let (a, b) = (self.expr(cx, a), self.expr(cx, b));
                match special {
                    Special::Less => self.less(&ty, a, b, span),
                    Special::Greater => self.less(&ty, b, a, span),
                    Special::LessEqual => self.less_equal(&ty, a, b, span),
                    _ => self.less_equal(&ty, b, a, span),
                }
            }
            (Special::Finite, [of]) => {
                let finite = of.ty.args().first().is_some_and(|ty| self.is_finite(ty));
                self.truth(finite, span)
            }
            (Special::Elements, [of]) => {
                let ty = of.ty.args().first().cloned().unwrap_or(Type::Hole);
                self.elements(&ty, span)
            }
            _ => self.truth(false, span),
        }
    }

    /// The operands of nested `&&`, or of nested `||`, in textual order.
    fn operands<'t>(&self, special: Special, term: &'t Term, found: &mut Vec<&'t Term>) {
        match &term.kind {
            Kind::Call(callee, args) if self.meaning(callee) == Meaning::Special(special) => {
                args.iter().for_each(|arg| self.operands(special, arg, found));
            }
            _ => found.push(term),
        }
    }

    /// Whether a term has a value whatever those of its variables are, and after few steps.
    pub(super) fn has_value(&self, term: &Term) -> bool {
        let by_itself = match &term.kind {
            Kind::Number(_) => true,
            Kind::Var(var) => !self.given.contains(var),
            Kind::Call(callee, args) => match self.meaning(callee) {
                Meaning::Constructor | Meaning::Identity | Meaning::Number(_) => true,
                Meaning::Special(
                    Special::Equal
                    | Special::Differ
                    | Special::Less
                    | Special::LessEqual
                    | Special::Greater
                    | Special::GreaterEqual,
                ) => args.first().is_some_and(|arg| self.is_plain(&arg.ty)),
                Meaning::Special(_) => true,
                Meaning::Equations => {
                    let symbol = &self.scope.symbols[callee.symbol];
                    matches!(symbol.access, Some(Access::Test(_)))
                        || matches!(symbol.origin, Origin::Library(_)) && &*symbol.name == "#"
                }
            },
            _ => false,
        };
        by_itself && term.children().into_iter().all(|child| self.has_value(child))
    }

    fn negated(&mut self, test: Expr) -> Expr {
        let span = test.span;
        self.operation(Op::Negate, vec![test], span)
    }

    /// Equality of two values.
    pub(super) fn equal(&mut self, ty: &Type, a: Expr, b: Expr, span: Span) -> Expr {
        let ty = ty.erased();
        if ty.con() == Some(Con::Int) {
            return self.operation(Op::Eq, vec![a, b], span);
        }
        if self.is_plain(&ty) {
            return self.operation(Op::Same, vec![a, b], span);
        }
        let bool = Type::basic(Con::Bool);
        let symbol = match ty.con() {
            Some(Con::Set) => self.symbol(&self.library("@set_equal", ty.args()), span),
            Some(Con::Bag) => self.symbol(&self.library("@bag_equal", ty.args()), span),
            _ => self.keyed(Key::Equal(ty.clone()), "==", &[ty.clone(), ty.clone()], &bool, span),
        };
        self.app(symbol, vec![a, b], &bool, span)
    }

    /// The order of representations.
    pub(super) fn before(&mut self, ty: &Type, a: Expr, b: Expr, span: Span) -> Expr {
        let (ty, bool) = (ty.erased(), Type::basic(Con::Bool));
        if ty.con() == Some(Con::Int) {
            return self.operation(Op::Lt, vec![a, b], span);
        }
        let symbol = self.keyed(Key::Before(ty.clone()), "<", &[ty.clone(), ty.clone()], &bool, span);
        self.app(symbol, vec![a, b], &bool, span)
    }

    fn less(&mut self, ty: &Type, a: Expr, b: Expr, span: Span) -> Expr {
        let bool = Type::basic(Con::Bool);
        match ty.con() {
            Some(Con::Real) => {
                let symbol = self.symbol(&self.library("@real_less", &[]), span);
                self.app(symbol, vec![a, b], &bool, span)
            }
            Some(Con::Set | Con::FSet | Con::Bag | Con::FBag) => {
                let subset = self.less_equal(ty, a.clone(), b.clone(), span);
                let equal = self.equal(ty, a, b, span);
                let differ = self.negated(equal);
                self.operation(Op::Both, vec![subset, differ], span)
            }
            _ => self.before(ty, a, b, span),
        }
    }

    fn less_equal(&mut self, ty: &Type, a: Expr, b: Expr, span: Span) -> Expr {
        let name = match ty.con() {
            Some(Con::Pos | Con::Nat | Con::Int) => return self.operation(Op::Le, vec![a, b], span),
            Some(Con::Set) => "@set_subset",
            Some(Con::FSet) => "@subset",
            Some(Con::Bag) => "@bag_subset",
            Some(Con::FBag) => "@subbag",
            _ => {
                let less = self.less(ty, b, a, span);
                return self.negated(less);
            }
        };
        let symbol = self.symbol(&self.library(name, ty.args()), span);
        self.app(symbol, vec![a, b], &Type::basic(Con::Bool), span)
    }

    /// A function over the free variables of some terms, to be called where they have values: its symbol, and the
    /// variables.
    pub(super) fn over_free(
        &mut self,
        name: &str,
        first: &[Type],
        terms: &[&Term],
        result: &Type,
        cx: &Cx<'_>,
        span: Span,
    ) -> Own {
        let free: Vec<usize> = Term::free(terms).into_iter().filter(|var| cx.ids.contains_key(var)).collect();
        let types = free.iter().map(|&var| cx.table[var].ty.clone());
        let args: Vec<Type> = first.iter().cloned().chain(types).collect();
        Own { symbol: self.fresh(name, &args, result, span), free }
    }

    /// The patterns of the free variables of a function of its own.
    pub(super) fn free_patterns(&mut self, cx: &mut Cx<'_>, free: &[usize], span: Span) -> Vec<Pattern> {
        free.iter().map(|&var| self.own_var(cx, var, span)).collect()
    }

    pub(super) fn free_values(&mut self, cx: &Cx<'_>, free: &[usize], span: Span) -> Vec<Expr> {
        free.iter().map(|var| self.value_of(cx, cx.ids[var], span)).collect()
    }

    /// `if`: only the branch that is chosen is evaluated.
    fn choice(&mut self, cx: &mut Cx<'_>, test: &Term, branches: [&Term; 2], span: Span) -> Expr {
        let (bool, ty) = (Type::basic(Con::Bool), branches[0].ty.clone());
        let test_value = self.expr(cx, test);
        let own = self.over_free("if", std::slice::from_ref(&bool), &branches, &ty, cx, span);
        for (value, branch) in [true, false].into_iter().zip(branches) {
            let mut inner = Cx::new(cx.table, cx.place);
            let mut args = vec![self.truth_pattern(value, span)];
            args.extend(self.free_patterns(&mut inner, &own.free, span));
            let body = self.expr(&mut inner, branch);
            self.rule(own.symbol, inner, args, Vec::new(), body, span);
        }
        let mut args = vec![test_value];
        args.extend(self.free_values(cx, &own.free, span));
        self.app(own.symbol, args, &ty, span)
    }

    pub(super) fn truth_pattern(&self, value: bool, span: Span) -> Pattern {
        let booleans = self.signature.booleans;
        let symbol = if value { booleans.true_symbol } else { booleans.false_symbol };
        Pattern { kind: PatternKind::App { symbol, args: Vec::new() }, sort: booleans.sort, span }
    }

    /// A term with values for some of its variables.
    fn bind_values(&mut self, cx: &mut Cx<'_>, bindings: &[(usize, &Term)], body: &Term, span: Span) -> Expr {
        let mut values: Vec<Expr> = bindings.iter().map(|(_, value)| self.expr(cx, value)).collect();
        let types: Vec<Type> = bindings.iter().map(|(var, _)| cx.table[*var].ty.clone()).collect();
        let own = self.over_free("whr", &types, &[body], &body.ty, cx, span);
        let mut inner = Cx::new(cx.table, cx.place);
        let vars: Vec<usize> = bindings.iter().map(|(var, _)| *var).chain(own.free.iter().copied()).collect();
        let args = self.free_patterns(&mut inner, &vars, span);
        self.given.extend(bindings.iter().map(|(var, _)| *var));
        let value = self.expr(&mut inner, body);
        for (var, _) in bindings {
            self.given.remove(var);
        }
        self.rule(own.symbol, inner, args, Vec::new(), value, span);
        values.extend(self.free_values(cx, &own.free, span));
        self.app(own.symbol, values, &body.ty, span)
    }

    /// A function value with the values of the variables that it uses.
    pub(super) fn lambda(
        &mut self,
        cx: &mut Cx<'_>,
        vars: &[usize],
        body: &Term,
        whole: &Term,
        span: Span,
    ) -> Expr {
        let own = self.over_free("lambda", &[], &[body], &whole.ty, cx, span);
        let apply = self.apply_symbol(&whole.ty, span);
        let mut inner = Cx::new(cx.table, cx.place);
        let captured = self.free_patterns(&mut inner, &own.free, span);
        let sort = self.sort(&whole.ty);
        let mut args =
            vec![Pattern { kind: PatternKind::App { symbol: own.symbol, args: captured }, sort, span }];
        args.extend(self.free_patterns(&mut inner, vars, span));
        let value = self.expr(&mut inner, body);
        self.rule(apply, inner, args, Vec::new(), value, span);
        let captured = self.free_values(cx, &own.free, span);
        self.app(own.symbol, captured, &whole.ty, span)
    }

    /// The function that applies function values of a sort.
    pub(super) fn apply_symbol(&mut self, ty: &Type, span: Span) -> SymbolId {
        let ty = ty.erased();
        let Some((params, result)) = ty.as_function() else { return self.signature.booleans.true_symbol };
        let args: Vec<Type> = std::iter::once(&ty).chain(params).cloned().collect();
        let symbol = self.keyed(Key::Apply(ty.clone()), "apply", &args, &result.clone(), span);
        if !self.frozen {
            self.signature.notations.insert(symbol, Notation::Applied);
        }
        symbol
    }

    /// The value that stands for a symbol.
    pub(super) fn value_symbol(&mut self, callee: &Callee, ty: &Type, span: Span) -> SymbolId {
        let params = callee.params.iter().map(Type::erased).collect();
        let key = Key::Value(Callee { symbol: callee.symbol, params });
        let scope = Arc::clone(&self.scope);
        self.keyed(key, shown_name(&scope.symbols[callee.symbol].name), &[], ty, span)
    }
}

/// A function of its own, and the variables that it takes.
pub(super) struct Own {
    pub symbol: SymbolId,
    pub free: Vec<usize>,
}
