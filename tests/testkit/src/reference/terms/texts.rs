//! Characters and texts: literals, codes, and how they are written.

use gchr_base::escape::in_quotes;

use super::*;

/// What builds a character of its code.
const CHAR: &str = "@char";

/// A character of the program.
pub(super) fn character(c: char) -> Tree {
    Tree::App(CHAR.into(), vec![Tree::Int(u32::from(c).into())])
}

/// A text of the program.
pub(super) fn text(text: &str) -> Tree {
    let empty = Tree::App(EMPTY.into(), Vec::new());
    text.chars().rev().fold(empty, |rest, c| Tree::App(CONS.into(), vec![character(c), rest]))
}

/// The value of `code` or `char`; `None` for another function.
pub(super) fn converted(function: &str, of: &Term) -> Option<Result<Term, Stop>> {
    match (function, of) {
        ("code", Term::App(name, args)) if &**name == CHAR => Some(Ok(args[0].clone())),
        ("code", _) => Some(Err(Stop::Error("R0105"))),
        ("char", Term::Int(n)) => {
            let is_code = u32::try_from(*n).ok().and_then(char::from_u32).is_some();
            Some(Ok(Term::App(if is_code { CHAR } else { "char" }.into(), [of.clone()].into())))
        }
        _ => None,
    }
}

/// The character that a term is.
fn shown_character(term: &Term, quote: char) -> Option<String> {
    let Term::App(name, args) = term else { return None };
    let [Term::Int(code)] = args[..] else { return None };
    let c = u32::try_from(code).ok().and_then(char::from_u32).filter(|_| &**name == CHAR)?;
    Some(in_quotes(c, quote).map_or_else(|| c.to_string(), |written| written.into_owned()))
}

/// A character between quotes; `None` for another term.
pub(super) fn quoted(term: &Term) -> Option<String> {
    shown_character(term, '\'').map(|c| format!("'{c}'"))
}

/// Elements of a list between quotes, where all are characters.
pub(super) fn quoted_elements(elements: &[Term]) -> Option<String> {
    let text: Option<String> = elements.iter().map(|x| shown_character(x, '"')).collect();
    text.filter(|text| !text.is_empty()).map(|text| format!("\"{text}\""))
}
