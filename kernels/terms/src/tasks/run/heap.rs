//! The heap of a run: where its cells lie, and the cells as the host holds them.

use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::SortId;
use gchr_terms::exec::bounded;
use gchr_terms::plan::{ClassId, Layout, TermPlan};

use crate::tasks::codegen::stride;

/// Cells of all classes, as many as are in use, from cell 0 on, which is none.
#[derive(Clone, Debug)]
pub(super) struct Image {
    /// By class: words of its cells.
    pub classes: IdVec<ClassId, Cells>,
}

/// Cells of a class.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// Words a cell.
    pub stride: u32,
    /// Words.
    pub words: Vec<u32>,
}

impl Cells {
    /// Cells, the one that is none included.
    pub fn len(&self) -> u64 {
        self.words.len() as u64 / u64::from(self.stride)
    }
    /// A cell.
    pub fn cell(&self, index: u32) -> Option<&[u32]> {
        let first = index as usize * self.stride as usize;
        self.words.get(first..first + self.stride as usize)
    }
}

/// Characters of a term in a message.
const SHOWN: usize = 200;

impl Image {
    /// A term for a message.
    pub fn shown(&self, layout: &Layout, sort: SortId, bits: u64) -> String {
        bounded(layout, self, sort, bits, SHOWN)
    }

    /// By class, cells.
    pub fn in_use(&self) -> Vec<u64> {
        self.classes.iter().map(Cells::len).collect()
    }

    /// No cells.
    pub fn new(plan: &TermPlan) -> Self {
        let cells = |words| {
            let stride = stride(words);
            Cells { stride, words: vec![0; stride as usize] }
        };
        Self { classes: plan.layout.classes.iter().map(|c| cells(c.words)).collect() }
    }

    /// A new cell; `None` when values cannot name more.
    pub fn push(&mut self, class: ClassId, tag_bits: u32, words: &[u32]) -> Option<u32> {
        let cells = &mut self.classes[class];
        let index = u32::try_from(cells.len()).ok().filter(|&i| i < most_cells(tag_bits))?;
        cells.words.extend_from_slice(words);
        cells.words.resize((index as usize + 1) * cells.stride as usize, 0);
        Some(index)
    }
}

impl gchr_terms::exec::Cells for Image {
    fn cell(&self, class: ClassId, index: u32) -> Option<&[u32]> {
        if index == 0 { None } else { self.classes[class].cell(index) }
    }
}

/// Cells that values with so many tag bits can name.
pub(super) fn most_cells(tag_bits: u32) -> u32 {
    (1u64 << (32 - tag_bits.clamp(1, 31))) as u32
}

/// What messages call the cells of a class: by the sorts that have them.
pub(super) fn class_name(plan: &TermPlan, class: usize) -> String {
    let of = |variant: &gchr_terms::plan::Variant| variant.class.is_some_and(|c| c.index() == class);
    let sorts: Vec<&str> = plan
        .layout
        .sorts
        .iter()
        .filter(|sort| sort.variants.iter().any(of))
        .map(|sort| sort.name.as_str())
        .collect();
    format!("cells of sort {}", sorts.join(", "))
}

/// Where the cells of a class lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// First word in the heap.
    pub first_word: u64,
    /// What the kernel adds to the number of a cell's element.
    pub base: u32,
    /// Words a cell.
    pub stride: u32,
    /// Cells.
    pub cells: u32,
    /// First word of those that count references; meaningless when the class has none.
    pub shared: u32,
}

/// Where everything lies that grows with the number of cells.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// By class.
    pub classes: Vec<Place>,
    /// Words of the heap.
    pub heap_words: u64,
    /// Words that count references.
    pub shared_words: u64,
    /// Places in the ring of batches of each class.
    pub ring: u32,
    /// Words of the counters of a ring.
    pub ring_words: u32,
}

impl Places {
    /// First words of the pool, before the rings.
    pub fn pool_head(&self) -> u32 {
        self.ring_words * self.classes.len() as u32
    }
    /// Words of the pool.
    pub fn pool_words(&self) -> u64 {
        u64::from(self.pool_head()) + u64::from(self.ring) * self.classes.len() as u64
    }
    /// Bytes of all of them.
    pub fn bytes(&self) -> u64 {
        4 * (self.heap_words + self.shared_words + self.pool_words())
    }
}
