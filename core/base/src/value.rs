//! Values of constraint programs as a caller sees them, and how they are stored: integers, floats, atoms, strings and
//! compound terms.
//!
//! A column of a declared type stores a value as the bits of its integer or float, or as the id of its text. A column
//! of type `Any` stores a tagged [`Word`] whose big integers, floats and compound terms live hash-consed on a [`Heap`],
//! so that two values are identical exactly when their words are. [`Value`] is the view of either; it borrows and never
//! copies a term.

pub mod heap;
pub mod operators;
mod order;
pub mod tag;
mod types;
mod write;

pub use heap::{Heap, Word};
pub use order::{compare, compare_numbers};
pub use write::{Operation, Written, is_symbol_char, write_atom, write_escaped, write_float};

use crate::signature::{Signature, SortKind, TextId};

/// A value. Views of compound terms borrow the heap, so values of any depth are cheap to copy and to drop.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// An atom; `[]` is the empty list.
    Atom(&'a str),
    /// A string.
    Str(&'a str),
    /// A compound term.
    Compound {
        /// Name of its functor.
        name: &'a str,
        /// Its arguments, at least one.
        args: Args<'a>,
    },
}

/// Arguments of a compound term.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    terms: Terms<'a>,
    words: &'a [u64],
}

impl<'a> Args<'a> {
    /// Number of arguments.
    pub fn len(self) -> usize {
        self.words.len()
    }
    /// Whether there are none, which no compound term has.
    pub fn is_empty(self) -> bool {
        self.words.is_empty()
    }
    /// The argument at a zero-based position.
    pub fn get(self, index: usize) -> Option<Value<'a>> {
        self.words.get(index).map(|&w| self.terms.value(SortKind::Any, w))
    }
    /// The arguments from left to right.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Value<'a>> + ExactSizeIterator + use<'a> {
        self.words.iter().map(move |&w| self.terms.value(SortKind::Any, w))
    }
    /// Whether both are the arguments of one and the same cell.
    fn same_cell(self, other: Args<'_>) -> bool {
        std::ptr::eq(self.words, other.words)
    }
}

impl std::fmt::Debug for Args<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} arguments", self.len())
    }
}

/// What is needed to make a [`Value`] of stored bits.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// Names and texts.
    pub signature: &'a Signature,
    /// Cells of compound terms and boxed numbers.
    pub heap: &'a Heap,
}

impl<'a> Terms<'a> {
    /// The value that a column of sort kind `kind` stores as `bits`.
    pub fn value(self, kind: SortKind, bits: u64) -> Value<'a> {
        let text = |id: u64| self.signature.texts.get(TextId(id as u32));
        match kind {
            SortKind::Int => Value::Int(bits as i64),
            SortKind::Float => Value::Float(f64::from_bits(bits)),
            SortKind::Atom => Value::Atom(text(bits)),
            SortKind::Str => Value::Str(text(bits)),
            SortKind::Data => {
                let truth = self.signature.booleans;
                let symbol = if bits == 0 { truth.false_symbol } else { truth.true_symbol };
                Value::Atom(&self.signature.symbols[symbol].name)
            }
            SortKind::Any => match self.heap.view(bits) {
                Word::Int(n) => Value::Int(n),
                Word::Float(x) => Value::Float(x),
                Word::Atom(t) => Value::Atom(self.signature.texts.get(t)),
                Word::Str(t) => Value::Str(self.signature.texts.get(t)),
                Word::Compound(symbol, words) => Value::Compound {
                    name: &self.signature.symbols[symbol].name,
                    args: Args { terms: self, words },
                },
            },
        }
    }
}

impl<'a> Value<'a> {
    /// The value as `writeq` shows it: quoted so that it can be read back.
    pub fn quoted(self) -> Written<'a> {
        Written::new(self, true)
    }
    /// The value as `write` shows it: atoms and strings as they are.
    pub fn plain(self) -> Written<'a> {
        Written::new(self, false)
    }
    /// The value as an argument in program text: as `writeq` shows it, but operators that bind weaker than a comma in
    /// parentheses, and `'$VAR'(1)` as it is, so that it reads back.
    pub fn argument(self) -> Written<'a> {
        Written::argument(self)
    }
    /// The value in a message: as [`quoted`](Self::quoted), cut where it is long.
    pub fn shown(self) -> String {
        const WIDTH: usize = 200;
        crate::limited::cut(self.quoted(), WIDTH)
    }
    /// The element and the rest, if this is a list cell.
    pub fn as_list_cell(self) -> Option<(Value<'a>, Value<'a>)> {
        match self {
            Value::Compound { name: "[|]", args } if args.len() == 2 => Some((args.get(0)?, args.get(1)?)),
            _ => None,
        }
    }
}

impl std::fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.quoted().fmt(f)
    }
}

impl PartialEq for Value<'_> {
    /// Identity of terms (`==` of Prolog): 1 and 1.0 differ.
    fn eq(&self, other: &Self) -> bool {
        compare(*self, *other).is_eq()
    }
}
