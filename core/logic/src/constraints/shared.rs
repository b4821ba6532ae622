//! Successive rules that begin alike for an active constraint which they remove: SWI-Prolog's compiler writes them as
//! one search, so that they are tried in turn for each partner. The order of firings is the one of that search here,
//! too.

use std::rc::Rc;

use gchr_base::hash::HashSet;
use gchr_base::logic::{CONS, LogicNode, LogicTermId, Mode, Terms, VarId};

use crate::machine::{Done, Machine};
use crate::store::rules::{Occurrence, Shared};

/// A place in the heads of a rule: of the active one and the partners in their order, and of the cells within it.
type Place = (usize, usize);

/// What is done for an occurrence, in order; what two of them begin with is done once for both.
#[derive(Clone, PartialEq, Debug)]
enum Step {
    /// A compound term where a variable could be.
    Bound(Place),
    Constant(Place, LogicNode),
    Functor(Place, String, usize),
    /// The same as another place.
    Same(Place, Place),
    /// Each constraint of a symbol that holds the first unbound one of some variables; in hash tables, with these
    /// columns.
    Find(u32, Vec<Place>, Vec<(usize, Step)>),
    /// A column of a hash table that is known.
    Known(Place),
    /// A part of the guard.
    Guard(String),
}

/// A head as it is planned: its symbol, its arguments and the modes of its columns.
pub(super) struct Head<'a> {
    pub symbol: u32,
    pub args: &'a [LogicTermId],
    pub modes: &'a [Mode],
}

/// The steps of one occurrence.
pub(super) struct Steps(Vec<Step>);

/// The variables of a head that are known before it is looked for and are not in ground columns, in their order; a
/// column that is declared to be unbound decides alone.
pub(super) fn via(terms: &Terms, head: &Head<'_>, known: &HashSet<VarId>) -> Vec<VarId> {
    let mut ground = HashSet::default();
    let mut all = Vec::new();
    for (&arg, mode) in head.args.iter().zip(head.modes) {
        let variables = variables(terms, arg);
        match mode {
            Mode::Ground => ground.extend(variables),
            _ => all.extend(variables),
        }
    }
    let mut seen = HashSet::default();
    all.retain(|v| known.contains(v) && !ground.contains(v) && seen.insert(*v));
    let free = head.args.iter().zip(head.modes).find_map(|(&arg, mode)| match terms.node(arg) {
        LogicNode::Var(v) if *mode == Mode::Free && all.contains(v) => Some(*v),
        _ => None,
    });
    free.map_or(all, |v| vec![v])
}

/// The variables of a term, depth first.
fn variables(terms: &Terms, term: LogicTermId) -> Vec<VarId> {
    let (mut found, mut pending) = (Vec::new(), vec![term]);
    while let Some(id) = pending.pop() {
        match terms.node(id) {
            LogicNode::Var(v) => found.push(*v),
            LogicNode::Compound { args, .. } => pending.extend(args.iter().rev()),
            _ => {}
        }
    }
    found
}

/// Where variables occur first.
type Names = gchr_base::hash::HashMap<VarId, Place>;

