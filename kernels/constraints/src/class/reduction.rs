//! Reductions: rows meet those of their key when they are put into a table. Greatest common divisors meet theirs in the
//! same way.

pub(super) mod codegen;

use super::ClassKernels;
use crate::codegen::CodegenCtx;
use gchr_kernel::ir::Function;
use gchr_runtime::codegen::Sites;

/// The holes of the class.
pub(super) struct Reductions;

impl ClassKernels for Reductions {
    fn functions(&self, hole: &str, ctx: CodegenCtx<'_>, _: &mut Sites) -> Option<Vec<Function>> {
        match hole {
            "reduce_row" => Some(codegen::reduce_functions(ctx)),
            _ => None,
        }
    }
}
