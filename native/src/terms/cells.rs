//! Cells: their addresses, their fields, and building them.

use std::mem::offset_of;

use gchr_base::signature::{SortId, SymbolId};
use gchr_terms::exec::engine::Bump;
use gchr_terms::plan::live::LocalSet;
use gchr_terms::plan::{Arm, Field, LocalId, Step};

use super::helpers::BUMPS;
use super::kind;
use super::lower::Lower;
use crate::emit::{Compare, MemoryAccess, Root, Val, Width, WordOp};
use crate::function::Kind;

const BASE: i32 = offset_of!(Bump, base) as i32;
const NEXT: i32 = offset_of!(Bump, next) as i32;
const END: i32 = offset_of!(Bump, end) as i32;
const BUMP: i32 = size_of::<Bump>() as i32;
/// So many cells of a repeated symbol are built one after the other, more of them in a loop.
const UNROLLED: u32 = 4;

/// The cells of a symbol.
#[derive(Clone, Copy)]
struct Shape {
    class: u32,
    words: u32,
    tag: u32,
    tag_bits: u32,
}

impl<'p> Lower<'_, '_, 'p> {
    /// `None` for a symbol without cells.
    fn shape(&self, symbol: SymbolId) -> Option<Shape> {
        let id = self.plan.layout.variant(symbol)?.class?;
        let class = self.plan.layout.classes[id];
        let tag = self.plan.layout.tag(symbol)?;
        Some(Shape { class: id.0, words: class.words, tag, tag_bits: class.tag_bits })
    }

    fn bumps(&mut self) -> Val {
        self.e.load_machine(Width::Word, MemoryAccess::Constant, BUMPS)
    }

    /// The first cell of a class.
    fn base(&mut self, class: u32) -> Val {
        let bumps = self.bumps();
        self.e.load(Width::Word, MemoryAccess::Constant, bumps, BUMP * class as i32 + BASE)
    }

    /// A product with a small constant: shifts and a sum where that is enough.
    fn scaled(&mut self, value: Val, by: u32) -> Val {
        let zeros = by.trailing_zeros();
        let odd = by >> zeros;
        let value = match odd {
            1 => value,
            3 | 5 | 9 => {
                let more = self.e.word_by(WordOp::ShiftLeft, value, i64::from((odd - 1).trailing_zeros()));
                self.e.add(value, more)
            }
            _ => return self.e.word_by(WordOp::Mul, value, i64::from(by)),
        };
        self.e.word_by(WordOp::ShiftLeft, value, i64::from(zeros))
    }

    /// The address of the cell of a value, and what must be added to it.
    fn address(&mut self, value: Val, shape: Shape) -> (Val, i32) {
        let base = self.base(shape.class);
        let bytes = 4 * shape.words;
        if bytes.is_multiple_of(1 << shape.tag_bits) {
            // The tag is scaled as the index is, and taken off again.
            let scale = bytes >> shape.tag_bits;
            let distance = self.scaled(value, scale);
            return (self.e.add(base, distance), -((shape.tag * scale) as i32));
        }
        let index = self.e.word_by(WordOp::ShiftRight, value, i64::from(shape.tag_bits));
        let distance = self.scaled(index, bytes);
        (self.e.add(base, distance), 0)
    }

    fn width(&self, field: &Field) -> (Width, MemoryAccess) {
        match (field.wide, kind(self.plan.layout.sorts[field.sort].kind)) {
            (false, _) => (Width::Single, MemoryAccess::Plain),
            (true, Kind::Word) => (Width::Word, MemoryAccess::Unaligned),
            (true, Kind::Float) => (Width::Float, MemoryAccess::Unaligned),
        }
    }

    /// The symbol of a sort whose cells are one number each.
    pub(super) fn number_in(&self, sort: SortId) -> Option<SymbolId> {
        let variants = &self.plan.layout.sorts[sort].variants;
        let is_number = |fields: &[Field]| matches!(fields, [field] if field.wide);
        variants.iter().find(|variant| is_number(&variant.fields)).map(|variant| variant.symbol)
    }

    /// The bits of the number in a cell of such a symbol.
    pub(super) fn number(&mut self, value: Val, symbol: SymbolId) -> Option<Val> {
        let (variant, shape) = (self.plan.layout.variant(symbol)?, self.shape(symbol)?);
        let offset = 4 * variant.fields.first()?.offset as i32;
        let (address, more) = self.address(value, shape);
        Some(self.e.load(Width::Word, MemoryAccess::Unaligned, address, more + offset))
    }

    /// Reads the fields of a value that an arm names.
    pub(super) fn fields(&mut self, value: Val, arm: &'p Arm) {
        let (Some(variant), Some(shape)) = (self.plan.layout.variant(arm.symbol), self.shape(arm.symbol))
        else {
            return;
        };
        if arm.fields.iter().all(Option::is_none) {
            return;
        }
        let (address, more) = self.address(value, shape);
        for (field, local) in variant.fields.iter().zip(&arm.fields) {
            if let Some(local) = local {
                let (width, access) = self.width(field);
                let read = self.e.load(width, access, address, more + 4 * field.offset as i32);
                self.set(*local, read);
            }
        }
    }

