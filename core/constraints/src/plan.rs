//! The plan of a constraint program: for every constraint symbol its table and indexes, for every head that an active constraint
//! can fill the order in which partners are looked up, and where each condition is tested.
//!
//! [`compile`] makes a [`ChrPlan`] of a rule program in four passes, each followed by [`verify`]: enumerate the occurrences in
//! the order of the refined operational semantics (Duck, Stuckey, García de la Banda, Holzbaur: The Refined Operational Semantics
//! of Constraint Handling Rules, 2004), drop those that can never fire, order the joins and place the guard, choose the indexes.
//! The plan is data: executors and kernel generators read it, [`Display`](std::fmt::Display) prints it.

mod differences;
mod drop;
mod failure;
pub(crate) mod guard;
mod join;
mod print;
pub(crate) mod typing;
mod verify;

pub use differences::differences;
pub use failure::operator_can_fail;
pub use typing::checked_arguments;
pub use verify::verify;

use crate::class::{self, Classes, Monotone, Verdict};
use failure::Failures;

use gchr_base::define_id;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::{Id, IdVec};
use gchr_base::rule::{
    Body, Const, Expr, Goal, GoalKind, HeadAtom, Pattern, Program, Role, Rule, RuleId, Semantics,
};
use gchr_base::signature::{ConstraintId, Density, SortKind, SymbolId};
use gchr_base::source::Span;

define_id!(
    /// An occurrence: a head that the active constraint can fill.
    OccurrenceId, "occ"
);
define_id!(
    /// A place for a value in one occurrence. The first ones are the variables of the rule, under the same numbers.
    SlotId, "s"
);

/// What every backend executes for a constraint program.
#[derive(Clone, Debug)]
pub struct ChrPlan {
    /// One table a constraint symbol.
    pub tables: IdVec<ConstraintId, TablePlan>,
    /// One entry a rule of the program.
    pub rules: IdVec<RuleId, RulePlan>,
    /// The occurrences that are tried.
    pub occurrences: IdVec<OccurrenceId, Occurrence>,
    /// The occurrences that are not tried, with the reason.
    pub dropped: Vec<Dropped>,
    /// What the plan is for. Under rounds the partners of an occurrence are always older than the active constraint, which is
    /// the newest of the instance, and `passive` says nothing.
    pub semantics: Semantics,
    /// How partners are found.
    pub joins: Joins,
    /// Classes of rules; none under the refined semantics.
    pub classes: Classes,
    /// Whether indexes are chosen.
    pub indexed: bool,
    /// Tables to which rounds only add, or why such rounds have no fast path; decided by the last pass.
    pub monotone: Result<Monotone, String>,
}

/// How the constraints of one symbol are stored.
#[derive(Clone, PartialEq, Debug)]
pub struct TablePlan {
    /// `name/arity`.
    pub name: String,
    /// Columns in argument order.
    pub columns: Vec<ColumnPlan>,
    /// What partners are looked up by.
    pub indexes: Vec<IndexPlan>,
    /// Occurrences of the symbol in the order in which an active constraint tries them.
    pub occurrences: Vec<OccurrenceId>,
    /// The general rules whose firing removes its rows, ascending.
    pub removed_by: Vec<RuleId>,
}

/// A column of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColumnPlan {
    /// What the values are, hence how they are stored: 64 bits for `Int`, `Float` and `Any` (tagged), 32 for `Atom` and `Str`.
    pub kind: SortKind,
    /// Whether the values are small non-negative integers.
    pub density: Density,
}

/// An access path to the rows of a table. Rows of one key are enumerated newest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexPlan {
    /// Columns of the key, ascending; none for the list of all rows.
    pub columns: Vec<usize>,
    /// How a key is found.
    pub kind: IndexKind,
}

/// How the rows of a key are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexKind {
    /// One list of all rows.
    All,
    /// A hash table.
    Hash,
    /// An array over the one or two dense columns of the key, while their ranges are reasonable; else a hash table.
    Dense,
}

/// What is the same for all occurrences of a rule.
#[derive(Clone, Debug)]
pub struct RulePlan {
    /// Name for messages.
    pub name: String,
    /// One entry a head, in textual order.
    pub heads: Vec<HeadPlan>,
    /// Number of conditions in the guard.
    pub conjuncts: usize,
    /// What happens when the rule fires, after the removed constraints are gone.
    pub body: Vec<Goal>,
    /// Whether each expression of each goal of the body can be without a value that fits, in the order in which they are written.
    pub can_fail: Vec<Vec<bool>>,
    /// Whether each instance fires in the round in which it is found, whatever else fires: no general rule removes constraints of its
    /// heads, and it writes nothing.
    pub fires_where_found: bool,
    /// How it is known that no instance fires twice.
    pub once: Once,
    /// Place in the source.
    pub span: Span,
}

