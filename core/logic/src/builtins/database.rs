//! Built-in predicates that change what a program knows: clauses, global variables, results of `findall/3`, thrown
//! terms.

use std::rc::Rc;

use gchr_base::hash::HashSet;

use super::Table;
use crate::cell::{Atom, Cell};
use crate::compile;
use crate::database::{ClauseId, Definition, Keys, List, Predicate, keys_of};
use crate::machine::{Done, Machine, Throw};
use crate::names::atom;
use crate::undo::{Global, Undo};

type M<'c, 'a> = Machine<'c, 'a>;

pub(super) const TABLE: Table = &[
    ("throw", 1, |m| {
        let ball = m.arg(0);
        Err(if ball.is_var() { m.instantiation_error() } else { m.throw(ball) })
    }),
    // A term that was caught, in the environment where it was thrown first, if that still counts.
    ("$rethrow", 1, |m| Err(Throw::Ball(Box::new(m.recorded(m.x[0]))))),
    ("$rethrow", 2, |m| {
        m.thrown_in = Some(m.int_arg(1)? as usize);
        Err(Throw::Ball(Box::new(m.recorded(m.x[0]))))
    }),
    ("halt", 0, |_| Err(Throw::Halt(0))),
    ("halt", 1, |m| {
        let code = m.int_arg(0)?;
        Err(Throw::Halt(code as i32))
    }),
    ("assert", 1, |m| m.assert_clause(false).map(|_| true)),
    ("assertz", 1, |m| m.assert_clause(false).map(|_| true)),
    ("asserta", 1, |m| m.assert_clause(true).map(|_| true)),
    ("assert", 2, |m| m.assert_with_reference(false)),
    ("assertz", 2, |m| m.assert_with_reference(false)),
    ("asserta", 2, |m| m.assert_with_reference(true)),
    ("$clause_at", 3, clause_at),
    ("$clauses", 2, clauses),
    ("$first_clauses", 3, first_clauses),
    ("$other_clauses", 4, other_clauses),
    ("$retract_only", 2, retract_only),
    ("$erase", 1, |m| {
        let id = m.int_arg(0)?;
        Ok(m.db.erase(id as u32))
    }),
    ("retractall", 1, retract_all),
    ("abolish", 1, abolish),
    ("$dynamic", 2, |m| {
        let (name, arity) = (m.atom_arg(0)?, m.int_arg(1)?);
        let pred = m.db.pred(name, arity as usize);
        if m.db.is_fixed(pred) {
            let indicator = m.indicator(pred);
            return Err(m.permission_error("modify", "static_procedure", indicator));
        }
        m.db.declare_dynamic(pred);
        Ok(true)
    }),
    ("$findall_start", 0, |m| {
        m.findalls.push(Vec::new());
        Ok(true)
    }),
    ("$findall_add", 1, |m| {
        let record = m.recorded(m.x[0]);
        if let Some(results) = m.findalls.last_mut() {
            results.push(record);
        }
        Ok(true)
    }),
    ("$findall_collect", 2, |m| {
        let results = m.findalls.pop().unwrap_or_default();
        m.afford(8 * results.len())?;
        let mut items = Vec::with_capacity(results.len());
        for record in &results {
            items.push(m.restored(record));
        }
        let list = m.heap.list_with_tail(&items, m.x[1]);
        Ok(m.unify_arg(0, list))
    }),
    ("nb_setval", 2, |m| {
        let name = m.atom_arg(0)?;
        let record = m.recorded(m.x[1]);
        m.globals.insert(name, Global::Record(record));
        Ok(true)
    }),
    // The keys of global variables, in the standard order, but for those of the library.
    ("$global_names", 1, |m| {
        let mut names: Vec<Atom> = m.globals.keys().copied().collect();
        names.retain(|&name| !m.db.names.text(name).starts_with('$'));
        names.sort_by(|&a, &b| m.db.names.text(a).cmp(m.db.names.text(b)));
        let items: Vec<Cell> = names.into_iter().map(Cell::atom).collect();
        let list = m.heap.list(&items);
        Ok(m.unify_arg(0, list))
    }),
    ("b_setval", 2, set_global),
    ("nb_getval", 2, get_global),
    ("b_getval", 2, get_global),
    ("$choices", 1, |m| {
        let level = m.choices.len();
        Ok(m.unify_arg(0, Cell::int(level)))
    }),
    ("$cut", 1, |m| {
        let level = m.int_arg(0)?;
        m.cut(level as usize);
        Ok(true)
    }),
    ("$defined", 2, |m| {
        let (name, arity) = (m.atom_arg(0)?, m.int_arg(1)?);
        let Some(pred) = m.db.known(name, arity as usize) else { return Ok(false) };
        Ok(match &m.db.preds[pred as usize].definition {
            Definition::Unknown => m.db.preds[pred as usize].dynamic,
            Definition::Clauses(clauses) => !clauses.all().is_empty() || m.db.preds[pred as usize].dynamic,
            _ => true,
        })
    }),
    ("$is_dynamic", 2, |m| {
        let (name, arity) = (m.atom_arg(0)?, m.int_arg(1)?);
        Ok(m.db.known(name, arity as usize).is_some_and(|pred| m.db.preds[pred as usize].dynamic))
    }),
    ("$is_builtin", 2, |m| {
        let (name, arity) = (m.atom_arg(0)?, m.int_arg(1)?);
        Ok(m.db.known(name, arity as usize).is_some_and(|pred| m.db.preds[pred as usize].library))
    }),
    ("$predicates", 1, |m| {
        let with_clauses = |d: &Definition| matches!(d, Definition::Clauses(all) if !all.all().is_empty());
        indicators(m, |pred| with_clauses(&pred.definition))
    }),
    ("$changed", 1, |m| indicators(m, |pred| pred.changed)),
];

