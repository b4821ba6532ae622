//! The store: constraints in tables with indexes, and how changes are taken back.

use gchr_base::hash::{HashMap, HashSet};

use super::suspensions::Suspensions;
use super::{Rule, Symbol};
use crate::cell::Cell;
use crate::heap::Undo;

/// A constraint that was added; its number says how old it is.
#[derive(Clone, Debug)]
pub(super) struct Suspension {
    pub symbol: u32,
    /// The constraint as a term.
    pub term: Cell,
    pub alive: bool,
    /// Whether backtracking brings it back, as the last collection found out.
    pub wanted: bool,
    /// How often it became active.
    pub generation: u32,
    /// Its keys in the indexes of its symbol.
    pub keys: Box<[u64]>,
    /// Combinations of heads that fired, kept with the youngest constraint of each: the rule, then the constraints.
    pub history: Option<Box<HashSet<Box<[u32]>>>>,
}

/// Constraints by age, oldest first; some may be dead.
#[derive(Clone, Default, Debug)]
pub(super) struct Bucket {
    pub ids: Vec<u32>,
    dead: usize,
}

/// Constraints of one symbol.
#[derive(Clone, Default, Debug)]
pub(super) struct Table {
    pub all: Bucket,
    pub indexes: Vec<HashMap<u64, Bucket>>,
}

/// A change of the store.
#[derive(Debug)]
pub(crate) enum Change {
    Added,
    Killed(u32),
    Generation(u32, u32),
    /// A constraint had this key in an index.
    Key(u32, usize, u64),
    /// A bucket was freed of its dead: table, index and key, and what it was.
    Purged(u32, Option<(usize, u64)>, BeforePurge),
    /// A combination fired.
    Fired(u32, Box<[u32]>),
}

/// A bucket before its dead were taken out.
#[derive(Debug)]
pub(crate) struct BeforePurge(Bucket);

/// Rules and store of a program.
#[derive(Default, Debug)]
pub(crate) struct Constraints {
    pub(super) symbols: Vec<Symbol>,
    pub(super) rules: Vec<std::rc::Rc<Rule>>,
    pub(super) tables: Vec<Table>,
    pub(super) suspensions: Suspensions,
    pub(super) alive: u64,
    /// Firings of rules.
    pub firings: u64,
    /// Values of the variables of the rule that is tried.
    pub(super) slots: Vec<Cell>,
    /// The partners that were found for it.
    pub(super) partners: Vec<u32>,
    /// Whether two variables that constraints hold were ever bound to each other.
    pub(super) met: bool,
    /// Guards of goals that are being asked, the innermost last.
    pub(crate) asked: Vec<super::Asked>,
    /// Types that the program defines.
    pub(super) types: super::check::Types,
}

/// Fewest dead constraints of a bucket for which it is worth while to take them out.
const DEAD: usize = 16;

impl Bucket {
    fn insert(&mut self, id: u32) {
        match self.ids.last() {
            Some(&last) if last > id => {
                let at = self.ids.partition_point(|&other| other < id);
                self.ids.insert(at, id);
            }
            _ => self.ids.push(id),
        }
    }
    fn remove(&mut self, id: u32) {
        if let Ok(at) = self.ids.binary_search(&id) {
            self.ids.remove(at);
        }
    }
    /// The youngest constraint that is older than one, or than all for `u32::MAX`; dead ones too.
    pub fn before(&self, id: u32) -> Option<u32> {
        match self.ids.last() {
            Some(&last) if last < id => Some(last),
            _ => {
                let at = self.ids.partition_point(|&other| other < id);
                at.checked_sub(1).map(|at| self.ids[at])
            }
        }
    }
    /// The next constraint behind one, or the first one for `u32::MAX`; dead ones too: those from `met` on come from
    /// the youngest to the oldest, then the others from the oldest to the youngest.
    pub fn behind(&self, id: u32, met: u32) -> Option<u32> {
        if id >= met {
            match self.before(id) {
                Some(found) if found < met => self.ids.first().copied(),
                found => found,
            }
        } else {
            let at = self.ids.partition_point(|&other| other <= id);
            self.ids.get(at).copied().filter(|&found| found < met)
        }
    }
}

