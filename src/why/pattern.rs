//! Constraints that are asked for: a constraint with values, variables or `_` as arguments, or `name/arity`.

use std::collections::HashMap;

use gchr_base::derivation::Made;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::Id;
use gchr_base::signature::{ConstraintId, Signature, SortKind};
use gchr_base::source::{SourceMap, Span};
use gchr_base::suggest;
use gchr_base::value::{Terms, Value};
use gchr_chr::ast::{ClauseKind, Module, TermId, TermKind};

/// Which constraints are asked for.
pub(crate) struct Pattern {
    module: Module,
    pub(crate) text: String,
    pub(crate) symbol: ConstraintId,
    /// One term for each column; none for all constraints of the symbol.
    args: Vec<TermId>,
}

impl Pattern {
    /// Reads a pattern; `name` is what its text is called in findings.
    pub(crate) fn read(
        text: &str,
        name: &str,
        sources: &mut SourceMap,
        signature: &Signature,
    ) -> Result<Self, Vec<Diagnostic>> {
        let source = sources.add(name, text);
        let parsed = gchr_chr::parse_goals(sources, source);
        if gchr_base::diagnostic::has_errors(&parsed.diagnostics) {
            return Err(parsed.diagnostics);
        }
        let module = parsed.ast;
        let Some(goal) = only_goal(&module) else {
            let whole = Span::new(source, 0, text.len());
            let message = "one constraint is to be explained at a time";
            return Err(vec![unreadable(message).label(whole, "this is more than one goal")]);
        };
        let span = module.span(goal);
        let (constraint, args) = match module.kind(goal) {
            TermKind::Atom(name) => ((name.as_str(), 0), Vec::new()),
            TermKind::Compound { name, args } => match by_arity(&module, name, args) {
                Some(symbol) => (symbol, Vec::new()),
                None => ((name.as_str(), args.len()), args.clone()),
            },
            _ => return Err(vec![unreadable("this is no constraint").label(span, "a value or a variable")]),
        };
        let symbol = find(signature, constraint.0, constraint.1);
        let symbol = symbol.ok_or_else(|| vec![unknown(signature, constraint, span)])?;
        Ok(Self { symbol, args, text: text.trim().to_string(), module })
    }

    /// Whether a constraint of the record is asked for.
    pub(crate) fn matches(&self, made: Made<'_>, terms: Terms<'_>) -> bool {
        if made.symbol != self.symbol {
            return false;
        }
        let values = made.args.iter().map(|&word| terms.value(SortKind::Any, word));
        let mut bound = HashMap::new();
        let mut todo: Vec<(TermId, Value<'_>)> = self.args.iter().copied().zip(values).collect();
        while let Some((term, value)) = todo.pop() {
            if !self.step(term, value, &mut bound, &mut todo) {
                return false;
            }
        }
        true
    }

    /// Compares the outermost symbols of a term and a value; what is below is left to do.
    fn step<'m, 'v>(
        &'m self,
        term: TermId,
        value: Value<'v>,
        bound: &mut HashMap<&'m str, Value<'v>>,
        todo: &mut Vec<(TermId, Value<'v>)>,
    ) -> bool {
        match (self.module.kind(term), value) {
            (TermKind::Var(name), _) if name == "_" => true,
            (TermKind::Var(name), _) => *bound.entry(name).or_insert(value) == value,
            (TermKind::Int(n), Value::Int(m)) => *n == m,
            (TermKind::Float(x), Value::Float(y)) => x.to_bits() == y.to_bits(),
            (TermKind::Atom(a), Value::Atom(b)) | (TermKind::Str(a), Value::Str(b)) => a == b,
            (TermKind::Compound { name, args }, Value::Compound { name: found, args: values }) => {
                todo.extend(args.iter().copied().zip(values.iter()));
                name == found && args.len() == values.len()
            }
            (TermKind::List { items, tail }, _) => {
                let mut rest = value;
                for &item in items {
                    let Some((first, others)) = rest.as_list_cell() else { return false };
                    todo.push((item, first));
                    rest = others;
                }
                match tail {
                    Some(tail) => todo.push((*tail, rest)),
                    None => return matches!(rest, Value::Atom("[]")),
                }
                true
            }
            _ => false,
        }
    }
}

/// The goal of a text that has one.
fn only_goal(module: &Module) -> Option<TermId> {
    let [clause] = module.clauses.as_slice() else { return None };
    let ClauseKind::Query(goals) = &clause.kind else { return None };
    let [goal] = goals.as_slice() else { return None };
    Some(*goal)
}

/// The symbol that `name/arity` names.
fn by_arity<'m>(module: &'m Module, operator: &str, args: &[TermId]) -> Option<(&'m str, usize)> {
    let [name, arity] = args else { return None };
    match (operator, module.kind(*name), module.kind(*arity)) {
        ("/", TermKind::Atom(name), TermKind::Int(arity)) => Some((name, usize::try_from(*arity).ok()?)),
        _ => None,
    }
}

fn find(signature: &Signature, name: &str, arity: usize) -> Option<ConstraintId> {
    let mut all = signature.constraints.iter_enumerated();
    all.find(|(_, c)| c.name == name && c.columns.len() == arity).map(|(id, _)| id)
}

fn unreadable(message: &str) -> Diagnostic {
    Diagnostic::error("U0140", message).help(
        "give one constraint such as \"path(1,4)\", with variables or _ for any value, or path/2 for all",
    )
}

fn unknown(signature: &Signature, (name, arity): (&str, usize), span: Span) -> Diagnostic {
    let symbol = format!("{name}/{arity}");
    let message = format!("the program has no constraint {symbol}");
    let found = Diagnostic::error("U0140", message).label(span, "not declared");
    let names: Vec<String> = signature.constraints.ids().map(|id| signature.constraint_name(id)).collect();
    let same = signature.constraints.iter().position(|c| c.name == name);
    let near = same.map(|at| signature.constraint_name(ConstraintId::from_index(at)));
    let near = near.or_else(|| suggest::nearest(&symbol, names.iter().map(String::as_str)).map(String::from));
    match near {
        Some(near) => found.help(format!("did you mean {near}?")),
        None => found.help(format!("it has {}", names.join(", "))),
    }
}
