//! Workers that share a run have the rounds, the firings and the store of one worker, whatever their number, that of
//! their threads, and the order in which messages arrive.

use std::num::NonZeroUsize;

use super::support::{loaded, shown};
use gchr_base::control::{Control, Limits};
use gchr_base::rule::Program;
use gchr_base::stats::Stats;
use gchr_constraints::exec::Outcome;
use gchr_constraints::exec::Stopped;
use gchr_constraints::plan::{ChrPlan, RoundsOptions, compile_rounds};
use gchr_constraints::rounds;
use gchr_constraints::rounds::checkpoint::Checkpoints;
use gchr_constraints::rounds::workers::wire::{Local, Post};
use gchr_constraints::rounds::workers::{
    Job, Lost, Ran, Undividable, Wire, Worker, WorkerProgram, run_local, run_over,
};
use gchr_testkit::random::Random;
use gchr_testkit::shared::{CLOSURE, DISTANCES, EDGES, random_program};

/// A wire on which the words of the workers arrive in any order.
struct Shuffled<'s> {
    wire: Local<'s>,
    random: Random,
}

impl Wire for Shuffled<'_> {
    fn worker(&self) -> Worker {
        self.wire.worker()
    }
    fn all_to_all(&mut self, send: &[u64], received: &mut [u64]) -> Result<(), Lost> {
        if self.random.below(4) == 0 {
            std::thread::yield_now();
        }
        self.wire.all_to_all(send, received)
    }
    fn all_to_all_v(&mut self, send: Vec<Vec<u64>>, lengths: &[usize]) -> Result<Vec<Vec<u64>>, Lost> {
        let mut received = self.wire.all_to_all_v(send, lengths)?;
        for at in (1..received.len()).rev() {
            received.swap(at, self.random.below(at + 1));
        }
        Ok(received)
    }
}

pub(super) struct Case {
    pub(super) program: Program,
    pub(super) plan: ChrPlan,
}

impl Case {
    pub(super) fn new(text: &str, query: &str) -> Self {
        Self::planned(text, query, RoundsOptions::default())
    }

    pub(super) fn planned(text: &str, query: &str, options: RoundsOptions) -> Self {
        let program = loaded(text, query).unwrap_or_else(|codes| panic!("{codes}\n{text}\n?- {query}."));
        let plan = compile_rounds(&program, options).expect("a plan");
        Self { program, plan }
    }

    pub(super) fn shared(&self) -> Result<WorkerProgram, Undividable> {
        WorkerProgram::new(&self.program, &self.plan)
    }

    pub(super) fn alone(&self, limits: Limits) -> Result<Outcome, Box<Stopped>> {
        rounds::run(&self.program, &self.plan, &[], &mut Control::new(limits))
    }

    fn job<'j>(&'j self, shared: &'j WorkerProgram, threads: usize) -> Job<'j> {
        Job {
            program: &self.program,
            plan: &self.plan,
            shared,
            facts: &[],
            threads,
            checkpoints: None,
            only_sizes: false,
        }
    }

    pub(super) fn here(
        &self,
        workers: usize,
        threads: usize,
        checkpoints: Option<&dyn Checkpoints>,
        limits: Limits,
    ) -> Result<Outcome, Box<Stopped>> {
        let shared = self.shared().expect("workers can share it");
        let workers = NonZeroUsize::new(workers).expect("some");
        let job = Job { checkpoints, ..self.job(&shared, threads) };
        run_local(job, workers, &mut Control::new(limits))
    }

    /// Over wires that shuffle; all but the first worker give nothing.
    fn shuffled(&self, workers: usize, seed: u64, limits: Limits) -> Result<Outcome, Box<Stopped>> {
        let shared = self.shared().expect("workers can share it");
        let (post, job) = (Post::new(workers), self.job(&shared, 1));
        let run = |rank: usize| {
            let random = Random::new(seed + rank as u64);
            let mut wire = Shuffled { wire: post.end(rank), random };
            run_over(job, &mut wire, &mut Control::new(limits))
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..workers).map(|rank| scope.spawn(move || run(rank))).collect();
            let first = run(0);
            for other in others {
                let other = other.join().expect("no panic");
                assert!(
                    matches!(other, Ok(Ran::Part | Ran::Elsewhere) | Err(_)),
                    "only the first worker has the store"
                );
            }
            first.map(|ran| match ran {
                Ran::Whole(whole) => whole.outcome,
                other => panic!("the first worker has {other:?}"),
            })
        })
    }

    pub(super) fn text(&self, result: Result<Outcome, Box<Stopped>>) -> String {
        let counts = |stats: &Stats| format!("{:?} {:?} {:?}", stats.rounds, stats.firings, stats.candidates);
        match result {
            Ok(outcome) => format!("{} {}", counts(&outcome.stats), shown(&outcome.store, &self.program)),
            Err(stopped) => format!("{} {:?}", counts(&stopped.stats), stopped.error),
        }
    }

    /// The same from any number of workers.
    #[track_caller]
    fn check(&self, numbers: &[usize], limits: Limits) {
        let alone = self.text(self.alone(limits));
        let about = || format!("{}\n{}", self.program.rules.len(), self.plan.explain_places());
        for &workers in numbers {
            for threads in [1, 2] {
                let here = self.text(self.here(workers, threads, None, limits));
                assert_eq!(here, alone, "{workers} workers, {threads} threads\n{}", about());
            }
            let shuffled = self.text(self.shuffled(workers, 7 * workers as u64, limits));
            assert_eq!(shuffled, alone, "{workers} workers, any order\n{}", about());
        }
    }
}

