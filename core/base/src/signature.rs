//! The signature: sorts, symbols (constructors, defined functions, functors) and constraint symbols with typed columns.

mod column_types;

use std::sync::Arc;

pub use column_types::{ColumnType, ColumnTypes, TypeId, TypeKind, Variant};

use crate::define_id;
use crate::hash::HashMap;
use crate::ids::IdVec;
use crate::logic::Operators;
use crate::op::Op;
use crate::op::texts::{LITERALS, packed};
use crate::source::Span;

pub use crate::sort::SortKind;

define_id!(
    /// A sort.
    SortId, "sort"
);
define_id!(
    /// A function symbol: constructor, defined function, or functor of compound terms in constraints.
    SymbolId, "sym"
);
define_id!(
    /// A constraint symbol.
    ConstraintId, "con"
);
define_id!(
    /// An interned text: an atom or a string.
    TextId, "txt"
);

/// A sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sort {
    /// Name in the source.
    pub name: String,
    /// What its values are.
    pub kind: SortKind,
    /// Where it is declared; `None` for built-in sorts.
    pub span: Option<Span>,
}

/// What a symbol does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SymbolKind {
    /// Builds values; no rule has it at the head of its left-hand side.
    Constructor,
    /// Some rule has it at the head of its left-hand side.
    Defined,
    /// Builds compound terms of sort [`SortKind::Any`] in constraint programs.
    Functor,
}

/// A function symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Name in the source.
    pub name: String,
    /// Sorts of the arguments.
    pub args: Vec<SortId>,
    /// Sort of the result.
    pub result: SortId,
    /// Constructor, defined function or functor.
    pub kind: SymbolKind,
    /// Where it is declared; `None` for built-in symbols.
    pub span: Option<Span>,
}

/// How a column of a constraint may be indexed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Density {
    /// Any values: hash indexes.
    Sparse,
    /// Small non-negative integers (`dense_int`): array indexes.
    Dense,
}

/// A column of a constraint symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Sort of the values.
    pub sort: SortId,
    /// Whether the source declared or the frontend inferred the column dense.
    pub density: Density,
    /// Whether the sort was declared (else inferred).
    pub declared: bool,
}

/// How applications of a symbol are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Notation {
    /// `f(a, b)`.
    #[default]
    Application,
    /// Elements between brackets: the first argument, or the first two with a colon between them, is an element; the
    /// last one holds the further ones.
    Element(Brackets),
    /// The same without elements.
    Empty(Brackets),
    /// As its only argument is.
    Argument,
    /// Its name between two arguments, the whole in brackets.
    Infix,
    /// The same, but only its first argument where the second is the number 1.
    Fraction,
    /// `f(a, b)`, also where it is nested: no `f^n(a)`.
    Plain,
    /// `f(a, b, c)`: where the last argument is an application of the same symbol, its arguments.
    Flat,
    /// Its first argument, applied to the others: `f(a, b)` where `f` is the first one.
    Applied,
    /// `f[a -> b]`, of its three arguments.
    Updated,
    /// As its name says, where each `_` stands for an argument.
    Mixfix(Mixfix),
    /// So many copies, by its first argument, of its second one as arguments of the symbol of its name, which is
    /// written as its name says, or `f(a, b, c)`.
    Copies(Option<Mixfix>),
    /// The same, but two numbers without white space around what stands between them: `1/6`.
    Ratio(Mixfix),
    /// Its only argument, a text of bytes, between these; or the text of a term that is written so.
    Quoted(Brackets),
    /// The character whose code is its only argument, in single quotes.
    CodePoint,
    /// As an [`Element`](Notation::Element) in square brackets, but characters in quotes, `"abc"`, where all elements
    /// are written as [`CodePoint`](Notation::CodePoint).
    Text,
}

impl Notation {
    /// What stands around such elements.
    pub fn around_elements(self) -> Option<Brackets> {
        match self {
            Notation::Element(brackets) => Some(brackets),
            Notation::Text => Some(Brackets::SQUARE),
            _ => None,
        }
    }
    /// Whether a term may need brackets as an argument.
    pub fn may_bind(self) -> bool {
        matches!(
            self,
            Notation::Mixfix(_) | Notation::Ratio(_) | Notation::Copies(Some(_)) | Notation::Argument
        )
    }
    /// Whether this is the notation of the empty list that may be behind such elements.
    pub fn is_end_of(self, elements: Notation) -> bool {
        let Notation::Empty(own) = self else { return false };
        match elements {
            Notation::Element(brackets) => brackets.close == own.close,
            Notation::Text => own == Brackets::QUOTES,
            _ => false,
        }
    }
}

