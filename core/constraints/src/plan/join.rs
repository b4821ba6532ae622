//! Orders the joins of every occurrence, takes heads apart and places the conditions of the guard.
//!
//! The order is greedy: next comes the partner of which most columns are known (by constants, variables, or a condition
//! of the guard that determines them), then the one that lets most conditions be tested, then removed heads before kept
//! ones in textual order, as SWI-Prolog does. The order decides only in which order the instances of a rule are found.

use std::cmp::Reverse;

use super::guard::{self, Conjunct};
use super::{ChrPlan, Join, Joins, Key, Occurrence, Operand, Slot, SlotId, Step};
use crate::ir::vars;
use gchr_base::hash::HashSet;
use gchr_base::rule::{GoalKind, Pattern, PatternKind, Program, Role, Rule, VarId};
use gchr_base::signature::{ConstraintId, Signature};

/// The pass.
pub(super) fn order_joins(program: &Program, plan: &mut ChrPlan, joins: Joins) {
    let ChrPlan { rules, occurrences, .. } = plan;
    for occurrence in occurrences.iter_mut() {
        let rule = &program.rules[occurrence.rule];
        let constraints = rules[occurrence.rule].heads.iter().map(|h| h.constraint).collect();
        Builder::new(&program.signature, rule, constraints, occurrence).build(joins);
    }
}

struct Builder<'a> {
    sig: &'a Signature,
    rule: &'a Rule,
    constraints: Vec<ConstraintId>,
    conjuncts: Vec<Conjunct<'a>>,
    out: &'a mut Occurrence,
    /// Steps of the partner at hand.
    steps: Vec<Step>,
    /// Variables that have a value.
    bound: HashSet<VarId>,
    /// Bound variables whose value is still in a column: head and column.
    in_column: Vec<(VarId, usize, usize)>,
    /// Variables that matching needs: in the guard, or more than once in the heads.
    matched: HashSet<VarId>,
    used_in_body: HashSet<VarId>,
    done: Vec<bool>,
    pruned: Vec<bool>,
}

impl<'a> Builder<'a> {
    fn new(
        sig: &'a Signature,
        rule: &'a Rule,
        constraints: Vec<ConstraintId>,
        out: &'a mut Occurrence,
    ) -> Self {
        let conjuncts = guard::conjuncts(sig, rule);
        let mut matched: HashSet<VarId> =
            conjuncts.iter().flat_map(|c| c.uses.iter().chain(&c.binds).copied()).collect();
        let mut in_heads = Vec::new();
        rule.heads.iter().flat_map(|h| h.atom.args()).for_each(|p| vars::pattern_vars(p, &mut in_heads));
        let mut seen = HashSet::default();
        matched.extend(in_heads.into_iter().filter(|v| !seen.insert(*v)));
        let mut body = Vec::new();
        if let gchr_base::rule::Body::Goals(goals) = &rule.body {
            goals.iter().for_each(|g| vars::goal_vars(g, &mut body));
        }
        let n = conjuncts.len();
        Self {
            sig,
            rule,
            constraints,
            conjuncts,
            out,
            steps: Vec::new(),
            bound: HashSet::default(),
            in_column: Vec::new(),
            matched,
            used_in_body: body.into_iter().collect(),
            done: vec![false; n],
            pruned: vec![false; n],
        }
    }

    fn build(mut self, joins: Joins) {
        let active = self.out.head;
        let mut rest: Vec<usize> = (0..self.rule.heads.len()).filter(|&h| h != active).collect();
        let exhaustive = joins == Joins::Exhaustive;
        if !exhaustive {
            rest.sort_by_key(|&h| (self.rule.heads[h].role == Role::Kept, h));
        }
        self.match_head(active, &[]);
        self.place();
        self.out.entry = std::mem::take(&mut self.steps);
        while !rest.is_empty() {
            let best = || (0..rest.len()).max_by_key(|&i| (self.score(rest[i]), Reverse(i)));
            let at = if exhaustive { 0 } else { best().unwrap_or(0) };
            let head = rest.remove(at);
            let keys = if exhaustive { Vec::new() } else { self.keys(head) };
            self.join(head, keys);
        }
        self.commit();
    }

