//! Steps of a search over lists: which elements of it a pattern or a variable stands for.

use super::step::{Env, Search, Step, Then, Unmatched, position};
use super::*;

/// A rule for a list that has a first element.
struct First {
    cx: Cx,
    patterns: Vec<Pattern>,
    element: VarId,
    further: VarId,
}

impl Lower<'_> {
    /// A function that goes through a list, with further lists that are empty at first, called with what is known.
    fn go_through(
        &mut self,
        symbol: SymbolId,
        further: &[&Key],
        lists: Lists,
        env: &Env,
        search: &Search,
    ) -> (SymbolId, Env) {
        let (through, inner) = self.function_through(further, lists, env, search);
        self.with_lists(symbol, through, further.len(), lists, env, search);
        (through, inner)
    }

    /// The function alone, and what it knows.
    fn function_through(
        &mut self,
        further: &[&Key],
        lists: Lists,
        env: &Env,
        search: &Search,
    ) -> (SymbolId, Env) {
        let mut inner = env.clone();
        inner.extend(further.iter().map(|&key| (key.clone(), lists.sort)));
        let sorts = inner.iter().map(|(_, sort)| *sort).collect();
        (self.symbol("@match", sorts, search.sort, None), inner)
    }

    /// The rule that calls a function with what is known, and empty lists.
    fn with_lists(
        &mut self,
        symbol: SymbolId,
        function: SymbolId,
        count: usize,
        lists: Lists,
        env: &Env,
        search: &Search,
    ) {
        let (cx, patterns) = self.again(env, search.span);
        let body = self.called_with_lists(&cx, function, count, lists, env, search.span);
        self.rule(symbol, cx, patterns, body, search.span);
    }

    fn called_with_lists(
        &self,
        cx: &Cx,
        function: SymbolId,
        count: usize,
        lists: Lists,
        env: &Env,
        span: Span,
    ) -> Expr {
        let mut args = cx.values(env, &[], span);
        args.extend((0..count).map(|_| self.nil(lists, span)));
        self.app(function, args, span)
    }

    fn with_first(&mut self, env: &Env, list: &Key, kind: usize, span: Span) -> First {
        let others: Env = env.iter().filter(|(key, _)| key != list).cloned().collect();
        let (mut cx, mut patterns) = self.again(&others, span);
        let (pattern, element, further) = self.cons_pattern(&mut cx, kind, span);
        patterns.insert(position(env, list), pattern);
        First { cx, patterns, element, further }
    }

    /// An element before what has been collected of a list.
    fn put_before(&self, lists: Lists, cx: &Cx, element: VarId, collected: &Key, span: Span) -> Expr {
        let elements = vec![cx.value(element, span), cx.value(cx.known[collected], span)];
        self.app(lists.cons, elements, span)
    }

    /// Calls `through` behind the first element of a list, with that before what has been collected.
    fn past_first(
        &mut self,
        through: SymbolId,
        env: &Env,
        (list, collected): (&Key, &Key),
        kind: usize,
        span: Span,
    ) -> (Cx, Vec<Pattern>, Expr) {
        let First { cx, patterns, element, further } = self.with_first(env, list, kind, span);
        let lists = self.lists(kind);
        let before = self.put_before(lists, &cx, element, collected, span);
        let args = cx.values(env, &[(list, cx.value(further, span)), (collected, before)], span);
        let call = self.app(through, args, span);
        (cx, patterns, call)
    }

    pub(super) fn in_order(&mut self, kind: usize, reversed: Expr, span: Span) -> Expr {
        let lists = self.lists(kind);
        let onto = self.function(Make::Onto(kind));
        self.app(onto, vec![reversed, self.nil(lists, span)], span)
    }

    /// Goes through a list; those before an element that is like the pattern are kept in reverse. `twice`: the one
    /// behind it is equal.
    pub(super) fn take<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        list: &Key,
        pattern: &'t Term,
        twice: bool,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        let (seen, element) = (self.new_place(), self.new_place());
        let (through, inner) = self.go_through(symbol, &[&seen], lists, env, search);
        let mut next = inner.clone();
        next.push((element.clone(), self.space.sorts[kind]));
        let join = Step::Join { op, seen: seen.clone(), rest: list.clone(), list: list.clone() };
        let steps = then.after([Step::Is(element, pattern), join]);
        let found = self.solve(Then { steps: &steps, env: &next, search })?;
        let First { mut cx, patterns, element: first, mut further } =
            self.with_first(&inner, list, kind, span);
        if twice {
            further = self.without_same(&mut cx, (first, further), kind, span);
        }
        let mut args = cx.values(&inner, &[(list, cx.value(further, span))], span);
        args.push(cx.value(first, span));
        let attempt = self.app(found, args, span);
        self.if_found(through, cx, patterns, attempt, search);
        let (cx, patterns, body) = self.past_first(through, &inner, (list, &seen), kind, span);
        self.rule(through, cx, patterns, body, span);
        self.nothing(through, &inner, search);
        Ok(())
    }

    /// The elements behind the first one of those behind an element, which is equal to it.
    fn without_same(
        &mut self,
        cx: &mut Cx,
        (element, behind): (VarId, VarId),
        kind: usize,
        span: Span,
    ) -> VarId {
        let (pattern, second, further) = self.cons_pattern(cx, kind, span);
        let value = cx.value(behind, span);
        cx.matches(value, pattern);
        let both = vec![cx.value(element, span), cx.value(second, span)];
        cx.test(self.operation(Operator::Same, both, span));
        further
    }

    pub(super) fn without_value<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        list: &Key,
        value: &'t Term,
        make: Make,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let span = search.span;
        let lists = self.lists(self.space.signature.ops[op].range);
        let (mut cx, patterns) = self.again(env, span);
        let mut value = self.expr(&cx, value);
        if make != Make::Without(self.space.signature.ops[op].range) {
            let to_list = self.function(Make::ToList(op));
            value = self.app(to_list, vec![value, self.nil(lists, span)], span);
        }
        let without = self.function(make);
        let left = self.app(without, vec![cx.value(cx.known[list], span), value], span);
        let (var, pattern) = cx.fresh(lists.sort, span);
        cx.matches(left, self.built(lists.some, vec![pattern], span));
        let left = cx.value(var, span);
        let gone = |key: &Key| key == list;
        self.with_value(symbol, cx, patterns, &gone, (list.clone(), left), then)?;
        self.nothing(symbol, env, search);
        Ok(())
    }

    pub(super) fn first<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        list: &Key,
        pattern: &'t Term,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let place = self.new_place();
        let First { mut cx, patterns, element, further } = self.with_first(env, list, kind, span);
        cx.known.insert(place.clone(), element);
        cx.known.insert(list.clone(), further);
        let mut next = env.clone();
        next.push((place.clone(), self.space.sorts[kind]));
        let steps = then.after([Step::Is(place, pattern)]);
        self.go_on(symbol, cx, patterns, Then { steps: &steps, env: &next, search })?;
        self.nothing(symbol, env, search);
        Ok(())
    }

    /// First elements, few ones first: they go to `taken`, in reverse.
    pub(super) fn prefix<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        list: &Key,
        taken: &Key,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let lists = self.lists(self.space.signature.ops[op].range);
        let (through, inner) = self.go_through(symbol, &[taken], lists, then.env, then.search);
        self.prefixes(through, op, (list, taken), Then { env: &inner, ..then })?;
        Ok(())
    }

    /// The same for the value of a variable: none of the elements at last, and only if `none`.
    pub(super) fn prefix_of_variable<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        (list, taken): (&Key, &Key),
        none: bool,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        let (through, inner) = self.function_through(&[taken], lists, env, search);
        let further = self.prefixes(through, op, (list, taken), Then { env: &inner, ..then })?;
        let First { cx, patterns, element, further: rest } = self.with_first(env, list, kind, span);
        let mut args = cx.values(env, &[(list, cx.value(rest, span))], span);
        args.push(self.app(lists.cons, vec![cx.value(element, span), self.nil(lists, span)], span));
        let attempt = self.app(through, args, span);
        if none {
            self.if_found(symbol, cx, patterns, attempt, search);
            self.with_lists(symbol, further, 1, lists, env, search);
        } else {
            self.rule(symbol, cx, patterns, attempt, span);
            self.nothing(symbol, env, search);
        }
        Ok(())
    }

    /// The rules that go on with what is taken, or take one more element; what goes on.
    fn prefixes<'t>(
        &mut self,
        through: SymbolId,
        op: usize,
        (list, taken): (&Key, &Key),
        then: Then<'_, 't>,
    ) -> Result<SymbolId, Unmatched> {
        let Then { env, search, .. } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let (cx, patterns) = self.again(env, span);
        let further = self.solve(then)?;
        let attempt = self.app(further, cx.values(env, &[], span), span);
        self.if_found(through, cx, patterns, attempt, search);
        let (cx, patterns, body) = self.past_first(through, env, (list, taken), kind, span);
        self.rule(through, cx, patterns, body, span);
        self.nothing(through, env, search);
        Ok(further)
    }

    /// Each element goes to the variable or stays: few ones first, but none at last, and only if `none`. `twice`: one
    /// that goes there takes the one behind it along, which is equal.
    pub(super) fn split<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        list: &Key,
        (var, none, twice): (&'t Term, bool, bool),
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        let (taken, left) = (self.new_place(), self.new_place());
        let (through, inner) = self.function_through(&[&taken, &left], lists, env, search);
        // At the end of the list: what was taken is the value, what was left goes on.
        let build = Step::Build { op, elements: taken.clone(), var, none, reversed: true };
        let join = Step::Join { op, seen: left.clone(), rest: list.clone(), list: list.clone() };
        let steps = then.after([build, join]);
        let further = self.solve(Then { steps: &steps, env: &inner, search })?;
        let (cx, mut patterns) = self.with_nil(&inner, list, lists, span);
        patterns[position(&inner, &taken)] = self.nil_pattern(lists, span);
        self.rule(through, cx, patterns, self.app(search.none, Vec::new(), span), span);
        let (cx, patterns) = self.with_nil(&inner, list, lists, span);
        let args = cx.values(&inner, &[(list, self.nil(lists, span))], span);
        let body = self.app(further, args, span);
        self.rule(through, cx, patterns, body, span);
        let (cx, patterns, attempt) = self.past_first(through, &inner, (list, &left), kind, span);
        self.if_found(through, cx, patterns, attempt, search);
        self.take_equal(through, (list, &taken, &left), (kind, twice), Then { env: &inner, ..then });
        self.nothing(through, &inner, search);
        if none {
            let (cx, patterns) = self.again(env, span);
            let attempt = self.called_with_lists(&cx, through, 2, lists, env, span);
            self.if_found(symbol, cx, patterns, attempt, search);
            self.with_lists(symbol, further, 2, lists, env, search);
        } else {
            self.with_lists(symbol, through, 2, lists, env, search);
        }
        Ok(())
    }

    /// The rules that take the first element, or two equal ones, of which one is kept. Of equal elements, which stand
    /// next to each other, the first ones are taken: so there is one way to take so many of them.
    fn take_equal(
        &mut self,
        through: SymbolId,
        (list, taken, left): (&Key, &Key, &Key),
        (kind, twice): (usize, bool),
        then: Then<'_, '_>,
    ) {
        let (span, lists) = (then.search.span, self.lists(kind));
        for none_left in [true, false] {
            let First { mut cx, mut patterns, element, mut further } =
                self.with_first(then.env, list, kind, span);
            let mut changed = Vec::new();
            if none_left {
                patterns[position(then.env, left)] = self.nil_pattern(lists, span);
                changed.push((left, self.nil(lists, span)));
            } else {
                let (pattern, before, _) = self.cons_pattern(&mut cx, kind, span);
                let known = cx.value(cx.known[left], span);
                cx.matches(known, pattern);
                let both = vec![cx.value(before, span), cx.value(element, span)];
                let same = self.operation(Operator::Same, both, span);
                cx.test(self.operation(Operator::Negate, vec![same], span));
            }
            if twice {
                further = self.without_same(&mut cx, (element, further), kind, span);
            }
            let before = self.put_before(lists, &cx, element, taken, span);
            changed.extend([(list, cx.value(further, span)), (taken, before)]);
            let args = cx.values(then.env, &changed, span);
            let body = self.app(through, args, span);
            self.rule(through, cx, patterns, body, span);
        }
    }

    /// A variable for the application that some elements make; none of them only if the identity is one.
    pub(super) fn build_value<'t>(
        &mut self,
        symbol: SymbolId,
        elements: &Key,
        (op, var, none): (usize, &'t Term, bool),
        reversed: bool,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        if !none {
            let (cx, patterns) = self.with_nil(env, elements, lists, span);
            let body = self.app(search.none, Vec::new(), span);
            self.rule(symbol, cx, patterns, body, span);
        }
        let (cx, patterns) = self.again(env, span);
        let mut list = cx.value(cx.known[elements], span);
        if reversed {
            list = self.in_order(kind, list, span);
        }
        let build = self.function(Make::Build(op));
        let value = self.app(build, vec![list], span);
        let place = self.new_place();
        let steps = then.after([Step::Is(place.clone(), var)]);
        let gone = |key: &Key| key == elements;
        self.with_value(symbol, cx, patterns, &gone, (place, value), Then { steps: &steps, ..then })
    }

    /// A rule for a list without elements.
    pub(super) fn with_nil(&self, env: &Env, list: &Key, lists: Lists, span: Span) -> (Cx, Vec<Pattern>) {
        let others: Env = env.iter().filter(|(key, _)| key != list).cloned().collect();
        let (cx, mut patterns) = self.again(&others, span);
        patterns.insert(position(env, list), self.nil_pattern(lists, span));
        (cx, patterns)
    }
}
