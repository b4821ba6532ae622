//! Drops occurrences that can never fire.
//!
//! When an active constraint `a` reaches an occurrence, no instance of a rule that removes something is applicable with
//! `a` at an earlier head: it would have fired. So a later head `j` of the same rule is redundant when each of its
//! instances, its constraints exchanged by a permutation that puts `a` at an earlier head `i`, is an instance again:
//! the heads map to equal or more specific ones and the guard maps to itself. The roles need not agree: firing either
//! instance removes a constraint of both.

use super::{ChrPlan, DropReason, Dropped, OccurrenceId};
use crate::class::Verdict;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{
    Const, Expr, ExprKind, Goal, GoalKind, Pattern, PatternKind, Program, Role, Rule, VarId,
};

/// Most heads for which permutations are tried.
const MOST_HEADS: usize = 5;

/// The pass.
pub(super) fn drop_redundant(program: &Program, plan: &mut ChrPlan) {
    let mut reasons: Vec<Option<DropReason>> = vec![None; plan.occurrences.len()];
    for (id, occurrence) in plan.occurrences.iter_enumerated() {
        let rule = &program.rules[occurrence.rule];
        if rule.guard.iter().any(|goal| goal.kind == GoalKind::Fail) {
            reasons[id.0 as usize] = Some(DropReason::Never);
            continue;
        }
        // All instances count when the best value of each constraint is sought.
        if !plan.classes.verdicts.get(occurrence.rule).is_none_or(Verdict::is_general) {
            continue;
        }
        let earlier = plan
            .occurrences_of(occurrence.rule)
            .take_while(|o| o.head != occurrence.head)
            .filter(|o| o.constraint == occurrence.constraint)
            .find(|o| is_exhausted(rule, o.head) && implied(rule, occurrence.head, o.head));
        reasons[id.0 as usize] = earlier.map(|o| DropReason::Symmetric { earlier: o.head });
    }
    remove(plan, &reasons);
}

fn remove(plan: &mut ChrPlan, reasons: &[Option<DropReason>]) {
    let mut renumbered = Vec::new();
    let mut kept = IdVec::new();
    for (occurrence, reason) in plan.occurrences.iter().zip(reasons) {
        match reason {
            Some(reason) => {
                let (rule, head) = (occurrence.rule, occurrence.head);
                plan.dropped.push(Dropped { rule, head, reason: *reason });
                renumbered.push(None);
            }
            None => renumbered.push(Some(kept.push(occurrence.clone()))),
        }
    }
    plan.dropped.sort_by_key(|d| (d.rule, d.head));
    plan.occurrences = kept;
    for table in plan.tables.iter_mut() {
        let new = |&old: &OccurrenceId| renumbered[old.0 as usize];
        table.occurrences = table.occurrences.iter().filter_map(new).collect();
    }
}

/// Whether no instance with the active constraint at a head is left when the next head is tried: a passive constraint
/// that a body adds meanwhile is not looked for again.
fn is_exhausted(rule: &Rule, head: usize) -> bool {
    let removed = rule.heads[head].role == Role::Removed;
    removed || rule.heads.iter().enumerate().all(|(other, h)| other == head || !h.passive)
}

/// Whether each instance with the active constraint at head `j` is, permuted, one with it at head `i`.
fn implied(rule: &Rule, j: usize, i: usize) -> bool {
    let pure = rule.guard.iter().all(|g| matches!(g.kind, GoalKind::Test(_)));
    if rule.is_propagation() || rule.heads.len() > MOST_HEADS || !pure {
        return false;
    }
    // A permutation as the head whose constraint each head takes; a passive head takes part like any other.
    let mut taken = vec![None; rule.heads.len()];
    taken[i] = Some(j);
    permutations(rule, &mut taken, 0)
}

fn permutations(rule: &Rule, taken: &mut Vec<Option<usize>>, head: usize) -> bool {
    if head == taken.len() {
        return maps_to_itself(rule, taken);
    }
    if taken[head].is_some() {
        return permutations(rule, taken, head + 1);
    }
    for other in 0..taken.len() {
        if taken.contains(&Some(other)) {
            continue;
        }
        taken[head] = Some(other);
        if permutations(rule, taken, head + 1) {
            return true;
        }
        taken[head] = None;
    }
    false
}

