//! What backtracking takes back beside bindings, and what bindings wake.

use crate::cell::{Atom, Cell};
use crate::record::Record;
use crate::store::{Asked, Change};

/// Something other than a binding that backtracking takes back.
#[derive(Debug)]
pub(crate) enum Undo {
    /// A cell of the heap had this value.
    Cell(usize, Cell),
    /// A slot of an environment had this value.
    Slot(usize, Cell),
    /// A change of the constraint store.
    Store(Change),
    /// A guard was begun, or this one was over.
    Guard(Option<Asked>),
    /// A global variable had this value.
    Global(Atom, Option<Global>),
}

/// What goals are to be run for before the next call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Woken {
    /// An attributed variable was bound to something.
    Bound(usize, Cell),
    /// Alarms are due.
    Alarm,
}

/// Where the value of a global variable is.
#[derive(Debug)]
pub(crate) enum Global {
    /// On the heap (`b_setval/2`).
    Term(Cell),
    /// Outside (`nb_setval/2`).
    Record(Record),
}
