//! Makes patterns linear: a variable that occurs again gets a fresh name and an equality.

use gchr_base::rule::{Const, Pattern as Written, PatternKind, VarId};
use gchr_base::signature::SortId;

use super::{HeadId, Pattern};

/// Patterns of one rule on their way.
pub(super) struct Split<'a> {
    heads: &'a [HeadId],
    seen: Vec<bool>,
    /// Pairs of variables that must be bound to equal values, with their sort.
    pub equal: Vec<(VarId, VarId, SortId)>,
}

impl<'a> Split<'a> {
    /// For a rule with so many variables; `heads` are those of the symbols.
    pub fn new(heads: &'a [HeadId], vars: usize) -> Self {
        Self { heads, seen: vec![false; vars], equal: Vec::new() }
    }

    /// How many variables there are by now.
    pub fn vars(&self) -> u32 {
        (self.seen.len() + self.equal.len()) as u32
    }

    pub fn pattern(&mut self, pattern: &Written) -> Pattern {
        match &pattern.kind {
            PatternKind::Wild => Pattern::Any,
            PatternKind::Var(var) if std::mem::replace(&mut self.seen[var.0 as usize], true) => {
                let copy = VarId(self.vars());
                self.equal.push((*var, copy, pattern.sort));
                Pattern::Bind(copy)
            }
            PatternKind::Var(var) => Pattern::Bind(*var),
            PatternKind::Const(Const::Float(x)) => Pattern::Float(x.to_bits()),
            PatternKind::Const(Const::Int(n)) => Pattern::Int(*n),
            PatternKind::Const(_) => unreachable!("term programs have numbers only as constants"),
            PatternKind::App { symbol, args } => {
                let args = args.iter().map(|a| self.pattern(a)).collect();
                Pattern::App(self.heads[symbol.0 as usize], args)
            }
        }
    }
}
