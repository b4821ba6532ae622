//! Monotone replacements: values are replaced in place by the best of what rules compute.

pub(crate) mod codegen;
