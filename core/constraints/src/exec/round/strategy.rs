//! How the instances of each symbol are looked for: rule by rule, and by what is known of a rule before the run.

use super::pipeline::Pipeline;
use crate::exec::code::{Code, OccurrenceCode};
use crate::ir::ChrPlan;
use gchr_base::ids::Id;
use gchr_base::rule::{Role, RuleId};
use gchr_base::signature::{ConstraintId, Signature};

/// For each symbol what to do with a constraint of it.
pub(crate) struct Strategy {
    /// By table: the general rules with a head over it, in order.
    pub(crate) groups: Vec<Vec<Group>>,
    /// By table: what instances do whose newest constraint is of it, if all of them fire where they are found.
    direct: Vec<Option<Reach>>,
}

/// What the instances of a symbol look at and change.
struct Reach {
    /// Tables of partners.
    reads: Vec<usize>,
    /// Tables in which a constraint that is stored takes the place of another one.
    replaces: Vec<usize>,
    /// Whether the order in which they fire cannot be told.
    any_order: bool,
    /// Whether they must be sorted where it can.
    sorted: bool,
}

/// How a round may be done whose constraints are stored as soon as bodies add them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DirectRound {
    /// In any order.
    pub(crate) any_order: bool,
}

/// The occurrences of one rule for one symbol.
pub(crate) struct Group {
    pub(crate) rule: RuleId,
    /// Occurrences of the symbol; for pairs, all instances of one come before those of the next.
    pub(crate) occurrences: Vec<usize>,
    /// For each of them, how its instances are found and fired many at a time, if they can be.
    pub(crate) pipelines: Vec<Option<Pipeline>>,
    pub(crate) shape: Shape,
    /// Each instance fires where it is found, and need not be traced.
    pub(crate) immediate: bool,
}

/// How many partners there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// None.
    Alone,
    /// One, so that the order of a list of rows is that of rank, or its reverse.
    Pairs,
    /// Any number: instances are sorted.
    Any,
}

impl Strategy {
    /// `whole` keeps every instance, so that it can be traced.
    pub(crate) fn new(signature: &Signature, plan: &ChrPlan, code: &Code, whole: bool) -> Self {
        let mut groups = Vec::new();
        for (table, activation) in code.activations.iter().enumerate() {
            let mut own: Vec<Group> = Vec::new();
            for (k, occurrence) in activation.occurrences.iter().enumerate() {
                let rule = occurrence.rule;
                if !plan.is_general(rule) {
                    continue;
                }
                match own.last_mut() {
                    Some(group) if group.rule == rule => group.occurrences.push(k),
                    _ => {
                        let shape = match occurrence.levels.len() {
                            0 => Shape::Alone,
                            1 => Shape::Pairs,
                            _ => Shape::Any,
                        };
                        let immediate = plan.rules[rule].fires_where_found && !whole;
                        own.push(Group {
                            rule,
                            occurrences: vec![k],
                            pipelines: Vec::new(),
                            shape,
                            immediate,
                        });
                    }
                }
            }
            for group in own.iter_mut().filter(|g| g.shape == Shape::Pairs) {
                // The newest constraint has the greatest id: at the first head it comes last when that is kept, else
                // first.
                let first = &plan.rules[group.rule].heads[0];
                let newest_first = first.role == Role::Removed;
                let at_first = |&k: &usize| activation.occurrences[k].level_of_head[0].is_none();
                group.occurrences.sort_by_key(|k| at_first(k) != newest_first);
            }
            let columns = plan.tables[ConstraintId::from_index(table)].columns.len();
            for group in own.iter_mut().filter(|group| group.immediate) {
                let pipeline = |&k: &usize| {
                    let occurrence = &activation.occurrences[k];
                    Pipeline::new(signature, code, (table, columns), activation.registers, occurrence)
                };
                group.pipelines = group.occurrences.iter().map(pipeline).collect();
            }
            groups.push(own);
        }
        let of_table = |(table, groups): (usize, &Vec<Group>)| Reach::new(plan, code, table, groups);
        let direct = groups.iter().enumerate().map(of_table).collect();
        Self { groups, direct }
    }

    /// How a round that starts from constraints of these tables may store what bodies add at once, if it may: every
    /// instance fires where it is found, and nothing that instances look at is removed.
    pub(crate) fn direct(&self, tables: impl Iterator<Item = usize> + Clone) -> Option<DirectRound> {
        let reaches = tables.map(|table| self.direct[table].as_ref());
        let any_order = reaches.clone().flatten().all(|reach| reach.any_order);
        let is_read = |table: &usize| reaches.clone().flatten().any(|reach| reach.reads.contains(table));
        let fits = |reach: Option<&Reach>| {
            reach.is_some_and(|reach| (any_order || !reach.sorted) && !reach.replaces.iter().any(is_read))
        };
        reaches.clone().all(fits).then_some(DirectRound { any_order })
    }
}

impl Reach {
    fn new(plan: &ChrPlan, code: &Code, table: usize, groups: &[Group]) -> Option<Self> {
        if groups.iter().any(|group| !group.immediate) {
            return None;
        }
        let own = &code.activations[table].occurrences;
        let occurrences = groups.iter().flat_map(|group| &group.occurrences).map(|&k| &own[k]);
        let reads = occurrences.flat_map(|o| &o.levels).map(|level| level.table).collect();
        let classes = &plan.classes;
        let added: Vec<ConstraintId> = groups.iter().flat_map(|g| plan.rules[g.rule].added()).collect();
        // Divisors are remembered beside the store.
        if added.iter().any(|&table| classes.divisor_of(table).is_some()) {
            return None;
        }
        let replaces =
            |c: &&ConstraintId| classes.reductions.iter().any(|r| r.constraint == **c && r.best.is_some());
        Some(Self {
            reads,
            replaces: added.iter().filter(replaces).map(|c| c.index()).collect(),
            any_order: plan.tables[ConstraintId::from_index(table)].any_order,
            sorted: groups.iter().any(|group| group.shape == Shape::Any),
        })
    }
}

/// The rank of an instance as words that compare like ranks do: at a kept head the id, at a removed one its complement.
pub(crate) fn rank(plan: &ChrPlan, rule: RuleId, id: impl Fn(usize) -> u64, key: &mut Vec<u64>) {
    key.clear();
    key.extend(plan.rules[rule].heads.iter().enumerate().map(|(head, h)| match h.role {
        Role::Kept => id(head),
        Role::Removed => !id(head),
    }));
}

/// The row of each head of an instance, given those of the partners.
pub(crate) fn row_of_head(occurrence: &OccurrenceCode, head: usize, active: u32, rows: &[u32]) -> u32 {
    occurrence.level_of_head[head].map_or(active, |level| rows[level])
}

/// The table of a head.
pub(crate) fn table_of_head(plan: &ChrPlan, rule: RuleId, head: usize) -> usize {
    let constraint: ConstraintId = plan.rules[rule].heads[head].constraint;
    constraint.index()
}
