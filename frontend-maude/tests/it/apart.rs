//! Equations for associative and commutative operators on arguments that are normal forms.

use gchr_testkit::random::Random;

use super::value;

const MODULE: &str = "fmod M is
  protecting NAT .
  sorts E S .
  subsort E < S .
  ops a b c d f : -> E .
  op p : Nat Nat -> E .
  op none : -> S .
  op __ : S S -> S [assoc comm id: none prec 41] .
  op _+_ : S S -> S [assoc comm prec 43] .
  vars K M N : Nat .  vars X Y Z : S .
  eq p(K, M) p(K, N) = p(K, M + N) .
  eq a b X = c X .
  eq c c c = none .
  eq f (X + Y) = (f X) + (f Y) .
  eq f f = f .
";

/// Some elements in any brackets.
fn bracketed(random: &mut Random, elements: &[&str]) -> String {
    if let [one] = elements {
        return (*one).to_string();
    }
    let at = 1 + random.below(elements.len() - 1);
    let (left, right) = elements.split_at(at);
    format!("({} {})", bracketed(random, left), bracketed(random, right))
}

/// What the equations make of elements.
fn expected(elements: &[&str], one_d: bool) -> String {
    let count = |wanted: &str| elements.iter().filter(|&&element| element == wanted).count();
    let (a, b) = (count("a"), count("b"));
    let both = a.min(b);
    let c = (count("c") + both) % 3;
    let d = if one_d { count("d").min(1) } else { count("d") };
    let mut left = Vec::new();
    for (name, count) in [("a", a - both), ("b", b - both), ("c", c), ("d", d)] {
        left.extend(std::iter::repeat_n(name.to_string(), count));
    }
    for key in [0, 1] {
        let name = format!("p({key}, 1)");
        let count = count(&name);
        left.extend((count > 0).then(|| format!("p({key}, {count})")));
    }
    if left.is_empty() { "none".to_string() } else { left.join(" ") }
}

/// Two and three arguments and a variable for the others, alone and beside an equation whose condition looks at these.
#[test]
fn brackets_do_not_matter() {
    const COUNT: usize = 150;
    let own = " op size : S -> Nat .  eq size(X) = 1 [owise] .  ceq d d X = d X if size(X) = 1 .\n";
    for (further, one_d) in [("", false), (own, true)] {
        let mut text = format!("{MODULE}{further}endfm\n");
        let mut random = Random::new(7);
        for _ in 0..COUNT {
            let names = ["a", "b", "c", "d", "p(0, 1)", "p(1, 1)"];
            let count = 2 + random.below(9);
            let elements: Vec<&str> = (0..count).map(|_| names[random.below(6)]).collect();
            text +=
                &format!("red {} == {} .\n", bracketed(&mut random, &elements), expected(&elements, one_d));
        }
        assert_eq!(value(&text, None), format!("EVAL({})", ["true"; COUNT].join(", ")), "{text}");
    }
}

#[test]
fn a_sum_is_multiplied_out() {
    let text = format!("{MODULE}endfm\n");
    assert_eq!(value(&text, Some("f (a + (b + c))")), "a f + b f + c f");
    assert_eq!(value(&text, Some("(f f) ((a + b) + c)")), "a f + b f + c f");
}

/// With all pairs tried at each element that comes to the others, this would take minutes; so would it with lists of
/// all terms made for each of them.
#[test]
fn one_more_argument_is_tried_with_each_of_the_others() {
    let text = "fmod M is protecting NAT . sorts E S . subsort E < S . op p : Nat Nat -> E . op none : -> S .
        op __ : S S -> S [assoc comm id: none] . op size : S -> Nat . op up : Nat -> S . op g : S -> E .
        op _+_ : S S -> S [assoc comm] . op count : S -> Nat .
        vars K M N : Nat . vars X Y : S . var P : E .
        eq p(K, M) p(K, N) = p(K, M + N) .
        eq up(0) = none . eq up(s N) = p(N, 1) up(N) .
        eq size(none) = 0 . eq size(P X) = s size(X) .
        op sum : Nat -> S . eq sum(0) = p(0, 0) . eq sum(s N) = p(s N, 0) + sum(N) .
        eq count(g(X + Y)) = count(g(X)) + count(g(Y)) . eq count(g(P)) = 1 .
      endfm";
    assert_eq!(value(text, Some("size(up(700))")), "700");
    assert_eq!(value(text, Some("count(g(sum(1000)))")), "1001");
}

/// Pairs of equal arguments become a constant, which stays beside others or goes.
#[test]
fn pairs_become_a_constant() {
    const COUNT: usize = 150;
    let names = ["a", "b", "c", "e(a + b)", "e(b + a)", "one"];
    for goes in [false, true] {
        let mut text = String::from(
            "fmod M is sorts E S . subsort E < S . ops a b c one : -> E . op e : S -> E .
               op _*_ : S S -> S [assoc comm] . op _+_ : S S -> S [assoc comm] . vars X Y : S .
               eq X * X = one .\n",
        );
        text += if goes { "eq one * X = X . endfm\n" } else { "endfm\n" };
        let (mut random, mut wanted) = (Random::new(11), Vec::new());
        for _ in 0..COUNT {
            let elements: Vec<&str> = (0..1 + random.below(12)).map(|_| names[random.below(6)]).collect();
            let term = bracketed(&mut random, &elements).replace(' ', " * ").replace(" * + * ", " + ");
            text += &format!("red {term} .\n");
            let count = |of: &[&str]| elements.iter().filter(|element| of.contains(element)).count();
            let kinds: [&[&str]; 4] = [&["a"], &["b"], &["c"], &["e(a + b)", "e(b + a)"]];
            let mut left: Vec<&str> =
                kinds.iter().filter(|kind| count(kind) % 2 == 1).map(|kind| kind[0]).collect();
            let has_one = count(&["one"]) > 0 || kinds.iter().any(|kind| count(kind) > 1);
            if has_one && (!goes || left.is_empty()) {
                left.push("one");
            }
            left.sort_unstable();
            wanted.push(left.join(" * "));
        }
        let found = value(&text, None);
        let found = found.strip_prefix("EVAL(").and_then(|rest| rest.strip_suffix(')')).expect("values");
        for (found, wanted) in found.split(", ").zip(&wanted) {
            let mut arguments: Vec<&str> = found.split(" * ").collect();
            arguments.sort_unstable();
            assert_eq!(&arguments.join(" * "), wanted);
        }
    }
}
