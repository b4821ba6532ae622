//! Clauses: the structure of directives, queries and rules around the terms of the reader.
//!
//! The token stream is cut at the ends of clauses first, so that an error never reaches beyond its clause.

use chumsky::extra::{Full, SimpleState};
use chumsky::prelude::*;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, SourceMap, Span};

use crate::Parsed;
use crate::ast::{Arrow, Clause, ClauseKind, Module, Rule, TermId, TermKind};
use crate::flags::{self, Quotes};
use crate::lexer::{self, Tok, Token};
use crate::operators::TERM;
use crate::reader::{self, Reader};

/// Most syntax errors of a text that are shown.
const MAX_ERRORS: usize = 100;

/// Keeps the first errors of so many, and says that there are more.
pub(crate) fn cap(diagnostics: &mut Vec<Diagnostic>, code: &'static str, what: &str, most: usize) {
    let errors = diagnostics.iter().enumerate().filter(|(_, d)| d.is_error());
    let Some((at, place)) = errors.map(|(i, d)| (i, d.labels.first().map(|l| l.span))).nth(most) else {
        return;
    };
    diagnostics.truncate(at);
    let mut more = Diagnostic::error(code, format!("more than {most} {what}"));
    if let Some(place) = place {
        more = more.label(place, "the next one is here");
    }
    diagnostics.push(more.help("correct those above first; the others may follow from them"));
}

/// What the grammar works on beside the tokens.
struct Context {
    module: Module,
    diagnostics: Vec<Diagnostic>,
    /// Empty place behind the last token of the clause.
    end: Span,
    /// What text in quotes stands for in the clause.
    quotes: Quotes,
}

type State<'a> = Full<Rich<'a, Token>, SimpleState<Context>, ()>;

/// Parses a program text. Never fails: clauses with errors are left out.
pub fn parse(sources: &SourceMap, id: SourceId) -> Parsed {
    let mut parsed = parse_clauses(sources, id);
    if parsed.ast.clauses.is_empty() && parsed.diagnostics.is_empty() {
        parsed.diagnostics.push(
            Diagnostic::error("C0109", "the program is empty")
                .label(Span::new(id, 0, 0), "no clause here")
                .help("declare constraints (:- chr_constraint c/1.), write rules and a query (?- c(1).)"),
        );
    }
    parsed
}

/// Parses the text of a query: goals with or without `?-` and final full stop. Quotes mean what they mean at the end of the program.
pub(crate) fn parse_query(sources: &SourceMap, id: SourceId, quotes: Quotes) -> Parsed {
    let text = &sources.get(id).text;
    let mut diagnostics = Vec::new();
    let mut tokens = lexer::tokens(id, text, &mut diagnostics);
    let end = Span::new(id, text.len(), text.len());
    if tokens.last().is_some_and(|t| t.tok != Tok::End) {
        tokens.push(Token { tok: Tok::End, span: end });
    }
    // Every clause of the text is a query, whether it says so or not.
    let mut queries = Vec::with_capacity(tokens.len() + 1);
    let mut first = true;
    for token in tokens {
        if std::mem::replace(&mut first, token.tok == Tok::End) && !token.is_atom("?-") {
            let span = Span { end: token.span.start, ..token.span };
            queries.push(Token { tok: Tok::Atom("?-".into()), span });
        }
        queries.push(token);
    }
    let parsed = parse_tokens(queries, end, quotes, diagnostics);
    if !parsed.ast.clauses.is_empty() || !parsed.diagnostics.is_empty() {
        return parsed;
    }
    let empty = Diagnostic::error("C0109", "the query is empty")
        .label(end, "no goal here")
        .help("write goals separated by commas, such as c(1), c(2)");
    Parsed { diagnostics: vec![empty], ..parsed }
}

