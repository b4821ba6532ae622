//! Predicates that wait for their arguments (`:- block p(-, ?)`, as in SICStus): a clause before theirs puts a call
//! aside.

use gchr_base::logic::Clause;
use gchr_base::source::Span;

use super::goals::Goals;
use super::terms::{Building, Scope};
use crate::ast::{TermId, without_module};

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
    let args = building.fresh_args(block.arity, &mut scope, span);
    let head = building.compound(&block.name, &args, span);
    let waiting: Vec<_> = block.waiting.iter().map(|&i| args[i]).collect();
    let mut goals: Vec<_> = waiting.iter().map(|&arg| building.compound("var", &[arg], span)).collect();
    let waiting = building.list(&waiting, span);
    goals.push(building.atom("!", span));
    goals.push(building.compound("$block", &[waiting, head], span));
    let body = building.joined(",", &goals, span);
    Clause { head, body, variables: scope.variables, span }
}
