//! Classes as text: one line a rule, and why a rule has none.

use std::fmt::{self, Display, Formatter};

use super::{BestOrder, Classes, Divisor, Reduction, Replacement, Verdict};
use crate::plan::{ChrPlan, Key};
use gchr_base::rule::RuleId;
use gchr_base::signature::SortKind;

/// The classes of a plan, printable.
pub struct Explained<'a> {
    plan: &'a ChrPlan,
}

impl Display for Explained<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let width = self.plan.rules.iter().map(|r| r.name.chars().count()).max().unwrap_or(0);
        for (id, verdict) in self.plan.classes.verdicts.iter_enumerated() {
            let name = &self.plan.rules[id].name;
            match verdict {
                Verdict::Reduction(at) => {
                    writeln!(f, "{name:width$}  {}", self.reduction(&self.plan.classes.reductions[*at]))?;
                }
                Verdict::Replacement(at) => {
                    let replacement = &self.plan.classes.replacements[*at];
                    writeln!(f, "{name:width$}  {}", self.replacement(replacement))?;
                    match &replacement.product {
                        Ok(_) => writeln!(f, "{:width$}    dense keyed join: the product of matrices", "")?,
                        Err(why) => writeln!(f, "{:width$}    no dense keyed join, as {why}", "")?,
                    }
                }
                Verdict::Divisor(at) => {
                    writeln!(f, "{name:width$}  {}", self.divisor(&self.plan.classes.divisors[*at]))?;
                }
                Verdict::General { no_reduction, no_replacement, no_divisor } => {
                    writeln!(f, "{name:width$}  general")?;
                    writeln!(f, "{:width$}    no reduction, as {no_reduction}", "")?;
                    writeln!(f, "{:width$}    no monotone replacement, as {no_replacement}", "")?;
                    if let Some(why) = no_divisor {
                        writeln!(f, "{:width$}    no greatest common divisor, as {why}", "")?;
                    }
                    self.keys(id, width, f)?;
                }
            }
        }
        Ok(())
    }
}

impl Explained<'_> {
    fn reduction(&self, r: &Reduction) -> String {
        let table = &self.plan.tables[r.constraint];
        let name = &table.name;
        let kept = |what: &str, column: usize| {
            let int = table.columns[column].kind == SortKind::Int;
            let kind = if int { "integer" } else { "float" };
            format!("with the {what} {kind} in column {}", column + 1)
        };
        let of = those(&r.key);
        match r.best {
            None if r.key.len() == table.columns.len() => {
                format!("set semantics of {name}: equal constraints are dropped")
            }
            None => format!("first per key: of {name}, the oldest one of {of} lives"),
            Some(best) => {
                let what = if best.order == BestOrder::Least { "least" } else { "greatest" };
                let class = if r.key.is_empty() { "semilattice reduction" } else { "best per key" };
                format!("{class}: of {name}, the one of {of} {} lives", kept(what, best.column))
            }
        }
    }

    fn divisor(&self, d: &Divisor) -> String {
        let (name, of, column) = (&self.plan.tables[d.constraint].name, those(&d.key), d.column + 1);
        format!(
            "semilattice reduction: of {name}, one of {of} lives, with the greatest common divisor of the positive integers in column {column}"
        )
    }

    fn replacement(&self, r: &Replacement) -> String {
        let what = if r.best.order == BestOrder::Least { "least" } else { "greatest" };
        let name = &self.plan.tables[r.constraint].name;
        let column = r.best.column + 1;
        format!("monotone replacement: column {column} of {name} takes the {what} value at once")
    }

    /// Columns of partners that the guard determines.
    fn keys(&self, rule: RuleId, width: usize, f: &mut Formatter<'_>) -> fmt::Result {
        let mut said = Vec::new();
        for occurrence in self.plan.occurrences.iter().filter(|o| o.rule == rule) {
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
fn those(key: &[usize]) -> String {
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

impl Classes {
    /// Whether there is any.
    pub fn is_empty(&self) -> bool {
        self.reductions.is_empty() && self.replacements.is_empty() && self.divisors.is_empty()
    }
}
