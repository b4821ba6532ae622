//! The checker: whether a kernel may be launched, by rules that can be read.
//!
//! After a thesis on GPUCSL, a concurrent separation logic for GPU kernels with a type system for thread-ID independence. [`check`]
//! gives a [`Verdict`] for each kernel of a verified module: the rules that it breaks, with places, and the assumptions that it names.
//! `docs/verification.md` says what is proved, what is assumed and what is only tested.
//!
//! - `walk`, with `statement`, `repeat`, `eval`, `effect` and `merge`: one symbolic walk over the kernel; levels of uniformity, barriers, masks, accesses;
//! - `examine`: how often a kernel is walked over, and what is looked at closely; `naming`: places and memory as verdicts say them;
//! - `access`: permissions between barriers; `disjoint`, with `solve` and `linear`: by refutation;
//! - `share`: kernels and pairs, each by several threads; `symbol`, `provenance`, `poly`, `state`, `vars`: what the walk computes with; `verdict`: what comes out.

mod access;
mod contract;
mod disjoint;
mod effect;
mod eval;
mod examine;
mod linear;
mod merge;
mod naming;
mod poly;
mod provenance;
mod repeat;
mod share;
mod solve;
mod state;
mod statement;
mod symbol;
#[cfg(test)]
mod tests;
mod vars;
mod verdict;
mod walk;

use std::hash::{Hash, Hasher as _};
use std::sync::atomic::{AtomicUsize, Ordering};

use examine::Kernel;
use gchr_kernel::ir::*;
use share::{available, in_threads};
pub use verdict::{Assumed, Assumption, Effort, Place, Reason, Rule, Verdict};

/// What verdicts rest on, as names: they change with the sources of the checker and of the kernel language. A verdict is kept under them.
pub const IDENTITY: [&str; 2] = [env!("GCHR_SOURCES"), gchr_kernel::IDENTITY];

/// Checks all kernels of a module that [`verify`](gchr_kernel::verify) finds nothing wrong with; holes of templates may be open.
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
            verdicts.push((
                at,
                Kernel { module, function: kernel, max_threads: threads, barriers: &barriers }.verdict(),
            ));
        }
    };
    let shares = in_threads(kernels.len().clamp(1, available()), work);
    let mut verdicts: Vec<(usize, Verdict)> = shares.into_iter().flatten().collect();
    verdicts.sort_unstable_by_key(|(at, _)| *at);
    verdicts.into_iter().map(|(_, verdict)| verdict).collect()
}

/// A number for a place in the walk.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = gchr_base::hash::FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
