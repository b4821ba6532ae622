//! Deep terms, limits, errors, traces and printing.

use super::*;
use gchr_base::control::Limits;
use gchr_base::op::ArithmeticError;
use gchr_base::rule::RuleId;

const NAT: &str =
    "sort Nat = struct Zero | S(Nat) | Plus(Nat, Nat) | Twice(Nat) | Loop(Nat) | Up(Nat) | Both(Nat, Nat);
 List = struct Nil | Cons(Nat, List) | From(Nat) | Copy(List);
 map Len: List -> Int; Sum: Int -> Int; Fac: Int -> Int; Div: Int # Int -> Int; Depth: Nat -> Int; map Half: Float -> Float;
var X, Y : Nat; L : List; N, M : Int; R : Float;
eqn Plus(Zero, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
 Twice(Zero) = Zero; Twice(S(X)) = Both(Twice(X), Zero);
 Both(X, Y) = S(Plus(Y, S(X)));
 Loop(X) = Loop(X);
 Up(X) = Up(S(X));
 From(Zero) = Nil; From(S(X)) = Cons(X, From(X));
 Copy(Nil) = Nil; Copy(Cons(X, L)) = Cons(X, Copy(L));
 Len(Nil) = 0; Len(Cons(X, L)) = (1 + Len(L));
 Sum(0) = 0; Sum(N) = (N + Sum((N - 1)));
 Fac(0) = 1; Fac(N) = (N * Fac((N - 1)));
 Div(N, M) = (N div M);
 Half(R) = (R * 0.5);
 Depth(S(X)) = (1 + Depth(X));
";

fn run_limited(input: &str, limits: Limits) -> Result<(String, Stats), RunError> {
    let program = program(&format!("{NAT} input {input};"));
    let plan = compile(&program, &TermOptions::default()).expect("plan");
    let Start::Term(Some(input)) = &program.start else { panic!("no input") };
    match run(&program, &plan, input, &mut Control::new(limits)) {
        Ok(out) => Ok((out.normal_form.to_text(), out.stats)),
        Err(stopped) => {
            assert_eq!(stopped.stats.rewrites, Some(stopped.error.progress.steps));
            Err(stopped.error)
        }
    }
}

fn normalise(input: &str) -> Result<(String, Stats), RunError> {
    run_limited(input, Limits::default())
}

fn text(input: &str) -> String {
    normalise(input).expect("a normal form").0
}

#[test]
fn deep_terms_need_no_stack() {
    assert_eq!(text("Plus(S^10000000(Zero), S(Zero))"), "S^10000001(Zero)");
    let (list, stats) = normalise("Copy(From(S^1000000(Zero)))").expect("a list");
    assert!(list.starts_with("Cons(S^999999(Zero), Cons(S^999998(Zero)") == (list.len() > 100));
    assert_eq!(stats.rewrites, Some(2_000_002));
    assert_eq!(stats.live_cells, Some(1_999_999));
}

#[test]
fn deep_recursion_has_frames_in_memory() {
    // `Twice` and `Sum` wait for their calls: ten million pending frames.
    assert_eq!(text("Sum(10000000)"), "50000005000000");
    assert_eq!(text("Twice(S^3000000(Zero))"), "S^6000000(Zero)");
}

#[test]
fn recursion_beyond_the_memory_is_an_error() {
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    let error = run_limited("Sum(100000000)", limits).expect_err("no memory");
    let StopReason::Memory { limit, what } = error.reason else { panic!("{:?}", error.reason) };
    assert_eq!(limit, 64 << 20);
    assert!(what.contains("pending calls"), "{what}");
}

#[test]
fn cells_beyond_the_memory_are_an_error() {
    let limits = Limits { memory: Some(32 << 20), ..Limits::default() };
    let error = run_limited("Up(Zero)", limits).expect_err("no memory");
    let StopReason::Memory { what, .. } = error.reason else { panic!("{:?}", error.reason) };
    assert_eq!(what, "cells of sort Nat");
    assert!(error.progress.steps > 1_000_000);
}

/// What suffices suffices with more memory, too: however chunks of cells, steps of the stack and collections fall.
#[test]
fn more_memory_is_never_too_much() {
    let floyd = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/floyd.trs"));
    let lexer = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/lexer.trs"));
    let with_input = |text: std::io::Result<String>, input: &str| {
        let text = text.expect("an example");
        format!("{}\ninput {input};", text.rsplit_once("\ninput").expect("an input").0)
    };
    let programs = [
        with_input(floyd, "Floyd(Complete(20, 42))"),
        with_input(lexer, "Lex(6, 40)"),
        format!("{NAT} input Both(Twice(S^3000(Zero)), Plus(S^2000(Zero), Twice(S^3000(Zero))));"),
        format!("{NAT} input Cons(Twice(S^900(Zero)), Copy(Copy(From(S^2000(Zero)))));"),
        format!("{NAT} input Sum(Len(Copy(From(S^4000(Zero)))));"),
    ];
    for text in programs {
        let program = program(&text);
        let plan = compile(&program, &TermOptions::default()).expect("plan");
        let Start::Term(Some(input)) = &program.start else { panic!("no input") };
        let (mut least, mut memory) = (None, 5_000u64);
        while memory < 6 << 20 {
            // Round numbers of all kinds, and the numbers around them.
            for memory in [memory, memory & !0xfff, (memory & !0xfff) - 1, memory.next_power_of_two()] {
                let limits = Limits { memory: Some(memory), ..Limits::default() };
                match run(&program, &plan, input, &mut Control::new(limits)) {
                    Ok(_) => least = Some(least.unwrap_or(memory).min(memory)),
                    Err(stopped) => {
                        assert!(
                            matches!(stopped.error.reason, StopReason::Memory { .. }),
                            "{:?}",
                            stopped.error
                        );
                        assert!(
                            least.is_none_or(|least| memory < least),
                            "{least:?} suffice, {memory} do not\n{text}"
                        );
                    }
                }
            }
            memory += memory / 40 + 1;
        }
        assert!(least.is_some_and(|least| least < 3 << 20), "{least:?}");
    }
}

#[test]
fn garbage_is_reused() {
    // 45 million cells of 8 bytes pass through; the list of a thousand lives.
    let limits = Limits { memory: Some(16 << 20), ..Limits::default() };
    let nested = (0..45).fold("From(S^1000(Zero))".to_string(), |l, _| format!("Copy({l})"));
    let (_, stats) = run_limited(&nested, limits).expect("a list");
    assert_eq!(stats.live_cells, Some(1999));
}

#[test]
fn a_heap_that_is_all_live_is_marked_seldom() {
    let text = "sort T = struct L | N(T, T); map Make: Int # Int -> T; Left: T -> T; var I, J: Int; A, B: T;
        eqn Make(0, J) = L; Make(I, J) = N(Make(I - 1, J), Make(I - 1, J + 1)); Left(N(A, B)) = A;
        input Left(Make(23, 0));";
    let program = program(text);
    let Start::Term(Some(input)) = &program.start else { panic!("no input") };
    let plan = compile(&program, &TermOptions::default()).expect("a plan");
    // 64 MiB of cells: the first collection is after 8, the next one after 32 more.
    let limits = Limits { memory: Some(1 << 30), ..Limits::default() };
    let out = run_with(&program, &plan, input, &mut Control::new(limits), false).expect("a tree");
    assert_eq!(out.stats.collections, Some(2));
}

#[test]
fn the_step_limit_is_exact_for_runs_within_it() {
    let limits = |n| Limits { max_steps: Some(n), ..Limits::default() };
    let ok = run_limited("Plus(S^9(Zero), Zero)", limits(10)).expect("within");
    assert_eq!(ok.1.rewrites, Some(10));
    let error = run_limited("Plus(S^9(Zero), Zero)", limits(9)).expect_err("beyond");
    assert_eq!(error.reason, StopReason::Steps { limit: 9 });
    assert_eq!(error.progress.steps, 9);
    let error = run_limited("Loop(Zero)", limits(1_000_000)).expect_err("endless");
    assert_eq!(error.progress.steps, 1_000_000);
}

/// Each limit: the run stops after exactly so many applications, in every plan, whatever comes behind them.
#[test]
fn the_step_limit_is_exact() {
    // Chains that are inlined, counts at returns, contexts, an error, a stuck number, and an application in a cell that
    // is stored.
    let text = "sort N = struct Z | S(N); L = struct E | C(N, L); map g, h, k, up: N -> N; sum: N -> Int; all: N -> L; part: Int -> Int;
        odd: N -> Bool; var x: N; n: Int;
        eqn g(x) = h(x); h(x) = k(x); k(x) = S(x); up(Z) = Z; up(S(x)) = g(up(x)); sum(Z) = 0; sum(S(x)) = part(sum(x));
        part(n) = 1 + n; all(Z) = E; all(S(x)) = C(g(g(g(x))), all(x)); odd(Z) = false; odd(S(x)) = !odd(x); ";
    let inputs = [
        "g(g(g(g(g(Z)))))",
        "up(S^6(Z))",
        "sum(S^7(Z))",
        "all(S^4(Z))",
        "odd(S^5(Z))",
        "part(sum(S^3(Z)) div sum(Z))",
    ];
    for input in inputs {
        let program = program(&format!("{text} input {input};"));
        let Start::Term(Some(input)) = &program.start else { panic!("no input") };
        for options in [TermOptions::default(), TermOptions::traced(), TermOptions::tasks(false)] {
            let plan = compile(&program, &options).expect("plan");
            let run = |limit: Option<u64>| {
                let mut lines = 0;
                let limits = Limits { max_steps: limit, ..Limits::default() };
                let mut control = Control::new(limits).trace(|_| lines += 1);
                let outcome = run(&program, &plan, input, &mut control);
                drop(control);
                let found = match outcome {
                    Ok(out) => (Ok(out.normal_form.to_text()), out.stats.rewrites.expect("counted")),
                    Err(stopped) => (Err(stopped.error.reason), stopped.error.progress.steps),
                };
                (found, lines)
            };
            let ((whole, total), lines) = run(None);
            assert!(total > 5, "{total}");
            assert_eq!(lines, if options.trace { total } else { 0 });
            for limit in 0..total + 3 {
                let ((found, steps), lines) = run(Some(limit));
                let expected = if limit < total { Err(StopReason::Steps { limit }) } else { whole.clone() };
                assert_eq!((found, steps), (expected, total.min(limit)), "{input:?} {limit} {options:?}");
                assert_eq!(lines, if options.trace { steps } else { 0 });
            }
        }
    }
}

#[test]
fn endless_runs_time_out_and_can_be_interrupted() {
    let limits = Limits { timeout: Some(std::time::Duration::from_millis(20)), ..Limits::default() };
    let error = run_limited("Loop(Zero)", limits).expect_err("endless");
    assert!(matches!(error.reason, StopReason::Timeout { .. }));
    // The second one has nothing to rewrite: it is building the start term that takes the time.
    for input in ["Loop(Zero)", "S^100000000(Zero)"] {
        let program = program(&format!("{NAT} input {input};"));
        let plan = compile(&program, &TermOptions::default()).expect("plan");
        let Start::Term(Some(input)) = &program.start else { panic!("no input") };
        let flag = std::sync::atomic::AtomicBool::new(true);
        let mut control = Control::default().interrupt(&flag);
        let stopped = run(&program, &plan, input, &mut control).expect_err("interrupted");
        assert_eq!(stopped.error.reason, StopReason::Interrupted);
    }
}

/// One comparison that takes long: of two graphs of which each node of one meets each of the other.
#[test]
fn comparisons_hear_limits() {
    let text = "sort T = struct L | P(T, T); N = struct Z | S(N); map up, down: N -> T; eq: T # T -> Bool; var x: N; t, u: T;
        eqn up(Z) = L; up(S(x)) = P(up(x), L); down(Z) = L; down(S(x)) = P(down(x), L); eq(t, u) = t == u;
        input eq(up(S^3000000(Z)), down(S^3000000(Z)));";
    let program = program(text);
    let plan = compile(&program, &TermOptions::default()).expect("plan");
    let Start::Term(Some(input)) = &program.start else { panic!("no input") };
    let polls = |limits: Limits| {
        let mut steps = Vec::new();
        let mut control = Control::new(limits).progress(|now| steps.push(now.steps));
        let result = run(&program, &plan, input, &mut control);
        drop(control);
        (result.is_ok(), steps)
    };
    let (done, steps) = polls(Limits::default());
    let last = steps.last().copied().expect("a look at the limits");
    // 3,000,000 pairs of cells are some 45 times as many as are compared between two looks.
    assert!(done && steps.iter().filter(|&&at| at == last).count() > 40, "{}", steps.len());
}

#[test]
fn arithmetic_errors_name_the_rule() {
    let error = normalise("Fac(30)").expect_err("overflow");
    assert!(matches!(error.reason, StopReason::Arithmetic { error: ArithmeticError::Overflow, .. }));
    assert_eq!(error.rule, Some(RuleId(16)));
    // 31 applications: the multiplications wait for the innermost call.
    assert_eq!(error.progress.steps, 31);
    let error = normalise("Div(7, 0)").expect_err("division");
    let StopReason::Arithmetic { error: kind, operands, .. } = error.reason else {
        panic!("{:?}", error.reason)
    };
    assert_eq!((kind, operands), (ArithmeticError::DivisionByZero, vec!["7".to_string(), "0".to_string()]));
}

#[test]
fn numbers_have_no_stuck_applications() {
    let error = normalise("Depth(S(S(Zero)))").expect_err("no rule");
    let reason = &error.reason;
    assert!(matches!(reason, StopReason::NoRule { redex, .. } if redex == "Depth(Zero)"), "{reason:?}");
    assert_eq!(error.progress.steps, 2);
}

#[test]
fn numbers_print_as_they_are_read() {
    assert_eq!(text("Half(5.0)"), "2.5");
    assert_eq!(text("Half(0.0000000000000000000000000001)"), "5.0e-29");
    assert_eq!(text("(3 - 10)"), "-7");
    assert_eq!(text("S^3(Zero)"), "S(S(S(Zero)))");
    assert_eq!(text("Cons(S^5(Zero), Cons(Zero, Nil))"), "Cons(S^5(Zero), Cons(Zero, Nil))");
}

#[test]
fn traces_show_each_redex() {
    let program = program(&format!("{NAT} input Plus(S^2(Zero), Twice(Zero));"));
    let plan = compile(&program, &TermOptions::traced()).expect("plan");
    let Start::Term(Some(input)) = &program.start else { panic!("no input") };
    let mut lines = Vec::new();
    {
        let mut control = Control::default().trace(|line| lines.push(line.to_string()));
        run(&program, &plan, input, &mut control).expect("a normal form");
    }
    insta::assert_snapshot!(lines.join("\n"), @r"
    rule 3: Twice(Zero)
    rule 2: Plus(S(S(Zero)), Zero)
    rule 2: Plus(S(Zero), Zero)
    rule 1: Plus(Zero, Zero)
    ");
}

#[test]
fn normal_forms_are_walked_by_views() {
    let program = program(&format!("{NAT} input Cons(S(Zero), Nil);"));
    let plan = compile(&program, &TermOptions::default()).expect("plan");
    let Start::Term(Some(input)) = &program.start else { panic!("no input") };
    let out = run(&program, &plan, input, &mut Control::default()).expect("a normal form");
    let root = out.normal_form.root();
    assert_eq!((root.symbol(), root.arity(), root.sort_name()), (Some("Cons"), 2, "List"));
    let head = root.arg(0).expect("a head");
    assert_eq!(head.args().map(|a| a.symbol().unwrap_or("?").to_string()).collect::<Vec<_>>(), ["Zero"]);
    assert!(root.arg(2).is_none() && root.int().is_none());
}

#[test]
fn wide_functions_and_many_symbols_work() {
    let args = vec!["Nat"; 20].join(", ");
    let vars: Vec<String> = (0..20).map(|i| format!("X{i}")).collect();
    let mut turned = vars.clone();
    turned.rotate_left(1);
    let symbols: Vec<String> = (0..300).map(|i| format!("C{i}")).collect();
    let cases: Vec<String> = (0..300).map(|i| format!("Next(C{i}) = C{};", (i + 1) % 300)).collect();
    let source = format!(
        "sort Nat = struct Zero | S(Nat) | Turn({args}); Big = struct {} | Next(Big);
         var {} : Nat;
         eqn Turn({}) = X1; Turn(S(X0), {}) = Turn({});
         {}
         input {{}};",
        symbols.join(" | "),
        vars.join(", "),
        ["Zero"].into_iter().chain(vars[1..].iter().map(String::as_str)).collect::<Vec<_>>().join(", "),
        vars[1..].join(", "),
        {
            let mut t = turned.clone();
            t[19] = "X0".into();
            t.join(", ")
        },
        cases.join(" "),
    );
    let numbers: Vec<String> =
        (0..20).map(|i| if i == 7 { "Zero".into() } else { format!("S^{}(Zero)", i + 3) }).collect();
    let input = source.replace("{}", &format!("Turn({})", numbers.join(", ")));
    assert_eq!(run_text(&input, TermOptions::default(), false).0, "S^11(Zero)");
    let input = source.replace("{}", "Next(Next(C298))");
    assert_eq!(run_text(&input, TermOptions::default(), true).0, "C0");
}
