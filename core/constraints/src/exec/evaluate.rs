//! Arithmetic on values whose type is known only when the program runs: numbers of either type, and terms, which are
//! evaluated as `is` of Prolog evaluates them.

use std::cmp::Ordering;

use gchr_base::hash::HashMap;
use gchr_base::op::{ArithmeticError, Op};
use gchr_base::signature::{Signature, SymbolId};
use gchr_base::value::{Heap, Terms, Word, compare_numbers};

/// A number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Num {
    Int(i64),
    Float(f64),
}

impl Num {
    fn float(self) -> f64 {
        match self {
            Num::Int(n) => n as f64,
            Num::Float(x) => x,
        }
    }
}

/// Whether arithmetic evaluates a word that is no number.
pub fn is_evaluated(terms: Terms<'_>, word: u64) -> bool {
    let Terms { signature, heap } = terms;
    let is_number = matches!(heap.view(word), Word::Int(_) | Word::Float(_));
    !is_number && Evaluator { signature, heap }.evaluate(word).is_ok()
}

/// A function whose operands are evaluated.
struct Call<'h> {
    word: u64,
    op: Op,
    args: &'h [u64],
    /// The operands evaluated so far.
    values: [Num; 2],
    known: usize,
}

/// Evaluates terms of one heap.
pub(crate) struct Evaluator<'h> {
    pub(crate) signature: &'h Signature,
    pub(crate) heap: &'h Heap,
}

impl<'h> Evaluator<'h> {
    /// The value of a word. A part that occurs many times in a term is evaluated once.
    pub(crate) fn evaluate(&self, word: u64) -> Result<Num, ArithmeticError> {
        let mut calls: Vec<Call<'h>> = Vec::new();
        let mut known: HashMap<u64, Num> = HashMap::default();
        let mut word = word;
        loop {
            let mut value = match known.get(&word) {
                Some(&value) => value,
                None => match self.heap.view(word) {
                    Word::Compound(symbol, args) => match self.simple_list(symbol, args) {
                        Some(value) => value?,
                        None => {
                            let op = self.function(symbol)?;
                            calls.push(Call { word, op, args, values: [Num::Int(0); 2], known: 0 });
                            word = args[0];
                            continue;
                        }
                    },
                    leaf => self.leaf(leaf)?,
                },
            };
            loop {
                let Some(call) = calls.last_mut() else { return Ok(value) };
                call.values[call.known] = value;
                call.known += 1;
                if let Some(&next) = call.args.get(call.known) {
                    word = next;
                    break;
                }
                value = numeric(call.op, call.values[0], call.values[1])?;
                known.insert(call.word, value);
                calls.pop();
            }
        }
    }

    fn leaf(&self, leaf: Word<'_>) -> Result<Num, ArithmeticError> {
        match leaf {
            Word::Int(n) => Some(Num::Int(n)),
            Word::Float(x) => Some(Num::Float(x)),
            Word::Atom(text) => Op::arithmetic_constant(self.signature.texts.get(text)).map(Num::Float),
            Word::Str(text) => character(self.signature.texts.get(text)),
            Word::Compound(..) => None,
        }
        .ok_or(ArithmeticError::Type)
    }

    fn function(&self, symbol: SymbolId) -> Result<Op, ArithmeticError> {
        let symbol = &self.signature.symbols[symbol];
        Op::arithmetic_function(&symbol.name, symbol.args.len()).ok_or(ArithmeticError::Type)
    }

    /// A list of one number or one character is that number or the character's code.
    fn simple_list(&self, symbol: SymbolId, args: &[u64]) -> Option<Result<Num, ArithmeticError>> {
        let &[head, tail] = args else { return None };
        if self.signature.symbols[symbol].name != "[|]" {
            return None;
        }
        let is_last = matches!(self.heap.view(tail), Word::Atom(t) if self.signature.texts.get(t) == "[]");
        let value = match self.heap.view(head) {
            Word::Int(n) => Some(Num::Int(n)),
            Word::Float(x) => Some(Num::Float(x)),
            Word::Atom(text) | Word::Str(text) => character(self.signature.texts.get(text)),
            Word::Compound(..) => None,
        };
        Some(value.filter(|_| is_last).ok_or(ArithmeticError::Type))
    }
}

/// The code of a text of one character.
fn character(text: &str) -> Option<Num> {
    let mut chars = text.chars();
    let first = chars.next()?;
    chars.next().is_none().then(|| Num::Int(i64::from(u32::from(first))))
}

