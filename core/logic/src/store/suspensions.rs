//! All constraints that were added, by number; pages of them are freed when all of a page are gone.

use std::ops::{Index, IndexMut};

use gchr_base::hash::HashSet;

use crate::cell::Cell;

/// Constraints of one page.
const PAGE: usize = 1 << 10;

/// A constraint that was added; its number says how old it is.
#[derive(Clone, Debug)]
pub(crate) struct Suspension {
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

/// Constraints by number, in pages.
#[derive(Default, Debug)]
pub(crate) struct Suspensions {
    pages: Vec<Vec<Suspension>>,
    len: usize,
    /// Pages before this one are whole and were freed.
    freed: usize,
}

impl Suspensions {
    /// How many there were.
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn push(&mut self, suspension: Suspension) {
        let page = self.len / PAGE;
        if page == self.pages.len() {
            self.pages.push(Vec::with_capacity(PAGE));
        }
        self.pages[page].push(suspension);
        self.len += 1;
    }
    /// Takes the youngest one out.
    pub fn pop(&mut self) -> Option<Suspension> {
        let at = self.len.checked_sub(1)?;
        self.len = at;
        self.pages[at / PAGE].pop()
    }
    /// A constraint that was not forgotten.
    #[inline]
    pub fn get(&self, id: u32) -> Option<&Suspension> {
        self.pages.get(id as usize / PAGE)?.get(id as usize % PAGE)
    }
    /// All that were not forgotten.
    pub fn iter(&self) -> impl Iterator<Item = &Suspension> {
        self.pages[self.freed..].iter().flatten()
    }
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Suspension> {
        self.pages[self.freed..].iter_mut().flatten()
    }
    /// Forgets whole pages of dead constraints that nothing brings back, and the terms of other dead ones.
    pub fn forget_dead(&mut self) {
        let whole = self.len / PAGE;
        for page in &mut self.pages[self.freed..whole] {
            if page.iter().all(|s| !s.alive && !s.wanted) {
                *page = Vec::new();
            }
        }
        while self.freed < whole && self.pages[self.freed].is_empty() {
            self.freed += 1;
        }
        for suspension in self.iter_mut().filter(|s| !s.alive && !s.wanted) {
            suspension.term = Cell::int(0);
            suspension.history = None;
        }
    }
    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.pages[self.freed..].iter().map(|page| page.capacity() * (size_of::<Suspension>() + 32)).sum()
    }
}

impl Index<usize> for Suspensions {
    type Output = Suspension;
    #[inline]
    fn index(&self, id: usize) -> &Suspension {
        &self.pages[id / PAGE][id % PAGE]
    }
}

impl IndexMut<usize> for Suspensions {
    #[inline]
    fn index_mut(&mut self, id: usize) -> &mut Suspension {
        &mut self.pages[id / PAGE][id % PAGE]
    }
}
