//! The cells that a result reaches: found, counted and checked by all threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::SortId;
use gchr_terms::exec::Cells;
use gchr_terms::plan::{ClassId, Layout, Variant};
use rayon::Scope;

use super::end::End;

/// Cells that a thread looks into between two looks at whether it should share pending values, and how many must be
/// pending for it.
const TURN: u64 = 1 << 12;
const SHARED: usize = 2;

/// What a result reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reached {
    /// Cells, shared ones once.
    pub cells: u64,
    /// Those of them that the last launch made.
    pub made: u64,
}

/// The cell that a value refers to, and what it holds. `Some(None)` for a value without a cell, `None` for one that the
/// layout does not know.
pub(super) fn cell_of(layout: &Layout, sort: SortId, value: u64) -> Option<Option<(ClassId, u32, &Variant)>> {
    let shape = &layout.sorts[sort];
    if shape.is_wide() {
        return Some(None);
    }
    let tag = value as u32 & ((1u32 << shape.tag_bits) - 1);
    let variant = shape.variants.get(tag as usize)?;
    Some(variant.class.map(|class| (class, value as u32 >> shape.tag_bits, variant)))
}

/// The fields of a cell that may refer to others, with the places of their words.
pub(super) fn referring<'a>(
    layout: &'a Layout,
    variant: &'a Variant,
) -> impl Iterator<Item = (SortId, usize)> + 'a {
    let fields = variant.fields.iter().filter(|field| !layout.sorts[field.sort].is_wide());
    fields.map(|field| (field.sort, field.offset as usize))
}

/// What a value reaches; `None` when it is no normal form of the layout. `cells`: by class, as many as there are at
/// most; `last`: the end of the last launch.
pub(super) fn reached(
    layout: &Layout,
    (image, cells): (&(impl Cells + Sync), &[u64]),
    (sort, value): (SortId, u64),
    last: Option<&End>,
) -> Option<Reached> {
    let bits = |&cells: &u64| bytemuck::zeroed_vec(cells.div_ceil(64) as usize);
    let search = Search {
        layout,
        image,
        last,
        seen: cells.iter().map(bits).collect(),
        cells: AtomicU64::new(0),
        made: AtomicU64::new(0),
        is_broken: AtomicBool::new(false),
    };
    rayon::scope(|scope| search.visit(scope, vec![(sort, value)]));
    let Search { cells, made, is_broken, .. } = search;
    let found = Reached { cells: cells.into_inner(), made: made.into_inner() };
    (!is_broken.into_inner()).then_some(found)
}

struct Search<'a, C> {
    layout: &'a Layout,
    image: &'a C,
    last: Option<&'a End>,
    /// By class: a bit for each cell.
    seen: IdVec<ClassId, Vec<AtomicU64>>,
    cells: AtomicU64,
    made: AtomicU64,
    is_broken: AtomicBool,
}

impl<C: Cells + Sync> Search<'_, C> {
    /// Looks into all that waits; what was put off first is left to others now and then.
    fn visit<'s>(&'s self, scope: &Scope<'s>, mut waiting: Vec<(SortId, u64)>) {
        let together = rayon::current_num_threads() > 1;
        let (mut cells, mut made, mut visits) = (0, 0, 0u64);
        while let Some((sort, value)) = waiting.pop() {
            match self.enter(sort, value, &mut waiting) {
                None => {
                    self.is_broken.store(true, Ordering::Relaxed);
                    return;
                }
                Some(None) => {}
                Some(Some(is_made)) => {
                    cells += 1;
                    made += u64::from(is_made);
                }
            }
            visits += 1;
            if together && visits.is_multiple_of(TURN) && waiting.len() >= SHARED {
                let rest: Vec<_> = waiting.drain(..waiting.len() / 2).collect();
                scope.spawn(move |scope| self.visit(scope, rest));
            }
        }
        self.cells.fetch_add(cells, Ordering::Relaxed);
        self.made.fetch_add(made, Ordering::Relaxed);
    }

    /// Puts off what a value refers to, if it is a cell that was not seen before; then says whether the last launch
    /// made it. `None` for a value that the layout does not know.
    fn enter(&self, sort: SortId, value: u64, waiting: &mut Vec<(SortId, u64)>) -> Option<Option<bool>> {
        let Some((class, index, variant)) = cell_of(self.layout, sort, value)? else { return Some(None) };
        let cell = self.image.cell(class, index)?;
        let (word, bit) = (&self.seen[class][index as usize / 64], 1 << (index % 64));
        if word.load(Ordering::Relaxed) & bit != 0 || word.fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            return Some(None);
        }
        for (sort, at) in referring(self.layout, variant) {
            waiting.push((sort, u64::from(*cell.get(at)?)));
        }
        let (k, index) = (class.index(), u64::from(index));
        Some(Some(self.last.is_some_and(|end| end.marks[k] < index && index < end.cells[k])))
    }
}
