//! Patterns and example values as text for messages.

use gchr_base::cases::Example;
use gchr_base::ids::{Id, IdVec};
use gchr_base::limited;
use gchr_base::notation::{Notated, Top, View};
use gchr_base::rule::{Const, Pattern, PatternKind, Var, VarId};
use gchr_base::signature::{Notation, Signature, SymbolId};

/// Longest text of a term in a message.
pub(crate) const LONGEST: usize = 72;

/// A term that is shown.
#[derive(Clone, Copy)]
enum Node<'a> {
    OfExamples(SymbolId, &'a [Example]),
    OfPatterns(SymbolId, &'a [Pattern]),
    Example(&'a Example),
    Pattern(&'a Pattern),
}

/// What is known of the terms.
struct Terms<'a> {
    signature: &'a Signature,
    /// A term of each sort.
    any: &'a [Option<String>],
    vars: &'a IdVec<VarId, Var>,
}

fn constant(c: Const) -> String {
    match c {
        Const::Int(n) => n.to_string(),
        Const::Float(x) => format!("{x:?}"),
        Const::Atom(_) | Const::Str(_) => "_".into(),
    }
}

impl<'a> View for Terms<'a> {
    type Node = Node<'a>;

    fn top(&self, node: Node<'a>) -> Top<'_, Node<'a>> {
        let any = |sort: gchr_base::signature::SortId| {
            Top::Text(self.any.get(sort.index()).and_then(Option::as_deref).unwrap_or("_").into())
        };
        let examples = |symbol, args: &'a [Example]| match args {
            // Any character, not the one of any number.
            [Example::Any(_)] if self.signature.notations.get(&symbol) == Some(&Notation::CodePoint) => {
                any(self.signature.symbols[symbol].result)
            }
            _ => Top::App(symbol, args.iter().map(Node::Example).collect()),
        };
        let patterns =
            |symbol, args: &'a [Pattern]| Top::App(symbol, args.iter().map(Node::Pattern).collect());
        match node {
            Node::OfExamples(symbol, args) => examples(symbol, args),
            Node::OfPatterns(symbol, args) => patterns(symbol, args),
            Node::Example(Example::Any(sort)) => any(*sort),
            Node::Example(Example::Const(c)) => Top::Text(constant(*c).into()),
            Node::Example(Example::App(symbol, args)) => examples(*symbol, args),
            Node::Pattern(pattern) => match &pattern.kind {
                PatternKind::Wild => Top::Text("_".into()),
                PatternKind::Var(var) => {
                    Top::Text(self.vars.get(*var).map_or("_", |var| var.name.as_str()).into())
                }
                PatternKind::Const(c) => Top::Text(constant(*c).into()),
                PatternKind::App { symbol, args } => patterns(*symbol, args),
            },
        }
    }
}

impl<'a> Terms<'a> {
    fn shown(&self, node: Node<'a>, longest: usize) -> String {
        limited::cut(Notated { view: self, signature: self.signature, node, powers: None }, longest)
    }
}

/// An application whose arguments are examples; `any` has a term of each sort.
pub(crate) fn example(
    signature: &Signature,
    symbol: SymbolId,
    args: &[Example],
    any: &[Option<String>],
) -> String {
    let vars = IdVec::new();
    Terms { signature, any, vars: &vars }.shown(Node::OfExamples(symbol, args), LONGEST)
}

/// An application of patterns, cut behind so many characters.
pub(crate) fn redex(
    signature: &Signature,
    symbol: SymbolId,
    args: &[Pattern],
    vars: &IdVec<VarId, Var>,
    longest: usize,
) -> String {
    Terms { signature, any: &[], vars }.shown(Node::OfPatterns(symbol, args), longest)
}
