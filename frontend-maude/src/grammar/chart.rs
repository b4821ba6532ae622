//! A chart of terms: for each token, from the last one to the first, all terms that begin there.

use std::collections::BTreeMap;
use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::signature::character;
use gchr_base::source::Span;
use num_bigint::BigInt;

use super::{Grammar, Makes, Part, Production, TEST};
use crate::parser::Reader;
use crate::signature::Type;
use crate::syntax::TypeName;
use crate::term::{Special, Term, TermKind};
use crate::token::{self, Token};

/// Most terms that may begin at one token.
const MAX_EDGES: usize = 20_000;
/// A term that has been recognised.
#[derive(Clone)]
enum Node {
    Variable(Arc<str>, Type),
    Number(BigInt),
    /// A quoted identifier, a float or a string.
    Text(Arc<str>, &'static str),
    App(usize, Vec<usize>),
    Repeat(usize, u32, usize),
    Special(Special, Vec<usize>),
    HasSort(usize, Type),
}

/// A term that begins at some token.
#[derive(Clone, Copy)]
struct Edge {
    kind: usize,
    end: usize,
    prec: u8,
    node: usize,
    sort: Type,
    /// Where the first argument ends, of an operator that begins with it.
    split: usize,
}

/// A term that may have been recognised: for an application the production and the arguments that its node is made of.
struct Reading {
    edge: Edge,
    of: Option<(usize, Vec<Edge>)>,
}

/// Terms that begin at a token, by their ends.
type Readings = BTreeMap<usize, Vec<Reading>>;

/// The terms that begin at each token.
pub(super) struct Chart<'g, 't> {
    of: Grammar<'g>,
    tokens: &'t [Token],
    nodes: Vec<(Node, Span)>,
    edges: Vec<Vec<Edge>>,
    /// By place, kind and precedence, whether such a term may end there, and whether one may begin there.
    ends: HashMap<(usize, usize, u8), bool>,
    begins: HashMap<(usize, usize, u8), bool>,
    /// By token, how far what begins there is the beginning of a term: the first token that does not fit.
    reached: Vec<usize>,
}

impl<'g, 't> Chart<'g, 't> {
    pub fn new(of: Grammar<'g>, tokens: &'t [Token]) -> Self {
        let mut chart = Self {
            of,
            tokens,
            nodes: Vec::new(),
            edges: vec![Vec::new(); tokens.len() + 1],
            ends: HashMap::default(),
            begins: HashMap::default(),
            reached: (0..=tokens.len()).collect(),
        };
        for at in (0..tokens.len()).rev() {
            chart.begin(at);
        }
        chart
    }

    /// The term that all the tokens make, of a kind if one is given.
    pub fn term(&self, first: &Token, kind: Option<usize>) -> Result<Term, Box<Diagnostic>> {
        let fits = |edge: &&Edge| edge.end == self.tokens.len() && kind.is_none_or(|kind| kind == edge.kind);
        // Of several readings, one that has a sort; then one of a kind that the text itself declares.
        let worth =
            |edge: &&Edge| (matches!(edge.sort, Type::Kind(_)), self.of.signature.is_of_library(edge.kind));
        let best = self.edges[0].iter().filter(fits).min_by_key(worth);
        match best {
            Some(edge) => Ok(self.build(edge.node)),
            None => Err(self.no_term(first, kind)),
        }
    }

