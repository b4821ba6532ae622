//! Built-in predicates that compare terms and take them apart.

use std::cmp::Ordering;

use super::Table;
use crate::cell::{Cell, MAX_ARITY, Tag};
use crate::heap::Heap;
use crate::machine::{Done, Machine};
use crate::names::atom;
use crate::record::Record;

type M<'c, 'a> = Machine<'c, 'a>;

pub(super) const TABLE: Table = &[
    ("=", 2, |m| Ok(m.heap.unify(m.x[0], m.x[1]))),
    ("\\=", 2, |m| Ok(!m.unifiable(m.x[0], m.x[1]))),
    // Whether the terms may be different: they are, or goals of variables decide.
    ("$may_differ", 2, |m| {
        let unifies = m.unifies(m.x[0], m.x[1]);
        m.wakes = unifies == Some(true);
        Ok(unifies != Some(false))
    }),
    ("==", 2, |m| Ok(m.heap.identical(m.x[0], m.x[1]))),
    ("\\==", 2, |m| Ok(!m.heap.identical(m.x[0], m.x[1]))),
    ("=@=", 2, |m| Ok(m.heap.is_variant(m.x[0], m.x[1]))),
    ("\\=@=", 2, |m| Ok(!m.heap.is_variant(m.x[0], m.x[1]))),
    ("@<", 2, |m| Ok(m.order() == Ordering::Less)),
    ("@>", 2, |m| Ok(m.order() == Ordering::Greater)),
    ("@=<", 2, |m| Ok(m.order() != Ordering::Greater)),
    ("@>=", 2, |m| Ok(m.order() != Ordering::Less)),
    ("compare", 3, compare),
    ("$assoc_get", 3, assoc_get),
    ("?=", 2, |m| Ok(m.unifier(m.x[0], m.x[1]).is_none_or(|unifier| unifier.is_empty()))),
    // As `\=`, the other way round, whatever a guard may bind and goals of variables say.
    ("$unifiable", 2, |m| Ok(m.unifier(m.x[0], m.x[1]).is_some())),
    ("unifiable", 3, |m| {
        let Some(unifier) = m.unifier(m.x[0], m.x[1]) else { return Ok(false) };
        let mut list = Cell::atom(atom::nil);
        for (variable, value) in unifier {
            let pair = m.heap.compound(atom::equal, &[variable, value]);
            list = m.heap.cons(pair, list);
        }
        Ok(m.unify_arg(2, list))
    }),
    ("unify_with_occurs_check", 2, occurs_check),
    ("var", 1, |m| Ok(m.arg(0).is_var())),
    ("nonvar", 1, |m| Ok(!m.arg(0).is_var())),
    ("atom", 1, |m| Ok(m.arg(0).is_text_atom())),
    ("number", 1, |m| Ok(m.heap.is_number(m.arg(0)))),
    ("integer", 1, |m| Ok(m.heap.is_integer(m.arg(0)))),
    ("float", 1, |m| Ok(m.is(crate::code::Kind::Float, m.x[0]))),
    ("rational", 1, |m| Ok(m.heap.is_rational(m.arg(0)))),
    ("rational", 3, |m| {
        let cell = m.arg(0);
        if !m.heap.is_rational(cell) {
            return Ok(false);
        }
        let (numerator, denominator) = m.heap.number(cell).parts().unwrap_or_default();
        let (numerator, denominator) = (m.heap.big(&numerator), m.heap.big(&denominator));
        Ok(m.unify_arg(1, numerator) && m.unify_arg(2, denominator))
    }),
    ("string", 1, |m| Ok(m.is(crate::code::Kind::Str, m.x[0]))),
    ("atomic", 1, |m| Ok(m.is(crate::code::Kind::Atomic, m.x[0]))),
    ("compound", 1, |m| Ok(m.arg(0).is_compound())),
    ("callable", 1, |m| {
        let cell = m.arg(0);
        Ok(cell.is_text_atom() || cell.is_compound())
    }),
    ("is_list", 1, |m| Ok(m.heap.list_items(m.x[0]).1 == Cell::atom(atom::nil))),
    ("ground", 1, |m| Ok(m.heap.is_ground(m.x[0]))),
    ("cyclic_term", 1, |m| Ok(m.heap.is_cyclic(m.x[0]))),
    ("acyclic_term", 1, |m| Ok(!m.heap.is_cyclic(m.x[0]))),
    ("attvar", 1, |m| Ok(m.has_attributes(m.x[0]))),
    ("is", 2, |m| {
        let value = m.evaluate(m.x[1])?;
        let cell = m.heap.push_number(&value);
        Ok(m.unify_arg(0, cell))
    }),
    ("<", 2, |m| m.compare_args(crate::code::Compare::Lt)),
    (">", 2, |m| m.compare_args(crate::code::Compare::Gt)),
    ("=<", 2, |m| m.compare_args(crate::code::Compare::Le)),
    (">=", 2, |m| m.compare_args(crate::code::Compare::Ge)),
    ("=:=", 2, |m| m.compare_args(crate::code::Compare::Eq)),
    ("=\\=", 2, |m| m.compare_args(crate::code::Compare::Ne)),
    ("succ", 2, succ),
    ("plus", 3, plus),
    ("functor", 3, functor),
    ("$arg", 3, arg),
    ("=..", 2, univ),
    ("setarg", 3, |m| set_argument(m, false)),
    ("nb_setarg", 3, |m| set_argument(m, true)),
    ("copy_term_nat", 2, |m| {
        let copy = m.heap.copy(m.x[0]);
        Ok(m.unify_arg(1, copy))
    }),
    ("$copy_term", 3, |m| copy_with_attributes(m, |heap, term| heap.copy(term))),
    ("$duplicate_term", 3, |m| copy_with_attributes(m, |heap, term| heap.duplicate(term))),
    ("$waiting", 2, |m| {
        let goals = m.waiting(&[m.x[0]], None);
        let list = m.heap.list(&goals);
        Ok(m.unify_arg(1, list))
    }),
    ("term_attvars", 2, |m| {
        let variables = m.heap.attributed_variables(&[m.x[0]]);
        let list = m.heap.list(&variables);
        Ok(m.unify_arg(1, list))
    }),
    ("term_variables", 2, |m| {
        let variables = m.heap.variables(m.x[0]);
        let list = m.heap.list(&variables);
        Ok(m.unify_arg(1, list))
    }),
    ("term_singletons", 2, |m| {
        let once = m.heap.occurrences(m.x[0]).into_iter().filter(|(_, often)| !often);
        let variables: Vec<Cell> = once.map(|(variable, _)| variable).collect();
        let list = m.heap.list(&variables);
        Ok(m.unify_arg(1, list))
    }),
    ("term_size", 2, |m| {
        let size = m.heap.size(m.x[0]);
        Ok(m.unify_arg(1, Cell::int(size)))
    }),
    ("$term_hash", 2, |m| {
        let hash = m.heap.hash(&m.db.names, m.x[0]);
        Ok(m.unify_arg(1, Cell::int(hash as usize)))
    }),
    ("put_attr", 3, |m| m.put_attribute()),
    ("get_attr", 3, |m| m.get_attribute()),
    ("del_attr", 2, |m| m.delete_attribute()),
    ("get_attrs", 2, |m| {
        let cell = m.arg(0);
        Ok(cell.tag() == Tag::Att && m.unify_arg(1, m.heap.cells[cell.place() + 1]))
    }),
];

