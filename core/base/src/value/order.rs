//! The standard order of terms: numbers by value, then strings, atoms, compound terms by arity, name and arguments.
//!
//! As in SWI-Prolog 9.0 (strings come before atoms there, whatever its manual says): a float comes before the integer
//! of the same value, and the empty list before all other atoms.

use std::cmp::Ordering;

use super::Value;

/// Compares two values in the standard order. Equal means identical.
pub fn compare(a: Value<'_>, b: Value<'_>) -> Ordering {
    let mut pending = Vec::new();
    let (mut a, mut b) = (a, b);
    loop {
        match (a, b) {
            (Value::Compound { name: f, args: xs }, Value::Compound { name: g, args: ys }) => {
                if !xs.same_cell(ys) {
                    let shape = xs.len().cmp(&ys.len()).then_with(|| f.cmp(g));
                    if shape.is_ne() {
                        return shape;
                    }
                    pending.push((xs, ys, 0));
                }
            }
            _ => {
                let order = compare_simple(a, b);
                if order.is_ne() {
                    return order;
                }
            }
        }
        // The last argument replaces its parent, so that a list takes no room however long it is.
        loop {
            let Some((xs, ys, index)) = pending.pop() else { return Ordering::Equal };
            if let (Some(x), Some(y)) = (xs.get(index), ys.get(index)) {
                if index + 1 < xs.len() {
                    pending.push((xs, ys, index + 1));
                }
                (a, b) = (x, y);
                break;
            }
        }
    }
}

fn rank(value: Value<'_>) -> u8 {
    match value {
        Value::Int(_) | Value::Float(_) => 0,
        Value::Str(_) => 1,
        Value::Atom(_) => 2,
        Value::Compound { .. } => 3,
    }
}

fn compare_simple(a: Value<'_>, b: Value<'_>) -> Ordering {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => x.cmp(&y),
        (Value::Float(x), Value::Float(y)) => x.total_cmp(&y),
        (Value::Int(x), Value::Float(y)) => compare_numbers(x, y).then(Ordering::Greater),
        (Value::Float(x), Value::Int(y)) => compare_numbers(y, x).reverse().then(Ordering::Less),
        (Value::Atom(x), Value::Atom(y)) => (x != "[]").cmp(&(y != "[]")).then_with(|| x.cmp(y)),
        (Value::Str(x), Value::Str(y)) => x.cmp(y),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// Compares an integer with a finite float by value, exactly.
pub fn compare_numbers(n: i64, x: f64) -> Ordering {
    const TWO_63: f64 = 9_223_372_036_854_775_808.0;
    if x >= TWO_63 {
        return Ordering::Less;
    }
    if x < -TWO_63 {
        return Ordering::Greater;
    }
    let whole = x.trunc();
    n.cmp(&(whole as i64)).then_with(|| 0.0_f64.partial_cmp(&(x - whole)).unwrap_or(Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_value() {
        let big = 9_007_199_254_740_993;
        assert_eq!(compare_numbers(big, 9_007_199_254_740_992.0), Ordering::Greater);
        assert_eq!(compare_numbers(i64::MAX, 9_223_372_036_854_775_808.0), Ordering::Less);
        assert_eq!(compare_numbers(i64::MIN, -9_223_372_036_854_775_808.0), Ordering::Equal);
        assert_eq!(compare_numbers(-1, -0.5), Ordering::Less);
        assert_eq!(compare_numbers(0, -0.5), Ordering::Greater);
        assert_eq!(compare_numbers(0, -0.0), Ordering::Equal);
    }

    #[test]
    fn standard_order_as_in_swi_prolog() {
        use Value::*;
        let sorted = [
            Float(-0.0),
            Float(0.0),
            Int(0),
            Float(0.5),
            Float(1.0),
            Int(1),
            Int(2),
            Str("a"),
            Str("s"),
            Atom("[]"),
            Atom("A"),
            Atom("a"),
            Atom("z"),
            Atom("é"),
        ];
        for (i, &a) in sorted.iter().enumerate() {
            for (j, &b) in sorted.iter().enumerate() {
                assert_eq!(compare(a, b), i.cmp(&j), "{a} and {b}");
            }
        }
    }
}
