//! Classes as text: one line a rule, and why a rule has none.

use std::fmt::{self, Display, Formatter};

use super::{Verdict, monotone};
use crate::ir::{ChrPlan, Key};
use gchr_base::rule::RuleId;

/// The classes of a plan, printable.
pub struct Explained<'a> {
    plan: &'a ChrPlan,
}

impl Display for Explained<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let width = self.plan.rules.iter().map(|r| r.name.chars().count()).max().unwrap_or(0);
        let growth = monotone::explain(self.plan);
        for (id, verdict) in self.plan.classes.verdicts.iter_enumerated() {
            let name = &self.plan.rules[id].name;
            if let Some(class) = self.plan.classes.member(verdict) {
                for (at, line) in class.explain(self.plan).into_iter().enumerate() {
                    match at {
                        0 => writeln!(f, "{name:width$}  {line}")?,
                        _ => writeln!(f, "{:width$}    {line}", "")?,
                    }
                }
            }
            if let Verdict::General { no_reduction, no_replacement, no_divisor } = verdict {
                writeln!(f, "{name:width$}  general")?;
                writeln!(f, "{:width$}    no reduction, as {no_reduction}", "")?;
                writeln!(f, "{:width$}    no monotone replacement, as {no_replacement}", "")?;
                if let Some(why) = no_divisor {
                    writeln!(f, "{:width$}    no greatest common divisor, as {why}", "")?;
                }
                match &growth[id] {
                    Some(why) => writeln!(f, "{:width$}    no growth of sets, as {why}", "")?,
                    None => writeln!(f, "{:width$}    growth of sets: only adds, in any order", "")?,
                }
                self.keys(id, width, f)?;
            }
        }
        Ok(())
    }
}

impl Explained<'_> {
    /// Columns of partners that the guard determines.
    fn keys(&self, rule: RuleId, width: usize, f: &mut Formatter<'_>) -> fmt::Result {
        let mut said = Vec::new();
        for occurrence in self.plan.occurrences_of(rule) {
            for join in &occurrence.joins {
                for (column, key) in &join.keys {
                    if matches!(key, Key::Linear(_) | Key::Equal { .. })
                        && !said.contains(&(join.head, *column))
                    {
                        said.push((join.head, *column));
                        let text =
                            format!("key from the guard: column {} of head {}", column + 1, join.head + 1);
                        writeln!(f, "{:width$}    {text}", "")?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Constraints of one key.
pub(super) fn those(key: &[usize]) -> String {
    if key.is_empty() { "all".into() } else { format!("those with equal {}", columns(key)) }
}

fn columns(columns: &[usize]) -> String {
    let numbers: Vec<String> = columns.iter().map(|c| (c + 1).to_string()).collect();
    let s = if columns.len() == 1 { "" } else { "s" };
    format!("column{s} {}", numbers.join(", "))
}

impl ChrPlan {
    /// Which class each rule has, or why it has none.
    pub fn explain(&self) -> Explained<'_> {
        Explained { plan: self }
    }
}
