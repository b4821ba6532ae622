//! Terms as text, in the notation of their symbols: `f(X, S^3(Y))`, `[X, Y]`.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use gchr_base::ids::IdVec;
use gchr_base::notation::{Notated, Top, View};
use gchr_base::rule::Shown;
use gchr_base::signature::Signature;

use super::{Node, TermId, Terms};

/// From so many nested applications on a number stands for them.
const POWERS: usize = 2;

/// A term to be shown with the names of a signature.
pub(crate) struct ShownTerm<'a> {
    pub terms: &'a Terms,
    pub signature: &'a Signature,
    pub term: TermId,
    /// Behind the name of the symbol at the root, which is written as an application then.
    pub mark: &'static str,
}

impl View for ShownTerm<'_> {
    type Node = TermId;
    fn top(&self, term: TermId) -> Top<'_, TermId> {
        match self.terms.node(term) {
            Node::Var(variable) => Top::Text(Cow::Borrowed(self.terms.name(*variable))),
            Node::Const(c) => {
                let constant = Shown { sig: self.signature, vars: &IdVec::new(), what: c };
                Top::Text(Cow::Owned(constant.to_string()))
            }
            Node::App(symbol, args) => Top::App(*symbol, Cow::Borrowed(args)),
        }
    }
}

impl Display for ShownTerm<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let of = |node| Notated { view: self, signature: self.signature, node, powers: Some(POWERS) };
        let (Node::App(symbol, args), false) = (self.terms.node(self.term), self.mark.is_empty()) else {
            return of(self.term).fmt(f);
        };
        write!(f, "{}{}", self.signature.symbols[*symbol].name, self.mark)?;
        for (at, &arg) in args.iter().enumerate() {
            f.write_str(if at == 0 { "(" } else { ", " })?;
            of(arg).fmt(f)?;
        }
        f.write_str(if args.is_empty() { "" } else { ")" })
    }
}
