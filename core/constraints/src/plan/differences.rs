//! Where rounds may give another result than the refined semantics: constraints that two rule instances can want, one
//! of them to remove it, and output.

use super::ChrPlan;
use crate::class::reduction_anywhere;
use crate::ir::classes::Reduction;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::rule::{
    Body, Const, ExprKind, GoalKind, Head, HeadAtom, Pattern, PatternKind, Program, Role, Rule, RuleId,
};
use gchr_base::signature::{ConstraintId, TextId};

/// Heads shown for a symbol.
const MOST_LABELS: usize = 4;

/// Warnings for a program that runs in rounds by `plan`: `C0408` for output in rules, `C0611` for each symbol whose
/// constraints rules can compete for.
///
/// Rules with one head do not compete with each other: the first that applies fires, under either semantics.
pub fn differences(program: &Program, plan: &ChrPlan) -> Vec<Diagnostic> {
    let mut found = output(program);
    let mut heads: Vec<Vec<Place<'_>>> = vec![Vec::new(); program.signature.constraints.len()];
    for (id, rule) in program.rules.iter_enumerated().filter(|(id, _)| plan.is_general(*id)) {
        for head in &rule.heads {
            if let HeadAtom::Constraint { constraint, .. } = head.atom {
                heads[constraint.index()].push((id, head));
            }
        }
    }
    for (constraint, _) in program.signature.constraints.iter_enumerated() {
        let all = &heads[constraint.index()];
        let heads = competing(program, all);
        if heads.is_empty() {
            continue;
        }
        let late = late_reduction(program, constraint, all);
        let name = program.signature.constraint_name(constraint);
        let message = format!("rules compete for {name}: rounds may give another result than refined");
        let mut diagnostic = Diagnostic::warning("C0611", message);
        let note = match heads.iter().all(|(rule, _)| *rule == heads[0].0) {
            true => "in a round, one of the rule's instances that want a constraint has it;",
            false => "in a round, the rule that comes first wins;",
        };
        for (rule, head) in heads {
            let verb = if head.role == Role::Removed { "removes" } else { "keeps" };
            diagnostic = diagnostic.label(head.span, format!("{} {verb} it", program.rule_name(rule)));
        }
        let note = format!("{note} the refined semantics goes constraint by constraint");
        let help = match late {
            Some((rule, first)) => format!(
                "write {rule} before {first}: what it drops is used by no rule then, and rounds drop it as it comes"
            ),
            None => "fine if the result does not depend on the order of rule tries; else run with --semantics refined"
                .into(),
        };
        found.push(diagnostic.note(note).help(help));
    }
    let reductions = &plan.classes.reductions;
    let mut is_reduced = vec![false; heads.len()];
    reductions.iter().filter(|r| r.best.is_some()).for_each(|r| is_reduced[r.constraint.index()] = true);
    found.extend(reductions.iter().filter_map(|reduction| {
        early_values(program, reduction, &heads[reduction.constraint.index()], &is_reduced)
    }));
    found
}

/// `C0611` for rules that make something of the value of a constraint that a better one may replace later: it stays.
/// What they make does not matter where a reduction keeps the best of it, too, as `is_reduced` says by constraint.
fn early_values(
    program: &Program,
    reduction: &Reduction,
    heads: &[Place<'_>],
    is_reduced: &[bool],
) -> Option<Diagnostic> {
    let best = reduction.best?;
    let makes_more = |rule: &Rule| match &rule.body {
        Body::Goals(goals) => goals.iter().any(
            |goal| matches!(&goal.kind, GoalKind::Add { constraint, .. } if !is_reduced[constraint.index()]),
        ),
        Body::Replace(_) => false,
    };
    let early = heads.iter().filter(|(id, head)| {
        let rule = &program.rules[*id];
        head.role == Role::Kept && makes_more(rule) && is_used(rule, &head.atom.args()[best.column])
    });
    let early: Vec<_> = early.take(MOST_LABELS).collect();
    if early.is_empty() {
        return None;
    }
    let name = program.signature.constraint_name(reduction.constraint);
    let message = format!(
        "values of {name} are used before they are final: rounds may give another result than refined"
    );
    let labelled = early.iter().fold(Diagnostic::warning("C0611", message), |diagnostic, (rule, head)| {
        diagnostic.label(head.span, format!("{} uses its value", program.rule_name(*rule)))
    });
    let reducing = program.rule_name(reduction.rule);
    Some(
        labelled
            .note(format!("what is made of a constraint stays when {reducing} replaces it by a better one"))
            .help("let the rule wait for a constraint that a further query adds: its goals come when all is done before"),
    )
}

/// Whether the value that matches a pattern of a head matters to the rule.
fn is_used(rule: &Rule, pattern: &Pattern) -> bool {
    let var = match pattern.kind {
        PatternKind::Var(var) => var,
        PatternKind::Wild => return false,
        _ => return true,
    };
    let mut uses = 0;
    for pattern in rule.heads.iter().flat_map(|head| head.atom.args()) {
        pattern.walk(&mut |found| uses += usize::from(found.kind == PatternKind::Var(var)));
    }
    rule.walk(&mut |found| uses += usize::from(found.kind == ExprKind::Var(var)));
    uses > 1
}

/// A rule that would drop constraints of a symbol as they come if it stood before the others over it, and the one that
/// it should stand before.
fn late_reduction(
    program: &Program,
    constraint: ConstraintId,
    heads: &[Place<'_>],
) -> Option<(String, String)> {
    let (first, _) = *heads.first()?;
    let is_one = |id: &RuleId| {
        reduction_anywhere(program, *id, &program.rules[*id])
            .is_ok_and(|found| found.constraint == constraint)
    };
    let late = heads.iter().map(|(id, _)| *id).filter(|id| *id != first).find(is_one)?;
    Some((program.rule_name(late), program.rule_name(first)))
}

fn output(program: &Program) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for rule in &program.rules {
        let Body::Goals(goals) = &rule.body else { continue };
        for goal in goals.iter().filter(|g| g.writes()) {
            found.push(
                Diagnostic::warning("C0408", "rounds write in another order than refined")
                    .label(goal.span, "writes output")
                    .note("the bodies of a round are executed by the age of their constraints")
                    .help("run with --semantics refined where the order of output matters"),
            );
        }
    }
    found
}

/// A head of a rule.
type Place<'a> = (RuleId, &'a Head);

