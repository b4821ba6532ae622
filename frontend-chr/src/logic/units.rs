//! Tests of library(plunit): clauses of `test/1,2` between `begin_tests` and `end_tests` become facts that
//! `run_tests/0` goes through.

use std::sync::Arc;

use gchr_base::logic::{Clause, LogicNode};

use super::terms::Building;

/// The fact `'$test'(Unit, Name, Options, Body)` of a clause of a test; other clauses as they are.
pub(super) fn fact(building: &mut Building, unit: &Arc<str>, clause: Clause) -> Clause {
    let (name, options) = match building.terms.functor(clause.head) {
        Some(("test", &[name])) => (name, None),
        Some(("test", &[name, options])) => (name, Some(options)),
        _ => return clause,
    };
    let span = clause.span;
    let unit = building.atom(unit, span);
    let options = options.unwrap_or_else(|| building.terms.push(LogicNode::Nil, span));
    let head = building.compound("$test", &[unit, name, options, clause.body], span);
    let body = building.atom("true", span);
    Clause { head, body, ..clause }
}
