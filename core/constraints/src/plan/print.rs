//! Text form of a plan, as `gchr emit --stage plan` shows it: tables with their indexes, then the occurrences of each
//! symbol in the order of tries, then what is not tried and why. Columns and heads count from 1, variables print as in
//! the rules.

use std::fmt::{self, Display, Formatter};

use super::*;
use gchr_base::rule::Shown;
use gchr_base::signature::Signature;
use gchr_base::signature::SortKind;

/// A plan with the program it was made from: what can be printed.
pub struct Printed<'a> {
    plan: &'a ChrPlan,
    program: &'a Program,
}

impl ChrPlan {
    /// The plan in text form.
    pub fn display<'a>(&'a self, program: &'a Program) -> Printed<'a> {
        Printed { plan: self, program }
    }
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for table in &self.plan.tables {
            self.table(table, f)?;
        }
        for table in &self.plan.tables {
            for &id in &table.occurrences {
                writeln!(f)?;
                self.occurrence(id, f)?;
            }
        }
        if !self.plan.dropped.is_empty() {
            writeln!(f)?;
        }
        self.plan.dropped.iter().try_for_each(|d| self.dropped(d, f))?;
        if self.plan.semantics == Semantics::Rounds {
            write!(f, "\nclasses\n{}", self.plan.explain())?;
            self.fast_paths(f)?;
            write!(f, "\nplaces\n{}", self.plan.explain_places())?;
        }
        Ok(())
    }
}

/// What follows an expression that can be without a value.
fn failing(can_fail: bool) -> &'static str {
    if can_fail { ", can fail" } else { "" }
}

