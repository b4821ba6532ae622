//! Terms as text: `f(X, S^3(Y))`.

use std::fmt::{self, Display, Formatter};

use gchr_base::rule::{Const, Shown as ShownRule};
use gchr_base::signature::Signature;

use super::{Node, TermId, Terms};

/// A term to be shown with the names of a signature.
pub(crate) struct Shown<'a> {
    pub terms: &'a Terms,
    pub signature: &'a Signature,
    pub term: TermId,
    /// Behind the name of the symbol at the root.
    pub mark: &'static str,
}

enum Item {
    Term(TermId),
    Text(&'static str),
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut todo = vec![Item::Term(self.term)];
        let mut mark = self.mark;
        while let Some(item) = todo.pop() {
            let term = match item {
                Item::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Item::Term(term) => term,
            };
            let mark = std::mem::take(&mut mark);
            match self.terms.node(term) {
                Node::Var(variable) => f.write_str(self.terms.name(*variable))?,
                Node::Const(c) => self.constant(f, c)?,
                Node::App(symbol, args) => {
                    let name = &self.signature.symbols[*symbol].name;
                    write!(f, "{name}{mark}")?;
                    let mut args = args.clone();
                    let mut count = 1;
                    while mark.is_empty()
                        && let [arg] = *args
                        && let Node::App(inner, below) = self.terms.node(arg)
                        && inner == symbol
                    {
                        args = below.clone();
                        count += 1;
                    }
                    if count > 1 {
                        write!(f, "^{count}")?;
                    }
                    if let [first @ .., last] = &*args {
                        f.write_str("(")?;
                        todo.extend([Item::Text(")"), Item::Term(*last)]);
                        for &arg in first.iter().rev() {
                            todo.extend([Item::Text(", "), Item::Term(arg)]);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Shown<'_> {
    fn constant(&self, f: &mut Formatter<'_>, constant: &Const) -> fmt::Result {
        let vars = &gchr_base::ids::IdVec::new();
        ShownRule { sig: self.signature, vars, what: constant }.fmt(f)
    }
}
