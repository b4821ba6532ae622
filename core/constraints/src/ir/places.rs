//! Where the constraints of a program for rounds live when several workers share a run: for each table its home and its
//! copies, for each rule where its instances are found and what has to be sent.
//!
//! `docs/scale-out.md` defines the words and proves that the store is that of one worker.

use gchr_base::ids::IdVec;
use gchr_base::rule::RuleId;
use gchr_base::signature::ConstraintId;

/// The workers that have a constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The worker of the hash of these columns, ascending; none: the first worker.
    By(Vec<usize>),
    /// All workers.
    Everywhere,
}

/// Where the constraints of a table are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TablePlaces {
    /// Where a constraint is reduced and counted: at the worker of one column, at the first worker, or everywhere, by
    /// each worker for itself.
    pub home: Place,
    /// Where else it is looked for.
    pub copies: Vec<Place>,
    /// Whether rules add to the table whose instances single workers find; otherwise every worker knows of itself what
    /// is added.
    pub is_added_to: bool,
}

/// Where the instances of a rule are found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RulePlaces {
    /// One entry a head: where its constraints are looked for. Empty for a rule that is a class.
    pub heads: Vec<Place>,
    /// The head whose constraint says which worker finds an instance: it is at one place, the others are there too.
    /// `None` where all are everywhere: each worker finds the instance for itself, and counts it once.
    pub finder: Option<usize>,
    /// One entry a constraint that the body adds, in order: whether its home is where the instance is found.
    pub stays: Vec<bool>,
    /// How often workers exchange constraints in a round in which the rule fires, or why the rule cannot be shared by
    /// workers.
    pub exchanges: Result<u32, String>,
}

/// The places of a program.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Places {
    /// One entry a table; none under the refined semantics.
    pub tables: IdVec<ConstraintId, TablePlaces>,
    /// One entry a rule.
    pub rules: IdVec<RuleId, RulePlaces>,
}

impl Places {
    /// Exchanges in a round, at most; or the first rule that workers cannot share, with the reason.
    pub fn exchanges(&self) -> Result<u32, (RuleId, &str)> {
        let mut most = 0;
        for (id, rule) in self.rules.iter_enumerated() {
            most = most.max(*rule.exchanges.as_ref().map_err(|why| (id, why.as_str()))?);
        }
        Ok(most)
    }

    /// Whether a place is the home of a table or one of its copies.
    pub fn has(&self, table: ConstraintId, place: &Place) -> bool {
        let TablePlaces { home, copies, .. } = &self.tables[table];
        home == place || copies.contains(place)
    }
}