    fn join(&mut self, head: usize, keys: Vec<(usize, Key)>) {
        for (_, key) in &keys {
            match key {
                Key::Linear(linear) => self.done[linear.conjunct] = true,
                Key::Equal { conjunct, .. } => self.done[*conjunct] = true,
                Key::Slot(_) | Key::Const(_) => {}
            }
        }
        let columns: Vec<usize> = keys.iter().map(|(column, _)| *column).collect();
        self.match_head(head, &columns);
        self.place();
        let constraint = self.constraints[head];
        let distinct = self.out.joins.iter().map(|j| j.head).filter(|&h| self.constraints[h] == constraint);
        let distinct = distinct.collect();
        let steps = std::mem::take(&mut self.steps);
        self.out.joins.push(Join { head, constraint, keys, index: 0, distinct, steps });
    }

    /// How good it is to look this head up next.
    fn score(&self, head: usize) -> (u8, usize, usize) {
        let args = self.rule.heads[head].atom.args();
        let keys = self.keys(head).len();
        let class = match keys {
            _ if keys == args.len() => 2,
            0 => 0,
            _ => 1,
        };
        let mut vars = Vec::new();
        args.iter().for_each(|p| vars::pattern_vars(p, &mut vars));
        let enabled = |(i, c): &(usize, &Conjunct<'_>)| {
            !self.done[*i] && c.uses.iter().all(|v| self.bound.contains(v) || vars.contains(v))
        };
        (class, keys, self.conjuncts.iter().enumerate().filter(enabled).count())
    }

    /// Columns of a head whose value is known before it is looked up. A condition of the guard is used for one column
    /// only, and gives a value to the first column of a variable only: the others are compared with that column.
    fn keys(&self, head: usize) -> Vec<(usize, Key)> {
        let mut used = Vec::new();
        let mut determined: Vec<VarId> = Vec::new();
        let mut keys = Vec::new();
        for (column, pattern) in self.rule.heads[head].atom.args().iter().enumerate() {
            let key = match &pattern.kind {
                PatternKind::Const(c) => Some(Key::Const(*c)),
                PatternKind::Var(v) if self.bound.contains(v) => Some(Key::Slot(slot(*v))),
                PatternKind::Var(v) if determined.contains(v) => None,
                PatternKind::Var(v) => {
                    let key = self.determined(*v, pattern, &mut used);
                    determined.extend(key.is_some().then_some(*v));
                    key
                }
                PatternKind::Wild | PatternKind::App { .. } => None,
            };
            keys.extend(key.map(|key| (column, key)));
        }
        keys
    }

    /// The value that some condition of the guard gives to an unbound variable in a column.
    fn determined(&self, var: VarId, pattern: &Pattern, used: &mut Vec<usize>) -> Option<Key> {
        // The column must store what the condition compares: no conversion may change the meaning of `==`.
        if pattern.sort != self.rule.vars[var].sort {
            return None;
        }
        for (i, conjunct) in self.conjuncts.iter().enumerate() {
            if self.done[i] || used.contains(&i) || !conjunct.uses.contains(&var) {
                continue;
            }
            if let Some(other) = guard::equal_to(self.sig, conjunct.goal, var)
                && self.bound.contains(&other)
            {
                used.push(i);
                return Some(Key::Equal { slot: slot(other), conjunct: i });
            }
            if let Some(linear) = guard::solve(self.sig, conjunct.goal, i, var)
                && linear.terms.iter().all(|(s, _)| self.bound.contains(&VarId(s.0)))
            {
                used.push(i);
                return Some(Key::Linear(linear));
            }
        }
        None
    }

    fn match_head(&mut self, head: usize, keys: &[usize]) {
        let rule = self.rule;
        for (column, pattern) in rule.heads[head].atom.args().iter().enumerate() {
            match &pattern.kind {
                PatternKind::Var(v) if !self.bound.contains(v) => {
                    self.bound.insert(*v);
                    if self.matched.contains(v) {
                        self.steps.push(Step::Load { slot: slot(*v), head, column });
                    } else {
                        self.in_column.push((*v, head, column));
                    }
                }
                _ if keys.contains(&column) => {}
                PatternKind::Wild => {}
                PatternKind::Var(v) => {
                    self.steps.push(Step::SameColumn { head, column, value: Operand::Slot(slot(*v)) });
                }
                PatternKind::Const(c) => {
                    self.steps.push(Step::SameColumn { head, column, value: Operand::Const(*c) });
                }
                PatternKind::App { .. } => {
                    let of = self.part(pattern);
                    self.steps.push(Step::Load { slot: of, head, column });
                    self.match_part(of, pattern);
                }
            }
        }
    }

    /// A slot for a part of a term.
    fn part(&mut self, pattern: &Pattern) -> SlotId {
        let number = self.out.slots.len() - self.rule.vars.len();
        self.out.slots.push(Slot { name: format!("t{number}"), kind: self.sig.kind(pattern.sort) })
    }