impl Machine<'_, '_> {
    fn order(&self) -> Ordering {
        self.heap.compare(&self.db.names, self.x[0], self.x[1])
    }

    /// Whether two terms can be made equal; they are left as they are.
    pub fn unifiable(&mut self, a: Cell, b: Cell) -> bool {
        self.tentatively(|heap, _| heap.unify(a, b))
    }

    /// Whether two terms can be made equal, and if so, whether goals of variables are to run then.
    pub fn unifies(&mut self, a: Cell, b: Cell) -> Option<bool> {
        let before = self.heap.woken.len();
        self.tentatively(|heap, _| heap.unify(a, b).then_some(heap.woken.len() > before))
    }

    /// Unifies an argument with `done`.
    pub fn is_done(&mut self, index: usize) -> Done<bool> {
        let done = self.atom_cell("done");
        Ok(self.unify_arg(index, done))
    }

    /// What makes two terms equal, if something does: variables in the order in which they are bound, also where a
    /// guard may not bind them.
    pub(crate) fn unifier(&mut self, a: Cell, b: Cell) -> Option<Vec<(Cell, Cell)>> {
        let (first, second) = (self.heap.deref(a), self.heap.deref(b));
        if first.is_var() && second.is_var() {
            return Some(if first == second { Vec::new() } else { vec![(first, second)] });
        }
        let protected = std::mem::take(&mut self.heap.protected);
        let found = self.tentatively(|heap, trail| heap.unify(a, b).then(|| heap.bindings_since(trail)));
        self.heap.protected = protected;
        found
    }

