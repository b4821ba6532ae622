//! Equal arguments of associative and commutative operators, which are kept as one with a count.

use gchr_testkit::random::Random;

use super::value;

/// Functions of bags, with an identity and without.
fn module(identity: bool) -> String {
    let (id, none) =
        if identity { ("id: none", "eq size(none) = 0 . eq odd(none) = none .") } else { ("", "") };
    format!(
        "fmod M is protecting NAT . sorts E B . subsort E < B . ops a b c d : -> E [ctor] . op k : B -> E [ctor] .
           op p : B B -> E [ctor comm] . op none : -> B [ctor] . op __ : B B -> B [ctor assoc comm {id} prec 41] .
           vars X Y : E . vars P Q : B . ops size pairs threes : B -> Nat . op count : E B -> Nat .
           op without : B B -> B . op odd : B -> B . op is-twice : B B -> Bool . op two : B -> Bool . op g : B -> B .
           eq g(P) = P . {none}
           eq size(X) = 1 . eq size(X P) = s size(P) .
           eq pairs(X X) = 1 . eq pairs(X X P) = s pairs(P) . eq pairs(P) = 0 [owise] .
           eq threes(X X X) = 1 . eq threes(X X X P) = s threes(P) . eq threes(P) = 0 [owise] .
           eq count(X, X) = 1 . eq count(X, X P) = s count(X, P) . eq count(X, P) = 0 [owise] .
           eq without(P Q, Q) = P . eq without(P, Q) = k(P) [owise] .
           eq odd(X) = X . eq odd(X X) = k(a) . eq odd(X X P) = odd(P) . eq odd(P) = P [owise] .
           eq is-twice(P, P P) = true . eq is-twice(P, Q) = false [owise] .
           eq two(X Y) = true . eq two(P) = false [owise] .
         endfm\n"
    )
}

const ELEMENTS: [&str; 6] = ["a", "b", "c", "k(a a b)", "k(a)", "p(c c, a)"];

/// How many there are of each element, at least one of all.
fn counts(random: &mut Random) -> Vec<usize> {
    let mut counts: Vec<usize> = ELEMENTS.map(|_| random.below(2) * random.below(6)).to_vec();
    counts[random.below(6)] += 1;
    counts
}

/// The elements in any order and in any brackets, parts of them as results of a function.
fn bag(random: &mut Random, counts: &[usize]) -> String {
    let mut elements: Vec<&str> = ELEMENTS
        .iter()
        .zip(counts)
        .flat_map(|(element, &count)| std::iter::repeat_n(*element, count))
        .collect();
    for at in (1..elements.len()).rev() {
        elements.swap(at, random.below(at + 1));
    }
    fn bracketed(random: &mut Random, elements: &[&str]) -> String {
        if let [one] = elements {
            return (*one).to_string();
        }
        let (left, right) = elements.split_at(1 + random.below(elements.len() - 1));
        let [left, right] = [left, right].map(|part| bracketed(random, part));
        if random.below(3) == 0 { format!("g({left} {right})") } else { format!("({left} {right})") }
    }
    bracketed(random, &elements)
}

#[test]
fn functions_of_bags() {
    for identity in [true, false] {
        let mut random = Random::new(11);
        let mut text = module(identity);
        let mut expected = Vec::new();
        let mut add = |term: String, value: String| {
            text += &format!("red {term} .\n");
            expected.push((term, value));
        };
        for _ in 0..40 {
            let first = counts(&mut random);
            let total: usize = first.iter().sum();
            let sum = |per: usize| first.iter().map(|count| count / per).sum::<usize>().to_string();
            add(format!("size({})", bag(&mut random, &first)), total.to_string());
            add(format!("pairs({})", bag(&mut random, &first)), sum(2));
            add(format!("threes({})", bag(&mut random, &first)), sum(3));
            let which = random.below(6);
            let count = first[which].to_string();
            add(format!("count({}, {})", ELEMENTS[which], bag(&mut random, &first)), count);
            let second = counts(&mut random);
            let both: Vec<usize> = first.iter().zip(&second).map(|(a, b)| a + b).collect();
            let [whole, part, other] = [&both, &second, &first].map(|of| bag(&mut random, of));
            add(format!("without({whole}, {part}) == ({other})"), "true".into());
            let twice: Vec<usize> = first.iter().map(|count| 2 * count).collect();
            let [whole, half, other] = [&twice, &first, &both].map(|of| bag(&mut random, of));
            add(format!("is-twice({half}, {whole})"), "true".into());
            add(format!("is-twice({half}, {other})"), (first == second).to_string());
            add(format!("two({half})"), (total == 2).to_string());
            let odd: Vec<usize> = first.iter().map(|count| count % 2).collect();
            let odd = match odd.iter().sum::<usize>() {
                0 if identity => "none".into(),
                0 => "k(a)".into(),
                _ => bag(&mut random, &odd),
            };
            // Which pair goes first decides whether a last one is left alone.
            if identity || first.iter().any(|count| count % 2 == 1) {
                add(format!("odd({half}) == ({odd})"), "true".into());
            }
        }
        let found = value(&text, None);
        let found: Vec<&str> = found["EVAL(".len()..found.len() - 1].split(", ").collect();
        assert_eq!(found.len(), expected.len());
        for ((term, expected), found) in expected.iter().zip(found) {
            assert_eq!(found, expected, "{identity} {term}");
        }
    }
}

