//! Goals that the variables of an answer wait for.

use gchr_base::hash::HashSet;

use crate::cell::Cell;
use crate::machine::Machine;
use crate::names::atom;

impl Machine<'_, '_> {
    /// Goals that the variables of terms wait for, and those that these goals hold.
    pub(crate) fn waiting(&mut self, terms: &[Cell]) -> Vec<Cell> {
        let (mut goals, mut seen) = (Vec::new(), HashSet::default());
        for variable in self.heap.attributed_variables(terms) {
            self.attribute_goals(variable, &mut goals, &mut seen);
        }
        goals
    }

    /// The goals of a variable's attributes; `seen` holds what was shown already.
    fn attribute_goals(&mut self, variable: Cell, goals: &mut Vec<Cell>, seen: &mut HashSet<Cell>) {
        let attributes: Vec<Cell> = self.heap.attributes(variable).collect();
        for att in attributes {
            let (module, value) = (self.heap.arg(att, 0), self.heap.arg(att, 1));
            let module_name = self.db.names.text(module.as_atom()).to_string();
            match &*module_name {
                "$chr" => {}
                "freeze" => {
                    let mut pending = vec![value];
                    let and = self.db.names.intern("$and");
                    while let Some(goal) = pending.pop() {
                        match self.heap.binary(goal, and) {
                            Some((a, b)) => pending.extend([b, a]),
                            None => goals.push(self.heap.compound(module.as_atom(), &[variable, goal])),
                        }
                    }
                }
                "dif" | "when" => {
                    let mut items = self.heap.list_items(value).0;
                    if module_name == "dif" {
                        // The newest comes first there.
                        items.reverse();
                    }
                    for goal in items {
                        let done = module_name == "when" && self.heap.arg(goal, 2) == Cell::atom(atom::true_);
                        let shown = match &*module_name {
                            "dif" => goal,
                            _ => {
                                let args = [self.heap.arg(goal, 0), self.heap.arg(goal, 1)];
                                self.heap.compound(module.as_atom(), &args)
                            }
                        };
                        // A goal that waits for several variables is shown once.
                        let known = match &*module_name {
                            "dif" => goals.iter().any(|&known| self.heap.identical(known, shown)),
                            _ => !seen.insert(goal),
                        };
                        if !done && !known {
                            goals.push(shown);
                        }
                    }
                }
                "block_directive" => {
                    let waits = |&&block: &&Cell| self.heap.arg(block, 0) != Cell::atom(atom::true_);
                    let blocks = self.heap.list_items(value).0;
                    goals.extend(blocks.iter().filter(waits).map(|&block| self.heap.arg(block, 1)));
                }
                "clpfd" => self.domain_goals(variable, value, goals),
                _ if self.db.flags.hidden.iter().any(|hidden| **hidden == *module_name) => {}
                _ => {
                    let name = self.db.names.intern("put_attr");
                    goals.push(self.heap.compound(name, &[variable, module, value]));
                }
            }
        }
    }

    /// `X in 1..3` and the constraints on integers that a variable is in.
    fn domain_goals(&mut self, variable: Cell, value: Cell, goals: &mut Vec<Cell>) {
        let bound =
            |text: &str, m: &Self, cell: Cell| cell.is_atom() && &**m.db.names.text(cell.as_atom()) == text;
        let (intervals, union) = (self.heap.arg(value, 0), self.db.names.intern("\\/"));
        let (dots, inside) = (self.db.names.intern(".."), self.db.names.intern("in"));
        let mut domain = None;
        for interval in self.heap.list_items(intervals).0 {
            let (low, high) = (self.heap.arg(interval, 0), self.heap.arg(interval, 1));
            if bound("inf", self, low) && bound("sup", self, high) {
                break;
            }
            let one = if low == high { low } else { self.heap.compound(dots, &[low, high]) };
            domain = Some(domain.map_or(one, |all| self.heap.compound(union, &[all, one])));
        }
        let mut shown: Vec<Cell> =
            domain.map(|d| self.heap.compound(inside, &[variable, d])).into_iter().collect();
        let propagators = self.heap.list_items(self.heap.arg(value, 1)).0;
        let done = |p| bound("done", self, self.heap.arg(p, 0));
        shown.extend(propagators.iter().filter(|&&p| !done(p)).map(|&p| self.heap.arg(p, 1)));
        for goal in shown {
            if !goals.iter().any(|&known| self.heap.identical(known, goal)) {
                goals.push(goal);
            }
        }
    }
}
