//! Linear polynomials over the natural numbers: D. S. Lankford, "On Proving Term Rewriting Systems Are Noetherian".
//!
//! A symbol with arguments `x1` to `xn` has a value `c0 + c1 * x1 + ... + cn * xn`. Coefficients are small numbers that
//! are searched for, symbol by symbol; a rule or pair is looked at as soon as all its symbols have values. One side is
//! at least as large as the other if each of its coefficients is.

use gchr_base::hash::{HashMap, HashSet};
use gchr_base::rule::RuleId;
use gchr_base::signature::SymbolId;

use super::graph::Graph;
use super::{MARK, Order};
use crate::system::System;
use crate::terms::{Node, TermId, VariableId};
use crate::work::{Stop, Work};

/// Most symbols of a component for which values are searched.
const MOST_SYMBOLS: usize = 48;
/// Most rules and pairs.
const MOST_SIDES: usize = 400;
/// Steps with coefficients up to 1; what is left is for larger ones.
const FIRST: u64 = 2_000_000;

/// The value of a symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interpretation {
    /// The symbol, with a mark where it is that of a pair's root.
    pub symbol: String,
    /// What is added.
    pub constant: u32,
    /// By argument, what it is multiplied with.
    pub coefficients: Vec<u32>,
}

/// A symbol, and whether it is at the root of a side of a pair.
type Key = (SymbolId, bool);

/// The value of a symbol as long as it is tried.
#[derive(Clone)]
struct Linear {
    constant: u32,
    coefficients: Vec<u32>,
}

/// Two sides, of which the first must not be smaller.
struct Sides {
    left: Side,
    right: Side,
    /// The pair; `None` of a rule.
    pair: Option<usize>,
}

/// A term with its subterms in order, and the places of their arguments in this order.
struct Side {
    nodes: Vec<SideNode>,
}

enum SideNode {
    Var(VariableId),
    Const,
    App(Key, Vec<usize>),
}

impl Side {
    fn new(system: &System<'_>, term: TermId, is_pair: bool) -> Self {
        let below = system.terms.below(term);
        let place = |wanted: TermId| below.binary_search(&wanted).unwrap_or(0);
        let node = |&at: &TermId| match system.terms.node(at) {
            Node::Var(variable) => SideNode::Var(*variable),
            Node::Const(_) => SideNode::Const,
            Node::App(symbol, args) => {
                SideNode::App((*symbol, is_pair && at == term), args.iter().map(|&arg| place(arg)).collect())
            }
        };
        Self { nodes: below.iter().map(node).collect() }
    }

    fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            SideNode::App(key, _) => Some(*key),
            SideNode::Var(_) | SideNode::Const => None,
        })
    }

    /// The constant and the coefficients of the variables; `None` when they are too large.
    fn value(&self, of: &HashMap<Key, Linear>) -> Option<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let mut value = Value::default();
            match node {
                SideNode::Const => {}
                SideNode::Var(variable) => {
                    value.variables.insert(*variable, 1);
                }
                SideNode::App(key, args) => {
                    let linear = of.get(key)?;
                    value.constant = u64::from(linear.constant);
                    for (&arg, &factor) in args.iter().zip(&linear.coefficients).filter(|(_, c)| **c > 0) {
                        value.add(values.get(arg)?, u64::from(factor))?;
                    }
                }
            }
            values.push(value);
        }
        values.pop()
    }
}

/// A linear polynomial in variables.
#[derive(Default)]
struct Value {
    constant: u64,
    variables: HashMap<VariableId, u64>,
}

impl Value {
    fn add(&mut self, other: &Value, factor: u64) -> Option<()> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (&variable, &coefficient) in &other.variables {
            let own = self.variables.entry(variable).or_default();
            *own = own.checked_add(coefficient.checked_mul(factor)?)?;
        }
        Some(())
    }

    /// Whether it is at least as large as the other one for all values, and whether it is larger.
    fn compare(&self, other: &Value) -> Option<bool> {
        let covers = |(variable, coefficient): (&VariableId, &u64)| {
            self.variables.get(variable).copied().unwrap_or(0) >= *coefficient
        };
        let at_least = self.constant >= other.constant && other.variables.iter().all(covers);
        at_least.then_some(self.constant > other.constant)
    }
}

