//! Tokens of a CHR text: logos finds them, [`scan`] reads the bodies of numbers and quoted items.

mod scan;

use std::fmt::{self, Display, Formatter};

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, Span};
use logos::{Lexer, Logos};

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
#[logos(skip r"[\s\u{FEFF}]+")]
#[logos(skip(r"%[^\n]*", allow_greedy = true))]
enum Raw {
    #[token("/*", scan::block_comment)]
    Comment,
    #[regex(r"[\p{Lu}\p{Lt}_]\p{XID_Continue}*")]
    Var,
    #[regex(r"[\p{XID_Start}--[\p{Lu}\p{Lt}]]\p{XID_Continue}*")]
    Name,
    #[regex(r"[+\-*\\^<>=~:.?@#&$][+\-*/\\^<>=~:.?@#&$]*|/([+\-/\\^<>=~:.?@#&$][+\-*/\\^<>=~:.?@#&$]*)?")]
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
    /// Magnitude of an integer; 2^63 is legal behind a minus sign only.
    Int(u64),
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

/// Most unreadable tokens that are reported: the parser shows no more errors.
const MAX_ERRORS: usize = 100;

/// All tokens of a text; what cannot be read becomes [`Tok::Error`] and a diagnostic.
pub(crate) fn tokens(source: SourceId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Raw::lexer(text);
    let mut tokens: Vec<Token> = Vec::new();
    while let Some(raw) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(source, range.start, range.end);
        let glued = tokens.last().is_some_and(|t| t.span.end == span.start);
        let tok = match raw {
            Ok(Raw::Comment) => continue,
            Ok(raw) => token(raw, &lexer, glued),
            Err(()) => {
                if diagnostics.len() <= MAX_ERRORS {
                    unknown_character(span, &text[range], diagnostics);
                }
                Tok::Error
            }
        };
        tokens.push(Token { tok, span });
    }
    diagnostics.extend(lexer.extras.problems.iter().take(MAX_ERRORS + 1).map(|p| {
        Diagnostic::error(p.code, p.message).label(Span::new(source, p.start, p.end), p.label).help(p.help)
    }));
    tokens
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
