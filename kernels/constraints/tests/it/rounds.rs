//! Rounds on the simulator: the programs of docs/semantics.md round by round, and programs that are easily got wrong
//! against the CPU.

mod fast_paths;
mod output;
mod terms;

use gchr_base::control::{Control, Limits};
use gchr_base::diagnostic::render_all;
use gchr_base::error::{RunError, StopReason};
use gchr_base::facts::{FactColumn, Facts};
use gchr_base::profile::Recorder;
use gchr_base::rule::Program;
use gchr_base::signature::ConstraintId;
use gchr_base::source::{SourceMap, Span};
use gchr_base::stats::Stats;
use gchr_checker::check;
use gchr_constraints::exec::Store;
use gchr_constraints::plan::{ChrPlan, Joins, RoundsOptions, compile_rounds};
use gchr_constraints::rounds;
use gchr_kernel::device::Device;
use gchr_kernels_constraints::generate::kernels;
use gchr_kernels_constraints::kernels::Kernels;
use gchr_kernels_constraints::run::{FEW, Failure, Job, Options, run};
use gchr_kernels_constraints::start::{Input, input};
use gchr_simulator::SimDevice;
use gchr_testkit::rules as random;
use gchr_testkit::{compiler, programs};

const GENERAL: RoundsOptions = RoundsOptions { classes: false, joins: Joins::Indexed };
const EXHAUSTIVE: RoundsOptions = RoundsOptions { classes: false, joins: Joins::Exhaustive };

struct Case {
    sources: SourceMap,
    program: Program,
    plan: ChrPlan,
    facts: Vec<Facts>,
    input: Input,
    kernels: Kernels,
}

impl Case {
    fn new(text: &str, options: RoundsOptions) -> Self {
        let (sources, program) = programs::constraints("test.chr", text);
        let plan = compile_rounds(&program, options).expect("the plan compiles");
        let input = input(&program, &plan, &[], &mut Control::default());
        let kernels = programs::made(kernels(&program, &plan, &sources), &sources);
        Self { sources, program, plan, facts: Vec::new(), input, kernels }
    }

    fn on(
        &self,
        device: &mut dyn Device,
        rows: u32,
        limits: Limits,
    ) -> (Option<Store>, Option<StopReason>, u64) {
        let job =
            Job { program: &self.program, plan: &self.plan, kernels: &self.kernels, input: &self.input };
        let options = Options { memory: 1 << 28, rows, store: true, fast_paths: true, few: 4 };
        match run(job, options, device, &mut Control::new(limits)) {
            Ok(outcome) => (Some(outcome.store), None, outcome.stats.rounds.unwrap_or(0)),
            Err(Failure::Stopped(stopped)) => {
                (stopped.left, Some(stopped.error.reason), stopped.stats.rounds.unwrap_or(0))
            }
            Err(Failure::Device(error)) => {
                panic!("{}", render_all(&error.into_diagnostics(), &self.sources, false))
            }
        }
    }

    fn simulator(&self) -> SimDevice<'static> {
        self.simulator_of(gchr_simulator::SimulatorOptions::default().memory_limit)
    }

    /// One with so many bytes of memory.
    fn simulator_of(&self, memory_limit: u64) -> SimDevice<'static> {
        let program =
            gchr_simulator::Program::new(&self.kernels.module).unwrap_or_else(|errors| panic!("{errors:?}"));
        let options = gchr_simulator::SimulatorOptions {
            resident_blocks: 2,
            memory_limit,
            ..gchr_simulator::SimulatorOptions::default()
        };
        SimDevice::new(program, options).max_thread_steps(400_000_000)
    }

    fn text(&self, store: &Store) -> String {
        let mut text = Vec::new();
        store.write_text(&self.program.signature, &mut text).expect("a vector takes any text");
        let text = String::from_utf8(text).expect("text");
        text.lines().collect::<Vec<_>>().join(", ")
    }
}

/// Stores before the first round and after each one.
fn rounds_of(case: &Case, rows: u32) -> Vec<String> {
    let mut stores = Vec::new();
    for most in 0.. {
        let limits = Limits { max_rounds: Some(most), ..Limits::default() };
        let (store, stopped, rounds) = case.on(&mut case.simulator(), rows, limits);
        if most > rounds {
            assert!(stopped.is_none(), "{stopped:?}");
            break;
        }
        stores.push(case.text(&store.expect("the device has it")));
    }
    stores
}

