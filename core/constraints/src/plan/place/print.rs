//! Places as text: a line for each table, then what each rule exchanges, then whether there is a pivot.

use std::fmt::{self, Display, Formatter};

use crate::ir::ChrPlan;
use crate::ir::places::{Place, RulePlaces};
use gchr_base::rule::RuleId;
use gchr_base::signature::ConstraintId;

/// The places of a plan for rounds, printable.
pub struct PrintedPlaces<'a> {
    plan: &'a ChrPlan,
}

impl ChrPlan {
    /// Where constraints live, and what is sent, when workers share a run.
    pub fn explain_places(&self) -> PrintedPlaces<'_> {
        PrintedPlaces { plan: self }
    }
}

impl Display for PrintedPlaces<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let places = &self.plan.places;
        for (id, table) in places.tables.iter_enumerated() {
            write!(f, "  {}: home {}", self.plan.tables[id].name, place(&table.home))?;
            for copy in &table.copies {
                write!(f, ", copies {}", place(copy))?;
            }
            writeln!(f)?;
        }
        for (id, rule) in places.rules.iter_enumerated() {
            self.rule(id, rule, f)?;
        }
        match places.exchanges() {
            Ok(0) => writeln!(f, "  pivot: every constraint is added where it has its home"),
            Ok(_) => match self.not_pivot() {
                Some(why) => writeln!(f, "  no pivot, as {why}"),
                None => Ok(()),
            },
            Err((rule, why)) => {
                writeln!(f, "  workers cannot share it: {}: {why}", self.plan.rules[rule].name)
            }
        }
    }
}

impl PrintedPlaces<'_> {
    fn rule(&self, id: RuleId, places: &RulePlaces, f: &mut Formatter<'_>) -> fmt::Result {
        let rule = &self.plan.rules[id];
        write!(f, "  {}: ", rule.name)?;
        if places.heads.is_empty() {
            write!(f, "at the home of {}", self.table(rule.heads[0].constraint))?;
        } else if let Some(finder) = places.finder {
            write!(f, "found by head {} {}", finder + 1, place(&places.heads[finder]))?;
            for (head, at) in places.heads.iter().enumerate().filter(|(head, _)| *head != finder) {
                write!(f, ", head {} {}", head + 1, place(at))?;
            }
        } else {
            write!(f, "found by each worker")?;
        }
        match &places.exchanges {
            Ok(_) if places.heads.is_empty() => writeln!(f),
            Ok(1) => writeln!(f, "; 1 exchange"),
            Ok(exchanges) => writeln!(f, "; {exchanges} exchanges"),
            Err(why) => writeln!(f, "; cannot be shared, as {why}"),
        }
    }

    /// Why there are exchanges under the best choice of homes.
    fn not_pivot(&self) -> Option<String> {
        let places = &self.plan.places;
        places.rules.iter_enumerated().find_map(|(id, rule)| {
            let (name, added) = (&self.plan.rules[id].name, || self.plan.rules[id].added());
            let moved = added().zip(&rule.stays).find(|(_, stays)| !**stays);
            if let (Some((table, _)), Some(finder)) = (moved, rule.finder) {
                let found = place(&rule.heads[finder]);
                let home = place(&places.tables[table].home);
                let head = finder + 1;
                return Some(format!(
                    "{name} adds {} {home}, another value than that {found} of head {head}",
                    self.table(table)
                ));
            }
            rule.finder?;
            let copied = added().find(|&table| !places.tables[table].copies.is_empty())?;
            Some(format!("{name} adds {}, which has copies", self.table(copied)))
        })
    }

    fn table(&self, id: ConstraintId) -> &str {
        &self.plan.tables[id].name
    }
}

fn place(place: &Place) -> String {
    match place {
        Place::Everywhere => "everywhere".into(),
        Place::By(columns) => match columns[..] {
            [] => "at the first worker".into(),
            [column] => format!("by column {}", column + 1),
            _ => {
                let columns: Vec<String> = columns.iter().map(|column| (column + 1).to_string()).collect();
                format!("by columns {}", columns.join(", "))
            }
        },
    }
}
