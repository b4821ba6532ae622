//! Kernels of the rule classes that `gchr_constraints::class` recognises: one folder per class, under the names that it has there.
//!
//! That crate also has what the CPU does with a class; it knows no kernels, hence the mirrored folders.

pub(crate) mod monotone;
pub(crate) mod reduction;
pub(crate) mod replacement;
