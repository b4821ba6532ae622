//! Functions of native code by their numbers, what they take and give, and notes on their calls.

/// The kind of a value in a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// 64 bits: integers, addresses, values of terms.
    Word,
    /// A `f64`.
    Float,
}

/// What a function takes and gives.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// Kinds of the parameters.
    pub params: Vec<Kind>,
    /// Kind of the value.
    pub result: Kind,
}

/// A function of native code, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Func(pub u32);

/// The note of a call of which nothing was said.
pub const NO_NOTE: u32 = u32::MAX;

/// A note as a place in a source text. The code generator keeps differences of places, and takes that of a place to the
/// one before it, all bits set, for none: so places are even, and nothing said is one too.
pub(crate) fn place_of_note(note: u32) -> u32 {
    note.wrapping_add(1) << 1
}

/// The other way round.
pub(crate) fn note_of_place(place: u32) -> u32 {
    if place == u32::MAX { NO_NOTE } else { (place >> 1).wrapping_sub(1) }
}
