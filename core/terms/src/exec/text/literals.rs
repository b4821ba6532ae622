//! Numbers inside values that are written in one piece: fractions and characters.

use gchr_base::signature::{Notation, SortKind};

use super::{Cells, Todo, cell, field_bits};
use crate::plan::{Layout, Variant};

/// The word of the number that a value is, maybe inside what is written as its argument.
pub(super) fn number(layout: &Layout, cells: &(impl Cells + ?Sized), value: Todo<'_>) -> Option<u64> {
    let Todo::Value(mut sort, mut bits) = value else { return None };
    loop {
        match layout.sorts[sort].kind {
            SortKind::Data => {}
            SortKind::Int if cells.application(bits).is_none() => return Some(bits),
            _ => return None,
        }
        let (variant, cell) = cell(layout, cells, sort, bits as u32)?;
        let [field] = variant.fields.as_slice() else { return None };
        if variant.notation != Notation::Argument {
            return None;
        }
        (sort, bits) = (field.sort, field_bits(cell, field.offset, field.wide));
    }
}

/// Whether an application of a symbol that is written as a ratio is one of numbers, as which it is read.
pub(super) fn is_ratio(
    layout: &Layout,
    cells: &(impl Cells + ?Sized),
    variant: &Variant,
    words: &[u32],
) -> bool {
    let [above, below] = variant.fields.as_slice() else { return false };
    let [above, below] = [above, below].map(|field| {
        let value = field_bits(words, field.offset, field.wide);
        number(layout, cells, Todo::Value(field.sort, value))
    });
    above.is_some() && below.is_some_and(|below| below != 0)
}

/// The code of a character.
pub(super) fn code(layout: &Layout, cells: &(impl Cells + ?Sized), value: Todo<'_>) -> Option<u8> {
    let word = number(layout, cells, value)?;
    if cells.integer(word).is_some() {
        return None;
    }
    u8::try_from(word).ok()
}
