//! Which constraints of a store are written.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::signature::{ConstraintId, Signature};
use gchr_base::suggest::nearest;

/// A choice of constraint symbols.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Selection {
    /// Names, each with a number of arguments where one is given; none: all symbols.
    symbols: Vec<(String, Option<usize>)>,
}

impl Selection {
    /// All constraints.
    pub fn all() -> Self {
        Self::default()
    }

    /// The constraints of these names; without a number of arguments, those of any.
    pub fn of_symbols(symbols: Vec<(String, Option<usize>)>) -> Self {
        Self { symbols }
    }

    /// Whether all constraints are selected.
    pub fn is_all(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Whether a symbol is selected.
    pub fn has(&self, name: &str, arity: usize) -> bool {
        let is_one = |(n, a): &(String, Option<usize>)| n == name && a.is_none_or(|a| a == arity);
        self.is_all() || self.symbols.iter().any(is_one)
    }

    /// Whether the symbol of a row is selected, whose first field is the name.
    pub(crate) fn has_row(&self, row: &[String]) -> bool {
        row.split_first().is_none_or(|(name, args)| self.has(name, args.len()))
    }

    /// The selected symbols in the order of their declarations.
    pub(crate) fn of<'a>(&'a self, signature: &'a Signature) -> impl Iterator<Item = ConstraintId> + 'a {
        let all = signature.declared_constraints();
        all.filter(|(_, c)| self.has(&c.name, c.columns.len())).map(|(id, _)| id)
    }

    /// The first symbol that a program with these constraints does not declare, as an error.
    pub fn check(&self, declared: &[(String, usize)]) -> Result<(), Box<Diagnostic>> {
        let is_known = |(name, arity): &&(String, Option<usize>)| {
            declared.iter().any(|(n, a)| n == name && arity.is_none_or(|arity| arity == *a))
        };
        let Some((name, arity)) = self.symbols.iter().find(|symbol| !is_known(symbol)) else { return Ok(()) };
        let shown = arity.map_or(name.clone(), |arity| format!("{name}/{arity}"));
        let found = Diagnostic::error("U0117", format!("the constraint {shown} is not declared"));
        let near = nearest(name, declared.iter().map(|(n, _)| n.as_str()));
        let near = declared.iter().find(|(n, _)| Some(n.as_str()) == near);
        Err(Box::new(match near {
            Some((n, a)) => found.help(format!("did you mean {n}/{a}?")),
            None => found.help("give a constraint that the program declares, as name/arguments: path/2"),
        }))
    }
}
