//! Systems that do not become rules as they are: those that match modulo axioms of some symbols, and those with another
//! strategy than innermost.

use std::sync::Arc;

use gchr_base::diagnostic::{Diagnostic, has_errors};
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::signature::SymbolId;
use gchr_base::source::{SourceId, SourceMap, Span};
use gchr_base::strategy::Strategic;
use gchr_maude::{Axioms, Modulo};

use super::input::InputReader;
use super::strategy::strategic;
use crate::system::System;

/// Reads input terms of a program whose symbols are not those of the text.
#[derive(Clone, Debug)]
pub struct MadeReader {
    /// The program whose names are those of the text.
    free: Arc<Program>,
    made: Made,
}

#[derive(Clone, Debug)]
enum Made {
    Modulo(Modulo),
    Strategic(Strategic),
}

impl MadeReader {
    /// The program.
    pub fn program(&self) -> &Program {
        match &self.made {
            Made::Modulo(made) => &made.program,
            Made::Strategic(made) => &made.program,
        }
    }

    /// Reads the term in the text `id`, as an [`InputReader`] does.
    pub fn read(&self, sources: &SourceMap, id: SourceId) -> Result<GroundTerm, Vec<Diagnostic>> {
        let term = InputReader::new(&self.free).read(sources, id)?;
        Ok(match &self.made {
            Made::Modulo(made) => made.term(term),
            Made::Strategic(made) => made.term(term),
        })
    }
}

/// The program of a system with axioms or a strategy.
pub(crate) fn made(
    system: &System,
    (free, terms): (Program, Vec<GroundTerm>),
    place: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<MadeReader> {
    let made = match (system.theory.is_empty(), system.strategy.is_eager()) {
        (true, _) => Made::Strategic(strategic(system, &free, terms, diagnostics)?),
        (false, true) => Made::Modulo(modulo(system, &free, diagnostics)?),
        (false, false) => {
            let place = system.theory.first().map_or(place, |(symbol, _)| symbol.span);
            diagnostics.push(*crate::unsupported::unsupported(
                place,
                "axioms under a strategy other than innermost are not supported",
                "remove the axioms or the strategy",
            ));
            return None;
        }
    };
    let made = MadeReader { free: Arc::new(free), made };
    debug_assert_eq!(gchr_base::rule::verify(made.program()), []);
    Some(made)
}

/// The program modulo the axioms of a system.
fn modulo(system: &System, free: &Program, diagnostics: &mut Vec<Diagnostic>) -> Option<Modulo> {
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
    gchr_maude::modulo(free, &axioms, &HashSet::default(), diagnostics)
}
