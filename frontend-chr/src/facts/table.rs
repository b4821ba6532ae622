//! The bytes of a fact file to columns, in parallel by parts of the file; the order of the lines is kept.

use std::ops::Range;

use gchr_base::reading::Account;
use rayon::prelude::*;

use super::Header;
use super::cell::{Cells, Fault, Shape, Stored, Want, is_number};

/// The byte order mark, which the first line may begin with.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

/// Errors that are shown for one file; the others are counted.
pub(super) const MAX_SHOWN: usize = 20;

/// A fault with its place.
#[derive(Clone, Debug)]
pub(super) struct CellError {
    /// One-based line.
    pub line: u64,
    /// Byte at which the record starts, white lines before it included.
    pub byte: usize,
    /// Zero-based column; the first surplus or missing one for a wrong width.
    pub column: usize,
    pub fault: Fault,
}

/// The first faults and the number of all.
#[derive(Clone, Default, Debug)]
pub(super) struct Errors {
    pub shown: Vec<CellError>,
    pub total: u64,
}

impl Errors {
    fn push(&mut self, error: CellError) {
        self.total += 1;
        if self.shown.len() < MAX_SHOWN {
            self.shown.push(error);
        }
    }
    fn append(&mut self, other: Errors) {
        self.total += other.total;
        self.shown.extend(other.shown);
        self.shown.truncate(MAX_SHOWN);
    }
}

/// A file as columns.
pub(super) struct Table {
    pub columns: Vec<Cells>,
    pub rows: usize,
    pub errors: Errors,
    /// How the first line was taken, where that was guessed.
    pub guessed: Option<Guessed>,
}

/// How a first line that may be a header was taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guessed {
    /// One-based line.
    pub line: usize,
    pub header: bool,
}

/// A part of the file: its bytes and the number of lines before them.
#[derive(Clone, Debug)]
struct Part {
    bytes: Range<usize>,
    lines: u64,
}

/// What a part became under given shapes.
struct PartTable {
    table: Table,
    /// Shapes that the fields of the part need.
    needs: Vec<Shape>,
}

/// Reads a file; nothing when its rows take more memory than the account allows.
pub(super) fn read(
    bytes: &[u8],
    delimiter: u8,
    wants: &[Want],
    header: Header,
    account: &Account,
) -> Option<Table> {
    let input = Input { bytes, delimiter, wants, account };
    let mut shapes: Vec<Shape> = wants.iter().map(Want::shape).collect();
    if !input.records_fit() {
        return None;
    }
    if let Some(error) = input.open_quote() {
        let mut table = merge(Vec::new(), &shapes);
        table.errors.push(error);
        return Some(table);
    }
    let Some(first_end) = input.first_record_end() else {
        return Some(merge(Vec::new(), &shapes));
    };
    let parts = input.split(first_end);
    let mut tables = input.converge(&parts, &mut shapes)?;
    let rest: usize = tables.iter().map(|t| t.table.rows).sum();
    let guessed = match header {
        Header::Auto => input.guess(&shapes, rest),
        Header::Yes | Header::No => None,
    };
    if header == Header::Yes || guessed.is_some_and(|guessed| guessed.header) {
        return Some(Table { guessed, ..merge(tables, &shapes) });
    }
    let first = Part { bytes: 0..first_end, lines: 0 };
    let head = input.part(&first, &shapes)?;
    if head.needs == shapes {
        tables.insert(0, head);
    } else {
        shapes = head.needs;
        let all: Vec<Part> = std::iter::once(first).chain(parts).collect();
        tables.iter().for_each(|table| account.give(table.table.bytes()));
        tables = input.converge(&all, &mut shapes)?;
    }
    Some(Table { guessed, ..merge(tables, &shapes) })
}

