//! Symbols whose equations match modulo associativity, commutativity and an identity.

use super::support::{check_normal_forms as check, load};
use gchr_base::diagnostic::render_all;
use gchr_testkit::findings;
use proptest::prelude::*;

/// The only finding of a text without warnings.
#[track_caller]
fn check_error(text: &str, code: &str, place: &str) {
    let (sources, mut loaded) = load(text);
    loaded.diagnostics.retain(gchr_base::diagnostic::Diagnostic::is_error);
    findings::check(&sources, &loaded.diagnostics, &[(code, place)]);
}

const BAGS: &str = "sort Bag = struct Empty | One(Int);
map Plus: Bag # Bag -> Bag [assoc comm id: Empty]; Sum, Size: Bag -> Int; Least: Bag -> Int; Has: Int # Bag -> Bool;
  Same: Bag # Bag -> Bool;
var X, Y: Int; B, C: Bag;
eqn Sum(Empty) = 0; Sum(Plus(One(X), B)) = X + Sum(B);
  Size(Empty) = 0; Size(Plus(One(_), B)) = 1 + Size(B);
  X <= Y -> Least(Plus(One(X), Plus(One(Y), B))) = Least(Plus(One(X), B)); Least(One(X)) = X;
  Has(X, Plus(One(X), B)) = true; Has(X, B) = false [owise];
  Same(B, C) = B == C;
";

#[test]
fn arguments_match_in_any_order_and_nesting() {
    check(
        BAGS,
        &[
            ("Plus(One(2), Plus(Empty, Plus(One(1), One(2))))", "Plus(One(1), Plus(One(2), One(2)))"),
            ("Sum(Plus(Plus(One(4), One(5)), Plus(One(6), Empty)))", "15"),
            ("Sum(One(7))", "7"),
            ("Size(Plus(Plus(One(4), One(4)), One(4)))", "3"),
            ("Least(Plus(One(9), Plus(One(3), One(5))))", "3"),
            ("Has(5, Plus(One(9), Plus(One(3), One(5))))", "true"),
            ("Has(4, Plus(One(9), Plus(One(3), One(5))))", "false"),
            ("Same(Plus(One(1), Plus(One(2), One(3))), Plus(Plus(One(3), One(1)), One(2)))", "true"),
            ("Same(Plus(One(1), One(1)), One(1))", "false"),
        ],
    );
}

/// Equations that take a term apart end where single elements have equations of their own.
#[test]
fn variables_stand_for_no_argument_at_last() {
    for axioms in ["assoc comm id: E", "assoc id: E"] {
        let text = format!(
            "sort B = struct E | V(Int); R = struct P(B, B) | Q(B, B, B);
             map U: B # B -> B [{axioms}]; Total: B -> Int; F, G: B -> R;
             var X, Y, Z: B; N: Int;
             eqn Total(E) = 0; Total(V(N)) = N; Total(U(X, Y)) = Total(X) + Total(Y);
               X != E && Y != E -> F(U(X, Y)) = P(X, Y); F(X) = P(X, E) [owise];
               Y == E -> G(U(X, U(Y, Z))) = Q(X, Y, Z);"
        );
        check(
            &text,
            &[
                ("Total(U(V(1), U(V(2), U(V(3), V(4)))))", "10"),
                ("Total(E)", "0"),
                ("F(U(V(1), U(V(2), V(3))))", "P(V(1), U(V(2), V(3)))"),
                ("F(V(1))", "P(V(1), E)"),
                ("F(E)", "P(E, E)"),
                ("G(V(1))", "Q(V(1), E, E)"),
                ("G(E)", "Q(E, E, E)"),
            ],
        );
    }
}

