//! Many-sorted term rewriting: `.trs` text to the rule IR. The language is described in `docs/language-trs.md`.
//!
//! The order of calls: [`load_files`], or [`load`] of one text, parses, checks, lowers and analyses a program; its
//! [`reader`](Loaded::reader) reads further input terms. [`parse`] alone gives the syntax tree, which prints as a
//! program. No call fails: all findings are [`Diagnostic`]s.

mod analysis;
pub mod ast;
mod check;
mod imports;
mod lexer;
mod parser;
mod pieces;
mod quotes;

use gchr_base::diagnostic::{self, Diagnostic, has_errors};
use gchr_base::reading::Account;
use gchr_base::reading::named::NamedFiles;
use gchr_base::rule::Program;
use gchr_base::source::{SourceId, SourceMap};
use gchr_base::stack::with_large_stack;

pub use check::InputReader;
pub use parser::{Parsed, parse};
pub use pieces::{Piece, PieceKind, pieces};

/// What [`load`] found.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// All clauses without syntax errors; those of other texts at the sections that import these.
    pub ast: ast::Module,
    /// The program; `Some` iff no diagnostic is an error.
    pub program: Option<Program>,
    /// Reads further terms of the program.
    pub reader: Option<InputReader>,
    /// Errors and, when there are none, warnings, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses, checks and lowers a `.trs` program of one text, and looks for rules that are probably not what was meant.
pub fn load(sources: &SourceMap, id: SourceId) -> Loaded {
    // The analysis looks at patterns by recursion.
    with_large_stack(|| load_parsed(imports::parse_alone(sources, id), sources, None))
}

/// The same of a program file with those that it imports, which may take what the account allows. `term`: the text of
/// a term that the program is to start on, in place of its own `input`; there may be rules for it alone.
pub fn load_files(
    sources: &mut SourceMap,
    id: SourceId,
    term: Option<SourceId>,
    account: &Account,
) -> Loaded {
    with_large_stack(|| {
        let parsed = imports::parse_program(&mut NamedFiles::new(sources, id, account), id);
        load_parsed(parsed, sources, term)
    })
}

fn load_parsed(parsed: Parsed, sources: &SourceMap, term: Option<SourceId>) -> Loaded {
    let Parsed { mut ast, mut diagnostics } = parsed;
    let has_syntax_errors = has_errors(&diagnostics);
    let term = term.and_then(|id| {
        let names = std::mem::take(&mut ast.names);
        let (names, term) = check::parse_input(names, sources, id, &mut diagnostics);
        ast.names = names;
        term
    });
    let (checked, found) = check::check(&ast, has_syntax_errors, term.as_ref());
    diagnostics.extend(found);
    if let Some(checked) = &checked {
        diagnostics.extend(analysis::analyse(checked));
    }
    let checked = checked.filter(|_| !has_errors(&diagnostics));
    let finished = checked.and_then(|checked| checked.finish(&mut diagnostics));
    let (program, reader) = finished.unzip();
    diagnostic::sort(&mut diagnostics);
    Loaded { ast, program, reader, diagnostics }
}
