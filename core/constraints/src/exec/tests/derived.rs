//! Recorded derivations: of each constraint of a random program the cause is one, and what is left of the record when
//! removed constraints are taken out is the store.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::builder::{Builder, G, R, Rounds, add, n, op, pool, v};
use super::random::{Columns, SYMBOLS, Seed, goals, program, seed};
use crate::derivation::Values;
use crate::exec::{Outcome, Stopped, run};
use crate::plan::{Joins, RoundsOptions, compile_derivable_rounds};
use crate::rounds;
use gchr_base::control::{Control, Limits};
use gchr_base::derivation::{Cause, Derivations};
use gchr_base::op::Op;
use gchr_base::rule::{Body, Goal, GoalKind, Role, Rule, Start};
use gchr_base::signature::ConstraintId;

const STEPS: u64 = 100;

type Ended = Result<Outcome, Box<Stopped>>;

fn recorded(run: impl FnOnce(&mut Control) -> Ended) -> (Derivations, Ended) {
    let limits = Limits { max_steps: Some(STEPS), max_rounds: Some(8), ..Limits::default() };
    let mut control = Control::new(limits);
    let mut record = Box::new(Derivations::new());
    record.begin_run();
    control.derive(record);
    let ended = run(&mut control);
    (*control.take_derivations().expect("it was lent"), ended)
}

/// Symbol and arguments of what goals add, in order.
fn added(goals: &[Goal], values: &mut Values<'_>) -> Vec<(ConstraintId, Vec<u64>)> {
    let mut found = Vec::new();
    for goal in goals {
        values.execute(goal);
        if let GoalKind::Add { constraint, args } = &goal.kind {
            let args = args.iter().map(|arg| values.value(arg).expect("it was computed")).collect();
            found.push((*constraint, args));
        }
    }
    found
}

fn nothing_bound(builder: &Builder) -> Rule {
    let mut rule = builder.program.rules.iter().next().expect("a rule").clone();
    rule.vars = Default::default();
    rule
}

fn check_instance(
    builder: &Builder,
    record: &mut Derivations,
    number: u64,
    whole: bool,
) -> Result<(), TestCaseError> {
    let fired = record.instance(number).expect("an instance");
    let rule = &builder.program.rules[fired.rule];
    let heads: Vec<Vec<u64>> =
        fired.heads.iter().map(|&id| record.constraint(id).expect("a head").args.to_vec()).collect();
    let all = 0..record.constraints();
    let made: Vec<(ConstraintId, Vec<u64>)> = all
        .filter_map(|id| record.constraint(id))
        .filter(|made| made.cause == Cause::Instance(number))
        .map(|made| (made.symbol, made.args.to_vec()))
        .collect();
    let mut values = Values::new(&builder.program, rule, record.heap_mut());
    for (head, args) in rule.heads.iter().zip(&heads) {
        let matches = head.atom.args().iter().zip(args).all(|(p, &word)| values.matches(p, word));
        prop_assert!(matches, "a head does not match\n{}", builder.program);
    }
    rule.guard.iter().for_each(|goal| values.execute(goal));
    let Body::Goals(goals) = &rule.body else { return Ok(()) };
    // A run that stops has executed a part of its last bodies.
    if whole || !made.is_empty() {
        let wanted = if whole { added(goals, &mut values) } else { begun(goals, &mut values, made.len()) };
        prop_assert_eq!(made, wanted, "instance {}\n{}", number, builder.program);
    }
    Ok(())
}

/// The first constraints that goals add.
fn begun(goals: &[Goal], values: &mut Values<'_>, most: usize) -> Vec<(ConstraintId, Vec<u64>)> {
    let adds = goals.iter().enumerate().filter(|(_, g)| matches!(g.kind, GoalKind::Add { .. }));
    let end = adds.map(|(at, _)| at + 1).nth(most - 1).unwrap_or(goals.len());
    added(&goals[..end], values)
}

