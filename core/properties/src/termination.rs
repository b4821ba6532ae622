//! Termination by dependency pairs: T. Arts and J. Giesl, "Termination of Term Rewriting Using Dependency Pairs".
//!
//! A dependency pair leads from a call to one that its rule makes. Rewriting is endless only if it goes through some
//! component of the graph of pairs for ever. Each component is taken apart by one of these orders, the rest again:
//!
//! - the subterm criterion, of N. Hirokawa and A. Middeldorp, "Dependency Pairs Revisited": one argument of each
//!   function that never grows, and that some pairs make smaller;
//! - size change: C. S. Lee, N. D. Jones and A. M. Ben-Amram, "The Size-Change Principle for Program Termination", of
//!   dependency pairs by R. Thiemann and J. Giesl, "The Size-Change Principle and Dependency Pairs for Termination of
//!   Term Rewriting";
//! - linear polynomials over the natural numbers, for which only the usable rules must not increase: N. Hirokawa and A.
//!   Middeldorp, "Tyrolean Termination Tool: Techniques and Features".
//!
//! All of them hold for rewriting in any order. Rules with conditions or operators have more calls, and values that may
//! be anything; what is shown of them is that innermost rewriting ends.

mod graph;
mod polynomial;
mod size_change;

use gchr_base::rule::{Program, RuleId};
use gchr_base::stop::StopReason;

use crate::Watch;
use crate::system::{Outside, System};
use crate::work::Work;

use graph::Graph;

pub use polynomial::Interpretation;

/// Steps of the search for components.
const FINDING: u64 = 20_000_000;
/// Steps that one order of one component may take.
const ORDER: u64 = 4_000_000;
/// Steps that all of them may take.
const ALL: u64 = 30_000_000;

/// The verdict on termination, with what it rests on.
#[derive(Clone, PartialEq, Debug)]
pub struct Termination {
    /// Whether the rules are rules between terms: then the verdict is about rewriting in any order, else about
    /// innermost rewriting alone.
    pub any_order: bool,
    /// All dependency pairs.
    pub pairs: Vec<DependencyPair>,
    /// The components of their graph, and of what orders leave of them. Those that no order takes apart are last.
    pub components: Vec<Component>,
    /// Whether all components are known.
    pub all_components: bool,
    /// Rules that are more than rules between terms.
    pub outside: Vec<(RuleId, Outside)>,
}

/// A call, and one that its rule makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DependencyPair {
    /// The rule.
    pub rule: RuleId,
    /// The call, with a mark behind the name of its function.
    pub from: String,
    /// What is called.
    pub to: String,
}

/// Pairs that can follow each other for ever, as far as the graph knows.
#[derive(Clone, PartialEq, Debug)]
pub struct Component {
    /// The pairs, by position.
    pub pairs: Vec<usize>,
    /// The component that this is left of, by position.
    pub part_of: Option<usize>,
    /// Why there is no endless way through it that uses the pairs `strict` for ever; `None` when that is not shown.
    pub order: Option<Order>,
    /// The pairs that the order takes out.
    pub strict: Vec<usize>,
}

/// Why pairs cannot follow each other for ever.
#[derive(Clone, PartialEq, Debug)]
pub enum Order {
    /// This argument of each function becomes a proper part of itself by strict pairs, and stays as it is by the
    /// others.
    Subterm(Vec<Argument>),
    /// Each way around some function makes an argument smaller.
    SizeChange {
        /// Number of different ways, as far as sizes tell them apart.
        ways: usize,
        /// Arguments of which one gets smaller each time, for each kind of way that does the same when it is repeated.
        loops: Vec<Vec<Argument>>,
    },
    /// Values of terms that never grow and become smaller by strict pairs.
    Polynomial {
        /// Of each symbol.
        interpretations: Vec<Interpretation>,
        /// The usable rules, which never increase values.
        usable: Vec<RuleId>,
    },
}

/// An argument of a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Argument {
    /// The function.
    pub function: String,
    /// Its number, from 1.
    pub argument: usize,
}

impl Termination {
    /// Whether it is shown that rewriting ends.
    pub fn is_shown(&self) -> bool {
        self.all_components && self.components.iter().all(|component| component.order.is_some())
    }
}

/// Whether rewriting with the rules of a term program ends, whatever their order.
pub fn termination(program: &Program, watch: &Watch<'_>) -> Result<Termination, StopReason> {
    let system = System::new(program);
    let outside = system.outside();
    let any_order = outside.is_empty();
    let mut result =
        Termination { any_order, pairs: Vec::new(), components: Vec::new(), all_components: false, outside };
    if result.outside.iter().any(|(_, why)| *why == Outside::Large) {
        return Ok(result);
    }
    let mut work = Work::new(watch, FINDING);
    let Some(graph) = work.part(FINDING, |work| Graph::new(&system, work))? else { return Ok(result) };
    result.pairs = graph
        .pairs
        .iter()
        .map(|pair| DependencyPair {
            rule: system.rules[pair.rule].id,
            from: system.marked(pair.left, MARK),
            to: system.marked(pair.right, MARK),
        })
        .collect();
    let all: Vec<usize> = (0..graph.pairs.len()).collect();
    let mut todo: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
    todo.extend(graph.components(&all).into_iter().rev().map(|pairs| (None, pairs)));
    result.all_components = true;
    let mut work = Work::new(watch, ALL);
    let mut open = Vec::new();
    while let Some((part_of, pairs)) = todo.pop() {
        let found = order_of(&system, &graph, &pairs, &mut work)?;
        let Some((order, strict)) = found else {
            open.push(Component { pairs, part_of, order: None, strict: Vec::new() });
            continue;
        };
        let rest: Vec<usize> = pairs.iter().copied().filter(|pair| !strict.contains(pair)).collect();
        let number = result.components.len();
        todo.extend(graph.components(&rest).into_iter().rev().map(|pairs| (Some(number), pairs)));
        result.components.push(Component { pairs, part_of, order: Some(order), strict });
    }
    result.components.extend(open);
    Ok(result)
}

/// Behind the name of a function that is called.
const MARK: &str = "#";

/// The first order that takes pairs out of a component, with these pairs.
fn order_of(
    system: &System<'_>,
    graph: &Graph,
    pairs: &[usize],
    work: &mut Work<'_>,
) -> Result<Option<(Order, Vec<usize>)>, StopReason> {
    let changes = work.part(ORDER, |work| size_change::changes(system, graph, pairs, work))?;
    if let Some(changes) = changes {
        let found = work.part(ORDER, |work| size_change::projection(system, &changes, work))?.flatten();
        if found.is_some() {
            return Ok(found);
        }
        let found = work.part(ORDER, |work| size_change::closure(system, &changes, work))?.flatten();
        if let Some(order) = found {
            return Ok(Some((order, pairs.to_vec())));
        }
    }
    Ok(work.part(ORDER, |work| polynomial::search(system, graph, pairs, work))?.flatten())
}
