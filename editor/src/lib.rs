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

use std::path::{Path, PathBuf};

use gchr_base::reading::named::find;

/// The files beside a text that it names, as far as there are such files.
pub fn imports(layout: Layout, text: &str, folder: &Path) -> Vec<PathBuf> {
    let (named, endings): (Vec<Vec<String>>, &[&str]) = match layout {
        Layout::Terms => (trs::imports(text).into_iter().map(|name| vec![name]).collect(), &["trs"]),
        Layout::Constraints => (chr::imports(text), &gchr_chr::FILE_ENDINGS),
    };
    let found = named.iter().filter_map(|names| names.iter().find_map(|name| find(folder, name, endings)));
    found.collect()
}
