//! Variables and the constraints that hold them: which ones a binding wakes, in which order, and how constraints that
//! are found by a variable are ordered.

use crate::cell::{Cell, Tag};
use crate::code::{Label, at};
use crate::machine::{Done, Machine};
use crate::names::atom;
use crate::store::Change;

/// The attribute of a variable that constraints hold: their list, or `$chr(Met, List)` once two such lists have met.
struct Watchers {
    list: Cell,
    /// How many constraints there were when lists met: those that are older are found in the order of their age.
    met: usize,
}

impl Machine<'_, '_> {
    /// Reads the attribute of a variable that constraints hold.
    fn watchers(&self, attribute: Cell) -> Watchers {
        match self.heap.functor(attribute) {
            Some((atom::chr, 2)) => {
                let met = self.heap.arg(attribute, 0).as_int() as usize;
                Watchers { list: self.heap.arg(attribute, 1), met }
            }
            _ => Watchers { list: self.heap.deref(attribute), met: 0 },
        }
    }

    /// The constraints in the store that an attribute lists, in no order.
    pub fn watching(&self, attribute: Cell) -> impl Iterator<Item = u32> + '_ {
        let items = self.heap.list_items(self.watchers(attribute).list).0;
        items.into_iter().map(|cell| cell.as_int() as u32).filter(|&id| self.is_alive(id))
    }

    /// Has bindings of variables wake a new constraint.
    pub(super) fn watch(&mut self, variables: &[Cell], id: u32) {
        let module = Cell::atom(atom::chr);
        for &variable in variables {
            let variable = self.heap.deref(variable);
            let known = self.attached(variable, module).unwrap_or(Cell::atom(atom::nil));
            let Watchers { mut list, met } = self.watchers(known);
            // The dead at the front are in nobody's way longer than this.
            while list.is_compound() && !self.is_alive(self.heap.arg(list, 0).as_int() as u32) {
                list = self.heap.arg(list, 1);
            }
            self.grow_young(variable, list);
            let list = self.heap.cons(Cell::int(id as usize), list);
            self.set_watchers(variable, Watchers { list, met });
        }
    }

    /// A variable that waits for nothing any more counts as a new one when it waits again: of two variables the younger
    /// one is bound, and so it is in SWI-Prolog, which takes the attributes away with the last constraint. `list`: what
    /// it waits for, without the dead at its front.
    fn grow_young(&mut self, variable: Cell, list: Cell) {
        if variable.tag() != Tag::Att || self.heap.attributes(variable).nth(1).is_some() {
            return;
        }
        let own = self.heap.attributes(variable).next();
        if own.is_none_or(|att| self.heap.arg(att, 0) != Cell::atom(atom::chr)) {
            return;
        }
        if !list.is_compound() {
            self.heap.numbered += 1;
            let number = Cell::int(self.heap.numbered);
            self.heap.assign(variable.place() + 2, number);
        }
    }

    fn set_watchers(&mut self, variable: Cell, watchers: Watchers) {
        let attribute = match watchers.met {
            0 => watchers.list,
            met => self.heap.compound(atom::chr, &[Cell::int(met), watchers.list]),
        };
        self.attach(variable, Cell::atom(atom::chr), attribute);
    }

    /// Has bindings of a variable wake constraints that held a variable which was bound to a term with it, too; all
    /// that it wakes now.
    fn meet(&mut self, variable: Cell, ids: &[u32]) -> Vec<u32> {
        let known = self.attached(variable, Cell::atom(atom::chr));
        let mut all: Vec<u32> = known.into_iter().flat_map(|known| self.watching(known)).collect();
        all.extend(ids);
        all.sort_unstable();
        all.dedup();
        let cells: Vec<Cell> = all.iter().map(|&id| Cell::int(id as usize)).collect();
        let list = self.heap.list(&cells);
        let met = self.constraints.suspensions.len();
        self.constraints.met = true;
        self.set_watchers(variable, Watchers { list, met });
        all
    }

    /// A variable was bound that constraints contain: `$chr_wake(Constraints, Value)`. Where the value is a variable,
    /// the constraints that hold that one are woken, too; they come by symbols, the oldest of each first.
    pub fn wake_constraints(&mut self) -> Done<Option<Label>> {
        let mut ids: Vec<u32> = self.watching(self.x[0]).collect();
        ids.sort_unstable();
        ids.dedup();
        let value = self.heap.deref(self.x[1]);
        let mut woken = None;
        for variable in self.heap.variables(value) {
            let mut all = self.meet(variable, &ids);
            if variable == value {
                let constraints = &self.constraints;
                let partial = |id: u32| {
                    constraints.symbols[constraints.suspensions[id as usize].symbol as usize].partial
                };
                all.retain(|id| !partial(*id) || ids.binary_search(id).is_ok());
                woken = Some(all);
            }
        }
        self.renew_keys(&ids);
        // What a guard binds does not wake the constraint that it is the guard of.
        let mut ids = woken.unwrap_or(ids);
        let asked = &self.constraints.asked;
        ids.retain(|id| !asked.iter().any(|guard| guard.id == *id));
        let suspensions = &self.constraints.suspensions;
        ids.sort_by_key(|&id| suspensions[id as usize].symbol);
        let cells: Vec<Cell> = ids.iter().map(|&id| Cell::int(id as usize)).collect();
        let list = self.heap.list(&cells);
        self.frame(&[list], at::NEXT_WOKEN);
        self.next_woken()
    }

    /// Has indexes know constraints by what their arguments are now.
    fn renew_keys(&mut self, ids: &[u32]) {
        for &id in ids {
            let suspension = &self.constraints.suspensions[id as usize];
            let (symbol, term) = (suspension.symbol, suspension.term);
            for (index, key) in self.keys(symbol, term).into_iter().enumerate() {
                if self.constraints.suspensions[id as usize].keys[index] != key {
                    let old = self.constraints.move_key(id, index, key);
                    self.note_change(Change::Key(id, index, old));
                }
            }
        }
    }

    /// Variables were bound together: indexes know it before the first constraint is woken.
    pub fn renew_keys_of(&mut self, variable: Cell) {
        let mut attributes = self.heap.attributes(variable);
        let own = attributes.find(|&att| self.heap.arg(att, 0) == Cell::atom(atom::chr));
        drop(attributes);
        if let Some(att) = own {
            let ids: Vec<u32> = self.watching(self.heap.arg(att, 1)).collect();
            self.renew_keys(&ids);
        }
    }

    /// Goes on with the next constraint that a binding woke.
    pub fn next_woken(&mut self) -> Done<Option<Label>> {
        loop {
            let list = self.slot(0);
            if !list.is_compound() {
                self.leave();
                return Ok(Some(self.cp_now()));
            }
            let (id, rest) = (self.heap.arg(list, 0).as_int() as u32, self.heap.arg(list, 1));
            self.change_slot(0, rest);
            if self.is_alive(id) {
                self.set_cp(at::NEXT_WOKEN);
                return self.activate(id);
            }
        }
    }

    /// How many constraints there were when lists met in the variable by which partners are found. The older ones come
    /// in the order of their age, behind the others.
    pub(super) fn met(&self, via: &[u16]) -> u32 {
        if !self.constraints.met {
            return 0;
        }
        let attribute =
            self.variable_of(via).and_then(|variable| self.attached(variable, Cell::atom(atom::chr)));
        attribute.map_or(0, |attribute| self.watchers(attribute).met as u32)
    }

    /// Whether SWI-Prolog has a list to look for partners in: that of a variable, or of all constraints.
    pub(super) fn has_list(&self, via: &[u16]) -> bool {
        self.variable_of(via).is_none_or(|variable| self.attached(variable, Cell::atom(atom::chr)).is_some())
    }

    /// The variable by which partners are found: the first one of these terms, or within them.
    fn variable_of(&self, via: &[u16]) -> Option<Cell> {
        let term = |&slot: &u16| self.heap.deref(self.constraints.slots[slot as usize]);
        let pair = via.len() < 3;
        let bare = via.iter().map(term).find(|cell| pair && cell.is_var());
        bare.or_else(|| via.iter().find_map(|slot| self.heap.first_variable(term(slot))))
    }
}
