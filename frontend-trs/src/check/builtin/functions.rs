//! Sorts of functions, what applies their values, and the values that stand for symbols.

use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::signature::{Notation, Sort, SortId, Symbol, SymbolId, SymbolKind};

use crate::check::families::{Families, FamilyId};

/// What there is for functions with some number of arguments.
#[derive(Clone, Copy)]
struct OfArity {
    /// Their sorts, made of those of the arguments and of the result.
    family: FamilyId,
    /// Applies one.
    apply: SymbolId,
}

/// The sorts of functions, as far as they are used.
#[derive(Clone, Default)]
pub(crate) struct Functions {
    of: HashMap<usize, OfArity>,
    /// The values that stand for symbols.
    values: HashMap<SymbolId, SymbolId>,
}

impl Functions {
    /// The sorts of functions with so many arguments.
    pub fn family(
        &mut self,
        arity: usize,
        families: &mut Families,
        sorts: &mut IdVec<SortId, Sort>,
        symbols: &mut IdVec<SymbolId, Symbol>,
    ) -> FamilyId {
        if let Some(known) = self.of.get(&arity) {
            return known.family;
        }
        let mut parameter = |name: String| families.parameter(&name, sorts, symbols);
        let mut parameters: Vec<SortId> = (1..=arity).map(|at| parameter(format!("A{at}"))).collect();
        parameters.push(parameter("B".into()));
        let family = families.function_family(parameters.clone());
        let result = parameters[arity];
        let function = families.sort(family, parameters.clone(), sorts);
        let args = function.into_iter().chain(parameters[..arity].iter().copied()).collect();
        let (name, kind) = ("apply".to_string(), SymbolKind::Defined);
        let apply = symbols.push(Symbol { name, args, result, kind, span: None });
        families.generalise(apply, parameters);
        self.of.insert(arity, OfArity { family, apply });
        family
    }

    /// How applications of values are written in results.
    pub fn notations(&self) -> impl Iterator<Item = (SymbolId, Notation)> + '_ {
        self.of.values().map(|of| (of.apply, Notation::Applied))
    }

    /// The sorts of functions with so many arguments, and what applies their values, once they are used.
    pub fn known(&self, arity: usize) -> Option<(FamilyId, SymbolId)> {
        self.of.get(&arity).map(|of| (of.family, of.apply))
    }

    /// The value that stands for a symbol, once it is used.
    pub fn known_value(&self, symbol: SymbolId) -> Option<SymbolId> {
        self.values.get(&symbol).copied()
    }

    /// A value that stands for a symbol from now on.
    pub fn add(&mut self, symbol: SymbolId, value: SymbolId) {
        self.values.insert(symbol, value);
    }
}
