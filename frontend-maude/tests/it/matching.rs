//! Matching modulo axioms against a matcher that tries everything, on random patterns and terms.

use std::fmt::Write;

use gchr_testkit::random::Random;

use super::{check, value};

/// What is declared of an operator with two arguments.
#[derive(Clone, Copy)]
struct Axioms {
    assoc: bool,
    comm: bool,
    identity: bool,
}

/// A term or a pattern.
#[derive(Clone)]
enum Tree {
    /// `P`, `Q` of sort `A`; `X`, `Y` of sort `S`.
    Var(char),
    /// `a`, `b` of sort `A`; `e`, the identity, of sort `S`.
    Constant(char),
    F(Box<Tree>, Box<Tree>),
    /// The first or the second operator.
    Pair(usize, Box<Tree>, Box<Tree>),
}

/// A normal form: arguments flat, in order, without identities.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Normal {
    Constant(char),
    F(Box<Normal>, Box<Normal>),
    Op(usize, Vec<Normal>),
}

const NAMES: [&str; 2] = [";", "@"];

fn random_tree(random: &mut Random, depth: u32, vars: &[char]) -> Tree {
    if depth == 0 || random.below(4) == 0 {
        return match vars.is_empty() || random.below(5) < 2 {
            true => Tree::Constant(['a', 'b', 'e'][random.below(3)]),
            false => Tree::Var(vars[random.below(vars.len())]),
        };
    }
    let inner = |random: &mut Random| Box::new(random_tree(random, depth - 1, vars));
    match random.below(6) {
        0 => {
            let first = Tree::Constant(['a', 'b'][random.below(2)]);
            Tree::F(Box::new(first), inner(random))
        }
        1 | 2 => Tree::Pair(1, inner(random), inner(random)),
        _ => Tree::Pair(0, inner(random), inner(random)),
    }
}

fn text(tree: &Tree) -> String {
    match tree {
        Tree::Var(name) | Tree::Constant(name) => name.to_string(),
        Tree::F(a, b) => format!("f({}, {})", text(a), text(b)),
        Tree::Pair(op, a, b) => format!("({} {} {})", text(a), NAMES[*op], text(b)),
    }
}

const IDENTITY: Normal = Normal::Constant('e');

/// Arguments as one value; none if there are none of them and no identity.
fn joined(op: usize, mut args: Vec<Normal>, axioms: &[Axioms; 2]) -> Option<Normal> {
    let of = axioms[op];
    if of.assoc {
        args = args.into_iter().flat_map(|arg| elements(op, arg)).collect();
    }
    if of.identity {
        args.retain(|arg| *arg != IDENTITY);
    }
    if of.comm {
        args.sort();
    }
    match args.len() {
        0 => of.identity.then_some(IDENTITY),
        1 => args.pop(),
        _ => Some(Normal::Op(op, args)),
    }
}

fn elements(op: usize, value: Normal) -> Vec<Normal> {
    match value {
        Normal::Op(of, args) if of == op => args,
        other => vec![other],
    }
}

fn normal(tree: &Tree, axioms: &[Axioms; 2]) -> Normal {
    match tree {
        Tree::Var(_) => unreachable!("terms have no variables"),
        Tree::Constant(name) => Normal::Constant(*name),
        Tree::F(a, b) => Normal::F(Box::new(normal(a, axioms)), Box::new(normal(b, axioms))),
        Tree::Pair(op, a, b) => {
            let args = vec![normal(a, axioms), normal(b, axioms)];
            joined(*op, args, axioms).unwrap_or_else(|| unreachable!("there are two arguments"))
        }
    }
}

fn has_sort(var: char, value: &Normal) -> bool {
    let of_a = matches!(value, Normal::Constant('a' | 'b') | Normal::F(..));
    of_a || matches!(var, 'X' | 'Y')
}

