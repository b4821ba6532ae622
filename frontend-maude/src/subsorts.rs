//! The order of sorts: the kinds that it makes, and which sorts are below which.

/// Sorts, their kinds, and the order within each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subsorts {
    /// The kind of each sort.
    kind: Vec<usize>,
    /// The place of each sort among those of its kind.
    place: Vec<usize>,
    /// Of each sort a bit for each place of its kind: whether the sort there is the same or below.
    below: Vec<Vec<u64>>,
}

impl Subsorts {
    /// The order in which `edges` lead from sorts to sorts directly above, and its kinds: sorts that are connected. The
    /// first sort of a kind decides about the place of the kind.
    pub fn new(count: usize, edges: &[(usize, usize)]) -> (Self, Vec<Vec<usize>>) {
        let mut directly: Vec<Vec<usize>> = vec![Vec::new(); count];
        edges.iter().for_each(|&(below, above)| directly[above].push(below));
        let kinds = kinds(count, edges);
        let mut order = Self { kind: vec![0; count], place: vec![0; count], below: vec![Vec::new(); count] };
        for (kind, sorts) in kinds.iter().enumerate() {
            for (place, &sort) in sorts.iter().enumerate() {
                (order.kind[sort], order.place[sort]) = (kind, place);
                order.below[sort] = vec![0; sorts.len().div_ceil(64)];
                order.below[sort][place / 64] |= 1 << (place % 64);
            }
        }
        let (sorts, is_cyclic) = upwards(&directly);
        // What is below a sort is known when it is reached, but for sorts below themselves.
        while order.gather(&sorts, &directly) && is_cyclic {}
        (order, kinds)
    }

    /// Adds to each sort in turn what is below those directly below it; whether anything was new.
    fn gather(&mut self, sorts: &[usize], directly: &[Vec<usize>]) -> bool {
        let mut is_new = false;
        for &sort in sorts {
            let mut all = std::mem::take(&mut self.below[sort]);
            for &below in directly[sort].iter().filter(|&&below| below != sort) {
                for (known, more) in all.iter_mut().zip(&self.below[below]) {
                    is_new |= more & !*known != 0;
                    *known |= more;
                }
            }
            self.below[sort] = all;
        }
        is_new
    }

    /// The kind of a sort.
    pub fn kind(&self, sort: usize) -> usize {
        self.kind[sort]
    }

    /// Whether a sort is another one, or below it.
    pub fn is_below(&self, below: usize, above: usize) -> bool {
        let place = self.place[below];
        self.kind[below] == self.kind[above] && self.below[above][place / 64] >> (place % 64) & 1 == 1
    }

    /// How many sorts are below one, with itself.
    pub fn count_below(&self, sort: usize) -> usize {
        self.below[sort].iter().map(|bits| bits.count_ones() as usize).sum()
    }
}

/// Sorts that edges connect, in the order of the first of them.
fn kinds(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(a, b) in edges {
        beside[a].push(b);
        beside[b].push(a);
    }
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    let mut is_known = vec![false; count];
    for first in 0..count {
        if std::mem::replace(&mut is_known[first], true) {
            continue;
        }
        let (mut kind, mut at) = (vec![first], 0);
        while let Some(&sort) = kind.get(at) {
            kind.extend(beside[sort].iter().filter(|&&other| !std::mem::replace(&mut is_known[other], true)));
            at += 1;
        }
        kind.sort_unstable();
        kinds.push(kind);
    }
    kinds
}

/// All sorts, each behind those directly below it, as far as they are not above it as well; whether some are.
fn upwards(directly: &[Vec<usize>]) -> (Vec<usize>, bool) {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Entered,
        Left,
    }
    let mut states = vec![State::New; directly.len()];
    let (mut order, mut is_cyclic) = (Vec::with_capacity(directly.len()), false);
    for first in 0..directly.len() {
        let mut path = if states[first] == State::New { vec![(first, 0)] } else { Vec::new() };
        while let Some((sort, next)) = path.pop() {
            states[sort] = State::Entered;
            match directly[sort].get(next) {
                Some(&below) => {
                    path.push((sort, next + 1));
                    is_cyclic |= states[below] == State::Entered;
                    if states[below] == State::New {
                        path.push((below, 0));
                    }
                }
                None => {
                    states[sort] = State::Left;
                    order.push(sort);
                }
            }
        }
    }
    (order, is_cyclic)
}
