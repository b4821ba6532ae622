//! Where rounds may give another result than the refined semantics: constraints that two rule instances can want, one of them to
//! remove it, and output.

use super::ChrPlan;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{Body, Head, HeadAtom, Pattern, PatternKind, Program, Role, RuleId};
use gchr_base::signature::ConstraintId;

/// Heads shown for a symbol.
const MOST_LABELS: usize = 4;

/// Warnings for a program that runs in rounds by `plan`: `C0408` for output in rules, `C0611` for each symbol whose constraints rules
/// can compete for.
///
/// Rules with one head do not compete with each other: the first that applies fires, under either semantics.
pub fn differences(program: &Program, plan: &ChrPlan) -> Vec<Diagnostic> {
    let mut found = output(program);
    for (constraint, _) in program.signature.constraints.iter_enumerated() {
        let heads = competing(program, plan, constraint);
        if heads.is_empty() {
            continue;
        }
        let name = program.signature.constraint_name(constraint);
        let message = format!("rules compete for {name}: rounds may give another result than refined");
        let mut diagnostic = Diagnostic::warning("C0611", message);
        for (rule, head) in heads.iter().take(MOST_LABELS) {
            let verb = if head.role == Role::Removed { "removes" } else { "keeps" };
            diagnostic = diagnostic.label(head.span, format!("{} {verb} it", program.rule_name(*rule)));
        }
        let note =
            "in a round, the rule that comes first wins; the refined semantics goes constraint by constraint";
        found.push(diagnostic.note(note).help("fine if the result does not depend on the order of rule tries; else run with --semantics refined"));
    }
    found
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

/// Heads of general rules over a symbol that can be filled by one constraint in two instances, of which one removes it.
fn competing<'a>(program: &'a Program, plan: &ChrPlan, constraint: ConstraintId) -> Vec<(RuleId, &'a Head)> {
    let over = |h: &&Head| matches!(&h.atom, HeadAtom::Constraint { constraint: c, .. } if *c == constraint);
    let heads: Vec<(RuleId, &Head)> = program
        .rules
        .iter_enumerated()
        .filter(|(id, _)| plan.classes.verdicts[*id].is_general())
        .flat_map(|(id, rule)| rule.heads.iter().filter(over).map(move |head| (id, head)))
        .collect();
    let size = |id: RuleId| program.rules[id].heads.len();
    let compete = |i: usize, j: usize| {
        let ((a, h), (b, g)) = (heads[i], heads[j]);
        (size(a) > 1 || size(b) > 1)
            && (h.role == Role::Removed || g.role == Role::Removed)
            && h.atom.args().iter().zip(g.atom.args()).all(|(p, q)| may_agree(p, q))
    };
    (0..heads.len()).filter(|&i| (0..heads.len()).any(|j| compete(i, j))).map(|i| heads[i]).collect()
}

/// Whether some value may match both patterns.
fn may_agree(p: &Pattern, q: &Pattern) -> bool {
    match (&p.kind, &q.kind) {
        (PatternKind::Const(a), PatternKind::Const(b)) => a == b,
        (PatternKind::Const(_), PatternKind::App { .. })
        | (PatternKind::App { .. }, PatternKind::Const(_)) => false,
        (PatternKind::App { symbol: f, args: xs }, PatternKind::App { symbol: g, args: ys }) => {
            f == g && xs.iter().zip(ys).all(|(x, y)| may_agree(x, y))
        }
        _ => true,
    }
}
