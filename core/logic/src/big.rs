//! Integers of many digits under a meter: multiplication, division, powers and conversion from and to text go piece by
//! piece, so that limits and signals are heard between the pieces. Once the meter stops, results mean nothing.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};

use crate::meter::Meter;

/// Most products of digits that are made in one piece: some milliseconds. Tests have small pieces.
const PIECE: u64 = if cfg!(test) { 1 << 12 } else { 1 << 22 };
/// Most bits of numbers that are multiplied in one piece.
const FACTOR: u64 = if cfg!(test) { 64 << 3 } else { 64 << 10 };
/// Decimal digits that are converted in one piece.
const DECIMALS: usize = if cfg!(test) { 1 << 6 } else { 1 << 12 };

fn digits(n: &BigUint) -> u64 {
    n.bits().div_ceil(64)
}

fn spend(meter: &Meter, units: u64) -> bool {
    meter.spend(usize::try_from(units).unwrap_or(usize::MAX))
}

fn signed(negative: bool, n: BigUint) -> BigInt {
    BigInt::from_biguint(if negative { Sign::Minus } else { Sign::Plus }, n)
}

/// The product.
pub(crate) fn multiply(meter: &Meter, a: &BigInt, b: &BigInt) -> BigInt {
    signed(a.sign() != b.sign(), product(meter, a.magnitude(), b.magnitude()))
}

fn product(meter: &Meter, a: &BigUint, b: &BigUint) -> BigUint {
    let (large, small) = if a.bits() < b.bits() { (b, a) } else { (a, b) };
    if small.bits() <= FACTOR && large.bits() <= 4 * FACTOR {
        let goes_on = spend(meter, 1 + digits(large) * digits(small) / 16);
        return if goes_on { large * small } else { BigUint::zero() };
    }
    if !spend(meter, digits(large)) {
        return BigUint::zero();
    }
    // Karatsuba's way where both are long.
    let half = 64 * (digits(large) / 2);
    let (high, low) = split(large, half);
    if small.bits() <= half {
        return (product(meter, &high, small) << half) + product(meter, &low, small);
    }
    let (other_high, other_low) = split(small, half);
    let top = product(meter, &high, &other_high);
    let bottom = product(meter, &low, &other_low);
    let all = product(meter, &(high + low), &(other_high + other_low));
    if meter.is_stopped() {
        return BigUint::zero();
    }
    let middle = all - &top - &bottom;
    (top << (2 * half)) + (middle << half) + bottom
}

/// The bits from a place on, and those below it.
fn split(n: &BigUint, at: u64) -> (BigUint, BigUint) {
    let high = n >> at;
    let low = n - (&high << at);
    (high, low)
}

/// Quotient and rest of the division by a number that is not zero, rounded to zero.
pub(crate) fn divide(meter: &Meter, a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let (quotient, rest) = divided(meter, a.magnitude(), b.magnitude());
    (signed(a.sign() != b.sign(), quotient), signed(a.sign() == Sign::Minus, rest))
}

fn divided(meter: &Meter, a: &BigUint, b: &BigUint) -> (BigUint, BigUint) {
    let (n, m) = (digits(a), digits(b));
    let steps = m * n.saturating_sub(m);
    if steps <= PIECE {
        spend(meter, n + steps / 16);
        return whole(a, b);
    }
    // Long division by pieces of the dividend.
    let size = 2 * (PIECE / m).max(1) as usize;
    let words = a.to_u32_digits();
    let mut pieces: Vec<Vec<u32>> = Vec::new();
    let mut rest = BigUint::zero();
    for piece in words.chunks(size).rev() {
        if !spend(meter, PIECE / 16) {
            return (BigUint::zero(), BigUint::zero());
        }
        rest = (rest << (32 * piece.len())) + BigUint::from_slice(piece);
        let (quotient, left) = whole(&rest, b);
        rest = left;
        let mut quotient = quotient.to_u32_digits();
        quotient.resize(piece.len(), 0);
        pieces.push(quotient);
    }
    (BigUint::new(pieces.into_iter().rev().flatten().collect()), rest)
}

/// Quotient and rest in one piece: the library divides for each of them.
fn whole(a: &BigUint, b: &BigUint) -> (BigUint, BigUint) {
    let quotient = a / b;
    let rest = a - &quotient * b;
    (quotient, rest)
}

/// The power.
pub(crate) fn power(meter: &Meter, base: &BigInt, mut exponent: u32) -> BigInt {
    let (mut result, mut square) = (BigInt::one(), base.clone());
    loop {
        if exponent & 1 == 1 {
            result = multiply(meter, &result, &square);
        }
        exponent >>= 1;
        if exponent == 0 || meter.is_stopped() {
            return result;
        }
        square = multiply(meter, &square, &square);
    }
}