    /// All terms that begin at a token; those at later ones are known.
    fn begin(&mut self, at: usize) {
        let mut found = Readings::new();
        self.literal(at, &mut found);
        if let Some(list) = self.of.forms.by_word.get(&self.tokens[at].text) {
            for &production in list {
                self.go_on(production, 1, at, at + 1, &mut Vec::new(), &mut found);
            }
        }
        if self.tokens[at].is("(") {
            self.reached[at] = self.reached[at].max(self.reached[at + 1]);
            for i in 0..self.edges[at + 1].len() {
                let edge = self.edges[at + 1][i];
                if self.tokens.get(edge.end).is_some_and(|token| token.is(")")) {
                    let end = self.qualified(edge.end + 1, edge.kind);
                    self.offer(at, Edge { end, prec: 0, split: 0, ..edge }, None, &mut found);
                }
            }
        }
        // Shorter terms first: what goes on behind one is longer, so that all readings up to an end are known there.
        while let Some((_, readings)) = found.pop_first() {
            for Reading { mut edge, of } in readings {
                if self.edges[at].len() == MAX_EDGES {
                    return;
                }
                if let Some((production, args)) = of {
                    edge.node = self.application(production, (at, edge.end), &args);
                }
                self.edges[at].push(edge);
                self.behind(at, edge, &mut found);
            }
        }
    }

    /// A reading of some tokens. Of those over the same tokens, one of each kind and precedence stays: one that has a
    /// sort; then the one with the longest first argument, as Maude reads chains of operators that bind alike. `of`:
    /// the production and the arguments of an application, of which a node is made if it stays.
    fn offer(&mut self, at: usize, edge: Edge, of: Option<(usize, &[Edge])>, found: &mut Readings) {
        self.reached[at] = self.reached[at].max(edge.end);
        if !self.is_useful(at, edge) {
            return;
        }
        let worth = |edge: &Edge| (matches!(edge.sort, Type::Sort(_)), edge.split);
        let readings = found.entry(edge.end).or_default();
        let known =
            readings.iter_mut().find(|known| (known.edge.kind, known.edge.prec) == (edge.kind, edge.prec));
        match known {
            Some(known) if worth(&known.edge) >= worth(&edge) => {}
            Some(known) => {
                *known = Reading { edge, of: of.map(|(production, args)| (production, args.to_vec())) }
            }
            None => {
                readings.push(Reading { edge, of: of.map(|(production, args)| (production, args.to_vec())) })
            }
        }
    }

    /// Whether a term begins and ends where the text does, or where a larger one may have begun and go on. So there are
    /// no terms of all lengths at each operator of a chain that is read from the left.
    fn is_useful(&mut self, at: usize, edge: Edge) -> bool {
        let (of, Edge { kind, prec, end, .. }) = (self.of.forms, edge);
        let is_end = match self.tokens.get(end) {
            Some(next) => {
                *self.ends.entry((end, kind, prec)).or_insert_with(|| of.goes_on(kind, prec, &next.text))
            }
            None => true,
        };
        let before = at.checked_sub(1).map(|before| &self.tokens[before].text);
        is_end
            && before.is_none_or(|word| {
                *self.begins.entry((at, kind, prec)).or_insert_with(|| of.has_begun(kind, prec, word))
            })
    }

    /// `(0).Nat`: the sort of a term in brackets.
    fn qualified(&self, end: usize, kind: usize) -> usize {
        let Some(first) = self.tokens.get(end).and_then(|token| token.text.strip_prefix('.')) else {
            return end;
        };
        let mut reader = Reader::new(&self.tokens[end + 1..], self.tokens[end].span);
        let before = reader.left();
        let arguments = match reader.peek() {
            Some(next) if next.is("{") => reader.braces().unwrap_or_default(),
            _ => String::new(),
        };
        let sort = self.of.signature.sort(&format!("{first}{arguments}"));
        match sort.is_some_and(|sort| self.of.signature.kind(Type::Sort(sort)) == kind) {
            true => end + 1 + before - reader.left(),
            false => end,
        }
    }

