//! Predicates and their clauses: what `assertz/1` and `retract/1` change, and how clauses are found by the first
//! argument.

use std::rc::Rc;

use gchr_base::hash::HashMap;
use gchr_base::logic::{Flags, Operators};
use gchr_base::source::Span;

use crate::cell::{Atom, Cell, Tag};
use crate::code::{Instr, Label, PredId, fixed_code};
use crate::heap::Heap;
use crate::machine::{Machine, Throw};
use crate::names::Names;
use crate::record::Record;

/// A built-in predicate whose arguments are in the first registers.
pub(crate) type Native = fn(&mut Machine<'_, '_>) -> Result<bool, Throw>;

/// Number of a clause.
pub(crate) type ClauseId = u32;

/// How a predicate is executed.
#[derive(Clone, Debug)]
pub(crate) enum Definition {
    /// It has no clauses and was not declared.
    Unknown,
    Clauses(Clauses),
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
    /// Key and code of each of them, while they are few and none is erased.
    quick: Vec<(u64, Label)>,
    erased: usize,
    index: Option<Index>,
}

impl Clauses {
    /// All of them, erased ones too.
    pub fn all(&self) -> &Rc<Vec<ClauseId>> {
        &self.list.ids
    }
    /// Few clauses of which none is erased: their keys and their code.
    #[inline(always)]
    pub fn quick(&self) -> Option<&[(u64, Label)]> {
        (self.erased == 0 && self.quick.len() == self.list.ids.len()).then_some(&self.quick)
    }
}

/// Clauses by the first argument.
#[derive(Clone, Debug)]
struct Index {
    by_key: HashMap<u64, List>,
    /// For first arguments that are no clause's.
    others: List,
}

/// Fewest clauses for which an index is made.
const INDEXED: usize = 8;

/// A clause.
#[derive(Clone, Debug)]
pub(crate) struct ClauseInfo {
    pub code: Label,
    /// What the first argument must be; [`NO_KEY`] for anything.
    pub key: u64,
    /// When it was retracted; `u64::MAX` while it is there.
    pub erased: u64,
    /// The clause as the term `Head :- Body`, where `clause/2` may ask for it.
    pub term: Option<Rc<Record>>,
    pub pred: PredId,
}

/// The key of a variable.
pub(crate) const NO_KEY: u64 = 0;

/// A predicate.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    pub name: Atom,
    pub arity: usize,
    pub definition: Definition,
    pub dynamic: bool,
    /// Whether it belongs to the library: a program may define it anew.
    pub library: bool,
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
    pub natives: Vec<(Native, PredId)>,
    pub operators: Operators,
    pub flags: Flags,
    /// Counts changes of dynamic predicates.
    pub generation: u64,
    /// Whether variables may have attributes, so that clauses look for goals to run.
    pub wakes: bool,
    /// Where code of the program's text begins, ascending, with its place in the source.
    pub places: Vec<(Label, Span)>,
    /// Whether the part of the library that is written in Prolog was read.
    pub library_loaded: bool,
    /// Whether clauses of the library are being compiled.
    pub in_library: bool,
    /// Predicates that a program defines anew, with those of the library.
    shadowed: HashMap<PredId, PredId>,
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

