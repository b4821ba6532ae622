//! Rounds, as `docs/semantics.md` defines them: lists, candidates, priorities, firing, bodies, reductions.
//!
//! The definition takes from the plan which rules have a class and which heads are redundant, and so does this: the
//! caller says it.

use std::collections::HashSet;

use super::constraints::{Head, Program, Rule};
use super::goals::{Env, Guard, Output, matches};
use super::value::Value;
use super::{End, Row, Run, Stop};

/// The class of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// None: its instances are candidates.
    General,
    /// A reduction on insertion.
    Reduction,
    /// One of the two rules of greatest common divisors.
    Divisor,
    /// A monotone replacement.
    Replacement,
}

/// What the definition takes from the plan.
pub struct Plan<'p> {
    /// The class of each rule.
    pub classes: Vec<Class>,
    /// Whether a head of a rule is redundant.
    pub redundant: &'p dyn Fn(usize, usize) -> bool,
}

#[derive(Clone)]
struct Stored {
    row: Row,
    alive: bool,
}

#[derive(Clone)]
struct Instance {
    rule: usize,
    /// Constraints by head.
    ids: Vec<usize>,
    newest: usize,
    /// At a kept head the id, at a removed one its opposite.
    rank: Vec<i64>,
    env: Env,
    error: Option<&'static str>,
}

impl Instance {
    fn body_order(&self) -> (usize, usize, &[i64]) {
        (self.newest, self.rule, &self.rank)
    }
}

struct Machine<'p> {
    program: &'p Program,
    plan: &'p Plan<'p>,
    /// By id.
    store: Vec<Stored>,
    fired: HashSet<(usize, Vec<usize>)>,
    firings: u64,
    rounds: u64,
    tried: u64,
}

/// Rounds, constraints and tried combinations of a run, at most.
const ROUNDS: u64 = 40;
const CONSTRAINTS: usize = 150;
const TRIED: u64 = 300_000;

/// Runs all queries of a program on one store.
pub fn run(program: &Program, plan: &Plan<'_>) -> Run {
    let (store, fired) = (Vec::new(), HashSet::new());
    let mut machine = Machine { program, plan, store, fired, firings: 0, rounds: 0, tried: 0 };
    let mut output = Some(String::new());
    let mut all = || -> Result<(), Stop> {
        for goals in &program.queries {
            let add = &mut |row: Row, _: &mut Output| machine.add(row);
            program.body(goals, &mut Vec::new(), &mut output, add)?;
            while machine.round(&mut output)? {}
        }
        Ok(())
    };
    let end = all().map_or_else(End::from, |()| End::Done);
    let mut store: Vec<Row> = machine.store.into_iter().filter(|s| s.alive).map(|s| s.row).collect();
    store.sort_by(Row::order);
    Run { end, store, output, firings: machine.firings, rounds: machine.rounds }
}

