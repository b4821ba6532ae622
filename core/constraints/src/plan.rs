//! Compiles a constraint program to its plan ([`crate::ir`]).
//!
//! [`compile`] makes a [`ChrPlan`] of a rule program in four passes, each followed by [`verify`]: enumerate the
//! occurrences in the order of the refined operational semantics (Duck, Stuckey, García de la Banda, Holzbaur: The
//! Refined Operational Semantics of Constraint Handling Rules, 2004), drop those that can never fire, order the joins
//! and place the guard, choose the indexes. The plan is data: executors and kernel generators read it,
//! [`Display`](std::fmt::Display) prints it.

mod differences;
mod drop;
mod failure;
mod guard;
mod join;
mod place;
mod print;
mod verify;

pub use differences::differences;
pub use failure::operator_can_fail;
pub use place::PrintedPlaces;
pub use verify::verify;

pub use crate::ir::typing::checked_arguments;
pub use crate::ir::*;

use crate::class::{self, Classes, Verdict};
use failure::Failures;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::{Id, IdVec};
use gchr_base::rule::{Body, Goal, HeadAtom, Program, Role, Rule, RuleId, Semantics};
use gchr_base::signature::{ConstraintId, Density};

/// How the plan for rounds is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundsOptions {
    /// Recognise classes; without them every rule is general.
    pub classes: bool,
    /// How partners are found.
    pub joins: Joins,
}

impl Default for RoundsOptions {
    fn default() -> Self {
        Self { classes: true, joins: Joins::Indexed }
    }
}

/// Compiles a checked constraint program for the refined semantics. Only a program that breaks an invariant of the rule
/// IR gives diagnostics.
pub fn compile(program: &Program) -> Result<ChrPlan, Vec<Diagnostic>> {
    let classes = Classes::none(program.rules.len(), "classes belong to the semantics of rounds");
    passes(program, Semantics::Refined, classes, Joins::Indexed)
}

/// Compiles a checked constraint program for rounds (`docs/semantics.md`).
pub fn compile_rounds(program: &Program, options: RoundsOptions) -> Result<ChrPlan, Vec<Diagnostic>> {
    let classes = match options.classes {
        true => class::classify(program),
        false => Classes::none(program.rules.len(), "classes are switched off"),
    };
    passes(program, Semantics::Rounds, classes, options.joins)
}

/// The same for a run whose derivations are recorded: a value that a rule replaces becomes a new constraint, so that it
/// has a derivation of its own.
pub fn compile_derivable_rounds(
    program: &Program,
    options: RoundsOptions,
) -> Result<ChrPlan, Vec<Diagnostic>> {
    let classes = match options.classes {
        true => class::classify(program).without_values("derivations are recorded"),
        false => Classes::none(program.rules.len(), "classes are switched off"),
    };
    passes(program, Semantics::Rounds, classes, options.joins)
}

fn passes(
    program: &Program,
    semantics: Semantics,
    classes: Classes,
    joins: Joins,
) -> Result<ChrPlan, Vec<Diagnostic>> {
    let mut plan = skeleton(program, semantics, classes)?;
    plan.joins = joins;
    checked(program, &plan)?;
    drop::drop_redundant(program, &mut plan);
    checked(program, &plan)?;
    join::order_joins(program, &mut plan, joins);
    checked(program, &plan)?;
    choose_indexes(&mut plan);
    checked(program, &plan)?;
    if semantics == Semantics::Rounds {
        let any_order = class::any_order_tables(&plan);
        plan.tables.iter_mut().zip(&any_order).for_each(|(table, &any_order)| table.any_order = any_order);
        plan.monotone = class::monotone_tables(&plan);
        plan.places = place::places(program, &plan);
        checked(program, &plan)?;
    }
    Ok(plan)
}

