//! What code that reads tables by their addresses sees of them: words that say where columns, ids and lists are.
//!
//! **Invariant:** the words of a table hold from one change of it to the next: who changes the table tells by
//! [`Views::note`] what has become of its memory.

use super::index::{Index, NONE};
use super::table::Table;

/// Bytes of a word.
const WORD: usize = 8;
/// Words of a column: where it begins, and whether its values have 64 bits.
const COLUMN: usize = 2;
/// Words of an index: where its heads begin, their width and height, where its links begin, and the first row of all.
const INDEX: usize = 5;

/// Where the memory of an index is.
pub(super) struct IndexView {
    /// Numbers of rows and one, of 32 bits; of a set, bits; or nothing, where they are to be asked for.
    pub heads: u64,
    pub width: u64,
    pub height: u64,
    pub links: u64,
    /// Of the list of all rows.
    pub first: u64,
}

/// The words of all tables.
pub struct Views {
    words: Box<[u64]>,
    tables: Vec<usize>,
    columns: Vec<usize>,
    /// By table: its lists of all rows.
    lists: Vec<Vec<usize>>,
}

impl Views {
    /// The words of these tables.
    pub(super) fn new(tables: &[Table]) -> Self {
        let mut words = 0;
        let mut of_table = Vec::new();
        for table in tables {
            of_table.push(words);
            words += COLUMN * (1 + table.columns.len()) + INDEX * table.indexes.len();
        }
        let list = |table: &Table| {
            let all = table.indexes.iter().enumerate().filter(|(_, index)| index.is_all());
            all.map(|(i, _)| i).collect()
        };
        let mut views = Self {
            words: vec![0; words].into(),
            tables: of_table,
            columns: tables.iter().map(|table| table.columns.len()).collect(),
            lists: tables.iter().map(list).collect(),
        };
        (0..tables.len()).for_each(|t| views.note_all(t, &tables[t]));
        views
    }

    /// The first word.
    pub fn start(&mut self) -> *const u64 {
        self.words.as_mut_ptr()
    }

    /// How many bytes behind the first word are those of the ids of a table.
    pub fn ids(&self, table: usize) -> usize {
        self.tables[table] * WORD
    }

    /// The same of a column.
    pub fn column(&self, table: usize, column: usize) -> usize {
        (self.tables[table] + COLUMN * (1 + column)) * WORD
    }

    /// The same of an index: heads, width, height, links, first row.
    pub fn index(&self, table: usize, index: usize) -> usize {
        (self.tables[table] + COLUMN * (1 + self.columns[table]) + INDEX * index) * WORD
    }

    /// A table has changed; `grown`: its memory, too.
    #[inline]
    pub(super) fn note(&mut self, number: usize, table: &Table, grown: bool) {
        if grown {
            return self.note_all(number, table);
        }
        for i in 0..self.lists[number].len() {
            let index = self.lists[number][i];
            let first = self.index(number, index) / WORD + INDEX - 1;
            self.words[first] = u64::from(table.indexes[index].first());
        }
    }

    #[cold]
    fn note_all(&mut self, number: usize, table: &Table) {
        let columns = std::iter::once(table.ids.place()).chain(table.columns.iter().map(|c| c.place()));
        let columns = columns.flat_map(|(at, is_wide)| [at, u64::from(is_wide)]);
        let indexes = table.indexes.iter().map(Index::view);
        let indexes = indexes.flat_map(|v| [v.heads, v.width, v.height, v.links, v.first]);
        let words = &mut self.words[self.tables[number]..];
        words.iter_mut().zip(columns.chain(indexes)).for_each(|(to, word)| *to = word);
    }
}

impl Index {
    pub(super) fn view(&self) -> IndexView {
        let (heads, width, height) = self.grid().unwrap_or_default();
        let first = if self.is_all() { self.first() } else { NONE };
        IndexView { heads, width, height, links: self.links_place(), first: u64::from(first) }
    }
}
