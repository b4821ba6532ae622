//! Equal arguments of an associative and commutative operator as one argument with a count. In normal forms `a a a b`
//! is a comb of two arguments, `3 * a` and `b`; `a a a` alone is the first of them. So the time that it takes to add,
//! find or remove an argument grows with the number of different ones.

use super::*;

/// An argument with a count, as a pattern.
pub(super) struct Counted {
    pub pattern: Pattern,
    pub count: Expr,
    pub element: Expr,
}

impl Space {
    /// Whether equal arguments of an operator are counted: not where arguments are computed with, nor where an equation
    /// makes something else of two equal ones, so that there are none.
    pub(super) fn counts(&self, op: usize) -> bool {
        let properties = &self.signature.ops[op].properties;
        let joins_equal = |rule: &&Arc<Rule>| match &rule.left.kind {
            TermKind::App(key, args) if !args.is_empty() && self.signature.op(key) == Some(op) => {
                let elements = self.elements(op, &rule.left);
                let again = |at: usize| elements[..at].iter().any(|other| other.is_same(elements[at]));
                let is_variable = |term: &Term| matches!(term.kind, TermKind::Var(..));
                let are_any_two = elements.len() == 2
                    && elements.iter().all(|of| is_variable(of))
                    && rule.conditions.is_empty();
                are_any_two || (0..elements.len()).any(|at| is_variable(elements[at]) && again(at))
            }
            _ => false,
        };
        let equations = || self.rules.iter().filter(|rule| rule.kind == EquationKind::Equation);
        properties.assoc
            && properties.comm
            && properties.special.is_none()
            && !equations().any(|rule| joins_equal(&rule))
    }
}

