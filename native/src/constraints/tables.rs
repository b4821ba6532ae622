//! Tables where they are: columns, ids, lists of rows and their heads.

use gchr_base::signature::SortKind;
use gchr_constraints::exec::code::{Access, Level};
use gchr_constraints::exec::engine::Chain;

use super::IndexLayout;
use super::lower::Lower;
use super::machine::{NEXT_ID, NONE, find_many, find_one, find_two};
use crate::emit::{Compare, Cond, MemoryAccess, Val, Width, WordOp};
use crate::function::Kind;

/// Offsets of the words of an index.
const HEADS: usize = 0;
const WIDTH: usize = 8;
const HEIGHT: usize = 16;
const LINKS: usize = 24;
const FIRST: usize = 32;

impl Lower<'_, '_, '_> {
    fn view(&mut self, offset: usize) -> Val {
        let views = self.views();
        self.e.load(Width::Word, MemoryAccess::Plain, views, offset as i32)
    }

    /// The number in a column of 32 or 64 bits; `view` is where its words are.
    fn cell(&mut self, view: usize, row: Val) -> Val {
        let (wide, narrow) = (self.e.label(&[]), self.e.label(&[]));
        let join = self.e.label(&[Kind::Word]);
        let (base, is_wide) = (self.view(view), self.view(view + 8));
        let is_wide = self.e.compare_to(Compare::NotEqual, is_wide, 0);
        self.e.branch(is_wide, (wide, &[]), (narrow, &[]));
        for (label, width) in [(wide, Width::Word), (narrow, Width::Single)] {
            self.e.bind(label);
            let value = self.at(base, row, width);
            self.e.jump(join, &[value]);
        }
        self.e.bind(join)[0]
    }

    /// An element of an array.
    fn at(&mut self, base: Val, row: Val, width: Width) -> Val {
        let by = if width == Width::Word { 3 } else { 2 };
        let offset = self.e.word_by(WordOp::ShiftLeft, row, by);
        let address = self.e.add(base, offset);
        self.e.load(width, MemoryAccess::Plain, address, 0)
    }

    /// The value of a column.
    pub(super) fn column(&mut self, table: usize, column: usize, row: Val) -> Val {
        let layout = &self.p.tables[table];
        let (view, kind) = (layout.columns[column], layout.kinds[column]);
        let width = match kind {
            SortKind::Int => return self.cell(view, row),
            SortKind::Float | SortKind::Any => Width::Word,
            SortKind::Atom | SortKind::Str | SortKind::Data => Width::Single,
        };
        let base = self.view(view);
        self.at(base, row, width)
    }

    /// The id in a row. That of a dead one is greater than all that were given.
    pub(super) fn id_of(&mut self, table: usize, row: Val) -> Val {
        let view = self.p.tables[table].ids;
        self.cell(view, row)
    }

    /// Whether a row is dead.
    pub(super) fn is_dead(&mut self, table: usize, row: Val) -> Cond {
        let id = self.id_of(table, row);
        let next = self.e.load_machine(Width::Word, MemoryAccess::Plain, NEXT_ID);
        self.e.compare(Compare::AboveOrEqual, id, next)
    }

    /// The row behind another one in its list.
    pub(super) fn next_row(&mut self, level: &Level, row: Val) -> Val {
        let IndexLayout { view, chain, .. } = self.p.tables[level.table].indexes[level.index];
        match chain {
            Chain::Single => self.e.int(NONE),
            Chain::Rows => {
                let next = self.e.word_by(WordOp::Sub, row, 1);
                self.e.low_half(next)
            }
            Chain::Links { bytes } => {
                let links = self.view(view + LINKS);
                let by = i64::from(bytes.trailing_zeros());
                let offset = self.e.word_by(WordOp::ShiftLeft, row, by);
                let address = self.e.add(links, offset);
                self.e.load(Width::Single, MemoryAccess::Plain, address, 0)
            }
        }
    }

    /// The first row of a join.
    pub(super) fn first_row(&mut self, level: &Level) -> Val {
        let IndexLayout { is_list, columns, view, .. } = self.p.tables[level.table].indexes[level.index];
        if is_list {
            return self.view(view + FIRST);
        }
        match level.access {
            Access::One(a) => {
                let a = self.get(a);
                self.in_grid(level, None, a)
            }
            Access::Two(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                self.in_grid(level, Some(a), b)
            }
            Access::All | Access::Many(_) => {
                debug_assert!(columns > 2, "other keys are of one or two columns");
                self.spill(level.access.registers());
                let level = self.e.int(std::ptr::from_ref(level) as i64);
                self.e.helper(find_many, &[level], &[])
            }
        }
    }

    /// The head of a list in a grid, or row 0 for a key of a set; where there is neither grid nor bits, a helper finds
    /// it.
    fn in_grid(&mut self, level: &Level, a: Option<Val>, b: Val) -> Val {
        let IndexLayout { view, is_set, .. } = self.p.tables[level.table].indexes[level.index];
        let (grid, ask) = (self.e.label(&[]), self.e.label(&[]));
        let (inside, found) = (self.e.label(&[]), self.e.label(&[Kind::Word]));
        let heads = self.view(view + HEADS);
        let is_grid = self.e.compare_to(Compare::NotEqual, heads, 0);
        self.e.branch(is_grid, (grid, &[]), (ask, &[]));

        self.e.bind(ask);
        let row = self.ask(level, a, b);
        self.e.jump(found, &[row]);

        self.e.bind(grid);
        let none = self.e.int(NONE);
        let width = self.view(view + WIDTH);
        let word = if is_set { self.e.word_by(WordOp::ShiftRight, b, 5) } else { b };
        let mut place = word;
        if let Some(a) = a {
            let below = self.e.label(&[]);
            let height = self.view(view + HEIGHT);
            let fits = self.e.compare(Compare::Below, a, height);
            self.e.branch(fits, (below, &[]), (found, &[none]));
            self.e.bind(below);
            let line = self.e.word(WordOp::Mul, a, width);
            place = self.e.add(line, word);
        }
        let fits = self.e.compare(Compare::Below, word, width);
        self.e.branch(fits, (inside, &[]), (found, &[none]));
        self.e.bind(inside);
        let head = self.at(heads, place, Width::Single);
        // Zero is none.
        let head = if is_set { self.bit(head, b) } else { head };
        let row = self.e.word_by(WordOp::Sub, head, 1);
        let row = self.e.low_half(row);
        self.e.jump(found, &[row]);
        self.e.bind(found)[0]
    }

    /// A bit of a word of 32.
    fn bit(&mut self, word: Val, at: Val) -> Val {
        let at = self.e.word_by(WordOp::And, at, 31);
        let bit = self.e.word(WordOp::ShiftRight, word, at);
        self.e.word_by(WordOp::And, bit, 1)
    }

    fn ask(&mut self, level: &Level, a: Option<Val>, b: Val) -> Val {
        let (table, index) = (level.table as i64, level.index as i64);
        match a {
            None => {
                let (table, index) = (self.e.int(table), self.e.int(index));
                self.e.helper(find_one, &[table, index, b], &[])
            }
            Some(a) => {
                let both = self.e.int(table << 32 | index);
                self.e.helper(find_two, &[both, a, b], &[])
            }
        }
    }
}
