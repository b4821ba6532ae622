//! Constraints that are reduced to greatest common divisors: which one of each key lives.

use crate::class::Divisor;
use gchr_base::hash::HashMap;

/// The constraints with a positive value of one table, one a key.
pub(crate) struct Divisors<'a> {
    pub(crate) class: &'a Divisor,
    rows: HashMap<Box<[u64]>, u32>,
}

/// What a constraint that is about to be stored meets.
pub(crate) enum Meeting {
    /// Nothing that it reacts with.
    Nothing,
    /// The rule that drops it because its value is zero.
    Zero,
    /// The constraint of its key, in this row.
    Row(u32),
}

impl<'a> Divisors<'a> {
    pub(crate) fn new(class: &'a Divisor) -> Self {
        Self { class, rows: HashMap::default() }
    }

    pub(crate) fn meet(&self, args: &[u64]) -> Meeting {
        match args[self.class.column].cast_signed() {
            0 => Meeting::Zero,
            // No rule takes it.
            ..0 => Meeting::Nothing,
            _ => self.rows.get(&self.key(args)).map_or(Meeting::Nothing, |&row| Meeting::Row(row)),
        }
    }

    /// Notes where a constraint was stored that met nothing.
    pub(crate) fn stored(&mut self, args: &[u64], row: u32) {
        if args[self.class.column].cast_signed() > 0 {
            self.rows.insert(self.key(args), row);
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        let key = 8 * self.class.key.len();
        (self.rows.capacity() * (size_of::<(Box<[u64]>, u32)>() + 1) + self.rows.len() * key) as u64
    }

    fn key(&self, args: &[u64]) -> Box<[u64]> {
        self.class.key.iter().map(|&column| args[column]).collect()
    }
}

/// The greatest common divisor.
pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
