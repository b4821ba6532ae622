//! Functions on lists, with their rules.

use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{Rule, Var, VarId};
use gchr_base::signature::{SortId, SymbolId};
use gchr_base::source::Span;

use super::maker::{Maker, Part, rule_of};
use crate::ast::ListOp;
use crate::check::builtin::Named;
use crate::check::builtin::lists::ListSymbol;
use crate::check::families::FamilyId;
use crate::check::scope::Scope;

impl Scope<'_> {
    /// The sort of lists; `None` where a finished program has none.
    pub fn list_family(&mut self) -> Option<FamilyId> {
        if self.made.is_final {
            return self.lists.known_family();
        }
        let Self { families, lists, signature, .. } = self;
        let signature = signature.to_mut();
        Some(lists.to_mut().family(families.to_mut(), &mut signature.sorts, &mut signature.symbols))
    }

    /// The symbol for lists of any sort, with its rules; `None` where a finished program has none.
    pub fn list_symbol(&mut self, symbol: ListSymbol, span: Span) -> Option<SymbolId> {
        let family = self.list_family()?;
        if let Some(known) = self.lists.known(symbol) {
            return Some(known);
        }
        let element = *self.families.parameters(family).first()?;
        let list = self.families.known_sort(family, &[element])?;
        let int = || self.int;
        let (args, result) = match symbol {
            ListSymbol::Empty => (vec![], list),
            ListSymbol::Op(ListOp::Cons) => (vec![element, list], list),
            ListSymbol::Op(ListOp::Snoc) => (vec![list, element], list),
            ListSymbol::Op(ListOp::Concat) => (vec![list, list], list),
            ListSymbol::Op(ListOp::At) => (vec![list, int()?], element),
            ListSymbol::Op(ListOp::In) => (vec![element, list], self.truth?.sort),
            ListSymbol::Op(ListOp::Size) => (vec![list], int()?),
            ListSymbol::Length => (vec![list, int()?], int()?),
            ListSymbol::Head | ListSymbol::LastElement => (vec![list], element),
            ListSymbol::Tail | ListSymbol::WithoutLast => (vec![list], list),
        };
        let owner = self.made.owner.take();
        let id = self.make(symbol.name().to_string(), args, result)?;
        self.lists.to_mut().add(symbol, id);
        let mut maker = Maker { scope: self, span };
        let rules = maker.list_rules(symbol, id, (element, list))?;
        self.made.rules.extend(rules);
        self.made.owner = owner;
        Some(id)
    }
}

/// What the rules of a function are made of.
struct Parts {
    /// The function.
    id: SymbolId,
    vars: IdVec<VarId, Var>,
    cons: SymbolId,
    empty: Part,
    /// Elements.
    x: Part,
    y: Part,
    /// Lists.
    l: Part,
    m: Part,
}

impl Maker<'_, '_> {
    /// The rules of a function: `None` where something that they need is missing.
    fn list_rules(
        &mut self,
        symbol: ListSymbol,
        id: SymbolId,
        (element, list): (SortId, SortId),
    ) -> Option<Vec<Rule>> {
        let span = self.span;
        let empty = self.scope.list_symbol(ListSymbol::Empty, span)?;
        let cons = self.scope.list_symbol(ListSymbol::Op(ListOp::Cons), span)?;
        let mut vars = IdVec::new();
        let [x, y] = ["X", "Y"].map(|name| self.var(&mut vars, name, element));
        let [l, m] = ["L", "M"].map(|name| self.var(&mut vars, name, list));
        let parts = Parts { id, vars, cons, empty: self.app(empty, vec![]), x, y, l, m };
        match symbol {
            ListSymbol::Empty | ListSymbol::Op(ListOp::Cons) => Some(Vec::new()),
            ListSymbol::Op(ListOp::Snoc | ListOp::Concat) => Some(self.behind(&parts, symbol)),
            ListSymbol::Op(ListOp::Size) | ListSymbol::Length => self.counted(parts, symbol),
            ListSymbol::Op(ListOp::At) => self.at(parts),
            ListSymbol::Op(ListOp::In) => self.member(&parts),
            ListSymbol::Head | ListSymbol::Tail | ListSymbol::LastElement | ListSymbol::WithoutLast => {
                Some(self.ends(&parts, symbol))
            }
        }
    }

    /// An element before a list.
    fn cons(&self, parts: &Parts, first: &Part, rest: &Part) -> Part {
        self.app(parts.cons, vec![first.clone(), rest.clone()])
    }