/// The blocks of a page with a program and its rounds.
fn blocks(page: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let mut program = String::new();
    let mut parts = page.split("```");
    parts.next();
    while let Some(part) = parts.next() {
        let (kind, text) = part.split_once('\n').unwrap_or_default();
        match kind {
            "chr" => program = text.to_string(),
            "rounds" => {
                let line = |l: &str| l.split_once(": ").map_or(String::new(), |(_, store)| store.to_string());
                found.push((program.clone(), text.lines().map(line).collect()));
            }
            _ => {}
        }
        parts.next();
    }
    found
}

#[test]
fn the_programs_of_the_definition() {
    let all = blocks(include_str!("../../../../docs/semantics.md"));
    assert!(all.len() >= 5, "{}", all.len());
    for (text, expected) in all {
        let case = Case::new(&text, RoundsOptions::default());
        assert_eq!(rounds_of(&case, 1), expected, "{text}");
    }
}

/// What a run gives: output, store, error with its place, rounds, firings, of which rules.
#[derive(PartialEq, Debug)]
struct Given {
    output: String,
    store: String,
    stopped: Option<(StopReason, Option<Span>)>,
    rounds: Option<u64>,
    firings: Option<u64>,
    by_rule: Vec<u64>,
}

/// Rows that tables start with, whether fast_paths are followed, and constraints of a round that are left to one block.
type Config = (u32, bool, u32);

/// Few or many rows, with fast_paths and without, blocks all together, alone, and in turns.
const CONFIGS: [Config; 3] = [(1, true, 0), (64, true, 3), (1, false, FEW)];

impl Case {
    fn on_the_cpu(&self, limits: Limits) -> Given {
        let mut recorder = Recorder::new();
        let mut output = Vec::new();
        let mut control = Control::new(limits).profile(&mut recorder).output(&mut output);
        let (store, stats, error) = match rounds::run(&self.program, &self.plan, &self.facts, &mut control) {
            Ok(outcome) => (outcome.store, outcome.stats, None),
            Err(stopped) => (stopped.store, stopped.stats, Some(stopped.error)),
        };
        drop(control);
        self.given(output, &store, stats, error, &recorder)
    }

    fn on_the_simulator(&self, config: Config, limits: Limits) -> Given {
        self.on_a_device(&mut self.simulator(), config, limits)
    }

    fn on_a_device(&self, device: &mut dyn Device, (rows, fast_paths, few): Config, limits: Limits) -> Given {
        let job =
            Job { program: &self.program, plan: &self.plan, kernels: &self.kernels, input: &self.input };
        let options = Options { memory: 1 << 28, rows, store: true, fast_paths, few };
        let mut recorder = Recorder::new();
        let mut output = Vec::new();
        let mut control = Control::new(limits).profile(&mut recorder).output(&mut output);
        let result = run(job, options, device, &mut control);
        drop(control);
        match result {
            Ok(outcome) => self.given(output, &outcome.store, outcome.stats, None, &recorder),
            Err(Failure::Stopped(stopped)) => {
                let store = stopped.left.expect("the device has it");
                self.given(output, &store, stopped.stats, Some(stopped.error), &recorder)
            }
            Err(Failure::Device(error)) => {
                panic!("{}", render_all(&error.into_diagnostics(), &self.sources, false))
            }
        }
    }

    fn given(
        &self,
        output: Vec<u8>,
        store: &Store,
        stats: Stats,
        error: Option<RunError>,
        recorder: &Recorder,
    ) -> Given {
        let mut by_rule: Vec<u64> = recorder.rules().iter().map(|rule| rule.applied).collect();
        by_rule.resize(self.program.rules.len(), 0);
        if recorder.counts_rules() {
            assert_eq!(Some(by_rule.iter().sum()), stats.firings, "every firing is that of a rule");
        }
        Given {
            by_rule,
            output: String::from_utf8(output).expect("programs write text"),
            store: self.text(store),
            // Where a limit is reached is told by the last rule that fired, which a device does not note.
            stopped: error.map(|e| match e.reason {
                StopReason::Arithmetic { .. } | StopReason::Failed => (e.reason, e.span),
                reason => (reason, None),
            }),
            rounds: stats.rounds,
            firings: stats.firings,
        }
    }
}

fn agree(text: &str, limits: Limits) {
    for options in [RoundsOptions::default(), GENERAL, EXHAUSTIVE] {
        agree_with(text, options, limits);
    }
}