#[test]
fn copies_are_written_one_by_one() {
    let text = module(true);
    for (term, expected) in [
        ("a b a a", "b a a a"),
        ("a a", "a a"),
        ("k(a a) k(a a)", "k(a a) k(a a)"),
        ("without(a a a, a)", "a a"),
        ("p(a a, b b) p(b b, a a)", "p(a a, b b) p(a a, b b)"),
    ] {
        let sorted = |text: &str| {
            let mut words: Vec<String> =
                text.split_inclusive(' ').map(|word| word.trim().to_string()).collect();
            words.sort();
            words
        };
        assert_eq!(sorted(&value(&text, Some(term))), sorted(expected), "{term}");
    }
    let text = "fmod M is sort S . ops a b : -> S . op f : S S -> S [assoc comm] .
        op [_|_] : S S -> S [assoc comm] . op _*_ : S S -> S [prec 30] . op _+_ : S S -> S [assoc comm prec 35] .
      endfm";
    assert_eq!(value(text, Some("f(a, f(a, a))")), "f(a, a, a)");
    assert_eq!(value(text, Some("f(a, b, b, a, a)")), "f(a, a, a, b, b)");
    assert_eq!(value(text, Some("[a | [b | a]]")), "[a | [a | b]]");
    assert_eq!(value(text, Some("(a + a) * (a + b)")), "(a + a) * (a + b)");
    assert_eq!(value(text, Some("(a * b) + (a * b) + a")), "a + a * b + a * b");
}

/// The sort of copies is that of an application of the operator to them.
#[test]
fn sorts_of_copies() {
    let text = "fmod M is sorts E Even Odd B . subsorts E < Odd < B . subsort Even < B . ops a b : -> E .
        op _+_ : B B -> B [assoc comm] . op _+_ : Odd Odd -> Even [ditto] .
        op _+_ : Odd Even -> Odd [ditto] . op _+_ : Even Odd -> Odd [ditto] . op _+_ : Even Even -> Even [ditto] .
      endfm\n";
    for count in 2..9 {
        let sum = vec!["a"; count].join(" + ");
        let is_even = count % 2 == 0;
        for (sum, is_even) in [(sum.clone(), is_even), (format!("b + {sum}"), !is_even)] {
            assert_eq!(value(text, Some(&format!("{sum} :: Even"))), is_even.to_string(), "{sum}");
            assert_eq!(value(text, Some(&format!("{sum} :: Odd"))), (!is_even).to_string(), "{sum}");
        }
    }
}

/// Steps by rules: on several of the copies, in one of them, and not below frozen arguments.
#[test]
fn rules_on_copies() {
    let text = "mod M is protecting NAT . sorts P M . subsort P < M . ops a b c : -> P . op none : -> M .
        op __ : M M -> M [assoc comm id: none] . op _|_ : M M -> M [assoc comm frozen (1 2)] . op f : M -> P .
        op many : Nat P -> M . var N : Nat . var P : P .
        eq many(0, P) = none . eq many(s N, P) = P many(N, P) .
        rl a a => b . rl f(c) => c . rl b b b => none .
      endm\n";
    for (term, expected) in [
        ("rew a a a a a", "a b b"),
        ("rew [1] a a a a", "a a b"),
        ("rew f(f(c)) f(f(c))", "c c"),
        ("rew f(a a) f(a a)", "f(b) f(b)"),
        ("rew (a a) | (a a)", "(a a) | (a a)"),
        ("rew many(20000, a)", "b"),
    ] {
        assert_eq!(value(&format!("{text}{term} .\n"), None), expected, "{term}");
    }
}

/// With each copy for itself, each of these would take minutes.
#[test]
fn time_is_in_proportion_to_different_arguments() {
    let text = "fmod M is protecting NAT . sorts P M . subsorts Nat P < M . ops a b c d e : -> P . op none : -> M .
        op __ : M M -> M [assoc comm id: none] . op many : Nat P -> M . op run : Nat M -> M . op gen : Nat -> M .
        ops size pairs : M -> Nat . var X : M . var Q : P . vars N K : Nat .
        eq many(0, Q) = none . eq many(s N, Q) = Q many(N, Q) .
        eq run(s N, a b X) = run(N, c c X) . eq run(s N, c c X) = run(N, d X) . eq run(s N, d e X) = run(N, a b X) .
        eq run(N, X) = X [owise] . eq size(none) = 0 . eq size(Q X) = s size(X) . eq size(K X) = s size(X) .
        eq gen(0) = none . eq gen(s N) = ((N * 7919) rem 101) gen(N) .
        eq pairs(K K X) = s pairs(X) . eq pairs(X) = 0 [owise] .
      endfm";
    assert_eq!(value(text, Some("size(run(50000, many(9000, a) many(9000, b) many(9000, e)))")), "9000");
    assert_eq!(value(text, Some("pairs(gen(20200))")), "10100");
}
