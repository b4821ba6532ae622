//! Values and constraints as plain data, for files: texts, functors and terms have numbers of their own, terms that are
//! equal one. Constraints keep their ids.

use std::ops::Range;

use gchr_base::error::StopReason;
use gchr_base::hash::HashMap;
use gchr_base::signature::{Signature, SortKind, SymbolId, TextId};
use gchr_base::value::Heap;
use gchr_base::value::heap::Word;
use gchr_base::watch::Watch;
use serde::{Deserialize, Serialize};

use super::table::Table;

/// A value of a column of any sort. Parts of a term come before it.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) enum Term {
    Int(i64),
    Float(f64),
    Atom(u32),
    Str(u32),
    Compound(u32, Vec<u32>),
}

/// The constraints of a symbol, by their ids.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct ImageRows {
    pub(crate) kinds: Vec<Kind>,
    /// Each without the one before it.
    pub(crate) ids: Vec<u64>,
    /// By column: numbers by their bits, texts and terms by their numbers.
    columns: Vec<Vec<u64>>,
}

/// What a column holds: part of the form of files, whatever the order of [`SortKind`].
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) enum Kind {
    Int,
    Float,
    Atom,
    Str,
    Any,
}

impl Kind {
    fn of(kind: SortKind) -> Self {
        match kind {
            SortKind::Int => Kind::Int,
            SortKind::Float => Kind::Float,
            SortKind::Atom => Kind::Atom,
            SortKind::Str => Kind::Str,
            SortKind::Any | SortKind::Data => Kind::Any,
        }
    }

    pub(crate) fn sort(self) -> SortKind {
        match self {
            Kind::Int => SortKind::Int,
            Kind::Float => SortKind::Float,
            Kind::Atom => SortKind::Atom,
            Kind::Str => SortKind::Str,
            Kind::Any => SortKind::Any,
        }
    }
}

/// Why an image becomes no store.
#[derive(Clone, PartialEq, Debug)]
pub enum Unrestored {
    /// It is not what was saved, or of other constraints.
    Damaged(&'static str),
    /// There is no room for it, or it is not wanted any more.
    Stopped(StopReason),
}

/// Ids that leave room for those of any run.
pub(crate) const MAX_ID: u64 = 1 << 62;

const DAMAGED_FLOAT: Unrestored = Unrestored::Damaged("a float is not finite");
pub(crate) const DAMAGED_NUMBER: Unrestored = Unrestored::Damaged("a number leads nowhere");

/// The texts, functors and terms of some constraints.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct Values {
    texts: Vec<String>,
    /// Names and numbers of arguments.
    functors: Vec<(String, u32)>,
    terms: Vec<Term>,
}

impl Values {
    /// The texts, which [`Reader::new`] wants the numbers of.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }
}

/// Numbers in the order in which things are met.
struct Numbering<K> {
    of: HashMap<K, u32>,
    keys: Vec<K>,
}

impl<K> Default for Numbering<K> {
    fn default() -> Self {
        Self { of: HashMap::default(), keys: Vec::new() }
    }
}

impl<K: Copy + Eq + std::hash::Hash> Numbering<K> {
    fn number(&mut self, key: K) -> u32 {
        *self.of.entry(key).or_insert_with(|| {
            self.keys.push(key);
            (self.keys.len() - 1) as u32
        })
    }
}

/// Rows between two looks at a watch.
const LOOK: usize = 1 << 14;

/// Makes plain data of constraints whose terms are in a heap.
pub(crate) struct Writer<'a> {
    heap: &'a Heap,
    watch: Watch<'a>,
    texts: Numbering<TextId>,
    functors: Numbering<SymbolId>,
    /// By word.
    terms: Numbering<u64>,
    made: Vec<Term>,
}

impl<'a> Writer<'a> {
    /// The watch stops [`rows`](Self::rows).
    pub(crate) fn new(heap: &'a Heap, watch: Watch<'a>) -> Self {
        let (texts, functors, terms) = (Numbering::default(), Numbering::default(), Numbering::default());
        Self { heap, watch, texts, functors, terms, made: Vec::new() }
    }

