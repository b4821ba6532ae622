//! What the machine says on its way: trace lines, program output, errors with their operands.

use super::{Frame, Machine};
use crate::exec::code::{OccurrenceCode, Pc};
use crate::exec::common::Stop;
use crate::exec::errors::ErrorFormatter;
use crate::exec::start::{write_output, written_word};
use crate::exec::step::Trap;
use crate::exec::store::trace_constraint;
use gchr_base::rule::Role;
use gchr_base::signature::{ConstraintId, SortKind};
use gchr_base::value::{Terms, Value};

impl Machine<'_, '_> {
    fn value(&self, kind: SortKind, word: u64) -> Value<'_> {
        Terms { signature: &self.program.signature, heap: &self.heap }.value(kind, word)
    }

    /// One line a firing: rule, kept constraints, `\`, removed constraints, each with its id.
    pub(crate) fn trace(&mut self, frame: &Frame, occurrence: &OccurrenceCode) {
        if !self.control.traces() {
            return;
        }
        let rule = &self.plan.rules[occurrence.rule];
        let mut line = format!("{}:", rule.name);
        for role in [Role::Kept, Role::Removed] {
            if role == Role::Removed && rule.heads.iter().any(|h| h.role == role) {
                line.push_str(" \\");
            }
            for (head, plan) in rule.heads.iter().enumerate().filter(|(_, h)| h.role == role) {
                line.push(' ');
                let row = self.row_of_head(frame, occurrence, head);
                self.trace_head(&mut line, frame, plan.constraint, row);
            }
        }
        self.control.trace_line(&line);
    }

    fn trace_head(&self, line: &mut String, frame: &Frame, constraint: ConstraintId, row: Option<u32>) {
        let table = &self.tables[constraint.0 as usize];
        let word = |column: usize| match row {
            Some(row) => table.columns[column].get(row),
            None => self.stack[frame.base + column],
        };
        let values = table.kinds.iter().enumerate().map(|(c, &kind)| self.value(kind, word(c)));
        let name = &self.program.signature.constraints[constraint].name;
        let id = row.map_or(frame.id, |row| table.ids.get(row));
        trace_constraint(line, name, values, id);
    }

    /// Program output.
    pub(crate) fn effect(&mut self, frame: &Frame, pc: Pc) -> Result<(), Stop> {
        let word = written_word(self.code, &self.stack[frame.base..], pc);
        let terms = Terms { signature: &self.program.signature, heap: &self.heap };
        let result = write_output(self.control.out(), self.code, terms, pc, word);
        result.map_err(|error| self.stop_at(error.into(), pc))
    }

    /// A trap as a stopped run.
    pub(crate) fn trapped(&self, frame: &Frame, trap: Trap) -> Stop {
        let reason = self.error_formatter().reason(&self.stack[frame.base..], trap);
        self.stop_at(reason, trap.pc)
    }

    /// `argument 2 of edge/3 (int)`.
    pub(crate) fn column_name(&self, constraint: ConstraintId, column: usize) -> String {
        self.error_formatter().column_name(constraint, column)
    }

    fn error_formatter(&self) -> ErrorFormatter<'_> {
        let Self { program, plan, code, heap, .. } = self;
        ErrorFormatter { signature: &program.signature, plan, code, heap }
    }
}
