//! Columns of a table: a word a row, in 32 bits while all words fit.

use std::ops::Range;

use rayon::prelude::*;

use gchr_base::memory::Growing;
use gchr_base::signature::SortKind;

/// Rows that threads fill side by side: the system gives their memory when it is touched, which takes longer than the
/// filling.
const MANY: usize = if cfg!(test) { 16 } else { 1 << 18 };

/// Makes an array longer.
fn resize<T: bytemuck::Pod + Send + Sync>(values: &mut Growing<T>, len: usize, value: T) {
    let new = values.grow(len);
    // New values are zero.
    if !bytemuck::bytes_of(&value).iter().all(|&byte| byte == 0) {
        number(new, |_| value);
    }
}

/// Sets each value by its place.
fn number<T: Send>(values: &mut [T], value: impl Fn(u64) -> T + Sync) {
    let set = |first: usize, values: &mut [T]| {
        (first as u64..).zip(values).for_each(|(at, to)| *to = value(at));
    };
    if values.len() < MANY || rayon::current_num_threads() == 1 {
        set(0, values);
    } else {
        let (chunks, set) = (values.par_chunks_mut(MANY / 4).enumerate(), &set);
        chunks.for_each(|(chunk, values)| set(chunk * (MANY / 4), values));
    }
}

/// Id of a row that holds no constraint: greater than every id.
pub(crate) const DEAD: u64 = u64::MAX;

/// Rows that hold constraints.
pub(crate) enum Live {
    /// The first so many.
    All(usize),
    Some(Vec<u32>),
}

impl Live {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Live::All(rows) => *rows,
            Live::Some(rows) => rows.len(),
        }
    }
}

/// Values of one column, as words.
pub(crate) enum Column {
    /// 32 bits a value: text ids, and integers as long as none is negative or greater.
    Narrow(Growing<u32>),
    /// 64 bits a value.
    Wide(Growing<u64>),
}

impl Column {
    pub(crate) fn new(kind: SortKind) -> Self {
        match kind {
            SortKind::Atom | SortKind::Str | SortKind::Data | SortKind::Int => {
                Column::Narrow(Growing::default())
            }
            SortKind::Float | SortKind::Any => Column::Wide(Growing::default()),
        }
    }

    #[inline]
    pub(crate) fn get(&self, row: u32) -> u64 {
        match self {
            Column::Narrow(values) => u64::from(values[row as usize]),
            Column::Wide(values) => values[row as usize],
        }
    }

    /// Calls `f` with the values of those rows that are at some places of a list.
    #[inline]
    pub(crate) fn for_each(&self, live: &Live, places: Range<usize>, mut f: impl FnMut(u64)) {
        match (self, live) {
            (Column::Narrow(values), Live::All(_)) => values[places].iter().for_each(|&v| f(u64::from(v))),
            (Column::Wide(values), Live::All(_)) => values[places].iter().for_each(|&v| f(v)),
            (_, Live::Some(rows)) => rows[places].iter().for_each(|&row| f(self.get(row))),
        }
    }

    /// Writes the values of some rows.
    #[inline]
    pub(crate) fn gather(&self, rows: &[u64], into: &mut [u64]) {
        let places = into.iter_mut().zip(rows);
        match self {
            Column::Narrow(values) => places.for_each(|(to, &row)| *to = u64::from(values[row as usize])),
            Column::Wide(values) => places.for_each(|(to, &row)| *to = values[row as usize]),
        }
    }

    /// Sets the rows from one on, for which there is room, to some values. Says whether the column has become wider.
    pub(crate) fn set_all(
        &mut self,
        first: usize,
        values: impl ExactSizeIterator<Item = u64> + Clone,
    ) -> bool {
        let rows = first..first + values.len();
        match self {
            Column::Narrow(narrow) => {
                let mut all = 0;
                for (to, value) in narrow[rows].iter_mut().zip(values.clone()) {
                    *to = value as u32;
                    all |= value;
                }
                if all > u64::from(u32::MAX) {
                    self.widen(u64::from);
                    self.set_all(first, values);
                    return true;
                }
            }
            Column::Wide(wide) => wide[rows].iter_mut().zip(values).for_each(|(to, value)| *to = value),
        }
        false
    }

    /// Sets the rows from one on, for which there is room, to the values of another column's rows.
    fn copy(&mut self, first: usize, from: &Self, rows: &Live) {
        match (&mut *self, from, rows) {
            (Column::Narrow(to), Column::Narrow(from), Live::All(count)) => {
                to[first..first + count].copy_from_slice(&from[..*count]);
            }
            (Column::Wide(to), Column::Wide(from), Live::All(count)) => {
                to[first..first + count].copy_from_slice(&from[..*count]);
            }
            (_, _, Live::All(count)) => {
                self.set_all(first, (0..*count as u32).map(|row| from.get(row)));
            }
            (_, _, Live::Some(rows)) => {
                self.set_all(first, rows.iter().map(|&row| from.get(row)));
            }
        }
    }

