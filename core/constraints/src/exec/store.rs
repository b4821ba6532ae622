//! The final store: constraints in canonical order, as values and as text.

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Write};

use super::table::Table;
use gchr_base::ids::Id;
use gchr_base::limited::cut;
use gchr_base::signature::{ConstraintId, Signature, SortKind};
use gchr_base::value::{Heap, Terms, Value, compare, write_atom};

/// The constraints that are left when a run ends, or stops.
pub struct Store {
    pub(crate) tables: Vec<Table>,
    pub(crate) heap: Heap,
}

/// The constraints of one symbol, in the standard order of their arguments. A view: rows are made as they are asked for.
pub struct Rows<'a> {
    table: &'a Table,
    terms: Terms<'a>,
    order: Vec<u32>,
}

/// One constraint.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    table: &'a Table,
    terms: Terms<'a>,
    row: u32,
}

impl Store {
    /// Number of constraints of a symbol.
    pub fn count(&self, constraint: ConstraintId) -> usize {
        self.tables.get(constraint.index()).map_or(0, Table::live)
    }

    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.tables.iter().map(Table::live).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The constraints of a symbol, sorted. `signature` is that of the program that ran.
    pub fn rows<'a>(&'a self, signature: &'a Signature, constraint: ConstraintId) -> Rows<'a> {
        let table = &self.tables[constraint.index()];
        let terms = Terms { signature, heap: &self.heap };
        let mut order: Vec<u32> = table.rows().collect();
        order.sort_unstable_by(|&a, &b| compare_rows(table, terms, a, b));
        Rows { table, terms, order }
    }

    /// Writes all constraints, one a line: by declaration, then by arguments in the standard order of terms.
    pub fn write_text(&self, signature: &Signature, out: &mut impl Write) -> io::Result<()> {
        for (id, constraint) in signature.constraints.iter_enumerated() {
            for row in self.rows(signature, id).iter() {
                // Piece by piece: shared parts of a value can make it larger than any memory.
                let args = || row.values().map(Value::argument);
                writeln!(out, "{}", fmt::from_fn(|f| write_constraint(f, &constraint.name, args())))?;
            }
        }
        Ok(())
    }
}

fn compare_rows(table: &Table, terms: Terms<'_>, a: u32, b: u32) -> Ordering {
    for (column, &kind) in table.columns.iter().zip(&table.kinds) {
        let (x, y) = (column.get(a), column.get(b));
        let order = match kind {
            _ if x == y => Ordering::Equal,
            SortKind::Int => (x as i64).cmp(&(y as i64)),
            _ => compare(terms.value(kind, x), terms.value(kind, y)),
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// `name(arg, ...)` as `writeq` shows it.
pub(super) fn write_constraint(
    out: &mut dyn fmt::Write,
    name: &str,
    args: impl Iterator<Item = impl fmt::Display>,
) -> fmt::Result {
    write_atom(out, name)?;
    let mut open = false;
    for arg in args {
        out.write_char(if open { ',' } else { '(' })?;
        open = true;
        write!(out, "{arg}")?;
    }
    if open { out.write_char(')') } else { Ok(()) }
}

/// Characters of an argument that a trace line shows at most.
const TRACE_WIDTH: usize = 1000;

/// A constraint in a trace line, with its id: arguments are cut where they are long.
pub(super) fn trace_constraint<'a>(
    line: &mut String,
    name: &str,
    values: impl Iterator<Item = Value<'a>>,
    id: u64,
) {
    let args = values.map(|value| cut(value.argument(), TRACE_WIDTH));
    let written = write_constraint(line, name, args).and_then(|()| fmt::write(line, format_args!("#{id}")));
    debug_assert!(written.is_ok(), "a string takes any text");
}

impl<'a> Rows<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.order.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
    /// The rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Row<'a>> + '_ {
        self.order.iter().map(|&row| Row { table: self.table, terms: self.terms, row })
    }
}

impl<'a> Row<'a> {
    /// Number of arguments.
    pub fn len(self) -> usize {
        self.table.columns.len()
    }
    /// Whether there are no arguments.
    pub fn is_empty(self) -> bool {
        self.table.columns.is_empty()
    }
    /// The argument at a zero-based position.
    pub fn get(self, column: usize) -> Option<Value<'a>> {
        let bits = self.table.columns.get(column)?.get(self.row);
        Some(self.terms.value(self.table.kinds[column], bits))
    }
    /// The arguments from left to right.
    pub fn values(self) -> impl Iterator<Item = Value<'a>> {
        (0..self.len()).filter_map(move |column| self.get(column))
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "store of {} constraints", self.len())
    }
}
