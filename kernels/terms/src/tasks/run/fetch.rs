//! Brings the cells that results reach to the host a page at a time, where the rest of the heap is not worth the way.

use gchr_base::ids::IdVec;
use gchr_base::signature::SortId;
use gchr_kernel::device::{BufferId, Device, Result};
use gchr_terms::exec;
use gchr_terms::plan::{ClassId, Layout};

use super::heap::Place;
use crate::reach::{cell_of, referring};

/// Cells of a page: enough for one transfer to cost little more than its start.
const PAGE: usize = 1 << 12;

/// The cells of a heap of which some pages are here.
pub(super) struct Pages {
    classes: IdVec<ClassId, Class>,
}

struct Class {
    /// Cells in use on the device.
    cells: u64,
    place: Place,
    /// By number: the words of a page, `None` where it was not brought.
    pages: Vec<Option<Box<[u32]>>>,
    /// Bits of the cells that were looked into; by page, where it was brought.
    seen: Vec<Box<[u64]>>,
}

impl exec::Cells for Pages {
    fn cell(&self, class: ClassId, index: u32) -> Option<&[u32]> {
        if index == 0 {
            return None;
        }
        let Class { place, pages, .. } = &self.classes[class];
        let (page, at) = (index as usize / PAGE, index as usize % PAGE * place.stride as usize);
        pages.get(page)?.as_ref()?.get(at..at + place.stride as usize)
    }
}

impl Pages {
    /// Brings what values reach; `None` where that lies in more than `most` pages. What is no normal form of the layout
    /// is left for those who read it. `in_use` and `places` are by class.
    pub fn fetch(
        layout: &Layout,
        values: impl Iterator<Item = (SortId, u64)>,
        (in_use, places): (&[u64], &[Place]),
        (heap, device): (BufferId, &mut dyn Device),
        most: usize,
    ) -> Result<Option<Self>> {
        let class = |(&cells, &place): (&u64, &Place)| {
            let pages = cells.div_ceil(PAGE as u64) as usize;
            Class { cells, place, pages: vec![None; pages], seen: vec![Box::default(); pages] }
        };
        let mut brought = Self { classes: in_use.iter().zip(places).map(class).collect() };
        let mut left = most;
        let mut waiting: Vec<(SortId, u64)> = values.collect();
        while let Some((sort, value)) = waiting.pop() {
            let Some(Some((class, index, variant))) = cell_of(layout, sort, value) else { continue };
            let class = &mut brought.classes[class];
            if index == 0 || u64::from(index) >= class.cells {
                continue;
            }
            let (page, at) = (index as usize / PAGE, index as usize % PAGE);
            if class.pages[page].is_none() {
                let Some(fewer) = left.checked_sub(1) else { return Ok(None) };
                left = fewer;
                class.bring(page, heap, device)?;
            }
            let word = &mut class.seen[page][at / 64];
            if *word & 1 << (at % 64) != 0 {
                continue;
            }
            *word |= 1 << (at % 64);
            let Some(words) = &class.pages[page] else { continue };
            let cell = &words[at * class.place.stride as usize..];
            waiting.extend(referring(layout, variant).map(|(sort, at)| (sort, u64::from(cell[at]))));
        }
        Ok(Some(brought))
    }

    /// By class, cells in use on the device.
    pub fn in_use(&self) -> Vec<u64> {
        self.classes.iter().map(|class| class.cells).collect()
    }
}

impl Class {
    fn bring(&mut self, page: usize, heap: BufferId, device: &mut dyn Device) -> Result<()> {
        let first = page * PAGE;
        let cells = (self.cells as usize - first).min(PAGE);
        let stride = self.place.stride as usize;
        let mut words = vec![0u32; cells * stride].into_boxed_slice();
        let at = 4 * (self.place.first_word + (first * stride) as u64);
        device.download(heap, at, bytemuck::cast_slice_mut(&mut words))?;
        self.pages[page] = Some(words);
        self.seen[page] = vec![0; PAGE / 64].into_boxed_slice();
        Ok(())
    }
}
