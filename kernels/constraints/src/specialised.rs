//! Specialised kernels: each follows rounds of one shape faster than the general kernel does, or computes one thing for such kernels.

pub(crate) mod product;
