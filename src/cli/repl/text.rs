//! Whether a text of goals or of a term is complete.

use gchr::base::escape;

/// Characters of a text that messages show.
const SHOWN: usize = 60;

/// The beginning of a text, on one line.
pub fn shown(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = line.chars().take(SHOWN).collect();
    if cut.len() < line.len() {
        cut.push_str("...");
    }
    escape::line(&cut).to_string()
}

/// Whether a text has brackets, quotes or a comment that are not closed, or ends with a comma: more lines follow.
pub fn is_open(text: &str) -> bool {
    let mut depth = 0_i64;
    let mut last = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '%' => {
                chars.by_ref().find(|&c| c == '\n');
                continue;
            }
            '/' if chars.peek() == Some(&'*') => {
                chars.next();
                let mut star = false;
                if !chars.by_ref().any(|c| std::mem::replace(&mut star, c == '*') && c == '/') {
                    return true;
                }
                continue;
            }
            // A character code: 0'a, 0'', 0'\n.
            '\'' if last == '0' => {
                let is_escaped = chars.next() == Some('\\');
                chars.next_if(|_| is_escaped);
            }
            '\'' | '"' | '`' if !(c == '\'' && (last.is_alphanumeric() || last == '_')) => {
                let is_closed = closes(c, &mut chars);
                if !is_closed {
                    return true;
                }
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    depth > 0 || last == ','
}

/// Reads to the end of a quoted text; whether there is one.
fn closes(quote: char, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    while let Some(c) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote && chars.next_if_eq(&quote).is_none() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_takes_further_lines() {
        for open in ["p(1", "p([1, 2", "{", "p('a", "p(\"a\\\"", "p(1),", "/* c", "p(0'(", "f(x)\n, ("] {
            assert!(is_open(open), "{open}");
        }
        for closed in [
            "p(1)",
            "p(1).",
            "",
            "p(')')",
            "p(\"(\")",
            "p(0'()",
            "p(1) % (",
            "p(1) /* ( */",
            "f(x))",
            "p('it''s')",
            "F(x')",
            "p(0'\\n)",
        ] {
            assert!(!is_open(closed), "{closed}");
        }
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shown("p(1,\n  2"), "p(1, 2");
        assert_eq!(shown(&"a".repeat(100)).len(), SHOWN + 3);
    }
}
