//! Explanations as JSON: each constraint of the derivations once, by ids, so that neither depth nor sharing makes the
//! object deep or large.

use std::io::{self, Write};

use gchr_base::escape;
use gchr_base::rule::Role;
use serde::Serialize;
use serde_json::Value;

use super::{Applied, AppliedHead, Constraints, Origin, Place, Root, Step};

#[derive(Serialize)]
struct Whole<'a> {
    of: &'a str,
    depth: usize,
    matches: usize,
    notes: &'a [String],
    asked: Vec<Asked<'a>>,
    constraints: Vec<Constraint<'a>>,
}

#[derive(Serialize)]
struct Asked<'a> {
    id: u64,
    in_store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    removed_by: Option<Rule<'a>>,
}

#[derive(Serialize)]
struct Constraint<'a> {
    id: u64,
    constraint: &'a str,
    text: &'a str,
    args: Option<Value>,
    level: usize,
    #[serde(flatten)]
    from: From<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum From<'a> {
    Rule(Rule<'a>),
    Goal(Given<'a>),
    Fact(Given<'a>),
}

#[derive(Serialize)]
struct Given<'a> {
    what: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Line<'a>>,
}

#[derive(Serialize)]
struct Rule<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Line<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<u32>,
    variables: serde_json::Map<String, Value>,
    heads: Vec<Head>,
}

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    line: usize,
}

#[derive(Serialize)]
struct Head {
    id: u64,
    role: &'static str,
    /// Whether it is among the constraints.
    shown: bool,
}

/// Writes an explanation and a line end.
pub(super) fn write(explanation: &Constraints, out: &mut impl Write) -> io::Result<()> {
    let whole = Whole {
        of: &explanation.of,
        depth: explanation.depth,
        matches: explanation.matches,
        notes: &explanation.notes,
        asked: explanation.roots.iter().map(|root| asked(explanation, root)).collect(),
        constraints: explanation.steps.iter().map(constraint).collect(),
    };
    let out = &mut escape::json(out);
    serde_json::to_writer_pretty(&mut *out, &whole)?;
    out.write_all(b"\n")
}

fn asked<'a>(explanation: &'a Constraints, root: &'a Root) -> Asked<'a> {
    let removed_by = root.removed.as_ref().map(rule);
    Asked { id: explanation.steps[root.step].id, in_store: removed_by.is_none(), removed_by }
}

fn constraint(step: &Step) -> Constraint<'_> {
    let from = match &step.origin {
        Origin::Rule(applied) => From::Rule(rule(applied)),
        Origin::Given(given) => {
            let shown = Given { what: &given.text, place: given.place.as_ref().map(line) };
            if given.kind == "fact" { From::Fact(shown) } else { From::Goal(shown) }
        }
    };
    // Terms that nest too deeply for readers of JSON have their text only.
    let args = step.args.as_ref().and_then(|args| serde_json::from_str(args).ok());
    Constraint { id: step.id, constraint: &step.name, text: &step.text, args, level: step.level, from }
}

fn rule(applied: &Applied) -> Rule<'_> {
    let variables = applied.bindings.iter().map(|(name, value)| (name.clone(), value.clone().into()));
    let head = |head: &AppliedHead| Head {
        id: head.id,
        role: if head.role == Role::Removed { "removed" } else { "kept" },
        shown: head.step.is_some(),
    };
    Rule {
        name: &applied.rule,
        place: applied.place.as_ref().map(line),
        round: (applied.round > 0).then_some(applied.round),
        variables: variables.collect(),
        heads: applied.heads.iter().map(head).collect(),
    }
}

fn line(place: &Place) -> Line<'_> {
    Line { file: &place.file, line: place.line }
}
