//! Small random systems: what is claimed of them holds for random rewriting, and certificates can be replayed.

use std::collections::HashMap;

use gchr_base::watch::Watch;
use gchr_properties::{Cases, Joining, Step, Verdict, completeness, confluence, termination};
use gchr_testkit::random::Random;

use crate::oracle::{Rules, Tree, matches, read};
use crate::program;

/// Symbols: name, arguments and result, sorts as positions in `N`, `L`. The first four are constructors.
const SYMBOLS: [(&str, &[usize], usize); 9] = [
    ("Z", &[], 0),
    ("S", &[0], 0),
    ("E", &[], 1),
    ("C", &[0, 1], 1),
    ("F", &[0], 0),
    ("G", &[0, 0], 0),
    ("H", &[1], 0),
    ("K", &[1, 0], 1),
    ("J", &[], 0),
];
const CONSTRUCTORS: usize = 4;
/// Two names of variables of each sort.
const VARIABLES: [[&str; 2]; 2] = [["X", "Y"], ["U", "V"]];

struct Generator {
    random: Random,
    /// Whether functions may stand inside of left-hand sides.
    nested: bool,
}

impl Generator {
    /// A term of a sort over these variables; none of them: a ground term.
    fn term(&mut self, sort: usize, depth: usize, variables: &[(usize, &str)], functions: usize) -> Tree {
        let own: Vec<&str> = variables.iter().filter(|(s, _)| *s == sort).map(|(_, name)| *name).collect();
        if !own.is_empty() && (depth == 0 || self.random.chance(35)) {
            return Tree::Var(own[self.random.below(own.len())].to_string());
        }
        let any = self.random.chance(functions);
        let fitting: Vec<_> = SYMBOLS
            .iter()
            .enumerate()
            .filter(|(at, (_, args, result))| {
                *result == sort && (any || *at < CONSTRUCTORS) && (depth > 0 || args.is_empty())
            })
            .map(|(_, symbol)| *symbol)
            .collect();
        let (name, args, _) = fitting[self.random.below(fitting.len())];
        let args = args.iter().map(|&s| self.term(s, depth.saturating_sub(1), variables, functions));
        Tree::App(name.to_string(), args.collect())
    }

    fn rule(&mut self) -> (Tree, Tree) {
        let (name, args, result) = SYMBOLS[CONSTRUCTORS + self.random.below(SYMBOLS.len() - CONSTRUCTORS)];
        // Mostly each variable once.
        let mut left = Vec::new();
        let mut unused = vec![(0, "X"), (0, "Y"), (1, "U"), (1, "V")];
        for &sort in args {
            let functions = if self.nested { 20 } else { 0 };
            let depth = self.random.below(3);
            let arg = self.term(sort, depth, &unused, functions);
            if self.random.chance(90) {
                unused.retain(|(_, name)| !occurs(name, &arg));
            }
            left.push(arg);
        }
        let left = Tree::App(name.to_string(), left);
        let known: Vec<(usize, &str)> = [(0, "X"), (0, "Y"), (1, "U"), (1, "V")]
            .into_iter()
            .filter(|(_, name)| occurs(name, &left))
            .collect();
        let right = self.term(result, 2, &known, 45);
        (left, right)
    }

    fn rules(seed: u64) -> (Self, Rules, String) {
        let mut random = Random::new(seed);
        let nested = random.chance(40);
        let mut generator = Self { random, nested };
        let count = 1 + generator.random.below(6);
        let rules: Vec<_> = (0..count).map(|_| generator.rule()).collect();
        let mut text = "sort N = struct Z | S(N) | F(N) | G(N, N) | H(L) | J;\n\
            sort L = struct E | C(N, L) | K(L, N);\n"
            .to_string();
        for (names, sort) in VARIABLES.iter().zip(["N", "L"]) {
            text.push_str(&format!("var {}: {sort};\n", names.join(", ")));
        }
        text.push_str("eqn\n");
        for (left, right) in &rules {
            text.push_str(&format!("{left} = {right};\n"));
        }
        (generator, Rules(rules), text)
    }

