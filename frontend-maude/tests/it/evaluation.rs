//! What terms evaluate to. Values are those that Maude gives.

use super::{check, load_text, value};

#[test]
fn truth_values() {
    check(
        "fmod M is\n ops a b : -> Bool .\nendfm",
        &[
            ("true and false or true", "true"),
            ("not (true implies false)", "true"),
            ("a and b and a", "a and b"),
            ("a xor b xor a", "b"),
            ("not not a", "a"),
            ("if a == b then a else b fi", "b"),
            ("if true then a else b fi", "a"),
            ("if a then false else true fi", "if a then false else true fi"),
            ("a =/= b and true :: Bool", "true"),
        ],
    );
}

#[test]
fn numbers_are_computed_with() {
    check(
        "fmod M is\n protecting INT .\n op n : -> Nat .\n op fact : Nat -> NzNat .\n op fib : Nat -> Nat .\n op p_ : NzInt -> Int .
           var N : Nat .  var P : NzNat .
           eq fact(0) = 1 .  eq fact(s N) = s N * fact(N) .
           eq fib(0) = 0 . eq fib(s 0) = 1 . eq fib(s_^2(N)) = fib(N) + fib(s N) .
           eq p P = sd(P, 1) . eq p (- P) = - P - 1 .
         endfm",
        &[
            ("fact(25)", "15511210043330985984000000"),
            ("fib(30)", "832040"),
            ("p 5 + p -5", "-2"),
            ("-7 quo 2", "-3"),
            ("-7 rem 2", "-1"),
            ("7 quo -2 + 7 rem -2", "-2"),
            ("5 quo 0", "5 quo 0"),
            ("2 ^ 100 - 2 ^ 99 * 2", "0"),
            ("gcd(12, 18, 8) + lcm(4, 6) + lcm(0, 5)", "14"),
            ("max(1, -3) + min(2, 5) + abs(-4)", "7"),
            ("3 < 4 and 4 <= 4 and not (3 > 3) and 4 >= 3", "true"),
            ("3 divides 9 and not (2 divides 9)", "true"),
            ("1 << 70 >> 68", "4"),
            ("6 & 3 | 8 xor 1", "11"),
            ("~ 5", "-6"),
            ("modExp(3, 1000, 1007)", "434"),
            ("n + 3 + 2", "5 + n"),
            ("2 * n * 3 == 6 * n", "true"),
            ("s_^3(n)", "s s s n"),
            ("fact(s n)", "s n * fact(n)"),
            ("p p 1", "p 0"),
            ("100000000000000000000000 + 1", "100000000000000000000001"),
            ("3 :: NzNat and 0 :: Nat and not (0 :: NzNat) and not (-1 :: Nat)", "true"),
            ("X:Nat + 0 + 1", "1 + X:Nat"),
            ("s_^1000000000000000000000000(2)", "1000000000000000000000002"),
        ],
    );
}

#[test]
fn sorts_decide() {
    check(
        "fmod M is\n protecting NAT .\n sorts NeStack Stack Big .\n subsort NeStack < Stack .  subsort Big < Nat .
           op empty : -> Stack [ctor] .  op push : Nat Stack -> NeStack [ctor] .
           op pop : NeStack -> Stack .  op top : NeStack -> Nat .  op f : Stack -> Nat .  op g : Big -> Bool .
           vars S : Stack .  var N : Nat .
           eq pop(push(N, S)) = S .  eq top(push(N, S)) = N .
           eq f(NS:NeStack) = 1 .  eq f(S) = 0 [owise] .
           cmb N : Big if N > 1000 .  eq g(B:Big) = true .
         endfm",
        &[
            ("top(pop(push(1, push(7, empty)))) + 1", "8"),
            ("pop(push(1, push(2, empty)))", "push(2, empty)"),
            ("top(empty)", "top(empty)"),
            ("f(push(1, empty)) + f(empty)", "1"),
            ("f(pop(empty))", "f(pop(empty))"),
            ("g(2000)", "true"),
            ("g(3)", "g(3)"),
        ],
    );
}