/// What is done for an occurrence whose active head comes first; with hash tables, parts of guards come as early as
/// they can.
pub(super) fn steps(terms: &Terms, heads: &[Head<'_>], guard: LogicTermId, hashes: bool) -> Steps {
    let (mut steps, mut names, mut known) = (Vec::new(), Names::default(), HashSet::default());
    let mut guards = if hashes { parts(terms, guard) } else { Vec::new() };
    let own: HashSet<VarId> = heads.iter().flat_map(|h| h.args).flat_map(|&a| variables(terms, a)).collect();
    for (level, head) in heads.iter().enumerate() {
        if level > 0 {
            let mut keys = Vec::new();
            for (column, &arg) in
                head.args.iter().enumerate().filter(|(c, _)| hashes && head.modes[*c] == Mode::Ground)
            {
                match terms.node(arg) {
                    LogicNode::Var(v) => keys.extend(names.get(v).map(|&place| (column, Step::Known(place)))),
                    LogicNode::Compound { .. } => {}
                    node => keys.push((column, Step::Constant((0, 0), node.clone()))),
                }
            }
            let via = if keys.is_empty() { via(terms, head, &known) } else { Vec::new() };
            steps.push(Step::Find(head.symbol, via.iter().map(|v| names[v]).collect(), keys));
        }
        head_steps(terms, head, level, &mut names, &mut steps);
        known.extend(head.args.iter().flat_map(|&arg| variables(terms, arg)));
        // Variables that only the guard has tie its parts together: these wait for the last head.
        let ready = |&part: &LogicTermId| {
            level + 1 == heads.len()
                || variables(terms, part).iter().all(|v| own.contains(v) && known.contains(v))
        };
        steps.extend(
            guards.iter().filter(|part| ready(part)).map(|&part| Step::Guard(text(terms, part, &names))),
        );
        guards.retain(|part| !ready(part));
    }
    Steps(steps)
}

/// The tests of a head's cells.
fn head_steps(terms: &Terms, head: &Head<'_>, level: usize, names: &mut Names, steps: &mut Vec<Step>) {
    let mut cell = 0;
    for (&arg, mode) in head.args.iter().zip(head.modes) {
        let mut pending = vec![arg];
        while let Some(id) = pending.pop() {
            let place = (level, cell);
            cell += 1;
            match terms.node(id) {
                LogicNode::Var(v) => match names.get(v) {
                    Some(&known) => steps.push(Step::Same(place, known)),
                    None => drop(names.insert(*v, place)),
                },
                LogicNode::Compound { name, args } => {
                    if *mode != Mode::Ground {
                        steps.push(Step::Bound(place));
                    }
                    steps.push(Step::Functor(place, name.to_string(), args.len()));
                    pending.extend(args.iter().rev());
                }
                node => steps.push(Step::Constant(place, node.clone())),
            }
        }
    }
}

/// The parts of a conjunction but for `true`.
fn parts(terms: &Terms, goal: LogicTermId) -> Vec<LogicTermId> {
    let (mut found, mut pending) = (Vec::new(), vec![goal]);
    while let Some(id) = pending.pop() {
        match terms.functor(id) {
            Some((",", &[a, b])) => pending.extend([b, a]),
            Some(("true", [])) => {}
            _ => found.push(id),
        }
    }
    found
}

/// A goal with the places of its variables.
fn text(terms: &Terms, goal: LogicTermId, names: &Names) -> String {
    let mut text = String::new();
    let mut pending = vec![goal];
    while let Some(id) = pending.pop() {
        match terms.node(id) {
            LogicNode::Var(v) => match names.get(v) {
                Some(place) => text += &format!("{place:?} "),
                None => text += &format!("{v:?} "),
            },
            LogicNode::Compound { name, args } => {
                text += &if &**name == CONS { "| ".to_string() } else { format!("{name:?}/{} ", args.len()) };
                pending.extend(args.iter().rev());
            }
            node => text += &format!("{node:?} "),
        }
    }
    text
}

/// Finds out which occurrences of a symbol are tried together. Clauses are merged one after the other: a later one can
/// share what all before it share, and one that shares a test only ends what can be shared.
pub(super) fn share(occurrences: &mut [Occurrence], steps: &[Steps]) {
    let removed: Vec<bool> = occurrences.iter().map(|occurrence| occurrence.removed).collect();
    let mut start = 0;
    while start < removed.len() {
        let mut depths = Vec::new();
        let mut common = steps[start].0.len();
        let mut end = start + 1;
        while end < removed.len() && removed[start] && removed[end] {
            let pairs = steps[start].0[..common].iter().zip(&steps[end].0);
            let same = pairs.take_while(|(a, b)| a == b).count();
            if same == 0 {
                break;
            }
            common = same;
            depths
                .push(steps[start].0[..common].iter().filter(|step| matches!(step, Step::Find(..))).count());
            end += 1;
        }
        let len = 1 + depths.iter().take_while(|&&depth| depth > 0).count();
        for index in 0..len {
            if len > 1 {
                let depth = depths[index.saturating_sub(1)];
                let next = if index + 1 < len { depths[index] } else { 0 };
                occurrences[start + index].shared = Some(Shared { index, len, depth, next });
            }
        }
        start = end;
    }
}

impl Machine<'_, '_> {
    /// Looks for partners for occurrences that are tried together, the first of which has the number `start`: from the
    /// one at `at` on, behind the given partners, or from the beginning.
    pub(super) fn search_shared(
        &mut self,
        id: u32,
        start: usize,
        mut at: usize,
        mut resume: bool,
        partners: &mut Vec<u32>,
    ) -> Done<Option<usize>> {
        let mut prefix = partners.clone();
        let shared = |m: &Self, at| m.occurrence(id, start + at).shared;
        if !resume {
            let len = shared(self, at).map_or(0, |shared| shared.len);
            at = self.descend(id, start, len, &mut prefix);
            if at == len {
                return Ok(None);
            }
        }
        loop {
            let occurrence = self.occurrence(id, start + at);
            let Some(Shared { len, depth, next, .. }) = occurrence.shared else { return Ok(None) };
            prefix.truncate(if resume { prefix.len() } else { depth });
            partners.clone_from(&prefix);
            if self.search(id, &occurrence, depth, resume, partners)? {
                return Ok(Some(start + at));
            }
            resume = false;
            prefix.truncate(depth);
            if depth > next && self.extend(id, start, at, &mut prefix, (next, depth)) {
                at = self.descend(id, start, at, &mut prefix);
                continue;
            }
            prefix.truncate(next);
            at += 1;
            if at == len {
                return Ok(None);
            }
        }
    }

    /// Gives the occurrences before the one at `at` the first partners that they share beyond those that it shares
    /// with them; the occurrence that is tried first with these.
    fn descend(&mut self, id: u32, start: usize, mut at: usize, prefix: &mut Vec<u32>) -> usize {
        while at > 0 {
            let depth = self.occurrence(id, start + at - 1).shared.map_or(0, |shared| shared.depth);
            let from = prefix.len();
            if depth > from && !self.extend(id, start, at - 1, prefix, (from, depth)) {
                break;
            }
            at -= 1;
        }
        at
    }

    /// The next partners at some levels, behind those that are given, for the occurrences up to the one at `at`: they
    /// agree on all levels but for the patterns of the last one.
    fn extend(
        &mut self,
        id: u32,
        start: usize,
        at: usize,
        prefix: &mut Vec<u32>,
        (from, to): (usize, usize),
    ) -> bool {
        let mut cursor = if prefix.len() == to { prefix.pop() } else { None }.unwrap_or(u32::MAX);
        loop {
            let level = prefix.len();
            let sharing = if level + 1 < to { 0..1 } else { 0..at + 1 };
            let found = sharing.filter_map(|i| self.next_of(id, start + i, prefix, cursor)).reduce(|a, b| {
                let met = a.1;
                let before =
                    if a.0 >= met && b.0 >= met { a.0 > b.0 } else { a.0 >= met || b.0 < met && a.0 < b.0 };
                if before { a } else { b }
            });
            if let Some((found, _)) = found {
                prefix.push(found);
                if level + 1 == to {
                    return true;
                }
                cursor = u32::MAX;
            } else if level == from {
                return false;
            } else {
                cursor = prefix.pop().unwrap_or(0);
            }
        }
    }

    /// The next partner of an occurrence behind those that are given and the cursor, and what its order is by.
    fn next_of(&mut self, id: u32, number: usize, prefix: &[u32], cursor: u32) -> Option<(u32, u32)> {
        let occurrence = self.occurrence(id, number);
        let slots = self.constraints.rules[occurrence.rule as usize].slots;
        if self.constraints.slots.len() < slots {
            self.constraints.slots.resize(slots, crate::cell::Cell::int(0));
        }
        let before = self.heap.unmatched();
        let matches = self.match_head(id, &occurrence.pattern)
            && prefix.iter().zip(&occurrence.partners).all(|(&id, p)| self.match_head(id, &p.pattern));
        let partner = occurrence.partners.get(prefix.len()).filter(|_| matches);
        let found = partner.and_then(|partner| {
            let met = self.met(&partner.via);
            self.candidate(id, partner, cursor, prefix).map(|found| (found, met))
        });
        self.heap.unmatch(before);
        found
    }
}

/// Occurrences with their steps, while rules are planned.
#[derive(Default)]
pub(super) struct Planned {
    pub occurrences: Vec<Occurrence>,
    pub steps: Vec<Steps>,
}

impl Planned {
    /// The occurrences, when all rules are planned.
    pub fn finish(mut self) -> Vec<Rc<Occurrence>> {
        share(&mut self.occurrences, &self.steps);
        self.occurrences.into_iter().map(Rc::new).collect()
    }
}
