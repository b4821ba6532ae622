//! Constraints: their rules as plans, the store, and what happens when one is added or woken.

mod active;
mod check;
mod guard;
mod matching;
mod plan;
mod shared;
mod store;
mod suspensions;
mod waking;

use std::rc::Rc;

use crate::cell::Cell;
use crate::code::PredId;
use crate::machine::{Done, Machine};

pub(crate) use store::{Change, Constraints};

/// One instruction of the matching of a head: cells are visited depth first.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Match {
    /// A variable of the rule that gets its value.
    First(u16),
    /// A variable that has one: the cell must be identical.
    Same(u16),
    Const(Cell),
    /// A stored term: the cell must be identical.
    Record(u32),
    List,
    Struct(Cell),
}

/// A head that is looked for in the store.
#[derive(Clone, Debug)]
struct Partner {
    symbol: u32,
    /// Position among the heads of the rule.
    head: usize,
    removed: bool,
    pattern: Vec<Match>,
    /// The index to be used, and what its columns must be equal to.
    lookup: Option<(usize, Vec<Match>)>,
    /// Known variables of its columns that are not ground: SWI-Prolog looks for it by the first one that is unbound.
    via: Vec<u16>,
}

/// A head of a rule as the one that the active constraint fills.
#[derive(Clone, Debug)]
struct Occurrence {
    rule: u32,
    head: usize,
    removed: bool,
    pattern: Vec<Match>,
    partners: Vec<Partner>,
    /// How it is tried together with its neighbours.
    shared: Option<shared::Shared>,
}

/// What decides whether a rule fires.
#[derive(Clone, Debug)]
enum Guard {
    /// Tests that are evaluated on the spot.
    Tests(Vec<Test>),
    /// Goals: they are a part of the rule's clause, before its body.
    Goals,
}

/// A test in line.
#[derive(Clone, Debug)]
enum Test {
    Compare(crate::code::Compare, Expr, Expr),
    Identical(Expr, Expr, bool),
    Kind(crate::code::Kind, Expr),
}

/// An operand of a test.
#[derive(Clone, Debug)]
enum Expr {
    Slot(u16),
    Const(Cell),
    Apply(crate::cell::Atom, Vec<Expr>),
}

/// A guard of goals that is being asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// The active constraint.
    id: u32,
    /// Choice points below its own.
    mark: usize,
    /// Whether it may bind older variables that are not locked.
    open: bool,
}

/// A rule.
#[derive(Clone, Debug)]
struct Rule {
    name: String,
    heads: usize,
    slots: usize,
    guard: Guard,
    /// The predicate with the body; its arguments are the variables of these slots, behind the activation where goals
    /// guard it.
    body: PredId,
    args: Vec<u16>,
    /// Whether the body is nothing.
    empty: bool,
    /// Whether combinations that fired are remembered.
    history: bool,
    /// The variables of goals that are a guard: those of columns that are declared `+`, and the others of heads.
    trusted: Vec<u16>,
    locked: Vec<u16>,
}

/// A constraint symbol.
#[derive(Clone, Debug)]
struct Symbol {
    name: crate::cell::Atom,
    arity: usize,
    /// Its module.
    module: Cell,
    occurrences: Vec<Rc<Occurrence>>,
    /// Columns of each index.
    indexes: Vec<Vec<usize>>,
    /// Whether an argument may be unbound: then bindings wake it.
    open: bool,
    /// Types of the columns, for those that have one.
    types: Vec<Option<check::Type>>,
}

/// Predicates about the store.
pub(crate) const TABLE: &[(&str, usize, crate::database::Native)] = &[
    // All of them, as `module:constraint`.
    ("$chr_constraints", 1, |m| {
        let alive: Vec<(usize, u32)> = m.alive().collect();
        let all: Vec<Cell> = alive
            .into_iter()
            .map(|(symbol, id)| {
                let (module, term) = (m.constraints.symbols[symbol].module, m.shown(id));
                m.heap.compound(crate::names::atom::colon, &[module, term])
            })
            .collect();
        let list = m.heap.list(&all);
        Ok(m.unify_arg(0, list))
    }),
    ("$home_module", 1, |m| {
        let name = m.db.home_module();
        Ok(m.unify_arg(0, name))
    }),
    ("$is_module", 1, |m| {
        let module = m.arg(0);
        if module.is_var() {
            return Ok(true);
        }
        let name = m.atom_arg(0)?;
        let name = m.db.names.text(name).clone();
        Ok(m.db.flags.modules.iter().any(|module| **module == *name))
    }),
    ("$chr_commit", 2, commit),
    ("$dynamic_type_check", 2, |m| m.check_dynamic_type()),
    ("$chr_remove", 1, |m| {
        let id = m.int_arg(0)?;
        m.kill(id as u32);
        Ok(true)
    }),
];

fn commit(m: &mut Machine<'_, '_>) -> Done<bool> {
    let (frame, locked) = (m.int_arg(0)? as usize, m.arg(1));
    m.commit_guarded(frame, locked)
}
