//! What the values of each sort can start with.

use crate::ids::Id;
use crate::signature::{Signature, SortId, SortKind, SymbolId, SymbolKind};

/// Head symbols of values, by sort.
pub struct Values {
    heads: Vec<Vec<SymbolId>>,
    /// By symbol: whether it is one of these.
    is_head: Vec<bool>,
}

impl Values {
    /// Constructors only.
    pub fn constructors(signature: &Signature) -> Self {
        Self::of(signature, |symbol| signature.symbols[symbol].kind == SymbolKind::Constructor)
    }

    /// Constructors that some ground term of constructors and constants starts with: of a sort without any such term,
    /// none.
    pub fn inhabited(signature: &Signature) -> Self {
        let mut found = vec![false; signature.sorts.len()];
        for (id, sort) in signature.sorts.iter_enumerated() {
            found[id.index()] = sort.kind != SortKind::Data;
        }
        // By sort, the constructors that wait for a first term of it.
        let mut waiting: Vec<Vec<SymbolId>> = vec![Vec::new(); signature.sorts.len()];
        let mut missing = vec![0_usize; signature.symbols.len()];
        let mut todo = Vec::new();
        for (id, symbol) in signature.symbols.iter_enumerated() {
            if symbol.kind != SymbolKind::Constructor {
                continue;
            }
            for arg in symbol.args.iter().filter(|arg| !found[arg.index()]) {
                missing[id.index()] += 1;
                waiting[arg.index()].push(id);
            }
            if missing[id.index()] == 0 {
                todo.push(symbol.result);
            }
        }
        while let Some(sort) = todo.pop() {
            if std::mem::replace(&mut found[sort.index()], true) {
                continue;
            }
            for symbol in std::mem::take(&mut waiting[sort.index()]) {
                missing[symbol.index()] -= 1;
                if missing[symbol.index()] == 0 {
                    todo.push(signature.symbols[symbol].result);
                }
            }
        }
        Self::of(signature, |symbol| {
            signature.symbols[symbol].kind == SymbolKind::Constructor && missing[symbol.index()] == 0
        })
    }

    fn of(signature: &Signature, is_head: impl Fn(SymbolId) -> bool) -> Self {
        let mut values = Self {
            heads: vec![Vec::new(); signature.sorts.len()],
            is_head: vec![false; signature.symbols.len()],
        };
        for symbol in signature.symbols.ids().filter(|&symbol| is_head(symbol)) {
            values.add(signature, symbol);
        }
        values
    }

    /// Values can start with this symbol, too.
    pub fn add(&mut self, signature: &Signature, symbol: SymbolId) {
        self.heads[signature.symbols[symbol].result.index()].push(symbol);
        self.is_head[symbol.index()] = true;
    }

    /// Whether a value can start with a symbol.
    pub fn is_head(&self, symbol: SymbolId) -> bool {
        self.is_head[symbol.index()]
    }

    /// All symbols that a value of `sort` can start with; empty for numbers, whose values nobody can list.
    pub fn heads(&self, sort: SortId) -> &[SymbolId] {
        &self.heads[sort.index()]
    }
}
