//! Evaluation of arithmetic terms, as SWI-Prolog defines it.

mod rare;
mod rationals;

use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};

use crate::big;
use crate::cell::{Atom, BoxKind, Cell, Tag};
use crate::machine::{Done, Machine, Throw};
use crate::names::atom;
use crate::number::{Number, compare};

/// Most bits of an integer: beyond, there is a resource error.
const MAX_BITS: u64 = 1 << 27;

enum Task {
    Value(Cell),
    Apply(Atom, usize),
}

impl Machine<'_, '_> {
    /// The value of a term.
    pub fn evaluate(&mut self, term: Cell) -> Done<Number> {
        let (mut tasks, mut values) = (vec![Task::Value(term)], Vec::new());
        // One that holds itself has no value: looked for as soon as the term is larger than most.
        let mut until_checked = 1_usize << 10;
        while let Some(task) = tasks.pop() {
            self.spend(1)?;
            until_checked = until_checked.wrapping_sub(1);
            if until_checked == 0 && self.heap.is_cyclic(term) {
                let term = self.heap.deref(term);
                return Err(self.type_error("expression", term));
            }
            match task {
                Task::Apply(name, 1) => {
                    let a = values.pop().unwrap_or(Number::Int(0));
                    values.push(self.evaluate_unary(name, a)?);
                }
                Task::Apply(_, 3) => {
                    let [c, b, a] = [(); 3].map(|()| values.pop().unwrap_or(Number::Int(0)));
                    values.push(self.power_of_rest([&a, &b, &c])?);
                }
                Task::Apply(name, _) => {
                    let b = values.pop().unwrap_or(Number::Int(0));
                    let a = values.pop().unwrap_or(Number::Int(0));
                    values.push(self.evaluate_binary(name, a, b)?);
                }
                Task::Value(cell) => {
                    let cell = self.heap.deref(cell);
                    match cell.tag() {
                        Tag::Str => {
                            let functor = self.heap.cells[cell.place()];
                            let (name, arity) = (functor.name(), functor.arity());
                            if !is_evaluable(name, arity) {
                                return Err(self.not_evaluable(name, arity));
                            }
                            tasks.push(Task::Apply(name, arity));
                            tasks.extend((0..arity).rev().map(|i| Task::Value(self.heap.arg(cell, i))));
                        }
                        Tag::Lst => {
                            if !self.heap.arg(cell, 1).is_atom() {
                                return Err(self.type_error("evaluable", cell));
                            }
                            values.push(self.only_element(self.heap.arg(cell, 0))?);
                        }
                        _ => values.push(self.value_of(cell)?),
                    }
                }
            }
        }
        Ok(values.pop().unwrap_or(Number::Int(0)))
    }

    /// The value of a list of one element: a code, or the code of a character.
    fn only_element(&mut self, element: Cell) -> Done<Number> {
        let element = self.heap.deref(element);
        let mut chars = match element.tag() {
            Tag::Atom => self.db.names.text(element.as_atom()).chars(),
            Tag::Int | Tag::Ref | Tag::Att => return self.value_of(element),
            _ => return Err(self.type_error("character", element)),
        };
        match (chars.next(), chars.next()) {
            (Some(c), None) => Ok(Number::Int(u32::from(c).into())),
            _ => Err(self.type_error("character", element)),
        }
    }

