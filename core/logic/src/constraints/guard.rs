//! Guards that are goals: what they may not do, and the firing behind them.

use std::rc::Rc;

use gchr_base::hash::HashSet;

use super::active::slot;
use crate::machine::{Done, Machine};
use crate::store::Asked;
use crate::store::rules::Rule;
use crate::undo::Undo;

use crate::cell::Cell;

impl Machine<'_, '_> {
    /// The variables that the guard of a rule may not bind, where it may bind older ones: columns that are declared `+`
    /// are trusted to have none, so that those that are there all the same are not protected. `bound`: whether heads
    /// bound some.
    pub(super) fn locked(&mut self, rule: &Rule, bound: bool) -> Option<Cell> {
        let slots = &self.constraints.slots;
        if !bound && !rule.trusted.iter().any(|&slot| self.shows_variable(slots[slot as usize])) {
            return None;
        }
        let values: Vec<Cell> = rule.locked.iter().map(|&slot| slots[slot as usize]).collect();
        let all = self.heap.list(&values);
        let variables = self.heap.variables(all);
        Some(self.heap.list(&variables))
    }

    /// Whether a term is a variable or has one as an argument: no more is looked at, since this is done at each guard.
    fn shows_variable(&self, cell: Cell) -> bool {
        let cell = self.heap.deref(cell);
        if !cell.is_compound() {
            return cell.is_var();
        }
        let (start, n) = self.heap.args(cell);
        self.heap.cells[start..start + n].iter().any(|&arg| self.heap.deref(arg).is_var())
    }

    /// Whether variables that were [locked](Self::locked) are still unbound and different.
    fn are_free(&self, locked: Cell) -> bool {
        let (variables, _) = self.heap.list_items(locked);
        let different: HashSet<Cell> = variables.iter().copied().filter(|cell| cell.is_var()).collect();
        different.len() == variables.len()
    }

    /// Begins a guard: unless guards may bind, variables of heads, which are older, cannot be bound until it is over.
    pub(super) fn ask(&mut self, guard: Asked) {
        self.heap.note(Undo::Guard(None));
        self.constraints.asked.push(guard);
        self.protect();
    }

    /// The innermost guard is over.
    fn end_guard(&mut self) {
        if let Some(guard) = self.constraints.asked.pop() {
            self.heap.note(Undo::Guard(Some(guard)));
        }
        self.protect();
    }

    /// Takes back that a guard was begun, or that it was over.
    pub fn take_back_guard(&mut self, over: Option<Asked>) {
        match over {
            Some(guard) => self.constraints.asked.push(guard),
            None => drop(self.constraints.asked.pop()),
        }
        self.protect();
    }

    /// Protects the variables that the innermost guard may not bind.
    pub fn protect(&mut self) {
        let guard = self.constraints.asked.last();
        let guard = guard.filter(|guard| !guard.open && !self.db.flags.guards_bind);
        let state = guard.and_then(|guard| self.choice_state(guard.mark));
        self.heap.protected = state.map_or(0, |(_, heap)| heap);
    }

    /// The goals of a guard hold: whether they bound nothing, so that the rule fires. Most of what they may not bind is
    /// protected; what is not attributed is looked at here.
    pub fn commit_guarded(&mut self, frame: usize, locked: Cell) -> Done<bool> {
        let at = |i: u16| self.slot_of(frame, i).as_int();
        let (mark, id, number) =
            (at(slot::MARK) as usize, at(slot::ID) as u32, at(slot::OCCURRENCE) as usize);
        let open = self.constraints.asked.last().is_some_and(|guard| guard.open);
        let holds = match () {
            () if self.db.flags.guards_bind => true,
            () if open => self.are_free(locked),
            () => !self.bound_since(mark),
        };
        if !holds {
            return Ok(false);
        }
        let symbol = self.constraints.suspensions[id as usize].symbol as usize;
        let occurrence = Rc::clone(&self.constraints.symbols[symbol].occurrences[number]);
        let rule = Rc::clone(&self.constraints.rules[occurrence.rule as usize]);
        let partners: Vec<u32> =
            (0..occurrence.partners.len()).map(|i| at(slot::PARTNERS + i as u16) as u32).collect();
        self.end_guard();
        self.cut(mark);
        self.fire(id, &occurrence, &rule, &partners)?;
        Ok(true)
    }

    /// Whether a constraint that the innermost guard has added, and that stays, waits for a variable that the guard may
    /// not touch: then it cannot be added.
    pub(super) fn waits_in_guard(&self, id: u32) -> bool {
        let protected = self.heap.protected;
        let is_new = |guard: &Asked| id as usize >= guard.added;
        protected > 0
            && self.constraints.asked.last().is_some_and(is_new)
            && self
                .heap
                .variables(self.constraints.suspensions[id as usize].term)
                .iter()
                .any(|variable| variable.place() < protected)
    }

    /// Whether something was bound, since the choice point of a number was made, that is older than it.
    fn bound_since(&self, mark: usize) -> bool {
        let Some((trail, heap)) = self.choice_state(mark) else { return false };
        let mut undo = self.heap.undo.len();
        for &entry in self.heap.trail[trail..].iter().rev() {
            if entry == crate::heap::MARK {
                undo -= 1;
                if let Undo::Cell(place, before) = self.heap.undo[undo]
                    && place < heap
                    && before == Cell::attributed(place)
                {
                    return true;
                }
            } else if (entry as usize) < heap {
                return true;
            }
        }
        false
    }
}
