//! Goals that the variables of an answer wait for.

mod domains;

use gchr_base::hash::HashSet;

use crate::cell::Cell;
use crate::machine::Machine;
use crate::names::atom;
use crate::walk::Distinct;

/// The goals that an answer shows.
struct Shown<'s> {
    goals: &'s mut Vec<Cell>,
    /// Those of them that several variables may wait for.
    once: &'s mut Distinct,
    /// What was shown already.
    seen: &'s mut HashSet<Cell>,
    /// What the program shows: terms of a variable, a module and goals.
    own: &'s [Cell],
    /// Whether attributes of modules of constraints are not shown.
    hides: bool,
}

impl Machine<'_, '_> {
    /// A goal of a query, with one behind it that asks the program's `attribute_goals//1` about the attributes that
    /// its answer shows, where the program has it: what comes of that is a variable more.
    pub(crate) fn with_own_goals(&mut self, goal: Cell, variables: &mut Vec<Option<Cell>>) -> Cell {
        if !self.has_attribute_goals() {
            return goal;
        }
        let known: Vec<Cell> = variables.iter().flatten().copied().collect();
        let (list, own) = (self.heap.list(&known), self.heap.variable());
        let name = self.db.names.intern("$own_goals");
        let asked = self.heap.compound(name, &[list, own]);
        variables.push(Some(own));
        self.heap.compound(atom::comma, &[goal, asked])
    }

    /// Whether the program says itself what its attributes mean.
    fn has_attribute_goals(&self) -> bool {
        let is_hook = |name: &str| name == "attribute_goals" || name.ends_with(":attribute_goals");
        let mut own = (0..).zip(&self.db.preds).filter(|(_, pred)| pred.arity == 3);
        own.any(|(number, pred)| is_hook(self.db.names.text(pred.name)) && self.db.is_own(number))
    }

    /// Goals that the variables of terms wait for, and those that these goals hold. `own` lists what the program
    /// shows for its attributes; without it they are shown as they are, for `copy_term/3`.
    pub(crate) fn waiting(&mut self, terms: &[Cell], own: Option<Cell>) -> Vec<Cell> {
        let own: Vec<Cell> = own.map_or_else(Vec::new, |own| self.heap.list_items(own).0);
        let hides = !own.is_empty() || !self.has_attribute_goals();
        let (mut goals, mut once, mut seen) = (Vec::new(), Distinct::default(), HashSet::default());
        for variable in self.heap.attributed_variables(terms) {
            let mut shown = Shown { goals: &mut goals, once: &mut once, seen: &mut seen, own: &own, hides };
            self.attribute_goals(variable, &mut shown);
        }
        goals
    }

    /// The goals of a variable's attributes.
    fn attribute_goals(&mut self, variable: Cell, shown: &mut Shown<'_>) {
        let Shown { goals, once, seen, own, hides } = shown;
        let attributes: Vec<Cell> = self.heap.attributes(variable).collect();
        for att in attributes {
            let (module, value) = (self.heap.arg(att, 0), self.heap.arg(att, 1));
            let module_name = self.db.names.text(module.as_atom()).to_string();
            match &*module_name {
                "$chr" => {}
                "freeze" => {
                    let mut pending = vec![value];
                    let and = self.db.names.intern("$and");
                    while let Some(goal) = pending.pop().filter(|_| self.heap.meter.spend(1)) {
                        match self.heap.binary(goal, and) {
                            Some((a, b)) => pending.extend([b, a]),
                            None => goals.push(self.heap.compound(module.as_atom(), &[variable, goal])),
                        }
                    }
                }
                "dif" => self.dif_goals(value, goals, once),
                "when" => self.when_goals(value, goals, seen),
                "block_directive" => {
                    let waits = |&&block: &&Cell| self.heap.arg(block, 0) != Cell::atom(atom::true_);
                    let blocks = self.heap.list_items(value).0;
                    goals.extend(blocks.iter().filter(waits).map(|&block| self.heap.arg(block, 1)));
                }
                "clpfd" => self.domain_goals(variable, value, goals, once),
                _ if let Some(own) = self.own_goals(own, variable, module) => goals.extend(own),
                _ if *hides && self.db.flags.hidden.iter().any(|hidden| **hidden == *module_name) => {}
                _ => {
                    let name = self.db.names.intern("put_attr");
                    goals.push(self.heap.compound(name, &[variable, module, value]));
                }
            }
        }
    }

    /// What still makes terms differ: the bindings that would make them equal, the oldest goal first.
    fn dif_goals(&mut self, value: Cell, goals: &mut Vec<Cell>, once: &mut Distinct) {
        let dif = self.db.names.intern("dif");
        for goal in self.heap.list_items(value).0.into_iter().rev() {
            let [x, y] = [0, 1].map(|i| self.heap.deref(self.heap.arg(goal, i)));
            let [x, y] = if x.is_var() || !y.is_var() { [x, y] } else { [y, x] };
            let Some(unifier) = self.unifier(x, y).filter(|unifier| !unifier.is_empty()) else { continue };
            let (variables, values): (Vec<Cell>, Vec<Cell>) = unifier.into_iter().unzip();
            let sides = match (&variables[..], &values[..]) {
                _ if x.is_var() => [x, y],
                (&[variable], &[value]) => [variable, value],
                _ => {
                    let f = self.db.names.intern("f");
                    [self.heap.compound(f, &variables), self.heap.compound(f, &values)]
                }
            };
            let shown = self.heap.compound(dif, &sides);
            self.show_once(shown, goals, once);
        }
    }

    /// Shows a goal that several variables wait for at the first one of these.
    fn show_once(&self, goal: Cell, goals: &mut Vec<Cell>, once: &mut Distinct) {
        let next = goals.len();
        if once.number(&self.heap, goal, next) == next {
            goals.push(goal);
        }
    }

    /// Conditions and goals of entries, one that waits for several variables once.
    fn when_goals(&mut self, value: Cell, goals: &mut Vec<Cell>, seen: &mut HashSet<Cell>) {
        let when = self.db.names.intern("when");
        for entry in self.heap.list_items(value).0 {
            let [condition, goal, over, _, ran] =
                [0, 1, 2, 3, 4].map(|i| self.heap.deref(self.heap.arg(entry, i)));
            if [over, ran].contains(&Cell::atom(atom::true_)) || !seen.insert(over) {
                continue;
            }
            goals.push(self.heap.compound(when, &[condition, goal]));
        }
    }

    /// What the program shows for the attribute of a module: its own module is that of answers.
    fn own_goals(&mut self, own: &[Cell], variable: Cell, module: Cell) -> Option<Vec<Cell>> {
        let arg = |term: Cell, i: usize| self.heap.deref(self.heap.arg(term, i));
        let of = own.iter().find(|&&one| arg(one, 0) == variable && arg(one, 1) == module)?;
        let goals = self.heap.list_items(arg(*of, 2)).0;
        let home = self.db.home_module();
        let is_home = |goal| self.heap.binary(goal, atom::colon).filter(|&(module, _)| module == home);
        Some(goals.into_iter().map(|goal| is_home(goal).map_or(goal, |(_, plain)| plain)).collect())
    }
}
