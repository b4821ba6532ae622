//! The check of one kernel: repeated walks over it until there is a verdict.
//!
//! Threads agree on an atomic load if no thread may write the element at the same time, which is costly to prove. So it
//! is proved only for the loads on which control depends at a barrier or a mask (`wanted`). All others count as
//! divergent, which is always sound. The first walk takes all loads for uniform and records on which of them control
//! depends. It misses some, because merged values hide what they are computed from; later walks find those.

use gchr_base::hash::HashSet;

use super::disjoint::Refuted;
use super::model::{Key, Root, Site};
use super::naming::Names;
use super::permissions::{PairResults, Permissions};
use super::verdict::{CheckStats, Location, Reason, Rule, Verdict};
use super::walk::{Learnt, Walk, WalkResult};
use gchr_kernel::ir::*;

/// Walks until nothing new is learnt, at most.
const MAX_WALKS: usize = 64;
/// Limits of cases for a refutation: a small one first, since most refutations that succeed need few, a large one
/// before a kernel is refused.
const FEW_CASES: usize = 6;
const MANY_CASES: usize = 64;
/// Reasons that a verdict lists.
const MAX_REASONS: usize = 32;

/// How repeated walks end.
enum Settling<T> {
    Settled(T),
    /// Rules are broken that may hold if these loads are proved uniform.
    Wants(HashSet<Key>),
    /// Too many walks.
    Unsettled,
}

/// A kernel to be checked.
#[derive(Clone, Copy)]
pub(super) struct KernelCheck<'m, 'a> {
    pub module: &'m Module,
    pub function: &'m Function,
    pub max_threads: u32,
    pub barriers: &'a [[bool; 2]],
}

impl<'m> KernelCheck<'m, '_> {
    pub fn verdict(self) -> Verdict {
        let mut refuted = Refuted::new(FEW_CASES);
        if let Some(verdict) = self.soon(&refuted) {
            return verdict;
        }
        // Before the kernel is refused, all is tried again with more cases.
        refuted.allow(MANY_CASES);
        match self.attempt(Learnt::default(), &refuted) {
            Settling::Settled(verdict) => verdict,
            Settling::Wants(_) | Settling::Unsettled => unfinished(self.module, self.function),
        }
    }

    /// The verdict if the kernel is accepted with few wanted loads and few cases per refutation.
    fn soon(&self, refuted: &Refuted) -> Option<Verdict> {
        let mut learnt = Learnt::default();
        let mut wanted = self.walk(&mut learnt).rests;
        loop {
            // A value that diverges although all loads are uniform also diverges when fewer are: levels only rise.
            let learnt = Learnt { wanted: Some(wanted.clone()), ..learnt.clone() };
            match self.attempt(learnt, refuted) {
                Settling::Settled(verdict) => return verdict.accepted().then_some(verdict),
                Settling::Unsettled => return None,
                Settling::Wants(more) => wanted.extend(more),
            }
        }
    }

    /// Checks the kernel, starting from what earlier walks have learnt.
    fn attempt(&self, mut learnt: Learnt<'m>, refuted: &Refuted) -> Settling<Verdict> {
        loop {
            let found = match self.settle(&mut learnt) {
                Settling::Settled(found) => found,
                Settling::Wants(more) => return Settling::Wants(more),
                Settling::Unsettled => return Settling::Unsettled,
            };
            let permissions = Permissions::new(&found.symbols, &found.accesses, &learnt.roots, refuted);
            let divergent_loads = permissions.divergent_loads();
            if divergent_loads.is_empty() {
                return Settling::Settled(self.judge(&learnt, &found, &permissions));
            }
            learnt.divergent_loads.extend(divergent_loads.into_iter().map(|t| (t.key, t)));
        }
    }

    /// Walks over the kernel until nothing new is learnt, or more loads are wanted.
    fn settle(&self, learnt: &mut Learnt<'m>) -> Settling<WalkResult<'m>> {
        while learnt.walks < MAX_WALKS {
            let found = self.walk(learnt);
            // Levels only rise: what is refused in one walk is refused in all later ones.
            let is_new = |key: &Key| learnt.wanted.as_ref().is_some_and(|wanted| !wanted.contains(key));
            if found.wanted.iter().any(is_new) {
                return Settling::Wants(found.wanted);
            }
            if !learnt.changed {
                return Settling::Settled(found);
            }
        }
        Settling::Unsettled
    }

    fn walk(&self, learnt: &mut Learnt<'m>) -> WalkResult<'m> {
        learnt.walks += 1;
        learnt.changed = false;
        let mut walk = Walk::new(self.module, self.max_threads, learnt, self.barriers);
        walk.kernel(self.function);
        walk.finish()
    }

    /// The verdict on what the last walk found.
    fn judge(
        &self,
        learnt: &Learnt<'m>,
        found: &WalkResult<'m>,
        permissions: &Permissions<'_, 'm>,
    ) -> Verdict {
        let names = Names { module: self.module, roots: &learnt.roots };
        let mut reasons: Vec<Reason> = found.reasons.iter().map(|r| names.reason(r)).collect();
        let mut compared = PairResults::default();
        // When the check will be repeated, it is enough to know that the kernel is refused.
        if reasons.is_empty() || learnt.wanted.is_none() {
            let handed = |root: Root| found.handed.contains(&learnt.roots[root as usize].name.as_str());
            compared = permissions.conflicts(handed);
            reasons.extend(compared.conflicts().map(|c| names.conflict(c)));
        }
        let effort = CheckStats {
            statements: found.statements,
            intervals: found.intervals as usize,
            accesses: permissions.len(),
            pairs: compared.pairs,
        };
        let omitted = reasons.len().saturating_sub(MAX_REASONS);
        reasons.truncate(MAX_REASONS);
        Verdict {
            kernel: self.function.name.clone(),
            divergent_loads: if has_divergence(&reasons) {
                names.divergent_loads(learnt.divergent_loads.values())
            } else {
                Vec::new()
            },
            reasons,
            omitted,
            assumptions: names.assumptions(&found.assumptions),
            steps: names.assumptions(&found.steps),
            effort,
        }
    }
}

/// Whether some reason is that control diverges.
fn has_divergence(reasons: &[Reason]) -> bool {
    reasons.iter().any(|r| matches!(r.rule, Rule::Barrier | Rule::GridBarrier | Rule::Mask))
}

/// The verdict on a kernel whose levels do not settle.
fn unfinished(module: &Module, kernel: &Function) -> Verdict {
    let names = Names { module, roots: &[] };
    let place = kernel.body.first().map(|stmt| names.place(Site { function: kernel, stmt }));
    let place = place.unwrap_or(Location {
        function: kernel.name.clone(),
        statement: 0,
        text: String::new(),
        line: None,
    });
    let text = format!("{MAX_WALKS} walks over the kernel did not settle what is uniform");
    Verdict {
        kernel: kernel.name.clone(),
        reasons: vec![Reason { rule: Rule::Limit, place, other: None, text }],
        omitted: 0,
        divergent_loads: Vec::new(),
        assumptions: Vec::new(),
        steps: Vec::new(),
        effort: CheckStats::default(),
    }
}
