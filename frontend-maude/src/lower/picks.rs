//! Searches in the arguments of an associative and commutative operator as they are: each argument of a pattern but one
//! stands for one element, and the last one for whatever is left. No list is made of the elements; what is left is made
//! when an element fits, and not at all where nothing uses it.

use super::step::{Env, Left, Step, Then, Unmatched, Width};
use super::steps::{add_known, is_known, occurrences};
use super::*;

/// Which elements of a comb are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Any,
    /// The first one and the first one of the rest.
    First,
    /// The first one and the last one.
    Last,
}

impl Lower<'_> {
    /// The steps that match a value with the arguments of a term, where one element after the other can be taken.
    pub(super) fn picks<'t>(
        &self,
        op: usize,
        subject: &Key,
        term: &'t Term,
        rests: &[(Key, bool)],
        new_place: &mut dyn FnMut() -> Key,
        then: Then<'_, 't>,
    ) -> Option<Vec<Step<'t>>> {
        if !self.space.signature.ops[op].properties.comm {
            return None;
        }
        let elements = self.space.elements(op, term);
        let (many, mut ones): (Vec<&'t Term>, Vec<&'t Term>) =
            elements.iter().partition(|term| self.space.width(op, term) != Width::One);
        let may_go = |term: &&Term| self.space.may_be_identity(op, term);
        if many.len() > 1 || ones.is_empty() || ones.iter().any(may_go) {
            return None;
        }
        let mut known: HashSet<Key> = then.env.iter().map(|(key, _)| key.clone()).collect();
        let (mut steps, mut from) = (Vec::new(), subject.clone());
        while !ones.is_empty() {
            let is_value = |term: &Term| is_known(term, &known) && self.is_value(term);
            let rank = |term: &Term| match &term.kind {
                _ if is_value(term) => 0,
                TermKind::Var(..) => 2,
                _ => 1,
            };
            let at = (0..ones.len()).min_by_key(|&at| rank(ones[at])).unwrap_or(0);
            let pattern = ones.remove(at);
            let known_before = is_value(pattern);
            // An element that occurs again stands next to itself in the order.
            let again = ones.iter().position(|other| !known_before && other.is_same(pattern));
            let twice = again.map(|again| ones.remove(again)).is_some();
            add_known(pattern, &mut known);
            let left = match (ones.is_empty(), many.first(), rests.first()) {
                (true, None, Some((key, _))) => Left::Maybe(key.clone()),
                (true, None, None) if !twice => {
                    steps.push(Step::Is(from.clone(), pattern));
                    break;
                }
                (true, None, None) => Left::Nothing,
                (true, Some(rest), None) => match self.unused(op, rest, &known, then) {
                    Some(Left::Sorted(_)) if twice => Left::Value(new_place()),
                    found => found.unwrap_or_else(|| Left::Value(new_place())),
                },
                _ => Left::Value(new_place()),
            };
            let next = match &left {
                Left::Value(key) => Some(key.clone()),
                _ => None,
            };
            let known = known_before;
            steps.push(Step::Pick { op, from: from.clone(), pattern, known, twice, left });
            from = next.unwrap_or(from);
        }
        match (many.first(), rests.first(), steps.last()) {
            (Some(_), None, Some(Step::Pick { left: Left::Unused | Left::Sorted(_), .. })) => {}
            (Some(rest), None, _) => steps.push(Step::Is(from, rest)),
            (Some(_), Some(_), _) => return None,
            (None, ..) => {}
        }
        Some(steps)
    }

    /// What must be known of the value of a variable for all other arguments, if nothing depends on that value.
    fn unused(&self, op: usize, term: &Term, known: &HashSet<Key>, then: Then<'_, '_>) -> Option<Left> {
        let TermKind::Var(name, of) = &term.kind else { return None };
        let key = Key::Named(name.clone(), of.clone());
        let mentions = |step: &Step<'_>| step.terms().iter().any(|within| occurrences(term, within) > 0);
        let is_used = known.contains(&key)
            || then.search.wanted.iter().any(|(wanted, _)| *wanted == key)
            || then.steps.iter().any(mentions);
        match self.space.signature.type_of(of)? {
            _ if is_used => None,
            of if self.is_total(of) => Some(Left::Unused),
            Type::Sort(sort) if self.is_known(op, sort) => Some(Left::Sorted(sort)),
            _ => None,
        }
    }

    /// Takes an element that is like a pattern.
    pub(super) fn pick<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        from: &Key,
        (pattern, twice): (&'t Term, bool),
        left: &Left,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let (span, sort) = (search.span, self.space.sorts[self.space.signature.ops[op].range]);
        let (cursor, element, taken) = (self.new_place(), self.new_place(), self.new_place());
        let mut others = env.clone();
        if matches!(left, Left::Unused) {
            others.retain(|(key, _)| key != from);
        }
        let mut inner = others.clone();
        inner.push((cursor.clone(), sort));
        let through = self.symbol("@match", inner.iter().map(|(_, sort)| *sort).collect(), search.sort, None);
        let (cx, patterns) = self.again(env, span);
        let mut args = cx.values(&others, &[], span);
        args.push(cx.value(cx.known[from], span));
        let body = self.app(through, args, span);
        self.rule(symbol, cx, patterns, body, span);

        let mut next = others.clone();
        next.push((element.clone(), sort));
        let mut steps = vec![Step::Is(element, pattern)];
        if !matches!(left, Left::Unused) {
            let mut whole = from.clone();
            if twice {
                let (taken, other) = (self.new_place(), self.new_place());
                next.push((taken.clone(), sort));
                steps.push(Step::Leave { op, from: whole, taken, left: Left::Value(other.clone()) });
                whole = other;
            }
            next.push((taken.clone(), sort));
            steps.push(Step::Leave { op, from: whole, taken, left: left.clone() });
        }
        let steps = then.after(steps);
        let found = self.solve(Then { steps: &steps, env: &next, search })?;
        let copies = next.len() - others.len();
        let attempt = |lower: &Self, cx: &Cx, element: &Expr| {
            let mut args = cx.values(&others, &[], span);
            args.extend(std::iter::repeat_n(element.clone(), copies));
            lower.app(found, args, span)
        };
        let is_counted = self.space.counted.contains_key(&op);
        if is_counted {
            for (is_comb, goes_on) in [(true, false), (true, true), (false, false)] {
                let (mut cx, mut patterns) = self.again(&others, span);
                let (found, rest) = match is_comb {
                    true => self.counted_comb(&mut cx, op, span).map(|(of, rest)| (of, Some(rest))),
                    false => self.counted(&mut cx, op, span).map(|of| (of, None)),
                }
                .unwrap_or_else(|| unreachable!("arguments are counted"));
                patterns.push(found.pattern);
                if goes_on {
                    let mut args = cx.values(&others, &[], span);
                    args.extend(rest);
                    let body = self.app(through, args, span);
                    self.rule(through, cx, patterns, body, span);
                } else {
                    let attempt = attempt(self, &cx, &found.element);
                    self.if_found(through, cx, patterns, attempt, search);
                }
            }
        }
        // The element of an attempt: the first one, where it occurs twice with the one behind it.
        let beside: &[Beside] = match (twice, is_counted) {
            (true, true) => &[],
            (true, false) => &[Beside::First, Beside::Last],
            (false, _) => &[Beside::Any],
        };
        for beside in beside {
            let (mut cx, mut patterns) = self.again(&others, span);
            let (comb, first, mut rest) = self.comb(&mut cx, op, span);
            patterns.push(comb);
            if *beside == Beside::First {
                let (further, second, _) = self.comb(&mut cx, op, span);
                cx.matches(rest, further);
                rest = second;
            }
            if *beside != Beside::Any {
                cx.test(self.operation(Operator::Same, vec![first.clone(), rest], span));
            }
            let attempt = attempt(self, &cx, &first);
            self.if_found(through, cx, patterns, attempt, search);
        }
        let (mut cx, mut patterns) = self.again(&others, span);
        let (comb, _, rest) = self.comb(&mut cx, op, span);
        patterns.push(comb);
        let mut args = cx.values(&others, &[], span);
        args.push(rest);
        let body = self.app(through, args, span);
        self.rule(through, cx, patterns, body, span);
        if !twice {
            let (mut cx, mut patterns) = self.again(&others, span);
            let (last, last_pattern) = cx.fresh(sort, span);
            patterns.push(last_pattern);
            let last = cx.value(last, span);
            self.is_no_identity(&mut cx, op, &last, span);
            let body = attempt(self, &cx, &last);
            self.rule(through, cx, patterns, body, span);
        }
        if twice || self.space.signature.ops[op].properties.identity.is_some() {
            self.nothing(through, &inner, search);
        }
        Ok(())
    }

    fn is_no_identity(&mut self, cx: &mut Cx, op: usize, value: &Expr, span: Span) {
        // Evaluation leaves no identity that an equation applies to.
        if self.identity_as_it_is(op).is_some() {
            return;
        }
        if let Some(identity) = self.identity(op) {
            let same = self.operation(Operator::Same, vec![value.clone(), identity], span);
            cx.test(self.operation(Operator::Negate, vec![same], span));
        }
    }

    /// Takes an element that is known.
    pub(super) fn pick_value<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        from: &Key,
        pattern: &'t Term,
        left: &Left,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let (span, sort) = (search.span, self.space.sorts[self.space.signature.ops[op].range]);
        let (mut cx, patterns) = self.again(env, span);
        let value = self.expr(&cx, pattern);
        let whole = cx.value(cx.known[from], span);
        let has = self.function(Make::Has(op));
        let test = self.app(has, vec![whole, value.clone()], span);
        cx.test(test);
        if matches!(left, Left::Unused) {
            let next: Env = env.iter().filter(|(key, _)| key != from).cloned().collect();
            self.go_on(symbol, cx, patterns, Then { env: &next, ..then })?;
        } else {
            let taken = self.new_place();
            let mut next = env.clone();
            next.push((taken.clone(), sort));
            let steps = then.after([Step::Leave { op, from: from.clone(), taken, left: left.clone() }]);
            let further = self.solve(Then { steps: &steps, env: &next, search })?;
            let mut args = cx.values(env, &[], span);
            args.push(value);
            let body = self.app(further, args, span);
            self.rule(symbol, cx, patterns, body, span);
        }
        self.nothing(symbol, env, search);
        Ok(())
    }

    /// What is left of a value without one of its elements.
    pub(super) fn leave<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        (from, taken): (&Key, &Key),
        left: &Left,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let gone = |key: &Key| key == from || key == taken;
        let has_identity = self.space.signature.ops[op].properties.identity.is_some();
        if let Left::Sorted(sort) = *left {
            let (mut cx, patterns) = self.again(env, span);
            let sorted = self.function(Make::OthersHaveSort(op, sort));
            let both = [from, taken].map(|key| cx.value(cx.known[key], span)).to_vec();
            cx.test(self.app(sorted, both, span));
            let next: Env = env.iter().filter(|(key, _)| !gone(key)).cloned().collect();
            self.go_on(symbol, cx, patterns, Then { env: &next, ..then })?;
            self.nothing(symbol, env, search);
            return Ok(());
        }
        let remove = self.function(Make::Remove(op));
        let lists = self.lists(kind);
        for has_others in [true, false] {
            let (mut cx, patterns) = self.again(env, span);
            let whole = cx.value(cx.known[from], span);
            if has_others && !(has_identity && matches!(left, Left::Value(_))) {
                self.has_several_arguments(&mut cx, op, whole.clone(), span);
            }
            let others = self.app(remove, vec![whole, cx.value(cx.known[taken], span)], span);
            match (left, has_others) {
                (Left::Value(key), true) => {
                    self.with_value(symbol, cx, patterns, &gone, (key.clone(), others), then)?;
                    if has_identity {
                        return Ok(());
                    }
                }
                (Left::Maybe(key), _) => {
                    let value = match has_others {
                        true => self.app(lists.others, vec![others], span),
                        false => self.app(lists.no_others, Vec::new(), span),
                    };
                    self.with_value(symbol, cx, patterns, &gone, (key.clone(), value), then)?;
                }
                (Left::Nothing, false) => {
                    let next: Env = env.iter().filter(|(key, _)| !gone(key)).cloned().collect();
                    self.go_on(symbol, cx, patterns, Then { env: &next, ..then })?;
                }
                (Left::Nothing, true) => {
                    self.rule(symbol, cx, patterns, self.app(search.none, Vec::new(), span), span)
                }
                (Left::Value(_), false) => self.nothing(symbol, env, search),
                (Left::Unused | Left::Sorted(_), _) => {}
            }
        }
        Ok(())
    }

    /// Whether a value is among the elements of another one.
    pub(super) fn has(&mut self, symbol: SymbolId, op: usize) {
        let (span, sort) = self.of_range(op);
        self.has_number(symbol, op);
        if self.space.counted.contains_key(&op) {
            self.has_counted(symbol, op);
        }
        for goes_on in [false, true] {
            let mut cx = Cx::default();
            let (comb, first, rest) = self.comb(&mut cx, op, span);
            let (wanted, pattern) = cx.fresh(sort, span);
            let wanted = cx.value(wanted, span);
            let body = match goes_on {
                true => self.app(symbol, vec![rest, wanted], span),
                false => {
                    cx.test(self.operation(Operator::Same, vec![first, wanted], span));
                    self.condition(true, span)
                }
            };
            self.rule(symbol, cx, vec![comb, pattern], body, span);
        }
        let mut cx = Cx::default();
        let (alone, alone_pattern) = cx.fresh(sort, span);
        let (wanted, pattern) = cx.fresh(sort, span);
        let both = [alone, wanted].map(|var| cx.value(var, span)).to_vec();
        let body = self.operation(Operator::Same, both, span);
        self.rule(symbol, cx, vec![alone_pattern, pattern], body, span);
    }

    /// Whether it is an argument that has a count.
    fn has_counted(&mut self, symbol: SymbolId, op: usize) {
        let (span, sort) = self.of_range(op);
        for is_comb in [true, false] {
            let mut cx = Cx::default();
            let found = match is_comb {
                true => self.counted_comb(&mut cx, op, span).map(|(of, _)| of),
                false => self.counted(&mut cx, op, span),
            };
            let Some(found) = found else { return };
            let (wanted, pattern) = cx.fresh(sort, span);
            let both = vec![found.element, cx.value(wanted, span)];
            cx.test(self.operation(Operator::Same, both, span));
            let body = self.condition(true, span);
            self.rule(symbol, cx, vec![found.pattern, pattern], body, span);
        }
    }

    /// Numbers come first in the order, the smaller ones before the others.
    fn has_number(&mut self, symbol: SymbolId, op: usize) {
        let (span, sort) = self.of_range(op);
        let kind = self.space.signature.ops[op].range;
        let Some((_, number)) = self.space.number.filter(|(of, _)| *of == kind) else { return };
        for compared in [Operator::Lt, Operator::Eq, Operator::Gt] {
            let mut cx = Cx::default();
            let (first, first_pattern) = cx.fresh(self.out.int, span);
            let (rest, rest_pattern) = cx.fresh(sort, span);
            let first_pattern = self.built(number, vec![first_pattern], span);
            let comb = self.built(self.space.values[op], vec![first_pattern, rest_pattern], span);
            let (wanted, pattern) = cx.fresh(sort, span);
            let (own, own_pattern) = cx.fresh(self.out.int, span);
            let wanted = cx.value(wanted, span);
            cx.matches(wanted.clone(), self.built(number, vec![own_pattern], span));
            let both = [first, own].map(|var| cx.value(var, span)).to_vec();
            cx.test(self.operation(compared, both, span));
            let body = match compared {
                Operator::Lt => self.app(symbol, vec![cx.value(rest, span), wanted], span),
                _ => self.condition(compared == Operator::Eq, span),
            };
            self.rule(symbol, cx, vec![comb, pattern], body, span);
        }
    }

    /// A value without one of its elements.
    pub(super) fn remove(&mut self, symbol: SymbolId, op: usize) {
        let (span, sort) = self.of_range(op);
        let value = self.space.values[op];
        let mut cx = Cx::default();
        if let Some((of, rest)) = self.counted_comb(&mut cx, op, span) {
            let (taken, pattern) = cx.fresh(sort, span);
            cx.test(self.operation(Operator::Same, vec![of.element.clone(), cx.value(taken, span)], span));
            let fewer = self.one_less(op, &of, span);
            let body = self.app(value, vec![fewer, rest], span);
            self.rule(symbol, cx, vec![of.pattern, pattern], body, span);
        }
        for step in 0..3 {
            let mut cx = Cx::default();
            let (comb, first, rest) = self.comb(&mut cx, op, span);
            let (taken, pattern) = cx.fresh(sort, span);
            let taken = cx.value(taken, span);
            let body = match step {
                0 => {
                    cx.test(self.operation(Operator::Same, vec![first, taken], span));
                    rest
                }
                1 => {
                    self.has_several_arguments(&mut cx, op, rest.clone(), span);
                    let others = self.app(symbol, vec![rest, taken], span);
                    self.app(value, vec![first, others], span)
                }
                // The last one is it.
                _ => first,
            };
            self.rule(symbol, cx, vec![comb, pattern], body, span);
        }
        let mut cx = Cx::default();
        if let Some(of) = self.counted(&mut cx, op, span) {
            let (_, pattern) = cx.fresh(sort, span);
            let body = self.one_less(op, &of, span);
            self.rule(symbol, cx, vec![of.pattern, pattern], body, span);
        }
        let mut cx = Cx::default();
        let (alone, alone_pattern) = cx.fresh(sort, span);
        let (_, pattern) = cx.fresh(sort, span);
        let body = match self.identity(op) {
            Some(identity) => identity,
            None => cx.value(alone, span),
        };
        self.rule(symbol, cx, vec![alone_pattern, pattern], body, span);
    }

    /// Whether a value without one of its elements has a sort that all applications of the operator have: one other
    /// element is looked at.
    pub(super) fn others_have_sort(&mut self, symbol: SymbolId, op: usize, sort: usize) {
        let (span, of) = self.of_range(op);
        let has_sort = self.function(Make::HasSort(sort));
        let mut cx = Cx::default();
        if let Some((found, _)) = self.counted_comb(&mut cx, op, span) {
            let (_, pattern) = cx.fresh(of, span);
            let body = self.condition(true, span);
            self.rule(symbol, cx, vec![found.pattern, pattern], body, span);
        }
        for step in 0..3 {
            let mut cx = Cx::default();
            let (comb, first, rest) = self.comb(&mut cx, op, span);
            let (taken, pattern) = cx.fresh(of, span);
            let taken = cx.value(taken, span);
            let other = match step {
                0 => {
                    self.has_several_arguments(&mut cx, op, rest, span);
                    None
                }
                1 => {
                    cx.test(self.operation(Operator::Same, vec![first, taken], span));
                    Some(rest)
                }
                _ => Some(first),
            };
            let body = match other {
                Some(other) => self.app(has_sort, vec![other], span),
                None => self.condition(true, span),
            };
            self.rule(symbol, cx, vec![comb, pattern], body, span);
        }
        for two in [true, false] {
            let mut cx = Cx::default();
            let Some(found) = self.counted(&mut cx, op, span) else { break };
            let (_, pattern) = cx.fresh(of, span);
            let body = if two {
                cx.test(self.operation(Operator::Eq, vec![found.count, self.integer(2, span)], span));
                self.app(has_sort, vec![found.element], span)
            } else {
                self.condition(true, span)
            };
            self.rule(symbol, cx, vec![found.pattern, pattern], body, span);
        }
        let mut cx = Cx::default();
        let patterns = [(); 2].map(|()| cx.fresh(of, span).1).to_vec();
        let body = match self.identity(op) {
            Some(identity) => self.app(has_sort, vec![identity], span),
            None => self.condition(false, span),
        };
        self.rule(symbol, cx, patterns, body, span);
    }

    fn of_range(&self, op: usize) -> (Span, SortId) {
        let declared = &self.space.signature.ops[op];
        (declared.span, self.space.sorts[declared.range])
    }
}
