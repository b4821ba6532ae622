//! Terms to evaluate.

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::GroundTerm;
use gchr_base::source::{SourceId, SourceMap};
use gchr_base::stack::with_large_stack;

use crate::grammar::{Forms, Grammar};
use crate::lower::{Lower, Output, Space};
use crate::parser;
use crate::syntax::Search;
use crate::token::Token;

/// Reads terms to evaluate by a program that is finished.
#[derive(Clone)]
pub struct InputReader {
    space: Space,
    out: Output,
}

impl InputReader {
    pub(crate) fn new(space: Space, mut out: Output) -> Self {
        out.freeze();
        Self { space, out }
    }

    /// Reads the term in the text `id`, of the last module of the program.
    pub fn read(&mut self, sources: &SourceMap, id: SourceId) -> Result<GroundTerm, Vec<Diagnostic>> {
        with_large_stack(|| {
            let tokens = parser::term_tokens(sources, id).map_err(|found| vec![*found])?;
            read(&tokens, &mut self.space, &mut self.out).map_err(|found| vec![*found])
        })
    }
}

/// What is read by the grammar of a module, whose forms are made once.
fn by_grammar<R>(space: &mut Space, read: impl FnOnce(&Grammar<'_>) -> R) -> R {
    let (signature, variables) = (space.signature.clone(), space.variables.clone());
    let forms = space.forms.get_or_insert_with(|| Arc::new(Forms::new(&signature))).clone();
    read(&Grammar { forms: &forms, signature: &signature, variables: &variables })
}

/// The term whose value are the solutions of a search from a term.
pub(crate) fn search(
    from: GroundTerm,
    search: &Search,
    space: &mut Space,
    out: &mut Output,
) -> Result<GroundTerm, Box<Diagnostic>> {
    let kind = space.kind_of_sort(from.sort);
    let (pattern, conditions) = by_grammar(space, |grammar| {
        let pattern = grammar.term(&search.pattern, search.pattern[0].span, Some(kind))?;
        let conditions = match search.condition.is_empty() {
            true => Vec::new(),
            false => crate::modules::conditions(grammar, &search.condition)?,
        };
        Ok::<_, Box<Diagnostic>>((pattern, conditions))
    })?;
    Lower { space, out }.searched_for(from, kind, search, &pattern, conditions)
}

/// Reads a term; it may need further rules where the program is not final.
pub(crate) fn read(
    tokens: &[Token],
    space: &mut Space,
    out: &mut Output,
) -> Result<GroundTerm, Box<Diagnostic>> {
    let term = by_grammar(space, |grammar| grammar.term(tokens, tokens[0].span, None))?;
    let ground = Lower { space, out }.ground(&term);
    match out.take_missing() {
        None => Ok(ground),
        Some(place) => Err(Box::new(
            Diagnostic::error("T3404", "the program has no rules for this")
                .label(place, "needs rules of its own")
                .note("the rules of a batch are those that the program itself uses")
                .help("give the term with --input, or use the same operation in an equation of the program"),
        )),
    }
}