fn agree_with(text: &str, options: RoundsOptions, limits: Limits) -> Given {
    let case = Case::new(text, options);
    let expected = case.on_the_cpu(limits);
    for config in CONFIGS {
        let given = case.on_the_simulator(config, limits);
        assert_eq!(given, expected, "{options:?}, {config:?}\n{text}");
    }
    expected
}

/// Programs that are easily got wrong.
fn trap_programs() -> Vec<String> {
    let minima = format!("?- {}.", vec!["min(7)"; 90].join(", "));
    let many = (0..20).map(|r| format!("r{r} @ s(X), t(X) ==> X =:= {r} | u(X, {r}).\n")).collect::<String>();
    vec![
        // Equal minima, two and many.
        ":- chr_constraint min(+int). min(A) \\ min(B) <=> A =< B | true. ?- min(3), min(3).".to_string(),
        format!(":- chr_constraint min(+int). min(A) \\ min(B) <=> A =< B | true. {minima}"),
        // Killers in a ring.
        ":- chr_constraint a, b, c. a \\ b <=> true. b \\ c <=> true. c \\ a <=> true. ?- a, b, c, a, b, c.".into(),
        // Kept by many and removed by one.
        ":- chr_constraint a(+int), k, s. k, a(X) ==> X > 0 | s. s, s \\ k <=> true. ?- k, a(1), a(2), a(3).".into(),
        // One symbol at two heads; never the same constraint at both.
        ":- chr_constraint p(+int), q(+int, +int). p(X), p(Y) ==> X =< Y | q(X, Y). ?- p(1), p(2), p(2).".into(),
        // Duplicates are different constraints.
        ":- chr_constraint a, b, c. a, b ==> c. ?- a, b, a, b.".into(),
        // Closure on a cycle.
        ":- chr_constraint e(+int, +int), p(+int, +int). p(X, Y) \\ p(X, Y) <=> true. e(X, Y) ==> p(X, Y).
         e(X, Y), p(Y, Z) ==> p(X, Z). ?- e(1, 2), e(2, 3), e(3, 1), e(3, 4), e(1, 2).".into(),
        // Sums: chains of conflicts.
        ":- chr_constraint s(+int). s(A), s(B) <=> C is A + B, s(C). ?- s(1), s(2), s(3), s(4), s(5), s(6), s(7), s(8), s(9).".into(),
        // Nothing to do, and a rule that never fires.
        ":- chr_constraint p(+int). p(X) ==> X > 10 | p(0). ?- p(1), p(2).".into(),
        ":- chr_constraint p(+int). p(X) <=> true. ?- true.".into(),
        // Many rules over one symbol.
        format!(":- chr_constraint s(+int), t(+int), u(+int, +int). {many} ?- s(3), t(3), s(19), t(19), t(3)."),
        // Several queries: batches.
        ":- chr_constraint n(+int). n(X), n(Y) <=> X < Y | Z is X + Y, n(Z). ?- n(1), n(2). ?- n(4), n(5).".into(),
        // Floats, atoms, strings, mixed comparisons.
        ":- chr_constraint m(+float, +int), c(?atom, +float), o(?atom). m(F, N) <=> F > N, G is F / 2.0 | m(G, N). m(_, 2), c(A, X) ==> X < 1 | o(A).
         ?- m(19.5, 2), c(red, 0.5), c(blue, 1.5).".into(),
        // Keys from the guard, three heads, arithmetic of all signs.
        ":- chr_constraint f(+int, +int), g(+int). f(N, A), f(M, B), g(T) ==> M =:= N + 1, M < T | K is M + 1, V is A + B, f(K, V).
         ?- g(12), f(0, 0), f(1, 1).".into(),
        ":- chr_constraint i(+int, +int), o(+int, +int, +int, +int, +int, +int). i(A, B) ==> Q is A // B, R is A rem B, D is A div B, M is A mod B, G is gcd(A, B), H is abs(A) - sign(B) + max(A, B) * min(A, B)
         | o(Q, R, D, M, G, H). ?- i(7, 2), i(-7, 2), i(7, -2), i(-7, -2).".into(),
        // Powers of integers in guards and bodies; those that do not fit, have no value, or are no integer.
        ":- chr_constraint p(+int, +int), o(+int, +int, +int). p(A, B) ==> A ^ B < 1000, C is B ** 3 - A ** 2 | D is A ^ B, o(B, C, D).
         ?- p(2, 9), p(-3, 3), p(-3, 4), p(0, 0), p(0, 5), p(1, -7), p(-1, -7), p(-1, -8), p(-2, 63), p(7, 1), p(2, 62).".into(),
        // Powers that are floats: of all signs and sizes, in guards; those that do not fit, or are not defined.
        ":- chr_constraint p(+float, +float), o(+float, +float, +float). p(A, B) ==> A > 0.0, A ** B < 1.0e10 | C is A ** B, D is C ** 0.5, o(A, B, D).
         ?- p(2.0, 9.5), p(0.1, -7.25), p(3.7, 2.0), p(1.0e-300, 1.01), p(12345.678, 0.0), p(2.0, 1000.0), p(1.0000001, 123456789.0).".into(),
        ":- chr_constraint p(+float, +float), o(+float). p(A, B) ==> C is A ** B, o(C). ?- p(-2.5, 3.0), p(-2.5, 4.0), p(0.0, 2.5), p(-0.0, 3.0), p(-1.5, -7.0), p(5.0, -1.0).".into(),
        ":- chr_constraint p(+float, +float), o(+float). p(A, B) ==> C is A ** B, o(C). ?- p(2.5, 3.0), p(-2.5, 0.5).".into(),
        ":- chr_constraint p(+float, +float), o(+float). p(A, B) ==> C is A ** B, o(C). ?- p(2.5, 3.0), p(0.0, -2.0).".into(),
        ":- chr_constraint p(+float, +float), q(+float). p(A, B) ==> A ** B > 1.0 | q(A). ?- p(2.5, 3.0), p(10.0, 400.0).".into(),
        ":- chr_constraint p(+int, +int), q(+int). p(A, B) ==> A ^ B > 0 | q(A). ?- p(2, 3), p(2, 63), p(3, 2).".into(),
        ":- chr_constraint p(+int, +int), q(+int). p(A, B) ==> C is A ^ B, q(C). ?- p(2, 3), p(2, -1), p(3, 2).".into(),
        ":- chr_constraint p(+int, +int), q(+int). p(A, B) ==> C is A ^ B, q(C). ?- p(2, 3), p(0, -1), p(3, 99999999999).".into(),
        ":- chr_constraint p(+int, +int), q(+int). p(A, B) ==> C is A ^ B, q(C). ?- p(3037000500, 2), p(0, -1).".into(),
        // Errors: in a guard, in a body, only where all other conditions hold; failing goals.
        ":- chr_constraint p(+int), q(+int). p(X) ==> 10 // X > 2 | q(X). ?- p(1), p(2), p(0), p(3), p(0).".into(),
        ":- chr_constraint p(+int), q(+int). p(X) ==> 10 // X > 2, X > 0 | q(X). ?- p(1), p(0), p(3).".into(),
        ":- chr_constraint p(+int), q(+int). p(X) ==> Y is X * 4611686018427387904, q(Y). ?- p(1), p(2), p(0).".into(),
        ":- chr_constraint p(+int), q(+int). p(X) ==> X < 3, q(X). ?- p(1), p(5), p(2).".into(),
        // One of all stays: the least and the greatest, of floats too, with other columns, and the oldest.
        ":- chr_constraint a(+int), b(+float), c(+float, +int), d(+int, +int). a(A) \\ a(B) <=> A >= B | true. b(A) \\ b(B) <=> A =< B | true.
         c(A, _) \\ c(B, _) <=> A >= B | true. d(_, _) \\ d(_, _) <=> true.
         ?- a(-3), a(7), b(0.5), b(-0.0), b(0.0), c(-1.5, 1), c(-0.5, 2), c(-0.5, 3), d(4, 4), d(1, 1), a(7), b(2.0). ?- a(3), b(-7.25), c(-0.5, 4), c(-3.0, 5), d(9, 9), a(12), a(-1).".into(),
        // Reductions and replacements of other kinds.
        ":- chr_constraint w(+int, +int), r(+int, +int, +int). w(T, A) \\ w(T, B) <=> A =< B | true.
         w(X, D), r(X, Y, C) ==> E is D + C, w(Y, E). ?- r(1, 2, 5), r(2, 3, 1), r(1, 3, 9), r(3, 1, 1), w(1, 0).".into(),
        ":- chr_constraint g(+int, +int), r(+int, +int). g(_, 0) <=> true. g(K, N) \\ g(K, M) <=> 0 < N, N =< M | L is M mod N, g(K, L).
         r(X, Y) <=> Z is X * Y - 6, g(X, Z). ?- g(1, 12), g(1, 18), g(2, 0), g(3, -4), g(3, 8), g(1, 27), g(3, -4), r(3, 6), r(2, 3), r(2, 9), g(2, 15). ?- r(1, 11), g(3, 6), g(2, 4).".into(),
        ":- chr_constraint v(+int, +int), l(+int, +int). l(A, B), v(A, X) \\ v(B, Y) <=> Y < X | v(B, X).
         ?- l(1, 2), l(2, 3), l(3, 4), v(1, 9), v(2, 3), v(3, 12), v(4, 1).".into(),
        ":- chr_constraint edge(+dense_int, +dense_int, +int).
         edge(I, K, D1), edge(K, J, D2) \\ edge(I, J, D3) <=> D3 > D1 + D2 | D4 is D1 + D2, edge(I, J, D4).
         ?- edge(0, 1, 1), edge(1, 2, 9223372036854775807), edge(0, 2, 9).".into(),
    ]
}

