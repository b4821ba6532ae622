//! What rounds reach, some derivation of the operational semantics reaches: all derivations of small programs are
//! searched.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use proptest::prelude::*;

use super::super::builder::{G, R, Rounds};
use super::super::naive::{Bindings, End, V, eval, heads, matches, test, text};
use super::super::random::{Columns, SYMBOLS, goals, program, rule, seed};
use super::limits;

/// States looked at before a program is given up.
const MOST_STATES: usize = 300;

/// Live constraints by id, and the propagations that fired.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct State {
    live: BTreeMap<usize, (&'static str, Vec<V>)>,
    fired: BTreeSet<(usize, Vec<usize>)>,
    next: usize,
}

impl State {
    fn add(&mut self, goals: &[G], bindings: &Bindings) -> Result<(), End> {
        for goal in goals {
            let G::Add(name, args) = goal else { continue };
            let args = args.iter().map(|a| eval(a, bindings)).collect::<Result<Vec<V>, End>>()?;
            self.live.insert(self.next, (name, args));
            self.next += 1;
        }
        Ok(())
    }

    fn store(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.live.values().map(|(name, args)| text(name, args)).collect();
        lines.sort();
        lines
    }

    /// The states one step on.
    fn steps(&self, rules: &[R]) -> Result<Vec<State>, End> {
        let mut found = Vec::new();
        for number in 0..rules.len() {
            self.choose(rules, number, &mut Vec::new(), &mut found)?;
        }
        Ok(found)
    }

    fn choose(
        &self,
        rules: &[R],
        number: usize,
        ids: &mut Vec<usize>,
        found: &mut Vec<State>,
    ) -> Result<(), End> {
        let list = heads(&rules[number]);
        if ids.len() == list.len() {
            found.extend(self.apply(&rules[number], number, ids)?);
            return Ok(());
        }
        let name = list[ids.len()].0;
        for (&id, _) in self.live.iter().filter(|(_, c)| c.0 == name) {
            if !ids.contains(&id) {
                ids.push(id);
                self.choose(rules, number, ids, found)?;
                ids.pop();
            }
        }
        Ok(())
    }

    fn apply(&self, rule: &R, number: usize, ids: &[usize]) -> Result<Option<State>, End> {
        let list = heads(rule);
        let mut bindings = Bindings::new();
        for ((_, patterns, _), id) in list.iter().zip(ids) {
            if !patterns.iter().zip(&self.live[id].1).all(|(p, v)| matches(p, v, &mut bindings)) {
                return Ok(None);
            }
        }
        let mut holds = true;
        for goal in &rule.guard {
            if let G::Test(t) = goal {
                holds &= test(t, &bindings)?;
            }
        }
        let propagation = list.iter().all(|h| !h.2);
        let instance = (number, ids.to_vec());
        if !holds || propagation && self.fired.contains(&instance) {
            return Ok(None);
        }
        let mut next = self.clone();
        for ((_, _, removed), id) in list.iter().zip(ids) {
            if *removed {
                next.live.remove(id);
            }
        }
        if propagation {
            next.fired.insert(instance);
        }
        let State { live, fired, .. } = &mut next;
        fired.retain(|(_, ids)| ids.iter().all(|id| live.contains_key(id)));
        next.add(&rule.body, &bindings)?;
        Ok(Some(next))
    }
}

/// All final stores; nothing when there are too many states, or when some derivation ends with an error.
fn final_stores(rules: &[R], goals: &[G]) -> Option<HashSet<Vec<String>>> {
    let mut start = State::default();
    start.add(goals, &Bindings::new()).ok()?;
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    let mut stores = HashSet::new();
    while let Some(state) = open.pop() {
        let next = state.steps(rules).ok()?;
        if next.is_empty() {
            stores.insert(state.store());
        }
        for state in next {
            if seen.insert(state.clone()) {
                open.push(state);
            }
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    Some(stores)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn results_are_those_of_derivations(
        seeds in prop::collection::vec(seed(false), 1..4),
        query in prop::collection::vec((0usize..SYMBOLS.len(), [0i64..3, 0i64..3, 0i64..3]), 1..6),
        classes in any::<bool>(),
    ) {
        let rules: Vec<R> = seeds.iter().map(|s| rule(s, Columns::Int)).collect();
        let goals = goals(&query);
        let stores = final_stores(&rules, &goals);
        prop_assume!(stores.is_some());
        let stores = stores.unwrap_or_default();
        let builder = program(&seeds, &goals, Columns::Int, false);
        let ran = builder.run_rounds(&Rounds::on(2, classes), limits());
        prop_assert_eq!(ran.error, None, "{}", builder.program);
        let mut lines: Vec<String> = ran.text.lines().map(String::from).collect();
        lines.sort();
        prop_assert!(stores.contains(&lines), "{}\n{lines:?}\n{stores:?}", builder.program);
    }
}