    fn value_of(&mut self, cell: Cell) -> Done<Number> {
        match cell.tag() {
            Tag::Int => Ok(Number::Int(cell.as_int())),
            Tag::Ref | Tag::Att => Err(self.instantiation_error()),
            Tag::Atom => self.constant(cell.as_atom()),
            _ if self.heap.box_kind(cell) == BoxKind::Str => {
                let text = self.heap.string_at(cell);
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => Ok(Number::Int(u32::from(c).into())),
                    _ => Err(self.type_error("character", cell)),
                }
            }
            _ => Ok(self.heap.number(cell)),
        }
    }

    fn constant(&mut self, name: Atom) -> Done<Number> {
        Ok(match name {
            atom::pi => Number::Float(std::f64::consts::PI),
            atom::e => Number::Float(std::f64::consts::E),
            atom::epsilon => Number::Float(f64::EPSILON),
            atom::inf | atom::infinite => Number::Float(f64::INFINITY),
            atom::nan => Number::Float(f64::NAN),
            atom::max_tagged => Number::Int((1 << 60) - 1),
            atom::min_tagged => Number::Int(-(1 << 60)),
            atom::max_integer => Number::Int(i64::MAX),
            atom::min_integer => Number::Int(i64::MIN),
            atom::random | atom::random_float => Number::Float(self.random_float()),
            atom::cputime => Number::Float(self.seconds()),
            atom::realtime => Number::Int(
                std::time::SystemTime::now()
                    .duration_since(std::time::UNIX_EPOCH)
                    .map_or(0, |d| d.as_secs() as i64),
            ),
            _ => return Err(self.not_evaluable(name, 0)),
        })
    }

    /// The next random number from 0 to 1, exclusive.
    pub fn random_float(&mut self) -> f64 {
        let value = (self.random_bits() >> 11) as f64 / (1_u64 << 53) as f64;
        if value == 0.0 { f64::EPSILON } else { value }
    }
    /// The next number of the generator (SplitMix64).
    pub fn random_bits(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn not_evaluable(&mut self, name: Atom, arity: usize) -> Throw {
        let indicator = {
            let (name, arity) = (Cell::atom(name), Cell::int(arity));
            self.heap.compound(crate::names::atom::slash, &[name, arity])
        };
        self.type_error("evaluable", indicator)
    }

    fn float_result(&mut self, x: f64) -> Done<Number> {
        if x.is_nan() {
            return Err(self.evaluation_error("undefined"));
        }
        if x.is_infinite() {
            return Err(self.evaluation_error("float_overflow"));
        }
        Ok(Number::Float(x))
    }

    /// Notes the function that is about to refuse its operands.
    fn refuses(&mut self, name: Atom, arity: usize) {
        self.function = Some((name, arity));
    }

    fn must_be_integer(&mut self, n: &Number) -> Throw {
        let cell = self.heap.push_number(n);
        self.type_error("integer", cell)
    }

    /// An operation on floats only.
    fn real(&mut self, x: f64, f: impl Fn(f64) -> f64) -> Done<Number> {
        let value = f(x);
        if value.is_nan() && !x.is_nan() {
            return Err(self.evaluation_error("undefined"));
        }
        self.float_result(value)
    }

    pub fn evaluate_unary(&mut self, name: Atom, a: Number) -> Done<Number> {
        let big = |n: BigInt| Ok(Number::of_big(n));
        if let Number::Rational(n) = &a
            && let Some(value) = self.unary_of_rational(name, n)?
        {
            return Ok(value);
        }
        match (name, &a) {
            (atom::plus | atom::plus_of | atom::eval, _) => Ok(a),
            (atom::minus, Number::Int(n)) if *n != i64::MIN => Ok(Number::Int(-n)),
            (atom::minus, Number::Float(x)) => Ok(Number::Float(-x)),
            (atom::minus, _) => big(-a.to_big().unwrap_or_default()),
            (atom::abs, Number::Int(n)) if *n != i64::MIN => Ok(Number::Int(n.abs())),
            (atom::abs, Number::Float(x)) => Ok(Number::Float(x.abs())),
            (atom::abs, _) => big(a.to_big().unwrap_or_default().abs()),
            (atom::sign, Number::Int(n)) => Ok(Number::Int(n.signum())),
            (atom::sign, Number::Big(n)) => Ok(Number::Int(if n.is_negative() { -1 } else { 1 })),
            (atom::sign, Number::Float(x)) => Ok(Number::Float(if *x == 0.0 { *x } else { x.signum() })),
            (atom::float, _) => self.float_result(a.to_float()),
            (atom::succ, Number::Int(_) | Number::Big(_)) => big(a.to_big().unwrap_or_default() + 1),
            (atom::bit_not | atom::msb | atom::random, n) if !n.is_int() => {
                self.refuses(name, 1);
                Err(self.must_be_integer(&a))
            }
            (atom::bit_not, Number::Int(n)) => Ok(Number::Int(!n)),
            (atom::bit_not, _) => big(-a.to_big().unwrap_or_default() - 1),
            (atom::msb, _) => {
                self.refuses(name, 1);
                let bits = self.at_least(&a, 1)?.bits();
                self.function = None;
                Ok(Number::Int(bits as i64 - 1))
            }
            (atom::random, Number::Int(n)) if *n > 0 => {
                Ok(Number::Int((self.random_bits() % *n as u64) as i64))
            }
            (atom::random, Number::Int(_)) => {
                self.refuses(name, 1);
                self.at_least(&a, 1).map(|_| a)
            }
            (atom::random_float, _) => Ok(Number::Float(self.random_float())),
            (name, _) => match real_function(name) {
                Some(_) if matches!(name, atom::log | atom::log2) && a.to_float() < 0.0 => {
                    Err(self.evaluation_error("undefined"))
                }
                Some(f) => self.real(a.to_float(), f),
                None => match Self::rounded(name, &a) {
                    Some(value) => Ok(value),
                    None => self.rare_unary(name, &a)?.ok_or(()).map_err(|()| self.not_evaluable(name, 1)),
                },
            },
        }
    }

    /// A number without its fraction, or the fraction alone; nothing for another function.
    fn rounded(name: Atom, a: &Number) -> Option<Number> {
        let Number::Float(x) = a else {
            return match name {
                atom::fractional_part => Some(Number::Int(0)),
                _ => is_rounding(name).then(|| a.clone()),
            };
        };
        Some(match name {
            atom::integer_part => Number::Float(x.trunc()),
            atom::fractional_part => Number::Float(x.fract()),
            atom::integer | atom::round => Self::whole(x.round()),
            atom::truncate | atom::trunc => Self::whole(x.trunc()),
            atom::floor => Self::whole(x.floor()),
            atom::ceiling => Self::whole(x.ceil()),
            _ => return None,
        })
    }

    /// A float without a fraction as an integer; one that is not finite stays.
    fn whole(x: f64) -> Number {
        match () {
            () if !x.is_finite() => Number::Float(x),
            () if (-9.2e18..9.2e18).contains(&x) => Number::Int(x as i64),
            () => Number::of_big(num_traits::FromPrimitive::from_f64(x).unwrap_or_default()),
        }
    }

    pub fn evaluate_binary(&mut self, name: Atom, a: Number, b: Number) -> Done<Number> {
        match name {
            atom::plus | atom::minus | atom::star => self.ring(name, &a, &b),
            atom::plus_of => self.ring(atom::plus, &a, &b),
            atom::slash => self.divide(a, b),
            atom::minimum | atom::maximum => {
                let [a_is_float, b_is_float] = [&a, &b].map(|n| matches!(n, Number::Float(_)));
                let pick_a = match compare(&a, &b) {
                    // Of an integer and a float, the float.
                    Some(std::cmp::Ordering::Equal) if a_is_float != b_is_float => a_is_float,
                    Some(std::cmp::Ordering::Equal) => {
                        let order = crate::number::standard_order(&a, &b);
                        (name == atom::maximum) != order.is_lt()
                    }
                    Some(order) => order.is_lt() == (name == atom::minimum),
                    None => true,
                };
                Ok(if pick_a { a } else { b })
            }
            atom::power | atom::hat => self.power(name == atom::hat, a, b),
            atom::atan2 | atom::atan => self.float_result(a.to_float().atan2(b.to_float())),
            atom::copysign if matches!(a, Number::Rational(_)) => {
                let is_negative = |n: &Number| n.to_float().is_sign_negative();
                if is_negative(&a) == is_negative(&b) { Ok(a) } else { self.evaluate_unary(atom::minus, a) }
            }
            atom::copysign => Ok(Number::Float(a.to_float().copysign(b.to_float()))),
            atom::log => {
                let (a, b) = (a.to_float(), b.to_float());
                if a <= 0.0 || b <= 0.0 {
                    return Err(self.evaluation_error("undefined"));
                }
                self.float_result(b.ln() / a.ln())
            }
            atom::random => {
                let (Number::Int(low), Number::Int(high)) = (&a, &b) else {
                    return Err(self.must_be_integer(&a));
                };
                let width = high.saturating_sub(*low).max(1) as u64;
                Ok(Number::Int(low + (self.random_bits() % width) as i64))
            }
            _ if is_of_integers(name) => self.integers(name, a, b),
            _ => self.rare_binary(name, &a, &b)?.ok_or(()).map_err(|()| self.not_evaluable(name, 2)),
        }
    }

    fn ring(&mut self, name: Atom, a: &Number, b: &Number) -> Done<Number> {
        if let (Number::Int(a), Number::Int(b)) = (a, b) {
            let exact = match name {
                atom::plus => a.checked_add(*b),
                atom::minus => a.checked_sub(*b),
                _ => a.checked_mul(*b),
            };
            if let Some(n) = exact {
                return Ok(Number::Int(n));
            }
        }
        if let (Some(a), Some(b)) = (a.to_big(), b.to_big()) {
            if name == atom::star && a.bits() + b.bits() > MAX_BITS {
                return Err(self.resource_error("memory"));
            }
            self.spend((a.bits().max(b.bits()) / 64) as usize)?;
            let result = match name {
                atom::plus => a + b,
                atom::minus => a - b,
                _ => big::multiply(&self.heap.meter, &a, &b),
            };
            return self.checked(Number::of_big(result));
        }
        if let Some(number) = self.ring_of_rationals(name, a, b)? {
            return Ok(number);
        }
        let (a, b) = (a.to_float(), b.to_float());
        self.float_result(match name {
            atom::plus => a + b,
            atom::minus => a - b,
            _ => a * b,
        })
    }

    fn divide(&mut self, a: Number, b: Number) -> Done<Number> {
        if let (Some(x), Some(y)) = (a.to_big(), b.to_big()) {
            if y.is_zero() {
                self.refuses(atom::slash, 2);
                return Err(self.evaluation_error("zero_divisor"));
            }
            let (quotient, rest) = self.divided(&x, &y)?;
            if rest.is_zero() {
                return Ok(Number::of_big(quotient));
            }
            return self.float_result(a.to_float() / b.to_float());
        }
        if !a.is_float() && !b.is_float() {
            return self.quotient(atom::slash, &a, &b);
        }
        if b.to_float() == 0.0 {
            self.refuses(atom::slash, 2);
            return Err(self.evaluation_error(if a.to_float() == 0.0 {
                "undefined"
            } else {
                "zero_divisor"
            }));
        }
        self.float_result(a.to_float() / b.to_float())
    }

    /// Quotient and rest, rounded to zero.
    fn divided(&self, a: &BigInt, b: &BigInt) -> Done<(BigInt, BigInt)> {
        self.checked(big::divide(&self.heap.meter, a, b))
    }

    /// Quotient and rest, rounded down.
    fn floored(&self, a: &BigInt, b: &BigInt) -> Done<(BigInt, BigInt)> {
        let (quotient, rest) = self.divided(a, b)?;
        let down = !rest.is_zero() && rest.sign() != b.sign();
        Ok(if down { (quotient - 1, rest + b) } else { (quotient, rest) })
    }

    fn integers(&mut self, name: Atom, a: Number, b: Number) -> Done<Number> {
        if let Some(n) = [&a, &b].into_iter().find(|n| !n.is_int()) {
            self.refuses(name, 2);
            return Err(self.must_be_integer(n));
        }
        let divides =
            matches!(name, atom::quotient | atom::modulo | atom::remainder | atom::div | atom::tdiv);
        if divides && matches!(b, Number::Int(0)) {
            self.refuses(name, 2);
            return Err(self.evaluation_error("zero_divisor"));
        }
        if let (Number::Int(x), Number::Int(y)) = (&a, &b)
            && let Some(n) = small_integers(name, *x, *y)
        {
            return Ok(Number::Int(n));
        }
        let (x, y) = (a.to_big().unwrap_or_default(), b.to_big().unwrap_or_default());
        let shift = || y.to_i64().unwrap_or(if y.is_negative() { i64::MIN } else { i64::MAX });
        self.spend((x.bits().max(y.bits()) / 64) as usize)?;
        Ok(Number::of_big(match name {
            atom::quotient | atom::tdiv => self.divided(&x, &y)?.0,
            atom::remainder => self.divided(&x, &y)?.1,
            atom::div => self.floored(&x, &y)?.0,
            atom::modulo => self.floored(&x, &y)?.1,
            atom::gcd => self.checked(big::gcd(&self.heap.meter, x, y))?,
            atom::bit_and => x & y,
            atom::bit_or => x | y,
            atom::bit_xor => x ^ y,
            _ => {
                let left = if name == atom::shift_left { shift() } else { shift().saturating_neg() };
                if left > 0 && (left as u64).saturating_add(x.bits()) > MAX_BITS && !x.is_zero() {
                    return Err(self.resource_error("memory"));
                }
                self.afford(left.clamp(0, MAX_BITS as i64) as usize / 8)?;
                if left >= 0 { x << left as u64 } else { x >> left.unsigned_abs().min(MAX_BITS) }
            }
        }))
    }

    fn power(&mut self, integer: bool, a: Number, b: Number) -> Done<Number> {
        if let (Some(base), Some(exponent)) = (a.to_big(), b.to_big()) {
            if exponent.sign() == Sign::Minus {
                let one = BigInt::from(1);
                if base == one {
                    return Ok(Number::Int(1));
                }
                if base == -&one {
                    return Ok(Number::Int(if (&exponent % 2_u32).is_zero() { 1 } else { -1 }));
                }
                if base.is_zero() {
                    self.refuses(if integer { atom::hat } else { atom::power }, 2);
                    return Err(self.evaluation_error("zero_divisor"));
                }
                return self.float_result(a.to_float().powf(b.to_float()));
            }
            let small = exponent.to_u32().filter(|e| base.bits().saturating_mul((*e).into()) <= MAX_BITS);
            return match small {
                Some(e) => self.checked(Number::of_big(big::power(&self.heap.meter, &base, e))),
                None if base.bits() <= 1 => {
                    Ok(Number::of_big(base.pow((&exponent % 2_u32).to_u32().unwrap_or(0) + 2)))
                }
                None => Err(self.resource_error("memory")),
            };
        }
        if let Some(number) = self.power_of_rationals(&a, &b)? {
            return Ok(number);
        }
        let (x, y) = (a.to_float(), b.to_float());
        if x == 0.0 && y < 0.0 {
            return Err(self.evaluation_error("zero_divisor"));
        }
        self.float_result(x.powf(y))
    }
}

