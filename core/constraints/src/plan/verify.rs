//! Checks the invariants of a plan; runs after every pass. What fails here is a bug of the compiler, reported with code
//! `I0101`.

use super::failure::Failures;
use super::*;
use crate::ir::vars;
use gchr_base::hash::HashSet;
use gchr_base::rule::GoalKind;

/// Checks `plan`; one diagnostic per broken invariant:
/// every head of every rule is tried or dropped exactly once; a table lists its occurrences in order; and, once joins
/// are ordered, each partner is joined once, every slot has a value before it is used, every condition of the guard is
/// tested or determines a key, keys are ascending and have an index on just their columns, and partners of one symbol
/// are kept distinct. Decisions that backends rely on are derived anew: which rules remove rows, which rules fire where
/// they are found, which expressions can fail. Places are checked against what they are for.
pub fn verify(program: &Program, plan: &ChrPlan) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if plan.rules.len() != program.rules.len() {
        let span = program.rules.iter().next().map(|r| r.span);
        found.extend(span.map(|s| internal(s, "some rule has no plan")));
        return found;
    }
    heads(plan, &mut found);
    let mut counts: IdVec<ConstraintId, usize> = plan.tables.iter().map(|_| 0).collect();
    plan.occurrences.iter().for_each(|o| counts[o.constraint] += 1);
    for (id, table) in plan.tables.iter_enumerated() {
        let sorted = table.occurrences.is_sorted();
        let own =
            table.occurrences.iter().all(|&o| plan.occurrences.get(o).is_some_and(|o| o.constraint == id));
        let all = counts[id] == table.occurrences.len();
        if let (false, Some(o)) = (sorted && own && all, plan.occurrences.iter().next()) {
            let text = format!("the occurrences of {} are out of order", table.name);
            found.push(internal(plan.rules[o.rule].span, text));
        }
    }
    crate::class::verify(program, plan, &mut found);
    decisions(program, plan, &mut found);
    place::verify(program, plan, &mut found);
    // Joins come with a later pass; an occurrence without steps at all is one that it has not reached yet.
    for occurrence in &plan.occurrences {
        let reached = !occurrence.joins.is_empty()
            || !occurrence.entry.is_empty()
            || !occurrence.commit.is_empty()
            || plan.rules[occurrence.rule].heads.len() == 1;
        if reached {
            let failures = Failures { sig: &program.signature, rule: &program.rules[occurrence.rule] };
            Check { plan, occurrence, failures, found: &mut found }.occurrence();
        }
    }
    found
}

/// Checks that each head is tried or dropped once, and that occurrences are in the order of rules.
fn heads(plan: &ChrPlan, found: &mut Vec<Diagnostic>) {
    let mut times: Vec<Vec<[usize; 2]>> =
        plan.rules.iter().map(|rule| vec![[0; 2]; rule.heads.len()]).collect();
    let tried = plan.occurrences.iter().map(|o| (o.rule, o.head, 0));
    for (rule, head, which) in tried.chain(plan.dropped.iter().map(|d| (d.rule, d.head, 1))) {
        match times.get_mut(rule.index()).and_then(|heads| heads.get_mut(head)) {
            Some(times) => times[which] += 1,
            None => found.extend(plan.rules.iter().next().map(|r| internal(r.span, "a head is of no rule"))),
        }
    }
    for (id, rule) in plan.rules.iter_enumerated() {
        for (head, [tried, dropped]) in times[id.index()].iter().enumerate() {
            if tried + dropped != 1 {
                found.push(internal(rule.span, format!("head {} is tried {tried} times", head + 1)));
            }
        }
    }
    if !plan.occurrences.iter().is_sorted_by_key(|o| o.rule) {
        let first = plan.rules.iter().next();
        found.extend(first.map(|rule| internal(rule.span, "the occurrences are not in the order of rules")));
    }
}

/// Checks what is decided of tables and rules as a whole.
fn decisions(program: &Program, plan: &ChrPlan, found: &mut Vec<Diagnostic>) {
    for (table, removing) in plan.tables.iter().zip(&plan.removing()) {
        if let Some(&rule) = removing.iter().chain(&table.removed_by).next()
            && *removing != table.removed_by
        {
            let text = format!("the rules that remove {} are not those of the plan", table.name);
            found.push(internal(plan.rules[rule].span, text));
        }
    }
    for (id, rule) in plan.rules.iter_enumerated() {
        if rule.fires_where_found != plan.lasts(id) {
            found.push(internal(rule.span, "the plan says wrongly whether the rule fires where it is found"));
        }
        let failures = Failures { sig: &program.signature, rule: &program.rules[id] };
        if !rule.body.iter().map(|goal| failures.of_goal(goal)).eq(rule.can_fail.iter().cloned()) {
            found.push(internal(rule.span, "the plan says wrongly whether a goal of the body can fail"));
        }
    }
}

struct Check<'a> {
    plan: &'a ChrPlan,
    occurrence: &'a Occurrence,
    failures: Failures<'a>,
    found: &'a mut Vec<Diagnostic>,
}