fn merge(tables: Vec<PartTable>, shapes: &[Shape]) -> Table {
    let mut all = Table { columns: Vec::new(), rows: 0, errors: Errors::default(), guessed: None };
    for PartTable { table, .. } in tables {
        all.rows += table.rows;
        all.errors.append(table.errors);
        if all.columns.is_empty() {
            all.columns = table.columns;
            continue;
        }
        all.columns.iter_mut().zip(table.columns).for_each(|(column, more)| column.append(more));
    }
    if all.columns.is_empty() {
        all.columns = shapes.iter().map(|&s| Cells::new(s)).collect();
    }
    all
}

struct Input<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    wants: &'a [Want],
    account: &'a Account<'a>,
}

impl Table {
    /// Bytes that its columns take.
    fn bytes(&self) -> u64 {
        self.columns.iter().map(Cells::bytes).sum()
    }
}

/// Rows between two looks at the memory that they take.
pub(super) const COUNTED: usize = 1 << 12;

impl<'a> Input<'a> {
    fn reader(&self, bytes: &'a [u8]) -> csv::Reader<&'a [u8]> {
        csv::ReaderBuilder::new()
            .delimiter(self.delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(bytes)
    }

    /// Whether records fit the account: one is copied as it is read, and its copy doubles as it grows.
    fn records_fit(&self) -> bool {
        let longest = self.bytes.split(|&b| b == b'\n').map(<[u8]>::len).max().unwrap_or(0);
        longest as u64 <= self.account.left() / 4
    }

    /// The field whose quote is open when the file ends: all lines behind it would be its text.
    fn open_quote(&self) -> Option<CellError> {
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum At {
            Start,
            Plain,
            Quoted,
            /// Behind a quote in a quoted field: its end, or the first of two.
            Quote,
        }
        if !self.bytes.contains(&b'"') {
            return None;
        }
        let mark = if self.bytes.starts_with(MARK) { MARK.len() } else { 0 };
        let (mut at, mut line) = (At::Start, 1);
        let mut field = CellError { line, byte: 0, column: 0, fault: Fault::Quote };
        for (i, &byte) in self.bytes.iter().enumerate().skip(mark) {
            line += u64::from(byte == b'\n');
            at = match (at, byte) {
                (At::Quoted, b'"') => At::Quote,
                (At::Quoted, _) | (At::Start | At::Quote, b'"') => At::Quoted,
                (_, b'\n' | b'\r') => {
                    field = CellError { line, byte: i + 1, column: 0, ..field };
                    At::Start
                }
                (_, byte) if byte == self.delimiter => {
                    field.column += 1;
                    At::Start
                }
                _ => At::Plain,
            };
        }
        (at == At::Quoted).then_some(field)
    }

    /// Where the first record ends; `None` in a file without any.
    fn first_record_end(&self) -> Option<usize> {
        let mut reader = self.reader(self.bytes);
        let mut record = csv::ByteRecord::new();
        // Reading bytes from memory cannot fail.
        let found = reader.read_byte_record(&mut record).unwrap_or(false);
        found.then(|| {
            usize::try_from(reader.position().byte()).map_or(self.bytes.len(), |b| b.min(self.bytes.len()))
        })
    }

    /// Cuts what follows the first record at line ends. Quoted fields may hold line ends: then there is one part.
    fn split(&self, start: usize) -> Vec<Part> {
        let rest = &self.bytes[start..];
        let pieces = rayon::current_num_threads() * 4;
        let size = if rest.contains(&b'"') { rest.len() } else { (rest.len() / pieces).max(1 << 16) };
        let lines = |bytes: &[u8]| bytes.iter().filter(|&&b| b == b'\n').count() as u64;
        let (mut parts, mut at, mut line) = (Vec::new(), start, lines(&self.bytes[..start]));
        while at < self.bytes.len() {
            let cut = (at + size).min(self.bytes.len());
            let end =
                self.bytes[cut..].iter().position(|&b| b == b'\n').map_or(self.bytes.len(), |i| cut + i + 1);
            parts.push(Part { bytes: at..end, lines: line });
            line += lines(&self.bytes[at..end]);
            at = end;
        }
        parts
    }

    /// Reads all parts, again with wider shapes until all fields fit.
    fn converge(&self, parts: &[Part], shapes: &mut Vec<Shape>) -> Option<Vec<PartTable>> {
        loop {
            let tables: Option<Vec<PartTable>> =
                parts.par_iter().map(|part| self.part(part, shapes)).collect();
            let tables = tables?;
            let mut needs = shapes.clone();
            for table in &tables {
                needs.iter_mut().zip(&table.needs).for_each(|(all, &one)| *all = one.max(*all));
            }
            if needs == *shapes {
                return Some(tables);
            }
            tables.iter().for_each(|table| self.account.give(table.table.bytes()));
            *shapes = needs;
        }
    }

    /// The columns of a part, counted; nothing when they take too much.
    fn part(&self, part: &Part, shapes: &[Shape]) -> Option<PartTable> {
        // From the end of the line above: a reader takes the first bytes that it sees for a byte order mark.
        let start = part.bytes.start.saturating_sub(1);
        let lines = part.lines - u64::from(start < part.bytes.start && self.bytes[start] == b'\n');
        let mut reader = self.reader(&self.bytes[start..part.bytes.end]);
        let mut record = csv::ByteRecord::new();
        let mut needs = shapes.to_vec();
        let columns = shapes.iter().map(|&s| Cells::new(s)).collect();
        let mut table = Table { columns, rows: 0, errors: Errors::default(), guessed: None };
        let mut counted = 0;
        while reader.read_byte_record(&mut record).unwrap_or(false) {
            table.rows += 1;
            if table.rows.is_multiple_of(COUNTED) {
                self.count(&table, &mut counted)?;
            }
            let place = |column, fault| {
                let (line, byte) = record.position().map_or((1, 0), |p| (p.line(), p.byte()));
                let byte = start + usize::try_from(byte).unwrap_or(0);
                // A record is said to begin where the one above it ends.
                let blank = self.bytes[byte..].iter().take_while(|&&b| b == b'\n' || b == b'\r');
                let line = lines + line + blank.filter(|&&b| b == b'\n').count() as u64;
                CellError { line, byte, column, fault }
            };
            if record.len() != self.wants.len() {
                let column = record.len().min(self.wants.len());
                table.errors.push(place(column, Fault::Width(record.len())));
                continue;
            }
            for (i, ((cells, want), field)) in
                table.columns.iter_mut().zip(self.wants).zip(&record).enumerate()
            {
                match cells.push(field, want) {
                    Stored::Done => {}
                    Stored::Wider(shape) => needs[i] = needs[i].max(shape),
                    Stored::Wrong(fault) => table.errors.push(place(i, fault)),
                }
            }
        }
        self.count(&table, &mut counted)?;
        Some(PartTable { table, needs })
    }

    /// Counts what a table has grown by.
    fn count(&self, table: &Table, counted: &mut u64) -> Option<()> {
        let bytes = table.bytes();
        let more = bytes.saturating_sub(std::mem::replace(counted, bytes));
        self.account.take(more).then_some(())
    }

    /// Whether the first record names the columns: no field of it is a number, and some column holds numbers. `None`
    /// for a record that nobody takes for a header, since all of it are numbers, or there are no arguments.
    fn guess(&self, shapes: &[Shape], rows: usize) -> Option<Guessed> {
        let mut reader = self.reader(self.bytes);
        let mut record = csv::ByteRecord::new();
        let found = reader.read_byte_record(&mut record).unwrap_or(false);
        if !found || record.iter().all(is_number) || self.wants == [Want::Present] {
            return None;
        }
        let numbers = |want: &Want, shape: Shape| want.is_numeric() || (rows > 0 && shape < Shape::Text);
        let header = record.len() == self.wants.len()
            && self.wants.iter().zip(shapes).any(|(want, &shape)| numbers(want, shape))
            && !record.iter().any(is_number);
        let blank = self.bytes.iter().take_while(|b| b"\xef\xbb\xbf\r\n".contains(b));
        Some(Guessed { line: 1 + blank.filter(|&&b| b == b'\n').count(), header })
    }
}
