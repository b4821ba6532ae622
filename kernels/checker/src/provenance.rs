//! Which atomic loads numbers and control are computed from: which of them have to be the same in all threads for a rule to be kept.

use gchr_base::hash::HashSet;

use super::verdict::Rule;
use super::walk::Key;

/// What something is computed from, by number.
pub(super) type Origin = u32;

/// No atomic load at all.
pub(super) const NO_LOAD: Origin = 0;

/// All origins of a walk.
pub(super) struct Origins {
    all: Vec<Node>,
}

#[derive(Default)]
struct Node {
    load: Option<Key>,
    from: Vec<Origin>,
    /// Whether the lanes of a warp agree on it whatever it is computed from.
    agreed: bool,
}

impl Origins {
    pub fn new() -> Self {
        Self { all: vec![Node::default()] }
    }

    fn add(&mut self, node: Node) -> Origin {
        self.all.push(node);
        self.all.len() as Origin - 1
    }

    /// An atomic load at a place that is computed from others.
    pub fn load(&mut self, load: Key, index: Origin) -> Origin {
        self.add(Node { load: Some(load), from: vec![index], agreed: false })
    }

    /// What all lanes of a warp get from a vote or a shuffle.
    pub fn agreed(&mut self, from: Origin) -> Origin {
        if from == NO_LOAD { from } else { self.add(Node { load: None, from: vec![from], agreed: true }) }
    }

    pub fn both(&mut self, a: Origin, b: Origin) -> Origin {
        match (a, b) {
            _ if a == b => a,
            (NO_LOAD, one) | (one, NO_LOAD) => one,
            _ => self.add(Node { from: vec![a, b], ..Node::default() }),
        }
    }

    pub fn of_all(&mut self, all: impl IntoIterator<Item = Origin>) -> Origin {
        all.into_iter().fold(NO_LOAD, |a, b| self.both(a, b))
    }

    /// What is computed from this, and from what [`extend`](Self::extend) adds later.
    pub fn open(&mut self, first: Origin) -> Origin {
        self.add(Node { from: vec![first], ..Node::default() })
    }

    pub fn extend(&mut self, open: Origin, by: Origin) {
        if open != NO_LOAD && by != NO_LOAD {
            self.all[open as usize].from.push(by);
        }
    }

    /// The loads that these are computed from. For lanes of a warp: those on which it rests whether the lanes agree on them.
    pub fn loads(&self, origins: &[Origin], for_lanes: bool) -> HashSet<Key> {
        let (mut loads, mut met) = (HashSet::default(), HashSet::default());
        let mut waiting = origins.to_vec();
        while let Some(at) = waiting.pop() {
            let node = &self.all[at as usize];
            if met.insert(at) && !(for_lanes && node.agreed) {
                loads.extend(node.load);
                waiting.extend(&node.from);
            }
        }
        loads
    }
}

/// What control rests on at some places, where barriers stand and where only the lanes of a warp have to agree.
#[derive(Default)]
pub(super) struct Resting {
    barriers: Vec<Origin>,
    lanes: Vec<Origin>,
}

impl Resting {
    pub fn add(&mut self, rule: Rule, origin: Origin) {
        let for_lanes = matches!(rule, Rule::Mask | Rule::ShuffleSource);
        let places = if for_lanes { &mut self.lanes } else { &mut self.barriers };
        if places.last() != Some(&origin) {
            places.push(origin);
        }
    }

    pub fn loads(&self, origins: &Origins) -> HashSet<Key> {
        let mut loads = origins.loads(&self.barriers, false);
        loads.extend(origins.loads(&self.lanes, true));
        loads
    }
}
