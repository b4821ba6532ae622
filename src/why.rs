//! Why a constraint is in the store, or a symbol in a normal form: the rule instances that led to it, to a bounded
//! depth.
//!
//! The program runs on the processor with its derivations recorded; what the record has of the constraints that are
//! asked for becomes an [`Explanation`], which owns all that it shows. `docs/why.md` says what is shown and what it
//! costs.

mod explain;
mod json;
mod pattern;
mod term;
mod text;

use std::io::{self, Write};
use std::sync::Arc;

use gchr_base::control::{Control, Progress};
use gchr_base::derivation::{Cause, Derivations};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::{RunError, StopReason};
use gchr_base::rule::{GoalKind, GroundTerm, Role, Semantics, Start};
use gchr_base::source::{SourceMap, Span};
use gchr_base::stats::Stats;
use gchr_constraints::exec::Store;
use gchr_constraints::plan::{ChrPlan, compile, compile_derivable_rounds};
use sha2::{Digest as _, Sha256};

use crate::diagnostics::Diagnostics;
use crate::executor::{Finished, Unfinished};
use crate::executors::device_rounds::DeviceRoundsProgram;
use crate::options::CompileOptions;
use crate::output::{Answer, Failure};
use crate::program::{Language, Program};
use crate::stack::with_large_stack;

pub(crate) use explain::{Asked, Unexplained};
pub(crate) use pattern::Pattern;
pub(crate) use term::{Path, TermUnexplained};

use term::TermExplanation;

/// How much of derivations is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WhyOptions {
    /// Rule instances on a path from a constraint that was asked for to a fact.
    pub depth: usize,
    /// Constraints that are explained where several match.
    pub limit: usize,
}

impl Default for WhyOptions {
    fn default() -> Self {
        Self { depth: 6, limit: 5 }
    }
}

/// Derivations of what was asked for.
#[derive(Clone, Debug)]
pub struct Explanation(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Constraints(Constraints),
    Term(TermExplanation),
}

/// Those of the constraints that match.
#[derive(Clone, Debug)]
struct Constraints {
    of: String,
    notes: Vec<String>,
    depth: usize,
    /// How many constraints match; the first of them are explained.
    matches: usize,
    /// Those that are explained.
    roots: Vec<Root>,
    /// Each constraint of the derivations once: those that were asked for first.
    steps: Vec<Step>,
}

/// A constraint that was asked for.
#[derive(Clone, Debug)]
struct Root {
    /// Place among the steps.
    step: usize,
    /// The instance that removed it, if it is not in the store.
    removed: Option<Applied>,
}

/// A constraint of a derivation.
#[derive(Clone, Debug)]
struct Step {
    id: u64,
    name: String,
    /// As it is written in a program, cut where it is long.
    text: String,
    /// The arguments as JSON; none where they are too long.
    args: Option<String>,
    /// Instances between it and the next constraint that was asked for.
    level: usize,
    origin: Origin,
}

/// Where a constraint comes from.
#[derive(Clone, Debug)]
enum Origin {
    /// What the program was started with.
    Given(Given),
    /// A rule added it.
    Rule(Applied),
}

/// A fact or a goal.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// `goal` or `fact`.
    pub(crate) kind: &'static str,
    /// In words: `a goal`, `row 3 of the facts`.
    pub(crate) text: String,
    pub(crate) place: Option<Place>,
}

/// A rule instance.
#[derive(Clone, Debug)]
struct Applied {
    rule: String,
    place: Option<Place>,
    round: u32,
    /// Names and values of the variables of heads and guard.
    bindings: Vec<(String, String)>,
    heads: Vec<AppliedHead>,
}

/// A constraint at a head of an instance.
#[derive(Clone, Debug)]
struct AppliedHead {
    id: u64,
    role: Role,
    text: String,
    /// Its place among the steps; `None` beyond the depth.
    step: Option<usize>,
}

/// A line of a text.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    file: String,
    line: usize,
}

impl Place {
    pub(crate) fn of(sources: &SourceMap, span: Span) -> Self {
        Self { file: sources.get(span.source).name.clone(), line: sources.line_column(span).0 }
    }
}

impl Explanation {
    /// Writes it as text: trees of constraints, or the rule applications around a symbol of a term.
    pub fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        match &self.0 {
            Kind::Constraints(constraints) => text::write(constraints, out),
            Kind::Term(term) => term.write_text(out),
        }
    }
    /// Writes it as one JSON object: each constraint of the derivations once, by ids.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        match &self.0 {
            Kind::Constraints(constraints) => json::write(constraints, out),
            Kind::Term(term) => term.write_json(out),
        }
    }
    /// What was recorded of a term.
    pub(crate) fn of_term(
        program: &gchr_base::rule::Program,
        sources: &SourceMap,
        term: &GroundTerm,
        path: &Path,
        options: WhyOptions,
        control: &mut Control<'_>,
    ) -> Result<Self, TermUnexplained> {
        term::explain(program, sources, term, path, options, control).map(|found| Self(Kind::Term(found)))
    }
}

