//! Tags of the words of sort `Any`: the low bits of a word say what it holds. Kernels have the same words.

/// Bits of a tag.
pub const BITS: u32 = 3;
/// The bits of a word that are its tag.
pub const MASK: u64 = 7;
/// An integer in the bits above the tag.
pub const INT: u64 = 0;
/// The cell of an integer that needs more bits.
pub const BIG: u64 = 1;
/// The cell of a float.
pub const FLOAT: u64 = 2;
/// The number of an atom's text.
pub const ATOM: u64 = 3;
/// The number of a string's text.
pub const STR: u64 = 4;
/// The cell of a compound term.
pub const COMPOUND: u64 = 5;

/// What the cell of an integer is, in the place of a functor.
pub const BIG_CELL: u64 = u32::MAX as u64;
/// What the cell of a float is, in the place of a functor.
pub const FLOAT_CELL: u64 = BIG_CELL - 1;

/// Whether a word is the place of a cell.
pub fn is_cell(word: u64) -> bool {
    matches!(word & MASK, BIG | FLOAT | COMPOUND)
}