/// What a variable of a head stands for in the head whose constraint it takes.
#[derive(Clone, Copy, PartialEq)]
enum Image {
    Var(VarId),
    Const(Const),
    /// A value without a name: only good for a variable that is used nowhere else.
    Nameless,
}

fn maps_to_itself(rule: &Rule, taken: &[Option<usize>]) -> bool {
    let mut images = HashMap::default();
    for (head, taken) in rule.heads.iter().zip(taken) {
        let Some(taken) = taken else { return false };
        let other = &rule.heads[*taken];
        let same = match (&head.atom, &other.atom) {
            (
                gchr_base::rule::HeadAtom::Constraint { constraint: a, .. },
                gchr_base::rule::HeadAtom::Constraint { constraint: b, .. },
            ) => a == b,
            _ => false,
        };
        let fits = same
            && head.atom.args().iter().zip(other.atom.args()).all(|(p, q)| more_general(p, q, &mut images));
        if !fits {
            return false;
        }
    }
    let conjuncts: Vec<&Goal> = rule.guard.iter().collect();
    conjuncts.iter().all(|goal| conjuncts.iter().any(|other| same_test(goal, other, &images)))
        && rule.heads.iter().any(|h| h.role == Role::Removed)
}

fn more_general(p: &Pattern, q: &Pattern, images: &mut HashMap<VarId, Image>) -> bool {
    match (&p.kind, &q.kind) {
        (PatternKind::Wild, _) => true,
        (PatternKind::Var(v), q) => {
            let image = match q {
                PatternKind::Var(w) => Image::Var(*w),
                PatternKind::Const(c) => Image::Const(*c),
                PatternKind::Wild | PatternKind::App { .. } => Image::Nameless,
            };
            match images.insert(*v, image) {
                None => true,
                Some(before) => before == image && image != Image::Nameless,
            }
        }
        (PatternKind::Const(a), PatternKind::Const(b)) => a == b && p.sort == q.sort,
        (PatternKind::App { symbol: f, args: xs }, PatternKind::App { symbol: g, args: ys }) => {
            f == g && xs.iter().zip(ys).all(|(x, y)| more_general(x, y, images))
        }
        _ => false,
    }
}

fn same_test(a: &Goal, b: &Goal, images: &HashMap<VarId, Image>) -> bool {
    let (GoalKind::Test(a), GoalKind::Test(b)) = (&a.kind, &b.kind) else { return false };
    same(a, b, images)
}

/// Whether `a` under the mapping is `b`; the operands of symmetric comparisons may be exchanged.
fn same(a: &Expr, b: &Expr, images: &HashMap<VarId, Image>) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Var(v), ExprKind::Var(w)) => {
            images.get(v).map_or(v == w, |image| *image == Image::Var(*w))
        }
        (ExprKind::Var(v), ExprKind::Const(c)) => images.get(v) == Some(&Image::Const(*c)),
        (ExprKind::Const(c), ExprKind::Const(d)) => c == d,
        (ExprKind::Op { op: f, args: xs }, ExprKind::Op { op: g, args: ys }) => {
            let straight = f == g && xs.len() == ys.len();
            if straight && xs.iter().zip(ys).all(|(x, y)| same(x, y, images)) {
                return true;
            }
            mirrored(*f) == Some(*g) && same(&xs[0], &ys[1], images) && same(&xs[1], &ys[0], images)
        }
        _ => false,
    }
}

/// The comparison that holds for exchanged operands.
fn mirrored(op: Op) -> Option<Op> {
    Some(match op {
        Op::Eq | Op::Ne | Op::Same | Op::Differ => op,
        Op::Lt => Op::Gt,
        Op::Gt => Op::Lt,
        Op::Le => Op::Ge,
        Op::Ge => Op::Le,
        Op::Before => Op::After,
        Op::After => Op::Before,
        Op::BeforeOrSame => Op::AfterOrSame,
        Op::AfterOrSame => Op::BeforeOrSame,
        _ => return None,
    })
}
