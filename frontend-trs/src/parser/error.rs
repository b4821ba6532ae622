//! Syntax errors as chumsky collects them, and as diagnostics.

use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::span::SimpleSpan;
use chumsky::util::MaybeRef;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::Span;

use crate::lexer::{Lexed, Token};

/// A syntax error: something else was expected at a token, or a finding with its own code.
#[derive(Clone, Debug)]
pub(crate) enum SyntaxError {
    /// What could stand at token `at`.
    Expected { expected: Vec<&'static str>, at: usize },
    /// Ready for the user; wins over the above.
    Specific(Box<Diagnostic>),
}

/// What the parser reads.
pub(crate) type Tokens<'t> = &'t [Token];

impl<'t> Error<'t, Tokens<'t>> for SyntaxError {
    fn merge(self, other: Self) -> Self {
        match (self, other) {
            // What reads sorts by itself gets further than what is tried beside it.
            (SyntaxError::Expected { at, .. }, later @ SyntaxError::Expected { at: further, .. })
                if further > at =>
            {
                later
            }
            (further @ SyntaxError::Expected { at, .. }, SyntaxError::Expected { at: before, .. })
                if before < at =>
            {
                further
            }
            (SyntaxError::Expected { mut expected, at }, SyntaxError::Expected { expected: more, .. }) => {
                expected.extend(more);
                SyntaxError::Expected { expected, at }
            }
            (specific @ SyntaxError::Specific(_), _) | (_, specific) => specific,
        }
    }
}

impl<'t> LabelError<'t, Tokens<'t>, DefaultExpected<'t, Token>> for SyntaxError {
    fn expected_found<E: IntoIterator<Item = DefaultExpected<'t, Token>>>(
        expected: E,
        _found: Option<MaybeRef<'t, Token>>,
        span: SimpleSpan<usize>,
    ) -> Self {
        let name = |what: DefaultExpected<'t, Token>| match what {
            DefaultExpected::Token(token) => Some(token.describe()),
            DefaultExpected::EndOfInput => Some("the end of the text"),
            _ => None,
        };
        SyntaxError::Expected { expected: expected.into_iter().filter_map(name).collect(), at: span.start }
    }
}

impl<'t> LabelError<'t, Tokens<'t>, &'static str> for SyntaxError {
    fn expected_found<E: IntoIterator<Item = &'static str>>(
        expected: E,
        _found: Option<MaybeRef<'t, Token>>,
        span: SimpleSpan<usize>,
    ) -> Self {
        SyntaxError::Expected { expected: expected.into_iter().collect(), at: span.start }
    }

    fn label_with(&mut self, label: &'static str) {
        if let SyntaxError::Expected { expected, .. } = self {
            *expected = vec![label];
        }
    }
}

impl SyntaxError {
    /// For the user. `section` is the keyword of the section the error stands in.
    pub fn into_diagnostic(self, lexed: &Lexed<'_>, section: Option<Token>) -> Diagnostic {
        let (mut expected, at) = match self {
            SyntaxError::Specific(diagnostic) => return *diagnostic,
            SyntaxError::Expected { expected, at } => (expected, at),
        };
        if let Some(slip) = slip(lexed, section, &expected, at) {
            return slip;
        }
        let found = lexed.show(at);
        expected.sort_unstable();
        expected.dedup();
        let message = match expected.as_slice() {
            [] => format!("unexpected {found}"),
            [one] => format!("expected {one}, found {found}"),
            [rest @ .., last] => format!("expected {} or {last}, found {found}", rest.join(", ")),
        };
        let is_comment = begins_a_foreign_comment(lexed, at);
        let help = if is_comment { COMMENT } else { form(section) };
        let next = lexed.tokens.get(at);
        let begins = next.is_none_or(|next| next.starts_section() || matches!(next, Token::Ident(_)));
        let is_missing = begins && !is_comment && expected.contains(&"`;`");
        let ended = at.checked_sub(1).filter(|_| is_missing);
        if let Some(place) = ended.and_then(|last| end_of_line(lexed, last)) {
            return Diagnostic::error("T0003", message).label(place, "`;` is missing here").help(help);
        }
        Diagnostic::error("T0003", message).label(lexed.span(at), "not understood here").help(help)
    }
}

/// How messages about reserved words end.
pub(crate) const RESERVED: &str = "is a reserved word";

/// A reserved word at the place of a name.
pub(crate) fn reserved(lexed: &Lexed<'_>, at: usize) -> Diagnostic {
    Diagnostic::error("T0003", format!("{} {RESERVED}", lexed.show(at)))
        .label(lexed.span(at), "taken for a name here")
        .help("choose another name: `sort struct cons map var eqn input div mod` are reserved")
}