#[test]
fn traps() {
    for text in trap_programs() {
        agree(&text, Limits::default());
    }
}

/// Programs whose lists are so long that warps share them.
fn long_list_programs() -> Vec<String> {
    let numbers = |name: &str, count: i64, value: &dyn Fn(i64) -> i64| {
        let all: Vec<String> = (0..count).map(|n| format!("{name}{}", value(n))).collect();
        all.join("), ") + ")"
    };
    let mixed = |n: i64| n * 37 % 151;
    vec![
        // The first that removes the constraint, among many; candidates that keep it; all carried over, so that lists
        // go on.
        format!(
            ":- chr_constraint p(+int). p(P) \\ p(Q) <=> 0 =:= Q mod P | true. ?- {}.",
            numbers("p(", 180, &|n| n + 2)
        ),
        format!(
            ":- chr_constraint m(+int). m(A) \\ m(B) <=> A =< B | true. ?- {}.",
            numbers("m(", 150, &|n| 151 - mixed(n))
        ),
        format!(
            ":- chr_constraint m(+int). m(B) \\ m(A) <=> A =< B | true. ?- {}.",
            numbers("m(", 150, &mixed)
        ),
        format!(
            ":- chr_constraint s(+int), t(+int). s(A), s(B) <=> A + B =:= 150 | t(A). ?- {}.",
            numbers("s(", 151, &mixed)
        ),
        // Rows of other tables, of which all are partners; guards that choose, that fail, and that have no value.
        format!(
            ":- chr_constraint a(+int), b(+int), c(+int, +int). a(X), b(Y) ==> Y > 140, X < 3 | c(X, Y). ?- {}, {}.",
            numbers("a(", 70, &mixed),
            numbers("b(", 151, &mixed)
        ),
        format!(
            ":- chr_constraint k, a(+int), c(+int). k \\ a(X) <=> 100 // X > 1 | c(X). ?- {}, k.",
            numbers("a(", 150, &|n| n + 1)
        ),
        format!(
            ":- chr_constraint k, a(+int), c(+int). k, a(X) ==> 100 // X > 1 | c(X). ?- {}, k.",
            numbers("a(", 150, &|n| 70 - n)
        ),
        // One key for all, and keys of which rows are few among many.
        format!(
            ":- chr_constraint r(+int, +int), n(+int, +int). r(N, A), r(N, B) <=> A < B | M is 2 * N, r(M, A), n(A, B). ?- {}.",
            numbers("r(1, ", 120, &mixed)
        ),
        format!(
            ":- chr_constraint r(+int, +int), n(+int). r(K, A) \\ r(K, B) <=> A > B | n(B). ?- {}, {}.",
            numbers("r(0, ", 1, &mixed),
            numbers("r(7, ", 40, &mixed)
        ),
        format!(
            ":- chr_constraint r(+int, +int), n(+int). r(K, A) \\ r(K, B) <=> A > B | n(B). ?- {}, {}.",
            numbers("r(", 900, &|n| n + 10).replace(')', ", 0)"),
            numbers("r(7, ", 40, &mixed)
        ),
        // Several partners, removed and kept.
        format!(
            ":- chr_constraint t(+int), u(+int). t(A), t(B) \\ t(C) <=> A + B =:= C | u(C). ?- {}.",
            numbers("t(", 70, &|n| n + 1)
        ),
        format!(
            ":- chr_constraint t(+int), u(+int). t(A), t(B), t(C) ==> A < B, B < C, A + B + C =:= 90 | u(A). ?- {}.",
            numbers("t(", 70, &|n| n * 13 % 71)
        ),
    ]
}

