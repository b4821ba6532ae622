//! The grammar that the operators of a module make, and terms by it.
//!
//! A chart parser: for each token, from the last one to the first, all terms that begin there. Operators bind as their
//! precedences and gathering patterns say.

mod chart;

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::signature::{Mixfix, MixfixPiece};
use gchr_base::source::Span;

use crate::parser::Reader;
use crate::signature::{Op, Signature, Type};
use crate::syntax::TypeName;
use crate::term::{Special, Term};
use crate::token::Token;

use self::chart::Chart;

/// The precedence that fits everywhere.
const ANY: u8 = 127;

/// A form that terms are written in.
struct Production {
    parts: Vec<Part>,
    prec: u8,
    kind: usize,
    makes: Makes,
    /// Whether the last argument may be followed by further ones.
    many: bool,
}

#[derive(Clone)]
enum Part {
    Word(Arc<str>),
    /// A term of a kind, with at most this precedence.
    Hole(usize, u8),
}

#[derive(Clone, Copy)]
enum Makes {
    Op(usize),
    Special(Special),
}

/// Reads terms of one module.
pub(crate) struct Grammar<'s> {
    signature: &'s Signature,
    variables: &'s HashMap<Arc<str>, TypeName>,
    productions: Vec<Production>,
    /// Those that begin with a word, by it.
    by_word: HashMap<Arc<str>, Vec<usize>>,
    /// Those that begin with a term, by its kind and the word behind it; no word: a second term.
    by_kind: HashMap<(usize, Option<Arc<str>>), Vec<usize>>,
    truth: Option<usize>,
    /// By the kind of a term inside a production and the word behind it (none: a further term), the most that the
    /// precedence of such a term may be.
    inside: HashMap<(usize, Option<Arc<str>>), u8>,
    /// By kind, the terms that may end with one: how tightly it has to bind, and kind and precedence of the whole.
    ends: HashMap<usize, Vec<(u8, usize, u8)>>,
}

impl<'s> Grammar<'s> {
    pub fn new(signature: &'s Signature, variables: &'s HashMap<Arc<str>, TypeName>) -> Self {
        let truth = signature.literals.truth.then(|| signature.sort("Bool")).flatten();
        let truth = truth.map(|sort| signature.kind(Type::Sort(sort)));
        let mut grammar = Self {
            signature,
            variables,
            productions: Vec::new(),
            by_word: HashMap::default(),
            by_kind: HashMap::default(),
            truth,
            inside: HashMap::default(),
            ends: HashMap::default(),
        };
        for (id, op) in signature.ops.iter().enumerate() {
            grammar.operator(id, op);
        }
        if let Some(truth) = truth {
            for kind in 0..signature.kinds.len() {
                grammar.polymorphic(kind, truth);
            }
        }
        grammar
    }

    fn add(&mut self, production: Production) {
        let id = self.productions.len();
        self.add_follow(&production);
        match production.parts.as_slice() {
            [Part::Word(word), ..] => self.by_word.entry(word.clone()).or_default().push(id),
            [Part::Hole(kind, _), Part::Word(word), ..] => {
                self.by_kind.entry((*kind, Some(word.clone()))).or_default().push(id);
            }
            [Part::Hole(kind, _), ..] => self.by_kind.entry((*kind, None)).or_default().push(id),
            [] => return,
        }
        self.productions.push(production);
    }

    /// What may stand behind the terms in a production.
    fn add_follow(&mut self, production: &Production) {
        let mut allow = |kind: usize, word: Option<&str>, most: u8| {
            let known = self.inside.entry((kind, word.map(Arc::from))).or_default();
            *known = most.max(*known);
        };
        for (at, part) in production.parts.iter().enumerate() {
            let &Part::Hole(kind, most) = part else { continue };
            match production.parts.get(at + 1) {
                Some(Part::Word(word)) => allow(kind, Some(word), most),
                Some(Part::Hole(..)) => allow(kind, None, most),
                None => {
                    let ends = self.ends.entry(kind).or_default();
                    let end = (most, production.kind, production.prec);
                    if !ends.contains(&end) {
                        ends.push(end);
                    }
                }
            }
            if production.many {
                allow(kind, Some(","), most);
            }
        }
    }

    /// Whether a term of a kind and precedence that ends before a word can be part of a term that goes on.
    fn goes_on(&self, kind: usize, prec: u8, word: &Arc<str>) -> bool {
        let (mut todo, mut seen) = (vec![(kind, prec)], Vec::new());
        while let Some((kind, prec)) = todo.pop() {
            let fits = |word| self.inside.get(&(kind, word)).is_some_and(|&most| prec <= most);
            if matches!(&**word, ")" | "::") || fits(Some(word.clone())) || fits(None) {
                return true;
            }
            seen.push((kind, prec));
            for &(most, kind, of) in self.ends.get(&kind).into_iter().flatten() {
                if prec <= most && !seen.contains(&(kind, of)) {
                    todo.push((kind, of));
                }
            }
        }
        false
    }

