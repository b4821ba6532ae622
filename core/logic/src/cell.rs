//! Cells: tagged machine words of which terms are made.

/// What a [`Cell`] is: its three lowest bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(crate) enum Tag {
    /// A reference to a cell of the heap; an unbound variable refers to itself.
    Ref,
    /// An unbound variable with attributes: refers to itself, the attributes are in the next cell, its
    /// number in the one behind.
    Att,
    /// A compound term: the place of its functor, which its arguments follow.
    Str,
    /// A list cell: the place of head and tail.
    Lst,
    /// An integer of 61 bits.
    Int,
    /// An atom.
    Atom,
    /// A float, a string, a large integer or a rational number: the place of its header.
    Box,
    /// On the heap only: a functor, or the header of a boxed value.
    Header,
}

const TAGS: [Tag; 8] = [Tag::Ref, Tag::Att, Tag::Str, Tag::Lst, Tag::Int, Tag::Atom, Tag::Box, Tag::Header];

/// A term, or a part of one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cell(pub u64);

/// An atom: a number in the table of names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Atom(pub u32);

/// Kinds of boxed values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BoxKind {
    Float,
    Str,
    Big,
    Rational,
}

/// Arities from here on mark headers of boxed values.
const BOXES: u64 = 0x1fff_fff0;

/// Largest arity of a compound term.
pub(crate) const MAX_ARITY: usize = 0x0fff_ffff;

impl Cell {
    #[inline(always)]
    pub fn tag(self) -> Tag {
        TAGS[(self.0 & 7) as usize]
    }
    #[inline(always)]
    fn tagged(tag: Tag, value: u64) -> Self {
        Self(value << 3 | tag as u64)
    }
    #[inline(always)]
    pub fn reference(place: usize) -> Self {
        Self::tagged(Tag::Ref, place as u64)
    }
    #[inline(always)]
    pub fn attributed(place: usize) -> Self {
        Self::tagged(Tag::Att, place as u64)
    }
    #[inline(always)]
    pub fn structure(place: usize) -> Self {
        Self::tagged(Tag::Str, place as u64)
    }
    #[inline(always)]
    pub fn list(place: usize) -> Self {
        Self::tagged(Tag::Lst, place as u64)
    }
    #[inline(always)]
    pub fn boxed(place: usize) -> Self {
        Self::tagged(Tag::Box, place as u64)
    }
    #[inline(always)]
    pub const fn atom(atom: Atom) -> Self {
        Self((atom.0 as u64) << 3 | Tag::Atom as u64)
    }
    /// An integer, if it fits.
    #[inline(always)]
    pub fn small(n: i64) -> Option<Self> {
        ((n << 3) >> 3 == n).then_some(Self((n as u64) << 3 | Tag::Int as u64))
    }
    /// An integer that is known to fit: a number of something in memory.
    #[inline(always)]
    pub fn int(n: usize) -> Self {
        Self((n as u64) << 3 | Tag::Int as u64)
    }
    #[inline(always)]
    pub fn functor(name: Atom, arity: usize) -> Self {
        Self((arity as u64) << 35 | u64::from(name.0) << 3 | Tag::Header as u64)
    }
    #[inline(always)]
    pub fn place(self) -> usize {
        (self.0 >> 3) as usize
    }
    #[inline(always)]
    pub fn as_int(self) -> i64 {
        self.0 as i64 >> 3
    }
    #[inline(always)]
    pub fn as_atom(self) -> Atom {
        Atom((self.0 >> 3) as u32)
    }
    /// Name of a functor.
    #[inline(always)]
    pub fn name(self) -> Atom {
        Atom((self.0 >> 3) as u32)
    }
    /// Arity of a functor.
    #[inline(always)]
    pub fn arity(self) -> usize {
        (self.0 >> 35) as usize
    }
    /// The header of a boxed value of some words; `detail` is the number of bytes of a string, the sign of an integer
    /// or a rational number.
    pub fn header(kind: BoxKind, detail: u32) -> Self {
        Self((BOXES + kind as u64) << 35 | u64::from(detail) << 3 | Tag::Header as u64)
    }
    pub fn box_kind(self) -> BoxKind {
        match (self.0 >> 35) - BOXES {
            0 => BoxKind::Float,
            1 => BoxKind::Str,
            2 => BoxKind::Big,
            _ => BoxKind::Rational,
        }
    }
    pub fn detail(self) -> u32 {
        (self.0 >> 3) as u32
    }
    #[inline(always)]
    pub fn is_var(self) -> bool {
        self.0 & 7 <= 1
    }
    #[inline(always)]
    pub fn is_int(self) -> bool {
        self.0 & 7 == Tag::Int as u64
    }
    #[inline(always)]
    pub fn is_atom(self) -> bool {
        self.0 & 7 == Tag::Atom as u64
    }
    /// Whether two equal terms are equal cells.
    #[inline(always)]
    pub fn is_immediate(self) -> bool {
        self.is_int() || self.is_atom()
    }
    #[inline(always)]
    pub fn is_compound(self) -> bool {
        matches!(self.tag(), Tag::Str | Tag::Lst)
    }
    #[inline(always)]
    pub fn is_callable(self) -> bool {
        self.is_atom() || self.is_compound()
    }
}

/// How many words the numerator and the denominator of a rational number have.
pub(crate) fn digits_of_parts(word: Cell) -> [usize; 2] {
    [word.0 as u32 as usize, (word.0 >> 32) as usize]
}