fn check(builder: &Builder, (mut record, ended): (Derivations, Ended)) -> Result<(), TestCaseError> {
    prop_assert!(record.stopped().is_none(), "{:?}", record.stopped());
    let whole = ended.is_ok();
    // By constraint the round in which it was removed; in one round, what goes is there until all have fired.
    let mut removed = HashMap::new();
    for number in 0..record.instances() {
        let fired = record.instance(number).expect("an instance");
        let rule = &builder.program.rules[fired.rule];
        let different: HashSet<u64> = fired.heads.iter().copied().collect();
        prop_assert_eq!(different.len(), rule.heads.len());
        for (head, &id) in rule.heads.iter().zip(fired.heads) {
            let gone = removed.get(&id).is_some_and(|&round| round < fired.round || round == 0);
            prop_assert!(!gone, "head {} of instance {} is gone\n{}", id, number, builder.program);
            let cause = record.constraint(id).expect("a head").cause;
            prop_assert!(!matches!(cause, Cause::Instance(k) if k >= number), "{} is of later", id);
            let once = head.role == Role::Kept || removed.insert(id, fired.round).is_none();
            prop_assert!(once, "{} is removed twice\n{}", id, builder.program);
        }
        check_instance(builder, &mut record, number, whole)?;
    }
    let Start::Goals(queries) = &builder.program.start else { unreachable!("goals") };
    for id in 0..record.constraints() {
        let made = record.constraint(id).expect("a constraint");
        let (symbol, args) = (made.symbol, made.args.to_vec());
        match made.cause {
            Cause::Instance(k) => prop_assert!(k < record.instances()),
            Cause::Fact { .. } => return Err(TestCaseError::fail("there are no facts")),
            Cause::Goal { query, number } => {
                let rule = nothing_bound(builder);
                let mut values = Values::new(&builder.program, &rule, record.heap_mut());
                let wanted = added(&queries[query as usize].goals, &mut values).swap_remove(number as usize);
                prop_assert_eq!((symbol, args), wanted);
            }
        }
    }
    let Ok(outcome) = ended else { return Ok(()) };
    let signature = &builder.program.signature;
    let mut live: Vec<String> = (0..record.constraints())
        .filter(|id| !removed.contains_key(id))
        .filter_map(|id| record.constraint(id))
        .map(|made| text(builder, &record, made.symbol, made.args))
        .collect();
    let mut stored = Vec::new();
    outcome.store.write_text(signature, &mut stored).expect("text");
    let mut stored: Vec<String> =
        String::from_utf8(stored).expect("text").lines().map(String::from).collect();
    live.sort();
    stored.sort();
    prop_assert_eq!(live, stored, "\n{}", builder.program);
    Ok(())
}

fn text(builder: &Builder, record: &Derivations, symbol: ConstraintId, args: &[u64]) -> String {
    let signature = &builder.program.signature;
    let terms = record.terms(signature);
    let value = |&word: &u64| terms.value(gchr_base::signature::SortKind::Any, word).argument().to_string();
    let args: Vec<String> = args.iter().map(value).collect();
    let name = &signature.constraints[symbol].name;
    if args.is_empty() { name.clone() } else { format!("{name}({})", args.join(",")) }
}

