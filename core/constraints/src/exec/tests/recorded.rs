//! Counters of recorded runs against counts by hand.

use super::builder::{Builder, G, R, add, n, op, v};
use crate::exec::run;
use gchr_base::control::Control;
use gchr_base::op::Op;
use gchr_base::profile::Recorder;
use gchr_base::stats::Stats;

fn gcd() -> Builder {
    let mut b = Builder::new();
    b.con("gcd", &["int"]);
    b.rule("zero", R { removed: vec![("gcd", vec![n(0)])], ..R::default() });
    b.rule(
        "step",
        R {
            kept: vec![("gcd", vec![v("N")])],
            removed: vec![("gcd", vec![v("M")])],
            guard: vec![G::Test(op(Op::Le, [v("N"), v("M")]))],
            body: vec![G::Is("L", op(Op::Mod, [v("M"), v("N")])), add("gcd", [v("L")])],
            ..R::default()
        },
    );
    b
}

fn record(b: &Builder) -> (Recorder, Stats) {
    let plan = b.plan();
    let mut recorder = Recorder::new();
    let mut control = Control::default().profile(&mut recorder);
    let stats = run(&b.program, &plan, &[], &mut control).expect("a result").stats;
    drop(control);
    (recorder, stats)
}

/// The active constraint is tried for `zero` each time. gcd(9) meets gcd(6) and fires; gcd(3) meets gcd(6) twice, first
/// as the one to be removed, in vain, then as the one that is kept; gcd(0) goes.
#[test]
fn firings_and_candidates_are_counted_by_rule() {
    let mut b = gcd();
    b.query([add("gcd", [n(6)]), add("gcd", [n(9)])]);
    let (recorder, stats) = record(&b);
    let counts: Vec<_> = recorder.rules().iter().map(|rule| (rule.applied, rule.tried)).collect();
    assert_eq!(counts, [(1, 4), (2, 3)]);
    assert_eq!(stats.firings, Some(3));
    let last = recorder.points().last().expect("a point");
    assert_eq!((last.steps, last.tried, last.live, last.rounds), (3, 7, 1, 0));
}

#[test]
fn counts_by_rule_add_up_in_long_runs() {
    let mut b = gcd();
    b.query((1..=2000).map(|i| add("gcd", [n(7 * i)])).collect::<Vec<_>>());
    let (recorder, stats) = record(&b);
    let sum = |of: fn(&gchr_base::profile::RuleCount) -> u64| recorder.rules().iter().map(of).sum::<u64>();
    assert_eq!(Some(sum(|rule| rule.applied)), stats.firings);
    let last = recorder.points().last().expect("a point");
    assert_eq!((sum(|rule| rule.tried), Some(last.steps)), (last.tried, stats.firings));
    assert!(recorder.points().len() > 10);
}
