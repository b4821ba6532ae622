//! Projections and recognisers of a `struct`, as they are declared.

use gchr_base::hash::{HashMap, HashSet};
use gchr_base::signature::{SortId, SymbolId};
use gchr_base::source::Span;

/// What the functions of a `struct` give for one of its constructors.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    /// The projection or recogniser.
    pub function: SymbolId,
    /// The constructor.
    pub of: SymbolId,
    /// The argument that it projects to; `None` for a recogniser.
    pub argument: Option<usize>,
    /// Where it is named.
    pub span: Span,
}

/// The projections and recognisers of a program.
#[derive(Default)]
pub(crate) struct Fields {
    pub all: Vec<Field>,
    /// Sort and result sort of the projections.
    projections: HashMap<SymbolId, (SortId, SortId)>,
    /// The functions that are `true` of what a constructor of a sort builds.
    pub built: HashMap<SortId, SymbolId>,
}

impl Fields {
    /// Adds what a function gives for a constructor.
    pub fn add(&mut self, field: Field, sort: SortId, result: SortId) {
        if field.argument.is_some() {
            self.projections.insert(field.function, (sort, result));
        }
        self.all.push(field);
    }

    /// Whether a symbol is a projection from one sort to another: constructors may share it.
    pub fn is_projection(&self, symbol: SymbolId, sort: Option<SortId>, result: Option<SortId>) -> bool {
        let found = self.projections.get(&symbol).map(|&(sort, result)| (Some(sort), Some(result)));
        found == Some((sort, result))
    }

    /// All these functions.
    pub fn functions(&self) -> HashSet<SymbolId> {
        self.all.iter().map(|field| field.function).chain(self.built.values().copied()).collect()
    }
}
