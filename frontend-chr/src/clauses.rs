//! Clauses of Prolog: what they define.

use crate::ast::{Module, TermId};
use crate::operators::without_module;

/// Name and number of arguments of the predicate that a clause, or a rule of a grammar, belongs to.
pub(crate) fn defined(module: &Module, clause: TermId) -> Option<(String, usize)> {
    let (head, more) = match module.functor(clause)? {
        (":-", &[head, _]) => (head, 0),
        // A head of a rule that commits may have a guard, a head of a grammar a list that is put back.
        ("=>", &[head, _]) => (module.binary(head, ",").map_or(head, |(head, _)| head), 0),
        ("-->", &[head, _]) => (module.binary(head, ",").map_or(head, |(head, _)| head), 2),
        _ => (clause, 0),
    };
    let (name, args) = module.functor(without_module(module, head))?;
    Some((name.to_string(), args.len() + more))
}
