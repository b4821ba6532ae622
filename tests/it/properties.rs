//! `gchr check --confluence`, `--termination` and `--complete`.

use serde_json::Value;

use crate::support::{Run, Scratch, gchr};

const CHOICE: &str = "sort N = struct Z | S(N) | Any(N, N) | Up(N);
var X, Y: N;
eqn Any(X, Y) = X;
    Any(X, Y) = Y;
    Up(S(X)) = Up(S(S(X)));
";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("choice.trs", CHOICE);
    scratch
}

fn all(run: impl Fn(&[&str]) -> Run, file: &str) -> Run {
    run(&["check", file, "--confluence", "--termination", "--complete"])
}

#[test]
fn what_is_shown_has_its_reasons() {
    let run = all(gchr, "examples/ackermann.trs");
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in [
        "confluence of the rules in any order: confluent",
        "(orthogonal)",
        "termination of rewriting in any order: ends",
        "Ack#(S(X), S(Y)) -> Ack#(S(X), Y)   line ",
        "subterm criterion: argument 1 of Ack",
        "each function has a rule for all arguments",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    assert!(run.stderr.contains("0 errors") || run.stderr.contains("no errors"), "{}", run.stderr);
}

#[test]
fn what_is_not_shown_is_told_with_the_exit_code() {
    let scratch = scratch();
    let run = all(|args| scratch.gchr(args), "choice.trs");
    assert_eq!(run.code, 1);
    for part in [
        "not confluent: overlap 1 has two results",
        "-> X'   by line 3",
        "without variables: Any(Z, S(Z)) gives Z and S(Z)",
        "not shown: one component resists",
        "Up#(S(X)) -> Up#(S^2(X))   line 5",
        "resists: no order was found",
        "Up has no rule for\n    Up(Z)",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    // What is not asked for is not looked for.
    let complete = scratch.gchr(&["check", "choice.trs", "--complete"]);
    assert!(complete.code == 1 && !complete.stdout.contains("confluen"), "{}", complete.stdout);
    assert_eq!(scratch.gchr(&["check", "choice.trs"]).code, 0);
}

#[test]
fn properties_are_json() {
    let scratch = scratch();
    let file = ["check", "choice.trs", "--format", "json", "--confluence", "--termination", "--complete"];
    let run = scratch.gchr(&file);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let known = &found["files"][0]["properties"];
    assert_eq!(known["confluence"]["verdict"], "not confluent");
    let overlap = &known["confluence"]["overlaps"][0];
    assert_eq!(
        (&overlap["first"]["rule"]["line"], &overlap["second"]["rule"]["line"]),
        (&3.into(), &4.into())
    );
    assert_eq!(overlap["joining"]["ground"]["term"], "Any(Z, S(Z))");
    let termination = &known["termination"];
    assert_eq!((&termination["shown"], &termination["of"]), (&false.into(), &"any order".into()));
    assert!(termination["components"][0]["order"].is_null());
    let functions = known["completeness"]["functions"].as_array().expect("functions");
    let up = functions.iter().find(|function| function["function"] == "Up").expect("Up");
    assert_eq!((&up["verdict"], &up["patterns"][0]), (&"missing".into(), &"Up(Z)".into()));
    // Without being asked for, there are none.
    let plain = scratch.gchr(&["check", "choice.trs", "--format", "json"]);
    let found: Value = serde_json::from_str(&plain.stdout).expect("JSON");
    assert!(plain.code == 0 && found["files"][0].get("properties").is_none());
    let refused = scratch.gchr(&["check", "choice.trs", "--format", "sarif", "--termination"]);
    assert!(refused.code == 2 && refused.stderr.contains("U0105"), "{}", refused.stderr);
}

#[test]
fn other_programs_are_refused_or_left_out() {
    let scratch = scratch();
    scratch.file("p.chr", ":- chr_constraint a(+int).\na(X) <=> X > 9 | true.\n?- a(1).\n");
    scratch.file("wrong.trs", "eqn F = G;");
    let constraints = scratch.gchr(&["check", "p.chr", "--termination"]);
    assert!(constraints.code == 2 && constraints.stderr.contains("U0105"), "{}", constraints.stderr);
    let wrong = all(|args| scratch.gchr(args), "wrong.trs");
    assert_eq!((wrong.code, wrong.stdout.as_str()), (2, ""));
}

/// Formats of others are taken as they are; conditions are not covered by critical pairs.
#[test]
fn all_languages_of_terms_are_taken() {
    for file in ["quicksort.ari", "naturals.rec", "warehouse.mcrl2", "ackermann_values.trs"] {
        let run = all(gchr, &format!("examples/formats/{file}"));
        assert_eq!(run.code, 1, "{file}: {}", run.stderr);
        assert!(run.stdout.contains("not covered: some rules are more than rules between terms"), "{file}");
        assert!(run.stdout.contains("termination of rewriting innermost"), "{file}");
    }
}

/// A system that takes longer hears the clock.
#[test]
fn the_clock_is_heard() {
    let scratch = Scratch::new();
    let rule =
        |n: usize| format!("F(F(F(S^{n}(X)))) = S^{}(F(X)); F(G(F(S^{n}(X)))) = S^2(F(G(X)));\n", 1 + n % 7);
    let rules: String = (1..800).map(rule).collect();
    scratch.file(
        "many.trs",
        &format!("sort N = struct Z | S(N) | F(N) | G(N);\nvar X: N;\neqn F(Z) = Z; G(Z) = Z;\n{rules}"),
    );
    let start = std::time::Instant::now();
    let run = scratch.gchr(&["check", "many.trs", "--confluence", "--timeout", "300ms"]);
    assert!(run.code == 1 && run.stderr.contains("R0204"), "{} {}", run.code, run.stderr);
    assert_eq!(run.stdout, "");
    assert!(start.elapsed().as_secs() < 10);
}