/// A head of a rule.
#[derive(Clone, PartialEq, Debug)]
pub struct HeadPlan {
    /// Constraint symbol.
    pub constraint: ConstraintId,
    /// Kept or removed.
    pub role: Role,
    /// Never tried with the active constraint, by the source's wish.
    pub passive: bool,
}

/// Why no instance of a rule fires twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Once {
    /// Firing removes one of its constraints.
    Removal,
    /// Its newest constraint is the active one, and a constraint is active once.
    Newest,
    /// Only one of its heads is ever active.
    OneActive,
    /// The instances that fired are remembered: some head is passive, and more than one is not.
    History,
}

/// One head of a rule as seen by the active constraint.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// The rule.
    pub rule: RuleId,
    /// Position of the active constraint's head in the rule.
    pub head: usize,
    /// Symbol of the active constraint.
    pub constraint: ConstraintId,
    /// Whether firing removes the active constraint.
    pub removes_active: bool,
    /// Whether partners must be older than the active constraint: all instances with a newer one were tried when that one was active.
    pub older_partners: bool,
    /// Places for values; the variables of the rule first.
    pub slots: IdVec<SlotId, Slot>,
    /// Steps on the active constraint alone.
    pub entry: Vec<Step>,
    /// Partners in the order in which they are looked up.
    pub joins: Vec<Join>,
    /// Steps once all partners are found: conditions that may raise an error, values that only the body needs.
    pub commit: Vec<Step>,
    /// Partner heads that firing removes.
    pub removed: Vec<usize>,
}

/// A place for a value.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    /// Name of the variable, or `t0`, `t1`, ... for a part of a term.
    pub name: String,
    /// What its values are.
    pub kind: SortKind,
}

/// Looking up one partner.
#[derive(Clone, Debug)]
pub struct Join {
    /// Head that the partner fills.
    pub head: usize,
    /// Its symbol.
    pub constraint: ConstraintId,
    /// Columns whose value is known, ascending, with the value; together the key of the look-up.
    pub keys: Vec<(usize, Key)>,
    /// Index of the table that finds the rows with that key; chosen by the last pass.
    pub index: usize,
    /// Heads of the same symbol found before: the partner must be another constraint.
    pub distinct: Vec<usize>,
    /// Steps on a row with the key.
    pub steps: Vec<Step>,
}

/// The value of a column of a key.
#[derive(Clone, PartialEq, Debug)]
pub enum Key {
    /// The value of a slot.
    Slot(SlotId),
    /// A constant.
    Const(Const),
    /// An integer that a condition of the guard determines.
    Linear(Linear),
    /// The value that condition of the guard (`X == Y` or `X =:= Y` on integers) makes equal to a slot.
    Equal {
        /// The slot.
        slot: SlotId,
        /// Position of the condition in the guard.
        conjunct: usize,
    },
}

/// A sum of integer slots and a constant, computed without overflow; outside 64 bits no row matches.
#[derive(Clone, PartialEq, Debug)]
pub struct Linear {
    /// Slots that are added (`false`) or subtracted (`true`).
    pub terms: Vec<(SlotId, bool)>,
    /// The constant.
    pub constant: i64,
    /// Position of the condition in the guard that this replaces.
    pub conjunct: usize,
}

/// A value to compare with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Operand {
    /// Value of a slot.
    Slot(SlotId),
    /// A constant.
    Const(Const),
}

