//! What the parts of a result refer to, gone through, checked and counted by all threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gchr_base::ids::IdVec;
use gchr_base::signature::SortId;
use gchr_terms::exec::Cells;
use gchr_terms::plan::{ClassId, Layout, Variant};
use rayon::Scope;

/// Parts of a result up to which those that it reaches are counted in each run; else when somebody asks for their
/// number.
pub const COUNTED: u64 = 1 << 20;

/// Parts that a thread looks into between two looks at whether it should share pending ones, and how many must be
/// pending for it.
const TURN: usize = 1 << 12;
const SHARED: usize = 2;

/// Pending parts that a thread looks into one straight after the other. Where one lies does not depend on what is in
/// the one before, so that the memory is asked for several at a time.
const AT_ONCE: usize = 64;

/// Parts that refer to each other.
pub(crate) trait Parts: Sync {
    /// A reference to a part.
    type Ref: Copy + Send + Sync;

    /// Whether there is something to look into that nobody has entered; it is entered then. `None` where there is no
    /// such part.
    fn enters(&self, part: Self::Ref) -> Option<bool>;

    /// Puts off what a part refers to, and says what it adds to the two counts. `None` for one that is broken.
    fn look(&self, part: Self::Ref, waiting: &mut Vec<Self::Ref>) -> Option<[u64; 2]>;
}

/// The sums of the two counts over all parts that one reaches; `None` where one of them is broken.
pub(crate) fn search<P: Parts>(parts: &P, root: P::Ref) -> Option<[u64; 2]> {
    let search = Search { parts, counts: Default::default(), is_broken: AtomicBool::new(false) };
    rayon::scope(|scope| search.visit(scope, vec![root]));
    let Search { counts, is_broken, .. } = search;
    (!is_broken.into_inner()).then_some(counts.map(AtomicU64::into_inner))
}

struct Search<'a, P> {
    parts: &'a P,
    counts: [AtomicU64; 2],
    is_broken: AtomicBool,
}

impl<P: Parts> Search<'_, P> {
    fn visit<'s>(&'s self, scope: &Scope<'s>, waiting: Vec<P::Ref>) {
        if self.looked_into(scope, waiting).is_none() {
            self.is_broken.store(true, Ordering::Relaxed);
        }
    }

    /// Looks into all that waits; what was put off first is left to others now and then. `None` where a part is broken.
    fn looked_into<'s>(&'s self, scope: &Scope<'s>, mut waiting: Vec<P::Ref>) -> Option<()> {
        let together = rayon::current_num_threads() > 1;
        let (mut counts, mut visits) = ([0, 0], 0);
        let mut next = Vec::with_capacity(AT_ONCE);
        while !waiting.is_empty() {
            // All are entered first: atomic operations between loads from memory would have each wait for the last.
            for part in waiting.drain(waiting.len().saturating_sub(AT_ONCE)..) {
                if self.parts.enters(part)? {
                    next.push(part);
                }
            }
            visits += next.len();
            for part in next.drain(..) {
                let added = self.parts.look(part, &mut waiting)?;
                (0..2).for_each(|k| counts[k] += added[k]);
            }
            if together && visits >= TURN && waiting.len() >= SHARED {
                visits = 0;
                let rest: Vec<_> = waiting.drain(..waiting.len() / 2).collect();
                scope.spawn(move |scope| self.visit(scope, rest));
            }
        }
        (0..2).for_each(|k| _ = self.counts[k].fetch_add(counts[k], Ordering::Relaxed));
        Some(())
    }
}

/// A bit for each part, set when it is entered.
pub(crate) struct Seen(Vec<AtomicU64>);

impl Seen {
    /// For parts with numbers below this.
    pub(crate) fn new(parts: u64) -> Self {
        Self(bytemuck::zeroed_vec(parts.div_ceil(64) as usize))
    }

    /// Whether the part is new; it is not from now on. `None` for numbers of no part.
    pub(crate) fn enters(&self, part: u32) -> Option<bool> {
        let (word, bit) = (self.0.get(part as usize / 64)?, 1 << (part % 64));
        Some(word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0)
    }
}

/// The cell that a value refers to, and what it holds. `Some(None)` for a value without a cell, `None` for one that the
/// layout does not know.
pub(crate) fn cell_of(layout: &Layout, sort: SortId, value: u64) -> Option<Option<(ClassId, u32, &Variant)>> {
    let shape = &layout.sorts[sort];
    if shape.is_wide() {
        return Some(None);
    }
    let tag = value as u32 & ((1u32 << shape.tag_bits) - 1);
    let variant = shape.variants.get(tag as usize)?;
    Some(variant.class.map(|class| (class, value as u32 >> shape.tag_bits, variant)))
}

/// The fields of a cell that may refer to others, with the places of their words.
pub(crate) fn referring<'a>(
    layout: &'a Layout,
    variant: &'a Variant,
) -> impl Iterator<Item = (SortId, usize)> + 'a {
    let fields = variant.fields.iter().filter(|field| !layout.sorts[field.sort].is_wide());
    fields.map(|field| (field.sort, field.offset as usize))
}

/// How many cells a value reaches, and how many of them are as asked for, by class and number; `None` when it is no
/// normal form of the layout. `in_use`: by class, as many cells as there are at most.
pub(crate) fn cells(
    layout: &Layout,
    (cells, in_use): (&(impl Cells + Sync), &[u64]),
    value: (SortId, u64),
    asked_for: impl Fn(ClassId, u32) -> bool + Sync,
) -> Option<[u64; 2]> {
    let seen = in_use.iter().map(|&cells| Seen::new(cells)).collect();
    search(&AllCells { layout, cells, asked_for, seen }, value)
}

struct AllCells<'a, C, F> {
    layout: &'a Layout,
    cells: &'a C,
    asked_for: F,
    /// By class.
    seen: IdVec<ClassId, Seen>,
}

impl<C: Cells + Sync, F: Fn(ClassId, u32) -> bool + Sync> Parts for AllCells<'_, C, F> {
    type Ref = (SortId, u64);

    fn enters(&self, (sort, value): Self::Ref) -> Option<bool> {
        match cell_of(self.layout, sort, value)? {
            Some((class, index, _)) => self.seen[class].enters(index),
            None => Some(false),
        }
    }

    fn look(&self, (sort, value): Self::Ref, waiting: &mut Vec<Self::Ref>) -> Option<[u64; 2]> {
        let (class, index, variant) = cell_of(self.layout, sort, value)??;
        let cell = self.cells.cell(class, index)?;
        for (sort, at) in referring(self.layout, variant) {
            waiting.push((sort, u64::from(*cell.get(at)?)));
        }
        Some([1, (self.asked_for)(class, index).into()])
    }
}
