//! The result of a program.

use gchr_constraints::exec::Store;
use gchr_terms::exec::NormalForm;

/// The result of a program.
#[derive(Debug)]
pub enum Answer {
    /// Of a term program.
    NormalForm(NormalForm),
    /// Of a constraint program: the final store.
    Store(Store),
}
