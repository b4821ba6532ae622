//! Permissions: whether the accesses of two threads between two barriers can meet.
//!
//! After the Block and Grid rules of the thesis (section 2.2.2, figure 2.9): the permissions that threads hold in an
//! interval add up to at most the whole. Two accesses, one of which writes, are disjoint when the facts known of both
//! threads contradict that they touch the same element.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gchr_base::hash::HashSet;

use super::access::{Access, AccessKind, Conflict, DivergentLoad, Pair};
use super::disjoint::{Prover, Refuted};
use super::model::{Memory, Root};
use super::poly::Poly;
use super::share::{available, in_threads};
use super::symbol::Symbols;
use gchr_kernel::ir::Space;

/// Accesses per thread: fewer do not justify starting one.
const ACCESSES_A_THREAD: usize = 200;

/// The accesses of a kernel.
pub(super) struct Permissions<'a, 'm> {
    symbols: &'a Symbols,
    roots: &'a [Memory],
    /// Accesses without repetitions, by memory.
    by_root: Vec<Vec<&'a Access<'m>>>,
    /// Claims that depend on data, by address.
    on_data: HashSet<usize>,
    refuted: &'a Refuted,
}

/// Conflicts among all pairs.
#[derive(Default)]
pub(super) struct PairResults<'a, 'm> {
    /// Accesses that may meet, one for each two statements, each with the number of the task that it came up in.
    conflicts: Vec<(usize, Conflict<'a, 'm>)>,
    /// Pairs for which a proof was tried.
    pub pairs: usize,
}

impl<'a, 'm> PairResults<'a, 'm> {
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
        let claims = by_root.iter().flatten().filter(|access| access.kind == AccessKind::Claim);
        let on_data = claims.filter(|claim| depends_on_data(symbols, claim));
        let on_data = on_data.map(|claim| std::ptr::from_ref(*claim).addr()).collect();
        Self { symbols, roots, by_root, on_data, refuted }
    }

    /// Number of different accesses.
    pub fn len(&self) -> usize {
        self.by_root.iter().map(Vec::len).sum()
    }

    /// Accesses that may meet; one for each two statements.
    pub fn conflicts(&self, handed: impl Fn(Root) -> bool) -> PairResults<'_, 'm> {
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
            PairResults::default(),
            |mut all, part| {
                all.conflicts.extend(part.conflicts);
                all.pairs += part.pairs;
                all
            },
        );
        // Independent of the speed of threads: of conflicts at the same places the first one is reported.
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
    fn work<'t>(&self, tasks: &[Task<'t, '_, 'm>], next: &AtomicUsize) -> PairResults<'t, 'm> {
        let mut prover = Prover::new(self.symbols, self.refuted);
        let mut found = PairResults::default();
        let mut reported = HashSet::default();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(Task { one, others, pairs }) = tasks.get(at) else { break };
            for &other in others.iter().copied().flatten() {
                let places = places(one, other);
                if !self.matters(one, other) || reported.contains(&places) {
                    continue;
                }
                if let Some(&pair) = pairs.iter().find(|&&pair| !prover.are_disjoint(one, other, pair)) {
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

    /// Atomic loads that were taken for uniform although a thread may write the element at the same time.
    pub fn divergent_loads(&self) -> Vec<DivergentLoad<'m>> {
        let mut prover = Prover::new(self.symbols, self.refuted);
        let mut divergent_loads = Vec::new();
        for root in 0..self.by_root.len() {
            let accesses = &self.by_root[root];
            let pairs = self.pairs_of(root);
            for load in accesses {
                if !load.uniform {
                    continue;
                }
                let writes = accesses.iter().filter(|a| a.kind.writes() && overlap(load, a));
                for write in writes {
                    if pairs.iter().any(|&pair| !prover.are_disjoint(load, write, pair)) {
                        divergent_loads.push(DivergentLoad {
                            key: load.key,
                            load: load.site,
                            store: write.site,
                        });
                        break;
                    }
                }
            }
        }
        divergent_loads
    }

    fn pairs_of(&self, root: usize) -> &'static [Pair] {
        match self.roots[root].space {
            Space::Shared => &[Pair::Block],
            _ => &[Pair::Block, Pair::Grid],
        }
    }

    /// Whether two accesses would be a race on the same element.
    fn matters(&self, one: &Access<'m>, other: &Access<'m>) -> bool {
        let claims = (one.kind == AccessKind::Claim, other.kind == AccessKind::Claim);
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

/// Whether the index of an access or its path condition depends on data.
fn depends_on_data(symbols: &Symbols, access: &Access<'_>) -> bool {
    let on_data = |p: &Poly| symbols.depends_on_data(&symbols.expand(p));
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

/// The two statements, as an unordered pair.
fn places(one: &Access<'_>, other: &Access<'_>) -> (usize, usize) {
    let name = |access: &Access<'_>| std::ptr::from_ref(access.site.stmt).addr();
    let (a, b) = (name(one), name(other));
    (a.min(b), a.max(b))
}