    /// What goes on behind a term.
    fn behind(&mut self, at: usize, edge: Edge, found: &mut Readings) {
        let grammar = self.of.forms;
        let word = self.tokens.get(edge.end).map(|token| token.text.clone());
        if word.is_none() {
            return;
        }
        for next in [word, None] {
            let Some(list) = grammar.by_kind.get(&(edge.kind, next)) else { continue };
            for &production in list {
                let Part::Hole(_, most) = grammar.productions[production].parts[0] else { continue };
                if edge.prec <= most {
                    self.go_on(production, 1, at, edge.end, &mut vec![edge], found);
                }
            }
        }
        if let (Some(truth), true) = (grammar.truth, self.tokens[edge.end].is("::")) {
            let mut reader = Reader::new(&self.tokens[edge.end + 1..], self.tokens[edge.end].span);
            let before = reader.left();
            if let Ok(name) = reader.type_name()
                && let Some(of) = self.of.signature.type_of(&name)
                && self.of.signature.kind(of) == edge.kind
            {
                let end = edge.end + 1 + before - reader.left();
                let node = self.node(Node::HasSort(edge.node, of), at, end);
                let (sort, split) = (self.truth_sort(), edge.end);
                self.offer(at, Edge { kind: truth, end, prec: TEST, node, sort, split }, None, found);
            }
        }
    }

    fn truth_sort(&self) -> Type {
        self.of.signature.sort("Bool").map_or(Type::Kind(0), Type::Sort)
    }

    /// The further parts of a production from a token on.
    fn go_on(
        &mut self,
        production: usize,
        part: usize,
        start: usize,
        at: usize,
        args: &mut Vec<Edge>,
        found: &mut Readings,
    ) {
        let grammar = self.of.forms;
        let of = &grammar.productions[production];
        let Some(next) = of.parts.get(part) else {
            let edge = self.complete(of, at, args);
            return self.offer(start, edge, Some((production, args)), found);
        };
        match next {
            Part::Word(word) => {
                self.reached[start] = self.reached[start].max(at);
                let Some(token) = self.tokens.get(at) else { return };
                if token.text == *word {
                    self.go_on(production, part + 1, start, at + 1, args, found);
                } else if of.many && part + 1 == of.parts.len() && token.is(",") {
                    // A further argument of an associative operator.
                    self.go_on(production, part - 1, start, at + 1, args, found);
                }
            }
            &Part::Hole(kind, most) => {
                self.reached[start] = self.reached[start].max(self.reached[at]);
                if at >= self.tokens.len() {
                    return;
                }
                let then = match of.parts.get(part + 1) {
                    Some(Part::Word(word)) => Some(word),
                    _ => None,
                };
                for i in 0..self.edges[at].len() {
                    let edge = self.edges[at][i];
                    let fits =
                        |word: &Arc<str>| self.tokens.get(edge.end).is_some_and(|token| token.text == *word);
                    if edge.kind == kind && edge.prec <= most && (then.is_none_or(fits) || of.many) {
                        args.push(edge);
                        self.go_on(production, part + 1, start, edge.end, args, found);
                        args.pop();
                    }
                }
            }
        }
    }

    fn node(&mut self, node: Node, start: usize, end: usize) -> usize {
        let span = self.tokens[start].span.to(self.tokens[end - 1].span);
        self.nodes.push((node, span));
        self.nodes.len() - 1
    }

    /// An application, but for its node.
    fn complete(&self, of: &Production, end: usize, args: &[Edge]) -> Edge {
        let signature = self.of.signature;
        let sort = match (of.makes, args) {
            // Maybe with further arguments of an associative operator.
            (Makes::Op(op), [before @ .., last]) if signature.ops[op].domain.len() == 2 => {
                before.iter().rev().fold(last.sort, |rest, arg| signature.result(op, &[arg.sort, rest]))
            }
            (Makes::Op(op), _) => {
                let sorts: Vec<Type> = args.iter().map(|arg| arg.sort).collect();
                signature.result(op, &sorts)
            }
            (Makes::Special(Special::If), [_, then, otherwise]) => {
                match signature.is_below(then.sort, otherwise.sort) {
                    true => otherwise.sort,
                    false => then.sort,
                }
            }
            _ => self.truth_sort(),
        };
        let split = match of.parts.first() {
            Some(Part::Hole(..)) => args.first().map_or(0, |arg| arg.end),
            _ => 0,
        };
        Edge { kind: of.kind, end, prec: of.prec, node: usize::MAX, sort, split }
    }

