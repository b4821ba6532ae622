//! Declared types of columns: values that a program computes are checked when they are added.

use crate::support::{ALL, answer, check};

const TYPES: &str = ":- chr_type color ---> red ; green ; mix(color, color).\n\
    :- chr_type list(T) ---> [] ; [T|list(T)].\n\
    :- chr_type paint == color.\n\
    :- chr_type size ---> 1 ; 2 ; 2.5 ; \"big\".\n\
    :- chr_type tree(K) ---> leaf ; node(tree(K), K, tree(K)).\n\
    :- chr_constraint f/1, c(?color), p(?paint), l(?list(natural)), n(+natural), s(?size).\n\
    :- chr_constraint t(?tree(paint)), m(?number).\n";

/// Rules, values that they take over, and the text of the type where a value is refused.
const CASES: &[(&str, &str, Option<&str>)] = &[
    ("f(X) <=> c(X).", "red", None),
    ("f(X) <=> c(X).", "purple", Some("argument 1 of c/1 (color)")),
    ("f(X) <=> c(X).", "mix(red,mix(green,red))", None),
    ("f(X) <=> c(X).", "mix(red,mix(green,3))", Some("argument 1 of c/1 (color)")),
    ("f(X) <=> c(X).", "1", Some("argument 1 of c/1 (color)")),
    ("f(X) <=> c(X).", "\"red\"", Some("argument 1 of c/1 (color)")),
    ("f(X) <=> c(mix(X, red)).", "green", None),
    ("f(X) <=> c(mix(X, red)).", "7", Some("argument 1 of c/1 (color)")),
    ("f(X) <=> p(X).", "green", None),
    ("f(X) <=> p(X).", "blue", Some("argument 1 of p/1 (paint)")),
    ("f(X) <=> l(X).", "[]", None),
    ("f(X) <=> l(X).", "[1,2,3]", None),
    ("f(X) <=> l(X).", "[1,-2,3]", Some("argument 1 of l/1 (list(natural))")),
    ("f(X) <=> l(X).", "[1|2]", Some("argument 1 of l/1 (list(natural))")),
    ("f(X) <=> l([X]).", "1.5", Some("argument 1 of l/1 (list(natural))")),
    ("f(X) <=> Y is X - 3, n(Y).", "3", None),
    ("f(X) <=> Y is X - 3, n(Y).", "2", Some("argument 1 of n/1 (natural)")),
    ("f(X) <=> n(X).", "-1", Some("argument 1 of n/1 (natural)")),
    ("f(X) <=> n(X).", "0", None),
    ("f(X) <=> s(X).", "1", None),
    ("f(X) <=> s(X).", "2.5", None),
    ("f(X) <=> s(X).", "\"big\"", None),
    ("f(X) <=> s(X).", "3", Some("argument 1 of s/1 (size)")),
    ("f(X) <=> s(X).", "big", Some("argument 1 of s/1 (size)")),
    ("f(X) <=> t(X).", "node(leaf,red,node(leaf,green,leaf))", None),
    ("f(X) <=> t(X).", "node(leaf,red,node(leaf,7,leaf))", Some("argument 1 of t/1 (tree(paint))")),
    ("f(X) <=> m(X).", "1", None),
    ("f(X) <=> m(X).", "1.5", None),
    ("f(X) <=> m(X).", "a", Some("argument 1 of m/1 (number)")),
    ("f(X) <=> Y = X, c(red), c(Y).", "purple", Some("argument 1 of c/1 (color)")),
];

#[test]
fn computed_values_are_checked_by_every_executor() {
    for (rule, value, refused) in CASES {
        for how in ALL {
            let found = answer(&format!("{TYPES}{rule}"), &format!("f({value})"), how).text();
            match refused {
                None => assert!(!found.starts_with(['!', '[']), "{rule} {value} {how:?}: {found}"),
                Some(place) => {
                    assert!(
                        found.starts_with("!R0302") && found.contains(place),
                        "{rule} {value} {how:?}: {found}"
                    );
                }
            }
        }
    }
}

#[test]
fn values_of_queries_are_checked() {
    for how in ALL {
        let found = answer(TYPES, "X = purple, c(X)", how).text();
        assert!(
            found.contains("C0404") || found.contains("C0406") || found.starts_with("!R0302"),
            "{how:?}: {found}"
        );
        let found = answer(TYPES, "X is 2 - 5, n(X)", how).text();
        assert!(
            found.starts_with("!R0302") && found.contains("argument 1 of n/1 (natural)"),
            "{how:?}: {found}"
        );
    }
}

#[test]
fn values_of_a_type_stay_of_it() {
    let text = format!(
        "{TYPES}l([X|T]) <=> n(X), l(T).\nn(X), n(Y) <=> Z is X + Y, n(Z).\n\
         c(mix(X, Y)) <=> c(X), c(Y), t(node(leaf, X, leaf))."
    );
    check(&text, "l([1,2,3,4])", "l([]) n(10)");
    check(&text, "c(mix(red, green))", "c(green) c(red) t(node(leaf,red,leaf))");
}

#[test]
fn shared_parts_are_checked_once() {
    let text = format!(
        "{TYPES}:- chr_constraint s(+any, +int).\ns(X, N) <=> N > 0 | M is N - 1, s(mix(X, X), M).\n\
         s(X, 0) <=> c(X).\nc(_) <=> true."
    );
    check(&text, "s(red, 100)", "");
    for how in ALL {
        assert!(answer(&text, "s(blue, 20)", how).text().starts_with("!R0302"), "{how:?}");
    }
}