fn in_rounds(builder: &Builder, options: RoundsOptions, threads: usize) -> (Derivations, Ended) {
    let plan = compile_derivable_rounds(&builder.program, options).expect("a plan");
    pool(threads).install(|| recorded(|control| rounds::run(&builder.program, &plan, &[], control)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn recorded_derivations_are_derivations(
        seeds in prop::collection::vec(seed(true), 1..5),
        query in prop::collection::vec((0usize..SYMBOLS.len(), [0i64..3, 0i64..3, 0i64..3]), 1..8),
        columns in prop::sample::select(vec![Columns::Int, Columns::Dense, Columns::Any, Columns::Mixed]),
        classes in any::<bool>(),
    ) {
        let seeds: Vec<Seed> = seeds;
        let builder = program(&seeds, &goals(&query), columns, false);
        let plan = builder.plan();
        check(&builder, recorded(|control| run(&builder.program, &plan, &[], control)))?;
        for joins in [Joins::Indexed, Joins::Exhaustive] {
            check(&builder, in_rounds(&builder, RoundsOptions { classes, joins }, 3))?;
        }
        let plain = Rounds::on(1, classes).plan;
        check(&builder, in_rounds(&builder, plain, 1))?;
    }
}

/// Random rules are hardly ever of a class: these are, some in each.
fn with_classes() -> Builder {
    let mut b = Builder::new();
    b.con("e", &["dense", "dense", "int"]).con("g", &["int"]).con("s", &["int"]);
    b.con("b", &["int", "int"]);
    let le = |a, b| G::Test(op(Op::Le, [v(a), v(b)]));
    b.rule(
        "best",
        R {
            kept: vec![("b", vec![v("X"), v("A")])],
            removed: vec![("b", vec![v("X"), v("B")])],
            guard: vec![le("A", "B")],
            ..R::default()
        },
    );
    b.rule("set", R { kept: vec![("s", vec![v("X")])], removed: vec![("s", vec![v("X")])], ..R::default() });
    let sum = op(Op::Add, [v("A"), v("B")]);
    let more = G::Test(op(Op::Gt, [v("C"), sum.clone()]));
    b.rule(
        "path",
        R {
            kept: vec![("e", vec![v("X"), v("Z"), v("A")]), ("e", vec![v("Z"), v("Y"), v("B")])],
            removed: vec![("e", vec![v("X"), v("Y"), v("C")])],
            guard: vec![more],
            body: vec![add("e", [v("X"), v("Y"), sum])],
            ..R::default()
        },
    );
    b.rule("zero", R { removed: vec![("g", vec![n(0)])], ..R::default() });
    b.rule(
        "gcd",
        R {
            kept: vec![("g", vec![v("N")])],
            removed: vec![("g", vec![v("M")])],
            guard: vec![G::Test(op(Op::Lt, [n(0), v("N")])), le("N", "M")],
            body: vec![G::Is("L", op(Op::Mod, [v("M"), v("N")])), add("g", [v("L")])],
            ..R::default()
        },
    );
    let edge = |x: i64, y: i64, d: i64| add("e", [n(x), n(y), n(d)]);
    b.query([
        edge(0, 1, 1),
        edge(1, 2, 1),
        edge(0, 2, 9),
        edge(2, 3, 1),
        add("b", [n(1), n(7)]),
        add("b", [n(1), n(5)]),
        add("b", [n(1), n(6)]),
        edge(0, 3, 8),
        edge(1, 3, 5),
        add("g", [n(12)]),
        add("g", [n(18)]),
        add("s", [n(1)]),
        add("s", [n(1)]),
    ]);
    b
}

#[test]
fn rules_with_classes_are_recorded() {
    let b = with_classes();
    let given = b.rounds_plan(RoundsOptions::default());
    let found =
        (given.classes.replacements.len(), given.classes.divisors.len(), given.classes.reductions.len());
    assert_eq!(found, (1, 1, 2), "{}", given.display(&b.program));
    let wanted = "e(0,1,1)\ne(0,2,2)\ne(0,3,3)\ne(1,2,1)\ne(1,3,2)\ne(2,3,1)\ng(6)\ns(1)\nb(1,5)";
    for joins in [Joins::Indexed, Joins::Exhaustive] {
        for threads in [1, 3] {
            let (record, ended) = in_rounds(&b, RoundsOptions { classes: true, joins }, threads);
            let mut stored = Vec::new();
            let outcome = ended.as_ref().expect("it ends");
            outcome.store.write_text(&b.program.signature, &mut stored).unwrap();
            assert_eq!(String::from_utf8(stored).unwrap().trim(), wanted);
            check(&b, (record, ended)).unwrap();
        }
    }
}