#[test]
fn long_lists() {
    let limits = Limits { max_rounds: Some(4), ..Limits::default() };
    for text in long_list_programs() {
        let case = Case::new(&text, GENERAL);
        let expected = case.on_the_cpu(limits);
        assert!(expected.firings > Some(0) || expected.stopped.is_some(), "{text}");
        assert_eq!(case.on_the_simulator((1, false, 0), limits), expected, "{text}");
    }
}

/// Rows that long lists would pass again and again are collected before half of them are dead.
#[test]
fn dead_rows_of_long_lists_are_collected_early() {
    let mut case = Case::new(":- chr_constraint m(+int). m(A) \\ m(B) <=> A =< B | true.", GENERAL);
    let count = 4200_i64;
    let values = (0..count).map(|n| (n * n * 7919 + 900_000) % 1_000_003).collect();
    case.facts = vec![Facts {
        constraint: ConstraintId(0),
        columns: vec![FactColumn::Int(values)],
        rows: count as usize,
    }];
    case.input = input(&case.program, &case.plan, &case.facts, &mut Control::default());
    let limits = Limits { max_rounds: Some(2), ..Limits::default() };
    assert_eq!(case.on_the_simulator((1, false, 0), limits), case.on_the_cpu(limits));
    let job = Job { program: &case.program, plan: &case.plan, kernels: &case.kernels, input: &case.input };
    let options = Options { memory: 1 << 28, rows: 1, store: true, fast_paths: false, few: FEW };
    match run(job, options, &mut case.simulator(), &mut Control::new(limits)) {
        Err(Failure::Stopped(stopped)) => {
            let live = stopped.left.map_or(0, |store| store.len());
            assert!(live > count as usize / 2, "{live} live");
            assert!(stopped.stats.collections > Some(0), "{:?}", stopped.stats.collections);
        }
        _ => panic!("there are more rounds"),
    }
}

