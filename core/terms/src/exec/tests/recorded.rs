//! Counters of recorded runs against counts by hand.

use super::*;
use gchr_base::profile::Recorder;

const FIB: &str = "sort N = struct Z | S(N) | Plus(N, N) | Fib(N); var X, Y : N;
    eqn Plus(Z, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
        Fib(Z) = Z; Fib(S(Z)) = S(Z); Fib(S(S(X))) = Plus(Fib(S(X)), Fib(X));";

fn record(text: &str, options: TermOptions) -> (Recorder, Stats) {
    let program = program(text);
    let plan = compile(&program, &options).unwrap_or_else(|e| panic!("{e:?}"));
    let Start::Term(Some(input)) = &program.start else { panic!("no input") };
    let mut recorder = Recorder::new();
    let mut control = Control::default().profile(&mut recorder);
    let out = run(&program, &plan, input, &mut control).unwrap_or_else(|e| panic!("{:?}", e.error));
    drop(control);
    (recorder, out.stats)
}

fn applied(recorder: &Recorder) -> Vec<u64> {
    recorder.rules().iter().map(|rule| rule.applied).collect()
}

/// Fib(3) calls Fib(2), Fib(1), Fib(0), Fib(1); the sums are 1 + 0 and 1 + 1.
#[test]
fn applications_are_counted_by_rule() {
    for options in [TermOptions::default(), TermOptions::traced()] {
        let (recorder, stats) = record(&format!("{FIB} input Fib(S(S(S(Z))));"), options);
        assert_eq!(applied(&recorder), [2, 2, 1, 2, 2]);
        assert_eq!(stats.rewrites, Some(9));
        let points = recorder.points();
        assert_eq!((points[0].steps, points[points.len() - 1].steps), (0, 9));
        assert!(points.iter().all(|p| p.rounds == 0 && p.tried == 0));
    }
}

#[test]
fn counts_by_rule_add_up_to_the_rewrites_of_long_runs() {
    let (recorder, stats) = record(&format!("{FIB} input Fib(S^17(Z));"), TermOptions::default());
    assert_eq!(applied(&recorder).iter().sum::<u64>(), stats.rewrites.expect("rewrites"));
    // F(17) calls: 2 * fib(18) - 1, of which fib(17) are Fib(1) and fib(16) are Fib(0).
    assert_eq!(applied(&recorder)[2..], [987, 1597, 2583]);
    assert!(recorder.points().len() > 10);
    let share: f64 = recorder.rules().iter().map(|rule| rule.share).sum();
    assert!(share == 0.0 || (share - 1.0).abs() < 1e-6, "{share}");
}

/// A run that stops has counted what it did, by rule and in all.
#[test]
fn stopped_runs_are_counted() {
    let program = program("sort N = struct Z | S(N) | F(N); var X : N; eqn F(X) = F(S(X)); input F(Z);");
    let plan = compile(&program, &TermOptions::default()).expect("a plan");
    let Start::Term(Some(input)) = &program.start else { panic!("no input") };
    let mut recorder = Recorder::new();
    let limits = gchr_base::control::Limits { max_steps: Some(1000), ..Default::default() };
    let mut control = Control::new(limits).profile(&mut recorder);
    let stopped = run(&program, &plan, input, &mut control).expect_err("an endless program");
    drop(control);
    assert_eq!(applied(&recorder), [stopped.stats.rewrites.expect("rewrites")]);
}
