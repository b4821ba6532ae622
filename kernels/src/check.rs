//! The checker: whether a kernel may be launched, by rules that can be read.
//!
//! After a thesis on GPUCSL, a concurrent separation logic for GPU kernels with a type system for thread-ID independence. [`check`]
//! gives a [`Verdict`] for each kernel of a verified module: the rules that it breaks, with places, and the assumptions that it names.
//! `docs/verification.md` says what is proved, what is assumed and what is only tested.
//!
//! - `walk`, with `statement`, `repeat`, `eval`, `effect` and `merge`: one symbolic walk over the kernel; levels of uniformity, barriers, masks, accesses;
//! - `access`: permissions between barriers; `apart`, with `solve` and `linear`: by refutation;
//! - `share`: kernels and pairs, each by several threads; `symbol`, `poly`, `state`: what the walk computes with; `verdict`: what comes out.

mod access;
mod apart;
mod contract;
mod effect;
mod eval;
mod linear;
mod merge;
mod poly;
mod repeat;
mod share;
mod solve;
mod state;
mod statement;
mod symbol;
#[cfg(test)]
mod tests;
mod verdict;
mod walk;

use std::hash::{Hash, Hasher as _};
use std::sync::atomic::{AtomicUsize, Ordering};

use gchr_core::hash::{HashMap, HashSet};

use crate::ir::*;
use crate::text::print::print_statement;
use access::{Conflict, Found, Kind, Pair, Permissions};
use apart::Refuted;
use share::{available, in_threads};
use state::{Root, Site};
pub use verdict::{Assumed, Assumption, Effort, Place, Reason, Rule, Verdict};
use walk::{Key, Learnt, Walk};

/// What verdicts rest on, as a name: it changes with the sources of this crate. Who keeps a verdict keeps it under this name.
pub const IDENTITY: &str = env!("GCHR_CHECKER");

/// Walks until nothing new is learnt, at most.
const MAX_WALKS: usize = 64;
/// Cases that a refutation looks at: few at first, as those that succeed need few, then many before a kernel is refused.
const FEW_CASES: usize = 6;
const MANY_CASES: usize = 64;
/// Reasons that a verdict lists.
const MAX_REASONS: usize = 32;

/// Checks all kernels of a module that [`verify`](crate::verify) finds nothing wrong with; holes of templates may be open.
pub fn check(module: &Module) -> Vec<Verdict> {
    let barriers = contract::barriers_of(module);
    let kernels = module.functions.iter().filter_map(|function| match function.kind {
        FunctionKind::Kernel { max_threads, .. } => Some((function, max_threads)),
        _ => None,
    });
    let kernels: Vec<(&Function, u32)> = kernels.collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut verdicts = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(kernel, threads)) = kernels.get(at) else { break verdicts };
            verdicts.push((at, check_kernel(module, kernel, threads, &barriers)));
        }
    };
    let shares = in_threads(kernels.len().clamp(1, available()), work);
    let mut verdicts: Vec<(usize, Verdict)> = shares.into_iter().flatten().collect();
    verdicts.sort_unstable_by_key(|(at, _)| *at);
    verdicts.into_iter().map(|(_, verdict)| verdict).collect()
}

fn check_kernel<'m>(
    module: &'m Module,
    kernel: &'m Function,
    max_threads: u32,
    barriers: &[[bool; 2]],
) -> Verdict {
    let mut refuted = Refuted::new(FEW_CASES);
    let mut check = |wanted: Option<&HashSet<Key>>, cases| {
        refuted.allow(cases);
        attempt(module, kernel, max_threads, barriers, &refuted, wanted)
    };
    let mut wanted = HashSet::default();
    loop {
        let (verdict, more) = check(Some(&wanted), FEW_CASES);
        if verdict.accepted() {
            return verdict;
        }
        let known = wanted.len();
        wanted.extend(more);
        if wanted.len() == known {
            break;
        }
    }
    check(None, MANY_CASES).0
}