#[test]
fn axioms() {
    let text = "fmod M is\n protecting NAT .\n sorts Coin Marking Tree .\n subsorts Coin < Marking .  subsort Nat < Tree .
           op null : -> Marking [ctor] .  op __ : Marking Marking -> Marking [ctor assoc comm id: null] .
           ops $ q a c : -> Coin [ctor] .  op buy : Marking -> Marking .
           op <_,_> : Tree Tree -> Tree [ctor comm] .  op has : Tree Nat -> Bool .  op l : Tree Tree -> Tree [left id: 0] .
           var M : Marking .  vars T U : Tree .  var N : Nat .
           eq q q q q = $ .  eq buy($ M) = c M .
           eq has(< N , T >, N) = true .  eq has(T, N) = false [owise] .
         endfm";
    check(
        text,
        &[
            ("q q q q q", "$ q"),
            ("buy(q q q q a)", "a c"),
            ("buy(a)", "buy(a)"),
            ("buy(null $)", "c"),
            ("c a $ == $ a c", "true"),
            ("< 1 , 2 > == < 2 , 1 >", "true"),
            ("has(< < 1 , 2 > , 9 >, 9)", "true"),
            ("has(< < 1 , 9 > , 2 >, 9)", "false"),
            ("l(0, < 2 , 1 >)", "< 1, 2 >"),
            ("l(3, 0)", "l(3, 0)"),
        ],
    );
    // An equation whose left-hand side may be one element alone.
    let text = "fmod M is\n sorts E S .\n subsort E < S .\n ops a b : -> E [ctor] .\n op nil : -> S [ctor] .
           op _;_ : S S -> S [ctor assoc id: nil] .\n op f : S -> S .\n var S : S .  var X : E .
           eq a ; S = b ; S .\n eq f(X ; S ; X) = X .\n eq f(S) = nil [owise] .\nendfm";
    check(
        text,
        &[("a", "b"), ("b ; a ; nil", "b ; b"), ("f(b ; b)", "b"), ("f(a)", "nil"), ("f(nil)", "nil")],
    );
}

#[test]
fn modules_with_parameters() {
    let text = "fth ORDER is\n protecting BOOL .\n sort Elt .\n op _<=_ : Elt Elt -> Bool .\nendfth
         view NatO from ORDER to NAT is\n sort Elt to Nat .\nendv
         fmod SORTED{X :: ORDER} is
           sorts Seq{X} .\n subsort X$Elt < Seq{X} .\n op nil : -> Seq{X} [ctor] .
           op _;_ : Seq{X} Seq{X} -> Seq{X} [ctor assoc id: nil] .
           vars E F : X$Elt .  vars S T : Seq{X} .\n op isort : Seq{X} -> Seq{X} .\n op ins : X$Elt Seq{X} -> Seq{X} .
           eq isort(nil) = nil .\n eq isort(E ; S) = ins(E, isort(S)) .\n eq ins(E, nil) = E .
           ceq ins(E, F ; S) = E ; F ; S if E <= F .\n eq ins(E, F ; S) = F ; ins(E, S) [owise] .
         endfm
         fmod USE is\n protecting SORTED{NatO} * (op nil to none, sort Seq{NatO} to NSeq) .\nendfm";
    check(text, &[("isort(3 ; 1 ; none ; 2)", "1 ; 2 ; 3"), ("isort(none)", "none")]);
}

#[test]
fn the_library() {
    check(
        "fmod M is\n protecting LIST{Nat} .\n protecting SET{Qid} .\n protecting MAP{Qid,Nat} * (op empty to none) .\nendfm",
        &[
            ("reverse(1 2 3 4)", "4 3 2 1"),
            ("size(1 2 3 4) + head(5 6) + last(7 8 9)", "18"),
            ("tail(1 2) == front(2 3)", "true"),
            ("occurs(3, 1 2 3) and not occurs(4, 1 2 3)", "true"),
            ("append(1 2, nil)", "1 2"),
            ("head(nil)", "head(nil)"),
            ("'b, 'a, 'b", "'a, 'b"),
            ("'a in ('a, 'b) and not ('c in ('a, 'b))", "true"),
            ("| 'a, 'b, 'a |", "2"),
            ("intersection(('a, 'b), ('b, 'c)), ('a, 'b) \\ 'b", "'a, 'b"),
            ("delete('a, ('a, 'b)) == 'b and-then ('a, 'b) subset ('b, 'a)", "true"),
            ("insert('a, 5, insert('a, 2, none)) ['a]", "5"),
            ("('a |-> 1)['c]", "undefined"),
        ],
    );
}

