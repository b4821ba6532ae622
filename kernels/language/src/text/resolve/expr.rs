//! Expressions, places and effects of one function.

use std::ops::Range;

use super::code::FunctionResolver;
use super::globals::Global;
use crate::ir::*;
use crate::names::{self, Builtin};
use crate::text::ast;

impl FunctionResolver<'_, '_, '_> {
    /// The effect that a call stands for; `None` when the expression is not a call of an effect, `Some(None)` when it
    /// is a wrong one.
    pub fn effect_of(&mut self, expr: &ast::Expr) -> Option<Option<Effect>> {
        let ast::ExprKind::Call(name, args) = &expr.kind else { return None };
        if let Some(&Global::Function(function)) = self.resolver.globals.get(&name.name) {
            let args: Vec<_> = args.iter().filter_map(|a| self.expr(a)).collect();
            return Some(Some(Effect::Call { function, args }));
        }
        let builtin = names::builtin(&name.name)?;
        Some(self.builtin(builtin, args, &expr.span))
    }

    fn builtin(&mut self, builtin: Builtin, args: &[ast::Expr], at: &Range<usize>) -> Option<Effect> {
        if let Builtin::Atomic(op, order, scope) = builtin {
            let Some((ast::Expr { kind: ast::ExprKind::Address(place), .. }, operands)) = args.split_first()
            else {
                self.fail(at, "an atomic operation works on an address", "write `&` before the element");
                return None;
            };
            let place = self.place(place)?;
            let operands = self.all(operands)?;
            return Some(Effect::Atomic { op, order, scope, place, operands });
        }
        let mut args = self.all(args)?.into_iter();
        let effect = match (builtin, args.next(), args.next(), args.next()) {
            (Builtin::ActiveMask, None, ..) => Some(Effect::ActiveMask),
            (Builtin::Cycles, None, ..) => Some(Effect::Cycles),
            (Builtin::Vote(op), Some(mask), Some(predicate), None) => {
                Some(Effect::Vote { op, mask, predicate })
            }
            (Builtin::Shuffle(op), Some(mask), Some(value), Some(lane)) => {
                Some(Effect::Shuffle { op, mask, value, lane })
            }
            _ => None,
        };
        if effect.is_none() || args.next().is_some() {
            self.fail(
                at,
                "wrong use of a built-in function",
                "docs/kernel-language.md lists them with their arguments",
            );
            return None;
        }
        effect
    }

    fn all(&mut self, exprs: &[ast::Expr]) -> Option<Vec<Expr>> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    pub fn place(&mut self, expr: &ast::Expr) -> Option<Place> {
        match &expr.kind {
            ast::ExprKind::Name(name) => {
                let Some(&var) = self.vars.get(name) else {
                    self.resolver
                        .unknown("variable", &ast::Ident { name: name.clone(), span: expr.span.clone() });
                    return None;
                };
                Some(Place { base: PlaceBase::Var(var), field: None, ty: self.function.vars[var].ty })
            }
            ast::ExprKind::Index(buffer, index) => {
                let (buffer, index) = self.element(buffer, index)?;
                let ty = buffer.ty.element()?;
                let base = PlaceBase::Element { buffer: Box::new(buffer), index: Box::new(index) };
                Some(Place { base, field: None, ty })
            }
            ast::ExprKind::Field(base, field) => {
                let place = self.place(base)?;
                let (index, ty) = self.field(place.ty, field)?;
                if place.field.is_some() {
                    self.fail(&expr.span, "records have no records inside", "name a field of the record");
                    return None;
                }
                Some(Place { base: place.base, field: Some(index), ty })
            }
            _ => {
                self.fail(
                    &expr.span,
                    "this is no place that can be written",
                    "use a variable, a field or an element",
                );
                None
            }
        }
    }

    fn element(&mut self, buffer: &ast::Expr, index: &ast::Expr) -> Option<(Expr, Expr)> {
        let base = self.expr(buffer)?;
        if base.ty.element().is_none() {
            self.fail(
                &buffer.span,
                "this is neither a buffer nor an array",
                "only buffers and arrays have elements",
            );
            return None;
        }
        Some((base, self.expr(index)?))
    }

    fn field(&mut self, ty: Type, field: &ast::Ident) -> Option<(u32, Type)> {
        let fields = match ty {
            Type::Record(record) => &self.resolver.module.records[record].fields[..],
            _ => &[],
        };
        let found = fields.iter().position(|f| f.name == field.name).map(|i| (i as u32, fields[i].ty));
        if found.is_none() {
            self.resolver.unknown("field", field);
        }
        found
    }

    pub fn expr(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let (kind, ty) = match &expr.kind {
            ast::ExprKind::Bool(b) => (ExprKind::Literal(Literal::Bool(*b)), Type::BOOL),
            ast::ExprKind::Int(n, scalar) => (ExprKind::Literal(Literal::Int(*n)), Type::Scalar(*scalar)),
            ast::ExprKind::Float(x) => (ExprKind::Literal(Literal::Float(*x)), Type::F64),
            ast::ExprKind::Text(_) | ast::ExprKind::Address(_) => {
                self.fail(
                    &expr.span,
                    "this has no value",
                    "only atomics take addresses, only `assume` and `own` names",
                );
                return None;
            }
            ast::ExprKind::Name(name) => self.name(name, &expr.span)?,
            ast::ExprKind::Field(base, field) => return self.field_expr(base, field),
            ast::ExprKind::Index(buffer, index) => {
                let (buffer, index) = self.element(buffer, index)?;
                let ty = buffer.ty.element()?;
                (ExprKind::Element { buffer: Box::new(buffer), index: Box::new(index) }, ty)
            }
            ast::ExprKind::Call(name, args) => return self.call_expr(name, args),
            ast::ExprKind::Record(name, fields) => {
                let ty = self.resolver.base(name)?;
                (ExprKind::Record(self.all(fields)?), ty)
            }
            ast::ExprKind::Unary(op, a) => {
                let a = self.expr(a)?;
                let ty = a.ty;
                (ExprKind::Unary(*op, Box::new(a)), ty)
            }
            ast::ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                let ty = if op.is_test() { Type::BOOL } else { a.ty };
                (ExprKind::Binary(*op, Box::new(a), Box::new(b)), ty)
            }
            ast::ExprKind::Select(c, a, b) => {
                let (c, a, b) = (self.expr(c)?, self.expr(a)?, self.expr(b)?);
                let ty = a.ty;
                (ExprKind::Select(Box::new(c), Box::new(a), Box::new(b)), ty)
            }
        };
        Some(Expr { kind, ty })
    }

    fn name(&mut self, name: &str, at: &Range<usize>) -> Option<(ExprKind, Type)> {
        if let Some(&var) = self.vars.get(name) {
            return Some((ExprKind::Var(var), self.function.vars[var].ty));
        }
        if let Some(&Global::Constant(id)) = self.resolver.globals.get(name) {
            return Some((ExprKind::Constant(id), Type::Scalar(self.resolver.module.constants[id].ty)));
        }
        self.resolver
            .unknown("variable or constant", &ast::Ident { name: name.to_string(), span: at.clone() });
        None
    }

    fn field_expr(&mut self, base: &ast::Expr, field: &ast::Ident) -> Option<Expr> {
        if let ast::ExprKind::Name(name) = &base.kind
            && field.name == "x"
        {
            let special = match name.as_str() {
                "threadIdx" => Some(Special::ThreadInBlock),
                "blockIdx" => Some(Special::Block),
                "blockDim" => Some(Special::BlockSize),
                "gridDim" => Some(Special::GridSize),
                _ => None,
            };
            if let Some(special) = special {
                return Some(Expr { kind: ExprKind::Special(special), ty: Type::U32 });
            }
        }
        let base = self.expr(base)?;
        let (index, ty) = self.field(base.ty, field)?;
        Some(Expr { kind: ExprKind::Field(Box::new(base), index), ty })
    }

    fn call_expr(&mut self, name: &ast::Ident, args: &[ast::Expr]) -> Option<Expr> {
        let args = self.all(args)?;
        if name.name == "lane_id" && args.is_empty() {
            return Some(Expr { kind: ExprKind::Special(Special::Lane), ty: Type::U32 });
        }
        if let Some(f) = names::intrinsic(&name.name) {
            let ty = match f {
                Intrinsic::PopCount | Intrinsic::FindFirstSet | Intrinsic::LeadingZeros => Type::U32,
                Intrinsic::FloatBits => Type::U64,
                Intrinsic::SquareRoot | Intrinsic::FloatFromBits => Type::F64,
                Intrinsic::Min | Intrinsic::Max | Intrinsic::MulHigh => {
                    args.first().map_or(Type::U32, |a| a.ty)
                }
            };
            return Some(Expr { kind: ExprKind::Intrinsic(f, args), ty });
        }
        let scalar = Scalar::ALL.into_iter().find(|s| s.name() == name.name).or_else(|| {
            match self.resolver.globals.get(&name.name) {
                Some(&Global::Alias(s)) => Some(s),
                _ => None,
            }
        });
        if let (Some(scalar), [_]) = (scalar, &args[..]) {
            let ty = Type::Scalar(scalar);
            return args.into_iter().next().map(|a| Expr { kind: ExprKind::Cast(Box::new(a)), ty });
        }
        if names::builtin(&name.name).is_some() || self.resolver.globals.contains_key(&name.name) {
            self.fail(
                &name.span,
                "an effect is a statement of its own",
                "assign its result to a variable first",
            );
        } else {
            self.resolver.unknown("function", name);
        }
        None
    }
}