    /// A new cell: its value and its address. `roots` are what a collection must find.
    fn cell(&mut self, shape: Shape, roots: &[Root]) -> (Val, Val) {
        let at = BUMP * shape.class as i32;
        let bumps = self.bumps();
        let next = self.e.load(Width::Single, MemoryAccess::Plain, bumps, at + NEXT);
        let end = self.e.load(Width::Single, MemoryAccess::Plain, bumps, at + END);
        let (full, on) = (self.e.cold_label(&[]), self.e.label(&[Kind::Word]));
        let is_full = self.e.compare(Compare::Equal, next, end);
        self.e.branch(is_full, (full, &[]), (on, &[next]));
        let kept = self.e.kept();
        self.e.bind(full);
        let (class, pending) = (self.e.int(i64::from(shape.class)), self.pending());
        self.e.rare_helper(self.helpers.refill, &[class, pending], roots);
        let bumps = self.bumps();
        let next = self.e.load(Width::Single, MemoryAccess::Plain, bumps, at + NEXT);
        self.e.jump(on, &[next]);
        self.e.restore(kept);
        let index = self.e.bind(on)[0];
        let bumps = self.bumps();
        let next = self.e.word_by(WordOp::Add, index, 1);
        self.e.store(Width::Single, MemoryAccess::Plain, next, bumps, at + NEXT);
        let base = self.base(shape.class);
        let distance = self.scaled(index, 4 * shape.words);
        let address = self.e.add(base, distance);
        let value = self.e.word_by(WordOp::ShiftLeft, index, i64::from(shape.tag_bits));
        (self.e.word_by(WordOp::Or, value, i64::from(shape.tag)), address)
    }

    /// A value headed by a symbol, and the address of its hole: of the field without a value.
    pub(super) fn build(
        &mut self,
        symbol: SymbolId,
        args: &[Option<Val>],
        roots: &[Root],
    ) -> (Val, Option<Val>) {
        let Some((variant, shape)) = self.plan.layout.variant(symbol).zip(self.shape(symbol)) else {
            let tag = self.plan.layout.tag(symbol).unwrap_or(0);
            return (self.e.int(i64::from(tag)), None);
        };
        let (value, address) = self.cell(shape, roots);
        let mut hole = None;
        for (field, arg) in variant.fields.iter().zip(args) {
            let offset = 4 * field.offset as i32;
            let (width, access) = self.width(field);
            let arg = arg.unwrap_or_else(|| {
                hole = Some(self.e.word_by(WordOp::Add, address, i64::from(offset)));
                self.e.int(0)
            });
            self.e.store(width, access, arg, address, offset);
        }
        (value, hole)
    }

    /// A unary symbol applied so many times.
    pub(super) fn repeat(&mut self, symbol: SymbolId, count: u32, inner: Val, roots: &[Root]) -> Val {
        let sort = self.plan.layout.sort_and_tag(symbol).map_or(0, |(sort, _)| sort.0);
        let around = |value: Val| -> Vec<Root> { roots.iter().copied().chain([(sort, value)]).collect() };
        if count <= UNROLLED {
            let mut value = inner;
            for _ in 0..count {
                value = self.build(symbol, &[Some(value)], &around(value)).0;
            }
            return value;
        }
        let (head, end) = (self.e.label(&[Kind::Word; 2]), self.e.label(&[]));
        let left = self.e.int(i64::from(count));
        self.e.jump(head, &[inner, left]);
        let kept = self.e.kept();
        let [value, left] = self.e.bind(head)[..] else { unreachable!("two parameters") };
        let value = self.build(symbol, &[Some(value)], &around(value)).0;
        let left = self.e.word_by(WordOp::Sub, left, 1);
        let done = self.e.compare_to(Compare::Equal, left, 0);
        self.e.branch(done, (end, &[]), (head, &[value, left]));
        self.e.bind(end);
        self.e.restore(kept);
        value
    }

    /// The cells of a context, from the one with the hole to the outermost one: the latter's value, and the address of
    /// the hole. `live` is what is needed afterwards.
    pub(super) fn nest(&mut self, hole: LocalId, nest: &'p [Step], live: &LocalSet) -> (Val, Val) {
        // What is needed after each cell.
        let mut sets = vec![live.clone()];
        for step in nest.iter().rev() {
            let mut set = sets.last().cloned().unwrap_or_default();
            step.dst().into_iter().for_each(|dst| set.remove(dst));
            step.uses().filter(|&local| local != hole).for_each(|local| set.insert(local));
            sets.push(set);
        }
        sets.reverse();
        let mut place = None;
        let mut outermost = self.e.int(0);
        for (step, live) in nest.iter().zip(&sets) {
            // Of the cells so far the last one reaches the others.
            let roots = self.roots(live);
            let (value, address) = match step {
                Step::Build { symbol, args, .. } => {
                    let value = |&arg: &LocalId| (arg != hole).then(|| self.get(arg));
                    let args: Vec<Option<Val>> = args.iter().map(value).collect();
                    self.build(*symbol, &args, &roots)
                }
                Step::Repeat { symbol, count, arg, .. } if *arg == hole => {
                    let (value, address) = self.build(*symbol, &[None], &roots);
                    (self.repeat(*symbol, *count - 1, value, &roots), address)
                }
                Step::Repeat { symbol, count, arg, .. } => {
                    let inner = self.get(*arg);
                    (self.repeat(*symbol, *count, inner, &roots), None)
                }
                _ => unreachable!("a nest has cells only"),
            };
            place = place.or(address);
            outermost = value;
            step.dst().into_iter().for_each(|dst| self.set(dst, value));
        }
        let Some(place) = place else { unreachable!("a nest has a hole") };
        (outermost, place)
    }
}
