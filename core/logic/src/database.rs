//! Predicates and their clauses: what `assertz/1` and `retract/1` change, and how clauses are found by their first
//! arguments.

use std::ops::Range;
use std::rc::Rc;

use gchr_base::hash::{HashMap, HashSet};
use gchr_base::logic::{Flags, Operators};
use gchr_base::source::Span;

use crate::cell::{Atom, Cell, Tag};
use crate::code::{Instr, Label, PredId, fixed_code};
use crate::heap::Heap;
use crate::names::Names;
use crate::record::Record;
use crate::tables::Tables;

/// Number of a clause.
pub(crate) type ClauseId = u32;

/// How a predicate is executed.
#[derive(Clone, Debug)]
pub(crate) enum Definition {
    /// It has no clauses and was not declared.
    Unknown,
    Clauses(Box<Clauses>),
    /// Rust code that has at most one solution.
    Native(u32),
    /// Rust code that changes where the machine goes on.
    Control(Control),
    /// A constraint symbol.
    Constraint(u32),
}

/// Predicates that are executed by the machine itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Control {
    /// `call/N`.
    Call,
    /// `catch/3`.
    Catch,
    Cleanup,
    /// `$call_cut(Goal, Level)`: `call/1` whose cut goes to a level.
    CallCut,
    /// A control construct that is called as a goal.
    Construct,
    /// `$chr_wake(Suspensions)`.
    WakeConstraints,
}

/// Clauses in their order.
#[derive(Clone, Default, Debug)]
pub(crate) struct List {
    pub ids: Rc<Vec<ClauseId>>,
    /// So many of the first ones are erased: calls begin behind them.
    pub start: usize,
}

impl List {
    fn put(&mut self, id: ClauseId, first: bool) {
        let ids = Rc::make_mut(&mut self.ids);
        if !first {
            ids.push(id);
        } else if self.start > 0 {
            self.start -= 1;
            ids[self.start] = id;
        } else {
            ids.insert(0, id);
        }
    }
    /// One of them was erased.
    fn skip_erased(&mut self, clauses: &[ClauseInfo]) {
        while self.ids.get(self.start).is_some_and(|&id| clauses[id as usize].erased != u64::MAX) {
            self.start += 1;
        }
    }
}

/// The clauses of a predicate.
#[derive(Clone, Default, Debug)]
pub(crate) struct Clauses {
    list: List,
    /// Key of the first argument and code of each of them, while they are few and none is erased; and their other keys.
    quick: Vec<(u64, Label)>,
    other_keys: Vec<OtherKeys>,
    erased: usize,
    /// By each of the arguments that have keys.
    indexes: [Indexed; KEYS],
}

/// What is known of clauses by one argument.
#[derive(Clone, Default, Debug)]
enum Indexed {
    /// Nobody has asked.
    #[default]
    Unasked,
    /// An index was not worth while when there were so many clauses.
    Useless(usize),
    By(Index),
}

impl Clauses {
    /// All of them, erased ones too.
    pub fn all(&self) -> &Rc<Vec<ClauseId>> {
        &self.list.ids
    }
    /// Few clauses of which none is erased: the keys of their first arguments and their code.
    #[inline(always)]
    pub fn quick(&self) -> Option<&[(u64, Label)]> {
        (self.erased == 0 && self.quick.len() == self.list.ids.len()).then_some(&self.quick)
    }
    /// The first two of few clauses that fit the arguments of a call, from one on whose first argument does.
    pub fn first_two(&self, from: usize, key: u64, heap: &Heap, args: &[Cell]) -> [Option<usize>; 2] {
        let others = other_keys_of(heap, args);
        let mut fitting = (from..self.quick.len()).filter(|&at| {
            fits(self.quick[at].0, key)
                && self.other_keys[at].iter().zip(&others).all(|(&of, &key)| fits(of, key))
        });
        [fitting.next(), fitting.next()]
    }
}

/// Clauses that may match, in their order.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    One(ClauseId),
    Several(List),
}