impl Printed<'_> {
    fn table(&self, table: &TablePlan, f: &mut Formatter<'_>) -> fmt::Result {
        let columns: Vec<String> = table.columns.iter().map(column).collect();
        writeln!(f, "table {}({})", table.name, columns.join(", "))?;
        for (i, index) in table.indexes.iter().enumerate() {
            let kind = match index.kind {
                IndexKind::All => "all rows",
                IndexKind::Hash => "hash",
                IndexKind::Dense => "dense",
            };
            let columns: Vec<String> = index.columns.iter().map(|c| (c + 1).to_string()).collect();
            let columns =
                if columns.is_empty() { String::new() } else { format!(" on {}", columns.join(", ")) };
            writeln!(f, "  index {i}: {kind}{columns}")?;
        }
        if !table.removed_by.is_empty() {
            let rules: Vec<&str> =
                table.removed_by.iter().map(|&rule| self.plan.rules[rule].name.as_str()).collect();
            writeln!(f, "  removed by {}", rules.join(", "))?;
        }
        if table.any_order {
            writeln!(f, "  in any order")?;
        }
        Ok(())
    }

    /// What is executed otherwise than instance by instance while nothing else is new.
    fn fast_paths(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nfast paths")?;
        for replacement in self.plan.classes.replacements.iter().filter(|r| r.product.is_ok()) {
            let table = &self.plan.tables[replacement.constraint].name;
            let rule = &self.plan.rules[replacement.rule].name;
            let order = match replacement.best.order {
                class::BestOrder::Least => "min",
                class::BestOrder::Greatest => "max",
            };
            writeln!(f, "  {table}: products of matrices over ({order}, +), by {rule}")?;
        }
        match &self.plan.monotone {
            Ok(monotone) => {
                for (id, table) in
                    self.plan.tables.iter_enumerated().filter(|(t, _)| monotone.is_monotone(*t))
                {
                    let added = if monotone.is_added(id) { ", added to" } else { "" };
                    let linked = if monotone.is_linked(id) { ", indexes kept up to date" } else { "" };
                    writeln!(f, "  {}: monotone{added}{linked}", table.name)?;
                }
                Ok(())
            }
            Err(why) => writeln!(f, "  no monotone tables, as {why}"),
        }
    }

    fn occurrence(&self, id: OccurrenceId, f: &mut Formatter<'_>) -> fmt::Result {
        let occurrence = &self.plan.occurrences[id];
        let rule = &self.plan.rules[occurrence.rule];
        let role = if occurrence.removes_active { "removed" } else { "kept" };
        let table = &self.plan.tables[occurrence.constraint].name;
        writeln!(f, "{id} active {table} as {role} head {} of {}", occurrence.head + 1, rule.name)?;
        self.steps(occurrence, &occurrence.entry, "  ", f)?;
        for join in &occurrence.joins {
            self.join(occurrence, join, f)?;
        }
        let indent = if occurrence.joins.is_empty() { "  " } else { "    " };
        self.steps(occurrence, &occurrence.commit, indent, f)?;
        self.fire(occurrence, rule, indent, f)
    }

    fn join(&self, occurrence: &Occurrence, join: &Join, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "  for each {}", self.plan.tables[join.constraint].name)?;
        if occurrence.older_partners {
            write!(f, " older than the active one")?;
        }
        write!(f, " as head {}, index {}", join.head + 1, join.index)?;
        for (i, (column, key)) in join.keys.iter().enumerate() {
            let and = if i == 0 { ":" } else { "," };
            write!(f, "{and} column {} = {}", column + 1, self.key(occurrence, key))?;
        }
        let distinct: Vec<String> = join.distinct.iter().map(|h| format!("head {}", h + 1)).collect();
        if !distinct.is_empty() {
            write!(f, "; not {}", distinct.join(", "))?;
        }
        writeln!(f)?;
        self.steps(occurrence, &join.steps, "    ", f)
    }

    fn fire(&self, occ: &Occurrence, rule: &RulePlan, indent: &str, f: &mut Formatter<'_>) -> fmt::Result {
        let once = match rule.once {
            Once::Removal => "",
            Once::Newest => ", once since the active one is the newest",
            Once::OneActive => ", once since no other head is active",
            Once::History => ", unless the history has it",
        };
        let found = if rule.fires_where_found { ", where it is found" } else { "" };
        writeln!(f, "{indent}fire{once}{found}")?;
        let mut removed: Vec<usize> = occ.removed.clone();
        removed.extend(occ.removes_active.then_some(occ.head));
        removed.sort_unstable();
        if !removed.is_empty() {
            let heads: Vec<String> = removed.iter().map(|h| format!("head {}", h + 1)).collect();
            writeln!(f, "{indent}  remove {}", heads.join(", "))?;
        }
        let vars = &self.program.rules[occ.rule].vars;
        for (goal, can_fail) in rule.body.iter().zip(&rule.can_fail) {
            let fails = failing(can_fail.contains(&true));
            writeln!(f, "{indent}  {}{fails}", Shown { sig: self.sig(), vars, what: goal })?;
        }
        Ok(())
    }

    fn steps(&self, occ: &Occurrence, steps: &[Step], indent: &str, f: &mut Formatter<'_>) -> fmt::Result {
        steps.iter().try_for_each(|step| {
            write!(f, "{indent}")?;
            self.step(occ, step, f)?;
            writeln!(f)
        })
    }

    fn step(&self, occ: &Occurrence, step: &Step, f: &mut Formatter<'_>) -> fmt::Result {
        let (sig, vars) = (self.sig(), &self.program.rules[occ.rule].vars);
        let slot = |s: SlotId| slot_name(occ, s);
        match step {
            Step::Load { slot: to, head, column } => {
                write!(f, "{} := head {} column {}", slot(*to), head + 1, column + 1)
            }
            Step::Field { slot: to, of, index } => {
                write!(f, "{} := argument {} of {}", slot(*to), index + 1, slot(*of))
            }
            Step::SameColumn { head, column, value } => {
                write!(f, "same head {} column {}, {}", head + 1, column + 1, self.operand(occ, *value))
            }
            Step::Same { slot: s, value } => write!(f, "same {}, {}", slot(*s), self.operand(occ, *value)),
            Step::Functor { slot: s, symbol } => {
                write!(f, "functor {} is {}/{}", slot(*s), sig.symbols[*symbol].name, sig.arity(*symbol))
            }
            Step::Test { test, can_fail, .. } => {
                write!(f, "test {}{}", Shown { sig, vars, what: test }, failing(*can_fail))
            }
            Step::Prune { test, .. } => write!(f, "prune {}", Shown { sig, vars, what: test }),
            Step::Eval { slot: s, value, can_fail, .. } => {
                write!(f, "{} := {}{}", slot(*s), Shown { sig, vars, what: value }, failing(*can_fail))
            }
            Step::Match { value, pattern, can_fail, .. } => {
                let (value, pattern) = (Shown { sig, vars, what: value }, Shown { sig, vars, what: pattern });
                write!(f, "match {value} with {pattern}{}", failing(*can_fail))
            }
            Step::Fail { .. } => f.write_str("fail"),
        }
    }

    fn key(&self, occ: &Occurrence, key: &Key) -> String {
        match key {
            Key::Slot(s) | Key::Equal { slot: s, .. } => slot_name(occ, *s),
            Key::Const(c) => self.operand(occ, Operand::Const(*c)),
            Key::Linear(linear) => {
                let mut text = String::new();
                for &(s, minus) in &linear.terms {
                    let sign = match (text.is_empty(), minus) {
                        (true, false) => "",
                        (true, true) => "-",
                        (false, false) => " + ",
                        (false, true) => " - ",
                    };
                    text += sign;
                    text += &slot_name(occ, s);
                }
                match linear.constant {
                    n if text.is_empty() => n.to_string(),
                    0 => text,
                    n if n < 0 => format!("{text} - {}", n.unsigned_abs()),
                    n => format!("{text} + {n}"),
                }
            }
        }
    }

    fn operand(&self, occ: &Occurrence, operand: Operand) -> String {
        match operand {
            Operand::Slot(s) => slot_name(occ, s),
            Operand::Const(c) => {
                Shown { sig: self.sig(), vars: &self.program.rules[occ.rule].vars, what: &c }.to_string()
            }
        }
    }

    fn dropped(&self, dropped: &Dropped, f: &mut Formatter<'_>) -> fmt::Result {
        let head = dropped.head + 1;
        let reason = match dropped.reason {
            DropReason::Passive => "it is passive".to_string(),
            DropReason::Symmetric { earlier } => {
                format!("the rule fires with head {} active whenever it could", earlier + 1)
            }
            DropReason::Never => "the guard never holds".to_string(),
            DropReason::Reduction => "the rule is applied when constraints are added".to_string(),
        };
        writeln!(f, "not tried: head {head} of {}: {reason}", self.plan.rules[dropped.rule].name)
    }

    fn sig(&self) -> &Signature {
        &self.program.signature
    }
}

fn slot_name(occ: &Occurrence, slot: SlotId) -> String {
    format!("{}.{}", occ.slots[slot].name, slot.0)
}

fn column(column: &ColumnPlan) -> String {
    let kind = match column.kind {
        SortKind::Int => "int",
        SortKind::Float => "float",
        SortKind::Atom => "atom",
        SortKind::Str => "string",
        SortKind::Any => "any",
        SortKind::Data => "data",
    };
    let dense = if column.density == Density::Dense { "dense " } else { "" };
    format!("{dense}{kind}")
}
