//! Compares generated texts of CUDA C++: tokens without comments, names up to renaming.

use std::collections::HashMap;

/// A token and the line that it starts in, from 0.
#[derive(Clone, Debug)]
struct Token<'t> {
    text: &'t str,
    line: usize,
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The tokens of a text; comments and `#line` directives are left out.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let starts_line = text[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
        let rest_of_line = rest.find('\n').unwrap_or(rest.len());
        let (length, counts) = match c {
            c if c.is_whitespace() => (c.len_utf8(), false),
            '/' if rest.starts_with("//") => (rest_of_line, false),
            '/' if rest.starts_with("/*") => (rest.find("*/").map_or(rest.len(), |end| end + 2), false),
            '#' if starts_line && rest.starts_with("#line") => (rest_of_line, false),
            '"' => (string_length(rest), true),
            c if is_name(c) => (number_or_name_length(rest), true),
            c => (c.len_utf8(), true),
        };
        if counts {
            found.push(Token { text: &rest[..length], line });
        }
        line += rest[..length].matches('\n').count();
        at += length;
    }
    found
}

/// Bytes of a string literal at the start of a text.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Bytes of a name or a number at the start of a text; `1.5e-3` is one number.
fn number_or_name_length(text: &str) -> usize {
    let number = text.starts_with(|c: char| c.is_ascii_digit()) && !text.starts_with("0x");
    let mut before = ' ';
    let ends = |(_, c): &(usize, char)| {
        let sign = number && matches!(c, '+' | '-') && matches!(before, 'e' | 'E');
        let goes_on = is_name(*c) || number && *c == '.' || sign;
        before = *c;
        !goes_on
    };
    text.char_indices().find(ends).map_or(text.len(), |(at, _)| at)
}

/// A name, as the number of its first occurrence; anything else as it is. Texts of strings name places in the program,
/// as comments do.
#[derive(PartialEq, Eq, Debug)]
enum Shape<'t> {
    Name(usize),
    Text,
    Other(&'t str),
}

fn shapes<'t>(tokens: &[Token<'t>]) -> Vec<Shape<'t>> {
    let mut names = HashMap::new();
    let shape = |token: &Token<'t>| match token.text.chars().next() {
        Some('"') => Shape::Text,
        Some(c) if c.is_ascii_alphabetic() || c == '_' => {
            let next = names.len();
            Shape::Name(*names.entry(token.text).or_insert(next))
        }
        _ => Shape::Other(token.text),
    };
    tokens.iter().map(shape).collect()
}

/// The first place where two texts differ: a line of each, from 0. With `names`, any difference counts.
pub fn first_difference(old: &str, new: &str, names: bool) -> Option<(usize, usize)> {
    if names {
        let same = old.lines().zip(new.lines()).take_while(|(a, b)| a == b).count();
        return (old != new).then_some((same, same));
    }
    let (a, b) = (tokens(old), tokens(new));
    let (shapes_a, shapes_b) = (shapes(&a), shapes(&b));
    let same = shapes_a.iter().zip(&shapes_b).take_while(|(a, b)| a == b).count();
    let line = |tokens: &[Token<'_>]| tokens.get(same).or(tokens.last()).map_or(0, |token| token.line);
    (shapes_a != shapes_b).then(|| (line(&a), line(&b)))
}

/// The lines around a place.
pub fn around(text: &str, line: usize, lines: usize) -> impl Iterator<Item = &str> {
    text.lines().skip(line.saturating_sub(lines / 2)).take(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "void f(u32 a) {\n    // what a is\n    u32 b = a + 0x1F;\n    g(\"at 3\", b, 1.5e-3);\n}\n";

    #[test]
    fn names_and_comments_do_not_count() {
        let renamed =
            TEXT.replace("a", "other").replace("b ", "next ").replace("b,", "next,").replace("3\"", "4\"");
        assert_ne!(TEXT, renamed);
        assert_eq!(first_difference(TEXT, &renamed, false), None);
        assert_eq!(first_difference(TEXT, &format!("#line 3 \"x\"\n/* two\nlines */{TEXT}"), false), None);
        assert!(first_difference(TEXT, &renamed, true).is_some());
    }

    #[test]
    fn everything_else_does() {
        for (from, to, line) in
            [("0x1F", "0x1E", 2), ("a +", "b +", 2), ("1.5e-3", "1.5e-4", 3), ("}", "} }", 4)]
        {
            let found = first_difference(TEXT, &TEXT.replace(from, to), false);
            assert_eq!(found.map(|(_, new)| new), Some(line), "{from}");
        }
        // Two names that become one.
        let merged = TEXT.replace("u32 b", "u32 a").replace(" b,", " a,");
        assert!(first_difference(TEXT, &merged, false).is_some());
    }
}