fn parse_clauses(sources: &SourceMap, id: SourceId) -> Parsed {
    let text = &sources.get(id).text;
    let mut diagnostics = Vec::new();
    let tokens = lexer::tokens(id, text, &mut diagnostics);
    parse_tokens(tokens, Span::new(id, text.len(), text.len()), Quotes::default(), diagnostics)
}

fn parse_tokens(tokens: Vec<Token>, end: Span, quotes: Quotes, diagnostics: Vec<Diagnostic>) -> Parsed {
    let mut state = SimpleState(Context { module: Module::default(), diagnostics, end, quotes });
    let grammar = clause();
    for tokens in tokens.split_inclusive(|t| t.tok == Tok::End) {
        if state.diagnostics.len() > MAX_ERRORS {
            break;
        }
        // What could not be read is reported already; the rest of its clause would only be misread.
        if tokens.iter().any(|t| t.tok == Tok::Error) {
            continue;
        }
        state.end = tokens.last().map_or(end, |t| t.span.after());
        let reported = state.diagnostics.len();
        let result = grammar.parse_with_state(tokens, &mut state);
        let (kind, errors) = result.into_output_errors();
        if state.diagnostics.len() == reported
            && let Some(error) = errors.first()
        {
            let error = grammar_error(error, tokens, state.end);
            state.diagnostics.push(error);
        }
        if let (Some(kind), Some(first), true) = (kind, tokens.first(), state.diagnostics.len() == reported) {
            let span = first.span.to(state.end);
            if let ClauseKind::Directive(term) = kind {
                let Context { module, quotes, .. } = &mut state.0;
                flags::set_quotes(module, term, quotes);
            }
            state.module.clauses.push(Clause { kind, span });
        }
    }
    let Context { module, mut diagnostics, quotes, .. } = state.0;
    gchr_base::diagnostic::sort(&mut diagnostics);
    cap(&mut diagnostics, "C0111", "syntax errors", MAX_ERRORS);
    Parsed { ast: module, diagnostics, quotes }
}

/// A term of at most the given priority, read by the operator-precedence reader.
fn term<'a>(max: u16) -> impl Parser<'a, &'a [Token], TermId, State<'a>> + Clone {
    custom(move |input: &mut chumsky::input::InputRef<'a, '_, &'a [Token], State<'a>>| {
        let start = input.cursor();
        let at = *start.inner();
        let tokens = input.full_slice();
        let context = &mut input.state().0;
        let mut reader = Reader::new(tokens, at, context.end, context.quotes, &mut context.module.terms);
        let result = reader.term(max);
        let next = reader.at;
        match result {
            Ok(term) => {
                (at..next).for_each(|_| input.skip());
                Ok(term)
            }
            Err(diagnostic) => {
                context.diagnostics.push(*diagnostic);
                Err(Rich::custom(input.span_since(&start), "reported"))
            }
        }
    })
}

fn symbol<'a>(name: &'static str) -> impl Parser<'a, &'a [Token], &'a Token, State<'a>> + Clone {
    any_ref().filter(move |t: &&Token| t.is_atom(name)).labelled(format!("`{name}`"))
}

fn token<'a>(tok: Tok) -> impl Parser<'a, &'a [Token], &'a Token, State<'a>> + Clone {
    let label = tok.to_string();
    any_ref().filter(move |t: &&Token| t.tok == tok).labelled(label)
}

/// Terms separated by commas, each flattened: parentheses around a part of a conjunction mean nothing.
fn terms<'a>(max: u16) -> impl Parser<'a, &'a [Token], Vec<TermId>, State<'a>> + Clone {
    term(max).map_with(|term, extra| {
        let state: &mut SimpleState<Context> = extra.state();
        state.module.members(term, ",")
    })
}

/// What follows the heads of a rule: arrow, guard, body, pragmas.
struct Tail {
    arrow: Arrow,
    arrow_span: Span,
    guard: Vec<TermId>,
    body: Vec<TermId>,
    pragmas: Vec<TermId>,
}

