//! Where variables of a clause live: in registers between two calls, else in slots of the environment.

use gchr_base::hash::HashMap;

use super::goal::Goal;
use super::{Compiler, Var};
use crate::cell::{Cell, Tag};
use crate::code::{Place, X};

impl Compiler<'_> {
    /// Counts variables, decides which are permanent, and gives arguments of the last call their registers.
    pub(super) fn analyse(&mut self, start: usize, arity: usize, goals: &[Goal]) {
        for i in 0..arity {
            self.note(self.heap.cells[start + i]);
        }
        self.keep_for(arity);
        self.note_goals(goals);
        if self.heap.meter.is_stopped() {
            return;
        }
        let permanent = self.vars.values().any(|var| var.permanent);
        let calls = |goal: &Goal| matches!(goal, Goal::Call(_) | Goal::Meta(_));
        let early = goals.split_last().is_some_and(|(_, first)| first.iter().any(calls));
        let control = |goal: &Goal| match goal {
            Goal::Not(inner) => !inner.iter().all(Goal::is_test),
            Goal::If { .. } | Goal::Or(..) => true,
            _ => false,
        };
        self.has_frame = permanent || early || goals.iter().any(control) || Goal::has_deep_cut(goals);
        if !self.has_frame && !goals.iter().any(|goal| matches!(goal, Goal::Native(..))) {
            self.place_in_arguments(start, arity, goals.last());
        }
    }

    fn note(&mut self, term: Cell) {
        let mut pending = vec![term];
        while let Some(cell) = pending.pop() {
            if !self.heap.meter.spend(1) {
                return;
            }
            let cell = self.heap.deref(cell);
            if cell.is_var() {
                let chunk = self.chunk;
                let var = self.vars.entry(cell).or_insert(Var {
                    count: 0,
                    chunk,
                    permanent: false,
                    place: None,
                    seen: false,
                });
                var.count += 1;
                var.permanent |= var.chunk != chunk;
            } else if cell.is_compound() {
                let (start, n) = self.heap.args(cell);
                pending.extend(self.heap.cells[start..start + n].iter().rev());
            }
        }
    }

    fn note_goals(&mut self, goals: &[Goal]) {
        for goal in goals {
            for term in goal.terms() {
                self.note(term);
            }
            match goal {
                Goal::Call(term) | Goal::Native(_, term) => {
                    self.keep_for(self.heap.args(*term).1);
                    self.chunk += u32::from(matches!(goal, Goal::Call(_)));
                }
                Goal::Meta(_) => {
                    self.keep_for(1);
                    self.chunk += 1;
                }
                Goal::If { condition, then, other, soft } => {
                    let inline = !soft && condition.iter().all(Goal::is_test);
                    self.chunk += u32::from(!inline);
                    self.note_goals(condition);
                    self.chunk += u32::from(inline);
                    self.note_goals(then);
                    self.chunk += 1;
                    self.note_goals(other);
                    self.chunk += 1;
                }
                Goal::Or(left, right) => {
                    self.chunk += 1;
                    self.note_goals(left);
                    self.chunk += 1;
                    self.note_goals(right);
                    self.chunk += 1;
                }
                Goal::Not(inner) => {
                    let bump = u32::from(!inner.iter().all(Goal::is_test));
                    self.chunk += bump;
                    self.note_goals(inner);
                    self.chunk += bump;
                }
                _ => {}
            }
        }
    }

    /// Keeps variables of heads in the registers where the last call wants them, as far as no other value needs these
    /// first.
    fn place_in_arguments(&mut self, start: usize, arity: usize, last: Option<&Goal>) {
        let call = match last {
            Some(Goal::Call(term)) => Some(self.heap.args(*term)),
            Some(Goal::Meta(_)) => return,
            _ => None,
        };
        let wanted = |i: usize| {
            let (start, n) = call?;
            (i < n).then(|| self.heap.deref(self.heap.cells[start + i])).filter(|cell| cell.is_var())
        };
        let mut taken = HashMap::default();
        let head = |i: usize| self.heap.deref(self.heap.cells[start + i]);
        // The argument in which each variable first occurs: there it gets its value.
        let mut firsts = HashMap::default();
        for i in 0..arity {
            for variable in self.heap.variables(head(i)) {
                firsts.entry(variable).or_insert(i);
            }
        }
        let is_first = |variable: Cell, i: usize| firsts.get(&variable) == Some(&i);
        for i in 0..arity {
            let cell = head(i);
            let free = call.is_none_or(|(_, n)| i >= n);
            if cell.is_var()
                && is_first(cell, i)
                && self.vars[&cell].count > 1
                && (free || wanted(i) == Some(cell))
            {
                taken.entry(cell).or_insert(i);
            }
        }
        // Variables inside of the arguments of the head: their registers must have been read before.
        for i in 0..arity {
            let argument = head(i);
            if !argument.is_compound() {
                continue;
            }
            for variable in self.heap.variables(argument) {
                if !is_first(variable, i) {
                    continue;
                }
                let fits = |j: usize| {
                    wanted(j) == Some(variable)
                        && (j >= arity || (j <= i && (!head(j).is_var() || self.vars[&head(j)].count == 1)))
                };
                if let Some(j) = (0..call.map_or(0, |(_, n)| n)).find(|&j| fits(j)) {
                    taken.entry(variable).or_insert(j);
                }
            }
        }
        for (cell, register) in taken {
            if let Some(var) = self.vars.get_mut(&cell) {
                var.place = Some(Place::X(register as X));
            }
        }
    }

    /// The place of a variable, chosen now if it has none.
    pub(super) fn place(&mut self, cell: Cell) -> Place {
        let var = self.vars[&cell];
        let place = match var.place {
            Some(place) => place,
            None if var.permanent => Place::Y(self.slot()),
            None => {
                // Registers of variables are never given back: a variable may occur again.
                Place::X(self.register())
            }
        };
        if let Some(var) = self.vars.get_mut(&cell) {
            var.place = Some(place);
        }
        place
    }
    /// The place of a variable that gets its value now; `None` where it occurs nowhere else.
    pub(super) fn first(&mut self, cell: Cell) -> Option<Place> {
        if self.vars[&cell].count == 1 {
            return None;
        }
        let place = self.place(cell);
        if let Some(var) = self.vars.get_mut(&cell) {
            var.seen = true;
        }
        Some(place)
    }
    pub(super) fn is_seen(&self, cell: Cell) -> bool {
        self.vars[&cell].seen
    }

    /// Occurrences of variables in goals.
    pub(super) fn occurrences(&self, goals: &[Goal], counts: &mut HashMap<Cell, u32>) {
        for goal in goals {
            let mut pending = goal.terms();
            while let Some(cell) = pending.pop() {
                let cell = self.heap.deref(cell);
                match cell.tag() {
                    Tag::Ref | Tag::Att => *counts.entry(cell).or_insert(0) += 1,
                    _ => {
                        let (start, n) = self.heap.args(cell);
                        pending.extend(&self.heap.cells[start..start + n]);
                    }
                }
            }
            match goal {
                Goal::If { condition, then, other, .. } => {
                    [condition, then, other].into_iter().for_each(|goals| self.occurrences(goals, counts));
                }
                Goal::Or(left, right) => {
                    [left, right].into_iter().for_each(|goals| self.occurrences(goals, counts));
                }
                Goal::Not(inner) => self.occurrences(inner, counts),
                _ => {}
            }
        }
    }
}
