//! The refined operational semantics, written down as plainly as can be: lists of constraints, an explicit propagation
//! history, constraints stored at once, every occurrence tried, every combination of partners enumerated. The oracle of
//! the random tests.
//!
//! The one thing taken from the plan is the order in which the partners of an occurrence are enumerated, which the
//! semantics leaves open.

use std::collections::HashSet;

use super::builder::{G, R, T};
use gchr_base::op::Op;

/// A value of the random programs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum V {
    Int(i64),
    F(Box<V>),
}

impl std::fmt::Display for V {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            V::Int(n) => write!(f, "{n}"),
            V::F(v) => write!(f, "f({v})"),
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Done,
    Steps,
    Arithmetic,
    Column,
    /// Which of two conditions is looked at first decides between an error and a rule that does not fire.
    Ambiguous,
}

#[derive(Clone)]
struct Constraint {
    name: &'static str,
    args: Vec<V>,
    alive: bool,
}

pub(super) struct Naive<'a> {
    pub(super) rules: &'a [R],
    /// For each occurrence (rule, head) the partners in the order of enumeration; textual order where nothing is said.
    pub(super) orders: &'a dyn Fn(usize, usize) -> Option<Vec<usize>>,
    /// Whether a column takes integers only.
    pub(super) int_column: &'a dyn Fn(&str, usize) -> bool,
    pub(super) max_steps: usize,
    store: Vec<Constraint>,
    history: HashSet<(usize, Vec<usize>)>,
    pub(super) trace: Vec<String>,
}