/// The greatest common divisor.
pub(crate) fn gcd(meter: &Meter, a: BigInt, b: BigInt) -> BigInt {
    let (mut a, mut b) = (a.into_parts().1, b.into_parts().1);
    if a < b {
        (a, b) = (b, a);
    }
    while b.bits() > 64 && !meter.is_stopped() {
        (a, b) = match leading_steps(&a, &b) {
            Some([[s, t], [u, v]]) if spend(meter, digits(&a)) => {
                (combined(&a, s, &b, t), combined(&a, u, &b, v))
            }
            _ => {
                let rest = divided(meter, &a, &b).1;
                (b, rest)
            }
        };
    }
    if meter.is_stopped() || b.is_zero() {
        return signed(false, a);
    }
    // The last steps are those of machine words.
    let rest = divided(meter, &a, &b).1;
    let [mut a, mut b] = [b, rest].map(|n| n.iter_u64_digits().next().unwrap_or(0));
    while b != 0 {
        (a, b) = (b, a % b);
    }
    signed(false, a.into())
}

/// Several steps of Euclid's algorithm at once, as far as the leading digits of both numbers tell what they are
/// (Lehmer): the factors by which the next pair is made of this one. Nothing where not even one step is known.
fn leading_steps(a: &BigUint, b: &BigUint) -> Option<[[i64; 2]; 2]> {
    let shift = a.bits() - 62;
    let leading = |n: &BigUint| (n >> shift).iter_u64_digits().next().unwrap_or(0) as i64;
    let (mut x, mut y) = (leading(a), leading(b));
    let [mut above, mut below] = [[1_i64, 0], [0, 1]];
    while y + below[0] != 0 && y + below[1] != 0 {
        let quotient = (x + above[0]) / (y + below[0]);
        if quotient != (x + above[1]) / (y + below[1]) {
            break;
        }
        let step = |from: i64, by: i64| from.checked_sub(quotient.checked_mul(by)?);
        let Some(next) = step(above[0], below[0]).zip(step(above[1], below[1])) else { break };
        (above, below) = (below, [next.0, next.1]);
        (x, y) = (y, x - quotient * y);
    }
    (above[1] != 0).then_some([above, below])
}

/// `a * s + b * t`, which is not negative; one of the factors may be.
fn combined(a: &BigUint, s: i64, b: &BigUint, t: i64) -> BigUint {
    let (left, right) = (a * s.unsigned_abs(), b * t.unsigned_abs());
    match (s < 0, t < 0) {
        (false, false) => left + right,
        (false, true) => left - right,
        (true, _) => right - left,
    }
}

/// `10 ^ (DECIMALS << level)` for each level up to one.
fn powers_of_ten(meter: &Meter, levels: usize) -> Vec<BigUint> {
    let mut powers = vec![BigUint::from(10_u32).pow(DECIMALS as u32)];
    while powers.len() < levels && !meter.is_stopped() {
        let last = &powers[powers.len() - 1];
        powers.push(product(meter, last, last));
    }
    powers
}

/// The decimal digits.
pub(crate) fn text(meter: &Meter, n: &BigInt) -> String {
    let decimals = (n.bits() as f64 * std::f64::consts::LOG10_2) as usize + 1;
    let mut text = String::from(if n.sign() == Sign::Minus { "-" } else { "" });
    // The level on which a number has at most twice as many digits as the power of the level.
    let levels = decimals.div_ceil(DECIMALS).next_power_of_two().trailing_zeros() as usize;
    let powers = powers_of_ten(meter, levels);
    let mut pending = vec![(n.magnitude().clone(), levels, 0)];
    while let Some((n, level, width)) = pending.pop() {
        if !meter.ask(DECIMALS as u64) {
            break;
        }
        match level.checked_sub(1).and_then(|below| powers.get(below)) {
            Some(power) if n >= *power => {
                let (high, low) = divided(meter, &n, power);
                let below = DECIMALS << (level - 1);
                pending.push((low, level - 1, below));
                pending.push((high, level - 1, width.max(below) - below));
            }
            Some(_) => pending.push((n, level - 1, width)),
            None => {
                let digits = if n.is_zero() && width == 0 && !pending.is_empty() {
                    String::new()
                } else {
                    n.to_string()
                };
                text.extend(std::iter::repeat_n('0', width.saturating_sub(digits.len())));
                text.push_str(&digits);
            }
        }
    }
    text
}

/// The number of which these are the decimal digits.
pub(crate) fn parse(meter: &Meter, digits: &str) -> BigInt {
    let levels = digits.len().div_ceil(DECIMALS).next_power_of_two().trailing_zeros() as usize;
    let powers = powers_of_ten(meter, levels);
    signed(false, parsed(meter, digits, &powers))
}

