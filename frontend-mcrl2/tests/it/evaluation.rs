//! What terms evaluate to.

use super::value;

/// Terms and their values by one specification.
#[track_caller]
fn check(text: &str, cases: &[(&str, &str)]) {
    for (term, expected) in cases {
        assert_eq!(&value(text, term), expected, "{term}");
    }
}

#[test]
fn numbers_and_their_sorts() {
    check(
        "map half: Nat -> Nat; f: Pos -> Bool; f: Nat -> Nat; g: Nat -> Nat; eqn g(0) = 7;
         var n: Nat; p: Pos; eqn half(n) = n div 2; f(p) = true; f(n) = n + 1; g(p) = p;",
        &[
            ("half(7) + 2 * 3", "9"),
            ("3 - 5", "-2"),
            ("Int2Nat(5 - 3)", "2"),
            ("f(1)", "true"),
            ("f(0)", "1"),
            ("g(0) + g(5)", "12"),
            ("-7 div 2", "-4"),
            ("-7 mod 2", "1"),
            ("exp(2, 10) - exp(3, 0)", "1023"),
            ("max(1, -3) + min(2, 5) + abs(-4)", "7"),
            ("succ(pred(4)) == 4 && succ(0) < 2 && 2 >= 2", "true"),
            ("sqrt(17)", "4"),
            ("if(2 in [1, 2], 1, 0)", "1"),
            ("[succ(2) + if(1 < 2, 1, 0)] ++ [if(false, 3, 0)]", "[4, 0]"),
        ],
    );
}

/// Of several symbols of one name, the one for the very sorts of the arguments is meant, whatever stands on the other
/// side of an equation.
#[test]
fn symbols_are_chosen_by_their_arguments() {
    check(
        "map g: Nat -> Nat; g: Int -> Pos; f: Int -> Nat; f: Real -> Pos;
         var n: Nat; i: Int; eqn g(n) = 7; f(i) = 1;",
        &[("g(3)", "7"), ("f(-3)", "1"), ("f(3)", "1"), ("g(-3)", "g(-3)")],
    );
}

#[test]
fn numbers_have_any_size() {
    check(
        "sort L = struct l(n: Nat, i: Int);
         map f: Nat -> Nat; big: Nat -> Bool; fact: Nat -> Nat; keep: Nat # List(Nat) -> List(Nat);
         var n: Nat; p: Pos; l: List(Nat);
         eqn f(4611686018427387904) = 1; f(100000000000000000000) = 2; f(n) = 3;
             n > 9223372036854775807 -> big(n) = true; n <= 9223372036854775807 -> big(n) = false;
             fact(0) = 1; n > 0 -> fact(n) = n * fact(Int2Nat(n - 1));
             keep(0, l) = l; n > 0 -> keep(n, l) = keep(Int2Nat(n - 1), n * exp(2, 64) |> l);",
        &[
            ("exp(2, 62) - 1", "4611686018427387903"),
            ("exp(2, 62)", "4611686018427387904"),
            ("-exp(2, 62)", "-4611686018427387904"),
            ("-exp(2, 62) - 1", "-4611686018427387905"),
            ("exp(2, 63)", "9223372036854775808"),
            ("exp(10, 30) div 7", "142857142857142857142857142857"),
            ("-exp(10, 30) div 7", "-142857142857142857142857142858"),
            ("exp(10, 30) mod exp(10, 28)", "0"),
            ("exp(2, 100) - exp(2, 100) + 5", "5"),
            ("fact(30)", "265252859812191058636308480000000"),
            ("sqrt(exp(10, 40))", "100000000000000000000"),
            ("[f(exp(2, 62)), f(exp(10, 20)), f(exp(10, 20) + 1), f(7)]", "[1, 2, 3, 3]"),
            ("[big(exp(2, 63)), big(Int2Nat(exp(2, 63) - 1))]", "[true, false]"),
            ("exp(10, 20) == 100000000000000000000 && exp(10, 20) != exp(10, 21)", "true"),
            ("{exp(10, 20), exp(10, 20), 1} == {1, exp(10, 20)}", "true"),
            ("max(exp(2, 80), 3) > min(-exp(2, 80), 3)", "true"),
            ("l(exp(2, 70), -exp(2, 70))", "l(1180591620717411303424, -1180591620717411303424)"),
            ("keep(3, [])", "[18446744073709551616, 36893488147419103232, 55340232221128654848]"),
            ("123456789012345678901234567890 / 30", "4115226300411522630041152263"),
        ],
    );
}