/// Where a rule applies to its own result because a variable is an identity, and nothing else takes the term.
#[test]
fn rules_that_are_endless_with_an_identity() {
    let warnings = |equations: &str, expected: &[(&str, &str)]| {
        let text = format!(
            "sort B = struct E | V(Int) | W(B, B); I = struct Zero | One;
             map U: B # B -> B [assoc comm id: E]; Total: B -> Int;
               Size: I -> Int; Plus: I # I -> I [assoc comm id: Zero]; Times: I # I -> I [assoc comm id: One];
             var X, Y, Z: B; N: Int; P, Q, R: I; eqn {equations}"
        );
        let (sources, mut loaded) = load(&text);
        assert!(loaded.program.is_some(), "{}", render_all(&loaded.diagnostics, &sources, false));
        loaded.diagnostics.retain(|found| found.code == "T0508");
        findings::check(&sources, &loaded.diagnostics, expected);
    };
    let apart = "Total(U(X, Y)) = Total(X) + Total(Y);";
    let endless = [("T0508", "Total(Y)")];
    let (split, size) = ("Size(Plus(P, Q)) = Size(P) + Size(Q);", ("T0508", "Size(Q)"));
    warnings(apart, &endless);
    warnings(&format!("Total(E) = 0; Total(V(N)) = N; {apart}"), &endless);
    warnings(&format!("Total(E) = 0; Total(V(N)) = N; Total(W(X, Y)) = 0; {apart}"), &[]);
    // A normal form of a function is a single element as well.
    warnings(
        &format!("Plus(P, P) = P; Times(Zero, P) = Zero; Size(Zero) = 1; Size(One) = 1; {split}"),
        &[size],
    );
    // What an earlier rule may match modulo axioms, or with a condition, is not decided.
    warnings(&format!("Total(U(X, V(N))) = N; {apart}"), &[]);
    warnings(&format!("X == Y -> Total(U(X, Y)) = 0; {apart}"), &[]);
    warnings(&format!("N > 0 -> Total(V(N)) = 0; Total(W(X, Y)) = 1; Total(E) = 0; {apart}"), &[]);
    // With a condition the rule ends, and so may one that is tried at last.
    warnings("X != E && Y != E -> Total(U(X, Y)) = Total(X) + Total(Y);", &[]);
    warnings("Times(P, Plus(Q, R)) = Plus(Times(P, Q), Times(P, R));", &[("T0508", "Times(P, R)")]);
    warnings("Total(U(V(N), X)) = N + Total(X);", &[]);
}

#[test]
fn each_axiom_alone() {
    let text = "sort A = struct a | b | c | e; map K: A # A -> A [assoc]; G: A # A -> N [comm]; I: A # A -> A [id: e];
      sort N = struct n(Int);
      var X: A; eqn K(a, b) = c; G(a, b) = n(1); G(X, X) = n(2); I(a, b) = c;";
    check(
        text,
        &[
            ("K(b, K(a, K(b, a)))", "K(b, K(c, a))"),
            ("K(b, a)", "K(b, a)"),
            ("G(b, a)", "n(1)"),
            ("G(K(a, b), c)", "n(2)"),
            ("G(c, b)", "G(b, c)"),
            ("I(e, I(a, e))", "a"),
            ("I(I(a, e), I(e, b))", "c"),
            ("I(b, a)", "I(b, a)"),
        ],
    );
}

#[test]
fn parameters_have_axioms() {
    let text = "sort Bag(A) = struct Empty | One(A);
      map Plus: Bag(A) # Bag(A) -> Bag(A) [assoc comm id: Empty]; Elements: Bag(A) -> List(A);
      var X: A; B: Bag(A);
      eqn Elements(Plus(One(X), B)) = X |> Elements(B); Elements(Empty) = [];
      input Elements(Plus(One(Elements(Plus(One(2), One(1)))), One([])));";
    let (sources, loaded) = load(text);
    assert_eq!(loaded.diagnostics, [], "{}", render_all(&loaded.diagnostics, &sources, false));
    let program = loaded.program.expect("a program");
    assert_eq!(gchr_terms::testing::normal_form(&program), "[[], [1, 2]]");
}

#[test]
fn equations_are_tried_in_their_order() {
    let text =
        "sort T = struct t | f | u; map And: T # T -> T [assoc comm]; Or: T # T -> T [assoc comm]; var X: T;
      eqn And(u, f) = u; And(f, X) = f; Or(t, X) = u [owise]; Or(t, f) = t;";
    check(text, &[("And(u, f)", "u"), ("And(t, f)", "f"), ("Or(f, t)", "t"), ("Or(u, t)", "u")]);
}

#[test]
fn axioms_fit_the_sorts() {
    let sorts = "sort A = struct a | s(A); B = struct b | c(Int);";
    let check = |rest: &str, code, place| check_error(&format!("{sorts} {rest}"), code, place);
    check("map F: A -> A [assoc];", "T0114", "assoc");
    check("map F: A # B -> A [comm];", "T0114", "comm");
    check("map F: A # A -> B [comm assoc];", "T0114", "assoc");
    check("map F: Int # Int -> Int [assoc];", "T0114", "assoc");
    check("map F: A # A -> Int [comm];", "T0114", "comm");
    check("map F: B # B -> B [comm comm];", "T0114", "comm");
    check("map F: A # A -> A [id: zero];", "T0115", "zero");
    check("map F: A # A -> A [id: s];", "T0115", "s");
    check("map F: A # A -> A [id: b];", "T0115", "b");
    check("map F: A # A -> A [id: k]; k: A; eqn k = a;", "T0115", "k");
    check("map F: A # A -> A [total];", "T0003", "total");
    check("map F: A # A -> A [];", "T0003", "]");
}