/// Operations on integers of a machine word, as far as their results are ones.
fn small_integers(name: Atom, a: i64, b: i64) -> Option<i64> {
    match name {
        atom::quotient | atom::tdiv => a.checked_div(b),
        atom::remainder => a.checked_rem(b),
        atom::div => {
            let q = a.checked_div(b)?;
            Some(if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q })
        }
        atom::modulo => {
            let r = a.checked_rem(b)?;
            Some(if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
        }
        atom::gcd => i64::try_from(small_gcd(a.unsigned_abs(), b.unsigned_abs())).ok(),
        atom::bit_and => Some(a & b),
        atom::bit_or => Some(a | b),
        atom::bit_xor => Some(a ^ b),
        atom::shift_right if b >= 0 => Some(a >> b.min(63)),
        atom::shift_left if (0..63).contains(&b) && (a << b) >> b == a => Some(a << b),
        _ => None,
    }
}

/// By Stein's algorithm: divisions by two only.
fn small_gcd(mut a: u64, mut b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        (a, b) = (a.min(b), a.abs_diff(b));
    }
    a << twos
}

/// A function of a float that gives a float.
fn real_function(name: Atom) -> Option<fn(f64) -> f64> {
    Some(match name {
        atom::sqrt => f64::sqrt,
        atom::sin => f64::sin,
        atom::cos => f64::cos,
        atom::tan => f64::tan,
        atom::cot => |x| 1.0 / x.tan(),
        atom::asin => f64::asin,
        atom::acos => f64::acos,
        atom::atan => f64::atan,
        atom::acot => |x| (1.0 / x).atan(),
        atom::exp => f64::exp,
        atom::log => f64::ln,
        atom::log2 => f64::log2,
        atom::sinh => f64::sinh,
        atom::cosh => f64::cosh,
        atom::tanh => f64::tanh,
        atom::asinh => f64::asinh,
        atom::acosh => f64::acosh,
        atom::atanh => f64::atanh,
        _ => return None,
    })
}

