//! Tokens of a specification. Characters that the data part does not have are tokens, too: processes are skipped.

use gchr_base::source::{SourceId, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A name.
    Name,
    /// A number.
    Number,
    /// A reserved word or a mark.
    Mark(&'static str),
    /// A character that only processes have, or none at all.
    Other,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// Words that are no names.
const RESERVED: [&str; 19] = [
    "sort", "cons", "map", "var", "eqn", "act", "proc", "init", "glob", "pbes", "struct", "forall", "exists",
    "lambda", "whr", "end", "div", "mod", "in",
];

/// Marks, longer ones first.
const MARKS: [&str; 35] = [
    "->", "=>", "==", "!=", "<=", ">=", "<|", "|>", "++", "&&", "||", ":=", "<>", "(", ")", "[", "]", "{",
    "}", ",", ";", ":", ".", "=", "<", ">", "+", "-", "*", "/", "!", "#", "|", "?", "@",
];

/// The tokens of a text. In the library, names may begin with `@`.
pub(crate) fn tokens(source: SourceId, text: &str, library: bool) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        let rest = &text[at..];
        let kind = if c.is_whitespace() || c == '\u{feff}' {
            at += c.len_utf8();
            continue;
        } else if c == '%' {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if c.is_ascii_digit() {
            at += length(rest, |c| c.is_ascii_digit());
            Kind::Number
        } else if c.is_ascii_alphabetic() || c == '_' || c == '@' && library {
            at += 1 + length(&rest[1..], |c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
            let word = &text[start..at];
            RESERVED.iter().copied().find(|&r| r == word).map_or(Kind::Name, Kind::Mark)
        } else if let Some(mark) = MARKS.iter().copied().find(|mark| rest.starts_with(mark)) {
            at += mark.len();
            Kind::Mark(mark)
        } else {
            at += c.len_utf8();
            Kind::Other
        };
        tokens.push(Token { kind, span: Span::new(source, start, at) });
    }
    tokens
}

fn length(text: &str, holds: impl Fn(char) -> bool) -> usize {
    text.find(|c| !holds(c)).unwrap_or(text.len())
}
