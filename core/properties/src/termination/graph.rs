//! Dependency pairs, which of them may follow each other, and the components of that graph.

use gchr_base::graph::{self, Component};
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::signature::SymbolId;

use crate::system::System;
use crate::terms::{Node, TermId};
use crate::work::{Stop, Work};

/// More pairs are not looked at.
const MOST: usize = 20_000;
/// With more neighbours than that, pairs follow each other wherever the functions are the same.
const MOST_EDGES: usize = 200_000;

/// A call that matches a rule, and one that this rule makes.
pub(super) struct Pair {
    /// The rule, by its number in the system.
    pub rule: usize,
    /// The left-hand side.
    pub left: TermId,
    /// The call.
    pub right: TermId,
    /// The function at the root of the one.
    pub from: SymbolId,
    /// The function at the root of the other.
    pub to: SymbolId,
}

/// The estimated dependency graph.
pub(super) struct Graph {
    pub pairs: Vec<Pair>,
    /// By pair, those that may follow it.
    next: Vec<Vec<usize>>,
}

impl Graph {
    /// The pairs of a system.
    pub fn new(system: &System<'_>, work: &mut Work<'_>) -> Result<Self, Stop> {
        let mut pairs = Vec::new();
        for (number, rule) in system.rules.iter().enumerate() {
            work.spend(system.terms.size(rule.left))?;
            // A part of a left-hand side is a normal form, or ends by itself: no way goes on from it.
            let parts: HashSet<TermId> = system.terms.below(rule.left).into_iter().collect();
            for &right in rule.calls.iter().filter(|call| **call == rule.left || !parts.contains(*call)) {
                let Some(to) = system.terms.root(right) else { continue };
                if pairs.len() == MOST {
                    return Err(Stop::Exhausted);
                }
                pairs.push(Pair { rule: number, left: rule.left, right, from: rule.symbol, to });
            }
        }
        let mut by_function: HashMap<SymbolId, Vec<usize>> = HashMap::default();
        for (number, pair) in pairs.iter().enumerate() {
            by_function.entry(pair.from).or_default().push(number);
        }
        let following = |pair: &Pair| by_function.get(&pair.to).map_or(&[][..], Vec::as_slice);
        let edges: usize = pairs.iter().map(|pair| following(pair).len()).sum();
        let mut next = Vec::with_capacity(pairs.len());
        if edges > 100 * MOST_EDGES {
            return Err(Stop::Exhausted);
        }
        for pair in &pairs {
            let mut found = Vec::new();
            for &other in following(pair) {
                work.spend(1)?;
                if edges > MOST_EDGES || may_follow(system, pair.right, pairs[other].left, work)? {
                    found.push(other);
                }
            }
            next.push(found);
        }
        Ok(Self { pairs, next })
    }

    /// The components of some pairs, in which each pair may be followed by itself in the end.
    pub fn components(&self, pairs: &[usize]) -> Vec<Vec<usize>> {
        let place: HashMap<usize, usize> = pairs.iter().copied().zip(0..).collect();
        let following =
            |pair: &usize| self.next[*pair].iter().filter_map(|next| place.get(next).copied()).collect();
        let next: Vec<Vec<usize>> = pairs.iter().map(following).collect();
        let found = graph::components(pairs.len(), |pair, k| next[pair].get(k).copied());
        let of_pairs = |component: Component| {
            let mut own: Vec<usize> = component.nodes.into_iter().map(|at| pairs[at]).collect();
            own.sort_unstable();
            own
        };
        found.into_iter().filter(|component| component.is_cyclic).map(of_pairs).collect()
    }
}

/// Whether instances of a call, its arguments rewritten, may match a left-hand side. Both have the same root.
fn may_follow(system: &System<'_>, call: TermId, left: TermId, work: &mut Work<'_>) -> Result<bool, Stop> {
    let terms = &system.terms;
    let mut todo: Vec<(TermId, TermId)> = Vec::new();
    todo.extend(terms.args(call).iter().copied().zip(terms.args(left).iter().copied()));
    while let Some((part, pattern)) = todo.pop() {
        work.spend(1)?;
        match (terms.node(part), terms.node(pattern)) {
            (Node::Var(_), _) | (_, Node::Var(_)) => {}
            (Node::App(symbol, _), _) if system.is_defined(*symbol) => {}
            (Node::App(f, a), Node::App(g, b)) if f == g => {
                todo.extend(a.iter().copied().zip(b.iter().copied()));
            }
            (Node::Const(a), Node::Const(b)) if a == b => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}
