//! Random ground programs: the executor fires the same instances in the same order as the naive semantics, and leaves
//! the same store.

use proptest::prelude::*;

use super::builder::{Builder, G, R, T, add, f, n, op, v};
use super::naive::{End, Naive};
use gchr_base::control::Limits;
use gchr_base::error::StopReason;
use gchr_base::op::Op;

const NAMES: [&str; 4] = ["X", "Y", "Z", "W"];
pub(super) const SYMBOLS: [(&str, usize); 4] = [("p", 1), ("q", 2), ("r", 3), ("s", 0)];
const STEPS: u64 = 60;

/// Types of columns of all symbols, by position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Columns {
    Int,
    Dense,
    Any,
    Mixed,
}

impl Columns {
    pub(super) fn name(self, symbol: usize, column: usize) -> &'static str {
        match self {
            Columns::Int => "int",
            Columns::Dense => "dense",
            Columns::Any => "any",
            Columns::Mixed if (symbol + column).is_multiple_of(2) => "int",
            Columns::Mixed => "any",
        }
    }
}

fn pattern(terms: bool) -> impl Strategy<Value = T> {
    let simple = prop_oneof![
        6 => prop::sample::select(&NAMES[..]).prop_map(T::Var),
        1 => (0i64..3).prop_map(T::Int),
        1 => Just(T::Wild),
    ];
    let inner = simple.clone();
    prop_oneof![
        6 => simple,
        u32::from(terms) => inner.prop_map(|p| f("f", [p])),
    ]
}

fn head(terms: bool) -> impl Strategy<Value = (usize, Vec<T>)> {
    (0usize..SYMBOLS.len(), prop::collection::vec(pattern(terms), 3))
}

/// Three numbers that choose a guard or an argument from what is bound.
type Dice = (u8, u8, u8, i64);

fn dice() -> impl Strategy<Value = Dice> {
    (any::<u8>(), any::<u8>(), any::<u8>(), -1i64..3)
}

#[derive(Clone, Debug)]
pub(super) struct Seed {
    kept: Vec<(usize, Vec<T>)>,
    removed: Vec<(usize, Vec<T>)>,
    passive: Option<usize>,
    guard: Vec<Dice>,
    body: Vec<(usize, [Dice; 3])>,
}

pub(super) fn seed(terms: bool) -> impl Strategy<Value = Seed> {
    let heads = prop::collection::vec((any::<bool>(), head(terms)), 1..=3);
    let passive = prop_oneof![2 => Just(None), 1 => (0usize..3).prop_map(Some)];
    let guard = prop::collection::vec(dice(), 0..3);
    let body = prop::collection::vec((0usize..SYMBOLS.len(), [dice(), dice(), dice()]), 0..3);
    (heads, passive, guard, body).prop_map(|(heads, passive, guard, body)| {
        let of = |role| heads.iter().filter(|h| h.0 == role).map(|h| h.1.clone()).collect();
        Seed { kept: of(false), removed: of(true), passive, guard, body }
    })
}

fn vars(heads: &[(usize, Vec<T>)], found: &mut Vec<&'static str>) {
    fn walk(t: &T, found: &mut Vec<&'static str>) {
        match t {
            T::Var(name) if !found.contains(name) => found.push(name),
            T::F(_, args) => args.iter().for_each(|a| walk(a, found)),
            _ => {}
        }
    }
    for (symbol, args) in heads {
        args.iter().take(SYMBOLS[*symbol].1).for_each(|a| walk(a, found));
    }
}

