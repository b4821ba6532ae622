//! From the record of a run to an [`Constraints`]: the constraints that match, and what they were derived from.

use std::collections::HashMap;
use std::io::{self, Write};

use gchr_base::control::Control;
use gchr_base::derivation::{Cause, Derivations};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::IdVec;
use gchr_base::limited::{self, Limited};
use gchr_base::rule::{Body, GoalKind, Program, Role, Rule, Var, VarId};
use gchr_base::signature::{ConstraintId, SortKind};
use gchr_base::source::SourceMap;
use gchr_base::stop::StopReason;
use gchr_base::value::Value;
use gchr_base::watch::Watch;
use gchr_constraints::derivation::bindings;
use gchr_constraints::exec::trace_constraint;

use super::{
    Applied, AppliedHead, Constraints, Explanation, Given, Kind, Origin, Pattern, Place, Root, Step,
    WhyOptions,
};
use crate::output::json::write_value;

/// Characters of a pattern in a finding.
const WIDTH: usize = 400;
/// Bytes of the arguments of a constraint in JSON.
const ARGS: u64 = 1 << 16;
/// Constraints, or instances, between two looks whether to stop.
const LOOK: u64 = 1 << 16;
/// Names of rules in a finding.
const RULES: usize = 10;

/// What is asked of a record, and what it is read with.
pub(crate) struct Asked<'a> {
    pub(crate) program: &'a Program,
    pub(crate) sources: &'a SourceMap,
    /// The fact or goal of a run, from 0, that a constraint comes from.
    pub(crate) given: &'a dyn Fn(Cause, usize) -> Given,
    pub(crate) options: WhyOptions,
    pub(crate) notes: Vec<String>,
}

/// Why there is no explanation.
pub(crate) enum Unexplained {
    /// There was never such a constraint.
    Never(Box<Diagnostic>),
    /// The search stopped.
    Stopped(StopReason),
}

/// The constraints that match, live or not.
struct Found {
    /// Ids, ascending.
    ids: Vec<u64>,
    /// By id, the instance that removed it.
    removed: HashMap<u64, u64>,
}

impl Asked<'_> {
    /// Explains the constraints that match: those in the store, or if there are none, those that were.
    pub(crate) fn explain(
        self,
        pattern: &Pattern,
        record: &mut Derivations,
        control: &Control<'_>,
    ) -> Result<Explanation, Unexplained> {
        let Found { ids, removed } = self.find(pattern, record, control).map_err(Unexplained::Stopped)?;
        if ids.is_empty() {
            return Err(Unexplained::Never(Box::new(self.never(pattern))));
        }
        let live: Vec<u64> = ids.iter().copied().filter(|id| !removed.contains_key(id)).collect();
        let chosen = if live.is_empty() { ids } else { live };
        let (matches, limit) = (chosen.len(), self.options.limit.max(1));
        let roots = &chosen[..matches.min(limit)];
        let mut tree = Tree { asked: &self, record, steps: Vec::new(), known: HashMap::new() };
        for &id in roots {
            tree.meet(id, 0);
        }
        tree.grow(control).map_err(Unexplained::Stopped)?;
        let mut found = Vec::new();
        for &id in roots {
            let step = tree.meet(id, 0);
            let gone = removed.get(&id).copied();
            found.push(Root { step, removed: gone.and_then(|instance| tree.applied(instance, None)) });
        }
        let steps = tree.steps;
        let (of, depth, notes) = (pattern.text.clone(), self.options.depth, self.notes);
        let found = Constraints { of, notes, depth, matches, roots: found, steps };
        Ok(Explanation(Kind::Constraints(found)))
    }

    fn find(
        &self,
        pattern: &Pattern,
        record: &Derivations,
        control: &Control<'_>,
    ) -> Result<Found, StopReason> {
        let terms = record.terms(&self.program.signature);
        let mut ids = Vec::new();
        for id in 0..record.constraints() {
            if id % LOOK == 0 {
                control.watch().look()?;
            }
            if record.constraint(id).is_some_and(|made| pattern.matches(made, terms)) {
                ids.push(id);
            }
        }
        let mut removed = HashMap::new();
        for number in 0..record.instances() {
            if number % LOOK == 0 {
                control.watch().look()?;
            }
            let Some(fired) = record.instance(number) else { continue };
            for (head, &id) in self.program.rules[fired.rule].heads.iter().zip(fired.heads) {
                if head.role == Role::Removed && ids.binary_search(&id).is_ok() {
                    removed.insert(id, number);
                }
            }
        }
        Ok(Found { ids, removed })
    }

    /// There was never such a constraint: which rules add others of its symbol.
    fn never(&self, pattern: &Pattern) -> Diagnostic {
        let symbol = self.program.signature.constraint_name(pattern.symbol);
        let message = format!("there was never a constraint {}", limited::cut(&pattern.text, WIDTH));
        let found = Diagnostic::error("U0141", message);
        let adds = |rule: &Rule| match &rule.body {
            Body::Goals(goals) => goals.iter().any(|goal| adds(&goal.kind, pattern.symbol)),
            Body::Replace(_) => false,
        };
        let rules = self.program.rules.iter_enumerated().filter(|(_, rule)| adds(rule));
        let mut names: Vec<String> = rules.map(|(id, _)| self.program.rule_name(id)).collect();
        let more = names.len().saturating_sub(RULES);
        names.truncate(RULES);
        if more > 0 {
            names.push(format!("{more} more"));
        }
        match names.as_slice() {
            [] => found.help(format!("no rule adds {symbol}: it can only be a goal or a fact")),
            [name] => found.help(format!("{name} is the rule that adds {symbol}")),
            names => found.help(format!("rules that add {symbol}: {}", names.join(", "))),
        }
    }
}

