//! Symbols: the unknown numbers of a kernel, which threads agree on them, and what is known of them.

use std::sync::Arc;

use gchr_base::hash::HashMap;

use super::poly::Poly;
use super::provenance::{NO_LOAD, Provenance, Provenances};
use gchr_kernel::ir::{BinaryOp, Intrinsic, Scalar, UnaryOp};

/// Which threads a value is the same in: the types of the thesis, section 2.2.3, where `Grid` and `Block` are `Lo` for
/// the barriers of the grid and of the block, and whatever is above is `Hi`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) enum Level {
    /// The same in all threads of the grid.
    #[default]
    Grid,
    /// The same in all threads of a block.
    Block,
    /// The same in all lanes of a warp.
    Warp,
    /// Each thread has its own.
    Thread,
}

/// A truth value over symbols.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Cond {
    Const(bool),
    /// `>= 0`
    Ge(Poly),
    /// `== 0`
    Eq(Poly),
    /// `!= 0`
    Ne(Poly),
    And(Arc<[Cond]>),
    Or(Arc<[Cond]>),
}

impl Cond {
    pub fn negate(&self) -> Cond {
        match self {
            Cond::Const(b) => Cond::Const(!b),
            // Not p >= 0 is -p - 1 >= 0.
            Cond::Ge(p) => Cond::Ge(linear(&[(p, -1)], -1)),
            Cond::Eq(p) => Cond::Ne(p.clone()),
            Cond::Ne(p) => Cond::Eq(p.clone()),
            Cond::And(all) => Cond::Or(all.iter().map(Cond::negate).collect()),
            Cond::Or(all) => Cond::And(all.iter().map(Cond::negate).collect()),
        }
    }
    pub fn and(self, other: Cond) -> Cond {
        match (&self, &other) {
            (Cond::Const(true), _) | (_, Cond::Const(false)) => other,
            (_, Cond::Const(true)) | (Cond::Const(false), _) => self,
            _ => Cond::And([self, other].into()),
        }
    }
    pub fn or(self, other: Cond) -> Cond {
        match (&self, &other) {
            (Cond::Const(false), _) | (_, Cond::Const(true)) => other,
            (_, Cond::Const(false)) | (Cond::Const(true), _) => self,
            _ => Cond::Or([self, other].into()),
        }
    }
    /// Calls `visit` on every polynomial.
    pub fn polys(&self, visit: &mut impl FnMut(&Poly)) {
        match self {
            Cond::Const(_) => {}
            Cond::Ge(p) | Cond::Eq(p) | Cond::Ne(p) => visit(p),
            Cond::And(all) | Cond::Or(all) => all.iter().for_each(|c| c.polys(visit)),
        }
    }
    pub fn map(&self, f: &mut impl FnMut(&Poly) -> Poly) -> Cond {
        match self {
            Cond::Const(b) => Cond::Const(*b),
            Cond::Ge(p) => Cond::Ge(f(p)),
            Cond::Eq(p) => Cond::Eq(f(p)),
            Cond::Ne(p) => Cond::Ne(f(p)),
            Cond::And(all) => Cond::And(all.iter().map(|c| c.map(f)).collect()),
            Cond::Or(all) => Cond::Or(all.iter().map(|c| c.map(f)).collect()),
        }
    }
}

/// A function of other symbols, uninterpreted but for some facts: equal arguments give the same symbol.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Application {
    Binary(BinaryOp, Scalar, Poly, Poly),
    Unary(UnaryOp, Scalar, Poly),
    Cast(Scalar, Scalar, Poly),
    Intrinsic(Intrinsic, Scalar, Vec<Poly>),
    Select(Cond, Poly, Poly),
    /// 1 when it holds, 0 otherwise.
    Indicator(Cond),
    /// Quotient of a number that is not negative.
    Quotient(Poly, Poly),
    /// Too long to be written out.
    Sum(BinaryOp, Poly, Poly),
}

