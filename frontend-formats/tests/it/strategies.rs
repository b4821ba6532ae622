//! Strategies other than innermost, by examples and against a naive rewriter.

use gchr_base::rule::Start;
use gchr_formats::Format;
use gchr_testkit::random::Random;

use super::load_clean;

/// The normal form of a term.
#[track_caller]
fn value(text: &str, format: Format, term: &str) -> String {
    let (mut sources, loaded) = load_clean(text, format);
    let (mut program, reader) = (loaded.program.expect("a program"), loaded.reader.expect("a reader"));
    let id = sources.add("--input", term);
    program.start = Start::Term(Some(reader.read(&sources, id).expect("a term")));
    gchr_terms::testing::normal_form(&program)
}

const LAZY: &str = "(VAR x y z)
(RULES
  from(x) -> cons(x, from(s(x)))
  first(0, y) -> nil
  first(s(x), cons(y, z)) -> cons(y, first(x, z))
  head(cons(x, y)) -> x
)";

#[test]
fn the_outermost_place_comes_first() {
    let text = format!("{LAZY} (STRATEGY OUTERMOST)");
    assert_eq!(value(&text, Format::Tpdb, "head(from(0))"), "0");
    assert_eq!(value(&text, Format::Tpdb, "first(s(s(0)), from(0))"), "cons(0, cons(s(0), nil))");
    let text = "(RULES f(a) -> c  a -> b  f(b) -> d) (STRATEGY OUTERMOST)";
    assert_eq!(value(text, Format::Tpdb, "f(f(a))"), "f(c)");
    let conditional = "(VAR x) (RULES f(x) -> c | g(x) == b  g(a) -> b  a -> d) (STRATEGY OUTERMOST)";
    assert_eq!(value(conditional, Format::Tpdb, "f(a)"), "c");
}

#[test]
fn only_some_arguments_are_rewritten() {
    for strategy in ["(STRATEGY CONTEXTSENSITIVE (cons 1) (first 1 2))", "(REPLACEMENT-MAP (cons 1))"] {
        let text = format!("{LAZY} {strategy}");
        assert_eq!(value(&text, Format::Tpdb, "first(s(0), from(0))"), "cons(0, first(0, from(s(0))))");
        assert_eq!(
            value(&text, Format::Tpdb, "cons(head(from(0)), head(from(0)))"),
            "cons(0, head(from(0)))"
        );
    }
    let ari = "(format CSTRS) (fun f 2 :replacement-map (2)) (fun a 0) (fun b 0) (rule a b)";
    assert_eq!(value(ari, Format::Ari, "f(a, a)"), "f(a, b)");
    let xml = "<problem><trs><rules><rule><lhs><funapp><name>a</name></funapp></lhs><rhs><funapp><name>b</name></funapp>
        </rhs></rule></rules><signature><funcsym><name>f</name><arity>2</arity><replacementmap><entry>1</entry>
        </replacementmap></funcsym></signature></trs><strategy>INNERMOST</strategy></problem>";
    assert_eq!(value(xml, Format::Xtc, "f(a, a)"), "f(b, a)");
}

/// A term over `f`, `g`, `a`, `b`; variables are `x`, `y`.
#[derive(Clone, PartialEq)]
struct Tree(char, Vec<Tree>);

fn tree(random: &mut Random, depth: u32, leaves: &[char]) -> Tree {
    if depth == 0 || random.below(4) == 0 {
        return Tree(leaves[random.below(leaves.len())], Vec::new());
    }
    let (name, arity) = [('f', 2), ('g', 1)][random.below(2)];
    Tree(name, (0..arity).map(|_| tree(random, depth - 1, leaves)).collect())
}

fn text(tree: &Tree) -> String {
    match tree.1.as_slice() {
        [] => tree.0.to_string(),
        args => format!("{}({})", tree.0, args.iter().map(text).collect::<Vec<_>>().join(", ")),
    }
}

