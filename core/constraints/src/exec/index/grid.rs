//! Arrays over pairs of small numbers, which grow with them: heads of lists, or one bit a pair.

use std::ops::Range;

use gchr_base::memory::{self, Shortage, SparseWords};

/// Bytes that are in proportion whatever the number of rows: pages that are not written to take no memory.
const FREE_BYTES: usize = 64 << 20;
/// Bytes for each key that a grid may have in the place of a hash table.
const KEY_BYTES: usize = 32;
/// Bytes for each row that are in proportion.
const ROW_BYTES: usize = 128;

/// Places of pairs in a rectangle: those of one row of it follow each other.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct GridShape {
    width: usize,
    height: usize,
}

impl GridShape {
    #[inline]
    fn place(self, a: u64, b: u64) -> Option<usize> {
        let (a, b) = (usize::try_from(a).ok()?, usize::try_from(b).ok()?);
        (a < self.height && b < self.width).then(|| a * self.width + b)
    }

    /// A rectangle with room for this pair too, of at most so many places, and with room for more pairs where there is
    /// some.
    fn with(self, a: u64, b: u64, most: usize) -> Option<Self> {
        let (a, b) = (usize::try_from(a).ok()?, usize::try_from(b).ok()?);
        if a >= most || b >= most {
            return None;
        }
        let least = Self { width: self.width.max(b + 1), height: self.height.max(a + 1) };
        if least.width.checked_mul(least.height)? > most {
            return None;
        }
        let width = if b < self.width { self.width } else { (self.width * 2).max(least.width) };
        let width = width.min(most / least.height);
        let height = if a < self.height { self.height } else { (self.height * 2).max(least.height) };
        Some(Self { width, height: height.min(most / width) })
    }
}

/// A rectangle that grows for a pair, and at once for a pair that is expected to come where that is in proportion: what
/// is in it has to move each time.
fn grown(
    shape: GridShape,
    (a, b): (u64, u64),
    expected: (u64, u64),
    most: usize,
) -> Option<(GridShape, SparseWords)> {
    let all = shape.with(a.max(expected.0), b.max(expected.1), most);
    let shape = all.or_else(|| shape.with(a, b, most))?;
    Some((shape, SparseWords::new(shape.width * shape.height)?))
}

/// Bytes that are in proportion where memory is short, too: each row may need a page of its own.
fn free_bytes() -> usize {
    usize::try_from(memory::left() / 16).map_or(FREE_BYTES, |left| left.min(FREE_BYTES))
}

/// Says whether there may be so many more bytes in use.
fn asked(bytes: u64) -> Result<(), Shortage> {
    if bytes == 0 { Ok(()) } else { memory::ask(bytes) }
}

/// The first row of each pair's list.
pub(super) struct Grid {
    shape: GridShape,
    /// A row and one; 0 for none.
    heads: Option<SparseWords>,
    /// A pair up to which others probably come.
    expected: (u64, u64),
}

/// What making room led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Room {
    /// There was some.
    Had,
    /// There is now: more memory is in use.
    Made,
    /// The array would be out of proportion.
    Disproportionate,
}

impl Room {
    /// Whether there is room.
    pub(super) fn fits(self) -> bool {
        self != Room::Disproportionate
    }
}

impl From<bool> for Room {
    fn from(more: bool) -> Self {
        if more { Room::Made } else { Room::Had }
    }
}

impl Grid {
    pub(super) fn new() -> Self {
        Self { shape: GridShape::default(), heads: None, expected: (0, 0) }
    }

    /// Pairs up to this one probably come.
    pub(super) fn expect(&mut self, a: u64, b: u64) {
        self.expected = (a, b);
    }

    /// Where the heads are, by rows of a rectangle, with its width and height.
    pub(super) fn place(&self) -> Option<(u64, u64, u64)> {
        let heads = self.heads.as_ref()?;
        Some((heads.start() as u64, self.shape.width as u64, self.shape.height as u64))
    }

    /// Whether a grid of pairs up to this one takes not much more memory than a hash table of so many keys.
    pub(super) fn fits(a: u64, b: u64, keys: usize) -> bool {
        GridShape::default().with(a, b, keys.saturating_mul(KEY_BYTES) / 4).is_some()
    }

