//! What the functions of the template `cells.cu` must know of classes, sorts and fields, as words of one buffer.
//!
//! The classes come first, then the sorts, then the variants; the template's comment says what the words mean.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::SortId;
use gchr_terms::plan::{ClassId, Field, Layout, References, Variant};

use super::contract::CellFormat;

/// The most words: a sort's place and a field's number share a word of a cell.
const MOST_WORDS: usize = 1 << 17;

/// The table of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct CellLayoutTable {
    /// All words; those of the classes are still 0.
    words: Vec<u32>,
    /// By sort: its place.
    sorts: IdVec<SortId, u32>,
    /// By sort: whether its cells are counted.
    counted: IdVec<SortId, bool>,
    /// By class: whether its cells have a word in `shared`.
    shared: IdVec<ClassId, bool>,
    /// What the words mean.
    format: CellFormat,
}

/// What a launch decides about a class.
#[derive(Clone, Copy, Debug)]
pub struct ClassPlace {
    /// Word of cell 0.
    pub base: u32,
    /// Words a cell.
    pub stride: u32,
    /// Cells up to this one live as long as the run.
    pub mark: u32,
    /// First word in `shared`.
    pub shared: u32,
    /// First place in the ring of batches.
    pub ring: u32,
    /// Places in the ring less 1.
    pub ring_mask: u32,
    /// Cells a batch.
    pub batch: u32,
}

impl CellLayoutTable {
    /// The table for a plan with references.
    pub fn new(
        layout: &Layout,
        references: &References,
        format: CellFormat,
    ) -> Result<Self, Vec<Diagnostic>> {
        let counted = references.counted.clone();
        let mut shared: IdVec<ClassId, bool> = layout.classes.iter().map(|_| false).collect();
        for (id, sort) in layout.sorts.iter_enumerated() {
            for variant in &sort.variants {
                if let Some(class) = variant.class {
                    shared[class] |= counted[id] || pointers(layout, variant).count() > 1;
                }
            }
        }
        let first = layout.classes.len() * format.class_words as usize;
        let mut next = first;
        let sorts: IdVec<SortId, u32> = layout
            .sorts
            .iter()
            .map(|sort| {
                let place = next as u32;
                next += format.sort_tags as usize + (1usize << sort.tag_bits);
                place
            })
            .collect();
        let mut words = vec![0u32; next];
        for (id, sort) in layout.sorts.iter_enumerated() {
            let at = sorts[id] as usize;
            words[at] = sort.tag_bits | if counted[id] { format.counted_sort } else { 0 };
            for (tag, variant) in sort.variants.iter().enumerate() {
                let Some(class) = variant.class else { continue };
                words[at + format.sort_tags as usize + tag] = words.len() as u32;
                let fields: Vec<u32> =
                    pointers(layout, variant).flat_map(|f| [f.offset, sorts[f.sort]]).collect();
                let variant = words.len();
                words.resize(variant + format.variant_head as usize, 0);
                words[variant] = class.index() as u32;
                words[variant + format.variant_fields as usize] = fields.len() as u32 / 2;
                words.extend(fields);
            }
        }
        if words.len() > MOST_WORDS {
            let error = Diagnostic::error("P0104", "the program has too many sorts to give cells back")
                .note(format!("its sorts and symbols take {} words; {MOST_WORDS} are the most", words.len()))
                .help("give --gc none");
            return Err(vec![error]);
        }
        Ok(Self { words, sorts, counted, shared, format })
    }

    /// Words in all.
    pub fn len(&self) -> usize {
        self.words.len()
    }
    /// Whether there is nothing to know.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
    /// Place of a sort.
    pub fn sort(&self, sort: SortId) -> u32 {
        self.sorts[sort]
    }
    /// Whether cells of a sort may have several references.
    pub fn is_counted(&self, sort: SortId) -> bool {
        self.counted[sort]
    }
    /// Whether cells of a class have a word in `shared`.
    pub fn has_word(&self, class: ClassId) -> bool {
        self.shared[class]
    }
    /// All words of a launch.
    pub fn words(&self, classes: &[ClassPlace]) -> Vec<u32> {
        let mut words = self.words.clone();
        let f = self.format;
        for (class, to) in classes.iter().zip(words.chunks_exact_mut(f.class_words as usize)) {
            let ClassPlace { base, stride, mark, shared, ring, ring_mask, batch } = *class;
            let places = [
                (f.class_base, base),
                (f.class_stride, stride),
                (f.class_mark, mark),
                (f.class_shared, shared),
                (f.class_ring, ring),
                (f.class_ring_mask, ring_mask),
                (f.class_batch, batch),
            ];
            places.into_iter().for_each(|(at, word)| to[at as usize] = word);
        }
        words
    }
}

/// The fields of a variant that may be cells.
pub fn pointers<'a>(layout: &'a Layout, variant: &'a Variant) -> impl Iterator<Item = &'a Field> {
    variant.fields.iter().filter(|f| layout.sorts[f.sort].has_cells())
}
