//! Sorts of normal forms: of the terms of a kind, those that have a sort, by the declarations of the outermost
//! operator, by the sorts of the arguments where it has several ones, and by memberships.

use super::*;
use crate::syntax::EquationKind;

/// By sort, whether all terms of its kind have it: each operator has a declaration for all arguments of their kinds.
pub(super) fn total(signature: &Signature) -> Vec<bool> {
    let mut total = vec![true; signature.sorts.len()];
    loop {
        let mut changed = false;
        for sort in 0..total.len() {
            let kind = signature.kind(Type::Sort(sort));
            let covers = |op: &Op| {
                op.declared.iter().any(|(domain, range)| {
                    signature.is_below(*range, Type::Sort(sort))
                        && domain.iter().all(|of| is_total(&total, *of))
                })
            };
            let literal = |name: &str| {
                signature.library_sort(name).is_none_or(|of| {
                    signature.kind(Type::Sort(of)) != kind
                        || signature.is_below(Type::Sort(of), Type::Sort(sort))
                })
            };
            let literals = signature.literals;
            let holds = signature.ops.iter().filter(|op| op.range == kind).all(covers)
                && (!literals.naturals || literal("Nat"))
                && (!literals.integers || literal("Int"))
                && (!literals.floats || literal("Float"))
                && (!literals.strings || literal("String"))
                && (!literals.identifiers || literal("Qid"));
            changed |= total[sort] && !holds;
            total[sort] &= holds;
        }
        if !changed {
            return total;
        }
    }
}

pub(super) fn is_total(total: &[bool], of: Type) -> bool {
    match of {
        Type::Sort(sort) => total[sort],
        Type::Kind(_) => true,
    }
}