    /// Unifies terms, and undoes it; `work` gets the length of the trail from before.
    fn tentatively<T>(&mut self, work: impl FnOnce(&mut Heap, usize) -> T) -> T {
        let (barrier, top) = (self.heap.barrier, self.heap.top());
        let (trail, woken) = (self.heap.trail.len(), self.heap.woken.len());
        self.heap.barrier = top;
        let result = work(&mut self.heap, trail);
        let rest = self.heap.undo_to(trail);
        debug_assert!(rest.is_none(), "unification binds variables only");
        self.heap.cells.truncate(top);
        self.heap.woken.truncate(woken);
        self.heap.barrier = barrier;
        result
    }

    fn compare_args(&mut self, compare: crate::code::Compare) -> Done<bool> {
        let a = self.evaluate(self.x[0])?;
        let b = self.evaluate(self.x[1])?;
        Ok(crate::machine::holds(compare, crate::number::compare(&a, &b)))
    }

    /// The place of an attribute in the list of a variable's attributes.
    fn attribute(&self, variable: Cell, module: Cell) -> Option<usize> {
        let att = self.heap.attributes(variable).find(|&att| self.heap.arg(att, 0) == module)?;
        Some(self.heap.args(att).0 + 1)
    }

    /// Gives a variable an attribute.
    pub fn attach(&mut self, variable: Cell, module: Cell, value: Cell) {
        let mut variable = variable;
        if variable.tag() == Tag::Ref {
            let attributed = self.heap.attributed();
            self.heap.bind(variable, attributed);
            variable = attributed;
        }
        match self.attribute(variable, module) {
            Some(place) => self.heap.assign(place, value),
            None => {
                let list = variable.place() + 1;
                // New attributes come last.
                let mut at = list;
                loop {
                    let rest = self.heap.deref(self.heap.cells[at]);
                    if !rest.is_compound() {
                        break;
                    }
                    at = self.heap.args(rest).0 + 2;
                }
                let cell = self.heap.compound(atom::att, &[module, value, Cell::atom(atom::nil)]);
                self.heap.assign(at, cell);
            }
        }
    }

    /// The value of an attribute.
    pub fn attached(&self, variable: Cell, module: Cell) -> Option<Cell> {
        let variable = self.heap.deref(variable);
        if variable.tag() != Tag::Att {
            return None;
        }
        self.attribute(variable, module).map(|place| self.heap.deref(self.heap.cells[place]))
    }

    /// Whether a variable has an attribute; that of constraints counts while one of them is in the store.
    fn has_attributes(&self, variable: Cell) -> bool {
        let variable = self.heap.deref(variable);
        if variable.tag() != Tag::Att {
            return false;
        }
        let mut rest = self.heap.deref(self.heap.cells[variable.place() + 1]);
        while rest.is_compound() {
            let constraints = self.heap.arg(rest, 0) == Cell::atom(atom::chr);
            if !constraints || self.watching(self.heap.arg(rest, 1)).next().is_some() {
                return true;
            }
            rest = self.heap.arg(rest, 2);
        }
        false
    }

