//! Classes as text: one line a rule, and why a rule has none.

use std::fmt::{self, Display, Formatter};

use super::{Verdict, monotone};
use crate::ir::{ChrPlan, Key};
use gchr_base::ids::IdVec;
use gchr_base::rule::RuleId;

/// So many rules are named in a summary.
const MOST_NAMES: usize = 20;

/// The classes of a plan, printable.
pub struct Explained<'a> {
    plan: &'a ChrPlan,
    /// By rule, why it has no part in the growth of sets, if it has none.
    growth: IdVec<RuleId, Option<String>>,
}

impl Display for Explained<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let width = self.plan.rules.iter().map(|r| r.name.chars().count()).max().unwrap_or(0);
        self.rules().into_iter().try_for_each(|(id, lines)| {
            lines.into_iter().enumerate().try_for_each(|(at, line)| match at {
                0 => writeln!(f, "{:width$}  {line}", self.plan.rules[id].name),
                _ => writeln!(f, "{:width$}    {line}", ""),
            })
        })
    }
}

impl Explained<'_> {
    /// By rule, what its class is, and why it has none: a line for that, and lines of what it follows from.
    pub fn rules(&self) -> Vec<(RuleId, Vec<String>)> {
        let of = |(id, verdict)| {
            let class = self.plan.classes.member(verdict);
            let mut lines: Vec<String> = class.map_or(Vec::new(), |class| class.explain(self.plan));
            if let Verdict::General { no_reduction, no_replacement, no_divisor } = verdict {
                match &self.growth[id] {
                    None => lines.push("growth of sets: only adds, in any order".into()),
                    Some(no_growth) => {
                        lines.push("general".into());
                        lines.push(format!("no reduction, as {no_reduction}"));
                        lines.push(format!("no monotone replacement, as {no_replacement}"));
                        let no_divisor = no_divisor.as_ref();
                        lines.extend(no_divisor.map(|why| format!("no greatest common divisor, as {why}")));
                        lines.push(format!("no growth of sets, as {no_growth}"));
                    }
                }
                lines.extend(self.keys(id));
            }
            (id, lines)
        };
        self.plan.classes.verdicts.iter_enumerated().map(of).collect()
    }

    /// How many rules have a class, and the names of those that are searched for and fired one by one.
    pub fn summary(&self) -> String {
        let verdicts = &self.plan.classes.verdicts;
        let is_general = |(id, verdict): &(RuleId, &Verdict)| {
            matches!(verdict, Verdict::General { .. }) && self.growth[*id].is_some()
        };
        let general = verdicts.iter_enumerated().filter(is_general);
        let general: Vec<&str> = general.map(|(id, _)| self.plan.rules[id].name.as_str()).collect();
        let all = verdicts.iter().count();
        let s = if all == 1 { "" } else { "s" };
        let counts = format!("{} of {all} rule{s} in a class", all - general.len());
        let shown = &general[..general.len().min(MOST_NAMES)];
        match general.len() - shown.len() {
            _ if general.is_empty() => counts,
            0 => format!("{counts}; general: {}", shown.join(", ")),
            more => format!("{counts}; general: {} and {more} more", shown.join(", ")),
        }
    }

    /// Columns of partners that the guard determines.
    fn keys(&self, rule: RuleId) -> Vec<String> {
        let joins = self.plan.occurrences_of(rule).flat_map(|occurrence| &occurrence.joins);
        let mut said: Vec<(usize, usize)> = Vec::new();
        for join in joins {
            for (column, key) in &join.keys {
                if matches!(key, Key::Linear(_) | Key::Equal { .. }) && !said.contains(&(join.head, *column))
                {
                    said.push((join.head, *column));
                }
            }
        }
        let text = |(head, column)| format!("key from the guard: column {} of head {}", column + 1, head + 1);
        said.into_iter().map(text).collect()
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
        Explained { plan: self, growth: monotone::explain(self) }
    }
}
