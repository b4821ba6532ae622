//! Monotone replacements: values are replaced in place by the best of what rules compute.

mod codegen;

use super::ClassKernels;
use crate::codegen::CodegenCtx;
use gchr_kernel::ir::Function;
use gchr_runtime::codegen::Sites;

/// The holes of the class.
pub(super) struct Replacements;

impl ClassKernels for Replacements {
    fn functions(&self, hole: &str, ctx: CodegenCtx<'_>, sites: &mut Sites) -> Option<Vec<Function>> {
        match hole {
            "improve" => Some(codegen::improve_functions(ctx, sites)),
            "settle_row" => Some(vec![codegen::settle_row(ctx)]),
            _ => None,
        }
    }
}
