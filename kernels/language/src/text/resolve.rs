//! From the syntax tree to the kernel IR: names to ids, a type for every expression.
//!
//! Types are found bottom-up (literals carry theirs); whether they fit is the verifier's question.

use std::ops::Range;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::source::{SourceId, Span};

use super::ast;
use crate::ir::*;
use crate::verify::Finding;

mod code;
mod expr;
mod globals;

use globals::{Global, Resolver};

/// Types for the open aliases `using T = HOLE;` of a text.
pub type Aliases = HashMap<String, Scalar>;

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

/// Resolves a whole text.
pub(super) fn module(
    source: SourceId,
    items: &[ast::Item],
    aliases: &Aliases,
    diagnostics: &mut Vec<Diagnostic>,
) -> Resolved {
    let mut resolver = Resolver {
        source,
        module: Module::default(),
        globals: HashMap::default(),
        places: Vec::new(),
        diagnostics,
    };
    for item in items {
        resolver.item(item, aliases);
    }
    Resolved { module: resolver.module, source, places: resolver.places }
}

impl Resolver<'_> {
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
        let mut code = code::FunctionResolver::new(self, &mut built);
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
