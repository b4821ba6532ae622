//! The events of an XML text: elements and the text in them, with a place from which a parser reads on. Attributes,
//! comments and instructions to other programs are read over.

use std::borrow::Cow;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, Span};

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event as Xml;

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
        Ok(Self { events: events(source, text)?, next: 0, end: Span::new(source, text.len(), text.len()) })
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

/// The events of a text, with their places.
fn events(source: SourceId, text: &str) -> Result<Vec<(Event<'_>, Span)>, Fail> {
    let mut reader = quick_xml::Reader::from_str(text);
    // Elements are matched here, so that those that are left open are told with the place where they begin.
    (reader.config_mut().check_end_names, reader.config_mut().allow_unmatched_ends) = (false, true);
    reader.config_mut().expand_empty_elements = true;
    let (mut events, mut open): (_, Vec<(&str, Span)>) = (Vec::new(), Vec::new());
    loop {
        let start = place_in(text, reader.buffer_position());
        let event = reader.read_event().map_err(|error| {
            let wrong = place_in(text, reader.error_position());
            never_closed(Span::new(source, wrong.min(start), text.len()), &format!("no XML: {error}"))
        })?;
        let span = Span::new(source, start, place_in(text, reader.buffer_position()));
        match event {
            Xml::Start(tag) => {
                let name = text.get(start + 1..).and_then(|rest| rest.get(..tag.name().as_ref().len()));
                let name = name.unwrap_or_default();
                if let Some(other) = name.find('<') {
                    let tag = Span::new(source, start, start + 1 + other);
                    return Err(never_closed(tag, "this tag is never closed"));
                }
                open.push((name, span));
                events.push((Event::Open(name), span));
            }
            Xml::End(tag) => {
                let opened = open.pop().map(|(name, _)| name);
                let name = opened.filter(|name| *name == tag.name().as_ref());
                let name = name.ok_or_else(|| closes_another(tag.name().as_ref(), span))?;
                events.push((Event::Close(name), span));
            }
            // White space around the elements of a problem.
            Xml::Text(inside) if open.is_empty() || inside.trim().is_empty() => {}
            Xml::Text(inside) => events.push((Event::Text(inside.xml10_content()), span)),
            Xml::CData(inside) => events.push((Event::Text(inside.xml10_content()), span)),
            Xml::GeneralRef(named) => {
                let character = named.resolve_char_ref().ok().flatten().map(String::from);
                let known = || resolve_predefined_entity(&named).map(String::from);
                let text = character.or_else(known).ok_or_else(|| no_character(span))?;
                events.push((Event::Text(Cow::Owned(text)), span));
            }
            Xml::Eof => break,
            Xml::Empty(_) | Xml::Comment(_) | Xml::Decl(_) | Xml::PI(_) | Xml::DocType(_) => {}
        }
    }
    match open.pop() {
        None => Ok(events),
        Some((name, span)) => Err(never_closed(span, &format!("`<{name}>` is never closed"))),
    }
}

/// A position of the reader as a place in a text.
fn place_in(text: &str, position: u64) -> usize {
    usize::try_from(position).map_or(text.len(), |at| text.floor_char_boundary(at))
}

fn closes_another(name: &str, span: Span) -> Fail {
    Box::new(
        Diagnostic::error("T1001", format!("`</{name}>` closes another element"))
            .label(span, "the element that is open here has another name")
            .help("elements are closed in the order in which they stand in each other"),
    )
}

fn no_character(span: Span) -> Fail {
    Box::new(
        Diagnostic::error("T1001", "`&` begins no character that is known")
            .label(span, "in this text")
            .help("write `&amp;` for the character itself"),
    )
}

fn never_closed(span: Span, what: &str) -> Fail {
    Box::new(Diagnostic::error("T1002", what).label(span, "begins here").help("close it"))
}
