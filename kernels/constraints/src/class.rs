//! Kernels of the rule classes that `gchr_constraints::class` recognises: one folder per class, under the names that it
//! has there.
//!
//! That crate also has what the CPU does with a class; it knows no kernels, hence the mirrored folders. A class fills
//! holes of the template `rounds.cu` as [`ClassKernels`]; [`ALL`] is the only list of them. Monotone tables have
//! kernels of their own instead ([`specialised`](crate::specialised)).

mod divisor;
mod reduction;
mod replacement;

use crate::codegen::CodegenCtx;
use gchr_kernel::ir::Function;
use gchr_runtime::codegen::Sites;

/// What a class generates.
trait ClassKernels: Sync {
    /// The functions for a hole of the template; `None` for one that is not of this class.
    fn functions(&self, hole: &str, ctx: CodegenCtx<'_>, sites: &mut Sites) -> Option<Vec<Function>>;
}

/// All classes with holes.
const ALL: [&dyn ClassKernels; 3] = [&reduction::Reductions, &divisor::Divisors, &replacement::Replacements];

/// The functions for a hole of some class; `None` for one of no class.
pub(crate) fn functions(hole: &str, ctx: CodegenCtx<'_>, sites: &mut Sites) -> Option<Vec<Function>> {
    ALL.iter().find_map(|class| class.functions(hole, ctx, sites))
}
