//! Spaces between the tokens of term programs.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, SourceMap};
use gchr_trs::{Piece, PieceKind};

use super::items::{Item, ItemKind, unbalanced, with_comments};

/// The tokens and comments of a term program with the spaces between them; findings where it cannot be read.
pub(super) fn items(sources: &SourceMap, id: SourceId) -> (Vec<Item>, Vec<Diagnostic>) {
    let text = sources.get(id).text.as_str();
    let (pieces, mut diagnostics) = gchr_trs::pieces(sources, id);
    let mut items = with_comments(text, pieces.iter().map(|piece| (kind(piece), piece.range.clone())));
    diagnostics.extend(unbalanced(&items, text, "T0002", id).filter(|_| diagnostics.is_empty()));
    let spaces = spaces(&pieces, text);
    let tokens = items.iter_mut().filter(|item| item.kind != ItemKind::Comment);
    tokens.zip(spaces).for_each(|(item, space)| item.space = space);
    (items, diagnostics)
}

fn kind(piece: &Piece) -> ItemKind {
    match piece.kind {
        PieceKind::Open | PieceKind::OpenSquare => ItemKind::Open { aside: false },
        PieceKind::Close | PieceKind::CloseSquare => ItemKind::Close,
        PieceKind::Semicolon => ItemKind::End,
        PieceKind::Section => ItemKind::Section(piece.range.len() + 1),
        _ => ItemKind::Other,
    }
}

/// Whether there is a space before each token.
fn spaces(pieces: &[Piece], text: &str) -> Vec<bool> {
    use PieceKind::*;
    let mut prefix = false;
    let mut parameters = false;
    let mut spaces = Vec::with_capacity(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        let Some(last) = at.checked_sub(1).map(|at| pieces[at].kind) else {
            spaces.push(false);
            continue;
        };
        // A sign of what follows it, not between two operands.
        // `#` is the length of a list, and stands between sorts.
        let is_sign = piece.kind == Minus || &text[piece.range.clone()] == "#";
        let ends_operand = matches!(last, Name | Quoted | Number | Close | CloseSquare);
        let is_prefix = piece.kind == Not || is_sign && !ends_operand;
        let was_prefix = std::mem::replace(&mut prefix, is_prefix);
        let repeated = |at: usize| is_repetition(pieces, at);
        parameters |= is_lambda(pieces, text, at);
        let ends_parameters = parameters && &text[piece.range.clone()] == ".";
        parameters &= !ends_parameters;
        spaces.push(match (last, piece.kind) {
            (_, Comma | Semicolon | Colon | Question | Close | CloseSquare) => false,
            (Open | OpenSquare | Question, _) => false,
            _ if ends_parameters => false,
            (Name | Number | Close, Open) => false,
            // `- >` without the space would be an arrow.
            _ if was_prefix => piece.kind == Operator && !is_sign,
            (_, Caret) => !repeated(at),
            (Caret, _) => !repeated(at - 1),
            _ => true,
        });
    }
    spaces
}

/// Whether a name begins a function without a name: `lambda X: Nat. S(X)`.
fn is_lambda(pieces: &[Piece], text: &str, at: usize) -> bool {
    let kind = |at: usize| pieces.get(at).map(|piece| piece.kind);
    &text[pieces[at].range.clone()] == "lambda"
        && kind(at + 1) == Some(PieceKind::Name)
        && matches!(kind(at + 2), Some(PieceKind::Colon | PieceKind::Comma))
}

/// Whether a caret is that of `S^3(x)`, not the operator.
fn is_repetition(pieces: &[Piece], at: usize) -> bool {
    let kind = |at: usize| pieces.get(at).map(|piece| piece.kind);
    at > 0
        && kind(at - 1) == Some(PieceKind::Name)
        && kind(at + 1) == Some(PieceKind::Number)
        && kind(at + 2) == Some(PieceKind::Open)
}
