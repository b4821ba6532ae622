//! A store without the process that it is in: what a saved session keeps.
//!
//! Texts, functors and terms have numbers of their own, terms that are equal one. Constraints keep their ids, so that
//! rules find them in the same order afterwards.

use gchr_base::error::StopReason;
use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::memory;
use gchr_base::signature::{ConstraintId, Functors, Signature, SortId, SortKind, SymbolId, TextId};
use gchr_base::value::Heap;
use gchr_base::value::heap::Word;
use serde::{Deserialize, Serialize};

use super::Resident;
use crate::exec::store::Store;
use crate::exec::table::Table;

/// A store as plain data.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Image {
    /// The id of the next constraint.
    next_id: u64,
    texts: Vec<String>,
    /// Names and numbers of arguments.
    functors: Vec<(String, u32)>,
    terms: Vec<Term>,
    /// By constraint symbol, in the order of the signature; none before the first run.
    tables: Vec<Rows>,
}

/// A value of a column of any sort. Parts of a term come before it.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
enum Term {
    Int(i64),
    Float(f64),
    Atom(u32),
    Str(u32),
    Compound(u32, Vec<u32>),
}

/// The constraints of a symbol, by their ids.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
struct Rows {
    kinds: Vec<Kind>,
    /// Each without the one before it.
    ids: Vec<u64>,
    /// By column: numbers by their bits, texts and terms by their numbers.
    columns: Vec<Vec<u64>>,
}

/// What a column holds: part of the form of files, whatever the order of [`SortKind`].
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, Debug)]
enum Kind {
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

    fn sort(self) -> SortKind {
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
    /// It is not what [`Resident::image`] makes, or of other constraints.
    Damaged(&'static str),
    /// There is no room for it.
    Stopped(StopReason),
}

/// Ids that leave room for those of any run.
const MAX_ID: u64 = 1 << 62;

const DAMAGED_FLOAT: Unrestored = Unrestored::Damaged("a float is not finite");
const DAMAGED_NUMBER: Unrestored = Unrestored::Damaged("a number leads nowhere");

impl Image {
    /// What the columns of each symbol hold that has constraints.
    pub fn kinds(&self) -> Vec<(ConstraintId, Vec<SortKind>)> {
        let inhabited = self.tables.iter().enumerate().filter(|(_, rows)| !rows.ids.is_empty());
        let kinds = |rows: &Rows| rows.kinds.iter().map(|kind| kind.sort()).collect();
        inhabited.map(|(at, rows)| (ConstraintId::from_index(at), kinds(rows))).collect()
    }
}

impl Resident {
    /// The store as plain data; `signature` is that of the program that ran. The reason where there is no room for it.
    pub fn image(&self, signature: &Signature) -> Result<Image, StopReason> {
        let words: usize = self.store.tables.iter().map(|table| table.live() * (1 + table.kinds.len())).sum();
        memory::ask(8 * words as u64).map_err(|shortage| shortage.of("a saved session"))?;
        let mut writer = Writer {
            heap: &self.store.heap,
            texts: Numbers::default(),
            functors: Numbers::default(),
            terms: Numbers::default(),
            made: Vec::new(),
        };
        let tables = self.store.tables.iter().map(|table| writer.rows(table)).collect();
        let texts = writer.texts.keys.iter().map(|&id| signature.texts.get(id).to_string()).collect();
        let functor = |&id: &SymbolId| {
            let symbol = &signature.symbols[id];
            (symbol.name.clone(), symbol.args.len() as u32)
        };
        let functors = writer.functors.keys.iter().map(functor).collect();
        Ok(Image { next_id: self.next_id, texts, functors, terms: writer.made, tables })
    }

    /// A store of an image, with texts and functors that the signature has or gets. `any` is the sort of all values.
    pub fn restore(
        image: Image,
        signature: &mut Signature,
        any: SortId,
        depth: usize,
    ) -> Result<Self, Unrestored> {
        let Image { next_id, texts, functors, terms, tables } = image;
        if !tables.is_empty() && tables.len() != signature.constraints.len() {
            return Err(Unrestored::Damaged("it has other constraints"));
        }
        if next_id > MAX_ID {
            return Err(DAMAGED_NUMBER);
        }
        let texts: Vec<TextId> = texts.iter().map(|text| signature.texts.intern(text)).collect();
        let mut reader =
            Reader { texts, symbols: vec![None; functors.len()], terms: Vec::new(), heap: Heap::new() };
        let mut known = Functors::of(signature, any);
        let mut symbol = |at: usize| {
            let (name, arity) = &functors[at];
            known.functor(signature, name, *arity as usize, None)
        };
        for term in &terms {
            let word = reader.term(term, &functors, &mut symbol)?;
            reader.terms.push(word);
        }
        let made = tables.iter().zip(signature.constraints.iter());
        let made = made.map(|(rows, c)| reader.table(rows, &c.name, c.columns.len(), next_id));
        let tables = made.collect::<Result<Vec<Table>, Unrestored>>()?;
        let store = Store { tables, heap: reader.heap };
        Ok(Self { store, next_id, ..Self::new(depth) })
    }
}

/// Numbers in the order in which things are met.
struct Numbers<K> {
    of: HashMap<K, u32>,
    keys: Vec<K>,
}

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Self { of: HashMap::default(), keys: Vec::new() }
    }
}