/// Values of the symbols such that no pair and no usable rule increases them and some pairs decrease them; with these
/// pairs.
pub(super) fn search(
    system: &System<'_>,
    graph: &Graph,
    pairs: &[usize],
    work: &mut Work<'_>,
) -> Result<Option<(Order, Vec<usize>)>, Stop> {
    let usable = usable_rules(system, graph, pairs, work)?;
    if usable.len() + pairs.len() > MOST_SIDES {
        return Ok(None);
    }
    let mut all = Vec::new();
    for &pair in pairs {
        let Some(own) = graph.pairs.get(pair) else { continue };
        let (left, right) = (Side::new(system, own.left, true), Side::new(system, own.right, true));
        all.push(Sides { left, right, pair: Some(pair) });
    }
    for &rule in &usable {
        let own = &system.rules[rule];
        let (left, right) = (Side::new(system, own.left, false), Side::new(system, own.right, false));
        all.push(Sides { left, right, pair: None });
    }
    let Some(plan) = Plan::new(all) else { return Ok(None) };
    // Small coefficients suffice most of the time, and there are fewer of them.
    let mut found = None;
    for (most, steps) in [(1, FIRST), (2, u64::MAX)] {
        let mut attempt =
            Attempt { system, plan: &plan, most, values: HashMap::default(), strict: Vec::new() };
        let part = work.part(steps, |work| attempt.go(0, work)).map_err(Stop::Stopped)?;
        if part == Some(true) {
            found = Some((attempt.values, attempt.strict));
            break;
        }
    }
    let Some((values, strict)) = found else { return Ok(None) };
    let shown = |&(symbol, marked): &Key| {
        let linear = &values[&(symbol, marked)];
        let name = &system.program.signature.symbols[symbol].name;
        Interpretation {
            symbol: format!("{name}{}", if marked { MARK } else { "" }),
            constant: linear.constant,
            coefficients: linear.coefficients.clone(),
        }
    };
    let interpretations = plan.turns.iter().map(|turn| shown(&turn.key)).collect();
    let usable = usable.into_iter().map(|rule| system.rules[rule].id).collect::<Vec<RuleId>>();
    Ok(Some((Order::Polynomial { interpretations, usable }, strict)))
}

/// The rules that may rewrite arguments of the calls of pairs.
fn usable_rules(
    system: &System<'_>,
    graph: &Graph,
    pairs: &[usize],
    work: &mut Work<'_>,
) -> Result<Vec<usize>, Stop> {
    let mut seen: HashSet<SymbolId> = HashSet::default();
    let mut todo: Vec<SymbolId> = Vec::new();
    let mut note = |term: TermId, todo: &mut Vec<SymbolId>| {
        let below = system.terms.below(term);
        let called = below.iter().filter_map(|&at| system.terms.root(at));
        todo.extend(called.filter(|&symbol| system.is_defined(symbol) && seen.insert(symbol)));
        below.len()
    };
    for &pair in pairs {
        for &arg in system.terms.args(graph.pairs[pair].right) {
            work.spend(note(arg, &mut todo))?;
        }
    }
    let mut usable = Vec::new();
    while let Some(symbol) = todo.pop() {
        for &rule in system.by_symbol.get(&symbol).into_iter().flatten() {
            work.spend(note(system.rules[rule].right, &mut todo))?;
            usable.push(rule);
        }
    }
    usable.sort_unstable();
    Ok(usable)
}

/// The order in which symbols get values.
struct Plan {
    turns: Vec<Turn>,
    all: Vec<Sides>,
}

/// A symbol to get a value, and what can be looked at then.
struct Turn {
    key: Key,
    arity: usize,
    ready: Vec<usize>,
    /// Whether all pairs have been looked at then.
    has_all_pairs: bool,
}

