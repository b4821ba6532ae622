//! Tokens of Maude texts: identifiers of almost any characters between white space, and single special characters.

use std::sync::Arc;

use gchr_base::source::{SourceId, Span};

/// A token with its place.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub text: Arc<str>,
    pub span: Span,
    /// Whether the line ends behind it, or only a comment follows.
    pub ends_line: bool,
}

impl Token {
    pub fn is(&self, text: &str) -> bool {
        &*self.text == text
    }
}

/// Characters that are tokens of their own.
pub(crate) fn is_special(c: char) -> bool {
    matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | ',')
}

/// The places of tokens outside of brackets, these left out.
pub(crate) fn outside_brackets(tokens: &[Token]) -> impl Iterator<Item = usize> {
    let mut depth = 0i32;
    tokens.iter().enumerate().filter_map(move |(at, token)| match &*token.text {
        "(" | "[" | "{" => {
            depth += 1;
            None
        }
        ")" | "]" | "}" => {
            depth -= 1;
            None
        }
        _ => (depth == 0).then_some(at),
    })
}

/// The name of an operator that these tokens write. Brackets around the whole go; what stands before a bracket or a
/// comma needs no backquote, and one keeps two words apart that white space stands between.
pub(crate) fn operator_name(tokens: &[Token]) -> Arc<str> {
    let inner = match tokens {
        [open, inner @ .., _]
            if open.is("(") && !inner.is_empty() && closing(tokens) == Some(tokens.len() - 1) =>
        {
            inner
        }
        all => all,
    };
    let mut name = String::new();
    for token in inner {
        let parts = |c: char| is_special(c) || matches!(c, '_' | '`');
        if !name.is_empty() && !name.ends_with(parts) && !token.text.starts_with(parts) {
            name.push('`');
        }
        let mut chars = token.text.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '`' || !chars.peek().is_some_and(|&next| is_special(next)) {
                name.push(c);
            }
        }
    }
    name.into()
}

/// The place of the bracket that closes the one at the beginning.
fn closing(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0;
    tokens.iter().position(|token| {
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        depth == 0
    })
}

/// The tokens of a text, and the place of a comment or string that is never closed.
pub(crate) fn tokens(source: SourceId, text: &str) -> (Vec<Token>, Option<Span>) {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = usize::from(text.starts_with('\u{feff}')) * '\u{feff}'.len_utf8();
    let mut unclosed = None;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        if c == '\n' {
            if let Some(last) = tokens.last_mut() {
                last.ends_line = true;
            }
            at += 1;
        } else if c.is_whitespace() {
            at += c.len_utf8();
        } else if rest.starts_with("***") || rest.starts_with("---") {
            let inside = rest[3..].trim_start_matches([' ', '\t']);
            let many_lines = inside.starts_with('(').then(|| rest.len() - inside.len());
            at += match many_lines.map(|open| (open, bracketed(&rest[open..]))) {
                Some((open, Some(length))) => open + length,
                Some((_, None)) => {
                    unclosed = Some(Span::new(source, start, start + 3));
                    rest.len()
                }
                None => rest.find('\n').unwrap_or(rest.len()),
            };
        } else {
            at += match c {
                '"' => string(rest).unwrap_or_else(|| {
                    unclosed = Some(Span::new(source, start, start + 1));
                    rest.len()
                }),
                c if is_special(c) => 1,
                _ => identifier(rest),
            };
            let span = Span::new(source, start, at);
            tokens.push(Token { text: text[start..at].into(), span, ends_line: false });
        }
    }
    if let Some(last) = tokens.last_mut() {
        last.ends_line = true;
    }
    (tokens, unclosed)
}

/// The length of what stands between brackets, these included.
fn bracketed(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at + 1),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The length of a string on one line, or on several ones that end with a backslash.
fn string(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some(at + 1),
            '\\' => {
                chars.next();
            }
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// The length of an identifier. A special character behind a backquote is part of it.
fn identifier(text: &str) -> usize {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() || is_special(c) && !quoted || c == '"' && at > 0 && !quoted {
            return at;
        }
        quoted = c == '`';
    }
    text.len()
}

/// A float as Maude writes it, with 17 digits at most, and its sort.
pub(crate) fn float(text: &str) -> Option<(String, &'static str)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits == "Infinity" {
        return Some((text.into(), "Float"));
    }
    let begins = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let has_point = digits.contains('.') || digits.contains(['e', 'E']);
    let value: f64 = text.parse().ok().filter(|value: &f64| begins && has_point && value.is_finite())?;
    let written = format!("{value:.16e}");
    let (mantissa, exponent) = written.split_once('e')?;
    let mantissa = mantissa.trim_end_matches('0');
    let zero = if mantissa.ends_with('.') { "0" } else { "" };
    let exponent = match exponent {
        "0" => String::new(),
        below if below.starts_with('-') => format!("e{below}"),
        above => format!("e+{above}"),
    };
    Some((format!("{mantissa}{zero}{exponent}"), "FiniteFloat"))
}

/// The bytes of a string in quotes, whose escapes are those of C.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let inside = text.strip_prefix('"').unwrap_or(text);
    let inside = inside.strip_suffix('"').unwrap_or(inside).as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(&byte) = inside.get(at) {
        at += 1;
        if byte != b'\\' {
            found.push(byte);
            continue;
        }
        let Some(&escaped) = inside.get(at) else { break };
        at += 1;
        match escaped {
            b'a' => found.push(7),
            b'b' => found.push(8),
            b'f' => found.push(12),
            b'n' => found.push(b'\n'),
            b'r' => found.push(b'\r'),
            b't' => found.push(b'\t'),
            b'v' => found.push(11),
            // A string that goes on in the next line.
            b'\n' => {}
            b'0'..=b'7' => {
                let digits = inside[at - 1..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
                let (count, code) =
                    digits.fold((0, 0u32), |(n, code), digit| (n + 1, code * 8 + u32::from(digit - b'0')));
                found.push(code as u8);
                at += count - 1;
            }
            other => found.push(other),
        }
    }
    found
}
