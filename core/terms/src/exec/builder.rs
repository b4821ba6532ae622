//! Builds a normal form bottom-up: for backends that compute it elsewhere and bring it back.

use std::sync::Arc;

use crate::exec::NormalForm;
use crate::exec::heap::Heap;
use crate::exec::normal_form::Held;
use crate::plan::{ClassId, Layout};
use gchr_base::signature::{SortId, SymbolId};
use gchr_base::{error::StopReason, ids::Id};

/// A normal form under construction. Subterms are built before the terms they are part of, and may be used many times.
pub struct Builder {
    layout: Arc<Layout>,
    heap: Heap,
    built: Vec<(SortId, u64)>,
    words: Vec<u32>,
}

/// A subterm that a [`Builder`] has built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Built(u32);

impl Builder {
    /// A builder for values of this layout that takes at most `memory` bytes for cells.
    pub fn new(layout: &Layout, memory: u64) -> Result<Self, StopReason> {
        let full = || StopReason::NoMemory { what: "the address space of cells".into() };
        let heap = Heap::new(layout, memory, false).ok_or_else(full)?;
        Ok(Self { layout: Arc::new(layout.clone()), heap, built: Vec::new(), words: Vec::new() })
    }

    /// A number of sort `Int` or `Float`, as its 64 bits.
    pub fn number(&mut self, sort: SortId, bits: u64) -> Built {
        self.push(sort, bits)
    }

    /// A symbol applied to subterms, one per argument. `None` when the layout says that it never heads a normal form,
    /// or when the arguments do not fit.
    pub fn apply(&mut self, symbol: SymbolId, args: &[Built]) -> Option<Result<Built, StopReason>> {
        let (sort, tag) = self.layout.sort_and_tag(symbol)?;
        let variant = self.layout.variant(symbol)?;
        if variant.fields.len() != args.len() {
            return None;
        }
        let Some(class) = variant.class else { return Some(Ok(self.push(sort, u64::from(tag)))) };
        self.words.clear();
        for (field, arg) in variant.fields.iter().zip(args) {
            let &(of, value) = self.built.get(arg.0 as usize)?;
            if of != field.sort {
                return None;
            }
            self.words.push(value as u32);
            if field.wide {
                self.words.push((value >> 32) as u32);
            }
        }
        Some(self.cell(class, tag).map(|value| self.push(sort, value)))
    }

    fn push(&mut self, sort: SortId, value: u64) -> Built {
        self.built.push((sort, value));
        Built((self.built.len() - 1) as u32)
    }

    fn cell(&mut self, class: ClassId, tag: u32) -> Result<u64, StopReason> {
        let stored = self.heap.store_collecting(class.index(), tag, &self.words, &self.built);
        stored.map_err(|full| self.heap.stop_reason(full, &self.layout, class))
    }

    /// The normal form, and how many cells it reaches.
    pub fn finish(mut self, root: Built) -> Option<(NormalForm, u64)> {
        let &(sort, value) = self.built.get(root.0 as usize)?;
        let cells =
            if self.layout.sorts[sort].is_wide() { 0 } else { self.heap.count_cells(sort, value as u32, 1) };
        Some((NormalForm { layout: self.layout, held: Held::Heap(Box::new(self.heap)), sort, value }, cells))
    }
}
