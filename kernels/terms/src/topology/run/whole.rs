//! A normal form of slots that are all here: each is a cell of its number, made by all threads.

use std::sync::Arc;

use gchr_base::error::StopReason;
use gchr_base::ids::IdVec;
use gchr_base::signature::{SortId, SortKind};
use gchr_terms::exec::{Brought, Cells, NormalForm};
use gchr_terms::plan::{ClassId, Layout, Variant};
use rayon::prelude::*;

use super::Job;
use crate::reach::{self, Parts, Seen};
use crate::topology::system::{HeadId, HeadKind};

/// A normal form that came back from the device.
pub(super) struct ReadBack {
    pub normal_form: NormalForm,
    /// Cells that it reaches, when they were counted.
    pub cells: Option<u64>,
    /// Slots that it reached on the device, likewise.
    pub reachable: Option<u64>,
}

/// Cells that a thread makes at a time.
const PIECE: usize = 1 << 12;

/// What a slot with a head is as a value.
#[derive(Clone, Copy)]
enum Shape<'a> {
    /// A number, in the two words behind the head.
    Number(SortId),
    /// A value of a sort with a tag; with a cell unless it is a constant.
    Symbol { sort: SortId, tag: u32, variant: &'a Variant },
    /// No part of a normal form.
    None,
}

/// Slots, as they came.
struct Slots<'a> {
    layout: &'a Layout,
    words: &'a [u32],
    /// Words a slot.
    width: usize,
    head_mask: u32,
    /// By head.
    shapes: IdVec<HeadId, Shape<'a>>,
}

/// The normal form of slot `root`; `None` when values cannot name so many slots. What it reaches is counted, and
/// checked, where there are at most so many slots.
pub(super) fn normal_form(
    job: &Job<'_>,
    (words, width): (&[u32], usize),
    root: u32,
    counted: u64,
) -> Result<Option<ReadBack>, StopReason> {
    let layout = &job.plan.layout;
    let slots =
        Slots { layout, words, width, head_mask: job.kernels.host.format.head_mask, shapes: shapes(job) };
    let tag_bits = layout.classes.iter().map(|class| class.tag_bits).max().unwrap_or(0);
    if slots.len() as u64 > 1 << (32 - tag_bits) {
        return Ok(None);
    }
    let broken = || StopReason::Internal { what: "the device's result is no normal form".into() };
    let (sort, value) = slots.value(root).ok_or_else(broken)?;
    let counts = match slots.len() as u64 <= counted {
        true => Some(slots.reached(sort, root).ok_or_else(broken)?),
        false => None,
    };
    let [reachable, cells] = [0, 1].map(|k| counts.map(|counts| counts[k]));
    let brought = SlotCells { stride: slots.stride(), words: slots.cells() };
    let normal_form = NormalForm::brought(Arc::new(layout.clone()), Arc::new(brought), (sort, value));
    Ok(Some(ReadBack { normal_form, cells, reachable }))
}

fn shapes<'a>(job: &Job<'a>) -> IdVec<HeadId, Shape<'a>> {
    let (layout, system) = (&job.plan.layout, job.system);
    let shape = |(id, head): (HeadId, &crate::topology::system::Head)| match head.kind {
        HeadKind::Int | HeadKind::Float => {
            let kind = if id == system.int_head { SortKind::Int } else { SortKind::Float };
            job.program.signature.sort_of_kind(kind).map_or(Shape::None, Shape::Number)
        }
        HeadKind::Symbol(symbol) => match (layout.sort_and_tag(symbol), layout.variant(symbol)) {
            (Some((sort, tag)), Some(variant)) if variant.fields.len() == head.arity => {
                Shape::Symbol { sort, tag, variant }
            }
            _ => Shape::None,
        },
        _ => Shape::None,
    };
    system.heads.iter_enumerated().map(shape).collect()
}