impl Application {
    /// Calls `visit` on every polynomial.
    fn polys(&self, visit: &mut impl FnMut(&Poly)) {
        match self {
            Application::Binary(_, _, a, b) | Application::Quotient(a, b) | Application::Sum(_, a, b) => {
                [a, b].into_iter().for_each(visit);
            }
            Application::Unary(_, _, a) | Application::Cast(_, _, a) => visit(a),
            Application::Intrinsic(_, _, args) => args.iter().for_each(visit),
            Application::Select(c, a, b) => {
                c.polys(visit);
                [a, b].into_iter().for_each(visit);
            }
            Application::Indicator(c) => c.polys(visit),
        }
    }
}

/// What is known of a symbol.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    /// Which threads agree on it.
    pub level: Level,
    /// Whether a thread may see several of its values between two barriers of the block, of the grid.
    pub varies: [bool; 2],
    /// Whether it depends on data: on memory, on votes, on results of loops.
    pub data: bool,
    /// The type that it is a number of, if that says something of it.
    pub range: Option<Scalar>,
    /// What else holds of it.
    pub facts: Vec<Cond>,
    /// What it is equal to, over other symbols.
    pub definition: Option<Poly>,
    /// What a variable of a loop was before the loop.
    pub first: Option<Poly>,
    /// Atomic loads that it is computed from.
    pub provenance: Provenance,
    /// Lanes that are active in this region of the control flow: the mask that it is.
    pub mask_of: Option<u32>,
}

impl Symbol {
    pub fn new(level: Level, varies: [bool; 2], data: bool) -> Self {
        Self {
            level,
            varies,
            data,
            range: None,
            facts: Vec::new(),
            definition: None,
            first: None,
            provenance: NO_LOAD,
            mask_of: None,
        }
    }
}

/// Positions of threads, by symbol.
pub(super) const WARP: u32 = 0;
pub(super) const LANE: u32 = 1;
pub(super) const BLOCK: u32 = 2;
pub(super) const BLOCK_SIZE: u32 = 3;
pub(super) const GRID_SIZE: u32 = 4;
/// Symbols below this one are positions.
pub(super) const POSITIONS: u32 = 5;

/// All symbols of a kernel.
pub(super) struct Symbols {
    all: Vec<Symbol>,
    terms: HashMap<Application, u32>,
    names: HashMap<u32, Application>,
    pub provenances: Provenances,
}

impl Symbols {
    /// The positions of threads, in blocks of at most `max_threads`.
    pub fn new(max_threads: u32) -> Self {
        let position = |level| Symbol::new(level, [false, false], false);
        let mut all: Vec<Symbol> =
            [Level::Warp, Level::Thread, Level::Block, Level::Grid, Level::Grid].map(position).to_vec();
        let less = |a: &Poly, b: &Poly| Cond::Ge(linear(&[(b, 1), (a, -1)], -1));
        let at_least = |a: &Poly, n: i128| Cond::Ge(linear(&[(a, 1)], -n));
        let [warp, lane, block, size, grid] = [WARP, LANE, BLOCK, BLOCK_SIZE, GRID_SIZE].map(Poly::var);
        let thread = thread_in_block();
        all[WARP as usize].facts = vec![at_least(&warp, 0), less(&thread, &size)];
        all[LANE as usize].facts =
            vec![at_least(&lane, 0), Cond::Ge(linear(&[(&lane, -1)], 31)), less(&thread, &size)];
        all[BLOCK as usize].facts = vec![at_least(&block, 0), less(&block, &grid)];
        all[BLOCK_SIZE as usize].facts =
            vec![at_least(&size, 32), Cond::Ge(linear(&[(&size, -1)], i128::from(max_threads)))];
        all[GRID_SIZE as usize].facts = vec![at_least(&grid, 1)];
        Self { all, terms: HashMap::default(), names: HashMap::default(), provenances: Provenances::new() }
    }

    pub fn get(&self, id: u32) -> &Symbol {
        &self.all[id as usize]
    }
    pub fn get_mut(&mut self, id: u32) -> &mut Symbol {
        &mut self.all[id as usize]
    }
    pub fn len(&self) -> u32 {
        self.all.len() as u32
    }

    pub fn add(&mut self, symbol: Symbol) -> u32 {
        let id = self.len();
        self.all.push(symbol);
        id
    }

    /// What holds of a symbol.
    pub fn facts(&self, id: u32) -> Vec<Cond> {
        let symbol = self.get(id);
        let range = symbol.range.map_or_else(Vec::new, |scalar| range(scalar, &Poly::var(id)));
        range.into_iter().chain(symbol.facts.iter().cloned()).collect()
    }

