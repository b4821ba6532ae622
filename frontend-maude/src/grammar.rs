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
/// The precedence of comparisons and of tests of sorts.
const TEST: u8 = 51;

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
#[derive(Clone, Copy)]
pub(crate) struct Grammar<'s> {
    /// The forms of its terms.
    pub forms: &'s Forms,
    /// Its operators.
    pub signature: &'s Signature,
    /// Its variables.
    pub variables: &'s HashMap<Arc<str>, TypeName>,
}

/// The forms that terms over a signature are written in.
#[derive(Default)]
pub(crate) struct Forms {
    /// Of how many operators and kinds.
    ops: usize,
    kinds: usize,
    /// First those of operators, in each of the lists below, too.
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
    /// As `inside` and `ends`, for the word before a term and for terms that may begin with one.
    behind: HashMap<(usize, Option<Arc<str>>), u8>,
    starts: HashMap<usize, Vec<(u8, usize, u8)>>,
}

impl Forms {
    /// All forms over a signature.
    pub fn new(signature: &Signature) -> Self {
        let mut forms = Self::default();
        forms.extend(signature);
        forms
    }

    /// Adds the forms of what a signature has got since these were made.
    pub fn extend(&mut self, signature: &Signature) {
        let truth = signature.literals.truth.then(|| signature.sort("Bool")).flatten();
        let truth = truth.map(|sort| signature.kind(Type::Sort(sort)));
        if self.truth != truth {
            *self = Self { truth, ..Self::default() };
        }
        for (id, op) in signature.ops.iter().enumerate().skip(self.ops) {
            self.operator(id, op);
        }
        if let Some(truth) = truth {
            for kind in self.kinds..signature.kinds.len() {
                self.polymorphic(kind, truth);
            }
        }
        (self.ops, self.kinds) = (signature.ops.len(), signature.kinds.len());
    }

    fn add(&mut self, production: Production) {
        let id = self.productions.len();
        self.add_neighbours(&production);
        let list = match production.parts.as_slice() {
            [Part::Word(word), ..] => self.by_word.entry(word.clone()).or_default(),
            [Part::Hole(kind, _), Part::Word(word), ..] => {
                self.by_kind.entry((*kind, Some(word.clone()))).or_default()
            }
            [Part::Hole(kind, _), ..] => self.by_kind.entry((*kind, None)).or_default(),
            [] => return,
        };
        let of_operator = |production: &Production| matches!(production.makes, Makes::Op(_));
        let place = match of_operator(&production) {
            true => list.partition_point(|&known| of_operator(&self.productions[known])),
            false => list.len(),
        };
        list.insert(place, id);
        self.productions.push(production);
    }

    /// What may stand before and behind the terms in a production.
    fn add_neighbours(&mut self, production: &Production) {
        let parts = &production.parts;
        for (at, part) in parts.iter().enumerate() {
            let &Part::Hole(kind, most) = part else { continue };
            let whole = (most, production.kind, production.prec);
            let sides = [
                (at.checked_sub(1), &mut self.behind, &mut self.starts),
                (Some(at + 1).filter(|&next| next < parts.len()), &mut self.inside, &mut self.ends),
            ];
            for (beside, neighbours, outermost) in sides {
                let mut allow = |word: Option<&Arc<str>>| {
                    let known = neighbours.entry((kind, word.cloned())).or_default();
                    *known = most.max(*known);
                };
                match beside.map(|beside| &parts[beside]) {
                    Some(Part::Word(word)) => allow(Some(word)),
                    Some(Part::Hole(..)) => allow(None),
                    None => {
                        let known = outermost.entry(kind).or_default();
                        if !known.contains(&whole) {
                            known.push(whole);
                        }
                    }
                }
                if production.many {
                    allow(Some(&",".into()));
                }
            }
        }
    }

    /// Whether a term of a kind and precedence that ends before a word can be part of a term that goes on.
    fn goes_on(&self, kind: usize, prec: u8, word: &Arc<str>) -> bool {
        matches!(&**word, ")" | "::") || is_part((&self.inside, &self.ends), (kind, prec), word)
    }

    /// Whether a term of a kind and precedence that begins behind a word can be part of a term that began before.
    fn has_begun(&self, kind: usize, prec: u8, word: &Arc<str>) -> bool {
        let sides = (&self.behind, &self.starts);
        // A test of a sort begins with a term of any kind.
        &**word == "("
            || is_part(sides, (kind, prec), word)
            || self.truth.is_some_and(|truth| is_part(sides, (truth, TEST), word))
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
            let parts = vec![Part::Hole(kind, TEST - 1), word(name), Part::Hole(kind, TEST)];
            let makes = Makes::Special(special);
            self.add(Production { parts, prec: TEST, kind: truth, makes, many: false });
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
}

impl Grammar<'_> {
    /// The term that all the tokens make, of a kind if one is given.
    pub fn term(&self, tokens: &[Token], place: Span, kind: Option<usize>) -> Result<Term, Box<Diagnostic>> {
        let Some(first) = tokens.first() else {
            return Err(Box::new(
                Diagnostic::error("T3001", "expected a term").label(place, "there is none").help("write one"),
            ));
        };
        Chart::new(*self, tokens).term(first, kind)
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

/// Terms by their kinds and what is beside them, with the most that their precedences may be; and by their kinds those
/// at the outermost places of larger terms.
type Side<'a> = (&'a HashMap<(usize, Option<Arc<str>>), u8>, &'a HashMap<usize, Vec<(u8, usize, u8)>>);

/// Whether a term of a kind and precedence beside a word is an inner part of a larger one, itself or the terms in which
/// it is outermost on that side.
fn is_part((neighbours, outermost): Side<'_>, term: (usize, u8), word: &Arc<str>) -> bool {
    let (mut todo, mut seen) = (vec![term], Vec::new());
    while let Some((kind, prec)) = todo.pop() {
        let fits = |word| neighbours.get(&(kind, word)).is_some_and(|&most| prec <= most);
        if fits(Some(word.clone())) || fits(None) {
            return true;
        }
        seen.push((kind, prec));
        for &(most, kind, of) in outermost.get(&kind).into_iter().flatten() {
            if prec <= most && !seen.contains(&(kind, of)) {
                todo.push((kind, of));
            }
        }
    }
    false
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
