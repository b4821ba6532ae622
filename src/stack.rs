//! The large stack, for callers of the parts of the compiler that recurse over rules.

pub use gchr_base::stack::with_large_stack;
