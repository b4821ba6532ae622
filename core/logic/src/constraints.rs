//! Constraints: their rules as plans, the store, and what happens when one is added or woken.

mod active;
mod check;
mod guard;
mod matching;
mod plan;
mod shared;
mod waking;

use crate::cell::Cell;
use crate::machine::{Done, Machine};

/// Predicates about the store.
pub(crate) const TABLE: &[(&str, usize, crate::machine::Native)] = &[
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
