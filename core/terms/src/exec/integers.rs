//! Integers of any size: small ones are words, the others lie in a table, each value once. So do applications whose
//! sort is that of integers and that no rule matches, by their texts: normal forms that are no numbers. So do long
//! texts.

mod texts;

use std::cmp::Ordering;
use std::sync::Arc;

use gchr_base::hash::HashMap;
use gchr_base::op::{ArithmeticError, Op};
use num_bigint::{BigInt, Sign};

use self::texts::Literals;
use crate::exec::compare;
use crate::exec::texts::Text;

/// Words from here on name entries of the table; those from its negative on and below it are numbers.
const FIRST: i64 = 1 << 62;
/// Bytes that an entry takes beside its digits.
const ENTRY_BYTES: u64 = 96;
/// Most bits of an integer, so that an operation takes well below a second; an error of arithmetic names the number.
const MAX_BITS: u64 = 1 << 22;
/// Bits of a number that a message shows by its digits.
const SHOWN: u64 = 200;
/// Bytes of the text of an application beyond which it is cut; then it is equal to itself only.
pub(super) const MAX_TEXT: usize = 4_096;

/// Whether a word is a number itself.
#[inline]
fn is_small(word: u64) -> bool {
    (-FIRST..FIRST).contains(&word.cast_signed())
}

/// The value of an operation on small integers, if it is small, too. For a unary one `b` is ignored.
#[inline]
pub(super) fn small(op: Op, a: u64, b: u64) -> Option<u64> {
    if !(is_small(a) && is_small(b)) {
        return None;
    }
    let (a, b) = (a.cast_signed(), b.cast_signed());
    let value = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        _ => op.int(a, b).ok()?,
    };
    Some(value.cast_unsigned()).filter(|&word| is_small(word))
}

/// The table of integers that are not small.
///
/// **Invariant:** no two entries are equal, and none is small, so that equal integers have equal words.
#[derive(Default)]
pub struct Integers {
    entries: Vec<Option<Entry>>,
    ids: HashMap<Entry, usize>,
    free: Vec<usize>,
    marked: Vec<bool>,
    bytes: u64,
    literals: Arc<Literals>,
}

/// What a word that is no number itself names.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Entry {
    Number(Arc<BigInt>),
    /// The text of an application that is a normal form.
    Application(Arc<str>),
    /// A text that is none of the program.
    Text(Arc<Text>),
}

impl Integers {
    /// An empty table for a program with these texts.
    pub(super) fn new(texts: &[Box<[u8]>]) -> Self {
        Self { literals: Arc::new(Literals::new(texts)), ..Self::default() }
    }

    /// Forgets all entries.
    pub(super) fn clear(&mut self) {
        *self = Self { literals: Arc::clone(&self.literals), ..Self::default() };
    }

    /// Bytes of all entries.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number that a word names; `None` for one that is a number itself.
    pub(super) fn get(&self, word: u64) -> Option<&BigInt> {
        match self.entries.get(entry(word)?)?.as_ref()? {
            Entry::Number(number) => Some(number),
            Entry::Application(_) | Entry::Text(_) => None,
        }
    }

    /// The text of the application that a word names; `None` for numbers.
    pub(super) fn application(&self, word: u64) -> Option<&str> {
        match self.entries.get(entry(word)?)?.as_ref()? {
            Entry::Application(text) => Some(text),
            Entry::Number(_) | Entry::Text(_) => None,
        }
    }

    /// The first of the operands of an operation that is no number.
    pub(super) fn no_number(&self, op: Op, a: u64, b: u64) -> Option<&str> {
        let second = if op.arity() == 2 { self.application(b) } else { None };
        self.application(a).or(second)
    }

    fn number(&self, word: u64) -> BigInt {
        self.get(word).cloned().unwrap_or_else(|| word.cast_signed().into())
    }

    /// The text of a number in a message.
    pub(super) fn shown(&self, word: u64) -> String {
        if let Some(text) = self.application(word) {
            return text.to_string();
        }
        match self.get(word) {
            Some(number) if number.bits() > SHOWN => format!("an integer of {} bits", number.bits()),
            Some(number) => number.to_string(),
            None => word.cast_signed().to_string(),
        }
    }

