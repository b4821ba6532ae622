//! Predicates that wait for their arguments (`:- block p(-, ?)`, as in SICStus): a clause before theirs puts a call aside.

use gchr_base::logic::{CONS, Clause, LogicNode};
use gchr_base::source::Span;

use super::goals::Goals;
use super::terms::{Building, Scope};
use crate::ast::TermId;
use crate::operators::without_module;

/// A pattern of arguments: a call whose arguments at all these places are variables waits.
#[derive(Debug)]
pub(super) struct Block {
    name: Box<str>,
    arity: usize,
    /// The arguments that are `-`, from 0.
    waiting: Vec<usize>,
    span: Span,
}

/// The patterns of a directive.
pub(super) fn declared(goals: &Goals<'_>, id: TermId, found: &mut Vec<Block>) {
    let module = goals.module;
    for spec in module.members(id, ",") {
        let spec = without_module(module, spec);
        let Some((name, args)) = module.functor(spec) else { continue };
        let waits = |&i: &usize| matches!(module.functor(args[i]), Some(("-", [])));
        let waiting = (0..args.len()).filter(waits).collect();
        found.push(Block { name: name.into(), arity: args.len(), waiting, span: module.span(spec) });
    }
}

/// Puts `p(X, Y) :- var(X), !, '$block'([X], p(X, Y))` before the clauses of each predicate, one for each pattern.
pub(super) fn guard(building: &mut Building, clauses: &mut Vec<Clause>, blocks: &[Block]) {
    let guards: Vec<Clause> = blocks.iter().map(|block| clause(building, block)).collect();
    clauses.splice(0..0, guards);
}

fn clause(building: &mut Building, block: &Block) -> Clause {
    let (span, mut scope) = (block.span, Scope::default());
    let args: Vec<_> =
        (0..block.arity).map(|_| building.terms.push(LogicNode::Var(scope.fresh()), span)).collect();
    let head = building.compound(&block.name, &args, span);
    let nil = building.atom("[]", span);
    let waiting = block.waiting.iter().map(|&i| args[i]);
    let list = waiting.clone().rev().fold(nil, |rest, arg| building.compound(CONS, &[arg, rest], span));
    let cut = building.atom("!", span);
    let suspend = building.compound("$block", &[list, head], span);
    let then = building.compound(",", &[cut, suspend], span);
    let body = waiting.rev().fold(then, |rest, arg| {
        let test = building.compound("var", &[arg], span);
        building.compound(",", &[test, rest], span)
    });
    Clause { head, body, variables: scope.variables, span }
}
