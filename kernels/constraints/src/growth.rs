//! Which tables only grow: rules that see them remove nothing and cannot fail, so that their rounds need no claims, no order and no ids.
//!
//! A table is *quiet* when every rule that is not a class and has a head over it keeps all its heads, all of them over quiet tables,
//! and its body does nothing but compute values that exist and add constraints of quiet tables. Once all that is new in a round is in
//! quiet tables, it stays so. Nobody can then tell in which order constraints were added (`docs/semantics.md`).

use gchr_base::ids::IdVec;
use gchr_base::rule::{Const, Expr, ExprKind, GoalKind, Role, RuleId, VarId};
use gchr_base::signature::{ConstraintId, SortKind};
use gchr_constraints::plan::class::Verdict;
use gchr_constraints::plan::{ChrPlan, Occurrence, SlotId, Step};

use super::layout::{added_by, general};
use gchr_runtime::codegen::checked_name;

/// The tables that only grow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growth {
    quiet: IdVec<ConstraintId, bool>,
    added: IdVec<ConstraintId, bool>,
}

impl Growth {
    /// `None` when no rules run without removing anything, or they need indexes over what they add.
    pub fn of(plan: &ChrPlan) -> Option<Self> {
        let mut quiet: IdVec<ConstraintId, bool> = plan.tables.ids().map(|t| may_be_quiet(plan, t)).collect();
        loop {
            let loud = |rule: RuleId| !is_quiet_rule(plan, rule, &quiet);
            let heads = general(plan).filter(|(id, _)| loud(*id)).flat_map(|(_, rule)| &rule.heads);
            let lost: Vec<ConstraintId> = heads.map(|h| h.constraint).filter(|&c| quiet[c]).collect();
            if lost.is_empty() {
                break;
            }
            lost.into_iter().for_each(|c| quiet[c] = false);
        }
        let mut added: IdVec<ConstraintId, bool> = plan.tables.ids().map(|_| false).collect();
        let of_quiet = |heads: &[gchr_constraints::plan::HeadPlan]| heads.iter().all(|h| quiet[h.constraint]);
        general(plan)
            .filter(|(_, r)| of_quiet(&r.heads))
            .flat_map(|(_, r)| added_by(r))
            .for_each(|c| added[c] = true);
        let growth = Self { quiet, added };
        let indexed = |o: &Occurrence| {
            let keyed =
                o.joins.iter().filter(|j| !plan.tables[j.constraint].indexes[j.index].columns.is_empty());
            growth.added[o.constraint] && keyed.into_iter().any(|j| growth.added[j.constraint])
        };
        let possible = growth.added.iter().any(|&a| a) && !growth.occurrences(plan).any(indexed);
        possible.then_some(growth)
    }

    /// Whether all rounds that start from constraints of this table only add.
    pub fn is_quiet(&self, table: ConstraintId) -> bool {
        self.quiet[table]
    }

    /// Whether they add to this table.
    pub fn is_added(&self, table: ConstraintId) -> bool {
        self.added[table]
    }

    /// The tables that are added to.
    pub fn tables(&self) -> impl Iterator<Item = ConstraintId> + '_ {
        self.added.iter_enumerated().filter(|(_, added)| **added).map(|(t, _)| t)
    }

    /// The occurrences that are tried.
    pub fn occurrences<'a>(&'a self, plan: &'a ChrPlan) -> impl Iterator<Item = &'a Occurrence> {
        let is_general = |o: &Occurrence| plan.classes.verdicts.get(o.rule).is_none_or(Verdict::is_general);
        plan.occurrences.iter().filter(move |o| is_general(o) && self.quiet[o.constraint])
    }
}

fn may_be_quiet(plan: &ChrPlan, table: ConstraintId) -> bool {
    let columns = &plan.tables[table].columns;
    let replaced = plan
        .classes
        .replacements
        .iter()
        .any(|r| plan.rules[r.rule].heads.iter().any(|h| h.constraint == table));
    // A set of small integers has a bit a key.
    let reduction = plan.classes.reduction_of(table);
    let set = reduction.is_none_or(|r| {
        r.best.is_none() && r.key.len() == columns.len() && columns.iter().all(|c| c.kind == SortKind::Int)
    });
    set && !replaced && plan.classes.divisor_of(table).is_none()
}

fn is_quiet_rule(plan: &ChrPlan, rule: RuleId, quiet: &IdVec<ConstraintId, bool>) -> bool {
    let heads = &plan.rules[rule].heads;
    let kept = heads.iter().all(|h| h.role == Role::Kept && quiet[h.constraint]);
    let mut occurrences = plan.occurrences.iter().filter(|o| o.rule == rule);
    let Some(occurrence) = occurrences.clone().next() else {
        return kept && plan.rules[rule].body.is_empty();
    };
    let body = plan.rules[rule].body.iter().all(|goal| match &goal.kind {
        GoalKind::Bind { var, value } => {
            is_total(value) && is_of(occurrence, value, kind_of(occurrence, *var))
        }
        GoalKind::Add { constraint, args } => {
            let columns = &plan.tables[*constraint].columns;
            let fits = args.iter().zip(columns).all(|(arg, column)| is_of(occurrence, arg, column.kind));
            quiet[*constraint] && args.iter().all(is_total) && fits
        }
        _ => false,
    });
    let typed = occurrence.slots.iter().all(|slot| slot.kind != SortKind::Any);
    kept && body && typed && occurrences.all(|o| steps(o).all(is_total_step))
}

fn steps(occurrence: &Occurrence) -> impl Iterator<Item = &Step> {
    let joins = occurrence.joins.iter().flat_map(|j| &j.steps);
    occurrence.entry.iter().chain(joins).chain(&occurrence.commit)
}

fn is_total_step(step: &Step) -> bool {
    match step {
        Step::Test { test: value, .. } | Step::Eval { value, .. } | Step::Match { value, .. } => {
            is_total(value)
        }
        Step::Field { .. } | Step::Functor { .. } => false,
        _ => true,
    }
}

fn kind_of(occurrence: &Occurrence, var: VarId) -> SortKind {
    occurrence.slots[SlotId(var.0)].kind
}

/// Whether a variable or constant is of a kind; what is computed is.
fn is_of(occurrence: &Occurrence, expr: &Expr, kind: SortKind) -> bool {
    match expr.kind {
        ExprKind::Var(var) => kind_of(occurrence, var) == kind,
        ExprKind::Const(Const::Int(_)) => kind == SortKind::Int,
        ExprKind::Const(Const::Float(_)) => kind == SortKind::Float,
        ExprKind::Const(Const::Atom(_)) => kind == SortKind::Atom,
        ExprKind::Const(Const::Str(_)) => kind == SortKind::Str,
        _ => kind == SortKind::Int || kind == SortKind::Float,
    }
}

/// Whether the expression has a value whatever its variables are.
fn is_total(expr: &Expr) -> bool {
    let mut total = true;
    expr.walk(&mut |e| match &e.kind {
        ExprKind::Op { op, .. } => total &= checked_name(*op, false).is_none(),
        ExprKind::App { args, .. } => total &= args.is_empty(),
        ExprKind::Repeat { .. } => total = false,
        ExprKind::Var(_) | ExprKind::Const(_) => {}
    });
    total
}

/// How rows of a set are numbered by their keys.
pub(super) fn key_columns(plan: &ChrPlan, table: ConstraintId) -> Option<usize> {
    plan.classes.reduction_of(table).map(|r| r.key.len())
}
