//! Steps of a search over lists: which elements of it a pattern or a variable stands for.

use super::pattern::Unmatched;
use super::search::{Step, Then};
use super::*;

impl Lower<'_> {
    /// Goes through a list: `seen` are the elements before, in reverse.
    pub(super) fn take<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        list: &Key,
        pattern: &'t Term,
        twice: Option<()>,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { steps: rest, env, search } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        let seen = self.new_place();
        let element = self.new_place();
        let mut inner = env.clone();
        inner.push((seen.clone(), lists.sort));
        let sorts = inner.iter().map(|(_, sort)| *sort).collect();
        let through = self.symbol("@match", sorts, search.sort, None);
        let (cx, patterns) = self.again(env, span);
        let mut args: Vec<Expr> = env.iter().map(|(key, _)| cx.value(cx.known[key], span)).collect();
        args.push(self.nil(lists, span));
        let body = self.app(through, args, span);
        self.rule(symbol, cx, patterns, body, span);
        let mut next = inner.clone();
        next.push((element.clone(), self.space.sorts[kind]));
        let further = list.clone();
        let join = Step::Join { op, seen: seen.clone(), rest: further.clone(), list: further };
        let steps: Vec<Step<'t>> =
            [Step::Is(element, pattern), join].into_iter().chain(rest.iter().cloned()).collect();
        let then = self.solve(Then { steps: &steps, env: &next, search })?;
        for found in [true, false] {
            let mut vars = None;
            let (mut cx, patterns, _) = self.except(
                &inner,
                list,
                |lower, cx| {
                    let (pattern, first, further) = lower.cons_pattern(cx, kind, span);
                    vars = Some((first, further));
                    pattern
                },
                span,
            );
            let Some((first, mut further)) = vars else { continue };
            if found && twice.is_some() {
                let (pattern, second, behind) = self.cons_pattern(&mut cx, kind, span);
                let value = cx.value(further, span);
                cx.matches(value, pattern);
                let both = vec![cx.value(first, span), cx.value(second, span)];
                cx.test(self.operation(Operator::Same, both, span));
                further = behind;
            }
            let values = |cx: &Cx, of_seen: Expr, of_list: Expr| -> Vec<Expr> {
                inner
                    .iter()
                    .map(|(key, _)| match key {
                        key if key == list => of_list.clone(),
                        key if *key == seen => of_seen.clone(),
                        key => cx.value(cx.known[key], span),
                    })
                    .collect()
            };
            let (before, behind) = (cx.value(cx.known[&seen], span), cx.value(further, span));
            if found {
                let mut args = values(&cx, before, behind);
                args.push(cx.value(first, span));
                let attempt = self.app(then, args, span);
                self.if_found(through, cx, patterns, attempt, search);
            } else {
                let before = self.app(lists.cons, vec![cx.value(first, span), before], span);
                let args = values(&cx, before, behind);
                let body = self.app(through, args, span);
                self.rule(through, cx, patterns, body, span);
            }
        }
        self.nothing(through, &inner, search);
        Ok(())
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
        let Then { steps: rest, env, search } = then;
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
        self.with_value(
            symbol,
            cx,
            patterns,
            &gone,
            (list.clone(), left, lists.sort),
            Then { steps: rest, ..then },
        )?;
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
        let Then { steps: rest, env, search } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        let element = self.new_place();
        let mut vars = None;
        let (mut cx, patterns, mut next) = self.except(
            env,
            list,
            |lower, cx| {
                let (pattern, first, further) = lower.cons_pattern(cx, kind, span);
                vars = Some((first, further));
                pattern
            },
            span,
        );
        if let Some((first, further)) = vars {
            cx.known.insert(element.clone(), first);
            cx.known.insert(list.clone(), further);
        }
        next.extend([(list.clone(), lists.sort), (element.clone(), self.space.sorts[kind])]);
        let steps: Vec<Step<'t>> =
            [Step::Is(element, pattern)].into_iter().chain(rest.iter().cloned()).collect();
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
        step: Option<Step<'t>>,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { steps: rest, env, search } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        let mut inner = env.clone();
        inner.push((taken.clone(), lists.sort));
        let sorts = inner.iter().map(|(_, sort)| *sort).collect();
        let through = self.symbol("@match", sorts, search.sort, None);
        let (cx, patterns) = self.again(env, span);
        let mut args: Vec<Expr> = env.iter().map(|(key, _)| cx.value(cx.known[key], span)).collect();
        args.push(self.nil(lists, span));
        let body = self.app(through, args, span);
        self.rule(symbol, cx, patterns, body, span);
        let in_order = step.is_none();
        let steps: Vec<Step<'t>> = step.into_iter().chain(rest.iter().cloned()).collect();
        let then = self.solve(Then { steps: &steps, env: &inner, search })?;
        let (cx, patterns) = self.again(&inner, span);
        let onto = self.function(Make::Onto(kind));
        let args = inner.iter().map(|(key, _)| {
            let value = cx.value(cx.known[key], span);
            match in_order && key == taken {
                true => self.app(onto, vec![value, self.nil(lists, span)], span),
                false => value,
            }
        });
        let attempt = self.app(then, args.collect(), span);
        self.if_found(through, cx, patterns, attempt, search);
        let mut vars = None;
        let (cx, patterns, _) = self.except(
            &inner,
            list,
            |lower, cx| {
                let (pattern, first, further) = lower.cons_pattern(cx, kind, span);
                vars = Some((first, further));
                pattern
            },
            span,
        );
        if let Some((first, further)) = vars {
            let args = inner.iter().map(|(key, _)| match key {
                key if key == list => cx.value(further, span),
                key => {
                    let value = cx.value(cx.known[key], span);
                    match key == taken {
                        true => self.app(lists.cons, vec![cx.value(first, span), value], span),
                        false => value,
                    }
                }
            });
            let body = self.app(through, args.collect(), span);
            self.rule(through, cx, patterns, body, span);
        }
        self.nothing(through, &inner, search);
        Ok(())
    }

    /// Each element goes to the variable or stays.
    pub(super) fn split<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        list: &Key,
        var: &'t Term,
        none: bool,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { steps: rest, env, search } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        let taken = self.new_place();
        let left = self.new_place();
        let mut inner = env.clone();
        inner.extend([(taken.clone(), lists.sort), (left.clone(), lists.sort)]);
        let sorts = inner.iter().map(|(_, sort)| *sort).collect();
        let through = self.symbol("@match", sorts, search.sort, None);
        let (cx, patterns) = self.again(env, span);
        let mut args: Vec<Expr> = env.iter().map(|(key, _)| cx.value(cx.known[key], span)).collect();
        args.extend([self.nil(lists, span), self.nil(lists, span)]);
        let body = self.app(through, args, span);
        self.rule(symbol, cx, patterns, body, span);
        // At the end of the list: what was taken is the value, what was left goes on.
        let elements = taken.clone();
        let build = Step::Build { op, elements, var, none, reversed: true };
        let join = Step::Join { op, seen: left.clone(), rest: list.clone(), list: list.clone() };
        let steps: Vec<Step<'t>> = [build, join].into_iter().chain(rest.iter().cloned()).collect();
        let then = self.solve(Then { steps: &steps, env: &inner, search })?;
        let (cx, patterns, _) = self.except(&inner, list, |lower, _| lower.nil_pattern(lists, span), span);
        let args = inner.iter().map(|(key, _)| match key == list {
            true => self.nil(lists, span),
            false => cx.value(cx.known[key], span),
        });
        let body = self.app(then, args.collect(), span);
        self.rule(through, cx, patterns, body, span);
        for to in [&taken, &left] {
            let mut vars = None;
            let (cx, patterns, _) = self.except(
                &inner,
                list,
                |lower, cx| {
                    let (pattern, first, further) = lower.cons_pattern(cx, kind, span);
                    vars = Some((first, further));
                    pattern
                },
                span,
            );
            let Some((first, further)) = vars else { continue };
            let args = inner.iter().map(|(key, _)| match key {
                key if key == list => cx.value(further, span),
                key => {
                    let value = cx.value(cx.known[key], span);
                    match key == to {
                        true => self.app(lists.cons, vec![cx.value(first, span), value], span),
                        false => value,
                    }
                }
            });
            let attempt = self.app(through, args.collect(), span);
            match *to == taken {
                true => self.if_found(through, cx, patterns, attempt, search),
                false => self.rule(through, cx, patterns, attempt, span),
            }
        }
        Ok(())
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
        let Then { steps: rest, env, search } = then;
        let (span, kind) = (search.span, self.space.signature.ops[op].range);
        let lists = self.lists(kind);
        if !none {
            let (cx, patterns, _) =
                self.except(env, elements, |lower, _| lower.nil_pattern(lists, span), span);
            let body = self.app(search.none, Vec::new(), span);
            self.rule(symbol, cx, patterns, body, span);
        }
        let (cx, patterns) = self.again(env, span);
        let mut list = cx.value(cx.known[elements], span);
        if reversed {
            let onto = self.function(Make::Onto(kind));
            list = self.app(onto, vec![list, self.nil(lists, span)], span);
        }
        let build = self.function(Make::Build(op));
        let value = self.app(build, vec![list], span);
        let (place, sort) = (self.new_place(), value.sort);
        let steps: Vec<Step<'t>> =
            [Step::Is(place.clone(), var)].into_iter().chain(rest.iter().cloned()).collect();
        let gone = |key: &Key| key == elements;
        self.with_value(symbol, cx, patterns, &gone, (place, value, sort), Then { steps: &steps, ..then })
    }
}
