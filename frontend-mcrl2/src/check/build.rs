//! Terms with exactly the sort that is wanted: what is written out, symbols and functions with arguments, conversions.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::Span;
use num_bigint::{BigInt, Sign};

use super::choose::Choice;
use super::{Checker, MAX_DIGITS, has_hole};
use crate::ast::Expr;
use crate::core::{Callee, Kind, Term};
use crate::types::{Con, Type, fits, join};

impl Checker<'_> {
    /// The sort of the elements of a list, set or bag that is written out.
    pub(super) fn element(&self, types: &[Type], want: &Type, con: Con) -> Type {
        let own = types.iter().filter(|ty| fits(ty, want).is_some() && ty.con() == Some(con));
        let own = own.min_by_key(|ty| fits(ty, want)).and_then(|ty| ty.args().first().cloned());
        let own = own.unwrap_or(Type::Hole);
        match want.args().first() {
            Some(of) => join(of, &own).unwrap_or(own),
            None => own,
        }
    }

    pub(super) fn fold(
        &mut self,
        items: &[Expr],
        of: &Type,
        empty: Option<Term>,
        with: &str,
        want: &Type,
    ) -> Option<Term> {
        let mut whole = empty?;
        for item in items.iter().rev() {
            let item = self.check(item, of)?;
            let (span, ty) = (whole.span, whole.ty.clone());
            whole = self.library(with, of, vec![item, whole], ty, span)?;
        }
        self.convert(whole, want)
    }

    pub(super) fn bag(
        &mut self,
        items: &[(Expr, Expr)],
        types: &[Type],
        want: &Type,
        span: Span,
    ) -> Option<Term> {
        let (of, nat) = (self.element(types, want, Con::FBag), Type::basic(Con::Nat));
        let ty = Type::of(Con::FBag, of.clone());
        let mut whole = self.library("@none", &of, Vec::new(), ty.clone(), span)?;
        for (item, count) in items.iter().rev() {
            let (item, count) = (self.check(item, &of)?, self.check(count, &nat)?);
            whole = self.library("@add_count", &of, vec![item, count, whole], ty.clone(), span)?;
        }
        self.convert(whole, want)
    }

    /// A symbol of the library with one parameter, applied.
    pub(super) fn library(
        &self,
        name: &str,
        of: &Type,
        args: Vec<Term>,
        ty: Type,
        span: Span,
    ) -> Option<Term> {
        let callee = Callee { symbol: self.scope.in_library(name), params: vec![of.clone()] };
        Some(Term { kind: Kind::Call(callee, args), ty, span })
    }

    pub(super) fn number(&mut self, digits: &str, want: &Type, span: Span) -> Option<Term> {
        let value = (digits.len() <= MAX_DIGITS).then(|| digits.parse::<BigInt>().ok()).flatten();
        let Some(value) = value else {
            self.diagnostics.push(
                Diagnostic::error("T2002", "this number has too many digits")
                    .label(span, "too long")
                    .note(format!(
                        "a number in a text has at most {MAX_DIGITS} digits; what it is used for, any"
                    ))
                    .help("compute it, with `exp` for example"),
            );
            return None;
        };
        let con = if value.sign() == Sign::NoSign { Con::Nat } else { Con::Pos };
        self.convert(Term { kind: Kind::Number(value), ty: Type::basic(con), span }, want)
    }

    pub(super) fn symbol(&mut self, name: &str, args: &[&Expr], expr: &Expr, want: &Type) -> Option<Term> {
        match self.choose(name, args, Some(want)) {
            Some(choice) => self.call(choice, args, expr.span, want),
            None => {
                self.report(expr);
                None
            }
        }
    }

    pub(super) fn call(&mut self, choice: Choice, args: &[&Expr], span: Span, want: &Type) -> Option<Term> {
        let symbol = &self.scope.symbols[choice.callee.symbol];
        if args.is_empty() && !symbol.params.is_empty() {
            return self.convert(Term { kind: Kind::Value(choice.callee), ty: choice.result, span }, want);
        }
        let mut checked = Vec::new();
        for (arg, ty) in args.iter().zip(&symbol.params) {
            checked.push(self.check(arg, &ty.with(&choice.callee.params))?);
        }
        let kind = Kind::Call(choice.callee, checked);
        self.convert(Term { kind, ty: choice.result, span }, want)
    }

    /// A function that is a value, applied.
    pub(super) fn apply(&mut self, head: &Expr, args: &[&Expr], span: Span, want: &Type) -> Option<Term> {
        let mut best: Option<(u32, Type)> = None;
        for ty in self.types(head).iter() {
            let Some((params, result)) = ty.as_function() else { continue };
            let Some(cost) = fits(result, want).filter(|_| params.len() == args.len()) else { continue };
            let sum =
                args.iter().zip(params).try_fold(cost, |sum, (arg, ty)| Some(sum + self.can_be(arg, ty)?));
            if let Some(sum) = sum
                && best.as_ref().is_none_or(|(least, _)| sum < *least)
            {
                best = Some((sum, ty.clone()));
            }
        }
        let (_, ty) = best?;
        let (params, result) = ty.as_function()?;
        let function = self.check(head, &ty)?;
        let mut checked = Vec::new();
        for (arg, param) in args.iter().zip(params) {
            checked.push(self.check(arg, param)?);
        }
        let kind = Kind::Apply(Box::new(function), checked);
        self.convert(Term { kind, ty: result.clone(), span }, want)
    }

    /// A term where a wider sort is wanted.
    pub(super) fn convert(&mut self, term: Term, want: &Type) -> Option<Term> {
        if let (true, Kind::Var(var), Some(from), Some(to)) =
            (self.pattern, &term.kind, term.ty.rank(), want.rank())
            && from < to
            && from < 2
        {
            self.least.push((*var, if from == 0 { 1 } else { 0 }));
        }
        let span = term.span;
        let finite = match (term.ty.con(), want.con()) {
            (Some(Con::FSet), Some(Con::Set)) => Some(("@fin", Con::Set)),
            (Some(Con::FBag), Some(Con::Bag)) => Some(("@finbag", Con::Bag)),
            _ => None,
        };
        if term.ty.erased() == want.erased() || finite.is_none() && has_hole(want) {
            let ty = if has_hole(want) { term.ty.clone() } else { want.clone() };
            return Some(Term { ty, ..term });
        }
        if want.con() == Some(Con::Real) && term.ty.rank().is_some() {
            let whole = matches!(term.kind, Kind::Number(_)) || self.pattern;
            let (name, mut args) = (if whole { "@ratio" } else { "@int2real" }, vec![term]);
            if whole {
                args.push(Term { kind: Kind::Number(1.into()), ty: Type::basic(Con::Int), span });
            }
            let callee = Callee { symbol: self.scope.in_library(name), params: Vec::new() };
            return Some(Term { kind: Kind::Call(callee, args), ty: want.clone(), span });
        }
        let of = |ty: &Type| ty.args().first().map(Type::erased);
        if let Some((name, con)) = finite
            && (of(&term.ty) == of(want) || has_hole(want))
        {
            // Where nothing says what the elements of the place are, they are those of the set.
            let element = if has_hole(want) { &term.ty } else { want }.args()[0].clone();
            return self.library(name, &element, vec![term], Type::of(con, element.clone()), span);
        }
        let (from, to) = (self.shown(&term.ty), self.shown(want));
        self.diagnostics.push(
            Diagnostic::error("T2201", format!("this has the sort `{from}`, not `{to}`"))
                .label(span, format!("a term of sort `{to}` is expected here"))
                .help("convert the elements one by one"),
        );
        None
    }
}
