//! The result of a run: a normal form that owns its cells, with printing and typed access.

use std::fmt;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::exec::heap::Heap;
use crate::exec::text::{self, Cells, Copies, Writing};
use crate::plan::{Layout, Variant};
use gchr_base::signature::{Notation, SortId, SortKind, SymbolId};

/// A normal form. It may share subterms; dropping it takes no recursion.
pub struct NormalForm {
    pub(super) layout: Arc<Layout>,
    pub(super) held: Held,
    pub(super) sort: SortId,
    pub(super) value: u64,
}

/// The cells of a normal form.
pub(super) enum Held {
    /// Of a run on the processor.
    Heap(Box<Heap>),
    /// Of a backend.
    Brought(Arc<dyn Brought>),
}

/// Cells that a backend has brought.
pub trait Brought: Cells + Send + Sync {
    /// How many of them a value reaches, shared ones once.
    fn count(&self, layout: &Layout, value: (SortId, u64)) -> u64;
}

impl Held {
    pub(super) fn cells(&self) -> &(dyn Cells + Send + Sync) {
        match self {
            Self::Heap(heap) => &**heap,
            Self::Brought(cells) => &**cells,
        }
    }
}

impl fmt::Debug for NormalForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown(200))
    }
}

/// The text form.
impl fmt::Display for NormalForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Every piece that is written is a text.
        struct Pieces<'a, 'f>(&'a mut fmt::Formatter<'f>);
        impl Write for Pieces<'_, '_> {
            fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
                let piece_text = std::str::from_utf8(piece).map_err(io::Error::other)?;
                self.0.write_str(piece_text).map_err(io::Error::other)?;
                Ok(piece.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        self.write_text(&mut Pieces(f)).map_err(|_| fmt::Error)
    }
}

impl NormalForm {
    /// Writes the term in input syntax on one line, without a line end: `Zero` for a symbol without arguments, a nest
    /// of four or more of one unary symbol as `S^n(...)`. Shared subterms are written each time they occur.
    /// What is large is written by all threads.
    pub fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { layout, held, sort, value } = self;
        match held {
            Held::Heap(heap) => Writing::new(layout, &**heap, *sort, *value, u64::MAX).finish_together(out),
            Held::Brought(cells) => {
                Writing::new(layout, &**cells, *sort, *value, u64::MAX).finish_together(out)
            }
        }
    }

    /// The text as a string: for terms known to be small.
    pub fn to_text(&self) -> String {
        let mut bytes = Vec::new();
        // Writing to a vector does not fail.
        let _ = self.write_text(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The text in a message: cut after so many characters.
    pub fn shown(&self, width: usize) -> String {
        text::bounded(&self.layout, self.held.cells(), self.sort, self.value, width)
    }

    /// How many cells it has, shared ones once; counted by so many threads.
    pub fn count_cells(&mut self, threads: NonZeroUsize) -> u64 {
        match &mut self.held {
            _ if self.layout.sorts[self.sort].is_wide() => 0,
            Held::Heap(heap) => heap.count_cells(self.sort, self.value as u32, threads.get()),
            Held::Brought(cells) => cells.count(&self.layout, (self.sort, self.value)),
        }
    }

    /// The heap, for another run; `None` where cells look otherwise than this layout says.
    pub fn into_heap(self, layout: &Arc<Layout>) -> Option<Heap> {
        match self.held {
            Held::Heap(heap) if Arc::ptr_eq(&self.layout, layout) => Some(*heap),
            _ => None,
        }
    }

    /// A normal form whose cells a backend has brought.
    pub fn brought(layout: Arc<Layout>, cells: Arc<dyn Brought>, (sort, value): (SortId, u64)) -> Self {
        Self { layout, held: Held::Brought(cells), sort, value }
    }

    /// A subterm by its [key](View::key), which must be one of this normal form.
    pub fn subterm(&self, Key { sort, value, before }: Key) -> View<'_> {
        View { of: self, sort, value, before }
    }

    /// The whole term.
    pub fn root(&self) -> View<'_> {
        View { of: self, sort: self.sort, value: self.value, before: 0 }
    }
}

/// What a subterm of a normal form is by identity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    sort: SortId,
    value: u64,
    before: u64,
}

/// A subterm of a normal form. Equal arguments that have a count are seen as applications in each other.
#[derive(Clone, Copy)]
pub struct View<'a> {
    of: &'a NormalForm,
    sort: SortId,
    value: u64,
    /// How many of the equal arguments at the beginning of the value are before the subterm.
    before: u64,
}