impl Found {
    /// How many there are at most.
    fn len(&self) -> usize {
        match self {
            Found::One(_) => 1,
            Found::Several(list) => list.ids.len() - list.start,
        }
    }
    fn put(&mut self, id: ClauseId, first: bool) {
        if let Found::One(other) = *self {
            *self = Found::Several(List { ids: Rc::new(vec![other]), start: 0 });
        }
        if let Found::Several(list) = self {
            list.put(id, first);
        }
    }
    /// As a list.
    pub fn list(self) -> List {
        match self {
            Found::One(id) => List { ids: Rc::new(vec![id]), start: 0 },
            Found::Several(list) => list,
        }
    }
}

/// Clauses by an argument.
#[derive(Clone, Default, Debug)]
struct Index {
    by_key: HashMap<u64, Found>,
    /// For arguments that are no clause's.
    others: List,
}

/// Fewest clauses for which an index is made.
const INDEXED: usize = 8;

/// A clause.
#[derive(Clone, Debug)]
pub(crate) struct ClauseInfo {
    pub code: Label,
    /// What the first arguments must be.
    pub keys: Keys,
    /// When it was retracted; `u64::MAX` while it is there.
    pub erased: u64,
    /// The clause as the term `Head :- Body`, where `clause/2` may ask for it.
    pub term: Option<Rc<Record>>,
    pub pred: PredId,
}

impl ClauseInfo {
    /// Whether it fits the keys of a call, and was there at some time.
    #[inline(always)]
    pub fn may_match(&self, keys: &Keys, time: u64) -> bool {
        self.erased > time && all_fit(&self.keys, keys)
    }
}

/// The key of a variable.
pub(crate) const NO_KEY: u64 = 0;

/// How many arguments clauses are told apart by.
const KEYS: usize = 4;

/// What the first arguments of a call are, or those of a clause must be; [`NO_KEY`] for anything.
pub(crate) type Keys = [u64; KEYS];

/// A predicate.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    pub name: Atom,
    pub arity: usize,
    pub definition: Definition,
    pub dynamic: bool,
    /// Whether it belongs to the library: a program may define it anew.
    pub library: bool,
    /// Whether goals added clauses to it, or took some away.
    pub changed: bool,
}

/// Everything that the text of a program gives, and what it changes of that when it runs.
#[derive(Debug)]
pub(crate) struct Database {
    pub names: Names,
    pub code: Vec<Instr>,
    pub preds: Vec<Predicate>,
    numbers: HashMap<(Atom, usize), PredId>,
    pub clauses: Vec<ClauseInfo>,
    pub records: Vec<Record>,
    /// Predicates that are written in Rust, by the numbers of their code.
    pub natives: Vec<PredId>,
    /// How many of them, the first ones, change nothing but their results.
    pub pure_natives: u32,
    pub operators: Operators,
    pub flags: Flags,
    /// Counts changes of dynamic predicates.
    pub generation: u64,
    /// Whether variables may have attributes, so that clauses look for goals to run.
    pub wakes: bool,
    /// Where code of the program's text is, ascending, with its place in the source.
    pub places: Vec<(Range<Label>, Span)>,
    /// Whether the part of the library that is written in Prolog was read.
    pub library_loaded: bool,
    /// Whether clauses of the library are being compiled.
    pub in_library: bool,
    /// Predicates that a program defines anew, with those of the library.
    shadowed: HashMap<PredId, PredId>,
    /// Answers of predicates with tables.
    pub tables: Tables,
}

/// What a first argument must be equal to: the key of a dereferenced term.
#[inline(always)]
pub(crate) fn key_of(heap: &Heap, cell: Cell) -> u64 {
    match cell.tag() {
        Tag::Int | Tag::Atom => cell.0,
        Tag::Lst => Cell::functor(crate::names::atom::cons, 2).0,
        Tag::Str => heap.cells[cell.place()].0,
        _ => NO_KEY,
    }
}

