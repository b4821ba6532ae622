//! `gchr why`: the rule instances that led to a constraint, or to a symbol of a normal form.

use serde_json::Value;

use crate::support::{Scratch, gchr};

const PATHS: &str = ":- chr_constraint edge(+int, +int), path(+int, +int).
dup  @ path(X, Y) \\ path(X, Y) <=> true.
base @ edge(X, Y) ==> path(X, Y).
step @ edge(X, Y), path(Y, Z) ==> path(X, Z).
?- edge(1, 2), edge(2, 3),
   edge(3, 4).
";

const ACCOUNTS: &str = ":- chr_constraint account(+int, +int), pay(+int, +int), log/1.
pay @ account(N, B), pay(N, A) <=> C is B + A, C > 0 | write(paid), nl, account(N, C), log(paid([N], A)).
?- account(1, 10), pay(1, 5), pay(1, 1).
";

const PATH_1_4: &str = "path(1,4)#8 by step (paths.chr:4) with X = 1, Y = 2, Z = 4
├─ edge(1,2)#0 is a goal (paths.chr:5)
└─ path(2,4)#7 by step (paths.chr:4) with X = 2, Y = 3, Z = 4
   ├─ edge(2,3)#2 is a goal (paths.chr:5)
   └─ path(3,4)#6 by base (paths.chr:3) with X = 3, Y = 4
      └─ edge(3,4)#5 is a goal (paths.chr:6)
";

fn programs() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("paths.chr", PATHS);
    scratch.file("accounts.chr", ACCOUNTS);
    scratch
}

#[test]
fn a_derivation_is_a_tree() {
    let scratch = programs();
    let run = scratch.gchr(&["why", "paths.chr", "--of", "path(1,4)"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, PATH_1_4, ""));
    let rounds = scratch.gchr(&["why", "paths.chr", "--of", "path(1,4)", "--semantics", "rounds"]);
    assert!(
        rounds.stdout.starts_with("path(1,4)#8 by step (paths.chr:4) in round 3 with X = 1"),
        "{}",
        rounds.stdout
    );
    // Values of the guard; removed heads; what the program writes is no part of the derivation.
    let paid = scratch.gchr(&["why", "accounts.chr", "--of", "account(1, 16)"]);
    assert_eq!(
        paid.stdout,
        "account(1,16)#5 by pay (accounts.chr:2) with N = 1, B = 15, A = 1, C = 16
├─ account(1,15)#2 (removed) by pay (accounts.chr:2) with N = 1, B = 10, A = 5, C = 15
│  ├─ account(1,10)#0 (removed) is a goal (accounts.chr:3)
│  └─ pay(1,5)#1 (removed) is a goal (accounts.chr:3)
└─ pay(1,1)#4 (removed) is a goal (accounts.chr:3)
"
    );
    assert_eq!(paid.stderr, "paid\npaid\n");
}

#[test]
fn what_is_asked_for_is_a_pattern() {
    let scratch = programs();
    let first = |file: &str, of: &str| {
        let run = scratch.gchr(&["why", file, "--of", of, "--limit", "100"]);
        assert_eq!(run.code, 0, "{of}: {}", run.stderr);
        let starts = run.stdout.split("\n\n").map(|tree| tree.split('#').next().unwrap_or("").to_string());
        starts.collect::<Vec<_>>().join(" ")
    };
    for (file, of, wanted) in [
        ("paths.chr", "path(2, _)", "path(2,3) path(2,4)"),
        ("paths.chr", "path(X, 4)", "path(3,4) path(2,4) path(1,4)"),
        ("paths.chr", "?- edge/2.", "edge(1,2) edge(2,3) edge(3,4)"),
        ("accounts.chr", "log(paid([1], X))", "log(paid([1],5)) log(paid([1],1))"),
        ("accounts.chr", "log(paid([X|[]], X))", "log(paid([1],1))"),
        ("accounts.chr", "log(paid([X], 5))", "log(paid([1],5))"),
    ] {
        assert_eq!(first(file, of), wanted, "{of}");
    }
    let limited = scratch.gchr(&["why", "paths.chr", "--of", "path(_, _)", "--limit", "2", "--depth", "0"]);
    assert_eq!(
        limited.stdout,
        "path(1,2)#1 by base (paths.chr:3) with X = 1, Y = 2 ...

path(2,3)#3 by base (paths.chr:3) with X = 2, Y = 3 ...

4 more of 6 constraints match path(_, _) (--limit)

...: derivations are shown to a depth of 0 (--depth)
"
    );
}

