//! `Char`, the sort of characters, and the names of conversions to and from their codes. A text is a list of
//! characters: `String` is another name of their sort.

use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::signature::{Notation, Sort, SortId, SortKind, Symbol, SymbolId, SymbolKind};

use super::Named;
use super::lists::Lists;
use crate::check::families::Families;

/// The name of the sort of characters, unless the program declares a sort of this name.
pub(crate) const CHAR: &str = "Char";
/// The name of the sort of texts, in the same way.
pub(crate) const STRING: &str = "String";

/// A function on characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum CharFunction {
    /// `code(c)`: the code of a character.
    Code,
    /// `char(n)`: the character of a code.
    Char,
}

impl Named for CharFunction {
    const NAMED: &'static [CharFunction] = &[CharFunction::Code, CharFunction::Char];

    fn name(self) -> &'static str {
        match self {
            CharFunction::Code => "code",
            CharFunction::Char => "char",
        }
    }
}

/// The sort of characters, and what makes one of its code.
#[derive(Clone, Copy)]
pub(crate) struct Built {
    pub sort: SortId,
    pub symbol: SymbolId,
    /// The sort of codes.
    pub code: SortId,
}

/// What there is for characters, once it is used.
#[derive(Clone, Default)]
pub(crate) struct Characters {
    /// Whether the program declares a sort `Char` of its own.
    pub is_hidden: bool,
    built: Option<Built>,
    functions: HashMap<CharFunction, SymbolId>,
}

impl Characters {
    /// The sort with its constructor; `None` where the program has another one, or no integers.
    pub fn built(
        &mut self,
        sorts: &mut IdVec<SortId, Sort>,
        symbols: &mut IdVec<SymbolId, Symbol>,
    ) -> Option<Built> {
        if self.built.is_some() || self.is_hidden {
            return self.built;
        }
        let (code, _) = sorts.iter_enumerated().find(|(_, sort)| sort.kind == SortKind::Int)?;
        let sort = sorts.push(Sort { name: CHAR.into(), kind: SortKind::Data, span: None });
        let (name, kind) = ("@char".to_string(), SymbolKind::Constructor);
        let symbol = symbols.push(Symbol { name, args: vec![code], result: sort, kind, span: None });
        self.built = Some(Built { sort, symbol, code });
        self.built
    }

    /// How characters and texts are written in results.
    pub fn notations(&self, families: &Families, lists: &Lists) -> Vec<(SymbolId, Notation)> {
        let Some(built) = self.built else { return Vec::new() };
        let of_lists = lists.text_notations(families, built.sort);
        of_lists.into_iter().chain([(built.symbol, Notation::CodePoint)]).collect()
    }

    /// The sort with its constructor, once it is used.
    pub fn known(&self) -> Option<Built> {
        self.built
    }

    /// A function, once it is used.
    pub fn known_function(&self, function: CharFunction) -> Option<SymbolId> {
        self.functions.get(&function).copied()
    }

    /// A function that is used from now on.
    pub fn add(&mut self, function: CharFunction, id: SymbolId) {
        self.functions.insert(function, id);
    }
}
