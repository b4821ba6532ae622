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
    let mut scan = Scan::default();
    scan.read(text);
    scan.is_open()
}

/// What is open in a text that comes piece by piece; each character is looked at once.
#[derive(Default)]
pub struct Scan {
    within: Within,
    /// Brackets that are open.
    depth: i64,
    /// The last character that is neither space nor of a comment.
    last: Option<char>,
}

/// Where the next character stands.
#[derive(Clone, Copy, Default)]
enum Within {
    #[default]
    Plain,
    /// Behind `/`, which may begin a comment.
    Slash,
    LineComment,
    /// The flag says whether the character before was a star.
    BlockComment(bool),
    Quoted(char),
    /// Behind a backslash in quotes.
    Escaped(char),
    /// Behind a quote that closes, unless another one follows.
    Closed(char),
    /// A character code: 0'a, 0'', 0'\n.
    Code,
    EscapedCode,
}

impl Scan {
    /// Reads on.
    pub fn read(&mut self, text: &str) {
        text.chars().for_each(|c| self.step(c));
    }

    /// Whether more has to follow.
    pub fn is_open(&self) -> bool {
        match self.within {
            Within::BlockComment(_) | Within::Quoted(_) | Within::Escaped(_) => true,
            Within::Slash => self.depth > 0,
            _ => self.depth > 0 || self.last == Some(','),
        }
    }

    fn step(&mut self, c: char) {
        self.within = match self.within {
            Within::Plain => return self.plain(c),
            Within::Slash if c == '*' => Within::BlockComment(false),
            Within::Slash => {
                self.last = Some('/');
                return self.plain(c);
            }
            Within::LineComment if c == '\n' => Within::Plain,
            Within::LineComment => Within::LineComment,
            Within::BlockComment(true) if c == '/' => Within::Plain,
            Within::BlockComment(_) => Within::BlockComment(c == '*'),
            Within::Quoted(quote) if c == '\\' => Within::Escaped(quote),
            Within::Quoted(quote) if c == quote => Within::Closed(quote),
            Within::Quoted(quote) | Within::Escaped(quote) => Within::Quoted(quote),
            Within::Closed(quote) if c == quote => Within::Quoted(quote),
            Within::Closed(_) => return self.plain(c),
            Within::Code if c == '\\' => Within::EscapedCode,
            Within::Code | Within::EscapedCode => Within::Plain,
        };
    }

    fn plain(&mut self, c: char) {
        let is_in_name = self.last.is_some_and(|last| last.is_alphanumeric() || last == '_');
        self.within = match c {
            // Comments are no characters of the text around them.
            '%' => return self.within = Within::LineComment,
            '/' => return self.within = Within::Slash,
            '\'' if self.last == Some('0') => Within::Code,
            '\'' if is_in_name => Within::Plain,
            '\'' | '"' | '`' => Within::Quoted(c),
            _ => Within::Plain,
        };
        match c {
            '(' | '[' | '{' => self.depth += 1,
            ')' | ']' | '}' => self.depth -= 1,
            _ => {}
        }
        if !c.is_whitespace() {
            self.last = Some(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a text is open, in one piece and character by character.
    fn is_open_in_pieces(text: &str) -> bool {
        let mut scan = Scan::default();
        text.chars().for_each(|c| scan.read(&c.to_string()));
        assert_eq!(scan.is_open(), is_open(text), "{text}");
        is_open(text)
    }

    #[test]
    fn what_is_open_takes_further_lines() {
        for open in [
            "p(1",
            "p([1, 2",
            "{",
            "p('a",
            "p(\"a\\\"",
            "p(1),",
            "/* c",
            "/*/",
            "p(0'(",
            "f(x)\n, (",
            "p(1), /* c */",
            "p(1), % c\n",
            "p(/",
            "p('a''",
            "p(1) + (2 / /* c */",
        ] {
            assert!(is_open_in_pieces(open), "{open}");
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
            "1, /",
            "p(/* ( */)",
            "2 // 3",
            "p('a')",
            "p(0'')",
        ] {
            assert!(!is_open_in_pieces(closed), "{closed}");
        }
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shown("p(1,\n  2"), "p(1, 2");
        assert_eq!(shown(&"a".repeat(100)).len(), SHOWN + 3);
    }
}
