//! Predicates that must succeed once (`:- det(p/1)`), and what must do so behind `$/0` in a clause: a failure, or
//! choice points that are left, are errors.

use gchr_base::hash::{HashMap, HashSet};
use gchr_base::logic::{Clause, Functor, LogicNode, LogicTermId};
use gchr_base::source::Span;

use super::terms::{Building, Scope};
use crate::ast::{Module, TermId};
use crate::directives::predicates;

/// A predicate that must succeed once.
#[derive(Debug)]
pub(super) struct Deterministic {
    functor: Functor,
    span: Span,
}

/// The predicates of a directive.
pub(super) fn declared(module: &Module, id: TermId, found: &mut Vec<Deterministic>) {
    let (mut named, span) = (Vec::new(), module.span(id));
    predicates(module, id, &mut named);
    found.extend(named.into_iter().map(|functor| Deterministic { functor, span }));
}

/// Renames the clauses of these predicates, and adds one clause for each that calls them and looks how they end. Those
/// without clauses, or whose clauses come and go, stay as they are.
pub(super) fn rename(
    building: &mut Building,
    clauses: &mut Vec<Clause>,
    all: &[Deterministic],
    dynamic: &[Functor],
) {
    let inner = |name: &str| format!("{name} det");
    let mut wanted: HashMap<&str, Vec<usize>> = HashMap::default();
    for (i, one) in all.iter().enumerate().filter(|(_, one)| !dynamic.contains(&one.functor)) {
        wanted.entry(&one.functor.name).or_default().push(i);
    }
    let mut defined = HashSet::default();
    for clause in clauses.iter_mut() {
        let Some((name, args)) = building.terms.functor(clause.head) else { continue };
        let of_name = wanted.get(name).map_or(&[][..], Vec::as_slice);
        let Some(&one) = of_name.iter().find(|&&i| all[i].functor.arity == args.len()) else { continue };
        let args = args.to_vec();
        clause.head = building.call(&inner(&all[one].functor.name), &args, clause.span);
        defined.insert(one);
    }
    for (i, one) in all.iter().enumerate() {
        if !defined.contains(&i) {
            continue;
        }
        let (span, mut scope) = (one.span, Scope::default());
        let args = building.fresh_args(one.functor.arity, &mut scope, span);
        let head = building.call(&one.functor.name, &args, span);
        let goal = building.call(&inner(&one.functor.name), &args, span);
        let body = checked(building, goal, &one.functor, "property", &mut scope, span);
        clauses.push(Clause { head, body, variables: scope.variables, span });
    }
}

/// A goal of a predicate that must succeed without choice points: `( '$choices'(C), Goal, '$no_choices'(C, P, Why) ->
/// true ; '$no_solution'(P, Why) )`.
pub(super) fn checked(
    building: &mut Building,
    goal: LogicTermId,
    of: &Functor,
    why: &str,
    scope: &mut Scope<'_>,
    span: Span,
) -> LogicTermId {
    let name = building.atom(&of.name, span);
    let arity = building.terms.push(LogicNode::Int(of.arity as i64), span);
    let indicator = building.compound("/", &[name, arity], span);
    let why = building.atom(why, span);
    let choices = building.fresh(scope, span);
    let before = building.compound("$choices", &[choices], span);
    let after = building.compound("$no_choices", &[choices, indicator, why], span);
    let condition = building.joined(",", &[before, goal, after], span);
    let holds = building.atom("true", span);
    let then = building.compound("->", &[condition, holds], span);
    let other = building.compound("$no_solution", &[indicator, why], span);
    building.compound(";", &[then, other], span)
}