    /// The node of an application.
    fn application(&mut self, production: usize, (start, end): (usize, usize), args: &[Edge]) -> usize {
        let mut nodes: Vec<usize> = args.iter().map(|arg| arg.node).collect();
        let node = match self.of.forms.productions[production].makes {
            Makes::Op(op) => {
                // Further arguments of an associative operator.
                while nodes.len() > self.of.signature.ops[op].domain.len() {
                    let inner = Node::App(op, nodes.split_off(nodes.len() - 2));
                    nodes.push(self.node(inner, start, end));
                }
                Node::App(op, nodes)
            }
            Makes::Special(special) => Node::Special(special, nodes),
        };
        self.node(node, start, end)
    }

    /// Variables, numbers, strings, quoted identifiers, and `s_^3(X)`.
    fn literal(&mut self, at: usize, found: &mut Readings) {
        let signature = self.of.signature;
        let token = self.tokens[at].clone();
        if let Some((name, sort, end)) = self.of.variable(self.tokens, at) {
            let node = self.node(Node::Variable(name, sort), at, end);
            let kind = signature.kind(sort);
            self.offer(at, Edge { kind, end, prec: 0, node, sort, split: 0 }, None, found);
        }
        let mut constant = |chart: &mut Self, name: &str, node: Node| {
            if let Some(sort) = signature.library_sort(name) {
                let node = chart.node(node, at, at + 1);
                let (kind, sort) = (signature.kind(Type::Sort(sort)), Type::Sort(sort));
                let edge = Edge { kind, end: at + 1, prec: 0, node, sort, split: 0 };
                chart.offer(at, edge, None, found);
            }
        };
        let text = &*token.text;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if digits(text) && signature.literals.naturals {
            let number: BigInt = text.parse().unwrap_or_default();
            let name = if number == BigInt::ZERO { "Zero" } else { "NzNat" };
            constant(self, name, Node::Number(number));
        }
        if let Some(rest) = text.strip_prefix('-')
            && digits(rest)
            && signature.literals.integers
        {
            constant(self, "NzInt", Node::Number(text.parse().unwrap_or_default()));
        }
        if let Some((above, below)) = text.split_once('/')
            && digits(above.strip_prefix('-').unwrap_or(above))
            && digits(below)
            && signature.literals.rationals
            && let [op] = signature.named("_/_", 2)
        {
            let parts = [above, below].map(|part| part.parse::<BigInt>().unwrap_or_default());
            let parts = parts.map(|part| self.node(Node::Number(part), at, at + 1));
            constant(self, "NzRat", Node::App(*op, parts.to_vec()));
        }
        if let Some((text, name)) = signature.literals.floats.then(|| token::float(text)).flatten() {
            constant(self, name, Node::Text(text.into(), name));
        }
        if text.starts_with('\'') && signature.literals.identifiers {
            constant(self, "Qid", Node::Text(token.text.clone(), "Qid"));
        }
        if signature.literals.strings && text.starts_with('"') {
            let bytes = token::bytes(text);
            let name = if bytes.len() == 1 { "Char" } else { "String" };
            let written: String = bytes.into_iter().map(character).collect();
            constant(self, name, Node::Text(format!("\"{written}\"").into(), name));
        }
        self.repeated(at, &token, found);
    }

