//! Permissions: whether the accesses of two threads between two barriers can meet.
//!
//! After the Block and Grid rules of the thesis (section 2.2.2, figure 2.9): what threads hold in an interval are parts of a whole. Two
//! accesses, one of which writes, are told apart when the facts known of both threads contradict that they touch the same element.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gchr_base::hash::HashSet;

use super::disjoint::{Prover, Refuted};
use super::poly::Poly;
use super::share::{available, in_threads};
use super::state::{Path, Root, Since, Site};
use super::symbol::{Level, Symbols};
use super::walk::{Key, Memory};
use gchr_kernel::ir::Space;

/// Accesses for which another thread is worth its start.
const ACCESSES_A_THREAD: usize = 200;

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
    fn only_reads(self) -> bool {
        matches!(self, Kind::Read | Kind::AtomicRead)
    }
    fn is_atomic(self) -> bool {
        matches!(self, Kind::AtomicRead | Kind::AtomicWrite)
    }
}

/// An access to shared or global memory.
#[derive(Clone, Debug)]
pub(super) struct Access<'m> {
    pub root: Root,
    pub index: Poly,
    pub field: Option<u32>,
    pub kind: Kind,
    /// Whether the thread owns the element, for a reason that it names.
    pub owned: bool,
    /// An atomic load that is taken to give all threads the same, as nobody writes meanwhile.
    pub uniform: bool,
    pub path: Path,
    pub since: [Arc<[Since]>; 2],
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
    pub fn scope(self) -> usize {
        usize::from(self != Pair::Block)
    }
    /// Whether two threads share a symbol.
    pub fn shares(self, symbols: &Symbols, var: u32) -> bool {
        let symbol = symbols.get(var);
        let level = if self == Pair::Block { Level::Block } else { Level::Grid };
        symbol.level <= level && !symbol.varies[self.scope()]
    }
}

/// Two accesses that were not told apart.
pub(super) struct Conflict<'a, 'm> {
    pub pair: Pair,
    pub one: &'a Access<'m>,
    pub other: &'a Access<'m>,
}

/// An atomic load of what somebody may write meanwhile.
#[derive(Clone)]
pub(super) struct Torn<'m> {
    pub key: Key,
    pub load: Site<'m>,
    pub store: Site<'m>,
}

/// The accesses of a kernel.
pub(super) struct Permissions<'a, 'm> {
    symbols: &'a Symbols,
    roots: &'a [Memory],
    /// Accesses without repetitions, by memory.
    by_root: Vec<Vec<&'a Access<'m>>>,
    /// Claims that rest on data, by address.
    on_data: HashSet<usize>,
    refuted: &'a Refuted,
}

/// What came out of looking at all pairs.
#[derive(Default)]
pub(super) struct Found<'a, 'm> {
    /// Accesses that may meet, one for each two statements, each with the number of the task that it came up in.
    conflicts: Vec<(usize, Conflict<'a, 'm>)>,
    /// Pairs that were looked at.
    pub pairs: usize,
}

impl<'a, 'm> Found<'a, 'm> {
    pub fn conflicts(&self) -> impl Iterator<Item = &Conflict<'a, 'm>> {
        self.conflicts.iter().map(|(_, conflict)| conflict)
    }
}

/// An access that is compared with others.
struct Task<'a, 't, 'm> {
    one: &'a Access<'m>,
    others: [&'t [&'a Access<'m>]; 2],
    pairs: &'static [Pair],
}