impl Machine<'_> {
    fn live(&self) -> Vec<usize> {
        (0..self.store.len()).filter(|&id| self.store[id].alive).collect()
    }

    fn is_of(&self, id: usize, head: &Head) -> bool {
        let row = &self.store[id].row;
        row.0 == *head.name && row.1.len() == head.args.len()
    }

    /// The next round; whether there was one.
    fn round(&mut self, out: &mut Output) -> Result<bool, Stop> {
        let (mut candidates, mut failing) = (Vec::new(), Vec::new());
        for n in self.live() {
            let (list, failed) = self.list(n)?;
            candidates.extend(list);
            failing.extend(failed);
        }
        let replaced = self.replacements(&mut failing)?;
        failing.sort_by(|a: &Instance, b| a.body_order().cmp(&b.body_order()));
        if let Some(code) = failing.first().and_then(|i| i.error) {
            return Err(Stop::Error(code));
        }
        if candidates.is_empty() && replaced.is_empty() {
            return Ok(false);
        }
        if self.rounds == ROUNDS {
            return Err(Stop::Unknown("too many rounds"));
        }
        let mut fired = self.firing(candidates);
        fired.sort_by(|a, b| a.body_order().cmp(&b.body_order()));
        let mut added = Vec::new();
        let mut written = Some(String::new());
        for instance in &mut fired {
            let body = &self.program.rules[instance.rule].body;
            let add = &mut |row: Row, _: &mut Output| {
                added.push(row);
                Ok(())
            };
            self.program.body(body, &mut instance.env, &mut written, add)?;
        }
        *out = out.take().zip(written).map(|(all, written)| all + &written);
        self.rounds += 1;
        self.firings += (fired.len() + replaced.len()) as u64;
        for instance in fired {
            for (head, &id) in self.program.rules[instance.rule].heads.iter().zip(&instance.ids) {
                self.store[id].alive &= !head.removed;
            }
            self.fired.insert((instance.rule, instance.ids));
        }
        for (id, column, value) in replaced {
            self.store[id].row.1[column] = Value::Int(value);
        }
        added.into_iter().try_for_each(|row| self.add(row))?;
        Ok(true)
    }

    /// A candidate fires unless a better one removes one of its constraints.
    fn firing(&self, mut candidates: Vec<Instance>) -> Vec<Instance> {
        candidates.sort_by_key(|i| (i.rule, (i.newest as u64).reverse_bits(), i.rank.clone()));
        let mut removed: HashSet<usize> = HashSet::new();
        let mut fired = Vec::new();
        for candidate in candidates {
            let fires = !candidate.ids.iter().any(|id| removed.contains(id));
            let heads = self.program.rules[candidate.rule].heads.iter().zip(&candidate.ids);
            removed.extend(heads.filter(|(head, _)| head.removed).map(|(_, id)| *id));
            if fires {
                fired.push(candidate);
            }
        }
        fired
    }

    /// The list of a constraint, and the failing instance at its end.
    fn list(&mut self, n: usize) -> Result<(Vec<Instance>, Option<Instance>), Stop> {
        let mut list = Vec::new();
        for rule in 0..self.program.rules.len() {
            if self.plan.classes[rule] != Class::General {
                continue;
            }
            let mut found = self.instances(rule, n, true)?;
            found.retain(|i| i.newest == n && !self.fired.contains(&(rule, i.ids.clone())));
            found.sort_by(|a, b| a.rank.cmp(&b.rank));
            for instance in found {
                if instance.error.is_some() {
                    return Ok((list, Some(instance)));
                }
                let heads = self.program.rules[rule].heads.iter().zip(&instance.ids);
                let ends = heads.into_iter().any(|(head, &id)| id == n && head.removed);
                list.push(instance);
                if ends {
                    return Ok((list, None));
                }
            }
        }
        Ok((list, None))
    }

    /// All instances of a rule with a constraint at some head; with `newest`, at one that is not redundant, and among
    /// older ones.
    fn instances(&mut self, number: usize, n: usize, newest: bool) -> Result<Vec<Instance>, Stop> {
        let mut found = Vec::new();
        for at in 0..self.program.rules[number].heads.len() {
            let head = &self.program.rules[number].heads[at];
            if self.is_of(n, head) && !(newest && (self.plan.redundant)(number, at)) {
                self.combine(number, (at, n), newest, &mut Vec::new(), &mut found)?;
            }
        }
        Ok(found)
    }

    /// Fills the heads behind those that are chosen.
    fn combine(
        &mut self,
        number: usize,
        fixed: (usize, usize),
        newest: bool,
        chosen: &mut Vec<usize>,
        found: &mut Vec<Instance>,
    ) -> Result<(), Stop> {
        let rule: &Rule = &self.program.rules[number];
        self.tried += 1;
        if self.tried > TRIED {
            return Err(Stop::Unknown("too many combinations"));
        }
        if chosen.len() == rule.heads.len() {
            found.extend(self.instance(number, chosen)?);
            return Ok(());
        }
        let (at, n) = fixed;
        let candidates = if chosen.len() == at { vec![n] } else { self.live() };
        for id in candidates {
            let other = chosen.len() != at && (id == n || newest && id > n);
            let head = &self.program.rules[number].heads[chosen.len()];
            if other || chosen.contains(&id) || !self.is_of(id, head) {
                continue;
            }
            chosen.push(id);
            self.combine(number, fixed, newest, chosen, found)?;
            chosen.pop();
        }
        Ok(())
    }

    /// The instance that constraints are, if they match and the guard holds, or has no value.
    fn instance(&self, number: usize, ids: &[usize]) -> Result<Option<Instance>, Stop> {
        let rule = &self.program.rules[number];
        let mut env = Vec::new();
        for (head, &id) in rule.heads.iter().zip(ids) {
            if !head.args.iter().zip(&self.store[id].row.1).all(|(p, v)| matches(p, v, &mut env)) {
                return Ok(None);
            }
        }
        let error = match self.program.guard(&rule.guard, &mut env)? {
            Guard::Holds => None,
            Guard::Fails | Guard::Either => return Ok(None),
            Guard::Error(code) => Some(code),
        };
        let rank =
            rule.heads.iter().zip(ids).map(|(h, &id)| if h.removed { -(id as i64) } else { id as i64 });
        let newest = ids.iter().copied().max().unwrap_or(0);
        Ok(Some(Instance { rule: number, ids: ids.to_vec(), newest, rank: rank.collect(), env, error }))
    }

    /// Adds a constraint, which meets the live one of its key at once if its symbol has a reduction.
    fn add(&mut self, row: Row) -> Result<(), Stop> {
        let n = self.store.len();
        if n == CONSTRAINTS {
            return Err(Stop::Unknown("too many constraints"));
        }
        self.store.push(Stored { row, alive: true });
        for number in 0..self.program.rules.len() {
            let applies = self.is_of(n, &self.program.rules[number].heads[0]) && self.store[n].alive;
            match self.plan.classes[number] {
                Class::Reduction if applies => self.reduce(number, n)?,
                Class::Divisor if applies => self.divide(number, n)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Kept and removed head of a reduction: the older constraint stays unless it is worse.
    fn reduce(&mut self, number: usize, n: usize) -> Result<(), Stop> {
        for m in self.live().into_iter().filter(|&m| m != n) {
            let removes = |machine: &Self, kept: usize, removed: usize| -> Result<bool, Stop> {
                let fits = machine.is_of(m, &machine.program.rules[number].heads[0]);
                Ok(fits && machine.instance(number, &[kept, removed])?.is_some())
            };
            let gone = if removes(self, m, n)? {
                n
            } else if removes(self, n, m)? {
                m
            } else {
                continue;
            };
            self.store[gone].alive = false;
            self.firings += 1;
            return Ok(());
        }
        Ok(())
    }

    /// One of the two rules of divisors: a zero goes, and of two positive values of one key the younger.
    fn divide(&mut self, number: usize, n: usize) -> Result<(), Stop> {
        if self.program.rules[number].heads.len() == 1 {
            if self.instance(number, &[n])?.is_some() {
                self.store[n].alive = false;
                self.firings += 1;
            }
            return Ok(());
        }
        // The value is the column in which the two heads differ.
        let heads = &self.program.rules[number].heads;
        let same =
            |column: usize| format!("{:?}", heads[0].args[column]) == format!("{:?}", heads[1].args[column]);
        let value = (0..heads[0].args.len()).find(|&c| !same(c)).unwrap_or(0);
        let positive = |id: usize| match self.store[id].row.1[value] {
            Value::Int(v) if v > 0 => Some(v),
            _ => None,
        };
        let key = |id: usize| {
            let args = &self.store[id].row.1;
            args.iter().enumerate().filter(|&(c, _)| c != value).map(|(_, v)| v.clone()).collect::<Vec<_>>()
        };
        let Some(own) = positive(n) else { return Ok(()) };
        let mut others =
            self.live().into_iter().filter(|&m| m != n && self.is_of(m, &heads[0]) && key(m) == key(n));
        let partner = others.find_map(|m| Some((m, positive(m)?)));
        let Some((m, other)) = partner else { return Ok(()) };
        let (mut a, mut b) = (own, other);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        self.store[m].row.1[value] = Value::Int(a);
        self.store[n].alive = false;
        self.firings += 1;
        Ok(())
    }

    /// The best value of each constraint by rules that replace values: constraint, column, value. An instance that
    /// fails is added to those.
    fn replacements(&mut self, failing: &mut Vec<Instance>) -> Result<Vec<(usize, usize, i64)>, Stop> {
        let mut found: Vec<(usize, usize, i64)> = Vec::new();
        for number in 0..self.program.rules.len() {
            if self.plan.classes[number] != Class::Replacement {
                continue;
            }
            for n in self.live() {
                for mut instance in self.instances(number, n, false)? {
                    let rule = &self.program.rules[number];
                    let removed = rule.heads.iter().zip(&instance.ids).find(|(head, _)| head.removed);
                    let Some((_, &target)) = removed else { continue };
                    if target != n {
                        continue;
                    }
                    let mut new = None;
                    let add = &mut |row: Row, _: &mut Output| {
                        new = Some(row);
                        Ok(())
                    };
                    if instance.error.is_none() {
                        match self.program.body(&rule.body, &mut instance.env, &mut None, add) {
                            Ok(()) => {}
                            Err(Stop::Error(code)) => instance.error = Some(code),
                            Err(unknown) => return Err(unknown),
                        }
                    }
                    match new {
                        Some(new) if instance.error.is_none() => {
                            better(&self.store[n].row, &new, n, &mut found)
                        }
                        _ => failing.push(instance),
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Keeps the value that is farther from the old one: all go the same way.
fn better(old: &Row, new: &Row, n: usize, found: &mut Vec<(usize, usize, i64)>) {
    let changed = old.1.iter().zip(&new.1).position(|(a, b)| a != b);
    let Some(column) = changed else { return };
    let (Value::Int(before), Value::Int(value)) = (&old.1[column], &new.1[column]) else { return };
    match found.iter_mut().find(|(id, ..)| *id == n) {
        Some(known) if (*value < known.2) == (value < before) => known.2 = *value,
        Some(_) => {}
        None => found.push((n, column, *value)),
    }
}