impl Lower<'_> {
    pub(super) fn is_total(&self, of: Type) -> bool {
        is_total(&self.space.total, of)
    }

    /// Whether arguments of a type are not looked into: all of their kind have it, or it is the largest sort of the
    /// kind.
    fn is_covered(&self, of: Type) -> bool {
        self.is_total(of)
            || match of {
                Type::Sort(sort) => {
                    let kind = &self.space.signature.kinds[self.space.signature.kind(Type::Sort(sort))];
                    kind.iter().all(|&below| self.space.signature.is_below(Type::Sort(below), of))
                }
                Type::Kind(_) => true,
            }
    }

    /// A test whether a value has a type; none if all of its kind have it.
    pub(super) fn sort_test(&mut self, of: Type, value: Expr, span: Span) -> Option<Expr> {
        match of {
            Type::Sort(sort) if !self.is_total(of) => {
                let symbol = self.function(Make::HasSort(sort));
                Some(self.app(symbol, vec![value], span))
            }
            _ => None,
        }
    }

    /// Whether all applications of an operator have a sort, whatever its arguments are.
    pub(super) fn is_known(&self, op: usize, sort: usize) -> bool {
        self.space.signature.ops[op].declared.iter().any(|(domain, range)| {
            self.space.signature.is_below(*range, Type::Sort(sort))
                && domain.iter().all(|of| self.is_covered(*of))
        })
    }

    pub(super) fn has_sort_rules(&mut self, symbol: SymbolId, sort: usize) {
        let (span, kind) = (self.place(), self.space.signature.kind(Type::Sort(sort)));
        let below: Vec<usize> = self.below(sort);
        if let Some((of, number)) = self.space.number
            && of == kind
        {
            let tests = [
                ("Int", None),
                ("Nat", Some(Operator::Ge)),
                ("NzInt", Some(Operator::Ne)),
                ("NzNat", Some(Operator::Gt)),
                ("Zero", Some(Operator::Eq)),
            ];
            for (name, op) in tests {
                if self.space.signature.library_sort(name).is_some_and(|of| below.contains(&of)) {
                    let body = self.condition(true, span);
                    self.number_rule(symbol, number, op, body);
                }
            }
        }
        if self.finite_floats(kind).is_some_and(|of| below.contains(&of)) {
            let body = self.condition(true, span);
            self.float_rule(symbol, body);
        }
        for (sort, is_character) in self.string_sorts(kind) {
            if below.contains(&sort) {
                let body = self.condition(true, span);
                self.string_rule(symbol, is_character, body);
            }
        }
        for (op, declared) in self.space.signature.clone().ops.iter().enumerate() {
            let fits =
                |(_, range): &(Vec<Type>, Type)| self.space.signature.is_below(*range, Type::Sort(sort));
            if declared.range == kind && !is_zero(declared) && declared.declared.iter().any(fits) {
                let (mut cx, vars, pattern) = self.application(op, span);
                if !self.is_known(op, sort) {
                    let code = self.code_of(op, &cx, &vars, span);
                    cx.test(self.one_of(code, &below, span));
                }
                let body = self.condition(true, span);
                self.rule(symbol, cx, vec![pattern], body.clone(), span);
                let mut cx = Cx::default();
                if let Some(of) = self.counted(&mut cx, op, span) {
                    if !self.is_known(op, sort) {
                        let code = self.code_of_copies(op, of.count, of.element, span);
                        cx.test(self.one_of(code, &below, span));
                    }
                    self.rule(symbol, cx, vec![of.pattern], body, span);
                }
            }
        }
        for (text, of) in self.texts_of(kind) {
            if below.contains(&of) {
                let pattern = self.built(text, Vec::new(), span);
                let body = self.condition(true, span);
                self.rule(symbol, Cx::default(), vec![pattern], body, span);
            }
        }
        // Behind the declarations: a membership may ask for the sort that they give.
        self.memberships(symbol, kind, &below, None);
        let mut cx = Cx::default();
        let (_, pattern) = cx.fresh(self.space.sorts[kind], span);
        let body = self.condition(false, span);
        self.rule(symbol, cx, vec![pattern], body, span);
    }

    /// An application of an operator to new variables, as a pattern.
    fn application(&mut self, op: usize, span: Span) -> (Cx, Vec<VarId>, Pattern) {
        let mut cx = Cx::default();
        let kinds = self.space.signature.ops[op].domain.clone();
        let (vars, patterns) = kinds.iter().map(|&kind| cx.fresh(self.space.sorts[kind], span)).unzip();
        (cx, vars, self.built(self.space.values[op], patterns, span))
    }

    /// A rule for numbers for which a comparison with 0 holds.
    fn number_rule(&mut self, symbol: SymbolId, number: SymbolId, op: Option<Operator>, body: Expr) {
        let span = body.span;
        let mut cx = Cx::default();
        let (var, pattern) = cx.fresh(self.out.int, span);
        if let Some(op) = op {
            let values = vec![cx.value(var, span), self.integer(0, span)];
            cx.test(self.operation(op, values, span));
        }
        let pattern = self.built(number, vec![pattern], span);
        self.rule(symbol, cx, vec![pattern], body, span);
    }

    /// Sorts that are below another one.
    fn below(&self, sort: usize) -> Vec<usize> {
        let signature = &self.space.signature;
        let is = |&of: &usize| signature.is_below(Type::Sort(of), Type::Sort(sort));
        (0..signature.sorts.len()).filter(is).collect()
    }

    /// The constants for texts of a kind that have sorts.
    fn texts_of(&self, kind: usize) -> Vec<(SymbolId, usize)> {
        let texts = self.space.texts.iter().filter(|((of, _), _)| *of == kind);
        let sort = |(symbol, of): (SymbolId, Type)| match of {
            Type::Sort(sort) => Some((symbol, sort)),
            Type::Kind(_) => None,
        };
        let mut found: Vec<(SymbolId, usize)> = texts.filter_map(|(_, &of)| sort(of)).collect();
        found.sort();
        found
    }

    /// Whether a number is one of those of some sorts, in their order. Consecutive ones are one test, so that the rules
    /// of a long chain of sorts are in proportion to it.
    fn one_of(&self, code: Expr, sorts: &[usize], span: Span) -> Expr {
        let mut found: Option<Expr> = None;
        let compare =
            |op, sort: usize| self.operation(op, vec![code.clone(), self.integer(sort as i64, span)], span);
        for run in sorts.chunk_by(|a, b| a + 1 == *b) {
            let is = match *run {
                [sort] => compare(Operator::Eq, sort),
                [first, .., last] => {
                    let between = vec![compare(Operator::Ge, first), compare(Operator::Le, last)];
                    self.operation(Operator::Both, between, span)
                }
                [] => continue,
            };
            found = Some(match found {
                None => is,
                Some(before) => self.operation(Operator::Either, vec![before, is], span),
            });
        }
        found.unwrap_or_else(|| self.condition(false, span))
    }

    /// The number of the least sort of an application.
    fn code_of(&mut self, op: usize, cx: &Cx, vars: &[VarId], span: Span) -> Expr {
        let declared = self.space.signature.ops[op].declared.clone();
        if let [(domain, Type::Sort(range))] = declared.as_slice()
            && domain.iter().all(|of| self.is_covered(*of))
        {
            return self.integer(*range as i64, span);
        }
        let kinds = self.space.signature.ops[op].domain.clone();
        let mut args = Vec::new();
        for (at, &var) in vars.iter().enumerate() {
            let matters = declared.iter().any(|(domain, _)| !self.is_covered(domain[at]));
            args.push(if matters {
                let code = self.function(Make::Code(kinds[at]));
                self.app(code, vec![cx.value(var, span)], span)
            } else {
                self.integer(0, span)
            });
        }
        let lookup = self.function(Make::Lookup(op));
        self.app(lookup, args, span)
    }

    /// The number of the least sort of so many equal arguments.
    fn code_of_copies(&mut self, op: usize, count: Expr, element: Expr, span: Span) -> Expr {
        let code = self.function(Make::Code(self.space.signature.ops[op].range));
        let code = self.app(code, vec![element], span);
        let count = self.operation(Operator::Sub, vec![count, self.integer(1, span)], span);
        let copies = self.function(Make::CodeOfCopies(op));
        self.app(copies, vec![count, code.clone(), code], span)
    }

    pub(super) fn lookup(&mut self, symbol: SymbolId, op: usize) {
        let span = self.place();
        let mut declared = self.space.signature.ops[op].declared.clone();
        let size = |range: Type| match range {
            Type::Sort(sort) => self.below(sort).len(),
            Type::Kind(_) => usize::MAX,
        };
        declared.sort_by_key(|(_, range)| size(*range));
        for (domain, range) in declared {
            let Type::Sort(range) = range else { continue };
            let mut cx = Cx::default();
            let mut patterns = Vec::new();
            for of in domain {
                let (var, pattern) = cx.fresh(self.out.int, span);
                patterns.push(pattern);
                if let (false, Type::Sort(sort)) = (self.is_covered(of), of) {
                    let below = self.below(sort);
                    let test = self.one_of(cx.value(var, span), &below, span);
                    cx.test(test);
                }
            }
            let body = self.integer(range as i64, span);
            self.rule(symbol, cx, patterns, body, span);
        }
        let mut cx = Cx::default();
        let count = self.space.signature.ops[op].domain.len();
        let patterns = (0..count).map(|_| cx.fresh(self.out.int, span).1).collect();
        let body = self.integer(-1, span);
        self.rule(symbol, cx, patterns, body, span);
    }

    pub(super) fn codes(&mut self, symbol: SymbolId, kind: usize) {
        let span = self.place();
        let mut sorts: Vec<usize> = (0..self.space.signature.sorts.len())
            .filter(|&s| self.space.signature.kind(Type::Sort(s)) == kind)
            .collect();
        sorts.sort_by_key(|&sort| self.below(sort).len());
        for sort in sorts {
            self.memberships(symbol, kind, &[sort], Some(sort));
        }
        if let Some((of, number)) = self.space.number
            && of == kind
        {
            let tests = [("Zero", Some(Operator::Eq)), ("NzNat", Some(Operator::Gt)), ("NzInt", None)];
            for (name, op) in tests {
                if let Some(sort) = self.space.signature.library_sort(name) {
                    let body = self.integer(sort as i64, span);
                    self.number_rule(symbol, number, op, body);
                }
            }
        }
        if let Some(sort) = self.finite_floats(kind) {
            let body = self.integer(sort as i64, span);
            self.float_rule(symbol, body);
        }
        for (sort, is_character) in self.string_sorts(kind) {
            let body = self.integer(sort as i64, span);
            self.string_rule(symbol, is_character, body);
        }
        for (text, sort) in self.texts_of(kind) {
            let pattern = self.built(text, Vec::new(), span);
            let body = self.integer(sort as i64, span);
            self.rule(symbol, Cx::default(), vec![pattern], body, span);
        }
        for (op, declared) in self.space.signature.clone().ops.iter().enumerate() {
            if declared.range != kind || is_zero(declared) {
                continue;
            }
            let (cx, vars, pattern) = self.application(op, span);
            let body = self.code_of(op, &cx, &vars, span);
            self.rule(symbol, cx, vec![pattern], body, span);
            let mut cx = Cx::default();
            if let Some(of) = self.counted(&mut cx, op, span) {
                let body = self.code_of_copies(op, of.count, of.element, span);
                self.rule(symbol, cx, vec![of.pattern], body, span);
            }
        }
        let mut cx = Cx::default();
        let (_, pattern) = cx.fresh(self.space.sorts[kind], span);
        let body = self.integer(-1, span);
        self.rule(symbol, cx, vec![pattern], body, span);
    }

    /// The sort of the floats of a kind.
    fn finite_floats(&self, kind: usize) -> Option<usize> {
        let sort = self.space.signature.library_sort("FiniteFloat");
        sort.filter(|_| self.space.float.is_some_and(|(of, _)| of == kind))
    }

    /// A rule for floats.
    fn float_rule(&mut self, symbol: SymbolId, body: Expr) {
        let Some((_, float)) = self.space.float else { return };
        let mut cx = Cx::default();
        let (_, pattern) = cx.fresh(self.out.float(), body.span);
        let pattern = self.built(float, vec![pattern], body.span);
        self.rule(symbol, cx, vec![pattern], body.clone(), body.span);
    }

    /// Rules for memberships in one of some sorts: true, or the number of the sort.
    fn memberships(&mut self, symbol: SymbolId, kind: usize, sorts: &[usize], code: Option<usize>) {
        for rule in self.space.rules.clone().iter() {
            if rule.kind != EquationKind::Membership {
                continue;
            }
            let of = rule.sort.as_ref().and_then(|of| self.space.signature.type_of(of));
            if let Some(Type::Sort(sort)) = of
                && sorts.contains(&sort)
                && self.space.signature.kind(Type::Sort(sort)) == kind
                && !self.is_circular(rule, sorts)
            {
                let body = match code {
                    Some(code) => self.integer(code as i64, rule.span),
                    None => self.condition(true, rule.span),
                };
                self.membership(symbol, rule, body);
            }
        }
    }

    /// Whether a membership is about values that have one of the sorts already.
    fn is_circular(&self, rule: &Rule, sorts: &[usize]) -> bool {
        match &rule.left.kind {
            TermKind::Var(_, of) => {
                let of = self.space.signature.type_of(of);
                matches!(of, Some(Type::Sort(sort)) if sorts.contains(&sort))
            }
            _ => false,
        }
    }
}

/// Whether an operator is the number 0.
fn is_zero(op: &Op) -> bool {
    op.properties.special.as_deref() == Some("zero")
}