impl Constraints {
    /// Live constraints.
    pub fn live(&self) -> u64 {
        self.alive
    }
    /// Bytes of the store.
    pub fn bytes(&self) -> usize {
        self.suspensions.bytes()
    }
    /// Terms of the constraints that are in the store, or that backtracking brings back.
    pub fn terms(&mut self, undo: &[Undo]) -> Vec<Cell> {
        self.suspensions.iter_mut().for_each(|s| s.wanted = false);
        for undo in undo {
            if let Undo::Store(Change::Killed(id)) = undo {
                self.suspensions[*id as usize].wanted = true;
            }
        }
        self.suspensions.iter().filter(|s| s.alive || s.wanted).map(|s| s.term).collect()
    }
    /// Moves these terms, and forgets the other constraints.
    pub fn move_terms(&mut self, moved: impl Fn(&mut Cell)) {
        self.suspensions.forget_dead();
        self.suspensions.iter_mut().filter(|s| s.alive || s.wanted).for_each(|s| moved(&mut s.term));
    }
    fn bucket(&mut self, table: u32, index: Option<(usize, u64)>) -> &mut Bucket {
        let table = &mut self.tables[table as usize];
        match index {
            None => &mut table.all,
            Some((index, key)) => table.indexes[index].entry(key).or_default(),
        }
    }

    /// Adds a constraint with its keys.
    pub(super) fn add(&mut self, symbol: u32, term: Cell, keys: Vec<u64>) -> u32 {
        let id = self.suspensions.len() as u32;
        self.tables[symbol as usize].all.insert(id);
        for (index, &key) in keys.iter().enumerate() {
            self.bucket(symbol, Some((index, key))).insert(id);
        }
        let keys = keys.into_boxed_slice();
        self.suspensions.push(Suspension {
            symbol,
            term,
            alive: true,
            wanted: false,
            generation: 0,
            keys,
            history: None,
        });
        self.alive += 1;
        id
    }

    /// Removes a constraint; purged buckets are handed out to be noted, where changes are.
    pub(super) fn kill(&mut self, id: u32, noted: &mut Option<Vec<Change>>) {
        let suspension = &mut self.suspensions[id as usize];
        suspension.alive = false;
        self.alive -= 1;
        match noted {
            Some(changes) => changes.push(Change::Killed(id)),
            None => suspension.history = None,
        }
        let (symbol, keys) = (suspension.symbol, suspension.keys.clone());
        self.note_dead(symbol, None, noted);
        for (index, &key) in keys.iter().enumerate() {
            self.note_dead(symbol, Some((index, key)), noted);
        }
    }

    fn note_dead(&mut self, table: u32, index: Option<(usize, u64)>, noted: &mut Option<Vec<Change>>) {
        let suspensions = &self.suspensions;
        let tables = &mut self.tables[table as usize];
        let bucket = match index {
            None => &mut tables.all,
            Some((index, key)) => tables.indexes[index].entry(key).or_default(),
        };
        bucket.dead += 1;
        if bucket.dead < DEAD || 2 * bucket.dead < bucket.ids.len() {
            return;
        }
        let alive = |id: &u32| suspensions.get(*id).is_some_and(|suspension| suspension.alive);
        let live: Vec<u32> = bucket.ids.iter().copied().filter(alive).collect();
        let before = std::mem::replace(bucket, Bucket { ids: live, dead: 0 });
        if let Some(changes) = noted {
            changes.push(Change::Purged(table, index, BeforePurge(before)));
        } else if let (Some((index, key)), true) = (index, bucket.ids.is_empty()) {
            tables.indexes[index].remove(&key);
        }
    }

    /// Gives a constraint a new key in an index; the old one.
    pub(super) fn move_key(&mut self, id: u32, index: usize, key: u64) -> u64 {
        let symbol = self.suspensions[id as usize].symbol;
        let old = std::mem::replace(&mut self.suspensions[id as usize].keys[index], key);
        self.bucket(symbol, Some((index, old))).remove(id);
        self.bucket(symbol, Some((index, key))).insert(id);
        old
    }

    /// Takes a change back.
    pub fn undo(&mut self, change: Change) {
        match change {
            Change::Added => {
                let Some(suspension) = self.suspensions.pop() else { return };
                let id = self.suspensions.len() as u32;
                self.tables[suspension.symbol as usize].all.remove(id);
                for (index, &key) in suspension.keys.iter().enumerate() {
                    self.bucket(suspension.symbol, Some((index, key))).remove(id);
                }
                self.alive -= u64::from(suspension.alive);
            }
            Change::Killed(id) => {
                self.suspensions[id as usize].alive = true;
                self.alive += 1;
                let (symbol, keys) =
                    (self.suspensions[id as usize].symbol, self.suspensions[id as usize].keys.clone());
                self.bucket(symbol, None).dead -= 1;
                for (index, &key) in keys.iter().enumerate() {
                    self.bucket(symbol, Some((index, key))).dead -= 1;
                }
            }
            Change::Generation(id, before) => self.suspensions[id as usize].generation = before,
            Change::Key(id, index, key) => {
                self.move_key(id, index, key);
            }
            Change::Purged(table, index, before) => *self.bucket(table, index) = before.0,
            Change::Fired(owner, combination) => {
                if let Some(history) = &mut self.suspensions[owner as usize].history {
                    history.remove(&combination);
                }
            }
        }
    }
}
