//! What the plan says of classes of rules: which rules belong to one, and its columns and keys.
//!
//! `docs/semantics.md` defines what each class means; the folders of [`crate::class`] recognise, explain, verify and
//! execute them.

use std::cmp::Ordering;

use gchr_base::ids::IdVec;
use gchr_base::rule::{Expr, RuleId};
use gchr_base::signature::{ConstraintId, SortKind};

use super::{ChrPlan, Occurrence};

/// The classes of a program's rules.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Classes {
    /// At most one per symbol.
    pub reductions: Vec<Reduction>,
    /// At most one per symbol, which has no other class.
    pub divisors: Vec<Divisor>,
    /// At most one per rule; all of one symbol have the same value column and the same [`Best::order`].
    pub replacements: Vec<Replacement>,
    /// One entry a rule.
    pub verdicts: IdVec<RuleId, Verdict>,
}

/// Which value is best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Best {
    /// Column of the value: integers or floats.
    pub column: usize,
    /// What is sought.
    pub order: BestOrder,
}

impl Best {
    /// Whether a value is strictly better than another, both words of a column of this kind.
    pub fn is_better(self, kind: SortKind, a: u64, b: u64) -> bool {
        let order = match kind {
            SortKind::Float => f64::from_bits(a).partial_cmp(&f64::from_bits(b)).unwrap_or(Ordering::Equal),
            _ => (a as i64).cmp(&(b as i64)),
        };
        match self.order {
            BestOrder::Least => order.is_lt(),
            BestOrder::Greatest => order.is_gt(),
        }
    }
}

/// Whether small or great values are good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BestOrder {
    /// The least is best.
    Least,
    /// The greatest is best.
    Greatest,
}

/// What became of a rule.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// A reduction: an entry of [`Classes::reductions`].
    Reduction(usize),
    /// A monotone replacement: an entry of [`Classes::replacements`].
    Replacement(usize),
    /// One of the two rules of an entry of [`Classes::divisors`].
    Divisor(usize),
    /// None of them: its instances are found and fire one by one.
    General {
        /// Why it is no reduction.
        no_reduction: String,
        /// Why it is no replacement.
        no_replacement: String,
        /// Why it finds no greatest common divisors, if it takes remainders.
        no_divisor: Option<String>,
    },
}

impl Verdict {
    /// Whether the instances of the rule are candidates of rounds.
    pub fn is_general(&self) -> bool {
        matches!(self, Verdict::General { .. })
    }
}

impl Classes {
    /// The reduction of a symbol.
    pub fn reduction_of(&self, constraint: ConstraintId) -> Option<&Reduction> {
        self.reductions.iter().find(|r| r.constraint == constraint)
    }
    /// The greatest common divisors that constraints of a symbol are reduced to.
    pub fn divisor_of(&self, constraint: ConstraintId) -> Option<&Divisor> {
        self.divisors.iter().find(|d| d.constraint == constraint)
    }
    /// The replacement of a symbol's values: the first of those that compute them, for which what happens to a value is
    /// counted.
    pub fn replacement_of(&self, constraint: ConstraintId) -> Option<&Replacement> {
        self.replacements.iter().find(|r| r.constraint == constraint)
    }
    /// Whether the values of a symbol are replaced.
    pub fn is_replaced(&self, constraint: ConstraintId) -> bool {
        self.replacements.iter().any(|r| r.constraint == constraint)
    }
    /// Whether rules change values of constraints that are in the store.
    pub fn changes_values(&self) -> bool {
        !(self.divisors.is_empty() && self.replacements.is_empty())
    }
    /// The same without classes that change values in place: their rules are general, for one reason.
    pub(crate) fn without_values(self, why: &str) -> Self {
        let general =
            || Verdict::General { no_reduction: why.into(), no_replacement: why.into(), no_divisor: None };
        let verdict = |verdict: Verdict| match verdict {
            Verdict::Replacement(_) | Verdict::Divisor(_) => general(),
            other => other,
        };
        let Self { reductions, divisors: _, replacements: _, verdicts } = self;
        let verdicts = verdicts.iter().cloned().map(verdict).collect();
        Self { reductions, divisors: Vec::new(), replacements: Vec::new(), verdicts }
    }
    /// No classes: every rule is general, for one reason.
    pub(crate) fn none(rules: usize, why: &str) -> Self {
        let verdict =
            || Verdict::General { no_reduction: why.into(), no_replacement: why.into(), no_divisor: None };
        Self { verdicts: (0..rules).map(|_| verdict()).collect(), ..Self::default() }
    }
}

