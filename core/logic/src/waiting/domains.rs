//! What answers show of constraints over integers.

use crate::cell::Cell;
use crate::machine::Machine;
use crate::names::atom;
use crate::walk::Distinct;

impl Machine<'_, '_> {
    /// `X in 1..3` and the constraints on integers that a variable is in.
    pub(super) fn domain_goals(
        &mut self,
        variable: Cell,
        value: Cell,
        goals: &mut Vec<Cell>,
        once: &mut Distinct,
    ) {
        let mut shown: Vec<Cell> = self.domain_goal(variable, value).into_iter().collect();
        for list in [2, 1] {
            for propagator in self.heap.list_items(self.heap.arg(value, list)).0 {
                let [what, state, text] = [0, 1, 2].map(|i| self.heap.arg(propagator, i));
                if self.is_named(state, "done") || self.is_named(text, "none") {
                    continue;
                }
                shown.push(if self.is_named(text, "sum") { self.sum_goal(what) } else { text });
            }
        }
        for goal in shown {
            self.show_once(goal, goals, once);
        }
    }

    fn is_named(&self, cell: Cell, text: &str) -> bool {
        cell.is_atom() && &**self.db.names.text(cell.as_atom()) == text
    }

    /// The domain of a variable; of one of which nothing else is known, that it is an integer.
    fn domain_goal(&mut self, variable: Cell, value: Cell) -> Option<Cell> {
        let [inf, sup, union, dots, inside] =
            ["inf", "sup", "\\/", "..", "in"].map(|name| self.db.names.intern(name));
        let has_propagators = [1, 2].iter().any(|&list| {
            let all = self.heap.list_items(self.heap.arg(value, list)).0;
            all.iter().any(|&p| !self.is_named(self.heap.arg(p, 1), "done"))
        });
        let mut domain: Option<Cell> = None;
        for interval in self.heap.list_items(self.heap.arg(value, 0)).0 {
            let (low, high) = (self.heap.arg(interval, 0), self.heap.arg(interval, 1));
            let is_end = |m: &Self, cell| !m.heap.is_integer(cell);
            let open = [is_end(self, low), is_end(self, high)];
            if open == [true, true] && has_propagators {
                return None;
            }
            let low = if open[0] { Cell::atom(inf) } else { low };
            let high = if open[1] { Cell::atom(sup) } else { high };
            let one =
                if self.heap.identical(low, high) { low } else { self.heap.compound(dots, &[low, high]) };
            domain = Some(domain.map_or(one, |all| self.heap.compound(union, &[all, one])));
        }
        domain.map(|domain| self.heap.compound(inside, &[variable, domain]))
    }

    /// `3*X+Y#=2*Z+1` for `lin(eq, [3, 1, -2], [X, Y, Z], 1)`: what is subtracted stands on the right, and the number
    /// where it is positive.
    fn sum_goal(&mut self, linear: Cell) -> Cell {
        let [op, factors, variables, total] = [0, 1, 2, 3].map(|i| self.heap.arg(linear, i));
        let (factors, variables) = (self.heap.list_items(factors).0, self.heap.list_items(variables).0);
        let name = ["#=", "#\\=", "#=<"]
            [usize::from(self.is_named(op, "ne")) + 2 * usize::from(self.is_named(op, "le"))];
        let equation = name == "#=";
        let name = self.db.names.intern(name);
        let small = |cell: Cell| cell.is_int().then(|| cell.as_int());
        let (mut left, mut right) = (None, None);
        let mut units = [0_i64; 2];
        let mut constant = small(total).map(|n| -n);
        for (factor, variable) in factors.into_iter().zip(variables) {
            let Some(n) = small(factor) else { return linear };
            if let Some(value) = small(variable) {
                constant = constant.and_then(|c| n.checked_mul(value)?.checked_add(c));
                continue;
            }
            units[usize::from(n < 0)] += if n.abs() == 1 { 1 } else { 2 };
            let side = if n > 0 { &mut left } else { &mut right };
            let count = Cell::small(n.abs()).unwrap_or(factor);
            let term =
                if n.abs() == 1 { variable } else { self.heap.compound(atom::star, &[count, variable]) };
            *side = Some(side.map_or(term, |sum| self.heap.compound(atom::plus, &[sum, term])));
        }
        let Some(constant) = constant else { return linear };
        let number = Cell::small(constant.abs()).unwrap_or(total);
        let sides = match (left, right, constant) {
            // A sum of two stands before what it is.
            (Some(l), Some(r), 0) if equation && units == [1, 2] => [r, l],
            (Some(l), Some(r), 0) => [l, r],
            (Some(l), Some(r), 1..) => [self.heap.compound(atom::plus, &[l, number]), r],
            (Some(l), Some(r), _) => [l, self.heap.compound(atom::plus, &[r, number])],
            (l, None, _) => [l.unwrap_or(Cell::int(0)), Cell::small(-constant).unwrap_or(total)],
            (None, Some(r), _) if equation => [r, Cell::small(constant).unwrap_or(total)],
            (None, Some(r), _) => [Cell::small(constant).unwrap_or(total), r],
        };
        self.heap.compound(name, &sides)
    }
}