    /// The first row of a pair's list and one; 0 for none.
    #[inline]
    pub(super) fn get(&self, a: u64, b: u64) -> u32 {
        let place = self.shape.place(a, b);
        place.and_then(|place| self.heads.as_ref()?.get(place)).unwrap_or(0)
    }

    /// Sets the first row of a pair's list, for which there [is room](Self::make_room), and gives the one before.
    #[inline]
    pub(super) fn replace(&mut self, a: u64, b: u64, head: u32) -> u32 {
        let (Some(place), Some(heads)) = (self.shape.place(a, b), &mut self.heads) else {
            debug_assert!(false, "there is room for the pair");
            return 0;
        };
        let old = heads.get(place).unwrap_or(0);
        heads.set(place, head);
        old
    }

    /// Makes room for a pair, as long as the array is in proportion to so many rows.
    pub(super) fn make_room(&mut self, a: u64, b: u64, rows: usize) -> Result<Room, Shortage> {
        if let (Some(place), Some(heads)) = (self.shape.place(a, b), &mut self.heads) {
            return heads.make_room(place).map(Room::from);
        }
        let most = free_bytes().max(rows.saturating_mul(ROW_BYTES)) / 4;
        let grown = grown(self.shape, (a, b), self.expected, most);
        let Some((shape, mut words)) = grown else { return Ok(Room::Disproportionate) };
        asked(self.bytes())?;
        for (at, head) in self.heads.iter().flat_map(SparseWords::iter) {
            let place = at / self.shape.width * shape.width + at % self.shape.width;
            words.make_room(place)?;
            words.set(place, head);
        }
        (self.shape, self.heads) = (shape, Some(words));
        // The heads are elsewhere now.
        self.make_room(a, b, rows).map(|_| Room::Made)
    }

    /// Makes rows the first ones of their pairs' lists, as long as there is room in the rectangle; each leads to the
    /// one before. Gives the row behind the last of them.
    #[inline]
    pub(super) fn push_run(
        &mut self,
        pair: impl Fn(u32) -> (u64, u64),
        rows: Range<u32>,
        links: &mut [u32],
    ) -> Result<u32, Shortage> {
        let Some(heads) = &mut self.heads else { return Ok(rows.start) };
        for row in rows.clone() {
            let (a, b) = pair(row);
            let Some(place) = self.shape.place(a, b) else { return Ok(row) };
            heads.make_room(place)?;
            links[row as usize] = heads.get(place).unwrap_or(0).wrapping_sub(1);
            heads.set(place, row + 1);
        }
        Ok(rows.end)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.heads.as_ref().map_or(0, SparseWords::bytes)
    }

    /// The first rows of all lists.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.heads.iter().flat_map(SparseWords::iter).map(|(_, head)| head - 1)
    }
}

/// A set of pairs: a bit for each.
pub(super) struct Bits {
    /// Of words.
    shape: GridShape,
    words: Option<SparseWords>,
    /// A pair up to which others probably come.
    expected: (u64, u64),
}

impl Bits {
    pub(super) fn new() -> Self {
        Self { shape: GridShape::default(), words: None, expected: (0, 0) }
    }

    /// Pairs up to this one probably come.
    pub(super) fn expect(&mut self, a: u64, b: u64) {
        self.expected = (a, b);
    }

    /// Where the bits are, in words of 32 bits by rows of a rectangle, with its width in words and its height.
    pub(super) fn place(&self) -> Option<(u64, u64, u64)> {
        let words = self.words.as_ref()?;
        Some((words.start() as u64, self.shape.width as u64, self.shape.height as u64))
    }

    /// Whether a set of pairs up to this one is in proportion to so many rows.
    pub(super) fn fits(a: u64, b: u64, rows: usize) -> bool {
        GridShape::default().with(a, b / 32, Self::most(rows)).is_some()
    }

    fn most(rows: usize) -> usize {
        free_bytes().max(rows.saturating_mul(ROW_BYTES)) / 4
    }