fn adds(goal: &GoalKind, symbol: ConstraintId) -> bool {
    matches!(goal, GoalKind::Add { constraint, .. } if *constraint == symbol)
}

/// The derivations as far as they are shown.
struct Tree<'a, 'r> {
    asked: &'a Asked<'a>,
    record: &'r mut Derivations,
    steps: Vec<Step>,
    /// By id the place among the steps.
    known: HashMap<u64, usize>,
}

impl Tree<'_, '_> {
    /// The place of a constraint, which is so many instances away from the next one that was asked for.
    fn meet(&mut self, id: u64, level: usize) -> usize {
        if let Some(&at) = self.known.get(&id) {
            return at;
        }
        let (name, args) = self.parts(id);
        let text = self.text(id);
        // The origin is filled in when its turn comes.
        let origin = Origin::Given(Given { kind: "goal", text: String::new(), place: None });
        self.steps.push(Step { id, name, text, args, level, origin });
        self.known.insert(id, self.steps.len() - 1);
        self.steps.len() - 1
    }

    /// Fills in where constraints come from, those that are nearer to what was asked for first.
    fn grow(&mut self, control: &Control<'_>) -> Result<(), StopReason> {
        let mut at = 0;
        while at < self.steps.len() {
            control.watch().look()?;
            let (id, level) = (self.steps[at].id, self.steps[at].level);
            let cause = self.record.constraint(id).map(|made| made.cause);
            let origin = match cause {
                Some(Cause::Instance(number)) => self.applied(number, Some(level)).map(Origin::Rule),
                Some(cause) => Some(Origin::Given((self.asked.given)(cause, self.record.run_of(id)))),
                None => None,
            };
            if let Some(origin) = origin {
                self.steps[at].origin = origin;
            }
            at += 1;
        }
        Ok(())
    }

    /// A rule instance; its constraints become steps if that of this level may have some.
    fn applied(&mut self, number: u64, level: Option<usize>) -> Option<Applied> {
        let fired = self.record.instance(number)?;
        let (id, round, heads) = (fired.rule, fired.round, fired.heads.to_vec());
        let program = self.asked.program;
        let rule = &program.rules[id];
        let mut shown = Vec::with_capacity(heads.len());
        for (head, id) in rule.heads.iter().zip(heads) {
            let goes_on = level.filter(|&level| level < self.asked.options.depth);
            let step = goes_on.map(|level| self.meet(id, level + 1));
            shown.push(AppliedHead { id, role: head.role, text: self.text(id), step });
        }
        Some(Applied {
            rule: program.rule_name(id),
            place: Some(Place::of(self.asked.sources, rule.span)),
            round,
            bindings: self.bindings(number, &rule.vars),
            heads: shown,
        })
    }

    fn bindings(&mut self, number: u64, vars: &IdVec<VarId, Var>) -> Vec<(String, String)> {
        let program = self.asked.program;
        let Some(bound) = bindings(program, self.record, number) else {
            return Vec::new();
        };
        let terms = self.record.terms(&program.signature);
        let named = vars.iter().zip(bound.iter()).filter(|(var, _)| !var.name.starts_with('_'));
        named
            .filter_map(|(var, word)| Some((var.name.clone(), terms.value(SortKind::Any, (*word)?).shown())))
            .collect()
    }

    /// Name, and arguments as JSON; none where these are too long.
    fn parts(&self, id: u64) -> (String, Option<String>) {
        let Some(made) = self.record.constraint(id) else { return (String::new(), None) };
        let signature = &self.asked.program.signature;
        let terms = self.record.terms(signature);
        // Shared parts of a term are written each time that they occur.
        let mut out =
            Limited::new(Vec::new(), Watch::new()).up_to(ARGS, StopReason::OutputSize { limit: ARGS });
        let values = made.args.iter().map(|&word| terms.value(SortKind::Any, word));
        let written = write_args(values, &mut out).ok().map(|()| out.into_inner());
        let args = written.and_then(|args| String::from_utf8(args).ok());
        (signature.constraints[made.symbol].name.clone(), args)
    }

    /// A constraint with its id, as a trace shows it.
    fn text(&self, id: u64) -> String {
        let Some(made) = self.record.constraint(id) else { return format!("#{id}") };
        let signature = &self.asked.program.signature;
        let terms = self.record.terms(signature);
        let values = made.args.iter().map(|&word| terms.value(SortKind::Any, word));
        let mut text = String::new();
        trace_constraint(&mut text, &signature.constraints[made.symbol].name, values, id);
        text
    }
}

fn write_args<'v>(values: impl Iterator<Item = Value<'v>>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"[")?;
    for (i, value) in values.enumerate() {
        out.write_all(if i > 0 { b", " } else { b"" })?;
        write_value(value, out)?;
    }
    out.write_all(b"]")
}