/// The keys of arguments.
#[inline]
pub(crate) fn keys_of(heap: &Heap, args: &[Cell]) -> Keys {
    let mut keys = [NO_KEY; KEYS];
    for (key, &arg) in keys.iter_mut().zip(args) {
        *key = key_of(heap, heap.deref(arg));
    }
    keys
}

/// All keys but the first one.
type OtherKeys = [u64; KEYS - 1];

fn others_of(keys: &Keys) -> OtherKeys {
    let [_, others @ ..] = *keys;
    others
}

/// The keys of arguments but for the first one.
#[inline]
fn other_keys_of(heap: &Heap, args: &[Cell]) -> OtherKeys {
    let mut keys = OtherKeys::default();
    for (key, &arg) in keys.iter_mut().zip(args.get(1..).unwrap_or_default()) {
        *key = key_of(heap, heap.deref(arg));
    }
    keys
}

/// Whether a clause with one key may match a call with another.
#[inline(always)]
pub(crate) fn fits(of: u64, key: u64) -> bool {
    of == key || of == NO_KEY || key == NO_KEY
}

/// The same for all arguments that have keys.
#[inline]
fn all_fit(of: &Keys, keys: &Keys) -> bool {
    of.iter().zip(keys).all(|(&of, &key)| fits(of, key))
}

impl Database {
    /// The module of the program itself.
    pub fn home_module(&mut self) -> Cell {
        let name = self.flags.modules.first().cloned().unwrap_or_else(|| "user".into());
        self.names.cell(&name)
    }

