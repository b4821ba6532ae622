//! Quantifiers and sets by a test: over all values of a sort that has finitely many, or over those between bounds or in
//! a list that the test itself names.

use super::*;
use crate::library::Special;

/// A sort with more values than this is not gone through.
const MAX_VALUES: u64 = 1 << 20;
/// The same for sets and functions, whose values are larger.
const MAX_COMPOSED: u64 = 1 << 16;

/// The values that a variable takes, as lists.
enum Values {
    /// All of the sort.
    All,
    /// Those of a list, or of a finite set.
    In(Term),
    /// Whole numbers: the lower bounds and the upper bounds, each with what is added to it.
    Between(Vec<(Term, i64)>, Vec<(Term, i64)>),
    /// One.
    One(Term),
    /// Those of a set, which are known where it is finite.
    Members(Term),
    /// Those of the one and those of the other.
    Either(Box<[Values; 2]>),
}

/// How many definitions are put in for each other to find bounds.
const MAX_UNFOLDED: u32 = 4;

impl Lowering {
    pub(super) fn quantifier(
        &mut self,
        cx: &mut Cx<'_>,
        (all, var): (bool, usize),
        body: &Term,
        shown: &str,
        span: Span,
    ) -> Expr {
        let free = Term::free(&[body]);
        if !free.contains(&var) {
            // Every sort has a value.
            return self.expr(cx, body);
        }
        let (ty, bool) = (cx.table[var].ty.clone(), Type::basic(Con::Bool));
        let name = if all { "forall" } else { "exists" };
        let Some(values) = self.values(cx, all, var, &ty, body) else {
            self.endless(name, &ty, cx, span);
            // Other variables get values that the text does not name.
            let others = free.into_iter().filter(|var| cx.ids.contains_key(var)).map(|var| &cx.table[var]);
            let others: Vec<String> =
                others.map(|var| format!("{}: {}", var.name, var.ty.shown(&self.scope.sorts))).collect();
            let text = match others.as_slice() {
                [] => shown.to_string(),
                others => format!("(lambda {}. {shown})", others.join(", ")),
            };
            let own = self.over_free(&text, &[], &[body], &bool, cx, span);
            let args = self.free_values(cx, &own.free, span);
            return self.app(own.symbol, args, &bool, span);
        };
        let list = self.listed(cx, &values, &ty, span);
        let list_type = Type::of(Con::List, ty.erased());
        let own = self.over_free(name, std::slice::from_ref(&list_type), &[body], &bool, cx, span);
        let mut inner = Cx::new(cx.table, cx.place);
        let mut args = vec![self.nil_pattern(&ty, span)];
        args.extend(self.free_patterns(&mut inner, &own.free, span));
        let end = self.truth(all, span);
        self.rule(own.symbol, inner, args, Vec::new(), end, span);
        let mut inner = Cx::new(cx.table, cx.place);
        let first = self.own_var(&mut inner, var, span);
        let (rest, rest_pattern) = self.new_var(&mut inner, "rest", &list_type, span);
        let mut args = vec![self.cons_pattern(&ty, first, rest_pattern, span)];
        args.extend(self.free_patterns(&mut inner, &own.free, span));
        let test = self.expr(&mut inner, body);
        let mut again = vec![self.value_of(&inner, rest, span)];
        again.extend(self.free_values(&inner, &own.free, span));
        let again = self.app(own.symbol, again, &bool, span);
        let op = if all { Op::Both } else { Op::Either };
        let value = self.operation(op, vec![test, again], span);
        self.rule(own.symbol, inner, args, Vec::new(), value, span);
        let mut args = vec![list];
        args.extend(self.free_values(cx, &own.free, span));
        self.app(own.symbol, args, &bool, span)
    }

    fn endless(&mut self, name: &str, ty: &Type, cx: &Cx<'_>, span: Span) {
        if cx.place.is_some() || self.frozen {
            return;
        }
        let shown = ty.shown(&self.scope.sorts).to_string();
        self.diagnostics.push(
            Diagnostic::warning("T2402", format!("`{name}` over `{shown}` is not evaluated"))
                .label(span, "this sort has infinitely many values, or too many")
                .note("a term with it is a normal form")
                .help("bound the variable: `x < n && ...`, `x in list && ...` (before `=>` for `forall`)"),
        );
    }