#[test]
fn rational_numbers() {
    check(
        "fmod M is\n protecting RAT .\nendfm",
        &[
            ("1/2 + 1/3 + 1/6", "1"),
            ("6 / 4", "3/2"),
            ("(1/2) * (2/3) - 5/6", "-1/2"),
            ("3/4 / (1/4)", "3"),
            ("floor(-7/2) + ceiling(7/2) + trunc(-7/2)", "-3"),
            ("frac(-7/2)", "-1/2"),
            ("(2/3) ^ 3", "8/27"),
            ("max(1/2, 2/3) + min(1, 1/2)", "7/6"),
            ("-1/2 < 1/3 and -3/4 <= -3/4 and not (1/2 >= 1)", "true"),
            ("abs(-3/4) :: PosRat and 1/2 :: Rat and not (1/2 :: Int)", "true"),
            ("5 / 0", "5 / 0"),
        ],
    );
}

#[test]
fn lists_that_are_sorted_sets_and_arrays() {
    check(
        "fmod M is\n protecting SORTABLE-LIST-AND-SET{Nat<} .\n protecting ARRAY{Nat,Nat0} .\nendfm",
        &[
            ("sort(3 1 2 9 4 4 1)", "1 1 2 3 4 4 9"),
            ("sort(nil) == nil and sort(7) == 7", "true"),
            ("makeList((9, 2, 5))", "2 5 9"),
            ("makeSet(3 1 2 3)", "1, 2, 3"),
            ("filter(1 2 3 4 2, (2, 4)) filterOut(1 2 3 4 2, (2, 4))", "2 4 2 1 3"),
            ("insert(4, 0, insert(4, 7, insert(2, 1, (empty).Array{Nat,Nat0})))", "2 |-> 1"),
        ],
    );
}

#[test]
fn conditions() {
    check(
        "fmod M is\n protecting NAT .\n sort P .\n op <_;_> : Nat Nat -> P [ctor] .\n op dm : Nat Nat -> P .\n op t : Nat -> Bool .
           vars N M Q R : Nat .
           ceq dm(N, M) = < 0 ; N > if N < M .
           ceq dm(N, M) = < Q + 1 ; R > if < Q ; R > := dm(sd(N, M), M) [owise] .
           ceq t(N) = true if N : NzNat /\\ s M := N /\\ M = 4 .\n eq t(N) = false [owise] .
         endfm",
        &[("dm(17, 5)", "< 3 ; 2 >"), ("t(5)", "true"), ("t(0)", "false"), ("t(6)", "false")],
    );
}

#[test]
fn terms_of_a_text_go_to_their_modules() {
    let text = "fmod A is\n sort S .\n ops a b : -> S .\n eq a = b .\nendfm\nred a .
         fmod B is\n sort S .\n op a : -> S .\nendfm\nred a .\nred in A : a .\nselect A .";
    assert_eq!(value(text, None), "EVAL(b, a, b)");
    assert_eq!(value(text, Some("a")), "b");
    // A module with parameters has terms, too.
    let text = "fmod P{X :: TRIV} is\n op f : X$Elt -> X$Elt .\n op c : -> X$Elt .\n var E : X$Elt .\n eq f(E) = E .\nendfm
         red f(f(c)) .\nred in P{Nat} : f(3) .";
    assert_eq!(value(text, None), "EVAL(c, 3)");
}

