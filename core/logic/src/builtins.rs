//! Predicates that are written in Rust: registration, and what several of them need.

mod alarms;
mod atoms;
mod database;
mod determinism;
mod domains;
mod files;
mod flags;
mod format;
mod input;
mod lists;
mod output;
mod strings;
mod tables;
mod terms;

use std::sync::LazyLock;

use crate::cell::Cell;
use crate::database::{Control, Database, Definition};
use crate::machine::{Done, Machine, Native};

/// A table of predicates: name, number of arguments, code.
type Table = &'static [(&'static str, usize, Native)];

/// Predicates that change nothing but their results.
const PURE: [Table; 6] =
    [terms::TABLE, lists::TABLE, domains::TABLE, domains::PROPAGATION, atoms::TABLE, strings::TABLE];
const OTHERS: [Table; 9] = [
    output::TABLE,
    input::TABLE,
    files::TABLE,
    database::TABLE,
    flags::TABLE,
    crate::constraints::TABLE,
    alarms::TABLE,
    tables::TABLE,
    determinism::TABLE,
];

/// The code of predicates that are written in Rust, by the numbers that they have in a database.
pub(crate) fn natives() -> &'static [Native] {
    static NATIVES: LazyLock<Vec<Native>> =
        LazyLock::new(|| PURE.into_iter().chain(OTHERS).flatten().map(|&(_, _, native)| native).collect());
    &NATIVES
}

/// Makes all predicates that are not written in Prolog.
pub(crate) fn register(db: &mut Database) {
    db.pure_natives = PURE.iter().map(|table| table.len() as u32).sum();
    for &(name, arity, _) in PURE.into_iter().chain(OTHERS).flatten() {
        let pred = db.named(name, arity);
        db.natives.push(pred);
        db.preds[pred as usize].definition = Definition::Native(db.natives.len() as u32 - 1);
        db.preds[pred as usize].library = true;
    }
    let constructs =
        [(",", 2), (";", 2), ("->", 2), ("*->", 2), ("\\+", 1), ("|", 2), ("!", 0), ("$", 0), (":", 2)];
    let constants = [("true", 0), ("fail", 0), ("false", 0)];
    let mut controls: Vec<(&str, usize, Control)> =
        constructs.into_iter().chain(constants).map(|(name, n)| (name, n, Control::Construct)).collect();
    controls.extend((1..=8).map(|n| ("call", n, Control::Call)));
    controls.extend([
        ("catch", 3, Control::Catch),
        ("$call_cleanup", 3, Control::Cleanup),
        ("$call_cut", 2, Control::CallCut),
        ("$chr_wake", 2, Control::WakeConstraints),
    ]);
    for (name, arity, control) in controls {
        let pred = db.named(name, arity);
        db.preds[pred as usize].definition = Definition::Control(control);
        db.preds[pred as usize].library = true;
    }
}

impl Machine<'_, '_> {
    /// Unifies an argument with a term.
    pub fn unify_arg(&mut self, index: usize, term: Cell) -> bool {
        let arg = self.x[index];
        self.heap.unify(arg, term)
    }
    /// The items of a proper list; otherwise an error.
    pub fn proper_list(&mut self, list: Cell) -> Done<Vec<Cell>> {
        let (items, rest) = self.heap.list_items(list);
        self.checked(())?;
        if rest == Cell::atom(crate::names::atom::nil) {
            return Ok(items);
        }
        let list = self.heap.deref(list);
        Err(if rest.is_var() { self.instantiation_error() } else { self.type_error("list", list) })
    }
    /// An atom argument.
    pub fn atom_arg(&mut self, index: usize) -> Done<crate::cell::Atom> {
        let cell = self.arg(index);
        if cell.is_atom() {
            return Ok(cell.as_atom());
        }
        Err(if cell.is_var() { self.instantiation_error() } else { self.type_error("atom", cell) })
    }
}