#[test]
fn closures_are_those_of_one_worker() {
    let graph = "draw(40, 7)";
    for step in
        ["e(X, Y), p(Y, Z) ==> p(X, Z).", "p(X, Y), e(Y, Z) ==> p(X, Z).", "p(X, Y), p(Y, Z) ==> p(X, Z)."]
    {
        Case::new(&format!("{CLOSURE}{step}\n"), graph).check(&[1, 2, 3, 4, 7], Limits::default());
    }
}

/// A path that meets itself is one constraint, not two, also where one of the two is looked for among copies.
#[test]
fn a_constraint_is_no_partner_of_itself() {
    let text = ":- chr_constraint p(+int, +int), q(+int, +int, +int).
p(X, Y) \\ p(X, Y) <=> true.
q(X, Y, Z) \\ q(X, Y, Z) <=> true.
p(X, Y), p(Y, Z) ==> q(X, Y, Z).
p(X, 1), p(_, X) ==> q(X, X, X).
q(X, _, Y) ==> X < 3 | p(X, Y).
";
    Case::new(text, "p(1, 1), p(1, 2), p(2, 2), p(2, 1), p(3, 3)").check(&[2, 3], Limits::default());
}

#[test]
fn best_values_go_to_their_key_and_to_copies() {
    Case::new(DISTANCES, EDGES).check(&[2, 3, 4, 7], Limits::default());
}

/// Each further query is a batch of its own.
#[test]
fn batches_follow_each_other() {
    let text = format!(
        "{CLOSURE}p(X, Y), p(Y, Z) ==> p(X, Z).\n?- e(1, 2), e(2, 3).\n?- e(3, 4), p(9, 1).\n?- e(4, 1).\n"
    );
    Case::new(&text, "").check(&[2, 5], Limits::default());
}

/// An error, a failure and a limit are told as by one worker.
#[test]
fn stops_are_those_of_one_worker() {
    let text =
        format!("{CLOSURE}e(X, Y), p(Y, Z) ==> p(X, Z).\nbad @ p(X, X) ==> Y is 1 // (X - 3), p(X, Y).\n");
    let ring = "e(1, 2), e(2, 3), e(3, 4), e(4, 1)";
    Case::new(&text, ring).check(&[2, 3], Limits::default());
    let text = format!("{CLOSURE}e(X, Y), p(Y, Z) ==> p(X, Z).\nbad @ p(X, X) ==> X > 9.\n");
    Case::new(&text, ring).check(&[2], Limits::default());
    Case::new(&text, "e(1, 2), 1 > 2").check(&[2], Limits::default());
    let endless = format!("{CLOSURE}p(X, Y) ==> Z is Y + 1, p(X, Z).\n");
    Case::new(&endless, ring).check(&[2], Limits { max_steps: Some(200), ..Limits::default() });
    Case::new(&endless, ring).check(&[3], Limits { max_rounds: Some(9), ..Limits::default() });
}

/// A limit of memory holds for all workers together, and names a rule of the program, of which each worker has more.
#[test]
fn memory_is_bounded() {
    let text = format!("{CLOSURE}p(X, Y), p(Y, Z) ==> p(X, Z).\np(X, Y) ==> Z is Y + 1, p(X, Z).\n");
    let limits = Limits { memory: Some(1 << 18), ..Limits::default() };
    let case = Case::new(&text, "e(1, 2), e(2, 3)");
    let shared = case.shared().expect("workers can share it");
    assert!(shared.program.rules.len() > case.program.rules.len());
    let stopped = case.here(3, 1, None, limits).expect_err("it does not end");
    assert!(format!("{:?}", stopped.error.reason).contains("Memory"), "{:?}", stopped.error);
    let rule = stopped.error.rule.expect("a rule that fired");
    let spans = [Some(case.program.rules[rule].span), stopped.error.span];
    assert_eq!(spans[0], spans[1], "{:?}", stopped.error);
}

/// Random programs. Set `GCHR_WORKER_CASES` for more of them.
#[test]
fn random_programs_are_those_of_one_worker() {
    let cases = std::env::var("GCHR_WORKER_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let seed = std::env::var("GCHR_WORKER_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut shared = 0;
    for case in 0..cases {
        let mut random = Random::new(seed * 1_000_003 + case);
        let (text, query) = random_program(&mut random);
        let case = Case::new(&text, &query);
        if case.shared().is_err() {
            continue;
        }
        shared += 1;
        let limits = Limits { max_steps: Some(3_000), ..Limits::default() };
        let numbers = [[2, 3], [4, 7], [1, 2]];
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            case.check(&numbers[random.below(3)], limits)
        }));
        assert!(checked.is_ok(), "{text}?- {query}.");
    }
    assert!(shared * 2 > cases, "workers can share only {shared} of {cases} programs");
}