/// Whether values match patterns, one after the other.
fn matches(todo: &[(&Tree, Normal)], values: &[(char, Normal)], axioms: &[Axioms; 2]) -> bool {
    let Some(((pattern, value), rest)) = todo.split_first() else { return true };
    match pattern {
        Tree::Var(name) => match values.iter().find(|(known, _)| known == name) {
            Some((_, known)) => known == value && matches(rest, values, axioms),
            None => {
                let more: Vec<_> = values.iter().cloned().chain([(*name, value.clone())]).collect();
                has_sort(*name, value) && matches(rest, &more, axioms)
            }
        },
        Tree::Constant(name) => *value == Normal::Constant(*name) && matches(rest, values, axioms),
        Tree::F(a, b) => match value {
            Normal::F(x, y) => {
                let more: Vec<_> = [(&**a, (**x).clone()), (&**b, (**y).clone())]
                    .into_iter()
                    .chain(rest.iter().cloned())
                    .collect();
                matches(&more, values, axioms)
            }
            _ => false,
        },
        Tree::Pair(op, a, b) => splits(*op, value, axioms).into_iter().any(|(x, y)| {
            let more: Vec<_> = [(&**a, x), (&**b, y)].into_iter().chain(rest.iter().cloned()).collect();
            matches(&more, values, axioms)
        }),
    }
}

