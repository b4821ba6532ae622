//! The plan of a constraint program: for every constraint symbol its table and indexes, for every head that an active
//! constraint can fill the order in which partners are looked up, and where each condition is tested.
//!
//! Only data, and what follows from it at a look: [`crate::plan`] makes it, executors and kernel generators read it.

pub mod classes;
pub mod places;
pub(crate) mod typing;
pub(crate) mod vars;

use classes::{Classes, Monotone, Verdict};
use gchr_base::define_id;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::IdVec;
use gchr_base::rule::{Const, Expr, Goal, GoalKind, Pattern, Role, RuleId, Semantics};
use gchr_base::signature::{ConstraintId, Density, SortKind, SymbolId};
use gchr_base::source::Span;
use places::{Place, Places};

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
    /// What the plan is for. Under rounds the partners of an occurrence are always older than the active constraint,
    /// which is the newest of the instance, and `passive` says nothing.
    pub semantics: Semantics,
    /// How partners are found.
    pub joins: Joins,
    /// Classes of rules; none under the refined semantics.
    pub classes: Classes,
    /// Whether indexes are chosen.
    pub indexed: bool,
    /// Tables to which rounds only add, or why such rounds have no fast path; decided by the last pass.
    pub monotone: Result<Monotone, String>,
    /// Where constraints live when workers share a run; decided by the last pass for rounds.
    pub places: Places,
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
    /// Under rounds, whether the order cannot be told in which a round adds constraints that follow from new ones of
    /// this table, as long as all that is new is in such tables.
    pub any_order: bool,
}

/// A column of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColumnPlan {
    /// What the values are, hence how they are stored: 64 bits for `Int`, `Float` and `Any` (tagged), 32 for `Atom` and
    /// `Str`.
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
    /// Whether each expression of each goal of the body can be without a value that fits, in the order in which they
    /// are written.
    pub can_fail: Vec<Vec<bool>>,
    /// Whether each instance fires in the round in which it is found, whatever else fires: no general rule removes
    /// constraints of its heads, and it writes nothing.
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
    /// Whether partners must be older than the active constraint: all instances with a newer one were tried when that
    /// one was active.
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
    /// The rule is applied when constraints are put into the store ([`crate::class::Reduction`],
    /// [`crate::class::Divisor`]).
    Reduction,
}

/// How partners are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joins {
    /// In a good order, by indexes.
    Indexed,
    /// In textual order among all constraints of the symbol, as Zaki, Frühwirth and Geller do (Parallel Execution of
    /// Constraint Handling Rules on a Graphical Processing Unit).
    Exhaustive,
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

    /// The column whose value rules carry on from what they start with to what they add to the table, as far as there
    /// is one: that by which workers share it.
    pub(crate) fn carried_column(&self, table: ConstraintId) -> Option<usize> {
        match &self.places.tables.get(table)?.home {
            Place::By(columns) => columns.first().copied(),
            Place::Everywhere => None,
        }
    }

    /// The occurrences of a rule, which follow each other.
    pub(crate) fn occurrences_of(&self, rule: RuleId) -> impl Iterator<Item = &Occurrence> {
        let all = self.occurrences.as_slice();
        let (first, end) = (all.partition_point(|o| o.rule < rule), all.partition_point(|o| o.rule <= rule));
        all[first..end].iter()
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

pub(crate) fn internal(span: Span, text: impl Into<String>) -> Diagnostic {
    Diagnostic::error("I0101", "internal error: the plan of the constraint program is not well-formed")
        .label(span, text)
        .help("this is a bug of gchr, not of the program; please report it with the program")
}
