//! Equations that make a constant of two equal arguments of an associative and commutative operator: `X xor X = false`.
//! The arguments of two normal forms are in order, so that one walk through both finds all that they share; tried one
//! by one, they would be compared in pairs.

use super::*;

/// Such an equation.
pub(super) struct Pairs<'t> {
    /// The sort of the arguments.
    of: Type,
    /// What each two become.
    becomes: &'t Term,
}

/// Two combs, or values alone, that are walked through.
struct Sides {
    cx: Cx,
    patterns: Vec<Pattern>,
    wholes: [Expr; 2],
    firsts: [Expr; 2],
    rests: [Option<Expr>; 2],
}

impl Lower<'_> {
    /// Such an equation, if it is one.
    pub(super) fn of_pairs<'t>(&self, op: usize, rule: &'t Rule) -> Option<Pairs<'t>> {
        let becomes = rule.right.as_ref()?;
        let elements = self.space.elements(op, &rule.left);
        let [first, second] = elements.as_slice() else { return None };
        let TermKind::Var(_, of) = &first.kind else { return None };
        let of = self.space.signature.type_of(of)?;
        // Two of the constant are a pair, too.
        let is_constant = match &becomes.kind {
            TermKind::Number(_) | TermKind::Text(..) | TermKind::Value(..) => self.is_total(of),
            TermKind::App(key, args) if args.is_empty() => {
                let declared = &self.space.signature.ops[self.op(key)].declared;
                declared.iter().all(|(_, range)| self.space.signature.is_below(*range, of))
            }
            _ => false,
        };
        let properties = &self.space.signature.ops[op].properties;
        // Of several arguments that a variable stands for, each is in a pair of its own.
        let is_each = self.is_total(of) || self.space.width(op, first) == step::Width::One;
        let fits = properties.assoc
            && properties.comm
            && properties.special.is_none()
            && !rule.otherwise
            && is_constant
            && is_each
            && rule.conditions.is_empty()
            && steps::same_variable(first, second);
        fits.then_some(Pairs { of, becomes })
    }

    /// The rules of such an equation, if it is one, and the first one for its operator. However many pairs two values
    /// have, one constant is left: each two of these are one again.
    pub(super) fn becomes_of_pairs(&mut self, op: usize, rule: &Rule) -> bool {
        let Some(Pairs { of, becomes }) = self.of_pairs(op, rule) else { return false };
        if self.space.pairs.contains_key(&op) {
            return false;
        }
        self.space.pairs.insert(op, of);
        let mut symbols = vec![self.space.calls[op]];
        if self.space.apart.contains(&op) {
            symbols.push(self.function(Make::Together(op)));
        }
        for symbol in symbols {
            self.pairs(symbol, op, becomes, rule.span);
        }
        true
    }

    fn pairs(&mut self, symbol: SymbolId, op: usize, becomes: &Term, span: Span) {
        let [meet, apart] = [Make::Meet(op), Make::Unshared(op)].map(|make| self.function(make));
        let mut cx = Cx::default();
        let sort = self.space.sorts[self.space.signature.ops[op].range];
        let (a, left) = cx.fresh(sort, span);
        let (b, right) = cx.fresh(sort, span);
        let values = [a, b].map(|var| cx.value(var, span)).to_vec();
        cx.test(self.app(meet, values.clone(), span));
        let unshared = self.app(apart, values, span);
        let becomes = self.expr(&cx, becomes);
        let beside = self.function(Make::Beside(op));
        let body = self.app(beside, vec![unshared, becomes], span);
        self.rule(symbol, cx, vec![left, right], body, span);
    }

    fn sides(&mut self, op: usize, combs: [bool; 2], span: Span) -> Sides {
        let mut cx = Cx::default();
        let mut patterns = Vec::new();
        let [(first, a), (second, b)] = combs.map(|comb| {
            let (pattern, first, rest) = self.side(&mut cx, op, comb, span);
            patterns.push(pattern);
            (first, rest)
        });
        let value = self.space.values[op];
        let whole = |first: &Expr, rest: &Option<Expr>| match rest {
            Some(rest) => self.app(value, vec![first.clone(), rest.clone()], span),
            None => first.clone(),
        };
        let wholes = [whole(&first, &a), whole(&second, &b)];
        Sides { cx, patterns, wholes, firsts: [first, second], rests: [a, b] }
    }

    /// The conditions for two first arguments to be such a pair.
    fn are_pair(&mut self, op: usize, sides: &mut Sides, span: Span) {
        let [a, b] = sides.firsts.clone();
        sides.cx.test(self.operation(Operator::Same, vec![a.clone(), b], span));
        let of = self.space.pairs.get(&op).copied();
        if let Some(test) = of.and_then(|of| self.sort_test(of, a, span)) {
            sides.cx.test(test);
        }
    }

    /// Goes through two combs: the arguments that the first first argument is a pair with, or is not in the other comb.
    fn walk(&mut self, symbol: SymbolId, op: usize, body: &dyn Fn(&mut Self, &Sides, Option<usize>) -> Expr) {
        let (span, kind) = (self.space.signature.ops[op].span, self.space.signature.ops[op].range);
        for combs in [[true, true], [true, false], [false, true], [false, false]] {
            let mut sides = self.sides(op, combs, span);
            self.are_pair(op, &mut sides, span);
            let value = body(self, &sides, None);
            self.rule(symbol, sides.cx, sides.patterns, value, span);
            for first in [1, 0] {
                let mut sides = self.sides(op, combs, span);
                if first == 1 {
                    let [a, b] = sides.firsts.clone();
                    let before = self.before(kind, b, a, span);
                    sides.cx.test(before);
                }
                let value = body(self, &sides, Some(first));
                self.rule(symbol, sides.cx, sides.patterns, value, span);
            }
        }
    }

    /// Whether two values share arguments that are pairs.
    pub(super) fn meet(&mut self, symbol: SymbolId, op: usize) {
        self.walk(symbol, op, &|lower, sides, first| {
            let span = sides.firsts[0].span;
            match first.map(|first| (first, &sides.rests[first])) {
                None => lower.condition(true, span),
                Some((_, None)) => lower.condition(false, span),
                Some((first, Some(rest))) => {
                    let mut values = sides.wholes.clone().to_vec();
                    values[first] = rest.clone();
                    lower.app(symbol, values, span)
                }
            }
        });
    }

    /// The arguments of two values but those that are pairs.
    pub(super) fn unshared(&mut self, symbol: SymbolId, op: usize) {
        let lists = self.lists(self.space.signature.ops[op].range);
        let in_front = self.function(Make::InFront(op));
        self.walk(symbol, op, &|lower, sides, first| {
            let span = sides.firsts[0].span;
            let Some(first) = first else {
                return match &sides.rests {
                    [Some(a), Some(b)] => lower.app(symbol, vec![a.clone(), b.clone()], span),
                    [Some(rest), None] | [None, Some(rest)] => {
                        lower.app(lists.others, vec![rest.clone()], span)
                    }
                    [None, None] => lower.app(lists.no_others, Vec::new(), span),
                };
            };
            let own = sides.firsts[first].clone();
            let further = match &sides.rests[first] {
                Some(rest) => {
                    let mut values = sides.wholes.clone().to_vec();
                    values[first] = rest.clone();
                    lower.app(symbol, values, span)
                }
                None => lower.app(lists.others, vec![sides.wholes[1 - first].clone()], span),
            };
            lower.app(in_front, vec![own, further], span)
        });
    }

    /// An argument in front of those that are left.
    pub(super) fn in_front(&mut self, symbol: SymbolId, op: usize) {
        let (span, kind) = (self.space.signature.ops[op].span, self.space.signature.ops[op].range);
        let (lists, sort) = (self.lists(kind), self.space.sorts[kind]);
        for is_left in [false, true] {
            let mut cx = Cx::default();
            let (first, pattern) = cx.fresh(sort, span);
            let mut value = cx.value(first, span);
            let mut left = self.built(lists.no_others, Vec::new(), span);
            if is_left {
                let (others, others_pattern) = cx.fresh(sort, span);
                left = self.built(lists.others, vec![others_pattern], span);
                value = self.app(self.space.values[op], vec![value, cx.value(others, span)], span);
            }
            let body = self.app(lists.others, vec![value], span);
            self.rule(symbol, cx, vec![pattern, left], body, span);
        }
    }
}