    pub fn new() -> Self {
        Self {
            names: Names::new(),
            code: fixed_code(),
            preds: Vec::new(),
            numbers: HashMap::default(),
            clauses: Vec::new(),
            records: Vec::new(),
            natives: Vec::new(),
            pure_natives: 0,
            operators: Operators::default(),
            flags: Flags::default(),
            generation: 0,
            wakes: false,
            places: Vec::new(),
            library_loaded: false,
            in_library: false,
            shadowed: HashMap::default(),
            tables: Tables::default(),
        }
    }
    /// The predicate of a name and a number of arguments.
    pub fn pred(&mut self, name: Atom, arity: usize) -> PredId {
        let preds = &mut self.preds;
        *self.numbers.entry((name, arity)).or_insert_with(|| {
            let definition = Definition::Unknown;
            preds.push(Predicate { name, arity, definition, dynamic: false, library: false, changed: false });
            preds.len() as PredId - 1
        })
    }
    /// The same, if there was talk of it already.
    pub fn known(&self, name: Atom, arity: usize) -> Option<PredId> {
        self.numbers.get(&(name, arity)).copied()
    }
    pub fn named(&mut self, name: &str, arity: usize) -> PredId {
        let name = self.names.intern(name);
        self.pred(name, arity)
    }
    /// Whether a predicate is a part of the machine, so that it has no clauses.
    pub fn is_fixed(&self, pred: PredId) -> bool {
        matches!(self.preds[pred as usize].definition, Definition::Native(_) | Definition::Control(_))
    }
    /// Whether a predicate is defined by the program.
    pub fn is_own(&self, pred: PredId) -> bool {
        let pred = &self.preds[pred as usize];
        !pred.library && !matches!(pred.definition, Definition::Unknown)
    }
    /// A predicate of the library beside the program's of the same name.
    pub fn shadow(&mut self, pred: PredId) -> PredId {
        if let Some(&other) = self.shadowed.get(&pred) {
            return other;
        }
        let Predicate { name, arity, .. } = self.preds[pred as usize];
        let hidden = format!("$library:{}", self.names.text(name));
        let hidden = self.named(&hidden, arity);
        self.shadowed.insert(pred, hidden);
        hidden
    }
    /// Moves the definition of a built-in predicate to where the library finds it.
    pub fn move_to_library(&mut self, pred: PredId) {
        let hidden = self.shadow(pred);
        self.preds[hidden as usize].definition = self.preds[pred as usize].definition.clone();
        self.preds[hidden as usize].library = true;
    }
    /// What a name means where clauses are compiled: the library does not see what programs define.
    pub fn resolved(&self, pred: PredId) -> PredId {
        match self.in_library {
            true => self.shadowed.get(&pred).copied().unwrap_or(pred),
            false => pred,
        }
    }
    /// `name/arity`.
    pub fn label(&self, pred: PredId) -> String {
        let pred = &self.preds[pred as usize];
        format!("{}/{}", self.names.text(pred.name), pred.arity)
    }
    /// Makes a predicate one that clauses can be added to.
    pub fn declare_dynamic(&mut self, pred: PredId) {
        let pred = &mut self.preds[pred as usize];
        pred.dynamic = true;
        if matches!(pred.definition, Definition::Unknown) {
            pred.definition = Definition::Clauses(Box::default());
        }
    }
    /// Adds a clause before or behind the others.
    pub fn add(&mut self, info: ClauseInfo, first: bool) -> ClauseId {
        let (pred, keys, code) = (info.pred as usize, info.keys, info.code);
        let id = self.clauses.len() as ClauseId;
        self.clauses.push(info);
        self.generation += 1;
        if matches!(self.preds[pred].definition, Definition::Unknown) {
            self.preds[pred].definition = Definition::Clauses(Box::default());
        }
        let Definition::Clauses(clauses) = &mut self.preds[pred].definition else { return id };
        clauses.list.put(id, first);
        if clauses.list.ids.len() <= INDEXED && clauses.erased == 0 {
            let at = if first { 0 } else { clauses.quick.len() };
            clauses.quick.insert(at, (keys[0], code));
            clauses.other_keys.insert(at, others_of(&keys));
        }
        for (indexed, key) in clauses.indexes.iter_mut().zip(keys) {
            if let Indexed::By(index) = indexed {
                index.put(id, key, first);
            }
        }
        id
    }
    /// Takes a clause away; calls that have begun still see it. Whether it was there.
    pub fn erase(&mut self, id: ClauseId) -> bool {
        if self.clauses[id as usize].erased != u64::MAX {
            return false;
        }
        self.generation += 1;
        self.clauses[id as usize].erased = self.generation;
        self.clauses[id as usize].term = None;
        let (pred, keys) = (self.clauses[id as usize].pred as usize, self.clauses[id as usize].keys);
        self.preds[pred].changed = true;
        if let Definition::Clauses(clauses) = &mut self.preds[pred].definition {
            clauses.erased += 1;
            clauses.list.skip_erased(&self.clauses);
            for (indexed, key) in clauses.indexes.iter_mut().zip(keys) {
                if let Indexed::By(index) = indexed {
                    index.skip_erased(key, &self.clauses);
                }
            }
            if 2 * clauses.erased > clauses.list.ids.len() {
                let live = clauses.list.ids.iter().filter(|&&c| self.clauses[c as usize].erased == u64::MAX);
                clauses.list = List { ids: Rc::new(live.copied().collect()), start: 0 };
                let quick = clauses.list.ids.iter().take(INDEXED).map(|&id| &self.clauses[id as usize]);
                clauses.quick = quick.clone().map(|clause| (clause.keys[0], clause.code)).collect();
                clauses.other_keys = quick.map(|clause| others_of(&clause.keys)).collect();
                clauses.erased = 0;
                clauses.indexes = Default::default();
            }
        }
        true
    }
    /// The clauses that a call with these keys may match, in order; more where that is cheaper.
    pub fn candidates(&mut self, pred: PredId, keys: &Keys) -> Found {
        let Definition::Clauses(clauses) = &mut self.preds[pred as usize].definition else {
            return Found::Several(List::default());
        };
        let Clauses { list, indexes, .. } = &mut **clauses;
        let mut fewest = list.ids.len() - list.start;
        let mut best = None;
        for (position, (indexed, key)) in indexes.iter_mut().zip(keys).enumerate() {
            // Few clauses are looked at one by one.
            if fewest < INDEXED {
                break;
            }
            if *key == NO_KEY {
                continue;
            }
            let Some(index) = indexed.asked(&list.ids, &self.clauses, position) else { continue };
            let found = index.by_key.get(key);
            let n = found.map_or(index.others.ids.len() - index.others.start, Found::len);
            if n < fewest {
                (fewest, best) = (n, Some(found.ok_or(&index.others)));
            }
        }
        match best {
            Some(Ok(found)) => found.clone(),
            Some(Err(others)) => Found::Several(others.clone()),
            None => Found::Several(list.clone()),
        }
    }
    /// The next clause of a list from a position on that fits keys and was there at some time: its position.
    #[inline(always)]
    pub fn next_clause(&self, list: &[ClauseId], mut at: usize, keys: &Keys, time: u64) -> Option<usize> {
        while let Some(&id) = list.get(at) {
            if self.clauses[id as usize].may_match(keys, time) {
                return Some(at);
            }
            at += 1;
        }
        None
    }
    /// The place in the source of an instruction.
    pub fn place_of(&self, at: Label) -> Option<Span> {
        let next = self.places.partition_point(|(code, _)| code.start <= at);
        let (code, place) = &self.places[next.checked_sub(1)?];
        code.contains(&at).then_some(*place)
    }
    /// Notes the place of the code that was compiled last, which begins at `code`.
    pub fn note_place(&mut self, code: Label, place: Span) {
        self.places.push((code..self.code.len() as Label, place));
    }
}