/// A constraint that is replaced in every round leaves no chain of dead rows to those that look it up by its key.
#[test]
fn replaced_rows_are_left_out_of_their_key() {
    let case = Case::new(
        ":- chr_constraint c(+int, +int), t(+int, +int). step @ t(K, I), c(K, N) <=> I < 150 | M is N + 1, c(K, M), J is I + 1, t(K, J).
         ?- c(7, 0), t(7, 0).",
        GENERAL,
    );
    let limits = Limits::default();
    assert_eq!(case.on_the_simulator((64, false, 3), limits), case.on_the_cpu(limits));
    let job = Job { program: &case.program, plan: &case.plan, kernels: &case.kernels, input: &case.input };
    let options = Options { memory: 1 << 28, rows: 64, store: true, fast_paths: false, few: 0 };
    let mut recorder = Recorder::new();
    let mut control = Control::new(limits).profile(&mut recorder);
    assert!(run(job, options, &mut case.simulator(), &mut control).is_ok());
    drop(control);
    let rule = recorder.rules()[0];
    assert_eq!(rule.applied, 150);
    assert!(rule.tried < 150 * 10, "{} rows looked at", rule.tried);
}

#[test]
fn limits_stop_between_rounds() {
    let endless = ":- chr_constraint p(+int). p(X) ==> Y is X + 1, p(Y). ?- p(0), p(100).";
    for limits in [
        Limits { max_rounds: Some(7), ..Limits::default() },
        Limits { max_steps: Some(9), ..Limits::default() },
    ] {
        agree(endless, limits);
    }
}

/// Random programs, each with the classes, without them, or by the definition. The tests of the CPU show that its
/// results are those of derivations.
#[test]
fn random_programs() {
    let limits = Limits { max_rounds: Some(6), max_steps: Some(30), ..Limits::default() };
    let (mut fired, mut ended) = (0, 0);
    for seed in 1..=60 {
        let (classes, joins) = match seed % 3 {
            0 => (true, Joins::Indexed),
            1 => (false, Joins::Indexed),
            _ => (false, Joins::Exhaustive),
        };
        let given = agree_with(&random::program(seed, false), RoundsOptions { classes, joins }, limits);
        fired += given.firings.unwrap_or(0);
        ended += u64::from(given.stopped.is_none());
    }
    assert!(fired > 200 && ended > 20, "{fired} firings, {ended} programs came to their end");
}

