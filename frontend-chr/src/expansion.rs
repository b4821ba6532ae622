//! Terms that clauses of the text change while it is read: `term_expansion/2` and `goal_expansion/2`. The logic machine
//! runs them, which has the clauses that were read before; conditions of `:- if(Goal)` are decided by it as well.

mod terms;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::logic::{Evaluator, Goal, LogicProgram, LogicTermId, ReadTerm, Unsolved};
use gchr_base::source::Span;

use crate::ast::{Clause, ClauseKind, Module, Term, TermId, TermKind, without_module};
use crate::calls;
use crate::clause::defined;
use crate::directives::{self, Directive, Property};
use crate::flags::Quotes;
use crate::logic::{Builder, Building, Scope};

/// The variable of a query that stands for what is asked; no variable of a text has this name.
const RESULT: &str = "result";

/// The clauses of a text that its evaluator has, and what they change.
pub(crate) struct Expansion<'e> {
    evaluator: Option<&'e mut dyn Evaluator>,
    /// Whether the evaluator has anything of this text.
    begun: bool,
    /// Whether there are clauses that change terms or goals.
    has_hooks: bool,
    /// How many clauses of the text the evaluator has seen.
    seen: usize,
    /// Directives that ran already: what they changed is taken over at the end.
    run: Vec<usize>,
}

impl<'e> Expansion<'e> {
    /// Without an evaluator nothing is changed.
    pub fn new(evaluator: Option<&'e mut dyn Evaluator>) -> Self {
        Self { evaluator, begun: false, has_hooks: false, seen: 0, run: Vec::new() }
    }

    /// Whether terms are to be expanded.
    pub fn is_active(&self) -> bool {
        self.has_hooks && self.evaluator.is_some()
    }

    /// Looks at a clause of a text of `home`: its own hooks get the name of the module, which is not `user`.
    pub fn clause(&mut self, module: &mut Module, kind: ClauseKind, home: Option<&str>) -> ClauseKind {
        if self.evaluator.is_none() {
            return kind;
        }
        match kind {
            ClauseKind::Prolog(clause) if is_hook(module, clause) => {
                self.has_hooks = true;
                ClauseKind::Prolog(of_module(module, clause, home))
            }
            ClauseKind::Directive(directive) => {
                self.has_hooks |= module.members(directive, ",").into_iter().any(|goal| {
                    let goal = without_module(module, goal);
                    let added = matches!(module.functor(goal), Some(("assert" | "asserta" | "assertz", [_])));
                    added && module.functor(goal).is_some_and(|(_, args)| is_hook(module, args[0]))
                });
                kind
            }
            _ => kind,
        }
    }

