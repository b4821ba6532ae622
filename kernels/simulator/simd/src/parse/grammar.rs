//! Tokens (logos) and lines (chumsky) of the text form.

use std::fmt;

use chumsky::input::{Input, Stream, ValueInput};
use chumsky::prelude::*;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, Span};
use logos::Logos;

/// A token. Names of instructions are words like any other.
#[derive(Logos, Clone, Copy, PartialEq, Debug)]
#[logos(skip r"[ \t\r\f\u{FEFF}]+", skip(r"%[^\n]*", allow_greedy = true))]
enum Token<'s> {
    #[token("\n")]
    NewLine,
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Word(&'s str),
    #[regex(r"\.[A-Za-z_]+", |lex| &lex.slice()[1..])]
    Directive(&'s str),
    #[regex("-?[0-9]+")]
    Number(&'s str),
    #[regex(r"[,:*\[\]]")]
    Punct(&'s str),
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::NewLine => f.write_str("the end of the line"),
            Token::Word(s) | Token::Number(s) | Token::Punct(s) => write!(f, "`{s}`"),
            Token::Directive(s) => write!(f, "`.{s}`"),
        }
    }
}

/// Something with its place.
pub(super) type At<T> = (T, SimpleSpan);

/// An operand as it is written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Arg<'s> {
    Word(&'s str),
    Number(&'s str),
}

/// An operand, and whether it is in brackets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Written<'s> {
    pub arg: Arg<'s>,
    pub cell: bool,
    pub span: SimpleSpan,
}

/// A piece of memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Item<'s> {
    /// What follows is stored from here on.
    Address(&'s str),
    /// A value, or `_`, so many times.
    Values { value: Arg<'s>, count: Option<At<&'s str>> },
}

/// What a line says besides its labels.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Statement<'s> {
    Instr {
        name: &'s str,
        args: Vec<Written<'s>>,
    },
    /// `.threads 8` and the like, or `.memory` and what is in it.
    Directive {
        name: &'s str,
        items: Vec<At<Item<'s>>>,
    },
}

/// A line.
#[derive(Clone, Default, PartialEq, Debug)]
pub(super) struct Line<'s> {
    pub labels: Vec<At<&'s str>>,
    pub statement: Option<At<Statement<'s>>>,
}

/// How errors are reported.
type Extra<'t, 's> = extra::Err<Rich<'t, Token<'s>>>;

/// The input of the grammar: tokens with their bytes.
trait Tokens<'t, 's: 't>: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan> {}
impl<'t, 's: 't, I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>> Tokens<'t, 's> for I {}

/// A sub-parser behind a pointer, which keeps types and build times small.
type Part<'t, 's, I, O> = Boxed<'t, 't, I, O, Extra<'t, 's>>;

/// The lines of a program.
pub(super) fn lines<'s>(source: SourceId, text: &'s str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Line<'s>> {
    let input = tokens(source, text, diagnostics);
    let (lines, errors) = program().parse(input).into_output_errors();
    diagnostics.extend(errors.iter().map(|e| syntax_error(source, e)));
    lines.unwrap_or_default()
}

/// The contents of a memory file.
pub(super) fn memory<'s>(
    source: SourceId,
    text: &'s str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<At<Item<'s>>> {
    let input = tokens(source, text, diagnostics);
    let breaks = || just(Token::NewLine).repeated();
    let file = breaks().ignore_then(item().then_ignore(breaks()).repeated().collect());
    let (items, errors) = file.parse(input).into_output_errors();
    diagnostics.extend(errors.iter().map(|e| syntax_error(source, e)));
    items.unwrap_or_default()
}

fn tokens<'t, 's: 't>(
    source: SourceId,
    text: &'s str,
    diagnostics: &mut Vec<Diagnostic>,
) -> impl Tokens<'t, 's> + use<'t, 's> {
    let mut all = Vec::new();
    for (token, range) in Token::lexer(text).spanned() {
        let span = SimpleSpan::from(range);
        match token {
            // What was reported here must not be reported again by the grammar.
            Ok(token) => all.push((token, span)),
            Err(()) => diagnostics.push(
                Diagnostic::error("S0001", "a character that µ-SIMD programs do not use")
                    .label(place(source, span), "this is no token")
                    .help("remove it; a comment begins with %"),
            ),
        }
    }
    let end = SimpleSpan::from(text.len()..text.len());
    Stream::from_iter(all).map(end, |(token, span)| (token, span))
}

pub(super) fn place(source: SourceId, span: SimpleSpan) -> Span {
    Span::new(source, span.start, span.end)
}

fn punct<'t, 's: 't, I: Tokens<'t, 's>>(text: &'static str) -> Part<'t, 's, I, ()> {
    just(Token::Punct(text)).ignored().boxed()
}

fn word<'t, 's: 't, I: Tokens<'t, 's>>(what: &'static str) -> Part<'t, 's, I, &'s str> {
    select! { Token::Word(s) => s }.labelled(what).boxed()
}

fn number<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, &'s str> {
    select! { Token::Number(s) => s }.labelled("a number").boxed()
}

fn arg<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Arg<'s>> {
    word("a name").map(Arg::Word).or(number().map(Arg::Number)).boxed()
}

fn item<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, At<Item<'s>>> {
    let address = number().then_ignore(punct(":")).map(Item::Address);
    let count = punct("*").ignore_then(number().map_with(|n, e| (n, e.span()))).or_not();
    let values = arg().then(count).map(|(value, count)| Item::Values { value, count });
    address.or(values).map_with(|item, e| (item, e.span())).boxed()
}

fn statement<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Statement<'s>> {
    let bracketed = arg().delimited_by(punct("["), punct("]")).map(|arg| (arg, true));
    let written = bracketed.or(arg().map(|arg| (arg, false)));
    let written = written.map_with(|(arg, cell), e| Written { arg, cell, span: e.span() });
    let args = written.separated_by(punct(",")).collect();
    let instr = word("an instruction").then(args).map(|(name, args)| Statement::Instr { name, args });
    let directive = select! { Token::Directive(s) => s }.labelled("a directive");
    let directive =
        directive.then(item().repeated().collect()).map(|(name, items)| Statement::Directive { name, items });
    instr.or(directive).boxed()
}

fn program<'t, 's: 't, I: Tokens<'t, 's>>() -> impl Parser<'t, I, Vec<Line<'s>>, Extra<'t, 's>> {
    let line_end = || just(Token::NewLine).ignored().or(end()).rewind();
    let label = word("a label").then_ignore(punct(":")).map_with(|name, e| (name, e.span()));
    let statement = statement().map_with(|statement, e| (statement, e.span())).or_not();
    let line = label
        .repeated()
        .collect()
        .then(statement)
        .then_ignore(line_end())
        .map(|(labels, statement)| Line { labels, statement });
    let damaged = any().filter(|token| *token != Token::NewLine).repeated().map(|()| Line::default());
    let line = line.recover_with(via_parser(damaged.then_ignore(line_end())));
    line.separated_by(just(Token::NewLine)).collect()
}

fn syntax_error(source: SourceId, error: &Rich<'_, Token<'_>>) -> Diagnostic {
    let found = error.found().map_or("the end of the text".to_string(), ToString::to_string);
    let mut expected: Vec<_> = error.expected().map(|pattern| pattern.to_string()).collect();
    expected.sort();
    expected.dedup();
    Diagnostic::error("S0002", format!("{found} does not fit here"))
        .label(place(source, *error.span()), format!("expected {}", expected.join(", ")))
        .help("docs/simd.md has the grammar")
}
