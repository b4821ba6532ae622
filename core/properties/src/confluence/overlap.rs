//! Overlaps of left-hand sides, and the critical pairs that they give.

use crate::rewrite::Move;
use crate::system::System;
use crate::terms::{Node, TermId, path_of};
use crate::work::{Stop, Work};

/// Most overlaps that are looked at.
const MOST: usize = 2_000;

/// A term that two rules rewrite at overlapping places, in two ways.
pub(super) struct CriticalPair {
    pub peak: TermId,
    /// The step at the root.
    pub outer: Move,
    /// The step at or below it.
    pub inner: Move,
}

/// Adds all critical pairs: of each rule with each one at or below its root; at the root each two rules once.
pub(super) fn find(
    system: &mut System<'_>,
    found: &mut Vec<CriticalPair>,
    work: &mut Work<'_>,
) -> Result<(), Stop> {
    let suffix = suffix(system);
    let renamed: Vec<(TermId, TermId)> =
        (0..system.rules.len()).map(|rule| system.renamed(rule, &suffix)).collect();
    for outer in 0..system.rules.len() {
        let (left, right) = (system.rules[outer].left, system.rules[outer].right);
        work.spend(system.terms.size(left))?;
        let places = system.terms.places(left);
        for (number, place) in places.iter().enumerate() {
            let &Node::App(symbol, _) = system.terms.node(place.term) else { continue };
            let rules = system.by_symbol.get(&symbol).cloned().unwrap_or_default();
            for inner in rules.into_iter().filter(|&inner| number > 0 || inner > outer) {
                let (other_left, other_right) = renamed[inner];
                work.spend(1)?;
                let Some(by) = system.terms.unify(place.term, other_left, work)? else { continue };
                if found.len() == MOST {
                    return Err(Stop::Exhausted);
                }
                let path = path_of(&places, number);
                let terms = &mut system.terms;
                work.spend(terms.size(left) + terms.size(right) + terms.size(other_right))?;
                let peak = terms.substitute(left, &by);
                let outer_end = terms.substitute(right, &by);
                let inner_end = terms.substitute(other_right, &by);
                let inner_end = terms.replace(peak, &path, inner_end);
                found.push(CriticalPair {
                    peak,
                    outer: Move { rule: outer, path: Vec::new(), result: outer_end },
                    inner: Move { rule: inner, path, result: inner_end },
                });
            }
        }
    }
    Ok(())
}

/// What no variable of the rules ends with.
fn suffix(system: &System<'_>) -> String {
    let marks = |name: &str| name.len() - name.trim_end_matches('\'').len();
    "'".repeat(1 + system.terms.names().map(marks).max().unwrap_or(0))
}