impl Machine<'_, '_> {
    /// The predicate of a head; an error where it is none, or not one that may be changed.
    fn head_of(&mut self, head: Cell, action: &str) -> Done<u32> {
        let head = self.heap.deref(head);
        if head.is_var() {
            return Err(self.instantiation_error());
        }
        let Some((name, arity)) = self.heap.functor(head) else {
            return Err(self.type_error("callable", head));
        };
        let pred = self.db.pred(name, arity);
        let is_constraint = matches!(self.db.preds[pred as usize].definition, Definition::Constraint(_));
        if is_constraint || self.db.is_fixed(pred) {
            let indicator = self.indicator(pred);
            return Err(self.permission_error(action, "static_procedure", indicator));
        }
        Ok(pred)
    }

    /// Leaves out the qualifiers of a clause or a goal.
    pub(crate) fn unqualified(&self, clause: Cell) -> Cell {
        let mut clause = self.heap.deref(clause);
        while let Some((module, inner)) = self.heap.binary(clause, atom::colon)
            && module.is_atom()
            && self.heap.meter.spend(1)
        {
            clause = inner;
        }
        clause
    }

    /// Whether a part of a goal's control constructs is a variable.
    fn calls_variables(&mut self, body: Cell) -> Done<bool> {
        self.body_parts(body, |_, goal| goal.is_var())
    }

    /// Whether a term is a goal, and so are all parts of its control constructs; variables may be.
    pub(crate) fn is_body(&mut self, body: Cell) -> Done<bool> {
        let wrong = |m: &Self, goal: Cell| !goal.is_var() && m.heap.functor(goal).is_none();
        self.body_parts(body, wrong).map(|any| !any)
    }

    /// Whether a part of a goal's control constructs that is none itself is so.
    fn body_parts(&mut self, body: Cell, is_so: impl Fn(&Self, Cell) -> bool) -> Done<bool> {
        let mut pending = vec![body];
        while let Some(goal) = pending.pop() {
            self.spend(1)?;
            let goal = self.heap.deref(goal);
            match self.heap.functor(goal) {
                Some((atom::comma | atom::semicolon | atom::bar | atom::arrow | atom::soft, 2)) => {
                    pending.extend([self.heap.arg(goal, 1), self.heap.arg(goal, 0)])
                }
                Some((atom::not, 1)) => pending.push(self.heap.arg(goal, 0)),
                _ if is_so(self, goal) => return Ok(true),
                _ => {}
            }
        }
        Ok(false)
    }

