//! Tests of the table and of the arithmetic.

use super::*;

#[test]
fn division_has_prolog_signs() {
    let table = [(7, 2), (-7, 2), (7, -2), (-7, -2)];
    let all = |op: Op| table.map(|(a, b)| op.int(a, b).unwrap());
    assert_eq!(all(Op::Quot), [3, -3, -3, 3]);
    assert_eq!(all(Op::Rem), [1, -1, 1, -1]);
    assert_eq!(all(Op::FloorDiv), [3, -4, -4, 3]);
    assert_eq!(all(Op::Mod), [1, 1, -1, -1]);
}

#[test]
fn no_operation_wraps() {
    use ArithmeticError::*;
    assert_eq!(Op::Add.int(i64::MAX, 1), Err(Overflow));
    assert_eq!(Op::Quot.int(i64::MIN, -1), Err(Overflow));
    assert_eq!(Op::FloorDiv.int(i64::MIN, -1), Err(Overflow));
    assert_eq!(Op::Rem.int(i64::MIN, -1), Ok(0));
    assert_eq!(Op::Mod.int(i64::MIN, -1), Ok(0));
    assert_eq!(Op::Div.int(5, 0), Err(DivisionByZero));
    assert_eq!(Op::Shl.int(1, 63), Err(Overflow));
    assert_eq!(Op::Shl.int(-1, 63), Ok(i64::MIN));
    assert_eq!(Op::Neg.int(i64::MIN, 0), Err(Overflow));
    assert_eq!(Op::Gcd.int(i64::MIN, 0), Err(Overflow));
    assert_eq!(Op::Pow.int(2, 63), Err(Overflow));
    assert_eq!(Op::Pow.int(3, 4), Ok(81));
    assert_eq!(Op::Mul.float(f64::MAX, 2.0), Err(Overflow));
    assert_eq!(Op::Pow.float(10.0, 309.0), Err(Overflow));
    assert_eq!(Op::Pow.float(-8.0, 0.5), Err(Undefined));
    assert_eq!(Op::Pow.float(-0.0, -1.0), Err(DivisionByZero));
}

#[test]
fn zeros_are_ordered_by_their_signs() {
    for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
        assert_eq!(Op::Min.float(a, b).unwrap().to_bits(), (-0.0f64).to_bits());
        assert_eq!(Op::Max.float(a, b).unwrap().to_bits(), 0.0f64.to_bits());
    }
}

#[test]
fn floats_become_integers_within_range_only() {
    let all = |x| [Op::Truncate, Op::Round, Op::Floor, Op::Ceiling].map(|op| op.float_to_int(x).ok());
    let some = |values: [i64; 4]| values.map(Some);
    assert_eq!(all(2.5), some([2, 3, 2, 3]));
    assert_eq!(all(-2.5), some([-2, -3, -3, -2]));
    assert_eq!(all(0.499_999_999_999_999_94), some([0, 0, 0, 1]));
    assert_eq!(all(-0.0), some([0; 4]));
    assert_eq!(all(-9_223_372_036_854_775_808.0), some([i64::MIN; 4]));
    assert_eq!(all(9_223_372_036_854_775_808.0), [None; 4]);
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
        assert_eq!(all(x), [None; 4], "{x}");
    }
}

/// All texts of at most so many bytes of a few letters, and longer ones.
fn some_texts() -> Vec<Vec<u8>> {
    let mut texts = vec![Vec::new()];
    let mut at = 0;
    while texts.len() < 200 {
        let before = texts[at].clone();
        texts.extend([b'a', b'B', 0, 200].map(|byte| [before.as_slice(), &[byte]].concat()));
        at += 1;
    }
    texts.extend([b"aBaBaBa".to_vec(), b"zzzzzzz".to_vec(), vec![255; 7]]);
    texts
}