#[test]
fn commutative_operators_have_results_of_any_kind() {
    let text = "fmod M is\n protecting NAT .\n sorts A P .\n ops a b c : -> A .\n op near : A A -> Bool [comm] .
           op pair : A A -> P [ctor comm] .\n op first : P A -> A .\n op dist : A A -> Nat [comm] .\n vars X Y : A .
           eq near(a, b) = true .\n eq near(X, X) = true .\n eq near(X, Y) = false [owise] .
           eq first(pair(X, Y), X) = Y .\n eq dist(X, X) = 0 .\n eq dist(a, X) = 1 + dist(b, X) .
         endfm";
    check(
        text,
        &[
            ("near(b, a) and near(c, c) and not near(b, c)", "true"),
            ("pair(b, a) == pair(a, b)", "true"),
            ("first(pair(b, c), c)", "b"),
            ("first(pair(c, b), c)", "b"),
            ("dist(b, a)", "1"),
            ("dist(c, b)", "dist(b, c)"),
        ],
    );
}

#[test]
fn sorts_of_commutative_operators_do_not_depend_on_the_order() {
    let text = "fmod M is\n sorts E N L .\n subsorts E < N < L .\n op a : -> E .\n op nil : -> L .\n op __ : L L -> L [assoc comm] .
           op __ : N L -> N [ditto] .\n op f : L -> Bool .\n eq f(Z:N) = true .\n eq f(X:L) = false [owise] .\nendfm";
    check(
        text,
        &[("f(nil a)", "true"), ("f(a nil)", "true"), ("f(nil nil)", "false"), ("f(nil nil a)", "true")],
    );
}

#[test]
fn an_identity_of_another_kind_stands_on_one_side() {
    let text = "fmod M is\n sorts A B .\n op e : -> A .\n ops b c : -> B .\n op _._ : A B -> B [left id: e] .\n op g : A -> A .\nendfm";
    check(text, &[("e . (e . b)", "b"), ("g(e) . (e . c)", "g(e) . c")]);
}

#[test]
fn results_are_read_as_they_are_written() {
    let text = "fmod M is\n protecting INT .\n sort T .\n subsort Int < T .\n op _+_ : T T -> T [ditto] .
         op _-_ : T T -> T [ditto] .\n op [_|_] : T T -> T .\n op f : T T -> T .\n op _;_ : T T -> T [comm] .\n op #_ : T -> T .
         op _,_ : T T -> T [assoc prec 121] .\n ops x y : -> T .\nendfm";
    for term in [
        "x - (y - x) - 3",
        "(x - y) - 3",
        "f(x, y + x)",
        "f((x, y), # # x)",
        "[x, y | # (x + y)]",
        "(x ; y) ; (x ; x)",
    ] {
        let first = value(text, Some(term));
        assert_eq!(value(text, Some(&format!("({term}) == ({first})"))), "true", "{first}");
        assert_eq!(value(text, Some(&first)), first, "{term}");
    }
}

#[test]
fn rational_numbers_are_divided_and_have_common_divisors() {
    check(
        "fmod M is protecting RAT . endfm",
        &[
            ("7/2 quo 2/3", "5"),
            ("7/2 rem 2/3", "1/6"),
            ("(- 7/2) quo 2", "-1"),
            ("5 rem 2/3", "1/3"),
            ("0 quo 1/2", "0"),
            ("gcd(1/2, 5/6)", "1/6"),
            ("gcd(1/2, 1/3, 0)", "1/6"),
            ("lcm(1/2, 2/3)", "2"),
            ("1/4 divides 1/2 and not (2/3 divides 5)", "true"),
        ],
    );
}

#[test]
fn words_of_modules_are_words_of_terms() {
    check(
        "fmod M is protecting NAT .  op _mod_ : Nat NzNat -> Nat .  op view : -> Nat .
           vars N M : Nat .  eq N mod M =
             N rem M .  eq view = 7 mod 4 .
         endfm",
        &[("17 mod 5", "2"), ("view mod 2", "1")],
    );
}