impl Check<'_> {
    fn fail(&mut self, text: impl Into<String>) {
        self.found.push(internal(self.plan.rules[self.occurrence.rule].span, text));
    }

    fn occurrence(&mut self) {
        let occ = self.occurrence;
        let rule = &self.plan.rules[occ.rule];
        let mut heads = vec![occ.head];
        let mut bound = HashSet::default();
        let mut decided = HashSet::default();
        // A rule with one head and nothing to do on it looks the same before and after the joins are ordered.
        let unordered = occ.joins.is_empty() && occ.entry.is_empty() && occ.commit.is_empty();
        self.steps(&occ.entry, &heads, &mut bound, &mut decided);
        for join in &occ.joins {
            self.join(join, &heads, &bound, &mut decided);
            heads.push(join.head);
            self.steps(&join.steps, &heads, &mut bound, &mut decided);
        }
        self.steps(&occ.commit, &heads, &mut bound, &mut decided);
        if !unordered {
            self.body(&rule.body, &mut bound);
        }
        heads.sort_unstable();
        if !heads.iter().copied().eq(0..rule.heads.len()) {
            self.fail("the partners are not joined once each");
        }
        if decided.len() != rule.conjuncts && !unordered {
            self.fail("some condition of the guard is not tested");
        }
        let removed = |&h: &usize| h != occ.head && rule.heads[h].role == Role::Removed;
        if !(0..rule.heads.len()).filter(removed).eq(occ.removed.iter().copied()) {
            self.fail("the heads that firing removes are not those of the rule");
        }
    }

    fn body(&mut self, body: &[Goal], bound: &mut HashSet<SlotId>) {
        for goal in body {
            let mut reads = Vec::new();
            match &goal.kind {
                GoalKind::Match { value, pattern } => {
                    vars::expr_vars(value, &mut reads);
                    let mut fresh = Vec::new();
                    vars::pattern_vars(pattern, &mut fresh);
                    bound.extend(fresh.into_iter().map(|v| SlotId(v.0)));
                }
                _ => vars::goal_vars(goal, &mut reads),
            }
            if !reads.iter().all(|v| bound.contains(&SlotId(v.0))) {
                self.fail("the body uses a slot that has no value");
            }
            if let GoalKind::Bind { var, .. } = goal.kind {
                bound.insert(SlotId(var.0));
            }
        }
    }

    fn join(&mut self, join: &Join, before: &[usize], bound: &HashSet<SlotId>, decided: &mut HashSet<usize>) {
        let table = &self.plan.tables[join.constraint];
        if !join.keys.is_sorted_by(|a, b| a.0 < b.0) {
            self.fail("the columns of a key are not ascending");
        }
        for (column, key) in &join.keys {
            if *column >= table.columns.len() {
                self.fail("a key has a column that its table has not");
            }
            let slots: Vec<SlotId> = match key {
                Key::Slot(slot) => vec![*slot],
                Key::Equal { slot, conjunct } => {
                    decided.insert(*conjunct);
                    vec![*slot]
                }
                Key::Linear(linear) => {
                    decided.insert(linear.conjunct);
                    linear.terms.iter().map(|t| t.0).collect()
                }
                Key::Const(_) => vec![],
            };
            if !slots.iter().all(|s| bound.contains(s)) {
                self.fail("a key uses a slot that has no value");
            }
        }
        let fits = |index: &IndexPlan| index.columns.iter().eq(join.keys.iter().map(|(c, _)| c));
        if self.plan.indexed && !table.indexes.get(join.index).is_some_and(fits) {
            self.fail("a join has no index on just the columns of its key");
        }
        let active = self.occurrence.head;
        let rule = &self.plan.rules[self.occurrence.rule];
        let same = |&&h: &&usize| h != active && rule.heads[h].constraint == join.constraint;
        if !before.iter().filter(same).eq(join.distinct.iter()) {
            self.fail("two partners of one symbol are not kept distinct");
        }
    }

    /// A step says whether its expression can fail, and what can fail is decided when all partners are there.
    fn failure(&mut self, step: &Step) {
        let failures = self.failures;
        let kind = |slot: SlotId| self.occurrence.slots[slot].kind;
        let (decided, fails) = match step {
            Step::Test { test: value, can_fail, .. } | Step::Match { value, can_fail, .. } => {
                (*can_fail, failures.can_fail(value, None))
            }
            Step::Eval { slot, value, can_fail, .. } => {
                (*can_fail, failures.can_fail(value, Some(kind(*slot))))
            }
            Step::Prune { test, .. } => (true, failures.can_fail(test, None)),
            _ => return,
        };
        if decided != fails {
            self.fail("the plan says wrongly whether a condition of the guard can fail");
        }
    }

    fn steps(
        &mut self,
        steps: &[Step],
        heads: &[usize],
        bound: &mut HashSet<SlotId>,
        decided: &mut HashSet<usize>,
    ) {
        for step in steps {
            let mut writes = Vec::new();
            self.failure(step);
            match step {
                Step::Load { slot, .. } | Step::Field { slot, .. } => writes.push(*slot),
                Step::Test { conjunct, .. } | Step::Fail { conjunct } => drop(decided.insert(*conjunct)),
                Step::Eval { slot, conjunct, .. } => {
                    decided.insert(*conjunct);
                    writes.push(*slot);
                }
                Step::Match { pattern, conjunct, .. } => {
                    decided.insert(*conjunct);
                    let mut vars = Vec::new();
                    vars::pattern_vars(pattern, &mut vars);
                    bound.extend(vars.into_iter().map(|v| SlotId(v.0)));
                }
                Step::SameColumn { .. } | Step::Same { .. } | Step::Functor { .. } | Step::Prune { .. } => {}
            }
            if let Step::Load { head, .. } | Step::SameColumn { head, .. } = step
                && !heads.contains(head)
            {
                self.fail("a step reads a partner that is not joined yet");
            }
            let reads = step.reads();
            if !reads.iter().all(|s| bound.contains(s)) {
                self.fail("a step reads a slot that has no value");
            }
            bound.extend(writes);
        }
    }
}
