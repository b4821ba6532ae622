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

#[test]
fn garbage_is_reused() {
    // 45 million cells of 8 bytes pass through; the list of a thousand lives.
    let limits = Limits { memory: Some(16 << 20), ..Limits::default() };
    let nested = (0..45).fold("From(S^1000(Zero))".to_string(), |l, _| format!("Copy({l})"));
    let (_, stats) = run_limited(&nested, limits).expect("a list");
    assert_eq!(stats.live_cells, Some(1999));
}

#[test]
fn the_step_limit_is_exact_for_runs_within_it() {
    let limits = |n| Limits { max_steps: Some(n), ..Limits::default() };
    let ok = run_limited("Plus(S^9(Zero), Zero)", limits(10)).expect("within");
    assert_eq!(ok.1.rewrites, Some(10));
    let error = run_limited("Plus(S^9(Zero), Zero)", limits(9)).expect_err("beyond");
    assert_eq!(error.reason, StopReason::Steps { limit: 9 });
    assert_eq!(error.progress.steps, 10);
    let error = run_limited("Loop(Zero)", limits(1_000_000)).expect_err("endless");
    assert_eq!(error.progress.steps, 1_000_001);
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
    assert_eq!(error.reason, StopReason::NoRule { redex: "Depth(Zero)".into() });
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
