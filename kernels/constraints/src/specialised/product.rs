//! Monotone replacements whose rounds are products of matrices over (min, +) or (max, +) (`product.cu`).

mod run;

pub(crate) use run::Product;

use super::{Source, SpecialisedKernel};
use crate::templates;
use gchr_base::diagnostic::Diagnostic;
use gchr_kernel::ir::{Literal, Module, Scalar};
use gchr_kernel::template::{self, Holes};
use gchr_runtime::codegen::Sites;

/// What the template `product` computes with: prefix of its kernels, type, byte of which a value that is absent
/// consists, and the bound of values.
pub(crate) const WIDTHS: [(&str, Scalar, u8, u64); 2] =
    [("narrow", Scalar::I32, 0x20, 1 << 28), ("wide", Scalar::I64, 0x20, 1 << 60)];

/// The kernels of `product.cu` for both widths of values.
pub(super) struct Products;

impl SpecialisedKernel for Products {
    fn is_wanted(&self, source: Source<'_>) -> bool {
        source.plan.classes.replacements.iter().any(|r| r.product.is_ok())
    }

    fn add(&self, module: &mut Module, _: Source<'_>, _: &mut Sites) -> Result<(), Vec<Diagnostic>> {
        for (prefix, scalar, byte, most) in WIDTHS {
            let bytes = if scalar == Scalar::I32 { 4 } else { 8 };
            let absent = (0..bytes).fold(0, |word, _| word << 8 | u64::from(byte));
            let constants = [("ABSENT", Literal::Int(absent)), ("MOST", Literal::Int(most))];
            let types = [("T", scalar)];
            let holes =
                Holes { prefix, types: &types, constants: &constants, kernels: true, ..Holes::default() };
            template::instantiate(module, &templates::PRODUCT, &holes)?;
        }
        Ok(())
    }
}