#[test]
fn operations_on_words_are_those_on_their_bytes() {
    let texts = some_texts();
    let word = |text: &[u8]| texts::packed(text).ok_or(ArithmeticError::Overflow);
    for a in &texts {
        let x = word(a).unwrap();
        let (bytes, length) = texts::unpacked(x).unwrap();
        assert_eq!(&bytes[8 - length..], a);
        assert_eq!(Op::TextLength.int(x, 0), Ok(a.len() as i64));
        assert_eq!(Op::TextUpper.int(x, 0), word(&a.to_ascii_uppercase()));
        assert_eq!(Op::TextLower.int(x, 0), word(&a.to_ascii_lowercase()));
        for n in -1..9 {
            let at = a.len().min(n.max(0) as usize);
            assert_eq!(Op::TextPrefix.int(x, n), word(&a[..at]));
            assert_eq!(Op::TextBehind.int(x, n), word(&a[at..]));
        }
        for b in &texts {
            let y = word(b).unwrap();
            assert_eq!(Op::TextJoin.int(x, y), word(&[a.as_slice(), b].concat()));
            let signed = |text: &[u8]| text.iter().map(|&byte| byte as i8).collect::<Vec<_>>();
            assert_eq!(Op::TextCompare.int(x, y), Ok(signed(a).cmp(&signed(b)) as i64));
            let places: Vec<usize> = (0..=a.len()).filter(|&at| a[at..].starts_with(b)).collect();
            let at = |place: Option<&usize>| Ok(place.map_or(-1, |&at| at as i64));
            assert_eq!(Op::TextFind.int(x, y), at(places.first()));
            assert_eq!(Op::TextFindLast.int(x, y), at(places.last()));
        }
    }
    assert_eq!(texts::packed(b"eight to"), None);
    assert_eq!(Op::TextLength.int(texts::LITERALS + 3, 0), Err(ArithmeticError::Overflow));
    assert_eq!(texts::literal(texts::LITERALS + 3), Some(3));
}

/// Operands at which errors and changes of sign lie.
const INTS: [i64; 12] = [i64::MIN, i64::MIN + 1, -64, -7, -2, -1, 0, 1, 2, 63, 64, i64::MAX];
const FLOATS: [f64; 12] =
    [-f64::MAX, -1e300, -2.5, -1.0, -f64::MIN_POSITIVE, -0.0, 0.0, 5e-324, 0.5, 2.0, 1e300, f64::MAX];

/// The errors of an operator on all pairs of operands.
fn errors<T: Copy>(operands: &[T], f: impl Fn(T, T) -> Option<ArithmeticError>) -> Vec<ArithmeticError> {
    let mut errors = Vec::new();
    for &a in operands {
        errors.extend(operands.iter().filter_map(|&b| f(a, b)));
    }
    errors
}

#[test]
fn the_table_names_exactly_the_errors_that_operators_have() {
    for &op in Op::ALL.iter().filter(|op| !op.is_test()) {
        let row = op.row();
        let found = match op {
            // The integer result of the quotient is defined when it is exact only.
            Op::Div => errors(&INTS, |a, b| op.int(a, b).err().filter(|&e| e != ArithmeticError::Type)),
            Op::ToFloat => Vec::new(),
            _ => errors(&INTS, |a, b| op.int(a, b).err()),
        };
        let same = |found: &[ArithmeticError], listed: &[ArithmeticError]| {
            found.iter().all(|e| listed.contains(e)) && listed.iter().all(|e| found.contains(e))
        };
        assert!(same(&found, row.int_errors), "{op:?} on integers: {found:?}");
        assert_eq!(op.can_fail(&[SortKind::Int].repeat(op.arity())), !found.is_empty(), "{op:?}");
        let found = match op {
            _ if op.is_integer_only() => Vec::new(),
            _ if op.rounds() => errors(&FLOATS, |a, _| op.float_to_int(a).err()),
            _ => errors(&FLOATS, |a, b| op.float(a, b).err()),
        };
        assert!(same(&found, row.float_errors), "{op:?} on floats: {found:?}");
        let fails = op.is_integer_only() || !found.is_empty();
        assert_eq!(op.can_fail(&[SortKind::Float].repeat(op.arity())), fails, "{op:?}");
        assert!(op.can_fail(&[SortKind::Any].repeat(op.arity())), "{op:?}");
    }
}

#[test]
fn a_name_means_one_operator() {
    for &op in Op::ALL {
        for name in op.row().constraints {
            assert_eq!(Op::of_constraints(name, op.arity(), op.is_test()), Some(op), "{name}");
        }
        if let TermSyntax::Function(names) = op.row().terms {
            assert!(names.iter().all(|name| Op::term_function(name) == Some(op)), "{op:?}");
        }
        assert!(Op::ALL.iter().all(|&other| other == op || other.name() != op.name()), "{op:?}");
    }
}