#[test]
fn a_variable_of_a_smaller_sort_stands_for_its_numbers_only() {
    check(
        "map sign: Int -> Int; var p: Pos; i: Int; eqn sign(p) = 1; sign(0) = 0; sign(i) = -1;",
        &[("[sign(-4), sign(0), sign(9)]", "[-1, 0, 1]")],
    );
}

#[test]
fn rational_numbers() {
    check(
        "map r: Real; eqn r = 1 / 3;",
        &[
            ("r + 1 / 6", "(1 / 2)"),
            ("r * 3 == 1", "true"),
            ("floor(-1 / 2) + ceil(1 / 2) + round(5 / 2)", "3"),
            ("r < 1/2 && !(r <= 0) && max(r, 2) > 1", "true"),
            ("Real2Int(6 / 3)", "2"),
            ("exp(2 / 3, -2)", "(9 / 4)"),
            ("-r", "(-1 / 3)"),
        ],
    );
}

#[test]
fn lists() {
    check(
        "map rev: List(Nat) -> List(Nat); var n: Nat; l: List(Nat); eqn rev([]) = []; rev(n |> l) = rev(l) <| n;",
        &[
            ("rev([1, 2, 3]) ++ [0]", "[3, 2, 1, 0]"),
            ("#[1, 2, 3] + [4, 5] . 1", "8"),
            ("[head([1, 2]), rhead([3, 4])]", "[1, 4]"),
            ("[tail([1, 2, 3]), rtail([1, 2, 3]), []]", "[[2, 3], [1, 2], []]"),
            ("[1, 2] < [1, 3] && [] < [1] && !([2] <= [1, 5])", "true"),
            ("head(tail([1]))", "head([])"),
        ],
    );
}

#[test]
fn records() {
    check(
        "sort P = struct pair(first: Nat, second: Q)?is_pair | none?is_none; Q = struct a | b | c(first: Bool);",
        &[
            ("first(pair(3, b))", "3"),
            ("first(second(pair(3, c(true))))", "true"),
            ("is_pair(none) || is_none(none)", "true"),
            ("pair(1, a) < pair(1, b) && pair(2, a) < none && c(false) < c(true)", "true"),
            ("pair(1, a) == pair(1, a) && pair(1, a) != none", "true"),
            ("second(none)", "second(none)"),
        ],
    );
}

#[test]
fn what_has_no_number_is_a_normal_form() {
    check(
        "sort P = struct p(Nat) | q; map f: Nat -> P; g: Bool # Pos -> Nat; h: Nat -> Nat; part: Nat # List(Nat) -> Bool;
         k: Nat -> Nat -> Nat; n: P -> Nat;
         var x: Nat; b: Bool; y: Pos; l: List(Nat); z: P;
         eqn f(1) = q; f(2) = p(2); g(false, y) = 0; h(x) = g(x > 1, Int2Pos(x - 1)) + 1;
             part(x, l) = l . x == 3 && x < #l; n(p(x)) = x;",
        &[
            ("Int2Nat(-1)", "Int2Nat(-1)"),
            ("[n(p(2)), n(q), n(q) + 2 * n(q)]", "[2, n(q), (n(q) + (2 * n(q)))]"),
            ("p(head([]))", "p(head([]))"),
            ("f(Int2Nat(1 - 2))", "f(Int2Nat(-1))"),
            ("f(Int2Nat(1 - 2)) == q || f(2) == q", "false"),
            ("[h(0), h(1)]", "[1, 1]"),
            ("h(2)", "(g(true, 1) + 1)"),
            ("[part(0, [3]), part(1, [3]), part(7, [])]", "[true, false, false]"),
            ("[1] . 4", "([] . 3)"),
            ("k(1)(2)", "k(1)(2)"),
            ("n(q) == n(q)", "true"),
            ("n(q) == 2", "NoRule { redex: \"n(q)\", symbol: None }"),
            ("if(n(q) < 1, 1, 2)", "NoRule { redex: \"n(q)\", symbol: None }"),
            ("1 / 0", "(1 / 0)"),
            ("max(n(q), 1) - abs(n(q))", "(max(n(q), 1) - n(q))"),
            ("[n(q), 1 / 2]", "[n(q), (1 / 2)]"),
            ("n(q) + 1 / 2", "(((n(q) * 2) + 1) / 2)"),
        ],
    );
}