    #[inline]
    pub(super) fn contains(&self, a: u64, b: u64) -> bool {
        let word = self.shape.place(a, b / 32).and_then(|place| self.words.as_ref()?.get(place));
        word.is_some_and(|word| word >> (b % 32) & 1 == 1)
    }

    /// Puts a pair, for which there [is room](Self::make_room), into the set, or takes it out.
    #[inline]
    pub(super) fn set(&mut self, a: u64, b: u64, is_member: bool) {
        let (Some(place), Some(words)) = (self.shape.place(a, b / 32), &mut self.words) else {
            debug_assert!(false, "there is room for the pair");
            return;
        };
        let (word, bit) = (words.get(place).unwrap_or(0), 1 << (b % 32));
        words.set(place, if is_member { word | bit } else { word & !bit });
    }

    /// Puts pairs into the set, as other threads may do at the same time. The places of those that are new are appended
    /// to one list, those for which there is no room in the rectangle to another. Afterwards the memory is to be
    /// [accounted for](Self::settle).
    #[inline]
    pub(super) fn claim_beside(
        &self,
        pair: impl Fn(usize) -> (u64, u64),
        count: usize,
        new: &mut Vec<u32>,
        outside: &mut Vec<u32>,
    ) -> Result<(), Shortage> {
        let Some(words) = &self.words else {
            outside.extend(0..count as u32);
            return Ok(());
        };
        let (shape, mut at) = (self.shape, 0);
        while at < count {
            let (start, few) = (new.len(), count.min(at + FEW));
            at = missing(shape, words, &pair, (at, few), new);
            keep_new(new, start, |own| {
                let (a, b) = pair(own);
                let Some(place) = shape.place(a, b / 32) else { return Ok(false) };
                let bit = 1 << (b % 32);
                Ok(words.set_bits(place, bit)? & bit == 0)
            })?;
            if at < few {
                outside.push(at as u32);
                at += 1;
            }
        }
        Ok(())
    }

    /// Accounts for the memory that [claims](Self::claim_beside) of threads have taken.
    pub(super) fn settle(&mut self) {
        self.words.iter_mut().for_each(SparseWords::settle);
    }

    /// Puts the pairs of some places into the set, as long as there is room in its rectangle; the places of those that
    /// are new are appended. Gives the place behind the last one.
    #[inline]
    pub(super) fn claim(
        &mut self,
        pair: impl Fn(usize) -> (u64, u64),
        (from, to): (usize, usize),
        new: &mut Vec<u32>,
    ) -> Result<usize, Shortage> {
        let Some(words) = &mut self.words else { return Ok(from) };
        let (shape, mut at) = (self.shape, from);
        while at < to {
            let (start, few) = (new.len(), to.min(at + FEW));
            let behind = missing(shape, words, &pair, (at, few), new);
            keep_new(new, start, |own| {
                let (a, b) = pair(own);
                let Some(place) = shape.place(a, b / 32) else { return Ok(false) };
                let (word, bit) = (words.get(place).unwrap_or(0), 1 << (b % 32));
                if word & bit != 0 {
                    return Ok(false);
                }
                words.make_room(place)?;
                words.set(place, word | bit);
                Ok(true)
            })?;
            if behind < few {
                return Ok(behind);
            }
            at = behind;
        }
        Ok(to)
    }

    /// Makes room for a pair, as long as the set is in proportion to so many rows.
    #[inline]
    pub(super) fn make_room(&mut self, a: u64, b: u64, rows: usize) -> Result<Room, Shortage> {
        match (self.shape.place(a, b / 32), &mut self.words) {
            (Some(place), Some(words)) => words.make_room(place).map(Room::from),
            _ => self.grow(a, b, rows),
        }
    }

    #[cold]
    fn grow(&mut self, a: u64, b: u64, rows: usize) -> Result<Room, Shortage> {
        let expected = (self.expected.0, self.expected.1 / 32);
        let grown = grown(self.shape, (a, b / 32), expected, Self::most(rows));
        let Some((shape, mut words)) = grown else { return Ok(Room::Disproportionate) };
        asked(self.bytes())?;
        for (at, word) in self.words.iter().flat_map(SparseWords::iter) {
            let place = at / self.shape.width * shape.width + at % self.shape.width;
            words.make_room(place)?;
            words.set(place, word);
        }
        (self.shape, self.words) = (shape, Some(words));
        self.make_room(a, b, rows).map(|_| Room::Made)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.words.as_ref().map_or(0, SparseWords::bytes)
    }
}

