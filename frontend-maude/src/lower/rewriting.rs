//! Rules of system modules: a normal form is rewritten one step after the other, each at the first place from the root
//! on, and reduced again.

use gchr_base::rule::{GroundNode, GroundTerm};

use super::equations::Gives;
use super::step::Stepped;
use super::*;

impl Lower<'_> {
    /// A term that is reduced and then rewritten.
    pub fn rewritten(&mut self, mut term: GroundTerm, most: Option<u32>) -> GroundTerm {
        let Some(kind) = self.space.sorts.iter().position(|&sort| sort == term.sort) else { return term };
        let symbol = self.function(Make::Rewrite(kind));
        let most = most.map_or(-1, i64::from);
        term.nodes.extend([GroundNode::Const(Const::Int(most)), GroundNode::App(symbol)]);
        term
    }

    pub(super) fn rewrite_rules(&mut self, symbol: SymbolId, kind: usize) {
        let (span, sort, lists) = (self.place(), self.space.sorts[kind], self.lists(kind));
        let step = self.function(Make::Step(kind));
        let mut cx = Cx::default();
        let (value, pattern) = cx.fresh(sort, span);
        let (count, count_pattern) = cx.fresh(self.out.int, span);
        let [value, count] = [value, count].map(|var| cx.value(var, span));
        cx.test(self.operation(Operator::Ne, vec![count.clone(), self.integer(0, span)], span));
        let (next, next_pattern) = cx.fresh(sort, span);
        let step = self.app(step, vec![value], span);
        cx.matches(step, self.built(lists.others, vec![next_pattern], span));
        let count = self.operation(Operator::Sub, vec![count, self.integer(1, span)], span);
        let body = self.app(symbol, vec![cx.value(next, span), count], span);
        self.rule(symbol, cx, vec![pattern, count_pattern], body, span);
        let mut cx = Cx::default();
        let (value, pattern) = cx.fresh(sort, span);
        let (_, count_pattern) = cx.fresh(self.out.int, span);
        let body = cx.value(value, span);
        self.rule(symbol, cx, vec![pattern, count_pattern], body, span);
    }

    /// By rules at the root, then below, from left to right.
    pub(super) fn step_rules(&mut self, symbol: SymbolId, kind: usize) {
        let lists = self.lists(kind);
        self.at_root(symbol, kind, Stepped::First(lists.others));
        for (op, at) in self.places_of_steps(kind) {
            match at {
                Some(at) => self.step_below(symbol, op, at),
                None => self.step_in_one(symbol, op),
            }
        }
        self.none_else(symbol, &[self.space.sorts[kind]], lists.no_others);
    }

    /// The rules of a system module for terms of a kind.
    pub(super) fn at_root(&mut self, symbol: SymbolId, kind: usize, stepped: Stepped) {
        for rule in self.space.rules.clone().iter() {
            if rule.kind != EquationKind::Rule
                || crate::modules::kind_of(&self.space.signature, &rule.left) != Some(kind)
                || !self.has_values(rule)
            {
                continue;
            }
            self.step_by(symbol, rule, stepped);
            if let Some(collapsed) = self.collapsed(rule) {
                self.step_by(symbol, &collapsed, stepped);
            }
        }
    }

    /// The arguments of operators of a kind that rules may apply to or below; none: one of equal arguments.
    pub(super) fn places_of_steps(&self, kind: usize) -> Vec<(usize, Option<usize>)> {
        let reached = self.rewritten_kinds();
        let mut found = Vec::new();
        for (op, declared) in self.space.signature.ops.iter().enumerate() {
            if declared.range != kind || declared.properties.special.as_deref() == Some("zero") {
                continue;
            }
            let is_free = |at: usize| !declared.properties.frozen.contains(&(at as u32 + 1));
            let below =
                declared.domain.iter().enumerate().filter(|&(at, &inner)| reached[inner] && is_free(at));
            found.extend(below.map(|(at, _)| (op, Some(at))));
            if reached[kind] && (is_free(0) || is_free(1)) && self.space.counted.contains_key(&op) {
                found.push((op, None));
            }
        }
        found
    }

    fn step_by(&mut self, symbol: SymbolId, rule: &Rule, stepped: Stepped) {
        let Some(right) = &rule.right else { return };
        let op = match &rule.left.kind {
            TermKind::App(key, args) if !args.is_empty() => Some(self.op(key)),
            _ => None,
        };
        let made = match op.filter(|&op| has_axioms(&self.space.signature.ops[op])) {
            Some(op) => self.flattened(symbol, op, rule, right, Some(stepped)),
            None => {
                let gives = Gives::Step(right, None, stepped);
                self.free(symbol, &[&rule.left], &rule.conditions, gives, rule.span)
            }
        };
        if let Err(found) = made {
            self.left_out(found);
        }
    }

    /// A step in an argument.
    fn step_below(&mut self, symbol: SymbolId, op: usize, at: usize) {
        let declared = self.space.signature.ops[op].clone();
        let (span, inner) = (declared.span, declared.domain[at]);
        let (lists, below) = (self.lists(declared.range), self.lists(inner));
        let step = self.function(Make::Step(inner));
        let mut cx = Cx::default();
        let vars: Vec<(VarId, Pattern)> =
            declared.domain.iter().map(|&kind| cx.fresh(self.space.sorts[kind], span)).collect();
        let mut values: Vec<Expr> = vars.iter().map(|(var, _)| cx.value(*var, span)).collect();
        let patterns = vars.into_iter().map(|(_, pattern)| pattern).collect();
        let (next, next_pattern) = cx.fresh(self.space.sorts[inner], span);
        let value = self.app(step, vec![values[at].clone()], span);
        cx.matches(value, self.built(below.others, vec![next_pattern], span));
        values[at] = cx.value(next, span);
        let whole = self.app(self.space.calls[op], values, span);
        let body = self.app(lists.others, vec![whole], span);
        let pattern = self.built(self.space.values[op], patterns, span);
        self.rule(symbol, cx, vec![pattern], body, span);
    }

    /// A step in one of equal arguments.
    fn step_in_one(&mut self, symbol: SymbolId, op: usize) {
        let (span, kind) = (self.space.signature.ops[op].span, self.space.signature.ops[op].range);
        let (sort, lists) = (self.space.sorts[kind], self.lists(kind));
        let mut cx = Cx::default();
        let Some(of) = self.counted(&mut cx, op, span) else { return };
        let (next, next_pattern) = cx.fresh(sort, span);
        let value = self.app(symbol, vec![of.element.clone()], span);
        cx.matches(value, self.built(lists.others, vec![next_pattern], span));
        let others = self.one_less(op, &of, span);
        let whole = self.app(self.space.calls[op], vec![cx.value(next, span), others], span);
        let body = self.app(lists.others, vec![whole], span);
        self.rule(symbol, cx, vec![of.pattern], body, span);
    }

    /// By kind, whether a rule may apply to a term of it or below.
    fn rewritten_kinds(&self) -> Vec<bool> {
        let signature = &self.space.signature;
        let mut reached = vec![false; signature.kinds.len()];
        for rule in self.space.rules.iter().filter(|rule| rule.kind == EquationKind::Rule) {
            if let Some(kind) = crate::modules::kind_of(signature, &rule.left) {
                reached[kind] = true;
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for op in &signature.ops {
                if !reached[op.range] && op.domain.iter().any(|&kind| reached[kind]) {
                    (reached[op.range], changed) = (true, true);
                }
            }
        }
        reached
    }
}
