//! Equations for associative and commutative operators on two arguments that are normal forms: what an equation matches
//! has arguments of both, as each alone has nothing that it matches. So where one argument is added to many, all pairs
//! with it are tried, and not all pairs.

use super::equations::Gives;
use super::pattern::Matching;
use super::step::{Step, Unmatched, Width};
use super::*;

/// How an equation matches arguments of two values.
struct Apart<'t> {
    /// Patterns for one argument each.
    ones: Vec<&'t Term>,
    /// A variable for all others, if there is one.
    others: Option<&'t Term>,
}

/// What is left of either value.
const LEFT: [Key; 2] = [Key::Place(usize::MAX - 2), Key::Place(usize::MAX - 3)];

impl Lower<'_> {
    /// Finds the operators that have equations which are tried on arguments of two values.
    pub(super) fn find_apart(&mut self, rules: &[&Rule]) {
        for rule in rules {
            let TermKind::App(key, _) = &rule.left.kind else { continue };
            let op = self.op(key);
            if self.apart(op, rule).is_some() && self.space.apart.insert(op) {
                self.beside_identities(self.space.calls[op], op);
            }
        }
    }

    /// An equation can be tried so where nothing but what it matches decides whether it holds: then a normal form
    /// has no arguments that it matches, whatever there is beside them.
    fn apart<'t>(&self, op: usize, rule: &'t Rule) -> Option<Apart<'t>> {
        const MOST: usize = 3;
        let properties = &self.space.signature.ops[op].properties;
        let in_order = self.out.host.in_order || rule.otherwise;
        if !properties.assoc || !properties.comm || properties.special.is_some() || in_order {
            return None;
        }
        let elements = self.space.elements(op, &rule.left);
        let is_one =
            |term: &&Term| self.space.width(op, term) == Width::One && !self.space.may_be_identity(op, term);
        let (ones, others): (Vec<&Term>, Vec<&Term>) = elements.iter().partition(|term| is_one(term));
        let takes_rest = others.is_empty() || others.len() == 1 && self.extensions(op, rule).is_empty();
        let may_go = others.iter().all(|term| self.space.may_be_identity(op, term));
        let fits = match ones.len() {
            0 => false,
            1 => others.len() == 1,
            count => count <= MOST && may_go,
        };
        (takes_rest && fits).then(|| Apart { ones, others: others.first().copied() })
    }

    /// Rules for two values by an equation that can be tried so.
    pub(super) fn tried_apart(&mut self, op: usize, rule: &Rule, right: &Term) -> Result<bool, Unmatched> {
        let Some(Apart { ones, others }) = self.apart(op, rule) else { return Ok(false) };
        let (symbol, span) = (self.space.calls[op], rule.span);
        if let ([one], Some(others)) = (ones.as_slice(), others) {
            // A value that has others beside what is matched would be no normal form.
            for args in [[*one, others], [others, *one]] {
                self.free(symbol, &args, &rule.conditions, Gives::Term(right), span)?;
            }
            return Ok(true);
        }
        let made = others.and_then(|term| match &term.kind {
            TermKind::Var(name, of) => Some(Key::Named(name.clone(), of.clone())),
            _ => None,
        });
        for first in 1..(1usize << ones.len()) - 1 {
            let part = |of_first: bool| {
                let chosen = (0..ones.len()).filter(|at| (first >> at & 1 == 1) == of_first);
                together(&rule.left, chosen.map(|at| ones[at]))
            };
            let Some(parts) = part(true).zip(part(false)) else { continue };
            let mut cx = Cx::default();
            let mut patterns = Vec::new();
            let mut steps = Vec::new();
            for (term, left) in [&parts.0, &parts.1].into_iter().zip(LEFT) {
                let subject = self.new_place();
                let sort = self.space.sorts[self.space.signature.ops[op].range];
                patterns.push(cx.bind(&subject, sort, span));
                steps.push(Step::Axioms { op, subject, term, rests: vec![(left, false)] });
            }
            let matching = Matching::new(cx);
            let gives = Gives::Apart(right, op, &LEFT, made.as_ref());
            self.complete(symbol, matching, patterns, steps, &rule.conditions, gives, span)?;
        }
        Ok(true)
    }

    /// The same equation on all arguments, where others need that.
    pub(super) fn also_together(&mut self, rule: &Rule) {
        let (TermKind::App(key, _), Some(right)) = (&rule.left.kind, &rule.right) else { return };
        let op = self.op(key);
        // Arguments that have come together have no pairs.
        let is_other = self.apart(op, rule).is_some() && self.of_pairs(op, rule).is_none();
        if !self.space.defined.contains(&op) || !is_other {
            return;
        }
        let symbol = self.function(Make::Top(op));
        // What matches nothing has been said.
        let _ = self.flattened(symbol, op, rule, right, None);
    }

    /// The symbol for arguments that may match some equation without those that they come to.
    pub(super) fn together_symbol(&mut self, op: usize) -> SymbolId {
        match self.space.apart.contains(&op) && self.space.defined.contains(&op) {
            true => self.function(Make::Together(op)),
            false => self.space.calls[op],
        }
    }

    /// Has all equations tried on all arguments of an operator at the root of an expression.
    pub(super) fn bring_together(&mut self, op: usize, expr: &mut Expr) {
        let (call, together) = (self.space.calls[op], self.together_symbol(op));
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            if let ExprKind::App { symbol, args } = &mut expr.kind
                && *symbol == call
            {
                *symbol = together;
                todo.extend(args.iter_mut());
            }
        }
    }

    /// What is left of two values, beside another one.
    pub(super) fn beside_rests(
        &mut self,
        cx: &Cx,
        mut body: Expr,
        op: usize,
        rests: &[Key; 2],
        span: Span,
    ) -> Expr {
        let beside = self.function(Make::Beside(op));
        for key in rests {
            body = self.app(beside, vec![cx.value(cx.known[key], span), body], span);
        }
        body
    }

    /// What is left of two values as the value of a variable.
    pub(super) fn join_rests(&mut self, cx: &mut Cx, op: usize, rests: &[Key; 2], key: &Key, span: Span) {
        let Some(identity) = self.identity(op) else { return };
        let value = self.beside_rests(cx, identity, op, rests, span);
        let pattern = cx.bind(key, value.sort, span);
        cx.matches(value, pattern);
    }

    /// An operator on a value and what is left of a normal form.
    pub(super) fn beside(&mut self, symbol: SymbolId, op: usize) {
        let (span, kind) = (self.space.signature.ops[op].span, self.space.signature.ops[op].range);
        let (lists, sort) = (self.lists(kind), self.space.sorts[kind]);
        for is_left in [false, true] {
            let mut cx = Cx::default();
            let (value, pattern) = cx.fresh(sort, span);
            let mut body = cx.value(value, span);
            let mut left = self.built(lists.no_others, Vec::new(), span);
            if is_left {
                let (others, others_pattern) = cx.fresh(sort, span);
                left = self.built(lists.others, vec![others_pattern], span);
                body = self.app(self.space.calls[op], vec![body, cx.value(others, span)], span);
            }
            self.rule(symbol, cx, vec![left, pattern], body, span);
        }
    }
}

/// Some arguments of an application as one.
fn together<'t>(application: &Term, args: impl DoubleEndedIterator<Item = &'t Term>) -> Option<Term> {
    args.cloned().rev().reduce(|behind, first| {
        let TermKind::App(key, _) = &application.kind else { return first };
        Term { kind: TermKind::App(key.clone(), vec![first, behind]), ..application.clone() }
    })
}