impl Program {
    /// Runs the program on the processor and explains the constraints that match `of`: a constraint with values,
    /// variables or `_` as arguments, or `name/arity`. Of a term program, evaluates its term and explains the symbol at
    /// a path of the normal form: `1.2` for the second argument of the first one, `.` for the outermost.
    /// [`CompileOptions`] say under which semantics. Where they name a device, a constraint program runs there first,
    /// and its store must be that of the run that is explained.
    pub fn why(
        &self,
        of: &str,
        options: &CompileOptions,
        why: &WhyOptions,
        control: &mut Control<'_>,
    ) -> Result<Explanation, Box<Failure>> {
        with_large_stack(|| match self.language() {
            Language::Terms => self.explain_term(of, *why, control),
            Language::Constraints => self.explain_constraint(of, options, why, control),
        })
    }

    /// Whether `of` names something that [`why`](Self::why) can look for; what is wrong with it.
    pub fn check_why(&self, of: &str) -> Result<(), Diagnostics> {
        let mut sources = (*self.sources).clone();
        let read = match (self.language(), self.has_no_derivations()) {
            (Language::Terms, _) => {
                Path::read(of, "--why", &mut sources).map(drop).map_err(|found| vec![*found])
            }
            (Language::Constraints, Some(found)) => Err(vec![found]),
            _ => Pattern::read(of, "--why", &mut sources, &self.rules.signature).map(drop),
        };
        read.map_err(|list| Diagnostics::new(Arc::new(sources), list))
    }

    fn explain_constraint(
        &self,
        of: &str,
        options: &CompileOptions,
        why: &WhyOptions,
        control: &mut Control<'_>,
    ) -> Result<Explanation, Box<Failure>> {
        let refuse = |found: Diagnostic| refused(self.diagnostics(vec![found]));
        if let Some(found) = self.has_no_derivations() {
            return Err(refuse(found));
        }
        let mut sources = (*self.sources).clone();
        let pattern = Pattern::read(of, "--of", &mut sources, &self.rules.signature);
        let pattern = pattern.map_err(|found| refused(Diagnostics::new(Arc::new(sources), found)))?;
        if !self.has_goals() {
            let help = "write `?- goals.` in the program, or give --query GOALS or --facts C=FILE";
            return Err(refuse(Diagnostic::error("U0106", "no goals to run").help(help)));
        }
        let (plan, mut notes) =
            derivable_plan(&self.rules, options).map_err(|list| refused(self.diagnostics(list)))?;
        let on_device = match options.device.runs_kernels() {
            true => Some(self.store_on_device(options, control)?),
            false => None,
        };
        let mut record = Box::new(Derivations::new());
        record.begin_run();
        control.derive(record);
        let run = match plan.semantics {
            Semantics::Refined => gchr_constraints::exec::run,
            Semantics::Rounds => gchr_constraints::rounds::run,
        };
        let ran = run(&self.rules, &plan, &self.facts, control);
        let record = control.take_derivations();
        let outcome = ran.map_err(|ended| self.stopped_before(ended.error, ended.stats))?;
        let progress = Progress { steps: outcome.stats.firings.unwrap_or(0), bytes: 0, live: 0 };
        let ended = |reason| RunError { reason, rule: None, span: None, progress };
        if let Some((stats, hash)) = on_device {
            let device = stats.device.unwrap_or_default();
            if hash != self.hash_of(&outcome.store) {
                let what = format!("{device} and the processor ended with different stores");
                return Err(self.stopped_before(ended(StopReason::Internal { what }), outcome.stats));
            }
            let (firings, rounds) = (stats.firings.unwrap_or(0), stats.rounds.unwrap_or(0));
            notes.push(format!(
                "{device} ends with the same store, after {firings} firings in {rounds} rounds; the derivation is that of a run \
                 in rounds on the processor"
            ));
        }
        drop(outcome.store);
        if let Some(reason) = missing(record.as_deref()) {
            return Err(self.stopped_before(ended(reason), outcome.stats));
        }
        let mut record = record.unwrap_or_default();
        let given = |cause: Cause, _: usize| self.given(cause);
        let asked =
            Asked { program: &self.rules, sources: &self.sources, given: &given, options: *why, notes };
        asked.explain(&pattern, &mut record, control).map_err(|unexplained| match unexplained {
            Unexplained::Never(found) => refuse(*found),
            Unexplained::Stopped(reason) => self.stopped_before(ended(reason), Stats::default()),
        })
    }

    /// Runs the program on a device: what it did, and the hash of its store.
    fn store_on_device(
        &self,
        options: &CompileOptions,
        control: &mut Control<'_>,
    ) -> Result<(Stats, [u8; 32]), Box<Failure>> {
        let compiled = DeviceRoundsProgram::checked(&self.rules, &self.sources, options);
        let compiled = compiled.map_err(|list| refused(self.diagnostics(list)))?;
        match compiled.run_rules(&self.rules, &self.facts, false, control) {
            Ok(Finished { answer: Answer::Store(store), stats, .. }) => Ok((stats, self.hash_of(&store))),
            Err(Unfinished::Stopped(stopped)) => Err(self.stopped_before(stopped.error, stopped.stats)),
            Err(other) => Err(refused(self.diagnostics(other.diagnostics(&self.rules)))),
            Ok(_) => Err(refused(self.diagnostics(Vec::new()))),
        }
    }

