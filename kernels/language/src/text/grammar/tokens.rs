//! Parsers of single tokens, and combinators that all parts of the grammar use.

use chumsky::input::ValueInput;
use chumsky::prelude::*;

use crate::names::KEYWORDS;
use crate::text::ast::Ident;
use crate::text::lex::Token;

/// How errors are reported.
pub(in crate::text) type Extra<'t, 's> = extra::Err<Rich<'t, Token<'s>>>;

/// The input of the grammar: tokens with their bytes.
pub(in crate::text) trait Tokens<'t, 's: 't>:
    ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>
{
}
impl<'t, 's: 't, I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>> Tokens<'t, 's> for I {}

/// A boxed sub-parser, which keeps types and build times small.
pub(in crate::text) type Part<'t, 's, I, O> = Boxed<'t, 't, I, O, Extra<'t, 's>>;

pub(super) fn punct<'t, 's: 't, I: Tokens<'t, 's>>(text: &'static str) -> Part<'t, 's, I, ()> {
    just(Token::Punct(text)).ignored().boxed()
}

pub(super) fn word<'t, 's: 't, I: Tokens<'t, 's>>(text: &'static str) -> Part<'t, 's, I, ()> {
    just(Token::Word(text)).ignored().boxed()
}

/// A name that is not a keyword.
pub(super) fn ident<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Ident> {
    select! { Token::Word(s) if !KEYWORDS.contains(&s) => s }
        .map_with(|s, e| Ident { name: s.to_string(), span: span(e.span()) })
        .labelled("a name")
        .boxed()
}

pub(super) fn span(span: SimpleSpan) -> std::ops::Range<usize> {
    span.start..span.end
}

pub(super) fn parens<'t, 's: 't, I: Tokens<'t, 's>, O: 't>(
    inner: impl Parser<'t, I, O, Extra<'t, 's>> + 't,
) -> Part<'t, 's, I, O> {
    inner.delimited_by(punct("("), punct(")")).boxed()
}

pub(super) fn list<'t, 's: 't, I: Tokens<'t, 's>, O: 't>(
    item: impl Parser<'t, I, O, Extra<'t, 's>> + 't,
) -> Part<'t, 's, I, Vec<O>> {
    item.separated_by(punct(",")).collect().boxed()
}
