//! Explanations as trees of text.

use std::collections::HashSet;
use std::io::{self, Write};

use gchr_base::rule::Role;

use super::{Applied, Constraints, Origin, Place, Root};

/// A line that is still to be written: the indentation of its children, the line's own, and what it is about.
struct Line {
    before: String,
    branch: &'static str,
    step: usize,
    removed: bool,
}

/// Writes one tree for each constraint that was asked for.
pub(super) fn write(explanation: &Constraints, out: &mut impl Write) -> io::Result<()> {
    let mut done = HashSet::new();
    for (i, root) in explanation.roots.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        if let Some(gone) = &root.removed {
            write_removed(explanation, root, gone, out)?;
        }
        write_tree(explanation, root.step, &mut done, out)?;
    }
    let more = explanation.matches - explanation.roots.len();
    if more > 0 {
        let all = explanation.matches;
        writeln!(out, "\n{more} more of {all} constraints match {} (--limit)", explanation.of)?;
    }
    if is_cut(explanation) {
        writeln!(out, "\n...: derivations are shown to a depth of {} (--depth)", explanation.depth)?;
    }
    explanation.notes.iter().try_for_each(|note| writeln!(out, "\nnote: {note}"))
}

/// Whether some derivation goes on where it is shown no more.
fn is_cut(explanation: &Constraints) -> bool {
    explanation.steps.iter().any(|step| goes_on(&step.origin))
}

fn goes_on(origin: &Origin) -> bool {
    matches!(origin, Origin::Rule(applied) if applied.heads.iter().any(|head| head.step.is_none()))
}

fn write_tree(
    explanation: &Constraints,
    root: usize,
    done: &mut HashSet<usize>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut todo = vec![Line { before: String::new(), branch: "", step: root, removed: false }];
    while let Some(line) = todo.pop() {
        let Line { before, branch, step: at, removed } = line;
        let step = &explanation.steps[at];
        write!(out, "{before}{branch}{}", step.text)?;
        if removed {
            write!(out, " (removed)")?;
        }
        // A constraint that has been shown is not shown again; nor are two derivations of facts worth a reference.
        let again = !done.insert(at);
        match &step.origin {
            Origin::Given(given) => {
                write!(out, " is {}", given.text)?;
                write_place(given.place.as_ref(), out)?;
                writeln!(out)?;
            }
            Origin::Rule(_) if again => writeln!(out, ", as above")?,
            Origin::Rule(applied) => {
                write!(out, " by ")?;
                write_applied(applied, out)?;
                writeln!(out, "{}", if goes_on(&step.origin) { " ..." } else { "" })?;
                let below = match branch {
                    "" => before,
                    "└─ " => before + "   ",
                    _ => before + "│  ",
                };
                let shown: Vec<_> =
                    applied.heads.iter().filter_map(|head| Some((head.step?, head.role))).collect();
                let last = shown.len().saturating_sub(1);
                for (i, (step, role)) in shown.into_iter().enumerate().rev() {
                    let branch = if i == last { "└─ " } else { "├─ " };
                    let removed = role == Role::Removed;
                    todo.push(Line { before: below.clone(), branch, step, removed });
                }
            }
        }
    }
    Ok(())
}

fn write_removed(
    explanation: &Constraints,
    root: &Root,
    gone: &Applied,
    out: &mut impl Write,
) -> io::Result<()> {
    let step = &explanation.steps[root.step];
    write!(out, "{} is not in the store: removed by ", step.text)?;
    write_applied(gone, out)?;
    let others: Vec<&str> =
        gone.heads.iter().filter(|head| head.id != step.id).map(|head| head.text.as_str()).collect();
    if !others.is_empty() {
        write!(out, ", beside {}", others.join(", "))?;
    }
    writeln!(out)
}

/// `step (paths.chr:4) in round 2 with X = 1, Y = 2`.
fn write_applied(applied: &Applied, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{}", applied.rule)?;
    write_place(applied.place.as_ref(), out)?;
    if applied.round > 0 {
        write!(out, " in round {}", applied.round)?;
    }
    for (i, (name, value)) in applied.bindings.iter().enumerate() {
        let before = if i == 0 { " with" } else { "," };
        write!(out, "{before} {name} = {value}")?;
    }
    Ok(())
}

fn write_place(place: Option<&Place>, out: &mut impl Write) -> io::Result<()> {
    match place {
        Some(Place { file, line }) => write!(out, " ({file}:{line})"),
        None => Ok(()),
    }
}