    /// What a term of a text of `home` becomes; `None` where it stays as it is.
    pub fn expand(
        &mut self,
        module: &mut Module,
        quotes: Quotes,
        term: TermId,
        home: Option<&str>,
    ) -> Result<Option<Vec<TermId>>, Box<Diagnostic>> {
        let span = module.span(term);
        let caught_up = self.catch_up(module, quotes);
        caught_up.map_err(|unsolved| self.refused(&unsolved, span))?;
        let found = self.solve(module, term, |building, scope, term| {
            let modules =
                home.into_iter().chain(["user"]).map(|name| building.atom(name, span)).collect::<Vec<_>>();
            let modules = building.list(&modules, span);
            let names = building.variable_names(scope, span);
            let result = building.named(RESULT, scope, span);
            building.compound("$expand", &[modules, names, term, result], span)
        });
        let Some(found) = found.map_err(|unsolved| self.refused(&unsolved, span))? else { return Ok(None) };
        match found.term.and_then(|term| found.terms.functor(term)) {
            Some(("terms", &[list])) => {
                let is_query = matches!(module.functor(term), Some(("?-", _)));
                terms::of_list(&found, list, &mut module.terms, span, is_query).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether the condition of a directive holds; `None` where no goals run.
    pub fn decide(
        &mut self,
        module: &mut Module,
        quotes: Quotes,
        goal: TermId,
    ) -> Option<Result<bool, Diagnostic>> {
        self.evaluator.as_ref()?;
        let span = module.span(goal);
        let found = self.catch_up(module, quotes).and_then(|()| {
            self.solve(module, goal, |building, scope, goal| {
                let result = building.named(RESULT, scope, span);
                let truth = building.atom("true", span);
                let bound = building.compound("=", &[result, truth], span);
                building.compound(",", &[goal, bound], span)
            })
        });
        Some(found.map(|found| found.is_some()).map_err(|unsolved| {
            Diagnostic::error("C0113", "this condition cannot be decided here")
                .label(span, "not one of the known tests, and it cannot run")
                .note(unsolved.message)
                .help("keep the branch that is meant, and remove the condition")
        }))
    }

    /// Takes over what goals changed among the clauses of the text.
    pub fn finish(
        &mut self,
        module: &mut Module,
        quotes: Quotes,
        scope_of: &mut Vec<usize>,
    ) -> Option<Box<Diagnostic>> {
        if !self.begun || self.evaluator.is_none() {
            return None;
        }
        self.changes(module, quotes, scope_of).err()
    }

    fn changes(
        &mut self,
        module: &mut Module,
        quotes: Quotes,
        scope_of: &mut Vec<usize>,
    ) -> Result<(), Box<Diagnostic>> {
        let Some(span) = module.clauses.first().map(|clause| clause.span) else { return Ok(()) };
        let caught_up = self.catch_up(module, quotes);
        caught_up.map_err(|unsolved| self.refused(&unsolved, span))?;
        let nothing = module.terms.push(Term { kind: TermKind::Atom("[]".into()), span });
        let found = self.solve(module, nothing, |building, scope, _| {
            let result = building.named(RESULT, scope, span);
            building.compound("$predicates_changed", &[result], span)
        });
        let Some(found) = found.map_err(|unsolved| self.refused(&unsolved, span))? else { return Ok(()) };
        let changed = terms::changed(&found, &mut module.terms, span)?;
        let is_old = |module: &Module, at: usize, clause: &Clause| match clause.kind {
            ClauseKind::Prolog(term) => defined(module, term)
                .is_some_and(|key| changed.iter().any(|other| other.name == key.0 && other.arity == key.1)),
            _ => self.run.contains(&at),
        };
        let old: Vec<bool> = module.clauses.iter().enumerate().map(|(at, c)| is_old(module, at, c)).collect();
        let mut is_kept = old.iter().map(|old| !old);
        module.clauses.retain(|_| is_kept.next().unwrap_or(true));
        let mut is_kept = old.iter().map(|old| !old);
        scope_of.retain(|_| is_kept.next().unwrap_or(true));
        for terms::Changed { name, arity, clauses } in changed {
            let kinds = match clauses.is_empty() {
                true => vec![ClauseKind::Directive(terms::dynamic(&mut module.terms, name, arity, span))],
                false => clauses.into_iter().map(ClauseKind::Prolog).collect(),
            };
            scope_of.extend(kinds.iter().map(|_| 0));
            module.clauses.extend(kinds.into_iter().map(|kind| Clause { kind, span }));
        }
        Ok(())
    }

    /// Gives the evaluator the clauses that were read since it was asked last.
    fn catch_up(&mut self, module: &mut Module, quotes: Quotes) -> Result<(), Unsolved> {
        let Some(evaluator) = &mut self.evaluator else { return Ok(()) };
        if !self.begun {
            self.begun = true;
            evaluator.begin();
            evaluator.consult(&callers())?;
        }
        let first = self.seen;
        self.seen = module.clauses.len();
        let mut clauses = Vec::new();
        for (at, clause) in module.clauses.iter().enumerate().skip(first) {
            match clause.kind {
                ClauseKind::Prolog(_) => clauses.push(clause.clone()),
                ClauseKind::Directive(directive) if let Some(use_) = directive_use(module, directive) => {
                    clauses.push(clause.clone());
                    self.run.extend((use_ == Use::Database).then_some(at));
                }
                _ => {}
            }
        }
        if clauses.is_empty() {
            return Ok(());
        }
        let (terms, operators) = (std::mem::take(&mut module.terms), module.operators.clone());
        let part = Module { terms, clauses, operators, ..Module::default() };
        // What is wrong with them is found again in the whole program.
        let (program, _) = Builder::new(&part, quotes).finish();
        module.terms = part.terms;
        evaluator.consult(&program)
    }

    /// The value of [`RESULT`] in the goal that `goal` makes of a term.
    fn solve(
        &mut self,
        module: &Module,
        term: TermId,
        goal: impl FnOnce(&mut Building, &mut Scope<'_>, LogicTermId) -> LogicTermId,
    ) -> Result<Option<ReadTerm>, Unsolved> {
        let Some(evaluator) = &mut self.evaluator else { return Ok(None) };
        let (mut building, mut scope) = (Building::default(), Scope::default());
        let span = module.span(term);
        let known = building.term(module, term, &mut scope);
        let goal = goal(&mut building, &mut scope, known);
        let query = Goal { goal, variables: scope.variables, span };
        let program = LogicProgram { terms: building.terms, queries: vec![query], ..LogicProgram::default() };
        evaluator.solve(&program, RESULT)
    }

    /// What is wrong where a goal had no answer; nothing is expanded any more where it was stopped.
    fn refused(&mut self, unsolved: &Unsolved, span: Span) -> Box<Diagnostic> {
        let what = &unsolved.message;
        let found = if unsolved.stopped {
            self.evaluator = None;
            Diagnostic::error("C0320", format!("reading this needs goals that were stopped: {what}"))
                .label(span, "read so far")
                .help("expansions and conditions run while the text is read: they must end")
        } else {
            Diagnostic::error("C0318", format!("an expansion of this term raised an error: {what}"))
                .label(span, "this is left out")
                .help("let term_expansion and goal_expansion fail for terms that they do not change")
        };
        let place = unsolved.place.filter(|place| *place != span && place.end > place.start);
        Box::new(match place {
            Some(place) => found.label(place, "raised here"),
            None => found,
        })
    }
}

/// What a directive is to the evaluator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It says something of predicates, or sets global variables.
    Setting,
    /// It changes clauses.
    Database,
}

/// What a directive is to the evaluator; `None` for one that runs only when the program does.
fn directive_use(module: &Module, directive: TermId) -> Option<Use> {
    let uses = module.members(directive, ",").into_iter().map(|goal| {
        if let Some((directive, _)) = directives::of(module, goal) {
            let of_clauses =
                matches!(directive, Directive::Predicates(Property::Dynamic | Property::Scattered));
            return of_clauses.then_some(Use::Setting);
        }
        let (name, args) = module.functor(without_module(module, goal))?;
        match (name, args.len()) {
            ("assert" | "asserta" | "assertz" | "retract" | "retractall", 1) => Some(Use::Database),
            ("nb_setval" | "b_setval", 2) => Some(Use::Setting),
            _ => None,
        }
    });
    let uses: Option<Vec<Use>> = uses.collect();
    let uses = uses?;
    let first = *uses.first()?;
    uses.iter().all(|other| *other == first).then_some(first)
}

/// Whether a clause changes terms or goals.
fn is_hook(module: &Module, clause: TermId) -> bool {
    matches!(defined(module, clause), Some((name, 2 | 4)) if name == "term_expansion" || name == "goal_expansion")
}

/// A clause of a hook with the name that it has in its module.
fn of_module(module: &mut Module, clause: TermId, home: Option<&str>) -> TermId {
    let (head, body) = match module.binary(clause, ":-") {
        Some((head, body)) => (head, Some(body)),
        None => (clause, None),
    };
    let qualifier = module.binary(head, ":").and_then(|(qualifier, _)| module.functor(qualifier));
    let owner =
        qualifier.map_or(home, |(name, _)| Some(name)).filter(|name| !matches!(*name, "user" | "system"));
    let Some(owner) = owner else { return clause };
    let head = without_module(module, head);
    let TermKind::Compound { name, args } = module.kind(head) else { return clause };
    let kind = TermKind::Compound { name: format!("{owner}:{name}"), args: args.clone() };
    let span = module.span(clause);
    let head = module.terms.push(Term { kind, span: module.span(head) });
    match body {
        Some(body) => module
            .terms
            .push(Term { kind: TermKind::Compound { name: ":-".into(), args: vec![head, body] }, span }),
        None => head,
    }
}

/// Which predicates call arguments of theirs, as facts `'$goals_in'(Name, Arity, [At-More])`.
fn callers() -> LogicProgram {
    let span = Span::new(gchr_base::source::SourceId(0), 0, 0);
    let mut building = Building::default();
    let number = |building: &mut Building, n: usize| {
        building.terms.push(gchr_base::logic::LogicNode::Int(i64::try_from(n).unwrap_or(0)), span)
    };
    let mut clauses = Vec::new();
    for (name, arity, places) in calls::callers() {
        let places: Vec<_> = places
            .into_iter()
            .map(|(at, more)| {
                let pair = [number(&mut building, at), number(&mut building, more)];
                building.compound("-", &pair, span)
            })
            .collect();
        let args = [building.atom(name, span), number(&mut building, arity), building.list(&places, span)];
        let head = building.compound("$goals_in", &args, span);
        let body = building.atom("true", span);
        clauses.push(gchr_base::logic::Clause { head, body, variables: Vec::new(), span });
    }
    LogicProgram { terms: building.terms, clauses, ..LogicProgram::default() }
}