/// Rows that occur several times in facts are several constraints, or one where a rule makes them a set.
#[test]
fn facts_with_duplicates() {
    let rules = "e(X, Y) ==> p(X, Y). e(X, Y), p(Y, Z) ==> p(X, Z).";
    let declared = ":- chr_constraint e(+int, +int), p(+int, +int).";
    let set = "p(X, Y) \\ p(X, Y) <=> true.";
    for (text, expected) in [
        (format!("{declared} {rules}"), "e(1,2), e(1,2), e(2,3), p(1,2), p(1,2), p(1,3), p(1,3), p(2,3)"),
        (format!("{declared} {set} {rules}"), "e(1,2), e(1,2), e(2,3), p(1,2), p(1,3), p(2,3)"),
        (
            format!("{declared} e(X, Y) \\ e(X, Y) <=> true. {rules}"),
            "e(1,2), e(2,3), p(1,2), p(1,3), p(2,3)",
        ),
    ] {
        let mut case = Case::new(&text, RoundsOptions::default());
        let columns = vec![FactColumn::Int(vec![1, 2, 1]), FactColumn::Int(vec![2, 3, 2])];
        case.facts = vec![Facts { constraint: ConstraintId(0), columns, rows: 3 }];
        case.input = input(&case.program, &case.plan, &case.facts, &mut Control::default());
        let limits = Limits::default();
        let on_the_cpu = case.on_the_cpu(limits);
        assert_eq!(on_the_cpu.store, expected, "{text}");
        assert_eq!(case.on_the_simulator((1, true, FEW), limits), on_the_cpu, "{text}");
    }
}

#[test]
fn memory_that_does_not_suffice_is_told() {
    let case = Case::new(
        ":- chr_constraint p(+int). p(X) ==> Y is X + 1, p(Y), p(Y). ?- p(0).",
        RoundsOptions::default(),
    );
    let job = Job { program: &case.program, plan: &case.plan, kernels: &case.kernels, input: &case.input };
    let options = Options { memory: 1 << 18, rows: 16, store: true, fast_paths: true, few: FEW };
    match run(job, options, &mut case.simulator(), &mut Control::default()) {
        Err(Failure::Stopped(stopped)) => {
            assert!(matches!(stopped.error.reason, StopReason::Memory { .. }), "{:?}", stopped.error);
            assert!(stopped.left.is_some_and(|s| s.len() > 16));
        }
        other => panic!("{other:?}"),
    }
    // A device that has less than the limit allows, from none at all on.
    for memory in (14..19).map(|bits| 1 << bits) {
        let options = Options { memory: 1 << 30, ..options };
        match run(job, options, &mut case.simulator_of(memory), &mut Control::default()) {
            Err(Failure::Stopped(stopped)) => {
                let reason = stopped.error.reason;
                assert!(
                    matches!(reason, StopReason::Memory { limit, .. } if limit <= memory),
                    "{memory}: {reason:?}"
                );
            }
            other => panic!("{memory}: {other:?}"),
        }
    }
}

mod gpu {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use gchr_cuda::{Gpu, NvrtcOptions};

    /// A program, and how it is planned.
    type Run = (String, RoundsOptions);

