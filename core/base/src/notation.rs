//! Terms as text in the notation of their symbols: lists in brackets, operators between operands, names with holes.
//!
//! For terms of any representation: a [`View`] says what a node is. Works with an explicit stack, so that terms of any
//! depth can be written.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use crate::escape;
use crate::op::texts;
use crate::signature::{Mixfix, MixfixPiece, Notation, Signature, SymbolId, character};

/// A text of bytes as C writes it.
pub fn quoted(bytes: impl Iterator<Item = u8>) -> String {
    format!("\"{}\"", bytes.map(character).collect::<String>())
}

/// The text of bytes that a word is, or the name of another one, in a message.
pub fn shown_text(word: i64) -> String {
    match (texts::unpacked(word), texts::literal(word)) {
        (Some((bytes, length)), _) => quoted(bytes[8 - length..].iter().copied()),
        (None, number) => format!("text {} of the program", number.unwrap_or(0)),
    }
}

/// Terms that can be written.
pub trait View {
    /// A term.
    type Node: Copy;
    /// What a term is.
    fn top(&self, node: Self::Node) -> Top<'_, Self::Node>;
}

/// What a term is.
pub enum Top<'v, N: Copy> {
    /// A variable or a constant, as it is written.
    Text(Cow<'v, str>),
    /// An application.
    App(SymbolId, Cow<'v, [N]>),
}

/// A term with the way to write it.
pub struct Notated<'a, V: View> {
    /// Where the term is.
    pub view: &'a V,
    /// The names and notations of symbols.
    pub signature: &'a Signature,
    /// The term.
    pub node: V::Node,
    /// From how many nested applications of a unary symbol on they are `S^n(X)`; `None`: never.
    pub powers: Option<usize>,
}

/// What is still to be written.
enum Item<'a, N> {
    Node(N),
    /// The elements behind one that is written, and the bracket that closes the list.
    Elements(N, &'static str),
    /// The arguments behind one that is written, of applications of one symbol in each other, and the bracket.
    Arguments(SymbolId, N),
    Text(&'a str),
    Owned(String),
}

impl<V: View> Display for Notated<'_, V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut todo = vec![Item::Node(self.node)];
        while let Some(item) = todo.pop() {
            match item {
                Item::Text(text) => f.write_str(text)?,
                Item::Owned(text) => f.write_str(&text)?,
                Item::Elements(rest, close) => self.further_elements(rest, close, &mut todo),
                Item::Arguments(symbol, rest) => self.further_arguments(symbol, rest, &mut todo),
                Item::Node(node) => match self.view.top(node) {
                    Top::Text(text) => f.write_str(&text)?,
                    Top::App(symbol, args) => {
                        if !self.notated(node, symbol, &args, &mut todo) {
                            self.application(symbol, &args, &mut todo);
                        }
                    }
                },
            }
        }
        Ok(())
    }
}

impl<'a, V: View> Notated<'a, V> {
    fn notation(&self, symbol: SymbolId) -> Notation {
        self.signature.notations.get(&symbol).copied().unwrap_or_default()
    }