impl Plan {
    /// What needs the fewest new symbols comes first.
    fn new(all: Vec<Sides>) -> Option<Self> {
        let mut missing: Vec<Vec<Key>> = all
            .iter()
            .map(|sides| {
                let mut keys: Vec<Key> = sides.left.keys().chain(sides.right.keys()).collect();
                keys.sort_unstable();
                keys.dedup();
                keys
            })
            .collect();
        let arities: HashMap<Key, usize> = all
            .iter()
            .flat_map(|sides| sides.left.nodes.iter().chain(&sides.right.nodes))
            .filter_map(|node| match node {
                SideNode::App(key, args) => Some((*key, args.len())),
                SideNode::Var(_) | SideNode::Const => None,
            })
            .collect();
        if arities.len() > MOST_SYMBOLS {
            return None;
        }
        let mut open: Vec<usize> = (0..all.len()).collect();
        let mut turns: Vec<Turn> = Vec::new();
        while let Some(at) =
            (0..open.len()).min_by_key(|&at| (missing[open[at]].len(), all[open[at]].pair.is_none()))
        {
            for key in missing[open[at]].clone() {
                missing.iter_mut().for_each(|keys| keys.retain(|other| *other != key));
                let (ready, rest): (Vec<usize>, Vec<usize>) =
                    open.iter().copied().partition(|&sides| missing[sides].is_empty());
                open = rest;
                let has_all_pairs = open.iter().all(|&sides| all[sides].pair.is_none());
                turns.push(Turn { key, arity: arities[&key], ready, has_all_pairs });
            }
        }
        Some(Self { turns, all })
    }
}

/// A search for values.
struct Attempt<'s, 'p> {
    system: &'s System<'p>,
    plan: &'s Plan,
    /// Largest coefficient.
    most: u32,
    values: HashMap<Key, Linear>,
    /// The pairs that decrease, of those that were looked at.
    strict: Vec<usize>,
}

impl Attempt<'_, '_> {
    /// Gives values to the symbols from a turn on.
    fn go(&mut self, turn: usize, work: &mut Work<'_>) -> Result<bool, Stop> {
        let Some(now) = self.plan.turns.get(turn) else { return Ok(true) };
        let known = self.strict.len();
        for value in self.candidates(now.key, now.arity) {
            work.spend(1 + now.arity)?;
            self.values.insert(now.key, value);
            if self.fits(now, work)?
                && !(now.has_all_pairs && self.strict.is_empty())
                && self.go(turn + 1, work)?
            {
                return Ok(true);
            }
            self.strict.truncate(known);
        }
        self.values.remove(&now.key);
        Ok(false)
    }

    /// Whether nothing increases that can be looked at now; notes the pairs that decrease.
    fn fits(&mut self, turn: &Turn, work: &mut Work<'_>) -> Result<bool, Stop> {
        for &at in &turn.ready {
            let sides = &self.plan.all[at];
            work.spend(4 * (sides.left.nodes.len() + sides.right.nodes.len()))?;
            let values = sides.left.value(&self.values).zip(sides.right.value(&self.values));
            let Some(smaller) = values.and_then(|(left, right)| left.compare(&right)) else {
                return Ok(false);
            };
            if let (Some(pair), true) = (sides.pair, smaller) {
                self.strict.push(pair);
            }
        }
        Ok(true)
    }

    /// Values for a symbol, likely ones first.
    fn candidates(&self, (symbol, marked): Key, arity: usize) -> Vec<Linear> {
        let linear =
            |constant, coefficients: &[u32]| Linear { constant, coefficients: coefficients.to_vec() };
        let all = combinations(arity, self.most);
        let constants: Vec<u32> = (0..=self.most).collect();
        if !marked && !self.system.is_defined(symbol) {
            // A constructor counts itself and what it holds.
            let order = constants.iter().rev();
            return order.flat_map(|&c| all.iter().rev().map(move |own| linear(c, own))).collect();
        }
        all.iter().flat_map(|own| constants.iter().map(move |&c| linear(c, own))).collect()
    }
}

/// Coefficients of so many arguments: single arguments first, all of them last.
fn combinations(arity: usize, most: u32) -> Vec<Vec<u32>> {
    /// With more arguments than that, one, none or all count.
    const ALL: usize = 3;
    let mut found: Vec<Vec<u32>> = Vec::new();
    if arity <= ALL {
        found.push(Vec::new());
        for _ in 0..arity {
            let longer = |known: &Vec<u32>| {
                (0..=most).map(|c| known.iter().copied().chain([c]).collect()).collect::<Vec<Vec<u32>>>()
            };
            found = found.iter().flat_map(longer).collect();
        }
    } else {
        let only = |one: usize| (0..arity).map(|at| u32::from(at == one)).collect();
        found.extend((0..=arity).map(only));
        found.push(vec![1; arity]);
    }
    let weight = |own: &Vec<u32>| {
        let (sum, counted) = (own.iter().sum::<u32>(), own.iter().filter(|c| **c > 0).count());
        (counted.abs_diff(1) * 2 + usize::from(counted == 0), sum)
    };
    found.sort_by_key(weight);
    found
}
