//! Chooses homes and copies of tables so that workers exchange as little as possible in a round.
//!
//! A home is one column of the key of a table, or everywhere for what cannot be divided. All choices are compared where
//! there are few; where there are many, one table after the other takes its best home until none changes. The best is
//! the one with the fewest exchanges, then the one with the least to copy.

mod print;
mod undivided;
mod verify;

pub use print::PrintedPlaces;
pub(super) use verify::verify;

use crate::ir::places::{Place, Places, RulePlaces, TablePlaces};
use crate::ir::{ChrPlan, HeadPlan, RulePlan};
use gchr_base::ids::IdVec;
use gchr_base::rule::{Expr, ExprKind, GoalKind, HeadAtom, Pattern, PatternKind, Program, RuleId, VarId};
use gchr_base::signature::ConstraintId;

/// Choices of homes that are all compared.
const ALL: usize = 1 << 12;

/// What an exchange in each round costs, and what copies cost that are made at the start.
const EXCHANGE: u64 = 1 << 20;
const COPY_TO_ALL: u64 = 4;
const COPY: u64 = 1;

/// The home of each table.
type Homes = IdVec<ConstraintId, Place>;

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
    let is_repeated = is_repeated(plan, &places);
    for id in plan.rules.ids() {
        places.rules[id].exchanges = exchanges(plan, &places, is_repeated, id);
    }
    places
}

/// How often workers exchange constraints for a rule: to the homes, then from there to the copies.
/// `is_repeated` says whether each worker would do all that rules do.
fn exchanges(plan: &ChrPlan, places: &Places, is_repeated: bool, id: RuleId) -> Result<u32, String> {
    if is_repeated {
        undivided::reason(plan, id).map_or(Ok(()), Err)?;
    }
    if let Some(table) = same_at_two_places(plan, places, id) {
        let name = &plan.tables[table].name;
        return Err(format!("it looks for two constraints {name}, equal or not, at two places"));
    }
    let is_copied = |table: ConstraintId| !places.tables[table].copies.is_empty();
    let rule = &places.rules[id];
    let moves = rule.stays.contains(&false);
    let copies = plan.is_general(id) && rule.finder.is_some() && plan.rules[id].added().any(is_copied);
    Ok(u32::from(moves) + u32::from(copies))
}

/// Whether each worker would do all that rules do.
fn is_repeated(plan: &ChrPlan, places: &Places) -> bool {
    let mut general = plan.general_rules().peekable();
    let is_everywhere = |table: &TablePlaces| table.home == Place::Everywhere;
    match general.peek() {
        Some(_) => general.all(|(id, _)| places.rules[id].finder.is_none()),
        None => places.tables.iter().any(is_everywhere),
    }
}

/// A table without reduction that a rule looks at in two places: whether two rows are one constraint is unknown there.
fn same_at_two_places(plan: &ChrPlan, places: &Places, id: RuleId) -> Option<ConstraintId> {
    let heads: Vec<_> = plan.rules[id].heads.iter().zip(&places.rules[id].heads).collect();
    let differs = |(head, place): &(&HeadPlan, &Place)| {
        let is_twice = heads.iter().any(|(other, at)| other.constraint == head.constraint && at != place);
        is_twice && plan.classes.reduction_of(head.constraint).is_none()
    };
    heads.iter().find(|pair| differs(pair)).map(|(head, _)| head.constraint)
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
pub(super) fn stays(home: &Place, args: &[Expr], found: &Place, var: Option<VarId>) -> bool {
    let Place::By(columns) = home else { return false };
    match columns[..] {
        [] => *found == *home,
        [column] => var.is_some_and(|var| matches!(args[column].kind, ExprKind::Var(v) if v == var)),
        _ => false,
    }
}

/// Compares choices of homes.
struct Chooser<'p> {
    program: &'p Program,
    plan: &'p ChrPlan,
    is_added_to: IdVec<ConstraintId, bool>,
    /// By table: the homes that it can have.
    choices: Vec<Vec<Place>>,
    /// By table: the key of its reduction.
    keys: IdVec<ConstraintId, Option<&'p [usize]>>,
}