/// All pairs whose application is a value.
fn splits(op: usize, value: &Normal, axioms: &[Axioms; 2]) -> Vec<(Normal, Normal)> {
    let of = axioms[op];
    let args = match value {
        Normal::Op(found, args) if *found == op => args.clone(),
        other if of.identity => vec![other.clone()],
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for chosen in 0u32..1 << args.len() {
        let is_left = |at: usize| chosen >> at & 1 == 1;
        let in_order = of.comm || (1..args.len()).all(|at| is_left(at - 1) || !is_left(at));
        if !in_order {
            continue;
        }
        let side = |left: bool| {
            let part = (0..args.len()).filter(|&at| is_left(at) == left).map(|at| args[at].clone());
            joined(op, part.collect(), axioms)
        };
        if let (Some(left), Some(right)) = (side(true), side(false)) {
            found.push((left, right));
        }
    }
    found
}

/// A module with a function that says whether its argument matches a pattern.
fn module(pattern: &Tree, axioms: &[Axioms; 2]) -> String {
    let mut text_of = String::from(
        "fmod M is\n sorts A S .\n subsort A < S .\n ops a b : -> A [ctor] .\n op e : -> S [ctor] .\n op f : A S -> A [ctor] .\n",
    );
    for (name, of) in NAMES.iter().zip(axioms) {
        let mut attributes = vec!["ctor"];
        attributes.extend(of.assoc.then_some("assoc"));
        attributes.extend(of.comm.then_some("comm"));
        attributes.extend(of.identity.then_some("id: e"));
        let _ = writeln!(text_of, " op _{name}_ : S S -> S [{}] .", attributes.join(" "));
    }
    let pattern = text(pattern);
    let _ =
        writeln!(text_of, " op k : S -> Bool .\n vars X Y : S .\n vars P Q : A .\n eq k({pattern}) = true .");
    text_of + " eq k(X) = false [owise] .\nendfm\n"
}

#[test]
fn random_patterns_match_what_they_should() {
    let cases = std::env::var("GCHR_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(120u64);
    let mut matched = 0;
    for seed in 0..cases {
        let mut random = Random::new(seed);
        let axioms = [0, 1].map(|_| {
            let kind = random.below(4);
            let (assoc, comm) = (kind < 2, kind == 1 || kind == 2);
            Axioms { assoc, comm, identity: random.below(2) == 0 }
        });
        let pattern = random_tree(&mut random, 2, &['P', 'X', 'Q', 'Y']);
        let terms: Vec<Tree> = (0..12).map(|_| random_tree(&mut random, 3, &[])).collect();
        let mut program = module(&pattern, &axioms);
        for term in &terms {
            let _ = writeln!(program, "red k({}) .", text(term));
        }
        let expected: Vec<bool> =
            terms.iter().map(|term| matches(&[(&pattern, normal(term, &axioms))], &[], &axioms)).collect();
        matched += expected.iter().filter(|&&found| found).count();
        let shown: Vec<String> = expected.iter().map(bool::to_string).collect();
        assert_eq!(value(&program, None), format!("EVAL({})", shown.join(", ")), "seed {seed}\n{program}");
    }
    assert!(matched as u64 > cases, "{matched} terms match");
}

/// Whether a pattern matches some part of a value, or some of the arguments of an associative operator.
fn has_redex(pattern: &Tree, value: &Normal, axioms: &[Axioms; 2]) -> bool {
    let inner = |args: &[Normal]| args.iter().any(|arg| has_redex(pattern, arg, axioms));
    match value {
        Normal::Constant(_) => false,
        Normal::F(a, b) => inner(&[(**a).clone(), (**b).clone()]),
        Normal::Op(op, args) => {
            let of = axioms[*op];
            let is_part = |chosen: u32| {
                let piece = chosen >> chosen.trailing_zeros();
                let in_one_piece = piece & (piece + 1) == 0;
                chosen.count_ones() >= 2
                    && (of.assoc || chosen.count_ones() as usize == args.len())
                    && (of.comm || in_one_piece)
            };
            inner(args)
                || (1u32..1 << args.len()).filter(|&chosen| is_part(chosen)).any(|chosen| {
                    let part = (0..args.len()).filter(|at| chosen >> at & 1 == 1).map(|at| args[at].clone());
                    joined(*op, part.collect(), axioms)
                        .is_some_and(|part| matches(&[(pattern, part)], &[], axioms))
                })
        }
    }
}

#[test]
fn random_equations_apply_where_they_should() {
    let mut applied = 0;
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let axioms = [0, 1].map(|_| {
            let kind = random.below(4);
            Axioms { assoc: kind < 2, comm: kind == 1 || kind == 2, identity: false }
        });
        let [left, right] = [0, 1].map(|_| Box::new(random_tree(&mut random, 1, &['P', 'X', 'Q', 'Y'])));
        let pattern = Tree::Pair(0, left, right);
        let equation = format!(" op z : -> A .\n eq {} = z .\nendfm\n", text(&pattern));
        let mut program = module(&Tree::Constant('a'), &axioms).replace("endfm\n", &equation);
        let terms: Vec<Tree> = (0..12).map(|_| random_tree(&mut random, 3, &[])).collect();
        for term in &terms {
            // Nothing else is written with this letter.
            let _ = writeln!(program, "red {} .", text(term));
        }
        let expected: Vec<bool> =
            terms.iter().map(|term| has_redex(&pattern, &normal(term, &axioms), &axioms)).collect();
        applied += expected.iter().filter(|&&found| found).count();
        let results = value(&program, None);
        let found: Vec<bool> =
            top_level(&results["EVAL(".len()..]).iter().map(|one| one.contains('z')).collect();
        assert_eq!(found, expected, "seed {seed}\n{program}\n{results}");
    }
    assert!(applied > 40, "{applied} terms are rewritten");
}

/// The parts between commas that are in no brackets.
fn top_level(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match (c, depth) {
            (',', 0) => parts.push(String::new()),
            _ => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
    }
    parts
}

#[test]
fn a_variable_that_occurs_again_does_not_take_the_rest() {
    check(
        "fmod M is sort S . ops a b c z : -> S . op -_ : S -> S . op f : S -> S .
           op _+_ : S S -> S [assoc comm] . op _*_ : S S -> S [assoc] .
           vars X Y : S . eq X + (- X) = z . eq X * f(X) = z . eq f(f(X)) * Y = b .
           ceq X + f(Y) = c if X == b .
         endfm",
        &[
            ("a + (- a)", "z"),
            ("b + c + (- b)", "c + z"),
            ("a + b + c + (- (a + c))", "b + z"),
            ("a * b * f(b) * c", "a * z * c"),
            ("a + b + f(a)", "a + c"),
            ("c + f(f(f(a)) * c)", "c + f(b)"),
        ],
    );
}

/// Choices are as many as different ones: not each of equal elements by itself, and of those that must occur again only
/// what does. Else these terms would take longer than anything.
#[test]
fn equal_elements_are_one_choice() {
    let bag = |count: usize| ["a"; 60][..count].join(" ");
    let text = "fmod M is protecting NAT . sorts S Out . ops a b none : -> S . op e : Nat -> S . ops twice thrice : S -> S .
           op __ : S S -> S [assoc comm id: none] . op _+_ : S S -> S [assoc comm] . op _*_ : S S -> S [assoc comm] .
           op range : Nat -> S . op size : S -> Nat . op half : S -> Out . op ok : S -> Out .
           vars X Y : S . var N : Nat .
           eq X + X = twice(X) . eq X * X * X = thrice(X) . eq range(0) = e(0) . eq range(s N) = e(s N) + range(N) .
           eq size(none) = 0 . eq size(a X) = s size(X) .
           ceq half(X Y) = ok(X) if size(X) = 2 * size(Y) + 1 .
         endfm";
    let others: Vec<String> = (0..40).map(|number| format!("e({number})")).collect();
    check(
        text,
        &[
            ("range(1) + e(0)", "e(1) + twice(e(0))"),
            ("range(40) + range(40)", &doubled(41)),
            (&format!("half({})", bag(40)), &format!("ok({})", bag(27))),
            (&format!("half({})", bag(41)), &format!("half({})", bag(41))),
            ("a * b * a * b * a * a", "a * b * b * thrice(a)"),
            (&others.join(" * "), &others.join(" * ")),
        ],
    );
}

/// `twice(e(0)) + twice(e(1)) + ...`.
fn doubled(count: usize) -> String {
    (0..count).map(|number| format!("twice(e({number}))")).collect::<Vec<_>>().join(" + ")
}

#[test]
fn arguments_beside_an_identity_of_operators_that_are_not_associative() {
    let identities = ["id: e", "left id: e", "right id: e"];
    for (identity, expected) in
        identities.into_iter().zip([["t", "t", "t"], ["t", "n", "t"], ["n", "t", "t"]])
    {
        let text = format!(
            "fmod M is sort S . ops a b e t n : -> S . op p : S S -> S . ops f g h : S -> S . op _+_ : S S -> S [{identity}] .
               vars X Y : S .
               eq f(p(X, X + b)) = t . eq f(X) = n [owise] .
               eq g(p(X, b + X)) = t . eq g(X) = n [owise] .
               eq h(p(a, X + Y)) = t . eq h(X) = n [owise] .
             endfm"
        );
        check(
            &text,
            &[
                ("f(p(e, b))", expected[0]),
                ("g(p(e, b))", expected[1]),
                ("h(p(a, b))", expected[2]),
                ("f(p(a, a + b))", "t"),
                ("h(p(b, b))", "n"),
            ],
        );
    }
}

#[test]
fn an_equation_collapses_with_what_its_variables_leave() {
    check(
        "fmod M is sort S . ops a b e z : -> S . op _+_ : S S -> S [assoc comm id: e] .
           op _*_ : S S -> S [assoc id: e] . vars X Y : S . eq (X + Y) * a = z .
           sort E . subsort E < S . op c : -> E . var P : E . eq f((X * P) + X) = z . op f : S -> S .
           op _&_ : S S -> S [comm id: e] . eq (X * P) & X = z .
         endfm",
        &[
            ("a", "z"),
            ("b * a", "b * z"),
            ("(b + b) * a + e", "(b + b) * z"),
            ("a * b", "z * b"),
            ("b", "b"),
            ("c", "c"),
            ("f(c)", "z"),
        ],
    );
}

/// Arguments of two normal forms come together where these are joined: an equation that leaves some of them to a
/// variable has the others tried on its value.
#[test]
fn values_that_come_together_are_evaluated() {
    let lists =
        "fmod R is sort S . ops a b c d z : -> S . op _;_ : S S -> S [assoc] . op f : S -> S . var X : S .
        eq c ; X ; d = f(X) . eq a ; b = z . endfm";
    check(lists, &[("(c ; a) ; (b ; d)", "f(z)"), ("(c ; a) ; (c ; d)", "f(a ; c)")]);
    let sums = "fmod Q is sort S . ops a b c z : -> S . op _+_ : S S -> S [assoc comm] . op -_ : S -> S .
        vars X Y : S . eq X + z = X . eq X + - X = z . endfm";
    check(
        sums,
        &[
            ("(a + b) + (- b + - a)", "z"),
            ("(a + b) + (- b + - a) + c", "c"),
            ("(a + b + c) + (- b + - a) + (- c + a)", "a"),
        ],
    );
    let texts = "fmod P is sorts N S . subsort N < S . ops 1 2 3 : -> N . ops open close plus nil : -> S .
        op __ : S S -> S [assoc id: nil] . var X : S . eq open X close = X . eq 1 plus 2 = 3 . endfm";
    check(texts, &[("(open 1 plus) (2 close)", "3"), ("(open open 1 plus) (2 close close)", "3")]);
}

/// Chains of operators that bind alike are read from the left.
#[test]
fn chains_are_read_from_the_left() {
    let numbers = "fmod A is pr NAT . endfm";
    check(numbers, &[("7 * 3 quo 2", "10"), ("3 * 7919 rem 10007", "3743"), ("2 + 3 * 4 rem 5", "4")]);
    let own =
        "fmod E is sort E . ops a b c : -> E . ops _-'_ _+'_ : E E -> E . op f_ : E -> E . op g : E -> E .
        vars X Y : E . eq X -' Y = g(X) . eq f X = g(g(X)) . endfm";
    check(own, &[("a -' b -' c", "g(g(a))"), ("a +' b -' c", "g(a +' b)"), ("f a -' c", "g(g(g(a)))")]);
}
