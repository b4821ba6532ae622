//! Strategies other than innermost, by examples and against a naive rewriter.

use super::support::{check_normal_forms as check, load};
use gchr_base::diagnostic::{Diagnostic, render_all};
use gchr_testkit::findings;
use gchr_testkit::random::Random;

/// The errors of a text, by code and place.
#[track_caller]
fn check_errors(text: &str, expected: &[(&str, &str)]) {
    let (sources, mut loaded) = load(text);
    loaded.diagnostics.retain(Diagnostic::is_error);
    findings::check(&sources, &loaded.diagnostics, expected);
}

/// Streams over lists that a program declares.
const STREAMS: &str = "sort Nat = struct Zero | S(Nat); List = struct Nil | Cons(Nat, List);
map From: Nat -> List; Take: Nat # List -> List; Head: List -> Nat; Loop: Nat; First, If: Nat # Nat -> Nat;
var X, Y: Nat; L: List;
eqn From(X) = Cons(X, From(S(X)));
  Take(Zero, L) = Nil;
  Take(S(X), Cons(Y, L)) = Cons(Y, Take(X, L));
  Head(Cons(X, L)) = X;
  Loop = S(Loop);
  First(X, Y) = X;
  If(Zero, Y) = Zero;
  If(S(X), Y) = Y;
";

#[test]
fn what_does_not_end_innermost_is_evaluated_as_far_as_it_is_needed() {
    for strategy in ["outermost", "Cons(_, lazy)"] {
        check(
            &format!("{STREAMS} strategy {strategy};"),
            &[
                ("Head(From(Zero))", "Zero"),
                ("Take(S(S(Zero)), From(S(Zero)))", "Cons(S(Zero), Cons(S(S(Zero)), Nil))"),
                ("Take(S(Zero), Cons(Head(Nil), From(Zero)))", "Cons(Head(Nil), Nil)"),
                ("Head(Cons(Head(From(S(Zero))), From(Zero)))", "S(Zero)"),
            ],
        );
    }
    check(
        &format!("{STREAMS} strategy outermost;"),
        &[("First(Zero, Loop)", "Zero"), ("If(Zero, Loop)", "Zero")],
    );
    let lazy = format!("{STREAMS} strategy First(_, lazy); If(_, lazy); Cons(_, lazy);");
    check(
        &lazy,
        &[
            ("First(Zero, Loop)", "Zero"),
            ("If(First(Zero, Loop), Loop)", "Zero"),
            ("If(S(Zero), If(Zero, Loop))", "Zero"),
            ("If(Head(Nil), If(Zero, Loop))", "If(Head(Nil), Zero)"),
        ],
    );
}

#[test]
fn frozen_arguments_stay() {
    let text = format!("{STREAMS} strategy Cons(_, frozen); If(_, frozen);");
    check(
        &text,
        &[
            ("From(First(Zero, Zero))", "Cons(Zero, From(S(Zero)))"),
            ("Take(S(Zero), From(Zero))", "Cons(Zero, Take(Zero, From(S(Zero))))"),
            ("If(Head(From(Zero)), Loop)", "Zero"),
            ("If(S(Zero), First(S(Zero), Zero))", "S(Zero)"),
            ("If(Head(Nil), First(S(Zero), Zero))", "If(Head(Nil), First(S(Zero), Zero))"),
        ],
    );
}

