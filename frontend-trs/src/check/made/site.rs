//! The place of a term: what its parts refer to.

use gchr_base::ids::IdVec;
use gchr_base::rule::{Var, VarId};
use num_bigint::BigInt;

use crate::check::scope::Scope;

/// Where a term stands.
pub(crate) struct Site<'v, 'a> {
    pub scope: &'v mut Scope<'a>,
    /// The variables of its rule.
    pub vars: &'v IdVec<VarId, Var>,
    /// Integers of the term that are no constants.
    pub large: &'v [BigInt],
}