/// Whether a function leaves integers as they are.
fn is_rounding(name: Atom) -> bool {
    matches!(
        name,
        atom::integer_part
            | atom::integer
            | atom::truncate
            | atom::trunc
            | atom::round
            | atom::floor
            | atom::ceiling
    )
}

/// Whether a function of two arguments is one of integers only.
fn is_of_integers(name: Atom) -> bool {
    matches!(
        name,
        atom::quotient
            | atom::modulo
            | atom::remainder
            | atom::div
            | atom::tdiv
            | atom::gcd
            | atom::shift_right
            | atom::shift_left
            | atom::bit_and
            | atom::bit_or
            | atom::bit_xor
    )
}

fn is_evaluable(name: Atom, arity: usize) -> bool {
    match arity {
        1 => {
            let whole = matches!(
                name,
                atom::plus
                    | atom::plus_of
                    | atom::eval
                    | atom::minus
                    | atom::abs
                    | atom::sign
                    | atom::float
                    | atom::succ
                    | atom::bit_not
                    | atom::msb
                    | atom::random
                    | atom::random_float
                    | atom::fractional_part
            );
            whole || is_rounding(name) || real_function(name).is_some() || rare::is_unary(name)
        }
        2 => {
            let of_two = matches!(
                name,
                atom::plus
                    | atom::plus_of
                    | atom::minus
                    | atom::star
                    | atom::slash
                    | atom::minimum
                    | atom::maximum
                    | atom::power
                    | atom::hat
                    | atom::atan2
                    | atom::atan
                    | atom::copysign
                    | atom::log
                    | atom::random
            );
            of_two || is_of_integers(name) || rare::is_binary(name)
        }
        3 => name == atom::powm,
        _ => false,
    }
}
