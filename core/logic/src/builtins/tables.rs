//! Built-in predicates on tables of answers, of which `library/tables.pl` is made.

use super::Table;
use crate::cell::{Cell, Tag};
use crate::heap::Heap;
use crate::machine::{Done, Machine};
use crate::tables::{Turn, Words};

pub(super) const TABLE: Table = &[
    // `$table_call(Call, Table, Turn)`.
    ("$table_call", 3, |m| {
        let call = m.table_words(0)?;
        let (id, turn) = m.db.tables.call(call);
        let turn = m.atom_cell(match turn {
            Turn::Complete => "complete",
            Turn::Read => "read",
            Turn::Evaluate => "evaluate",
        });
        Ok(m.unify_arg(1, Cell::int(id as usize)) && m.unify_arg(2, turn))
    }),
    ("$table_enter", 1, |m| {
        let id = m.table()?;
        m.db.tables.enter(id);
        Ok(true)
    }),
    ("$table_leave", 1, |m| {
        let id = m.table()?;
        Ok(m.db.tables.leave(id))
    }),
    ("$table_abandon", 1, |m| {
        let id = m.table()?;
        m.db.tables.abandon(id);
        Ok(true)
    }),
    // `$table_answers(Table, Answers)`: those of a complete table.
    ("$table_answers", 2, |m| {
        let id = m.table()?;
        let Some(answers) = m.db.tables.answers(id) else { return Ok(false) };
        let items: Vec<Cell> = answers.map(|words| m.heap.of_words(words)).collect();
        let list = m.heap.list(&items);
        m.checked(())?;
        Ok(m.unify_arg(1, list))
    }),
    // `$table_read(Table, From, Next, Answer)`: the next answer of a table that may still grow.
    ("$table_read", 4, |m| {
        let (id, from) = (m.table()?, m.int_arg(1)?);
        let Some((words, next)) = m.db.tables.read(id, from as usize) else { return Ok(false) };
        let answer = m.heap.of_words(&words);
        m.checked(())?;
        Ok(m.unify_arg(2, Cell::int(next)) && m.unify_arg(3, answer))
    }),
    // `$table_find(Table, Key, Answer)`.
    ("$table_find", 3, |m| {
        let (id, key) = (m.table()?, m.table_words(1)?);
        let Some(words) = m.db.tables.find(id, &key).cloned() else { return Ok(false) };
        let answer = m.heap.of_words(&words);
        m.checked(())?;
        Ok(m.unify_arg(2, answer))
    }),
    // `$table_add(Table, Answer)`.
    ("$table_add", 2, |m| {
        let (id, answer) = (m.table()?, m.table_words(1)?);
        m.db.tables.add(id, answer, None);
        Ok(true)
    }),
    // `$table_put(Table, Key, Answer)`: in the place of the answer that has the key.
    ("$table_put", 3, |m| {
        let (id, key, answer) = (m.table()?, m.table_words(1)?, m.table_words(2)?);
        m.db.tables.add(id, key, Some(answer));
        Ok(true)
    }),
    ("abolish_all_tables", 0, |m| {
        m.db.tables.abolish();
        Ok(true)
    }),
];

impl Machine<'_, '_> {
    fn table(&mut self) -> Done<u32> {
        Ok(self.int_arg(0)? as u32)
    }

    /// An argument as words; an error where it holds itself.
    fn table_words(&mut self, index: usize) -> Done<Words> {
        let term = self.arg(index);
        let words = self.heap.words(term);
        self.checked(())?;
        words.ok_or_else(|| self.type_error("acyclic_term", term))
    }
}

impl Heap<'_> {
    /// A term as words, depth first, attributes left out: variants are equal. None where it holds itself.
    fn words(&self, term: Cell) -> Option<Words> {
        let mut words = Vec::new();
        let mut variables: Vec<Cell> = Vec::new();
        let mut numbers = gchr_base::hash::HashMap::default();
        let mut pending = vec![term];
        let mut is_checked = false;
        while let Some(cell) = pending.pop() {
            let cell = self.deref(cell);
            let n = if cell.tag() == Tag::Box { self.box_words(cell) } else { self.args(cell).1 };
            if !self.meter.spend(1)
                || !self.meter.room(&mut words, 2 + n)
                || !self.meter.room(&mut pending, n)
            {
                break;
            }
            if words.len() > self.top() && !is_checked {
                // Parts that occur often make it longer than the heap, too.
                if !self.compounds(&[term]).1.is_empty() {
                    return None;
                }
                is_checked = true;
            }
            match cell.tag() {
                Tag::Ref | Tag::Att => {
                    let next = variables.len();
                    let number = *numbers.entry(cell).or_insert(next);
                    if number == next {
                        variables.push(cell);
                    }
                    words.push(Cell::reference(number).0);
                }
                Tag::Lst => {
                    words.push(Cell::list(0).0);
                    let start = cell.place();
                    pending.extend([self.cells[start + 1], self.cells[start]]);
                }
                Tag::Str => {
                    words.push(self.cells[cell.place()].0);
                    let start = self.args(cell).0;
                    pending.extend(self.cells[start..start + n].iter().rev());
                }
                Tag::Box => {
                    words.push(Cell::boxed(0).0);
                    let start = cell.place();
                    words.push(n as u64);
                    words.extend(self.cells[start..start + n].iter().map(|word| word.0));
                }
                _ => words.push(cell.0),
            }
        }
        self.meter.ask(8 * words.len() as u64).then(|| words.into())
    }

    /// The term of some [words](Self::words), with new variables.
    fn of_words(&mut self, words: &[u64]) -> Cell {
        let root = self.top();
        if !self.meter.ask(16 * words.len() as u64) {
            return Cell::int(0);
        }
        self.push(Cell::int(0));
        let mut variables: Vec<Cell> = Vec::new();
        let mut pending = vec![root];
        let mut rest = words.iter();
        while let (Some(place), Some(&word)) = (pending.pop(), rest.next()) {
            let (word, top) = (Cell(word), self.top());
            self.cells[place] = match word.tag() {
                Tag::Ref => match variables.get(word.place()) {
                    Some(&known) => known,
                    None => {
                        variables.push(Cell::reference(place));
                        Cell::reference(place)
                    }
                },
                Tag::Lst => {
                    self.cells.resize(top + 2, Cell::int(0));
                    pending.extend([top + 1, top]);
                    Cell::list(top)
                }
                Tag::Header => {
                    let n = word.arity();
                    self.push(word);
                    self.cells.resize(top + 1 + n, Cell::int(0));
                    pending.extend((top + 1..top + 1 + n).rev());
                    Cell::structure(top)
                }
                Tag::Box => {
                    let n = rest.next().map_or(0, |&n| n as usize);
                    self.cells.extend(rest.by_ref().take(n).map(|&word| Cell(word)));
                    Cell::boxed(top)
                }
                _ => word,
            };
        }
        self.deref(self.cells[root])
    }
}
