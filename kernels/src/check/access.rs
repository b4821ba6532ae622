//! Permissions: whether the accesses of two threads between two barriers can meet.
//!
//! After the Block and Grid rules of the thesis (section 2.2.2, figure 2.9): what threads hold in an interval are parts of a whole. Two
//! accesses, one of which writes, are told apart when the facts known of both threads contradict that they touch the same element.

use std::collections::VecDeque;
use std::rc::Rc;

use gchr_core::hash::{HashMap, HashSet};

use super::poly::Poly;
use super::solve::Facts;
use super::state::{Path, Root, Since, Site};
use super::symbol::{BLOCK, BLOCK_SIZE, Cond, GRID_SIZE, Level, Symbols, thread_in_block};
use super::walk::Key;
use crate::ir::Space;

/// Facts of the paths of two accesses that are used to tell them apart.
const MAX_FACTS: usize = 40;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
    /// The thread says that it owns the element.
    Claim,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::AtomicRead => "atomic read",
            Kind::AtomicWrite => "atomic write",
            Kind::Claim => "claim",
        }
    }
    fn writes(self) -> bool {
        matches!(self, Kind::Write | Kind::AtomicWrite)
    }
    fn is_atomic(self) -> bool {
        matches!(self, Kind::AtomicRead | Kind::AtomicWrite)
    }
}

/// An access to shared or global memory.
#[derive(Clone, Debug)]
pub(super) struct Access<'m> {
    pub root: Root,
    pub index: Rc<Poly>,
    pub field: Option<u32>,
    pub kind: Kind,
    /// Whether the thread owns the element, for a reason that it names.
    pub owned: bool,
    /// An atomic load that is taken to give all threads the same, as nobody writes meanwhile.
    pub uniform: bool,
    pub path: Path,
    pub since: [Rc<[Since]>; 2],
    pub site: Site<'m>,
    pub key: Key,
}

/// Which two threads are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Pair {
    /// Two threads of a block, between barriers of the block.
    Block,
    /// Threads of two blocks, between barriers of the grid.
    Grid,
}

impl Pair {
    /// Which barriers count.
    fn scope(self) -> usize {
        usize::from(self != Pair::Block)
    }
    /// Whether two threads share a symbol.
    fn shares(self, symbols: &Symbols, var: u32) -> bool {
        let symbol = symbols.get(var);
        let level = if self == Pair::Block { Level::Block } else { Level::Grid };
        symbol.level <= level && !symbol.varies[self.scope()]
    }
}

/// Two accesses that were not told apart.
pub(super) struct Conflict<'m> {
    pub pair: Pair,
    pub one: Access<'m>,
    pub other: Access<'m>,
}

/// An atomic load of what somebody may write meanwhile.
pub(super) struct Torn<'m> {
    pub key: Key,
    pub load: Site<'m>,
    pub store: Site<'m>,
}

/// The accesses of a kernel.
pub(super) struct Permissions<'a, 'm> {
    symbols: &'a Symbols,
    spaces: &'a dyn Fn(Root) -> Space,
    /// Accesses without repetitions, by memory.
    by_root: Vec<Vec<Access<'m>>>,
    /// Pairs of indices that are different whatever the paths know.
    apart: HashMap<(Rc<Poly>, Rc<Poly>, Pair), bool>,
    /// What is known of facts about two threads, and of who of them comes first.
    refuted: HashMap<(Facts, Vec<Option<u32>>), bool>,
    /// Pairs that were looked at.
    pub pairs: usize,
}

impl<'a, 'm> Permissions<'a, 'm> {
    pub fn new(
        symbols: &'a Symbols,
        accesses: Vec<Access<'m>>,
        roots: usize,
        spaces: &'a dyn Fn(Root) -> Space,
    ) -> Self {
        let mut by_root: Vec<Vec<Access<'m>>> = (0..roots).map(|_| Vec::new()).collect();
        let mut seen = HashSet::default();
        for access in accesses {
            let since = |i: usize| Rc::as_ptr(&access.since[i]).addr();
            let key = (
                access.root,
                access.index.clone(),
                (access.field, access.kind, access.owned, access.uniform),
                (access.path.address(), since(0), since(1)),
            );
            if seen.insert(key) {
                by_root[access.root as usize].push(access);
            }
        }
        Self { symbols, spaces, by_root, apart: HashMap::default(), refuted: HashMap::default(), pairs: 0 }
    }