    /// What the constraints refer to that were written; `signature` is that of the program that ran.
    pub(crate) fn values(self, signature: &Signature) -> Values {
        let texts = self.texts.keys.iter().map(|&id| signature.texts.get(id).to_string()).collect();
        let functor = |&id: &SymbolId| {
            let symbol = &signature.symbols[id];
            (symbol.name.clone(), symbol.args.len() as u32)
        };
        let functors = self.functors.keys.iter().map(functor).collect();
        Values { texts, functors, terms: self.made }
    }

    /// The constraints of a table whose ids are in a range.
    pub(crate) fn rows(&mut self, table: &Table, range: Range<u64>) -> Result<ImageRows, StopReason> {
        self.watch.look()?;
        let mut rows: Vec<u32> = table.rows().filter(|&row| range.contains(&table.ids.get(row))).collect();
        rows.sort_unstable_by_key(|&row| table.ids.get(row));
        let mut last = 0;
        let id = |&row: &u32| {
            let id = table.ids.get(row);
            id - std::mem::replace(&mut last, id)
        };
        let ids = rows.iter().map(id).collect();
        let columns = table.kinds.iter().zip(&table.columns).map(|(&kind, column)| {
            let mut words = Vec::with_capacity(rows.len());
            for some in rows.chunks(LOOK) {
                self.watch.look()?;
                words.extend(some.iter().map(|&row| self.word(kind, column.get(row))));
            }
            Ok(words)
        });
        Ok(ImageRows {
            kinds: table.kinds.iter().map(|&kind| Kind::of(kind)).collect(),
            ids,
            columns: columns.collect::<Result<_, StopReason>>()?,
        })
    }

    fn word(&mut self, kind: SortKind, word: u64) -> u64 {
        match Kind::of(kind) {
            Kind::Int | Kind::Float => word,
            Kind::Atom | Kind::Str => u64::from(self.texts.number(TextId(word as u32))),
            Kind::Any => u64::from(self.term(word)),
        }
    }

    /// The number of a term, behind those of its parts.
    fn term(&mut self, word: u64) -> u32 {
        let mut todo = vec![word];
        while let Some(&word) = todo.last() {
            if self.terms.of.contains_key(&word) {
                todo.pop();
                continue;
            }
            let term = match self.heap.view(word) {
                Word::Int(n) => Term::Int(n),
                Word::Float(x) => Term::Float(x),
                Word::Atom(text) => Term::Atom(self.texts.number(text)),
                Word::Str(text) => Term::Str(self.texts.number(text)),
                Word::Compound(symbol, args) => {
                    let before = todo.len();
                    todo.extend(args.iter().copied().filter(|arg| !self.terms.of.contains_key(arg)));
                    if todo.len() > before {
                        continue;
                    }
                    let args = args.iter().map(|arg| self.terms.of[arg]).collect();
                    Term::Compound(self.functors.number(symbol), args)
                }
            };
            todo.pop();
            self.terms.number(word);
            self.made.push(term);
        }
        self.terms.of[&word]
    }
}

/// Makes constraints of plain data, with their terms in a heap.
pub(crate) struct Reader<'h> {
    watch: Watch<'h>,
    texts: Vec<TextId>,
    /// By functor, from its first use on.
    symbols: Vec<Option<SymbolId>>,
    terms: Vec<u64>,
    heap: &'h mut Heap,
}

impl<'h> Reader<'h> {
    /// `texts` are the numbers of the texts in a signature; `symbol` gives a functor its own, or nothing where the
    /// signature has none. The watch stops this and [`rows`](Self::rows).
    pub(crate) fn new(
        values: &Values,
        heap: &'h mut Heap,
        watch: Watch<'h>,
        texts: Vec<TextId>,
        mut symbol: impl FnMut(&str, usize) -> Option<SymbolId>,
    ) -> Result<Self, Unrestored> {
        let symbols = vec![None; values.functors.len()];
        let mut reader = Self { watch, texts, symbols, terms: Vec::new(), heap };
        for (at, term) in values.terms.iter().enumerate() {
            reader.look(at)?;
            let word = reader.term(term, &values.functors, &mut symbol)?;
            reader.terms.push(word);
        }
        Ok(reader)
    }

