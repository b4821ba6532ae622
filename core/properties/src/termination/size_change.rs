//! Orders by parts of arguments: the subterm criterion, and size change.

use gchr_base::hash::{HashMap, HashSet};
use gchr_base::signature::SymbolId;

use super::graph::Graph;
use super::{Argument, Order};
use crate::system::System;
use crate::terms::TermId;
use crate::work::{Stop, Work};

/// Most ways around that are told apart.
const MOST_WAYS: usize = 3_000;
/// Most functions of a component for which arguments are chosen.
const MOST_FUNCTIONS: usize = 64;

/// What a way from a call to another one does to arguments: which argument of the first one becomes which of the last,
/// and whether a proper part of it does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Change {
    from: SymbolId,
    to: SymbolId,
    /// In order, each two arguments once.
    arcs: Vec<Arc>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Arc {
    from: usize,
    to: usize,
    strict: bool,
}

impl Change {
    fn arc(&self, from: usize, to: usize) -> Option<bool> {
        let at = self.arcs.binary_search_by_key(&(from, to), |arc| (arc.from, arc.to)).ok()?;
        Some(self.arcs[at].strict)
    }

    /// This one, and then the other.
    fn then(&self, next: &Change) -> Change {
        let mut joined: HashMap<(usize, usize), bool> = HashMap::default();
        for a in &self.arcs {
            for b in next.arcs.iter().filter(|b| b.from == a.to) {
                *joined.entry((a.from, b.to)).or_default() |= a.strict || b.strict;
            }
        }
        let mut arcs: Vec<Arc> =
            joined.into_iter().map(|((from, to), strict)| Arc { from, to, strict }).collect();
        arcs.sort_unstable();
        Change { from: self.from, to: next.to, arcs }
    }
}

/// What each of some pairs does to arguments, with the number of the pair.
pub(super) fn changes(
    system: &System<'_>,
    graph: &Graph,
    pairs: &[usize],
    work: &mut Work<'_>,
) -> Result<Vec<(usize, Change)>, Stop> {
    let mut changes = Vec::new();
    for &number in pairs {
        let pair = &graph.pairs[number];
        let mut arcs = Vec::new();
        for (from, &part) in system.terms.args(pair.left).iter().enumerate() {
            let below: HashSet<TermId> = system.terms.below(part).into_iter().collect();
            let to = system.terms.args(pair.right);
            work.spend(below.len() + to.len())?;
            let arcs_to = to.iter().enumerate().filter(|(_, term)| below.contains(*term));
            arcs.extend(arcs_to.map(|(to, term)| Arc { from, to, strict: *term != part }));
        }
        changes.push((number, Change { from: pair.from, to: pair.to, arcs }));
    }
    Ok(changes)
}

fn argument(system: &System<'_>, function: SymbolId, argument: usize) -> Argument {
    let function = system.program.signature.symbols[function].name.clone();
    Argument { function, argument: argument + 1 }
}

/// An argument of each function such that no pair makes it grow and some make it smaller; with these pairs.
pub(super) fn projection(
    system: &System<'_>,
    changes: &[(usize, Change)],
    work: &mut Work<'_>,
) -> Result<Option<(Order, Vec<usize>)>, Stop> {
    let mut functions: Vec<SymbolId> = Vec::new();
    for (_, change) in changes {
        for function in [change.from, change.to] {
            if functions.len() <= MOST_FUNCTIONS && !functions.contains(&function) {
                functions.push(function);
            }
        }
    }
    if functions.len() > MOST_FUNCTIONS {
        return Ok(None);
    }
    for (_, change) in changes {
        for arc in change.arcs.iter().filter(|arc| arc.strict) {
            let mut chosen = HashMap::default();
            chosen.insert(change.from, arc.from);
            if *chosen.entry(change.to).or_insert(arc.to) != arc.to {
                continue;
            }
            if choose(system, changes, &functions, &mut chosen, work)? {
                let strict =
                    |change: &Change| change.arc(chosen[&change.from], chosen[&change.to]) == Some(true);
                let pairs = changes.iter().filter(|(_, change)| strict(change)).map(|(pair, _)| *pair);
                let arguments = functions.iter().map(|&f| argument(system, f, chosen[&f])).collect();
                return Ok(Some((Order::Subterm(arguments), pairs.collect())));
            }
        }
    }
    Ok(None)
}

/// Chooses arguments of the functions that have none, so that no pair makes one grow.
fn choose(
    system: &System<'_>,
    changes: &[(usize, Change)],
    functions: &[SymbolId],
    chosen: &mut HashMap<SymbolId, usize>,
    work: &mut Work<'_>,
) -> Result<bool, Stop> {
    work.spend(changes.len())?;
    let fits = |change: &Change| match (chosen.get(&change.from), chosen.get(&change.to)) {
        (Some(&from), Some(&to)) => change.arc(from, to).is_some(),
        _ => true,
    };
    if !changes.iter().all(|(_, change)| fits(change)) {
        return Ok(false);
    }
    let Some(&function) = functions.iter().find(|function| !chosen.contains_key(*function)) else {
        return Ok(true);
    };
    for at in 0..system.program.signature.arity(function) {
        chosen.insert(function, at);
        if choose(system, changes, functions, chosen, work)? {
            return Ok(true);
        }
    }
    chosen.remove(&function);
    Ok(false)
}

/// Whether each way around a function makes an argument smaller: all ways are composed, and each that is its own square
/// must have an argument that becomes a proper part of itself.
pub(super) fn closure(
    system: &System<'_>,
    changes: &[(usize, Change)],
    work: &mut Work<'_>,
) -> Result<Option<Order>, Stop> {
    let mut by_function: HashMap<SymbolId, Vec<&Change>> = HashMap::default();
    let mut seen: HashSet<Change> = HashSet::default();
    let mut ways: Vec<Change> = Vec::new();
    for (_, change) in changes {
        if seen.insert(change.clone()) {
            by_function.entry(change.from).or_default().push(change);
            ways.push(change.clone());
        }
    }
    let mut loops: Vec<Vec<Argument>> = Vec::new();
    let mut next = 0;
    while let Some(way) = ways.get(next).cloned() {
        next += 1;
        work.spend(1 + way.arcs.len() * way.arcs.len())?;
        if way.from == way.to && way.then(&way) == way {
            let smaller = way.arcs.iter().filter(|arc| arc.strict && arc.from == arc.to);
            let smaller: Vec<_> = smaller.map(|arc| argument(system, way.from, arc.from)).collect();
            if smaller.is_empty() {
                return Ok(None);
            }
            if !loops.contains(&smaller) {
                loops.push(smaller);
            }
        }
        for step in by_function.get(&way.to).into_iter().flatten() {
            work.spend(1 + way.arcs.len() * step.arcs.len())?;
            let longer = way.then(step);
            if seen.insert(longer.clone()) {
                if ways.len() == MOST_WAYS {
                    return Err(Stop::Exhausted);
                }
                ways.push(longer);
            }
        }
    }
    loops.sort();
    Ok(Some(Order::SizeChange { ways: ways.len(), loops }))
}