/// Whether a clause with one key may match a call with another.
#[inline(always)]
pub(crate) fn fits(of: u64, key: u64) -> bool {
    of == key || of == NO_KEY || key == NO_KEY
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
            operators: Operators::default(),
            flags: Flags::default(),
            generation: 0,
            wakes: false,
            places: Vec::new(),
            library_loaded: false,
            in_library: false,
            shadowed: HashMap::default(),
        }
    }
    /// The predicate of a name and a number of arguments.
    pub fn pred(&mut self, name: Atom, arity: usize) -> PredId {
        let preds = &mut self.preds;
        *self.numbers.entry((name, arity)).or_insert_with(|| {
            let definition = Definition::Unknown;
            preds.push(Predicate { name, arity, definition, dynamic: false, library: false });
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
            pred.definition = Definition::Clauses(Clauses::default());
        }
    }
    /// Adds a clause before or behind the others.
    pub fn add(&mut self, info: ClauseInfo, first: bool) -> ClauseId {
        let (pred, key, code) = (info.pred as usize, info.key, info.code);
        let id = self.clauses.len() as ClauseId;
        self.clauses.push(info);
        self.generation += 1;
        if matches!(self.preds[pred].definition, Definition::Unknown) {
            self.preds[pred].definition = Definition::Clauses(Clauses::default());
        }
        let Definition::Clauses(clauses) = &mut self.preds[pred].definition else { return id };
        let put = |list: &mut List| list.put(id, first);
        put(&mut clauses.list);
        if clauses.list.ids.len() <= INDEXED && clauses.erased == 0 {
            clauses.quick.insert(if first { 0 } else { clauses.quick.len() }, (key, code));
        }
        if let Some(index) = &mut clauses.index {
            if key == NO_KEY {
                index.by_key.values_mut().for_each(put);
                put(&mut index.others);
            } else {
                put(index.by_key.entry(key).or_insert_with(|| index.others.clone()));
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
        let (pred, key) = (self.clauses[id as usize].pred as usize, self.clauses[id as usize].key);
        if let Definition::Clauses(clauses) = &mut self.preds[pred].definition {
            clauses.erased += 1;
            clauses.list.skip_erased(&self.clauses);
            if let Some(list) = clauses.index.as_mut().and_then(|index| index.by_key.get_mut(&key)) {
                list.skip_erased(&self.clauses);
            }
            if 2 * clauses.erased > clauses.list.ids.len() {
                let live = clauses.list.ids.iter().filter(|&&c| self.clauses[c as usize].erased == u64::MAX);
                clauses.list = List { ids: Rc::new(live.copied().collect()), start: 0 };
                let quick = clauses.list.ids.iter().take(INDEXED).map(|&id| &self.clauses[id as usize]);
                clauses.quick = quick.map(|clause| (clause.key, clause.code)).collect();
                clauses.erased = 0;
                clauses.index = None;
            }
        }
        true
    }
    /// The clauses that a call with this key may match, in order; more where that is cheaper.
    pub fn candidates(&mut self, pred: PredId, key: u64) -> List {
        let Definition::Clauses(clauses) = &mut self.preds[pred as usize].definition else {
            return List::default();
        };
        if clauses.list.ids.len() < INDEXED || key == NO_KEY {
            return clauses.list.clone();
        }
        let index = clauses.index.get_or_insert_with(|| Index::new(&clauses.list.ids, &self.clauses));
        index.by_key.get(&key).unwrap_or(&index.others).clone()
    }
    /// The next clause of a list from a position on that fits a key and was there at some time: its position.
    #[inline(always)]
    pub fn next_clause(&self, list: &[ClauseId], mut at: usize, key: u64, time: u64) -> Option<usize> {
        while let Some(&id) = list.get(at) {
            let clause = &self.clauses[id as usize];
            if fits(clause.key, key) && clause.erased > time {
                return Some(at);
            }
            at += 1;
        }
        None
    }
    /// The place in the source of an instruction.
    pub fn place_of(&self, at: Label) -> Option<Span> {
        let next = self.places.partition_point(|&(start, _)| start <= at);
        next.checked_sub(1).map(|i| self.places[i].1)
    }
}

impl Index {
    fn new(all: &[ClauseId], clauses: &[ClauseInfo]) -> Self {
        let mut index = Self { by_key: HashMap::default(), others: List::default() };
        let live = all.iter().filter(|&&id| clauses[id as usize].erased == u64::MAX);
        for &id in live {
            let key = clauses[id as usize].key;
            if key == NO_KEY {
                index.by_key.values_mut().for_each(|list| list.put(id, false));
                index.others.put(id, false);
            } else {
                let others = &index.others;
                index.by_key.entry(key).or_insert_with(|| others.clone()).put(id, false);
            }
        }
        index
    }
}
