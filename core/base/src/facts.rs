//! Facts in bulk: constraints given as columns, added to the store before the queries.

use crate::signature::{ConstraintId, SortKind, SymbolId, TextId};
use crate::value::heap::{Heap, HeapFull};

/// Rows of one constraint symbol, column by column.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// Whose rows these are.
    pub constraint: ConstraintId,
    /// One vector a column, all of the same length; each fits its column's sort, or the sort is `Any`.
    pub columns: Vec<FactColumn>,
    /// Number of rows (also for a constraint without columns).
    pub rows: usize,
}

impl Facts {
    /// The largest integer in a column of integers.
    pub fn largest(&self) -> Option<i64> {
        let of_column = |column: &FactColumn| match column {
            FactColumn::Int(values) => values.iter().copied().max(),
            _ => None,
        };
        self.columns.iter().filter_map(of_column).max()
    }
}

/// Values of one column.
#[derive(Clone, PartialEq, Debug)]
pub enum FactColumn {
    /// Integers.
    Int(Vec<i64>),
    /// Floats.
    Float(Vec<f64>),
    /// Atoms.
    Atom(Vec<TextId>),
    /// Strings.
    Str(Vec<TextId>),
    /// Values of any types.
    Any(FactTerms),
}

impl FactColumn {
    /// The word of a value for a column of some kind; nothing when it does not fit there.
    pub fn word(&self, row: usize, kind: SortKind, heap: &mut Heap) -> Option<Result<u64, HeapFull>> {
        let any = kind == SortKind::Any;
        Some(match self {
            FactColumn::Int(values) if any => heap.int(*values.get(row)?),
            FactColumn::Float(values) if any => heap.float(*values.get(row)?),
            FactColumn::Atom(values) if any => Ok(Heap::atom(*values.get(row)?)),
            FactColumn::Str(values) if any => Ok(Heap::str(*values.get(row)?)),
            FactColumn::Any(values) if any => values.word(row, heap)?,
            FactColumn::Int(values) if kind == SortKind::Int => Ok(*values.get(row)? as u64),
            FactColumn::Float(values) if kind == SortKind::Float => Ok(values.get(row)?.to_bits()),
            FactColumn::Atom(values) if kind == SortKind::Atom => Ok(u64::from(values.get(row)?.0)),
            FactColumn::Str(values) if kind == SortKind::Str => Ok(u64::from(values.get(row)?.0)),
            _ => return None,
        })
    }
}

/// Values of any types: each as its parts in postfix order, so that depth takes no stack.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct FactTerms {
    nodes: Vec<FactNode>,
    /// Where the parts of each value end.
    ends: Vec<usize>,
}

/// A part of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FactNode {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// An atom.
    Atom(TextId),
    /// A string.
    Str(TextId),
    /// A compound term of the values before it.
    Compound {
        /// Its functor.
        symbol: SymbolId,
        /// How many of these values are its arguments.
        arity: usize,
    },
}

impl FactTerms {
    /// Values of these parts, of which each ends before one of the positions.
    pub fn new(nodes: Vec<FactNode>, ends: Vec<usize>) -> Self {
        Self { nodes, ends }
    }
    /// Number of values.
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
    /// All parts of all values.
    pub fn nodes(&self) -> &[FactNode] {
        &self.nodes
    }
    /// Where the parts of each value end.
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }
    /// The parts of a value, its arguments before each functor.
    pub fn value(&self, row: usize) -> Option<&[FactNode]> {
        let end = *self.ends.get(row)?;
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        self.nodes.get(start..end)
    }
    /// The word of a value on a heap.
    pub fn word(&self, row: usize, heap: &mut Heap) -> Option<Result<u64, HeapFull>> {
        let mut words: Vec<u64> = Vec::new();
        for node in self.value(row)? {
            let word = match *node {
                FactNode::Int(n) => heap.int(n),
                FactNode::Float(x) => heap.float(x),
                FactNode::Atom(text) => Ok(Heap::atom(text)),
                FactNode::Str(text) => Ok(Heap::str(text)),
                FactNode::Compound { symbol, arity } => {
                    let args = words.split_off(words.len().checked_sub(arity)?);
                    heap.compound(symbol, &args)
                }
            };
            match word {
                Ok(word) => words.push(word),
                Err(full) => return Some(Err(full)),
            }
        }
        words.pop().map(Ok)
    }
}
