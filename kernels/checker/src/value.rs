//! Values of variables during the walk: numbers and truth values over symbols, records, buffers; and elements of
//! buffers.

use std::sync::Arc;

use super::model::Root;
use super::poly::Poly;
use super::symbol::{Cond, Level};

/// The value of a variable.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    /// Never written on some path.
    Unset,
    Number(Poly),
    Truth(Arc<Cond>),
    Record(Arc<[Value]>),
    Buffer(Named),
}

/// One of some buffers.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Named {
    pub roots: Arc<[Root]>,
    /// How uniform it is which one.
    pub level: Level,
    /// The choice between several: names that are the same choice are the same buffer.
    pub choice: u32,
}

impl Named {
    /// Whether two names are the same buffer for sure.
    pub fn is(&self, other: &Named) -> bool {
        self.roots == other.roots && (self.roots.len() == 1 || self.choice == other.choice)
    }
}

impl Value {
    pub fn number(poly: Poly) -> Self {
        Value::Number(poly)
    }
    pub fn truth(cond: Cond) -> Self {
        Value::Truth(Arc::new(cond))
    }
}

/// An element of memory that other threads see too.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Element {
    pub buffer: Named,
    pub index: Poly,
    /// Field of the record, or all of it.
    pub field: Option<u32>,
}

impl Element {
    /// Whether it takes in all of another one.
    pub fn covers(&self, other: &Element) -> bool {
        let field = self.field.is_none() || self.field == other.field;
        field && self.index == other.index && self.buffer.is(&other.buffer)
    }
}

/// An element that the thread says it owns.
pub(super) type Claim = Element;