fn pick(bound: &[&'static str], die: u8, or: i64) -> T {
    if bound.is_empty() { n(or) } else { v(bound[die as usize % bound.len()]) }
}

fn guard((kind, a, b, c): Dice, bound: &[&'static str]) -> G {
    let (x, y) = (pick(bound, a, 0), pick(bound, b, 1));
    G::Test(match kind % 9 {
        0 => op(Op::Lt, [x, y]),
        1 => op(Op::Ge, [x, n(c)]),
        2 => op(Op::Eq, [x, op(Op::Add, [y, n(c)])]),
        3 => op(Op::Eq, [op(Op::Sub, [n(c), x]), y]),
        4 => op(Op::Same, [x, y]),
        5 => op(Op::Differ, [x, y]),
        6 => op(Op::Ge, [op(Op::Quot, [n(2), x]), y]),
        7 => op(Op::Eq, [x, y]),
        _ => op(Op::Le, [op(Op::Add, [x, y]), n(c)]),
    })
}

fn argument((kind, a, _, c): Dice, bound: &[&'static str], terms: bool, int: bool) -> T {
    let x = pick(bound, a, c.max(0));
    match kind % 6 {
        0 => n(c.max(0)),
        1 => op(Op::Mod, [op(Op::Add, [x, n(1)]), n(4)]),
        2 if terms && !int => f("f", [x]),
        _ => x,
    }
}

pub(super) fn rule(seed: &Seed, columns: Columns) -> R {
    let terms = matches!(columns, Columns::Any | Columns::Mixed);
    let mut bound = Vec::new();
    vars(&seed.kept, &mut bound);
    vars(&seed.removed, &mut bound);
    // In a column of integers no compound term can be matched.
    let fitting = |symbol: usize, column: usize, t: &T| match t {
        T::F(..) if columns.name(symbol, column) != "any" => v("X"),
        t => t.clone(),
    };
    let heads = |list: &[(usize, Vec<T>)]| {
        let head = |(symbol, args): &(usize, Vec<T>)| {
            let (name, arity) = SYMBOLS[*symbol];
            let args = args.iter().take(arity).enumerate();
            (name, args.map(|(c, a)| fitting(*symbol, c, a)).collect())
        };
        list.iter().map(head).collect::<Vec<(&'static str, Vec<T>)>>()
    };
    let (kept, removed) = (heads(&seed.kept), heads(&seed.removed));
    // What the replaced patterns bound is bound no more.
    let mut still = Vec::new();
    let all: Vec<&T> = kept.iter().chain(&removed).flat_map(|h| &h.1).collect();
    fn occurs(t: &T, name: &str) -> bool {
        match t {
            T::Var(v) => *v == name,
            T::F(_, args) => args.iter().any(|a| occurs(a, name)),
            _ => false,
        }
    }
    for name in NAMES {
        if all.iter().any(|t| occurs(t, name)) {
            still.push(name);
        }
    }
    let body = seed.body.iter().map(|(symbol, dice)| {
        let (name, arity) = SYMBOLS[*symbol];
        let args = dice.iter().take(arity).enumerate();
        let int = |c: usize| columns.name(*symbol, c) != "any";
        add(name, args.map(|(c, &d)| argument(d, &still, terms, int(c))).collect::<Vec<_>>())
    });
    R {
        passive: seed.passive.filter(|&h| h < kept.len() + removed.len()).into_iter().collect(),
        guard: seed.guard.iter().map(|&d| guard(d, &still)).collect(),
        body: body.collect(),
        kept,
        removed,
    }
}

/// Goals that add constraints.
pub(super) fn goals(query: &[(usize, [i64; 3])]) -> Vec<G> {
    let goal = |(symbol, args): &(usize, [i64; 3])| {
        let (name, arity) = SYMBOLS[*symbol];
        add(name, args.iter().take(arity).map(|&a| n(a)).collect::<Vec<_>>())
    };
    query.iter().map(goal).collect()
}

/// Lets a body write before each of its goals, and end its line.
fn with_output(mut rule: R) -> R {
    let bound = rule.kept.iter().chain(&rule.removed).flat_map(|head| &head.1);
    let values: Vec<T> = bound.filter(|arg| matches!(arg, T::Var(_) | T::Int(_))).cloned().collect();
    let value = |i: usize| values.get(i % values.len().max(1)).cloned().unwrap_or(n(7));
    let goals = std::mem::take(&mut rule.body).into_iter().enumerate();
    rule.body = goals.flat_map(|(i, goal)| [G::Write(value(i)), goal]).chain([G::Newline]).collect();
    rule
}

/// The program of some rules and a query.
pub(super) fn program(seeds: &[Seed], goals: &[G], columns: Columns, writes: bool) -> Builder {
    let mut builder = Builder::new();
    for (s, (name, arity)) in SYMBOLS.iter().enumerate() {
        let types: Vec<&str> = (0..*arity).map(|c| columns.name(s, c)).collect();
        builder.con(name, &types);
    }
    for (i, r) in seeds.iter().map(|s| rule(s, columns)).enumerate() {
        builder.rule(&format!("r{i}"), if writes { with_output(r) } else { r });
    }
    builder.query(goals);
    builder
}

fn check(seeds: &[Seed], query: &[(usize, [i64; 3])], columns: Columns) -> Result<(), TestCaseError> {
    let rules: Vec<R> = seeds.iter().map(|s| rule(s, columns)).collect();
    let goals = goals(query);
    let builder = program(seeds, &goals, columns, false);
    let plan = builder.plan();
    let orders = |rule: usize, head: usize| {
        let occurrence = plan.occurrences.iter().find(|o| (o.rule.0 as usize, o.head) == (rule, head))?;
        Some(occurrence.joins.iter().map(|j| j.head).collect())
    };
    let int_column = |name: &str, column: usize| {
        let symbol = SYMBOLS.iter().position(|s| s.0 == name).unwrap();
        columns.name(symbol, column) != "any"
    };
    let mut naive = Naive::new(&rules, &orders, &int_column, STEPS as usize);
    let (end, store) = naive.run(&goals);
    prop_assume!(end != End::Ambiguous);
    let ran = builder.run_with(Limits { max_steps: Some(STEPS), ..Limits::default() });
    let got = match ran.error.as_ref().map(|e| &e.reason) {
        None => End::Done,
        Some(StopReason::Steps { .. }) => End::Steps,
        Some(StopReason::Arithmetic { .. }) => End::Arithmetic,
        Some(StopReason::Column { .. }) => End::Column,
        Some(other) => return Err(TestCaseError::fail(format!("{other:?}"))),
    };
    let plan_text = plan.display(&builder.program);
    prop_assert_eq!(&ran.trace, &naive.trace, "\n{}\n{}", builder.program, plan_text);
    prop_assert_eq!(got, end, "\n{}\n{}\n{:?}", builder.program, plan_text, ran.error);
    if end == End::Done {
        let mut lines: Vec<String> = ran.text.lines().map(String::from).collect();
        lines.sort();
        prop_assert_eq!(&lines, &store, "\n{}", builder.program);
        prop_assert_eq!(ran.stats.live_cells, Some(store.len() as u64));
    }
    prop_assert_eq!(ran.stats.firings, Some(naive.trace.len() as u64));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn executor_agrees_with_the_naive_semantics(
        seeds in prop::collection::vec(seed(true), 1..5),
        query in prop::collection::vec((0usize..SYMBOLS.len(), [0i64..3, 0i64..3, 0i64..3]), 1..8),
        columns in prop::sample::select(vec![Columns::Int, Columns::Dense, Columns::Any, Columns::Mixed]),
    ) {
        check(&seeds, &query, columns)?;
    }
}