#[test]
fn rational_numbers_stand_beside_zero() {
    check(
        "fmod M is protecting RAT . op q : -> Rat . endfm",
        &[
            ("1/6 * 0", "0"),
            ("0 + 1/6", "1/6"),
            ("0 - 1/6", "-1/6"),
            ("q / 3 + 1/2", "1/2 + q / 3"),
            ("(1/2) ^ s_^2(0) / q", "1/4 / q"),
        ],
    );
}

#[test]
fn arguments_of_associative_operators_are_written_side_by_side() {
    check(
        "fmod M is sorts E S . subsort E < S . ops a b c : -> E . op f : S S -> S [assoc] . op g : S -> S . endfm",
        &[("f(f(a, b), c)", "f(a, b, c)"), ("f(g(f(a, b)), a, f(b, c))", "f(g(f(a, b)), a, b, c)")],
    );
}

#[test]
fn renamings_in_brackets_and_what_is_shown() {
    let text = "fmod L{X :: TRIV} is sort L{X} . subsort X$Elt < L{X} . op f : L{X} -> L{X} .
        var A : L{X} . eq f(A) = A . endfm
      fmod M is inc (L * (sort L{X} to N{X}, op f : L{X} -> L{X} to g)){Nat} . endfm
      show mod .
      show ops M .
      red g(3) .";
    assert_eq!(super::value(text, None), "3");
}

#[test]
fn states_and_formulas_of_model_checking_are_evaluated() {
    let text = "load model-checker
      mod M is including MODEL-CHECKER . subsort Nat < State . protecting NAT . op small : Nat -> Prop .
        vars N M : Nat . ceq N |= small(M) = true if N < M . eq N |= small(M) = false [owise] .
        rl N => s N .
      endm\n";
    let (_, loaded) = super::load_text(text, Some("3 |= small(7)"));
    assert_eq!(loaded.diagnostics.iter().map(|found| found.code).collect::<Vec<_>>(), [""; 0]);
    check(
        text,
        &[
            ("3 |= small(7)", "true"),
            ("7 |= small(7)", "false"),
            ("<> small(2)", "True U small(2)"),
            ("~ [] (small(1) -> <> small(2))", "True U (False R ~ small(2)) /\\ small(1)"),
            ("~ (small(1) U ~ O small(2))", "~ small(1) R O small(2)"),
        ],
    );
}

#[test]
fn theories_of_orders() {
    check(
        "fmod MAX{X :: TOTAL-ORDER} is op most : X$Elt X$Elt -> X$Elt . vars A B : X$Elt .
           ceq most(A, B) = A if B <= A . eq most(A, B) = B [owise] . endfm
         fmod M is protecting MAX{Nat<=} . endfm",
        &[("most(3, 8)", "8"), ("most(8, 3)", "8")],
    );
}

