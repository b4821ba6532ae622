//! The symbols of a text and their occurrences.

use std::collections::HashMap;
use std::ops::Range;

/// What a symbol is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A sort of a term program.
    Sort,
    /// A constructor.
    Constructor,
    /// A function.
    Function,
    /// A variable.
    Variable,
    /// A parameter of a function without a name.
    Parameter,
    /// A constraint.
    Constraint,
    /// A predicate that clauses define.
    Predicate,
    /// A type of constraints' arguments.
    Type,
    /// A named rule.
    Rule,
}

/// What an occurrence does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Says that there is the symbol.
    Declaration,
    /// Says what it means: the left side of an equation, the head of a clause.
    Definition,
    /// Uses it.
    Use,
}

/// A symbol.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its number of arguments, where there may be several of the name.
    pub arity: Option<usize>,
    /// What it is.
    pub kind: Kind,
    /// Its declaration in one line.
    pub detail: String,
    /// Whether it is written before, between or behind its arguments without brackets.
    pub is_operator: bool,
    /// The part of the text where it is known; all of it without one.
    pub scope: Option<Range<usize>>,
}

/// A place where a symbol is named.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// The bytes of the name.
    pub range: Range<usize>,
    /// Which symbol.
    pub symbol: usize,
    /// What it does.
    pub role: Role,
}

/// An entry of the outline.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// More about it.
    pub detail: String,
    /// What it is.
    pub kind: Kind,
    /// All of it.
    pub range: Range<usize>,
    /// Its name in it.
    pub selection: Range<usize>,
}

/// The symbols of a text.
#[derive(Clone, Debug, Default)]
pub struct Index {
    symbols: Vec<Symbol>,
    /// By place.
    occurrences: Vec<Occurrence>,
    outline: Vec<Entry>,
    /// Words of the language, for completion.
    words: &'static [&'static str],
}

/// What tells symbols apart: kind or namespace, name, number of arguments, and where the scope begins.
type Key = (Kind, String, Option<usize>, usize);

/// An index that is being made.
#[derive(Default)]
pub(crate) struct Builder {
    index: Index,
    known: HashMap<Key, usize>,
}

impl Builder {
    pub fn new(words: &'static [&'static str]) -> Self {
        Self { index: Index { words, ..Index::default() }, known: HashMap::new() }
    }

    /// The symbol, new or known.
    pub fn symbol(
        &mut self,
        kind: Kind,
        name: &str,
        arity: Option<usize>,
        scope: Option<Range<usize>>,
    ) -> usize {
        let key = (kind, name.to_string(), arity, scope.as_ref().map_or(0, |scope| scope.start + 1));
        *self.known.entry(key).or_insert_with(|| {
            let (name, detail, is_operator) = (name.to_string(), String::new(), false);
            self.index.symbols.push(Symbol { name, arity, kind, detail, is_operator, scope });
            self.index.symbols.len() - 1
        })
    }

    /// The symbol of a name in the whole text, if it is known.
    pub fn find(&self, kind: Kind, name: &str, arity: Option<usize>) -> Option<usize> {
        self.known.get(&(kind, name.to_string(), arity, 0)).copied()
    }

    pub fn detail(&mut self, symbol: usize, detail: String) {
        if self.index.symbols[symbol].detail.is_empty() {
            self.index.symbols[symbol].detail = detail;
        }
    }

    pub fn is_operator(&mut self, symbol: usize) {
        self.index.symbols[symbol].is_operator = true;
    }

    pub fn occurs(&mut self, symbol: usize, range: Range<usize>, role: Role) {
        self.index.occurrences.push(Occurrence { range, symbol, role });
    }

    pub fn entry(&mut self, entry: Entry) {
        self.index.outline.push(entry);
    }

    pub fn finish(mut self) -> Index {
        self.index.occurrences.sort_by_key(|occurrence| (occurrence.range.start, occurrence.range.end));
        self.index.occurrences.dedup_by_key(|occurrence| (occurrence.range.clone(), occurrence.symbol));
        self.index.outline.sort_by_key(|entry| entry.range.start);
        self.index
    }
}

impl Index {
    /// The occurrence at a byte, or one that ends there.
    pub fn at(&self, byte: usize) -> Option<&Occurrence> {
        let mut here = self.occurrences.iter().filter(|o| o.range.start <= byte && byte <= o.range.end);
        let first = here.next()?;
        // Between two names that touch, the one that begins is meant.
        Some(here.next().filter(|next| next.range.start == byte).unwrap_or(first))
    }

    /// A symbol.
    pub fn symbol(&self, symbol: usize) -> &Symbol {
        &self.symbols[symbol]
    }

    /// All symbols.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The symbol of a name that texts know which import this one.
    pub fn exported(&self, name: &str) -> Option<usize> {
        let is_local = |symbol: &Symbol| matches!(symbol.kind, Kind::Variable | Kind::Parameter);
        let is_exported = |symbol: &Symbol| !is_local(symbol) && symbol.name == name;
        self.symbols.iter().position(is_exported)
    }

    /// Where a symbol is named, in the order of the text.
    pub fn occurrences(&self, symbol: usize) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |occurrence| occurrence.symbol == symbol)
    }

    /// Where a symbol is declared; where it is defined or first used without that.
    pub fn definition(&self, symbol: usize) -> Option<&Occurrence> {
        let of = |role: Role| self.occurrences(symbol).find(|occurrence| occurrence.role == role);
        of(Role::Declaration).or_else(|| of(Role::Definition)).or_else(|| of(Role::Use))
    }

    /// The declarations, rules and clauses of the text, in its order.
    pub fn outline(&self) -> &[Entry] {
        &self.outline
    }

    /// What a name at a byte can be: the symbols that are known there, then the words of the language.
    pub fn completions(&self, byte: usize) -> (Vec<&Symbol>, &'static [&'static str]) {
        let known = |symbol: &&Symbol| {
            symbol.scope.as_ref().is_none_or(|scope| scope.start <= byte && byte <= scope.end)
                && symbol.kind != Kind::Rule
        };
        (self.symbols.iter().filter(known).collect(), self.words)
    }
}