/// A character of a string, as C writes it: a byte that cannot be shown by its code.
pub fn character(byte: u8) -> String {
    match byte {
        b'"' => "\\\"".into(),
        b'\\' => "\\\\".into(),
        b'\n' => "\\n".into(),
        b'\t' => "\\t".into(),
        b'\r' => "\\r".into(),
        7 => "\\a".into(),
        8 => "\\b".into(),
        11 => "\\v".into(),
        12 => "\\f".into(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

/// How tightly an application binds that is written with its name around its arguments, and how tightly its arguments
/// have to bind so that they need no brackets. Lower numbers bind tighter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mixfix {
    precedence: u8,
    /// Of the first eight arguments, one a byte.
    limits: [u8; 8],
    associative: bool,
}

impl Mixfix {
    /// The most that the precedence of an argument in brackets behind a name may be: commas separate arguments.
    pub const ARGUMENT: u8 = 95;

    /// With the precedence of the whole and the largest ones of its arguments. The last argument of an associative
    /// symbol is written without brackets where it is an application of the same one.
    pub fn new(precedence: u8, arguments: &[u8], associative: bool) -> Self {
        let mut limits = [u8::MAX; 8];
        limits.iter_mut().zip(arguments).for_each(|(limit, &most)| *limit = most);
        Self { precedence, limits, associative }
    }
    /// How tightly the whole binds.
    pub fn precedence(self) -> u8 {
        self.precedence
    }
    /// The words and the holes of a name with holes: `if_then_else_fi`. A bracket or a comma is a word of its own, and
    /// a backquote separates words; behind it `_` is no hole.
    pub fn pieces(name: &str) -> impl Iterator<Item = MixfixPiece<'_>> {
        let is_word = |c: char| matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | ',');
        let mut rest = name;
        std::iter::from_fn(move || {
            let quoted = rest.starts_with('`');
            rest = rest.strip_prefix('`').unwrap_or(rest);
            let first = rest.chars().next()?;
            let ends = |c: char| is_word(c) || matches!(c, '_' | '`');
            let length = match first {
                '_' if !quoted => 1,
                c if is_word(c) => 1,
                c => c.len_utf8() + rest[c.len_utf8()..].find(ends).unwrap_or(rest.len() - c.len_utf8()),
            };
            let (piece, behind) = rest.split_at(length);
            rest = behind;
            Some(if first == '_' && !quoted { MixfixPiece::Hole } else { MixfixPiece::Word(piece) })
        })
    }
    /// The pieces of a name, each with whether a space stands before it.
    pub fn spaced(name: &str) -> impl Iterator<Item = (bool, MixfixPiece<'_>)> {
        let mut before = "";
        Self::pieces(name).map(move |piece| {
            let word = if let MixfixPiece::Word(word) = piece { word } else { "_" };
            let opens = before.is_empty() || matches!(before, "(" | "[" | "{");
            before = word;
            (!opens && !matches!(word, ")" | "]" | "}" | ","), piece)
        })
    }
    /// The most that the precedence of one of so many arguments may be: `a + b + c` is `a + (b + c)` where the symbol
    /// is associative and the last argument an application of it again.
    pub fn limit_in(self, argument: usize, count: usize, is_again: impl FnOnce() -> bool) -> u8 {
        match self.associative && argument + 1 == count && is_again() {
            true => u8::MAX,
            false => self.limits.get(argument).copied().unwrap_or(u8::MAX),
        }
    }
}

impl Brackets {
    /// Those of lists.
    pub const SQUARE: Brackets = Brackets { open: "[", close: "]" };
    /// Those of texts.
    pub const QUOTES: Brackets = Brackets { open: "\"", close: "\"" };
    /// Those of quoted identifiers.
    pub const QUOTE: Brackets = Brackets { open: "'", close: "" };
}

