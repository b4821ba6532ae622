//! Specialised kernels: each follows rounds of one shape faster than the general kernel does, or computes one thing for
//! such kernels.
//!
//! One folder per specialisation, with the choice of its kernels and their host code. [`ALL`] is the only list of them.
//! What can be specialised is decided in the plan; when a launch takes a fast path is decided in [`run`](crate::run).

mod best_row;
pub(crate) mod fast_path;
pub(crate) mod monotone;
pub(crate) mod product;
pub(crate) mod range;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::Program;
use gchr_base::source::SourceMap;
use gchr_constraints::plan::ChrPlan;

use crate::contract::Parts;
use crate::layout::Layout;
use gchr_kernel::ir::Module;
use gchr_runtime::codegen::Sites;
use monotone::MonotoneKernels;

/// What specialised kernels are generated from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub program: &'a Program,
    pub plan: &'a ChrPlan,
    pub layout: &'a Layout,
    pub sources: &'a SourceMap,
    pub parts: Parts,
}

/// One specialisation.
pub(crate) trait SpecialisedKernel: Sync {
    /// Whether the program has a use for its kernels.
    fn is_wanted(&self, source: Source<'_>) -> bool;
    /// Adds its kernels to a module that holds the general ones.
    fn add(&self, module: &mut Module, source: Source<'_>, sites: &mut Sites) -> Result<(), Vec<Diagnostic>>;
}

/// All specialisations, in the order in which their kernels are added.
const ALL: [&dyn SpecialisedKernel; 4] =
    [&MonotoneKernels, &best_row::BestRow, &product::Products, &range::ColumnRange];

/// Adds all specialised kernels that a program has a use for.
pub(crate) fn add(module: &mut Module, source: Source<'_>, sites: &mut Sites) -> Result<(), Vec<Diagnostic>> {
    let mut wanted = ALL.iter().filter(|kernel| kernel.is_wanted(source));
    wanted.try_for_each(|kernel| kernel.add(module, source, sites))
}

/// Which templates the finished module of a program has.
pub(crate) fn parts(source: Source<'_>) -> Parts {
    Parts {
        monotone: MonotoneKernels.is_wanted(source),
        best_row: best_row::BestRow.is_wanted(source),
        column_range: range::ColumnRange.is_wanted(source),
        ..source.parts
    }
}

/// Whether the rounds of a program have a fast path.
pub(crate) fn has_fast_path(source: Source<'_>) -> bool {
    MonotoneKernels.is_wanted(source) || product::Products.is_wanted(source)
}
