//! Goals of clauses, rules and queries: control constructs are followed, qualifications by modules taken away, `|` is
//! `;`.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::logic::{Functor, LogicTermId};
use gchr_base::source::Span;

use super::determinism;
use super::terms::{Building, Scope};
use crate::ast::{Module, TermId, TermKind};
use crate::calls;

/// Deepest nesting of control constructs in a clause, conjunctions and disjunctions aside.
pub(super) const MAX_DEPTH: usize = 300;

/// Predicates whose goals are followed. Goals of others are terms that may be shown, as those that wait are.
const FOLLOWED: [(&str, usize); 14] = [
    ("->", 2),
    ("*->", 2),
    ("\\+", 1),
    ("not", 1),
    ("call", 1),
    ("once", 1),
    ("ignore", 1),
    ("forall", 2),
    ("findall", 3),
    ("findall", 4),
    ("aggregate_all", 3),
    ("catch", 3),
    ("call_cleanup", 2),
    ("setup_call_cleanup", 3),
];

/// Makes goals of terms; terms of the logic program are added to a table.
pub(super) struct Goals<'a> {
    pub module: &'a Module,
    pub building: Building,
    pub diagnostics: Vec<Diagnostic>,
    /// The predicate whose clause they are of.
    pub of: Option<Functor>,
}

impl<'a> Goals<'a> {
    pub fn new(module: &'a Module, building: Building) -> Self {
        Self { module, building, diagnostics: Vec::new(), of: None }
    }

    /// A term that is no goal.
    pub fn term(&mut self, id: TermId, scope: &mut Scope<'a>) -> LogicTermId {
        self.building.term(self.module, id, scope)
    }

    /// A conjunction of goals; `true` where there are none.
    pub fn all(&mut self, ids: &[TermId], span: Span, scope: &mut Scope<'a>) -> LogicTermId {
        self.conjunction(ids, span, scope, 0)
    }

    /// One goal.
    pub fn goal(&mut self, id: TermId, scope: &mut Scope<'a>, depth: usize) -> LogicTermId {
        let (module, span) = (self.module, self.module.span(id));
        if depth > MAX_DEPTH {
            return self.too_deep(span);
        }
        let (name, args) = match (module.kind(id), module.functor(id)) {
            (TermKind::Var(_), _) => {
                let goal = self.term(id, scope);
                return self.building.compound("call", &[goal], span);
            }
            (_, Some(functor)) => functor,
            _ => return self.term(id, scope),
        };
        match (name, args) {
            (",", [_, _]) => self.conjunction(&module.members(id, ","), span, scope, depth + 1),
            (";" | "|", [_, _]) => self.disjunction(id, scope, depth + 1),
            (":", &[qualifier, goal]) if matches!(module.kind(qualifier), TermKind::Atom(_)) => {
                self.goal(goal, scope, depth + 1)
            }
            _ if FOLLOWED.contains(&(name, args.len())) => {
                let goals: Vec<usize> = calls::goals_of(name, args.len()).collect();
                let args: Vec<_> = args
                    .iter()
                    .enumerate()
                    .map(|(i, &arg)| match goals.contains(&i) {
                        true => self.goal(arg, scope, depth + 1),
                        false => self.term(arg, scope),
                    })
                    .collect();
                self.building.compound(name, &args, span)
            }
            _ => self.term(id, scope),
        }
    }

    fn conjunction(
        &mut self,
        ids: &[TermId],
        span: Span,
        scope: &mut Scope<'a>,
        depth: usize,
    ) -> LogicTermId {
        // From left to right, so that variables are numbered as they occur.
        let mut goals: Vec<_> = ids.iter().map(|&id| self.goal(id, scope, depth)).collect();
        // `$` is a cut, and what follows it must succeed once.
        let mut end = ids.len();
        let is_guard = |&id: &TermId| matches!(self.module.functor(id), Some(("$", [])));
        while let Some(at) = ids[..end].iter().rposition(is_guard) {
            end = at;
            let rest = goals.split_off(at + 1);
            goals[at] = self.building.atom("!", self.module.span(ids[at]));
            if !rest.is_empty() {
                let meta_call = || Functor { name: "<meta-call>".into(), arity: 1 };
                let of = self.of.clone().unwrap_or_else(meta_call);
                let rest = self.joined(",", &rest, span);
                goals.push(determinism::checked(&mut self.building, rest, &of, "guard", scope, span));
            }
        }
        self.joined(",", &goals, span)
    }

    /// Goals joined by a connective that is nested to the right; `true` where there are none.
    pub fn joined(&mut self, connective: &str, goals: &[LogicTermId], span: Span) -> LogicTermId {
        self.building.joined(connective, goals, span)
    }

    fn disjunction(&mut self, id: TermId, scope: &mut Scope<'a>, depth: usize) -> LogicTermId {
        let (mut alternatives, mut rest) = (Vec::new(), id);
        while let Some((left, right)) =
            self.module.binary(rest, ";").or_else(|| self.module.binary(rest, "|"))
        {
            alternatives.push(self.goal(left, scope, depth));
            rest = right;
        }
        alternatives.push(self.goal(rest, scope, depth));
        self.joined(";", &alternatives, self.module.span(id))
    }

    /// Reports a goal that is nested too deep.
    pub fn too_deep(&mut self, span: Span) -> LogicTermId {
        self.diagnostics.push(
            Diagnostic::error("C0315", "this goal is nested too deep")
                .label(span, format!("more than {MAX_DEPTH} levels"))
                .help("define a predicate for the inner goals"),
        );
        self.building.atom("fail", span)
    }
}