/// Views with parameters stand as arguments; operators of theories become operators and terms.
#[test]
fn views_have_parameters_and_map_operators_to_terms() {
    check(
        "fmod NEST{X :: TRIV} is
           protecting LIST{Set{X}} * (op __ to _;_) .
           op all : List{Set{X}} -> Set{X} .  var S : Set{X} .  var L : List{Set{X}} .
           eq all(nil) = empty .  eq all(S ; L) = S, all(L) .
         endfm
         fmod M is protecting NEST{Nat} .  protecting MAP{Qid, List{Nat}} . endfm",
        &[
            ("all((1, 2) ; (2, 3) ; (4, 1))", "1, 2, 3, 4"),
            ("insert('a, 1 2, insert('b, 3, empty))['a]", "1 2"),
        ],
    );
    check(
        "fth MONOID is sort Elt .  op e : -> Elt .  op _*_ : Elt Elt -> Elt . endfth
         view Add from MONOID to NAT is
           sort Elt to Nat .  vars X Y : Elt .  op e to term 0 .  op X * Y to term X + Y .
         endv
         fmod POW{M :: MONOID} is
           protecting NAT .  op _^^_ : M$Elt Nat -> M$Elt .  op six : -> Nat .  op six' : -> M$Elt .
           var E : M$Elt . var N : Nat .
           eq E ^^ 0 = e .  eq E ^^ s N = E * (E ^^ N) .  eq six = 2 * 3 .
         endfm
         fmod M is protecting POW{Add} . endfm",
        &[("3 ^^ 4", "12"), ("six", "6")],
    );
    check(
        "fth ORD is protecting BOOL .  sort Elt .  op _<_ : Elt Elt -> Bool . endfth
         view Down from ORD to NAT is sort Elt to Nat .  op _<_ to _>_ . endv
         fmod BEST{X :: ORD} is
           protecting NAT .  op best : X$Elt X$Elt -> X$Elt .  op small : Nat -> Bool .
           vars A B : X$Elt .  var N : Nat .
           ceq best(A, B) = A if A < B .  eq best(A, B) = B [owise] .  eq small(N) = N < 10 .
         endfm
         fmod M is protecting BEST{Down} .  protecting SORTABLE-LIST{String<} .  protecting ARRAY{Nat, String0} . endfm",
        &[
            ("best(3, 5)", "5"),
            ("small(3)", "true"),
            (r#"sort("b" "abc" "" "a")"#, r#""" "a" "abc" "b""#),
            (r#"insert(3, "x", empty)[4]"#, r#""""#),
        ],
    );
}

#[test]
fn names_of_several_words() {
    check(
        "fmod M is
           sorts S C .  subsort C < S .  ops a b : -> S .  op ((_,_)) : S S -> C .  op name :_ : S -> S [gather (&)] .
           op of_and then_ : S S -> S .  op pre : S -> S .  op [_]_ : S S -> S .  vars X Y : S .
           eq pre(name : X) = X .  eq pre((X, Y)) = of X and then Y .  eq pre([X] Y) = [Y] X .
         endfm",
        &[
            ("pre(name : a)", "a"),
            ("pre((a, b))", "of a and then b"),
            ("pre([a] name : b)", "[name : b] a"),
        ],
    );
    let (_, loaded) = load_text(
        "mod M is\n sort S .  ops a b : -> S .  op [_]_ : S S -> S .  rl a => b .\nendm\nrew [a] a .\n",
        None,
    );
    assert_eq!(gchr_terms::testing::normal_form(&loaded.program.expect("a program")), "[b] b");
}

#[test]
fn one_of_several_operators_is_renamed() {
    check(
        "fmod OPS is sorts A B C .  subsort C < A .  op a : -> A . op b : -> B . op c : -> C .
           op f : A -> A . op f : C -> C . op f : B -> A . op _;_ : A A -> A [prec 20 gather (e E)] . endfm
         fmod M is protecting OPS * (op f : A -> A to g, op _;_ to _!_) . endfm",
        &[("g(f(b)) ! g(c)", "g(f(b)) ! g(c)")],
    );
    check(
        "fmod M is protecting SET{Qid} * (op _`,_ to _U_) .  op size : Set{Qid} -> Nat .  var S : Set{Qid} .
           eq size(S) = | S | . endfm",
        &[("'a U 'b U 'a", "'a U 'b"), ("size('a U 'b)", "2")],
    );
    check("fmod M is protecting NAT * (op _+_ to _plus_) . endfm", &[("3 plus 4 * 2", "11")]);
    check(
        "fmod M is protecting INT * (sort Nat to N, op s_ to suc_, op _-_ : Int Int -> Int to _minus_) .
           op f : N -> N .  var X : N .  eq f(0) = 7 .  eq f(suc X) = X . endfm",
        &[("f(f(5))", "3"), ("3 minus 10", "-7"), ("3 :: N", "true"), ("f(0)", "7")],
    );
    check(
        "fth T is sort Elt .  op f : -> Elt .  op f : Elt -> Elt . endfth
         fmod FOO is sort Foo .  op g : -> Foo .  op h : Foo -> Foo . endfm
         view V from T to FOO is sort Elt to Foo .  op f : -> Elt to g .  op f : Elt -> Elt to h . endv
         fmod BAR{X :: T} is op q : -> X$Elt .  eq q = f(f) . endfm
         fmod M is including BAR{V} . endfm",
        &[("q", "h(g)")],
    );
}

/// Of several readings, that of a kind which the module itself declares.
#[test]
fn truth_values_of_its_own() {
    check(
        "fmod M is sort Boolean .  ops true false : -> Boolean [ctor] .  op not_ : Boolean -> Boolean [prec 53] .
           eq not false = true .  eq not true = false . endfm",
        &[("not (false).Boolean", "true"), ("not (true).Boolean", "false"), ("not (true).Bool", "false")],
    );
}

#[test]
fn memberships_in_associative_operators() {
    let text = "fmod M is sorts E P . subsort E < P . op _;_ : [P] [P] -> [P] [assoc] . ops a b c d : -> E .
        ops l2 l3 mid : [P] -> [P] . var Q : P . mb a ; b : P . mb b ; c : P .
        eq l2(Q ; c) = Q . eq l3(a ; Q) = Q . eq mid(d ; Q ; d) = Q . endfm";
    check(
        text,
        &[
            ("l2(a ; b ; c)", "a ; b"),
            ("l2(b ; a ; c)", "l2(b ; a ; c)"),
            ("l2(d ; c)", "d"),
            ("l3(a ; b ; c)", "b ; c"),
            ("mid(d ; a ; b ; d)", "a ; b"),
            ("mid(d ; b ; a ; d)", "mid(d ; b ; a ; d)"),
        ],
    );
    let conditional =
        "fmod M is sorts E G L . subsorts E < G < L . op __ : L L -> L [assoc] . ops a b c d : -> E .
        op f : L -> L . op g : E -> E . op h : L -> Bool . vars X Y : G . vars E1 E2 : E . var Z : L .
        cmb E1 E2 : G if g(E1) = E2 . eq g(a) = b . eq g(b) = c . eq g(c) = d . eq g(d) = a .
        eq f(X c) = X . ceq h(Z) = true if X E2 := Z . eq h(Z) = false [owise] . endfm";
    check(
        conditional,
        &[
            ("f(a b c)", "a b"),
            ("f(b a c)", "f(b a c)"),
            ("h(a b d)", "true"),
            ("h(a d d)", "false"),
            ("(a b) :: G", "true"),
        ],
    );
    let palindromes = "fmod M is pr QID . sorts Pal List . subsorts Qid < Pal < List . op nil : -> Pal .
        op __ : List List -> List [assoc id: nil] . var I : Qid . var P : Pal . var L : List .
        mb I P I : Pal . ops pal? one? : List -> Bool . eq pal?(P) = true . eq pal?(L) = false [owise] .
        eq one?(L P L) = true . eq one?(L) = false [owise] . op sum : List -> List . eq sum('x P) = P . endfm";
    check(
        palindromes,
        &[
            ("pal?('a 'b 'c 'b 'a)", "true"),
            ("pal?('a 'b 'b 'a)", "true"),
            ("pal?('a 'b)", "false"),
            ("pal?(nil)", "true"),
            ("one?('a 'b 'b 'a)", "true"),
            ("sum('x)", "nil"),
            ("sum('x 'b 'c 'b)", "'b 'c 'b"),
        ],
    );
    let sets =
        "fmod M is sorts E G L . subsorts E < G < L . op _,_ : L L -> L [assoc comm] . ops a b c d : -> E .
        op f : L -> L . var X : G . mb a, b : G . eq f((X, c)) = X . endfm";
    check(sets, &[("f((a, b, c))", "a, b"), ("f((a, d, c))", "f(a, c, d)"), ("f((d, c))", "d")]);
}

#[test]
fn rules_with_memberships() {
    let text = "mod M is sorts E G L . subsorts E < G < L . op __ : L L -> L [assoc] . ops a b c d : -> E .
        op f : L -> L . var X : G . mb a b : G . rl f(X c) => d X . endm";
    assert_eq!(value(&format!("{text} rew f(a b c) ."), None), "d a b");
    assert_eq!(value(&format!("{text} rew f(c b c) ."), None), "f(c b c)");
}

#[test]
fn periods_and_numbers_in_brackets() {
    let text = "fmod M is sort F . ops a inc : -> F . op _._ : F F -> F . op [_] : F -> F . endfm";
    assert_eq!(value(&format!("{text} red (a . inc) ."), None), "a . inc");
    assert_eq!(value(&format!("{text} red [a . inc] . red a ."), None), "EVAL([a . inc], a)");
    let numbers =
        "mod M is pr NAT . sorts L . subsort Nat < L . op _;_ : L L -> L [assoc] . op [_] : L -> L .
        rl 1 => 2 . endm";
    assert_eq!(value(&format!("{numbers} rew [1 ; 0] ."), None), "[2 ; 0]");
    assert_eq!(value(&format!("{numbers} rew [1] ."), None), "[2]");
    assert_eq!(value(&format!("{numbers} rew [1] 1 ; 1 ."), None), "2 ; 1");
}

#[test]
fn identities_with_equations() {
    let text = "fmod M is sort S . ops a b y z : -> S . op _+_ : S S -> S [comm id: z] . eq z = y . endfm";
    check(text, &[("a + y", "a + y"), ("z + a", "a"), ("z", "y")]);
    let two = "fmod M is sort S . ops a b z e : -> S . op _+_ : S S -> S [assoc comm id: z] .
        op _._ : S S -> S [assoc id: e] . var R : S . eq z . R = z . endfm";
    check(two, &[("a + b", "a + b"), ("a . b", "a . b"), ("a + z", "a")]);
}

#[test]
fn polymorphic_operators_before_brackets() {
    let text = "fmod M is pr NAT . endfm";
    check(
        text,
        &[
            ("if_then_else_fi(true, 1, 2)", "1"),
            ("if_then_else_fi(1 == 2, 1, 2)", "2"),
            ("_==_(1, 2)", "false"),
            ("_=/=_(1, 2)", "true"),
        ],
    );
}

#[test]
fn lists_and_sets_in_each_other() {
    check(
        "fmod M is\n protecting LIST*{Nat} * (sort List{Nat} to L, op size to length) .\n protecting SET*{Nat} .\nendfm",
        &[
            ("append([1 2], [3 [4 5] []])", "[1 2 3 [4 5] []]"),
            ("append([], [3]) == append([3], [])", "true"),
            ("head([[1 2] 3])", "[1 2]"),
            ("tail([[1 2] 3])", "[3]"),
            ("tail([1])", "[]"),
            ("last([1 [2 3]])", "[2 3]"),
            ("front([1 [2 3]])", "[1]"),
            ("front([1])", "[]"),
            ("occurs([2], [1 [2] 3])", "true"),
            ("occurs(2, [1 [2] 3]) or occurs(2, [])", "false"),
            ("reverse([1 [2 3] 4])", "[4 [2 3] 1]"),
            ("length([1 [2 3] 4]) + length([])", "3"),
            ("[1 2] :: L and not (1 :: L)", "true"),
            ("{1, {2, 2}, 1, {2}}", "{1, {2}}"),
            ("insert({1}, {1, {1}})", "{1, {1}}"),
            ("delete({1}, {{1}})", "{}"),
            ("delete(1, {1, 1, 2}) == delete(5, {2})", "true"),
            ("{1} in {2, {1, 1}}", "true"),
            ("1 in {2, {1, 1}} or 1 in {}", "false"),
            ("| {1, 1, {1}, {{1}}, {1, 1}} | + | {} |", "3"),
            ("union({1, {2}}, {{2}, 3}) == {3, 1, {2}}", "true"),
            ("intersection({1, {2}, 3}, {3, {2}, {1}}) == {{2}, 3}", "true"),
            ("intersection({1}, {})", "{}"),
            ("{1, {2}, 3} \\ {3, {1}} == {1, {2}}", "true"),
            ("2^ {1, {2}} == {{}, {1}, {{2}}, {{2}, 1}}", "true"),
            ("| 2^ {1, {2}, 3, 4} |", "16"),
            ("{1, {2}} subset {{2}, 3, 1} and not ({1, {2}} psubset {{2}, 1})", "true"),
            ("{} psubset {{}, {}}", "true"),
        ],
    );
}