impl Indexed {
    /// The index by an argument, which is made when it is first asked for, unless it tells too few clauses apart: a
    /// clause with a variable is in the list of each key.
    fn asked(&mut self, all: &[ClauseId], clauses: &[ClauseInfo], position: usize) -> Option<&Index> {
        let is_due = match self {
            Indexed::Unasked => true,
            Indexed::Useless(then) => all.len() >= 2 * *then,
            Indexed::By(_) => false,
        };
        if is_due {
            let key = |&id: &ClauseId| clauses[id as usize].keys[position];
            let free = all.iter().filter(|id| key(id) == NO_KEY).count();
            let keys: HashSet<u64> = all.iter().map(key).collect();
            *self = match keys.len() > 1 && free.saturating_mul(keys.len()) <= 8 * all.len() {
                true => Indexed::By(Index::new(all, clauses, position)),
                false => Indexed::Useless(all.len()),
            };
        }
        match self {
            Indexed::By(index) => Some(index),
            _ => None,
        }
    }
}

impl Index {
    fn new(all: &[ClauseId], clauses: &[ClauseInfo], position: usize) -> Self {
        let mut index = Self::default();
        for &id in all.iter().filter(|&&id| clauses[id as usize].erased == u64::MAX) {
            index.put(id, clauses[id as usize].keys[position], false);
        }
        index
    }

    fn put(&mut self, id: ClauseId, key: u64, first: bool) {
        if key == NO_KEY {
            self.by_key.values_mut().for_each(|found| found.put(id, first));
            self.others.put(id, first);
        } else if let Some(found) = self.by_key.get_mut(&key) {
            found.put(id, first);
        } else {
            let mut found = Found::One(id);
            if self.others.ids.len() > self.others.start {
                found = Found::Several(self.others.clone());
                found.put(id, first);
            }
            self.by_key.insert(key, found);
        }
    }

    /// A clause with this key was erased.
    fn skip_erased(&mut self, key: u64, clauses: &[ClauseInfo]) {
        if key == NO_KEY {
            return self.others.skip_erased(clauses);
        }
        match self.by_key.get_mut(&key) {
            Some(Found::Several(list)) => list.skip_erased(clauses),
            // No other clause has this key, and none has a variable.
            Some(Found::One(_)) => drop(self.by_key.remove(&key)),
            None => {}
        }
    }
}
