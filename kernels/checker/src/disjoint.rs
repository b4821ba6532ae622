//! Proves that accesses of two threads are disjoint, from their indices and the facts of their paths.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use gchr_base::hash::{HashMap, HashSet};

use super::access::{Access, Pair};
use super::poly::Poly;
use super::solve::Facts;
use super::state::{LastBarrier, PathCondition};
use super::symbol::{BLOCK, BLOCK_SIZE, Cond, GRID_SIZE, POSITIONS, Symbols, thread_in_block};

/// Most facts of a path that a proof uses.
const MAX_FACTS: usize = 40;

/// Facts about two threads, and the positions of the two.
type Query = (Facts, [Poly; 2]);

/// Results of refutations: whether facts about two threads contradict each other.
pub(super) struct Refuted {
    known: Mutex<HashMap<Query, bool>>,
    /// Cases that a refutation may look at.
    cases: usize,
}

impl Refuted {
    pub fn new(cases: usize) -> Self {
        Self { known: Mutex::default(), cases }
    }
    /// Lets refutations look at more cases, or fewer. What was refuted remains so.
    pub fn allow(&mut self, cases: usize) {
        if cases > self.cases {
            self.known.get_mut().unwrap_or_else(PoisonError::into_inner).retain(|_, refuted| *refuted);
        }
        self.cases = cases;
    }
    fn get(&self, query: &Query) -> Option<bool> {
        // An answer is inserted in one step, so a poisoned lock still guards valid data.
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(query).copied()
    }
    fn put(&self, query: Query, refuted: bool) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(query, refuted);
    }
}

/// The last barrier before each of two accesses, and whether all facts of their paths are used or only those about the
/// positions of the threads.
#[derive(Clone, Copy)]
struct BarrierFacts<'s> {
    one: &'s LastBarrier,
    other: &'s LastBarrier,
    use_all: bool,
}

impl BarrierFacts<'_> {
    /// The key under which a result is remembered: paths and barriers by address.
    fn key(&self, one: &Access<'_>, other: &Access<'_>) -> ([usize; 4], bool) {
        let barrier = |since: &LastBarrier| std::ptr::from_ref(since).addr();
        let paths = [one, other].map(|access| access.path.address());
        ([paths[0], paths[1], barrier(self.one), barrier(self.other)], self.use_all)
    }
}

/// The indices of two accesses, and the facts that are used besides them.
type PairKey = (Poly, Poly, Pair, Option<([usize; 4], bool)>);

/// Proves that accesses are disjoint.
pub(super) struct Prover<'a> {
    symbols: &'a Symbols,
    refuted: &'a Refuted,
    /// Results by pair.
    known: HashMap<PairKey, bool>,
    /// Facts of paths, by path, and of symbols, in terms of what loops count.
    paths: HashMap<usize, Arc<[Cond]>>,
    facts: HashMap<u32, Arc<[Cond]>>,
    /// Pairs for which a proof was tried.
    pub pairs: usize,
}

impl<'a> Prover<'a> {
    pub fn new(symbols: &'a Symbols, refuted: &'a Refuted) -> Self {
        Self {
            symbols,
            refuted,
            known: HashMap::default(),
            paths: HashMap::default(),
            facts: HashMap::default(),
            pairs: 0,
        }
    }

    /// Whether two accesses are disjoint, by their indices alone or with the facts of their paths.
    pub fn are_disjoint(&mut self, one: &Access<'_>, other: &Access<'_>, pair: Pair) -> bool {
        let scope = pair.scope();
        let meet: Vec<(&LastBarrier, &LastBarrier)> = one.since[scope]
            .iter()
            .flat_map(|a| other.since[scope].iter().filter(|b| a.interval == b.interval).map(move |b| (a, b)))
            .collect();
        if meet.is_empty() {
            return true;
        }
        self.pairs += 1;
        if self.refute_once(one, other, pair, None) {
            return true;
        }
        let mut by_paths = |(a, b), use_all| {
            self.refute_once(one, other, pair, Some(BarrierFacts { one: a, other: b, use_all }))
        };
        meet.into_iter().all(|since| by_paths(since, false) || by_paths(since, true))
    }

    /// [`refute`](Self::refute), with the result remembered.
    fn refute_once(
        &mut self,
        one: &Access<'_>,
        other: &Access<'_>,
        pair: Pair,
        facts_since: Option<BarrierFacts<'_>>,
    ) -> bool {
        let key = (one.index.clone(), other.index.clone(), pair, facts_since.map(|b| b.key(one, other)));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let disjoint = self.refute(one, other, pair, facts_since);
        self.known.insert(key, disjoint);
        disjoint
    }