    /// A set that is given by a test.
    pub(super) fn is_comprehension(&self, callee: &Callee, test: &Term) -> bool {
        matches!(test.kind, Kind::Lambda(..)) && callee.symbol == self.scope.in_library("@set")
    }

    /// The set, as a finite one where that can be.
    pub(super) fn comprehension(&mut self, cx: &mut Cx<'_>, test: &Term, ty: &Type, span: Span) -> Expr {
        let Kind::Lambda(vars, body) = &test.kind else { return self.truth(false, span) };
        let of = ty.args()[0].clone();
        let values = vars.first().and_then(|&var| self.values(cx, false, var, &of, body));
        let test_value = self.lambda(cx, vars, body, test, span);
        let Some(values) = values else {
            let symbol = self.symbol(&self.library("@where", ty.args()), span);
            return self.app(symbol, vec![test_value], ty, span);
        };
        if let Values::Members(set) = &values {
            let within = self.symbol(&self.library("@within", ty.args()), span);
            let set = self.expr(cx, set);
            return self.app(within, vec![set, test_value], ty, span);
        }
        let list = self.listed(cx, &values, &of, span);
        let finite = Type::of(Con::FSet, of);
        let filter = self.symbol(&self.library("@filter", ty.args()), span);
        let set = self.app(filter, vec![list, test_value], &finite, span);
        let symbol = self.symbol(&self.library("@fin", ty.args()), span);
        self.app(symbol, vec![set], ty, span)
    }

    /// The values that matter for a test that must hold for some value (or, for `forall`, for all).
    fn values(&mut self, cx: &Cx<'_>, all: bool, var: usize, ty: &Type, body: &Term) -> Option<Values> {
        let mut parts = Vec::new();
        self.conjuncts(all, body, MAX_UNFOLDED, &mut parts);
        let known = |term: &Term| Term::free(&[term]).iter().all(|var| cx.ids.contains_key(var));
        let (mut low, mut high, mut set) = (Vec::new(), Vec::new(), None);
        for part in &parts {
            let Kind::Call(callee, args) = &part.kind else { continue };
            let [a, b] = args.as_slice() else { continue };
            let is_in = &*self.scope.symbols[callee.symbol].name == "in" && self.offset(a, var) == Some(0);
            if is_in && known(b) && matches!(b.ty.con(), Some(Con::List | Con::FSet)) {
                return Some(Values::In(b.clone()));
            }
            if is_in && known(b) && b.ty.con() == Some(Con::Set) {
                set = Some(b);
            }
            let Meaning::Special(special) = self.meaning(callee) else { continue };
            if special == Special::Equal && ty.rank().is_none() {
                let other = match (&a.kind, &b.kind) {
                    (Kind::Var(found), _) if *found == var => b,
                    (_, Kind::Var(found)) if *found == var => a,
                    _ => continue,
                };
                if known(other) {
                    return Some(Values::One(other.clone()));
                }
            }
            if !matches!(ty.con(), Some(Con::Pos | Con::Nat | Con::Int)) || a.ty.con() == Some(Con::Real) {
                continue;
            }
            // The variable on the left, and what is left of it on the other side.
            let sides = [(self.offset(a, var), b, false), (self.offset(b, var), a, true)];
            let Some((offset, bound)) = sides.into_iter().find_map(|(offset, bound, turned)| {
                let offset = offset.filter(|_| known(bound))?;
                Some(((offset, turned), bound.clone()))
            }) else {
                continue;
            };
            let (offset, turned) = offset;
            match (special, turned) {
                (Special::Less, false) | (Special::Greater, true) => high.push((bound, -1 - offset)),
                (Special::LessEqual, false) | (Special::GreaterEqual, true) => high.push((bound, -offset)),
                (Special::Greater, false) | (Special::Less, true) => low.push((bound, 1 - offset)),
                (Special::GreaterEqual, false) | (Special::LessEqual, true) => low.push((bound, -offset)),
                (Special::Equal, _) => {
                    low.push((bound.clone(), -offset));
                    high.push((bound, -offset));
                }
                _ => {}
            }
        }
        if !high.is_empty() && (!low.is_empty() || ty.con() != Some(Con::Int)) {
            return Some(Values::Between(low, high));
        }
        if self.is_finite(ty) {
            return Some(Values::All);
        }
        let members = set.map(|set| Values::Members(set.clone()));
        members.or_else(|| parts.iter().find_map(|part| self.either(cx, var, ty, part)))
    }