    fn put_attribute(&mut self) -> Done<bool> {
        let (variable, module) = (self.arg(0), self.arg(1));
        if !variable.is_var() {
            return Err(self.formal("uninstantiation_error", &[variable]));
        }
        self.atom_arg(1)?;
        let value = self.x[2];
        self.attach(variable, module, value);
        Ok(true)
    }
    fn get_attribute(&mut self) -> Done<bool> {
        let module = self.arg(1);
        Ok(match self.attached(self.x[0], module) {
            Some(value) => self.unify_arg(2, value),
            None => false,
        })
    }
    fn delete_attribute(&mut self) -> Done<bool> {
        let (variable, module) = (self.arg(0), self.arg(1));
        self.atom_arg(1)?;
        self.detach(variable, module);
        Ok(true)
    }

    /// Takes an attribute from a variable, if it has it.
    pub fn detach(&mut self, variable: Cell, module: Cell) {
        if variable.tag() != Tag::Att {
            return;
        }
        let mut at = variable.place() + 1;
        loop {
            let rest = self.heap.deref(self.heap.cells[at]);
            if !rest.is_compound() {
                return;
            }
            let next = self.heap.args(rest).0 + 2;
            if self.heap.arg(rest, 0) == module {
                let after = self.heap.cells[next];
                self.heap.assign(at, after);
                return;
            }
            at = next;
        }
    }
}

fn compare(m: &mut M<'_, '_>) -> Done<bool> {
    let known = m.arg(0);
    if !known.is_var() {
        if !known.is_atom() {
            return Err(m.type_error("atom", known));
        }
        if !matches!(known.as_atom(), atom::lt | atom::equal | atom::gt) {
            return Err(m.domain_error("order", known));
        }
    }
    let order = match m.heap.compare(&m.db.names, m.x[1], m.x[2]) {
        Ordering::Less => atom::lt,
        Ordering::Equal => atom::equal,
        Ordering::Greater => atom::gt,
    };
    Ok(m.unify_arg(0, Cell::atom(order)))
}

/// `$assoc_get(Key, Tree, Value)`: the value of a key in a tree `t(Key, Value, Balance, Left, Right)` or `t`.
fn assoc_get(m: &mut M<'_, '_>) -> Done<bool> {
    let mut tree = m.arg(1);
    loop {
        m.spend(1)?;
        let name = m.heap.functor(tree).map(|(name, arity)| (&**m.db.names.text(name), arity));
        match name {
            Some(("t", 5)) => {}
            Some(("t", 0)) => return Ok(false),
            _ if tree.is_var() => return Err(m.instantiation_error()),
            _ => return Err(m.type_error("btree", tree)),
        }
        let order = m.heap.compare(&m.db.names, m.x[0], m.heap.arg(tree, 0));
        m.checked(())?;
        tree = match order {
            Ordering::Less => m.heap.arg(tree, 3),
            Ordering::Greater => m.heap.arg(tree, 4),
            Ordering::Equal => {
                let value = m.heap.arg(tree, 1);
                return Ok(m.unify_arg(2, value));
            }
        };
    }
}

fn occurs_check(m: &mut M<'_, '_>) -> Done<bool> {
    Ok(m.heap.unify(m.x[0], m.x[1]) && !m.heap.is_cyclic(m.x[0]))
}

fn succ(m: &mut M<'_, '_>) -> Done<bool> {
    let (a, b) = (m.arg(0), m.arg(1));
    if m.heap.is_integer(a) {
        let n = m.int_value(a)?;
        if n < 0 {
            return Err(m.domain_error("not_less_than_zero", a));
        }
        let next = m.heap.integer(n + 1);
        return Ok(m.unify_arg(1, next));
    }
    if !a.is_var() {
        return Err(m.type_error("integer", a));
    }
    let n = m.int_value(b)?;
    if n < 0 {
        return Err(m.domain_error("not_less_than_zero", b));
    }
    Ok(n > 0 && m.unify_arg(0, Cell::int(n as usize - 1)))
}