/// Pairs that are looked for together: their words stay in the nearest cache until they are claimed.
const FEW: usize = 256;

/// Appends the places of pairs that are not in a set yet, from a place on, up to one for which there is no room in the
/// rectangle. Gives the place behind the last one. Nothing branches on whether a pair is in the set, which cannot be
/// predicted, so that many words are waited for together; most of those that are left are new.
#[inline]
fn missing(
    shape: GridShape,
    words: &SparseWords,
    pair: impl Fn(usize) -> (u64, u64),
    (from, to): (usize, usize),
    new: &mut Vec<u32>,
) -> usize {
    let start = new.len();
    new.resize(start + (to - from), 0);
    let (mut count, mut at) = (start, from);
    while at < to {
        let (a, b) = pair(at);
        let Some(place) = shape.place(a, b / 32) else { break };
        new[count] = at as u32;
        count += usize::from(words.get(place).unwrap_or(0) >> (b % 32) & 1 == 0);
        at += 1;
    }
    new.truncate(count);
    at
}

/// Keeps those of a list, from a place on, that are claimed: also where a shortage ends it.
#[inline]
fn keep_new(
    list: &mut Vec<u32>,
    from: usize,
    mut claims: impl FnMut(usize) -> Result<bool, Shortage>,
) -> Result<(), Shortage> {
    let mut kept = from;
    let claimed = (from..list.len()).try_for_each(|at| {
        let own = list[at];
        let is_new = claims(own as usize)?;
        list[kept] = own;
        kept += usize::from(is_new);
        Ok(())
    });
    list.truncate(kept);
    claimed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_grow_and_keep_their_heads() {
        let mut grid = Grid::new();
        let pairs = [(0, 0), (3, 1), (1, 900), (7_000, 5), (2, 3), (9, 230)];
        for (head, &(a, b)) in (1..).zip(&pairs) {
            assert_ne!(grid.make_room(a, b, 10), Ok(Room::Disproportionate));
            assert_eq!(grid.replace(a, b, head), 0);
            assert_eq!(grid.make_room(a, b, 10), Ok(Room::Had));
        }
        for (head, &(a, b)) in (1..).zip(&pairs) {
            assert_eq!(grid.get(a, b), head);
        }
        assert_eq!((grid.get(3, 0), grid.get(u64::MAX, 0), grid.get(0, 1 << 40)), (0, 0, 0));
        assert_eq!(grid.rows().count(), pairs.len());
        for far in [(u64::MAX, 0), (0, u64::MAX), (1 << 24, 1 << 24), (0, 1 << 20)] {
            assert_eq!(grid.make_room(far.0, far.1, 10), Ok(Room::Disproportionate), "{far:?}");
        }
        assert!(grid.bytes() < 1 << 20, "{}", grid.bytes());
    }

    #[test]
    fn sets_grow_and_keep_their_members() {
        let mut set = Bits::new();
        let pairs = [(0, 0), (0, 31), (3, 32), (1, 9000), (7000, 5), (2, 3), (9, 230)];
        for &(a, b) in &pairs {
            assert_ne!(set.make_room(a, b, 10), Ok(Room::Disproportionate));
            assert!(!set.contains(a, b));
            set.set(a, b, true);
        }
        assert!(pairs.iter().all(|&(a, b)| set.contains(a, b)));
        assert!(
            [(0, 1), (3, 0), (2, 35), (u64::MAX, 0), (0, u64::MAX)].iter().all(|&(a, b)| !set.contains(a, b))
        );
        set.set(0, 31, false);
        assert_eq!([(0, 0), (0, 31)].map(|(a, b)| set.contains(a, b)), [true, false]);
        assert_eq!(set.make_room(u64::MAX, 0, 10), Ok(Room::Disproportionate));
        assert!(
            Bits::fits(9999, 9999, 10) && !Bits::fits(29999, 29999, 10) && Bits::fits(29999, 29999, 1 << 20)
        );
    }
}