/// Greatest priority of heads and goals: below the `\` and `|` of rules.
const GOALS: u16 = 1099;
/// Greatest priority of a guard or a body: disjunctions are read, to be refused with a good message.
const BODY: u16 = 1100;

fn tail<'a>() -> impl Parser<'a, &'a [Token], Tail, State<'a>> + Clone {
    let arrow = choice((
        symbol("<=>").map(|t| (Arrow::Simplify, t.span)),
        symbol("==>").map(|t| (Arrow::Propagate, t.span)),
    ));
    let goals = terms(BODY);
    arrow
        .then(goals.clone())
        .then(token(Tok::Bar).ignore_then(goals).or_not())
        .then(symbol("pragma").ignore_then(terms(GOALS)).or_not())
        .map(|((((arrow, arrow_span), first), second), pragmas)| {
            let (guard, body) = match second {
                Some(body) => (first, body),
                None => (Vec::new(), first),
            };
            Tail { arrow, arrow_span, guard, body, pragmas: pragmas.unwrap_or_default() }
        })
}

/// Makes a rule of its parts. `\` belongs to `<=>` only.
fn rule(kept: Vec<TermId>, removed: Option<Vec<TermId>>, tail: Tail) -> Result<Rule, Diagnostic> {
    let Tail { arrow, arrow_span, guard, body, pragmas } = tail;
    let (kept, removed) = match (arrow, removed) {
        (Arrow::Propagate, None) => (kept, Vec::new()),
        (Arrow::Simplify, None) => (Vec::new(), kept),
        (Arrow::Simplify, Some(removed)) => (kept, removed),
        (Arrow::Propagate, Some(_)) => {
            return Err(Diagnostic::error("C0110", "a propagation rule removes no heads")
                .label(arrow_span, "`==>` behind heads with `\\`")
                .help("write `<=>` to remove the heads behind `\\`, or put `,` in place of `\\`"));
        }
    };
    Ok(Rule { name: None, kept, removed, arrow, arrow_span, guard, body, pragmas })
}

fn clause<'a>() -> impl Parser<'a, &'a [Token], ClauseKind, State<'a>> {
    let directive = symbol(":-").ignore_then(term(TERM - 1)).map(ClauseKind::Directive);
    let query = symbol("?-").ignore_then(terms(BODY)).map(ClauseKind::Query);
    let headless = any_ref()
        .filter(|t: &&Token| t.is_atom("<=>") || t.is_atom("==>"))
        .then(any_ref().repeated())
        .map(|(t, ()): (&Token, ())| Err(headless(t.span)))
        .boxed();
    // After the first heads: the rest of a rule, or of a named rule, or of a Prolog clause.
    let heads_and_tail = terms(GOALS)
        .then(symbol("\\").ignore_then(terms(GOALS)).or_not())
        .then(tail())
        .map(|((kept, removed), tail)| rule(kept, removed, tail))
        .boxed();
    let named = symbol("@").ignore_then(headless.clone().or(heads_and_tail)).map(Rest::Named).boxed();
    let unnamed = symbol("\\").ignore_then(terms(GOALS)).or_not().then(tail());
    let unnamed = unnamed.map(|(removed, tail)| Rest::Unnamed(removed, Box::new(tail))).boxed();
    let prolog = choice((symbol(":-"), symbol("-->"))).then(term(TERM - 1));
    let prolog = prolog.map(|(neck, body)| Rest::Prolog(neck.clone(), body)).boxed();
    let fact = token(Tok::End).rewind().map(|_| Rest::Fact);
    let other = term(GOALS).then(choice((named, unnamed, prolog, fact))).map_with(|(first, rest), extra| {
        let state: &mut SimpleState<Context> = extra.state();
        finish(&mut state.0, first, rest)
    });
    let headless = headless.map_with(|rule, extra| {
        let state: &mut SimpleState<Context> = extra.state();
        report(&mut state.0, rule)
    });
    choice((directive.map(Some), query.map(Some), headless, other))
        .then_ignore(token(Tok::End))
        .try_map(|kind, span| kind.ok_or_else(|| Rich::custom(span, "reported")))
}

