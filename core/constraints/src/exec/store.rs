//! The final store: constraints in canonical order, as values and as text.

mod digits;
mod lines;
mod pieces;
mod sorted;

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use super::table::Table;
use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::limited::cut;
use gchr_base::memory::{self, Shortage};
use gchr_base::signature::{ConstraintId, Signature, SortKind};
use gchr_base::value::{Heap, Operation, Terms, Value, write_atom};
pub use lines::Frame;
use pieces::Pieces;
use sorted::Sorted;

/// The constraints that are left when a run ends, or stops.
#[derive(Default)]
pub struct Store {
    pub(crate) tables: Vec<Table>,
    pub(crate) heap: Heap,
}

/// The constraints of one symbol, in the standard order of their arguments.
pub struct Rows<'a> {
    kinds: &'a [SortKind],
    terms: Terms<'a>,
    sorted: Sorted<'a>,
}

/// One constraint.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    rows: &'a Rows<'a>,
    at: usize,
}

impl Store {
    /// Number of constraints of a symbol.
    pub fn count(&self, constraint: ConstraintId) -> usize {
        self.tables.get(constraint.index()).map_or(0, Table::live)
    }

    /// Whether a symbol has a table, as all have once something has run.
    pub fn has_table(&self, constraint: ConstraintId) -> bool {
        constraint.index() < self.tables.len()
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
        Rows { kinds: &table.kinds, terms, sorted: Sorted::new(table, terms) }
    }

    /// The same where memory takes all rows sorted.
    ///
    /// # Errors
    /// It does not.
    pub fn rows_at_once<'a>(
        &'a self,
        signature: &'a Signature,
        constraint: ConstraintId,
    ) -> Result<Rows<'a>, StopReason> {
        let mut parts = self.rows_in_parts(signature, constraint);
        match (parts.next(), parts.next()) {
            (Some(rows), None) => rows,
            _ => Err(Shortage::Limit(memory::bound()).of(in_order(signature, constraint))),
        }
    }

    /// The same in parts that follow each other: one where memory takes all rows sorted, else as many as it asks for.
    ///
    /// # Errors
    /// Memory does not take the rows, and they cannot be divided.
    pub fn rows_in_parts<'a>(
        &'a self,
        signature: &'a Signature,
        constraint: ConstraintId,
    ) -> impl Iterator<Item = Result<Rows<'a>, StopReason>> {
        let table = &self.tables[constraint.index()];
        let terms = Terms { signature, heap: &self.heap };
        Pieces::new(table, terms).map(move |sorted| {
            let sorted = sorted.map_err(|shortage| shortage.of(in_order(signature, constraint)))?;
            Ok(Rows { kinds: &table.kinds, terms, sorted })
        })
    }

    /// Writes all constraints, one a line: by declaration, then by arguments in the standard order of terms.
    pub fn write_text(&self, signature: &Signature, out: &mut impl Write) -> io::Result<()> {
        signature.constraints.ids().try_for_each(|id| self.write_rows(signature, id, out))
    }

    /// Writes the constraints of a symbol, one a line, in the standard order of their arguments.
    pub fn write_rows(
        &self,
        signature: &Signature,
        id: ConstraintId,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.rows_in_parts(signature, id).try_for_each(|rows| rows?.write(signature, id, out))
    }
}

/// What asks for memory.
fn in_order(signature: &Signature, constraint: ConstraintId) -> String {
    format!("the constraints of {} in order", signature.constraint_name(constraint))
}

impl Rows<'_> {
    /// Writes them, one a line.
    fn write(&self, signature: &Signature, id: ConstraintId, out: &mut impl Write) -> io::Result<()> {
        let name = &signature.constraints[id].name;
        if Operation::is_one(signature, name, self.kinds.len()) {
            return self.write_lines(out, |range, out| {
                let mut rows = self.range(range);
                rows.try_for_each(|row| writeln!(out, "{}", Operation::new(signature, name, row.values())))
            });
        }
        let mut start = String::new();
        write_atom(&mut start, name).map_err(io::Error::other)?;
        start.push('(');
        if self.write_integers(&Frame { start: &start, separator: ",", end: ")\n" }, out)? {
            return Ok(());
        }
        self.write_lines(out, |range, out| {
            self.range(range).try_for_each(|row| {
                // Piece by piece: shared parts of a value can make it larger than any memory.
                let args = || row.values().map(Value::argument);
                writeln!(out, "{}", fmt::from_fn(|f| write_constraint(f, name, args())))
            })
        })
    }
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
pub fn trace_constraint<'a>(line: &mut String, name: &str, values: impl Iterator<Item = Value<'a>>, id: u64) {
    let args = values.map(|value| cut(value.argument(), TRACE_WIDTH));
    let written = write_constraint(line, name, args).and_then(|()| fmt::write(line, format_args!("#{id}")));
    debug_assert!(written.is_ok(), "a string takes any text");
}

impl<'a> Rows<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// What each column holds.
    pub fn kinds(&self) -> &'a [SortKind] {
        self.kinds
    }
    /// What stored bits stand for.
    pub fn terms(&self) -> Terms<'a> {
        self.terms
    }
    /// Some rows of a column, as they are stored: [`Terms::value`] makes values of them.
    pub fn words(&self, column: usize, rows: Range<usize>) -> impl Iterator<Item = u64> {
        rows.map(move |at| self.sorted.word(at, column))
    }
    /// The rows in order.
    pub fn iter(&'a self) -> impl ExactSizeIterator<Item = Row<'a>> + 'a {
        self.range(0..self.len())
    }
    /// Some of the rows, in order.
    pub fn range(&'a self, range: Range<usize>) -> impl ExactSizeIterator<Item = Row<'a>> + 'a {
        range.map(|at| Row { rows: self, at })
    }
}

impl<'a> Row<'a> {
    /// Number of arguments.
    pub fn len(self) -> usize {
        self.rows.kinds.len()
    }
    /// Whether there are no arguments.
    pub fn is_empty(self) -> bool {
        self.rows.kinds.is_empty()
    }
    /// The argument at a zero-based position.
    pub fn get(self, column: usize) -> Option<Value<'a>> {
        let kind = *self.rows.kinds.get(column)?;
        Some(self.rows.terms.value(kind, self.rows.sorted.word(self.at, column)))
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
