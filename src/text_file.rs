//! What to say about files that cannot be read.

/// What to do about a file that is not there.
pub(crate) const PROGRAM_FILE: &str = "give the path of a program file, e.g. examples/mergesort.trs";
pub(crate) const KERNEL_FILE: &str =
    "give the path of a file in the kernel language, e.g. examples/simd/rows.cu";