#[test]
fn what_always_has_a_value_is_looked_at_first() {
    check(
        "map pair: Nat # List(Nat) -> Bool; some: Nat # List(Nat) -> Bool; safe: List(Nat) -> Bool; loop: Nat -> Bool;
         late: Nat -> Bool;
         var x: Nat; l: List(Nat);
         eqn pair(x, l) = head(l) == x && l != []; some(x, l) = head(l) != x || (l == [] && x < 3);
             safe(l) = #l > 0 && y > 1 whr y = head(l) end; loop(x) = loop(x);
             late(x) = loop(x) && x > 1 && x < 1;",
        &[
            ("[pair(1, []), pair(1, [1]), pair(2, [1, 2])]", "[false, true, false]"),
            ("[some(1, []), some(1, [1]), some(2, [1])]", "[true, false, true]"),
            ("[safe([]), safe([1]), safe([2])]", "[false, false, true]"),
            ("late(4)", "false"),
        ],
    );
}

#[test]
fn special_cases_go_before_conditions_without_a_value() {
    check(
        "sort E = struct a | b;
         map without: E # List(E) -> List(E); least: List(Nat) -> Nat; first: Nat # List(Nat) -> Nat; g: Nat -> Nat -> Nat;
             sign: Int -> Nat; h: Nat -> Nat;
         var e: E; l: List(E); n, m: Nat; s: List(Nat); i: Int;
         eqn e == head(l) -> without(e, l) = without(e, tail(l)); e != head(l) -> without(e, l) = head(l) |> without(e, tail(l));
             least([n]) = n; without(e, []) = [];
             head(s) < least(tail(s)) -> least(s) = head(s); head(s) >= least(tail(s)) -> least(s) = least(tail(s));
             head(s) == n -> first(n, s) = 0; first(n, s) = 1 + first(n, tail(s)); first(n, []) = 100;
             h(m) > 1 -> g(n)(m) = 1; g(n)(0) = 7; h(5) = 2; i > 2 -> sign(i) = 1; sign(3) = 9; sign(i) = 0;",
        &[
            ("without(a, [a, b, a])", "[b]"),
            ("least([3, 1, 2])", "1"),
            ("first(2, [4, 2])", "1"),
            ("[g(1)(0), g(1)(5)]", "[7, 1]"),
            ("[sign(3), sign(1)]", "[1, 0]"),
        ],
    );
}

#[test]
fn functions_of_functions_have_equations() {
    check(
        "sort S = struct a | b; map f: Nat -> (Nat -> (S -> Nat)); g: (Nat # Nat) # S -> Nat; keep: S -> List(S) -> List(S);
         table: S -> List(Nat); only: Nat -> S -> Bool;
         var x, y: Nat, s, t: S; l: List(S);
         eqn f(x)(y)(a) = x + y; x > y -> f(x)(y)(b) = x; f(x)(y)(b) = y; g(x, y, s) = x * y;
             keep(s)([]) = []; s == t -> keep(s)(t |> l) = t |> keep(s)(l); keep(s)(t |> l) = keep(s)(l);
             table = (lambda s: S. [])[a -> [1, 2]]; only(0)(a) = true; only(x)(s) = false;",
        &[
            ("[f(1)(2)(a), f(1)(2)(b), f(3)(2)(b)]", "[3, 2, 3]"),
            ("g(3, 4, a)", "12"),
            ("keep(a)([a, b, a])", "[a, a]"),
            ("[table(a), table(b)]", "[[1, 2], []]"),
            ("[only(0)(a), only(0)(b), only(1)(a)]", "[true, false, false]"),
            ("f(1)(2)", "f(1)(2)"),
        ],
    );
}

