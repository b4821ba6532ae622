//! Tokens of a text, clause by clause: logos finds them, [`scan`] reads the bodies of numbers and quoted items.

mod scan;

use std::fmt::{self, Display, Formatter};

use gchr_base::diagnostic::Diagnostic;
use gchr_base::logic::Rational;
use gchr_base::source::{SourceId, Span};
use logos::{Lexer, Logos};
use num_bigint::BigInt;

pub(crate) use scan::comment_length;

/// What logos collects beside the tokens.
#[derive(Default)]
pub(crate) struct Extras {
    problems: Vec<Problem>,
}

/// Something wrong inside a token.
struct Problem {
    code: &'static str,
    start: usize,
    end: usize,
    message: &'static str,
    label: &'static str,
    help: &'static str,
}

/// A token as logos sees it.
#[derive(Logos, Clone, PartialEq, Debug)]
#[logos(extras = Extras)]
// Characters of symbolic atoms, but for those of comments.
#[logos(subpattern symbol = r"[+\-\\^<>=~:.?@#&$[\p{S}\p{P}\p{No}--[\p{ASCII}\p{XID_Continue}]]]")]
#[logos(skip r"[\s\u{FEFF}]+")]
#[logos(skip(r"%[^\n]*", allow_greedy = true))]
enum Raw {
    #[token("/*", scan::block_comment)]
    Comment,
    #[regex(r"[\p{Lu}_]\p{XID_Continue}*")]
    Var,
    #[regex(r"[\p{XID_Start}--\p{Lu}]\p{XID_Continue}*")]
    Name,
    #[regex(r"((?&symbol)|\*)((?&symbol)|[*/])*")]
    #[regex(r"/(((?&symbol)|/)((?&symbol)|[*/])*)?")]
    Symbol,
    #[regex("[!;]")]
    Solo,
    #[regex("[0-9]", scan::number)]
    Number(Tok),
    #[regex("[\"'`]", scan::quoted)]
    Quoted(Tok),
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("[")]
    OpenList,
    #[token("]")]
    CloseList,
    #[token("{")]
    OpenCurly,
    #[token("}")]
    CloseCurly,
    #[token(",")]
    Comma,
    #[token("|")]
    Bar,
}

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Tok {
    /// An atom without quotes.
    Atom(String),
    /// An atom in quotes: never an operator.
    QuotedAtom(String),
    Var(String),
    /// Magnitude of an integer.
    Int(u64),
    /// Magnitude of an integer of more than 64 bits.
    Big(BigInt),
    /// Magnitude of a rational number.
    Rational(Rational),
    Float(f64),
    Str(String),
    /// A back-quoted list of character codes.
    Codes(String),
    Open,
    /// An opening parenthesis directly behind a functor.
    OpenCall,
    Close,
    OpenList,
    CloseList,
    OpenCurly,
    CloseCurly,
    Comma,
    Bar,
    /// The full stop that ends a clause.
    End,
    /// Reported already.
    Error,
}

impl Display for Tok {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let punctuation = match self {
            Tok::Atom(name) => return write!(f, "`{name}`"),
            Tok::QuotedAtom(name) => return write!(f, "'{name}'"),
            Tok::Var(name) => return write!(f, "variable {name}"),
            Tok::Int(n) => return write!(f, "{n}"),
            Tok::Big(n) => return write!(f, "{n}"),
            Tok::Rational(n) => return write!(f, "{n}"),
            Tok::Float(x) => return write!(f, "{x:?}"),
            Tok::Str(_) | Tok::Codes(_) => "a string",
            Tok::Open | Tok::OpenCall => "`(`",
            Tok::Close => "`)`",
            Tok::OpenList => "`[`",
            Tok::CloseList => "`]`",
            Tok::OpenCurly => "`{`",
            Tok::CloseCurly => "`}`",
            Tok::Comma => "`,`",
            Tok::Bar => "`|`",
            Tok::End => "the end of the clause",
            Tok::Error => "an unreadable token",
        };
        f.write_str(punctuation)
    }
}

/// A token with its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Token {
    pub tok: Tok,
    pub span: Span,
}

impl Display for Token {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.tok.fmt(f)
    }
}

impl Token {
    /// Whether this is the unquoted atom `name`.
    pub fn is_atom(&self, name: &str) -> bool {
        matches!(&self.tok, Tok::Atom(n) if n == name)
    }
}

/// Most unreadable tokens of a clause that are reported: the parser shows no more errors.
const MAX_ERRORS: usize = 100;

/// Reads the tokens of the clause that begins at the byte `at`, its full stop included; the byte behind them. What
/// cannot
/// be read becomes [`Tok::Error`] and a diagnostic.
pub(crate) fn clause(
    source: SourceId,
    text: &str,
    at: usize,
    tokens: &mut Vec<Token>,
    diagnostics: &mut Vec<Diagnostic>,
) -> usize {
    tokens.clear();
    let at = if at == 0 { first_line_of_script(text) } else { at };
    let mut lexer = Raw::lexer(&text[at..]);
    let reported = diagnostics.len();
    let mut end = text.len();
    while let Some(raw) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(source, at + range.start, at + range.end);
        let glued = tokens.last().is_some_and(|t| t.span.end == span.start);
        let tok = match raw {
            Ok(Raw::Comment) => continue,
            Ok(raw) => token(raw, &lexer, glued),
            Err(()) => {
                if diagnostics.len() - reported <= MAX_ERRORS {
                    unknown_character(span, lexer.slice(), diagnostics);
                }
                Tok::Error
            }
        };
        let is_end = tok == Tok::End;
        tokens.push(Token { tok, span });
        if is_end {
            end = span.end as usize;
            break;
        }
    }
    diagnostics.extend(lexer.extras.problems.iter().take(MAX_ERRORS + 1).map(|p| {
        let place = Span::new(source, at + p.start, at + p.end);
        Diagnostic::error(p.code, p.message).label(place, p.label).help(p.help)
    }));
    end
}

/// Length of the line `#!...` that tells systems what runs a script, without its end.
pub(crate) fn first_line_of_script(text: &str) -> usize {
    if text.starts_with("#!") { text.find('\n').unwrap_or(text.len()) } else { 0 }
}

fn token(raw: Raw, lexer: &Lexer<'_, Raw>, glued: bool) -> Tok {
    let ends = |rest: &str| rest.chars().next().is_none_or(|c| c.is_whitespace() || c == '%');
    match raw {
        Raw::Symbol if lexer.slice() == "." && ends(lexer.remainder()) => Tok::End,
        Raw::Name | Raw::Symbol | Raw::Solo => Tok::Atom(lexer.slice().into()),
        Raw::Var => Tok::Var(lexer.slice().into()),
        Raw::Number(tok) | Raw::Quoted(tok) => tok,
        Raw::Open if glued => Tok::OpenCall,
        Raw::Open => Tok::Open,
        Raw::Close => Tok::Close,
        Raw::OpenList => Tok::OpenList,
        Raw::CloseList => Tok::CloseList,
        Raw::OpenCurly => Tok::OpenCurly,
        Raw::CloseCurly => Tok::CloseCurly,
        Raw::Comma => Tok::Comma,
        Raw::Bar => Tok::Bar,
        Raw::Comment => Tok::Error,
    }
}

fn unknown_character(span: Span, text: &str, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.push(
        Diagnostic::error("C0107", format!("the character {} starts no token", text.escape_debug()))
            .label(span, "not part of any token")
            .help("put it in quotes when it is part of an atom or a string, else remove it"),
    );
}
