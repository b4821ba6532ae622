//! The arguments of a line of JSON as their parts in postfix order: depth takes no stack.

use std::borrow::Cow;

use gchr_base::limited::cut;
use gchr_base::logic::CONS;
use json_event_parser::{JsonEvent, JsonSyntaxError, LowLevelJsonParser, LowLevelJsonParserResult};

use crate::facts::cell::{self, Fault, Node, TermCells, Want};

/// Longest part of a value that is shown.
const MAX_VALUE: usize = 100;

/// The arguments on a line, and the constraint that it says they are of.
pub struct Read<'l> {
    pub constraint: Option<Cow<'l, str>>,
    pub args: Args<'l>,
}

/// Values one after the other.
#[derive(Default)]
pub struct Args<'l> {
    items: Vec<Item<'l>>,
    ends: Vec<usize>,
}

/// A part of a value.
#[derive(Debug)]
pub enum Item<'l> {
    /// As it is written.
    Number(Cow<'l, str>),
    Atom(Cow<'l, str>),
    Str(Cow<'l, str>),
    /// A compound term of so many values before it.
    Compound {
        name: Cow<'l, str>,
        arity: usize,
    },
}

/// Why a line has no arguments.
#[derive(Debug)]
pub enum NoArguments {
    /// What is wrong with its text.
    Syntax(String),
    /// It is something else.
    Missing,
    /// An argument is nothing that a constraint can have.
    Value { column: usize, what: String },
}

impl Args<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// The parts of one of them.
    pub fn value(&self, at: usize) -> &[Item<'_>] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.items[start..self.ends[at]]
    }
}

/// What is open around the next part.
enum Open<'l> {
    /// A list with so many elements.
    List(usize),
    /// An object that stands for a value.
    Object(Members<'l>),
    /// The arguments of a compound term.
    Args(usize),
}

/// The members of an object that stands for a value.
#[derive(Default)]
struct Members<'l> {
    /// The key whose value comes next.
    key: Cow<'l, str>,
    functor: Option<Cow<'l, str>>,
    /// How many arguments there were.
    args: Option<usize>,
    string: Option<Cow<'l, str>>,
}

/// Reads a line: an array, or an object with an array `args`.
pub fn read(line: &[u8]) -> Result<Read<'_>, NoArguments> {
    let mut events = Events::of(line);
    let mut read = Read { constraint: None, args: Args::default() };
    match events.next()? {
        JsonEvent::StartArray => arguments(&mut events, &mut read.args)?,
        JsonEvent::StartObject => members(&mut events, &mut read)?,
        _ => {
            events.skip_all()?;
            return Err(NoArguments::Missing);
        }
    }
    match events.next()? {
        JsonEvent::Eof => Ok(read),
        _ => Err(NoArguments::Missing),
    }
}

/// Whether a text is one value of JSON on several lines, or a list of objects: a document, as other programs write it.
pub fn is_document(text: &[u8]) -> bool {
    let mut events = Events::of(text);
    let objects = events.next().is_ok_and(|first| first == JsonEvent::StartArray)
        && events.next().is_ok_and(|second| second == JsonEvent::StartObject);
    (objects || text.trim_ascii().contains(&b'\n')) && Events::of(text).skip_all().is_ok()
}

/// The members of a line that is an object.
fn members<'l>(events: &mut Events<'l>, read: &mut Read<'l>) -> Result<(), NoArguments> {
    let mut found = false;
    loop {
        let key = match events.next()? {
            JsonEvent::ObjectKey(key) => key,
            _ if found => return Ok(()),
            _ => return Err(NoArguments::Missing),
        };
        match (&*key, events.next()?) {
            ("constraint", JsonEvent::String(name)) => read.constraint = Some(name),
            ("args", JsonEvent::StartArray) if !found => {
                found = true;
                arguments(events, &mut read.args)?;
            }
            ("args" | "constraint", _) => return Err(NoArguments::Missing),
            (_, first) => events.skip(first)?,
        }
    }
}

/// The values up to the end of an array.
fn arguments<'l>(events: &mut Events<'l>, args: &mut Args<'l>) -> Result<(), NoArguments> {
    let mut open: Vec<Open<'l>> = Vec::new();
    loop {
        let bad = |what: String| NoArguments::Value { column: args.ends.len(), what };
        let value = match events.next()? {
            JsonEvent::Number(number) => Item::Number(number),
            JsonEvent::String(text) => match open.last_mut() {
                Some(Open::Object(members)) => {
                    members.text(text).map_err(bad)?;
                    continue;
                }
                _ => Item::Atom(text),
            },
            JsonEvent::StartArray => {
                open.push(match open.last() {
                    Some(Open::Object(members)) if members.key == "args" && members.args.is_none() => {
                        Open::Args(0)
                    }
                    Some(Open::Object(members)) => return Err(bad(members.unknown())),
                    _ => Open::List(0),
                });
                continue;
            }
            JsonEvent::StartObject => {
                if let Some(Open::Object(members)) = open.last() {
                    return Err(bad(members.unknown()));
                }
                open.push(Open::Object(Members::default()));
                continue;
            }
            JsonEvent::ObjectKey(key) => {
                if let Some(Open::Object(members)) = open.last_mut() {
                    members.key = key;
                }
                continue;
            }
            JsonEvent::EndArray => match open.pop() {
                None => return Ok(()),
                Some(Open::List(elements)) => {
                    // The cells of a list end in `[]`.
                    let cells = (0..elements).map(|_| Item::Compound { name: CONS.into(), arity: 2 });
                    args.items.push(Item::Atom("[]".into()));
                    args.items.extend(cells);
                    close(&mut open, args);
                    continue;
                }
                Some(Open::Args(count)) => {
                    if let Some(Open::Object(members)) = open.last_mut() {
                        members.args = Some(count);
                    }
                    continue;
                }
                Some(Open::Object(_)) => return Err(NoArguments::Missing),
            },
            JsonEvent::EndObject => match open.pop() {
                Some(Open::Object(members)) => members.value().map_err(bad)?,
                _ => return Err(NoArguments::Missing),
            },
            JsonEvent::Boolean(_) | JsonEvent::Null => return Err(bad("neither a number nor a text".into())),
            JsonEvent::Eof => return Err(NoArguments::Missing),
        };
        if let Some(Open::Object(members)) = open.last() {
            return Err(bad(members.unknown()));
        }
        args.items.push(value);
        close(&mut open, args);
    }
}