impl Slots<'_> {
    fn len(&self) -> usize {
        self.words.len() / self.width
    }

    /// The words of a slot, if there is one, and what it is.
    fn slot(&self, at: u32) -> Option<(&[u32], Shape<'_>)> {
        let first = at as usize * self.width;
        let words = self.words.get(first..first + self.width).filter(|_| at != 0)?;
        let shape = self.shapes.get(HeadId(words[0] & self.head_mask))?;
        Some((words, *shape))
    }

    /// A slot as a value of its sort; `None` when it is no part of a normal form.
    fn value(&self, at: u32) -> Option<(SortId, u64)> {
        let (words, shape) = self.slot(at)?;
        match shape {
            Shape::Number(sort) => Some((sort, u64::from(words[1]) | u64::from(words[2]) << 32)),
            Shape::Symbol { sort, tag, variant } => {
                let index = if variant.class.is_some() { at } else { 0 };
                Some((sort, (index << self.layout.sorts[sort].tag_bits | tag).into()))
            }
            Shape::None => None,
        }
    }

    /// Words of a cell.
    fn stride(&self) -> usize {
        self.layout.classes.iter().map(|class| class.words as usize).max().unwrap_or(1)
    }

    /// How many slots one reaches, and how many of them become cells; `None` where one of them is broken.
    fn reached(&self, sort: SortId, root: u32) -> Option<[u64; 2]> {
        let sorted = SortedSlots { slots: self, seen: Seen::new(self.len() as u64) };
        reach::search(&sorted, (sort, root))?;
        let is_cell = |shape| matches!(shape, Shape::Symbol { variant, .. } if variant.class.is_some());
        Some(sorted.seen.count(|at| self.slot(at).is_some_and(|(_, shape)| is_cell(shape))))
    }

    /// The cells of all slots; of garbage, whatever becomes of it.
    fn cells(&self) -> Vec<u32> {
        let stride = self.stride();
        let mut cells = vec![0; self.len() * stride];
        cells.par_chunks_mut(PIECE * stride).enumerate().for_each(|(piece, cells)| {
            for (k, cell) in cells.chunks_mut(stride).enumerate() {
                self.fill((piece * PIECE + k) as u32, cell);
            }
        });
        cells
    }

    /// Makes the cell of a slot, if it has one.
    fn fill(&self, at: u32, cell: &mut [u32]) {
        let Some((words, Shape::Symbol { variant, .. })) = self.slot(at) else { return };
        for (field, &arg) in variant.fields.iter().zip(&words[1..]) {
            let value = self.value(arg).filter(|(sort, _)| *sort == field.sort).map_or(0, |(_, value)| value);
            cell[field.offset as usize] = value as u32;
            if field.wide {
                cell[field.offset as usize + 1] = (value >> 32) as u32;
            }
        }
    }
}

/// Slots to look into, each with the sort of its value.
struct SortedSlots<'a> {
    slots: &'a Slots<'a>,
    seen: Seen,
}

impl Parts for SortedSlots<'_> {
    type Ref = (SortId, u32);

    fn enters(&self, (_, at): Self::Ref) -> Option<bool> {
        self.seen.enters(at)
    }

    fn look(&self, (sort, at): Self::Ref, waiting: &mut Vec<Self::Ref>) -> Option<()> {
        let (words, shape) = self.slots.slot(at)?;
        let of = match shape {
            Shape::Number(of) => of,
            Shape::Symbol { sort: of, variant, .. } => {
                let args = variant.fields.iter().zip(&words[1..]);
                waiting.extend(args.map(|(field, &arg)| (field.sort, arg)));
                of
            }
            Shape::None => return None,
        };
        (of == sort).then_some(())
    }
}

/// A cell for each slot, of whatever class.
struct SlotCells {
    stride: usize,
    words: Vec<u32>,
}

impl Cells for SlotCells {
    fn cell(&self, _: ClassId, index: u32) -> Option<&[u32]> {
        let first = index as usize * self.stride;
        self.words.get(first..first + self.stride).filter(|_| index != 0)
    }
}

impl Brought for SlotCells {
    fn count(&self, layout: &Layout, value: (SortId, u64)) -> u64 {
        let in_use = vec![(self.words.len() / self.stride) as u64; layout.classes.len()];
        reach::cells(layout, (self, &in_use), value, |_, _| false).map_or(0, |[cells, _]| cells)
    }
}