    fn hash_of(&self, store: &Store) -> [u8; 32] {
        let mut hash = Hashed(Sha256::new());
        // A hash takes all that is written to it.
        let _ = store.write_text(&self.rules.signature, &mut hash);
        hash.0.finalize().into()
    }

    fn explain_term(
        &self,
        of: &str,
        options: WhyOptions,
        control: &mut Control<'_>,
    ) -> Result<Explanation, Box<Failure>> {
        let mut sources = (*self.sources).clone();
        let path = Path::read(of, "--of", &mut sources);
        let refuse = |found: Diagnostic| refused(Diagnostics::new(Arc::new(sources), vec![found]));
        let path = match path {
            Ok(path) => path,
            Err(found) => return Err(refuse(*found)),
        };
        let Some(term) = self.term() else {
            let help = "write `input TERM;` in the program, or give --input TERM";
            return Err(refuse(Diagnostic::error("U0106", "no term to rewrite").help(help)));
        };
        let explained = Explanation::of_term(&self.rules, &self.sources, term, &path, options, control);
        explained.map_err(|unexplained| match unexplained {
            TermUnexplained::Refused(found) => refuse(*found),
            TermUnexplained::Stopped(error) => self.stopped_before(*error, Stats::default()),
        })
    }

    /// A run stopped, or the search behind it.
    fn stopped_before(&self, error: RunError, stats: Stats) -> Box<Failure> {
        let diagnostics = self.diagnostics(vec![error.to_diagnostic(&self.rules)]);
        Box::new(Failure { error: Some(error), diagnostics, stats, left: None, elsewhere: None })
    }

    /// Why the logic machine, which runs the program, records no derivations.
    fn has_no_derivations(&self) -> Option<Diagnostic> {
        Some(self.logic.as_ref()?.with_first_reason(no_derivations_of_logic()))
    }

    fn given(&self, cause: Cause) -> Given {
        let goal = |place| a_goal("a goal".into(), place);
        match cause {
            Cause::Goal { query, number } => {
                let Start::Goals(queries) = &self.rules.start else { return goal(None) };
                let goals = queries.get(query as usize).map_or(&[][..], |query| &query.goals);
                let mut adds = goals.iter().filter(|goal| matches!(goal.kind, GoalKind::Add { .. }));
                goal(adds.nth(number as usize).map(|goal| Place::of(&self.sources, goal.span)))
            }
            Cause::Fact { batch, row } if self.facts.len() > 1 => {
                a_fact(format!("row {} of the facts of --facts number {}", row + 1, batch + 1))
            }
            Cause::Fact { row, .. } => a_fact(format!("row {} of the facts", row + 1)),
            Cause::Instance(_) => goal(None),
        }
    }
}

/// What is written becomes a hash.
struct Hashed(Sha256);

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn a_goal(text: String, place: Option<Place>) -> Given {
    Given { kind: "goal", text, place }
}

pub(crate) fn a_fact(text: String) -> Given {
    Given { kind: "fact", text, place: None }
}

/// Programs of the logic machine are not recorded.
pub(crate) fn no_derivations_of_logic() -> Diagnostic {
    let message = "derivations are those of programs over ground stores: the logic machine, which runs this program, \
                   records none";
    Diagnostic::error("U0142", message).help("`gchr run --trace` shows every rule application")
}

/// Why a record has not all of a run that reached its end, if so.
pub(crate) fn missing(record: Option<&Derivations>) -> Option<StopReason> {
    match record {
        Some(record) => record.stopped().cloned(),
        None => Some(StopReason::Internal { what: "the record of derivations was lost".into() }),
    }
}

/// A failure before anything ran.
pub(crate) fn refused(diagnostics: Diagnostics) -> Box<Failure> {
    Box::new(Failure { error: None, diagnostics, stats: Stats::default(), left: None, elsewhere: None })
}

/// The plan of a run whose derivations are recorded, and what is to be said of it.
pub(crate) fn derivable_plan(
    program: &gchr_base::rule::Program,
    options: &CompileOptions,
) -> Result<(ChrPlan, Vec<String>), Vec<Diagnostic>> {
    if options.semantics_of(program) == Semantics::Refined {
        return Ok((compile(program)?, Vec::new()));
    }
    let options = options.firing.plan_options();
    let plan = compile_derivable_rounds(program, options)?;
    let usual = gchr_constraints::plan::compile_rounds(program, options)?;
    let mut names = Vec::new();
    for (rule, verdict) in usual.classes.verdicts.iter_enumerated() {
        if !verdict.is_general() && plan.is_general(rule) {
            names.push(usual.rules[rule].name.clone());
        }
    }
    let note = "replaces values in place; here it fires one instance at a time, so that each value has a derivation: \
                numbers of rounds and ids differ from those of other runs";
    let notes = match names.as_slice() {
        [] => Vec::new(),
        [name] => vec![format!("{name} {note}")],
        names => vec![format!("each of {} {note}", names.join(", "))],
    };
    Ok((plan, notes))
}
