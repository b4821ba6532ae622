//! The best row of a batch for a table of which one constraint stays (`best.cu`).

mod run;

use super::{Source, SpecialisedKernel};
use crate::templates;
use gchr_base::diagnostic::Diagnostic;
use gchr_kernel::ir::Module;
use gchr_kernel::template::{self, Holes};
use gchr_runtime::codegen::Sites;

/// The kernel of the template.
pub(super) struct BestRow;

impl SpecialisedKernel for BestRow {
    fn is_wanted(&self, source: Source<'_>) -> bool {
        source.layout.tables.iter().any(|t| t.reduced_to_one)
    }

    fn add(&self, module: &mut Module, _: Source<'_>, _: &mut Sites) -> Result<(), Vec<Diagnostic>> {
        template::instantiate(module, &templates::BEST, &Holes { kernels: true, ..Holes::default() })?;
        Ok(())
    }
}
