//! Characters and texts between quotes: their escapes, as [`gchr_base::escape::in_quotes`] writes them.

use std::ops::Range;

/// What is wrong with a literal in quotes, and where in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Wrong {
    /// The quote that closes it is not on its line.
    Open,
    /// A backslash is followed by this, which means nothing.
    Escape(Range<usize>),
    /// A number that is no code of a character.
    Code(Range<usize>),
    /// So many characters stand where one has to.
    Count(usize),
}

/// The text of a literal with its quotes.
pub(crate) fn text(literal: &str) -> Result<String, Wrong> {
    let mut read = String::new();
    let quote = literal.chars().next().unwrap_or('"');
    let mut chars = literal.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Ok(read);
        }
        if c != '\\' {
            read.push(c);
            continue;
        }
        let Some((next, escaped)) = chars.next() else { return Err(Wrong::Open) };
        let end = next + escaped.len_utf8();
        read.push(match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '\\' | '"' | '\'' => escaped,
            'u' => {
                let digits = literal[end..].strip_prefix('{').and_then(|rest| Some(rest.split_once('}')?.0));
                let digits = digits.ok_or(Wrong::Escape(at..end))?;
                let place = at..end + digits.len() + 2;
                let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
                let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_number);
                let c = code.and_then(char::from_u32).ok_or(Wrong::Code(place.clone()))?;
                // The digits are ASCII: one character a byte.
                (0..digits.len() + 2).for_each(|_| _ = chars.next());
                c
            }
            _ => return Err(Wrong::Escape(at..end)),
        });
    }
    Err(Wrong::Open)
}

/// The character of a literal with its quotes.
pub(crate) fn character(literal: &str) -> Result<char, Wrong> {
    let text = text(literal)?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(c),
        _ => Err(Wrong::Count(text.chars().count())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_base::escape;

    #[test]
    fn what_is_written_is_read_back() {
        let all = (0..=u32::from(char::MAX)).filter_map(char::from_u32);
        for c in all.filter(|&c| u32::from(c) < 0x3000 || u32::from(c) % 97 == 0) {
            for quote in ['\'', '"'] {
                let inner = escape::in_quotes(c, quote).unwrap_or_else(|| c.to_string().into());
                let literal = format!("{quote}{inner}{quote}");
                assert_eq!(character(&literal), Ok(c), "{literal}");
                assert!(!inner.chars().any(escape::is_hidden), "{literal:?}");
            }
        }
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        assert_eq!(text(r#""a\"b\\""#), Ok("a\"b\\".into()));
        for (literal, wrong) in [
            (r#""abc"#, Wrong::Open),
            (r#""a\""#, Wrong::Open),
            (r#""a\x""#, Wrong::Escape(2..4)),
            (r#""\u41""#, Wrong::Escape(1..3)),
            (r#""\u{}""#, Wrong::Code(1..5)),
            (r#""é\u{d800}""#, Wrong::Code(3..11)),
            (r#""\u{110000}""#, Wrong::Code(1..11)),
            (r#""\u{+41}""#, Wrong::Code(1..8)),
        ] {
            assert_eq!(text(literal), Err(wrong), "{literal}");
        }
        assert_eq!(character("''"), Err(Wrong::Count(0)));
        assert_eq!(character("'ab'"), Err(Wrong::Count(2)));
    }
}