    /// The number, or the application, as it is written.
    fn digits(&self, word: u64) -> String {
        match self.application(word) {
            Some(text) => text.to_string(),
            None => self.number(word).to_string(),
        }
    }

    /// The word of a number.
    fn put(&mut self, number: BigInt) -> u64 {
        if let Ok(small) = i64::try_from(&number)
            && is_small(small.cast_unsigned())
        {
            return small.cast_unsigned();
        }
        self.entry(Entry::Number(Arc::new(number)))
    }

    /// The word of an application that is a normal form.
    pub(super) fn put_application(&mut self, mut text: String) -> u64 {
        if text.len() <= MAX_TEXT {
            return self.entry(Entry::Application(text.into()));
        }
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text.push_str("...");
        let entry = Entry::Application(text.into());
        self.bytes += bytes_of(&entry);
        let id = self.place(entry);
        FIRST.cast_unsigned() + id as u64
    }

    fn entry(&mut self, entry: Entry) -> u64 {
        let id = match self.ids.get(&entry) {
            Some(&known) => known,
            None => {
                self.bytes += bytes_of(&entry);
                let id = self.place(entry.clone());
                self.ids.insert(entry, id);
                id
            }
        };
        FIRST.cast_unsigned() + id as u64
    }

    fn place(&mut self, entry: Entry) -> usize {
        let id = self.free.pop().unwrap_or(self.entries.len());
        if id == self.entries.len() {
            self.entries.push(None);
        }
        self.entries[id] = Some(entry);
        id
    }

    /// Whether a comparison or a test of types holds; `None` where one side is no number and not the same as the other.
    #[inline]
    pub(super) fn holds(&self, op: Op, a: u64, b: u64) -> Option<bool> {
        if op.is_type_test() || (is_small(a) && is_small(b)) {
            return Some(compare::ints(op, a, b));
        }
        if a != b && self.no_number(op, a, b).is_some() {
            return None;
        }
        Some(op.holds(self.order(a, b)))
    }