pub(super) type Bindings = Vec<(&'static str, V)>;

pub(super) fn heads(r: &R) -> Vec<(&'static str, &Vec<T>, bool)> {
    let kept = r.kept.iter().map(|(n, a)| (*n, a, false));
    kept.chain(r.removed.iter().map(|(n, a)| (*n, a, true))).collect()
}

impl<'a> Naive<'a> {
    pub(super) fn new(
        rules: &'a [R],
        orders: &'a dyn Fn(usize, usize) -> Option<Vec<usize>>,
        int_column: &'a dyn Fn(&str, usize) -> bool,
        max_steps: usize,
    ) -> Self {
        let (store, history, trace) = (Vec::new(), HashSet::new(), Vec::new());
        Self { rules, orders, int_column, max_steps, store, history, trace }
    }

    /// Executes goals; the final store as sorted lines.
    pub(super) fn run(&mut self, goals: &[G]) -> (End, Vec<String>) {
        let end = match self.body(goals, &mut Vec::new()) {
            Ok(()) => End::Done,
            Err(end) => end,
        };
        let live = self.store.iter().filter(|c| c.alive);
        let mut lines: Vec<String> = live.map(|c| text(c.name, &c.args)).collect();
        lines.sort();
        (end, lines)
    }

    fn body(&mut self, goals: &[G], bindings: &mut Bindings) -> Result<(), End> {
        for goal in goals {
            if let G::Add(name, args) = goal {
                let mut values = Vec::new();
                for (column, arg) in args.iter().enumerate() {
                    let value = eval(arg, bindings)?;
                    if (self.int_column)(name, column) && !matches!(value, V::Int(_)) {
                        return Err(End::Column);
                    }
                    values.push(value);
                }
                self.activate(name, values)?;
            }
        }
        Ok(())
    }

    fn activate(&mut self, name: &'static str, args: Vec<V>) -> Result<(), End> {
        let id = self.store.len();
        self.store.push(Constraint { name, args, alive: true });
        for rule in 0..self.rules.len() {
            for removed in [true, false] {
                let list = heads(&self.rules[rule]);
                for (head, (symbol, _, role)) in list.iter().enumerate() {
                    let passive = self.rules[rule].passive.contains(&head);
                    if *symbol == name && *role == removed && !passive && self.store[id].alive {
                        let order = (self.orders)(rule, head)
                            .unwrap_or_else(|| (0..list.len()).filter(|&h| h != head).collect());
                        let mut chosen = vec![None; list.len()];
                        chosen[head] = Some(id);
                        self.partners(rule, &order, &mut chosen)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn partners(&mut self, rule: usize, order: &[usize], chosen: &mut Vec<Option<usize>>) -> Result<(), End> {
        let Some((&head, rest)) = order.split_first() else {
            return self.instance(rule, chosen.iter().map(|c| c.unwrap()).collect());
        };
        let name = heads(&self.rules[rule])[head].0;
        let candidates: Vec<usize> = (0..self.store.len()).rev().filter(|&c| self.store[c].alive).collect();
        for candidate in candidates {
            let all_alive = chosen.iter().flatten().all(|&c| self.store[c].alive);
            if !all_alive {
                return Ok(());
            }
            let c = &self.store[candidate];
            if c.alive && c.name == name && !chosen.contains(&Some(candidate)) {
                chosen[head] = Some(candidate);
                self.partners(rule, rest, chosen)?;
                chosen[head] = None;
            }
        }
        Ok(())
    }

    fn instance(&mut self, number: usize, ids: Vec<usize>) -> Result<(), End> {
        let rule = &self.rules[number];
        let list = heads(rule);
        let mut bindings = Vec::new();
        for ((_, patterns, _), &id) in list.iter().zip(&ids) {
            let args = &self.store[id].args;
            if !patterns.iter().zip(args).all(|(p, v)| matches(p, v, &mut bindings)) {
                return Ok(());
            }
        }
        let tests = rule.guard.iter().map(|g| match g {
            G::Test(t) => test(t, &bindings),
            _ => Ok(true),
        });
        let results: Vec<Result<bool, End>> = tests.collect();
        let failed = results.contains(&Ok(false));
        match results.iter().find_map(|r| r.err()) {
            Some(_) if failed => return Err(End::Ambiguous),
            Some(error) => return Err(error),
            None if failed => return Ok(()),
            None => {}
        }
        let propagation = list.iter().all(|h| !h.2);
        if propagation && !self.history.insert((number, ids.clone())) {
            return Ok(());
        }
        if self.trace.len() == self.max_steps {
            return Err(End::Steps);
        }
        let mut line = format!("r{number}:");
        for removed in [false, true] {
            if removed && !propagation {
                line += " \\";
            }
            for ((name, _, role), &id) in list.iter().zip(&ids) {
                if *role == removed {
                    line += &format!(" {}#{id}", text(name, &self.store[id].args));
                }
            }
        }
        self.trace.push(line);
        for ((_, _, removed), &id) in list.iter().zip(&ids) {
            if *removed {
                self.store[id].alive = false;
            }
        }
        let body = rule.body.clone();
        self.body(&body, &mut bindings)
    }
}

pub(super) fn text(name: &str, args: &[V]) -> String {
    if args.is_empty() {
        return name.into();
    }
    let args: Vec<String> = args.iter().map(V::to_string).collect();
    format!("{name}({})", args.join(","))
}

pub(super) fn matches(pattern: &T, value: &V, bindings: &mut Bindings) -> bool {
    match pattern {
        T::Wild => true,
        T::Var(name) => match bindings.iter().find(|b| b.0 == *name) {
            Some((_, bound)) => bound == value,
            None => {
                bindings.push((name, value.clone()));
                true
            }
        },
        T::Int(n) => *value == V::Int(*n),
        T::F(_, args) => matches!(value, V::F(v) if matches(&args[0], v, bindings)),
        _ => false,
    }
}

pub(super) fn eval(t: &T, bindings: &Bindings) -> Result<V, End> {
    Ok(match t {
        T::Var(name) => bindings.iter().find(|b| b.0 == *name).expect("bound").1.clone(),
        T::Int(n) => V::Int(*n),
        T::F(_, args) => V::F(Box::new(eval(&args[0], bindings)?)),
        T::Op(op, args) => match (eval(&args[0], bindings)?, eval(&args[1], bindings)?) {
            (V::Int(a), V::Int(b)) => V::Int(op.int(a, b).map_err(|_| End::Arithmetic)?),
            _ => return Err(End::Arithmetic),
        },
        _ => unreachable!("not in random programs"),
    })
}

pub(super) fn test(t: &T, bindings: &Bindings) -> Result<bool, End> {
    let T::Op(op, args) = t else { unreachable!("a test") };
    let (a, b) = (eval(&args[0], bindings)?, eval(&args[1], bindings)?);
    match (op, a, b) {
        (Op::Same, a, b) => Ok(a == b),
        (Op::Differ, a, b) => Ok(a != b),
        (op, V::Int(a), V::Int(b)) => Ok(op.holds(a.cmp(&b))),
        _ => Err(End::Arithmetic),
    }
}
