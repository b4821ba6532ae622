//! What the walk knows at a point of a kernel: values of variables, facts, the barriers passed last, and how uniform control is.

use std::sync::Arc;

use super::poly::Poly;
use super::provenance::Origin;
use super::symbol::{Cond, Level};
use super::vars::Vars;
use gchr_kernel::ir::{Function, Stmt, VarId};

/// A buffer, an array or a field of the launch record, by number.
pub(super) type Root = u32;

/// The value of a variable.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    /// Never written on some path.
    Unset,
    Number(Poly),
    Truth(Arc<Cond>),
    Record(Arc<[Value]>),
    Buffer(Named),
}

/// One of some buffers.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Named {
    pub roots: Arc<[Root]>,
    /// How uniform it is which one.
    pub level: Level,
    /// The choice between several: names that are the same choice are the same buffer.
    pub choice: u32,
}

impl Named {
    /// Whether two names are the same buffer for sure.
    pub fn is(&self, other: &Named) -> bool {
        self.roots == other.roots && (self.roots.len() == 1 || self.choice == other.choice)
    }
}

impl Value {
    pub fn number(poly: Poly) -> Self {
        Value::Number(poly)
    }
    pub fn truth(cond: Cond) -> Self {
        Value::Truth(Arc::new(cond))
    }
}

/// Facts in the order in which they became known; the newer ones share the older.
#[derive(Clone, Default, Debug)]
pub(super) struct Path(Option<Arc<Node>>);

#[derive(Debug)]
struct Node {
    cond: Cond,
    depth: usize,
    before: Path,
}

impl Path {
    pub fn depth(&self) -> usize {
        self.0.as_ref().map_or(0, |n| n.depth)
    }
    pub fn with(&self, cond: Cond) -> Path {
        match cond {
            Cond::Const(true) => self.clone(),
            cond => Path(Some(Arc::new(Node { cond, depth: self.depth() + 1, before: self.clone() }))),
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
    pub fn same(&self, other: &Path) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
    /// What both know.
    pub fn common(&self, other: &Path) -> Path {
        let (mut a, mut b) = (self.clone(), other.clone());
        loop {
            if a.same(&b) {
                return a;
            }
            let drop_a = a.depth() >= b.depth();
            let drop_b = b.depth() >= a.depth();
            let before = |p: &Path| p.0.as_ref().map_or_else(Path::default, |n| n.before.clone());
            (a, b) = (if drop_a { before(&a) } else { a }, if drop_b { before(&b) } else { b });
        }
    }
    pub fn address(&self) -> usize {
        self.0.as_ref().map_or(0, |n| Arc::as_ptr(n).addr())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // Long paths are taken apart without recursion.
        let mut next = self.before.0.take();
        while let Some(node) = next {
            match Arc::try_unwrap(node) {
                Ok(mut node) => next = node.before.0.take(),
                Err(_) => break,
            }
        }
    }
}

/// A barrier that may be the last one passed, with what is known when it was.
#[derive(Clone, Debug)]
pub(super) struct Since {
    pub interval: u32,
    pub facts: Vec<Path>,
}

/// An element that the thread says it owns.
pub(super) type Claim = Element;

/// An element of memory that other threads see too.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Element {
    pub buffer: Named,
    pub index: Poly,
    /// Field of the record, or all of it.
    pub field: Option<u32>,
}

impl Element {
    /// Whether it takes in all of another one.
    pub fn covers(&self, other: &Element) -> bool {
        let field = self.field.is_none() || self.field == other.field;
        field && self.index == other.index && self.buffer.is(&other.buffer)
    }
}

/// A statement within the functions called so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'m> {
    pub function: &'m Function,
    pub stmt: &'m Stmt,
}

/// How uniform control is, and where it parted last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control<'m> {
    pub level: Level,
    pub cause: Option<Site<'m>>,
    /// Region in which the same lanes are active.
    pub token: u32,
    /// Atomic loads that the conditions above it are computed from.
    pub origin: Origin,
}

impl<'m> Control<'m> {
    /// Control where threads part as a condition says.
    pub fn parted(self, level: Level, cause: Option<Site<'m>>) -> Self {
        if level > self.level { Self { level, cause, ..self } } else { self }
    }
}

/// What is known at a point.
#[derive(Clone, Debug)]
pub(super) struct State<'m> {
    pub vars: Vars,
    pub path: Path,
    pub control: Control<'m>,
    /// By scope: barriers of the block, barriers of the grid.
    pub since: [Arc<[Since]>; 2],
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

/// The barriers that may be the last one in either of two states.
pub(super) fn merge_since(
    a: (&Arc<[Since]>, &Path),
    b: (&Arc<[Since]>, &Path),
    common: &Path,
) -> Arc<[Since]> {
    if Arc::ptr_eq(a.0, b.0) {
        return a.0.clone();
    }
    let same = |x: &Since, y: &Since| {
        x.interval == y.interval
            && x.facts.len() == y.facts.len()
            && x.facts.iter().zip(&y.facts).all(|(p, q)| p.same(q))
    };
    let mut out: Vec<Since> = a.0.iter().filter(|x| b.0.iter().any(|y| same(x, y))).cloned().collect();
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
                // Two ways to be behind the same barrier: neither way's facts are known.
                Some(kept) => kept.facts.clear(),
                None => out.push(since),
            }
        }
    }
    out.into()
}
