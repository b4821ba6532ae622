//! Least and greatest value of a column (`range.cu`): what fast paths look at before they start.

mod run;

pub(crate) use run::ranges;

use super::{Source, SpecialisedKernel, has_fast_path};
use crate::templates;
use gchr_base::diagnostic::Diagnostic;
use gchr_kernel::ir::Module;
use gchr_kernel::template::{self, Holes};
use gchr_runtime::codegen::Sites;

/// The kernel of the template.
pub(super) struct ColumnRange;

impl SpecialisedKernel for ColumnRange {
    fn is_wanted(&self, source: Source<'_>) -> bool {
        has_fast_path(source)
    }

    fn add(&self, module: &mut Module, _: Source<'_>, _: &mut Sites) -> Result<(), Vec<Diagnostic>> {
        template::instantiate(module, &templates::RANGE, &Holes { kernels: true, ..Holes::default() })?;
        Ok(())
    }
}
