//! Sorts of lists and of what is done with them.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::Span;

use super::{Meaning, Operand, Resolver, Vars};
use crate::ast::{ListOp, Name};
use crate::check::builders::{no_rules, not_matched};
use crate::check::builtin::Named;
use crate::check::builtin::lists::ListSymbol;
use crate::check::types::Ty;

/// What an operand or result is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Element,
    List,
    Int,
    Bool,
}

/// Operands and result of what is done with lists.
fn profile(symbol: ListSymbol) -> (&'static [Shape], Shape) {
    use Shape::*;
    match symbol {
        ListSymbol::Empty => (&[], List),
        ListSymbol::Op(ListOp::Cons) => (&[Element, List], List),
        ListSymbol::Op(ListOp::Snoc) => (&[List, Element], List),
        ListSymbol::Op(ListOp::Concat) => (&[List, List], List),
        ListSymbol::Op(ListOp::At) => (&[List, Int], Element),
        ListSymbol::Op(ListOp::In) => (&[Element, List], Bool),
        ListSymbol::Op(ListOp::Size) => (&[List], Int),
        ListSymbol::Length => (&[List, Int], Int),
        ListSymbol::Head | ListSymbol::LastElement => (&[List], Element),
        ListSymbol::Tail | ListSymbol::WithoutLast => (&[List], List),
    }
}

impl Resolver<'_, '_> {
    /// The function on lists that a name stands for.
    pub(super) fn list_function(&self, name: Name) -> Option<ListSymbol> {
        let text = self.scope.text(name);
        ListSymbol::named(text).filter(|_| self.is_free(name, text) && self.is_no_variable(name))
    }

    /// A list with the operands from `base` on as its elements.
    pub(super) fn elements(&mut self, whole: Span, base: usize) -> Option<(Meaning, Ty)> {
        let first = self.types.opens(1);
        let element = Ty::Open(first);
        let operands: Vec<Operand> = self.operands[base..].to_vec();
        if let Some(ty) = operands.iter().find_map(|operand| operand.ty) {
            self.types.give(first, ty);
        }
        for (at, operand) in operands.iter().enumerate() {
            let Some(ty) = operand.ty else { continue };
            if !self.types.unify(element, ty, &self.scope.families) {
                self.different_operands("the elements of a list", operands[0], operands[at]);
            }
        }
        let Some(family) = self.scope.list_family() else {
            self.error(no_rules(whole));
            return None;
        };
        Some((Meaning::Elements(element), self.types.apply(family, vec![element])))
    }

    /// A function on lists with the operands from `base` on.
    pub(super) fn call_of_list(
        &mut self,
        function: ListSymbol,
        name: Name,
        span: Span,
        base: usize,
    ) -> Option<(Meaning, Ty)> {
        let text = self.scope.text(name);
        match self.takes_one(text, "on lists", span, base) {
            true => self.of_list(function, span, base),
            false => None,
        }
    }

    /// Whether a built-in function has one argument; reports it when not.
    pub(super) fn takes_one(&mut self, text: &str, what: &str, span: Span, base: usize) -> bool {
        let found = self.operands.len() - base;
        if found != 1 {
            self.error(
                Diagnostic::error("T0103", format!("`{text}` takes 1 argument, found {found}"))
                    .label(Span { end: span.start + text.len() as u32, ..span }, format!("{found} here"))
                    .note(format!("`{text}` is a built-in function {what}"))
                    .help(format!("write it as `{text}(X)`, or declare a symbol `{text}`")),
            );
        }
        found == 1
    }

    /// An operator or function on lists with the operands from `base` on.
    pub(super) fn of_list(&mut self, symbol: ListSymbol, span: Span, base: usize) -> Option<(Meaning, Ty)> {
        if matches!(self.vars, Vars::Bind(_)) && symbol != ListSymbol::Op(ListOp::Cons) {
            self.error(not_matched(span));
            return None;
        }
        let (shapes, result) = profile(symbol);
        let int = match shapes.contains(&Shape::Int) || result == Shape::Int {
            true => self.number(self.scope.int, "Int", "the result has", span)?,
            false => self.scope.signature.booleans.sort,
        };
        let truth = if result == Shape::Bool { self.truth(span)? } else { int };
        let (Some(generic), Some(family)) = (self.scope.list_symbol(symbol, span), self.scope.list_family())
        else {
            self.error(no_rules(span));
            return None;
        };
        let first = self.types.opens(1);
        let element = Ty::Open(first);
        let list = self.types.apply(family, vec![element]);
        let sort_of = |shape: Shape| match shape {
            Shape::Element => element,
            Shape::List => list,
            Shape::Int => Ty::Sort(int),
            Shape::Bool => Ty::Sort(truth),
        };
        let operands: Vec<Operand> = self.operands[base..].to_vec();
        // Lists first: they say of which sort elements are.
        let mut order: Vec<usize> = (0..operands.len()).collect();
        order.sort_by_key(|&at| shapes[at] != Shape::List);
        for at in order {
            let Some(ty) = operands[at].ty else { continue };
            if !self.types.unify(ty, sort_of(shapes[at]), &self.scope.families) {
                let takes = match shapes[at] {
                    Shape::List if !self.types.is_known(element) => "a list".to_string(),
                    shape => format!("`{}` here", self.shown(sort_of(shape))),
                };
                self.wrong_operand(symbol.name(), &takes, operands[at]);
            }
        }
        Some((Meaning::Instance { symbol: generic, first }, sort_of(result)))
    }
}
