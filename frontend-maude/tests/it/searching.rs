//! Searches for terms that the rules of system modules make. Solutions are those that Maude gives, in its order.

use super::value;

/// Searches and their solutions by one text.
#[track_caller]
fn check(text: &str, cases: &[(&str, &[&str])]) {
    for (search, expected) in cases {
        let expected = format!("SOLUTIONS({})", expected.join(", "));
        assert_eq!(value(&format!("{text}\nsearch {search} .\n"), None), expected, "{search}");
    }
}

const COUNTER: &str = "mod M is protecting NAT . sort S . op st : Nat -> S [ctor] . op end : -> S [ctor] .
    var N : Nat . var S : S . rl st(N) => st(s N) . crl st(N) => st(0) if N > 2 . rl st(2) => end .
  endm";

#[test]
fn all_arrows_and_bounds() {
    check(
        COUNTER,
        &[
            ("[,3] st(0) =>! S", &["end"]),
            ("[,2] st(0) =>! S", &[]),
            ("[1] st(0) =>+ st(0)", &["st(0)"]),
            ("[1] st(0) =>* st(0)", &["st(0)"]),
            ("[2] st(0) =>* st(N) such that N > 1", &["st(2)", "st(3)"]),
            ("[2] st(0) =>* st(N) s.t. N > 1 /\\ N =/= 3", &["st(2)", "st(4)"]),
            ("[1] st(0) =>* st(N) such that s s M:Nat := N /\\ M:Nat > 1", &["st(4)"]),
            ("st(1) =>1 S", &["st(2)"]),
            ("[, 2] st(1) =>+ S", &["st(2)", "st(3)", "end"]),
            ("[,0] st(1) =>* S", &["st(1)"]),
            ("[,1] st(2) =>! S", &["end"]),
            ("end =>! S", &["end"]),
            ("end =>+ S", &[]),
            ("[2, 5] in M : st(0) =>* X:S such that X:S =/= st(0)", &["st(1)", "st(2)"]),
        ],
    );
}

#[test]
fn steps_below_and_modulo_axioms() {
    let nested = "mod M is protecting NAT . sort T . op f : T T -> T [ctor] . op g : Nat -> T [ctor] .
        op k : T -> T [ctor frozen] . ops a b c : -> T [ctor] . op h : T T -> T [ctor assoc comm] .
        rl a => b . rl b => c . rl f(c, c) => g(1) . rl h(b, c) => a .
      endm";
    check(
        nested,
        &[
            ("f(a, k(a)) =>* T:T", &["f(a, k(a))", "f(b, k(a))", "f(c, k(a))"]),
            ("f(a, f(b, a)) =>! T:T", &["f(c, g(1))"]),
            ("h(a, a) =>1 T:T", &["h(a, b)"]),
            (
                "[5] h(a, h(a, a)) =>+ T:T",
                &["h(a, a, b)", "h(a, b, b)", "h(a, a, c)", "h(b, b, b)", "h(a, b, c)"],
            ),
            ("h(a, h(a, a)) =>! T:T", &["h(c, c, c)", "h(c, c)", "c"]),
        ],
    );
}

#[test]
fn puzzles() {
    let discs = "mod M is protecting NAT . sorts T L P . subsort Nat < L . op nil : -> L .
        op __ : L L -> L [assoc id: nil] . op <_|_> : Nat L -> T . op none : -> P . subsort T < P .
        op __ : P P -> P [assoc comm id: none] . vars N M D E : Nat . vars L K : L .
        rl < N | D > < M | nil > => < N | nil > < M | D > .
        crl < N | D L > < M | E K > => < N | L > < M | D E K > if D < E .
        rl < N | D L > < M | nil > => < N | L > < M | D > .
      endm";
    let start = "< 0 | 1 2 3 > < 1 | nil > < 2 | nil >";
    check(
        discs,
        &[
            (&format!("{start} =>* < 2 | 1 2 3 > P:P"), &["< 0 | nil > < 1 | nil > < 2 | 1 2 3 >"]),
            (&format!("[1] {start} =>! P:P"), &[]),
        ],
    );
}

/// A text may have searches and other commands, whose results stand in their order.
#[test]
fn searches_beside_other_commands() {
    let text =
        format!("{COUNTER}\nred st(1 + 1) .\nsearch [1] st(0) =>! S .\nrew [1] st(0) .\nsearch end =>1 S .");
    assert_eq!(value(&text, None), "EVAL(st(2), SOLUTIONS(end), st(1), SOLUTIONS())");
}
