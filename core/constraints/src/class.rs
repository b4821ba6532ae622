//! Classes: rules whose effect under the semantics of rounds is known as a whole, so that it need not be found instance
//! by instance. `docs/semantics.md` defines what each means and proves it.
//!
//! Each class is one folder: its recogniser, what it says of itself to the other passes as a [`RuleClass`], and what
//! the CPU does with it. Its kernels are in the crate of kernels, in a folder of the same name, as this crate knows no
//! kernels. [`Classes`] is the only list of the classes of a program. `monotone` is a class of tables: it is decided on
//! the finished plan and has kernels only, which are specialised ones there.
//!
//! `classify` looks at the rules alone. Executors and kernel generators read [`Classes`]; as classes are part of the
//! semantics, all of them must follow it. [`Verdict`] says for every rule which class it has, or why it has none.

pub(crate) mod divisor;
mod explain;
mod monotone;
mod reduction;
pub(crate) mod replacement;
mod verify;

pub use crate::ir::classes::{
    Best, BestOrder, Classes, Divisor, Monotone, Product, Reduction, Replacement, Verdict,
};
pub use explain::Explained;
pub(crate) use monotone::recognise::{any_order as any_order_tables, recognise as monotone_tables};
pub(crate) use reduction::recognise::anywhere as reduction_anywhere;
pub(crate) use verify::verify;

use crate::exec::round::state::InsertionRule;
use crate::ir::ChrPlan;
use gchr_base::hash::HashMap;
use gchr_base::ids::{Id, IdVec};
use gchr_base::rule::{Expr, ExprKind, HeadAtom, Program, RuleId};
use gchr_base::signature::{ConstraintId, SortKind};

/// What every class says of itself to the printer and the verifier of the plan.
pub trait RuleClass {
    /// The rules that belong to it.
    fn rules(&self) -> Vec<RuleId>;
    /// What it does, in one line, then one line for each further thing to know of it.
    fn explain(&self, plan: &ChrPlan) -> Vec<String>;
    /// Its broken invariants, in words.
    fn verify(&self, plan: &ChrPlan) -> Vec<&'static str>;
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
}

/// What classes do with constraints that are about to be stored, by table.
pub(crate) fn insertion_rules(plan: &ChrPlan) -> Vec<Option<Box<dyn InsertionRule + '_>>> {
    let mut rules: Vec<Option<Box<dyn InsertionRule + '_>>> = plan.tables.iter().map(|_| None).collect();
    for divisor in &plan.classes.divisors {
        rules[divisor.constraint.index()] = Some(Box::new(divisor::execute::Divisors::new(divisor)));
    }
    for reduction in plan.classes.reductions.iter().rev() {
        rules[reduction.constraint.index()] = Some(Box::new(reduction::execute::Reducing(reduction)));
    }
    rules
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
