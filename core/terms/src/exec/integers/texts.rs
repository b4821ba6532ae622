//! Texts in the table of integers: short ones are words, and so are the texts of the program by their numbers; others
//! are entries.

use std::sync::Arc;

use gchr_base::hash::HashMap;
use gchr_base::notation::quoted;
use gchr_base::op::texts::{self, LITERALS};
use gchr_base::op::{ArithmeticError, Op};
use num_bigint::Sign;

use super::{ENTRY_BYTES, Entry, Integers, SHOWN};
use crate::exec::texts::Text;

/// Most bytes of a text, so that an operation takes well below a second.
const MAX_BYTES: u64 = 1 << 26;

/// The texts of a program.
#[derive(Default)]
pub(super) struct Literals {
    texts: Vec<Text>,
    ids: HashMap<Text, usize>,
}

impl Literals {
    pub fn new(texts: &[Box<[u8]>]) -> Self {
        let texts: Vec<Text> = texts.iter().map(|bytes| Text::new(bytes)).collect();
        let ids = texts.iter().cloned().enumerate().map(|(id, text)| (text, id)).collect();
        Self { texts, ids }
    }
}

impl Integers {
    /// The text of an entry of the table.
    pub(in crate::exec) fn long_text(&self, word: u64) -> Option<&Text> {
        match self.entries.get(super::entry(word)?)?.as_ref()? {
            Entry::Text(text) => Some(text),
            Entry::Number(_) | Entry::Application(_) => None,
        }
    }

    /// The text that a word is or names.
    fn text(&self, word: u64) -> Option<Text> {
        let signed = word.cast_signed();
        if let Some((bytes, length)) = texts::unpacked(signed) {
            return Some(Text::new(&bytes[8 - length..]));
        }
        let of_program = texts::literal(signed).and_then(|id| self.literals.texts.get(id));
        of_program.or_else(|| self.long_text(word)).cloned()
    }

    /// The word of a text.
    fn put_text(&mut self, text: Text) -> u64 {
        if text.length() <= texts::MAX_PACKED as u64 {
            let bytes: Vec<u8> = text.bytes().collect();
            if let Some(word) = texts::packed(&bytes) {
                return word.cast_unsigned();
            }
        }
        if let Some(&id) = self.literals.ids.get(&text) {
            return LITERALS.cast_unsigned() + id as u64;
        }
        self.entry(Entry::Text(Arc::new(text)))
    }

    /// Bytes that the value of an operation on texts takes at most.
    pub(super) fn size_of_text(&self, op: Op, a: u64, b: u64) -> Result<u64, ArithmeticError> {
        let length = |word: u64| self.text(word).map_or(0, |text| text.length());
        match op {
            Op::TextJoin if length(a) + length(b) > MAX_BYTES => Err(ArithmeticError::TooLarge),
            Op::TextUpper | Op::TextLower => Ok(2 * length(a) + ENTRY_BYTES),
            _ => Ok(16 * ENTRY_BYTES),
        }
    }

    /// The value of an operation on texts; for a unary one `b` is ignored.
    pub(super) fn compute_text(&mut self, op: Op, a: u64, b: u64) -> Result<u64, ArithmeticError> {
        let of = self.text(a).ok_or(ArithmeticError::Type)?;
        let other = || self.text(b).ok_or(ArithmeticError::Type);
        let count = || match self.get(b) {
            Some(number) if number.sign() == Sign::Minus => 0,
            Some(_) => u64::MAX,
            None => b.cast_signed().max(0).cast_unsigned(),
        };
        let place = |found: Option<u64>| found.map_or(-1, u64::cast_signed).cast_unsigned();
        let made = match op {
            Op::TextLength => return Ok(of.length()),
            Op::TextCompare => return Ok((of.order(&other()?) as i64).cast_unsigned()),
            Op::TextFind => return Ok(place(of.find(&other()?, false))),
            Op::TextFindLast => return Ok(place(of.find(&other()?, true))),
            Op::TextJoin => of.joined(&other()?),
            Op::TextPrefix => of.prefix(count()),
            Op::TextBehind => of.behind(count()),
            Op::TextUpper => of.turned(|byte| byte.to_ascii_uppercase()),
            Op::TextLower => of.turned(|byte| byte.to_ascii_lowercase()),
            _ => return Err(ArithmeticError::Type),
        };
        Ok(self.put_text(made))
    }

    /// The operands of an operation in a message.
    pub(in crate::exec) fn shown_operands(&self, op: Op, operands: [u64; 2]) -> Vec<String> {
        let show = |(at, &word): (usize, &u64)| match self.text(word).filter(|_| texts::is_text(op, at)) {
            Some(text) if text.length() > SHOWN => format!("a text of {} bytes", text.length()),
            Some(text) => quoted(text.bytes()),
            None => self.shown(word),
        };
        operands.iter().take(op.arity()).enumerate().map(show).collect()
    }
}