/// Constraints are reduced when they are put into the store: of those with one key, one lives.
#[derive(Clone, PartialEq, Debug)]
pub struct Reduction {
    /// The rule that says so.
    pub rule: RuleId,
    /// The symbol.
    pub constraint: ConstraintId,
    /// Columns of the key, ascending.
    pub key: Vec<usize>,
    /// What makes one constraint better than another of its key; `None`: being older.
    pub best: Option<Best>,
    /// Index of the table on just the columns of the key.
    pub index: usize,
}

/// Of the constraints with one key and a positive value one lives, with the greatest common divisor of all their
/// values; those with value zero go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divisor {
    /// The rule that takes remainders.
    pub rule: RuleId,
    /// The rule that drops zeros.
    pub zero: RuleId,
    /// The symbol. No other rule sees it.
    pub constraint: ConstraintId,
    /// Columns of the key, ascending: all but the value's.
    pub key: Vec<usize>,
    /// Column of the value: integers.
    pub column: usize,
}

/// The value of a constraint is replaced by the best of what its rule computes.
#[derive(Clone, PartialEq, Debug)]
pub struct Replacement {
    /// The rule.
    pub rule: RuleId,
    /// The symbol whose values are replaced. No other rule sees it.
    pub constraint: ConstraintId,
    /// Position of the removed head.
    pub head: usize,
    /// Column of the value, and which is best.
    pub best: Best,
    /// What the value is compared with and replaced by: over variables of the kept heads.
    pub candidate: Expr,
    /// The product of matrices over (min, +) or (max, +) that its rounds are, or why they are none. Then no other rule
    /// replaces values of the symbol.
    pub product: Result<Product, String>,
}

/// A dense keyed join `c(I,K,D1), c(K,J,D2) \ c(I,J,D3)` whose candidate is `D1 + D2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Product {
    /// Position of the head with the row key.
    pub left: usize,
    /// Position of the head with the column key.
    pub right: usize,
    /// Column of the row key I in the removed head.
    pub row: usize,
    /// Column of the column key J in the removed head.
    pub column: usize,
}

/// The monotone tables of a plan whose rounds have a fast path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Monotone {
    /// Whether all rounds that start from constraints of this table only add.
    pub tables: IdVec<ConstraintId, bool>,
    /// Whether they add to this table.
    pub added: IdVec<ConstraintId, bool>,
    /// Whether they look for what they have added to this table by a key, so that its indexes are kept up to date.
    pub linked: IdVec<ConstraintId, bool>,
}

impl Monotone {
    /// Whether all rounds that start from constraints of this table only add.
    pub fn is_monotone(&self, table: ConstraintId) -> bool {
        self.tables[table]
    }

    /// Whether rounds over monotone tables add to this table.
    pub fn is_added(&self, table: ConstraintId) -> bool {
        self.added[table]
    }

    /// The tables that are added to.
    pub fn added_tables(&self) -> impl Iterator<Item = ConstraintId> + '_ {
        self.added.iter_enumerated().filter(|(_, added)| **added).map(|(t, _)| t)
    }

    /// Whether indexes of the table are kept up to date in rounds over monotone tables.
    pub fn is_linked(&self, table: ConstraintId) -> bool {
        self.linked[table]
    }

    /// The occurrences that are tried in rounds over monotone tables.
    pub fn occurrences<'a>(&'a self, plan: &'a ChrPlan) -> impl Iterator<Item = &'a Occurrence> {
        plan.occurrences.iter().filter(move |o| plan.is_general(o.rule) && self.tables[o.constraint])
    }
}