    /// Says whether the column has become wider.
    #[inline]
    pub(crate) fn set(&mut self, row: u32, value: u64) -> bool {
        match self {
            Column::Narrow(values) => match u32::try_from(value) {
                Ok(value) => values[row as usize] = value,
                Err(_) => {
                    self.widen(u64::from);
                    self.set(row, value);
                    return true;
                }
            },
            Column::Wide(values) => values[row as usize] = value,
        }
        false
    }

    #[cold]
    fn widen(&mut self, word: impl Fn(u32) -> u64) {
        if let Column::Narrow(values) = self {
            let mut wide = Growing::default();
            wide.grow(values.len()).iter_mut().zip(values.iter()).for_each(|(to, &value)| *to = word(value));
            *self = Column::Wide(wide);
        }
    }

    /// Makes room for so many rows in all; new ones are `value`.
    fn extend(&mut self, rows: usize, value: u64) {
        match self {
            Column::Narrow(values) => resize(values, rows, value as u32),
            Column::Wide(values) => resize(values, rows, value),
        }
    }

    pub(crate) fn reserve(&mut self, rows: usize) {
        self.extend(rows, 0);
    }

    /// Rows there is room for.
    fn rows(&self) -> usize {
        match self {
            Column::Narrow(values) => values.len(),
            Column::Wide(values) => values.len(),
        }
    }

    /// Where the values are, and whether they have 64 bits.
    pub(super) fn place(&self) -> (u64, bool) {
        match self {
            Column::Narrow(values) => (values.as_ptr() as u64, false),
            Column::Wide(values) => (values.as_ptr() as u64, true),
        }
    }

    /// Bytes of a value.
    pub(crate) fn width(&self) -> usize {
        match self {
            Column::Narrow(_) => 4,
            Column::Wide(_) => 8,
        }
    }
}

/// Sets the rows of columns from one on, for which there is room, to those of other columns; threads share the columns.
pub(super) fn copy_columns(to: &mut [Column], first: usize, from: &[Column], rows: &Live) {
    to.par_iter_mut().zip(from).for_each(|(to, from)| to.copy(first, from, rows));
}

/// The values of a column: lists of several threads, one behind the other.
pub(crate) struct Lists<'v> {
    pub(crate) lists: Vec<Vec<&'v [u64]>>,
    /// All bits that a value has, where they are known.
    pub(crate) bits: Option<u64>,
}

/// Values that are written by as many threads as there are: fewer are written by one before others are awake.
const SHARED: usize = if cfg!(test) { 16 } else { 1 << 17 };

