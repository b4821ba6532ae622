//! Texts of bytes as words: what operators on texts compute where no table holds long ones.
//!
//! A text of at most [`MAX_PACKED`] bytes is a 1 and then its bytes, the last one lowest. Words from [`LITERALS`] on
//! name the longer texts that a program has itself, by their numbers among its texts. Both are constants of a program,
//! so that equal texts have equal words on all devices; others exist only where a table of texts does.

use super::{ArithmeticError, Op};

/// The most bytes of a text that is a word itself.
pub const MAX_PACKED: usize = 7;
/// The word of the first text of a program.
pub const LITERALS: i64 = 1 << 57;

/// The word of a short text.
pub fn packed(bytes: &[u8]) -> Option<i64> {
    let word = |bytes: &[u8]| bytes.iter().fold(1, |word, &byte| word << 8 | i64::from(byte));
    (bytes.len() <= MAX_PACKED).then(|| word(bytes))
}

/// The bytes of a word that is a short text, in the last of these, and how many there are. Words that are no texts are
/// taken for the empty one.
pub fn unpacked(word: i64) -> Option<([u8; 8], usize)> {
    if word >= LITERALS {
        return None;
    }
    Some((word.max(1).to_be_bytes(), word.max(1).ilog2() as usize / 8))
}

/// The number of the text of a program that a word names; `None` for others.
pub fn literal(word: i64) -> Option<usize> {
    word.checked_sub(LITERALS).and_then(|number| usize::try_from(number).ok())
}

/// Whether an operand is a text, where some are numbers.
pub fn is_text(op: Op, at: usize) -> bool {
    op.is_of_texts() && (at == 0 || !matches!(op, Op::TextPrefix | Op::TextBehind))
}

/// An operation on texts that are words. One that needs a table of texts is an overflow.
pub(super) fn operate(op: Op, a: i64, b: i64) -> Result<i64, ArithmeticError> {
    const NONE: ArithmeticError = ArithmeticError::Overflow;
    let (bytes, length) = unpacked(a).ok_or(NONE)?;
    let a = &bytes[8 - length..];
    let other = || unpacked(b).ok_or(NONE);
    let word = |bytes: &[u8]| packed(bytes).ok_or(NONE);
    let count = usize::try_from(b.clamp(0, length as i64)).unwrap_or(0);
    match op {
        Op::TextLength => Ok(length as i64),
        Op::TextPrefix => word(&a[..count]),
        Op::TextBehind => word(&a[count..]),
        Op::TextUpper => word(&a.to_ascii_uppercase()),
        Op::TextLower => word(&a.to_ascii_lowercase()),
        Op::TextJoin => {
            let (bytes, length) = other()?;
            word(&[a, &bytes[8 - length..]].concat())
        }
        Op::TextCompare => {
            let (bytes, length) = other()?;
            Ok(order(a.iter(), bytes[8 - length..].iter()) as i64)
        }
        Op::TextFind | Op::TextFindLast => {
            let (bytes, length) = other()?;
            let b = &bytes[8 - length..];
            let mut places = (0..=a.len()).filter(|&at| a[at..].starts_with(b));
            let found = if op == Op::TextFind { places.next() } else { places.next_back() };
            Ok(found.map_or(-1, |at| at as i64))
        }
        _ => Err(ArithmeticError::Type),
    }
}

/// The order of texts, whose bytes are numbers with a sign as characters of C are.
pub fn order<'a>(a: impl Iterator<Item = &'a u8>, b: impl Iterator<Item = &'a u8>) -> std::cmp::Ordering {
    a.map(|byte| byte.cast_signed()).cmp(b.map(|byte| byte.cast_signed()))
}
