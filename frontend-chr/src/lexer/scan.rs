//! Bodies of tokens that a regular expression does not describe: comments, numbers, quoted items with their escapes.

use gchr_base::logic::Rational;
use logos::{FilterResult, Lexer};
use num_bigint::BigInt;

use super::{Problem, Raw, Tok};

fn problem(
    lexer: &mut Lexer<'_, Raw>,
    code: &'static str,
    (start, end): (usize, usize),
    message: &'static str,
    label: &'static str,
    help: &'static str,
) {
    lexer.extras.problems.push(Problem { code, start, end, message, label, help });
}

/// Length of what is behind the `/*` of a block comment, up to its end; comments inside it end before it does. None
/// when it has no end.
pub(crate) fn comment_length(rest: &str) -> Option<usize> {
    let rest = rest.as_bytes();
    let (mut at, mut open) = (0, 1);
    while open > 0 {
        match rest.get(at..at + 2)? {
            b"*/" => (at, open) = (at + 2, open - 1),
            b"/*" => (at, open) = (at + 2, open + 1),
            _ => at += 1,
        }
    }
    Some(at)
}

/// Reads to the end of a block comment.
pub(super) fn block_comment(lexer: &mut Lexer<'_, Raw>) -> FilterResult<(), ()> {
    let rest = lexer.remainder();
    let length = comment_length(rest).unwrap_or_else(|| {
        let start = lexer.span().start;
        let help = "close it with */, and each comment that it contains";
        problem(lexer, "C0104", (start, start + 2), "this comment has no end", "opened here", help);
        rest.len()
    });
    lexer.bump(length);
    FilterResult::Skip
}

/// Length of the prefix of `text` whose bytes satisfy `f`.
fn span_of(text: &str, f: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(|b| !f(b)).unwrap_or(text.len())
}

/// Length of the digits of `text` in `radix`. `_` between two digits groups them; white space may follow it, so that a
/// long number goes on in the next line.
fn digits(text: &str, radix: u32) -> usize {
    let is_digit = |b: u8| char::from(b).is_digit(radix);
    let bytes = text.as_bytes();
    let mut end = 0;
    loop {
        end += span_of(&text[end..], is_digit);
        if end == 0 || bytes.get(end) != Some(&b'_') {
            return end;
        }
        let next = end + 1 + span_of(&text[end + 1..], |b| b.is_ascii_whitespace());
        if !bytes.get(next).is_some_and(|&b| is_digit(b)) {
            return end;
        }
        end = next;
    }
}

/// Reads a number whose first digit is matched: decimal, `0x`, `0o`, `0b`, `radix'digits`, `0'c`, or a float.
pub(super) fn number(lexer: &mut Lexer<'_, Raw>) -> Tok {
    let text = &lexer.source()[lexer.span().start..];
    if text.starts_with("0'")
        && let Some((code, length)) = character(&text[2..])
    {
        lexer.bump(length + 1);
        return Tok::Int(u64::from(code));
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if text.starts_with(prefix) && digits(&text[2..], radix) > 0 {
            return integer(lexer, 2, radix);
        }
    }
    let whole = digits(text, 10);
    if text[whole..].starts_with('\'')
        && let Ok(radix @ 2..=36) = text[..whole].parse::<u32>()
        && digits(&text[whole + 1..], radix) > 0
    {
        return integer(lexer, whole + 1, radix);
    }
    let end = float_end(text, whole);
    if end > whole {
        return float(lexer, end);
    }
    rational(lexer, whole).unwrap_or_else(|| integer(lexer, 0, 10))
}

/// The rational number that begins with `whole` digits: `1r3`.
fn rational(lexer: &mut Lexer<'_, Raw>, whole: usize) -> Option<Tok> {
    let text = &lexer.source()[lexer.span().start..];
    let below = text[whole..].strip_prefix('r')?;
    let length = digits(below, 10);
    let number = |digits: &str| BigInt::parse_bytes(ungrouped(digits).as_bytes(), 10);
    let (numerator, denominator) = (number(&text[..whole])?, number(&below[..length])?);
    if denominator == BigInt::ZERO {
        return None;
    }
    lexer.bump(whole + length);
    Some(Tok::Rational(Rational { numerator, denominator }))
}

/// Endings of floats that are not finite, behind their digits: `1.0Inf`, `1.5NaN`.
const SPECIAL: [&str; 2] = ["Inf", "NaN"];