impl<K: Copy + Eq + std::hash::Hash> Numbers<K> {
    fn number(&mut self, key: K) -> u32 {
        *self.of.entry(key).or_insert_with(|| {
            self.keys.push(key);
            (self.keys.len() - 1) as u32
        })
    }
}

struct Writer<'a> {
    heap: &'a Heap,
    texts: Numbers<TextId>,
    functors: Numbers<SymbolId>,
    /// By word.
    terms: Numbers<u64>,
    made: Vec<Term>,
}

impl Writer<'_> {
    fn rows(&mut self, table: &Table) -> Rows {
        let mut rows: Vec<u32> = table.rows().collect();
        rows.sort_unstable_by_key(|&row| table.ids.get(row));
        let mut last = 0;
        let id = |&row: &u32| {
            let id = table.ids.get(row);
            id - std::mem::replace(&mut last, id)
        };
        let ids = rows.iter().map(id).collect();
        let columns = table.kinds.iter().zip(&table.columns).map(|(&kind, column)| {
            rows.iter().map(|&row| self.word(kind, column.get(row))).collect::<Vec<u64>>()
        });
        Rows {
            kinds: table.kinds.iter().map(|&kind| Kind::of(kind)).collect(),
            ids,
            columns: columns.collect(),
        }
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

struct Reader {
    texts: Vec<TextId>,
    /// By functor, from its first use on.
    symbols: Vec<Option<SymbolId>>,
    terms: Vec<u64>,
    heap: Heap,
}

impl Reader {
    fn text(&self, number: u64) -> Result<TextId, Unrestored> {
        usize::try_from(number).ok().and_then(|at| self.texts.get(at)).copied().ok_or(DAMAGED_NUMBER)
    }

    /// The word of a term; `symbol` gives a functor its symbol.
    fn term(
        &mut self,
        term: &Term,
        functors: &[(String, u32)],
        symbol: &mut dyn FnMut(usize) -> SymbolId,
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
                let symbol = *self.symbols[at].get_or_insert_with(|| symbol(at));
                self.heap.compound(symbol, &args)
            }
        };
        made.map_err(|full| Unrestored::Stopped(full.reason()))
    }

    fn table(&self, rows: &Rows, name: &str, arity: usize, next_id: u64) -> Result<Table, Unrestored> {
        let whole = rows.columns.iter().all(|column| column.len() == rows.ids.len());
        if rows.kinds.len() != arity || rows.columns.len() != arity || !whole {
            return Err(Unrestored::Damaged("its columns are not those of its constraints"));
        }
        let kinds = rows.kinds.iter().map(|kind| kind.sort()).collect();
        let mut table = Table::plain(format!("{name}/{arity}"), kinds);
        let (mut id, mut values) = (0_u64, vec![0; arity]);
        for (at, step) in rows.ids.iter().enumerate() {
            id = id.checked_add(*step).filter(|&id| id < next_id).ok_or(DAMAGED_NUMBER)?;
            if at > 0 && *step == 0 {
                return Err(DAMAGED_NUMBER);
            }
            for ((value, kind), column) in values.iter_mut().zip(&rows.kinds).zip(&rows.columns) {
                let word = column[at];
                *value = match kind {
                    Kind::Float if !f64::from_bits(word).is_finite() => return Err(DAMAGED_FLOAT),
                    Kind::Int | Kind::Float => word,
                    Kind::Atom | Kind::Str => u64::from(self.text(word)?.0),
                    Kind::Any => {
                        let term = usize::try_from(word).ok().and_then(|at| self.terms.get(at));
                        *term.ok_or(DAMAGED_NUMBER)?
                    }
                };
            }
            let added = table.insert(id, &values);
            added.map_err(|full| Unrestored::Stopped(full.reason(format!("constraints {}", table.name))))?;
        }
        Ok(table)
    }
}