    /// Looks at the watch now and then.
    fn look(&self, at: usize) -> Result<(), Unrestored> {
        let looked = if at.is_multiple_of(LOOK) { self.watch.look() } else { Ok(()) };
        looked.map_err(Unrestored::Stopped)
    }

    fn text(&self, number: u64) -> Result<TextId, Unrestored> {
        usize::try_from(number).ok().and_then(|at| self.texts.get(at)).copied().ok_or(DAMAGED_NUMBER)
    }

    /// The word of a term; `symbol` gives a functor its symbol.
    fn term(
        &mut self,
        term: &Term,
        functors: &[(String, u32)],
        symbol: &mut dyn FnMut(&str, usize) -> Option<SymbolId>,
    ) -> Result<u64, Unrestored> {
        let made = match term {
            Term::Int(n) => self.heap.int(*n),
            Term::Float(x) if !x.is_finite() => return Err(DAMAGED_FLOAT),
            Term::Float(x) => self.heap.float(*x),
            Term::Atom(text) => return Ok(Heap::atom(self.text(u64::from(*text))?)),
            Term::Str(text) => return Ok(Heap::str(self.text(u64::from(*text))?)),
            Term::Compound(functor, args) => {
                let at = *functor as usize;
                // A functor is made once it is known to be that of a term, which has so many arguments.
                if args.is_empty() || functors.get(at).is_none_or(|(_, arity)| *arity as usize != args.len())
                {
                    return Err(DAMAGED_NUMBER);
                }
                let args = args.iter().map(|&arg| self.terms.get(arg as usize).copied());
                let args: Vec<u64> = args.collect::<Option<_>>().ok_or(DAMAGED_NUMBER)?;
                let known = self.symbols[at].or_else(|| symbol(&functors[at].0, args.len()));
                let symbol = known.ok_or(DAMAGED_NUMBER)?;
                self.symbols[at] = known;
                self.heap.compound(symbol, &args)
            }
        };
        made.map_err(|full| Unrestored::Stopped(full.reason()))
    }

    /// Hands out the constraints of a symbol with so many arguments, by their ids, which are smaller than `end`.
    pub(crate) fn rows(
        &self,
        rows: &ImageRows,
        arity: usize,
        end: u64,
        mut each: impl FnMut(u64, &[u64]) -> Result<(), Unrestored>,
    ) -> Result<(), Unrestored> {
        let whole = rows.columns.iter().all(|column| column.len() == rows.ids.len());
        if rows.kinds.len() != arity || rows.columns.len() != arity || !whole {
            return Err(Unrestored::Damaged("its columns are not those of its constraints"));
        }
        let (mut id, mut values) = (0_u64, vec![0; arity]);
        for (at, step) in rows.ids.iter().enumerate() {
            self.look(at)?;
            id = id.checked_add(*step).filter(|&id| id < end).ok_or(DAMAGED_NUMBER)?;
            if at > 0 && *step == 0 {
                return Err(DAMAGED_NUMBER);
            }
            for ((value, kind), column) in values.iter_mut().zip(&rows.kinds).zip(&rows.columns) {
                *value = self.word(*kind, column[at])?;
            }
            each(id, &values)?;
        }
        Ok(())
    }

    fn word(&self, kind: Kind, word: u64) -> Result<u64, Unrestored> {
        match kind {
            Kind::Float if !f64::from_bits(word).is_finite() => Err(DAMAGED_FLOAT),
            Kind::Int | Kind::Float => Ok(word),
            Kind::Atom | Kind::Str => Ok(u64::from(self.text(word)?.0)),
            Kind::Any => {
                let term = usize::try_from(word).ok().and_then(|at| self.terms.get(at));
                term.copied().ok_or(DAMAGED_NUMBER)
            }
        }
    }
}
