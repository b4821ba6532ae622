//! The operators that clauses are read and printed with: those of Prolog and of library(chr).

pub(crate) use gchr_base::value::operators::{ARGUMENT, Operator, TERM, infix, is_operator, prefix};