/// Whether a token is a word that could be taken for a name.
fn is_reserved_word(token: Option<&Token>) -> bool {
    token.is_some_and(|token| {
        token.starts_section() && !matches!(token, Token::Import | Token::Strategy)
            || matches!(token, Token::AnySort | Token::Struct | Token::IntDiv | Token::Mod)
    })
}

/// Words that are taken for those that sections begin with.
const OTHER_WORDS: [(&str, &[&str]); 5] = [
    ("eqn", &["eq", "eqs", "eqns", "equation", "equations", "rule", "rules", "ceq"]),
    ("var", &["vars", "variable", "variables"]),
    ("sort", &["sorts", "type", "types", "data"]),
    ("map", &["maps", "op", "ops", "opns", "fun", "func", "function", "functions"]),
    ("cons", &["con", "constructor", "constructors"]),
];

/// What was probably meant, where that is known.
fn slip(lexed: &Lexed<'_>, section: Option<Token>, expected: &[&str], at: usize) -> Option<Diagnostic> {
    let token = |at: usize| lexed.tokens.get(at);
    let before = at.checked_sub(1)?;
    if section == Some(Token::Eqn) && token(at) == Some(&Token::Arrow) {
        return Some(
            Diagnostic::error("T0003", "a condition is a term, not an equation")
                .label(lexed.span(at), "what stands before is the condition")
                .help("compare with `==`: `X == Y -> L = R;`"),
        );
    }
    let starts_clause = before == 0 || token(before - 1) == Some(&Token::Semicolon);
    if let (Some(Token::Ident(name)), true) = (token(before), starts_clause) {
        let word = lexed.tables.names.get(*name);
        let meant = OTHER_WORDS.iter().find(|(_, others)| others.contains(&word)).map(|(meant, _)| meant);
        if let Some(meant) = meant {
            return Some(
                Diagnostic::error("T0003", format!("no section begins with `{word}`"))
                    .label(lexed.span(before), "taken for a name")
                    .help(format!("write `{meant}`")),
            );
        }
    }
    let wants_name =
        expected.iter().any(|what| ["a symbol", "a variable", "a sort", "a name"].contains(what));
    if wants_name && is_reserved_word(token(at)) && !token(before).is_some_and(|t| *t == Token::Semicolon) {
        return Some(reserved(lexed, at));
    }
    let goes_on = matches!(token(at), Some(Token::Colon | Token::Close | Token::Semicolon | Token::Comma));
    let is_word = token(before).is_some_and(|token| token.starts_section());
    (wants_name && goes_on && is_word).then(|| reserved(lexed, before))
}

/// The end of token `last`, where no other follows in its line: what ends a clause is missing there, and not where the
/// next one begins.
fn end_of_line(lexed: &Lexed<'_>, last: usize) -> Option<Span> {
    let (place, next) = (lexed.span(last), lexed.span(last + 1));
    let between = &lexed.text[place.end as usize..next.start as usize];
    let is_end = last + 1 == lexed.tokens.len() || between.contains('\n');
    is_end.then_some(Span { start: place.end, ..place })
}

/// The way out where a line looks like a comment of another language.
const COMMENT: &str = "comments start with `%`";

/// Whether a line begins at token `at` as comments of Haskell, C++ or Python do.
fn begins_a_foreign_comment(lexed: &Lexed<'_>, at: usize) -> bool {
    let (before, behind) = lexed.text.split_at(lexed.span(at).start as usize);
    let marks = ["--", "//", "#"];
    // Not the line as a whole: one line may hold all errors.
    let before = before.trim_end_matches(|c: char| c != '\n' && c.is_whitespace());
    (before.is_empty() || before.ends_with('\n')) && marks.iter().any(|mark| behind.starts_with(mark))
}

/// What a clause of a section looks like.
fn form(section: Option<Token>) -> &'static str {
    match section {
        Some(Token::Sort) => {
            "write `sort Nat = struct Zero() | S(Nat);`, `sort Item;`, `sort Row = List;` or `sort Box(A) = struct C(A);`"
        }
        Some(Token::Cons) => "write `cons Nil: List; Cons: Nat # List -> List;`",
        Some(Token::Map) => "write `map Plus: Nat # Nat -> Nat;`",
        Some(Token::Var) => "write `var X, Y: Nat;`, or `var A: sort;` of a variable that stands for sorts",
        Some(Token::Eqn) => "write `eqn L = R;`, `eqn C -> L = R;` or `eqn L = R whr X = T end;`",
        Some(Token::Input) => "write `input T;` with one term",
        Some(Token::Import) => "write `import \"lists.trs\";` with the name of a file",
        Some(Token::Strategy) => {
            "write `strategy outermost;`, `strategy Cons(_, lazy);` or `strategy If(_, frozen, frozen);`"
        }
        _ => {
            "a program is made of sections that start with `sort`, `cons`, `map`, `var`, `eqn`, `strategy`, `input` or `import`"
        }
    }
}