impl Lower<'_> {
    /// Declares the symbol for an argument with a count.
    pub(super) fn declare_counts(&mut self) {
        let signature = self.space.signature.clone();
        for (op, declared) in signature.ops.iter().enumerate() {
            if self.out.host.is_plain || !self.space.counts(op) {
                continue;
            }
            let sort = self.space.sorts[declared.range];
            let symbol = self.symbol(&declared.name, vec![self.out.int, sort], sort, Some(declared.span));
            let binding = match self.out.signature.notations.get(&self.space.values[op]) {
                Some(Notation::Mixfix(binding)) => Some(*binding),
                _ => None,
            };
            self.out.signature.notations.insert(symbol, Notation::Copies(binding));
            self.space.counted.insert(op, symbol);
        }
    }

    /// A pattern for an argument with a count, if the operator has such ones.
    pub(super) fn counted(&self, cx: &mut Cx, op: usize, span: Span) -> Option<Counted> {
        let symbol = *self.space.counted.get(&op)?;
        let (count, count_pattern) = cx.fresh(self.out.int, span);
        let (element, element_pattern) = cx.fresh(self.space.sorts[self.space.signature.ops[op].range], span);
        let [count, element] = [count, element].map(|var| cx.value(var, span));
        Some(Counted {
            pattern: self.built(symbol, vec![count_pattern, element_pattern], span),
            count,
            element,
        })
    }

    /// A comb whose first argument has a count, with the rest.
    pub(super) fn counted_comb(&self, cx: &mut Cx, op: usize, span: Span) -> Option<(Counted, Expr)> {
        let mut first = self.counted(cx, op, span)?;
        let (rest, rest_pattern) = cx.fresh(self.space.sorts[self.space.signature.ops[op].range], span);
        first.pattern = self.built(self.space.values[op], vec![first.pattern, rest_pattern], span);
        Some((first, cx.value(rest, span)))
    }

    /// One less of an argument with a count.
    pub(super) fn one_less(&mut self, op: usize, of: &Counted, span: Span) -> Expr {
        let fewer = self.function(Make::Fewer(op));
        self.app(fewer, vec![of.count.clone(), of.element.clone()], span)
    }

    pub(super) fn fewer(&mut self, symbol: SymbolId, op: usize) {
        let span = self.space.signature.ops[op].span;
        for two in [true, false] {
            let mut cx = Cx::default();
            let (count, count_pattern) = cx.fresh(self.out.int, span);
            let (element, pattern) = cx.fresh(self.space.sorts[self.space.signature.ops[op].range], span);
            let [count, mut body] = [count, element].map(|var| cx.value(var, span));
            if two {
                cx.test(self.operation(Operator::Eq, vec![count, self.integer(2, span)], span));
            } else {
                let count = self.operation(Operator::Sub, vec![count, self.integer(1, span)], span);
                body = self.app(self.space.counted[&op], vec![count, body], span);
            }
            self.rule(symbol, cx, vec![count_pattern, pattern], body, span);
        }
    }

    /// An argument without its count.
    pub(super) fn element_of(&mut self, symbol: SymbolId, op: usize) {
        let span = self.space.signature.ops[op].span;
        let mut cx = Cx::default();
        if let Some(of) = self.counted(&mut cx, op, span) {
            self.rule(symbol, cx, vec![of.pattern], of.element, span);
        }
        let mut cx = Cx::default();
        let (element, pattern) = cx.fresh(self.space.sorts[self.space.signature.ops[op].range], span);
        let body = cx.value(element, span);
        self.rule(symbol, cx, vec![pattern], body, span);
    }

    /// Two equal arguments as one.
    pub(super) fn joined(&mut self, symbol: SymbolId, op: usize) {
        let (span, sort) = {
            let declared = &self.space.signature.ops[op];
            (declared.span, self.space.sorts[declared.range])
        };
        let Some(&counted) = self.space.counted.get(&op) else { return };
        for has_count in [[true, true], [true, false], [false, true], [false, false]] {
            let mut cx = Cx::default();
            let (mut patterns, mut counts, mut elements) = (Vec::new(), Vec::new(), Vec::new());
            for has_count in has_count {
                match has_count.then(|| self.counted(&mut cx, op, span)).flatten() {
                    Some(of) => {
                        patterns.push(of.pattern);
                        counts.push(of.count);
                        elements.push(of.element);
                    }
                    None => {
                        let (element, pattern) = cx.fresh(sort, span);
                        patterns.push(pattern);
                        counts.push(self.integer(1, span));
                        elements.push(cx.value(element, span));
                    }
                }
            }
            let count = match has_count {
                [false, false] => self.integer(2, span),
                _ => self.operation(Operator::Add, counts, span),
            };
            let body = self.app(counted, vec![count, elements.swap_remove(0)], span);
            self.rule(symbol, cx, patterns, body, span);
        }
    }

    /// A test whether two arguments are equal but for their counts.
    pub(super) fn are_equal(&mut self, cx: &mut Cx, op: usize, both: [&Expr; 2], span: Span) {
        let element = self.function(Make::Element(op));
        let both = both.map(|of| self.app(element, vec![of.clone()], span)).to_vec();
        cx.test(self.operation(Operator::Same, both, span));
    }

    /// Whether an argument is before another one, whatever their counts are.
    pub(super) fn ahead(&mut self, symbol: SymbolId, op: usize) {
        let (span, kind) = (self.space.signature.ops[op].span, self.space.signature.ops[op].range);
        // The rules of the order are part of this one where no other operator has such arguments: a call less.
        let mut counted = self.space.counted.keys().filter(|&&op| self.space.signature.ops[op].range == kind);
        let is_only = counted.nth(1).is_none();
        let before = if is_only { symbol } else { self.function(Make::Before(kind)) };
        for has_count in [[true, true], [true, false], [false, true], [false, false]] {
            if is_only && has_count == [false, false] {
                return self.before_rules(symbol, kind);
            }
            let mut cx = Cx::default();
            let (mut patterns, mut elements) = (Vec::new(), Vec::new());
            for has_count in has_count {
                match has_count.then(|| self.counted(&mut cx, op, span)).flatten() {
                    Some(of) => {
                        patterns.push(of.pattern);
                        elements.push(of.element);
                    }
                    None => {
                        let (element, pattern) = cx.fresh(self.space.sorts[kind], span);
                        patterns.push(pattern);
                        elements.push(cx.value(element, span));
                    }
                }
            }
            let body = self.app(before, elements, span);
            self.rule(symbol, cx, patterns, body, span);
        }
    }

    /// Two ordered combs of counted arguments as one.
    pub(super) fn counted_merge(&mut self, symbol: SymbolId, op: usize) {
        let span = self.space.signature.ops[op].span;
        let value = self.space.values[op];
        let (ahead, joined) = (self.function(Make::Ahead(op)), self.function(Make::Joined(op)));
        for (left_comb, right_comb) in [(true, true), (true, false), (false, true), (false, false)] {
            // An argument is brought behind those of a comb: these come first.
            let first = if left_comb && !right_comb { Merge::Left } else { Merge::Right };
            let second = if first == Merge::Left { Merge::Right } else { Merge::Left };
            for how in [first, second, Merge::Joined, Merge::Unordered] {
                let mut cx = Cx::default();
                let (left_pattern, left, left_rest) = self.side(&mut cx, op, left_comb, span);
                let (right_pattern, right, right_rest) = self.side(&mut cx, op, right_comb, span);
                let whole = |first: &Expr, rest: &Option<Expr>| match rest {
                    Some(rest) => self.app(value, vec![first.clone(), rest.clone()], span),
                    None => first.clone(),
                };
                let (first, further) = match how {
                    Merge::Right => {
                        let (other, args) = (whole(&left, &left_rest), vec![right.clone(), left.clone()]);
                        cx.test(self.app(ahead, args, span));
                        let further = match right_rest {
                            Some(rest) => self.app(symbol, vec![other, rest], span),
                            None => other,
                        };
                        (right, Some(further))
                    }
                    Merge::Left | Merge::Unordered => {
                        let other = whole(&right, &right_rest);
                        if how == Merge::Left {
                            cx.test(self.app(ahead, vec![left.clone(), right.clone()], span));
                        }
                        let further = match left_rest {
                            Some(rest) => self.app(symbol, vec![rest, other], span),
                            None => other,
                        };
                        (left, Some(further))
                    }
                    Merge::Joined => {
                        self.are_equal(&mut cx, op, [&left, &right], span);
                        let further = match (left_rest, right_rest) {
                            (Some(a), Some(b)) => Some(self.app(symbol, vec![a, b], span)),
                            (a, b) => a.or(b),
                        };
                        (self.app(joined, vec![left, right], span), further)
                    }
                };
                let body = match further {
                    Some(further) => self.app(value, vec![first, further], span),
                    None => first,
                };
                self.rule(symbol, cx, vec![left_pattern, right_pattern], body, span);
            }
        }
    }

    /// An argument before those of a value, none of which is before it.
    pub(super) fn put(&mut self, symbol: SymbolId, op: usize) {
        let (span, sort) = {
            let declared = &self.space.signature.ops[op];
            (declared.span, self.space.sorts[declared.range])
        };
        let value = self.space.values[op];
        let joined = self.function(Make::Joined(op));
        for is_comb in [Some(true), Some(false), None] {
            let mut cx = Cx::default();
            let (first, first_pattern) = cx.fresh(sort, span);
            let first = cx.value(first, span);
            let (pattern, second, rest) = self.side(&mut cx, op, is_comb == Some(true), span);
            let body = match is_comb {
                Some(_) => {
                    self.are_equal(&mut cx, op, [&first, &second], span);
                    let both = self.app(joined, vec![first, second], span);
                    match rest {
                        Some(rest) => self.app(value, vec![both, rest], span),
                        None => both,
                    }
                }
                None => self.app(value, vec![first, second], span),
            };
            self.rule(symbol, cx, vec![first_pattern, pattern], body, span);
        }
    }

    /// So many copies of a value before a list.
    pub(super) fn copies(&mut self, symbol: SymbolId, kind: usize) {
        let (span, lists, sort) = (self.place(), self.lists(kind), self.space.sorts[kind]);
        for done in [true, false] {
            let mut cx = Cx::default();
            let (count, count_pattern) = cx.fresh(self.out.int, span);
            let (element, pattern) = cx.fresh(sort, span);
            let (list, list_pattern) = cx.fresh(lists.sort, span);
            let [count, element, list] = [count, element, list].map(|var| cx.value(var, span));
            let body = if done {
                cx.test(self.operation(Operator::Eq, vec![count, self.integer(0, span)], span));
                list
            } else {
                let count = self.operation(Operator::Sub, vec![count, self.integer(1, span)], span);
                let list = self.app(lists.cons, vec![element.clone(), list], span);
                self.app(symbol, vec![count, element, list], span)
            };
            self.rule(symbol, cx, vec![count_pattern, pattern, list_pattern], body, span);
        }
    }

    /// A test whether a value is an application of an operator with axioms.
    pub(super) fn has_several_arguments(&mut self, cx: &mut Cx, op: usize, value: Expr, span: Span) {
        if self.space.counted.contains_key(&op) {
            let several = self.function(Make::Several(op));
            return cx.test(self.app(several, vec![value], span));
        }
        let kinds = self.space.signature.ops[op].domain.clone();
        let inner = kinds.iter().map(|&of| cx.fresh(self.space.sorts[of], span).1).collect();
        cx.matches(value, self.built(self.space.values[op], inner, span));
    }

    /// Whether a value has several arguments.
    pub(super) fn has_several(&mut self, symbol: SymbolId, op: usize) {
        let span = self.space.signature.ops[op].span;
        let mut cx = Cx::default();
        let (comb, ..) = self.comb(&mut cx, op, span);
        let body = self.condition(true, span);
        self.rule(symbol, cx, vec![comb], body.clone(), span);
        let mut cx = Cx::default();
        if let Some(of) = self.counted(&mut cx, op, span) {
            self.rule(symbol, cx, vec![of.pattern], body, span);
        }
        let mut cx = Cx::default();
        let (_, pattern) = cx.fresh(self.space.sorts[self.space.signature.ops[op].range], span);
        let body = self.condition(false, span);
        self.rule(symbol, cx, vec![pattern], body, span);
    }

    /// The number of the least sort of so many equal arguments behind some others: by that of one, and that of the
    /// others. It stays from where one more changes nothing.
    pub(super) fn sort_of_copies(&mut self, symbol: SymbolId, op: usize) {
        let (span, int) = (self.space.signature.ops[op].span, self.out.int);
        let lookup = self.function(Make::Lookup(op));
        for step in 0..3 {
            let mut cx = Cx::default();
            let [(count, a), (one, b), (all, c)] = [(); 3].map(|()| cx.fresh(int, span));
            let [count, one, all] = [count, one, all].map(|var| cx.value(var, span));
            let next = self.app(lookup, vec![one.clone(), all.clone()], span);
            let body = match step {
                0 => {
                    cx.test(self.operation(Operator::Eq, vec![count, self.integer(0, span)], span));
                    all
                }
                1 => {
                    cx.test(self.operation(Operator::Eq, vec![next, all.clone()], span));
                    all
                }
                _ => {
                    let count = self.operation(Operator::Sub, vec![count, self.integer(1, span)], span);
                    self.app(symbol, vec![count, one, next], span)
                }
            };
            self.rule(symbol, cx, vec![a, b, c], body, span);
        }
    }
}

/// What comes first of two combs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Merge {
    Left,
    Right,
    /// Both first arguments are equal.
    Joined,
    /// They have no order.
    Unordered,
}