/// How two numbers compare by value.
pub(crate) fn compare_values(a: Num, b: Num) -> Ordering {
    match (a, b) {
        (Num::Int(x), Num::Int(y)) => x.cmp(&y),
        (Num::Float(x), Num::Float(y)) => x.partial_cmp(&y).unwrap_or(Ordering::Less),
        (Num::Int(x), Num::Float(y)) => compare_numbers(x, y),
        (Num::Float(x), Num::Int(y)) => compare_numbers(y, x).reverse(),
    }
}

/// Arithmetic on numbers of any type. `/` and `**` on integers give an integer when it is exact, else a float; of an
/// integer and a float that are equal, `min` and `max` give the float, but -0.0 is less than both zeros. All as in
/// SWI-Prolog.
pub(crate) fn numeric(op: Op, a: Num, b: Num) -> Result<Num, ArithmeticError> {
    match (op, a, b) {
        (Op::ToFloat, _, _) => Ok(Num::Float(a.float())),
        (_, Num::Float(x), _) if op.rounds() => op.float_to_int(x).map(Num::Int),
        (Op::Div, Num::Int(x), Num::Int(y)) if y != 0 && x.checked_rem(y) != Some(0) => {
            if y == -1 {
                return op.int(x, y).map(Num::Int);
            }
            Op::Div.float(x as f64, y as f64).map(Num::Float)
        }
        (Op::Pow, Num::Int(x), Num::Int(y)) if y < 0 && !(-1..=1).contains(&x) => {
            Op::Pow.float(x as f64, y as f64).map(Num::Float)
        }
        (_, Num::Int(x), Num::Int(y)) => op.int(x, y).map(Num::Int),
        (Op::Min | Op::Max, _, _) => {
            let take_first = match compare_values(a, b).then_with(|| compare_signs(a, b)) {
                Ordering::Equal => matches!(b, Num::Int(_)),
                Ordering::Less => op == Op::Min,
                Ordering::Greater => op == Op::Max,
            };
            Ok(if take_first { a } else { b })
        }
        _ => op.float(a.float(), b.float()).map(Num::Float),
    }
}

/// How the signs of two zeros compare; of two other numbers of one value they are equal.
fn compare_signs(a: Num, b: Num) -> Ordering {
    let is_positive = |n: Num| n.float().is_sign_positive();
    is_positive(a).cmp(&is_positive(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(result: Result<Num, ArithmeticError>) -> String {
        match result {
            Ok(Num::Int(n)) => n.to_string(),
            Ok(Num::Float(x)) => format!("{x:?}"),
            Err(error) => format!("{error:?}"),
        }
    }

    #[test]
    fn mixed_arithmetic_as_in_swi_prolog() {
        use Num::*;
        let cases = [
            (Op::Div, Int(7), Int(2), "3.5"),
            (Op::Div, Int(8), Int(2), "4"),
            (Op::Div, Int(5), Int(0), "DivisionByZero"),
            (Op::Div, Int(5), Float(0.0), "DivisionByZero"),
            (Op::Div, Int(i64::MIN), Int(-1), "Overflow"),
            (Op::Pow, Int(2), Int(-1), "0.5"),
            (Op::Pow, Int(2), Int(3), "8"),
            (Op::Pow, Int(0), Int(-1), "DivisionByZero"),
            (Op::Pow, Int(1), Int(-1), "1"),
            (Op::Pow, Float(0.0), Int(-1), "DivisionByZero"),
            (Op::Pow, Int(2), Float(0.5), "1.4142135623730951"),
            (Op::Pow, Int(-8), Float(0.3), "Undefined"),
            (Op::Max, Int(1), Float(1.0), "1.0"),
            (Op::Max, Float(1.0), Int(1), "1.0"),
            (Op::Min, Int(1), Float(1.0), "1.0"),
            (Op::Min, Float(1.0), Int(1), "1.0"),
            (Op::Min, Int(1), Float(1.5), "1"),
            (Op::Max, Int(0), Float(-0.0), "0"),
            (Op::Max, Float(-0.0), Int(0), "0"),
            (Op::Min, Int(0), Float(-0.0), "-0.0"),
            (Op::Min, Float(-0.0), Int(0), "-0.0"),
            (Op::Max, Int(0), Float(0.0), "0.0"),
            (Op::Min, Float(0.0), Int(0), "0.0"),
            (Op::Max, Float(0.0), Float(-0.0), "0.0"),
            (Op::Min, Float(0.0), Float(-0.0), "-0.0"),
            (Op::Mod, Float(2.5), Int(2), "Type"),
            (Op::Truncate, Float(2.7), Int(0), "2"),
            (Op::Truncate, Float(1e30), Int(0), "Overflow"),
            (Op::ToFloat, Int(3), Int(0), "3.0"),
        ];
        for (op, a, b, wanted) in cases {
            assert_eq!(show(numeric(op, a, b)), wanted, "{}", op.name());
        }
    }
}
