//! The cells that a result reaches: found, counted and checked by all threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::SortId;
use gchr_terms::exec::Cells;
use gchr_terms::plan::{ClassId, Layout};
use rayon::Scope;

use super::heap::Image;
use super::launch::End;

/// Cells that a thread looks into between two looks at whether it should share what waits, and values that must wait
/// for it.
const TURN: u64 = 1 << 12;
const SHARED: usize = 1 << 4;

/// What a result reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reached {
    /// Cells, shared ones once.
    pub cells: u64,
    /// Those of them that the last launch made.
    pub made: u64,
}

/// What a value reaches; `None` when it is no normal form of the layout. `last` is the end of the last launch.
pub(super) fn reached(
    layout: &Layout,
    image: &Image,
    (sort, value): (SortId, u64),
    last: Option<&End>,
) -> Option<Reached> {
    let bits = |cells: &super::heap::Cells| bytemuck::zeroed_vec(cells.len().div_ceil(64) as usize);
    let search = Search {
        layout,
        image,
        last,
        seen: image.classes.iter().map(bits).collect(),
        cells: AtomicU64::new(0),
        made: AtomicU64::new(0),
        is_broken: AtomicBool::new(false),
    };
    rayon::scope(|scope| search.visit(scope, vec![(sort, value)]));
    let Search { cells, made, is_broken, .. } = search;
    let found = Reached { cells: cells.into_inner(), made: made.into_inner() };
    (!is_broken.into_inner()).then_some(found)
}

struct Search<'a> {
    layout: &'a Layout,
    image: &'a Image,
    last: Option<&'a End>,
    /// By class: a bit for each cell.
    seen: IdVec<ClassId, Vec<AtomicU64>>,
    cells: AtomicU64,
    made: AtomicU64,
    is_broken: AtomicBool,
}

impl Search<'_> {
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
        let shape = &self.layout.sorts[sort];
        if shape.is_wide() {
            return Some(None);
        }
        let tag = value as u32 & ((1u32 << shape.tag_bits) - 1);
        let variant = shape.variants.get(tag as usize)?;
        let Some(class) = variant.class else { return Some(None) };
        let index = value as u32 >> shape.tag_bits;
        let cell = Cells::cell(self.image, class, index)?;
        let (word, bit) = (&self.seen[class][index as usize / 64], 1 << (index % 64));
        if word.load(Ordering::Relaxed) & bit != 0 || word.fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            return Some(None);
        }
        for field in variant.fields.iter().filter(|field| !self.layout.sorts[field.sort].is_wide()) {
            waiting.push((field.sort, u64::from(*cell.get(field.offset as usize)?)));
        }
        let (k, index) = (class.index(), u64::from(index));
        Some(Some(self.last.is_some_and(|end| end.marks[k] < index && index < end.cells[k])))
    }
}