fn matches(pattern: &Tree, tree: &Tree, known: &mut Vec<(char, Tree)>) -> bool {
    if matches!(pattern.0, 'x' | 'y') {
        if let Some((_, value)) = known.iter().find(|(name, _)| *name == pattern.0) {
            return value == tree;
        }
        known.push((pattern.0, tree.clone()));
        return true;
    }
    pattern.0 == tree.0 && pattern.1.iter().zip(&tree.1).all(|(p, t)| matches(p, t, known))
}

fn replaced(tree: &Tree, known: &[(char, Tree)]) -> Tree {
    match known.iter().find(|(name, _)| *name == tree.0) {
        Some((_, value)) => value.clone(),
        None => Tree(tree.0, tree.1.iter().map(|arg| replaced(arg, known)).collect()),
    }
}

/// A step at the leftmost of the outermost places; below `f`, in these of its arguments.
fn step(tree: &Tree, rules: &[(Tree, Tree)], below: &[usize]) -> Option<Tree> {
    for (left, right) in rules {
        let mut known = Vec::new();
        if matches(left, tree, &mut known) {
            return Some(replaced(right, &known));
        }
    }
    (0..tree.1.len()).filter(|at| tree.0 != 'f' || below.contains(at)).find_map(|at| {
        let mut next = tree.clone();
        next.1[at] = step(&tree.1[at], rules, below)?;
        Some(next)
    })
}

fn size(tree: &Tree) -> usize {
    1 + tree.1.iter().map(size).sum::<usize>()
}

#[test]
fn random_systems_agree_with_a_naive_rewriter() {
    let mut compared = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut rules = Vec::new();
        while rules.len() < 4 {
            let left = tree(&mut random, 2, &['a', 'b', 'x', 'y']);
            let right = tree(&mut random, 2, &['a', 'b', 'x', 'y']);
            let bound = |name: &str| text(&left).contains(name) || !text(&right).contains(name);
            if !matches!(left.0, 'x' | 'y') && bound("x") && bound("y") {
                rules.push((left, right));
            }
        }
        let (below, strategy): (&[usize], _) = match random.below(3) {
            0 => (&[0], "CONTEXTSENSITIVE (f 1)"),
            1 => (&[], "CONTEXTSENSITIVE (f)"),
            _ => (&[0, 1], "OUTERMOST"),
        };
        let shown: Vec<String> = rules.iter().map(|(l, r)| format!("{} -> {}", text(l), text(r))).collect();
        // All symbols occur.
        let all = "f(g(a), b) -> f(g(a), b)";
        let program = format!("(VAR x y) (RULES {} {all}) (STRATEGY {strategy})", shown.join(" "));
        let last = Tree('f', vec![Tree('g', vec![Tree('a', vec![])]), Tree('b', vec![])]);
        rules.push((last.clone(), last));
        for _ in 0..4 {
            let start = tree(&mut random, 3, &['a', 'b']);
            let mut reached = start.clone();
            let mut left = 60;
            while let Some(next) = step(&reached, &rules, below) {
                reached = next;
                left -= 1;
                if left == 0 || size(&reached) > 200 {
                    break;
                }
            }
            if step(&reached, &rules, below).is_none() {
                compared += 1;
                let found = value(&program, Format::Tpdb, &text(&start));
                assert_eq!(found.replace("g^", "g"), powers(&reached), "{program}\n{}", text(&start));
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

/// A term as it is printed: four and more nested `g` are `g^4`, whose mark is left out here.
fn powers(tree: &Tree) -> String {
    let (mut count, mut inner) = (0, tree);
    while inner.0 == 'g' {
        (count, inner) = (count + 1, &inner.1[0]);
    }
    match (count, tree.1.as_slice()) {
        (4.., _) => format!("g{count}({})", powers(inner)),
        (_, []) => tree.0.to_string(),
        (_, args) => format!("{}({})", tree.0, args.iter().map(powers).collect::<Vec<_>>().join(", ")),
    }
}