    /// Whether a symbol is a truth value, 0 or 1, of which nothing more is known.
    pub fn is_bit(&self, id: u32) -> bool {
        let symbol = self.get(id);
        symbol.range == Some(Scalar::Bool) && symbol.facts.is_empty()
    }

    /// The symbol of a term, a number of this type; `facts` are made for a new one.
    pub fn apply(
        &mut self,
        term: Application,
        range: Option<Scalar>,
        facts: impl FnOnce(&Poly) -> Vec<Cond>,
    ) -> Poly {
        if let Some(&id) = self.terms.get(&term) {
            return Poly::var(id);
        }
        let mut symbol = Symbol::new(Level::Grid, [false, false], false);
        term.polys(&mut |poly| self.take(&mut symbol, poly));
        let id = self.add(symbol);
        let poly = Poly::var(id);
        self.all[id as usize].range = range;
        self.all[id as usize].facts = facts(&poly);
        if matches!(term, Application::Intrinsic(..)) {
            self.names.insert(id, term.clone());
        }
        self.terms.insert(term, id);
        poly
    }

    /// The term that a symbol stands for, if that is an intrinsic.
    pub fn application_of(&self, id: u32) -> Option<&Application> {
        self.names.get(&id)
    }

    fn take(&mut self, symbol: &mut Symbol, poly: &Poly) {
        for var in poly.vars() {
            let other = &self.all[var as usize];
            symbol.level = symbol.level.max(other.level);
            symbol.data |= other.data;
            symbol.provenance = self.provenances.both(symbol.provenance, other.provenance);
            (0..2).for_each(|i| symbol.varies[i] |= other.varies[i]);
        }
    }

    /// Puts what loops count in place of their variables.
    pub fn expand(&self, poly: &Poly) -> Poly {
        let mut poly = poly.clone();
        for _ in 0..16 {
            let Some(var) = poly.vars().find(|&v| self.get(v).definition.is_some()) else { break };
            let Some(definition) = &self.get(var).definition else { break };
            match poly.substitute(var, definition) {
                Some(new) => poly = new,
                None => break,
            }
        }
        poly
    }

    pub fn level(&self, poly: &Poly) -> Level {
        poly.vars().map(|v| self.get(v).level).max().unwrap_or(Level::Grid)
    }
    /// The atomic loads that a number is computed from.
    pub fn provenance(&mut self, poly: &Poly) -> Provenance {
        self.provenances.of_all(poly.vars().map(|v| self.all[v as usize].provenance))
    }
    pub fn provenance_of(&mut self, cond: &Cond) -> Provenance {
        let mut provenance = NO_LOAD;
        cond.polys(&mut |p| {
            let of_poly = self.provenance(p);
            provenance = self.provenances.both(provenance, of_poly);
        });
        provenance
    }
    pub fn depends_on_data(&self, poly: &Poly) -> bool {
        poly.vars().any(|v| self.get(v).data)
    }
    pub fn level_of(&self, cond: &Cond) -> Level {
        let mut level = Level::Grid;
        cond.polys(&mut |p| level = level.max(self.level(p)));
        level
    }
}

/// A sum of a few short polynomials.
pub(super) fn linear(terms: &[(&Poly, i128)], constant: i128) -> Poly {
    // Short polynomials have so few terms, and so small ones, that some of them fit the hard limits.
    Poly::sum(terms, constant).expect("a few short polynomials add up")
}

/// What holds of every number of a type.
fn range(scalar: Scalar, poly: &Poly) -> Vec<Cond> {
    let most = |n: i128| Cond::Ge(linear(&[(poly, -1)], n));
    let least = Cond::Ge(poly.clone());
    match scalar {
        Scalar::Bool => vec![least, most(1)],
        Scalar::U8 => vec![least, most(255)],
        Scalar::U32 | Scalar::U64 => vec![least],
        Scalar::I32 | Scalar::I64 | Scalar::F64 => Vec::new(),
    }
}

/// `threadIdx.x`
pub(super) fn thread_in_block() -> Poly {
    linear(&[(&Poly::var(WARP), 32), (&Poly::var(LANE), 1)], 0)
}
