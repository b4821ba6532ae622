//! Evaluation of arithmetic terms, as SWI-Prolog defines it.

mod rare;

use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};

use crate::big;
use crate::cell::{Atom, BoxKind, Cell, Tag};
use crate::machine::{Done, Machine, Throw};
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
                            if !self.is_evaluable(name, arity) {
                                return Err(self.not_evaluable(name, arity));
                            }
                            tasks.push(Task::Apply(name, arity));
                            tasks.extend((0..arity).rev().map(|i| Task::Value(self.heap.arg(cell, i))));
                        }
                        Tag::Lst => {
                            if !self.heap.arg(cell, 1).is_atom() {
                                return Err(self.type_error("evaluable", cell));
                            }
                            tasks.push(Task::Value(self.heap.arg(cell, 0)));
                        }
                        _ => values.push(self.value_of(cell)?),
                    }
                }
            }
        }
        Ok(values.pop().unwrap_or(Number::Int(0)))
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
        let text = self.db.names.text(name).clone();
        Ok(match &*text {
            "pi" => Number::Float(std::f64::consts::PI),
            "e" => Number::Float(std::f64::consts::E),
            "epsilon" => Number::Float(f64::EPSILON),
            "inf" | "infinite" => Number::Float(f64::INFINITY),
            "nan" => Number::Float(f64::NAN),
            "max_tagged_integer" => Number::Int((1 << 60) - 1),
            "min_tagged_integer" => Number::Int(-(1 << 60)),
            "max_integer" => Number::Int(i64::MAX),
            "min_integer" => Number::Int(i64::MIN),
            "random" => Number::Float(self.random_float()),
            "random_float" => Number::Float(self.random_float()),
            "cputime" => Number::Float(self.seconds()),
            "realtime" => Number::Int(
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

    fn is_evaluable(&self, name: Atom, arity: usize) -> bool {
        let name: &str = self.db.names.text(name);
        match arity {
            1 => UNARY.contains(&name) || rare::UNARY.contains(&name),
            2 => BINARY.contains(&name) || rare::BINARY.contains(&name),
            3 => rare::TERNARY.contains(&name),
            _ => false,
        }
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
        let name = self.db.names.text(name).clone();
        let big = |n: BigInt| Ok(Number::of_big(n));
        match (&*name, &a) {
            ("+", _) => Ok(a),
            ("-", Number::Int(n)) if *n != i64::MIN => Ok(Number::Int(-n)),
            ("-", Number::Float(x)) => Ok(Number::Float(-x)),
            ("-", _) => big(-a.to_big().unwrap_or_default()),
            ("abs", Number::Int(n)) if *n != i64::MIN => Ok(Number::Int(n.abs())),
            ("abs", Number::Float(x)) => Ok(Number::Float(x.abs())),
            ("abs", _) => big(a.to_big().unwrap_or_default().abs()),
            ("sign", Number::Int(n)) => Ok(Number::Int(n.signum())),
            ("sign", Number::Big(n)) => Ok(Number::Int(if n.is_negative() { -1 } else { 1 })),
            ("sign", Number::Float(x)) => Ok(Number::Float(if *x == 0.0 { *x } else { x.signum() })),
            ("float", _) => self.float_result(a.to_float()),
            ("float_integer_part", Number::Float(x)) => Ok(Number::Float(x.trunc())),
            ("float_fractional_part", Number::Float(x)) => Ok(Number::Float(x.fract())),
            ("float_integer_part" | "integer" | "truncate" | "round" | "floor" | "ceiling", n)
                if n.is_int() =>
            {
                Ok(a)
            }
            ("float_fractional_part", _) => Ok(Number::Int(0)),
            ("integer" | "round", Number::Float(x)) => self.whole(x.round()),
            ("truncate", Number::Float(x)) => self.whole(x.trunc()),
            ("floor", Number::Float(x)) => self.whole(x.floor()),
            ("ceiling", Number::Float(x)) => self.whole(x.ceil()),
            ("succ", Number::Int(_) | Number::Big(_)) => big(a.to_big().unwrap_or_default() + 1),
            ("plus", _) => Ok(a),
            ("\\" | "msb" | "random", n) if !n.is_int() => Err(self.must_be_integer(&a)),
            ("\\", Number::Int(n)) => Ok(Number::Int(!n)),
            ("\\", _) => big(-a.to_big().unwrap_or_default() - 1),
            ("msb", _) => Ok(Number::Int(self.at_least(&a, 1)?.bits() as i64 - 1)),
            ("random", Number::Int(n)) if *n > 0 => Ok(Number::Int((self.random_bits() % *n as u64) as i64)),
            ("random_float", _) => Ok(Number::Float(self.random_float())),
            ("eval", _) => Ok(a),
            ("log", _) if a.to_float() <= 0.0 => Err(self.evaluation_error("undefined")),
            ("log2", _) if a.to_float() <= 0.0 => Err(self.evaluation_error("undefined")),
            (name, _) => {
                let f: fn(f64) -> f64 = match name {
                    "sqrt" => f64::sqrt,
                    "sin" => f64::sin,
                    "cos" => f64::cos,
                    "tan" => f64::tan,
                    "asin" => f64::asin,
                    "acos" => f64::acos,
                    "atan" => f64::atan,
                    "exp" => f64::exp,
                    "log" => f64::ln,
                    "log2" => f64::log2,
                    "sinh" => f64::sinh,
                    "cosh" => f64::cosh,
                    "tanh" => f64::tanh,
                    "asinh" => f64::asinh,
                    "acosh" => f64::acosh,
                    "atanh" => f64::atanh,
                    _ => {
                        if let Some(value) = self.rare_unary(name, &a)? {
                            return Ok(value);
                        }
                        let name = self.db.names.intern(name);
                        return Err(self.not_evaluable(name, 1));
                    }
                };
                self.real(a.to_float(), f)
            }
        }
    }

    /// A float without a fraction as an integer.
    fn whole(&mut self, x: f64) -> Done<Number> {
        if x.is_nan() || x.is_infinite() {
            return Err(self.evaluation_error("undefined"));
        }
        let small = (-9.2e18..9.2e18).contains(&x);
        Ok(match small {
            true => Number::Int(x as i64),
            false => Number::of_big(num_traits::FromPrimitive::from_f64(x).unwrap_or_default()),
        })
    }

    pub fn evaluate_binary(&mut self, name: Atom, a: Number, b: Number) -> Done<Number> {
        let name = self.db.names.text(name).clone();
        let name = &*name;
        match name {
            "+" | "-" | "*" => self.ring(name, &a, &b),
            "/" => self.divide(a, b),
            "//" | "mod" | "rem" | "div" | "gcd" | ">>" | "<<" | "/\\" | "\\/" | "xor" | "tdiv" => {
                self.integers(name, a, b)
            }
            "min" | "max" => {
                let [a_is_float, b_is_float] = [&a, &b].map(|n| matches!(n, Number::Float(_)));
                let pick_a = match compare(&a, &b) {
                    // Of an integer and a float, the float.
                    Some(std::cmp::Ordering::Equal) if a_is_float != b_is_float => a_is_float,
                    Some(std::cmp::Ordering::Equal) => {
                        let order = crate::number::standard_order(&a, &b);
                        (name == "max") != order.is_lt()
                    }
                    Some(order) => order.is_lt() == (name == "min"),
                    None => true,
                };
                Ok(if pick_a { a } else { b })
            }
            "**" | "^" => self.power(name == "^", a, b),
            "atan2" | "atan" => self.float_result(a.to_float().atan2(b.to_float())),
            "copysign" => Ok(Number::Float(a.to_float().copysign(b.to_float()))),
            "log" => {
                let (a, b) = (a.to_float(), b.to_float());
                if a <= 0.0 || b <= 0.0 {
                    return Err(self.evaluation_error("undefined"));
                }
                self.float_result(b.ln() / a.ln())
            }
            "random" => {
                let (Number::Int(low), Number::Int(high)) = (&a, &b) else {
                    return Err(self.must_be_integer(&a));
                };
                let width = high.saturating_sub(*low).max(1) as u64;
                Ok(Number::Int(low + (self.random_bits() % width) as i64))
            }
            _ => {
                if let Some(value) = self.rare_binary(name, &a, &b)? {
                    return Ok(value);
                }
                let name = self.db.names.intern(name);
                Err(self.not_evaluable(name, 2))
            }
        }
    }

    fn ring(&mut self, name: &str, a: &Number, b: &Number) -> Done<Number> {
        if let (Number::Int(a), Number::Int(b)) = (a, b) {
            let exact = match name {
                "+" => a.checked_add(*b),
                "-" => a.checked_sub(*b),
                _ => a.checked_mul(*b),
            };
            if let Some(n) = exact {
                return Ok(Number::Int(n));
            }
        }
        match (a.to_big(), b.to_big()) {
            (Some(a), Some(b)) => {
                if name == "*" && a.bits() + b.bits() > MAX_BITS {
                    return Err(self.resource_error("memory"));
                }
                self.spend((a.bits().max(b.bits()) / 64) as usize)?;
                let result = match name {
                    "+" => a + b,
                    "-" => a - b,
                    _ => big::multiply(&self.heap.meter, &a, &b),
                };
                self.checked(Number::of_big(result))
            }
            _ => {
                let (a, b) = (a.to_float(), b.to_float());
                self.float_result(match name {
                    "+" => a + b,
                    "-" => a - b,
                    _ => a * b,
                })
            }
        }
    }

    fn divide(&mut self, a: Number, b: Number) -> Done<Number> {
        if let (Some(x), Some(y)) = (a.to_big(), b.to_big()) {
            if y.is_zero() {
                return Err(self.evaluation_error("zero_divisor"));
            }
            let (quotient, rest) = self.divided(&x, &y)?;
            if rest.is_zero() {
                return Ok(Number::of_big(quotient));
            }
            return self.float_result(a.to_float() / b.to_float());
        }
        if b.to_float() == 0.0 {
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

    fn integers(&mut self, name: &str, a: Number, b: Number) -> Done<Number> {
        if !a.is_int() {
            return Err(self.must_be_integer(&a));
        }
        if !b.is_int() {
            return Err(self.must_be_integer(&b));
        }
        let zero = matches!(b, Number::Int(0));
        if zero && matches!(name, "//" | "mod" | "rem" | "div" | "tdiv") {
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
            "//" | "tdiv" => self.divided(&x, &y)?.0,
            "rem" => self.divided(&x, &y)?.1,
            "div" => self.floored(&x, &y)?.0,
            "mod" => self.floored(&x, &y)?.1,
            "gcd" => self.checked(big::gcd(&self.heap.meter, x, y))?,
            "/\\" => x & y,
            "\\/" => x | y,
            "xor" => x ^ y,
            ">>" | "<<" => {
                let left = if name == "<<" { shift() } else { shift().saturating_neg() };
                if left > 0 && (left as u64).saturating_add(x.bits()) > MAX_BITS && !x.is_zero() {
                    return Err(self.resource_error("memory"));
                }
                self.afford(left.clamp(0, MAX_BITS as i64) as usize / 8)?;
                if left >= 0 { x << left as u64 } else { x >> left.unsigned_abs().min(MAX_BITS) }
            }
            _ => {
                let name = self.db.names.intern(name);
                return Err(self.not_evaluable(name, 2));
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
                if base.is_zero() && integer {
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
        let (x, y) = (a.to_float(), b.to_float());
        if x == 0.0 && y < 0.0 {
            return Err(self.evaluation_error("zero_divisor"));
        }
        self.float_result(x.powf(y))
    }
}

/// Operations on integers of a machine word, as far as their results are ones.
fn small_integers(name: &str, a: i64, b: i64) -> Option<i64> {
    match name {
        "//" | "tdiv" => a.checked_div(b),
        "rem" => a.checked_rem(b),
        "div" => {
            let q = a.checked_div(b)?;
            Some(if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q })
        }
        "mod" => {
            let r = a.checked_rem(b)?;
            Some(if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
        }
        "/\\" => Some(a & b),
        "\\/" => Some(a | b),
        "xor" => Some(a ^ b),
        ">>" if b >= 0 => Some(a >> b.min(63)),
        "<<" if (0..63).contains(&b) && (a << b) >> b == a => Some(a << b),
        _ => None,
    }
}

const UNARY: &[&str] = &[
    "+",
    "-",
    "abs",
    "sign",
    "float",
    "float_integer_part",
    "float_fractional_part",
    "integer",
    "truncate",
    "round",
    "floor",
    "ceiling",
    "succ",
    "\\",
    "msb",
    "random",
    "random_float",
    "eval",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "exp",
    "log",
    "log2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
];

const BINARY: &[&str] = &[
    "+", "-", "*", "/", "//", "mod", "rem", "div", "gcd", ">>", "<<", "/\\", "\\/", "xor", "tdiv", "min",
    "max", "**", "^", "atan2", "atan", "copysign", "log", "random",
];
