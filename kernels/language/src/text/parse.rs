//! Reads a module from text: tokens, grammar, names and types, and the checks of the verifier with places in the text.

use chumsky::input::{Input, Stream};
use chumsky::prelude::*;
use gchr_base::diagnostic::{self, Diagnostic};
use gchr_base::source::{SourceId, SourceMap, Span};
use gchr_base::stack::with_large_stack;

use super::ast::Item;
use super::grammar;
use super::lex::{Token, lex};
use super::resolve::{self, Aliases};
use crate::ir::Module;
use crate::verify;

/// Reads a module.
pub fn parse(sources: &SourceMap, source: SourceId) -> Result<Module, Vec<Diagnostic>> {
    parse_with(sources, source, &Aliases::default())
}

/// Reads a module in which some type names are left open, `using T = HOLE;`.
pub fn parse_with(
    sources: &SourceMap,
    source: SourceId,
    aliases: &Aliases,
) -> Result<Module, Vec<Diagnostic>> {
    let text = &sources.get(source).text;
    // The grammar recurses at most as deeply as the lexer lets brackets nest.
    with_large_stack(|| parse_text(source, text, aliases))
}

fn parse_text(source: SourceId, text: &str, aliases: &Aliases) -> Result<Module, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let tokens = lex(source, text, &mut diagnostics);
    // Too deep a text must not reach the grammar, and unknown characters were reported already.
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let eoi = SimpleSpan::from(text.len()..text.len());
    let input = Stream::from_iter(tokens.into_iter().map(|(t, r)| (t, SimpleSpan::from(r))))
        .map(eoi, |(token, span)| (token, span));
    let (items, errors) = grammar::module().parse(input).into_output_errors();
    diagnostics.extend(errors.into_iter().map(|e| syntax_error(source, &e)));
    let items: Vec<Item> = items.unwrap_or_default();
    let resolved = resolve::module(source, &items, aliases, &mut diagnostics);
    if !diagnostic::has_errors(&diagnostics) {
        diagnostics.extend(verify::findings(&resolved.module).into_iter().map(|finding| {
            let span = resolved.place(&finding);
            finding.diagnostic().label(span, "here").help("docs/kernel-language.md says what is allowed")
        }));
    }
    diagnostic::sort(&mut diagnostics);
    if diagnostic::has_errors(&diagnostics) { Err(diagnostics) } else { Ok(resolved.module) }
}

fn syntax_error(source: SourceId, error: &Rich<'_, Token<'_>>) -> Diagnostic {
    let span = Span::new(source, error.span().start, error.span().end);
    let found = error.found().map_or("the end of the text".to_string(), |t| format!("`{t}`"));
    let (message, label) = match error.reason() {
        chumsky::error::RichReason::Custom(text) => (text.clone(), "here".to_string()),
        chumsky::error::RichReason::ExpectedFound { .. } => {
            let mut expected: Vec<_> = error.expected().map(|p| p.to_string()).collect();
            expected.sort();
            expected.dedup();
            (format!("{found} does not fit here"), format!("expected {}", expected.join(", ")))
        }
    };
    Diagnostic::error("K0002", message).label(span, label).help("docs/kernel-language.md has the grammar")
}
