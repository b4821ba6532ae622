//! Tokens of the text form.

use std::fmt;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, Span};
use logos::Logos;

/// A token. Keywords are identifiers to the lexer.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[logos(skip r"[ \t\r\n]+")]
pub(super) enum Token<'s> {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word(&'s str),
    /// Integer or float, with its suffix.
    #[regex(r"[0-9][0-9A-Za-z_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?")]
    Number(&'s str),
    #[regex(r#""[^"\n]*""#, |lex| { let s = lex.slice(); &s[1..s.len() - 1] })]
    Text(&'s str),
    #[regex(r"\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^<>=!~?:;,.(){}\[\]]")]
    Punct(&'s str),
    /// The line without its slashes and one space.
    #[regex(r"//[^\n]*", |lex| comment(lex.slice()), allow_greedy = true)]
    Comment(&'s str),
    /// `//@ 12`: the program line that the next statement comes from.
    #[regex(r"//@ [0-9]+", |lex| &lex.slice()[4..], priority = 20)]
    Line(&'s str),
    #[regex(r"#pragma unroll")]
    Unroll,
    /// What is none of these.
    Unknown,
}

fn comment(slice: &str) -> &str {
    let text = slice[2..].trim_end_matches('\r');
    text.strip_prefix(' ').unwrap_or(text)
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(s) | Token::Number(s) | Token::Punct(s) => f.write_str(s),
            Token::Text(s) => write!(f, "\"{s}\""),
            Token::Comment(_) | Token::Line(_) => f.write_str("a comment"),
            Token::Unroll => f.write_str("#pragma unroll"),
            Token::Unknown => f.write_str("an unknown character"),
        }
    }
}

/// A token and its bytes.
pub(super) type Spanned<'s> = (Token<'s>, std::ops::Range<usize>);

/// Brackets may be nested this deeply.
const MAX_NESTING: usize = 256;
/// Tokens between two of `;`, `{` and `}`.
const MAX_STATEMENT: usize = 8192;

/// The tokens of a text. Comments stay where they stand alone on their lines directly above what they describe; others
/// are dropped.
pub(super) fn lex<'s>(
    source: SourceId,
    text: &'s str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Spanned<'s>> {
    let mut all: Vec<Spanned> = Vec::new();
    for (token, range) in Token::lexer(text).spanned() {
        match token {
            Ok(token) => all.push((token, range)),
            Err(()) => {
                let span = Span::new(source, range.start, range.end);
                diagnostics.push(
                    Diagnostic::error("K0001", "a character that the kernel language does not use")
                        .label(span, "this is no token")
                        .help("remove it; docs/kernel-language.md lists the tokens"),
                );
                all.push((Token::Unknown, range));
            }
        }
    }
    let tokens = attach_comments(text, all);
    check_nesting(source, &tokens, diagnostics);
    tokens
}

fn attach_comments<'s>(text: &str, all: Vec<Spanned<'s>>) -> Vec<Spanned<'s>> {
    let is_comment = |t: &Token| matches!(t, Token::Comment(_) | Token::Line(_));
    let gap = |from: usize, to: usize| text.get(from..to).map_or(0, |s| s.matches('\n').count());
    let mut kept: Vec<Spanned> = Vec::with_capacity(all.len());
    // Comments that may belong to the next token.
    let mut waiting: Vec<Spanned> = Vec::new();
    let mut end = 0;
    let mut last = Token::Punct(";");
    for (token, range) in all {
        let newlines = gap(end, range.start);
        if newlines > 1 {
            waiting.clear();
        }
        let own_line = newlines > 0 || end == 0;
        end = range.end;
        if is_comment(&token) {
            if own_line && matches!(last, Token::Punct(";" | "{" | "}" | ":")) {
                waiting.push((token, range));
            }
            continue;
        }
        kept.append(&mut waiting);
        last = token;
        kept.push((token, range));
    }
    kept
}

/// Bounds the recursion of the parser and of whatever walks its result.
fn check_nesting(source: SourceId, tokens: &[Spanned], diagnostics: &mut Vec<Diagnostic>) {
    let (mut depth, mut length) = (0usize, 0usize);
    for (token, range) in tokens {
        length += 1;
        match token {
            Token::Punct("(" | "[" | "{") => depth += 1,
            Token::Punct(")" | "]" | "}") => depth = depth.saturating_sub(1),
            _ => {}
        }
        if matches!(token, Token::Punct(";" | "{" | "}")) {
            length = 0;
        }
        if depth > MAX_NESTING || length > MAX_STATEMENT {
            let what = if depth > MAX_NESTING {
                "brackets are nested too deeply"
            } else {
                "a statement is too long"
            };
            diagnostics.push(
                Diagnostic::error("K0003", what)
                    .label(Span::new(source, range.start, range.end), "here the limit is passed")
                    .note(format!("at most {MAX_NESTING} levels and {MAX_STATEMENT} tokens a statement"))
                    .help("split the code into several statements or functions"),
            );
            return;
        }
    }
}

/// A number token's value and type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Number {
    Int(u64, crate::ir::Scalar),
    Float(f64),
}

/// Reads a number token; `None` when it is malformed or too large for its type.
pub(super) fn number(text: &str) -> Option<Number> {
    use crate::ir::Scalar;
    if !text.starts_with("0x") && text.contains(['.', 'e', 'E']) {
        return text.parse().ok().filter(|x: &f64| x.is_finite()).map(Number::Float);
    }
    const SUFFIXES: [(&str, Scalar, u64); 5] = [
        ("_u8", Scalar::U8, 0xff),
        ("ull", Scalar::U64, u64::MAX),
        ("ll", Scalar::I64, i64::MAX as u64),
        ("u", Scalar::U32, u32::MAX as u64),
        ("", Scalar::I32, i32::MAX as u64),
    ];
    let (suffix, scalar, max) = SUFFIXES.into_iter().find(|(s, ..)| text.ends_with(s))?;
    let digits = &text[..text.len() - suffix.len()];
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value.ok().filter(|&v| v <= max).map(|v| Number::Int(v, scalar))
}
