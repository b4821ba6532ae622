//! Tokens to syntax tree (chumsky). Never fails: a clause that is not understood is reported and left out, and parsing
//! goes on behind its semicolon or at the next section keyword.

mod error;
mod rule;
mod sort;
mod term;

use std::ops::Range;

use chumsky::IterParser;
use chumsky::prelude::{Parser, SimpleSpan, any, choice, custom, end, just, select, via_parser};
use gchr_base::diagnostic::{Diagnostic, shorten};
use gchr_base::source::{SourceId, SourceMap, Span};

pub(crate) use self::term::read_term;

use self::error::SyntaxError;
use self::rule::Rule;
use self::sort::{part_of_profile, sort_ref};
use crate::ast::*;
use crate::lexer::{Lexed, Token, lex_with};

/// What [`parse`] found.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// All clauses without syntax errors.
    pub ast: Module,
    /// Syntax errors, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Most syntax errors that are shown.
const MAX_ERRORS: usize = 100;

/// Parses a `.trs` text. Files that it imports are not read.
pub fn parse(sources: &SourceMap, id: SourceId) -> Parsed {
    parse_with(Names::default(), sources, id)
}

/// The same, where names are added to those of other texts.
pub(crate) fn parse_with(names: Names, sources: &SourceMap, id: SourceId) -> Parsed {
    let mut diagnostics = Vec::new();
    let lexed = lex_with(names, id, &sources.get(id).text, &mut diagnostics);
    if lexed.tokens.is_empty() && diagnostics.is_empty() {
        diagnostics.push(
            Diagnostic::error("T0005", "the program is empty")
                .label(lexed.span(0), "nothing here but white space and comments")
                .help("declare sorts and equations: see `docs/language-trs.md`"),
        );
    }
    let (sections, errors) = module(&lexed).parse(lexed.tokens.as_slice()).into_output_errors();
    let keywords = section_keywords(&lexed.tokens);
    diagnostics.extend(errors.into_iter().map(|error| {
        let section = match &error {
            SyntaxError::Expected { at, .. } => section_at(&lexed.tokens, &keywords, *at),
            SyntaxError::Specific(_) => None,
        };
        error.into_diagnostic(&lexed, section)
    }));
    let (sections, mut damaged) = assemble(sections.unwrap_or_default(), &lexed.tokens);
    damaged.extend(&lexed.reported);
    damaged.sort_unstable();
    gchr_base::diagnostic::sort(&mut diagnostics);
    say_once(&mut diagnostics);
    shorten(&mut diagnostics, MAX_ERRORS, too_many(), "further errors begin here and are not shown");
    Parsed { ast: Module { source: id, names: lexed.tables.names, sections, damaged }, diagnostics }
}

/// A reserved word that is taken for a name is wrong for one reason, wherever it occurs.
fn say_once(diagnostics: &mut Vec<Diagnostic>) {
    let mut said: Vec<String> = Vec::new();
    diagnostics.retain(|diagnostic| {
        let first = !said.contains(&diagnostic.message);
        if diagnostic.message.ends_with(error::RESERVED) && first {
            said.push(diagnostic.message.clone());
        }
        first
    });
}

/// The finding that there are more than are shown.
fn too_many() -> Diagnostic {
    Diagnostic::error("T0011", format!("more than {MAX_ERRORS} syntax errors"))
        .help("is this a `.trs` program? see `docs/language-trs.md`")
}

/// Where sections begin.
fn section_keywords(tokens: &[Token]) -> Vec<usize> {
    (0..tokens.len()).filter(|&at| tokens[at].starts_section()).collect()
}

fn section_at(tokens: &[Token], keywords: &[usize], at: usize) -> Option<Token> {
    let before = keywords.partition_point(|&keyword| keyword < at);
    before.checked_sub(1).map(|i| tokens[keywords[i]])
}

/// A clause, or the tokens of one that was not understood.
type Clause<T> = Result<T, Range<usize>>;

/// A section whose clauses may be damaged.
enum RawSection {
    Sorts(Vec<Clause<SortDeclaration>>),
    Constructors(Vec<Clause<SymbolDeclaration>>),
    Maps(Vec<Clause<SymbolDeclaration>>),
    Variables(Vec<Clause<VariableDeclaration>>),
    Equations(Vec<Clause<Equation>>),
    Input(Input),
    Import(Ident),
    Strategy(Vec<Clause<StrategyClause>>),
    Damaged(Range<usize>),
}

