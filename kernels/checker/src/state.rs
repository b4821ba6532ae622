//! What the walk knows at a point of a kernel: values of variables, facts, the barriers passed last, and how uniform
//! control is.

use std::sync::Arc;

use super::model::Site;
use super::provenance::Provenance;
use super::symbol::{Cond, Level};
use super::value::{Claim, Element, Value};
use super::vars::Vars;
use gchr_kernel::ir::VarId;

/// Facts in the order in which they became known; the newer ones share the older.
#[derive(Clone, Default, Debug)]
pub(super) struct PathCondition(Option<Arc<PathNode>>);

#[derive(Debug)]
struct PathNode {
    cond: Cond,
    depth: usize,
    before: PathCondition,
}

impl PathCondition {
    pub fn depth(&self) -> usize {
        self.0.as_ref().map_or(0, |n| n.depth)
    }
    pub fn with(&self, cond: Cond) -> PathCondition {
        match cond {
            Cond::Const(true) => self.clone(),
            cond => PathCondition(Some(Arc::new(PathNode {
                cond,
                depth: self.depth() + 1,
                before: self.clone(),
            }))),
        }
    }
    /// Newest first.
    pub fn iter(&self) -> impl Iterator<Item = &Cond> {
        let mut at = self.0.as_deref();
        std::iter::from_fn(move || {
            let node = at?;
            at = node.before.0.as_deref();
            Some(&node.cond)
        })
    }
    pub fn same(&self, other: &PathCondition) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
    /// What both know.
    pub fn common(&self, other: &PathCondition) -> PathCondition {
        let (mut a, mut b) = (self.clone(), other.clone());
        loop {
            if a.same(&b) {
                return a;
            }
            let drop_a = a.depth() >= b.depth();
            let drop_b = b.depth() >= a.depth();
            let before =
                |p: &PathCondition| p.0.as_ref().map_or_else(PathCondition::default, |n| n.before.clone());
            (a, b) = (if drop_a { before(&a) } else { a }, if drop_b { before(&b) } else { b });
        }
    }
    pub fn address(&self) -> usize {
        self.0.as_ref().map_or(0, |n| Arc::as_ptr(n).addr())
    }
}

impl Drop for PathNode {
    fn drop(&mut self) {
        // Long paths are freed without recursion.
        let mut next = self.before.0.take();
        while let Some(node) = next {
            match Arc::try_unwrap(node) {
                Ok(mut node) => next = node.before.0.take(),
                Err(_) => break,
            }
        }
    }
}

/// A barrier that may be the last one passed, and the paths on which it is.
#[derive(Clone, Debug)]
pub(super) struct LastBarrier {
    pub interval: u32,
    pub facts: Vec<PathCondition>,
}

/// How uniform control is, and where it diverged last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control<'m> {
    pub level: Level,
    pub cause: Option<Site<'m>>,
    /// Region in which the same lanes are active.
    pub token: u32,
    /// Atomic loads that the conditions above it are computed from.
    pub provenance: Provenance,
}

impl<'m> Control<'m> {
    /// Control where threads diverge at a condition.
    pub fn diverged(self, level: Level, cause: Option<Site<'m>>) -> Self {
        if level > self.level { Self { level, cause, ..self } } else { self }
    }
}

/// What is known at a point.
#[derive(Clone, Debug)]
pub(super) struct State<'m> {
    pub vars: Vars,
    pub path: PathCondition,
    pub control: Control<'m>,
    /// By scope: the last barriers of the block, the last barriers of the grid.
    pub since: [Arc<[LastBarrier]>; 2],
    pub claims: Arc<Vec<Claim>>,
}

impl State<'_> {
    pub fn get(&self, var: VarId) -> Value {
        self.vars.get(var.0 as usize)
    }
    pub fn set(&mut self, var: VarId, value: Value) {
        self.vars.set(var.0 as usize, value);
    }
    /// Whether the thread says that it owns an element.
    pub fn owns(&self, element: &Element) -> bool {
        self.claims.iter().any(|claim| claim.covers(element))
    }
    pub fn learn(&mut self, cond: Cond) {
        self.path = self.path.with(cond);
    }
}

/// Merges the last barriers of two states.
pub(super) fn merge_since(
    a: (&Arc<[LastBarrier]>, &PathCondition),
    b: (&Arc<[LastBarrier]>, &PathCondition),
    common: &PathCondition,
) -> Arc<[LastBarrier]> {
    if Arc::ptr_eq(a.0, b.0) {
        return a.0.clone();
    }
    let same = |x: &LastBarrier, y: &LastBarrier| {
        x.interval == y.interval
            && x.facts.len() == y.facts.len()
            && x.facts.iter().zip(&y.facts).all(|(p, q)| p.same(q))
    };
    let mut out: Vec<LastBarrier> = a.0.iter().filter(|x| b.0.iter().any(|y| same(x, y))).cloned().collect();
    for (list, path) in [a, b] {
        for since in list.iter() {
            if out.iter().any(|kept| same(kept, since)) {
                continue;
            }
            let mut since = since.clone();
            if !path.same(common) {
                since.facts.push(path.clone());
            }
            match out.iter_mut().find(|kept| kept.interval == since.interval) {
                // Two paths from the same barrier: the facts of neither path are known.
                Some(kept) => kept.facts.clear(),
                None => out.push(since),
            }
        }
    }
    out.into()
}
