//! What editors ask of programs: the symbols of a text, where they are declared, defined and used, an outline,
//! completions, and other names for them. A text with mistakes is answered for as far as it can be read.
//!
//! [`Index::of_terms`] and [`Index::of_constraints`] read a text; [`Text`] turns bytes into the lines and columns of a
//! protocol and back.

mod chr;
mod format;
mod index;
mod rename;
mod text;
mod trs;

pub use format::{Layout, format};
pub use index::{Entry, Index, Kind, Occurrence, Role, Symbol};
pub use rename::Unnameable;
pub use text::{Encoding, Place, Text};
pub use trs::imports;
