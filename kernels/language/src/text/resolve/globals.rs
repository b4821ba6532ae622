//! Names outside of functions, types, and constants.

use std::ops::Range;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::source::{SourceId, Span};

use crate::ir::*;
use crate::text::ast;

/// What a name means outside of functions.
#[derive(Clone, Copy)]
pub(super) enum Global {
    Record(RecordId),
    Constant(ConstantId),
    Function(FunctionId),
    Alias(Scalar),
}

pub(super) struct Resolver<'a> {
    pub(super) source: SourceId,
    pub(super) module: Module,
    pub(super) globals: HashMap<String, Global>,
    pub(super) places: Vec<(Range<usize>, Vec<Range<usize>>)>,
    pub(super) diagnostics: &'a mut Vec<Diagnostic>,
}

impl Resolver<'_> {
    pub(super) fn fail(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
        help: &str,
    ) {
        let span = Span::new(self.source, at.start, at.end);
        self.diagnostics.push(Diagnostic::error(code, message).label(span, "here").help(help));
    }

    pub(super) fn unknown(&mut self, what: &str, name: &ast::Ident) {
        self.fail(
            "K0005",
            &name.span,
            format!("there is no {what} `{}` here", name.name),
            "declare it above, or mend the spelling",
        );
    }

    pub(super) fn declare(&mut self, name: &ast::Ident, global: Global) {
        if self.globals.insert(name.name.clone(), global).is_some() {
            self.twice(name);
        }
    }

    pub(super) fn twice(&mut self, name: &ast::Ident) {
        self.fail("K0006", &name.span, format!("`{}` is declared twice", name.name), "rename one of the two");
    }

    pub(super) fn constant(&mut self, ty: &ast::Ident, name: &ast::Ident, value: Option<&ast::Expr>) {
        let ty = self.scalar(ty).unwrap_or(Scalar::U32);
        let value = match value {
            None => ConstantValue::Hole,
            Some(value) => match literal(value, ty) {
                Some(value) => ConstantValue::Given(value),
                None => {
                    self.fail(
                        "K0008",
                        &value.span,
                        format!("this is no literal of type {}", ty.name()),
                        "write one literal with the suffix of its type, as in `256u`",
                    );
                    ConstantValue::Hole
                }
            },
        };
        let id = self.module.constants.push(Constant { name: name.name.clone(), value, ty });
        self.declare(name, Global::Constant(id));
    }

    pub(super) fn scalar(&mut self, name: &ast::Ident) -> Option<Scalar> {
        match self.base(name) {
            Some(Type::Scalar(s)) => Some(s),
            Some(_) => {
                self.fail(
                    "K0005",
                    &name.span,
                    "a scalar type is expected here",
                    "use bool, u8, i32, u32, i64, u64 or f64",
                );
                None
            }
            None => None,
        }
    }

    /// A type without pointer; reports unknown names.
    pub(super) fn base(&mut self, name: &ast::Ident) -> Option<Type> {
        if name.name == "void" {
            return Some(Type::Void);
        }
        if let Some(&scalar) = Scalar::ALL.iter().find(|s| s.name() == name.name) {
            return Some(Type::Scalar(scalar));
        }
        match self.globals.get(&name.name) {
            Some(Global::Record(id)) => Some(Type::Record(*id)),
            Some(Global::Alias(scalar)) => Some(Type::Scalar(*scalar)),
            _ => {
                self.unknown("type", name);
                None
            }
        }
    }

    pub(super) fn ty(&mut self, ty: &ast::TypeName) -> Type {
        let base = self.base(&ty.name).unwrap_or(Type::U32);
        if !ty.pointer {
            return base;
        }
        buffer_of(base, ty.space.unwrap_or(Space::Global)).unwrap_or_else(|| {
            self.fail("K0005", &ty.name.span, "there is no buffer of void", "use a scalar or record type");
            Type::U32
        })
    }
}

/// A buffer with elements of type `base`.
pub(super) fn buffer_of(base: Type, space: Space) -> Option<Type> {
    match base {
        Type::Scalar(s) => Some(Type::Buffer(space, s)),
        Type::Record(r) => Some(Type::Records(space, r)),
        _ => None,
    }
}

/// The literal that an expression is, if it is one of type `ty`.
pub(super) fn literal(expr: &ast::Expr, ty: Scalar) -> Option<Literal> {
    match expr.kind {
        ast::ExprKind::Bool(b) if ty == Scalar::Bool => Some(Literal::Bool(b)),
        ast::ExprKind::Int(n, scalar) if scalar == ty => Some(Literal::Int(n)),
        ast::ExprKind::Float(x) if ty == Scalar::F64 => Some(Literal::Float(x)),
        _ => None,
    }
}
