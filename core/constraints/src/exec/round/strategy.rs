//! How the instances of each symbol are looked for: rule by rule, and by what is known of a rule before the run.

use crate::exec::code::{Code, OccurrenceCode};
use crate::ir::ChrPlan;
use gchr_base::ids::Id;
use gchr_base::rule::{Role, RuleId};
use gchr_base::signature::ConstraintId;

/// For each symbol what to do with a constraint of it.
pub(crate) struct Strategy {
    /// By table: the general rules with a head over it, in order.
    pub(crate) groups: Vec<Vec<Group>>,
}

/// The occurrences of one rule for one symbol.
pub(crate) struct Group {
    pub(crate) rule: RuleId,
    /// Occurrences of the symbol; for pairs, all instances of one come before those of the next.
    pub(crate) occurrences: Vec<usize>,
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
    pub(crate) fn new(plan: &ChrPlan, code: &Code, whole: bool) -> Self {
        let mut groups = Vec::new();
        for activation in &code.activations {
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
                        own.push(Group { rule, occurrences: vec![k], shape, immediate });
                    }
                }
            }
            for group in own.iter_mut().filter(|g| g.shape == Shape::Pairs) {
                // The newest constraint has the greatest id: at the first head it comes last when that is kept, else first.
                let first = &plan.rules[group.rule].heads[0];
                let newest_first = first.role == Role::Removed;
                let at_first = |&k: &usize| activation.occurrences[k].level_of_head[0].is_none();
                group.occurrences.sort_by_key(|k| at_first(k) != newest_first);
            }
            groups.push(own);
        }
        Self { groups }
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
