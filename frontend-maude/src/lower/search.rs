//! Searches for a match, with backtracking: one function for each step, whose arguments are the values that are known,
//! and whose value is a tuple of what the rule needs, or nothing.

use super::pattern::{Matching, readings};
use super::step::{Env, REACHED, Search, Step, Then, Unmatched, position};
use super::steps::occurrences;
use super::*;
use crate::signature::Properties;
use crate::term::Condition;

impl Lower<'_> {
    /// The function that takes some steps.
    pub(super) fn solve<'t>(&mut self, then: Then<'_, 't>) -> Result<SymbolId, Unmatched> {
        let Then { steps, env, search } = then;
        let sorts = env.iter().map(|(_, sort)| *sort).collect();
        let symbol = self.symbol("@match", sorts, search.sort, None);
        let Some((step, rest)) = steps.split_first() else {
            let (cx, patterns) = self.again(env, search.span);
            let found = cx.values(&search.wanted, &[], search.span);
            let body = self.app(search.some, found, search.span);
            self.rule(symbol, cx, patterns, body, search.span);
            return Ok(symbol);
        };
        self.step(symbol, step, Then { steps: rest, ..then })?;
        Ok(symbol)
    }

    fn step<'t>(&mut self, symbol: SymbolId, step: &Step<'t>, then: Then<'_, 't>) -> Result<(), Unmatched> {
        match step {
            Step::Is(subject, term) => self.is(symbol, subject, term, then),
            Step::Holds(condition) => self.holds(symbol, condition, then),
            Step::New { right, extended, reach } => {
                let Then { env, search, .. } = then;
                let (mut cx, patterns) = self.again(env, search.span);
                self.is_new(&mut cx, right, *extended, *reach, search.span);
                let mut next = env.clone();
                next.push((REACHED, self.space.sorts[reach.root]));
                self.go_on(symbol, cx, patterns, Then { env: &next, ..then })?;
                self.nothing(symbol, env, search);
                Ok(())
            }
            Step::Axioms { op, subject, term, rests } => self.axioms(symbol, *op, subject, term, rests, then),
            Step::Take { op, list, pattern, twice } => self.take(symbol, *op, list, pattern, *twice, then),
            Step::Without { op, list, value, all } => {
                let kind = self.space.signature.ops[*op].range;
                let make = if *all { Make::WithoutAll(kind) } else { Make::Without(kind) };
                self.without_value(symbol, *op, list, value, make, then)
            }
            Step::Behind { op, list, value } => {
                let make = Make::Behind(self.space.signature.ops[*op].range);
                self.without_value(symbol, *op, list, value, make, then)
            }
            Step::Split { op, list, var, none, twice } => {
                self.split(symbol, *op, list, (var, *none, *twice), then)
            }
            Step::Rest { op, list, var, none } => {
                self.build_value(symbol, list, (*op, var, *none), false, then)
            }
            Step::First { op, list, pattern } => self.first(symbol, *op, list, pattern, then),
            Step::Prefix { op, list, var, none } => {
                let taken = self.new_place();
                let (op, none, elements) = (*op, *none, taken.clone());
                let build = Step::Build { op, elements, var, none, reversed: true };
                // The value is made when the elements behind it fit: most prefixes are none.
                let mut steps = then.steps.to_vec();
                let fits = |step: &&Step<'_>| match step {
                    Step::First { list: of, pattern, .. } => of == list && occurrences(var, pattern) == 0,
                    Step::Empty { list: of, .. } => of == list,
                    _ => false,
                };
                steps.insert(then.steps.iter().take_while(fits).count(), build);
                self.prefix_of_variable(symbol, op, (list, &taken), none, Then { steps: &steps, ..then })
            }
            Step::Before { op, list, key } => self.prefix(symbol, *op, list, key, then),
            Step::Keep { op, list, key } => self.keep(symbol, *op, list, key, then),
            Step::Pick { op, from, pattern, known: true, left, .. } => {
                self.pick_value(symbol, *op, from, pattern, left, then)
            }
            Step::Pick { op, from, pattern, twice, left, .. } => {
                self.pick(symbol, *op, from, (pattern, *twice), left, then)
            }
            Step::Leave { op, from, taken, left } => self.leave(symbol, *op, (from, taken), left, then),
            Step::Empty { op, list } => {
                let Then { env, search, .. } = then;
                let lists = self.lists(self.space.signature.ops[*op].range);
                let (cx, patterns) = self.with_nil(env, list, lists, search.span);
                let next: Env = env.iter().filter(|(key, _)| key != list).cloned().collect();
                self.go_on(symbol, cx, patterns, Then { env: &next, ..then })?;
                self.nothing(symbol, env, search);
                Ok(())
            }
            Step::Join { op, seen, rest, list } => {
                let span = then.search.span;
                let (cx, patterns) = self.again(then.env, span);
                let onto = self.function(Make::Onto(self.space.signature.ops[*op].range));
                let both = [seen, rest].map(|key| cx.value(cx.known[key], span)).to_vec();
                let joined = self.app(onto, both, span);
                let gone = |key: &Key| key == seen || key == rest;
                self.with_value(symbol, cx, patterns, &gone, (list.clone(), joined), then)
            }
            Step::Build { op, elements, var, none, reversed } => {
                self.build_value(symbol, elements, (*op, var, *none), *reversed, then)
            }
        }
    }

    /// A place that is not known yet.
    pub(super) fn new_place(&mut self) -> Key {
        self.space.places += 1;
        Key::Place(self.space.places)
    }

    /// The rule that nothing was found.
    pub(super) fn nothing(&mut self, symbol: SymbolId, env: &Env, search: &Search) {
        let sorts: Vec<SortId> = env.iter().map(|(_, sort)| *sort).collect();
        self.none_else(symbol, &sorts, search.none);
    }

    /// A rule whose value is that of the further steps.
    pub(super) fn go_on(
        &mut self,
        symbol: SymbolId,
        cx: Cx,
        patterns: Vec<Pattern>,
        then: Then<'_, '_>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let then = self.solve(then)?;
        let args = cx.values(env, &[], search.span);
        let body = self.app(then, args, search.span);
        self.rule(symbol, cx, patterns, body, search.span);
        Ok(())
    }

    /// A rule that applies if a search further on finds something, which is its value.
    pub(super) fn if_found(
        &mut self,
        symbol: SymbolId,
        mut cx: Cx,
        patterns: Vec<Pattern>,
        attempt: Expr,
        search: &Search,
    ) {
        let span = search.span;
        let var = cx.vars.push(Var { name: "x".into(), sort: search.sort, span });
        let body = cx.value(var, span);
        cx.goals.push(Goal { kind: GoalKind::Bind { var, value: attempt }, span });
        let found = search.wanted.iter().map(|(_, sort)| cx.fresh(*sort, span).1).collect();
        cx.matches(body.clone(), self.built(search.some, found, span));
        self.rule(symbol, cx, patterns, body, span);
    }

    /// What is left of a list as a value, if there is something.
    fn keep(
        &mut self,
        symbol: SymbolId,
        op: usize,
        list: &Key,
        key: &Key,
        then: Then<'_, '_>,
    ) -> Result<(), Unmatched> {
        let (span, lists) = (then.search.span, self.lists(self.space.signature.ops[op].range));
        let gone = |known: &Key| known == list;
        let (cx, patterns) = self.with_nil(then.env, list, lists, span);
        let none = self.app(lists.no_others, Vec::new(), span);
        self.with_value(symbol, cx, patterns, &gone, (key.clone(), none), then)?;
        let (cx, patterns) = self.again(then.env, span);
        let build = self.function(Make::Build(op));
        let others = self.app(build, vec![cx.value(cx.known[list], span)], span);
        let others = self.app(lists.others, vec![others], span);
        self.with_value(symbol, cx, patterns, &gone, (key.clone(), others), then)
    }

    fn is<'t>(
        &mut self,
        symbol: SymbolId,
        subject: &Key,
        term: &'t Term,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let others: Env = env.iter().filter(|(key, _)| key != subject).cloned().collect();
        let at = position(env, subject);
        if let TermKind::App(key, args) = &term.kind
            && has_axioms(&self.space.signature.ops[self.op(key)])
            && !args.is_empty()
        {
            let (op, subject) = (self.op(key), subject.clone());
            let step = Step::Axioms { op, subject, term, rests: Vec::new() };
            let (cx, patterns) = self.again(env, search.span);
            let steps = then.after([step]);
            return self.go_on(symbol, cx, patterns, Then { steps: &steps, ..then });
        }
        for mut matching in readings(self.space, [term]) {
            let (cx, mut patterns) = self.again(&others, search.span);
            matching.cx = cx;
            let pattern = self.pattern(&mut matching, term)?;
            patterns.insert(at, pattern);
            let mut next = others.clone();
            let mut new: Env = matching
                .cx
                .known
                .iter()
                .filter(|(key, _)| !others.iter().any(|(known, _)| known == *key))
                .map(|(key, &var)| (key.clone(), matching.cx.vars[var].sort))
                .collect();
            new.sort_by_key(|(key, _)| matching.cx.known[key]);
            next.extend(new);
            let pending = std::mem::take(&mut matching.pending);
            let steps = then.after(pending.into_iter().map(|(key, term)| Step::Is(key, term)));
            self.go_on(symbol, matching.cx, patterns, Then { steps: &steps, env: &next, search })?;
        }
        self.nothing(symbol, env, search);
        Ok(())
    }

    fn holds<'t>(
        &mut self,
        symbol: SymbolId,
        condition: &'t Condition,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let (cx, patterns) = self.again(env, search.span);
        if let Condition::Match(pattern, value) = condition {
            let value = self.expr(&cx, value);
            let place = self.new_place();
            let steps = then.after([Step::Is(place.clone(), pattern)]);
            let gone = |_: &Key| false;
            return self.with_value(
                symbol,
                cx,
                patterns,
                &gone,
                (place, value),
                Then { steps: &steps, ..then },
            );
        }
        let mut matching = Matching::new(cx);
        self.guard(&mut matching, condition)?;
        self.go_on(symbol, matching.cx, patterns, then)?;
        self.nothing(symbol, env, search);
        Ok(())
    }

    /// A rule that goes on with one more value, and without some.
    pub(super) fn with_value(
        &mut self,
        symbol: SymbolId,
        cx: Cx,
        patterns: Vec<Pattern>,
        gone: &dyn Fn(&Key) -> bool,
        (key, value): (Key, Expr),
        then: Then<'_, '_>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let mut next: Env = env.iter().filter(|(key, _)| !gone(key)).cloned().collect();
        let mut args = cx.values(&next, &[], search.span);
        next.push((key, value.sort));
        args.push(value);
        let then = self.solve(Then { env: &next, ..then })?;
        let body = self.app(then, args, search.span);
        self.rule(symbol, cx, patterns, body, search.span);
        Ok(())
    }

    fn axioms<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        subject: &Key,
        term: &'t Term,
        rests: &[(Key, bool)],
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        if !self.space.signature.ops[op].properties.assoc {
            return self.two_arguments(symbol, op, subject, term, then);
        }
        if rests.is_empty() && self.two_variables(symbol, op, subject, term, then)? {
            return Ok(());
        }
        let places = self.space.places;
        let mut next = places;
        let mut new_place = || {
            next += 1;
            Key::Place(next)
        };
        if let Some(steps) = self.picks(op, subject, term, rests, &mut new_place, then) {
            self.space.places = next;
            let (cx, patterns) = self.again(env, search.span);
            let steps = then.after(steps);
            return self.go_on(symbol, cx, patterns, Then { steps: &steps, ..then });
        }
        let span = search.span;
        let lists = self.lists(self.space.signature.ops[op].range);
        let (cx, patterns) = self.again(env, span);
        let to_list = self.function(Make::ToList(op));
        let value = cx.value(cx.known[subject], span);
        let list = self.app(to_list, vec![value, self.nil(lists, span)], span);
        let place = self.new_place();
        let known: Env = env.iter().filter(|(key, _)| key != subject).cloned().collect();
        let mut steps = self.steps(op, &place, term, rests, &known);
        steps = then.after(steps);
        let gone = |key: &Key| key == subject;
        self.with_value(symbol, cx, patterns, &gone, (place, list), Then { steps: &steps, ..then })
    }

    /// Two variables for any arguments of an operator whose order does not matter: the first one is the first argument,
    /// the other one stands for the others. Whether that is all there is to try.
    fn two_variables<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        subject: &Key,
        term: &'t Term,
        then: Then<'_, 't>,
    ) -> Result<bool, Unmatched> {
        let Then { env, search, .. } = then;
        let elements = self.space.elements(op, term);
        let takes = |term: &&Term| self.space.takes_all(op, term, &elements);
        if elements.len() != 2 || !elements.iter().all(takes) || !self.space.signature.ops[op].properties.comm
        {
            return Ok(false);
        }
        let keys: Vec<Key> = elements
            .iter()
            .filter_map(|term| match &term.kind {
                TermKind::Var(name, of) => Some(Key::Named(name.clone(), of.clone())),
                _ => None,
            })
            .collect();
        if env.iter().any(|(known, _)| keys.contains(known)) {
            return Ok(false);
        }
        let others: Env = env.iter().filter(|(key, _)| key != subject).cloned().collect();
        let sort = self.space.sorts[self.space.signature.ops[op].range];
        let mut next = others.clone();
        next.extend(keys.iter().map(|key| (key.clone(), sort)));
        let further = self.solve(Then { env: &next, ..then })?;
        for is_comb in [true, false] {
            let (mut cx, mut patterns) = self.again(&others, search.span);
            let mut args = cx.values(&others, &[], search.span);
            let (pattern, first, rest) = if is_comb {
                self.comb(&mut cx, op, search.span)
            } else {
                let Some(of) = self.counted(&mut cx, op, search.span) else { continue };
                let rest = self.one_less(op, &of, search.span);
                (of.pattern, of.element, rest)
            };
            patterns.insert(position(env, subject), pattern);
            args.extend([first, rest]);
            let attempt = self.app(further, args, search.span);
            match then.steps.is_empty() {
                true => self.rule(symbol, cx, patterns, attempt, search.span),
                false => self.if_found(symbol, cx, patterns, attempt, search),
            }
        }
        let is_all = then.steps.is_empty() && self.space.signature.ops[op].properties.identity.is_none();
        if is_all {
            self.nothing(symbol, env, search);
        }
        Ok(is_all)
    }

    /// Two arguments in either order, one of which may be the identity.
    fn two_arguments<'t>(
        &mut self,
        symbol: SymbolId,
        op: usize,
        subject: &Key,
        term: &'t Term,
        then: Then<'_, 't>,
    ) -> Result<(), Unmatched> {
        let Then { env, search, .. } = then;
        let (span, args) = (search.span, self.unordered(term)?);
        let declared = self.space.signature.ops[op].clone();
        let sorts: Vec<SortId> = declared.domain.iter().map(|&kind| self.space.sorts[kind]).collect();
        let left = self.new_place();
        let right = self.new_place();
        for parts in Parts::of(&declared.properties, args) {
            let [first, second] = if parts == Parts::Swapped { [args[1], args[0]] } else { args };
            let steps = then.after([Step::Is(left.clone(), first), Step::Is(right.clone(), second)]);
            let at = position(env, subject);
            let mut next: Env = env.iter().filter(|(key, _)| key != subject).cloned().collect();
            let (mut cx, mut patterns) = self.again(&next, span);
            let mut values = cx.values(&next, &[], span);
            if let Parts::BesideIdentity { left } = parts {
                let Some(identity) = self.identity(op) else { continue };
                let (whole, pattern) = cx.fresh(self.space.sorts[declared.range], span);
                patterns.insert(at, pattern);
                let whole = cx.value(whole, span);
                values.extend(if left { [identity, whole] } else { [whole, identity] });
            } else {
                let (a, a_pattern) = cx.fresh(sorts[0], span);
                let (b, b_pattern) = cx.fresh(sorts[1], span);
                patterns.insert(at, self.built(self.space.values[op], vec![a_pattern, b_pattern], span));
                values.extend([cx.value(a, span), cx.value(b, span)]);
            }
            next.extend([(left.clone(), sorts[0]), (right.clone(), sorts[1])]);
            let then = self.solve(Then { steps: &steps, env: &next, search })?;
            let attempt = self.app(then, values, span);
            self.if_found(symbol, cx, patterns, attempt, search);
        }
        self.nothing(symbol, env, search);
        Ok(())
    }
}

/// What the two arguments of a value are, by the axioms of its operator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    InOrder,
    Swapped,
    /// The value itself, and the identity: on its left or on its right.
    BesideIdentity {
        left: bool,
    },
}

impl Parts {
    /// In the order in which they are tried. A pattern that looks into an argument is tried with the first one first,
    /// which is the smaller one of two that have the same symbol.
    fn of(properties: &Properties, patterns: [&Term; 2]) -> Vec<Self> {
        let is_variable = |term: &Term| matches!(term.kind, TermKind::Var(..));
        let mut found = vec![Parts::InOrder];
        if properties.comm {
            let first = is_variable(patterns[0]) && !is_variable(patterns[1]);
            found.insert(usize::from(!first), Parts::Swapped);
        }
        if let Some(identity) = &properties.identity {
            found.extend(identity.right.then_some(Parts::BesideIdentity { left: false }));
            found.extend(identity.left.then_some(Parts::BesideIdentity { left: true }));
        }
        found
    }
}