/// Checks a kernel. Threads agree on an atomic load when nobody writes meanwhile: whether that is so is looked at closely for the loads
/// that are wanted, `None` for all. Also gives the loads that would be wanted for more rules to be kept.
fn attempt<'m>(
    module: &'m Module,
    kernel: &'m Function,
    max_threads: u32,
    barriers: &[[bool; 2]],
    refuted: &Refuted,
    wanted: Option<&HashSet<Key>>,
) -> (Verdict, Vec<Key>) {
    let mut learnt = Learnt::default();
    for _ in 0..MAX_WALKS {
        learnt.changed = false;
        let mut walk = Walk::new(module, max_threads, &mut learnt, barriers);
        walk.kernel(kernel);
        let found = walk.finish();
        if learnt.changed {
            continue;
        }
        let spaces = |root: Root| learnt.roots[root as usize].space;
        let permissions =
            Permissions::new(&found.symbols, found.accesses, learnt.roots.len(), &spaces, refuted);
        let torn = permissions.torn(|key| wanted.is_none_or(|wanted| wanted.contains(&key)));
        if !torn.is_empty() {
            learnt.torn.extend(torn.into_iter().map(|t| (t.key, t)));
            continue;
        }
        let names = Names { module, roots: &learnt.roots };
        let mut reasons: Vec<Reason> = found.reasons.iter().map(|r| names.reason(r)).collect();
        // What is refused now is looked at again.
        let mut apart = Found::default();
        if reasons.is_empty() || wanted.is_none() {
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
        let verdict = Verdict {
            kernel: kernel.name.clone(),
            torn: if parts(&reasons) { names.torn(learnt.torn.values()) } else { Vec::new() },
            reasons,
            omitted,
            assumptions: names.assumptions(&found.assumptions),
            steps: names.assumptions(&found.steps),
            effort,
        };
        return (verdict, found.wanted);
    }
    (unfinished(module, kernel), Vec::new())
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

/// Gives places and memory their names.
struct Names<'a> {
    module: &'a Module,
    roots: &'a [walk::Memory],
}

impl Names<'_> {
    fn place(&self, site: Site<'_>) -> Place {
        let mut statement = 0;
        let mut count = 0;
        flow::each_statement(&site.function.body, &mut |stmt| {
            if std::ptr::eq(stmt, site.stmt) {
                statement = count;
            }
            count += 1;
        });
        Place {
            function: site.function.name.clone(),
            statement,
            text: print_statement(self.module, site.function, &site.stmt.kind),
            line: site.stmt.origin.line,
        }
    }

    fn reason(&self, (rule, site, other, text): &walk::Refusal<'_>) -> Reason {
        Reason {
            rule: *rule,
            place: self.place(*site),
            other: other.map(|o| self.place(o)),
            text: text.clone(),
        }
    }

    fn conflict(&self, conflict: &Conflict<'_, '_>) -> Reason {
        let Conflict { pair, one, other } = conflict;
        let memory = &self.roots[one.root as usize].name;
        let (who, between) = match pair {
            Pair::Block => ("two threads of a block", "barrier of the block"),
            Pair::Grid => ("threads of two blocks", "barrier of the grid"),
        };
        let (rule, text) = if one.kind == Kind::Claim {
            (Rule::HandOver, format!("{who} may both claim to own an element of `{memory}`"))
        } else {
            let rule = if *pair == Pair::Block { Rule::BlockPermission } else { Rule::GridPermission };
            let what = format!("{} and {}", one.kind.name(), other.kind.name());
            (
                rule,
                format!("{who} may touch one element of `{memory}` ({what}) without a {between} in between"),
            )
        };
        let same = std::ptr::eq(one.site.stmt, other.site.stmt);
        let other = (!same).then(|| self.place(other.site));
        Reason { rule, place: self.place(one.site), other, text }
    }

    /// Atomic loads that threads may not agree on, with what is stored meanwhile, in the order of the text.
    fn torn<'m>(&self, torn: impl Iterator<Item = &'m access::Torn<'m>>) -> Vec<(Place, Place)> {
        let mut all: Vec<(Place, Place)> = torn.map(|t| (self.place(t.load), self.place(t.store))).collect();
        all.sort_unstable_by(|(a, _), (b, _)| (&a.function, a.statement).cmp(&(&b.function, b.statement)));
        all.dedup();
        all
    }

    fn assumptions(&self, stated: &[(String, Assumed, Site<'_>)]) -> Vec<Assumption> {
        let mut all: Vec<Assumption> = Vec::new();
        let mut known: HashMap<(&str, &Assumed), (usize, Vec<usize>)> = HashMap::default();
        for (name, kind, site) in stated {
            let address = std::ptr::from_ref(site.stmt).addr();
            let (at, places) = known.entry((name, kind)).or_insert_with(|| {
                all.push(Assumption {
                    name: name.clone(),
                    kind: kind.clone(),
                    place: self.place(*site),
                    places: 0,
                });
                (all.len() - 1, Vec::new())
            });
            if !places.contains(&address) {
                places.push(address);
                all[*at].places += 1;
            }
        }
        all
    }
}

/// A number for a place in the walk.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = gchr_core::hash::FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