fn plus(m: &mut M<'_, '_>) -> Done<bool> {
    let (a, b, c) = (m.arg(0), m.arg(1), m.arg(2));
    if let Some(&culprit) = [a, b, c].iter().find(|&&cell| !cell.is_var() && !m.heap.is_integer(cell)) {
        return Err(m.type_error("integer", culprit));
    }
    let (name, left, right, to) = if c.is_var() {
        (atom::plus, a, b, 2)
    } else if b.is_var() {
        (atom::minus, c, a, 1)
    } else {
        (atom::minus, c, b, 0)
    };
    let (left, right) = (m.evaluate(left)?, m.evaluate(right)?);
    let value = m.evaluate_binary(name, left, right)?;
    let cell = m.heap.push_number(&value);
    Ok(m.unify_arg(to, cell))
}

fn functor(m: &mut M<'_, '_>) -> Done<bool> {
    let term = m.arg(0);
    if term.is_var() {
        let name = m.arg(1);
        let arity = m.int_arg(2)?;
        if name.is_var() {
            return Err(m.instantiation_error());
        }
        if name.is_compound() {
            return Err(m.type_error("atomic", name));
        }
        if arity == 0 {
            return Ok(m.unify_arg(0, name));
        }
        if !name.is_atom() {
            return Err(m.type_error("atom", name));
        }
        if arity < 0 {
            let culprit = m.arg(2);
            return Err(m.domain_error("not_less_than_zero", culprit));
        }
        if arity as usize > MAX_ARITY.min(1 << 24) {
            return Err(m.resource_error("memory"));
        }
        m.afford(24 * arity as usize)?;
        let args: Vec<Cell> = (0..arity).map(|_| m.heap.variable()).collect();
        let made = m.heap.compound(name.as_atom(), &args);
        return Ok(m.unify_arg(0, made));
    }
    let (name, arity) = match m.heap.functor(term) {
        Some((name, arity)) => (Cell::atom(name), arity),
        None => (term, 0),
    };
    Ok(m.unify_arg(1, name) && m.unify_arg(2, Cell::int(arity)))
}

/// The place of the argument that `(N, Term, _)` names; `None` where the term has no such argument.
fn argument_place(m: &mut M<'_, '_>) -> Done<Option<usize>> {
    let n = m.int_arg(0)?;
    let term = m.arg(1);
    if term.is_var() {
        return Err(m.instantiation_error());
    }
    if !term.is_compound() {
        return Err(m.type_error("compound", term));
    }
    if n < 0 {
        let culprit = m.arg(0);
        return Err(m.domain_error("not_less_than_zero", culprit));
    }
    let (start, arity) = m.heap.args(term);
    Ok(usize::try_from(n).ok().filter(|n| (1..=arity).contains(n)).map(|n| start + n - 1))
}

/// `$arg(N, Term, Arg)` with `N` known.
fn arg(m: &mut M<'_, '_>) -> Done<bool> {
    let Some(place) = argument_place(m)? else { return Ok(false) };
    let value = m.heap.cells[place];
    Ok(m.unify_arg(2, value))
}

