//! Programs whose rules write: what is written, in which order, and what of it when a run is stopped.

use super::*;

/// Ways to write, and to be stopped.
pub fn all_programs() -> Vec<String> {
    let program = |text: &str| text.to_string();
    vec![
        // Literal text only, values only, both; bodies that add before, between and behind.
        program(
            ":- chr_constraint p(+int), q(+int, +int), r. hello @ p(X) ==> X < 3 | write('hello'), nl. p(X) ==> write(X), Y is X * X, q(X, Y), write(' squared is '), write(Y), nl.
             q(X, Y), p(Y) ==> format(\"~w and ~w~n\", [X, Y]), r, nl. r, r <=> write(rr). r ==> true. ?- p(1), p(2), p(3), p(4), p(9).",
        ),
        // Every type, with and without quotes.
        program(
            ":- chr_constraint v(+int, +float, ?atom, ?any), s(?any). v(N, X, A, T) ==> print(N), nl, print(X), nl, print(A), nl, print(T), nl, write(A), write(T), nl, print(f(A, T, N, \"s\")), nl.
             v(_, _, _, T) ==> s(g(T)). s(T) ==> writeq([T, 'B c', \"text\", 1.0e10]), nl, write(-(1)), print('it''s'), nl.
             ?- v(1, 2.5, 'A b', [1, 'X'|t]), v(-7, -0.0, [], f(\"q\", 4611686018427387904)), v(0, 1.0e22, a, 1.5).",
        ),
        // Rows come in the order of bodies, not of the rules' heads or of tables.
        program(
            ":- chr_constraint n(+int), e(+int), o(+int). n(X), n(Y) <=> Z is X + Y, write(Z), write(' '), n(Z). n(X) ==> X mod 2 =:= 0 | e(X), write(e), write(X), write(' '). n(X) ==> X mod 2 =:= 1 | o(X), write(o), write(X), write(' ').
             ?- n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9), n(10), n(11).",
        ),
        // A body that fails in the third round, and an error there; what rounds before it wrote stays.
        program(":- chr_constraint p(+int). p(X) ==> write(X), nl, Y is X + 1, X < 6, p(Y). ?- p(1), p(4)."),
        program(":- chr_constraint p(+int). p(X) ==> write(X), nl, Y is 12 // (6 - X), write(Y), Z is X + 1, p(Z). ?- p(1), p(4)."),
        program(":- chr_constraint p(+int). p(X) ==> 12 // (6 - X) > 0 | write(X), nl, Z is X + 1, p(Z). ?- p(1), p(4)."),
        program(":- chr_constraint p(?any), q(+int). p(X) <=> write(X), nl, q(X). ?- p(1), p(2). ?- p(3), p(a)."),
        // Queries write in their turn; one that fails is told behind the rounds of those before it.
        program(
            ":- chr_constraint p(+int). p(X) <=> X > 0 | write(X), write(' '), Y is X - 1, p(Y). ?- write('first: '), p(3), write('(given) '). ?- nl, p(2), write('second: '). ?- nl, write(last), X is 1 // 0, p(X).",
        ),
        program(":- chr_constraint p(+int). p(X) <=> write(X). ?- p(3), write(before), fail, p(4)."),
        // Replaced and reduced constraints beside those that write.
        program(
            ":- chr_constraint d(+int, +int), e(+int, +int, +int). d(V, A) \\ d(V, B) <=> A =< B | true. d(V, A), e(V, W, C) ==> B is A + C, format(\"~w by ~w~n\", [W, B]), d(W, B).
             ?- e(0, 1, 4), e(0, 2, 1), e(2, 1, 2), e(1, 3, 5), e(2, 3, 9), d(0, 0).",
        ),
    ]
}

/// A program that writes so many lines, in few rounds and in many.
pub fn lines(count: u32) -> String {
    format!(
        ":- chr_constraint wide(+int, +int), tall(+int). wide(A, B) <=> A < B | M is (A + B) // 2, N is M + 1, wide(A, M), wide(N, B).
         wide(A, A) <=> write(A), nl. tall(N) <=> N > 0 | format(\"~w left~n\", [N]), M is N - 1, tall(M). ?- wide(1, {0}), tall({1}).",
        count - count / 100,
        count / 100
    )
}

/// As many lines, of terms that come and go.
pub fn lines_of_terms(count: u32) -> String {
    format!(
        ":- chr_constraint t(+int, ?any). t(N, [X, _]) <=> N > 0 | M is N - 1, write(g(X, N)), nl, t(M, [f(N), X]). ?- t({count}, [a, b])."
    )
}

#[test]
fn output() {
    let mut written = 0;
    for text in all_programs() {
        for options in [RoundsOptions::default(), GENERAL, EXHAUSTIVE] {
            written += agree_with(&text, options, Limits::default()).output.len();
        }
    }
    assert!(written > 1500, "{written} bytes");
}

#[test]
fn rounds_that_are_not_performed_write_nothing() {
    let text = ":- chr_constraint p(+int). p(X) ==> write(X), nl, Y is X + 1, p(Y). ?- p(0), p(100).";
    for (limits, output) in [
        (Limits { max_rounds: Some(2), ..Limits::default() }, "0\n100\n1\n101\n"),
        (Limits { max_steps: Some(3), ..Limits::default() }, "0\n100\n"),
    ] {
        assert_eq!(agree_with(text, RoundsOptions::default(), limits).output, output);
    }
}

#[test]
fn many_lines() {
    let given = agree_with(&lines(1500), RoundsOptions::default(), Limits::default());
    assert_eq!(given.output.lines().count(), 1500);
    let given = agree_with(&lines_of_terms(300), RoundsOptions::default(), Limits::default());
    assert_eq!(given.output.lines().count(), 300);
}

#[test]
fn random_programs_that_write() {
    let limits = Limits { max_rounds: Some(6), max_steps: Some(30), ..Limits::default() };
    let (mut written, mut ended) = (0, 0);
    for seed in 1..=30 {
        let text = if seed % 2 == 0 { random::program(seed, true) } else { random::terms(seed, true) };
        let (classes, joins) =
            (seed % 3 == 0, if seed % 3 == 1 { Joins::Indexed } else { Joins::Exhaustive });
        let joins = if classes { Joins::Indexed } else { joins };
        let given = agree_with(&text, RoundsOptions { classes, joins }, limits);
        written += given.output.len();
        ended += u64::from(given.stopped.is_none());
    }
    assert!(written > 150 && ended > 8, "{written} bytes, {ended} programs came to their end");
}

#[test]
fn output_without_room_is_told() {
    let writes = vec!["write(X)"; 60].join(", ");
    let goals: Vec<String> = (0..400).map(|n| format!("p({n})")).collect();
    let text = format!(":- chr_constraint p(+int). p(X) <=> {writes}. ?- {}.", goals.join(", "));
    let case = Case::new(&text, RoundsOptions::default());
    let job = Job { program: &case.program, plan: &case.plan, kernels: &case.kernels, input: &case.input };
    let options = Options { memory: 1 << 18, rows: 16, store: true, fast_paths: true, few: FEW };
    match run(job, options, &mut case.simulator(), &mut Control::default()) {
        Err(Failure::Stopped(stopped)) => {
            let StopReason::Memory { what, .. } = &stopped.error.reason else { panic!("{stopped:?}") };
            assert_eq!(what, "output of a round");
            assert!(stopped.left.is_some_and(|store| store.len() == 400));
        }
        other => panic!("{other:?}"),
    }
}

/// A place where nothing can be written.
struct Closed;

impl std::io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("closed"))
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn output_that_cannot_be_written_stops_the_run() {
    let text = ":- chr_constraint p(+int). p(X) <=> X > 0 | write(X), Y is X - 1, p(Y). ?- p(9).";
    let case = Case::new(text, RoundsOptions::default());
    let job = Job { program: &case.program, plan: &case.plan, kernels: &case.kernels, input: &case.input };
    let options = Options { memory: 1 << 28, rows: 16, store: true, fast_paths: true, few: FEW };
    let on_the_cpu = rounds::run(&case.program, &case.plan, &[], &mut Control::default().output(Closed));
    let expected = on_the_cpu.expect_err("nothing can be written").error;
    match run(job, options, &mut case.simulator(), &mut Control::default().output(Closed)) {
        Err(Failure::Stopped(stopped)) => {
            let error = stopped.error;
            assert_eq!(
                (&error.reason, error.rule, error.span),
                (&expected.reason, expected.rule, expected.span)
            );
        }
        other => panic!("{other:?}"),
    }
}
