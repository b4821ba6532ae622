//! The data part of mCRL2 specifications to the rule IR (`docs/language-mcrl2.md`).
//!
//! The order of calls: [`load`] reads, checks and lowers a text, with a term to evaluate; [`InputReader`] reads further
//! terms for it. No call fails: all findings are [`Diagnostic`]s.

pub mod ast;
mod check;
mod core;
mod input;
mod lexer;
mod library;
mod lower;
mod parser;
mod print;
mod scope;
mod types;

use std::sync::Arc;

use gchr_base::diagnostic::{self, Diagnostic, has_errors, shorten};
use gchr_base::rule::{Program, Start};
use gchr_base::source::{SourceId, SourceMap, Span};
use gchr_base::stack::with_large_stack;

pub use input::InputReader;

use crate::ast::{Section, Specification};
use crate::check::Checker;
use crate::lower::Lowering;
use crate::scope::Scope;

/// Most findings that are shown.
const MAX_FINDINGS: usize = 100;

/// What [`load`] found.
pub struct Loaded {
    /// The syntax tree of the data part; it prints as a text that is read as the same.
    pub ast: Specification,
    /// The program; `Some` iff no diagnostic is an error.
    pub program: Option<Program>,
    /// Reads further terms; there is one where there is a program.
    pub reader: Option<InputReader>,
    /// Errors and warnings, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads, checks and lowers the text `id`. `term`: the text of a term to evaluate.
pub fn load(sources: &SourceMap, id: SourceId, term: Option<SourceId>) -> Loaded {
    with_large_stack(|| {
        let mut diagnostics = Vec::new();
        let mut ast = Specification::default();
        let made = match too_long(sources, id).or_else(|| term.and_then(|term| too_long(sources, term))) {
            Some(found) => {
                diagnostics.push(found);
                None
            }
            None => {
                ast = parser::specification(id, &sources.get(id).text, false, &mut diagnostics);
                program(&ast, sources, term, &mut diagnostics)
            }
        };
        shorten(&mut diagnostics, MAX_FINDINGS, too_many(), "further ones are not shown");
        diagnostic::sort(&mut diagnostics);
        let (program, reader) = match made.filter(|_| !has_errors(&diagnostics)) {
            Some((program, reader)) => (Some(program), Some(reader)),
            None => (None, None),
        };
        Loaded { ast, program, reader, diagnostics }
    })
}

fn program(
    ast: &Specification,
    sources: &SourceMap,
    term: Option<SourceId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Program, InputReader)> {
    let scope = Scope::declare(ast, diagnostics);
    if has_errors(diagnostics) {
        return None;
    }
    let mut sorts = scope.sorts.clone();
    let mut equations = Vec::new();
    for section in &ast.sections {
        let Section::Equations { variables, equations: written } = section else { continue };
        for equation in written {
            if diagnostics.len() > MAX_FINDINGS {
                return None;
            }
            let checker = Checker::new(&scope, &mut sorts, &[], diagnostics);
            equations.extend(checker.equation(equation, variables));
        }
    }
    if has_errors(diagnostics) {
        return None;
    }
    let mut lowering = Lowering::new(Arc::new(scope), &equations);
    lowering.equations(&equations);
    let mut start = None;
    if let Some(term) = term {
        match input::read(&mut lowering, sources, term) {
            Ok(ground) => start = Some(ground),
            Err(found) => diagnostics.extend(found),
        }
    }
    diagnostics.extend(lowering.take_diagnostics());
    if has_errors(diagnostics) {
        return None;
    }
    let mut program = lowering.program();
    program.start = Start::Term(start);
    debug_assert_eq!(gchr_base::rule::verify(&program), []);
    Some((program, InputReader::new(lowering.freeze())))
}

/// Places are 32-bit numbers.
fn too_long(sources: &SourceMap, id: SourceId) -> Option<Diagnostic> {
    u32::try_from(sources.get(id).text.len()).err().map(|_| {
        Diagnostic::error("T2004", "the text has 4 GiB or more")
            .label(Span::new(id, 0, 0), "places in a text are 32-bit numbers")
            .help("build large terms by equations")
    })
}

/// The finding that there are more than are shown.
fn too_many() -> Diagnostic {
    Diagnostic::error("T2005", format!("more than {MAX_FINDINGS} findings"))
        .help("is this an mCRL2 specification? `--language` says what a text is")
}