/// What stands around elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Brackets {
    /// Before the first element.
    pub open: &'static str,
    /// Behind the last one.
    pub close: &'static str,
}

/// A piece of a name with holes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MixfixPiece<'n> {
    /// Where an argument stands.
    Hole,
    /// What stands between arguments.
    Word(&'n str),
}

impl<'n> MixfixPiece<'n> {
    /// What stands between arguments.
    pub fn word(self) -> Option<&'n str> {
        match self {
            MixfixPiece::Hole => None,
            MixfixPiece::Word(word) => Some(word),
        }
    }
}

/// A constraint symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// Name in the source.
    pub name: String,
    /// Columns, in argument order.
    pub columns: Vec<Column>,
    /// Where it is declared.
    pub span: Option<Span>,
    /// Whether no program declares it: it stands for the rest of a body while a branch is chosen, and no result has it.
    pub is_made: bool,
}

/// `Bool` and its two constructors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Booleans {
    /// The sort that conditions and comparisons have.
    pub sort: SortId,
    /// `true`.
    pub true_symbol: SymbolId,
    /// `false`.
    pub false_symbol: SymbolId,
}

/// Name of the sort of truth values where a term program has none of its own; no program can write it.
pub const HIDDEN_BOOL: &str = "(truth)";

/// Interned texts of atoms and strings.
#[derive(Clone, Default, Debug)]
pub struct Texts {
    texts: IdVec<TextId, Box<str>>,
    ids: HashMap<Box<str>, TextId>,
}

impl Texts {
    /// The id of `text`, new or known.
    pub fn intern(&mut self, text: &str) -> TextId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        id
    }
    /// The id of `text`, if it is known.
    pub fn find(&self, text: &str) -> Option<TextId> {
        self.ids.get(text).copied()
    }
    /// The text of `id`.
    pub fn get(&self, id: TextId) -> &str {
        &self.texts[id]
    }
    /// Bytes of the longest text.
    pub fn longest(&self) -> usize {
        self.texts.iter().map(|text| text.len()).max().unwrap_or(0)
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Texts of bytes that are too long for a word, each once.
#[derive(Clone, Default, Debug)]
pub struct ByteTexts {
    texts: Vec<Box<[u8]>>,
    ids: HashMap<Box<[u8]>, usize>,
}

impl ByteTexts {
    /// The word for a text, which names one of these where it is long.
    pub fn word(&mut self, bytes: &[u8]) -> i64 {
        packed(bytes).unwrap_or_else(|| {
            let id = self.ids.get(bytes).copied().unwrap_or_else(|| {
                self.texts.push(bytes.into());
                self.ids.insert(bytes.into(), self.texts.len() - 1);
                self.texts.len() - 1
            });
            LITERALS + id as i64
        })
    }
    /// The word for a text that is short, or one of these.
    pub fn known(&self, bytes: &[u8]) -> Option<i64> {
        packed(bytes).or_else(|| self.ids.get(bytes).map(|&id| LITERALS + id as i64))
    }
    /// All of them, by number.
    pub fn all(&self) -> &[Box<[u8]>] {
        &self.texts
    }
}

/// The functors of a signature, by name and number of arguments.
#[derive(Clone, Debug)]
pub struct Functors {
    ids: HashMap<(String, usize), SymbolId>,
    /// The sort of their arguments and of what they make: that of all values.
    any: SortId,
}

impl Functors {
    /// Those that a signature has; `any` is its sort of all values.
    pub fn of(signature: &Signature, any: SortId) -> Self {
        let ids = signature.functors().map(|(name, arity, id)| ((name.to_string(), arity), id)).collect();
        Self { ids, any }
    }

    /// The functor of a name and a number of arguments, which is new in the signature, with this place, or known.
    pub fn functor(
        &mut self,
        signature: &mut Signature,
        name: &str,
        arity: usize,
        span: Option<Span>,
    ) -> SymbolId {
        *self.ids.entry((name.to_string(), arity)).or_insert_with(|| {
            let (args, result) = (vec![self.any; arity], self.any);
            let kind = SymbolKind::Functor;
            signature.symbols.push(Symbol { name: name.into(), args, result, kind, span })
        })
    }
}

/// Everything a program names.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Sorts.
    pub sorts: IdVec<SortId, Sort>,
    /// Function symbols.
    pub symbols: IdVec<SymbolId, Symbol>,
    /// Constraint symbols, in order of declaration.
    pub constraints: IdVec<ConstraintId, Constraint>,
    /// Types of columns that say more than their sorts.
    pub column_types: ColumnTypes,
    /// Atoms and strings.
    pub texts: Texts,
    /// The truth values: sort of conditions, comparisons and tests.
    pub booleans: Booleans,
    /// The operators that terms are written with, where the program declares some.
    pub operators: Option<Arc<Operators>>,
    /// Symbols that are not written as applications.
    pub notations: HashMap<SymbolId, Notation>,
    /// Whether integers of term programs have any size; else 64 bits. Such a program has no floats, and its constants
    /// lie between -2^62 and 2^62.
    pub big_integers: bool,
    /// Texts of bytes of a term program: those that are too long for a word, each once. Constants
    /// [name](crate::op::texts) them by their numbers.
    pub byte_texts: ByteTexts,
}

