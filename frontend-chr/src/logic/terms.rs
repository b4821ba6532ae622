//! Terms of the syntax tree as terms of the logic machine.

use std::sync::Arc;

use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::logic::{CONS, LogicNode, LogicTermId, Terms, VarId, Variable};
use gchr_base::source::Span;

use crate::ast::{Module, TermId, TermKind};

/// A table of terms that grows, each name in it once.
#[derive(Default)]
pub(crate) struct Building {
    pub terms: Terms,
    names: HashMap<Box<str>, Arc<str>>,
}

/// The variables of a clause.
#[derive(Default)]
pub(crate) struct Scope<'a> {
    pub variables: Vec<Variable>,
    named: HashMap<&'a str, VarId>,
}

impl<'a> Scope<'a> {
    /// The variable of a name, which occurs once more.
    fn variable(&mut self, name: &'a str, text: Arc<str>) -> VarId {
        let next = VarId::from_index(self.variables.len());
        let id = if name == "_" { next } else { *self.named.entry(name).or_insert(next) };
        if id == next {
            self.variables.push(Variable { name: (name != "_").then_some(text), occurrences: 0 });
        }
        self.variables[id.index()].occurrences += 1;
        id
    }

    /// The variable of a name, without another occurrence; `None` where the name is not known.
    pub fn known(&self, name: &str) -> Option<VarId> {
        self.named.get(name).copied()
    }

    /// A variable that the text does not name.
    pub fn fresh(&mut self) -> VarId {
        let id = VarId::from_index(self.variables.len());
        self.variables.push(Variable { name: None, occurrences: 1 });
        id
    }
}

/// One step of building a term bottom-up without recursion.
enum Step {
    Visit(TermId),
    Build(TermId),
}

impl Building {
    /// A name, shared with all equal ones.
    pub fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.names.get(text) {
            return known.clone();
        }
        let name: Arc<str> = text.into();
        self.names.insert(text.into(), name.clone());
        name
    }

    /// An atom; `[]` is what ends lists.
    pub fn atom(&mut self, text: &str, span: Span) -> LogicTermId {
        let node = if text == "[]" { LogicNode::Nil } else { LogicNode::Atom(self.name(text)) };
        self.terms.push(node, span)
    }

    /// A compound term.
    pub fn compound(&mut self, name: &str, args: &[LogicTermId], span: Span) -> LogicTermId {
        let name = self.name(name);
        self.terms.push(LogicNode::Compound { name, args: args.into() }, span)
    }

    /// A goal: an atom where it has no arguments.
    pub fn call(&mut self, name: &str, args: &[LogicTermId], span: Span) -> LogicTermId {
        match args.is_empty() {
            true => self.atom(name, span),
            false => self.compound(name, args, span),
        }
    }

    /// A variable that the text does not name.
    pub fn fresh(&mut self, scope: &mut Scope<'_>, span: Span) -> LogicTermId {
        self.terms.push(LogicNode::Var(scope.fresh()), span)
    }

    /// A variable of a name that no variable of the text has.
    pub fn named(&mut self, name: &str, scope: &mut Scope<'_>, span: Span) -> LogicTermId {
        let variable = scope.fresh();
        scope.variables[variable.index()].name = Some(self.name(name));
        self.terms.push(LogicNode::Var(variable), span)
    }

    /// The variables of a text that have names, as a list of `Name = Variable`.
    pub fn variable_names(&mut self, scope: &Scope<'_>, span: Span) -> LogicTermId {
        let mut pairs = Vec::new();
        for (i, variable) in scope.variables.iter().enumerate() {
            let Some(name) = &variable.name else { continue };
            let pair = [
                self.terms.push(LogicNode::Atom(name.clone()), span),
                self.terms.push(LogicNode::Var(VarId::from_index(i)), span),
            ];
            pairs.push(self.compound("=", &pair, span));
        }
        self.list(&pairs, span)
    }

    /// So many of them.
    pub fn fresh_args(&mut self, count: usize, scope: &mut Scope<'_>, span: Span) -> Vec<LogicTermId> {
        (0..count).map(|_| self.fresh(scope, span)).collect()
    }

    /// A list.
    pub fn list(&mut self, items: &[LogicTermId], span: Span) -> LogicTermId {
        let nil = self.terms.push(LogicNode::Nil, span);
        items.iter().rev().fold(nil, |rest, &item| self.compound(CONS, &[item, rest], span))
    }

    /// Goals joined by a connective that is nested to the right; `true` where there are none.
    pub fn joined(&mut self, connective: &str, goals: &[LogicTermId], span: Span) -> LogicTermId {
        let Some((&last, init)) = goals.split_last() else { return self.atom("true", span) };
        init.iter().rev().fold(last, |rest, &goal| {
            let span = self.terms.span(goal).to(self.terms.span(rest));
            self.compound(connective, &[goal, rest], span)
        })
    }

    /// A term of the syntax tree.
    pub fn term<'a>(&mut self, module: &'a Module, id: TermId, scope: &mut Scope<'a>) -> LogicTermId {
        let (mut steps, mut done) = (vec![Step::Visit(id)], Vec::new());
        while let Some(step) = steps.pop() {
            let id = match step {
                Step::Build(id) => {
                    self.build(module, id, &mut done);
                    continue;
                }
                Step::Visit(id) => id,
            };
            let span = module.span(id);
            let node = match module.kind(id) {
                TermKind::Compound { args, .. } => {
                    steps.push(Step::Build(id));
                    steps.extend(args.iter().rev().map(|&a| Step::Visit(a)));
                    continue;
                }
                TermKind::List { items, tail } => {
                    steps.push(Step::Build(id));
                    steps.extend(tail.iter().chain(items.iter().rev()).map(|&a| Step::Visit(a)));
                    continue;
                }
                TermKind::Var(name) => {
                    let text = self.name(name);
                    LogicNode::Var(scope.variable(name, text))
                }
                TermKind::Int(n) => LogicNode::Int(*n),
                TermKind::Big(n) => LogicNode::Big(n.clone()),
                TermKind::Rational(n) => LogicNode::Rational(n.clone()),
                TermKind::Float(x) => LogicNode::Float(*x),
                TermKind::Str(text) => LogicNode::Str(self.name(text)),
                TermKind::Atom(name) if name == "[]" => LogicNode::Nil,
                TermKind::Atom(name) => LogicNode::Atom(self.name(name)),
            };
            done.push(self.terms.push(node, span));
        }
        done[0]
    }

    /// Replaces the parts of a term, the last ones of `done`, by the term.
    fn build(&mut self, module: &Module, id: TermId, done: &mut Vec<LogicTermId>) {
        let span = module.span(id);
        match module.kind(id) {
            TermKind::Compound { name, args } => {
                let args = done.split_off(done.len() - args.len());
                let term = self.compound(name, &args, span);
                done.push(term);
            }
            TermKind::List { items, tail } => {
                let mut list = match tail.and_then(|_| done.pop()) {
                    Some(tail) => tail,
                    None => self.terms.push(LogicNode::Nil, span),
                };
                for _ in items {
                    let Some(item) = done.pop() else { break };
                    list = self.compound(CONS, &[item, list], span);
                }
                done.push(list);
            }
            _ => {}
        }
    }
}