    /// Whether the facts contradict that two threads touch the same element; with the facts of their paths since a
    /// barrier, if given.
    fn refute(
        &mut self,
        one: &Access<'_>,
        other: &Access<'_>,
        pair: Pair,
        facts_since: Option<BarrierFacts<'_>>,
    ) -> bool {
        let mut known = TwoThreads::new(self.symbols, pair);
        let (a, b) = (
            known.name(&self.symbols.expand(&one.index), 1),
            known.name(&self.symbols.expand(&other.index), 2),
        );
        let Some(difference) = a.minus(&b) else { return false };
        if difference.as_constant().is_some_and(|n| n != 0) {
            return true;
        }
        known.facts.add(Cond::Eq(difference));
        if let Some(facts_since) = facts_since {
            known.use_all = facts_since.use_all;
            known.paths.extend(self.paths(&one.path, facts_since.one).into_iter().map(|facts| (facts, 1)));
            known
                .paths
                .extend(self.paths(&other.path, facts_since.other).into_iter().map(|facts| (facts, 2)));
        }
        let (two, symmetric) = match pair {
            Pair::Block => (thread_in_block(), BLOCK_SIZE),
            Pair::Grid => (Poly::var(BLOCK), GRID_SIZE),
        };
        let (first, second) = (known.name(&two, 1), known.name(&two, 2));
        known.need(symmetric);
        let facts = known.finish(self);
        let key = facts.renumbered([&first, &second]);
        if let Some(known) = self.refuted.get(&key) {
            return known;
        }
        let cases = self.refuted.cases;
        let (facts, [first, second]) = &key;
        // When the same facts hold of both threads, their order does not matter.
        let same = one.index == other.index
            && facts_since.is_none_or(|b| std::ptr::eq(b.one, b.other) && one.path.same(&other.path));
        let refuted = facts.clone().refute_difference(first, second, same, cases);
        self.refuted.put(key, refuted);
        refuted
    }

    /// The facts of a path, and of the paths that led through its last barrier.
    fn paths(&mut self, path: &PathCondition, since: &LastBarrier) -> Vec<Arc<[Cond]>> {
        let all = since.facts.iter().chain([path]);
        all.map(|path| {
            if let Some(known) = self.paths.get(&path.address()) {
                return known.clone();
            }
            let facts: Arc<[Cond]> =
                path.iter().take(MAX_FACTS).map(|c| c.map(&mut |p| self.symbols.expand(p))).collect();
            self.paths.insert(path.address(), facts.clone());
            facts
        })
        .collect()
    }

    /// What holds of a symbol.
    fn facts(&mut self, var: u32) -> Arc<[Cond]> {
        if let Some(known) = self.facts.get(&var) {
            return known.clone();
        }
        let facts: Arc<[Cond]> =
            self.symbols.facts(var).iter().map(|c| c.map(&mut |p| self.symbols.expand(p))).collect();
        self.facts.insert(var, facts.clone());
        facts
    }
}

/// Facts of two threads: a symbol that they do not share has a name for each of them.
struct TwoThreads<'a> {
    symbols: &'a Symbols,
    pair: Pair,
    facts: Facts,
    /// Mentioned symbols, with the thread, whose facts are not added yet.
    waiting: VecDeque<(u32, u32)>,
    met: HashSet<(u32, u32)>,
    /// Facts of paths, each with the thread.
    paths: Vec<(Arc<[Cond]>, u32)>,
    /// Whether facts of paths bring in more symbols.
    use_all: bool,
}

impl<'a> TwoThreads<'a> {
    fn new(symbols: &'a Symbols, pair: Pair) -> Self {
        Self {
            symbols,
            pair,
            facts: Facts::default(),
            waiting: VecDeque::new(),
            met: HashSet::default(),
            paths: Vec::new(),
            use_all: true,
        }
    }

    fn instance(&self, var: u32, thread: u32) -> u32 {
        if self.pair.shares(self.symbols, var) { 0 } else { thread }
    }

    fn need(&mut self, var: u32) {
        self.meet(var, 1);
    }

    fn meet(&mut self, var: u32, thread: u32) {
        let instance = self.instance(var, thread);
        if self.met.insert((var, instance)) {
            self.waiting.push_back((var, thread));
        }
    }

    /// A polynomial in the names of a thread.
    fn name(&mut self, poly: &Poly, thread: u32) -> Poly {
        poly.vars().for_each(|v| self.meet(v, thread));
        poly.rename(|v| v * 4 + self.instance(v, thread))
    }

    fn add(&mut self, cond: &Cond, thread: u32) {
        let cond = cond.map(&mut |p| self.name(p, thread));
        self.facts.add(cond);
    }

    /// Adds the facts of all mentioned symbols, and those facts of the paths that share symbols with them.
    fn finish(mut self, all: &mut Prover<'_>) -> Facts {
        let paths = std::mem::take(&mut self.paths);
        let mut rest: Vec<(&Cond, u32)> =
            paths.iter().flat_map(|(facts, thread)| facts.iter().map(|c| (c, *thread))).collect();
        loop {
            while let Some((var, thread)) = self.waiting.pop_front() {
                for fact in all.facts(var).iter() {
                    self.add(fact, thread);
                }
            }
            rest.retain(|&(cond, thread)| {
                let (mut near, mut only, mut shared) = (false, true, true);
                cond.polys(&mut |p| {
                    for var in p.vars() {
                        let is_position = !self.use_all && var < POSITIONS;
                        let met = is_position || self.met.contains(&(var, self.instance(var, thread)));
                        near |= met;
                        only &= met;
                        shared &= self.pair.shares(self.symbols, var);
                    }
                });
                let counts = if self.use_all { near || shared } else { only };
                if counts {
                    self.add(cond, thread);
                }
                !counts
            });
            if self.waiting.is_empty() {
                self.facts.dedup();
                return self.facts;
            }
        }
    }
}