    /// The body of a clause in which variables are called by `call/1`. One that occurs nowhere before, so that it can
    /// never be bound when it is called, is an error, as in SWI-Prolog.
    fn body_with_calls(&mut self, head: Cell, body: Cell) -> Done<Cell> {
        enum Task {
            Visit(Cell),
            Build(Atom, usize),
        }
        let mut known: HashSet<Cell> = self.heap.variables(head).into_iter().collect();
        let (mut tasks, mut done) = (vec![Task::Visit(body)], Vec::new());
        while let Some(task) = tasks.pop() {
            self.spend(1)?;
            let goal = match task {
                Task::Visit(goal) => self.heap.deref(goal),
                Task::Build(name, n) => {
                    let args = done.split_off(done.len() - n);
                    done.push(self.heap.compound(name, &args));
                    continue;
                }
            };
            match self.heap.functor(goal) {
                _ if goal.is_var() && known.contains(&goal) => {
                    done.push(self.heap.compound(atom::call, &[goal]))
                }
                _ if goal.is_var() && goal == self.heap.deref(body) => return Err(self.instantiation_error()),
                _ if goal.is_var() => return Err(self.type_error("callable", body)),
                Some((
                    name @ (atom::comma | atom::semicolon | atom::bar | atom::arrow | atom::soft | atom::not),
                    n @ 1..=2,
                )) => {
                    tasks.push(Task::Build(name, n));
                    tasks.extend((0..n).rev().map(|i| Task::Visit(self.heap.arg(goal, i))));
                }
                _ => {
                    known.extend(self.heap.variables(goal));
                    done.push(goal);
                }
            }
        }
        self.checked(done.pop().unwrap_or(body))
    }

    /// The keys of a head.
    fn keys_of_head(&self, head: Cell) -> Keys {
        let (start, arity) = self.heap.args(head);
        keys_of(&self.heap, &self.heap.cells[start..start + arity])
    }

    /// Adds a clause, and unifies the second argument with a reference to it.
    fn assert_with_reference(&mut self, first: bool) -> Done<bool> {
        let reference = self.arg(1);
        if !reference.is_var() {
            return Err(self.formal("uninstantiation_error", &[reference]));
        }
        let id = self.assert_clause(first)?;
        let name = self.db.names.intern("<clause>");
        let reference = self.heap.compound(name, &[Cell::int(id as usize)]);
        Ok(self.unify_arg(1, reference))
    }

    fn assert_clause(&mut self, first: bool) -> Done<ClauseId> {
        let clause = self.unqualified(self.x[0]);
        let (head, body) = compile::split(&self.heap, clause);
        let head = self.unqualified(head);
        let pred = self.head_of(head, "modify")?;
        if self.heap.is_cyclic(clause) {
            return Err(self.representation_error("cyclic_term"));
        }
        let known = self.heap.deref(body);
        if !self.is_body(known)? {
            return Err(self.type_error("callable", known));
        }
        let body = if self.calls_variables(known)? { self.body_with_calls(head, known)? } else { body };
        if matches!(self.db.preds[pred as usize].definition, Definition::Unknown) {
            self.db.declare_dynamic(pred);
        }
        let term = self.heap.compound(atom::neck, &[head, body]);
        let record = self.heap.record(term);
        let compiled = compile::compile(&self.heap, &mut self.db, head, body);
        let (code, keys) = compiled.map_err(|_| self.resource_error("max_frame_size"))?;
        self.checked(())?;
        let mut info = compile::clause_info(pred, code, keys);
        info.term = Some(Rc::new(record));
        self.db.preds[pred as usize].changed = true;
        Ok(self.db.add(info, first))
    }
}

/// Which of the clauses that may match are wanted.
struct Wanted {
    /// Those that were there when there were so many clauses in all.
    before: usize,
    /// Not these.
    except: Vec<u32>,
    /// No more than so many.
    most: usize,
}