#[test]
fn only_the_branch_that_is_chosen_is_evaluated() {
    check(
        "map count: Nat -> List(Nat); loop: Bool; var n: Nat;
         eqn count(n) = if(n == 0, [], n |> count(Int2Nat(n - 1))); loop = loop;",
        &[
            ("count(3)", "[3, 2, 1]"),
            ("false && loop || (true => true) || loop", "true"),
            ("if(true, 1, head([]))", "1"),
        ],
    );
}

#[test]
fn functions_are_values() {
    check(
        "sort F = Nat -> Nat; A; map twice: F -> F; comp: F # F -> F; add: Nat -> F; table: F; inc: Nat -> Nat;
         fold: (Nat # Nat -> Nat) # Nat # List(Nat) -> Nat; a: A; id: A -> A;
         var f, g: F; m, n: Nat; l: List(Nat); h: Nat # Nat -> Nat; x: A;
         eqn twice(f) = lambda n: Nat. f(f(n)); comp(f, g)(n) = f(g(n)); add(m) = lambda n: Nat. m + n;
         table = (lambda n: Nat. 0)[3 -> 9][1 -> 2][3 -> 4]; inc(n) = n + 1; id = lambda x: A. x;
         fold(h, n, []) = n; fold(h, n, m |> l) = h(m, fold(h, n, l));",
        &[
            ("twice(inc)(5)", "7"),
            ("comp(add(2), twice(add(10)))(1)", "23"),
            ("[table(1), table(2), table(3)]", "[2, 0, 4]"),
            ("table[1 -> 0](1)", "0"),
            ("table[1 -> 7]", "table[1 -> 7]"),
            ("fold(lambda a, b: Nat. a + b, 0, [1, 2, 3])", "6"),
            ("(lambda x: Nat. x * x)(7)", "49"),
            ("id(a)", "a"),
            ("(x + y) * x whr x = 3, y = 4 end", "21"),
            ("table[5 -> 1][2 -> 3] == table[2 -> 3][5 -> 1]", "true"),
            ("table == table[2 -> 5]", "(table == table[2 -> 5])"),
        ],
    );
}

#[test]
fn an_update_that_changes_nothing_is_none() {
    check(
        "sort S = struct s(read: Nat -> Set(Nat), busy: Nat -> Bool); A;
         map zero: Nat -> Int; none: Nat -> Set(Nat); idle, free: Nat -> Bool; start, stop: S # Nat -> S; a: A -> A;
         c, d: A;
         var n: Nat; x: S;
         eqn zero(n) = 0; none(n) = {}; idle = lambda n: Nat. false;
             start(x, n) = s(read(x)[n -> read(x)(n) + {n}], busy(x)[n -> true]);
             stop(x, n) = s(read(x)[n -> {}], busy(x)[n -> false]);",
        &[
            ("zero[1 -> 0]", "zero"),
            ("zero[1 -> 2][1 -> 0] == zero", "true"),
            ("zero[3 -> 1][1 -> 2][3 -> 0]", "zero[1 -> 2]"),
            ("zero[1 -> 2][3 -> 1][1 -> 0]", "zero[3 -> 1]"),
            ("zero[3 -> 1][2 -> 0]", "zero[3 -> 1]"),
            ("idle[4 -> true][4 -> false] == idle", "true"),
            ("stop(start(start(s(none, idle), 1), 2), 1) == start(s(none, idle), 2)", "true"),
            ("free[1 -> true]", "free[1 -> true]"),
            ("free[1 -> free(1)]", "free"),
            ("a[c -> a(c)][d -> c]", "a[d -> c]"),
        ],
    );
}

#[test]
fn functions_over_finite_sorts_are_equal_by_their_values() {
    check(
        "sort E = struct x | y | z; map f, g: E -> Nat; var e: E; eqn f(e) = if(e == x, 1, 2); g(x) = 1; g(y) = 2; g(z) = 2;",
        &[("f == g", "true"), ("f[x -> 2] == g", "false"), ("f[x -> 2] == (lambda e: E. 2)", "true")],
    );
}

#[test]
fn sets_and_bags() {
    check(
        "sort E = struct p | q | r(Bool); map s: Set(Nat); eqn s = { n: Nat | n mod 2 == 0 };",
        &[
            ("{3, 1, 2, 1} + {5}", "{1, 2, 3, 5}"),
            ("{1, 2, 3} * {2, 3, 4} - {3}", "{2}"),
            ("4 in s && !(3 in s) && 3 in !s && 8 in s + {3}", "true"),
            ("{1, 2, 4} * s", "{2, 4}"),
            ("{ e: E | e != q }", "{p, r(false), r(true)}"),
            ("!{p}", "{q, r(false), r(true)}"),
            ("{1} <= {1, 2} && {1} < {1, 2} && !({1, 2} < {1, 2}) && {} != {1}", "true"),
            ("{ n: Nat | n < 6 && n in s }", "{0, 2, 4}"),
            ("!{1} * !{2}", "!({1, 2})"),
            ("{p: 2, q: 1} + {p: 1, q: 0}", "{p: 3, q: 1}"),
            ("[{p: 2} - {}, {}, {} + {q: 1}]", "[{p: 2}, {:}, {q: 1}]"),
            ("[{} == {}, #{} == 0, {1} + {} == {1}, p in {}]", "[true, true, true, false]"),
            ("count(p, {p: 2} * {p: 5, q: 1}) + #{p: 2, q: 3}", "7"),
            ("Bag2Set({p: 2, q: 1}) == {q, p} && {:} <= {p: 1}", "true"),
            ("{ e: E | if(e == q, 2, 0) }", "{q: 2}"),
            ("#{p, q, p} + count(3, Set2Bag(s + {3}))", "3"),
        ],
    );
}

#[test]
fn quantifiers() {
    check(
        "sort E = struct x | y | z; map some: Set(Nat) -> Bool; sub: Set(Nat) # Set(Nat) -> Bool;
         large: Set(Nat) -> Set(Nat); even: Set(Nat); likes: E # E -> Bool; prime, small: Nat -> Bool; l: List(Nat);
         var a: E; n: Nat; c, d: Set(Nat);
         eqn some(c) = exists n: Nat. n in c && n > 5; sub(c, d) = forall n: Nat. n in c => n in d;
             large(c) = { n: Nat | n in c && n > 5 }; even = { n: Nat | n mod 2 == 0 };
             likes(a, a) = false; likes(x, a) = a == y; likes(a, x) = true; likes(y, z) = false; likes(z, y) = true;
         prime(n) = n > 1 && forall d: Pos. 1 < d && d * d <= n && d < n => n mod d != 0; l = [4, 8]; small(n) = n < 5;",
        &[
            ("exists a: E. likes(a, x)", "true"),
            ("forall a: E. exists b: E. likes(a, b)", "true"),
            ("exists a, b: E. likes(a, b) && likes(b, a)", "true"),
            ("[prime(2), prime(7), prime(9)]", "[true, true, false]"),
            ("forall n: Nat. n in l => n mod 4 == 0", "true"),
            ("exists n: Nat. n < 3 && n * n == 4", "true"),
            ("forall n: Nat. n + 1 < #l => l . n < l . (n + 1)", "true"),
            ("exists n: Nat. small(n) && n * n == 9", "true"),
            ("[some({1, 7}), some({1}), some({ n: Nat | n > 3 } * {4, 6})]", "[true, false, true]"),
            ("exists k: List(Nat). k == tail(l) && #k == 1", "true"),
            ("{ k: List(Nat) | tail(l) == k || k == [] }", "{[], [8]}"),
            ("[sub({2, 4}, even), sub({2, 5}, even)]", "[true, false]"),
            ("[large({1, 6, 9}) == {6, 9}, 7 in large(even), 8 in large(even)]", "[true, false, true]"),
            ("exists m, n: Nat. m < 5 && n < m && m * n == 12", "true"),
            ("forall m, n: Nat. m in l && n in l => m + n < 13", "false"),
            ("exists n: Nat. (n == 7 || 2 <= n && n < 4) && n mod 3 == 0", "true"),
            ("{ n: Nat | n == 7 || n in l || n < 2 }", "{0, 1, 4, 7, 8}"),
            ("exists i: Int. -3 <= i && i < 0 && i * i == 4", "true"),
        ],
    );
}

#[test]
fn constants_without_equations_are_values() {
    check(
        "sort D; map d1, d2: D; f: D -> D; var d: D; eqn f(d) = d2;",
        &[("d1 == d2", "false"), ("f(d1)", "d2"), ("{d2, d1}", "{d1, d2}"), ("[d1, f(d1)]", "[d1, d2]")],
    );
}

#[test]
fn a_variable_hides_no_symbol_that_is_applied() {
    check(
        "sort A = struct ac(first: Bool, args: List(Bool)); map f: List(Bool) # A -> List(Bool); g: Bool -> Bool;
         h: (Bool -> Bool) -> Bool; var args: List(Bool); a: A; g: Bool -> Bool;
         eqn f(args, a) = args ++ args(a); h(g) = g(false); g(true) = true;",
        &[("f([true], ac(true, [false]))", "[true, false]"), ("h(lambda x: Bool. !x)", "true")],
    );
}

/// A list of the aliases at each of them would take gigabytes.
#[test]
fn a_long_chain_of_aliases() {
    let chain: String = (0..20_000).map(|i| format!("sort T{i} = T{};\n", i + 1)).collect();
    let text = format!("{chain}sort T20000 = Nat; map f: T0 -> T9; var x: T3; eqn f(x) = x + 1;");
    check(&text, &[("f(1)", "2")]);
}

#[test]
fn quantifiers_over_sets_and_functions() {
    check(
        "sort N = struct n1 | n2 | n3; P = struct p1 | p2; map f: N -> P; x: N; eqn f(n1) = p1; f(n2) = p2; f(n3) = p1;",
        &[
            ("forall x: Pos. true", "true"),
            ("exists x: List(Nat). 1 < 0", "false"),
            ("forall s: Set(Bool). s <= {true, false}", "true"),
            ("exists s: FSet(N). #s == 2 && n2 in s", "true"),
            ("{ s: FSet(N) | n2 in s && #s < 3 }", "{{n1, n2}, {n2}, {n2, n3}}"),
            ("exists s: Set(Set(Bool)). {true} in s && !({false} in s)", "true"),
            ("exists g: N -> P. g(n1) == p2 && g(n2) == p1", "true"),
            ("forall g: N -> P. g(n1) == g(n2) || g(n2) == g(n3) || g(n1) == g(n3)", "true"),
            ("exists g: N -> P. g == f", "true"),
            ("forall g: N -> Bool. exists s: Set(N). forall n: N. n in s == g(n)", "true"),
            ("exists g: Bool -> Bool -> Bool. g(true)(false) && !g(false)(true)", "true"),
        ],
    );
}

#[test]
fn a_quantifier_that_stays_is_written_as_a_term() {
    let text = "map f: Nat -> Bool; g: Bool # Nat -> Bool; var n: Nat; b: Bool;
                eqn f(n) = exists m: Nat. m * m == n; g(b, n) = forall c: Bool, l: List(Nat). c || b || #l > n;";
    check(
        text,
        &[
            ("forall x: Pos. x * x > 3", "forall x: Pos. (x * x) > 3"),
            ("f(9)", "(lambda n: Nat. exists m: Nat. (m * m) == n)(9)"),
        ],
    );
}

#[test]
fn empty_sets_stand_for_sets_of_any_elements() {
    check("map f: Bool; eqn f = true;", &[("{} <= !{}", "true"), ("!{} == {}", "false"), ("!!{}", "{}")]);
}
