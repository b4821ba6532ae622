//! A run that goes on from a checkpoint has the rounds, the firings and the store of one that was never stopped,
//! for any number of workers that kept the state, and any number that go on from it.

use std::sync::Mutex;

use super::workers::Case;
use gchr_base::control::{Control, Limits};
use gchr_base::error::StopReason;
use gchr_constraints::exec::{Outcome, Stopped};
use gchr_constraints::plan::RoundsOptions;
use gchr_constraints::rounds::checkpoint::{self, Checkpoints, Part, Seal};
use gchr_constraints::rounds::workers::Worker;
use gchr_testkit::programs::examples;
use gchr_testkit::random::Random;
use gchr_testkit::shared::{CLOSURE, random_program};

/// Checkpoints in memory.
#[derive(Default)]
struct Album {
    /// The parts of each, with its round.
    complete: Mutex<Vec<(u64, Vec<Part>)>>,
    /// Parts with their seals.
    stored: Mutex<Vec<(Seal, Part)>>,
    /// Those that the run goes on from.
    from: Vec<Part>,
    /// Rounds between two checkpoints; 0: none is made.
    every: u64,
    /// Whether nothing can be stored from this round on.
    full: Option<u64>,
}

impl Checkpoints for Album {
    fn is_due(&self, rounds: u64) -> bool {
        self.every > 0 && rounds.is_multiple_of(self.every)
    }
    fn write(&self, worker: Worker, rounds: u64, part: &Part) -> Result<Seal, String> {
        if worker.rank + 1 == worker.ranks && self.full.is_some_and(|full| rounds >= full) {
            return Err("the disk is full".into());
        }
        let seal = Seal { bytes: rounds, hash: [worker.rank as u64, worker.ranks as u64, 0, 0] };
        self.stored.lock().expect("no panic").push((seal, part.clone()));
        Ok(seal)
    }
    fn complete(&self, rounds: u64, seals: &[Seal]) -> Result<(), String> {
        let stored = self.stored.lock().expect("no panic");
        let find = |seal: &Seal| stored.iter().find(|(own, _)| own == seal).map(|(_, part)| part.clone());
        let parts = seals.iter().map(find).collect::<Option<_>>().expect("all parts are stored");
        self.complete.lock().expect("no panic").push((rounds, parts));
        Ok(())
    }
    fn parts(&self) -> usize {
        self.from.len()
    }
    fn read(&self, part: usize) -> Result<Part, String> {
        Ok(self.from[part].clone())
    }
}

impl Case {
    /// By so many workers, or by a run on its own.
    fn kept(&self, workers: usize, album: &Album, limits: Limits) -> Result<Outcome, Box<Stopped>> {
        match workers {
            0 => checkpoint::run(&self.program, &self.plan, &[], album, &mut Control::new(limits)),
            _ => self.here(workers, 1, Some(album), limits),
        }
    }

    /// What came of a run. New tables have other capacities; and of the rules that fire in a round, the one that is
    /// last is another one where workers have kept the state.
    fn told(&self, mut result: Result<Outcome, Box<Stopped>>) -> String {
        if let Err(stopped) = &mut result {
            stopped.error.progress.bytes = 0;
            if matches!(stopped.error.reason, StopReason::Steps { .. } | StopReason::Rounds { .. }) {
                (stopped.error.rule, stopped.error.span) = (None, None);
            }
        }
        self.text(result)
    }

    /// Keeps the state after every round, and goes on from each. `numbers` are those of workers.
    #[track_caller]
    fn check_resumed(&self, numbers: &[usize], limits: Limits) -> usize {
        let uninterrupted = self.told(self.alone(limits));
        let mut kept = 0;
        for &before in numbers {
            let album = Album { every: 1, ..Album::default() };
            assert_eq!(self.told(self.kept(before, &album, limits)), uninterrupted, "{before} workers keep");
            let complete = album.complete.into_inner().expect("no panic");
            kept += complete.len();
            for (round, parts) in complete {
                for &after in numbers {
                    let album = Album { from: parts.clone(), ..Album::default() };
                    let resumed = self.told(self.kept(after, &album, limits));
                    assert_eq!(resumed, uninterrupted, "round {round}: {before} workers, then {after}");
                }
            }
        }
        kept
    }
}

#[test]
fn examples_go_on_from_every_round() {
    let mut shared = 0;
    for (name, text) in examples("chr") {
        for options in
            [RoundsOptions::default(), RoundsOptions { classes: false, ..RoundsOptions::default() }]
        {
            let case = Case::planned(&text, "", options);
            let is_shared = case.shared().is_ok();
            shared += usize::from(is_shared);
            let numbers: &[usize] = if is_shared { &[0, 1, 2, 3] } else { &[0] };
            let kept = case.check_resumed(numbers, Limits::default());
            // All firings of these two are of goals that are added.
            let has_rounds = !["min.chr", "gcd.chr"].contains(&name.as_str()) || !options.classes;
            assert_eq!(kept > 0, has_rounds, "{name}");
        }
    }
    assert!(shared >= 3, "workers can share only {shared} examples");
}

