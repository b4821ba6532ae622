//! From the syntax tree to the kernel IR: names to ids, a type for every expression.
//!
//! Types are found bottom-up (literals carry theirs); whether they fit is the verifier's question.

use std::ops::Range;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::source::{SourceId, Span};

use super::ast;
use super::parse::Aliases;
use crate::ir::*;
use crate::verify::Finding;

mod code;
mod expr;

/// A module and where its parts stand in the text.
pub(super) struct Resolved {
    pub module: Module,
    source: SourceId,
    /// Place of each function's name, and of its statements, outer before inner.
    places: Vec<(Range<usize>, Vec<Range<usize>>)>,
}

impl Resolved {
    /// Where the text says what a finding is about.
    pub fn place(&self, finding: &Finding) -> Span {
        let range = finding.function.and_then(|f| self.places.get(f.index())).map(|(name, statements)| {
            finding.statement.and_then(|s| statements.get(s)).unwrap_or(name).clone()
        });
        let range = range.unwrap_or(0..0);
        Span::new(self.source, range.start, range.end)
    }
}

/// What a name means outside of functions.
#[derive(Clone, Copy)]
enum Global {
    Record(RecordId),
    Constant(ConstantId),
    Function(FunctionId),
    Alias(Scalar),
}

struct Resolver<'a> {
    source: SourceId,
    module: Module,
    globals: HashMap<String, Global>,
    places: Vec<(Range<usize>, Vec<Range<usize>>)>,
    found: &'a mut Vec<Diagnostic>,
}

/// Resolves a whole text.
pub(super) fn module(
    source: SourceId,
    items: &[ast::Item],
    aliases: &Aliases,
    found: &mut Vec<Diagnostic>,
) -> Resolved {
    let mut resolver = Resolver {
        source,
        module: Module::default(),
        globals: HashMap::default(),
        places: Vec::new(),
        found,
    };
    for item in items {
        resolver.item(item, aliases);
    }
    Resolved { module: resolver.module, source, places: resolver.places }
}

impl Resolver<'_> {
    fn fail(&mut self, code: &'static str, at: &Range<usize>, message: impl Into<String>, help: &str) {
        let span = Span::new(self.source, at.start, at.end);
        self.found.push(Diagnostic::error(code, message).label(span, "here").help(help));
    }

    fn unknown(&mut self, what: &str, name: &ast::Ident) {
        self.fail(
            "K0005",
            &name.span,
            format!("there is no {what} `{}` here", name.name),
            "declare it above, or mend the spelling",
        );
    }

    fn declare(&mut self, name: &ast::Ident, global: Global) {
        if self.globals.insert(name.name.clone(), global).is_some() {
            self.twice(name);
        }
    }

    fn twice(&mut self, name: &ast::Ident) {
        self.fail("K0006", &name.span, format!("`{}` is declared twice", name.name), "rename one of the two");
    }

    fn item(&mut self, item: &ast::Item, aliases: &Aliases) {
        match item {
            ast::Item::Alias { name, ty } => {
                let scalar = match ty {
                    Some(ty) => self.scalar(ty),
                    None => aliases.get(&name.name).copied().or_else(|| {
                        self.fail(
                            "K0007",
                            &name.span,
                            format!("the type `{}` is left open", name.name),
                            "say which type it is where the template is instantiated",
                        );
                        None
                    }),
                };
                self.declare(name, Global::Alias(scalar.unwrap_or(Scalar::U32)));
            }
            ast::Item::Record { name, align, fields } => {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(ty, name)| Field { name: name.name.clone(), ty: self.ty(ty) })
                    .collect();
                let record = Record { name: name.name.clone(), fields, align: *align };
                let id = self.module.records.push(record);
                self.declare(name, Global::Record(id));
            }
            ast::Item::Constant { ty, name, value } => self.constant(ty, name, value.as_ref()),
            ast::Item::Function(function) => self.function(function),
            ast::Item::Error => {}
        }
    }

    fn constant(&mut self, ty: &ast::Ident, name: &ast::Ident, value: Option<&ast::Expr>) {
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

    fn scalar(&mut self, name: &ast::Ident) -> Option<Scalar> {
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
    fn base(&mut self, name: &ast::Ident) -> Option<Type> {
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

    fn ty(&mut self, ty: &ast::TypeName) -> Type {
        let base = self.base(&ty.name).unwrap_or(Type::U32);
        if !ty.pointer {
            return base;
        }
        buffer_of(base, ty.space.unwrap_or(Space::Global)).unwrap_or_else(|| {
            self.fail("K0005", &ty.name.span, "there is no buffer of void", "use a scalar or record type");
            Type::U32
        })
    }

    fn function(&mut self, function: &ast::Function) {
        let result = self.ty(&function.result);
        let mut built = Function {
            name: function.name.name.clone(),
            kind: function.kind,
            params: Vec::new(),
            result,
            vars: Default::default(),
            body: Vec::new(),
            doc: function.doc.clone(),
        };
        let mut code = code::Code::new(self, &mut built);
        for (ty, name) in &function.params {
            code.param(ty, name);
        }
        let body = code.block(&function.body);
        let statements = code.places;
        built.body = body;
        self.places.push((function.name.span.clone(), statements));
        let id = self.module.functions.push(built);
        self.declare(&function.name, Global::Function(id));
    }
}

/// A buffer with elements of type `base`.
fn buffer_of(base: Type, space: Space) -> Option<Type> {
    match base {
        Type::Scalar(s) => Some(Type::Buffer(space, s)),
        Type::Record(r) => Some(Type::Records(space, r)),
        _ => None,
    }
}

/// The literal that an expression is, if it is one of type `ty`.
fn literal(expr: &ast::Expr, ty: Scalar) -> Option<Literal> {
    match expr.kind {
        ast::ExprKind::Bool(b) if ty == Scalar::Bool => Some(Literal::Bool(b)),
        ast::ExprKind::Int(n, scalar) if scalar == ty => Some(Literal::Int(n)),
        ast::ExprKind::Float(x) if ty == Scalar::F64 => Some(Literal::Float(x)),
        _ => None,
    }
}
