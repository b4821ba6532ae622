//! Conditional compilation: `:- if(Goal)`, `elif`, `else`, `endif`.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::Span;

use crate::ast::{Module, TermId, TermKind};
use crate::builtin;

/// The conditions that are open, outermost first.
#[derive(Default)]
pub(super) struct Conditions(Vec<Condition>);

/// Runs the goal of a condition; `None` where no goals are run.
pub(super) type Decide<'a> = &'a mut dyn FnMut(&mut Module, TermId) -> Option<Result<bool, Diagnostic>>;

struct Condition {
    span: Span,
    /// Whether the clauses that follow count: no branch of it holds where nothing around it counts.
    holds: bool,
    /// Whether one of its branches held, or none may.
    held: bool,
}

impl Conditions {
    /// Whether what is read counts.
    pub fn hold(&self) -> bool {
        self.0.last().is_none_or(|condition| condition.holds)
    }

    /// How many conditions are open.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Takes a directive that is about conditions; `None` for every other one. `decide` runs goals that are not known.
    pub fn directive(
        &mut self,
        module: &mut Module,
        directive: TermId,
        decide: Decide<'_>,
    ) -> Option<Result<(), Diagnostic>> {
        let span = module.span(directive);
        let (name, args) = module.functor(directive)?;
        let (name, args) = (name.to_string(), args.to_vec());
        let mut holds = |goal| {
            holds(module, goal, DEPTH).or_else(|unknown| match decide(module, goal) {
                Some(decided) => decided,
                None => Err(unknown),
            })
        };
        match (&*name, &*args) {
            ("if", &[goal]) => {
                // Where nothing counts, a condition need not be decidable.
                let found = if self.hold() { holds(goal) } else { Ok(false) };
                let holds = *found.as_ref().unwrap_or(&false);
                self.0.push(Condition { span, holds, held: holds || !self.hold() });
                Some(found.map(drop))
            }
            ("elif", &[goal]) => Some(self.branch(span, |held| if held { Ok(false) } else { holds(goal) })),
            ("else", []) => Some(self.branch(span, |held| Ok(!held))),
            ("endif", []) => Some(self.0.pop().map(drop).ok_or_else(|| stray(span))),
            _ => None,
        }
    }

    fn branch(
        &mut self,
        span: Span,
        holds: impl FnOnce(bool) -> Result<bool, Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let condition = self.0.last_mut().ok_or_else(|| stray(span))?;
        let found = holds(condition.held);
        condition.holds = *found.as_ref().unwrap_or(&false);
        condition.held |= condition.holds;
        found.map(drop)
    }

    /// A text ends that began with so many open conditions.
    pub fn close(&mut self, depth: usize) -> Option<Diagnostic> {
        let open = self.0.get(depth)?.span;
        self.0.truncate(depth);
        let diagnostic = Diagnostic::error("C0113", "this condition has no end");
        Some(diagnostic.label(open, "opened here").help("end it with :- endif."))
    }
}

fn stray(span: Span) -> Diagnostic {
    Diagnostic::error("C0113", "no condition is open here")
        .label(span, "without :- if(Goal)")
        .help("remove it, or write :- if(Goal) before")
}

/// Deepest nesting of a condition.
const DEPTH: usize = 100;

/// Whether a condition holds, where that is known without running anything.
fn holds(module: &Module, goal: TermId, depth: usize) -> Result<bool, Diagnostic> {
    let unknown = || {
        Diagnostic::error("C0113", "this condition cannot be decided here")
            .label(module.span(goal), "not one of the known tests")
            .note("known are true, fail, negation, `,`, `;`, current_prolog_flag/2, exists_source/1 and current_predicate/1")
            .help("keep the branch that is meant, and remove the condition")
    };
    let Some(depth) = depth.checked_sub(1) else { return Err(unknown()) };
    let Some((name, args)) = module.functor(goal) else { return Err(unknown()) };
    let holds = |goal| holds(module, goal, depth);
    match (name, args) {
        ("true" | "otherwise", []) => Ok(true),
        ("fail" | "false", []) => Ok(false),
        ("\\+" | "not", &[inner]) => Ok(!holds(inner)?),
        (",", &[left, right]) => Ok(holds(left)? && holds(right)?),
        (";" | "|", &[left, right]) => Ok(holds(left)? || holds(right)?),
        ("catch", &[inner, _, _]) | ("once" | "ignore", &[inner]) => holds(inner),
        (":", &[_, inner]) => holds(inner),
        ("current_prolog_flag", &[flag, value]) => match (module.functor(flag), module.functor(value)) {
            (Some(("bounded", [])), Some((value, []))) => Ok(value == "false"),
            (Some(("dialect", [])), Some((value, []))) => Ok(value == "swi"),
            (Some(_), Some(_)) => Ok(false),
            _ => Err(unknown()),
        },
        ("exists_source", &[source]) | ("catch_use_module", &[source]) => {
            let library = match module.functor(source) {
                Some(("library", &[library])) => module.functor(library).map(|(name, _)| name),
                _ => None,
            };
            Ok(library.is_some_and(crate::libraries::is_known))
        }
        ("current_predicate" | "predicate_property", &[spec, ..]) => match predicate(module, spec) {
            Some((name, arity)) => Ok(builtin::is_goal(name, arity) || builtin::is_predicate(name, arity)),
            None => Err(unknown()),
        },
        _ => Err(unknown()),
    }
}

/// `name/arity`, or a head.
fn predicate(module: &Module, spec: TermId) -> Option<(&str, usize)> {
    match module.functor(spec)? {
        ("/", &[name, arity]) => match (module.functor(name)?, module.kind(arity)) {
            ((name, []), TermKind::Int(arity)) => Some((name, usize::try_from(*arity).ok()?)),
            _ => None,
        },
        (":", &[_, inner]) => predicate(module, inner),
        (name, args) => Some((name, args.len())),
    }
}