impl<'a> View<'a> {
    /// What it is by identity: subterms of one normal form with the same key are the same, and shared if they have
    /// cells.
    pub fn key(&self) -> Key {
        Key { sort: self.sort, value: self.value, before: self.before }
    }
    /// Itself, or the argument of a symbol that is not written: a number among the terms of another sort.
    #[must_use]
    pub fn written(self) -> View<'a> {
        let mut view = self;
        while view.variant().is_some_and(|v| v.notation == Notation::Argument)
            && let Some(arg) = view.arg(0)
        {
            view = arg;
        }
        view
    }
    /// Writes the subterm as [`NormalForm::write_text`] does the whole.
    pub fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        let (layout, cells) = (&self.of.layout, self.of.held.cells());
        text::write_behind(layout, cells, (self.sort, self.value), self.before, out)
    }
    /// Name of the sort.
    pub fn sort_name(&self) -> &'a str {
        &self.of.layout.sorts[self.sort].name
    }
    fn variant(&self) -> Option<&'a Variant> {
        let shape = &self.of.layout.sorts[self.sort];
        let tag = self.value as u32 & ((1u32 << shape.tag_bits) - 1);
        let variant = shape.variants.get(tag as usize).filter(|_| shape.kind == SortKind::Data)?;
        // Copies alone are an application of the symbol whose arguments they are.
        let is_whole =
            |of: &&Variant| of.name == variant.name && of.fields.iter().all(|f| f.sort == self.sort);
        match variant.notation {
            Notation::Copies(_) => shape.variants.iter().find(|of| of.fields.len() == 2 && is_whole(of)),
            _ => Some(variant),
        }
    }
    fn copies(&self) -> Option<Copies<'a>> {
        let has_copies = self.of.layout.sorts[self.sort].has_copies;
        has_copies
            .then(|| Copies::of_value(&self.of.layout, self.of.held.cells(), self.sort, self.value as u32))?
    }
    /// Name of the head symbol; `None` for a number.
    pub fn symbol(&self) -> Option<&'a str> {
        self.variant().map(|v| v.name.as_str())
    }
    /// The head symbol; `None` for a number.
    pub fn symbol_id(&self) -> Option<SymbolId> {
        self.variant().map(|v| v.symbol)
    }
    /// Number of arguments; 0 for a number.
    pub fn arity(&self) -> usize {
        self.variant().map_or(0, |v| v.fields.len())
    }
    /// An argument; `None` beyond the last one.
    pub fn arg(&self, index: usize) -> Option<View<'a>> {
        if let Some(copies) = self.copies() {
            let (sort, value) = match index {
                0 => copies.element(),
                1 => match copies.after(self.before + 1) {
                    Ok(_) => return Some(View { before: self.before + 1, ..*self }),
                    Err(value) => value,
                },
                _ => return None,
            };
            return Some(View { of: self.of, sort, value, before: 0 });
        }
        let field = *self.variant()?.fields.get(index)?;
        let (_, cell) = text::cell(&self.of.layout, self.of.held.cells(), self.sort, self.value as u32)?;
        let value = text::field_bits(cell, field.offset, field.wide);
        Some(View { of: self.of, sort: field.sort, value, before: 0 })
    }
    /// The arguments in order.
    pub fn args(self) -> impl Iterator<Item = View<'a>> {
        (0..self.arity()).filter_map(move |i| self.arg(i))
    }
    /// The value of an `Int` that fits 64 bits.
    pub fn int(&self) -> Option<i64> {
        let cells = self.of.held.cells();
        let is_int = self.of.layout.sorts[self.sort].kind == SortKind::Int
            && cells.application(self.value).is_none()
            && cells.long_text(self.value).is_none();
        match self.of.held.cells().integer(self.value) {
            Some(number) if is_int => i64::try_from(number).ok(),
            _ => is_int.then(|| self.value.cast_signed()),
        }
    }
    /// The bytes of a text of bytes.
    pub fn text(&self) -> Option<Vec<u8>> {
        let (layout, cells) = (&self.of.layout, self.of.held.cells());
        // What is written so but holds another term is a name.
        let is_text = |of: &&Variant| {
            matches!(of.notation, Notation::Quoted(_))
                && of.fields.first().is_some_and(|field| layout.sorts[field.sort].kind == SortKind::Int)
        };
        self.variant().filter(is_text)?;
        text::bytes_of_text(layout, cells, (self.sort, self.value))
    }
    /// The value of a `Float`.
    pub fn float(&self) -> Option<f64> {
        (self.of.layout.sorts[self.sort].kind == SortKind::Float).then(|| f64::from_bits(self.value))
    }
}
