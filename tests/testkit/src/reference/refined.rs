//! The refined operational semantics: a list of constraints, a propagation history, every occurrence and every
//! combination of partners tried.
//!
//! The semantics leaves open in which order the partners of an occurrence are combined. The caller says in which order
//! the heads of a rule are filled; the constraints of one head are tried newest first, as SWI-Prolog does.

use std::collections::HashSet;

use super::constraints::Program;
use super::goals::{Env, Guard, Output, matches};
use super::{End, Row, Run, Stop};

/// The partner heads of an occurrence (rule and head) in the order in which they are filled; `None`: in textual order,
/// removed ones first.
pub type Orders<'o> = &'o dyn Fn(usize, usize) -> Option<Vec<usize>>;

struct Stored {
    row: Row,
    alive: bool,
}

struct Machine<'p> {
    program: &'p Program,
    orders: Orders<'p>,
    store: Vec<Stored>,
    history: HashSet<(usize, Vec<usize>)>,
    firings: u64,
    tried: u64,
}

/// Firings and tried combinations of a run, at most.
const FIRINGS: u64 = 400;
const TRIED: u64 = 200_000;

/// Runs all queries of a program on one store.
pub fn run(program: &Program, orders: Orders<'_>) -> Run {
    let mut machine =
        Machine { program, orders, store: Vec::new(), history: HashSet::new(), firings: 0, tried: 0 };
    let mut output = Some(String::new());
    let ended =
        program.queries.iter().try_for_each(|goals| machine.body(goals, &mut Vec::new(), &mut output));
    let mut store: Vec<Row> = machine.store.into_iter().filter(|s| s.alive).map(|s| s.row).collect();
    store.sort_by(Row::order);
    let end = ended.map_or_else(End::from, |()| End::Done);
    Run { end, store, output, firings: machine.firings, rounds: 0 }
}

impl Machine<'_> {
    fn body(
        &mut self,
        goals: &[super::constraints::Tree],
        env: &mut Env,
        out: &mut Output,
    ) -> Result<(), Stop> {
        let program = self.program;
        program.body(goals, env, out, &mut |row, out| self.activate(row, out))
    }

    fn activate(&mut self, row: Row, out: &mut Output) -> Result<(), Stop> {
        let id = self.store.len();
        let (name, arity) = (row.0.clone(), row.1.len());
        self.store.push(Stored { row, alive: true });
        for (number, rule) in self.program.rules.iter().enumerate() {
            for removed in [true, false] {
                for (at, head) in rule.heads.iter().enumerate() {
                    let fits = *head.name == *name && head.args.len() == arity;
                    if !fits || head.removed != removed || head.passive || !self.store[id].alive {
                        continue;
                    }
                    let order = (self.orders)(number, at).unwrap_or_else(|| {
                        let mut others: Vec<usize> = (0..rule.heads.len()).filter(|&h| h != at).collect();
                        others.sort_by_key(|&h| !rule.heads[h].removed);
                        others
                    });
                    let mut chosen = vec![None; rule.heads.len()];
                    chosen[at] = Some(id);
                    self.partners(number, &order, &mut chosen, out)?;
                }
            }
        }
        Ok(())
    }

    /// Fills the heads that are left, and fires each instance.
    fn partners(
        &mut self,
        rule: usize,
        order: &[usize],
        chosen: &mut Vec<Option<usize>>,
        out: &mut Output,
    ) -> Result<(), Stop> {
        let Some((&at, rest)) = order.split_first() else {
            let ids = chosen.iter().flatten().copied().collect();
            return self.instance(rule, ids, out);
        };
        let candidates: Vec<usize> = (0..self.store.len()).rev().filter(|&c| self.store[c].alive).collect();
        for candidate in candidates {
            if !chosen.iter().flatten().all(|&c| self.store[c].alive) {
                return Ok(());
            }
            self.tried += 1;
            if self.tried > TRIED {
                return Err(Stop::Unknown("too many combinations"));
            }
            let head = &self.program.rules[rule].heads[at];
            let Stored { row, alive } = &self.store[candidate];
            let fits = *alive && row.0 == *head.name && row.1.len() == head.args.len();
            if fits && !chosen.contains(&Some(candidate)) {
                chosen[at] = Some(candidate);
                self.partners(rule, rest, chosen, out)?;
                chosen[at] = None;
            }
        }
        Ok(())
    }

    fn instance(&mut self, number: usize, ids: Vec<usize>, out: &mut Output) -> Result<(), Stop> {
        let rule = &self.program.rules[number];
        let mut env = Vec::new();
        for (head, &id) in rule.heads.iter().zip(&ids) {
            let args = &self.store[id].row.1;
            if !head.args.iter().zip(args).all(|(p, v)| matches(p, v, &mut env)) {
                return Ok(());
            }
        }
        match self.program.guard(&rule.guard, &mut env)? {
            Guard::Holds => {}
            Guard::Fails => return Ok(()),
            Guard::Error(code) => return Err(Stop::Error(code)),
            Guard::Either => return Err(Stop::Unknown("which condition is looked at first")),
        }
        let propagates = rule.heads.iter().all(|h| !h.removed);
        if propagates && !self.history.insert((number, ids.clone())) {
            return Ok(());
        }
        if self.firings == FIRINGS {
            return Err(Stop::Unknown("too many firings"));
        }
        self.firings += 1;
        for (head, &id) in rule.heads.iter().zip(&ids) {
            self.store[id].alive &= !head.removed;
        }
        self.body(&rule.body, &mut env, out)
    }
}
