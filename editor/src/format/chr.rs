//! Spaces between the tokens of constraint programs.
//!
//! Operators may be declared by programs, so that one cannot tell from tokens alone what stands between two operands:
//! where that is open, the author's spaces stay, but for their number.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, SourceMap};
use gchr_chr::{Piece, PieceKind};

use super::items::{Item, ItemKind, unbalanced, with_comments};

/// Operators that always have spaces around them.
const SPACED: &[&str] = &[
    ":-", "-->", "<=>", "==>", "->", "*->", "=", "\\=", "==", "\\==", "<", ">", "=<", ">=", "=:=", "=\\=",
    "=..", "@<", "@>", "@=<", "@>=", "=@=", "\\=@=", "@", "\\", ":=", ";", ">:<", ":<",
];
/// Operators that may begin a line of a clause.
const CONNECTIVES: &[&str] = &[":-", "-->", "<=>", "==>", "->", "*->", "\\", ";", "@", "?-"];

/// The tokens and comments of a constraint program with the spaces between them; findings where it cannot be read.
pub(super) fn items(sources: &SourceMap, id: SourceId) -> (Vec<Item>, Vec<Diagnostic>) {
    let text = sources.get(id).text.as_str();
    let (pieces, mut diagnostics) = gchr_chr::pieces(sources, id);
    let tokens = pieces.iter().map(|piece| (kind(piece, text), piece.range.clone()));
    let mut items = with_comments(text, tokens);
    diagnostics.extend(unbalanced(&items, text, "C0101", id).filter(|_| diagnostics.is_empty()));
    let mut reader = Spaces { text, pieces: &pieces, open: Vec::new() };
    let tokens = items.iter_mut().filter(|item| item.kind != ItemKind::Comment);
    for (at, item) in tokens.enumerate() {
        (item.space, item.bound) = (reader.before(at), reader.is_bound(at));
        if item.kind == ItemKind::Other && reader.is_infix(at) {
            item.kind = ItemKind::Infix;
        }
    }
    (items, diagnostics)
}

fn kind(piece: &Piece, text: &str) -> ItemKind {
    match piece.kind {
        PieceKind::Open | PieceKind::OpenCurly => ItemKind::Open { aside: true },
        PieceKind::OpenCall | PieceKind::OpenList => ItemKind::Open { aside: false },
        PieceKind::Close | PieceKind::CloseList | PieceKind::CloseCurly => ItemKind::Close,
        PieceKind::End => ItemKind::End,
        PieceKind::Bar => ItemKind::Connective,
        PieceKind::Symbol if CONNECTIVES.contains(&&text[piece.range.clone()]) => ItemKind::Connective,
        _ => ItemKind::Other,
    }
}

struct Spaces<'a> {
    text: &'a str,
    pieces: &'a [Piece],
    /// The open brackets, each with whether there is a space behind it.
    open: Vec<(PieceKind, bool)>,
}

impl Spaces<'_> {
    fn kind(&self, at: usize) -> Option<PieceKind> {
        self.pieces.get(at).map(|piece| piece.kind)
    }

    fn shown(&self, at: usize) -> &str {
        self.pieces.get(at).map_or("", |piece| &self.text[piece.range.clone()])
    }

    /// Whether something is between a token and the one before it.
    fn gap(&self, at: usize) -> bool {
        at > 0 && self.pieces.get(at).is_some_and(|piece| self.pieces[at - 1].range.end < piece.range.start)
    }

    /// A sign directly before its number, where it may be one: `- 1` is a compound term.
    fn is_bound(&self, at: usize) -> bool {
        let sign =
            |at: usize| self.kind(at) == Some(PieceKind::Symbol) && matches!(self.shown(at), "-" | "+");
        at > 0
            && self.kind(at) == Some(PieceKind::Number)
            && sign(at - 1)
            && !self.gap(at)
            && !at.checked_sub(2).is_some_and(|before| self.ends_operand(before))
    }

    /// Whether a token surely ends an operand: an atom may be a prefix operator.
    fn ends_operand(&self, at: usize) -> bool {
        use PieceKind::*;
        matches!(self.kind(at), Some(Quoted | Variable | Number | Text | Close | CloseList | CloseCurly))
    }

    /// Whether an operand may begin with a token.
    fn begins_operand(&self, at: usize) -> bool {
        use PieceKind::*;
        !matches!(self.kind(at), None | Some(Close | CloseList | CloseCurly | Comma | Bar | End))
    }

    /// Whether a symbol stands between two operands.
    fn is_infix(&self, at: usize) -> bool {
        at > 0
            && self.kind(at) == Some(PieceKind::Symbol)
            && (self.ends_operand(at - 1) || self.kind(at - 1) == Some(PieceKind::Name) || self.shown(at - 1) == "!")
            && self.shown(at) != "!"
            && self.begins_operand(at + 1)
            // `a:-(b)`: brackets of arguments to those who read it so.
            && self.kind(at + 1) != Some(PieceKind::OpenCall)
    }

    /// Whether a symbol between two operands has spaces around it.
    fn is_spaced(&self, at: usize) -> bool {
        if !self.is_infix(at) {
            return false;
        }
        let shown = self.shown(at);
        if SPACED.contains(&shown) || shown.starts_with('#') {
            return true;
        }
        // `dynamic -1`: perhaps an operator before its operand.
        let open = !self.ends_operand(at - 1) && self.gap(at) && !self.gap(at + 1);
        !open && (self.gap(at) || self.gap(at + 1))
    }

    /// Whether there is a space before a token. Called for one after the other.
    fn before(&mut self, at: usize) -> bool {
        use PieceKind::*;
        let (Some(kind), Some(last)) = (self.kind(at), at.checked_sub(1).and_then(|at| self.kind(at))) else {
            self.note(at);
            return false;
        };
        let (around, wide) = self.open.last().map_or((None, false), |&(kind, wide)| (Some(kind), wide));
        let gap = self.gap(at);
        let space = match (last, kind) {
            (End, _) => true,
            // Two symbols would be another one.
            (Symbol, End) => gap,
            // `X.y`: with a space behind it, the point would end a clause.
            (Symbol, _) if self.shown(at - 1) == "." => false,
            (_, End | Comma | OpenCall) => false,
            (OpenCall | OpenList, _) => false,
            (_, CloseList) => false,
            (_, Close) if around == Some(OpenCall) => false,
            // `[1,2,3]`, or with spaces.
            (Comma, _) => around != Some(OpenList) || gap,
            (Bar, Bar) => gap,
            (_, Bar) | (Bar, _) => around != Some(OpenList),
            (Open | OpenCurly, Close | CloseCurly) => gap,
            (_, Close | CloseCurly) => wide,
            _ if self.is_spaced(at) || self.is_spaced(at - 1) => true,
            // A directive.
            (Symbol, _) if matches!(self.shown(at - 1), ":-" | "?-") && self.starts_clause(at - 1) => true,
            _ => gap,
        };
        if let (Open | OpenCurly, Some((_, wide))) = (last, self.open.last_mut()) {
            *wide = space;
        }
        self.note(at);
        space
    }

    fn starts_clause(&self, at: usize) -> bool {
        at.checked_sub(1).is_none_or(|before| self.kind(before) == Some(PieceKind::End))
    }

    fn note(&mut self, at: usize) {
        use PieceKind::*;
        match self.kind(at) {
            Some(kind @ (Open | OpenCall | OpenList | OpenCurly)) => self.open.push((kind, false)),
            Some(Close | CloseList | CloseCurly) => drop(self.open.pop()),
            Some(End) => self.open.clear(),
            _ => {}
        }
    }
}
