//! Numbers inside values that are written in one piece: fractions, characters and texts.

use gchr_base::escape;
use gchr_base::op::texts;
use gchr_base::signature::{Notation, SortId, SortKind};

use super::{Cells, Todo, cell, field_bits};
use crate::plan::{Layout, Variant};

/// The word of the number that a value is, maybe inside what is written as its argument.
pub(super) fn number(layout: &Layout, cells: &(impl Cells + ?Sized), value: Todo<'_>) -> Option<u64> {
    word(layout, cells, value, |notation| *notation == Notation::Argument)
}

/// The word of the text that a value is, maybe inside another one that is written as a text.
pub(super) fn text_word(layout: &Layout, cells: &(impl Cells + ?Sized), value: Todo<'_>) -> Option<u64> {
    word(layout, cells, value, |notation| matches!(notation, Notation::Quoted(_)))
}

/// The word that a value is, maybe inside applications that are written so.
fn word(
    layout: &Layout,
    cells: &(impl Cells + ?Sized),
    value: Todo<'_>,
    passes: impl Fn(&Notation) -> bool,
) -> Option<u64> {
    let Todo::Value(mut sort, mut bits) = value else { return None };
    loop {
        match layout.sorts[sort].kind {
            SortKind::Data => {}
            SortKind::Int if cells.application(bits).is_none() => return Some(bits),
            _ => return None,
        }
        let (variant, cell) = cell(layout, cells, sort, bits as u32)?;
        let [field] = variant.fields.as_slice() else { return None };
        if !passes(&variant.notation) {
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

/// Takes some bytes of the text of a word from a place on; where to go on, if something is left.
pub(super) fn bytes(
    layout: &Layout,
    cells: &(impl Cells + ?Sized),
    word: u64,
    from: u64,
    take: &mut dyn FnMut(&[u8]),
) -> Option<u64> {
    let short = texts::unpacked(word.cast_signed());
    let of_program = || layout.texts.get(texts::literal(word.cast_signed())?);
    let (piece, length): (&[u8], u64) = match (&short, of_program(), cells.long_text(word)) {
        (Some((bytes, length)), ..) => (&bytes[8 - length..], *length as u64),
        (None, Some(text), _) => (text, text.len() as u64),
        (None, None, Some(text)) => (text.piece_at(from), text.length() - from),
        (None, None, None) => return None,
    };
    take(piece);
    (length > piece.len() as u64).then(|| from + piece.len() as u64)
}

/// The bytes of a value that is written as a text of bytes.
pub(in crate::exec) fn bytes_of_text(
    layout: &Layout,
    cells: &(impl Cells + ?Sized),
    (sort, value): (SortId, u64),
) -> Option<Vec<u8>> {
    let word = text_word(layout, cells, Todo::Value(sort, value))?;
    let (mut found, mut from) = (Vec::new(), Some(0));
    while let Some(at) = from {
        from = bytes(layout, cells, word, at, &mut |piece| found.extend_from_slice(piece));
    }
    Some(found)
}

/// The character of a code.
pub(super) fn code_point(layout: &Layout, cells: &(impl Cells + ?Sized), value: Todo<'_>) -> Option<char> {
    let word = number(layout, cells, value).filter(|&word| cells.integer(word).is_none())?;
    u32::try_from(word).ok().and_then(char::from_u32)
}

/// A character between quotes of this kind.
pub(super) fn in_quotes(c: char, quote: char, out: &mut Vec<u8>) {
    out.push(quote as u8);
    push(c, quote, out);
    out.push(quote as u8);
}

fn push(c: char, quote: char, out: &mut Vec<u8>) {
    match escape::in_quotes(c, quote) {
        Some(written) => out.extend_from_slice(written.as_bytes()),
        None => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// The first element of a list, if it is a character, and the rest; `None` for an empty list.
fn first(
    layout: &Layout,
    cells: &(impl Cells + ?Sized),
    (sort, value): (SortId, u32),
) -> Option<(Option<char>, u32)> {
    let (variant, words) = cell(layout, cells, sort, value)?;
    let bits = |at: usize| {
        let field = variant.fields[at];
        (field.sort, field_bits(words, field.offset, field.wide))
    };
    let ((element, first), (_, rest)) = (bits(0), bits(1));
    let character = || {
        let (variant, words) = cell(layout, cells, element, u32::try_from(first).ok()?)?;
        let field = variant.fields.first().filter(|_| variant.notation == Notation::CodePoint)?;
        let code = field_bits(words, field.offset, field.wide);
        code_point(layout, cells, Todo::Value(field.sort, code))
    };
    Some((character(), rest as u32))
}

/// Whether all elements of a list are characters.
pub(super) fn is_text(layout: &Layout, cells: &(impl Cells + ?Sized), sort: SortId, mut value: u32) -> bool {
    while let Some((character, rest)) = first(layout, cells, (sort, value)) {
        if character.is_none() {
            return false;
        }
        value = rest;
    }
    true
}

/// Writes characters of a text until there are so many bytes, or all and the closing quote; what is left.
pub(super) fn characters(
    layout: &Layout,
    cells: &(impl Cells + ?Sized),
    (sort, mut value): (SortId, u32),
    out: &mut Vec<u8>,
    bytes: usize,
) -> Option<u32> {
    while let Some((character, rest)) = first(layout, cells, (sort, value)) {
        if out.len() >= bytes {
            return Some(value);
        }
        character.into_iter().for_each(|c| push(c, '"', out));
        value = rest;
    }
    out.push(b'"');
    None
}
