//! Classes: rules whose effect under the semantics of rounds is known as a whole, so that it need not be found instance by
//! instance. `docs/semantics.md` defines what each means and proves it.
//!
//! Each class is one folder: its recogniser, what it says of itself to the other passes as a [`RuleClass`], and what the CPU does with
//! it. Its kernels are in the crate of kernels, in a folder of the same name, as this crate knows no kernels. [`Classes`] is the only list
//! of the classes of a program. `monotone` is a class of tables: it is decided on the finished plan and has kernels only,
//! which are specialised ones there.
//!
//! `classify` looks at the rules alone. Executors and kernel generators read [`Classes`]; as classes are part of the semantics, all of
//! them must follow it. [`Verdict`] says for every rule which class it has, or why it has none.

pub(crate) mod divisor;
mod explain;
mod monotone;
mod reduction;
pub(crate) mod replacement;
mod verify;

pub use divisor::Divisor;
pub use explain::Explained;
pub use monotone::Monotone;
pub(crate) use monotone::recognise::recognise as monotone_tables;
pub use reduction::Reduction;
pub use replacement::{Product, Replacement};
pub(crate) use verify::verify;

use crate::plan::ChrPlan;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::rule::{Expr, ExprKind, HeadAtom, Program, RuleId};
use gchr_base::signature::{ConstraintId, SortKind};

/// The classes of a program's rules.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Classes {
    /// At most one a symbol.
    pub reductions: Vec<Reduction>,
    /// At most one a symbol, which has no other class.
    pub divisors: Vec<Divisor>,
    /// At most one a rule; all of one symbol have the same value column and the same [`Best::order`].
    pub replacements: Vec<Replacement>,
    /// One entry a rule.
    pub verdicts: IdVec<RuleId, Verdict>,
}

/// What every class says of itself to the printer and the verifier of the plan.
pub trait RuleClass {
    /// The rules that belong to it.
    fn rules(&self) -> Vec<RuleId>;
    /// What it does, in one line, then one line for each further thing to know of it.
    fn explain(&self, plan: &ChrPlan) -> Vec<String>;
    /// Its broken invariants, in words.
    fn verify(&self, plan: &ChrPlan) -> Vec<&'static str>;
}

/// Which value is best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Best {
    /// Column of the value: integers or floats.
    pub column: usize,
    /// What is sought.
    pub order: BestOrder,
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
    /// All classes.
    pub fn members(&self) -> impl Iterator<Item = &dyn RuleClass> {
        let reductions = self.reductions.iter().map(|r| r as &dyn RuleClass);
        let divisors = self.divisors.iter().map(|d| d as &dyn RuleClass);
        reductions.chain(divisors).chain(self.replacements.iter().map(|r| r as &dyn RuleClass))
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.members().next().is_none()
    }
    /// The class that a verdict names.
    pub fn member(&self, verdict: &Verdict) -> Option<&dyn RuleClass> {
        match verdict {
            Verdict::Reduction(at) => self.reductions.get(*at).map(|r| r as &dyn RuleClass),
            Verdict::Replacement(at) => self.replacements.get(*at).map(|r| r as &dyn RuleClass),
            Verdict::Divisor(at) => self.divisors.get(*at).map(|d| d as &dyn RuleClass),
            Verdict::General { .. } => None,
        }
    }
    /// The reduction of a symbol.
    pub fn reduction_of(&self, constraint: ConstraintId) -> Option<&Reduction> {
        self.reductions.iter().find(|r| r.constraint == constraint)
    }
    /// The greatest common divisors that constraints of a symbol are reduced to.
    pub fn divisor_of(&self, constraint: ConstraintId) -> Option<&Divisor> {
        self.divisors.iter().find(|d| d.constraint == constraint)
    }
    /// The replacement of a symbol's values: the first of those that compute them, for which what happens to a value is counted.
    pub fn replacement_of(&self, constraint: ConstraintId) -> Option<&Replacement> {
        self.replacements.iter().find(|r| r.constraint == constraint)
    }
    /// Whether the values of a symbol are replaced.
    pub fn is_replaced(&self, constraint: ConstraintId) -> bool {
        self.replacements.iter().any(|r| r.constraint == constraint)
    }
    /// No classes: every rule is general, for one reason.
    pub(crate) fn none(rules: usize, why: &str) -> Self {
        let verdict =
            || Verdict::General { no_reduction: why.into(), no_replacement: why.into(), no_divisor: None };
        Self { verdicts: (0..rules).map(|_| verdict()).collect(), ..Self::default() }
    }
}

