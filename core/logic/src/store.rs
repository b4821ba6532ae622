//! The store: constraints in tables with indexes, and how changes are taken back.

mod bucket;
mod change;
pub(crate) mod rules;
mod suspensions;
pub(crate) mod types;

use std::rc::Rc;

use crate::cell::Cell;
use bucket::Bucket;
use rules::{Rule, Symbol};
use suspensions::{Suspension, Suspensions};
use types::Types;

pub(crate) use bucket::Table;
pub(crate) use change::{BeforePurge, Change};

/// A guard of goals that is being asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// The active constraint.
    pub id: u32,
    /// Choice points below its own.
    pub mark: usize,
    /// Whether it may bind older variables that are not locked.
    pub open: bool,
    /// Constraints there were when it began.
    pub added: usize,
}

/// Rules and store of a program.
#[derive(Default, Debug)]
pub(crate) struct Constraints {
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) rules: Vec<Rc<Rule>>,
    pub(crate) tables: Vec<Table>,
    pub(crate) suspensions: Suspensions,
    pub(crate) alive: u64,
    /// Firings of rules.
    pub firings: u64,
    /// Values of the variables of the rule that is tried.
    pub(crate) slots: Vec<Cell>,
    /// The partners that were found for it.
    pub(crate) partners: Vec<u32>,
    /// What heads bind in these, if the rule fires.
    pub(crate) bindings: Vec<(Cell, Cell)>,
    /// Whether two variables that constraints hold were ever bound to each other.
    pub(crate) met: bool,
    /// Guards of goals that are being asked, the innermost last.
    pub(crate) asked: Vec<Asked>,
    /// Types that the program defines.
    pub(crate) types: Types,
}

/// Fewest dead constraints of a bucket for which it is worth while to take them out.
const DEAD: usize = 16;

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
    /// `changes`: what backtracking takes back.
    pub fn terms<'a>(&mut self, changes: impl Iterator<Item = &'a Change>) -> Vec<Cell> {
        self.suspensions.iter_mut().for_each(|s| s.wanted = false);
        for change in changes {
            if let Change::Killed(id) = change {
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
    pub(crate) fn add(&mut self, symbol: u32, term: Cell, keys: Vec<u64>) -> u32 {
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
    pub(crate) fn kill(&mut self, id: u32, noted: &mut Option<Vec<Change>>) {
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
        let is_alive = |id: u32| suspensions.get(id).is_some_and(|suspension| suspension.alive);
        let trimmed = bucket.trim(is_alive);
        if let (Some(changes), false) = (&mut *noted, trimmed.is_empty()) {
            changes.push(Change::Trimmed(table, index, trimmed));
        }
        if bucket.dead >= DEAD && 2 * bucket.dead >= bucket.ids.len() {
            let live = bucket.ids.iter().copied().filter(|&id| is_alive(id)).collect();
            let before = std::mem::replace(bucket, Bucket { ids: live, dead: 0 });
            if let Some(changes) = noted {
                changes.push(Change::Purged(table, index, BeforePurge(before)));
            }
        }
        if let (None, Some((index, key)), true) = (noted, index, bucket.ids.is_empty()) {
            tables.indexes[index].remove(&key);
        }
    }

    /// Gives a constraint a new key in an index; the old one.
    pub(crate) fn move_key(&mut self, id: u32, index: usize, key: u64) -> u64 {
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
            Change::Trimmed(table, index, trimmed) => self.bucket(table, index).untrim(trimmed),
            Change::Purged(table, index, before) => *self.bucket(table, index) = before.0,
            Change::Fired(owner, combination) => {
                if let Some(history) = &mut self.suspensions[owner as usize].history {
                    history.remove(&combination);
                }
            }
        }
    }
}
