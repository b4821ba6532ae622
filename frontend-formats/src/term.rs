//! Terms as they are read: flat vectors of nodes in postfix order, never boxes in boxes, so that a term of 10^7 nodes
//! is read, printed and dropped without recursion.

use std::fmt;

use gchr_base::names::{Ident, Name, Names};
use gchr_base::source::Span;

use crate::tokens::{Fail, Kind, Reader};

/// A term; never empty.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// The nodes in postfix order; the last one is the root.
    pub nodes: Vec<Node>,
    /// Place of the whole.
    pub span: Span,
}

/// A name with so many arguments.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Node {
    /// The name.
    pub name: Name,
    /// How many of the terms before it are its arguments.
    pub arity: u32,
    /// Place of the name.
    pub span: Span,
}

impl Term {
    /// The root.
    pub fn root(&self) -> Node {
        self.nodes[self.nodes.len() - 1]
    }
}

/// How terms are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Notation {
    /// `f(a, b)`.
    Functional,
    /// `(f a b)`.
    Prefix,
}

/// Reads a term.
pub(crate) fn read(reader: &mut Reader<'_>, names: &mut Names, notation: Notation) -> Result<Term, Fail> {
    match notation {
        Notation::Functional => functional(reader, names),
        Notation::Prefix => prefix(reader, names),
    }
}

/// An application whose arguments are being read.
struct Open {
    name: Name,
    span: Span,
    args: u32,
}

impl Open {
    fn close(self, nodes: &mut Vec<Node>) {
        nodes.push(Node { name: self.name, arity: self.args, span: self.span });
    }
}

fn functional(reader: &mut Reader<'_>, names: &mut Names) -> Result<Term, Fail> {
    let start = reader.span();
    let (mut nodes, mut open) = (Vec::new(), Vec::<Open>::new());
    loop {
        let (text, span) = reader.word("a term")?;
        let name = names.intern(text);
        if reader.eat("(") && !reader.eat(")") {
            open.push(Open { name, span, args: 1 });
            continue;
        }
        nodes.push(Node { name, arity: 0, span });
        while open.last().is_some() && reader.eat(")") {
            open.pop().into_iter().for_each(|done| done.close(&mut nodes));
        }
        match open.last_mut() {
            None => return Ok(Term { nodes, span: start.to(reader.last_span()) }),
            Some(call) if reader.eat(",") => call.args += 1,
            Some(call) => return Err(unclosed(reader, call.span, "`,` or `)`")),
        }
    }
}

fn prefix(reader: &mut Reader<'_>, names: &mut Names) -> Result<Term, Fail> {
    let start = reader.span();
    let (mut nodes, mut open) = (Vec::new(), Vec::<Open>::new());
    loop {
        if reader.eat("(") {
            let (text, span) = reader.word("a function symbol")?;
            open.iter_mut().last().into_iter().for_each(|call| call.args += 1);
            open.push(Open { name: names.intern(text), span, args: 0 });
        } else if reader.is_word(0) {
            let (text, span) = reader.word("a term")?;
            open.iter_mut().last().into_iter().for_each(|call| call.args += 1);
            nodes.push(Node { name: names.intern(text), arity: 0, span });
        } else if !open.is_empty() && reader.eat(")") {
            open.pop().into_iter().for_each(|done| done.close(&mut nodes));
        } else {
            return Err(match open.last() {
                Some(call) => unclosed(reader, call.span, "a term or `)`"),
                None => reader.expected("a term"),
            });
        }
        if open.is_empty() {
            return Ok(Term { nodes, span: start.to(reader.last_span()) });
        }
    }
}

fn unclosed(reader: &Reader<'_>, open: Span, what: &str) -> Fail {
    let mut expected = reader.expected(what);
    if reader.at_end() {
        expected.code = "T1002";
        expected.message = "this bracket is never closed".into();
    }
    Box::new(expected.label(open, "the arguments of this symbol"))
}

/// An identifier at the place of a word.
pub(crate) fn ident(reader: &mut Reader<'_>, names: &mut Names, what: &str) -> Result<Ident, Fail> {
    let (text, span) = reader.word(what)?;
    Ok(Ident { name: names.intern(text), span })
}

/// Words up to the next mark.
pub(crate) fn idents(reader: &mut Reader<'_>, names: &mut Names) -> Vec<Ident> {
    let mut found = Vec::new();
    while reader.peek(0) == Some(Kind::Word) {
        found.push(Ident { name: names.intern(reader.text(0)), span: reader.span() });
        reader.skip();
    }
    found
}

/// A term with the names of its text.
pub(crate) struct Shown<'a> {
    pub term: &'a Term,
    pub names: &'a Names,
    pub notation: Notation,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let functional = self.notation == Notation::Functional;
        write_nodes(&self.term.nodes, f, |&Node { name, arity, .. }, f| {
            let name = self.names.get(name);
            match (arity, functional) {
                (0, _) => write!(f, "{name}").map(|()| ("", "")),
                (_, true) => write!(f, "{name}(").map(|()| (", ", ")")),
                (_, false) => write!(f, "({name} ").map(|()| (" ", ")")),
            }
        })
    }
}

/// Writes a term from its root on, without recursion. `begin` writes what stands before the arguments of a node, and
/// gives what stands between them and behind the last one.
pub(crate) fn write_nodes(
    nodes: &[Node],
    f: &mut fmt::Formatter<'_>,
    begin: impl Fn(&Node, &mut fmt::Formatter<'_>) -> Result<(&'static str, &'static str), fmt::Error>,
) -> fmt::Result {
    // What is still to be written, the next one last.
    enum Todo {
        Node(usize),
        Text(&'static str),
    }
    let sizes = sizes(nodes);
    let mut todo = vec![Todo::Node(nodes.len() - 1)];
    while let Some(next) = todo.pop() {
        let at = match next {
            Todo::Text(text) => {
                f.write_str(text)?;
                continue;
            }
            Todo::Node(at) => at,
        };
        let (between, behind) = begin(&nodes[at], f)?;
        todo.push(Todo::Text(behind));
        let mut arg = at;
        for i in 0..nodes[at].arity {
            if i > 0 {
                todo.push(Todo::Text(between));
            }
            arg -= if i == 0 { 1 } else { sizes[arg] as usize };
            todo.push(Todo::Node(arg));
        }
    }
    Ok(())
}

/// How many nodes each subterm has.
fn sizes(nodes: &[Node]) -> Vec<u32> {
    let mut sizes: Vec<u32> = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        let mut size = 1;
        let mut arg = at;
        for i in 0..node.arity {
            arg -= if i == 0 { 1 } else { sizes[arg] as usize };
            size += sizes[arg];
        }
        sizes.push(size);
    }
    sizes
}