fn parsed(meter: &Meter, digits: &str, powers: &[BigUint]) -> BigUint {
    let level = powers.iter().enumerate().rposition(|(level, _)| digits.len() > DECIMALS << level);
    match level {
        _ if !meter.spend(1) => BigUint::zero(),
        Some(level) => {
            let (high, low) = digits.split_at(digits.len() - (DECIMALS << level));
            product(meter, &parsed(meter, high, powers), &powers[level]) + parsed(meter, low, powers)
        }
        None => {
            meter.spend(digits.len());
            digits.parse().unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use gchr_base::control::{Control, Limits};

    use super::*;

    /// As the library of long integers has it, for numbers on both sides of each size of a piece.
    #[test]
    fn pieces_make_the_same_numbers() {
        let meter = Meter::default();
        let mut random = fastrand(7);
        for bits in [1_u64, 64, 65, 5000, FACTOR - 1, FACTOR + 65, 3 * FACTOR, 9 * FACTOR] {
            for others in [1, 64, 129, 4000, FACTOR + 1, 2 * FACTOR] {
                let (a, b) = (number(&mut random, bits), -number(&mut random, others));
                assert_eq!(multiply(&meter, &a, &b), &a * &b, "{bits} {others}");
                assert_eq!(divide(&meter, &a, &b), (&a / &b, &a % &b), "{bits} {others}");
                assert_eq!(divide(&meter, &-&a, &b), (-&a / &b, -&a % &b), "{bits} {others}");
            }
        }
        for (a, b) in [(300, 40), (600, 300)] {
            let (a, b) = (number(&mut random, 64 * a), number(&mut random, 64 * b));
            let (quotient, rest) = divide(&meter, &a, &b);
            assert!(rest < b && rest.sign() != Sign::Minus);
            assert_eq!(multiply(&meter, &quotient, &b) + rest, a);
        }
        assert_eq!(power(&meter, &BigInt::from(-3), 301), BigInt::from(-3).pow(301));
        assert_eq!(power(&meter, &BigInt::from(7), 0), BigInt::one());
        let (a, b) = (power(&meter, &BigInt::from(6), 99), power(&meter, &BigInt::from(4), 200));
        assert_eq!(gcd(&meter, a, -b), BigInt::from(2).pow(99));
        // As Euclid's algorithm has it, for numbers of like and of different lengths, with and without common factors.
        for bits in [1_u64, 63, 64, 65, 127, 128, 129, 640, 3000] {
            for others in [1_u64, 62, 64, 66, 128, 200, 3000] {
                for common in [0_u64, 1, 70, 500] {
                    let factor = number(&mut random, common);
                    let (a, b) = (number(&mut random, bits) * &factor, number(&mut random, others) * &factor);
                    let (mut x, mut y) = (a.clone(), b.clone());
                    while !y.is_zero() {
                        (x, y) = (y.clone(), x % y);
                    }
                    assert_eq!(gcd(&meter, a, b), x, "{bits} {others} {common}");
                }
            }
        }
        let fibonacci = |n: u32| {
            let (mut a, mut b) = (BigInt::zero(), BigInt::one());
            (0..n).for_each(|_| (a, b) = (b.clone(), &a + &b));
            a
        };
        assert_eq!(gcd(&meter, fibonacci(3000), fibonacci(1250)), fibonacci(250));
        assert_eq!(gcd(&meter, fibonacci(2001), fibonacci(2000)), BigInt::one());
    }

    #[test]
    fn texts_are_those_of_the_library() {
        let meter = Meter::default();
        let mut random = fastrand(5);
        for decimals in [1, 9, DECIMALS - 1, DECIMALS, DECIMALS + 1, 2 * DECIMALS, 5 * DECIMALS + 7] {
            let ten = BigInt::from(10).pow(decimals as u32 - 1);
            let random = number(&mut random, (decimals as f64 * 3.3) as u64);
            for n in [ten.clone(), &ten - 1, -&ten, ten + 1, random, BigInt::zero()] {
                let text = text(&meter, &n);
                assert_eq!(text, n.to_string(), "{decimals}");
                assert_eq!(parse(&meter, text.trim_start_matches('-')), signed(false, n.magnitude().clone()));
            }
        }
    }

    /// However long the numbers are.
    #[test]
    fn a_meter_that_stops_ends_all_of_it_soon() {
        let works: [fn(&Meter); 6] = [
            |m| drop(parse(m, &"7".repeat(1 << 20))),
            |m| drop(text(m, &(BigInt::one() << (1_u64 << 22)))),
            |m| drop(power(m, &BigInt::from(7), 1_500_000)),
            |m| drop(gcd(m, BigInt::from(3).pow(60_000), BigInt::from(7).pow(33_000))),
            |m| drop(divide(m, &(BigInt::one() << 4_000_000_u64), &((BigInt::one() << 1_000_000_u64) + 1))),
            |m| {
                let n = (BigInt::one() << 4_000_000_u64) - 1;
                drop(multiply(m, &n, &n));
            },
        ];
        for (i, work) in works.into_iter().enumerate() {
            let limits = Limits { timeout: Some(Duration::ZERO), ..Limits::default() };
            let control = Control::new(limits);
            let (meter, start) = (Meter::of(&control), Instant::now());
            work(&meter);
            assert!(
                meter.is_stopped() && start.elapsed() < Duration::from_secs(2),
                "{i}: {:?}",
                start.elapsed()
            );
        }
    }

    fn fastrand(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 29)
        }
    }

    fn number(random: &mut impl FnMut() -> u64, bits: u64) -> BigInt {
        let words = (0..bits.div_ceil(32)).map(|_| random() as u32).collect();
        (BigInt::from_biguint(Sign::Plus, BigUint::new(words)) >> 1_u32) + 1
    }
}