    /// The values that matter for `A || B`, where there are such for both.
    fn either(&mut self, cx: &Cx<'_>, var: usize, ty: &Type, part: &Term) -> Option<Values> {
        let Kind::Call(callee, args) = &part.kind else { return None };
        let (Meaning::Special(Special::Or), [a, b]) = (self.meaning(callee), args.as_slice()) else {
            return None;
        };
        let values = [self.values(cx, false, var, ty, a)?, self.values(cx, false, var, ty, b)?];
        Some(Values::Either(Box::new(values)))
    }

    /// What is added to a variable, in a term that is the variable with a number added to it.
    fn offset(&self, term: &Term, var: usize) -> Option<i64> {
        match &term.kind {
            Kind::Var(found) => (*found == var).then_some(0),
            Kind::Call(callee, args) => match (self.meaning(callee), args.as_slice()) {
                (Meaning::Number(Op::Add), [a, b]) => match (&a.kind, &b.kind) {
                    (_, Kind::Number(n)) => Some(self.offset(a, var)? + i64::from(u32::try_from(n).ok()?)),
                    (Kind::Number(n), _) => Some(self.offset(b, var)? + i64::from(u32::try_from(n).ok()?)),
                    _ => None,
                },
                (Meaning::Identity, [a]) => self.offset(a, var),
                _ => None,
            },
            _ => None,
        }
    }

    /// What must hold together for a test to hold; for `forall`, for it not to hold. So many definitions of mappings
    /// are put in for them.
    fn conjuncts(&self, all: bool, body: &Term, unfold: u32, found: &mut Vec<Term>) {
        let (callee, args) = match &body.kind {
            Kind::Call(callee, args) => (callee, args),
            Kind::Quantifier { all: inner, body, .. } if *inner == all => {
                return self.conjuncts(all, body, unfold, found);
            }
            _ => return,
        };
        match (self.meaning(callee), args.as_slice()) {
            (Meaning::Special(Special::Implies), [condition, _]) if all => {
                self.conjuncts(false, condition, unfold, found);
            }
            (Meaning::Special(Special::And), [a, b]) if !all => {
                self.conjuncts(false, a, unfold, found);
                self.conjuncts(false, b, unfold, found);
            }
            (Meaning::Special(Special::Or), [a, b]) if all => {
                self.conjuncts(true, a, unfold, found);
                self.conjuncts(true, b, unfold, found);
            }
            (Meaning::Special(Special::Not), [a]) if all => self.conjuncts(false, a, unfold, found),
            (Meaning::Equations, _) if unfold > 0 && self.definitions.contains_key(&callee.symbol) => {
                let definition = Arc::clone(&self.definitions[&callee.symbol]);
                let Kind::Call(_, params) = &definition.left.kind else { return };
                let mut inner = Vec::new();
                self.conjuncts(all, &definition.right, unfold - 1, &mut inner);
                let var = |param: &Term| match param.kind {
                    Kind::Var(var) => Some(var),
                    _ => None,
                };
                let values: HashMap<usize, &Term> = params.iter().filter_map(var).zip(args).collect();
                found.extend(inner.iter().filter_map(|part| part.with_values(&values)));
            }
            _ if !all => found.push(body.clone()),
            _ => {}
        }
    }

