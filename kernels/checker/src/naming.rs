//! Turns places, memory and conflicts of the walk into the text of verdicts.

use gchr_base::hash::HashMap;

use super::access::{AccessKind, Conflict, DivergentLoad, Pair};
use super::model::{Memory, Site, Violation};
use super::verdict::{Assumed, Assumption, Location, Reason, Rule};
use gchr_kernel::ir::*;
use gchr_kernel::print::print_statement;

/// Gives places and memory their names.
pub(super) struct Names<'a> {
    pub module: &'a Module,
    pub roots: &'a [Memory],
}

impl Names<'_> {
    pub fn place(&self, site: Site<'_>) -> Location {
        let mut statement = 0;
        let mut count = 0;
        flow::each_statement(&site.function.body, &mut |stmt| {
            if std::ptr::eq(stmt, site.stmt) {
                statement = count;
            }
            count += 1;
        });
        Location {
            function: site.function.name.clone(),
            statement,
            text: print_statement(self.module, site.function, &site.stmt.kind),
            line: site.stmt.origin.line,
        }
    }

    pub fn reason(&self, (rule, site, other, text): &Violation<'_>) -> Reason {
        Reason {
            rule: *rule,
            place: self.place(*site),
            other: other.map(|o| self.place(o)),
            text: text.clone(),
        }
    }

    pub fn conflict(&self, conflict: &Conflict<'_, '_>) -> Reason {
        let Conflict { pair, one, other } = conflict;
        let memory = &self.roots[one.root as usize].name;
        let (who, between) = match pair {
            Pair::Block => ("two threads of a block", "barrier of the block"),
            Pair::Grid => ("threads of two blocks", "barrier of the grid"),
        };
        let (rule, text) = if one.kind == AccessKind::Claim {
            (Rule::OwnershipTransfer, format!("{who} may both claim to own an element of `{memory}`"))
        } else {
            let rule = if *pair == Pair::Block { Rule::BlockPermission } else { Rule::GridPermission };
            let what = format!("{} and {}", one.kind.name(), other.kind.name());
            (
                rule,
                format!("{who} may touch one element of `{memory}` ({what}) without a {between} in between"),
            )
        };
        let same = std::ptr::eq(one.site.stmt, other.site.stmt);
        let other = (!same).then(|| self.place(other.site));
        Reason { rule, place: self.place(one.site), other, text }
    }

    /// Divergent loads, each with a write that may happen at the same time, in textual order.
    pub fn divergent_loads<'m>(
        &self,
        divergent_loads: impl Iterator<Item = &'m DivergentLoad<'m>>,
    ) -> Vec<(Location, Location)> {
        let mut all: Vec<(Location, Location)> =
            divergent_loads.map(|t| (self.place(t.load), self.place(t.store))).collect();
        let at = |place: &Location| (place.function.clone(), place.statement);
        all.sort_by_cached_key(|(load, store)| (at(load), at(store)));
        all.dedup();
        all
    }

    pub fn assumptions(&self, stated: &[(String, Assumed, Site<'_>)]) -> Vec<Assumption> {
        let mut all: Vec<Assumption> = Vec::new();
        let mut known: HashMap<(&str, &Assumed), (usize, Vec<usize>)> = HashMap::default();
        for (name, kind, site) in stated {
            let address = std::ptr::from_ref(site.stmt).addr();
            let (at, places) = known.entry((name, kind)).or_insert_with(|| {
                all.push(Assumption {
                    name: name.clone(),
                    kind: kind.clone(),
                    place: self.place(*site),
                    places: 0,
                });
                (all.len() - 1, Vec::new())
            });
            if !places.contains(&address) {
                places.push(address);
                all[*at].places += 1;
            }
        }
        all
    }
}
