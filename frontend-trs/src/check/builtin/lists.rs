//! `List(S)`: a sort with a parameter, its constructors, and the names of what there is for lists.

use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::signature::{Brackets, Notation, Sort, SortId, Symbol, SymbolId, SymbolKind};

use super::Named;
use crate::ast::ListOp;
use crate::check::families::{Families, FamilyId};

/// The name of the sort of lists, unless the program declares a sort of this name.
pub(crate) const LIST: &str = "List";

/// What there is for lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ListSymbol {
    /// `[]`.
    Empty,
    /// An operator.
    Op(ListOp),
    /// `head(l)`: the first element.
    Head,
    /// `tail(l)`: the list without it.
    Tail,
    /// `rhead(l)`: the last element.
    LastElement,
    /// `rtail(l)`: the list without it.
    WithoutLast,
    /// Number of elements and a number, which no text can write.
    Length,
}

impl Named for ListSymbol {
    const NAMED: &'static [ListSymbol] =
        &[ListSymbol::Head, ListSymbol::Tail, ListSymbol::LastElement, ListSymbol::WithoutLast];

    fn name(self) -> &'static str {
        match self {
            ListSymbol::Empty => "[]",
            ListSymbol::Op(op) => op.text(),
            ListSymbol::Head => "head",
            ListSymbol::Tail => "tail",
            ListSymbol::LastElement => "rhead",
            ListSymbol::WithoutLast => "rtail",
            ListSymbol::Length => "#.from",
        }
    }
}

impl ListSymbol {
    fn notation(self) -> Option<Notation> {
        let brackets = Brackets::SQUARE;
        Some(match self {
            ListSymbol::Empty => Notation::Empty(brackets),
            ListSymbol::Op(ListOp::Cons) => Notation::Element(brackets),
            ListSymbol::Op(ListOp::Snoc | ListOp::Concat | ListOp::At | ListOp::In) => Notation::Infix,
            _ => return None,
        })
    }
}

/// The sort of lists, and the symbols for it, once they are used.
#[derive(Clone, Default)]
pub(crate) struct Lists {
    family: Option<FamilyId>,
    symbols: HashMap<ListSymbol, SymbolId>,
}

impl Lists {
    /// The sort with its constructors.
    pub fn family(
        &mut self,
        families: &mut Families,
        sorts: &mut IdVec<SortId, Sort>,
        symbols: &mut IdVec<SymbolId, Symbol>,
    ) -> FamilyId {
        if let Some(known) = self.family {
            return known;
        }
        let element = families.hidden_parameter(sorts, symbols);
        let family = families.family(LIST, None, vec![element]);
        self.family = Some(family);
        let Some(list) = families.sort(family, vec![element], sorts) else { return family };
        for (symbol, args) in
            [(ListSymbol::Empty, vec![]), (ListSymbol::Op(ListOp::Cons), vec![element, list])]
        {
            let (name, kind) = (symbol.name().to_string(), SymbolKind::Constructor);
            let id = symbols.push(Symbol { name, args, result: list, kind, span: None });
            families.generalise(id, vec![element]);
            families.constructor(family, id);
            self.symbols.insert(symbol, id);
        }
        family
    }

    /// How the symbols are written in results.
    pub fn notations(&self) -> impl Iterator<Item = (SymbolId, Notation)> + '_ {
        self.symbols.iter().filter_map(|(symbol, id)| Some((*id, symbol.notation()?)))
    }

    /// How lists of characters of this sort are written.
    pub fn text_notations(&self, families: &Families, element: SortId) -> Vec<(SymbolId, Notation)> {
        let notations = [
            (ListSymbol::Empty, Notation::Empty(Brackets::QUOTES)),
            (ListSymbol::Op(ListOp::Cons), Notation::Text),
        ];
        let of = |(symbol, notation)| {
            let generic = *self.symbols.get(&symbol)?;
            Some((families.known_symbol(generic, &[element])?, notation))
        };
        notations.into_iter().filter_map(of).collect()
    }

    /// The sort, once it is used.
    pub fn known_family(&self) -> Option<FamilyId> {
        self.family
    }

    /// A symbol, once it is used.
    pub fn known(&self, symbol: ListSymbol) -> Option<SymbolId> {
        self.symbols.get(&symbol).copied()
    }

    /// A symbol that is used from now on.
    pub fn add(&mut self, symbol: ListSymbol, id: SymbolId) {
        self.symbols.insert(symbol, id);
    }
}