/// Counts a value that is complete where it belongs to.
fn close(open: &mut [Open<'_>], args: &mut Args<'_>) {
    match open.last_mut() {
        None => args.ends.push(args.items.len()),
        Some(Open::List(count) | Open::Args(count)) => *count += 1,
        Some(Open::Object(_)) => {}
    }
}

impl<'l> Members<'l> {
    /// Takes a text as the value of the key.
    fn text(&mut self, text: Cow<'l, str>) -> Result<(), String> {
        match &*self.key {
            "functor" => self.functor = Some(text),
            "string" => self.string = Some(text),
            "variable" => return Err(format!("the variable {text}, and facts have none")),
            "float" => return Err(format!("the float {text}, and those of facts are finite")),
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    fn unknown(&self) -> String {
        format!("an object with a member `{}`", cut(&self.key, MAX_VALUE))
    }

    /// The value that the object stands for.
    fn value(self) -> Result<Item<'l>, String> {
        match self {
            Members { functor: Some(name), args: Some(arity @ 1..), string: None, .. } => {
                Ok(Item::Compound { name, arity })
            }
            Members { functor: None, args: None, string: Some(text), .. } => Ok(Item::Str(text)),
            _ => Err("an object that is neither a string nor a compound term".into()),
        }
    }
}

/// The events of a text.
struct Events<'l> {
    rest: &'l [u8],
    parser: LowLevelJsonParser,
}

impl<'l> Events<'l> {
    fn of(line: &'l [u8]) -> Self {
        Self { rest: line, parser: LowLevelJsonParser::new().with_max_stack_size(usize::MAX) }
    }

    fn next(&mut self) -> Result<JsonEvent<'l>, NoArguments> {
        loop {
            let LowLevelJsonParserResult { event, consumed_bytes } = self.parser.parse_next(self.rest, true);
            self.rest = &self.rest[consumed_bytes..];
            if let Some(event) = event {
                return event.map_err(|error: JsonSyntaxError| {
                    let column = error.location().start.column + 1;
                    NoArguments::Syntax(format!("column {column}: {}", error.message()))
                });
            }
        }
    }

    /// Passes over a value of which the first event is known.
    fn skip(&mut self, first: JsonEvent<'l>) -> Result<(), NoArguments> {
        let mut depth = depth_of(&first);
        while depth > 0 {
            depth += depth_of(&self.next()?);
        }
        Ok(())
    }

    /// Passes over what is left.
    fn skip_all(&mut self) -> Result<(), NoArguments> {
        while self.next()? != JsonEvent::Eof {}
        Ok(())
    }
}

fn depth_of(event: &JsonEvent<'_>) -> isize {
    match event {
        JsonEvent::StartArray | JsonEvent::StartObject => 1,
        JsonEvent::EndArray | JsonEvent::EndObject => -1,
        _ => 0,
    }
}

/// A number as what it is written as: an integer unless it has a point or an exponent.
pub fn number(text: &str) -> Result<Node, Fault> {
    match text.contains(['.', 'e', 'E']) {
        true => cell::float(text.as_bytes()).map(Node::Float),
        false => cell::int(text.as_bytes()).map(Node::Int),
    }
}

/// Adds a value to those of a column. The parts of a list were read before its cells: they are in its order.
pub fn store(value: &[Item<'_>], terms: &mut TermCells) -> Result<(), Fault> {
    let start = terms.nodes.len();
    for item in value {
        let text = |text: &str, terms: &mut TermCells| terms.texts.intern(text, &Want::Infer);
        let node = match item {
            Item::Number(written) => number(written),
            Item::Atom(name) => text(name, terms).map(Node::Atom),
            Item::Str(string) => text(string, terms).map(Node::Str),
            Item::Compound { name, arity } => {
                text(name, terms).map(|name| Node::Compound { name, arity: *arity })
            }
        };
        match node {
            Ok(node) => terms.nodes.push(node),
            Err(fault) => {
                terms.nodes.truncate(start);
                return Err(fault);
            }
        }
    }
    terms.ends.push(terms.nodes.len());
    Ok(())
}

/// A value in a message: the number or the text, or what it is.
pub fn shown(value: &[Item<'_>]) -> String {
    match value {
        [Item::Number(number)] => cut(number, MAX_VALUE),
        [Item::Atom(text) | Item::Str(text)] => cut(format!("{text:?}"), MAX_VALUE),
        [.., Item::Compound { name, arity: 2 }] if name == CONS => "a list".into(),
        [.., Item::Compound { name, arity }] => cut(format!("the compound term {name}/{arity}"), MAX_VALUE),
        _ => "this".into(),
    }
}
