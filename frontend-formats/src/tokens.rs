//! Words and marks of a text, and a place in them from which a parser reads on. Names in these formats are whatever is
//! left between white space and marks: `0`, `+` and `cons` are names like any other.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::escape;
use gchr_base::source::{SourceId, Span};

/// What a format's text is made of.
pub(crate) struct Lexis {
    /// Characters that begin a comment, which goes to the end of the line.
    pub comments: &'static [char],
    /// What ends a word and stands for itself; longer ones come first.
    pub marks: &'static [&'static str],
    /// Words that are marks, too: no name is spelt so.
    pub reserved: &'static [&'static str],
}

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// One of the marks or reserved words of the format.
    Mark(&'static str),
    /// Anything else.
    Word,
}

#[derive(Clone, Copy)]
struct Token {
    kind: Kind,
    start: u32,
    end: u32,
}

/// A finding that ends what is being parsed.
pub(crate) type Fail = Box<Diagnostic>;

/// Reads tokens one after the other.
pub(crate) struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
}

impl<'a> Reader<'a> {
    /// At the first token of a text. A text of 4 GiB or more is none: places are 32-bit numbers.
    pub fn new(source: SourceId, text: &'a str, lexis: &Lexis) -> Result<Self, Fail> {
        if u32::try_from(text.len()).is_err() {
            return Err(Box::new(
                Diagnostic::error("T1005", "the text has 4 GiB or more")
                    .label(Span::new(source, 0, 0), "places in a text are 32-bit numbers")
                    .help("build large terms by rules"),
            ));
        }
        Ok(Self { source, text, tokens: tokens(text, lexis), next: 0 })
    }

    /// The token that comes next, or one behind it.
    pub fn peek(&self, ahead: usize) -> Option<Kind> {
        self.tokens.get(self.next + ahead).map(|token| token.kind)
    }

    /// The text of the token that comes next, or of one behind it; empty at the end.
    pub fn text(&self, ahead: usize) -> &'a str {
        let token = self.tokens.get(self.next + ahead);
        token.map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    /// Whether the next token, or one behind it, is this mark.
    pub fn is(&self, ahead: usize, mark: &str) -> bool {
        matches!(self.peek(ahead), Some(Kind::Mark(found)) if found == mark)
    }

    /// Whether the next token, or one behind it, is a word.
    pub fn is_word(&self, ahead: usize) -> bool {
        self.peek(ahead) == Some(Kind::Word)
    }

    /// Whether the text ends here.
    pub fn at_end(&self) -> bool {
        self.next == self.tokens.len()
    }

    /// Place of the next token; the empty place behind the last one at the end.
    pub fn span(&self) -> Span {
        self.place(self.next)
    }

    /// Place of the last token that was taken.
    pub fn last_span(&self) -> Span {
        self.place(self.next.saturating_sub(1))
    }

    fn place(&self, at: usize) -> Span {
        match (self.tokens.get(at), self.tokens.last()) {
            (Some(token), _) => Span { source: self.source, start: token.start, end: token.end },
            (None, last) => {
                let end = last.map_or(0, |token| token.end);
                Span { source: self.source, start: end, end }
            }
        }
    }

    /// Where the reader is, to come [back](Self::go_to) to.
    pub fn position(&self) -> usize {
        self.next
    }

    /// Goes to a position.
    pub fn go_to(&mut self, position: usize) {
        self.next = position;
    }

    /// Takes the next token.
    pub fn skip(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len());
    }

    /// Takes the next token if it is this mark.
    pub fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(0, mark);
        self.next += usize::from(found);
        found
    }

    /// Takes this mark.
    pub fn expect(&mut self, mark: &str) -> Result<(), Fail> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    /// Takes a word.
    pub fn word(&mut self, what: &str) -> Result<(&'a str, Span), Fail> {
        if !self.is_word(0) {
            return Err(self.expected(what));
        }
        let found = (self.text(0), self.span());
        self.next += 1;
        Ok(found)
    }

    /// Something else was expected here.
    pub fn expected(&self, what: &str) -> Fail {
        let found = match self.text(0) {
            "" => "the end of the text".to_string(),
            text => format!("`{}`", escape::line(&text.chars().take(40).collect::<String>())),
        };
        Box::new(
            Diagnostic::error("T1001", format!("expected {what}, found {found}"))
                .label(self.span(), "not understood here")
                .help("docs/formats.md shows what texts of the format look like"),
        )
    }

    /// Skips to the end of the bracket that was opened last; false when the text ends before.
    pub fn skip_bracket(&mut self) -> bool {
        let mut open = 1_u32;
        while !self.at_end() {
            open = match self.peek(0) {
                Some(Kind::Mark("(")) => open + 1,
                Some(Kind::Mark(")")) => open - 1,
                _ => open,
            };
            self.skip();
            if open == 0 {
                return true;
            }
        }
        false
    }
}

fn tokens(text: &str, lexis: &Lexis) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        if c.is_whitespace() || c == '\u{feff}' {
            at += c.len_utf8();
        } else if lexis.comments.contains(&c) {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
        } else if let Some(mark) = mark_at(&text[at..], lexis) {
            at += mark.len();
            tokens.push(Token { kind: Kind::Mark(mark), start: start as u32, end: at as u32 });
        } else {
            let rest = &text[at..];
            let ends = |(i, c): (usize, char)| {
                let end =
                    c.is_whitespace() || lexis.comments.contains(&c) || mark_at(&rest[i..], lexis).is_some();
                end.then_some(i)
            };
            at += rest.char_indices().find_map(ends).unwrap_or(rest.len());
            let reserved = lexis.reserved.iter().copied().find(|reserved| *reserved == &text[start..at]);
            let kind = reserved.map_or(Kind::Word, Kind::Mark);
            tokens.push(Token { kind, start: start as u32, end: at as u32 });
        }
    }
    tokens
}

fn mark_at(text: &str, lexis: &Lexis) -> Option<&'static str> {
    lexis.marks.iter().copied().find(|mark| text.starts_with(mark))
}

/// How many arguments a symbol has.
pub(crate) fn arity(reader: &mut Reader<'_>, help: &str) -> Result<usize, Fail> {
    let (word, span) = reader.word("the number of arguments")?;
    word.parse().ok().filter(|&n: &usize| n <= u16::MAX.into()).ok_or_else(|| {
        Box::new(
            Diagnostic::error("T1001", "this is no number of arguments")
                .label(span, "a number up to 65535 should be here")
                .help(help),
        )
    })
}

/// The number of an argument, counted from 1.
pub(crate) fn argument(reader: &mut Reader<'_>) -> Result<u32, Fail> {
    let (word, span) = reader.word("the number of an argument")?;
    argument_of(word, span)
}

/// The same from its text.
pub(crate) fn argument_of(text: &str, span: Span) -> Result<u32, Fail> {
    text.parse().map_err(|_| {
        Box::new(
            Diagnostic::error("T1001", "this is no number of an argument")
                .label(span, "a number from 1 on should be here")
                .help("arguments are counted from left to right"),
        )
    })
}