/// Clauses that may match a head as terms `clause(Head, Body, Number)`, and whether there may be more.
fn matching(m: &mut M<'_, '_>, wanted: &Wanted) -> Done<(Vec<Cell>, bool)> {
    let head = m.unqualified(m.x[0]);
    let head = m.heap.deref(head);
    if head.is_var() {
        return Err(m.instantiation_error());
    }
    let Some((name, arity)) = m.heap.functor(head) else { return Err(m.type_error("callable", head)) };
    let pred = m.db.pred(name, arity);
    if m.db.is_fixed(pred) {
        let indicator = m.indicator(pred);
        return Err(m.permission_error("access", "private_procedure", indicator));
    }
    let keys = m.keys_of_head(head);
    let List { ids: list, start } = m.db.candidates(pred, &keys).list();
    let functor = m.db.names.intern("clause");
    let (mut found, mut at) = (Vec::new(), start);
    let time = m.db.generation;
    while let Some(next) = m.db.next_clause(&list, at, &keys, time) {
        m.spend(1 + next - at)?;
        at = next + 1;
        let id = list[next];
        if id as usize >= wanted.before || wanted.except.contains(&id) {
            continue;
        }
        let Some(term) = m.db.clauses[id as usize].term.clone() else { continue };
        let mark = m.heap.top();
        let clause = m.heap.restore(&term);
        let (clause_head, body) = (m.heap.arg(clause, 0), m.heap.arg(clause, 1));
        if !m.unifiable(head, clause_head) {
            m.heap.cells.truncate(mark);
        } else if found.len() == wanted.most {
            m.heap.cells.truncate(mark);
            return Ok((found, true));
        } else {
            found.push(m.heap.compound(functor, &[clause_head, body, Cell::int(id as usize)]));
        }
    }
    Ok((found, false))
}

/// `$clauses(Head, List)`: the clauses that may match.
fn clauses(m: &mut M<'_, '_>) -> Done<bool> {
    let wanted = Wanted { before: usize::MAX, except: Vec::new(), most: usize::MAX };
    let (found, _) = matching(m, &wanted)?;
    let list = m.heap.list(&found);
    Ok(m.unify_arg(1, list))
}

/// `$clause_at(Number, Head, Body)`: a clause by its number; fails where there is none.
fn clause_at(m: &mut M<'_, '_>) -> Done<bool> {
    let id = m.int_arg(0)?;
    let found =
        usize::try_from(id).ok().and_then(|id| m.db.clauses.get(id)).and_then(|info| info.term.clone());
    let Some(term) = found else { return Ok(false) };
    let clause = m.heap.restore(&term);
    let (head, body) = (m.heap.arg(clause, 0), m.heap.arg(clause, 1));
    Ok(m.unify_arg(1, head) && m.unify_arg(2, body))
}

/// Clauses that `retract/1` looks at before it asks whether there are more.
const FIRST: usize = 4;

/// `$first_clauses(Head, List, More)`: the first clauses that may match; `More` is `none`, or how many clauses of any
/// predicate there are now.
fn first_clauses(m: &mut M<'_, '_>) -> Done<bool> {
    let wanted = Wanted { before: usize::MAX, except: Vec::new(), most: FIRST };
    let (found, more) = matching(m, &wanted)?;
    let list = m.heap.list(&found);
    let now = m.db.clauses.len();
    let more = if more { Cell::int(now) } else { m.atom_cell("none") };
    Ok(m.unify_arg(1, list) && m.unify_arg(2, more))
}

/// `$other_clauses(Head, First, More, List)`: those that may match, without the first ones and without those that were
/// added since.
fn other_clauses(m: &mut M<'_, '_>) -> Done<bool> {
    let first = m.heap.list_items(m.x[1]).0;
    let except = first.into_iter().map(|clause| m.heap.arg(clause, 2).as_int() as u32).collect();
    let wanted = Wanted { before: m.int_arg(2)? as usize, except, most: usize::MAX };
    let (found, _) = matching(m, &wanted)?;
    let list = m.heap.list(&found);
    Ok(m.unify_arg(3, list))
}

/// `$retract_only(Clause, How)`: retracts the clause of the program that may match, where there is one only (`How` is
/// `done`); where there are several, nothing is done (`more`). Fails where there is none.
fn retract_only(m: &mut M<'_, '_>) -> Done<bool> {
    let clause = m.unqualified(m.x[0]);
    let (head, body) = compile::split(&m.heap, clause);
    let head = m.unqualified(head);
    let pred = m.head_of(head, "modify")?;
    let keys = m.keys_of_head(head);
    let List { ids: list, start } = m.db.candidates(pred, &keys).list();
    let time = m.db.generation;
    let Some(first) = m.db.next_clause(&list, start, &keys, time) else { return Ok(false) };
    if m.db.next_clause(&list, first + 1, &keys, time).is_some() {
        let more = m.atom_cell("more");
        return Ok(m.unify_arg(1, more));
    }
    let id = list[first];
    let Some(term) = m.db.clauses[id as usize].term.clone() else { return Ok(false) };
    let found = m.heap.restore(&term);
    let (its_head, its_body) = (m.heap.arg(found, 0), m.heap.arg(found, 1));
    if !(m.heap.unify(head, its_head) && m.heap.unify(body, its_body)) {
        return Ok(false);
    }
    m.db.erase(id);
    let done = m.atom_cell("done");
    Ok(m.unify_arg(1, done))
}

