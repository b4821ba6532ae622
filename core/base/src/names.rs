//! The identifiers of a text, interned: frontends of term programs keep them as numbers.

use std::sync::Arc;

use crate::hash::HashMap;
use crate::source::Span;

/// An interned identifier of one text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(pub u32);

/// The identifiers of a text, in order of first occurrence.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Names {
    texts: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, Name>,
}

impl Names {
    /// The name with this text, new or known.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.ids.get(text) {
            return name;
        }
        // A text has fewer than 2^32 bytes, hence fewer names.
        let name = Name(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.ids.insert(text, name);
        name
    }
    /// The text of a name.
    pub fn get(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }
    /// All texts; a name is the position of its text.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }
    /// The name with this text, if it occurs.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.ids.get(text).copied()
    }
}

/// A name at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}
