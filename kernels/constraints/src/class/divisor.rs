//! Greatest common divisors: the row of a key that lives has the greatest common divisor of all values.

mod codegen;

use super::ClassKernels;
use crate::codegen::CodegenCtx;
use gchr_kernel::ir::Function;
use gchr_runtime::codegen::Sites;

/// The holes of the class.
pub(super) struct Divisors;

impl ClassKernels for Divisors {
    fn functions(&self, hole: &str, ctx: CodegenCtx<'_>, _: &mut Sites) -> Option<Vec<Function>> {
        match hole {
            "merge_row" => Some(codegen::merge_functions(ctx)),
            _ => None,
        }
    }
}
