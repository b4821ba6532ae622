//! Tree-sitter grammars of `.trs` and `.chr` programs, with queries for highlighting.
//!
//! The parsers are generated from `trs/grammar.js` and `chr/grammar.js`; `README.md` says how.
//!
//! `tree_sitter::Parser::set_language(&gchr_tree_sitter::TRS.into())` makes a parser one of term rewriting programs.

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_trs() -> *const ();
    fn tree_sitter_chr() -> *const ();
}

/// The grammar of term rewriting programs (`.trs`).
// SAFETY: the function is that of a parser that tree-sitter generated; it returns a language that lives for ever.
pub const TRS: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_trs) };

/// The grammar of constraint programs (`.chr`).
// SAFETY: as above.
pub const CHR: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_chr) };

/// The query that highlights term rewriting programs.
pub const TRS_HIGHLIGHTS: &str = include_str!("../trs/queries/highlights.scm");

/// The query that highlights constraint programs.
pub const CHR_HIGHLIGHTS: &str = include_str!("../chr/queries/highlights.scm");

/// The query that finds variables of term rewriting programs where they are declared and used.
pub const TRS_LOCALS: &str = include_str!("../trs/queries/locals.scm");

/// The query that finds what a term rewriting program declares.
pub const TRS_TAGS: &str = include_str!("../trs/queries/tags.scm");

/// The query that finds what a constraint program declares.
pub const CHR_TAGS: &str = include_str!("../chr/queries/tags.scm");

/// The types of nodes in trees of term rewriting programs, as JSON.
pub const TRS_NODE_TYPES: &str = include_str!("../trs/src/node-types.json");

/// The types of nodes in trees of constraint programs, as JSON.
pub const CHR_NODE_TYPES: &str = include_str!("../chr/src/node-types.json");
