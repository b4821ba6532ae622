//! What the normal forms of each sort can start with.

use gchr_base::cases::{Effort, Matrix, Question, Values};
use gchr_base::ids::Id;
use gchr_base::rule::Program;
use gchr_base::signature::{Notation, Signature, SortKind, SymbolKind};

use super::Function;

/// Constructors, and the functions that do not always rewrite: an application of one of them that no rule matches is a
/// normal form, too. The least fixpoint; rules that do not apply to all they match (a condition, a repeated variable)
/// count as not matching.
pub(crate) fn with_stuck_terms(program: &Program, functions: &[Function<'_>], effort: &Effort) -> Values {
    let signature = &program.signature;
    let mut values = Values::constructors(signature);
    let mut total: Vec<&Function<'_>> = functions.iter().collect();
    loop {
        let before = total.len();
        total.retain(|function| {
            let mut matrix = Matrix::new(signature, &values, effort);
            function.cases.iter().filter(|case| case.certain()).for_each(|case| matrix.push(case.args));
            let symbol = &signature.symbols[function.symbol];
            let stays = matches!(matrix.uncovered(&symbol.args), Question::No);
            if !stays {
                values.add(signature, function.symbol);
            }
            stays
        });
        if total.len() == before {
            return values;
        }
    }
}

/// Constructors and all functions: what is matched may be any term.
pub(crate) fn all_terms(program: &Program) -> Values {
    let signature = &program.signature;
    let mut values = Values::constructors(signature);
    let symbols = signature.symbols.iter_enumerated();
    let functions = symbols.filter(|(_, symbol)| symbol.kind == SymbolKind::Defined);
    functions.for_each(|(function, _)| values.add(signature, function));
    values
}

/// A small ground term of each sort, as text; `None` for a sort without any that is short.
pub(crate) fn examples(signature: &Signature) -> Vec<Option<String>> {
    const LONGEST: usize = 24;
    let mut examples: Vec<Option<String>> = signature
        .sorts
        .iter()
        .map(|sort| match sort.kind {
            SortKind::Int => Some("0".to_string()),
            SortKind::Float => Some("0.0".to_string()),
            _ => None,
        })
        .collect();
    let notation = |symbol| signature.notations.get(&symbol);
    loop {
        let mut changed = false;
        let constructors =
            signature.symbols.iter_enumerated().filter(|(_, symbol)| symbol.kind == SymbolKind::Constructor);
        for (id, symbol) in constructors {
            if examples[symbol.result.index()].is_some() {
                continue;
            }
            let args: Option<Vec<&str>> =
                symbol.args.iter().map(|arg| examples[arg.index()].as_deref()).collect();
            let text = match args.as_deref() {
                None => continue,
                Some(_) if notation(id) == Some(&Notation::CodePoint) => "'a'".to_string(),
                Some([]) if let Some(Notation::Empty(brackets)) = notation(id) => {
                    format!("{}{}", brackets.open, brackets.close)
                }
                Some([]) => symbol.name.clone(),
                Some(args) => format!("{}({})", symbol.name, args.join(", ")),
            };
            if text.len() <= LONGEST {
                examples[symbol.result.index()] = Some(text);
                changed = true;
            }
        }
        if !changed {
            return examples;
        }
    }
}