/// What follows the first term of a clause.
enum Rest {
    Named(Result<Rule, Diagnostic>),
    Unnamed(Option<Vec<TermId>>, Box<Tail>),
    Prolog(Token, TermId),
    Fact,
}

fn finish(context: &mut Context, first: TermId, rest: Rest) -> Option<ClauseKind> {
    match rest {
        Rest::Named(rule) => report(context, rule.map(|rule| Rule { name: Some(first), ..rule })),
        Rest::Unnamed(removed, tail) => {
            let kept = context.module.members(first, ",");
            report(context, rule(kept, removed, *tail))
        }
        Rest::Prolog(neck, body) => {
            let span = context.module.span(first).to(context.module.span(body));
            let name = if neck.is_atom("-->") { "-->" } else { ":-" };
            let kind = TermKind::Compound { name: name.into(), args: vec![first, body] };
            Some(ClauseKind::Prolog(context.module.terms.push(crate::ast::Term { kind, span })))
        }
        Rest::Fact => Some(ClauseKind::Prolog(first)),
    }
}

fn report(context: &mut Context, rule: Result<Rule, Diagnostic>) -> Option<ClauseKind> {
    rule.map(ClauseKind::Rule).map_err(|d| context.diagnostics.push(d)).ok()
}

fn headless(span: Span) -> Diagnostic {
    Diagnostic::error("C0306", "this rule has no heads")
        .label(span, "nothing to match before the arrow")
        .help("write at least one constraint before the arrow; goals to start with belong into a query: ?- goals.")
}

/// A clause that cannot be read and begins like a directive, but for the `:-` or a letter.
fn misspelt_directive(tokens: &[Token]) -> Option<Diagnostic> {
    const DIRECTIVES: [&str; 5] = ["chr_constraint", "constraints", "chr_type", "handler", "rules"];
    let name = |token: Option<&Token>| match token.map(|t| &t.tok) {
        Some(Tok::Atom(name)) => Some(name.clone()),
        _ => None,
    };
    let first = tokens.first()?;
    let follows = |next: &Token| next.is_atom("@") || next.tok == Tok::OpenCall;
    if let Some(name) = name(Some(first)).filter(|name| DIRECTIVES.contains(&name.as_str()))
        && !tokens.get(1).is_some_and(follows)
    {
        let diagnostic = Diagnostic::error("C0101", "a directive begins with `:-`");
        return Some(diagnostic.label(first.span, "not a rule").help(format!("write :- {name} ...")));
    }
    let second = tokens.get(1).filter(|_| first.is_atom(":-"))?;
    let name = name(Some(second)).filter(|name| !DIRECTIVES.contains(&name.as_str()))?;
    let near = gchr_base::suggest::nearest(&name, DIRECTIVES)?;
    let diagnostic = Diagnostic::error("C0206", format!("unknown directive {name}"));
    Some(diagnostic.label(second.span, "not a directive of CHR").help(format!("did you mean {near}?")))
}

/// A diagnostic for what the grammar, not the term reader, found wrong.
fn grammar_error(error: &Rich<'_, Token>, tokens: &[Token], end: Span) -> Diagnostic {
    let at = error.span().start;
    if at >= tokens.len() {
        let place = tokens.last().map_or(end, |t| t.span);
        return Diagnostic::error("C0108", "the clause has no end")
            .label(place.after(), "the text ends here")
            .help("end every clause with a full stop followed by a line end");
    }
    if let Some(diagnostic) = misspelt_directive(tokens) {
        return diagnostic;
    }
    let expected: Vec<String> = error.expected().map(ToString::to_string).collect();
    let expected = match expected.as_slice() {
        [] => "the end of the clause".to_string(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} or {last}", init.join(", ")),
    };
    *reader::unexpected(tokens.get(at), end, &expected)
}
