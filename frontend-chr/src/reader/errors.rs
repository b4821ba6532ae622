//! What is said about text that is no term: the place, what was found there, and the way out.

use gchr_base::diagnostic::{Diagnostic, Label};
use gchr_base::source::Span;

use super::{Bracket, Operand, Reader};
use crate::ast::TermKind;
use crate::lexer::{Tok, Token};

/// Something else stands where `expected` should.
pub(super) fn unexpected(reader: &Reader<'_>, expected: &str) -> Box<Diagnostic> {
    let found = reader.peek();
    if found.is_none() && matches!(reader.levels.last().map(|l| &l.bracket), Some(Bracket::Clause) | None) {
        return endless(reader);
    }
    if let Some(arrow) = headless(reader) {
        return arrow;
    }
    let (span, text) =
        found.map_or((reader.end, "the end of the text".to_string()), |t| (t.span, t.to_string()));
    let operators = reader.syntax.operators;
    let help = match found.map(|t| &t.tok) {
        Some(Tok::Atom(name)) if other_operator(name).is_some() => other_operator(name).unwrap_or_default(),
        Some(Tok::Atom(name)) if operators.is_operator(name) => {
            "an operand is missing, or the operator is an operand itself: put parentheses around it then"
        }
        Some(Tok::Atom(_) | Tok::Var(_) | Tok::QuotedAtom(_)) => {
            "is a full stop missing at the end of the clause before, or a comma?"
        }
        _ => "complete the term before this place",
    };
    Box::new(
        Diagnostic::error("C0101", format!("expected {expected}, found {text}"))
            .label(span, format!("not {expected}"))
            .help(help),
    )
}

/// The text ends in a clause.
fn endless(reader: &Reader<'_>) -> Box<Diagnostic> {
    let place = reader.tokens.last().map_or(reader.end, |t| t.span);
    Box::new(
        Diagnostic::error("C0108", "the clause has no end")
            .label(place.after(), "the text ends here")
            .help("end every clause with a full stop followed by a line end"),
    )
}

/// A rule that begins with its arrow, behind its name perhaps: it was read as an atom.
fn headless(reader: &Reader<'_>) -> Option<Box<Diagnostic>> {
    let token = |back: usize| reader.at.checked_sub(back).and_then(|at| reader.tokens.get(at));
    let arrow = token(1).filter(|t| t.is_atom("<=>") || t.is_atom("==>"))?;
    if reader.levels.len() > 1 || token(2).is_some_and(|t| !t.is_atom("@")) {
        return None;
    }
    Some(Box::new(no_heads(arrow.span)))
}

/// A rule without heads.
pub(crate) fn no_heads(arrow: Span) -> Diagnostic {
    Diagnostic::error("C0306", "this rule has no heads")
        .label(arrow, "nothing to match before the arrow")
        .help("write at least one constraint before the arrow; goals to start with belong into a query: ?- goals.")
}

/// A bracket that is not closed where it should be.
pub(super) fn unclosed(
    reader: &Reader<'_>,
    found: Option<&Token>,
    tok: &Tok,
    open: Span,
    expected: &str,
) -> Box<Diagnostic> {
    if found.is_some_and(|t| !matches!(t.tok, Tok::End | Tok::Close | Tok::CloseList | Tok::CloseCurly)) {
        let mut error = unexpected(reader, expected);
        error.labels.push(Label { span: open, text: "in this bracket".into() });
        return error;
    }
    let (span, text) = match found {
        Some(token) if token.tok != Tok::End => (token.span, "closed by another bracket"),
        Some(token) => (token.span, "the clause ends here"),
        None => (reader.end, "the text ends here"),
    };
    Box::new(
        Diagnostic::error("C0102", "this bracket is not closed")
            .label(open, "opened here")
            .label(span, text)
            .help(format!("put {tok} before it")),
    )
}

/// An operand binds weaker than the operator beside it allows.
pub(super) fn clash(
    term: &TermKind,
    operand: &Operand,
    (outer, place): (&str, Span),
    limit: u16,
) -> Box<Diagnostic> {
    let inner = match term {
        TermKind::Compound { name, .. } => name.as_str(),
        _ => "the term",
    };
    let mut diagnostic = Diagnostic::error("C0101", format!("`{inner}` beside `{outer}` wants parentheses"));
    if let Some(operator) = operand.operator {
        diagnostic = diagnostic.label(operator, format!("of priority {}", operand.priority));
    }
    Box::new(diagnostic.label(place, format!("of operands up to priority {limit}")).help(
        other_operator(inner).unwrap_or(
            "an operator binds weaker than its surroundings allow: put parentheses around the inner term",
        ),
    ))
}

/// What is written here for an operator of other languages.
fn other_operator(name: &str) -> Option<&'static str> {
    Some(match name {
        "<=" => "less or equal is written `=<`",
        "=>" => "a propagation rule is written `==>`, greater or equal `>=`",
        "!" | "!=" | "<>" | "/=" => "numbers that differ are written `=\\=`, terms that differ `\\==`",
        "===" => "terms that are the same are written `==`, numbers that are equal `=:=`",
        "&&" | "&" => "conditions that must all hold are separated by commas",
        "||" => "alternatives are separated by `;`",
        "<-" | "->>" => "rules are written with `<=>` or `==>`",
        _ => return None,
    })
}

pub(super) fn variable_call(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("C0101", "a variable cannot be a functor")
            .label(span, "followed by an argument list")
            .help("write the functor as an atom: it starts with a small letter"),
    )
}