    fn order(&self, a: u64, b: u64) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => a.cmp(b),
            (Some(a), None) if a.sign() == Sign::Minus => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (None, Some(b)) if b.sign() == Sign::Minus => Ordering::Greater,
            (None, Some(_)) => Ordering::Less,
            (None, None) => a.cast_signed().cmp(&b.cast_signed()),
        }
    }

    /// Bytes that the value of an operation takes at most.
    pub(super) fn size_of(&self, op: Op, a: u64, b: u64) -> Result<u64, ArithmeticError> {
        if op.is_of_texts() {
            return self.size_of_text(op, a, b);
        }
        let bits = |word: u64| self.get(word).map_or(64, BigInt::bits);
        if self.no_number(op, a, b).is_some() {
            return Ok(2 * MAX_TEXT as u64 + ENTRY_BYTES);
        }
        let result = match op {
            Op::Shl => bits(a).saturating_add(b.cast_signed().max(0).cast_unsigned()),
            Op::Mul => bits(a) + bits(b),
            _ => bits(a).max(bits(b)) + 1,
        };
        // A product of the largest may have a bit less than the sum of theirs.
        if result > MAX_BITS + 64 {
            return Err(ArithmeticError::TooLarge);
        }
        Ok(result / 8 + ENTRY_BYTES)
    }

    /// The value of an operation; for a unary one `b` is ignored.
    pub(super) fn compute(&mut self, op: Op, a: u64, b: u64) -> Result<u64, ArithmeticError> {
        if op.is_of_texts() {
            return self.compute_text(op, a, b);
        }
        let shift = || match b.cast_signed() {
            n if n < 0 => Err(ArithmeticError::Undefined),
            n => Ok(n.cast_unsigned()),
        };
        if self.no_number(op, a, b).is_some() {
            if op == Op::Gcd {
                return Ok(1);
            }
            let text = written(op, &self.digits(a), &self.digits(b)).ok_or(ArithmeticError::Type)?;
            return Ok(self.put_application(text));
        }
        let (x, y) = (self.number(a), self.number(b));
        let value = match op {
            Op::Add => x + y,
            Op::Sub => x - y,
            Op::Mul => x * y,
            Op::FloorDiv => divided(&x, &y)?.0,
            Op::Mod => divided(&x, &y)?.1,
            Op::Min => x.min(y),
            Op::Max => x.max(y),
            Op::Neg => -x,
            Op::Truncate | Op::Round | Op::Floor | Op::Ceiling => x,
            Op::Abs => absolute(x),
            Op::Gcd => gcd(absolute(x), absolute(y)),
            Op::Sign if x.sign() == Sign::Minus => (-1).into(),
            Op::Sign => i64::from(x.sign() == Sign::Plus).into(),
            Op::Msb if x.sign() == Sign::Plus => (x.bits() - 1).into(),
            Op::Msb => return Err(ArithmeticError::Undefined),
            Op::And => x & y,
            Op::Or => x | y,
            Op::Xor => x ^ y,
            Op::Shl => x << shift()?,
            Op::Shr => x >> shift()?,
            _ => return Err(ArithmeticError::Type),
        };
        Ok(self.put(value))
    }

    /// Begins to find the entries that are in use.
    pub(super) fn begin(&mut self) {
        self.marked.clear();
        self.marked.resize(self.entries.len(), false);
    }

    /// The entry that a word names is in use.
    #[inline]
    pub(super) fn mark(&mut self, word: u64) {
        if let Some(marked) = entry(word).and_then(|id| self.marked.get_mut(id)) {
            *marked = true;
        }
    }

    /// Forgets the entries that have not been marked.
    pub(super) fn sweep(&mut self) {
        for (id, entry) in self.entries.iter_mut().enumerate() {
            if !self.marked[id]
                && let Some(entry) = entry.take()
            {
                self.bytes -= bytes_of(&entry);
                if self.ids.get(&entry) == Some(&id) {
                    self.ids.remove(&entry);
                }
                self.free.push(id);
            }
        }
    }
}

/// The entry that a word names.
#[inline]
fn entry(word: u64) -> Option<usize> {
    word.cast_signed().checked_sub(FIRST).and_then(|id| usize::try_from(id).ok())
}

fn bytes_of(entry: &Entry) -> u64 {
    ENTRY_BYTES
        + match entry {
            Entry::Number(number) => number.bits() / 8,
            Entry::Application(text) => text.len() as u64,
            Entry::Text(text) => text.made(),
        }
}

/// An operation on what is no number, as a term.
fn written(op: Op, a: &str, b: &str) -> Option<String> {
    Some(match op {
        Op::Mul | Op::FloorDiv if b == "1" => a.to_string(),
        Op::Mul if a == "1" => b.to_string(),
        Op::Add => format!("({a} + {b})"),
        Op::Sub => format!("({a} - {b})"),
        Op::Mul => format!("({a} * {b})"),
        Op::FloorDiv => format!("({a} div {b})"),
        Op::Mod => format!("({a} mod {b})"),
        Op::Neg => format!("(-{a})"),
        Op::Min => format!("min({a}, {b})"),
        Op::Max => format!("max({a}, {b})"),
        Op::Abs => format!("abs({a})"),
        _ => return None,
    })
}

/// The quotient, rounded down, and what is left then.
fn divided(a: &BigInt, b: &BigInt) -> Result<(BigInt, BigInt), ArithmeticError> {
    if b.sign() == Sign::NoSign {
        return Err(ArithmeticError::DivisionByZero);
    }
    let quotient = a / b;
    let rest = a - &quotient * b;
    let rounded_up = rest.sign() != Sign::NoSign && rest.sign() != b.sign();
    Ok(if rounded_up { (quotient - 1, rest + b) } else { (quotient, rest) })
}

fn absolute(number: BigInt) -> BigInt {
    if number.sign() == Sign::Minus { -number } else { number }
}

