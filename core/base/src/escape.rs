//! Texts of programs in other places: names, strings, lines and paths come from the authors of programs and from file
//! systems, and each place that they are written to reads some characters as more than text. Each function is for one
//! kind of place.
//!
//! What no place shows as itself is [hidden](is_hidden): control characters, which a terminal obeys; marks of
//! direction, which let a text look like another one; separators of lines. They are written by their numbers, as
//! `\u{1b}`.

mod filter;

use std::borrow::Cow;
use std::fmt::Write as _;

pub use filter::{Filter, json, json_text, shown, terminal};

/// Whether a character changes the order in which the text around it is shown, so that a text looks like another one.
pub fn reorders_text(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character says in which direction text is shown: also marks that belong to texts from right to left.
pub fn turns_text(c: char) -> bool {
    reorders_text(c) || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
}

/// Whether a character is not shown as itself, and does something else where it is shown.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || turns_text(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The number of a character, as it stands for the character.
pub fn code(c: char) -> String {
    format!("\\u{{{:x}}}", u32::from(c))
}

/// A text on one line of a terminal, of a message or of a comment: everything hidden is written by its number, ends of
/// lines too.
pub fn line(text: &str) -> Cow<'_, str> {
    replace(text, |c| is_hidden(c).then(|| code(c)))
}

/// A text of any number of lines on a terminal: ends of lines and tabs stay.
pub fn lines(text: &str) -> Cow<'_, str> {
    replace(text, |c| (is_hidden(c) && !matches!(c, '\n' | '\t')).then(|| code(c)))
}

/// What stands for a character between quotes of this kind, where it does not stand for itself.
pub fn in_quotes(c: char, quote: char) -> Option<Cow<'static, str>> {
    Some(match c {
        '\n' => "\\n".into(),
        '\t' => "\\t".into(),
        '\r' => "\\r".into(),
        '\\' => "\\\\".into(),
        c if c == quote => format!("\\{c}").into(),
        c if is_hidden(c) => code(c).into(),
        _ => return None,
    })
}

/// The path of a file in a URI: all bytes but those of letters, digits and `/-._~` by their numbers.
pub fn uri_path(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for &byte in path.as_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => text.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// A text as content of an element or of an attribute in quotes, in HTML, SVG and XML. XML has no way at all to hold
/// most control characters.
pub fn markup(text: &str) -> Cow<'_, str> {
    replace(text, |c| match c {
        '&' => Some("&amp;".into()),
        '<' => Some("&lt;".into()),
        '>' => Some("&gt;".into()),
        '"' => Some("&quot;".into()),
        '\'' => Some("&#39;".into()),
        '\n' | '\t' => None,
        // Characters that XML does not have, although they are some.
        '\u{fffe}' | '\u{ffff}' => Some(code(c)),
        c => is_hidden(c).then(|| code(c)),
    })
}

/// Replaces some characters of a text.
fn replace(text: &str, mut by: impl FnMut(char) -> Option<String>) -> Cow<'_, str> {
    let Some(first) = text.char_indices().find(|&(_, c)| by(c).is_some()) else { return Cow::Borrowed(text) };
    let mut replaced = text[..first.0].to_string();
    for c in text[first.0..].chars() {
        match by(c) {
            Some(other) => replaced += &other,
            None => replaced.push(c),
        }
    }
    Cow::Owned(replaced)
}

/// A value whose text is shown on one line: [`line()`] of what it displays.
pub struct Line<T>(pub T);

impl<T: std::fmt::Display> std::fmt::Display for Line<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        write!(text, "{}", self.0)?;
        f.write_str(&line(&text))
    }
}

#[cfg(test)]
mod tests;