fn checked(program: &Program, plan: &ChrPlan) -> Result<(), Vec<Diagnostic>> {
    let found = verify(program, plan);
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// Tables and rules, and every occurrence in the order of tries: rules from top to bottom; in a rule first the removed
/// heads, then the kept ones, each from left to right, as SWI-Prolog does.
fn skeleton(program: &Program, semantics: Semantics, classes: Classes) -> Result<ChrPlan, Vec<Diagnostic>> {
    let sig = &program.signature;
    let table = |(id, constraint): (ConstraintId, &gchr_base::signature::Constraint)| TablePlan {
        name: sig.constraint_name(id),
        columns: constraint
            .columns
            .iter()
            .map(|c| ColumnPlan { kind: sig.kind(c.sort), density: c.density })
            .collect(),
        indexes: Vec::new(),
        occurrences: Vec::new(),
        removed_by: Vec::new(),
        any_order: false,
    };
    let mut plan = ChrPlan {
        tables: sig.constraints.iter_enumerated().map(table).collect(),
        rules: IdVec::new(),
        occurrences: IdVec::new(),
        dropped: Vec::new(),
        semantics,
        joins: Joins::Indexed,
        classes,
        indexed: false,
        monotone: Err("it belongs to the semantics of rounds".into()),
        places: places::Places::default(),
    };
    let mut found = Vec::new();
    for (id, rule) in program.rules.iter_enumerated() {
        match rule_plan(program, id, rule, semantics) {
            Ok(rule_plan) => {
                add_occurrences(program, &mut plan, id, &rule_plan);
                plan.rules.push(rule_plan);
            }
            Err(diagnostic) => found.push(diagnostic),
        }
    }
    decide_firing(&mut plan);
    if found.is_empty() { Ok(plan) } else { Err(found) }
}

/// Decides which rules remove rows of each table, and which rules fire where they are found.
fn decide_firing(plan: &mut ChrPlan) {
    let removing = plan.removing();
    plan.tables.iter_mut().zip(removing).for_each(|(table, rules)| table.removed_by = rules);
    for rule in plan.rules.ids() {
        plan.rules[rule].fires_where_found = plan.lasts(rule);
    }
}

impl ChrPlan {
    /// By table, the general rules with a removed head over its symbol.
    fn removing(&self) -> Vec<Vec<RuleId>> {
        let mut removing: Vec<Vec<RuleId>> = vec![Vec::new(); self.tables.len()];
        for (id, rule) in self.general_rules() {
            for head in rule.heads.iter().filter(|h| h.role == Role::Removed) {
                let rules = &mut removing[head.constraint.index()];
                if rules.last() != Some(&id) {
                    rules.push(id);
                }
            }
        }
        removing
    }

    /// Whether a rule of rounds fires where it is found.
    fn lasts(&self, rule: RuleId) -> bool {
        let RulePlan { heads, body, .. } = &self.rules[rule];
        self.semantics == Semantics::Rounds
            && self.is_general(rule)
            && heads.iter().all(|h| self.tables[h.constraint].removed_by.is_empty())
            && !body.iter().any(Goal::writes)
    }
}

fn rule_plan(
    program: &Program,
    id: RuleId,
    rule: &Rule,
    semantics: Semantics,
) -> Result<RulePlan, Diagnostic> {
    let mut heads = Vec::new();
    for head in &rule.heads {
        let HeadAtom::Constraint { constraint, .. } = head.atom else {
            return Err(internal(head.span, "this head is not over constraints"));
        };
        let passive = head.passive && semantics == Semantics::Refined;
        heads.push(HeadPlan { constraint, role: head.role, passive });
    }
    let Body::Goals(body) = &rule.body else {
        return Err(internal(rule.span, "the body of a rule over constraints is a list of goals"));
    };
    let active = heads.iter().filter(|h| !h.passive).count();
    let failures = Failures { sig: &program.signature, rule };
    let once = match () {
        () if !rule.is_propagation() => Once::Removal,
        () if active == heads.len() => Once::Newest,
        () if active <= 1 => Once::OneActive,
        () => Once::History,
    };
    Ok(RulePlan {
        name: program.rule_name(id),
        heads,
        conjuncts: rule.guard.len(),
        body: body.clone(),
        can_fail: body.iter().map(|goal| failures.of_goal(goal)).collect(),
        fires_where_found: false,
        once,
        span: rule.span,
    })
}

fn add_occurrences(program: &Program, plan: &mut ChrPlan, id: RuleId, rule_plan: &RulePlan) {
    let rule = &program.rules[id];
    let slots: IdVec<SlotId, Slot> = rule
        .vars
        .iter()
        .map(|v| Slot { name: v.name.clone(), kind: program.signature.kind(v.sort) })
        .collect();
    let none_passive = rule_plan.heads.iter().all(|h| !h.passive);
    for role in [Role::Removed, Role::Kept] {
        for (head, head_plan) in rule_plan.heads.iter().enumerate().filter(|(_, h)| h.role == role) {
            let reason = match plan.classes.verdicts.get(id) {
                _ if head_plan.passive => Some(DropReason::Passive),
                Some(Verdict::Reduction(_) | Verdict::Divisor(_)) => Some(DropReason::Reduction),
                _ => None,
            };
            if let Some(reason) = reason {
                plan.dropped.push(Dropped { rule: id, head, reason });
                continue;
            }
            let replacement = matches!(plan.classes.verdicts.get(id), Some(Verdict::Replacement(_)));
            let partners = |h: &(usize, &HeadPlan)| h.0 != head && h.1.role == Role::Removed;
            let occurrence = plan.occurrences.push(Occurrence {
                rule: id,
                head,
                constraint: head_plan.constraint,
                removes_active: role == Role::Removed,
                // A value that changed meets constraints of any age.
                older_partners: none_passive && !replacement,
                slots: slots.clone(),
                entry: Vec::new(),
                joins: Vec::new(),
                commit: Vec::new(),
                removed: rule_plan.heads.iter().enumerate().filter(partners).map(|(h, _)| h).collect(),
            });
            plan.tables[head_plan.constraint].occurrences.push(occurrence);
        }
    }
}

/// One index for each set of columns that some join has as its key, or that a reduction has; the list of all rows where
/// a join has none.
fn choose_indexes(plan: &mut ChrPlan) {
    let ChrPlan { tables, occurrences, classes, indexed, .. } = plan;
    *indexed = true;
    for reduction in &mut classes.reductions {
        reduction.index = index_on(&mut tables[reduction.constraint], reduction.key.clone());
    }
    for join in occurrences.iter_mut().flat_map(|o| &mut o.joins) {
        let columns = join.keys.iter().map(|(column, _)| *column).collect();
        join.index = index_on(&mut tables[join.constraint], columns);
    }
}

/// The index on just these columns, made when it is missing.
fn index_on(table: &mut TablePlan, columns: Vec<usize>) -> usize {
    let dense = columns.iter().all(|&c| table.columns[c].density == Density::Dense);
    let kind = match columns.len() {
        0 => IndexKind::All,
        1 | 2 if dense => IndexKind::Dense,
        _ => IndexKind::Hash,
    };
    let known = table.indexes.iter().position(|i| i.columns == columns);
    known.unwrap_or_else(|| {
        table.indexes.push(IndexPlan { columns, kind });
        table.indexes.len() - 1
    })
}