/// Finds the classes of a program. Indexes are chosen by a later pass.
pub(crate) fn classify(program: &Program) -> Classes {
    let over = RulesOver::new(program);
    let reductions: Vec<_> = program
        .rules
        .iter_enumerated()
        .map(|(id, rule)| reduction::recognise::recognise(program, &over, id, rule))
        .collect();
    let replacements = replacement::recognise::recognise(program, &over, &reductions);
    let mut classes = Classes::default();
    let mut no_divisors = Vec::new();
    for (id, rule) in program.rules.iter_enumerated() {
        let found = divisor::recognise::recognise(program, &over, id, rule);
        no_divisors.push(found.and_then(|found| found.map(|d| classes.divisors.push(d)).err()));
    }
    let divisors = classes.divisors.iter().enumerate();
    let divided: HashMap<RuleId, usize> =
        divisors.rev().flat_map(|(i, d)| [(d.rule, i), (d.zero, i)]).collect();
    let rules = program.rules.ids().zip(no_divisors).zip(reductions).zip(replacements);
    for (((id, no_divisor), reduction), replacement) in rules {
        let own = divided.get(&id).copied();
        let verdict = match (own, reduction, replacement) {
            (Some(divisor), ..) => Verdict::Divisor(divisor),
            (_, Ok(reduction), _) => {
                classes.reductions.push(reduction);
                Verdict::Reduction(classes.reductions.len() - 1)
            }
            (_, _, Ok(replacement)) => {
                classes.replacements.push(replacement);
                Verdict::Replacement(classes.replacements.len() - 1)
            }
            (_, Err(no_reduction), Err(no_replacement)) => {
                Verdict::General { no_reduction, no_replacement, no_divisor }
            }
        };
        classes.verdicts.push(verdict);
    }
    classes
}

/// For each symbol the rules with a head over it, in textual order.
struct RulesOver(IdVec<ConstraintId, Vec<RuleId>>);

impl RulesOver {
    fn new(program: &Program) -> Self {
        let mut over: IdVec<ConstraintId, Vec<RuleId>> =
            program.signature.constraints.iter().map(|_| Vec::new()).collect();
        for (id, rule) in program.rules.iter_enumerated() {
            for head in &rule.heads {
                if let HeadAtom::Constraint { constraint, .. } = head.atom
                    && over[constraint].last() != Some(&id)
                {
                    over[constraint].push(id);
                }
            }
        }
        Self(over)
    }

    fn rules(&self, constraint: ConstraintId) -> &[RuleId] {
        &self.0[constraint]
    }
}

/// Whether two expressions are the same but for their places in the source.
fn same_expr(a: &Expr, b: &Expr) -> bool {
    let all =
        |xs: &[Expr], ys: &[Expr]| xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| same_expr(x, y));
    a.sort == b.sort
        && match (&a.kind, &b.kind) {
            (ExprKind::Var(v), ExprKind::Var(w)) => v == w,
            (ExprKind::Const(c), ExprKind::Const(d)) => c == d,
            (ExprKind::App { symbol: f, args: xs }, ExprKind::App { symbol: g, args: ys }) => {
                f == g && all(xs, ys)
            }
            (ExprKind::Op { op: f, args: xs }, ExprKind::Op { op: g, args: ys }) => f == g && all(xs, ys),
            _ => false,
        }
}

/// Whether a column holds numbers.
fn is_number(plan: &ChrPlan, constraint: ConstraintId, column: usize) -> bool {
    let kind = plan.tables[constraint].columns.get(column).map(|c| c.kind);
    matches!(kind, Some(SortKind::Int | SortKind::Float))
}