#[test]
fn identities_are_no_arguments_of_left_hand_sides() {
    let bags = "sort Bag(A) = struct Empty | One(A); map Plus: Bag(A) # Bag(A) -> Bag(A) [comm id: Empty]; F: Bag(A) -> Bag(A);
      var B: Bag(A); X: A;";
    check_error(&format!("{bags} eqn Plus(Empty, B) = B;"), "T0310", "Empty");
    check_error(&format!("{bags} eqn Plus(One(X), Plus(Empty, Empty)) = B;"), "T0304", "B");
    let nested =
        "eqn Plus(One(X), Plus(Empty, Empty)) = One(X); F(One(X)) = Empty; input F(Plus(One(1), Empty));";
    check_error(&format!("{bags} {nested}"), "T0310", "Plus(Empty, Empty)");
    check(
        &format!("{bags} eqn F(Plus(Empty, One(X))) = Empty; input F(One(1));"),
        &[("F(Plus(Empty, One(2)))", "Empty")],
    );
}

#[test]
fn sets_have_each_element_once() {
    let text = "sort Set = struct Empty | One(Int);
      map Union: Set # Set -> Set [assoc comm id: Empty]; In: Int # Set -> Bool; Both: Set # Set -> Set;
      var X: Int; A, B: Set;
      eqn Union(A, A) = A; In(X, Union(One(X), A)) = true; In(X, A) = false [owise];
        Both(Union(One(X), A), B) = Union(if(In(X, B), One(X), Empty), Both(A, B)); Both(Empty, B) = Empty;";
    check(
        text,
        &[
            ("Union(One(2), Union(One(1), Union(One(2), One(1))))", "Union(One(1), One(2))"),
            (
                "Both(Union(One(2), Union(One(1), One(3))), Union(One(3), Union(One(2), One(3))))",
                "Union(One(2), One(3))",
            ),
            ("In(2, Union(One(1), One(1)))", "false"),
        ],
    );
}

/// A bag of numbers: a tree of them.
#[derive(Clone, Debug)]
enum Tree {
    Empty,
    One(i64),
    Plus(Box<Tree>, Box<Tree>),
}

impl Tree {
    fn text(&self) -> String {
        match self {
            Tree::Empty => "Empty".into(),
            Tree::One(number) => format!("One({number})"),
            Tree::Plus(a, b) => format!("Plus({}, {})", a.text(), b.text()),
        }
    }

    /// The numbers that are left, in order: after each union the first rule that applies is applied.
    fn reduced(&self, rules: &[(Vec<i64>, Option<i64>)]) -> Vec<i64> {
        let mut bag = match self {
            Tree::Empty => Vec::new(),
            Tree::One(number) => vec![*number],
            Tree::Plus(a, b) => [a.reduced(rules), b.reduced(rules)].concat(),
        };
        while let Some((left, (_, right))) =
            rules.iter().find_map(|rule| Some((without(&bag, &rule.0)?, rule)))
        {
            bag = left;
            bag.extend(right);
        }
        bag.sort_unstable();
        bag
    }
}

/// A bag without some of its elements, if they are there.
fn without(bag: &[i64], some: &[i64]) -> Option<Vec<i64>> {
    let mut left = bag.to_vec();
    for number in some {
        left.swap_remove(left.iter().position(|other| other == number)?);
    }
    Some(left)
}

fn union(numbers: &[i64]) -> String {
    match numbers {
        [] => "Empty".into(),
        [one] => format!("One({one})"),
        [first, rest @ ..] => format!("Plus(One({first}), {})", union(rest)),
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![1 => Just(Tree::Empty), 6 => (0..4i64).prop_map(Tree::One)];
    leaf.prop_recursive(4, 12, 2, |inner| {
        (inner.clone(), inner).prop_map(|(a, b)| Tree::Plus(a.into(), b.into()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Random rules on bags do what they do on sorted vectors.
    #[test]
    fn bags_are_rewritten_as_vectors_are(
        rules in prop::collection::vec((prop::collection::vec(0..4i64, 2..4), prop::option::of(0..4i64)), 1..4),
        trees in prop::collection::vec(trees(), 1..6),
    ) {
        let mut text = "sort Bag = struct Empty | One(Int); map Plus: Bag # Bag -> Bag [comm id: Empty assoc]; eqn\n".to_string();
        for (left, right) in &rules {
            let right = right.map_or("Empty".into(), |number| format!("One({number})"));
            text += &format!("{} = {right};\n", union(left));
        }
        let cases: Vec<(String, String)> =
            trees.iter().map(|tree| (tree.text(), union(&tree.reduced(&rules)))).collect();
        let cases: Vec<(&str, &str)> = cases.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        check(&text, &cases);
    }
}
