//! Facts in bulk: constraints given as columns, added to the store before the queries.

use crate::signature::{ConstraintId, TextId};

/// Rows of one constraint symbol, column by column.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// Whose rows these are.
    pub constraint: ConstraintId,
    /// One vector a column, all of the same length; each fits its column's sort, or the sort is `Any`.
    pub columns: Vec<FactColumn>,
    /// Number of rows (also for a constraint without columns).
    pub rows: usize,
}

/// Values of one column.
#[derive(Clone, PartialEq, Debug)]
pub enum FactColumn {
    /// Integers.
    Int(Vec<i64>),
    /// Floats.
    Float(Vec<f64>),
    /// Atoms.
    Atom(Vec<TextId>),
    /// Strings.
    Str(Vec<TextId>),
}