impl<'a, 'm> Permissions<'a, 'm> {
    pub fn new(
        symbols: &'a Symbols,
        accesses: &'a [Access<'m>],
        roots: &'a [Memory],
        refuted: &'a Refuted,
    ) -> Self {
        let mut by_root: Vec<Vec<&'a Access<'m>>> = roots.iter().map(|_| Vec::new()).collect();
        let mut seen = HashSet::default();
        for access in accesses {
            let since = |i: usize| Arc::as_ptr(&access.since[i]).addr();
            let key = (
                access.root,
                &access.index,
                (access.field, access.kind, access.owned, access.uniform),
                (access.path.address(), since(0), since(1)),
            );
            if seen.insert(key) {
                by_root[access.root as usize].push(access);
            }
        }
        let claims = by_root.iter().flatten().filter(|access| access.kind == Kind::Claim);
        let on_data = claims.filter(|claim| rests_on_data(symbols, claim));
        let on_data = on_data.map(|claim| std::ptr::from_ref(*claim).addr()).collect();
        Self { symbols, roots, by_root, on_data, refuted }
    }

    /// Number of accesses that are looked at.
    pub fn len(&self) -> usize {
        self.by_root.iter().map(Vec::len).sum()
    }

    /// Accesses that may meet; one for each two statements.
    pub fn conflicts(&self, handed: impl Fn(Root) -> bool) -> Found<'_, 'm> {
        let roots = (0..self.by_root.len()).filter(|&root| !handed(root as Root));
        let lists: Vec<(usize, Vec<&Access<'m>>, Vec<&Access<'m>>)> = roots
            .map(|root| {
                let (active, reads) = self.by_root[root].iter().partition(|a| !a.kind.only_reads());
                (root, active, reads)
            })
            .collect();
        let mut tasks = Vec::new();
        for (root, active, reads) in &lists {
            let pairs = self.pairs_of(*root);
            tasks.extend((0..active.len()).map(|at| Task {
                one: active[at],
                others: [&active[at..], reads],
                pairs,
            }));
        }
        let next = AtomicUsize::new(0);
        let mut found = in_threads(self.threads(), || self.work(&tasks, &next)).into_iter().fold(
            Found::default(),
            |mut all, part| {
                all.conflicts.extend(part.conflicts);
                all.pairs += part.pairs;
                all
            },
        );
        // Whichever thread was faster: of conflicts at the same places the first is told.
        found.conflicts.sort_by_key(|(task, _)| *task);
        let mut reported = HashSet::default();
        found.conflicts.retain(|(_, conflict)| reported.insert(places(conflict.one, conflict.other)));
        let order =
            |c: &Conflict<'_, 'm>| (c.one.root, std::ptr::from_ref(c.one), std::ptr::from_ref(c.other));
        found.conflicts.sort_by(|(_, a), (_, b)| order(a).cmp(&order(b)));
        found
    }

    /// How many threads share the work.
    fn threads(&self) -> usize {
        (self.len() / ACCESSES_A_THREAD).clamp(1, available())
    }

    /// Works on tasks until there are none.
    fn work<'t>(&self, tasks: &[Task<'t, '_, 'm>], next: &AtomicUsize) -> Found<'t, 'm> {
        let mut prover = Prover::new(self.symbols, self.refuted);
        let mut found = Found::default();
        let mut reported = HashSet::default();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(Task { one, others, pairs }) = tasks.get(at) else { break };
            for &other in others.iter().copied().flatten() {
                let places = places(one, other);
                if !self.matters(one, other) || reported.contains(&places) {
                    continue;
                }
                if let Some(&pair) = pairs.iter().find(|&&pair| !prover.are_apart(one, other, pair)) {
                    reported.insert(places);
                    // Accesses of a list lie in the order of the text.
                    let swap = std::ptr::from_ref(other) < std::ptr::from_ref(*one);
                    let (one, other) = if swap { (other, *one) } else { (*one, other) };
                    found.conflicts.push((at, Conflict { pair, one, other }));
                }
            }
        }
        found.pairs = prover.pairs;
        found
    }

    /// Atomic loads that were taken for uniform although somebody may write meanwhile.
    pub fn torn(&self) -> Vec<Torn<'m>> {
        let mut prover = Prover::new(self.symbols, self.refuted);
        let mut torn = Vec::new();
        for root in 0..self.by_root.len() {
            let accesses = &self.by_root[root];
            let pairs = self.pairs_of(root);
            for load in accesses {
                if !load.uniform {
                    continue;
                }
                let writes = accesses.iter().filter(|a| a.kind.writes() && overlap(load, a));
                for write in writes {
                    if pairs.iter().any(|&pair| !prover.are_apart(load, write, pair)) {
                        torn.push(Torn { key: load.key, load: load.site, store: write.site });
                        break;
                    }
                }
            }
        }
        torn
    }

    fn pairs_of(&self, root: usize) -> &'static [Pair] {
        match self.roots[root].space {
            Space::Shared => &[Pair::Block],
            _ => &[Pair::Block, Pair::Grid],
        }
    }

    /// Whether two accesses would be a race if they met.
    fn matters(&self, one: &Access<'m>, other: &Access<'m>) -> bool {
        let claims = (one.kind == Kind::Claim, other.kind == Kind::Claim);
        let is_on_data = |a: &Access<'m>| self.on_data.contains(&std::ptr::from_ref(a).addr());
        overlap(one, other)
            && match claims {
                (true, true) => !is_on_data(one) && !is_on_data(other),
                (false, false) => {
                    (one.kind.writes() || other.kind.writes())
                        && !(one.kind.is_atomic() && other.kind.is_atomic())
                        && !one.owned
                        && !other.owned
                }
                _ => false,
            }
    }
}

/// Whether the index of an access or what is known at it rests on data.
fn rests_on_data(symbols: &Symbols, access: &Access<'_>) -> bool {
    let on_data = |p: &Poly| symbols.rests_on_data(&symbols.expand(p));
    on_data(&access.index)
        || access.path.iter().any(|cond| {
            let mut found = false;
            cond.polys(&mut |p| found |= on_data(p));
            found
        })
}

fn overlap(one: &Access<'_>, other: &Access<'_>) -> bool {
    one.field.is_none() || other.field.is_none() || one.field == other.field
}

/// The two statements, in whatever order.
fn places(one: &Access<'_>, other: &Access<'_>) -> (usize, usize) {
    let name = |access: &Access<'_>| std::ptr::from_ref(access.site.stmt).addr();
    let (a, b) = (name(one), name(other));
    (a.min(b), a.max(b))
}
