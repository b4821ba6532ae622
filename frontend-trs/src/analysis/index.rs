//! Finds the rules of a function whose left-hand sides may match the same terms as another one, without looking at all
//! of them.

use gchr_base::cases::RootTest;
use gchr_base::hash::HashMap;
use gchr_base::rule::{Pattern, PatternKind};

/// Positions of patterns that are looked at: the first ones, outer ones before inner ones.
const MAX_POSITIONS: usize = 16;

/// Left-hand sides by what they have at some positions.
#[derive(Default)]
pub(crate) struct Index {
    rows: usize,
    positions: Vec<Position>,
    /// The position of an argument, by that of the term around it.
    below: HashMap<(Option<usize>, usize), usize>,
}

#[derive(Default)]
struct Position {
    by_head: HashMap<RootTest, Vec<usize>>,
    /// The rows that have a variable there or above, or another symbol above.
    others: Vec<usize>,
}

impl Index {
    /// Adds the next left-hand side.
    pub fn push(&mut self, args: &[Pattern]) {
        let mut heads = [None; MAX_POSITIONS];
        self.heads(args, true).into_iter().for_each(|(position, head)| heads[position] = Some(head));
        for (position, head) in self.positions.iter_mut().zip(heads) {
            match head {
                Some(head) => position.by_head.entry(head).or_default().push(self.rows),
                None => position.others.push(self.rows),
            }
        }
        self.rows += 1;
    }

    /// The rows that may match a term that these patterns match, and perhaps others, in order.
    pub fn candidates(&mut self, args: &[Pattern]) -> impl Iterator<Item = usize> + use<'_> {
        let found = self.heads(args, false);
        let lists = found.into_iter().map(|(position, head)| {
            let position = &self.positions[position];
            [position.by_head.get(&head).map_or(&[][..], Vec::as_slice), position.others.as_slice()]
        });
        let shortest = lists.min_by_key(|[same, others]| same.len() + others.len());
        let mut all = if shortest.is_none() { 0..self.rows } else { 0..0 };
        let [mut same, mut others] = shortest.unwrap_or_default();
        std::iter::from_fn(move || {
            let list = match (same.first(), others.first()) {
                (Some(a), Some(b)) if a < b => &mut same,
                (Some(_), None) => &mut same,
                (_, Some(_)) => &mut others,
                (None, None) => return all.next(),
            };
            let (&first, rest) = list.split_first()?;
            *list = rest;
            Some(first)
        })
    }

    /// What patterns have at the positions that are looked at. `new`: others may be added to these.
    fn heads(&mut self, args: &[Pattern], new: bool) -> Vec<(usize, RootTest)> {
        let mut heads = Vec::new();
        let mut todo: Vec<(Option<usize>, &[Pattern])> = vec![(None, args)];
        let mut next = 0;
        while let Some(&(around, args)) = todo.get(next) {
            next += 1;
            // Without a position of its own no term has any below it.
            for (i, pattern) in args.iter().enumerate().take(MAX_POSITIONS) {
                let Some(head) = RootTest::of(pattern) else { continue };
                let Some(position) = self.position((around, i), new) else { continue };
                heads.push((position, head));
                if let PatternKind::App { args, .. } = &pattern.kind {
                    todo.push((Some(position), args));
                }
            }
        }
        heads
    }

    fn position(&mut self, place: (Option<usize>, usize), new: bool) -> Option<usize> {
        if let Some(&known) = self.below.get(&place) {
            return Some(known);
        }
        if !new || self.positions.len() == MAX_POSITIONS {
            return None;
        }
        let position = self.positions.len();
        self.positions.push(Position { by_head: HashMap::default(), others: (0..self.rows).collect() });
        self.below.insert(place, position);
        Some(position)
    }
}
