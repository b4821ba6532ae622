//! The order of sorts: the kinds that it makes, and which sorts are below which.

use gchr_base::hash::HashMap;

/// Sorts, their kinds, and the order within each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subsorts {
    /// The kind of each sort.
    kind: Vec<usize>,
    /// The place of each sort among those of its kind.
    place: Vec<usize>,
    /// Of each sort a bit for each place of its kind, but for those at the end that are not set: whether the sort there
    /// is the same or below.
    below: Vec<Vec<u64>>,
    /// How many these are.
    count: Vec<usize>,
    /// Of each sort whether another one is above it.
    is_below_others: Vec<bool>,
}

impl Subsorts {
    /// The order in which `edges` lead from sorts to sorts directly above, and its kinds: sorts that are connected,
    /// those with the most below them first. The first sort of a kind decides about the place of the kind.
    pub fn new(count: usize, edges: &[(usize, usize)]) -> (Self, Vec<Vec<usize>>) {
        let mut directly: Vec<Vec<usize>> = vec![Vec::new(); count];
        edges.iter().for_each(|&(below, above)| directly[above].push(below));
        let mut kinds = kinds(count, edges);
        let mut order = Self::default();
        order.resize(count);
        for (kind, sorts) in kinds.iter().enumerate() {
            for (place, &sort) in sorts.iter().enumerate() {
                (order.kind[sort], order.place[sort]) = (kind, place);
                order.below[sort] = vec![0; sorts.len().div_ceil(64)];
                set(&mut order.below[sort], place);
            }
        }
        let (sorts, is_cyclic) = upwards(&directly);
        // What is below a sort is known when it is reached, but for sorts below themselves.
        while order.gather(&sorts, &directly) && is_cyclic {}
        for &(below, above) in edges {
            order.is_below_others[below] |= below != above;
        }
        for (count, bits) in order.count.iter_mut().zip(&order.below) {
            *count = ones(bits);
        }
        kinds.iter_mut().for_each(|kind| order.largest_first(kind));
        (order, kinds)
    }

    fn resize(&mut self, count: usize) {
        self.kind.resize(count, 0);
        self.place.resize(count, 0);
        self.below.resize(count, Vec::new());
        self.count.resize(count, 1);
        self.is_below_others.resize(count, false);
    }

    fn largest_first(&self, kind: &mut [usize]) {
        // What few new sorts change is nearly in order.
        kind.sort_by_key(|&sort| (std::cmp::Reverse(self.count[sort]), sort));
    }

    /// Adds further sorts and edges, as if all had been known from the beginning. `false` where edges connect kinds
    /// that there have been, or where there are so many that it takes no longer to begin again: then this is no order
    /// any more.
    pub fn extend(&mut self, count: usize, edges: &[(usize, usize)], known: &mut Vec<Vec<usize>>) -> bool {
        const FEW: usize = 8;
        let (old, old_kinds) = (self.kind.len(), known.len());
        if FEW * (count - old).max(edges.len()) > old {
            return false;
        }
        // Nodes of a graph: the new sorts, and behind them the kinds that edges lead to or from.
        let mut nodes: HashMap<usize, usize> = HashMap::default();
        let mut node = |of: usize, order: &Self| match of.checked_sub(old) {
            Some(new) => new,
            None => {
                let next = count - old + nodes.len();
                *nodes.entry(order.kind[of]).or_insert(next)
            }
        };
        let inner: Vec<(usize, usize)> =
            edges.iter().map(|&(below, above)| (node(below, self), node(above, self))).collect();
        let mut kind_of_node = vec![None; nodes.len()];
        nodes.into_iter().for_each(|(kind, node)| kind_of_node[node - (count - old)] = Some(kind));
        self.resize(count);
        let mut changed = Vec::new();
        for sorts in kinds(count - old + kind_of_node.len(), &inner) {
            let is_new = |&&node: &&usize| node < count - old;
            let mut joined = sorts.iter().filter_map(|node| kind_of_node[node.checked_sub(count - old)?]);
            let kind = joined.next().unwrap_or(known.len());
            if joined.next().is_some() {
                return false;
            }
            if kind == known.len() {
                known.push(Vec::new());
            }
            changed.push(kind);
            for new in sorts.iter().filter(is_new).map(|node| node + old) {
                (self.kind[new], self.place[new]) = (kind, known[kind].len());
                set(&mut self.below[new], self.place[new]);
                known[kind].push(new);
            }
        }
        debug_assert!(known[old_kinds..].is_sorted_by_key(|kind| kind[0]));
        edges.iter().for_each(|&(below, above)| self.add(below, above, &known[self.kind[above]]));
        changed.into_iter().for_each(|kind| self.largest_first(&mut known[kind]));
        true
    }

    /// Adds an edge between two sorts of a kind.
    fn add(&mut self, below: usize, above: usize, kind: &[usize]) {
        if self.is_below(below, above) {
            return;
        }
        self.is_below_others[below] = true;
        let more = self.below[below].clone();
        let first = more.iter().position(|&word| word != 0).unwrap_or(more.len());
        let all = if self.is_below_others[above] { kind } else { &[above] };
        for &sort in all {
            if self.is_below(above, sort) {
                let bits = &mut self.below[sort];
                bits.resize(bits.len().max(more.len()), 0);
                for (known, more) in bits.iter_mut().zip(&more).skip(first) {
                    self.count[sort] += (more & !*known).count_ones() as usize;
                    *known |= more;
                }
            }
        }
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
        let word = || self.below[above].get(place / 64).copied().unwrap_or(0);
        self.kind[below] == self.kind[above] && word() >> (place % 64) & 1 == 1
    }
}

fn set(bits: &mut Vec<u64>, place: usize) {
    bits.resize(bits.len().max(place / 64 + 1), 0);
    bits[place / 64] |= 1 << (place % 64);
}

fn ones(bits: &[u64]) -> usize {
    bits.iter().map(|bits| bits.count_ones() as usize).sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_testkit::random::Random;

    /// Orders that get random sorts and edges bit by bit, cycles among them, are those of all of them at once.
    #[test]
    fn an_order_that_is_extended_is_the_same_as_one_of_all_edges() {
        let (mut extended, mut merged) = (0, 0);
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let mut count = [20, 70][random.below(2)];
            let edge = |random: &mut Random, count| (random.below(count), random.below(count));
            let mut edges: Vec<_> = (0..count / 2).map(|_| edge(&mut random, count)).collect();
            let (mut order, mut kinds) = Subsorts::new(count, &edges);
            for _ in 0..8 {
                count += random.below(3);
                let more: Vec<(usize, usize)> =
                    (0..random.below(3)).map(|_| edge(&mut random, count)).collect();
                edges.extend(&more);
                let (whole, all) = Subsorts::new(count, &edges);
                if !order.extend(count, &more, &mut kinds) {
                    (order, kinds, merged) = (whole, all, merged + 1);
                    continue;
                }
                assert_eq!((&kinds, &order.count), (&all, &whole.count), "seed {seed}");
                for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
                    assert_eq!(order.is_below(a, b), whole.is_below(a, b), "seed {seed}: {a} below {b}");
                }
                assert_eq!(order.is_below_others, whole.is_below_others, "seed {seed}");
                extended += 1;
            }
        }
        assert!(extended > 500 && merged > 500, "{extended} and {merged}");
    }
}