    /// Number of accesses that are looked at.
    pub fn len(&self) -> usize {
        self.by_root.iter().map(Vec::len).sum()
    }

    /// Accesses that may meet; one for each two statements.
    pub fn conflicts(&mut self, handed: impl Fn(Root) -> bool) -> Vec<Conflict<'m>> {
        let mut found: Vec<Conflict<'m>> = Vec::new();
        let mut reported = HashSet::default();
        for root in (0..self.by_root.len()).filter(|&root| !handed(root as Root)) {
            let accesses = std::mem::take(&mut self.by_root[root]);
            let pairs = self.pairs_of(root);
            for (at, one) in accesses.iter().enumerate() {
                for other in &accesses[at..] {
                    if !self.matters(one, other) {
                        continue;
                    }
                    let name = |s: &Site<'_>| std::ptr::from_ref(s.stmt).addr();
                    let (a, b) = (name(&one.site), name(&other.site));
                    let places = (a.min(b), a.max(b));
                    if reported.contains(&places) {
                        continue;
                    }
                    if let Some(&pair) = pairs.iter().find(|&&pair| !self.are_apart(one, other, pair)) {
                        reported.insert(places);
                        found.push(Conflict { pair, one: one.clone(), other: other.clone() });
                    }
                }
            }
            self.by_root[root] = accesses;
        }
        found
    }

    /// Atomic loads that were taken for uniform although somebody may write meanwhile.
    pub fn torn(&mut self) -> Vec<Torn<'m>> {
        let mut torn = Vec::new();
        for root in 0..self.by_root.len() {
            let accesses = std::mem::take(&mut self.by_root[root]);
            let pairs = self.pairs_of(root);
            for load in &accesses {
                if !load.uniform {
                    continue;
                }
                let writes = accesses.iter().filter(|a| a.kind.writes() && overlap(load, a));
                for write in writes {
                    if pairs.iter().any(|&pair| !self.are_apart(load, write, pair)) {
                        torn.push(Torn { key: load.key, load: load.site, store: write.site });
                        break;
                    }
                }
            }
            self.by_root[root] = accesses;
        }
        torn
    }

    fn pairs_of(&self, root: usize) -> &'static [Pair] {
        match (self.spaces)(root as Root) {
            Space::Shared => &[Pair::Block],
            _ => &[Pair::Block, Pair::Grid],
        }
    }

    /// Whether two accesses would be a race if they met.
    fn matters(&self, one: &Access<'m>, other: &Access<'m>) -> bool {
        let claims = (one.kind == Kind::Claim, other.kind == Kind::Claim);
        let rests_on_data = |a: &Access<'m>| {
            let on_data = |p: &Poly| self.symbols.rests_on_data(&self.expand(p));
            on_data(&a.index)
                || a.path.iter().any(|cond| {
                    let mut found = false;
                    cond.polys(&mut |p| found |= on_data(p));
                    found
                })
        };
        overlap(one, other)
            && match claims {
                (true, true) => !rests_on_data(one) && !rests_on_data(other),
                (false, false) => {
                    (one.kind.writes() || other.kind.writes())
                        && !(one.kind.is_atomic() && other.kind.is_atomic())
                        && !one.owned
                        && !other.owned
                }
                _ => false,
            }
    }

    fn are_apart(&mut self, one: &Access<'m>, other: &Access<'m>, pair: Pair) -> bool {
        let scope = pair.scope();
        let meet: Vec<(&Since, &Since)> = one.since[scope]
            .iter()
            .flat_map(|a| other.since[scope].iter().filter(|b| a.interval == b.interval).map(move |b| (a, b)))
            .collect();
        if meet.is_empty() {
            return true;
        }
        self.pairs += 1;
        let key = (one.index.clone(), other.index.clone(), pair);
        let apart = match self.apart.get(&key) {
            Some(&known) => known,
            None => {
                let apart = self.refute(one, other, pair, None);
                self.apart.insert(key, apart);
                apart
            }
        };
        let mut refute =
            |(a, b): &(&Since, &Since), use_all| self.refute(one, other, pair, Some((a, b, use_all)));
        apart || meet.iter().all(|since| refute(since, false) || refute(since, true))
    }

    /// Whether what is known contradicts that the two accesses of two threads touch the same element. `since`: with the facts of
    /// their paths behind this barrier, all of them or those about the positions of the threads.
    fn refute(
        &mut self,
        one: &Access<'m>,
        other: &Access<'m>,
        pair: Pair,
        since: Option<(&Since, &Since, bool)>,
    ) -> bool {
        let mut known = Known::new(self.symbols, pair);
        let (a, b) = (known.name(&self.expand(&one.index), 1), known.name(&self.expand(&other.index), 2));
        let Some(difference) = a.minus(&b) else { return false };
        if difference.as_constant().is_some_and(|n| n != 0) {
            return true;
        }
        known.facts.add(&Cond::Eq(difference));
        if let Some((a, b, use_all)) = since {
            known.use_all = use_all;
            known.paths(&one.path, a, 1);
            known.paths(&other.path, b, 2);
        }
        let (two, symmetric) = match pair {
            Pair::Block => (thread_in_block(), BLOCK_SIZE),
            Pair::Grid => (Poly::var(BLOCK), GRID_SIZE),
        };
        let (first, second) = (known.name(&two, 1), known.name(&two, 2));
        known.need(symmetric);
        let facts = known.finish(self);
        let (key, names) = facts.renumbered();
        let places = [&first, &second].into_iter().flat_map(|p| p.vars()).map(|v| names.get(&v).copied());
        let key = (key, places.collect::<Vec<_>>());
        if let Some(&known) = self.refuted.get(&key) {
            return known;
        }
        let order = |low: &Poly, high: &Poly| {
            let mut facts = facts.clone();
            if let Some(less) = high.minus(low).and_then(|p| p.plus(&Poly::constant(-1), 1)) {
                facts.add(&Cond::Ge(less));
            }
            facts.refute()
        };
        let refuted = order(&first, &second) && order(&second, &first);
        self.refuted.insert(key, refuted);
        refuted
    }

    /// Puts what loops count in place of their variables.
    pub fn expand(&self, poly: &Poly) -> Poly {
        let mut poly = poly.clone();
        for _ in 0..16 {
            let Some(var) = poly.vars().find(|&v| self.symbols.get(v).definition.is_some()) else { break };
            let Some(definition) = &self.symbols.get(var).definition else { break };
            match poly.substitute(var, definition) {
                Some(new) => poly = new,
                None => break,
            }
        }
        poly
    }
}

