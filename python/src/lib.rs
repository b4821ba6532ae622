//! The extension module of the Python package `gchr`: sessions, what runs give, tables of Arrow, terms.
//!
//! Nothing of a session leaves its thread ([`runner`]) but plain data, so the interpreter is free while a program runs,
//! and a signal is heard.

mod errors;
mod runner;
mod session;
mod tables;
mod terms;

use pyo3::prelude::*;

/// What the Python package is made of.
#[pymodule]
mod _gchr {
    #[pymodule_export]
    use super::errors::{Diagnostic, GchrError, ProgramError, RunError, TableError, made_table_error};
    #[pymodule_export]
    use super::session::{Answer, Reply, Session};
    #[pymodule_export]
    use super::tables::{Table, table_of_columns};
    #[pymodule_export]
    use super::terms::Term;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
