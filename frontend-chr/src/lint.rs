//! Warnings about whole programs: constraints that are unused or never added, rules that never fire or never stop.

mod reach;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::Facts;
use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::rule::{Body, Goal, GoalKind, HeadAtom, PatternKind, Program, Role, Rule, Start};
use gchr_base::signature::ConstraintId;

/// Reports everything that is suspicious about a program without errors.
pub(crate) fn lint(program: &Program, facts: &[Facts], diagnostics: &mut Vec<Diagnostic>) {
    usage(program, facts, diagnostics);
    names(program, diagnostics);
    reach::unreachable(program, diagnostics);
    loops(program, diagnostics);
}

fn body(rule: &Rule) -> &[Goal] {
    match &rule.body {
        Body::Goals(goals) => goals,
        Body::Replace(_) => &[],
    }
}

/// The constraint symbol of each head of a rule.
fn heads(rule: &Rule) -> impl Iterator<Item = (ConstraintId, Role)> + '_ {
    rule.heads.iter().filter_map(|h| match h.atom {
        HeadAtom::Constraint { constraint, .. } => Some((constraint, h.role)),
        HeadAtom::Term { .. } => None,
    })
}

fn usage(program: &Program, facts: &[Facts], diagnostics: &mut Vec<Diagnostic>) {
    let count = program.signature.constraints.len();
    let (mut matched, mut added) = (vec![false; count], vec![false; count]);
    let mut add = |goals: &[Goal]| {
        for goal in goals {
            if let GoalKind::Add { constraint, .. } = goal.kind {
                added[constraint.index()] = true;
            }
        }
    };
    program.rules.iter().for_each(|rule| add(body(rule)));
    let Start::Goals(queries) = &program.start else { return };
    queries.iter().for_each(|query| add(&query.goals));
    facts.iter().for_each(|f| added[f.constraint.index()] = true);
    program.rules.iter().flat_map(heads).for_each(|(c, _)| matched[c.index()] = true);
    let started = !queries.is_empty() || !facts.is_empty();
    for (id, constraint) in program.signature.constraints.iter_enumerated() {
        let Some(span) = constraint.span else { continue };
        let label = program.signature.constraint_name(id);
        match (matched[id.index()], added[id.index()]) {
            (false, false) => diagnostics.push(
                Diagnostic::warning("C0504", format!("the constraint {label} is not used"))
                    .label(span, "declared here")
                    .help("remove the declaration, or add the constraint by a query or --facts"),
            ),
            (true, false) if started => diagnostics.push(
                Diagnostic::warning("C0505", format!("the constraint {label} is never added"))
                    .label(span, "no rule, query or fact adds it")
                    .help("rules with this head never fire: add it by a query, a rule or --facts"),
            ),
            _ => {}
        }
    }
}

fn names(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let mut known = HashMap::default();
    for rule in &program.rules {
        let Some(name) = &rule.name else { continue };
        let first = *known.entry(name.as_str()).or_insert(rule.span);
        if first != rule.span {
            diagnostics.push(
                Diagnostic::warning("C0506", format!("two rules are named {name}"))
                    .label(rule.span, "again here")
                    .label(first, "first here")
                    .help("rename one of them, so that messages and statistics tell them apart"),
            );
        }
    }
}

/// Propagation rules that add what they match: without a rule that removes it, they never stop.
fn loops(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let mut removed = vec![false; program.signature.constraints.len()];
    for (c, role) in program.rules.iter().flat_map(heads) {
        removed[c.index()] |= role == Role::Removed;
    }
    for rule in &program.rules {
        let [head] = rule.heads.as_slice() else { continue };
        let HeadAtom::Constraint { constraint, args } = &head.atom else { continue };
        if removed[constraint.index()] || head.passive || !rule.guard.is_empty() || !all_different(args) {
            continue;
        }
        let again = body(rule)
            .iter()
            .find(|g| matches!(g.kind, GoalKind::Add { constraint: c, .. } if c == *constraint));
        if let Some(goal) = again {
            let label = program.signature.constraint_name(*constraint);
            diagnostics.push(
                Diagnostic::warning("C0507", "this rule never stops firing")
                    .label(goal.span, format!("adds {label}, which the rule matches again"))
                    .label(head.span, "matches every such constraint")
                    .help("add a guard, or a rule that removes duplicates before it"),
            );
        }
    }
}

/// Whether patterns match any values.
fn all_different(patterns: &[gchr_base::rule::Pattern]) -> bool {
    let mut seen = Vec::new();
    patterns.iter().all(|p| match p.kind {
        PatternKind::Wild => true,
        PatternKind::Var(v) => {
            !seen.contains(&v) && {
                seen.push(v);
                true
            }
        }
        PatternKind::Const(_) | PatternKind::App { .. } => false,
    })
}
