//! Steps to terms that have not been reached. A function for each kind looks for one: its arguments are a value, the
//! context that the value stands in, and the set of the terms that have been reached. That the whole term is not among
//! them is one more condition of each rule, so that backtracking finds all steps, one after the other. A term that is
//! new is found once: to look for the next one from the start costs as much again for each new term, and no more.

use std::collections::BTreeSet;

use super::step::{REACHED, Reach, Stepped};
use super::*;

/// What stands around the value, and the terms that have been reached.
const CONTEXT: Key = Key::Place(usize::MAX - 3);
const SEEN: Key = Key::Place(usize::MAX - 4);

/// What may stand around a value: nothing, or an application with a context around it.
#[derive(Clone)]
pub(super) struct Contexts {
    pub sort: SortId,
    pub nothing: SymbolId,
    /// By operator and argument that the value is: the other arguments, and the context of the whole.
    around: HashMap<(usize, usize), SymbolId>,
}

impl Lower<'_> {
    pub(super) fn contexts(&mut self) -> (SortId, SymbolId) {
        if let Some(known) = &self.space.contexts {
            return (known.sort, known.nothing);
        }
        let sort = self.out.signature.sorts.push(ir::Sort {
            name: "@context".into(),
            kind: SortKind::Data,
            span: None,
        });
        let nothing = self.symbol("@nothing", Vec::new(), sort, None);
        self.space.contexts = Some(Contexts { sort, nothing, around: HashMap::default() });
        (sort, nothing)
    }

    /// The context of an argument.
    fn around(&mut self, op: usize, at: usize) -> SymbolId {
        let (sort, _) = self.contexts();
        let known = self.space.contexts.as_ref().and_then(|contexts| contexts.around.get(&(op, at)));
        if let Some(&known) = known {
            return known;
        }
        let domain = self.space.signature.ops[op].domain.iter().enumerate();
        let others = domain.filter(|(other, _)| *other != at).map(|(_, &kind)| self.space.sorts[kind]);
        let args = others.chain([sort]).collect();
        let symbol = self.symbol("@around", args, sort, None);
        if let Some(contexts) = &mut self.space.contexts {
            contexts.around.insert((op, at), symbol);
        }
        symbol
    }

    /// The patterns of the arguments behind the value.
    pub(super) fn bind_reached(&mut self, cx: &mut Cx, reach: Reach, span: Span) -> [Pattern; 2] {
        let (context, set) = (self.contexts().0, self.sets(reach.root).sort);
        [(CONTEXT, context), (SEEN, set)].map(|(key, sort)| cx.bind(&key, sort, span))
    }

    /// That a step of a rule leads to a term that has not been reached.
    pub(super) fn is_new(
        &mut self,
        cx: &mut Cx,
        right: &Term,
        extended: Option<(usize, &[(Key, bool)])>,
        reach: Reach,
        span: Span,
    ) {
        let value = self.after_step(cx, right, extended, span);
        let [context, seen] = [CONTEXT, SEEN].map(|key| cx.value(cx.known[&key], span));
        let within = self.function(Make::Within(reach));
        let whole = self.app(within, vec![value, context], span);
        let pattern = cx.bind(&REACHED, whole.sort, span);
        cx.matches(whole, pattern);
        let includes = self.function(Make::Includes(reach.root));
        let reached = cx.value(cx.known[&REACHED], span);
        let known = self.app(includes, vec![reached, seen], span);
        cx.test(self.operation(Operator::Negate, vec![known], span));
    }

    /// The term that has been reached, as what the function for its kind gives.
    pub(super) fn reached(&mut self, cx: &Cx, reach: Reach, span: Span) -> Expr {
        let lists = self.lists(reach.root);
        self.app(lists.others, vec![cx.value(cx.known[&REACHED], span)], span)
    }

    pub(super) fn reach_rules(&mut self, symbol: SymbolId, reach: Reach) {
        self.at_root(symbol, reach.kind, Stepped::New(reach));
        for (op, at) in self.places_of_steps(reach.kind) {
            self.reach_below(symbol, op, at, reach);
        }
        let (context, set) = (self.contexts().0, self.sets(reach.root).sort);
        let none = self.lists(reach.root).no_others;
        self.none_else(symbol, &[self.space.sorts[reach.kind], context, set], none);
    }

    /// A step in an argument, or in one of equal ones.
    fn reach_below(&mut self, symbol: SymbolId, op: usize, at: Option<usize>, reach: Reach) {
        let declared = self.space.signature.ops[op].clone();
        let span = declared.span;
        let mut cx = Cx::default();
        let (pattern, value, others, place) = match at {
            Some(at) => {
                let vars: Vec<(VarId, Pattern)> =
                    declared.domain.iter().map(|&kind| cx.fresh(self.space.sorts[kind], span)).collect();
                let mut others: Vec<Expr> = vars.iter().map(|(var, _)| cx.value(*var, span)).collect();
                let value = others.remove(at);
                let patterns = vars.into_iter().map(|(_, pattern)| pattern).collect();
                (self.built(self.space.values[op], patterns, span), value, others, at)
            }
            None => {
                let Some(of) = self.counted(&mut cx, op, span) else { return };
                let others = self.one_less(op, &of, span);
                (of.pattern, of.element, vec![others], 0)
            }
        };
        let below = self.function(Make::Reach(Reach { kind: declared.domain[place], ..reach }));
        let [context_pattern, seen_pattern] = self.bind_reached(&mut cx, reach, span);
        let [context, seen] = [CONTEXT, SEEN].map(|key| cx.value(cx.known[&key], span));
        let around = self.around(op, place);
        let context = self.app(around, others.into_iter().chain([context]).collect(), span);
        let found = self.app(below, vec![value, context, seen], span);
        let lists = self.lists(reach.root);
        let (reached, reached_pattern) = cx.fresh(self.space.sorts[reach.root], span);
        cx.matches(found, self.built(lists.others, vec![reached_pattern], span));
        let body = self.app(lists.others, vec![cx.value(reached, span)], span);
        self.rule(symbol, cx, vec![pattern, context_pattern, seen_pattern], body, span);
    }

    /// A value with its context around it.
    pub(super) fn within(&mut self, symbol: SymbolId, reach: Reach) {
        let (span, sort) = (self.place(), self.space.sorts[reach.kind]);
        let (context_sort, nothing) = self.contexts();
        if reach.kind == reach.root {
            let mut cx = Cx::default();
            let (value, pattern) = cx.fresh(sort, span);
            let body = cx.value(value, span);
            let nothing = self.built(nothing, Vec::new(), span);
            self.rule(symbol, cx, vec![pattern, nothing], body, span);
        }
        for outer in 0..self.space.signature.kinds.len() {
            // One of equal arguments stands where the first one does.
            let places = self.places_of_steps(outer).into_iter().map(|(op, at)| (op, at.unwrap_or(0)));
            for (op, place) in places.collect::<BTreeSet<_>>() {
                let declared = self.space.signature.ops[op].clone();
                if declared.domain[place] != reach.kind {
                    continue;
                }
                let mut cx = Cx::default();
                let (value, pattern) = cx.fresh(sort, span);
                let (mut args, mut patterns) = (Vec::new(), Vec::new());
                for (other, &kind) in declared.domain.iter().enumerate() {
                    if other == place {
                        args.push(cx.value(value, span));
                        continue;
                    }
                    let (var, pattern) = cx.fresh(self.space.sorts[kind], span);
                    args.push(cx.value(var, span));
                    patterns.push(pattern);
                }
                let (context, context_pattern) = cx.fresh(context_sort, span);
                patterns.push(context_pattern);
                let further = self.function(Make::Within(Reach { kind: outer, ..reach }));
                let whole = self.app(self.space.calls[op], args, span);
                let body = self.app(further, vec![whole, cx.value(context, span)], span);
                let around = self.around(op, place);
                let around = self.built(around, patterns, span);
                self.rule(symbol, cx, vec![pattern, around], body, span);
            }
        }
    }
}
