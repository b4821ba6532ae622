//! Terms of the logic machine as terms of the syntax tree.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::IdVec;
use gchr_base::logic::{CONS, LogicNode, LogicTermId, ReadTerm};
use gchr_base::source::Span;

use crate::ast::{Term, TermId, TermKind};

type Table = IdVec<TermId, Term>;

/// Most parts of the terms that one term becomes: parts that the machine shares are written out.
const MAX_PARTS: usize = 10_000_000;

/// The terms of a list; of a clause, what occurs once is an anonymous variable, unless it is one of a query.
pub(super) fn of_list(
    read: &ReadTerm,
    list: LogicTermId,
    table: &mut Table,
    span: Span,
    is_query: bool,
) -> Result<Vec<TermId>, Box<Diagnostic>> {
    let mut copying = Copying { read, table, span, left: MAX_PARTS, variables: Vec::new() };
    let (items, _) = chain(read, list);
    items.into_iter().map(|item| copying.clause(item, is_query)).collect()
}

/// A predicate that goals changed, with the clauses that it has now.
pub(super) struct Changed {
    pub name: String,
    pub arity: usize,
    pub clauses: Vec<TermId>,
}

/// The predicates of a list of `p(Name, Arity, Clauses)`.
pub(super) fn changed(
    read: &ReadTerm,
    table: &mut Table,
    span: Span,
) -> Result<Vec<Changed>, Box<Diagnostic>> {
    let Some(list) = read.term else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for item in chain(read, list).0 {
        let Some(("p", &[name, arity, clauses])) = read.terms.functor(item) else { continue };
        let (Some((name, [])), LogicNode::Int(arity)) = (read.terms.functor(name), read.terms.node(arity))
        else {
            continue;
        };
        let arity = usize::try_from(*arity).unwrap_or(0);
        let clauses = of_list(read, clauses, table, span, false)?;
        found.push(Changed { name: name.to_string(), arity, clauses });
    }
    Ok(found)
}

/// The directive `dynamic(name/arity)`.
pub(super) fn dynamic(table: &mut Table, name: String, arity: usize, span: Span) -> TermId {
    let mut push = |kind| table.push(Term { kind, span });
    let arity = i64::try_from(arity).unwrap_or(0);
    let args = vec![push(TermKind::Atom(name)), push(TermKind::Int(arity))];
    let indicator = push(TermKind::Compound { name: "/".into(), args });
    push(TermKind::Compound { name: "dynamic".into(), args: vec![indicator] })
}

/// The items of a list, and what it ends with.
fn chain(read: &ReadTerm, mut list: LogicTermId) -> (Vec<LogicTermId>, LogicTermId) {
    let mut items = Vec::new();
    while let Some((head, tail)) = read.terms.binary(list, CONS) {
        items.push(head);
        list = tail;
    }
    (items, list)
}

struct Copying<'a> {
    read: &'a ReadTerm,
    table: &'a mut Table,
    span: Span,
    /// How many parts may still be made.
    left: usize,
    /// The variables of the term that is being copied.
    variables: Vec<TermId>,
}

enum Step {
    Visit(LogicTermId),
    Compound(LogicTermId, usize),
    List(usize, bool),
}

impl Copying<'_> {
    fn clause(&mut self, term: LogicTermId, is_query: bool) -> Result<TermId, Box<Diagnostic>> {
        self.variables.clear();
        let copy = self.term(term)?;
        if !is_query {
            let name = |table: &Table, id: TermId| match &table[id].kind {
                TermKind::Var(name) => name.clone(),
                _ => String::new(),
            };
            let mut named: Vec<(String, TermId)> =
                self.variables.iter().map(|&id| (name(self.table, id), id)).collect();
            named.sort();
            for group in named.chunk_by(|a, b| a.0 == b.0) {
                if let [(_, id)] = group {
                    self.table[*id].kind = TermKind::Var("_".into());
                }
            }
        }
        Ok(copy)
    }

    fn term(&mut self, term: LogicTermId) -> Result<TermId, Box<Diagnostic>> {
        let (mut steps, mut done) = (vec![Step::Visit(term)], Vec::new());
        while let Some(step) = steps.pop() {
            let kind = match step {
                Step::Visit(id) => {
                    let Some(left) = self.left.checked_sub(1) else { return Err(self.too_large()) };
                    self.left = left;
                    match self.visit(id, &mut steps) {
                        Some(kind) => kind,
                        None => continue,
                    }
                }
                Step::Compound(id, n) => {
                    let args = done.split_off(done.len() - n);
                    let name = self.read.terms.functor(id).map_or("", |(name, _)| name).to_string();
                    TermKind::Compound { name, args }
                }
                Step::List(n, has_tail) => {
                    let tail = if has_tail { done.pop() } else { None };
                    TermKind::List { items: done.split_off(done.len() - n), tail }
                }
            };
            let is_variable = matches!(kind, TermKind::Var(_));
            let made = self.table.push(Term { kind, span: self.span });
            self.variables.extend(is_variable.then_some(made));
            done.push(made);
        }
        Ok(done[0])
    }

    /// A term without parts; of one that has some, the steps that copy it.
    fn visit(&self, id: LogicTermId, steps: &mut Vec<Step>) -> Option<TermKind> {
        Some(match self.read.terms.node(id) {
            LogicNode::Var(v) => {
                let name = self.read.variables.get(v.0 as usize).and_then(|v| v.name.as_deref());
                TermKind::Var(name.unwrap_or("_").to_string())
            }
            LogicNode::Int(n) => TermKind::Int(*n),
            LogicNode::Big(n) => TermKind::Big(n.clone()),
            LogicNode::Rational(n) => TermKind::Rational(n.clone()),
            LogicNode::Float(x) => TermKind::Float(*x),
            LogicNode::Atom(name) => TermKind::Atom(name.to_string()),
            LogicNode::Nil => TermKind::Atom("[]".into()),
            LogicNode::Str(text) => TermKind::Str(text.to_string()),
            LogicNode::Compound { name, args } if &**name != CONS || args.len() != 2 => {
                steps.push(Step::Compound(id, args.len()));
                steps.extend(args.iter().rev().map(|&arg| Step::Visit(arg)));
                return None;
            }
            LogicNode::Compound { .. } => {
                let (items, tail) = chain(self.read, id);
                let tail = Some(tail).filter(|&tail| *self.read.terms.node(tail) != LogicNode::Nil);
                steps.push(Step::List(items.len(), tail.is_some()));
                steps.extend(tail.iter().chain(items.iter().rev()).map(|&part| Step::Visit(part)));
                return None;
            }
        })
    }

    fn too_large(&self) -> Box<Diagnostic> {
        let found = Diagnostic::error("C0318", "an expansion of this term is too large");
        let found = found.label(self.span, format!("more than {MAX_PARTS} parts"));
        Box::new(found.help("let term_expansion give smaller terms"))
    }
}
