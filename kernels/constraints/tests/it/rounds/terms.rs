//! Programs with compound terms and values whose types are known at run time only.

use super::*;

/// What terms can be used for, and what goes wrong with them.
pub fn all_programs() -> Vec<String> {
    let program = |text: &str| text.to_string();
    vec![
        // Matched in heads, built in bodies, shared; functors of one name and several arities.
        program(
            ":- chr_constraint p(?any), q(?any, ?any). p(f(X, Y)) <=> p(X), p(Y), q(X, g(Y, Y)). p(f(X)) <=> q(X, f(X)).
             ?- p(f(f(1, 2), f(f(3), a))), p(g(1)), p(f(f(1, 2), f(f(3), a))).",
        ),
        // Numbers of all sizes, floats of both signs of zero, texts of both kinds.
        program(
            ":- chr_constraint v(?any), w(?any, ?any). v(X), v(X) ==> w(X, same). v(4611686018427387904) ==> w(big, 1).
             v(1.5) ==> w(half, \"1.5\"). v(a) ==> w(atom, a). v(\"a\") ==> w(string, \"a\"). v(0.0) ==> w(zero, 0.0).
             ?- v(4611686018427387904), v(-4611686018427387905), v(1.5), v(a), v(\"a\"), v(0.0), v(-0.0), v(0), v(1), v(1.0),
                v(4611686018427387904), v(\"a\"), v([1, 2|t]), v([1, 2|t]), v([]), v(1.5).",
        ),
        // Keys of type any, and typed values that look them up.
        program(
            ":- chr_constraint e(?any, ?any), i(+int, +int), x(+float), r(?any, ?any).
             e(K, V), i(K, W) ==> r(V, W). e(K, V), x(K) ==> r(V, f(K)).
             ?- e(1, one), e(1.0, float), e(4611686018427387904, big), e(f(1), term), i(1, 10), i(4611686018427387904, 20), x(1.0), x(2.0), i(7, 1).",
        ),
        // A type that is found out: arithmetic, comparisons, errors that do not count.
        program(
            ":- chr_constraint n(?any), r(?any, ?any). n(X) ==> number(X), X > 1 | Y is X * 2 + 1, r(mul, Y). n(X) ==> integer(X), X < 10 | Y is X / 2, r(div, Y).
             n(X), n(Y) ==> number(X), number(Y), X < Y | Z is max(X, Y) - min(X, Y), r(difference, Z).
             n(X) ==> integer(X), X >= 0 | Y is X mod 3 + X // 2 + abs(X) + sign(X) + X /\\ 5, r(bits, Y).
             ?- n(1), n(7), n(2.5), n(a), n(f(1)), n(1.0), n(-3), n(4611686018427387904).",
        ),
        program(":- chr_constraint n(?any), r(?any). n(X) ==> Y is X + 1, r(Y). ?- n(1), n(a), n(2)."),
        program(":- chr_constraint n(?any), r(?any). n(X) ==> X > 1 | r(X). ?- n(1), n(2), n(f(b)), n(3)."),
        program(":- chr_constraint n(?any), r(?any). n(X) ==> X > 1, number(X) | r(X). ?- n(1), n(2), n(f(b)), n(3)."),
        program(":- chr_constraint n(?any), r(?any). n(X) ==> Y is X * 4, r(Y). ?- n(1), n(4611686018427387904), n(2.5)."),
        program(":- chr_constraint n(?any), r(?any). n(X) ==> Y is 7 mod X, r(Y). ?- n(3), n(2.5)."),
        program(":- chr_constraint n(?any), r(?any). n(X) ==> Y is 7 / X, r(Y). ?- n(2), n(7), n(0)."),
        // A value that its column or variable cannot take.
        program(":- chr_constraint n(?any), i(+int). n(X) <=> i(X). ?- n(1), n(2), n(f(3, [a]))."),
        program(":- chr_constraint n(?any), i(+float). n(X) ==> integer(X) | i(X). n(X) ==> float(X) | i(X). ?- n(2.5), n(1)."),
        // Powers of integers that may be floats, and of whatever is a number.
        program(
            ":- chr_constraint p(+int, +int), o(?any). p(A, B) ==> C is A ** B, o(C). ?- p(2, 3), p(2, -3), p(-3, -3), p(1, -5), p(-1, -5), p(-1, -4), p(0, 0), p(10, -308), p(7, -20).",
        ),
        program(":- chr_constraint p(+int, +int), o(?any). p(A, B) ==> C is A ** B, o(C). ?- p(2, -3), p(0, -3)."),
        program(
            ":- chr_constraint n(?any), r(?any, ?any, ?any). n(X), n(Y) ==> number(X), number(Y), X > 0 | Z is X ** Y, W is Y ^ 2, r(Z, W, X).
             ?- n(1), n(2.5), n(a), n(3), n(f(1)), n(-2), n(0.5), n(4611686018427387904), n(-3.0).",
        ),
        program(":- chr_constraint n(?any), r(?any). n(X) ==> Y is X ** 0.5, r(Y). ?- n(2), n(2.25), n(-4)."),
        program(":- chr_constraint n(?any), r(+int). n(X) ==> Y is X ^ -1, r(Y). ?- n(1), n(-1), n(2)."),
        // Numbers that are their own values, and zeros of both signs and types.
        program(
            ":- chr_constraint n(?any), r(?any, ?any). n(X) ==> Y is X, Z is +X, r(Y, Z). n(X), n(Y) ==> A is min(X, Y), B is max(X, Y), r(A, B).
             ?- n(1), n(2.5), n(0), n(0.0), n(-0.0), n(4611686018427387904).",
        ),
        // The standard order, at the top and deep inside.
        program(
            ":- chr_constraint t(?any), b(?any, ?any). t(X), t(Y) ==> X @< Y | b(X, Y).
             ?- t(1), t(1.0), t(-0.5), t(4611686018427387904), t(\"b\"), t(\"a\"), t(b), t(a), t([]), t(f(a)), t(f(b)), t(g(a)), t(f(a, b)), t(f(f(a), c)), t(f(f(a), b)), t([1, 2]), t([1, 3]).",
        ),
        program(
            ":- chr_constraint a(?atom, ?atom), s(?atom). a(X, Y) ==> X @=< Y | s(X). a(X, Y) ==> X @> Y | s(Y). ?- a(b, a), a(a, b), a(c, c), a([], a).",
        ),
        // Type tests of everything.
        program(
            ":- chr_constraint t(?any), r(?any, ?any). t(X) ==> integer(X) | r(integer, X). t(X) ==> float(X) | r(float, X). t(X) ==> number(X) | r(number, X).
             t(X) ==> atom(X) | r(atom, X). t(X) ==> string(X) | r(string, X). t(X) ==> atomic(X) | r(atomic, X). t(X) ==> compound(X) | r(compound, X).
             t(X) ==> callable(X) | r(callable, X). ?- t(1), t(4611686018427387904), t(2.5), t(a), t([]), t(\"s\"), t(f(1)), t([1]).",
        ),
        // Guards that build terms and take them apart; equality of terms.
        program(
            ":- chr_constraint p(?any, ?any), r(?any). p(X, Y) ==> X == f(Y) | r(eq(X)). p(X, Y) ==> X \\== f(Y) | r(ne(X)). p(X, _) ==> X = f(g(Z, W)) | r(in(W, Z)).
             p(X, Y) ==> Z = h(X, Y), Z \\= h(Y, Y) | r(Z). ?- p(f(1), 1), p(f(g(1, 2)), 3), p(3, 3), p(f(f(0)), f(0)).",
        ),
        // Sets and firsts by keys of any type.
        program(
            ":- chr_constraint s(?any), k(?any, +int), d(?any). s(X) \\ s(X) <=> true. k(X, A) \\ k(X, B) <=> A =< B | true. d(0) <=> true. d(N) <=> integer(N) | M is N - 1, s(f(N)), s(f(1)), k(g(1.5), N), k(N, 7), d(M).
             ?- d(6), s(f(3)), k(g(1.5), 9).",
        ),
        // One term of any depth, and its parts.
        program(
            ":- chr_constraint deep(+int, ?any), flat(?any, +int), r(+int). deep(0, T) <=> flat(T, 0). deep(N, T) <=> N > 0 | M is N - 1, deep(M, s(T, T)).
             flat(s(T, _), N) <=> M is N + 1, flat(T, M). flat(z, N) <=> r(N). ?- deep(40, z).",
        ),
        // Accumulators: a list grows by one in each round, and is reversed.
        program(
            ":- chr_constraint up(+int, ?any), rev(?any, ?any), done(?any). up(0, L) <=> rev(L, []). up(N, L) <=> N > 0 | M is N - 1, up(M, [N|L]).
             rev([X|L], R) <=> rev(L, [X|R]). rev([], R) <=> done(R). ?- up(30, []).",
        ),
        // Several queries, each with terms of its own.
        program(":- chr_constraint p(?any), q(?any). p(f(X)), p(g(X)) <=> q(h(X, 2.5)). ?- p(f([1])). ?- p(g([1])). ?- p(f(2.5)), p(g(2.5))."),
    ]
}

#[test]
fn terms() {
    for text in all_programs() {
        agree(&text, Limits::default());
    }
}

/// Values of any two types are compared as the processor compares them, in programs with and without words of type
/// `any`.
#[test]
fn the_standard_order_of_every_two_types() {
    let types = [
        ("int", ["-1", "1", "2"]),
        ("float", ["-0.0", "0.0", "1.0"]),
        ("atom", ["[]", "a", "b"]),
        ("string", ["\"\"", "\"a\"", "\"b\""]),
        ("any", ["1", "a", "f(1)"]),
    ];
    for (left, some) in types {
        for (right, others) in types {
            let rules =
                ["@<", "@=<", "@>", "@>="].map(|op| format!("p(X, Y) ==> X {op} Y | r('{op}', I).\n"));
            let rules = rules.concat().replace("p(X, Y)", "p(I, X, Y)");
            let facts = some.iter().flat_map(|x| others.iter().map(move |y| (x, y))).enumerate();
            let facts = facts.map(|(i, (x, y))| format!("p({i}, {x}, {y})")).collect::<Vec<_>>().join(", ");
            let text = format!(
                ":- chr_constraint p(+int, +{left}, +{right}), r(+atom, +int).\n{rules}?- {facts}.\n"
            );
            agree(&text, Limits::default());
        }
    }
}

/// Random programs over terms, planned in different ways.
#[test]
fn random_terms() {
    let limits = Limits { max_rounds: Some(6), max_steps: Some(40), ..Limits::default() };
    let (mut fired, mut ended) = (0, 0);
    for seed in 1..=40 {
        let (classes, joins) = match seed % 3 {
            0 => (true, Joins::Indexed),
            1 => (false, Joins::Indexed),
            _ => (false, Joins::Exhaustive),
        };
        let given = agree_with(&random::terms(seed, false), RoundsOptions { classes, joins }, limits);
        fired += given.firings.unwrap_or(0);
        ended += u64::from(given.stopped.is_none());
    }
    assert!(fired > 100 && ended > 15, "{fired} firings, {ended} programs came to their end");
}

/// A long list that lives, while others come and go: `length` elements, `turns` lists of one more element each.
pub fn long_list(length: usize, turns: usize) -> String {
    let list: Vec<String> = (0..length).map(|n| format!("f({n})")).collect();
    format!(
        ":- chr_constraint keep(?any), turn(+int, ?any), first(?any).
         turn(0, [X|_]) <=> first(X). turn(N, [X|L]) <=> N > 0 | M is N - 1, turn(M, [g(X, N)|L]).
         ?- keep([{0}]), turn({turns}, [{0}]).",
        list.join(", ")
    )
}

#[test]
fn collections_keep_what_lives() {
    let text = long_list(400, 60);
    let given = agree_with(&text, RoundsOptions::default(), Limits::default());
    assert_eq!((given.rounds, given.stopped), (Some(61), None));
}

#[test]
fn terms_without_room_are_told() {
    let text = ":- chr_constraint up(+int, ?any). up(N, L) <=> M is N + 1, up(M, [N|L]). ?- up(0, []).";
    let case = Case::new(text, RoundsOptions::default());
    let job = Job { program: &case.program, plan: &case.plan, kernels: &case.kernels, input: &case.input };
    let options = Options { memory: 1 << 18, rows: 16, store: true, fast_paths: true, few: FEW };
    match run(job, options, &mut case.simulator(), &mut Control::default()) {
        Err(Failure::Stopped(stopped)) => {
            let StopReason::Memory { what, .. } = &stopped.error.reason else { panic!("{stopped:?}") };
            assert_eq!(what, "terms");
            assert!(stopped.error.progress.steps > 1000, "{:?}", stopped.error);
            assert!(stopped.left.is_some_and(|store| store.len() == 1));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_checker_accepts_kernels_with_terms() {
    let all = all_programs();
    for text in [include_str!("../../../../../examples/expressions.chr"), &all[3], &all[12], &all[15]] {
        let case = Case::new(text, RoundsOptions::default());
        let mut seen = 0;
        for verdict in check(&case.kernels.module) {
            assert!(verdict.accepted(), "{text}\n{verdict:?}");
            seen += 1;
        }
        assert!(seen > 8, "{seen} kernels");
    }
}

/// Devices compute with numbers only: where another executor would evaluate a term, they say so.
#[test]
fn a_term_that_has_a_value_stops_a_device_by_name() {
    use gchr_base::op::ArithmeticError::{Type, Unevaluated};
    for (rule, value, expected) in [
        ("n(X) ==> Y is X, r(Y).", "1 + 2", Unevaluated),
        ("n(X) ==> Y is X * 2, r(Y).", "[7]", Unevaluated),
        ("n(X) ==> X > 1 | r(X).", "1 + 2", Unevaluated),
        ("n(X) ==> Y is X, r(Y).", "a", Type),
        ("n(X) ==> Y is 2 + X, r(Y).", "f(1)", Type),
    ] {
        let case = Case::new(
            &format!(":- chr_constraint n(?any), r(?any). {rule} ?- n({value})."),
            RoundsOptions::default(),
        );
        let given = case.on_the_simulator(CONFIGS[0], Limits::default());
        match given.stopped {
            Some((StopReason::Arithmetic { error, .. }, _)) => assert_eq!(error, expected, "{rule} {value}"),
            other => panic!("{rule} {value}: {other:?}"),
        }
    }
}

#[test]
fn values_that_must_be_checked_for_a_type_are_refused_by_name() {
    for (rule, refused) in [
        ("n(X) ==> c(X).", true),
        ("n(X) ==> Y is X - 1, m(Y).", true),
        ("c(X) ==> c(X).", false),
        ("n(_) ==> c(red), m(7).", false),
        ("m(X) ==> X < 9 | Y is X + 1, m(Y).", true),
        ("m(X) <=> m(X), c(green).", false),
    ] {
        let text = format!(
            ":- chr_type color ---> red ; green. :- chr_constraint n(?int), c(?color), m(+natural). {rule}"
        );
        let text = text.replace("n(?int)", if rule.contains("c(X)") { "n(?any)" } else { "n(?int)" });
        let (sources, program) = programs::constraints("test.chr", &text);
        let plan = compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
        let codes: Vec<&str> = match kernels(&program, &plan, &sources) {
            Ok(_) => Vec::new(),
            Err(found) => found.iter().map(|d| d.code).collect(),
        };
        assert_eq!(codes, if refused { vec!["D0613"] } else { Vec::new() }, "{rule}");
    }
}