/// A step of matching. A step that does not hold sends the search to the next row of the partner before it.
#[derive(Clone, Debug)]
pub enum Step {
    /// Reads a column of a constraint into a slot.
    Load {
        /// Where to.
        slot: SlotId,
        /// Whose column.
        head: usize,
        /// Which column.
        column: usize,
    },
    /// Reads an argument of a compound term into a slot.
    Field {
        /// Where to.
        slot: SlotId,
        /// Slot of the compound term.
        of: SlotId,
        /// Position of the argument.
        index: usize,
    },
    /// A column holds the value of an operand.
    SameColumn {
        /// Whose column.
        head: usize,
        /// Which column.
        column: usize,
        /// The value.
        value: Operand,
    },
    /// A slot holds the value of an operand.
    Same {
        /// The slot.
        slot: SlotId,
        /// The value.
        value: Operand,
    },
    /// A slot holds a compound term with this functor.
    Functor {
        /// The slot.
        slot: SlotId,
        /// The functor.
        symbol: SymbolId,
    },
    /// A condition of the guard holds.
    Test {
        /// The condition.
        test: Expr,
        /// Its position in the guard.
        conjunct: usize,
        /// Whether it can be without a value.
        can_fail: bool,
    },
    /// A condition that may raise an error is tried early: only `false` counts, a [`Step::Test`] decides at the end.
    Prune {
        /// The condition.
        test: Expr,
        /// Its position in the guard.
        conjunct: usize,
    },
    /// The guard binds a variable.
    Eval {
        /// Where to.
        slot: SlotId,
        /// The value.
        value: Expr,
        /// Its position in the guard.
        conjunct: usize,
        /// Whether there can be no value that fits the slot.
        can_fail: bool,
    },
    /// The guard takes a value apart.
    Match {
        /// The value.
        value: Expr,
        /// What it must look like; binds variables of the rule.
        pattern: Pattern,
        /// Its position in the guard.
        conjunct: usize,
        /// Whether it can be without a value.
        can_fail: bool,
    },
    /// The guard says `fail`.
    Fail {
        /// Its position in the guard.
        conjunct: usize,
    },
}

/// An occurrence that is not tried.
#[derive(Clone, PartialEq, Debug)]
pub struct Dropped {
    /// The rule.
    pub rule: RuleId,
    /// Position of the head.
    pub head: usize,
    /// Why.
    pub reason: DropReason,
}

/// Why an occurrence is not tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropReason {
    /// The source says so.
    Passive,
    /// Whenever it could fire, the rule fires first with the active constraint at this head.
    Symmetric {
        /// Position of that head.
        earlier: usize,
    },
    /// The guard never holds.
    Never,
    /// The rule is applied when constraints are put into the store ([`crate::class::Reduction`], [`crate::class::Divisor`]).
    Reduction,
}

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

/// How partners are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joins {
    /// In a good order, by indexes.
    Indexed,
    /// In textual order among all constraints of the symbol, as Zaki, Frühwirth and Geller do (Parallel Execution of Constraint
    /// Handling Rules on a Graphical Processing Unit).
    Exhaustive,
}

/// Compiles a checked constraint program for the refined semantics. Only a program that breaks an invariant of the rule IR gives
/// diagnostics.
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
        plan.monotone = class::monotone_tables(&plan);
        checked(program, &plan)?;
    }
    Ok(plan)
}

fn checked(program: &Program, plan: &ChrPlan) -> Result<(), Vec<Diagnostic>> {
    let found = verify(program, plan);
    if found.is_empty() { Ok(()) } else { Err(found) }
}

pub(crate) fn internal(span: Span, text: impl Into<String>) -> Diagnostic {
    Diagnostic::error("I0101", "internal error: the plan of the constraint program is not well-formed")
        .label(span, text)
        .help("this is a bug of gchr, not of the program; please report it with the program")
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
    /// Whether the instances of a rule are candidates of rounds: it has no class.
    pub fn is_general(&self, rule: RuleId) -> bool {
        self.classes.verdicts.get(rule).is_none_or(Verdict::is_general)
    }

    /// The rules whose instances are candidates of rounds.
    pub fn general_rules(&self) -> impl Iterator<Item = (RuleId, &RulePlan)> {
        self.rules.iter_enumerated().filter(|(id, _)| self.is_general(*id))
    }

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

    /// The occurrences of a rule, which follow each other.
    pub(crate) fn occurrences_of(&self, rule: RuleId) -> impl Iterator<Item = &Occurrence> {
        let all = self.occurrences.as_slice();
        let (first, end) = (all.partition_point(|o| o.rule < rule), all.partition_point(|o| o.rule <= rule));
        all[first..end].iter()
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

impl RulePlan {
    /// The constraint symbols that the body adds, in order, as often as it does.
    pub fn added(&self) -> impl Iterator<Item = ConstraintId> + '_ {
        self.body.iter().filter_map(|goal| match goal.kind {
            GoalKind::Add { constraint, .. } => Some(constraint),
            _ => None,
        })
    }
}

impl Occurrence {
    /// All steps in the order in which they are executed, without the look-ups.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        let joins = self.joins.iter().flat_map(|j| &j.steps);
        self.entry.iter().chain(joins).chain(&self.commit)
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

/// One index for each set of columns that some join has as its key, or that a reduction has; the list of all rows where a join has
/// none.
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
