//! Terms to evaluate.

use gchr_base::diagnostic::{self, Diagnostic};
use gchr_base::rule::GroundTerm;
use gchr_base::source::{SourceId, SourceMap};
use gchr_base::stack::with_large_stack;

use crate::check::Checker;
use crate::lower::Lowering;
use crate::parser;

/// Reads terms to evaluate by a program that is finished.
#[derive(Clone)]
pub struct InputReader {
    lowering: Lowering,
}

impl InputReader {
    pub(crate) fn new(lowering: Lowering) -> Self {
        Self { lowering }
    }

    /// Reads the term in the text `id`.
    pub fn read(&mut self, sources: &SourceMap, id: SourceId) -> Result<GroundTerm, Vec<Diagnostic>> {
        with_large_stack(|| read(&mut self.lowering, sources, id))
    }
}

/// Reads a term; it may need further rules where the program is not final.
pub(crate) fn read(
    lowering: &mut Lowering,
    sources: &SourceMap,
    id: SourceId,
) -> Result<GroundTerm, Vec<Diagnostic>> {
    let expr = parser::expression(id, &sources.get(id).text).map_err(|found| vec![*found])?;
    let mut found = Vec::new();
    let scope = lowering.scope();
    let mut sorts = scope.sorts.clone();
    let checked = Checker::new(&scope, &mut sorts, &[], &mut found).ground(&expr);
    let (term, vars) = match checked {
        Some(checked) if found.is_empty() => checked,
        _ => {
            diagnostic::sort(&mut found);
            return Err(found);
        }
    };
    match lowering.ground(&term, &vars) {
        Ok(expr) => Ok(GroundTerm::of(&expr, term.span)),
        Err(place) => Err(vec![
            Diagnostic::error("T2404", "the program has no rules for this")
                .label(place, "needs rules of its own")
                .note("the rules of a batch are those that the program itself uses")
                .help("give the term with --input, or use the same operation in an equation of the program"),
        ]),
    }
}