impl Signature {
    /// The functors, each with its name and number of arguments.
    pub fn functors(&self) -> impl Iterator<Item = (&str, usize, SymbolId)> {
        let functors = self.symbols.iter_enumerated().filter(|(_, s)| s.kind == SymbolKind::Functor);
        functors.map(|(id, symbol)| (symbol.name.as_str(), symbol.args.len(), id))
    }

    /// The constraints that the program declares, in that order.
    pub fn declared_constraints(&self) -> impl Iterator<Item = (ConstraintId, &Constraint)> {
        self.constraints.iter_enumerated().filter(|(_, constraint)| !constraint.is_made)
    }

    /// A signature with the given sort of truth values and nothing else. Term frontends that let the program
    /// declare `Bool` itself add sorts first and set [`booleans`](Self::booleans) afterwards.
    pub fn with_builtin_bool() -> Self {
        let mut sorts = IdVec::new();
        let sort = sorts.push(Sort { name: "Bool".into(), kind: SortKind::Data, span: None });
        let mut symbols = IdVec::new();
        let mut constant = |name: &str| {
            symbols.push(Symbol {
                name: name.into(),
                args: Vec::new(),
                result: sort,
                kind: SymbolKind::Constructor,
                span: None,
            })
        };
        let booleans = Booleans { sort, true_symbol: constant("true"), false_symbol: constant("false") };
        let (constraints, column_types, texts) = (IdVec::new(), ColumnTypes::default(), Texts::default());
        let (notations, operators, big_integers) = (HashMap::default(), None, false);
        Self {
            sorts,
            symbols,
            constraints,
            column_types,
            texts,
            booleans,
            operators,
            notations,
            big_integers,
            byte_texts: ByteTexts::default(),
        }
    }
    /// Kind of a sort.
    pub fn kind(&self, sort: SortId) -> SortKind {
        self.sorts[sort].kind
    }
    /// Number of arguments of a symbol.
    pub fn arity(&self, symbol: SymbolId) -> usize {
        self.symbols[symbol].args.len()
    }
    /// Symbols whose result is `sort`, in order of declaration.
    pub fn symbols_of(&self, sort: SortId) -> impl Iterator<Item = SymbolId> + '_ {
        self.symbols.iter_enumerated().filter(move |(_, s)| s.result == sort).map(|(id, _)| id)
    }
    /// The first sort of a kind, if there is one.
    pub fn sort_of_kind(&self, kind: SortKind) -> Option<SortId> {
        self.sorts.iter_enumerated().find(|(_, s)| s.kind == kind).map(|(id, _)| id)
    }
    /// Sort of the result of an operator whose operands have the sort `operands`, in a term program.
    pub fn sort_of_result(&self, op: Op, operands: SortId) -> SortId {
        match op.result(&[self.kind(operands)].repeat(op.arity())) {
            SortKind::Data => self.booleans.sort,
            kind if kind == self.kind(operands) => operands,
            kind => self.sort_of_kind(kind).unwrap_or(operands),
        }
    }
    /// `name/arity` of a constraint symbol.
    pub fn constraint_name(&self, id: ConstraintId) -> String {
        let c = &self.constraints[id];
        format!("{}/{}", c.name, c.columns.len())
    }
}