/// Separates what was understood from the names in what was not.
fn assemble(raw: Vec<RawSection>, tokens: &[Token]) -> (Vec<Section>, Vec<Name>) {
    let mut damaged = Vec::new();
    let mut lost = |range: Range<usize>| {
        damaged.extend(tokens[range].iter().filter_map(|token| match token {
            Token::Ident(name) => Some(*name),
            _ => None,
        }));
    };
    fn keep<T>(clauses: Vec<Clause<T>>, lost: &mut impl FnMut(Range<usize>)) -> Vec<T> {
        clauses.into_iter().filter_map(|clause| clause.map_err(&mut *lost).ok()).collect()
    }
    let sections = raw
        .into_iter()
        .filter_map(|section| {
            Some(match section {
                RawSection::Sorts(clauses) => Section::Sorts(keep(clauses, &mut lost)),
                RawSection::Constructors(clauses) => Section::Constructors(keep(clauses, &mut lost)),
                RawSection::Maps(clauses) => Section::Maps(keep(clauses, &mut lost)),
                RawSection::Variables(clauses) => Section::Variables(keep(clauses, &mut lost)),
                // An equation declares nothing: its names stay unknown when they are.
                RawSection::Equations(clauses) => Section::Equations(keep(clauses, &mut |_| ())),
                RawSection::Input(input) => Section::Input(input),
                RawSection::Import(file) => Section::Import(Import { file, sections: Vec::new() }),
                RawSection::Strategy(clauses) => Section::Strategy(keep(clauses, &mut |_| ())),
                RawSection::Damaged(range) => {
                    lost(range);
                    return None;
                }
            })
        })
        .collect();
    damaged.sort_unstable();
    damaged.dedup();
    (sections, damaged)
}

fn module<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, Vec<RawSection>> {
    let section = choice((
        just(Token::Sort).ignore_then(clauses(sort_declaration(lexed))).map(RawSection::Sorts).boxed(),
        just(Token::Constructors)
            .ignore_then(clauses(symbol_declaration(lexed)))
            .map(RawSection::Constructors)
            .boxed(),
        just(Token::Map).ignore_then(clauses(symbol_declaration(lexed))).map(RawSection::Maps).boxed(),
        just(Token::Var).ignore_then(clauses(variable_declaration(lexed))).map(RawSection::Variables).boxed(),
        just(Token::Eqn).ignore_then(clauses(equation(lexed))).map(RawSection::Equations).boxed(),
        input(lexed).map(RawSection::Input).boxed(),
        import(lexed).map(RawSection::Import).boxed(),
        just(Token::Strategy).ignore_then(clauses(strategy_clause(lexed))).map(RawSection::Strategy).boxed(),
    ));
    let damaged = any().ignore_then(rest_of_clause()).map_with(|(), e| {
        let span: SimpleSpan<usize> = e.span();
        RawSection::Damaged(span.into_range())
    });
    section.recover_with(via_parser(damaged)).repeated().collect().then_ignore(end())
}

/// Skips to the end of a clause: behind the next semicolon, or before the next section keyword.
fn rest_of_clause<'t>() -> impl Rule<'t, ()> {
    any()
        .filter(|token: &Token| *token != Token::Semicolon && !token.starts_section())
        .repeated()
        .then_ignore(just(Token::Semicolon).or_not())
}

/// The clauses of a section, each behind the other up to the next section keyword.
fn clauses<'t, O: 't>(clause: impl Rule<'t, O> + 't) -> impl Rule<'t, Vec<Clause<O>>> {
    let inside = any().filter(|token: &Token| !token.starts_section()).rewind();
    let damaged = rest_of_clause().map_with(|(), e| {
        let span: SimpleSpan<usize> = e.span();
        Err(span.into_range())
    });
    inside
        .ignore_then(clause.then_ignore(semicolon()).map(Ok).recover_with(via_parser(damaged)))
        .repeated()
        .collect()
}

/// The semicolon of a clause; when it is missing at the end of a section, that is reported and the clause counts.
fn semicolon<'t>() -> impl Rule<'t, ()> {
    let missing = any().filter(|token: &Token| token.starts_section()).ignored().rewind().or(end()).validate(
        |(), e, emitter| {
            let span: SimpleSpan<usize> = e.span();
            emitter.emit(SyntaxError::Expected { expected: vec!["`;`"], at: span.start });
        },
    );
    just(Token::Semicolon).ignored().or(missing.labelled("`;`"))
}

