//! `X = Y` over ground stores: binding, matching or comparison, by which variables are bound.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::op::Op;
use gchr_base::rule::GoalKind;
use gchr_base::source::Span;

use super::{Lowering, Scope};
use crate::ast::{Module, TermId, TermKind};

impl<'a> Lowering<'_> {
    /// `left = right`. Two compound terms are taken apart; parts that need a variable which another part binds wait
    /// for it.
    pub(super) fn unify(&mut self, scope: &mut Scope<'a>, left: TermId, right: TermId, span: Span) {
        let mut pending = vec![(left, right)];
        let mut waiting = Vec::new();
        let mut progress = true;
        while progress {
            progress = false;
            while let Some((left, right)) = pending.pop() {
                match step(scope, left, right) {
                    Step::Bind(name, var, value) => {
                        scope.bind_term(name, value);
                        if let Some(value) = self.term(scope, value) {
                            let var = scope.bind(name, scope.module.span(var));
                            scope.push(GoalKind::Bind { var, value }, span);
                        }
                    }
                    Step::Match(value, pattern) => {
                        if let Some(value) = self.term(scope, value) {
                            let pattern = self.pattern(scope, pattern, 0);
                            scope.push(GoalKind::Match { value, pattern }, span);
                        }
                    }
                    Step::Compare => {
                        if let (Some(l), Some(r)) = (self.term(scope, left), self.term(scope, right)) {
                            self.test(scope, Op::Same, vec![l, r], span);
                        }
                    }
                    Step::Clash => scope.push(GoalKind::Fail, span),
                    Step::Nothing => {}
                    Step::Parts(parts) => {
                        pending.extend(parts.into_iter().rev());
                        progress = true;
                        continue;
                    }
                    Step::Wait => {
                        waiting.push((left, right));
                        continue;
                    }
                }
                progress = true;
            }
            pending.extend(waiting.drain(..).rev());
            progress &= !pending.is_empty();
        }
        for (left, right) in pending {
            self.two_unbound(scope, left, right);
        }
    }

    fn two_unbound(&mut self, scope: &mut Scope<'a>, left: TermId, right: TermId) {
        let sides = [scope.first_unbound(left), scope.first_unbound(right)];
        let Some((name, place)) = sides.into_iter().flatten().next() else { return };
        let other = sides[1].filter(|&(n, _)| n != name).map_or(String::new(), |(n, _)| format!(" and {n}"));
        self.beyond(
            Diagnostic::error("C0403", format!("unification of unbound variables ({name}{other})"))
                .label(place, "has no value")
                .note("stores are ground: logical variables are not supported")
                .help(
                    "bind one side before; to share a value that is known later, let a constraint carry it",
                ),
        );
        // Both count as bound, so that one error does not lead to many.
        for (name, place) in sides.into_iter().flatten() {
            scope.bind(name, place);
        }
    }
}

enum Step<'a> {
    /// Binds the variable (name, place) to the value.
    Bind(&'a str, TermId, TermId),
    /// Takes the value apart by the pattern.
    Match(TermId, TermId),
    /// Both sides are bound.
    Compare,
    /// The two sides are never equal.
    Clash,
    /// The two sides are the same anonymous or unbound variable.
    Nothing,
    /// The arguments of both sides, in order.
    Parts(Vec<(TermId, TermId)>),
    /// Both sides have unbound variables.
    Wait,
}

fn step<'a>(scope: &Scope<'a>, left: TermId, right: TermId) -> Step<'a> {
    let unbound = |id| scope.first_unbound(id).is_some();
    let variable = |id| Lowering::is_variable(scope.module, id);
    match (unbound(left), unbound(right)) {
        (false, false) => return Step::Compare,
        (true, false) => {
            if let Some(name) = scope.unbound(left) {
                return Step::Bind(name, left, right);
            }
            // A bound term that is written out is taken apart here and now.
            if variable(right) {
                return Step::Match(right, left);
            }
        }
        (false, true) => {
            if let Some(name) = scope.unbound(right) {
                return Step::Bind(name, right, left);
            }
            if variable(left) {
                return Step::Match(left, right);
            }
        }
        (true, true) => {
            if scope.unbound(left).is_some() || scope.unbound(right).is_some() {
                let same = scope.unbound(left) == scope.unbound(right) && scope.unbound(left) != Some("_");
                return if same { Step::Nothing } else { Step::Wait };
            }
            if variable(left) || variable(right) {
                return Step::Wait;
            }
        }
    }
    parts(scope.module, left, right)
}

/// Takes two written-out terms apart.
fn parts<'a>(module: &Module, left: TermId, right: TermId) -> Step<'a> {
    let zip = |a: &[TermId], b: &[TermId]| a.iter().copied().zip(b.iter().copied()).collect::<Vec<_>>();
    match (module.kind(left), module.kind(right)) {
        (TermKind::Compound { name: f, args: a }, TermKind::Compound { name: g, args: b })
            if f == g && a.len() == b.len() =>
        {
            Step::Parts(zip(a, b))
        }
        (TermKind::List { items: a, tail: s }, TermKind::List { items: b, tail: t }) => match (s, t) {
            (Some(s), Some(t)) if a.len() == b.len() => {
                let mut pairs = zip(a, b);
                pairs.push((*s, *t));
                Step::Parts(pairs)
            }
            (None, None) if a.len() == b.len() => Step::Parts(zip(a, b)),
            // Only an open list can be equal to one with another number of written items.
            (Some(_), _) if a.len() <= b.len() => Step::Wait,
            (_, Some(_)) if b.len() <= a.len() => Step::Wait,
            _ => Step::Clash,
        },
        _ => Step::Clash,
    }
}
