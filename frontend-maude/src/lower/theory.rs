//! Operators with axioms. Arguments of an associative operator are a right comb in normal forms, ordered where it is
//! commutative, without its identity.

use super::*;

impl Lower<'_> {
    /// The rules of what is rewritten for an operator with axioms, behind those for its equations on arguments.
    pub(super) fn applied(&mut self, op: usize) {
        self.together(self.space.calls[op], op);
    }

    /// The rule that brings two arguments together, and tries the equations on what comes out.
    pub(super) fn together(&mut self, symbol: SymbolId, op: usize) {
        let (span, normal) = (self.space.signature.ops[op].span, self.function(Make::Normal(op)));
        let mut cx = Cx::default();
        let (patterns, values) = self.two(&mut cx, op, span);
        let mut body = self.app(normal, values, span);
        if self.space.defined.contains(&op) {
            let top = self.function(Make::Top(op));
            body = self.app(top, vec![body], span);
        }
        self.rule(symbol, cx, patterns, body, span);
    }

    /// Two new variables of the sorts of the arguments.
    fn two(&mut self, cx: &mut Cx, op: usize, span: Span) -> (Vec<Pattern>, Vec<Expr>) {
        let kinds = self.space.signature.ops[op].domain.clone();
        let mut patterns = Vec::new();
        let mut values = Vec::new();
        for kind in kinds {
            let (var, pattern) = cx.fresh(self.space.sorts[kind], span);
            patterns.push(pattern);
            values.push(cx.value(var, span));
        }
        (patterns, values)
    }

    /// The normal form of the identity of an operator.
    pub(super) fn identity(&mut self, op: usize) -> Option<Expr> {
        let term = self.space.signature.ops[op].properties.identity.as_ref()?.term.clone()?;
        Some(self.expr(&Cx::default(), &term))
    }

    /// A test whether a value is the identity of an operator, as a condition.
    fn is_identity(&mut self, cx: &mut Cx, op: usize, value: Expr, span: Span) {
        if let Some(pattern) = self.identity_as_it_is(op) {
            cx.matches(value, pattern);
        } else if let Some(identity) = self.identity(op) {
            cx.test(self.operation(Operator::Same, vec![value, identity], span));
        }
    }

    /// The identity of an operator as a pattern, where it is a constant with equations. What these make of it is no
    /// identity, and a comparison would evaluate it, without an end if an equation makes it of itself.
    pub(super) fn identity_as_it_is(&self, op: usize) -> Option<Pattern> {
        let term = self.space.signature.ops[op].properties.identity.as_ref()?.term.as_ref()?;
        let TermKind::App(key, args) = &term.kind else { return None };
        let constant = self.op(key);
        let evaluates = args.is_empty() && self.space.with_equations.contains(&constant);
        evaluates.then(|| self.built(self.space.values[constant], Vec::new(), term.span))
    }

    pub(super) fn normal(&mut self, symbol: SymbolId, op: usize) {
        let declared = self.space.signature.ops[op].clone();
        let (span, properties) = (declared.span, &declared.properties);
        self.beside_identities(symbol, op);
        match (properties.assoc, properties.comm) {
            (true, true) if self.space.counted.contains_key(&op) => self.counted_merge(symbol, op),
            (true, true) => self.merged(symbol, op),
            (true, false) => self.appended(symbol, op),
            (false, comm) => {
                for swapped in if comm { &[true, false][..] } else { &[false] } {
                    let mut cx = Cx::default();
                    let (patterns, mut values) = self.two(&mut cx, op, span);
                    if *swapped {
                        let before =
                            self.before(declared.domain[0], values[1].clone(), values[0].clone(), span);
                        cx.test(before);
                        values.swap(0, 1);
                    }
                    let body = self.app(self.space.values[op], values, span);
                    self.rule(symbol, cx, patterns, body, span);
                }
            }
        }
    }

    /// An argument beside the identity of an operator.
    pub(super) fn beside_identities(&mut self, symbol: SymbolId, op: usize) {
        let span = self.space.signature.ops[op].span;
        let Some(identity) = self.space.signature.ops[op].properties.identity.clone() else { return };
        for (at, holds) in [identity.left, identity.right].into_iter().enumerate() {
            if holds {
                let mut cx = Cx::default();
                let (patterns, mut values) = self.two(&mut cx, op, span);
                self.is_identity(&mut cx, op, values[at].clone(), span);
                let body = values.swap_remove(1 - at);
                self.rule(symbol, cx, patterns, body, span);
            }
        }
    }

    /// A comb as a pattern, with the values of its first argument and of its rest.
    pub(super) fn comb(&mut self, cx: &mut Cx, op: usize, span: Span) -> (Pattern, Expr, Expr) {
        let (patterns, mut values) = self.two(cx, op, span);
        let pattern = self.built(self.space.values[op], patterns, span);
        let rest = values.swap_remove(1);
        (pattern, values.swap_remove(0), rest)
    }

    /// The first argument of a comb, or a value alone, with the rest of the comb.
    pub(super) fn side(
        &mut self,
        cx: &mut Cx,
        op: usize,
        comb: bool,
        span: Span,
    ) -> (Pattern, Expr, Option<Expr>) {
        if comb {
            let (pattern, first, rest) = self.comb(cx, op, span);
            return (pattern, first, Some(rest));
        }
        let sort = self.space.sorts[self.space.signature.ops[op].range];
        let (var, pattern) = cx.fresh(sort, span);
        (pattern, cx.value(var, span), None)
    }

    /// Two ordered combs as one.
    fn merged(&mut self, symbol: SymbolId, op: usize) {
        self.numbers_together(symbol, op);
        let (span, kind) = (self.space.signature.ops[op].span, self.space.signature.ops[op].range);
        let value = self.space.values[op];
        if let Some(&of) = self.space.idempotent.get(&op) {
            self.equal_arguments(symbol, op, of);
        }
        for (left_comb, right_comb) in [(true, true), (true, false), (false, true), (false, false)] {
            for right_first in [true, false] {
                let mut cx = Cx::default();
                let (left_pattern, left, left_rest) = self.side(&mut cx, op, left_comb, span);
                let (right_pattern, right, right_rest) = self.side(&mut cx, op, right_comb, span);
                if right_first {
                    let before = self.before(kind, right.clone(), left.clone(), span);
                    cx.test(before);
                }
                let whole = |first: &Expr, rest: &Option<Expr>| match rest {
                    Some(rest) => self.app(value, vec![first.clone(), rest.clone()], span),
                    None => first.clone(),
                };
                let (first, rest, other) = match right_first {
                    true => (right.clone(), right_rest, whole(&left, &left_rest)),
                    false => (left.clone(), left_rest, whole(&right, &right_rest)),
                };
                let further = match (rest, right_first) {
                    (None, _) => other,
                    (Some(rest), true) => self.app(symbol, vec![other, rest], span),
                    (Some(rest), false) => self.app(symbol, vec![rest, other], span),
                };
                let body = self.app(value, vec![first, further], span);
                self.rule(symbol, cx, vec![left_pattern, right_pattern], body, span);
            }
        }
    }

    /// Of two equal first arguments, one goes.
    fn equal_arguments(&mut self, symbol: SymbolId, op: usize, of: Type) {
        let (span, value) = (self.space.signature.ops[op].span, self.space.values[op]);
        for (left_comb, right_comb) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut cx = Cx::default();
            let (left_pattern, left, left_rest) = self.side(&mut cx, op, left_comb, span);
            let (right_pattern, right, right_rest) = self.side(&mut cx, op, right_comb, span);
            cx.test(self.operation(Operator::Same, vec![left.clone(), right], span));
            if let Some(test) = self.sort_test(of, left.clone(), span) {
                cx.test(test);
            }
            let rest = match (left_rest, right_rest) {
                (Some(a), Some(b)) => Some(self.app(symbol, vec![a, b], span)),
                (a, b) => a.or(b),
            };
            let body = match rest {
                Some(rest) => self.app(value, vec![left, rest], span),
                None => left,
            };
            self.rule(symbol, cx, vec![left_pattern, right_pattern], body, span);
        }
    }

    /// Numbers come first in the order, so that those of two combs meet there, and are computed with.
    fn numbers_together(&mut self, symbol: SymbolId, op: usize) {
        let declared = &self.space.signature.ops[op];
        let (span, value) = (declared.span, self.space.values[op]);
        let Some((kind, number)) = self.space.number else { return };
        if declared.properties.special.is_none() || declared.range != kind {
            return;
        }
        let sort = self.space.sorts[kind];
        for (left_comb, right_comb) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut cx = Cx::default();
            let (mut patterns, mut numbers, mut rests) = (Vec::new(), Vec::new(), Vec::new());
            for comb in [left_comb, right_comb] {
                let (var, pattern) = cx.fresh(self.out.int, span);
                let pattern = self.built(number, vec![pattern], span);
                let own = cx.value(var, span);
                numbers.push(self.of_number(own, span));
                patterns.push(if comb {
                    let (rest, rest_pattern) = cx.fresh(sort, span);
                    rests.push(cx.value(rest, span));
                    self.built(value, vec![pattern, rest_pattern], span)
                } else {
                    pattern
                });
            }
            let mut body = self.app(self.space.calls[op], numbers, span);
            for rest in rests {
                body = self.app(symbol, vec![body, rest], span);
            }
            if left_comb || right_comb {
                self.rule(symbol, cx, patterns, body, span);
            }
        }
    }

    /// One comb behind another one.
    fn appended(&mut self, symbol: SymbolId, op: usize) {
        let span = self.space.signature.ops[op].span;
        let value = self.space.values[op];
        for comb in [true, false] {
            let mut cx = Cx::default();
            let (pattern, first, rest) = self.side(&mut cx, op, comb, span);
            let (right_pattern, right, _) = self.side(&mut cx, op, false, span);
            let further = match rest {
                Some(rest) => self.app(symbol, vec![rest, right], span),
                None => right,
            };
            let body = self.app(value, vec![first, further], span);
            self.rule(symbol, cx, vec![pattern, right_pattern], body, span);
        }
    }

    // Lists of arguments.

    pub(super) fn nil(&self, lists: Lists, span: Span) -> Expr {
        self.app(lists.nil, Vec::new(), span)
    }

    pub(super) fn nil_pattern(&self, lists: Lists, span: Span) -> Pattern {
        self.built(lists.nil, Vec::new(), span)
    }

    /// A list with a first element as a pattern, with this and the rest.
    pub(super) fn cons_pattern(&mut self, cx: &mut Cx, kind: usize, span: Span) -> (Pattern, VarId, VarId) {
        let lists = self.lists(kind);
        let (first, first_pattern) = cx.fresh(self.space.sorts[kind], span);
        let (rest, rest_pattern) = cx.fresh(lists.sort, span);
        (self.built(lists.cons, vec![first_pattern, rest_pattern], span), first, rest)
    }

    pub(super) fn list_rules(&mut self, symbol: SymbolId, op: usize) {
        let (span, kind) = (self.space.signature.ops[op].span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        let mut cx = Cx::default();
        if let Some((of, rest)) = self.counted_comb(&mut cx, op, span) {
            let (tail, tail_pattern) = cx.fresh(lists.sort, span);
            let further = self.app(symbol, vec![rest, cx.value(tail, span)], span);
            let copies = self.function(Make::Copies(kind));
            let body = self.app(copies, vec![of.count, of.element, further], span);
            self.rule(symbol, cx, vec![of.pattern, tail_pattern], body, span);
        }
        if self.space.signature.ops[op].properties.assoc {
            let mut cx = Cx::default();
            let (pattern, first, rest) = self.comb(&mut cx, op, span);
            let (tail, tail_pattern) = cx.fresh(lists.sort, span);
            let further = self.app(symbol, vec![rest, cx.value(tail, span)], span);
            let body = self.app(lists.cons, vec![first, further], span);
            self.rule(symbol, cx, vec![pattern, tail_pattern], body, span);
        }
        let mut cx = Cx::default();
        if let Some(of) = self.counted(&mut cx, op, span) {
            let (tail, tail_pattern) = cx.fresh(lists.sort, span);
            let copies = self.function(Make::Copies(kind));
            let body = self.app(copies, vec![of.count, of.element, cx.value(tail, span)], span);
            self.rule(symbol, cx, vec![of.pattern, tail_pattern], body, span);
        }
        for identity in [true, false] {
            let mut cx = Cx::default();
            let (pattern, alone, _) = self.side(&mut cx, op, false, span);
            let (tail, tail_pattern) = cx.fresh(lists.sort, span);
            let tail = cx.value(tail, span);
            let body = match identity {
                true if self.space.signature.ops[op].properties.identity.is_none() => continue,
                true => {
                    self.is_identity(&mut cx, op, alone, span);
                    tail
                }
                false => self.app(lists.cons, vec![alone, tail], span),
            };
            self.rule(symbol, cx, vec![pattern, tail_pattern], body, span);
        }
    }

    pub(super) fn build(&mut self, symbol: SymbolId, op: usize) {
        let (span, kind) = (self.space.signature.ops[op].span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        let mut cx = Cx::default();
        let (first, pattern) = cx.fresh(self.space.sorts[kind], span);
        let alone = self.built(lists.cons, vec![pattern, self.nil_pattern(lists, span)], span);
        let body = cx.value(first, span);
        self.rule(symbol, cx, vec![alone], body, span);
        let mut cx = Cx::default();
        let (pattern, first, rest) = self.cons_pattern(&mut cx, kind, span);
        let further = self.app(symbol, vec![cx.value(rest, span)], span);
        let before = match self.space.counted.contains_key(&op) {
            true => self.function(Make::Put(op)),
            false => self.space.values[op],
        };
        let body = self.app(before, vec![cx.value(first, span), further], span);
        self.rule(symbol, cx, vec![pattern], body, span);
        if let Some(body) = self.identity(op) {
            let pattern = self.nil_pattern(lists, span);
            self.rule(symbol, Cx::default(), vec![pattern], body, span);
        }
    }

    pub(super) fn onto(&mut self, symbol: SymbolId, kind: usize) {
        let (span, lists) = (self.place(), self.lists(kind));
        let mut cx = Cx::default();
        let (rest, rest_pattern) = cx.fresh(lists.sort, span);
        let body = cx.value(rest, span);
        let nil = self.nil_pattern(lists, span);
        self.rule(symbol, cx, vec![nil, rest_pattern], body, span);
        let mut cx = Cx::default();
        let (pattern, first, further) = self.cons_pattern(&mut cx, kind, span);
        let (rest, rest_pattern) = cx.fresh(lists.sort, span);
        let [first, further, rest] = [first, further, rest].map(|var| cx.value(var, span));
        let rest = self.app(lists.cons, vec![first, rest], span);
        let body = self.app(symbol, vec![further, rest], span);
        self.rule(symbol, cx, vec![pattern, rest_pattern], body, span);
    }

    pub(super) fn without(&mut self, symbol: SymbolId, kind: usize) {
        let (span, lists) = (self.place(), self.lists(kind));
        for same in [true, false] {
            let mut cx = Cx::default();
            let (pattern, first, rest) = self.cons_pattern(&mut cx, kind, span);
            let (wanted, wanted_pattern) = cx.fresh(self.space.sorts[kind], span);
            let [first, rest, wanted] = [first, rest, wanted].map(|var| cx.value(var, span));
            let found = if same {
                cx.test(self.operation(Operator::Same, vec![first, wanted], span));
                rest
            } else {
                let (left, left_pattern) = cx.fresh(lists.sort, span);
                let further = self.app(symbol, vec![rest, wanted], span);
                cx.matches(further, self.built(lists.some, vec![left_pattern], span));
                self.app(lists.cons, vec![first, cx.value(left, span)], span)
            };
            let body = self.app(lists.some, vec![found], span);
            self.rule(symbol, cx, vec![pattern, wanted_pattern], body, span);
        }
        self.none_else(symbol, &[lists.sort, self.space.sorts[kind]], lists.none);
    }

    /// The last rule of a function that finds something or nothing.
    pub(super) fn none_else(&mut self, symbol: SymbolId, args: &[SortId], none: SymbolId) {
        let span = self.place();
        let mut cx = Cx::default();
        let patterns = args.iter().map(|&sort| cx.fresh(sort, span).1).collect();
        let body = self.app(none, Vec::new(), span);
        self.rule(symbol, cx, patterns, body, span);
    }

    pub(super) fn without_all(&mut self, symbol: SymbolId, kind: usize) {
        let (span, lists) = (self.place(), self.lists(kind));
        self.all_gone(symbol, lists);
        let mut cx = Cx::default();
        let (from, from_pattern) = cx.fresh(lists.sort, span);
        let (pattern, first, rest) = self.cons_pattern(&mut cx, kind, span);
        let without = self.function(Make::Without(kind));
        let [from, first, rest] = [from, first, rest].map(|var| cx.value(var, span));
        let (left, left_pattern) = cx.fresh(lists.sort, span);
        let without = self.app(without, vec![from, first], span);
        cx.matches(without, self.built(lists.some, vec![left_pattern], span));
        let body = self.app(symbol, vec![cx.value(left, span), rest], span);
        self.rule(symbol, cx, vec![from_pattern, pattern], body, span);
        self.none_else(symbol, &[lists.sort; 2], lists.none);
    }

    /// Nothing is to be taken from a list.
    fn all_gone(&mut self, symbol: SymbolId, lists: Lists) {
        let span = self.place();
        let mut cx = Cx::default();
        let (from, from_pattern) = cx.fresh(lists.sort, span);
        let body = self.app(lists.some, vec![cx.value(from, span)], span);
        let nil = self.nil_pattern(lists, span);
        self.rule(symbol, cx, vec![from_pattern, nil], body, span);
    }

    pub(super) fn behind(&mut self, symbol: SymbolId, kind: usize) {
        let (span, lists) = (self.place(), self.lists(kind));
        self.all_gone(symbol, lists);
        let mut cx = Cx::default();
        let (pattern, first, rest) = self.cons_pattern(&mut cx, kind, span);
        let (wanted_pattern, wanted, further) = self.cons_pattern(&mut cx, kind, span);
        let [first, rest, wanted, further] = [first, rest, wanted, further].map(|var| cx.value(var, span));
        cx.test(self.operation(Operator::Same, vec![first, wanted], span));
        let body = self.app(symbol, vec![rest, further], span);
        self.rule(symbol, cx, vec![pattern, wanted_pattern], body, span);
        self.none_else(symbol, &[lists.sort; 2], lists.none);
    }

    /// What an equation gives for some arguments of an operator, with the other ones.
    pub(super) fn extended(&mut self, symbol: SymbolId, op: usize, before: bool) {
        let (span, kind) = (self.space.signature.ops[op].span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        let mut cx = Cx::default();
        let (value, pattern) = cx.fresh(self.space.sorts[kind], span);
        let body = cx.value(value, span);
        let none = if before { lists.nil } else { lists.no_others };
        let none = self.built(none, Vec::new(), span);
        self.rule(symbol, cx, vec![none, pattern], body, span);
        let mut cx = Cx::default();
        let (value, pattern) = cx.fresh(self.space.sorts[kind], span);
        let value = cx.value(value, span);
        // What is left of a match may be what comes of this, and was no argument of its own before.
        let alone = |lower: &mut Self, others: Expr| {
            if !(lower.space.decided.contains(&op) && lower.space.defined.contains(&op)) {
                return others;
            }
            let top = lower.function(Make::Top(op));
            lower.app(top, vec![others], span)
        };
        let (others_pattern, values) = if before {
            let (others, others_pattern) = cx.fresh(lists.sort, span);
            let others = self.in_order(kind, cx.value(others, span), span);
            let build = self.function(Make::Build(op));
            let others = self.app(build, vec![others], span);
            (others_pattern, vec![alone(self, others), value])
        } else {
            let (others, others_pattern) = cx.fresh(self.space.sorts[kind], span);
            let others = alone(self, cx.value(others, span));
            (self.built(lists.others, vec![others_pattern], span), vec![value, others])
        };
        let together = self.together_symbol(op);
        let body = self.app(together, values, span);
        self.rule(symbol, cx, vec![others_pattern, pattern], body, span);
    }
}

/// A rule without identities beside other arguments of their operators, on the left-hand side and in patterns.
pub(super) fn without_identities(signature: &Signature, rule: &Arc<Rule>) -> Arc<Rule> {
    let mut rule = (**rule).clone();
    rule.left = collapsed(signature, rule.left);
    for condition in &mut rule.conditions {
        if let crate::term::Condition::Match(pattern, _) = condition {
            *pattern = collapsed(signature, pattern.clone());
        }
    }
    Arc::new(rule)
}

fn collapsed(signature: &Signature, mut term: Term) -> Term {
    match &mut term.kind {
        TermKind::App(key, args) => {
            let mut inner: Vec<Term> =
                std::mem::take(args).into_iter().map(|arg| collapsed(signature, arg)).collect();
            let identity = signature.op(key).and_then(|op| signature.ops[op].properties.identity.as_ref());
            let identity = identity.and_then(|of| Some((of.left, of.right, of.term.as_ref()?)));
            if let ([first, second], Some((left, right, identity))) = (inner.as_slice(), identity) {
                if left && first.is_same(identity) {
                    return inner.swap_remove(1);
                }
                if right && second.is_same(identity) {
                    return inner.swap_remove(0);
                }
            }
            *args = inner;
        }
        TermKind::Repeat(_, _, arg) => **arg = collapsed(signature, (**arg).clone()),
        _ => {}
    }
    term
}
