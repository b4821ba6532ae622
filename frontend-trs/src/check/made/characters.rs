//! `Char`, the sort of characters, with conversions to and from their codes, as far as a program uses them. A text is a
//! list of characters: `String` is another name of their sort.

use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{Rule, Var, VarId};
use gchr_base::signature::{Notation, Sort, SortId, SortKind, Symbol, SymbolId, SymbolKind};
use gchr_base::source::Span;

use super::lists::Lists;
use super::maker::{Maker, Part};
use crate::check::declarations::Scope;
use crate::check::families::Families;
use crate::check::rules::rule_of;

/// The name of the sort of characters, unless the program declares a sort of this name.
pub(crate) const CHAR: &str = "Char";
/// The name of the sort of texts, in the same way.
pub(crate) const STRING: &str = "String";

/// Codes of characters: what is between them is none.
const CODES: [(i64, i64); 2] = [(0, 0xd7ff), (0xe000, char::MAX as i64)];

/// A function on characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum CharFunction {
    /// `code(c)`: the code of a character.
    Code,
    /// `char(n)`: the character of a code.
    Char,
}

impl CharFunction {
    const ALL: [CharFunction; 2] = [CharFunction::Code, CharFunction::Char];

    /// The function of a name, unless the program declares a symbol of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// The names of the functions.
    pub fn names<'n>() -> impl Iterator<Item = &'n str> {
        Self::ALL.into_iter().map(|function| -> &str { function.name() })
    }

    /// As it is written.
    pub fn name(self) -> &'static str {
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
}

impl Scope<'_> {
    /// The sort of characters; `None` where a finished program has none, and for the reasons above.
    pub fn characters(&mut self) -> Option<Built> {
        if self.made.is_final {
            return self.characters.built;
        }
        let signature = self.signature.to_mut();
        self.characters.to_mut().built(&mut signature.sorts, &mut signature.symbols)
    }

    /// A function with its rules; `None` where a finished program has none.
    pub fn char_function(&mut self, function: CharFunction, span: Span) -> Option<SymbolId> {
        let built = self.characters()?;
        if let Some(&known) = self.characters.functions.get(&function) {
            return Some(known);
        }
        let (arg, result) = match function {
            CharFunction::Code => (built.sort, built.code),
            CharFunction::Char => (built.code, built.sort),
        };
        let owner = self.made.owner.take();
        let id = self.make(function.name().to_string(), vec![arg], result)?;
        self.made.owner = owner;
        self.characters.to_mut().functions.insert(function, id);
        let maker = Maker { scope: self, span };
        let rules = maker.conversion(function, id, built);
        self.made.rules.extend(rules);
        Some(id)
    }
}

impl Maker<'_, '_> {
    /// The rules of a conversion: a number that is no code has none.
    fn conversion(&self, function: CharFunction, id: SymbolId, built: Built) -> Vec<Rule> {
        let mut vars: IdVec<VarId, Var> = IdVec::new();
        let code = self.var(&mut vars, "N", built.code);
        let character = self.app(built.symbol, vec![code.clone()]);
        let rule = |from: &Part, to: &Part| {
            rule_of(id, vars.clone(), vec![from.pattern.clone()], to.value.clone(), self.span)
        };
        match function {
            CharFunction::Code => vec![rule(&character, &code)],
            CharFunction::Char => CODES
                .map(|(least, most)| {
                    let bound = |op, value| self.operation(op, [code.clone(), self.int(value, built.code)]);
                    let rule = self.test(rule(&code, &character), bound(Op::Ge, least));
                    self.test(rule, bound(Op::Le, most))
                })
                .to_vec(),
        }
    }
}