#[test]
fn built_in_lists_may_be_infinite() {
    let text =
        "map From: Int -> List(Int); Sieve: List(Int) -> List(Int); Without: Int # List(Int) -> List(Int);
  Take: Int # List(Int) -> List(Int); Map: (Int -> Int) # List(Int) -> List(Int); Repeat: Int -> List(Int);
  Sum, Length: List(Int) -> Int; Twice: Int -> Int; Uses: List(Int) -> List(Int); IsEmpty: List(Int) -> Bool;
  Doubled: List(Int) -> List(Int);
var N, K: Int; L: List(Int); F: Int -> Int;
eqn From(N) = N |> From(N + 1);
  Sieve(N |> L) = N |> Sieve(Without(N, L));
  Without(N, K |> L) = if(K mod N == 0, Without(N, L), K |> Without(N, L));
  Take(N, L) = if(N == 0, [], head(L) |> Take(N - 1, tail(L)));
  Map(F, []) = []; Map(F, N |> L) = F(N) |> Map(F, L);
  Repeat(N) = N |> Repeat(N);
  Sum([]) = 0; Sum(N |> L) = N + Sum(L);
  Twice(N) = N * 2;
  Doubled(L) = Map(Twice, L);
  IsEmpty([]) = true; IsEmpty(N |> L) = false;
  Length(L) = if(IsEmpty(L), 0, 1 + Length(tail(L)));
  Uses(L) = if(3 in L, [rhead(L), L . 5, #L, head(L)] ++ (tail(L) <| 4), rtail(L));
";
    let cases = [
        ("Take(6, Sieve(From(2)))", "[2, 3, 5, 7, 11, 13]"),
        ("From(3) . 5", "8"),
        ("head(tail([1] ++ From(7)))", "7"),
        ("Sum(Take(4, Doubled(From(1))))", "20"),
        ("Take(2, Repeat(4)) == [4, 4]", "true"),
        ("#Take(3, From(0)) + 1", "4"),
        ("rhead(Take(3, From(0)))", "2"),
        ("3 in From(0) && !(1 in [])", "true"),
        ("Sum([2, 3] <| 4)", "9"),
        ("Length(Take(3, From(0)))", "3"),
        ("Uses(Take(6, From(2)))", "[7, 7, 6, 2, 3, 4, 5, 6, 7, 4]"),
    ];
    check(&format!("{text} strategy outermost;"), &cases);
    check(&format!("strategy _ |> lazy; {text}"), &cases);
}

#[test]
fn parts_of_rules_are_evaluated_where_they_are_in_the_rule() {
    let text = "sort D = struct A | B | C; S = struct P(D, S) | E;
map Loop: D -> S; Choose: Bool # S # S -> S; Get: S -> D; Fun: S -> (D -> S); Both: D # S -> S; Not: D -> Bool;
  Known: S -> D; Rest: S -> S;
var X, Y: D; R, T: S;
eqn Loop(X) = P(X, Loop(X));
  Choose(X == A, R, T) = E;
  Get(P(X, R)) = X;
";
    // Operators are not matched.
    check_errors(text, &[("T0303", "X == A")]);
    let text = text.replace("Choose(X == A, R, T) = E;", "");
    let rules = "Both(X, P(Y, R)) = if(X == A, R, if(Not(X), P(X, E), P(Y, Rest(R))));
  Not(A) = false; Not(B) = true;
  Fun(P(X, R)) = lambda Z: D. P(Z, R);
  Rest(P(X, R)) = R;
  T := Rest(R) && Get(T) == A -> Known(R) = B;
  Known(R) = C [owise];
";
    let program = format!("{text}{rules}");
    let cases = [
        ("Get(Both(A, P(B, Loop(C))))", "C"),
        ("Both(B, Loop(C))", "P(B, E)"),
        ("Get(Rest(Fun(Loop(A))(B)))", "A"),
        ("Get(if(Not(A), Loop(A), Loop(B)))", "B"),
        ("if(Not(C), E, E)", "if(Not(C), E, E)"),
        ("Get(Rest(P(A, P(B, E))))", "B"),
    ];
    check(&format!("{program} strategy P(_, lazy);"), &cases);
    check(&format!("{program} strategy outermost;"), &cases[..2]);
    check(&format!("{program} strategy P(_, lazy);"), &[("Known(Loop(A))", "B"), ("Known(Loop(B))", "C")]);
}

#[test]
fn rules_are_tried_in_order_on_what_they_match() {
    let text = "sort D = struct A | B; L = struct N | Q(D, L);
map F: L -> D; G: D -> D; Two: L -> D; M: L;
var X, Y: D; K: L;
eqn F(Q(X, N)) = A; F(Q(X, Q(Y, K))) = B;
  Two(Q(X, Q(X, K))) = A; Two(K) = B;
  G(A) = B; G(X) = A;
  M = Q(G(A), M);
";
    check(
        &format!("{text} strategy Q(_, lazy);"),
        &[("F(M)", "B"), ("Two(M)", "A"), ("Two(Q(A, M))", "B"), ("G(G(A))", "A"), ("F(Q(A, N))", "A")],
    );
    // Outermost, the second rule applies to what is not evaluated.
    check(&format!("{text} strategy outermost;"), &[("G(G(A))", "A"), ("G(F(Q(A, N)))", "A"), ("F(M)", "B")]);
}

#[test]
fn projections_and_recognisers_wait_for_what_they_look_at() {
    let text = "sort D = struct A?is_a | B?is_b | C(D)?is_c;
map F: D -> D; H: D -> Bool;
var X: D;
eqn F(A) = B; F(B) = A; H(X) = is_b(X);
";
    for strategy in ["outermost", "C(lazy)", "C(frozen)"] {
        let cases =
            [("is_a(F(B))", "true"), ("is_b(F(B))", "false"), ("H(F(A))", "true"), ("H(C(F(A)))", "false")];
        check(&format!("{text} strategy {strategy};"), &cases);
    }
}

#[test]
fn instances_have_the_strategy_of_their_symbol() {
    let text = "sort Stream(A) = struct Next(first: A, rest: Stream(A));
map Same: A -> Stream(A); Count: Int -> Stream(Int); Zip: Stream(A) # Stream(B) -> Stream(Int);
  Nth: Int # Stream(A) -> A;
var A, B: sort;
var X: A; Y: B; S: Stream(A); T: Stream(B); N: Int;
eqn Same(X) = Next(X, Same(X));
  Count(N) = Next(N, Count(N + 1));
  Zip(Next(X, S), Next(Y, T)) = Next(1, Zip(S, T));
  Nth(N, S) = if(N == 0, first(S), Nth(N - 1, rest(S)));
";
    let uses =
        "map Use, Ones: Int -> Int; var M: Int; eqn Use(M) = if(Nth(M, Same(true)), Nth(M, Count(M)), 0);
  Ones(M) = Nth(M, Zip(Count(M), Same(false)));";
    let cases = [("Use(4)", "8"), ("Nth(2, Count(Use(1)))", "4"), ("Ones(3)", "1")];
    for strategy in ["Next(_, lazy)", "Next(_, frozen)"] {
        check(&format!("{text} {uses} strategy {strategy};"), &cases);
    }
    // Outermost, the first argument of `Zip` is rewritten for ever before the second one is.
    check(&format!("{text} {uses} strategy outermost;"), &cases[..2]);
}

#[test]
fn what_does_not_fit_is_named() {
    let text = |strategy: &str| format!("{STREAMS} {strategy}");
    let errors = |strategy: &str, expected: &[(&str, &str)]| check_errors(&text(strategy), expected);
    errors("strategy Conz(_, lazy);", &[("T0102", "Conz")]);
    errors("strategy Cons(lazy);", &[("T0103", "Cons(lazy)")]);
    errors("strategy outermost; innermost;", &[("T0118", "innermost")]);
    errors("strategy Cons(_, lazy); Cons(_, frozen);", &[("T0118", "Cons(_, frozen)")]);
    errors("strategy outermost; Cons(_, lazy);", &[("T0117", "lazy")]);
    errors("strategy First(_, eager);", &[("T0003", "eager")]);
    errors("strategy sometimes;", &[("T0003", ";")]);
    errors("strategy outermost", &[("T0003", "")]);
    errors("map N: Int -> Int; strategy N(lazy);", &[("T0117", "lazy")]);
    let axioms =
        "sort B = struct O | U(Int); map P: B # B -> B [comm]; D: B -> B; var X: B; eqn D(P(X, X)) = X;";
    errors(&format!("{axioms} strategy outermost;"), &[("T0117", "outermost")]);
    errors(&format!("{axioms} strategy D(lazy);"), &[("T0117", "D(lazy)")]);
    check_errors(&format!("{axioms} strategy innermost; D(_);"), &[]);
}

#[test]
fn the_word_is_a_name_elsewhere() {
    let text = "sort D = struct strategy | lazy(D) | frozen; map outermost: D -> D; In: D # List(D) -> Bool; var X: D;
eqn outermost(strategy) = lazy(frozen);
  strategy in [X] -> In(X, []) = true;
strategy outermost(_); innermost;
input outermost(strategy)";
    check(text, &[("outermost(strategy)", "lazy(frozen)"), ("In(strategy, [])", "true")]);
}

#[test]
fn nothing_is_warned_of_that_a_strategy_makes_sense_of() {
    for (text, strategy) in [
        (
            "sort D = struct A | P(D, D); map F: D -> D; var X: D; eqn F(X) = P(X, F(X)); input F(A);",
            "P(_, lazy)",
        ),
        (
            "sort D = struct A | B; map F, G: D -> D; var X: D;
eqn F(G(X)) = A; F(A) = B; F(B) = A; G(X) = B; input F(G(A));",
            "outermost",
        ),
    ] {
        assert!(!load(text).1.diagnostics.is_empty(), "{text}");
        let (sources, loaded) = load(&format!("{text} strategy {strategy};"));
        assert!(loaded.diagnostics.is_empty(), "{}", render_all(&loaded.diagnostics, &sources, false));
    }
}

/// How the arguments of a symbol are rewritten: evaluated, lazy or frozen.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Mode {
    Evaluated,
    Lazy,
    Frozen,
}

/// A term over `F`, `G`, `P`, of two arguments, `A`, `B`; variables are `X`, `Y`.
#[derive(Clone, PartialEq, Debug)]
struct Tree(char, Vec<Tree>);

impl Tree {
    fn is_variable(&self) -> bool {
        matches!(self.0, 'X' | 'Y')
    }

    fn size(&self) -> usize {
        1 + self.1.iter().map(Tree::size).sum::<usize>()
    }
}

fn tree(random: &mut Random, depth: u32, leaves: &[char]) -> Tree {
    if depth == 0 || random.below(4) == 0 {
        return Tree(leaves[random.below(leaves.len())], Vec::new());
    }
    let name = ['F', 'G', 'P'][random.below(3)];
    Tree(name, (0..2).map(|_| tree(random, depth - 1, leaves)).collect())
}

fn text(tree: &Tree) -> String {
    match tree.1.as_slice() {
        [] => tree.0.to_string(),
        args => format!("{}({})", tree.0, args.iter().map(text).collect::<Vec<_>>().join(", ")),
    }
}

fn replaced(tree: &Tree, known: &[(char, Tree)]) -> Tree {
    match known.iter().find(|(name, _)| *name == tree.0) {
        Some((_, value)) => value.clone(),
        None => Tree(tree.0, tree.1.iter().map(|arg| replaced(arg, known)).collect()),
    }
}

/// Rewriting by the definition.
struct Naive {
    rules: Vec<(Tree, Tree)>,
    modes: Vec<(char, [Mode; 2])>,
    /// How much may still be done.
    fuel: std::cell::Cell<u32>,
}

impl Naive {
    fn mode(&self, symbol: char, at: usize) -> Mode {
        self.modes.iter().find(|(name, _)| *name == symbol).map_or(Mode::Evaluated, |(_, modes)| modes[at])
    }

    fn burn(&self, size: usize) -> Option<()> {
        self.fuel.set(self.fuel.get().checked_sub(1 + size as u32 / 20)?);
        Some(())
    }

    /// Matches a term as it stands.
    fn matches(pattern: &Tree, tree: &Tree, known: &mut Vec<(char, Tree)>) -> bool {
        if pattern.is_variable() {
            if let Some((_, value)) = known.iter().find(|(name, _)| *name == pattern.0) {
                return value == tree;
            }
            known.push((pattern.0, tree.clone()));
            return true;
        }
        pattern.0 == tree.0 && pattern.1.iter().zip(&tree.1).all(|(p, t)| Self::matches(p, t, known))
    }

    /// A step at the first place of an order.
    fn step(&self, tree: &Tree, outermost: bool) -> Option<Tree> {
        let root = || {
            self.rules.iter().find_map(|(left, right)| {
                let mut known = Vec::new();
                Self::matches(left, tree, &mut known).then(|| replaced(right, &known))
            })
        };
        let below = || {
            (0..tree.1.len()).filter(|&at| self.mode(tree.0, at) == Mode::Evaluated).find_map(|at| {
                let mut next = tree.clone();
                next.1[at] = self.step(&tree.1[at], outermost)?;
                Some(next)
            })
        };
        if outermost { root().or_else(below) } else { below().or_else(root) }
    }

    /// All steps; `None` if there are too many.
    fn steps(&self, start: &Tree, outermost: bool) -> Option<Tree> {
        let mut reached = start.clone();
        while let Some(next) = self.step(&reached, outermost) {
            self.burn(next.size())?;
            reached = next;
        }
        Some(reached)
    }

    /// Innermost, with what is lazy evaluated where it is matched; `None` if it takes too long.
    fn evaluated(&self, tree: &Tree) -> Option<Tree> {
        self.burn(tree.size())?;
        let mut value = tree.clone();
        for at in 0..tree.1.len() {
            if self.mode(tree.0, at) == Mode::Evaluated {
                value.1[at] = self.evaluated(&tree.1[at])?;
            }
        }
        for (left, right) in &self.rules {
            let mut known = Vec::new();
            if self.matches_on_demand(left, &value, &mut known)? {
                return self.evaluated(&replaced(right, &known));
            }
        }
        Some(value)
    }

    /// Matches an application, whose lazy arguments are evaluated for patterns that are no variables.
    fn matches_on_demand(&self, pattern: &Tree, tree: &Tree, known: &mut Vec<(char, Tree)>) -> Option<bool> {
        if pattern.0 != tree.0 {
            return Some(false);
        }
        // What is lazy comes behind what is not.
        let mut later = Vec::new();
        if !self.matches_now(pattern, tree, known, &mut later) {
            return Some(false);
        }
        for (pattern, tree) in later {
            let value = self.evaluated(&tree)?;
            if !self.matches_on_demand(&pattern, &value, known)? {
                return Some(false);
            }
        }
        Some(true)
    }

    fn matches_now(
        &self,
        pattern: &Tree,
        tree: &Tree,
        known: &mut Vec<(char, Tree)>,
        later: &mut Vec<(Tree, Tree)>,
    ) -> bool {
        if pattern.is_variable() {
            return Self::matches(pattern, tree, known);
        }
        pattern.0 == tree.0
            && pattern.1.iter().zip(&tree.1).enumerate().all(|(at, (p, t))| match self.mode(tree.0, at) {
                Mode::Evaluated => self.matches_now(p, t, known, later),
                Mode::Lazy if !p.is_variable() => {
                    later.push((p.clone(), t.clone()));
                    true
                }
                Mode::Lazy | Mode::Frozen => Self::matches(p, t, known),
            })
    }

    /// A value with what is lazy in it.
    fn complete(&self, tree: &Tree) -> Option<Tree> {
        let mut value = tree.clone();
        for at in 0..tree.1.len() {
            match self.mode(tree.0, at) {
                Mode::Evaluated => value.1[at] = self.complete(&tree.1[at])?,
                Mode::Lazy => value.1[at] = self.complete(&self.evaluated(&tree.1[at])?)?,
                Mode::Frozen => {}
            }
        }
        Some(value)
    }
}

/// Random rules.
fn rules(random: &mut Random) -> Vec<(Tree, Tree)> {
    let mut rules = Vec::new();
    while rules.len() < 5 {
        let left = tree(random, 3, &['A', 'B', 'X', 'Y']);
        let right = tree(random, 2, &['A', 'B', 'X', 'Y']);
        let bound = |name: &str| text(&left).contains(name) || !text(&right).contains(name);
        if matches!(left.0, 'F' | 'G') && bound("X") && bound("Y") {
            rules.push((left, right));
        }
    }
    rules
}

#[test]
fn random_systems_agree_with_a_naive_rewriter() {
    let mut compared = [0; 4];
    for seed in 0..600 {
        let mut random = Random::new(seed);
        // Outermost, some arguments frozen; innermost, some frozen; innermost, some lazy or frozen.
        let kind = random.below(4);
        let modes = ['F', 'G', 'P'].map(|name| {
            let mut one = || match (kind, random.below(4)) {
                (0, _) | (_, 0 | 1) => Mode::Evaluated,
                (3, 2) => Mode::Lazy,
                _ => Mode::Frozen,
            };
            (name, [one(), one()])
        });
        let naive = Naive { rules: rules(&mut random), modes: modes.to_vec(), fuel: 0.into() };
        let word = |mode: Mode| match mode {
            Mode::Evaluated => "_",
            Mode::Lazy => "lazy",
            Mode::Frozen => "frozen",
        };
        let strategy =
            naive.modes.iter().map(|(name, [a, b])| format!("{name}({}, {});", word(*a), word(*b)));
        let order = if kind < 2 { "outermost;" } else { "innermost;" };
        let shown: Vec<String> =
            naive.rules.iter().map(|(l, r)| format!("{} = {};", text(l), text(r))).collect();
        let program = format!(
            "sort T = struct A | B | P(T, T); map F, G: T # T -> T; var X, Y: T; eqn {} strategy {order} {}",
            shown.join(" "),
            strategy.collect::<String>(),
        );
        let mut cases = Vec::new();
        for _ in 0..4 {
            naive.fuel.set(80);
            let start = tree(&mut random, 3, &['A', 'B']);
            let found = match kind {
                3 => naive.evaluated(&start).and_then(|value| naive.complete(&value)),
                _ => naive.steps(&start, kind < 2),
            };
            if let Some(found) = found {
                compared[kind] += 1;
                cases.push((text(&start), text(&found)));
            }
        }
        let cases: Vec<(&str, &str)> = cases.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        check(&program, &cases);
    }
    assert!(compared.iter().all(|&count| count > 100), "{compared:?}");
}