    fn repeated(&mut self, at: usize, token: &Token, found: &mut Readings) {
        let Some((name, count)) = token.text.rsplit_once('^') else { return };
        let Ok(count) = count.parse::<BigInt>() else { return };
        if count <= BigInt::ZERO {
            return;
        }
        if !self.tokens.get(at + 1).is_some_and(|token| token.is("(")) {
            return;
        }
        let signature = self.of.signature;
        for &op in signature.named(name, 1) {
            if !signature.ops[op].properties.iter {
                continue;
            }
            for i in 0..self.edges[at + 2].len() {
                let edge = self.edges[at + 2][i];
                let closed = self.tokens.get(edge.end).is_some_and(|token| token.is(")"));
                if edge.kind == signature.ops[op].domain[0] && closed {
                    let sort = signature.result(op, &[edge.sort]);
                    let end = edge.end + 1;
                    let is_successor = signature.ops[op].properties.special.as_deref() == Some("succ");
                    let node = match (&self.nodes[edge.node].0, u32::try_from(&count)) {
                        (Node::Number(number), _) if is_successor => Node::Number(number + &count),
                        (_, Ok(count)) => Node::Repeat(op, count, edge.node),
                        (_, Err(_)) => continue,
                    };
                    let node = self.node(node, at, end);
                    let kind = signature.ops[op].range;
                    self.offer(at, Edge { kind, end, prec: 0, node, sort, split: 0 }, None, found);
                }
            }
        }
    }

    fn build(&self, node: usize) -> Term {
        let (node, span) = &self.nodes[node];
        let all = |nodes: &[usize]| nodes.iter().map(|&node| self.build(node)).collect();
        let signature = self.of.signature;
        let named = |of: Type| match of {
            Type::Sort(sort) => TypeName { sort: signature.sorts[sort].name.clone(), is_kind: false },
            Type::Kind(kind) => TypeName { sort: signature.kind_name(kind).into(), is_kind: true },
        };
        let kind = match node {
            Node::Variable(name, of) => TermKind::Var(name.clone(), named(*of)),
            Node::Number(number) => TermKind::Number(number.clone()),
            Node::Text(text, sort) => {
                let sort = signature
                    .library_sort(sort)
                    .map_or((*sort).into(), |sort| signature.sorts[sort].name.clone());
                TermKind::Text(text.clone(), TypeName { sort, is_kind: false })
            }
            Node::App(op, args) => TermKind::App(signature.ops[*op].key.clone(), all(args)),
            Node::Repeat(op, count, arg) => {
                TermKind::Repeat(signature.ops[*op].key.clone(), *count, Box::new(self.build(*arg)))
            }
            Node::Special(special, args) => TermKind::Special(*special, all(args)),
            Node::HasSort(arg, of) => TermKind::HasSort(Box::new(self.build(*arg)), named(*of)),
        };
        Term { kind, span: *span }
    }

    /// Why the tokens are no term: how far one goes.
    fn no_term(&self, first: &Token, kind: Option<usize>) -> Box<Diagnostic> {
        let whole = first.span.to(self.tokens[self.tokens.len() - 1].span);
        if let Some(edge) = self.edges[0].iter().find(|edge| edge.end == self.tokens.len()) {
            let found = self.of.signature.name(edge.sort);
            let wanted = kind.map_or("", |kind| self.of.signature.kind_name(kind));
            return Box::new(
                Diagnostic::error("T3201", format!("this term has sort `{found}`"))
                    .label(whole, format!("a term of sort `{wanted}` is expected here"))
                    .help("relate the two sorts by `subsort`, or write another term"),
            );
        }
        let reached = self.reached[0];
        let error = Diagnostic::error("T3102", "these tokens are no term of this module");
        let error = match self.tokens.get(reached) {
            Some(token) if reached == 0 => error.label(token.span, "no term begins here"),
            Some(token) => error.label(token.span, "a term that begins before this does not go on so"),
            None => error.label(whole.after(), "the term goes on behind this"),
        };
        let text = &self.tokens.get(reached).unwrap_or(first).text;
        let note = format!("operators and variables of the module do not explain `{text}` here");
        let error = if reached < self.tokens.len() { error.note(note) } else { error };
        Box::new(
            error.help(
                "declare what it uses, put brackets around arguments, and white space around operators",
            ),
        )
    }
}