fn ident<'t>(lexed: &'t Lexed<'t>, what: &'static str) -> impl Rule<'t, Ident> {
    select! { Token::Ident(name) => name }
        .map_with(|name, e| {
            let span: SimpleSpan<usize> = e.span();
            Ident { name, span: lexed.span(span.start) }
        })
        .labelled(what)
}

fn idents<'t>(lexed: &'t Lexed<'t>, what: &'static str) -> impl Rule<'t, Vec<Ident>> {
    ident(lexed, what).separated_by(just(Token::Comma)).at_least(1).collect()
}

/// Place of a range of tokens.
fn place(lexed: &Lexed<'_>, tokens: SimpleSpan<usize>) -> Span {
    lexed.span(tokens.start).to(lexed.span(tokens.end.saturating_sub(1).max(tokens.start)))
}

fn sort_declaration<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, SortDeclaration> {
    let named = ident(lexed, "a name").then_ignore(just(Token::Colon));
    let argument = named
        .map(Some)
        .then(sort_ref(lexed))
        .or(sort_ref(lexed).map(|sort| (None, sort)))
        .map(|(projection, sort)| StructArgument { projection, sort });
    let arguments = argument
        .separated_by(just(Token::Comma))
        .collect()
        .delimited_by(just(Token::Open), just(Token::Close));
    let symbol = ident(lexed, "a symbol")
        .then(arguments.or_not().map(Option::unwrap_or_default))
        .then(just(Token::Question).ignore_then(ident(lexed, "a name")).or_not())
        .map_with(|((name, args), recogniser), e| StructSymbol {
            name,
            args,
            recogniser,
            span: place(lexed, e.span()),
        });
    let symbols = just(Token::Struct)
        .labelled("`struct`")
        .ignore_then(symbol.separated_by(just(Token::Bar)).at_least(1).collect());
    let body = symbols.map(SortBody::Struct).or(sort_ref(lexed).map(SortBody::Alias));
    let parameters = || idents(lexed, "a name").delimited_by(just(Token::Open), just(Token::Close));
    let defined = ident(lexed, "a sort")
        .then(parameters().or_not().map(Option::unwrap_or_default))
        .then_ignore(just(Token::Equals))
        .then(body)
        .map(|((name, parameters), body)| (vec![name], parameters, body));
    let applied = ident(lexed, "a sort")
        .then(parameters())
        .map(|(name, parameters)| (vec![name], parameters, SortBody::Own));
    let own = idents(lexed, "a sort").map(|names| (names, Vec::new(), SortBody::Own));
    defined.or(applied).or(own).map_with(|(names, parameters, body), e| SortDeclaration {
        names,
        parameters,
        body,
        span: place(lexed, e.span()),
    })
}

fn symbol_declaration<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, SymbolDeclaration> {
    let sorts = part_of_profile(lexed).separated_by(just(Token::Hash)).at_least(1).collect::<Vec<_>>();
    let result = just(Token::Arrow).ignore_then(part_of_profile(lexed));
    let profile =
        sorts.then(result.or_not()).try_map(|(mut sorts, result), span: SimpleSpan<usize>| {
            match (result, sorts.len()) {
                (Some(result), _) => Ok((sorts, result)),
                (None, 1) => Ok((Vec::new(), sorts.remove(0))),
                (None, _) => Err(SyntaxError::Expected { expected: vec!["`->`"], at: span.end }),
            }
        });
    let axioms = axiom(lexed)
        .repeated()
        .at_least(1)
        .collect()
        .delimited_by(just(Token::OpenSquare), just(Token::CloseSquare));
    let symbols = idents(lexed, "a symbol").then_ignore(just(Token::Colon)).then(profile);
    symbols.then(axioms.or_not()).map_with(|((names, (args, result)), axioms), e| {
        let axioms = axioms.unwrap_or_default();
        SymbolDeclaration { names, args, result, axioms, span: place(lexed, e.span()) }
    })
}

