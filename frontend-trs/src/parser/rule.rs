//! What all parsers of clauses have in common: their input and their errors.

use chumsky::prelude::{Parser, extra};

use super::error::{SyntaxError, Tokens};

/// A parser of tokens.
pub(super) trait Rule<'t, O>: Parser<'t, Tokens<'t>, O, extra::Err<SyntaxError>> + Clone {}
impl<'t, O, P: Parser<'t, Tokens<'t>, O, extra::Err<SyntaxError>> + Clone> Rule<'t, O> for P {}
