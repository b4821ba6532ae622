//! Integers of any size.

use super::support::load;
use gchr_base::diagnostic::render_all;
use gchr_testkit::findings;
use num_bigint::BigInt;
use proptest::prelude::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let (sources, loaded) = load(text);
    let shown = render_all(&loaded.diagnostics, &sources, false);
    let program = loaded.program.unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(gchr_terms::testing::normal_form(&program), expected, "{text}");
}

#[track_caller]
fn check_errors(text: &str, expected: &[(&str, &str)]) {
    let (sources, mut loaded) = load(text);
    loaded.diagnostics.retain(gchr_base::diagnostic::Diagnostic::is_error);
    findings::check(&sources, &loaded.diagnostics, expected);
}

#[test]
fn a_program_that_names_the_sort_has_no_other_numbers() {
    let square = "map Sq: Integer -> Integer; var n: Integer; eqn Sq(n) = n * n;";
    check(&format!("{square} input Sq(Sq(10000000000));"), "10000000000000000000000000000000000000000");
    check(
        &format!("{square} input [#[Sq(3)], [1, 2] . 1, floor(Sq(1 << 40)), -Sq(1 << 31)];"),
        "[1, 2, 1208925819614629174706176, -4611686018427387904]",
    );
    check(
        &format!("{square} input [-9223372036854775808, 00012345678901234567890, -0];"),
        "[-9223372036854775808, 12345678901234567890, 0]",
    );
    check(
        "map F: Bool; var x: Bool; eqn F = (lambda i: Integer. i * i == i << 64)(18446744073709551616); input F;",
        "true",
    );
    check("map F: Int; eqn F = -9223372036854775808; input F;", "-9223372036854775808");
    check(
        &format!("{square} map G: Int -> Integer; eqn G(n) = Sq(n); input G(1 << 40);"),
        "1208925819614629174706176",
    );
    check_errors(&format!("{square} map G: Float;"), &[("T0116", "Float")]);
    check_errors(&format!("{square} input float(Sq(1));"), &[("T0205", "float")]);
    check_errors(&format!("{square} input 1.5;"), &[("T0205", "1.5")]);
    check_errors(&format!("{square} input Sq(1) / 2;"), &[("T0202", "Sq(1)")]);
    check_errors("sort Integer; map F: Integer -> Int; eqn F(1) = 2;", &[("T0201", "1")]);
    check_errors("map F: Int -> Int; eqn F(9223372036854775808) = 2;", &[("T0002", "9223372036854775808")]);
    check_errors("input -9223372036854775809;", &[("T0002", "-9223372036854775809")]);
    check_errors(&format!("{square} eqn Sq(4611686018427387904) = 1;"), &[("T0002", "4611686018427387904")]);
    check_errors(&format!("{square} input Sq({});", "7".repeat(10_001)), &[("T0002", &"7".repeat(10_001))]);
    let small = "map F: Integer -> Bool; eqn F(4611686018427387903) = true; F(-4611686018427387903) = false;";
    check(&format!("{small} input [F((1 << 62) - 1), F(1 - (1 << 62))];"), "[true, false]");
}

/// An expression, as a text and by its value.
#[derive(Clone, Debug)]
struct Expression {
    text: String,
    value: BigInt,
}

fn expressions() -> impl Strategy<Value = Expression> {
    let leaf = (0..100u32, -2..3i64, any::<bool>()).prop_map(|(bits, near, negative)| {
        let value: BigInt = (BigInt::from(1) << bits) + near;
        let value = if negative { -value } else { value };
        Expression { text: value.to_string(), value }
    });
    leaf.prop_recursive(4, 24, 2, |inner| {
        (inner.clone(), inner, 0..6usize).prop_map(|(a, b, op)| {
            let zero = BigInt::default();
            let floor = |a: &BigInt, b: &BigInt| {
                let (q, r) = (a / b, a % b);
                let below = r != zero && (r < zero) != (*b < zero);
                if below { (q - 1, r + b) } else { (q, r) }
            };
            let (x, y) = (&a.value, &b.value);
            let (op, value) = match op {
                0 => ("+", x + y),
                1 => ("-", x - y),
                2 => ("*", x * y),
                3 if *y != zero => ("div", floor(x, y).0),
                4 if *y != zero => ("mod", floor(x, y).1),
                _ => {
                    return Expression {
                        text: format!("max({}, Id({}))", a.text, b.text),
                        value: x.max(y).clone(),
                    };
                }
            };
            Expression { text: format!("(({}) {op} ({}))", a.text, b.text), value }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Random expressions, in the input and in a rule, have their values.
    #[test]
    fn expressions_have_their_values(a in expressions(), b in expressions()) {
        let text = format!(
            "map Id: Integer -> Integer; A: Integer; L: Bool; var n: Integer; eqn Id(n) = n; A = {}; L = A < ({});
             input [A, {}] ++ if(L, [], [0]);",
            a.text, b.text, b.text
        );
        let rest = if a.value < b.value { "" } else { ", 0" };
        check(&text, &format!("[{}, {}{rest}]", a.value, b.value));
    }
}
