//! Arithmetic on terms that variables hold: the expected values are the answers of swipl 9.0.4.

use crate::support::check;

/// Terms, and what `Y is X` gives for a variable that holds them; `type` where SWI-Prolog raises a type error.
const TERMS: &[(&str, &str)] = &[
    ("3", "3"),
    ("1.5", "1.5"),
    ("1+2", "3"),
    ("(0+1) mod 3", "1"),
    ("2 ** -1", "0.5"),
    ("2 ^ (-1)", "0.5"),
    ("2 ^ 3", "8"),
    ("- (1)", "-1"),
    ("-(-(1))", "1"),
    ("+ 4", "4"),
    ("eval(1+2)", "3"),
    ("7 / 2", "3.5"),
    ("8 / 2", "4"),
    ("max(1, 1.0)", "1.0"),
    ("max(0, -0.0)", "0"),
    ("min(0, -0.0)", "-0.0"),
    ("max(-0.0, 0.0)", "0.0"),
    ("min(0.0, -0.0)", "-0.0"),
    ("f(1)", "type"),
    ("pi", "3.141592653589793"),
    ("e", "2.718281828459045"),
    ("a", "type"),
    ("[]", "type"),
    ("[5]", "5"),
    ("[a]", "97"),
    ("[1,2]", "type"),
    ("[1+2]", "type"),
    ("\"a\"", "97"),
    ("\"ab\"", "type"),
    ("1 + a", "type"),
    ("{1}", "type"),
    ("truncate(2.5) + msb(8)", "5"),
    ("gcd(4, 6) * (1 << 3)", "16"),
    ("\\ 5", "-6"),
    ("1.0 mod 2", "type"),
    ("cot(1)", "type"),
];

fn expected(value: &str, symbol: &str) -> String {
    format!("{symbol}({value})")
}

#[test]
fn a_term_that_a_variable_holds_is_evaluated() {
    for (term, value) in TERMS {
        // The column has no declared type, a declared one, or holds other values too.
        for (declaration, others) in [("f/1", ""), ("f(+any)", ""), ("f/1", ", f(b), f(7)")] {
            let text = format!(
                ":- chr_constraint {declaration}, g/1, e/0.\n\
                 f(b) <=> true.\nf(7) <=> true.\nf(X) <=> Y is X, g(Y)."
            );
            let query = format!("f({term}){others}");
            match *value {
                "type" => check_type_error(&text, &query),
                value => check(&text, &query, &expected(value, "g")),
            }
        }
    }
}

#[track_caller]
fn check_type_error(text: &str, query: &str) {
    use crate::support::{ALL, answer};
    for how in ALL {
        let found = answer(text, query, how).text();
        assert!(found.starts_with("!R0103"), "{text}\n?- {query}\n{how:?}: {found}");
    }
}

#[test]
fn guards_and_operands_evaluate_terms_too() {
    let text = ":- chr_constraint f/1, g/1, h/2.\n\
        f(X) <=> 3 is X | g(three).\n\
        f(X) <=> X =:= 4 | g(four).\n\
        f(X) <=> X > 10 | Y is X + 0, g(Y).\n\
        f(X) <=> Y is X * 2 | g(Y).\n\
        h(X, Y) <=> Y =:= X | g(same).\n\
        h(X, Y) <=> g(Y), g(X).";
    for (query, wanted) in [
        ("f(1+2)", "g(three)"),
        ("f(3.0)", "g(6.0)"),
        ("f(2*2)", "g(four)"),
        ("f(2*6)", "g(12)"),
        ("f(2+3)", "g(10)"),
        ("h((0+1) mod 3, 1)", "g(same)"),
        ("h(1, (0+1) mod 3)", "g(same)"),
        ("h(1.0, 3 - 2)", "g(same)"),
        ("h(1, 2+3)", "g(1) g(2+3)"),
    ] {
        check(text, query, wanted);
    }
}

#[test]
fn shared_parts_are_evaluated_once() {
    let text = ":- chr_constraint s(+any, +int), g(+any).\n\
        s(X, N) <=> N > 0 | M is N - 1, s(max(X, X), M).\n\
        s(X, 0) <=> Y is X, g(Y).";
    check(text, "s(1 + 1, 200)", "g(2)");
}

#[test]
fn powers_do_not_depend_on_types_of_columns() {
    for operator in ["**", "^"] {
        for columns in ["+int, +int", "+any, +any", "+number, +number"] {
            let text =
                format!(":- chr_constraint p({columns}), r(+any).\np(X, Y) <=> Z is X {operator} Y, r(Z).");
            for (query, wanted) in [
                ("p(2, -1)", "r(0.5)"),
                ("p(2, 10)", "r(1024)"),
                ("p(0, 0)", "r(1)"),
                ("p(1, -1)", "r(1)"),
                ("p(-1, -3)", "r(-1)"),
                ("p(0, -1)", "!R0102 division by zero in **(0, -1)"),
                ("p(2, 64)", "!R0101 overflow in **(2, 64)"),
            ] {
                check(&text, query, wanted);
            }
        }
    }
}

#[test]
fn zeros_compare_alike_in_columns_of_every_type() {
    for ty in ["float", "any", "number"] {
        let text = format!(
            ":- chr_constraint z(+{ty}, +{ty}), r(+{ty}, +{ty}).\n\
             z(X, Y) <=> A is min(X, Y), B is max(X, Y), r(A, B)."
        );
        check(&text, "z(0.0, -0.0)", "r(-0.0,0.0)");
        check(&text, "z(-0.0, 0.0)", "r(-0.0,0.0)");
    }
    let text = ":- chr_constraint z(+int, +float), r(+any, +any).\n\
        z(X, Y) <=> A is min(X, Y), B is max(Y, X), r(A, B).";
    check(text, "z(0, -0.0)", "r(-0.0,0)");
    check(text, "z(0, 0.0)", "r(0.0,0.0)");
}
