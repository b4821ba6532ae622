//! The tokens of a text for those who look at its layout: formatters and editors.

use std::ops::Range;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, SourceMap};

use crate::lexer::{Token, lex};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    /// A name.
    Name,
    /// A text or a character in quotes.
    Quoted,
    /// A number.
    Number,
    /// The word that begins a section.
    Section,
    /// `struct`.
    Struct,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `[`.
    OpenSquare,
    /// `]`.
    CloseSquare,
    /// `,`.
    Comma,
    /// `;`.
    Semicolon,
    /// `:`.
    Colon,
    /// `?`.
    Question,
    /// `^`.
    Caret,
    /// `-`.
    Minus,
    /// `!`.
    Not,
    /// Any other operator.
    Operator,
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
    let mut diagnostics = Vec::new();
    let lexed = lex(id, &sources.get(id).text, &mut diagnostics);
    let piece = |(&token, &(start, end)): (&Token, &(u32, u32))| Piece {
        kind: kind(token),
        range: start as usize..end as usize,
    };
    (lexed.tokens.iter().zip(&lexed.ranges).map(piece).collect(), diagnostics)
}

fn kind(token: Token) -> PieceKind {
    match token {
        Token::Ident(_) | Token::ForeignName(_) | Token::AnySort => PieceKind::Name,
        Token::Text(_) | Token::Character(_) => PieceKind::Quoted,
        Token::Number(_) => PieceKind::Number,
        Token::Struct => PieceKind::Struct,
        Token::Open => PieceKind::Open,
        Token::Close => PieceKind::Close,
        Token::OpenSquare => PieceKind::OpenSquare,
        Token::CloseSquare => PieceKind::CloseSquare,
        Token::Comma => PieceKind::Comma,
        Token::Semicolon => PieceKind::Semicolon,
        Token::Colon => PieceKind::Colon,
        Token::Question => PieceKind::Question,
        Token::Caret => PieceKind::Caret,
        Token::Minus => PieceKind::Minus,
        Token::Bang => PieceKind::Not,
        token if token.starts_section() => PieceKind::Section,
        _ => PieceKind::Operator,
    }
}
