//! Constraints that were put into the store, as runs: most get rows and ids that follow each other, so that a round of
//! millions is a few words.

use gchr_base::memory::{self, Shortage};

/// A constraint that was put into the store, and which may have been removed since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Added {
    pub(crate) table: u32,
    pub(crate) row: u32,
    pub(crate) id: u64,
}

/// Constraints of one table whose rows and ids follow each other; there is at least one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub(crate) first: Added,
    pub(crate) count: u32,
}

impl Run {
    /// One constraint.
    fn of(first: Added) -> Self {
        Self { first, count: 1 }
    }

    /// The one at a place.
    fn at(self, place: u32) -> Added {
        let Added { table, row, id } = self.first;
        Added { table, row: row + place, id: id + u64::from(place) }
    }

    /// So many of them, from a place on.
    fn part(self, from: u32, count: u32) -> Self {
        Self { first: self.at(from), count }
    }

    /// Its constraints.
    pub(crate) fn iter(self) -> impl Iterator<Item = Added> {
        (0..self.count).map(move |place| self.at(place))
    }

    /// Whether another run goes on where this one ends.
    fn meets(self, next: Added) -> bool {
        self.first.table == next.table && self.count < u32::MAX && self.at(self.count) == next
    }
}

/// Constraints in the order in which they were put into the store.
#[derive(Clone, Default, Debug)]
pub(crate) struct AddedRuns {
    runs: Vec<Run>,
    count: usize,
}

impl AddedRuns {
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn clear(&mut self) {
        (self.count, _) = (0, self.runs.clear());
    }

    /// Bytes of the list.
    pub(crate) fn bytes(&self) -> u64 {
        (self.runs.capacity() * size_of::<Run>()) as u64
    }

    /// Makes room for so many more runs.
    pub(crate) fn reserve(&mut self, runs: usize) -> Result<(), Shortage> {
        memory::reserve(&mut self.runs, runs)
    }

    pub(crate) fn push(&mut self, added: Added) {
        self.push_run(Run::of(added));
    }

    pub(crate) fn push_run(&mut self, run: Run) {
        self.count += run.count as usize;
        match self.runs.last_mut() {
            Some(last) if last.meets(run.first) && last.count.checked_add(run.count).is_some() => {
                last.count += run.count;
            }
            _ => self.runs.push(run),
        }
    }

    /// Those that follow each other, together.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run> + Clone {
        self.runs.iter().copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Added> {
        self.runs().flat_map(Run::iter)
    }

    /// All of them.
    pub(crate) fn all(&self) -> Stretch<'_> {
        Stretch { runs: &self.runs, skipped: 0, count: self.count }
    }
}

impl Extend<Added> for AddedRuns {
    fn extend<I: IntoIterator<Item = Added>>(&mut self, all: I) {
        all.into_iter().for_each(|added| self.push(added));
    }
}

/// Some of a list that follow each other there.
#[derive(Clone, Copy)]
pub(crate) struct Stretch<'r> {
    /// What it begins in, and what may go on behind its end.
    runs: &'r [Run],
    /// So many of the first run are before it.
    skipped: u32,
    count: usize,
}

impl<'r> Stretch<'r> {
    pub(crate) fn len(self) -> usize {
        self.count
    }

    pub(crate) fn is_empty(self) -> bool {
        self.count == 0
    }

    /// The first one.
    pub(crate) fn first(self) -> Option<Added> {
        self.runs().next().map(|run| run.first)
    }

    /// The first so many, and the others.
    pub(crate) fn split_at(self, count: usize) -> (Self, Self) {
        let count = count.min(self.count);
        let (mut at, mut left) = (0, self.skipped as usize + count);
        while let Some(run) = self.runs.get(at).filter(|run| left >= run.count as usize) {
            (at, left) = (at + 1, left - run.count as usize);
        }
        let behind = Self { runs: &self.runs[at..], skipped: left as u32, count: self.count - count };
        (Self { count, ..self }, behind)
    }

    /// Stretches of so many, the last one of at most so many.
    pub(crate) fn chunks(self, count: usize) -> Vec<Self> {
        let (mut chunks, mut rest) = (Vec::with_capacity(self.count.div_ceil(count)), self);
        while !rest.is_empty() {
            let (chunk, behind) = rest.split_at(count);
            chunks.push(chunk);
            rest = behind;
        }
        chunks
    }

    /// Those that follow each other in the store, too, together.
    pub(crate) fn runs(self) -> impl Iterator<Item = Run> + Clone + use<'r> {
        let (mut skipped, mut left) = (self.skipped, self.count);
        let part = move |run: &Run| {
            let count = (run.count - skipped).min(u32::try_from(left).unwrap_or(u32::MAX));
            let part = run.part(skipped, count);
            (skipped, left) = (0, left - count as usize);
            (count > 0).then_some(part)
        };
        self.runs.iter().map_while(part)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Added> + use<'r> {
        self.runs().flat_map(Run::iter)
    }

    /// How many at its front, at most so many, are of one table.
    pub(crate) fn of_one_table(self, most: usize) -> usize {
        let (mut count, mut table) = (0, None);
        for run in self.runs() {
            if count >= most || table.is_some_and(|table| table != run.first.table) {
                break;
            }
            table = Some(run.first.table);
            count += run.count as usize;
        }
        count.min(most)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lists of runs of any length, with gaps between their rows and ids, and what they are one by one.
    fn lists() -> impl Strategy<Value = (AddedRuns, Vec<Added>)> {
        let run = (0..3_u32, 0..2_u32, 0..2_u64, 1..9_u32, any::<bool>());
        prop::collection::vec(run, 0..20).prop_map(|runs| {
            let (mut list, mut all) = (AddedRuns::default(), Vec::new());
            let (mut rows, mut id) = ([0; 3], 0);
            for (table, other_rows, other_ids, count, at_once) in runs {
                let row = rows[table as usize] + other_rows;
                let run = Run { first: Added { table, row, id: id + other_ids }, count };
                (rows[table as usize], id) = (row + count, run.first.id + u64::from(count));
                if at_once {
                    list.push_run(run)
                } else {
                    list.extend(run.iter())
                }
                all.extend(run.iter());
            }
            (list, all)
        })
    }

    proptest! {
        #[test]
        fn runs_are_what_was_added((list, all) in lists()) {
            prop_assert_eq!(list.all().len(), all.len());
            prop_assert_eq!(list.iter().collect::<Vec<_>>(), all);
            prop_assert!(list.runs().zip(list.runs().skip(1)).all(|(a, b)| !a.meets(b.first)), "one run");
        }

        #[test]
        fn stretches_are_parts_of_what_was_added((list, all) in lists(), from in 0..100_usize, size in 1..9_usize) {
            let from = from.min(all.len());
            let (front, behind) = list.all().split_at(from);
            prop_assert_eq!(front.iter().collect::<Vec<_>>(), &all[..from]);
            prop_assert_eq!(behind.iter().collect::<Vec<_>>(), &all[from..]);
            prop_assert_eq!(behind.first(), all.get(from).copied());
            let chunks = behind.chunks(size).into_iter().map(|chunk| chunk.iter().collect::<Vec<_>>());
            prop_assert!(chunks.eq(all[from..].chunks(size)));
            let same = all[from..].iter().take_while(|added| added.table == all[from].table);
            prop_assert_eq!(behind.of_one_table(size), same.take(size).count());
        }
    }
}
