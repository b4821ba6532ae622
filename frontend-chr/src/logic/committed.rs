//! Clauses by single-sided unification, `Head, Guard => Body`: the head matches without binding anything outside, and
//! what matches commits. A call that no clause of such a predicate matches is an error.

use gchr_base::logic::{Clause, Functor, LogicNode, LogicTermId, Terms};
use gchr_base::source::Span;

use super::goals::Goals;
use super::terms::{Building, Scope};
use crate::ast::{TermId, TermKind, without_module};

/// Head and body of such a clause as one of Prolog.
pub(super) fn clause<'a>(
    goals: &mut Goals<'a>,
    head: TermId,
    body: TermId,
    scope: &mut Scope<'a>,
) -> (LogicTermId, LogicTermId) {
    let module = goals.module;
    let span = module.span(head);
    let (head, guard) = module.binary(head, ",").map_or((head, None), |(head, guard)| (head, Some(guard)));
    let head = without_module(module, head);
    let pattern = goals.term(head, scope);
    let (name, arity) =
        goals.building.terms.functor(pattern).map_or((String::new(), 0), |(n, a)| (n.into(), a.len()));
    let args = goals.building.fresh_args(arity, scope, span);
    let cut = goals.building.atom("!", span);
    let mut all = Vec::new();
    let general = match args.is_empty() {
        true => pattern,
        false => {
            let general = goals.building.compound(&name, &args, span);
            all.extend(matched(&mut goals.building, pattern, general, span));
            general
        }
    };
    let mut rest = guard.map_or_else(Vec::new, |guard| module.members(guard, ",")).into_iter().peekable();
    // Unifications of arguments that the guard begins with are a part of the head.
    while let Some(&goal) = rest.peek() {
        let is_true = matches!(module.kind(goal), TermKind::Atom(name) if name == "true");
        match (is_true, of_argument(goals, head, goal)) {
            (true, _) => {}
            (false, Some((argument, value))) => {
                let (argument, value) = (goals.term(argument, scope), goals.term(value, scope));
                all.extend(matched(&mut goals.building, value, argument, span));
            }
            (false, None) => break,
        }
        rest.next();
    }
    all.extend(rest.map(|goal| goals.goal(goal, scope, 0)).collect::<Vec<_>>());
    all.extend([cut, goals.goal(body, scope, 0)]);
    (general, goals.joined(",", &all, span))
}

/// A unification of an argument of the head that is a variable with a term that is none.
fn of_argument(goals: &Goals<'_>, head: TermId, goal: TermId) -> Option<(TermId, TermId)> {
    let module = goals.module;
    let (a, b) = module.binary(goal, "=")?;
    let args = module.functor(head)?.1;
    let is_variable = |id| matches!(module.kind(id), TermKind::Var(_));
    let is_argument = |id| is_variable(id) && args.iter().any(|&arg| module.kind(arg) == module.kind(id));
    match () {
        () if is_argument(a) && !is_variable(b) => Some((a, b)),
        () if is_argument(b) && !is_variable(a) => Some((b, a)),
        () => None,
    }
}

/// Goals by which a pattern matches a term.
fn matched(building: &mut Building, pattern: LogicTermId, term: LogicTermId, span: Span) -> [LogicTermId; 2] {
    ["subsumes_term", "="].map(|name| building.compound(name, &[pattern, term], span))
}

/// The predicates with such clauses.
#[derive(Default)]
pub(super) struct Committed(Vec<Functor>);

impl Committed {
    /// Takes the predicate of a clause.
    pub fn note(&mut self, terms: &Terms, clause: &Clause) {
        let Some((name, args)) = terms.functor(clause.head) else { return };
        if !self.0.iter().any(|known| &*known.name == name && known.arity == args.len()) {
            self.0.push(Functor { name: name.into(), arity: args.len() });
        }
    }

    /// Gives each of them a last clause, for calls that no other one matches.
    pub fn finish(&self, building: &mut Building, clauses: &mut Vec<Clause>) {
        for Functor { name, arity } in &self.0 {
            let is_own = |clause: &&Clause| {
                let functor = building.terms.functor(clause.head);
                functor.is_some_and(|(own, args)| own == &**name && args.len() == *arity)
            };
            let Some(span) = clauses.iter().rfind(is_own).map(|clause| clause.span) else { continue };
            let mut scope = Scope::default();
            let args = building.fresh_args(*arity, &mut scope, span);
            let head = match args.is_empty() {
                true => building.terms.push(LogicNode::Atom(name.clone()), span),
                false => building.compound(name, &args, span),
            };
            let body = building.compound("$no_matching_rule", &[head], span);
            clauses.push(Clause { head, body, variables: scope.variables, span });
        }
    }
}
