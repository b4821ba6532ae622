//! Predicates that are written in Rust: registration, and what several of them need.

mod atoms;
mod database;
mod domains;
mod files;
mod flags;
mod format;
mod input;
mod lists;
mod output;
mod strings;
mod terms;

use crate::cell::Cell;
use crate::database::{Control, Database, Definition, Native};
use crate::machine::{Done, Machine};

pub(crate) use files::Files;
pub(crate) use flags::leaf;
pub(crate) use input::Input;
pub(crate) use output::Output;

/// A table of predicates: name, number of arguments, code.
type Table = &'static [(&'static str, usize, Native)];

/// Makes all predicates that are not written in Prolog.
pub(crate) fn register(db: &mut Database) {
    let [domains, propagation] = domains::TABLES;
    let pure: [Table; 6] = [terms::TABLE, lists::TABLE, domains, propagation, atoms::TABLE, strings::TABLE];
    let others: [Table; 7] = [
        output::TABLE,
        input::TABLE,
        files::TABLE,
        database::TABLE,
        flags::TABLE,
        crate::constraints::TABLE,
        crate::alarms::TABLE,
    ];
    db.pure_natives = pure.iter().map(|table| table.len() as u32).sum();
    for &(name, arity, native) in pure.into_iter().chain(others).flatten() {
        let pred = db.named(name, arity);
        db.natives.push((native, pred));
        db.preds[pred as usize].definition = Definition::Native(db.natives.len() as u32 - 1);
        db.preds[pred as usize].library = true;
    }
    let constructs = [(",", 2), (";", 2), ("->", 2), ("*->", 2), ("\\+", 1), ("|", 2), ("!", 0), (":", 2)];
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