/// The limits count from the start of the run on, and say the same where workers go on that must ask one alone.
#[test]
fn limits_and_errors_are_those_of_an_uninterrupted_run() {
    let ring = "e(1, 2), e(2, 3), e(3, 4), e(4, 1)";
    let endless = format!("{CLOSURE}e(X, Y), p(Y, Z) ==> p(X, Z).\np(X, Y) ==> Z is Y + 1, p(X, Z).\n");
    let case = Case::new(&endless, ring);
    case.check_resumed(&[0, 2], Limits { max_steps: Some(200), ..Limits::default() });
    case.check_resumed(&[0, 3], Limits { max_rounds: Some(9), ..Limits::default() });
    let text =
        format!("{CLOSURE}e(X, Y), p(Y, Z) ==> p(X, Z).\nbad @ p(X, X) ==> Y is 1 // (X - 3), p(X, Y).\n");
    Case::new(&text, ring).check_resumed(&[0, 2], Limits::default());
}

/// Each query is a batch of its own: those before the checkpoint are not run again.
#[test]
fn later_queries_follow() {
    let text = format!(
        "{CLOSURE}p(X, Y), p(Y, Z) ==> p(X, Z).\n?- e(1, 2), e(2, 3).\n?- e(3, 4), p(9, 1).\n?- e(4, 1).\n"
    );
    Case::new(&text, "").check_resumed(&[0, 1, 2, 5], Limits::default());
}

/// Instances that wait for others, lists that ended, values in place, and terms.
#[test]
fn programs_that_workers_do_not_share_go_on() {
    let sums = ":- chr_constraint s(+int), t(?any), seen(?any, +int).
s(A), s(B) <=> C is A + B, s(C).
t(f(X, Y)) ==> t(X), t(Y).
t(X), s(N) ==> N > 20 | seen(X, N).
seen(X, N) \\ seen(X, M) <=> N =< M | true.
";
    let goals = "s(1), s(2), s(3), s(4), s(5), s(6), s(7), s(8), s(9), t(f(f(a, \"b c\"), f(1.5, [1, 2])))";
    Case::new(sums, goals).check_resumed(&[0], Limits { max_steps: Some(500), ..Limits::default() });
    let values = ":- chr_constraint d(+int, +int, +int), e(+int, +int, +int).
d(I, J, A) \\ d(I, J, B) <=> A =< B | true.
d(I, K, A), d(K, J, B) \\ d(I, J, C) <=> C > A + B | D is A + B, d(I, J, D).
";
    let edges: Vec<String> = (0..12)
        .flat_map(|i| (0..12).map(move |j| (i, j)))
        .filter(|(i, j)| i != j)
        .map(|(i, j)| format!("d({i}, {j}, {})", if (i + 1) % 12 == j { 1 } else { 40 + (i * 7 + j) % 9 }))
        .collect();
    Case::new(values, &edges.join(", ")).check_resumed(&[0], Limits::default());
}

/// Random programs, with rules that remove undivided constraints. Set `GCHR_WORKER_CASES` for more of them.
#[test]
fn random_programs_go_on_from_every_round() {
    let cases = std::env::var("GCHR_WORKER_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let seed = std::env::var("GCHR_WORKER_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    for case in 0..cases {
        let mut random = Random::new(seed * 2_000_003 + case);
        let (text, query) = random_program(&mut random);
        let case = Case::new(&text, &query);
        let numbers: &[usize] = if case.shared().is_ok() { &[0, 2, 3] } else { &[0] };
        let limits = Limits { max_steps: Some(1_000), ..Limits::default() };
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            case.check_resumed(numbers, limits);
        }));
        assert!(checked.is_ok(), "{text}?- {query}.");
    }
}

/// A worker that cannot store its part ends them all; what was complete stays.
#[test]
fn a_part_that_is_not_stored_ends_the_run() {
    let case = Case::new(&format!("{CLOSURE}p(X, Y), e(Y, Z) ==> p(X, Z).\n"), "draw(40, 7)");
    for workers in [0, 1, 3] {
        let album = Album { every: 2, full: Some(6), ..Album::default() };
        let stopped = case.kept(workers, &album, Limits::default()).expect_err("the disk is full");
        let reason = format!("{:?}", stopped.error.reason);
        assert!(reason.contains("the disk is full"), "{workers} workers: {reason}");
        let rounds: Vec<u64> = album.complete.into_inner().expect("no panic").iter().map(|c| c.0).collect();
        assert_eq!(rounds, [2, 4], "{workers} workers");
    }
}
