//! The parameters that are known inside of functions without names.

use gchr_base::ids::IdVec;
use gchr_base::rule::{Var, VarId};

use crate::ast::Name;
use crate::check::builders::Resolved;
use crate::check::types::Ty;

/// The parameters of the functions without names around a term.
#[derive(Default)]
pub(super) struct Open {
    /// What they are called, innermost last; of a sort that is wrong nothing is known.
    pub names: Vec<(Name, VarId, Option<Ty>)>,
    /// Where those of each function begin.
    pub starts: Vec<usize>,
    /// The variables of the rule and of all functions without names so far, once there is one.
    pub vars: Option<IdVec<VarId, Var>>,
}

impl Open {
    /// Whether a name is that of a parameter.
    pub fn knows(&self, name: Name) -> bool {
        self.names.iter().any(|(known, ..)| *known == name)
    }

    /// A parameter, and its sort; `None` where this is not known.
    pub fn find(&self, name: Name) -> Option<(Resolved, Ty)> {
        let (_, var, ty) = self.names.iter().rev().find(|(known, ..)| *known == name)?;
        Some((Resolved::Var(*var), (*ty)?))
    }
}
