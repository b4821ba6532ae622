//! The tokens of a text for those who look at its layout: formatters and editors.

use std::ops::Range;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, SourceMap};

use crate::lexer::{self, Tok};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    /// An atom of letters.
    Name,
    /// An atom of symbol characters.
    Symbol,
    /// An atom in quotes.
    Quoted,
    /// A variable.
    Variable,
    /// A number.
    Number,
    /// A text in double quotes or back quotes.
    Text,
    /// `(` that does not follow a functor.
    Open,
    /// `(` directly behind a functor.
    OpenCall,
    /// `)`.
    Close,
    /// `[`.
    OpenList,
    /// `]`.
    CloseList,
    /// `{`.
    OpenCurly,
    /// `}`.
    CloseCurly,
    /// `,`.
    Comma,
    /// `|`.
    Bar,
    /// The full stop of a clause.
    End,
}

/// A token and the bytes that it takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Its bytes.
    pub range: Range<usize>,
}

/// The tokens of a text, without its comments; what cannot be read is left out and reported.
pub fn pieces(sources: &SourceMap, id: SourceId) -> (Vec<Piece>, Vec<Diagnostic>) {
    let text = &sources.get(id).text;
    let (mut found, mut diagnostics, mut tokens) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < text.len() {
        at = lexer::clause(id, text, at, &mut tokens, &mut diagnostics);
        for token in &tokens {
            let Some(kind) = kind(&token.tok) else { continue };
            let calls = found.last().is_some_and(|last: &Piece| may_be_called(last.kind));
            let kind = if kind == PieceKind::OpenCall && !calls { PieceKind::Open } else { kind };
            found.push(Piece { kind, range: token.span.range() });
        }
    }
    (found, diagnostics)
}

/// Length of the block comment that a text begins with, `/*` and comments inside it included; to the end of the text
/// where it has none.
pub fn block_comment(text: &str) -> usize {
    text.strip_prefix("/*").map_or(0, |rest| lexer::comment_length(rest).map_or(text.len(), |n| 2 + n))
}

/// Whether a bracket directly behind a token may be one of arguments.
fn may_be_called(kind: PieceKind) -> bool {
    use PieceKind::*;
    !matches!(kind, Open | OpenCall | OpenList | OpenCurly | Comma | Bar | End)
}

fn kind(token: &Tok) -> Option<PieceKind> {
    Some(match token {
        Tok::Atom(name) if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => PieceKind::Name,
        Tok::Atom(_) => PieceKind::Symbol,
        Tok::QuotedAtom(_) => PieceKind::Quoted,
        Tok::Var(_) => PieceKind::Variable,
        Tok::Int(_) | Tok::Big(_) | Tok::Rational(_) | Tok::Float(_) => PieceKind::Number,
        Tok::Str(_) | Tok::Codes(_) => PieceKind::Text,
        Tok::Open => PieceKind::Open,
        Tok::OpenCall => PieceKind::OpenCall,
        Tok::Close => PieceKind::Close,
        Tok::OpenList => PieceKind::OpenList,
        Tok::CloseList => PieceKind::CloseList,
        Tok::OpenCurly => PieceKind::OpenCurly,
        Tok::CloseCurly => PieceKind::CloseCurly,
        Tok::Comma => PieceKind::Comma,
        Tok::Bar => PieceKind::Bar,
        Tok::End => PieceKind::End,
        Tok::Error => return None,
    })
}