fn gcd(mut a: BigInt, mut b: BigInt) -> BigInt {
    while b.sign() != Sign::NoSign {
        (a, b) = (b.clone(), a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OPS: [Op; 9] =
        [Op::Add, Op::Sub, Op::Mul, Op::FloorDiv, Op::Mod, Op::Min, Op::Max, Op::Abs, Op::Gcd];

    /// A number near a power of two.
    fn number() -> impl Strategy<Value = i128> {
        (0..126u32, -3..4i128, any::<bool>()).prop_map(|(bits, near, negative)| {
            let number = (1i128 << bits) + near;
            if negative { -number } else { number }
        })
    }

    fn word(integers: &mut Integers, number: i128) -> u64 {
        integers.put(number.into())
    }

    fn by_parts(op: Op, a: i128, b: i128) -> Option<i128> {
        let down = |q: i128, r: i128| if r != 0 && (r < 0) != (b < 0) { (q - 1, r + b) } else { (q, r) };
        match op {
            Op::Add => a.checked_add(b),
            Op::Sub => a.checked_sub(b),
            Op::Mul => a.checked_mul(b),
            Op::FloorDiv | Op::Mod if b == 0 => None,
            Op::FloorDiv => Some(down(a / b, a % b).0),
            Op::Mod => Some(down(a / b, a % b).1),
            Op::Min => Some(a.min(b)),
            Op::Max => Some(a.max(b)),
            Op::Abs => Some(a.abs()),
            _ => {
                let (mut x, mut y) = (a.abs(), b.abs());
                while y != 0 {
                    (x, y) = (y, x % y);
                }
                Some(x)
            }
        }
    }

    proptest! {
        #[test]
        fn operations_and_comparisons_are_those_of_wide_integers(a in number(), b in number()) {
            let mut integers = Integers::default();
            let (x, y) = (word(&mut integers, a), word(&mut integers, b));
            for op in OPS {
                let Some(expected) = by_parts(op, a, b) else { continue };
                let expected = word(&mut integers, expected);
                let found = small(op, x, y).map_or_else(|| integers.compute(op, x, y), Ok);
                prop_assert_eq!(found, Ok(expected), "{:?}", op);
            }
            for op in [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne] {
                prop_assert_eq!(integers.holds(op, x, y), Some(op.holds(a.cmp(&b))));
            }
        }
    }

    #[test]
    fn what_is_not_marked_is_forgotten_and_its_place_is_taken_again() {
        let mut integers = Integers::default();
        let (a, b) = (word(&mut integers, 1 << 70), word(&mut integers, -1 << 80));
        let bytes = integers.bytes();
        integers.begin();
        integers.mark(b);
        integers.mark(5);
        integers.sweep();
        assert_eq!((integers.get(a), integers.get(b)), (None, Some(&BigInt::from(-1i128 << 80))));
        assert!(integers.bytes() < bytes);
        assert_eq!(word(&mut integers, 1 << 90), a);
        assert_eq!(word(&mut integers, -1 << 80), b);
    }

    #[test]
    fn division_by_zero_and_shifts_are_errors_or_exact() {
        let mut integers = Integers::default();
        let big = word(&mut integers, 1 << 100);
        assert_eq!(integers.compute(Op::Mod, big, 0), Err(ArithmeticError::DivisionByZero));
        assert_eq!(integers.compute(Op::Shr, big, 98), Ok(4));
        assert_eq!(integers.compute(Op::Shl, 1, 100), Ok(big));
        assert_eq!(integers.compute(Op::Shl, 1, (-1i64).cast_unsigned()), Err(ArithmeticError::Undefined));
        assert_eq!(integers.size_of(Op::Shl, 1, 1 << 50), Err(ArithmeticError::TooLarge));
        let large = integers.compute(Op::Shl, 1, 3 << 20).expect("a number");
        assert!(integers.size_of(Op::Add, large, 1).is_ok_and(|bytes| bytes > 3 << 17));
        assert_eq!(integers.size_of(Op::Mul, large, large), Err(ArithmeticError::TooLarge));
    }
}
