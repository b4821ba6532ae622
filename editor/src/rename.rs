//! Other names for symbols.

use std::fmt;
use std::ops::Range;

use gchr_base::value::Value;

use crate::index::{Index, Kind};
use crate::trs::WORDS;

/// Why a symbol cannot have a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unnameable {
    /// It is no name of such a symbol.
    NoName(String),
    /// Something else has the name.
    Taken(String),
    /// The language itself has it.
    BuiltIn(String),
    /// The symbol, of this name, is written as an operator: another name would not be one.
    Operator(String),
}

impl fmt::Display for Unnameable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unnameable::NoName(name) => write!(f, "{name} is no name of such a symbol"),
            Unnameable::Taken(name) => write!(f, "{name} is the name of something else here"),
            Unnameable::BuiltIn(name) => write!(f, "{name} is built in"),
            Unnameable::Operator(name) => {
                write!(f, "{name} is written as an operator: change it together with its op/3")
            }
        }
    }
}

impl std::error::Error for Unnameable {}

impl Index {
    /// What is to be written at which places so that a symbol has another name.
    pub fn rename(&self, symbol: usize, name: &str) -> Result<Vec<(Range<usize>, String)>, Unnameable> {
        let of = self.symbol(symbol);
        if of.is_operator {
            return Err(Unnameable::Operator(of.name.clone()));
        }
        let written = match of.kind {
            Kind::Constraint | Kind::Predicate | Kind::Type => {
                if gchr_chr::is_builtin(name, of.arity.unwrap_or(0)) {
                    return Err(Unnameable::BuiltIn(name.into()));
                }
                atom(name).ok_or_else(|| Unnameable::NoName(name.into()))?
            }
            Kind::Variable if of.scope.is_some() => {
                let first = |c: char| c.is_uppercase() || c == '_';
                match is_word(name) && name.starts_with(first) && name != "_" {
                    true => name.to_string(),
                    false => return Err(Unnameable::NoName(name.into())),
                }
            }
            _ => match is_trs_name(name) {
                true if WORDS.contains(&name) => return Err(Unnameable::BuiltIn(name.into())),
                true => name.to_string(),
                false => return Err(Unnameable::NoName(name.into())),
            },
        };
        let clashes = |other: &crate::Symbol| {
            let sorts = (other.kind == Kind::Sort) == (of.kind == Kind::Sort);
            // What a parameter hides, or is hidden by, would mean something else.
            let scopes = match [of.kind, other.kind].contains(&Kind::Parameter) {
                true => meet(&of.scope, &other.scope),
                false => other.scope == of.scope,
            };
            other.name == name && other.arity == of.arity && scopes && sorts
        };
        if of.name != name && self.symbols().iter().any(clashes) {
            return Err(Unnameable::Taken(name.into()));
        }
        Ok(self.occurrences(symbol).map(|occurrence| (occurrence.range.clone(), written.clone())).collect())
    }
}

/// Whether two parts of a text have a place in common.
fn meet(a: &Option<Range<usize>>, b: &Option<Range<usize>>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return true };
    a.start < b.end && b.start < a.end
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Letters, digits, `_` and `'`, not beginning with a digit or `'`.
fn is_trs_name(name: &str) -> bool {
    let of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(of_name)
}

/// An atom as it is written, in quotes where it needs them.
fn atom(name: &str) -> Option<String> {
    if name.is_empty() || name.contains(char::is_control) {
        return None;
    }
    Some(Value::Atom(name).quoted().to_string())
}
