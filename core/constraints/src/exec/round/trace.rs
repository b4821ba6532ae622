//! Trace lines of a run in rounds.

use std::fmt::Write as _;

use super::state::RoundsState;
use crate::exec::store::trace_constraint;
use gchr_base::ids::Id;
use gchr_base::rule::{Role, RuleId};
use gchr_base::signature::ConstraintId;
use gchr_base::value::Terms;

impl RoundsState<'_, '_> {
    /// Records a firing, and writes its trace line: round, rule, kept constraints, `\`, removed constraints, each with
    /// its id.
    pub(crate) fn trace_instance(&mut self, rule: RuleId, rows: impl Fn(usize) -> u32) {
        let plan = &self.plan.rules[rule];
        if self.control.derives() {
            let heads = plan.heads.iter().enumerate();
            let ids: Vec<u64> =
                heads.map(|(head, h)| self.tables[h.constraint.index()].ids.get(rows(head))).collect();
            self.record_fired(rule, &ids);
        }
        if !self.control.traces() {
            return;
        }
        let mut line = format!("round {} {}:", self.rounds, plan.name);
        for role in [Role::Kept, Role::Removed] {
            if role == Role::Removed && plan.heads.iter().any(|h| h.role == role) {
                line.push_str(" \\");
            }
            for (head, h) in plan.heads.iter().enumerate().filter(|(_, h)| h.role == role) {
                line.push(' ');
                self.write_row(&mut line, h.constraint.index(), rows(head));
            }
        }
        self.control.trace_line(&line);
    }

    /// The trace line of a value that is replaced.
    pub(crate) fn trace_replacement(&mut self, rule: RuleId, table: usize, row: u32, value: i64) {
        let mut line = format!("round {} {}: ", self.rounds, self.plan.rules[rule].name);
        self.write_row(&mut line, table, row);
        let written = write!(line, " takes {value}");
        debug_assert!(written.is_ok(), "a string takes any text");
        self.control.trace_line(&line);
    }

    pub(crate) fn write_row(&self, line: &mut String, table: usize, row: u32) {
        let stored = &self.tables[table];
        self.write_words(line, table, |c| stored.columns[c].get(row), stored.ids.get(row));
    }

    pub(crate) fn write_words(&self, line: &mut String, table: usize, word: impl Fn(usize) -> u64, id: u64) {
        let terms = Terms { signature: &self.program.signature, heap: &self.heap };
        let kinds = self.tables[table].kinds.iter().enumerate();
        let values = kinds.map(|(c, &kind)| terms.value(kind, word(c)));
        let name = &self.program.signature.constraints[ConstraintId::from_index(table)].name;
        trace_constraint(line, name, values, id);
    }
}