    /// Programs give on a GPU what they give on the CPU. Their kernels are compiled by all processors at once.
    fn agree_on_a_gpu(test: &str, programs: &[Run]) {
        let Some(gpu) = compiler::open_gpu(test) else { return };
        let capability = gpu.info().capability;
        drop(gpu);
        let (next, ready) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let compiler = compiler::compiler();
                    while let Some((text, options)) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let case = Case::new(text, *options);
                        let source = compiler::text(&case.kernels.module, "test.chr");
                        let built =
                            compiler.build_for(capability, &source, "kernels.cu", &NvrtcOptions::kernels());
                        let image = built.expect("kernels compile").compiled.image;
                        let expected = case.on_the_cpu(Limits::default());
                        ready.lock().expect("no thread panics").push((case, image, expected, text, options));
                    }
                });
            }
        });
        compiler::note(&format!("{test}: {} programs are compiled", programs.len()));
        // Plain kernels, as users run them, do not count by rule.
        let uncounted = |given: Given| Given { by_rule: Vec::new(), ..given };
        for (case, image, expected, text, options) in ready.into_inner().expect("no thread panics") {
            let expected = uncounted(expected);
            let mut gpu = Gpu::open(0).expect("a GPU was there before");
            gpu.load(&image).expect("kernels load");
            for config in [(1, true, 0), (1 << 12, true, FEW), (1, false, 3), (1, false, FEW)] {
                let given = uncounted(case.on_a_device(&mut gpu, config, Limits::default()));
                assert_eq!(given, expected, "{options:?}, {config:?}\n{text}");
            }
        }
    }

    #[test]
    fn traps_on_a_gpu() {
        let with = |text: String| {
            [RoundsOptions::default(), GENERAL, EXHAUSTIVE].map(|options| (text.clone(), options))
        };
        let programs: Vec<Run> =
            trap_programs().into_iter().chain(long_list_programs()).flat_map(with).collect();
        agree_on_a_gpu("traps_on_a_gpu", &programs);
    }

    #[test]
    fn terms_on_a_gpu() {
        let with = |text: String| [RoundsOptions::default(), GENERAL].map(|options| (text.clone(), options));
        let long = terms::long_list(100_000, 40);
        let programs: Vec<Run> = terms::all_programs().into_iter().chain([long]).flat_map(with).collect();
        agree_on_a_gpu("terms_on_a_gpu", &programs);
    }

    #[test]
    fn output_on_a_gpu() {
        let with = |text: String| [RoundsOptions::default(), GENERAL].map(|options| (text.clone(), options));
        let many = [output::lines(100_000), output::lines_of_terms(1000)];
        let programs: Vec<Run> = output::all_programs().into_iter().chain(many).flat_map(with).collect();
        agree_on_a_gpu("output_on_a_gpu", &programs);
    }

    #[test]
    fn fast_paths_on_a_gpu() {
        let with = |text: String| (text, RoundsOptions::default());
        let programs: Vec<Run> = fast_paths::fast_path_programs()
            .into_iter()
            .chain(fast_paths::late_fast_paths().map(|(text, _)| text))
            .chain(fast_paths::values_beside_others().into_iter().map(|(text, _)| text))
            .map(with)
            .collect();
        agree_on_a_gpu("fast_paths_on_a_gpu", &programs);
    }

    #[test]
    fn examples_on_a_gpu() {
        // In place of the query that the example ends with: some do not end when both are asked.
        let with = |(text, query): (&str, &str)| {
            let (rules, _) = text.split_once("\n?-").expect("examples end with a query");
            let text = format!("{rules}\n?- {query}.\n");
            [RoundsOptions::default(), GENERAL].map(|options| (text.clone(), options))
        };
        let programs: Vec<Run> = EXAMPLES.into_iter().flat_map(with).collect();
        agree_on_a_gpu("examples_on_a_gpu", &programs);
    }

    /// Inside the binary, which is carried to machines that have a GPU and nothing else; each with a query that fills
    /// some blocks.
    const EXAMPLES: [(&str, &str); 13] = [
        (include_str!("../../../../examples/components.chr"), "random(1000, 0, 1500)"),
        (include_str!("../../../../examples/fib.chr"), "upto(60), fib(0, 0), fib(1, 1)"),
        (include_str!("../../../../examples/floyd.chr"), "complete(12, 5)"),
        (include_str!("../../../../examples/gcd.chr"), "multiples(300, 7)"),
        (include_str!("../../../../examples/mergesort.chr"), "random(300, 7), collect"),
        (include_str!("../../../../examples/min.chr"), "random(500, 7)"),
        (include_str!("../../../../examples/paths.chr"), "random(300, 0, 900), distance(0, 0)"),
        (include_str!("../../../../examples/primes.chr"), "candidate(2, 600)"),
        (include_str!("../../../../examples/transitive_closure.chr"), "random(100, 180, 7)"),
        (include_str!("../../../../examples/expressions.chr"), "tree(9, 1, total)"),
        (include_str!("../../../../examples/bitonic.chr"), "random(1500, 7)"),
        (
            include_str!("../../../../examples/roads.chr"),
            "road(a, b, 3), road(b, c, 4), road(a, c, 9), road(c, d, 1), start(a)",
        ),
        (include_str!("../../../../examples/union_find.chr"), "make(100), random(100, 150, 11)"),
    ];
}