fn axiom<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, Axiom> {
    let identity = word(lexed, "id", "`id`")
        .ignore_then(just(Token::Colon).labelled("`:`"))
        .ignore_then(ident(lexed, "a constant"));
    choice((
        word(lexed, "assoc", "`assoc`").map(|()| AxiomKind::Associative),
        word(lexed, "comm", "`comm`").map(|()| AxiomKind::Commutative),
        identity.map(AxiomKind::Identity),
    ))
    .map_with(|kind, e| Axiom { kind, span: place(lexed, e.span()) })
}

fn variable_declaration<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, VariableDeclaration> {
    idents(lexed, "a variable")
        .then_ignore(just(Token::Colon))
        .then(just(Token::AnySort).map(|_| None).or(sort_ref(lexed).map(Some)))
        .map_with(|(names, sort), e| VariableDeclaration { names, sort, span: place(lexed, e.span()) })
}

fn term<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, Term> {
    custom(|input| {
        let start = *input.cursor().inner();
        let (term, end) = read_term(lexed, start).map_err(SyntaxError::Specific)?;
        (start..end).for_each(|_| input.skip());
        Ok(term)
    })
}

fn equation<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, Equation> {
    let condition = just(Token::Arrow).ignore_then(term(lexed));
    let binding = ident(lexed, "a variable")
        .then_ignore(just(Token::Equals))
        .then(term(lexed))
        .map(|(name, value)| Binding { name, value });
    let values = binding
        .separated_by(just(Token::Comma))
        .at_least(1)
        .collect()
        .delimited_by(word(lexed, "whr", "`whr`"), word(lexed, "end", "`end`"));
    let otherwise =
        word(lexed, "owise", "`owise`").delimited_by(just(Token::OpenSquare), just(Token::CloseSquare));
    let sides = term(lexed).then(condition.or_not()).then_ignore(just(Token::Equals)).then(term(lexed));
    sides.then(values.or_not()).then(otherwise.or_not()).map_with(
        |((((first, second), right), values), otherwise), e| {
            let (condition, left) = match second {
                Some(left) => (Some(first), left),
                None => (None, first),
            };
            let (values, otherwise) = (values.unwrap_or_default(), otherwise.is_some());
            Equation { condition, left, right, values, otherwise, span: place(lexed, e.span()) }
        },
    )
}

/// A word that is a name elsewhere.
fn word<'t>(lexed: &'t Lexed<'t>, text: &'static str, shown: &'static str) -> impl Rule<'t, ()> {
    any()
        .filter(move |token| matches!(token, Token::Ident(name) if lexed.tables.names.get(*name) == text))
        .ignored()
        .labelled(shown)
}

fn import<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, Ident> {
    let file = select! { Token::Text(name) => name }.map_with(|name, e| {
        let span: SimpleSpan<usize> = e.span();
        Ident { name, span: lexed.span(span.start) }
    });
    just(Token::Import).ignore_then(file.labelled("a text in quotes")).then_ignore(semicolon())
}

fn strategy_clause<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, StrategyClause> {
    let argument = || {
        choice(ARGUMENTS.map(|(text, kind)| word(lexed, text, "`_`, `lazy` or `frozen`").map(move |()| kind)))
            .map_with(|kind, e| StrategyArgument { kind, span: place(lexed, e.span()) })
    };
    let list = argument()
        .then_ignore(just(Token::Cons))
        .then(argument())
        .map(|(first, rest)| StrategyKind::Arguments { symbol: None, args: vec![first, rest] });
    let arguments = argument()
        .separated_by(just(Token::Comma))
        .collect()
        .delimited_by(just(Token::Open), just(Token::Close));
    let symbol = ident(lexed, "a symbol")
        .then(arguments)
        .map(|(symbol, args)| StrategyKind::Arguments { symbol: Some(symbol), args });
    let order = choice(ORDERS.map(|(text, order)| {
        word(lexed, text, "`innermost` or `outermost`").map(move |()| StrategyKind::Order(order))
    }));
    choice((list, symbol, order)).map_with(|kind, e| StrategyClause { kind, span: place(lexed, e.span()) })
}

fn input<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, Input> {
    let keyword = just(Token::Input).map_with(|_, e| {
        let span: SimpleSpan<usize> = e.span();
        lexed.span(span.start)
    });
    keyword
        .then(term(lexed))
        .then_ignore(just(Token::Semicolon).or_not())
        .map(|(keyword, term)| Input { term, keyword })
}