fn univ(m: &mut M<'_, '_>) -> Done<bool> {
    let term = m.arg(0);
    if !term.is_var() {
        let list = match m.heap.functor(term) {
            Some((name, _)) => {
                let (start, n) = m.heap.args(term);
                m.afford(24 * n)?;
                let mut items = vec![Cell::atom(name)];
                items.extend_from_slice(&m.heap.cells[start..start + n]);
                m.heap.list(&items)
            }
            None => m.heap.list(&[term]),
        };
        return Ok(m.unify_arg(1, list));
    }
    let items = m.proper_list(m.x[1])?;
    let Some((&name, args)) = items.split_first() else {
        let culprit = m.arg(1);
        return Err(m.domain_error("non_empty_list", culprit));
    };
    if args.is_empty() {
        if name.is_var() {
            return Err(m.instantiation_error());
        }
        if name.is_compound() {
            return Err(m.type_error("atomic", name));
        }
        return Ok(m.unify_arg(0, name));
    }
    if name.is_var() {
        return Err(m.instantiation_error());
    }
    if !name.is_atom() {
        return Err(m.type_error("atom", name));
    }
    let made = m.heap.compound(name.as_atom(), args);
    Ok(m.unify_arg(0, made))
}

fn set_argument(m: &mut M<'_, '_>, for_ever: bool) -> Done<bool> {
    match m.arg(1) {
        term if term.is_var() => return Err(m.instantiation_error()),
        term if !term.is_compound() => return Ok(false),
        _ => {}
    }
    let Some(place) = argument_place(m)? else { return Ok(false) };
    let value = m.arg(2);
    if for_ever {
        let kept = if value.is_immediate() { value } else { m.kept_copy(value) };
        m.heap.cells[place] = m.checked(kept)?;
    } else {
        // A variable is where it is.
        m.heap.assign(place, value);
    }
    Ok(true)
}

impl Machine<'_, '_> {
    /// A term with the attributes of its variables, `Term-[Variable-Attributes, ...]`; none where it has no such
    /// variables.
    fn with_attributes(&mut self, term: Cell) -> Option<Cell> {
        let attributed =
            if self.heap.numbered == 0 { Vec::new() } else { self.heap.attributed_variables(&[term]) };
        if attributed.is_empty() {
            return None;
        }
        let pairs: Vec<Cell> = attributed
            .iter()
            .map(|&v| {
                let attributes = self.heap.cells[v.place() + 1];
                self.heap.compound(atom::minus, &[v, attributes])
            })
            .collect();
        let list = self.heap.list(&pairs);
        Some(self.heap.compound(atom::minus, &[term, list]))
    }

    /// A copy outside of the heap that keeps attributes, but not that a variable is in constraints.
    pub fn recorded(&mut self, term: Cell) -> Record {
        match self.with_attributes(term) {
            None => self.heap.record(term),
            Some(whole) => Record { attributed: true, ..self.heap.record(whole) },
        }
    }

    /// Brings a term back that was [recorded](Self::recorded).
    pub fn restored(&mut self, record: &Record) -> Cell {
        let whole = self.heap.restore(record);
        if !record.attributed || !whole.is_compound() {
            return whole;
        }
        let (term, list) = (self.heap.arg(whole, 0), self.heap.arg(whole, 1));
        for pair in self.heap.list_items(list).0 {
            let (variable, mut rest) = (self.heap.arg(pair, 0), self.heap.arg(pair, 1));
            while rest.is_compound() {
                let [module, value, next] = [0, 1, 2].map(|i| self.heap.arg(rest, i));
                if module != Cell::atom(atom::chr) {
                    let variable = self.heap.deref(variable);
                    self.attach(variable, module, value);
                }
                rest = next;
            }
        }
        term
    }
}

/// `$copy_term(Term, Copy, Attributes)`: `Attributes` are those of the copy's variables, as a list
/// `Variable-Attributes`.
fn copy_with_attributes(m: &mut M<'_, '_>, copy: fn(&mut Heap, Cell) -> Cell) -> Done<bool> {
    let Some(whole) = m.with_attributes(m.x[0]) else {
        let term = copy(&mut m.heap, m.x[0]);
        return Ok(m.unify_arg(1, term) && m.unify_arg(2, Cell::atom(atom::nil)));
    };
    let copy = copy(&mut m.heap, whole);
    let (term, list) = (m.heap.arg(copy, 0), m.heap.arg(copy, 1));
    Ok(m.unify_arg(1, term) && m.unify_arg(2, list))
}