    fn rule(&self, parts: &Parts, args: &[&Part], value: Part) -> Rule {
        let args = args.iter().map(|arg| arg.pattern.clone()).collect();
        rule_of(parts.id, parts.vars.clone(), args, value.value, self.span)
    }

    /// `L <| Y` and `L ++ M`.
    fn behind(&self, parts: &Parts, symbol: ListSymbol) -> Vec<Rule> {
        let Parts { x, y, l, m, empty, .. } = parts;
        let (last, value) = match symbol {
            ListSymbol::Op(ListOp::Snoc) => (y, self.cons(parts, y, empty)),
            _ => (m, m.clone()),
        };
        let rest = self.app(parts.id, vec![l.clone(), last.clone()]);
        let first = self.cons(parts, x, l);
        vec![
            self.rule(parts, &[empty, last], value),
            self.rule(parts, &[&first, last], self.cons(parts, x, &rest)),
        ]
    }

    /// `#L`, and what counts for it.
    fn counted(&mut self, mut parts: Parts, symbol: ListSymbol) -> Option<Vec<Rule>> {
        let int = self.scope.int?;
        if symbol != ListSymbol::Length {
            let length = self.scope.list_symbol(ListSymbol::Length, self.span)?;
            let value = self.app(length, vec![parts.l.clone(), self.int(0, int)]);
            return Some(vec![self.rule(&parts, &[&parts.l], value)]);
        }
        let n = self.var(&mut parts.vars, "N", int);
        let mut next = n.clone();
        next.value = self.operation(Op::Add, [n.clone(), self.int(1, int)]);
        let further = self.app(parts.id, vec![parts.l.clone(), next]);
        let first = self.cons(&parts, &parts.x, &parts.l);
        Some(vec![
            self.rule(&parts, &[&parts.empty, &n], n.clone()),
            self.rule(&parts, &[&first, &n], further),
        ])
    }

    /// `L . N`.
    fn at(&self, mut parts: Parts) -> Option<Vec<Rule>> {
        let int = self.scope.int?;
        let n = self.var(&mut parts.vars, "N", int);
        let zero = self.int(0, int);
        let mut before = n.clone();
        before.value = self.operation(Op::Sub, [n.clone(), self.int(1, int)]);
        let positive = self.operation(Op::Gt, [n.clone(), zero.clone()]);
        let further = self.app(parts.id, vec![parts.l.clone(), before]);
        let first = self.cons(&parts, &parts.x, &parts.l);
        Some(vec![
            self.rule(&parts, &[&first, &zero], parts.x.clone()),
            self.test(self.rule(&parts, &[&first, &n], further), positive),
        ])
    }

    /// `Y in L`.
    fn member(&self, parts: &Parts) -> Option<Vec<Rule>> {
        let truth = self.scope.truth?;
        let Parts { x, y, l, empty, .. } = parts;
        let [yes, no] = [truth.true_symbol, truth.false_symbol].map(|value| self.app(value, vec![]));
        let same = self.operation(Op::Same, [y.clone(), x.clone()]);
        let further = self.app(parts.id, vec![y.clone(), l.clone()]);
        let first = self.cons(parts, x, l);
        Some(vec![
            self.rule(parts, &[y, empty], no),
            self.test(self.rule(parts, &[y, &first], yes), same),
            self.rule(parts, &[y, &first], further),
        ])
    }

    /// The first or last element, and the list without it.
    fn ends(&self, parts: &Parts, symbol: ListSymbol) -> Vec<Rule> {
        let Parts { x, y, l, empty, .. } = parts;
        let (first, one) = (self.cons(parts, x, l), self.cons(parts, x, empty));
        match symbol {
            ListSymbol::Head => vec![self.rule(parts, &[&first], x.clone())],
            ListSymbol::Tail => vec![self.rule(parts, &[&first], l.clone())],
            // No list fits both rules: which is tried first makes no difference, whatever is evaluated of the list.
            _ => {
                let further = self.cons(parts, y, l);
                let (two, rest) = (self.cons(parts, x, &further), self.app(parts.id, vec![further]));
                let (only, several) = match symbol {
                    ListSymbol::LastElement => (x.clone(), rest),
                    _ => (empty.clone(), self.cons(parts, x, &rest)),
                };
                vec![self.rule(parts, &[&one], only), self.rule(parts, &[&two], several)]
            }
        }
    }
}
