//! Functions of arithmetic that programs seldom use: on bits, on multiples, between neighbouring floats.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::big;
use crate::cell::Atom;
use crate::machine::{Done, Machine};
use crate::names::atom;
use crate::number::Number;

/// Whether these functions have one of a name with one argument.
pub(super) fn is_unary(name: Atom) -> bool {
    matches!(
        name,
        atom::lsb | atom::popcount | atom::numerator | atom::denominator | atom::rational | atom::rationalize
    )
}

/// Whether they have one with two.
pub(super) fn is_binary(name: Atom) -> bool {
    matches!(name, atom::lcm | atom::getbit | atom::nexttoward | atom::rdiv)
}

impl Machine<'_, '_> {
    /// An integer that a function needs.
    fn whole_operand(&mut self, n: &Number) -> Done<BigInt> {
        match n.to_big() {
            Some(n) => Ok(n),
            None => Err(self.must_be_integer(n)),
        }
    }

    /// An integer that is not less than this one.
    pub(super) fn at_least(&mut self, n: &Number, least: i64) -> Done<BigInt> {
        let value = self.whole_operand(n)?;
        if value < BigInt::from(least) {
            let domain = if least == 0 { "not_less_than_zero" } else { "not_less_than_one" };
            let cell = self.heap.push_number(n);
            return Err(self.domain_error(domain, cell));
        }
        Ok(value)
    }

    /// A function of one argument; nothing for another name.
    pub(super) fn rare_unary(&mut self, name: Atom, a: &Number) -> Done<Option<Number>> {
        Ok(Some(match name {
            atom::lsb => Number::Int(self.at_least(a, 1)?.trailing_zeros().unwrap_or(0) as i64),
            atom::popcount => {
                let bits = self.at_least(a, 0)?;
                Number::Int(bits.iter_u64_digits().map(|digit| i64::from(digit.count_ones())).sum())
            }
            atom::numerator => Number::of_big(self.parts_of(name, 1, a)?.0),
            atom::denominator => Number::of_big(self.parts_of(name, 1, a)?.1),
            atom::rational | atom::rationalize => match a {
                Number::Float(x) => self.rational_of_float(*x, name == atom::rationalize)?,
                n => n.clone(),
            },
            _ => return Ok(None),
        }))
    }

    /// A function of two arguments; nothing for another name.
    pub(super) fn rare_binary(&mut self, name: Atom, a: &Number, b: &Number) -> Done<Option<Number>> {
        Ok(Some(match name {
            atom::lcm => {
                let (x, y) = (self.whole_operand(a)?, self.whole_operand(b)?);
                if x.is_zero() || y.is_zero() {
                    return Ok(Some(Number::Int(0)));
                }
                let divisor = self.checked(big::gcd(&self.heap.meter, x.clone(), y.clone()))?;
                let (quotient, _) = self.divided(&x, &divisor)?;
                let (quotient, other) = (Number::of_big(quotient), Number::of_big(y));
                let product = self.ring(atom::star, &quotient, &other)?;
                Number::of_big(product.to_big().unwrap_or_default().abs())
            }
            atom::getbit => {
                let (bits, at) = (self.at_least(a, 0)?, self.at_least(b, 0)?);
                Number::Int(at.to_u64().is_some_and(|at| bits.bit(at)).into())
            }
            atom::rdiv => self.quotient(name, a, b)?,
            atom::nexttoward => {
                let (x, y) = (a.to_float(), b.to_float());
                let next = match x.partial_cmp(&y) {
                    Some(std::cmp::Ordering::Less) => x.next_up(),
                    Some(std::cmp::Ordering::Greater) => x.next_down(),
                    _ => y,
                };
                self.float_result(next)?
            }
            _ => return Ok(None),
        }))
    }

    /// `powm(Base, Exponent, Modulus)`.
    pub(super) fn power_of_rest(&mut self, args: [&Number; 3]) -> Done<Number> {
        let (base, exponent) = (self.at_least(args[0], 0)?, self.at_least(args[1], 0)?);
        let modulus = self.at_least(args[2], 1)?;
        self.afford((modulus.bits() / 8) as usize)?;
        let mut power = BigInt::from(1) % &modulus;
        let mut square = self.floored(&base, &modulus)?.1;
        for at in 0..exponent.bits() {
            if exponent.bit(at) {
                let product = big::multiply(&self.heap.meter, &power, &square);
                power = self.floored(&product, &modulus)?.1;
            }
            let product = big::multiply(&self.heap.meter, &square, &square);
            square = self.floored(&product, &modulus)?.1;
        }
        Ok(Number::of_big(power))
    }
}