fn retract_all(m: &mut M<'_, '_>) -> Done<bool> {
    let head = m.unqualified(m.x[0]);
    let pred = m.head_of(head, "modify")?;
    m.db.declare_dynamic(pred);
    let head = m.heap.deref(head);
    let keys = m.keys_of_head(head);
    let List { ids: list, start: mut at } = m.db.candidates(pred, &keys).list();
    // What is there now: a clause that is erased meanwhile fits no more.
    while let Some(next) = m.db.next_clause(&list, at, &keys, u64::MAX - 1) {
        m.spend(1 + next - at)?;
        at = next + 1;
        let id = list[next];
        let clause = &m.db.clauses[id as usize];
        let Some(term) = clause.term.clone() else { continue };
        let mark = m.heap.top();
        let clause = m.heap.restore(&term);
        let clause_head = m.heap.arg(clause, 0);
        if m.unifiable(head, clause_head) {
            m.db.erase(id);
        }
        m.heap.cells.truncate(mark);
    }
    Ok(true)
}

fn abolish(m: &mut M<'_, '_>) -> Done<bool> {
    let Some((name, arity)) = m.heap.binary(m.arg(0), atom::slash) else {
        let culprit = m.arg(0);
        if culprit.is_var() {
            return Err(m.instantiation_error());
        }
        return Err(m.type_error("predicate_indicator", culprit));
    };
    if name.is_var() {
        return Err(m.instantiation_error());
    }
    if !name.is_atom() {
        return Err(m.type_error("atom", name));
    }
    let count = m.int_value(arity)?;
    let Ok(count) = usize::try_from(count) else {
        return Err(m.domain_error("not_less_than_zero", arity));
    };
    if let Some(pred) = name.is_atom().then(|| m.db.known(name.as_atom(), count)).flatten() {
        if m.db.is_fixed(pred) {
            let indicator = m.indicator(pred);
            return Err(m.permission_error("modify", "static_procedure", indicator));
        }
        let all = match &m.db.preds[pred as usize].definition {
            Definition::Clauses(clauses) => clauses.all().clone(),
            _ => Rc::default(),
        };
        for &id in all.iter() {
            m.db.erase(id);
        }
    }
    Ok(true)
}

/// The name of a global variable; `b_setval/2` and its kin take atoms.
fn set_global(m: &mut M<'_, '_>) -> Done<bool> {
    let name = m.atom_arg(0)?;
    let value = m.x[1];
    let before = m.globals.remove(&name);
    if m.heap.has_choice {
        m.heap.note(Undo::Global(name, before));
    }
    m.globals.insert(name, Global::Term(value));
    Ok(true)
}

fn get_global(m: &mut M<'_, '_>) -> Done<bool> {
    let name: Atom = m.atom_arg(0)?;
    let value = match m.globals.get(&name) {
        Some(Global::Term(cell)) => *cell,
        Some(Global::Record(record)) => {
            let record = record.clone();
            m.restored(&record)
        }
        None => {
            let key = Cell::atom(name);
            return Err(m.existence_error("variable", key));
        }
    };
    Ok(m.unify_arg(1, value))
}

/// Those of the program's predicates that are wanted, as `Name/Arity`.
fn indicators(m: &mut M<'_, '_>, is_wanted: impl Fn(&Predicate) -> bool) -> Done<bool> {
    let of_program: Vec<u32> = (0..m.db.preds.len() as u32)
        .filter(|&p| !m.db.preds[p as usize].library && is_wanted(&m.db.preds[p as usize]))
        .collect();
    let items: Vec<Cell> = of_program.into_iter().map(|pred| m.indicator(pred)).collect();
    let list = m.heap.list(&items);
    Ok(m.unify_arg(0, list))
}
