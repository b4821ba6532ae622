//! One kernel: how often it is walked over, and what is looked at closely, until there is a verdict.
//!
//! That threads agree on an atomic load rests on nobody writing meanwhile, which is costly to refute. So it is looked at closely only for
//! the loads that are wanted: those on which control parts above a barrier or a mask. All others count as different in all threads,
//! which is never wrong. The first walk takes all loads for uniform and notes on which of them control rests; what it misses, as values
//! that are joined hide what they are computed from, comes out of the walks behind it.

use gchr_base::hash::HashSet;

use super::access::{Found as Apart, Permissions};
use super::disjoint::Refuted;
use super::naming::Names;
use super::state::{Root, Site};
use super::verdict::{Effort, Place, Reason, Rule, Verdict};
use super::walk::{Found, Key, Learnt, Walk};
use gchr_kernel::ir::*;

/// Walks until nothing new is learnt, at most.
const MAX_WALKS: usize = 64;
/// Cases that a refutation looks at: few at first, as those that succeed need few, then many before a kernel is refused.
const FEW_CASES: usize = 6;
const MANY_CASES: usize = 64;
/// Reasons that a verdict lists.
const MAX_REASONS: usize = 32;

/// What walks came to.
enum Ended<T> {
    Settled(T),
    /// Rules are broken that may hold if these loads are looked at closely.
    Wants(HashSet<Key>),
    /// Too many walks.
    Unsettled,
}

/// A kernel to be checked.
#[derive(Clone, Copy)]
pub(super) struct Kernel<'m, 'a> {
    pub module: &'m Module,
    pub function: &'m Function,
    pub max_threads: u32,
    pub barriers: &'a [[bool; 2]],
}

impl<'m> Kernel<'m, '_> {
    pub fn verdict(self) -> Verdict {
        let mut refuted = Refuted::new(FEW_CASES);
        if let Some(verdict) = self.soon(&refuted) {
            return verdict;
        }
        // What is refused now is looked at again.
        refuted.allow(MANY_CASES);
        match self.attempt(Learnt::default(), &refuted) {
            Ended::Settled(verdict) => verdict,
            Ended::Wants(_) | Ended::Unsettled => unfinished(self.module, self.function),
        }
    }

    /// The verdict when the kernel is accepted with few loads looked at and few cases a refutation.
    fn soon(&self, refuted: &Refuted) -> Option<Verdict> {
        let mut learnt = Learnt::default();
        let mut wanted = self.walk(&mut learnt).rests;
        loop {
            // What is not uniform when all loads are is not when fewer are: levels go on rising.
            let learnt = Learnt { wanted: Some(wanted.clone()), ..learnt.clone() };
            match self.attempt(learnt, refuted) {
                Ended::Settled(verdict) => return verdict.accepted().then_some(verdict),
                Ended::Unsettled => return None,
                Ended::Wants(more) => wanted.extend(more),
            }
        }
    }

    /// Checks the kernel, of which this is known.
    fn attempt(&self, mut learnt: Learnt<'m>, refuted: &Refuted) -> Ended<Verdict> {
        loop {
            let found = match self.settle(&mut learnt) {
                Ended::Settled(found) => found,
                Ended::Wants(more) => return Ended::Wants(more),
                Ended::Unsettled => return Ended::Unsettled,
            };
            let permissions = Permissions::new(&found.symbols, &found.accesses, &learnt.roots, refuted);
            let torn = permissions.torn();
            if torn.is_empty() {
                return Ended::Settled(self.judge(&learnt, &found, &permissions));
            }
            learnt.torn.extend(torn.into_iter().map(|t| (t.key, t)));
        }
    }

    /// Walks over the kernel until nothing new is learnt, or it turns out that more loads are wanted.
    fn settle(&self, learnt: &mut Learnt<'m>) -> Ended<Found<'m>> {
        while learnt.walks < MAX_WALKS {
            let found = self.walk(learnt);
            // Levels only rise: what is refused in one walk is refused in those behind it.
            let is_new = |key: &Key| learnt.wanted.as_ref().is_some_and(|wanted| !wanted.contains(key));
            if found.wanted.iter().any(is_new) {
                return Ended::Wants(found.wanted);
            }
            if !learnt.changed {
                return Ended::Settled(found);
            }
        }
        Ended::Unsettled
    }

    fn walk(&self, learnt: &mut Learnt<'m>) -> Found<'m> {
        learnt.walks += 1;
        learnt.changed = false;
        let mut walk = Walk::new(self.module, self.max_threads, learnt, self.barriers);
        walk.kernel(self.function);
        walk.finish()
    }

    /// The verdict on what the last walk found.
    fn judge(&self, learnt: &Learnt<'m>, found: &Found<'m>, permissions: &Permissions<'_, 'm>) -> Verdict {
        let names = Names { module: self.module, roots: &learnt.roots };
        let mut reasons: Vec<Reason> = found.reasons.iter().map(|r| names.reason(r)).collect();
        let mut apart = Apart::default();
        // Of a kernel that is looked at again it is enough to know that it is refused.
        if reasons.is_empty() || learnt.wanted.is_none() {
            let handed = |root: Root| found.handed.contains(&learnt.roots[root as usize].name.as_str());
            apart = permissions.conflicts(handed);
            reasons.extend(apart.conflicts().map(|c| names.conflict(c)));
        }
        let effort = Effort {
            statements: found.statements,
            intervals: found.intervals as usize,
            accesses: permissions.len(),
            pairs: apart.pairs,
        };
        let omitted = reasons.len().saturating_sub(MAX_REASONS);
        reasons.truncate(MAX_REASONS);
        Verdict {
            kernel: self.function.name.clone(),
            torn: if parts(&reasons) { names.torn(learnt.torn.values()) } else { Vec::new() },
            reasons,
            omitted,
            assumptions: names.assumptions(&found.assumptions),
            steps: names.assumptions(&found.steps),
            effort,
        }
    }
}

/// Whether some reason is that control parts.
fn parts(reasons: &[Reason]) -> bool {
    reasons.iter().any(|r| matches!(r.rule, Rule::Barrier | Rule::GridBarrier | Rule::Mask))
}

/// The verdict on a kernel whose levels do not settle.
fn unfinished(module: &Module, kernel: &Function) -> Verdict {
    let names = Names { module, roots: &[] };
    let place = kernel.body.first().map(|stmt| names.place(Site { function: kernel, stmt }));
    let place = place.unwrap_or(Place {
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
        torn: Vec::new(),
        assumptions: Vec::new(),
        steps: Vec::new(),
        effort: Effort::default(),
    }
}
