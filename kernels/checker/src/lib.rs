//! The checker: whether a kernel may be launched, by rules that can be read.
//!
//! After a thesis on GPUCSL, a concurrent separation logic for GPU kernels with a type system for thread-ID
//! independence. [`check`] gives a [`Verdict`] for each kernel of a verified module: the rules that it breaks, with
//! places, and the assumptions that it names.
//! `docs/verification.md` says what is proved, what is assumed and what is only tested.
//!
//! - `walk`, with `statement`, `repeat`, `eval`, `effect` and `merge`: one symbolic walk over the kernel; levels of
//!   uniformity, barriers, masks, accesses;
//! - `examine`: repeats the walk over a kernel until there is a verdict; `naming`: text of verdicts;
//! - `access`, `permissions`: permissions between barriers; `disjoint`, with `solve` and `linear`: proofs by
//!   refutation;
//! - `symbol`, `provenance`, `poly`, `value`, `vars`, `state`: the domain of the walk; `model`: places and memory;
//!   `verdict`: results;
//! - `share`: parallel work on kernels and on pairs of accesses.

mod access;
mod contract;
mod disjoint;
mod effect;
mod eval;
mod examine;
mod linear;
mod merge;
mod model;
mod naming;
mod permissions;
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
mod value;
mod vars;
mod verdict;
mod walk;

use std::hash::{Hash, Hasher as _};
use std::sync::atomic::{AtomicUsize, Ordering};

use examine::KernelCheck;
use gchr_kernel::ir::*;
use share::{available, in_threads};
pub use verdict::{Assumed, Assumption, CheckStats, Location, Reason, Rule, Verdict};

/// Hashes of the sources of the checker and of the kernel language: part of the key under which a verdict is kept.
pub const IDENTITY: [&str; 2] = [env!("GCHR_SOURCES"), gchr_kernel::IDENTITY];

/// Checks all kernels of a module that [`verify`](gchr_kernel::verify) finds nothing wrong with; holes of templates may
/// be open.
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
                KernelCheck { module, function: kernel, max_threads: threads, barriers: &barriers }.verdict(),
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
