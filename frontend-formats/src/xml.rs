//! The events of an XML text: elements and the text in them, with a place from which a parser reads on. Attributes,
//! comments and instructions to other programs are read over.

use std::borrow::Cow;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, Span};

use crate::tokens::Fail;

/// A part of the text.
#[derive(Clone, PartialEq, Debug)]
enum Event<'a> {
    Open(&'a str),
    Close(&'a str),
    Text(Cow<'a, str>),
}

/// Reads events one after the other.
pub(crate) struct Reader<'a> {
    events: Vec<(Event<'a>, Span)>,
    next: usize,
    end: Span,
}

impl<'a> Reader<'a> {
    /// At the first element of a text.
    pub fn new(source: SourceId, text: &'a str) -> Result<Self, Fail> {
        if u32::try_from(text.len()).is_err() {
            return Err(Box::new(
                Diagnostic::error("T1005", "the text has 4 GiB or more")
                    .label(Span::new(source, 0, 0), "places in a text are 32-bit numbers")
                    .help("build large terms by rules"),
            ));
        }
        let events = Scanner { source, text, at: 0 }.events()?;
        Ok(Self { events, next: 0, end: Span::new(source, text.len(), text.len()) })
    }

    pub fn at_end(&self) -> bool {
        self.next == self.events.len()
    }

    /// The place of what comes next.
    pub fn span(&self) -> Span {
        self.events.get(self.next).map_or(self.end, |(_, span)| *span)
    }

    /// The element that opens next.
    pub fn peek(&self) -> Option<&'a str> {
        match self.events.get(self.next) {
            Some((Event::Open(name), _)) => Some(name),
            _ => None,
        }
    }

    /// Goes into an element, if it opens next.
    pub fn enter(&mut self, name: &str) -> bool {
        let found = self.peek() == Some(name);
        self.next += usize::from(found);
        found
    }

    /// Goes into an element.
    pub fn expect(&mut self, name: &str) -> Result<(), Fail> {
        if self.enter(name) { Ok(()) } else { Err(self.expected(&format!("`<{name}>`"))) }
    }

    /// Leaves an element, if it ends next.
    pub fn leave(&mut self) -> bool {
        let found = matches!(self.events.get(self.next), Some((Event::Close(_), _)));
        self.next += usize::from(found);
        found
    }

    /// Leaves an element.
    pub fn close(&mut self) -> Result<(), Fail> {
        if self.leave() { Ok(()) } else { Err(self.expected("the end of the element")) }
    }

    /// What an element contains that has no further ones, without white space around it; the element is left.
    pub fn text(&mut self) -> Result<(Cow<'a, str>, Span), Fail> {
        let mut found: (Cow<'a, str>, Span) = (Cow::Borrowed(""), self.span());
        while let Some((Event::Text(text), span)) = self.events.get(self.next) {
            found = match found.0.is_empty() {
                true => (text.clone(), *span),
                false => (Cow::Owned(found.0.into_owned() + text), found.1),
            };
            self.next += 1;
        }
        self.close()?;
        let trimmed = match found.0 {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_string()),
        };
        Ok((trimmed, found.1))
    }

    /// Leaves the element that was entered last, whatever is left in it.
    pub fn skip(&mut self) {
        let mut depth = 1;
        while depth > 0
            && let Some((event, _)) = self.events.get(self.next)
        {
            match event {
                Event::Open(_) => depth += 1,
                Event::Close(_) => depth -= 1,
                Event::Text(_) => {}
            }
            self.next += 1;
        }
    }

    pub fn expected(&self, what: &str) -> Fail {
        let found = match self.events.get(self.next) {
            Some((Event::Open(name), _)) => format!("`<{name}>`"),
            Some((Event::Close(name), _)) => format!("`</{name}>`"),
            Some((Event::Text(_), _)) => "text".into(),
            None => "the end of the text".into(),
        };
        Box::new(
            Diagnostic::error("T1001", format!("expected {what}, found {found}"))
                .label(self.span(), "not understood here")
                .help("rules are `<rule><lhs>...</lhs><rhs>...</rhs></rule>` of `<funapp>` and `<var>`"),
        )
    }
}

struct Scanner<'a> {
    source: SourceId,
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn events(mut self) -> Result<Vec<(Event<'a>, Span)>, Fail> {
        let mut events = Vec::new();
        let mut open: Vec<(&'a str, Span)> = Vec::new();
        while self.at < self.text.len() {
            let (start, rest) = (self.at, &self.text[self.at..]);
            if !rest.starts_with('<') {
                let end = rest.find('<').unwrap_or(rest.len());
                self.at += end;
                if !rest[..end].trim().is_empty() && !open.is_empty() {
                    events.push((Event::Text(self.resolved(start, &rest[..end])?), self.place(start)));
                }
            } else if rest.starts_with("<!--") {
                self.past("-->")?;
            } else if rest.starts_with("<![CDATA[") {
                self.past("]]>")?;
                let inside = &self.text[start + 9..self.at - 3];
                events.push((Event::Text(Cow::Borrowed(inside)), self.place(start)));
            } else if rest.starts_with("<?") {
                self.past("?>")?;
            } else if rest.starts_with("<!") {
                self.past(">")?;
            } else {
                self.tag(&mut events, &mut open)?;
            }
        }
        match open.pop() {
            None => Ok(events),
            Some((name, span)) => Err(never_closed(span, &format!("`<{name}>` is never closed"))),
        }
    }

    /// `<name a="b">`, `<name/>` or `</name>`.
    fn tag(
        &mut self,
        events: &mut Vec<(Event<'a>, Span)>,
        open: &mut Vec<(&'a str, Span)>,
    ) -> Result<(), Fail> {
        let start = self.at;
        let mut quote = None;
        let inside = self.text[start + 1..].find(|c: char| match (quote, c) {
            (Some(q), c) => {
                quote = quote.filter(|_| c != q);
                false
            }
            (None, '"' | '\'') => {
                quote = Some(c);
                false
            }
            (None, c) => matches!(c, '<' | '>'),
        });
        let length = 1 + inside.unwrap_or(self.text.len() - start - 1);
        if !self.text[start + length..].starts_with('>') {
            self.at = start + length;
            return Err(never_closed(self.place(start), "this tag is never closed"));
        }
        self.at = start + length + 1;
        let span = self.place(start);
        let tag = &self.text[start + 1..start + length];
        if let Some(name) = tag.strip_prefix('/') {
            let name = name.trim();
            let Some((_, _)) = open.pop().filter(|(opened, _)| *opened == name) else {
                return Err(Box::new(
                    Diagnostic::error("T1001", format!("`</{name}>` closes another element"))
                        .label(span, "the element that is open here has another name")
                        .help("elements are closed in the order in which they stand in each other"),
                ));
            };
            events.push((Event::Close(name), span));
            return Ok(());
        }
        let empty = tag.ends_with('/');
        let tag = tag.strip_suffix('/').unwrap_or(tag);
        let name = tag.split(char::is_whitespace).next().unwrap_or(tag);
        events.push((Event::Open(name), span));
        if empty {
            events.push((Event::Close(name), span));
        } else {
            open.push((name, span));
        }
        Ok(())
    }

    /// Goes past what ends something.
    fn past(&mut self, end: &str) -> Result<(), Fail> {
        match self.text[self.at..].find(end) {
            Some(length) => {
                self.at += length + end.len();
                Ok(())
            }
            None => Err(never_closed(self.place(self.at), "this is never closed")),
        }
    }

    /// Text with characters in the place of their names.
    fn resolved(&self, start: usize, text: &'a str) -> Result<Cow<'a, str>, Fail> {
        if !text.contains('&') {
            return Ok(Cow::Borrowed(text));
        }
        let mut found = String::new();
        let mut parts = text.split('&');
        found += parts.next().unwrap_or("");
        for part in parts {
            let named = part.split_once(';').and_then(|(name, rest)| Some((character(name)?, rest)));
            let Some((character, rest)) = named else {
                return Err(Box::new(
                    Diagnostic::error("T1001", "`&` begins no character that is known")
                        .label(self.place(start), "in this text")
                        .help("write `&amp;` for the character itself"),
                ));
            };
            found.push(character);
            found += rest;
        }
        Ok(Cow::Owned(found))
    }

    /// From a place to where the scanner is.
    fn place(&self, start: usize) -> Span {
        Span::new(self.source, start, self.at.max(start))
    }
}

/// The character that a name stands for: `lt`, `#60`, `#x3c`.
fn character(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

fn never_closed(span: Span, what: &str) -> Fail {
    Box::new(Diagnostic::error("T1002", what).label(span, "begins here").help("close it"))
}