    /// The list of the values.
    fn listed(&mut self, cx: &mut Cx<'_>, values: &Values, ty: &Type, span: Span) -> Expr {
        let int = Type::basic(Con::Int);
        match values {
            Values::All => self.elements(ty, span),
            Values::One(term) => {
                let list = Type::of(Con::List, ty.clone());
                let [nil, cons] = ["@nil", "|>"]
                    .map(|name| self.symbol(&self.library(name, std::slice::from_ref(ty)), span));
                let nil = self.app(nil, Vec::new(), &list, span);
                let value = self.expr(cx, term);
                self.app(cons, vec![value, nil], &list, span)
            }
            Values::Members(set) => {
                let members = self.symbol(&self.library("@members", set.ty.args()), span);
                let set = self.expr(cx, set);
                self.app(members, vec![set], &Type::of(Con::List, ty.clone()), span)
            }
            Values::Either(both) => {
                let lists = both.iter().map(|values| self.listed(cx, values, ty, span)).collect();
                let joined = self.symbol(&self.library("++", std::slice::from_ref(ty)), span);
                self.app(joined, lists, &Type::of(Con::List, ty.clone()), span)
            }
            Values::In(term) => {
                let list = self.expr(cx, term);
                if term.ty.con() == Some(Con::List) {
                    return list;
                }
                let symbol = self.symbol(&self.library("@list", term.ty.args()), span);
                self.app(symbol, vec![list], &Type::of(Con::List, ty.clone()), span)
            }
            Values::Between(low, high) => {
                let sort = self.sort(&int);
                let constant = |value| Expr { kind: ExprKind::Const(Const::Int(value)), sort, span };
                let least = match ty.con() {
                    Some(Con::Pos) => Some(constant(1)),
                    Some(Con::Nat) => Some(constant(0)),
                    _ => None,
                };
                let mut bound = |bounds: &[(Term, i64)], op: Op, first: Option<Expr>| {
                    let mut found = first;
                    for (term, more) in bounds {
                        let mut value = self.expr(cx, term);
                        if *more != 0 {
                            value = self.operation(Op::Add, vec![value, constant(*more)], span);
                        }
                        found = Some(match found {
                            Some(other) => self.operation(op, vec![other, value], span),
                            None => value,
                        });
                    }
                    found.unwrap_or_else(|| constant(0))
                };
                let args = vec![bound(low, Op::Max, least), bound(high, Op::Min, None)];
                let symbol = self.symbol(&self.library("@range", &[]), span);
                self.app(symbol, args, &Type::of(Con::List, int), span)
            }
        }
    }

    pub(super) fn elements(&mut self, ty: &Type, span: Span) -> Expr {
        let list = Type::of(Con::List, ty.erased());
        if !self.is_finite(ty) {
            let nil = self.symbol(&self.library("@nil", std::slice::from_ref(ty)), span);
            return self.app(nil, Vec::new(), &list, span);
        }
        let symbol = self.keyed(Key::Elements(ty.erased()), "values", &[], &list, span);
        self.app(symbol, Vec::new(), &list, span)
    }

    pub(super) fn nil_pattern(&mut self, of: &Type, span: Span) -> Pattern {
        let symbol = self.symbol(&self.library("@nil", std::slice::from_ref(of)), span);
        let sort = self.sort(&Type::of(Con::List, of.clone()));
        Pattern { kind: PatternKind::App { symbol, args: Vec::new() }, sort, span }
    }

    pub(super) fn cons_pattern(&mut self, of: &Type, first: Pattern, rest: Pattern, span: Span) -> Pattern {
        let symbol = self.symbol(&self.library("|>", std::slice::from_ref(of)), span);
        let sort = self.sort(&Type::of(Con::List, of.clone()));
        Pattern { kind: PatternKind::App { symbol, args: vec![first, rest] }, sort, span }
    }

    /// Whether a sort has finitely many values, and not too many to go through.
    pub(super) fn is_finite(&self, ty: &Type) -> bool {
        self.count(ty, &mut Vec::new()).is_some_and(|count| count <= MAX_VALUES)
    }

    fn count(&self, ty: &Type, within: &mut Vec<u32>) -> Option<u64> {
        match ty.con()? {
            Con::Bool => Some(2),
            Con::Data(sort) => {
                let constructors = &self.scope.constructors[sort as usize];
                if within.contains(&sort) || constructors.is_empty() {
                    return None;
                }
                within.push(sort);
                let count = constructors.iter().try_fold(0_u64, |sum, &id| {
                    let params = &self.scope.symbols[id].params;
                    let product = params
                        .iter()
                        .try_fold(1_u64, |n, ty| Some(n.saturating_mul(self.count(ty, within)?)));
                    Some(sum.saturating_add(product?))
                });
                within.pop();
                count
            }
            Con::Set | Con::FSet => Self::power(2, self.count(ty.args().first()?, within)?),
            Con::Function => {
                let ([arg], result) = ty.as_function()? else { return None };
                let (base, exponent) = (self.count(result, within)?, self.count(arg, within)?);
                Self::power(base, exponent)
            }
            _ => None,
        }
    }

    /// So many values as there are sets or functions, if these are not too many.
    fn power(base: u64, exponent: u64) -> Option<u64> {
        let count = base.checked_pow(u32::try_from(exponent).ok()?)?;
        (count <= MAX_COMPOSED).then_some(count)
    }
}
