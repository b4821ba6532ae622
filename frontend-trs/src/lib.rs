//! Many-sorted term rewriting: `.trs` text to the rule IR. The language is described in `docs/language-trs.md`.
//!
//! The order of calls: [`load_files`], or [`load`] of one text, parses, checks, lowers and analyses a program;
//! [`parse_term`] reads further input terms for it. [`parse`] alone gives the syntax tree, which prints as a program. No call fails: all findings are
//! [`Diagnostic`]s.

mod analysis;
pub mod ast;
mod check;
mod imports;
mod lexer;
mod parser;
mod pieces;

use gchr_base::diagnostic::{self, Diagnostic, has_errors};
use gchr_base::reading::Account;
use gchr_base::reading::named::NamedFiles;
use gchr_base::rule::Program;
use gchr_base::source::{SourceId, SourceMap};
use gchr_base::stack::with_large_stack;

pub use check::{InputReader, parse_term};
pub use parser::{Parsed, parse};
pub use pieces::{Piece, PieceKind, pieces};

/// What [`load`] found.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// All clauses without syntax errors; those of other texts at the sections that import these.
    pub ast: ast::Module,
    /// The program; `Some` iff no diagnostic is an error.
    pub program: Option<Program>,
    /// Errors and, when there are none, warnings, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses, checks and lowers a `.trs` program of one text, and looks for rules that are probably not what was meant.
pub fn load(sources: &SourceMap, id: SourceId) -> Loaded {
    // The analysis looks at patterns by recursion.
    with_large_stack(|| load_parsed(imports::parse_alone(sources, id)))
}

/// The same of a program file with those that it imports, which may take what the account allows.
pub fn load_files(sources: &mut SourceMap, id: SourceId, account: &Account) -> Loaded {
    with_large_stack(|| {
        let mut files = NamedFiles::new(sources, id, account);
        load_parsed(imports::parse_program(&mut files, id))
    })
}

fn load_parsed(Parsed { ast, mut diagnostics }: Parsed) -> Loaded {
    let (checked, found) = check::check(&ast, has_errors(&diagnostics));
    diagnostics.extend(found);
    if let Some(checked) = &checked {
        diagnostics.extend(analysis::analyse(checked));
    }
    let program = checked.map(|checked| checked.program);
    diagnostic::sort(&mut diagnostics);
    Loaded { ast, program, diagnostics }
}