    fn operator(&mut self, id: usize, op: &Op) {
        let pieces: Vec<MixfixPiece<'_>> = Mixfix::pieces(&op.name).collect();
        let holes = pieces.iter().filter(|piece| **piece == MixfixPiece::Hole).count();
        let (kind, makes) = (op.range, Makes::Op(id));
        if holes == op.domain.len() {
            let (prec, limits) = binding(op, &pieces);
            let mut args = op.domain.iter().zip(limits);
            let part = |piece: &MixfixPiece<'_>| match *piece {
                MixfixPiece::Hole => args.next().map(|(&kind, most)| Part::Hole(kind, most)),
                MixfixPiece::Word(word) => Some(Part::Word(word.into())),
            };
            let parts = pieces.iter().filter_map(part).collect();
            self.add(Production { parts, prec, kind, makes, many: false });
        }
        if !op.domain.is_empty() {
            let word = |piece: &MixfixPiece<'_>| match *piece {
                MixfixPiece::Word(word) => Some(Part::Word(word.into())),
                MixfixPiece::Hole => None,
            };
            let mut parts: Vec<Part> = match holes {
                0 => pieces.iter().filter_map(word).collect(),
                _ => written(&op.name).into_iter().map(Part::Word).collect(),
            };
            for (at, &kind) in op.domain.iter().enumerate() {
                parts.push(Part::Word(if at == 0 { "(" } else { "," }.into()));
                parts.push(Part::Hole(kind, Mixfix::ARGUMENT));
            }
            parts.push(Part::Word(")".into()));
            self.add(Production { parts, prec: 0, kind, makes, many: op.properties.assoc });
        }
    }

    fn polymorphic(&mut self, kind: usize, truth: usize) {
        let word = |text: &str| Part::Word(text.into());
        for (name, special) in [("==", Special::Equal), ("=/=", Special::Differ)] {
            let parts = vec![Part::Hole(kind, 50), word(name), Part::Hole(kind, 51)];
            let makes = Makes::Special(special);
            self.add(Production { parts, prec: 51, kind: truth, makes, many: false });
            let arg = Part::Hole(kind, Mixfix::ARGUMENT);
            let name = word(&format!("_{name}_"));
            let parts = vec![name, word("("), arg.clone(), word(","), arg, word(")")];
            self.add(Production { parts, prec: 0, kind: truth, makes, many: false });
        }
        let hole = Part::Hole(kind, ANY);
        let test = Part::Hole(truth, ANY);
        let mixfix = vec![word("if"), test, word("then"), hole.clone(), word("else"), hole, word("fi")];
        let (test, arg) = (Part::Hole(truth, Mixfix::ARGUMENT), Part::Hole(kind, Mixfix::ARGUMENT));
        let name = word("if_then_else_fi");
        let prefix = vec![name, word("("), test, word(","), arg.clone(), word(","), arg.clone(), word(")")];
        for parts in [mixfix, prefix] {
            let makes = Makes::Special(Special::If);
            self.add(Production { parts, prec: 0, kind, makes, many: false });
        }
    }

    /// The term that all the tokens make, of a kind if one is given.
    pub fn term(&self, tokens: &[Token], place: Span, kind: Option<usize>) -> Result<Term, Box<Diagnostic>> {
        let Some(first) = tokens.first() else {
            return Err(Box::new(
                Diagnostic::error("T3001", "expected a term").label(place, "there is none").help("write one"),
            ));
        };
        Chart::new(self, tokens).term(first, kind)
    }

    /// The variable that a token is: a declared one, or `X:Nat`.
    fn variable(&self, tokens: &[Token], at: usize) -> Option<(Arc<str>, Type, usize)> {
        let text = &tokens[at].text;
        if let Some(of) = self.variables.get(text) {
            return Some((text.clone(), self.signature.type_of(of)?, at + 1));
        }
        let (name, sort) = text.split_once(':')?;
        if name.is_empty() {
            return None;
        }
        let (mut sort, mut end) = (sort.to_string(), at + 1);
        let is_kind = sort.is_empty();
        if is_kind {
            tokens.get(end).filter(|token| token.is("["))?;
            sort += tokens.get(end + 1)?.text.as_ref();
            end += 2;
        }
        if tokens.get(end).is_some_and(|token| token.is("{")) && self.signature.sort(&sort).is_none() {
            let mut reader = Reader::new(&tokens[end..], tokens[at].span);
            sort += &reader.braces().ok()?;
            end = tokens.len() - reader.left();
        }
        let of = Type::Sort(self.signature.sort(&sort)?);
        if is_kind {
            tokens.get(end).filter(|token| token.is("]"))?;
            return Some((name.into(), Type::Kind(self.signature.kind(of)), end + 1));
        }
        Some((name.into(), of, end))
    }
}

/// The name of an operator as it is written before its arguments in brackets.
fn written(name: &str) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for c in name.chars() {
        if crate::token::is_special(c) && !quoted {
            if !word.is_empty() {
                found.push(std::mem::take(&mut word).into());
            }
            found.push(c.to_string().into());
        } else {
            word.push(c);
        }
        quoted = c == '`';
    }
    if !word.is_empty() {
        found.push(word.into());
    }
    found
}

/// The precedence of an operator, and the most that each of its arguments may have.
pub(crate) fn binding(op: &Op, pieces: &[MixfixPiece<'_>]) -> (u8, Vec<u8>) {
    let is_hole = |piece: Option<&MixfixPiece<'_>>| piece == Some(&MixfixPiece::Hole);
    let holes: Vec<usize> = (0..pieces.len()).filter(|&at| is_hole(pieces.get(at))).collect();
    let open = is_hole(pieces.first()) || is_hole(pieces.last());
    let prec = op.properties.prec.unwrap_or(match (open, holes.len()) {
        (false, _) => 0,
        (true, 1) => 15,
        (true, _) => 41,
    });
    let limits = holes.iter().enumerate().map(|(i, &at)| {
        let before = at.checked_sub(1).and_then(|before| pieces.get(before));
        let at_end = at == 0 || at + 1 == pieces.len() || is_hole(before) || is_hole(pieces.get(at + 1));
        let letter = match &op.properties.gather {
            Some(letters) => letters.get(i).copied().unwrap_or('&'),
            None if !at_end => '&',
            None if op.properties.assoc && i == 0 && holes.len() == 2 => 'e',
            None => 'E',
        };
        match letter {
            'e' => prec.saturating_sub(1),
            'E' => prec,
            _ => ANY,
        }
    });
    (prec, limits.collect())
}
