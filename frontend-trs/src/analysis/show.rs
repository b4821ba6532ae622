//! Patterns and example values as text for messages.

use gchr_base::cases::Example;
use gchr_base::ids::{Id, IdVec};
use gchr_base::rule::{Const, Pattern, PatternKind, Var, VarId};
use gchr_base::signature::{Notation, Signature, SymbolId};

/// Longest text of a term in a message.
pub(crate) const LONGEST: usize = 72;

/// `F(A, B)` from a symbol and the texts of its arguments; cut when it is longer than that.
fn application(signature: &Signature, symbol: SymbolId, args: Vec<String>, longest: usize) -> String {
    let name = &signature.symbols[symbol].name;
    if args.is_empty() {
        return name.clone();
    }
    if let Some(Notation::Element(brackets)) = signature.notations.get(&symbol)
        && let [first, rest] = &args[..]
    {
        // The rest is a list in brackets already, or a variable.
        let inner = rest.strip_prefix(brackets.open).and_then(|rest| rest.strip_suffix(brackets.close));
        let text = match inner {
            Some("") => format!("{}{first}{}", brackets.open, brackets.close),
            Some(inner) => format!("{}{first}, {inner}{}", brackets.open, brackets.close),
            None => format!("({first} {name} {rest})"),
        };
        return if text.len() > longest { "[...]".into() } else { text };
    }
    let text = format!("{name}({})", args.join(", "));
    if text.len() > longest { format!("{name}(...)") } else { text }
}

fn constant(c: Const) -> String {
    match c {
        Const::Int(n) => n.to_string(),
        Const::Float(x) => format!("{x:?}"),
        Const::Atom(_) | Const::Str(_) => "_".into(),
    }
}

/// An application whose arguments are examples; `any` has a term of each sort.
pub(crate) fn example(
    signature: &Signature,
    symbol: SymbolId,
    args: &[Example],
    any: &[Option<String>],
) -> String {
    let args = args.iter().map(|arg| match arg {
        Example::Any(sort) => any[sort.index()].clone().unwrap_or_else(|| "_".into()),
        Example::Const(c) => constant(*c),
        Example::App(symbol, args) => example(signature, *symbol, args, any),
    });
    application(signature, symbol, args.collect(), LONGEST)
}

/// An application of patterns; parts that are longer than so many bytes are cut.
pub(crate) fn redex(
    signature: &Signature,
    symbol: SymbolId,
    args: &[Pattern],
    vars: &IdVec<VarId, Var>,
    longest: usize,
) -> String {
    let args = args.iter().map(|arg| match &arg.kind {
        PatternKind::Wild => "_".into(),
        PatternKind::Var(var) => vars.get(*var).map_or("_", |var| var.name.as_str()).to_string(),
        PatternKind::Const(c) => constant(*c),
        PatternKind::App { symbol, args } => redex(signature, *symbol, args, vars, longest),
    });
    application(signature, symbol, args.collect(), longest)
}