    fn match_part(&mut self, at: SlotId, pattern: &Pattern) {
        let PatternKind::App { symbol, args } = &pattern.kind else { return };
        self.steps.push(Step::Functor { slot: at, symbol: *symbol });
        let mut nested = Vec::new();
        for (index, arg) in args.iter().enumerate() {
            match &arg.kind {
                PatternKind::Wild => {}
                PatternKind::Var(v) if self.bound.insert(*v) => {
                    if self.matched.contains(v) || self.used_in_body.contains(v) {
                        self.steps.push(Step::Field { slot: slot(*v), of: at, index });
                    }
                }
                PatternKind::Var(v) => {
                    let part = self.part(arg);
                    self.steps.push(Step::Field { slot: part, of: at, index });
                    self.steps.push(Step::Same { slot: part, value: Operand::Slot(slot(*v)) });
                }
                PatternKind::Const(c) => {
                    let part = self.part(arg);
                    self.steps.push(Step::Field { slot: part, of: at, index });
                    self.steps.push(Step::Same { slot: part, value: Operand::Const(*c) });
                }
                PatternKind::App { .. } => {
                    let part = self.part(arg);
                    self.steps.push(Step::Field { slot: part, of: at, index });
                    nested.push((part, arg));
                }
            }
        }
        nested.into_iter().for_each(|(part, arg)| self.match_part(part, arg));
    }

    /// Places every condition whose variables are bound and that cannot raise an error; lets the others prune.
    fn place(&mut self) {
        for i in 0..self.conjuncts.len() {
            let c = &self.conjuncts[i];
            if self.done[i] || !c.uses.iter().all(|v| self.bound.contains(v)) {
                continue;
            }
            if !c.can_fail {
                self.test(i);
            } else if let GoalKind::Test(test) = &c.goal.kind
                && !self.pruned[i]
            {
                self.steps.push(Step::Prune { test: test.clone(), conjunct: i });
                self.pruned[i] = true;
            }
        }
    }

    fn test(&mut self, i: usize) {
        self.done[i] = true;
        let Conjunct { goal, can_fail, .. } = self.conjuncts[i];
        let conjunct = i;
        self.steps.push(match &goal.kind {
            GoalKind::Test(test) => Step::Test { test: test.clone(), conjunct, can_fail },
            GoalKind::Bind { var, value } => {
                Step::Eval { slot: slot(*var), value: value.clone(), conjunct, can_fail }
            }
            GoalKind::Match { value, pattern } => {
                Step::Match { value: value.clone(), pattern: pattern.clone(), conjunct, can_fail }
            }
            _ => Step::Fail { conjunct },
        });
        self.bound.extend(&self.conjuncts[i].binds);
    }

    /// The conditions that are left, in textual order, then what only the body needs.
    fn commit(&mut self) {
        // What prunes at the last partner would be tested right away.
        let last = match self.out.joins.last_mut() {
            Some(join) => &mut join.steps,
            None => &mut self.out.entry,
        };
        last.retain(|step| !matches!(step, Step::Prune { .. }));
        for i in 0..self.conjuncts.len() {
            if !self.done[i] {
                self.test(i);
            }
        }
        for (var, head, column) in std::mem::take(&mut self.in_column) {
            if self.used_in_body.contains(&var) {
                self.steps.push(Step::Load { slot: slot(var), head, column });
            }
        }
        self.out.commit = std::mem::take(&mut self.steps);
        self.drop_unused_loads();
    }

    /// A condition that became a key may have been all that a value was loaded for.
    fn drop_unused_loads(&mut self) {
        let mut used: HashSet<SlotId> = self.used_in_body.iter().map(|&v| slot(v)).collect();
        let out = &mut *self.out;
        for join in &out.joins {
            for (_, key) in &join.keys {
                match key {
                    Key::Slot(s) | Key::Equal { slot: s, .. } => drop(used.insert(*s)),
                    Key::Linear(linear) => used.extend(linear.terms.iter().map(|t| t.0)),
                    Key::Const(_) => {}
                }
            }
        }
        let steps = || out.entry.iter().chain(out.joins.iter().flat_map(|j| &j.steps)).chain(&out.commit);
        steps().for_each(|step| used.extend(step.reads()));
        let needed = |step: &Step| !matches!(step, Step::Load { slot, .. } if !used.contains(slot));
        out.entry.retain(needed);
        out.joins.iter_mut().for_each(|j| j.steps.retain(needed));
        out.commit.retain(needed);
    }
}

fn slot(var: VarId) -> SlotId {
    SlotId(var.0)
}