/// Whether the rule of a head has several, and whether it removes the constraint.
type Sort = (bool, bool);

/// The first of the heads over a symbol that can be filled by one constraint in two instances, of which one removes it.
///
/// Heads with different constants in a column never compete: they are told apart by the column that has the most of
/// them.
fn competing<'a>(program: &Program, heads: &[Place<'a>]) -> Vec<Place<'a>> {
    let constant = |(_, head): &Place<'_>, column: usize| match head.atom.args()[column].kind {
        PatternKind::Const(c) => Some(Bits::of(c)),
        _ => None,
    };
    let columns = heads.first().map_or(0, |(_, head)| head.atom.args().len());
    let constants = |column: &usize| heads.iter().filter(|head| constant(head, *column).is_some()).count();
    let column = (0..columns).max_by_key(constants);
    let key = |head: &Place<'_>| column.and_then(|column| constant(head, column));
    // Of two rules that compete one has several heads, and one removes the constraint.
    let sort = |&(id, head): &Place<'_>| (program.rules[id].heads.len() > 1, head.role == Role::Removed);
    let mut by_key: HashMap<(Option<Bits>, Sort), Vec<&Head>> = HashMap::default();
    let mut by_sort: HashMap<Sort, Vec<&Head>> = HashMap::default();
    for head in heads {
        by_key.entry((key(head), sort(head))).or_default().push(head.1);
        by_sort.entry(sort(head)).or_default().push(head.1);
    }
    let has_rival = |head: &&Place<'a>| {
        let (several, removed) = sort(head);
        let sorts = [(false, false), (false, true), (true, false), (true, true)];
        sorts.into_iter().filter(|other| (several || other.0) && (removed || other.1)).any(|sort| {
            let lists = match key(head) {
                None => [by_sort.get(&sort), None],
                own => [by_key.get(&(own, sort)), by_key.get(&(None, sort))],
            };
            lists.into_iter().flatten().flatten().any(|other| may_meet(head.1, other))
        })
    };
    heads.iter().filter(has_rival).take(MOST_LABELS).copied().collect()
}

/// A constant that can be looked up.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Bits {
    Int(i64),
    Float(u64),
    Atom(TextId),
    Str(TextId),
}

impl Bits {
    fn of(c: Const) -> Self {
        match c {
            Const::Int(n) => Bits::Int(n),
            Const::Float(x) => Bits::Float(x.to_bits()),
            Const::Atom(text) => Bits::Atom(text),
            Const::Str(text) => Bits::Str(text),
        }
    }
}

/// Whether some constraint may fill both heads.
fn may_meet(a: &Head, b: &Head) -> bool {
    a.atom.args().iter().zip(b.atom.args()).all(|(p, q)| may_agree(p, q))
}

/// Whether some value may match both patterns.
fn may_agree(p: &Pattern, q: &Pattern) -> bool {
    match (&p.kind, &q.kind) {
        (PatternKind::Const(a), PatternKind::Const(b)) => Bits::of(*a) == Bits::of(*b),
        (PatternKind::Const(_), PatternKind::App { .. })
        | (PatternKind::App { .. }, PatternKind::Const(_)) => false,
        (PatternKind::App { symbol: f, args: xs }, PatternKind::App { symbol: g, args: ys }) => {
            f == g && xs.iter().zip(ys).all(|(x, y)| may_agree(x, y))
        }
        _ => true,
    }
}