/// End of the float that starts with `whole` digits; `whole` when it is an integer.
fn float_end(text: &str, whole: usize) -> usize {
    let is_digit = |b: u8| b.is_ascii_digit();
    let mut end = whole;
    if text[end..].starts_with('.') {
        let fraction = span_of(&text[end + 1..], is_digit);
        if fraction > 0 {
            end += 1 + fraction;
            if let Some(special) = SPECIAL.iter().find(|s| text[end..].starts_with(**s)) {
                return end + special.len();
            }
        }
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = span_of(&text[end + 1 + sign..], is_digit);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

/// The digits of a number without what groups them.
fn ungrouped(text: &str) -> String {
    text.chars().filter(|&c| c != '_' && !c.is_ascii_whitespace()).collect()
}

/// An integer whose digits start `skip` bytes into the token; the first byte of the token is matched already.
fn integer(lexer: &mut Lexer<'_, Raw>, skip: usize, radix: u32) -> Tok {
    let start = lexer.span().start;
    let text = &lexer.source()[start + skip..];
    let length = digits(text, radix);
    let text = ungrouped(&text[..length]);
    lexer.bump(skip + length - 1);
    match u64::from_str_radix(&text, radix) {
        Ok(n) => Tok::Int(n),
        // The digits are those of the radix: what they stand for is too long, and nothing else.
        Err(_) => Tok::Big(BigInt::parse_bytes(text.as_bytes(), radix).unwrap_or_default()),
    }
}

fn float(lexer: &mut Lexer<'_, Raw>, length: usize) -> Tok {
    let start = lexer.span().start;
    let text = &lexer.source()[start..start + length];
    let special = SPECIAL.iter().position(|s| text.ends_with(*s));
    let value = match special {
        Some(0) => Ok(f64::INFINITY),
        Some(_) => Ok(f64::NAN),
        None => ungrouped(text).parse::<f64>(),
    };
    lexer.bump(length - 1);
    match value {
        Ok(x) if x.is_finite() || special.is_some() => Tok::Float(x),
        _ => {
            let (place, help) = ((start, start + length), "use a smaller number");
            problem(lexer, "C0105", place, "this number is out of range", "not finite", help);
            Tok::Float(0.0)
        }
    }
}

/// The character behind `0'` and its length in bytes.
fn character(text: &str) -> Option<(u32, usize)> {
    let c = text.chars().next()?;
    match c {
        '\'' => Some((39, if text.starts_with("''") { 2 } else { 1 })),
        '\\' => match escape(text) {
            Escape::Char(c, length) => Some((u32::from(c), length)),
            Escape::Nothing(_) | Escape::Bad(_) => None,
        },
        c => Some((u32::from(c), c.len_utf8())),
    }
}

enum Escape {
    /// Stands for a character; length in the source.
    Char(char, usize),
    /// Stands for nothing (an escaped line end); length in the source.
    Nothing(usize),
    /// Unknown; length to skip.
    Bad(usize),
}

/// The escape sequence at the start of `text`, its backslash included.
fn escape(text: &str) -> Escape {
    let rest = &text[1..];
    let Some(c) = rest.chars().next() else { return Escape::Bad(1) };
    let simple = match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'v' => '\x0b',
        'e' => '\x1b',
        's' => ' ',
        '\\' | '\'' | '"' | '`' => c,
        '\n' => return Escape::Nothing(2),
        'c' => {
            let blank = rest[1..].find(|c: char| !c.is_whitespace()).unwrap_or(rest.len() - 1);
            return Escape::Nothing(2 + blank);
        }
        'x' => return coded(&rest[1..], 16, 2, None),
        'u' => return coded(&rest[1..], 16, 2, Some(4)),
        'U' => return coded(&rest[1..], 16, 2, Some(8)),
        '0'..='7' => return coded(rest, 8, 1, None),
        c => return Escape::Bad(1 + c.len_utf8()),
    };
    Escape::Char(simple, 2)
}

/// A character by its code: `exact` digits, or any number of them with an optional closing backslash.
fn coded(text: &str, radix: u32, skip: usize, exact: Option<usize>) -> Escape {
    let available = span_of(text, |b| char::from(b).is_digit(radix));
    let length = exact.map_or(available, |n| n.min(available));
    if length == 0 || exact.is_some_and(|n| n != length) {
        return Escape::Bad(skip);
    }
    let closing = usize::from(exact.is_none() && text[length..].starts_with('\\'));
    match u32::from_str_radix(&text[..length], radix).ok().and_then(char::from_u32) {
        Some(c) => Escape::Char(c, skip + length + closing),
        None => Escape::Bad(skip + length + closing),
    }
}

/// Reads a quoted item whose opening quote is matched. One that nothing closes ends with its line.
pub(super) fn quoted(lexer: &mut Lexer<'_, Raw>) -> Tok {
    let start = lexer.span().start;
    let quote = lexer.slice().chars().next().unwrap_or('\'');
    let rest = lexer.remainder();
    let (mut value, mut at) = (String::new(), 0);
    let reported = lexer.extras.problems.len();
    loop {
        let Some(c) = rest[at..].chars().next() else {
            lexer.extras.problems.truncate(reported);
            let line = rest.find('\n').unwrap_or(rest.len());
            let help = "close it, or write \\n for a line end inside it";
            let place = (start, start + 1 + line);
            problem(lexer, "C0103", place, "this quote is not closed", "no closing quote", help);
            lexer.bump(line);
            return Tok::Error;
        };
        if c == quote {
            at += 1;
            if !rest[at..].starts_with(quote) {
                break;
            }
            value.push(quote);
            at += 1;
        } else if c == '\\' {
            at += push_escape(lexer, &rest[at..], start + 1 + at, &mut value);
        } else {
            value.push(c);
            at += c.len_utf8();
        }
    }
    lexer.bump(at);
    match quote {
        '\'' => Tok::QuotedAtom(value),
        '"' => Tok::Str(value),
        _ => Tok::Codes(value),
    }
}

/// Adds what the escape sequence at the start of `text`, `at` in the source, stands for; its length.
fn push_escape(lexer: &mut Lexer<'_, Raw>, text: &str, at: usize, value: &mut String) -> usize {
    match escape(text) {
        Escape::Char(c, length) => {
            value.push(c);
            length
        }
        Escape::Nothing(length) => length,
        Escape::Bad(length) => {
            let help = r#"known are \n \t \r \a \b \f \v \e \s \c \\ \' \" \` \xHH\ \NNN\ \uHHHH; write \\ for a backslash"#;
            let place = (at, at + length);
            problem(lexer, "C0106", place, "this escape sequence is unknown", "not an escape sequence", help);
            length
        }
    }
}