fn overlap(one: &Access<'_>, other: &Access<'_>) -> bool {
    one.field.is_none() || other.field.is_none() || one.field == other.field
}

/// Facts of two threads: symbols that they do not share have a name for each.
struct Known<'a> {
    symbols: &'a Symbols,
    pair: Pair,
    facts: Facts,
    /// Symbols met, with the thread, whose facts are not added yet.
    waiting: VecDeque<(u32, u32)>,
    met: HashSet<(u32, u32)>,
    paths: Vec<(Cond, u32)>,
    /// Whether facts of paths bring in more symbols.
    use_all: bool,
}

impl<'a> Known<'a> {
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

    fn name_cond(&mut self, cond: &Cond, thread: u32, all: &Permissions<'_, '_>) -> Cond {
        cond.map(&mut |p| {
            let p = all.expand(p);
            self.name(&p, thread)
        })
    }

    /// The facts of a path and of the way that led behind the last barrier.
    fn paths(&mut self, path: &Path, since: &Since, thread: u32) {
        for path in since.facts.iter().chain([path]) {
            self.paths.extend(path.iter().take(MAX_FACTS).map(|c| (c.clone(), thread)));
        }
    }

    /// Adds the facts of all symbols met, and those of the paths that have to do with them.
    fn finish(mut self, all: &Permissions<'_, '_>) -> Facts {
        let mut paths = std::mem::take(&mut self.paths);
        loop {
            while let Some((var, thread)) = self.waiting.pop_front() {
                for fact in &self.symbols.get(var).facts {
                    let fact = self.name_cond(fact, thread, all);
                    self.facts.add(&fact);
                }
            }
            let mut later = Vec::new();
            for (cond, thread) in paths {
                let (mut near, mut only, mut shared) = (false, true, true);
                cond.polys(&mut |p| {
                    for var in all.expand(p).vars() {
                        let met = self.met.contains(&(var, self.instance(var, thread)));
                        near |= met;
                        only &= met;
                        shared &= self.pair.shares(self.symbols, var);
                    }
                });
                if if self.use_all { near || shared } else { only } {
                    let cond = self.name_cond(&cond, thread, all);
                    self.facts.add(&cond);
                } else {
                    later.push((cond, thread));
                }
            }
            paths = later;
            if self.waiting.is_empty() {
                return self.facts;
            }
        }
    }
}
