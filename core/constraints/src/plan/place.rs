//! Chooses homes and copies of tables so that workers exchange as little as possible in a round.
//!
//! A home is one column of the key of a table. All choices are compared where there are few; where there are many, one
//! table after the other takes its best home until none changes. The best is the one with the fewest exchanges, then
//! the one with the least to copy.

mod print;
mod verify;

pub use print::PrintedPlaces;
pub(super) use verify::verify;

use crate::ir::ChrPlan;
use crate::ir::classes::Verdict;
use crate::ir::places::{Place, Places, RulePlaces, TablePlaces};
use gchr_base::ids::IdVec;
use gchr_base::rule::{Expr, ExprKind, GoalKind, HeadAtom, Pattern, PatternKind, Program, RuleId, VarId};
use gchr_base::signature::{ConstraintId, SortKind};

/// Choices of homes that are all compared.
const ALL: usize = 1 << 12;

/// What an exchange in each round costs, and what copies cost that are made at the start.
const EXCHANGE: u64 = 1 << 20;
const COPY_TO_ALL: u64 = 4;
const COPY: u64 = 1;

/// A column for each table, or none for those that have their home at the first worker.
type Homes = IdVec<ConstraintId, Vec<usize>>;

/// Decides the places of all tables and rules.
pub(super) fn places(program: &Program, plan: &ChrPlan) -> Places {
    let chooser = Chooser::new(program, plan);
    let homes = chooser.best_homes();
    let mut places = Places {
        tables: homes
            .iter_enumerated()
            .map(|(id, home)| TablePlaces {
                home: home.clone(),
                copies: Vec::new(),
                is_added_to: chooser.is_added_to[id],
            })
            .collect(),
        rules: plan.rules.ids().map(|id| chooser.rule(&homes, id).1).collect(),
    };
    for id in plan.rules.ids() {
        for at in 0..places.rules[id].heads.len() {
            let (table, place) = (plan.rules[id].heads[at].constraint, &places.rules[id].heads[at]);
            if !places.has(table, place) {
                let place = place.clone();
                places.tables[table].copies.push(place);
            }
        }
    }
    for id in plan.rules.ids() {
        places.rules[id].exchanges = exchanges(plan, &places, id);
    }
    places
}

/// How often workers exchange constraints for a rule: to the homes, then from there to the copies.
fn exchanges(plan: &ChrPlan, places: &Places, id: RuleId) -> Result<u32, String> {
    refusal(plan, places, id).map_or(Ok(()), Err)?;
    let is_copied = |table: ConstraintId| !places.tables[table].copies.is_empty();
    let moves = places.rules[id].stays.contains(&false);
    let copies = plan.is_general(id) && plan.rules[id].added().any(is_copied);
    Ok(u32::from(moves) + u32::from(copies))
}

/// Why workers cannot share a rule.
fn refusal(plan: &ChrPlan, places: &Places, id: RuleId) -> Option<String> {
    let rule = &plan.rules[id];
    let seen = rule.heads.iter().map(|head| head.constraint).chain(rule.added());
    let name = |table: ConstraintId| plan.tables[table].name.as_str();
    if let Some(table) = seen.into_iter().find(|&table| has_terms(plan, table)) {
        return Some(format!("{} has a column for values of any kind", name(table)));
    }
    match &plan.classes.verdicts[id] {
        Verdict::Reduction(at) => {
            let reduction = &plan.classes.reductions[*at];
            let columns = &plan.tables[reduction.constraint].columns;
            if reduction.key.len() + usize::from(reduction.best.is_some()) < columns.len() {
                return Some("which of its constraints stays depends on their age".into());
            }
            let is_float = |best: crate::class::Best| columns[best.column].kind == SortKind::Float;
            reduction
                .best
                .is_some_and(is_float)
                .then(|| "it compares floats, of which equal ones can differ".into())
        }
        Verdict::Replacement(_) => Some("it replaces values in place".into()),
        Verdict::Divisor(_) => Some("it takes greatest common divisors".into()),
        Verdict::General { .. } => {
            if let Some(head) =
                rule.heads.iter().find(|head| !plan.tables[head.constraint].removed_by.is_empty())
            {
                let by = &plan.rules[plan.tables[head.constraint].removed_by[0]].name;
                return Some(format!("{by} removes constraints {}", name(head.constraint)));
            }
            if rule.body.iter().any(gchr_base::rule::Goal::writes) {
                return Some("it writes output".into());
            }
            same_at_two_places(plan, places, id).map(|table| {
                format!("it looks for two constraints {}, equal or not, at two places", name(table))
            })
        }
    }
}