    /// Rewrites at random places with random rules: a normal form, or `None` when it takes too long.
    fn normalise(&mut self, rules: &Rules, mut tree: Tree, steps: usize) -> Option<Tree> {
        for _ in 0..steps {
            let redexes = rules.redexes(&tree);
            if redexes.is_empty() {
                return Some(tree);
            }
            let (rule, place) = &redexes[self.random.below(redexes.len())];
            tree = rules.apply(*rule, &tree, place).expect("the rule applies");
            if tree.size() > 2 * steps {
                return None;
            }
        }
        None
    }
}

fn occurs(name: &str, tree: &Tree) -> bool {
    match tree {
        Tree::Var(own) => own == name,
        Tree::App(_, args) => args.iter().any(|arg| occurs(name, arg)),
    }
}

fn cases(default: u64) -> u64 {
    std::env::var("GCHR_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The last tree of steps from a tree, each of them replayed.
fn replay(rules: &Rules, start: &Tree, steps: &[Step]) -> Tree {
    steps.iter().fold(start.clone(), |tree, step| {
        let next = rules.apply(step.rule.0 as usize, &tree, &step.place);
        let next = next.unwrap_or_else(|| panic!("{step:?} of {tree}"));
        assert_eq!(next, read(&step.result));
        next
    })
}

#[test]
fn claims_of_confluence_hold() {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for seed in 0..cases(1_500) {
        let (mut generator, rules, text) = Generator::rules(seed);
        let found = confluence(&program(&text), &Watch::new()).expect("no limit");
        for overlap in &found.overlaps {
            let peak = read(&overlap.peak);
            let outer = replay(&rules, &peak, std::slice::from_ref(&overlap.outer));
            let inner = replay(&rules, &peak, std::slice::from_ref(&overlap.inner));
            match &overlap.joining {
                Joining::Equal => assert_eq!(outer, inner, "seed {seed}\n{text}"),
                Joining::Joins { outer: one, inner: other } => {
                    assert_eq!(replay(&rules, &outer, one), replay(&rules, &inner, other), "seed {seed}");
                }
                Joining::Differs { outer: one, inner: other, ground } => {
                    let ends = [replay(&rules, &outer, &one.steps), replay(&rules, &inner, &other.steps)];
                    assert_eq!(ends, [read(&one.normal), read(&other.normal)], "seed {seed}\n{text}");
                    assert_ne!(ends[0], ends[1]);
                    assert!(ends.iter().all(|end| rules.redexes(end).is_empty()), "seed {seed}\n{text}");
                    if let Some([_, one, other]) = ground {
                        assert_ne!(one, other);
                        assert!([one, other].iter().all(|end| rules.redexes(&read(end)).is_empty()));
                    }
                }
                Joining::Apart(..) | Joining::Open => {}
            }
        }
        let name = match found.verdict {
            Verdict::Confluent(reason) => {
                for _ in 0..6 {
                    let start = generator.term(0, 4, &[], 70);
                    let ends: Vec<Tree> =
                        (0..3).filter_map(|_| generator.normalise(&rules, start.clone(), 80)).collect();
                    assert!(ends.windows(2).all(|two| two[0] == two[1]), "seed {seed}: {start}\n{text}");
                }
                format!("{reason:?}")
            }
            Verdict::NotConfluent(_) => "not".to_string(),
            other => format!("{other:?}"),
        };
        *seen.entry(name).or_default() += 1;
    }
    // Each verdict is met.
    for name in ["Orthogonal", "WeaklyOrthogonal", "Terminating", "not", "LocallyConfluent"] {
        assert!(seen.contains_key(name), "{name}: {seen:?}");
    }
}

#[test]
fn claims_of_termination_hold() {
    let (mut shown, mut open) = (0, 0);
    for seed in 0..cases(1_500) {
        let (mut generator, rules, text) = Generator::rules(seed);
        let found = termination(&program(&text), &Watch::new()).expect("no limit");
        assert!(found.any_order);
        if !found.is_shown() {
            open += 1;
            continue;
        }
        shown += usize::from(!found.components.is_empty());
        let patterns: Vec<Tree> = rules.0.iter().map(|(left, _)| left.clone()).collect();
        for at in 0..12 {
            let start = match patterns.get(at) {
                Some(left) => left.clone(),
                None => generator.term(at % 2, 3, &[], 60),
            };
            assert!(
                generator.normalise(&rules, start.clone(), 600).is_some(),
                "seed {seed}: {start}\n{text}"
            );
        }
    }
    assert!(shown > 50 && open > 50, "{shown} with components are shown, {open} not");
}

/// All terms of constructors up to a depth.
fn values(sort: usize, depth: usize) -> Vec<Tree> {
    let mut found = Vec::new();
    for (name, args, _) in SYMBOLS[..CONSTRUCTORS].iter().filter(|(_, _, result)| *result == sort) {
        if depth == 0 && !args.is_empty() {
            continue;
        }
        let below: Vec<Vec<Tree>> = args.iter().map(|&arg| values(arg, depth.saturating_sub(1))).collect();
        found.extend(products(&below).into_iter().map(|args| Tree::App((*name).to_string(), args)));
    }
    found
}

fn products(of: &[Vec<Tree>]) -> Vec<Vec<Tree>> {
    of.iter().fold(vec![Vec::new()], |known, next| {
        let longer =
            known.iter().flat_map(|row| next.iter().map(|one| [row.clone(), vec![one.clone()]].concat()));
        longer.collect()
    })
}

/// Patterns with `_` for any term: each one is a variable of its own.
fn pattern(text: &str) -> Tree {
    fn number(tree: &mut Tree, next: &mut usize) {
        match tree {
            Tree::Var(name) => {
                *next += 1;
                *name = format!("_{next}");
            }
            Tree::App(_, args) => args.iter_mut().for_each(|arg| number(arg, next)),
        }
    }
    let mut tree = read(text);
    number(&mut tree, &mut 0);
    tree
}

#[test]
fn claims_of_completeness_hold() {
    let mut seen = [0; 3];
    for seed in 0..cases(1_500) {
        let (_, rules, text) = Generator::rules(seed);
        let program = program(&text);
        let found = completeness(&program, &Watch::new()).expect("no limit");
        for function in &found.functions {
            let name = &program.signature.symbols[function.symbol].name;
            let (_, args, _) = SYMBOLS.iter().find(|(own, _, _)| own == name).expect("a symbol");
            let all = products(&args.iter().map(|&arg| values(arg, 3)).collect::<Vec<_>>());
            let all = all.into_iter().map(|args| Tree::App(name.clone(), args));
            let is_redex =
                |tree: &Tree| rules.0.iter().any(|(left, _)| matches(left, tree, &mut HashMap::new()));
            let (redexes, others): (Vec<Tree>, Vec<Tree>) = all.partition(is_redex);
            let is_of = |patterns: &[String], tree: &Tree| {
                patterns.iter().any(|text| matches(&pattern(text), tree, &mut HashMap::new()))
            };
            match &function.cases {
                Cases::Complete => {
                    seen[0] += 1;
                    assert!(others.is_empty(), "seed {seed}: {}\n{text}", others[0]);
                }
                Cases::Missing { patterns, more } => {
                    seen[1] += 1;
                    assert!(!patterns.is_empty());
                    let wrong = redexes.iter().find(|tree| is_of(patterns, tree));
                    assert!(wrong.is_none(), "seed {seed}: {wrong:?}\n{text}");
                    // A rule with a variable twice leaves out more than patterns say.
                    let linear = program.rules.iter().all(|rule| {
                        let text = rule.heads[0].atom.args();
                        let mut names = Vec::new();
                        text.iter().for_each(|arg| {
                            arg.walk(&mut |p| {
                                if let gchr_base::rule::PatternKind::Var(v) = p.kind {
                                    names.push(v);
                                }
                            });
                        });
                        let count = names.len();
                        names.sort_unstable();
                        names.dedup();
                        names.len() == count
                    });
                    if linear && !more {
                        let left_out = others.iter().find(|tree| !is_of(patterns, tree));
                        assert!(left_out.is_none(), "seed {seed}: {left_out:?}\n{text}");
                    }
                }
                Cases::Conditional { patterns, .. } => {
                    seen[2] += 1;
                    let outside = others.iter().find(|tree| !is_of(patterns, tree));
                    assert!(outside.is_none(), "seed {seed}: {outside:?}\n{text}");
                }
                Cases::Open => panic!("seed {seed} is small\n{text}"),
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
}