    fn name(&self, symbol: SymbolId) -> &'a str {
        &self.signature.symbols[symbol].name
    }

    /// `f(a, b)` or `S^3(a)`.
    fn application(&self, symbol: SymbolId, args: &[V::Node], todo: &mut Vec<Item<'a, V::Node>>) {
        let name = self.name(symbol);
        let Some((last, first)) = args.split_last() else { return todo.push(Item::Text(name)) };
        todo.push(Item::Text(")"));
        if let (Some((count, inner)), []) = (self.power(symbol, *last), first) {
            self.push_within(inner, Mixfix::ARGUMENT, todo);
            return todo.push(Item::Owned(format!("{name}^{count}(")));
        }
        self.push_within(*last, Mixfix::ARGUMENT, todo);
        for &arg in first.iter().rev() {
            todo.push(Item::Text(", "));
            self.push_within(arg, Mixfix::ARGUMENT, todo);
        }
        todo.extend([Item::Text("("), Item::Text(name)]);
    }

    /// How often a unary symbol is applied, and what to, where that is written by a number.
    fn power(&self, symbol: SymbolId, arg: V::Node) -> Option<(usize, V::Node)> {
        let least = self.powers.filter(|_| self.notation(symbol) != Notation::Plain)?;
        let (mut count, mut inner) = (1, arg);
        while let Top::App(again, args) = self.view.top(inner)
            && let ([below], true) = (&*args, again == symbol)
        {
            (count, inner) = (count + 1, *below);
        }
        (count >= least).then_some((count, inner))
    }

    /// Begins a term that is not written as an application; whether it is one.
    fn notated(
        &self,
        node: V::Node,
        symbol: SymbolId,
        args: &[V::Node],
        todo: &mut Vec<Item<'a, V::Node>>,
    ) -> bool {
        let name = self.name(symbol);
        match (self.notation(symbol), args) {
            (Notation::Empty(brackets), []) => {
                todo.extend([Item::Text(brackets.close), Item::Text(brackets.open)])
            }
            (list @ (Notation::Element(_) | Notation::Text), _) if self.is_closed(node, list) => {
                if let Some(text) = self.text(node, list) {
                    todo.push(Item::Owned(text));
                } else if let Some(brackets) = list.around_elements() {
                    self.element(args, brackets.close, todo);
                    todo.push(Item::Text(brackets.open));
                }
            }
            // Names that begin so cannot be written.
            (Notation::Element(_) | Notation::Text, &[element, rest]) if !name.starts_with('@') => {
                self.infix(name, element, rest, todo);
            }
            (Notation::CodePoint, &[code]) => {
                let Some(c) = self.code_point(code) else { return false };
                let written = escape::in_quotes(c, '\'').unwrap_or_else(|| c.to_string().into());
                todo.push(Item::Owned(format!("'{written}'")));
            }
            (Notation::Argument, &[arg]) => todo.push(Item::Node(arg)),
            (Notation::Fraction, &[arg, below]) if self.is_text(below, "1") => todo.push(Item::Node(arg)),
            (Notation::Infix | Notation::Fraction, &[left, right]) => self.infix(name, left, right, todo),
            (Notation::Applied, [function, args @ ..]) if !args.is_empty() => {
                todo.push(Item::Text(")"));
                for (at, &arg) in args.iter().enumerate().rev() {
                    self.push_within(arg, Mixfix::ARGUMENT, todo);
                    todo.push(Item::Text(if at == 0 { "(" } else { ", " }));
                }
                todo.push(Item::Node(*function));
            }
            (Notation::Flat, &[first, rest]) => {
                todo.extend([Item::Arguments(symbol, rest), Item::Text(", ")]);
                self.push_within(first, Mixfix::ARGUMENT, todo);
                todo.extend([Item::Text("("), Item::Text(name)]);
            }
            (Notation::Ratio(_), &[above, below]) if self.is_ratio(args) => {
                let pieces = Mixfix::pieces(name).filter_map(MixfixPiece::word).map(Item::Text);
                todo.push(Item::Node(below));
                todo.extend(pieces);
                todo.push(Item::Node(above));
            }
            (Notation::Mixfix(binding) | Notation::Ratio(binding), _) => {
                self.mixfix(symbol, binding, args, todo);
            }
            (Notation::Quoted(around), &[text]) => {
                let Some(text) = self.bytes(text) else { return false };
                todo.extend([Item::Text(around.close), Item::Owned(text), Item::Text(around.open)]);
            }
            (Notation::Updated, &[function, at, value]) => todo.extend([
                Item::Text("]"),
                Item::Node(value),
                Item::Text(" -> "),
                Item::Node(at),
                Item::Text("["),
                Item::Node(function),
            ]),
            _ => return false,
        }
        true
    }

    /// The text of bytes that a word is or names, maybe inside another term that is written as a text.
    fn bytes(&self, mut node: V::Node) -> Option<String> {
        let word: i64 = loop {
            match self.view.top(node) {
                Top::Text(word) => break word.parse().ok()?,
                Top::App(symbol, args) => match (self.notation(symbol), &*args) {
                    (Notation::Quoted(_), &[text]) => node = text,
                    _ => return None,
                },
            }
        };
        let written = |bytes: &[u8]| bytes.iter().map(|&byte| character(byte)).collect();
        match texts::unpacked(word) {
            Some((bytes, length)) => Some(written(&bytes[8 - length..])),
            None => self.signature.byte_texts.all().get(texts::literal(word)?).map(|text| written(text)),
        }
    }

    /// `(a + b)`.
    fn infix(&self, name: &'a str, left: V::Node, right: V::Node, todo: &mut Vec<Item<'a, V::Node>>) {
        todo.extend([Item::Text(")"), Item::Node(right), Item::Text(" "), Item::Text(name), Item::Text(" ")]);
        todo.extend([Item::Node(left), Item::Text("(")]);
    }

    /// A name with holes.
    fn mixfix(&self, symbol: SymbolId, binding: Mixfix, args: &[V::Node], todo: &mut Vec<Item<'a, V::Node>>) {
        let mut next = 0;
        let mut parts: Vec<Item<'a, V::Node>> = Vec::new();
        for (has_space, piece) in Mixfix::spaced(self.name(symbol)) {
            if has_space {
                parts.push(Item::Text(" "));
            }
            let Some(&arg) = args.get(next).filter(|_| piece == MixfixPiece::Hole) else {
                parts.push(Item::Text(if let MixfixPiece::Word(word) = piece { word } else { "_" }));
                continue;
            };
            let is_again = || matches!(self.view.top(arg), Top::App(again, _) if again == symbol);
            let limit = binding.limit_in(next, args.len(), is_again);
            next += 1;
            let mut part = Vec::new();
            self.push_within(arg, limit, &mut part);
            parts.extend(part.into_iter().rev());
        }
        todo.extend(parts.into_iter().rev());
    }

    /// An element, and behind it the others of its list.
    fn element(&self, args: &[V::Node], close: &'static str, todo: &mut Vec<Item<'a, V::Node>>) {
        match *args {
            [element, rest] => todo.extend([Item::Elements(rest, close), Item::Node(element)]),
            [element, count, rest] => todo.extend([
                Item::Elements(rest, close),
                Item::Node(count),
                Item::Text(": "),
                Item::Node(element),
            ]),
            _ => {}
        }
    }

    fn further_elements(&self, rest: V::Node, close: &'static str, todo: &mut Vec<Item<'a, V::Node>>) {
        let Top::App(symbol, args) = self.view.top(rest) else { return };
        match self.notation(symbol) {
            Notation::Empty(_) => todo.push(Item::Text(close)),
            _ => {
                self.element(&args, close, todo);
                todo.push(Item::Text(", "));
            }
        }
    }

    fn further_arguments(&self, symbol: SymbolId, rest: V::Node, todo: &mut Vec<Item<'a, V::Node>>) {
        let next = match self.view.top(rest) {
            Top::App(again, args) if again == symbol && args.len() == 2 => {
                todo.extend([Item::Arguments(symbol, args[1]), Item::Text(", ")]);
                args[0]
            }
            _ => {
                todo.push(Item::Text(")"));
                rest
            }
        };
        self.push_within(next, Mixfix::ARGUMENT, todo);
    }

    /// Whether the elements end with an empty list: a variable or a call may be in its place.
    fn is_closed(&self, mut node: V::Node, list: Notation) -> bool {
        loop {
            let Top::App(symbol, args) = self.view.top(node) else { return false };
            match (self.notation(symbol), &*args) {
                (found, [_, rest] | [_, _, rest]) if found == list => node = *rest,
                (found, args) => return args.is_empty() && found.is_end_of(list),
            }
        }
    }

    /// A list that ends, in quotes, if all its elements are characters.
    fn text(&self, mut node: V::Node, list: Notation) -> Option<String> {
        let mut text = String::from("\"");
        while list == Notation::Text
            && let Top::App(_, args) = self.view.top(node)
            && let [element, rest] = *args
        {
            let Top::App(symbol, of) = self.view.top(element) else { return None };
            let (Notation::CodePoint, [code]) = (self.notation(symbol), &*of) else { return None };
            let c = self.code_point(*code)?;
            match escape::in_quotes(c, '"') {
                Some(written) => text += &written,
                None => text.push(c),
            }
            node = rest;
        }
        text.push('"');
        (list == Notation::Text).then_some(text)
    }

    /// The character of a code.
    fn code_point(&self, code: V::Node) -> Option<char> {
        self.number(code)?.parse().ok().and_then(char::from_u32)
    }

    /// A term, in brackets where it does not bind tightly enough.
    fn push_within(&self, node: V::Node, limit: u8, todo: &mut Vec<Item<'a, V::Node>>) {
        match self.binds(node).is_some_and(|found| found > limit) {
            true => todo.extend([Item::Text(")"), Item::Node(node), Item::Text("(")]),
            false => todo.push(Item::Node(node)),
        }
    }

    /// How tightly a term binds, if it is written with its name around its arguments.
    fn binds(&self, mut node: V::Node) -> Option<u8> {
        loop {
            let Top::App(symbol, args) = self.view.top(node) else { return None };
            match (self.notation(symbol), &*args) {
                (Notation::Ratio(_), args) if self.is_ratio(args) => return None,
                (Notation::Mixfix(binding) | Notation::Ratio(binding), _) => {
                    return Some(binding.precedence());
                }
                (Notation::Argument, [arg]) => node = *arg,
                _ => return None,
            }
        }
    }

    /// The text of a number.
    fn number(&self, mut node: V::Node) -> Option<Cow<'a, str>> {
        loop {
            match self.view.top(node) {
                Top::Text(text) => return Some(text),
                Top::App(symbol, args) => match (self.notation(symbol), &*args) {
                    (Notation::Argument, [arg]) => node = *arg,
                    _ => return None,
                },
            }
        }
    }

    /// Whether arguments are numbers that are read as one ratio.
    fn is_ratio(&self, args: &[V::Node]) -> bool {
        let number = |node| self.number(node).filter(|text| text.ends_with(|c: char| c.is_ascii_digit()));
        match *args {
            [above, below] => number(above).is_some() && number(below).is_some_and(|text| text != "0"),
            _ => false,
        }
    }

    fn is_text(&self, node: V::Node, wanted: &str) -> bool {
        matches!(self.view.top(node), Top::Text(text) if text == wanted)
    }
}
