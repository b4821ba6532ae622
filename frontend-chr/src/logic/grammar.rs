//! Rules of grammars (`-->`) as clauses, as SWI-Prolog translates them: two more arguments are the text before and
//! behind.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::logic::{LogicNode, LogicTermId};
use gchr_base::source::Span;

use super::goals::{Goals, MAX_DEPTH};
use super::terms::Scope;
use crate::ast::{TermId, TermKind, without_module};

/// The text that a part of a rule begins at, and the one behind it.
type Ends = (LogicTermId, LogicTermId);

impl<'a> Goals<'a> {
    /// Head and body of the clause that `head --> body` stands for.
    pub fn grammar_rule(
        &mut self,
        head: TermId,
        body: TermId,
        scope: &mut Scope<'a>,
    ) -> Option<(LogicTermId, LogicTermId)> {
        let span = self.module.span(head);
        let (head, pushback) = match self.module.binary(head, ",") {
            Some((head, pushback)) => (head, Some(pushback)),
            None => (head, None),
        };
        let head = without_module(self.module, head);
        if self.module.functor(head).is_none() {
            self.diagnostics.push(
                Diagnostic::error("C0316", "this is no head of a rule of a grammar")
                    .label(span, "neither an atom nor a compound term")
                    .help("write name(Arguments) --> Body"),
            );
            return None;
        }
        let (first, last) = (self.fresh(span, scope), self.fresh(span, scope));
        let head = self.nonterminal(head, (first, last), scope);
        let Some(pushback) = pushback else {
            let body = self.phrase(body, (first, last), scope, 0);
            return Some((head, body));
        };
        let middle = self.fresh(span, scope);
        let body = self.phrase(body, (first, middle), scope, 0);
        let back = self.phrase(pushback, (last, middle), scope, 0);
        Some((head, self.joined(",", &[body, back], span)))
    }

    fn fresh(&mut self, span: Span, scope: &mut Scope<'a>) -> LogicTermId {
        self.building.fresh(scope, span)
    }

    /// A nonterminal with its two arguments more.
    fn nonterminal(&mut self, id: TermId, (from, to): Ends, scope: &mut Scope<'a>) -> LogicTermId {
        let span = self.module.span(id);
        let (name, args) = self.module.functor(id).unwrap_or(("phrase", std::slice::from_ref(&id)));
        let mut args: Vec<_> = args.iter().map(|&arg| self.term(arg, scope)).collect();
        args.extend([from, to]);
        let name = name.to_string();
        self.building.compound(&name, &args, span)
    }

    fn unify(&mut self, left: LogicTermId, right: LogicTermId, span: Span) -> LogicTermId {
        self.building.compound("=", &[left, right], span)
    }

    /// The goal for a part of a body.
    fn phrase(&mut self, id: TermId, ends: Ends, scope: &mut Scope<'a>, depth: usize) -> LogicTermId {
        let (module, span, (from, to)) = (self.module, self.module.span(id), ends);
        if depth > MAX_DEPTH {
            return self.too_deep(span);
        }
        match (module.kind(id), module.functor(id)) {
            (TermKind::Str(text), _) => {
                let text: Vec<_> = text.chars().map(|c| LogicNode::Int(i64::from(u32::from(c)))).collect();
                let codes: Vec<_> =
                    text.into_iter().map(|node| self.building.terms.push(node, span)).collect();
                self.terminals(&codes, ends, span)
            }
            (TermKind::List { items, tail: None }, _) => {
                let items: Vec<_> = items.iter().map(|&item| self.term(item, scope)).collect();
                self.terminals(&items, ends, span)
            }
            (_, Some(("[]", []))) => self.unify(from, to, span),
            (_, Some((",", [_, _]))) => {
                let parts = module.members(id, ",");
                let mut goals = Vec::with_capacity(parts.len());
                let mut at = from;
                for (i, &part) in parts.iter().enumerate() {
                    let next = if i + 1 == parts.len() { to } else { self.fresh(span, scope) };
                    goals.push(self.phrase(part, (at, next), scope, depth + 1));
                    at = next;
                }
                self.joined(",", &goals, span)
            }
            (_, Some((";" | "|", &[left, right]))) => {
                let left = self.phrase(left, ends, scope, depth + 1);
                let right = self.phrase(right, ends, scope, depth + 1);
                self.building.compound(";", &[left, right], span)
            }
            (_, Some((arrow @ ("->" | "*->"), &[left, right]))) => {
                let middle = self.fresh(span, scope);
                let left = self.phrase(left, (from, middle), scope, depth + 1);
                let right = self.phrase(right, (middle, to), scope, depth + 1);
                self.building.compound(arrow, &[left, right], span)
            }
            (_, Some(("\\+", &[inner]))) => {
                let behind = self.fresh(span, scope);
                let inner = self.phrase(inner, (from, behind), scope, depth + 1);
                let not = self.building.compound("\\+", &[inner], span);
                let same = self.unify(from, to, span);
                self.joined(",", &[not, same], span)
            }
            (_, Some(("!", []))) => {
                let cut = self.building.atom("!", span);
                let same = self.unify(from, to, span);
                self.joined(",", &[cut, same], span)
            }
            (_, Some(("{}", []))) => self.unify(from, to, span),
            (_, Some(("{}", &[goal]))) => {
                let goal = self.goal(goal, scope, depth + 1);
                let same = self.unify(from, to, span);
                self.joined(",", &[goal, same], span)
            }
            (_, Some((":", &[_, inner]))) => self.phrase(inner, ends, scope, depth + 1),
            // A variable is a body that is known when the rule is used.
            _ => self.nonterminal(id, ends, scope),
        }
    }

    /// Items that the text begins with.
    fn terminals(&mut self, items: &[LogicTermId], (from, to): Ends, span: Span) -> LogicTermId {
        let list = items.iter().rev().fold(to, |rest, &item| self.building.terms.cons(item, rest, span));
        self.unify(from, list, span)
    }
}
