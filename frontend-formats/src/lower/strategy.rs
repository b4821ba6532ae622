//! Strategies other than innermost: what the text says of them, by symbols of the program.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::rule::{GroundTerm, Program, Start};
use gchr_base::signature::SymbolId;
use gchr_base::source::Span;
use gchr_base::strategy::{Argument, Strategic, Strategy, under};

use crate::system::System;

/// The program that a system asks for. `terms` are those to evaluate, in place of the start of the program; what is
/// wrong with the arguments that a strategy names is reported.
pub(crate) fn strategic(
    system: &System,
    free: &Program,
    terms: Vec<GroundTerm>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Strategic> {
    let arguments = arguments(system, free, diagnostics)?;
    let strategy = Strategy { order: system.strategy.order, arguments, ..Strategy::default() };
    let mut made = under(free, &strategy);
    let terms = terms.into_iter().map(|term| made.term(term)).collect();
    let start = GroundTerm::together(terms, &mut made.program.signature);
    made.program.start = Start::Term(start);
    Some(made)
}

/// The symbols of the text.
fn own_symbols(free: &Program) -> impl Iterator<Item = SymbolId> {
    let is_own = |id: &SymbolId| free.signature.symbols[*id].span.is_some();
    free.signature.symbols.ids().filter(is_own)
}

/// By symbol, which arguments are rewritten, where these may not be all.
fn arguments(
    system: &System,
    free: &Program,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<HashMap<SymbolId, Vec<Argument>>> {
    let known: HashMap<&str, SymbolId> =
        own_symbols(free).map(|id| (free.signature.symbols[id].name.as_str(), id)).collect();
    let mut found = HashMap::default();
    let before = diagnostics.len();
    for (ident, arguments) in &system.strategy.below {
        // A symbol that does not occur has no terms.
        let Some(&symbol) = known.get(system.text(ident.name)) else { continue };
        let arity = free.signature.symbols[symbol].args.len();
        if arguments.iter().any(|&argument| argument == 0 || argument as usize > arity) {
            let name = system.text(ident.name);
            diagnostics.push(
                Diagnostic::error("T1103", format!("`{name}` has no such argument"))
                    .label(ident.span, format!("has {arity} arguments, counted from 1"))
                    .help("name arguments that it has"),
            );
            continue;
        }
        if found.contains_key(&symbol) {
            diagnostics.push(twice(system.text(ident.name), ident.span));
            continue;
        }
        let of = |at| match arguments.contains(&(at as u32 + 1)) {
            true => Argument::Evaluated,
            false => Argument::Frozen,
        };
        found.insert(symbol, (0..arity).map(of).collect());
    }
    (diagnostics.len() == before).then_some(found)
}

/// A symbol whose arguments are named a second time.
fn twice(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T1104", format!("the arguments of `{name}` that are rewritten are named twice"))
        .label(span, "named again for this")
        .help("keep one of the two lists")
}
