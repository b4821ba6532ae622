//! What the parts of a result refer to, gone through, checked and counted by all threads.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use gchr_base::ids::IdVec;
use gchr_base::signature::SortId;
use gchr_terms::exec::Cells;
use gchr_terms::plan::{ClassId, Layout, Variant};
use rayon::Scope;
use rayon::prelude::*;

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

/// Marks that a thread counts at a time.
const PIECE: usize = 1 << 16;

/// Parts that refer to each other.
pub(crate) trait Parts: Sync {
    /// A reference to a part.
    type Ref: Copy + Send + Sync;

    /// Whether there is something to look into that has not been entered; it is entered then. `None` where there is no
    /// such part.
    fn enters(&self, part: Self::Ref) -> Option<bool>;

    /// Puts off what a part refers to. `None` for one that is broken.
    fn look(&self, part: Self::Ref, waiting: &mut Vec<Self::Ref>) -> Option<()>;
}

/// Enters all parts that one reaches; `None` where one of them is broken.
pub(crate) fn search<P: Parts>(parts: &P, root: P::Ref) -> Option<()> {
    let search = Search { parts, is_broken: AtomicBool::new(false) };
    rayon::scope(|scope| search.visit(scope, vec![root]));
    (!search.is_broken.into_inner()).then_some(())
}

struct Search<'a, P> {
    parts: &'a P,
    is_broken: AtomicBool,
}

impl<P: Parts> Search<'_, P> {
    fn visit<'s>(&'s self, scope: &Scope<'s>, waiting: Vec<P::Ref>) {
        if self.looked_into(scope, waiting).is_none() {
            self.is_broken.store(true, Ordering::Relaxed);
        }
    }

    /// Looks into all that waits; every other part is left to others now and then. `None` where a part is broken.
    fn looked_into<'s>(&'s self, scope: &Scope<'s>, mut waiting: Vec<P::Ref>) -> Option<()> {
        let together = rayon::current_num_threads() > 1;
        let mut visits = 0;
        let mut next = Vec::with_capacity(AT_ONCE);
        while !waiting.is_empty() {
            for part in waiting.drain(waiting.len().saturating_sub(AT_ONCE)..) {
                if self.parts.enters(part)? {
                    next.push(part);
                }
            }
            visits += next.len();
            for part in next.drain(..) {
                self.parts.look(part, &mut waiting)?;
            }
            if together && visits >= TURN && waiting.len() >= SHARED {
                visits = 0;
                let rest = every_other(&mut waiting);
                scope.spawn(move |scope| self.visit(scope, rest));
            }
        }
        Some(())
    }
}

/// Takes every other part out. What was put off first reaches most: with a half that is older than the other, nearly
/// all that is left would go to one thread.
fn every_other<T: Copy>(waiting: &mut Vec<T>) -> Vec<T> {
    let mut rest = Vec::with_capacity(waiting.len() / 2);
    let mut stays = true;
    waiting.retain(|&part| {
        stays = !stays;
        if !stays {
            rest.push(part);
        }
        stays
    });
    rest
}

/// A mark for each part, set when it is entered.
///
/// Marks are bytes that are read and written one after the other, not exchanged: an exchange would wait for the other
/// threads that mark parts nearby, and have the loads behind it wait, too. So two threads may enter a part at the same
/// time; its references are followed twice then, and it is still counted once.
pub(crate) struct Seen(Vec<AtomicU8>);

impl Seen {
    /// For parts with numbers below this.
    pub(crate) fn new(parts: u64) -> Self {
        Self(bytemuck::zeroed_vec(parts as usize))
    }

    /// Whether the part is new; it is not from now on. `None` for numbers of no part.
    pub(crate) fn enters(&self, part: u32) -> Option<bool> {
        let mark = self.0.get(part as usize)?;
        let is_new = mark.load(Ordering::Relaxed) == 0;
        if is_new {
            mark.store(1, Ordering::Relaxed);
        }
        Some(is_new)
    }

    /// How many parts were entered, and how many of them are as asked for.
    pub(crate) fn count(&self, asked_for: impl Fn(u32) -> bool + Sync) -> [u64; 2] {
        let pieces = self.0.par_chunks(PIECE).enumerate().map(|(piece, marks)| {
            let entered = marks.iter().enumerate().filter(|(_, mark)| mark.load(Ordering::Relaxed) != 0);
            entered.fold([0, 0], |[all, found], (k, _)| {
                [all + 1, found + u64::from(asked_for((piece * PIECE + k) as u32))]
            })
        });
        pieces.reduce(|| [0, 0], added)
    }
}

fn added(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    [a[0] + b[0], a[1] + b[1]]
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
    let all = AllCells { layout, cells, seen: in_use.iter().map(|&cells| Seen::new(cells)).collect() };
    search(&all, value)?;
    let counts = all.seen.iter_enumerated().map(|(class, seen)| seen.count(|index| asked_for(class, index)));
    Some(counts.fold([0, 0], added))
}

struct AllCells<'a, C> {
    layout: &'a Layout,
    cells: &'a C,
    /// By class.
    seen: IdVec<ClassId, Seen>,
}

impl<C: Cells + Sync> Parts for AllCells<'_, C> {
    type Ref = (SortId, u64);

    fn enters(&self, (sort, value): Self::Ref) -> Option<bool> {
        match cell_of(self.layout, sort, value)? {
            Some((class, index, _)) => self.seen[class].enters(index),
            None => Some(false),
        }
    }

    fn look(&self, (sort, value): Self::Ref, waiting: &mut Vec<Self::Ref>) -> Option<()> {
        let (class, index, variant) = cell_of(self.layout, sort, value)??;
        let cell = self.cells.cell(class, index)?;
        for (sort, at) in referring(self.layout, variant) {
            waiting.push((sort, u64::from(*cell.get(at)?)));
        }
        Some(())
    }
}
