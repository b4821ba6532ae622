//! Systems that match modulo axioms of some symbols.

use std::sync::Arc;

use gchr_base::diagnostic::{Diagnostic, has_errors};
use gchr_base::hash::HashMap;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::signature::SymbolId;
use gchr_base::source::{SourceId, SourceMap};
use gchr_maude::{Axioms, Modulo};

use super::input::InputReader;
use crate::system::System;

/// Reads input terms of a program that matches modulo axioms.
#[derive(Clone, Debug)]
pub struct ModuloReader {
    /// The program without axioms, whose names are those of the text.
    free: Arc<Program>,
    modulo: Modulo,
}

impl ModuloReader {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.modulo.program
    }

    /// Reads the term in the text `id`, as an [`InputReader`] does.
    pub fn read(&self, sources: &SourceMap, id: SourceId) -> Result<GroundTerm, Vec<Diagnostic>> {
        InputReader::new(&self.free).read(sources, id).map(|term| self.modulo.term(term))
    }
}

/// The program modulo the axioms of a system.
pub(crate) fn modulo(
    system: &System,
    free: Program,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<ModuloReader> {
    let own = free.signature.symbols.iter_enumerated().filter(|(_, symbol)| symbol.span.is_some());
    let known: HashMap<&str, SymbolId> = own.map(|(id, symbol)| (symbol.name.as_str(), id)).collect();
    let mut axioms: HashMap<SymbolId, Axioms> = HashMap::default();
    for (ident, found) in &system.theory {
        // A symbol that does not occur has no terms.
        let Some(&symbol) = known.get(system.text(ident.name)) else { continue };
        let declared = &free.signature.symbols[symbol];
        if declared.args.len() != 2 {
            diagnostics.push(
                Diagnostic::error("T1103", format!("`{}` has axioms, but not two arguments", declared.name))
                    .label(ident.span, "its axioms")
                    .help("symbols with two arguments are associative and commutative"),
            );
            continue;
        }
        let of = axioms.entry(symbol).or_default();
        of.associative |= found.associative;
        of.commutative |= found.commutative;
    }
    drop(known);
    if has_errors(diagnostics) {
        return None;
    }
    let modulo = gchr_maude::modulo(&free, &axioms, diagnostics)?;
    debug_assert_eq!(gchr_base::rule::verify(&modulo.program), []);
    Some(ModuloReader { free: Arc::new(free), modulo })
}
