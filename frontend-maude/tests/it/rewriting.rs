//! Terms that are rewritten by the rules of system modules. Values are those that Maude gives.

use super::value;

/// Terms behind `rew` and their values by one text.
#[track_caller]
fn check(text: &str, cases: &[(&str, &str)]) {
    for (term, expected) in cases {
        assert_eq!(&value(&format!("{text}\nrew {term} .\n"), None), expected, "{term}");
    }
}

#[test]
fn rules_apply_until_none_does() {
    check(
        "mod M is protecting NAT .  sorts G St .
           op <_,_> : Nat Nat -> G [ctor] .  op done : Nat -> G [ctor] .  op st : Nat Nat -> St [ctor] .
           vars N M : NzNat .  vars I J : Nat .
           crl < N, M > => < sd(N, M), M > if N > M .
           crl [second] : < N, M > => < N, sd(N, M) > if N < M [metadata \"x\"] .
           rl < N, N > => done(N) .  rl st(s I, J) => st(I, J + 2) .
         endm",
        &[
            ("< 36, 48 >", "done(12)"),
            ("st(5, 0)", "st(0, 10)"),
            ("[2] st(5, 0)", "st(3, 4)"),
            ("[0] st(5, 0 + 1)", "st(5, 1)"),
            ("in M : < 2, 0 >", "< 2, 0 >"),
        ],
    );
}

#[test]
fn what_equations_give_is_reduced_before_and_behind_each_step() {
    check(
        "mod M is protecting NAT .  sort T .  op f : Nat -> T .  op g : Nat -> Nat .  op h : T -> Nat .
           var N : Nat .  eq g(N) = N + 1 .  ceq h(f(N)) = 7 if N > 3 .
           crl f(N) => f(g(N)) if N < 5 .
         endm",
        &[("f(g(0))", "f(5)"), ("h(f(0))", "7")],
    );
}

#[test]
fn rules_apply_below_and_modulo_axioms() {
    check(
        "mod M is protecting QID .  protecting NAT .  sorts P S T .  subsort P < S .
           op none : -> S .  op __ : S S -> S [assoc comm id: none] .  op <_;_> : Nat Qid -> P .
           op before : Qid Qid -> Bool .  ops $ q : -> P .
           op f : T T -> T [ctor] .  op g : Nat -> T [ctor] .  op k : T -> T [ctor frozen] .
           op l : T T -> T [ctor frozen (1)] .  ops a b c : -> T [ctor] .
           vars I J : Nat .  vars X Y : Qid .  var R : S .
           eq before('a, 'b) = true .  eq before('b, 'c) = true .  eq before('a, 'c) = true .
           eq before(X, Y) = false [owise] .
           crl < J ; X > < I ; Y > => < J ; Y > < I ; X > if (J < I) and before(Y, X) .
           rl $ R => q q q q R .
           rl a => b .  rl b => c .  rl f(c, c) => g(1) .
         endm",
        &[
            ("< 1 ; 'c > < 2 ; 'b > < 3 ; 'a >", "< 1 ; 'a > < 2 ; 'b > < 3 ; 'c >"),
            ("$", "q q q q"),
            ("$ q $", "q q q q q q q q q"),
            ("f(a, f(b, c))", "f(c, g(1))"),
            ("f(f(a, b), f(c, a))", "f(g(1), g(1))"),
            ("k(a)", "k(a)"),
            ("l(a, a)", "l(a, c)"),
        ],
    );
}

#[test]
fn objects_take_messages() {
    check(
        "mod BANK is protecting NAT .  protecting QID .  including CONFIGURATION .
           subsort Qid < Oid .  op Account : -> Cid [ctor] .  op bal:_ : Nat -> Attribute [ctor] .
           ops credit debit : Oid Nat -> Msg [ctor message] .  op move : Oid Oid Nat -> Msg [ctor message] .
           vars A B : Oid .  vars N M : Nat .  var S : AttributeSet .
           rl < A : Account | bal: N, S > credit(A, M) => < A : Account | bal: (N + M), S > .
           crl < A : Account | bal: N, S > debit(A, M) => < A : Account | bal: sd(N, M), S > if M <= N .
           rl move(A, B, M) => debit(A, M) credit(B, M) .
         endm",
        &[
            (
                "< 'a : Account | bal: 10 > < 'b : Account | bal: 1 > move('a, 'b, 4) credit('a, 1)",
                "< 'a : Account | bal: 7 > < 'b : Account | bal: 5 >",
            ),
            ("debit('a, 5) < 'a : Account | bal: 3 >", "< 'a : Account | bal: 3 > debit('a, 5)"),
        ],
    );
}

#[test]
fn rules_for_variables_and_sequences() {
    check(
        "mod M is protecting NAT .  sorts L .  subsort Nat < L .  op nil : -> L .
           op _;_ : L L -> L [assoc id: nil] .  vars N M : Nat .
           crl N ; M => M ; N if M < N .
         endm
         mod N is protecting NAT .  var N : Nat .  rl N => s N . endm",
        &[("in M : 3 ; 1 ; 2 ; 0", "0 ; 1 ; 2 ; 3"), ("[3] 4", "7"), ("in M : nil", "nil")],
    );
}

/// A step leaves arguments beside what a rule gives: equations hold for both.
#[test]
fn equations_are_tried_on_what_a_rule_gives_and_what_it_leaves() {
    let text = "mod M is protecting NAT . sorts E S . subsort E < S . ops a b : -> E . op p : Nat -> E .
        op none : -> S . op __ : S S -> S [assoc comm id: none] .
        vars M N : Nat . eq p(M) p(N) = p(M + N) . rl a => p(1) . rl b b => p(10) p(10) .
      endm\n";
    let text = format!("{text}rew a a p(5) b b b .");
    assert_eq!(value(&text, None), "b p(27)");
}