impl<'p> Chooser<'p> {
    fn new(program: &'p Program, plan: &'p ChrPlan) -> Self {
        let everywhere = undivided::tables(plan);
        let mut is_added_to: IdVec<ConstraintId, bool> = plan.tables.iter().map(|_| false).collect();
        let is_shared = |rule: &RulePlan| rule.heads.iter().any(|head| !everywhere[head.constraint]);
        let shared = plan.general_rules().filter(|(_, rule)| is_shared(rule));
        shared.flat_map(|(_, rule)| rule.added()).for_each(|table| is_added_to[table] = true);
        let mut keys: IdVec<ConstraintId, Option<&[usize]>> = plan.tables.iter().map(|_| None).collect();
        for reduction in &plan.classes.reductions {
            keys[reduction.constraint] = Some(&reduction.key);
        }
        let choices = plan.tables.iter_enumerated().map(|(id, table)| {
            let columns = match keys[id] {
                _ if everywhere[id] => return vec![Place::Everywhere],
                Some(key) => key.to_vec(),
                None => (0..table.columns.len()).collect(),
            };
            match columns.is_empty() {
                true => vec![Place::By(Vec::new())],
                false => columns.into_iter().map(|column| Place::By(vec![column])).collect(),
            }
        });
        Self { choices: choices.collect(), keys, program, plan, is_added_to }
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
            let pick = |own: &Vec<Place>| {
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
        let rules = self.rules_by_table();
        loop {
            let mut is_better = false;
            for (id, own) in self.plan.tables.ids().zip(&self.choices) {
                // What other rules cost stays as it is.
                let cost =
                    |homes: &Homes| -> u64 { rules[id].iter().map(|&rule| self.rule(homes, rule).0).sum() };
                let mut least = cost(&homes);
                for choice in own {
                    let kept = std::mem::replace(&mut homes[id], choice.clone());
                    let now = cost(&homes);
                    if now < least { (least, is_better) = (now, true) } else { homes[id] = kept }
                }
            }
            if !is_better {
                return homes;
            }
        }
    }

    /// The rules whose cost the home of each table is a part of.
    fn rules_by_table(&self) -> IdVec<ConstraintId, Vec<RuleId>> {
        let mut rules: IdVec<ConstraintId, Vec<RuleId>> =
            self.plan.tables.iter().map(|_| Vec::new()).collect();
        for (id, rule) in self.plan.general_rules() {
            for table in rule.heads.iter().map(|head| head.constraint).chain(rule.added()) {
                // Rules come in their order.
                if rules[table].last() != Some(&id) {
                    rules[table].push(id);
                }
            }
        }
        rules
    }

    fn cost(&self, homes: &Homes) -> u64 {
        self.plan.general_rules().map(|(id, _)| self.rule(homes, id).0).sum()
    }

    /// The cheapest way to find the instances of a rule, with its cost.
    fn rule(&self, homes: &Homes, id: RuleId) -> (u64, RulePlaces) {
        let none = RulePlaces { heads: Vec::new(), finder: None, stays: Vec::new(), exchanges: Ok(0) };
        if !self.plan.is_general(id) {
            return (0, none);
        }
        let heads = &self.plan.rules[id].heads;
        let finders = heads.iter().enumerate().flat_map(|(head, plan)| {
            let home = homes[plan.constraint].clone();
            let args = arguments(self.program, id, head).iter().enumerate();
            let is_divided = home != Place::Everywhere;
            let others = args.filter(|(_, arg)| is_divided && matches!(arg.kind, PatternKind::Var(_)));
            let others: Vec<Place> = others.map(|(column, _)| Place::By(vec![column])).collect();
            let others = others.into_iter().filter(|other| *other != home && self.may_copy(plan, other));
            let places: Vec<Place> = others.collect();
            let home = is_divided.then_some(home);
            home.into_iter().chain(places).map(move |place| (head, place))
        });
        let found = finders.map(|(head, place)| self.found_by(homes, id, head, place));
        let everywhere = || RulePlaces {
            heads: vec![Place::Everywhere; heads.len()],
            stays: self.plan.rules[id].added().map(|_| true).collect(),
            ..none
        };
        found.min_by_key(|(cost, _)| *cost).unwrap_or_else(|| (0, everywhere()))
    }

    /// Whether constraints may have copies by a column: one of the key, so that what comes in the place of a constraint
    /// has its copies at the same workers.
    fn may_copy(&self, head: &HeadPlan, place: &Place) -> bool {
        let Place::By(columns) = place else { return true };
        self.keys[head.constraint].is_none_or(|key| columns.iter().all(|column| key.contains(column)))
    }

    /// A rule whose instances are found where the constraint at one head has this place.
    fn found_by(&self, homes: &Homes, id: RuleId, finder: usize, found: Place) -> (u64, RulePlaces) {
        let var = variable_at(arguments(self.program, id, finder), &found);
        let mut cost = 0;
        let heads = self.plan.rules[id].heads.iter().enumerate().map(|(head, plan)| {
            let home = homes[plan.constraint].clone();
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
        (cost, RulePlaces { heads, finder: Some(finder), stays, exchanges: Ok(0) })
    }

    /// Where a partner is looked for: by the variable, if it has it.
    fn place_of_partner(&self, id: RuleId, head: usize, home: &Place, var: Option<VarId>) -> Place {
        let args = arguments(self.program, id, head);
        if *home == Place::Everywhere || (var.is_some() && variable_at(args, home) == var) {
            return home.clone();
        }
        let is_var = |arg: &Pattern| matches!(arg.kind, PatternKind::Var(v) if Some(v) == var);
        let plan = &self.plan.rules[id].heads[head];
        let columns = args.iter().enumerate().filter(|(_, arg)| is_var(arg));
        let mut places = columns.map(|(column, _)| Place::By(vec![column]));
        places.find(|place| self.may_copy(plan, place)).unwrap_or(Place::Everywhere)
    }
}
