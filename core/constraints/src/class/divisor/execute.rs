//! Constraints that are reduced to greatest common divisors: which one of each key lives.

use crate::exec::round::state::{InsertionRule, RoundsState};
use crate::exec::table::Table;
use crate::ir::classes::Divisor;
use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::rule::RuleId;

/// The constraints with a positive value of one table, one per key.
pub(crate) struct Divisors<'a> {
    class: &'a Divisor,
    rows: HashMap<Box<[u64]>, u32>,
}

/// What a constraint that is about to be stored meets.
enum Meeting {
    /// Nothing that it reacts with.
    Nothing,
    /// The rule that drops it because its value is zero.
    Zero,
    /// The constraint of its key, in this row.
    Row(u32),
}

impl<'a> Divisors<'a> {
    pub(crate) fn new(class: &'a Divisor) -> Self {
        Self { class, rows: HashMap::default() }
    }

    fn meeting(&self, args: &[u64]) -> Meeting {
        match args[self.class.column].cast_signed() {
            0 => Meeting::Zero,
            // No rule takes it.
            ..0 => Meeting::Nothing,
            _ => self.rows.get(&self.key(args)).map_or(Meeting::Nothing, |&row| Meeting::Row(row)),
        }
    }

    fn key(&self, args: &[u64]) -> Box<[u64]> {
        self.class.key.iter().map(|&column| args[column]).collect()
    }
}

impl InsertionRule for Divisors<'_> {
    fn meet(&mut self, state: &mut RoundsState<'_, '_>, table: usize, args: &[u64], id: u64) -> bool {
        let class = self.class;
        let (rule, met) = match self.meeting(args) {
            Meeting::Nothing => return true,
            Meeting::Zero => (class.zero, None),
            Meeting::Row(row) => (class.rule, Some(row)),
        };
        state.firings += 1;
        if let Some(counts) = &mut state.fired_by_rule {
            counts[rule.index()] += 1;
        }
        if state.control.traces() {
            state.trace_dropped(table, rule, met, args, id);
        }
        let Some(row) = met else { return false };
        let old = state.tables[table].columns[class.column].get(row);
        let value = gcd(old, args[class.column]);
        if value != old {
            if state.control.traces() {
                state.trace_replacement(rule, table, row, value.cast_signed());
            }
            state.tables[table].replace(row, class.column, value);
        }
        false
    }

    fn stored(&mut self, args: &[u64], row: u32) {
        if args[self.class.column].cast_signed() > 0 {
            self.rows.insert(self.key(args), row);
        }
    }

    fn learn(&mut self, table: &Table) {
        for row in table.rows() {
            let args: Vec<u64> = table.columns.iter().map(|column| column.get(row)).collect();
            self.stored(&args, row);
        }
    }

    fn bytes(&self) -> u64 {
        let key = 8 * self.class.key.len();
        (self.rows.capacity() * (size_of::<(Box<[u64]>, u32)>() + 1) + self.rows.len() * key) as u64
    }
}

impl RoundsState<'_, '_> {
    /// The trace line of a constraint that is removed before it is stored.
    fn trace_dropped(&mut self, table: usize, rule: RuleId, met: Option<u32>, args: &[u64], id: u64) {
        let mut line = format!("round {} {}:", self.rounds, self.plan.rules[rule].name);
        if let Some(row) = met {
            line.push(' ');
            self.write_row(&mut line, table, row);
        }
        line.push_str(" \\ ");
        self.write_words(&mut line, table, |c| args[c], id);
        self.control.trace_line(&line);
    }
}

/// The greatest common divisor.
fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
