//! Provenance: the atomic loads from which numbers and control are computed, and which threads must agree on for a rule
//! to be kept.

use gchr_base::hash::HashSet;

use super::model::Key;
use super::verdict::Rule;

/// The atomic loads from which something is computed: a node of [`Provenances`].
pub(super) type Provenance = u32;

/// No atomic load at all.
pub(super) const NO_LOAD: Provenance = 0;

/// The provenance graph of a walk.
pub(super) struct Provenances {
    all: Vec<ProvenanceNode>,
}

#[derive(Default)]
struct ProvenanceNode {
    load: Option<Key>,
    from: Vec<Provenance>,
    /// Whether the lanes of a warp agree on it in any case.
    agreed: bool,
}

impl Provenances {
    pub fn new() -> Self {
        Self { all: vec![ProvenanceNode::default()] }
    }

    fn add(&mut self, node: ProvenanceNode) -> Provenance {
        self.all.push(node);
        self.all.len() as Provenance - 1
    }

    /// An atomic load at a place that is computed from others.
    pub fn load(&mut self, load: Key, index: Provenance) -> Provenance {
        self.add(ProvenanceNode { load: Some(load), from: vec![index], agreed: false })
    }

    /// The result of a vote or a shuffle, which all lanes of a warp share.
    pub fn agreed(&mut self, from: Provenance) -> Provenance {
        if from == NO_LOAD {
            from
        } else {
            self.add(ProvenanceNode { load: None, from: vec![from], agreed: true })
        }
    }

    pub fn both(&mut self, a: Provenance, b: Provenance) -> Provenance {
        match (a, b) {
            _ if a == b => a,
            (NO_LOAD, one) | (one, NO_LOAD) => one,
            _ => self.add(ProvenanceNode { from: vec![a, b], ..ProvenanceNode::default() }),
        }
    }

    pub fn of_all(&mut self, all: impl IntoIterator<Item = Provenance>) -> Provenance {
        all.into_iter().fold(NO_LOAD, |a, b| self.both(a, b))
    }

    /// A node that [`extend`](Self::extend) can add to later.
    pub fn open(&mut self, first: Provenance) -> Provenance {
        self.add(ProvenanceNode { from: vec![first], ..ProvenanceNode::default() })
    }

    pub fn extend(&mut self, open: Provenance, by: Provenance) {
        if open != NO_LOAD && by != NO_LOAD {
            self.all[open as usize].from.push(by);
        }
    }

    /// The loads from which these are computed. `for_lanes`: only those that can make the lanes of a warp disagree.
    pub fn loads(&self, provenances: &[Provenance], for_lanes: bool) -> HashSet<Key> {
        let (mut loads, mut met) = (HashSet::default(), HashSet::default());
        let mut waiting = provenances.to_vec();
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

/// On what control depends at barriers, and at masks, where only the lanes of a warp have to agree.
#[derive(Default)]
pub(super) struct Dependence {
    barriers: Vec<Provenance>,
    lanes: Vec<Provenance>,
}

impl Dependence {
    pub fn add(&mut self, rule: Rule, provenance: Provenance) {
        let for_lanes = matches!(rule, Rule::Mask | Rule::ShuffleSource);
        let places = if for_lanes { &mut self.lanes } else { &mut self.barriers };
        if places.last() != Some(&provenance) {
            places.push(provenance);
        }
    }

    pub fn loads(&self, provenances: &Provenances) -> HashSet<Key> {
        let mut loads = provenances.loads(&self.barriers, false);
        loads.extend(provenances.loads(&self.lanes, true));
        loads
    }
}
