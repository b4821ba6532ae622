//! Frontend for Constraint Handling Rules: `.chr` text, queries and fact files to the rule IR.

pub mod ast;
mod branches;
mod builtin;
pub mod calls;
mod clause;
mod declare;
pub mod directives;
mod expansion;
mod facts;
mod files;
mod flags;
mod lexer;
mod libraries;
mod lint;
mod load;
mod logic;
mod lower;
mod operators;
mod options;
mod parser;
mod pieces;
mod print;
mod reader;
mod scopes;
mod sorts;
mod types;

#[cfg(feature = "tables")]
pub use facts::refused_table;
pub use facts::{FactFile, FactFormat, Header, is_number_of_facts, split_table};
pub use files::{FILE_ENDINGS, files_named};
#[cfg(feature = "tables")]
pub use load::FactTable;
pub use load::{
    Added, Addition, GroundSession, Loaded, LogicSession, Opened, Request, load, load_any, load_for_logic,
    load_for_rounds, load_readable, load_within, open,
};
pub use logic::TermReader;
pub use parser::{parse, parse_goals};
pub use pieces::{Piece, PieceKind, block_comment, pieces};

use gchr_base::diagnostic::Diagnostic;

/// Whether a program may call a predicate that it does not define: as a goal, or as a directive.
pub fn is_builtin(name: &str, arity: usize) -> bool {
    builtin::is_goal(name, arity)
        || builtin::is_predicate(name, arity)
        || builtin::refused(name, arity).is_some()
        || directives::is_directive(name, arity)
}

/// What parsing a text gives: as much of the tree as could be read, and what is wrong with the rest.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The clauses without syntax errors.
    pub ast: ast::Module,
    /// Findings, in textual order.
    pub diagnostics: Vec<Diagnostic>,
    /// What text in quotes stands for at the end of the text.
    pub(crate) quotes: flags::Quotes,
}