/// A table without reduction that a rule looks at in two places: whether two rows are one constraint is unknown there.
fn same_at_two_places(plan: &ChrPlan, places: &Places, id: RuleId) -> Option<ConstraintId> {
    let heads: Vec<_> = plan.rules[id].heads.iter().zip(&places.rules[id].heads).collect();
    let differs = |(head, place): &(&crate::ir::HeadPlan, &Place)| {
        let is_bag = plan.classes.reduction_of(head.constraint).is_none();
        is_bag && heads.iter().any(|(other, at)| other.constraint == head.constraint && at != place)
    };
    heads.iter().find(|pair| differs(pair)).map(|(head, _)| head.constraint)
}

fn has_terms(plan: &ChrPlan, table: ConstraintId) -> bool {
    plan.tables[table].columns.iter().any(|column| column.kind == SortKind::Any)
}

/// The arguments of a head over constraints.
pub(super) fn arguments(program: &Program, rule: RuleId, head: usize) -> &[Pattern] {
    match &program.rules[rule].heads[head].atom {
        HeadAtom::Constraint { args, .. } | HeadAtom::Term { args, .. } => args,
    }
}

/// The variable by whose value a constraint at a head has this place.
pub(super) fn variable_at(args: &[Pattern], place: &Place) -> Option<VarId> {
    let Place::By(columns) = place else { return None };
    let [column] = columns[..] else { return None };
    match args.get(column)?.kind {
        PatternKind::Var(var) => Some(var),
        _ => None,
    }
}

/// Whether the home of an added constraint is the worker of the value of `var`, or the first worker where that finds
/// the instance.
pub(super) fn stays(home: &[usize], args: &[Expr], found: &Place, var: Option<VarId>) -> bool {
    match home {
        [] => *found == Place::By(Vec::new()),
        [column] => var.is_some_and(|var| matches!(args[*column].kind, ExprKind::Var(v) if v == var)),
        _ => false,
    }
}

/// Compares choices of homes.
struct Chooser<'p> {
    program: &'p Program,
    plan: &'p ChrPlan,
    is_added_to: IdVec<ConstraintId, bool>,
    /// By table: the homes that it can have.
    choices: Vec<Vec<Vec<usize>>>,
}

impl<'p> Chooser<'p> {
    fn new(program: &'p Program, plan: &'p ChrPlan) -> Self {
        let mut is_added_to: IdVec<ConstraintId, bool> = plan.tables.iter().map(|_| false).collect();
        let general = plan.general_rules().flat_map(|(_, rule)| rule.added());
        general.for_each(|table| is_added_to[table] = true);
        let choices = plan.tables.iter_enumerated().map(|(id, table)| {
            let columns = match plan.classes.reduction_of(id) {
                Some(reduction) => reduction.key.clone(),
                None => (0..table.columns.len()).collect(),
            };
            if columns.is_empty() { vec![Vec::new()] } else { columns.into_iter().map(|c| vec![c]).collect() }
        });
        Self { choices: choices.collect(), program, plan, is_added_to }
    }

    fn best_homes(&self) -> Homes {
        let all = self.choices.iter().try_fold(1_usize, |all, own| all.checked_mul(own.len()));
        match all.filter(|&all| all <= ALL) {
            Some(all) => self.best_of_all(all),
            None => self.best_by_descent(),
        }
    }