#[test]
fn facts_goals_and_shared_derivations_are_named() {
    let scratch = programs();
    scratch.file("edges.csv", "1,2\n2,3\n");
    scratch.file("more.csv", "1,2\n");
    let facts = ["why", "paths.chr", "--of", "path(1,3)", "--facts", "edge=edges.csv", "--query", "true"];
    let one = scratch.gchr(&facts);
    assert!(one.stdout.contains("edge(2,3)#2 is row 2 of the facts\n"), "{}{}", one.stdout, one.stderr);
    let two = scratch.gchr(&[&facts[..], &["--facts", "path=more.csv"]].concat());
    assert!(two.stdout.contains("is row 1 of the facts of --facts number 1\n"), "{}", two.stdout);
    let twice = ":- chr_constraint p(+int), q(+int), r(+int, +int).
        p(X) ==> q(X).\nq(X), q(Y) ==> X < Y | r(X, Y).\n?- p(1), p(2), p(3).";
    scratch.file("twice.chr", twice);
    let shared = scratch.gchr(&["why", "twice.chr", "--of", "r(1, _)"]);
    assert_eq!(shared.stdout.matches("q(1)#1, as above").count(), 1, "{}", shared.stdout);
}

#[test]
fn what_is_gone_is_said_to_be() {
    let scratch = programs();
    let run = scratch.gchr(&["why", "accounts.chr", "--of", "pay(1, 5)"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (
            0,
            "pay(1,5)#1 is not in the store: removed by pay (accounts.chr:2) with N = 1, B = 10, A = 5, C = 15, \
             beside account(1,10)#0\npay(1,5)#1 is a goal (accounts.chr:3)\n"
        )
    );
    let never = scratch.gchr(&["why", "paths.chr", "--of", "path(4, 1)"]);
    assert!(never.code == 1 && never.stderr.contains("[U0141]"), "{}", never.stderr);
    assert!(never.stderr.contains("rules that add path/2: base, step"), "{}", never.stderr);
    let nothing = scratch.gchr(&["why", "paths.chr", "--of", "edge(4, 1)"]);
    assert!(nothing.stderr.contains("no rule adds edge/2"), "{}", nothing.stderr);
}

#[test]
fn classes_that_replace_values_fire_one_by_one() {
    let of = "edge(0,1,D)";
    let run = gchr(&["why", "examples/floyd.chr", "--of", of, "--semantics", "rounds", "--depth", "1"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("note: floydw replaces values in place"), "{}", run.stdout);
    let store = gchr(&["run", "examples/floyd.chr", "--semantics", "rounds"]).stdout;
    let edge = run.stdout.split('#').next().unwrap_or("").to_string();
    assert!(store.lines().any(|line| line == edge), "{edge} is not in {store}");
}

#[test]
fn json_has_each_constraint_once() {
    let scratch = programs();
    let run =
        scratch.gchr(&["why", "paths.chr", "--of", "path(1,_)", "--format", "json", "--out", "why.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    let text = std::fs::read_to_string(scratch.path("why.json")).expect("a file");
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    let constraints = whole["constraints"].as_array().expect("constraints");
    let of = |id: &Value| constraints.iter().find(|c| c["id"] == *id).expect("it is shown");
    assert_eq!(whole["asked"].as_array().map(Vec::len), Some(3));
    let mut ids: Vec<u64> = constraints.iter().filter_map(|c| c["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    for constraint in constraints {
        match constraint["constraint"].as_str() {
            Some("edge") => assert_eq!(constraint["goal"]["place"]["file"], "paths.chr"),
            Some("path") => {
                let rule = &constraint["rule"];
                let heads = rule["heads"].as_array().expect("heads");
                let edge = of(&heads[0]["id"]);
                assert_eq!(edge["args"][0], constraint["args"][0]);
                assert_eq!(rule["variables"]["X"], edge["args"][0].to_string());
                assert_eq!(heads.len(), if rule["name"] == "base" { 1 } else { 2 });
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_profile_shows_a_derivation_on_request() {
    let scratch = programs();
    scratch.file("marked.chr", ":- chr_constraint p/1, q/1.\np(X) ==> q(f('<b>', X)).\n?- p(1).\n");
    let asked =
        |of: &str, target: &str| ["run", "paths.chr", "--why", of, "--profile", target].map(String::from);
    let run = |args: &[String]| scratch.gchr(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let plain = scratch.gchr(&["run", "paths.chr"]);
    for target in ["p.html", "p.json"] {
        let with = run(&asked("path(1,4)", target));
        assert_eq!((with.code, with.stdout.as_str()), (0, plain.stdout.as_str()), "{}", with.stderr);
    }
    let page = std::fs::read_to_string(scratch.path("p.html")).expect("a page");
    assert!(page.contains("<h2 id=why>Why path(1,4)</h2>") && page.contains(PATH_1_4), "{page}");
    let json = std::fs::read_to_string(scratch.path("p.json")).expect("JSON");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["why"]["derivation"], PATH_1_4);
    let marked = scratch.gchr(&["run", "marked.chr", "--profile", "m.html", "--why", "q(_)"]);
    let page = std::fs::read_to_string(scratch.path("m.html")).expect("a page");
    assert!(marked.code == 0 && page.contains("&lt;b&gt;") && !page.contains("<b>"), "{}", marked.stderr);
    // Wrong requests are told before anything runs; a constraint that never was, behind the result.
    for (of, target, said) in [("path(1)", "p.html", "U0140"), ("path(1,4)", "p.svg", "U0105")] {
        let refused = run(&asked(of, target));
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{}", refused.stderr);
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    let never = run(&asked("path(4,1)", "n.html"));
    assert_eq!((never.code, never.stdout.as_str()), (1, plain.stdout.as_str()));
    assert!(never.stderr.contains("U0141") && scratch.path("n.html").exists(), "{}", never.stderr);
}

const NAT: &str = "sort Nat = struct Zero | S(Nat) | Plus(Nat, Nat) | Twice(Nat);
var X, Y: Nat;
eqn Plus(Zero, Y) = Y;
    Plus(S(X), Y) = S(Plus(X, Y));
    Twice(X) = Plus(X, X);
input Twice(S(S(Zero)));
";

#[test]
fn symbols_of_a_normal_form_have_the_applications_around_them() {
    let scratch = Scratch::new();
    scratch.file("nat.trs", NAT);
    let run = scratch.gchr(&["why", "nat.trs", "--of", "1"]);
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (
            0,
            "S(S(S(Zero))) (at 1)
made by rule 2 (nat.trs:4) on Plus(S(Zero), S(S(Zero))) with X = Zero, Y = S(S(Zero))
 within rule 2 (nat.trs:4) on Plus(S(S(Zero)), S(S(Zero))) with X = S(Zero), Y = S(S(Zero))
  within rule 3 (nat.trs:5) on Twice(S(S(Zero))) with X = S(S(Zero))
   within the term that was given
",
            ""
        )
    );
    let deeper = scratch.gchr(&["why", "nat.trs", "--of", "1", "--depth", "1"]);
    assert!(deeper.stdout.ends_with("\n within 2 more (--depth)\n"), "{}", deeper.stdout);
    let given = scratch.gchr(&["why", "nat.trs", "--of", "1.1.1.1"]);
    assert_eq!(given.stdout, "Zero (at 1.1.1.1)\nmade by no rule: it is of the term that was given\n");
    let json = scratch.gchr(&["why", "nat.trs", "--of", ".", "--format", "json"]);
    let whole: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(whole["rule_applications"], 4);
    assert_eq!(whole["made_by"][1]["redex"], "Twice(S(S(Zero)))");
}

/// A rule of a library has the library's name and line; one of an operation that no text declares says so.
#[test]
fn rules_of_libraries_have_their_own_places() {
    let scratch = Scratch::new();
    scratch.file("sizes.trs", "import \"library:sets\";\ninput SetSize(Single(3));\n");
    let run = scratch.gchr(&["why", "sizes.trs", "--of", "."]);
    assert!(run.stdout.contains("(library:sets:25) on SetSize(Single(3))"), "{}{}", run.stdout, run.stderr);
    let text = "map G: List(Int) -> List(Int);\nvar L: List(Int);\neqn G(L) = L ++ [3];\ninput G([1, 2]);\n";
    scratch.file("lists.trs", text);
    let run = scratch.gchr(&["why", "lists.trs", "--of", "2"]);
    let shown: Vec<bool> =
        run.stdout.lines().map(|line| line.contains("(built in, for lists.trs:3)")).collect();
    assert_eq!(shown, [false, true, true, false, false], "{}{}", run.stdout, run.stderr);
    let json = scratch.gchr(&["why", "lists.trs", "--of", "2", "--format", "json"]);
    let whole: Value = serde_json::from_str(&json.stdout).expect("JSON");
    let steps = whole["made_by"].as_array().expect("a list").iter();
    let built_in: Vec<Option<bool>> = steps.map(|step| step["built_in"].as_bool()).collect();
    assert_eq!(built_in, [Some(true), Some(true), Some(false)], "{whole}");
}

/// What is kept is an evaluation of its own: its normal forms are those of runs.
#[test]
fn examples_have_the_normal_forms_of_runs() {
    for name in ["ackermann", "bitonic", "bst", "fib_int", "gcd", "lexer", "min", "nrev", "primes", "queens"]
    {
        let file = format!("examples/{name}.trs");
        let result = gchr(&["run", &file]).stdout;
        let shown = gchr(&["why", &file, "--of", ".", "--depth", "1"]);
        assert_eq!(shown.code, 0, "{file}: {}", shown.stderr);
        let outermost = |text: &str| text.split(['(', '^', ' ', '\n']).next().unwrap_or("").to_string();
        assert_eq!(outermost(&shown.stdout), outermost(&result), "{file}");
        let runs = gchr(&["run", &file, "--format", "json"]).stdout;
        let runs: Value = serde_json::from_str(&runs).expect("JSON");
        let kept = gchr(&["why", &file, "--of", ".", "--format", "json"]).stdout;
        let kept: Value = serde_json::from_str(&kept).expect("JSON");
        assert_eq!(kept["rule_applications"], runs["stats"]["rewrites"], "{file}");
    }
}

/// Arguments behind the name of the file, the exit code, and what standard error says.
const REFUSED: &[(&[&str], i32, &str)] = &[
    (&["paths.chr", "--of", "paths(1,2)"], 2, "did you mean path/2?"),
    (&["paths.chr", "--of", "path(1)"], 2, "did you mean path/2?"),
    (&["paths.chr", "--of", "path(1,2), edge(1,2)"], 2, "U0140"),
    (&["paths.chr", "--of", "X"], 2, "U0140"),
    (&["paths.chr", "--of", "17"], 2, "U0140"),
    (&["paths.chr", "--of", ""], 2, "C0109"),
    (&["paths.chr", "--of", "path(1"], 2, "C0102"),
    (&["paths.chr", "--of", "path(1,2)", "--limit", "0"], 2, "expected a number from 1 on"),
    (&["paths.chr", "--of", "path(1,2)", "--firing", "general"], 2, "U0105"),
    (&["paths.chr", "--of", "path(1,2)", "--out", "no/such/file"], 2, "U0107"),
    (&["paths.chr", "--of", "path(1,2)", "--max-steps", "2"], 1, "R0201"),
    (&["paths.chr", "--of", "path(1,2)", "--query", "fail"], 1, "R0301"),
    (&["loop.chr", "--of", "n(-1)", "--memory", "80M"], 1, "R0202"),
    (&["loop.chr", "--of", "n(-1)", "--timeout", "200ms"], 1, "R0204"),
    (&["empty.chr", "--of", "n(1)"], 2, "U0106"),
    (&["term.trs", "--of", "n(1)"], 2, "U0140"),
    (&["term.trs", "--of", "1.0"], 2, "U0140"),
    (&["term.trs", "--of", ""], 2, "U0140"),
    (&["term.trs", "--of", "1"], 1, "U0141"),
    (&["term.trs", "--of", ".", "--limit", "2"], 2, "U0105"),
    (&["term.trs", "--of", ".", "--semantics", "rounds"], 2, "U0105"),
    (&["term.trs", "--of", ".", "--query", "n(1)"], 2, "U0105"),
    (&["term.trs", "--of", ".", "--input", "F(1) div 0"], 1, "R0102"),
    (&["loop.trs", "--of", "."], 2, "U0106"),
    (&["loop.trs", "--of", ".", "--input", "F(A)", "--max-steps", "1000"], 1, "R0201"),
    (&["loop.trs", "--of", ".", "--input", "F(A)", "--memory", "80M"], 1, "R0202"),
    (&["loop.trs", "--of", ".", "--input", "F(A)", "--timeout", "200ms"], 1, "R0204"),
    (&["numbers.mcrl2", "--of", ".", "--input", "f(1)"], 2, "U0142"),
    (&["clauses.chr", "--of", "n(1)"], 2, "U0142"),
    (&["missing.chr", "--of", "n(1)"], 2, "U0101"),
];

#[test]
fn bad_requests_and_limits_are_told() {
    let scratch = programs();
    scratch.file("loop.chr", ":- chr_constraint n(+int).\nn(X) <=> Y is X + 1, n(Y).\n?- n(0).\n");
    scratch.file("empty.chr", ":- chr_constraint n(+int).\nn(1) <=> n(2).\n");
    scratch.file("term.trs", "map F: Int -> Int;\nvar n: Int;\neqn F(n) = n;\ninput F(1);\n");
    scratch.file("loop.trs", "sort N = struct A | F(N);\nvar X: N;\neqn F(X) = F(F(X));\n");
    scratch.file("numbers.mcrl2", "map f: Nat -> Nat;\nvar n: Nat;\neqn f(n) = n + 1;\n");
    scratch.file("clauses.chr", ":- chr_constraint n(?int).\nm(1).\nn(X) <=> m(X).\n?- n(_).\n");
    for (args, code, said) in REFUSED {
        let run = scratch.gchr(&[&["why"], *args].concat());
        assert_eq!(run.code, *code, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{args:?}");
    }
}

/// A run on a device is explained by the same rounds on the processor.
#[test]
fn constraints_of_a_run_on_a_device_are_explained() {
    let scratch = programs();
    let args = ["why", "paths.chr", "--of", "path(1,4)", "--semantics", "rounds"];
    let here = scratch.gchr(&args);
    let there = scratch.gchr(&[&args[..], &["--device", "sim"]].concat());
    assert_eq!((here.code, there.code), (0, 0), "{}", there.stderr);
    assert!(there.stdout.starts_with(&here.stdout), "{}", there.stdout);
    assert!(there.stdout.contains("note: sim ends with the same store, after"), "{}", there.stdout);
    let refused = |args: &[&str], said: &str| {
        let run = scratch.gchr(&[&["why"], args].concat());
        assert!(run.code == 2 && run.stderr.contains(said), "{args:?}: {} {}", run.code, run.stderr);
    };
    refused(&["paths.chr", "--of", "path(1,4)", "--device", "sim"], "U0110");
    refused(&["paths.chr", "--of", "path(1,4)", "--device", "auto"], "U0105");
    scratch.file("nat.trs", NAT);
    refused(&["nat.trs", "--of", "1", "--device", "sim"], "U0105");
}

/// Terms are written as the language writes them, wherever they are shown.
#[test]
fn lists_and_operators_are_written_as_in_programs() {
    let scratch = Scratch::new();
    let lists = "map Rev: List(Int) # List(Int) -> List(Int);
    Pair: List(Int) -> List(List(Int));
    Last: List(Int) -> Int;
var x: Int; xs, ys: List(Int);
eqn Rev([], ys) = ys;
    Rev(x |> xs, ys) = Rev(xs, x |> ys);
    Pair(xs) = [xs, xs <| 3];
    Last([x]) = x;
    Last(x |> xs) = Last(xs);
input Pair(Rev([1, 2], []) ++ [4, #[1, 2]]);
";
    scratch.file("lists.trs", lists);
    let result = scratch.gchr(&["run", "lists.trs"]).stdout;
    let why = scratch.gchr(&["why", "lists.trs", "--of", "."]);
    assert!(
        why.code == 0 && why.stdout.starts_with(&format!("{} (the result)\n", result.trim_end())),
        "{}",
        why.stdout
    );
    assert!(why.stdout.contains("on Pair([2, 1, 4, 2]) with xs = [2, 1, 4, 2]"), "{}", why.stdout);
    let at = scratch.gchr(&["why", "lists.trs", "--of", "1"]);
    assert!(at.stdout.contains("on ([2, 1] ++ [4, 2]) with"), "{}", at.stdout);
    let known = scratch.gchr(&["check", "lists.trs", "--confluence", "--termination", "--complete"]).stdout;
    assert!(known.contains("Rev#((x |> xs), ys) -> Rev#(xs, (x |> ys))"), "{known}");
    assert!(known.contains("Last has no rule for\n    Last([])"), "{known}");
    let traced = scratch.gchr(&["run", "lists.trs", "--trace"]).stderr;
    for text in [&why.stdout, &at.stdout, &known, &traced] {
        for operator in ["|>(", "<|(", "++("] {
            assert!(!text.contains(operator), "{operator} in {text}");
        }
    }
}