/// Sets the rows of columns from one on, for which there is room, to so many values each; threads share the lists. Says
/// whether a column has become wider.
pub(super) fn set_lists(columns: &mut [Column], first: usize, values: &[Lists<'_>], count: usize) -> bool {
    let is_shared = count * columns.len() >= SHARED && rayon::current_num_threads() > 1;
    let is_narrow = |own: &Vec<&[u64]>| {
        let all = own.iter().copied().flatten().fold(0, |all, value| all | value);
        all <= u64::from(u32::MAX)
    };
    let widens = |(column, values): (&Column, &Lists<'_>)| {
        matches!(column, Column::Narrow(_))
            && !match (values.bits, is_shared) {
                (Some(bits), _) => bits <= u64::from(u32::MAX),
                (None, true) => values.lists.par_iter().all(is_narrow),
                (None, false) => values.lists.iter().all(is_narrow),
            }
    };
    let widens: Vec<bool> = match is_shared {
        true => columns.par_iter().zip(values).map(widens).collect(),
        false => columns.iter().zip(values).map(widens).collect(),
    };
    for (column, _) in columns.iter_mut().zip(&widens).filter(|(_, widens)| **widens) {
        column.widen(u64::from);
    }
    let mut pieces: Vec<(Piece<'_>, &[&[u64]])> = Vec::new();
    for (column, values) in columns.iter_mut().zip(values) {
        let mut rest = Piece::of(column, first);
        for own in &values.lists {
            let (piece, behind) = rest.split(own.iter().map(|values| values.len()).sum());
            pieces.push((piece, own));
            rest = behind;
        }
    }
    match is_shared {
        true => pieces.into_par_iter().for_each(|(piece, own)| piece.set(own)),
        false => pieces.into_iter().for_each(|(piece, own)| piece.set(own)),
    }
    widens.contains(&true)
}

/// Rows of a column that one thread writes.
enum Piece<'c> {
    Narrow(&'c mut [u32]),
    Wide(&'c mut [u64]),
}

impl<'c> Piece<'c> {
    /// All rows of a column from one on.
    fn of(column: &'c mut Column, first: usize) -> Self {
        match column {
            Column::Narrow(values) => Piece::Narrow(&mut values[first..]),
            Column::Wide(values) => Piece::Wide(&mut values[first..]),
        }
    }

    fn split(self, at: usize) -> (Self, Self) {
        match self {
            Piece::Narrow(values) => {
                let (own, behind) = values.split_at_mut(at);
                (Piece::Narrow(own), Piece::Narrow(behind))
            }
            Piece::Wide(values) => {
                let (own, behind) = values.split_at_mut(at);
                (Piece::Wide(own), Piece::Wide(behind))
            }
        }
    }

    /// Sets the rows to values that fit.
    fn set(self, lists: &[&[u64]]) {
        let values = lists.iter().copied().flatten();
        match self {
            Piece::Narrow(rows) => rows.iter_mut().zip(values).for_each(|(to, &value)| *to = value as u32),
            Piece::Wide(rows) => rows.iter_mut().zip(values).for_each(|(to, &value)| *to = value),
        }
    }
}

/// The id of the constraint in each row, or [`DEAD`].
pub(crate) struct Ids(Column);

/// How a narrow column stores [`DEAD`].
const NARROW_DEAD: u32 = u32::MAX;

fn wide_id(id: u32) -> u64 {
    if id == NARROW_DEAD { DEAD } else { u64::from(id) }
}

impl Ids {
    pub(crate) fn new() -> Self {
        Self(Column::Narrow(Growing::default()))
    }

    #[inline]
    pub(crate) fn get(&self, row: u32) -> u64 {
        match &self.0 {
            Column::Narrow(ids) => wide_id(ids[row as usize]),
            Column::Wide(ids) => ids[row as usize],
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, row: u32, id: u64) {
        match &mut self.0 {
            Column::Narrow(ids) if id < u64::from(NARROW_DEAD) => ids[row as usize] = id as u32,
            Column::Narrow(ids) if id == DEAD => ids[row as usize] = NARROW_DEAD,
            Column::Narrow(_) => {
                self.0.widen(wide_id);
                self.0.set(row, id);
            }
            Column::Wide(ids) => ids[row as usize] = id,
        }
    }

    /// Gives the rows from one on so many ids, from one on.
    pub(crate) fn set_all(&mut self, first: usize, id: u64, count: usize) {
        // All ids of rows are less than that of a dead one.
        if matches!(self.0, Column::Narrow(_)) && id + count as u64 > u64::from(NARROW_DEAD) {
            self.0.widen(wide_id);
        }
        match &mut self.0 {
            Column::Narrow(ids) => number(&mut ids[first..first + count], |at| (id + at) as u32),
            Column::Wide(ids) => number(&mut ids[first..first + count], |at| id + at),
        }
    }

    /// Gives the rows from one on these ids, which have 32 bits and are of no dead constraint.
    pub(crate) fn set_each(&mut self, first: usize, ids: impl Iterator<Item = u64>) {
        for (row, id) in (first as u32..).zip(ids) {
            self.set(row, id);
        }
    }

    /// Where the ids are, and whether they have 64 bits.
    pub(super) fn place(&self) -> (u64, bool) {
        self.0.place()
    }

    /// From now on ids have 64 bits.
    pub(super) fn widen(&mut self) {
        self.0.widen(wide_id);
    }

    /// Makes room for so many rows in all; new ones hold nothing.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.0.extend(rows, DEAD);
    }

    /// Rows there is room for.
    pub(crate) fn rows(&self) -> usize {
        self.0.rows()
    }

    pub(crate) fn width(&self) -> usize {
        self.0.width()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_wide_when_a_value_needs_it() {
        let mut column = Column::new(SortKind::Int);
        column.reserve(3);
        assert!(!column.set(0, 7) && !column.set(1, u64::from(u32::MAX)));
        assert_eq!(column.width(), 4);
        assert!(column.set(2, (-1i64).cast_unsigned()));
        assert_eq!((column.width(), [0, 1, 2].map(|row| column.get(row))), (8, [7, 0xffff_ffff, u64::MAX]));
        column.reserve(4);
        assert_eq!(column.get(3), 0);
    }

    #[test]
    fn ids_become_wide_and_dead_rows_stay_dead() {
        let mut ids = Ids::new();
        ids.reserve(3);
        ids.set(0, 5);
        assert_eq!([0, 1].map(|row| ids.get(row)), [5, DEAD]);
        ids.set(0, DEAD);
        ids.set(1, u64::from(u32::MAX) - 1);
        assert_eq!(ids.width(), 4);
        ids.set(2, u64::from(u32::MAX));
        assert_eq!(ids.width(), 8);
        assert_eq!([0, 1, 2].map(|row| ids.get(row)), [DEAD, 0xffff_fffe, 0xffff_ffff]);
        ids.reserve(4);
        assert_eq!((ids.get(3), ids.rows()), (DEAD, 4));
    }
}