    fn best_of_all(&self, all: usize) -> Homes {
        let homes = |number: usize| -> Homes {
            let mut rest = number;
            let pick = |own: &Vec<Vec<usize>>| {
                let at = rest % own.len();
                rest /= own.len();
                own[at].clone()
            };
            self.choices.iter().map(pick).collect()
        };
        let best = (0..all).min_by_key(|&number| self.cost(&homes(number)));
        homes(best.unwrap_or(0))
    }

    fn best_by_descent(&self) -> Homes {
        let mut homes: Homes = self.choices.iter().map(|own| own[0].clone()).collect();
        let mut cost = self.cost(&homes);
        loop {
            let before = cost;
            for (id, own) in self.plan.tables.ids().zip(&self.choices) {
                for choice in own {
                    let kept = std::mem::replace(&mut homes[id], choice.clone());
                    let now = self.cost(&homes);
                    if now < cost { cost = now } else { homes[id] = kept }
                }
            }
            if cost == before {
                return homes;
            }
        }
    }

    fn cost(&self, homes: &Homes) -> u64 {
        self.plan.general_rules().map(|(id, _)| self.rule(homes, id).0).sum()
    }

    /// The cheapest way to find the instances of a rule, with its cost.
    fn rule(&self, homes: &Homes, id: RuleId) -> (u64, RulePlaces) {
        let none = RulePlaces { heads: Vec::new(), finder: 0, stays: Vec::new(), exchanges: Ok(0) };
        if !self.plan.is_general(id) {
            return (0, none);
        }
        let heads = &self.plan.rules[id].heads;
        let finders = heads.iter().enumerate().flat_map(|(head, plan)| {
            let home = &homes[plan.constraint];
            let args = arguments(self.program, id, head).iter().enumerate();
            let others = args.filter(|(column, _)| [*column] != home[..]);
            let others = others.filter(|(_, arg)| matches!(arg.kind, PatternKind::Var(_)));
            let places = std::iter::once(home.clone()).chain(others.map(|(column, _)| vec![column]));
            places.map(move |columns| (head, Place::By(columns)))
        });
        let found = finders.map(|(head, place)| self.found_by(homes, id, head, place));
        found.min_by_key(|(cost, _)| *cost).unwrap_or((0, none))
    }

    /// A rule whose instances are found where the constraint at one head has this place.
    fn found_by(&self, homes: &Homes, id: RuleId, finder: usize, found: Place) -> (u64, RulePlaces) {
        let var = variable_at(arguments(self.program, id, finder), &found);
        let mut cost = 0;
        let heads = self.plan.rules[id].heads.iter().enumerate().map(|(head, plan)| {
            let home = Place::By(homes[plan.constraint].clone());
            let place = match head == finder {
                true => found.clone(),
                false => self.place_of_partner(id, head, &home, var),
            };
            cost += match (&place, self.is_added_to[plan.constraint]) {
                _ if place == home => 0,
                (Place::Everywhere, true) => EXCHANGE * 3,
                (Place::By(_), true) => EXCHANGE,
                (Place::Everywhere, false) => COPY_TO_ALL,
                (Place::By(_), false) => COPY,
            };
            place
        });
        let heads: Vec<Place> = heads.collect();
        let added = self.plan.rules[id].body.iter().filter_map(|goal| match &goal.kind {
            GoalKind::Add { constraint, args } => Some(stays(&homes[*constraint], args, &found, var)),
            _ => None,
        });
        let stays: Vec<bool> = added.collect();
        cost += stays.iter().filter(|stays| !**stays).count() as u64 * EXCHANGE;
        (cost, RulePlaces { heads, finder, stays, exchanges: Ok(0) })
    }

    /// Where a partner is looked for: by the variable, if it has it.
    fn place_of_partner(&self, id: RuleId, head: usize, home: &Place, var: Option<VarId>) -> Place {
        let args = arguments(self.program, id, head);
        if var.is_some() && variable_at(args, home) == var {
            return home.clone();
        }
        let is_var = |arg: &Pattern| matches!(arg.kind, PatternKind::Var(v) if Some(v) == var);
        args.iter().position(is_var).map_or(Place::Everywhere, |column| Place::By(vec![column]))
    }
}
