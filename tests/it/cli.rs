//! The command line from outside: exit codes, what goes to which stream, limits, result files, signals, bad input.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Scratch, gchr, root};

const PLUS: &str = "sort Nat = struct Zero() | S(Nat) | Plus(Nat, Nat);
var X, Y : Nat;
eqn Plus(Zero(), Y) = Y;
    Plus(S(X), Y) = S(Plus(X, Y));
";
const LOOP: &str = "map Loop: Int -> Int;\nvar N: Int;\neqn Loop(N) = Loop(N + 1);\ninput Loop(0);\n";
const COUNT: &str = ":- chr_constraint count(+int), kept(+int).
count(N) <=> kept(N), M is N + 1, count(M).
?- count(0).
";

#[test]
fn help_and_version_are_results() {
    for args in [
        &["--help"][..],
        &["--version"],
        &["run", "--help"],
        &["check", "--help"],
        &["emit", "--help"],
        &["devices", "--help"],
        &["simd", "--help"],
    ] {
        let run = gchr(args);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
        assert!(run.stdout.contains("gchr"), "{args:?}");
    }
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let file = "examples/min.chr";
    for args in [
        &[][..],
        &["run"],
        &["walk", file],
        &["run", file, "--speed", "9"],
        &["run", file, "--memory", "lots"],
        &["run", file, "--timeout", "0"],
        &["run", file, "--threads", "0"],
        &["run", file, "--max-steps", "-1"],
        &["run", file, "--facts", "min"],
        &["run", file, "--format", "xml"],
        &["emit", file, "--stage", "sass"],
        &["run", file, "--device", "tpu"],
        &["run", file, "--device", "gpu:x"],
    ] {
        let run = gchr(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        assert!(!run.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn what_does_not_exist_yet_is_not_accepted() {
    for option in ["--semantics", "--firing", "--profile"] {
        assert_eq!(gchr(&["run", "examples/min.chr", option, "x"]).code, 2, "{option}");
    }
    assert_eq!(gchr(&["run", "examples/min.trs", "--device", "any"]).code, 2);
}

#[test]
fn unreadable_programs_are_diagnostics() {
    let scratch = Scratch::new();
    let shown = |name: &str, run: &dyn Fn(&str) -> crate::support::Run| {
        let run = run(name);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{name}: {}", run.stderr);
        run.stderr
    };
    let run = |name: &str| scratch.gchr(&["run", name]);
    scratch.file("empty.trs", "");
    scratch.file("blank.chr", "  \n\n");
    scratch.bytes("latin.trs", b"sort N = struct Zero();\n% caf\xe9\n");
    scratch.file("program.txt", PLUS);
    fs::create_dir(scratch.path("folder.trs")).unwrap();
    insta::assert_snapshot!(shown("missing.trs", &run), @r#"
    [U0101] Error: cannot read missing.trs: No such file or directory (os error 2)
      Help: give the path of a program file, e.g. examples/mergesort.trs
    "#);
    insta::assert_snapshot!(shown("folder.trs", &run), @r#"
    [U0101] Error: cannot read folder.trs: it is a folder
      Help: give the path of a program file, e.g. examples/mergesort.trs
    "#);
    insta::assert_snapshot!(shown("empty.trs", &run), @r#"
    [U0103] Error: empty.trs is empty
      Help: a program has at least one declaration; see the folder examples/
    "#);
    insta::assert_snapshot!(shown("blank.chr", &run), @r#"
    [U0103] Error: blank.chr is empty
      Help: a program has at least one declaration; see the folder examples/
    "#);
    insta::assert_snapshot!(shown("program.txt", &run), @r#"
    [U0104] Error: the ending of program.txt names no language
      Help: name the file .trs for term rewriting, or .chr for Constraint Handling Rules
    "#);
    insta::assert_snapshot!(shown("latin.trs", &run), @r#"
    [U0102] Error: latin.trs is not a UTF-8 text
       ╭─[ latin.trs:2:6 ]
       │
     2 │ % caf�
       │      ┬
       │      ╰── this byte is no UTF-8
       │
       │ Help: save the file as UTF-8
       │
       │ Note: byte 29 of the file
    ───╯
    "#);
}

#[test]
fn the_language_can_be_given() {
    let scratch = Scratch::new();
    scratch.file("program.txt", PLUS);
    let run =
        scratch.gchr(&["run", "program.txt", "--language", "trs", "--input", "Plus(S(Zero()), S(Zero()))"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "S(S(Zero))\n"), "{}", run.stderr);
}

#[test]
fn options_of_the_other_language_are_refused() {
    for args in [
        &["run", "examples/min.trs", "--query", "min(1)"][..],
        &["run", "examples/min.trs", "--facts", "min=x.csv"],
        &["run", "examples/min.chr", "--input", "Zero()"],
        &["run", "examples/min.trs", "--format", "csv"],
    ] {
        let run = gchr(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.contains("Help:"), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn a_program_without_start_says_how_to_start_it() {
    let scratch = Scratch::new();
    scratch.file("plus.trs", PLUS);
    scratch.file("min.chr", ":- chr_constraint min(+int).\nmin(A) \\ min(B) <=> A =< B | true.\n");
    let term = scratch.gchr(&["run", "plus.trs"]);
    assert_eq!(term.code, 2);
    assert!(term.stderr.contains("--input TERM"), "{}", term.stderr);
    let goals = scratch.gchr(&["run", "min.chr"]);
    assert_eq!(goals.code, 2);
    assert!(goals.stderr.contains("--query GOALS"), "{}", goals.stderr);
}

#[test]
fn every_finding_is_shown_and_nothing_runs() {
    let scratch = Scratch::new();
    scratch.file(
        "bad.trs",
        &PLUS.replace("Plus(X, Y));", "Plus(X, Q));\n    Plus(X) = X;\n    Plus(X, Y) = Frob(X);"),
    );
    let run = scratch.gchr(&["run", "bad.trs", "--input", "Zero()"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.matches("Error").count() >= 3, "{}", run.stderr);
    let check = scratch.gchr(&["check", "bad.trs"]);
    assert_eq!(check.code, 2);
    assert!(check.stderr.contains(&run.stderr), "{}", check.stderr);
}

#[test]
fn check_accepts_all_examples() {
    let programs = fs::read_dir(root().join("examples")).unwrap().map(|e| e.unwrap().path());
    let programs: Vec<_> = programs.filter(|p| gchr::Language::of_path(p).is_some()).collect();
    let mut args = vec!["check".to_string()];
    args.extend(programs.iter().map(|p| p.display().to_string()));
    let run = gchr(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stderr.matches(": no errors, ").count(), programs.len(), "{}", run.stderr);
    // Functions that are partial by intention, rules whose overlap does no harm, facts from a file.
    let warned: Vec<_> =
        run.stderr.lines().filter(|l| l.contains(": no errors, ") && !l.contains("no warnings")).collect();
    let expected = ["bitonic.chr", "bitonic.trs", "bst.trs", "floyd.trs", "lexer.trs", "roads.chr"];
    assert!(warned.iter().all(|line| expected.iter().any(|name| line.contains(name))), "{warned:#?}");
}

const SUMS: &str = ":- chr_option(semantics, rounds).\n:- chr_constraint s(+int).\ns(A), s(B) <=> C is A + B, s(C).\n\
                    ?- s(1), s(2), s(3), s(4), s(5), s(6).\n";

#[test]
fn rounds_by_option_of_the_program_or_the_command_line() {
    let scratch = Scratch::new();
    scratch.file("sums.chr", SUMS);
    let run = scratch.gchr(&["run", "sums.chr", "--stats", "--threads", "2"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "s(21)\n"), "{}", run.stderr);
    assert!(run.stderr.contains("rounds"), "{}", run.stderr);
    for firing in ["indexed", "general", "exhaustive"] {
        let run = scratch.gchr(&["run", "sums.chr", "--firing", firing, "--trace"]);
        assert_eq!((run.code, run.stdout.as_str()), (0, "s(21)\n"), "{firing}: {}", run.stderr);
        assert!(run.stderr.contains("round 1 rule 1: \\ s(3)#2 s(2)#1\n"), "{firing}: {}", run.stderr);
    }
    let run = scratch.gchr(&["run", "sums.chr", "--max-rounds", "2"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert!(
        run.stderr.contains("R0206") && run.stderr.contains("3 constraints were in the store"),
        "{}",
        run.stderr
    );
    for option in [["--gc", "queue"], ["--scheduler", "tasks"]] {
        let run = scratch.gchr(&["run", "sums.chr", "--device", "sim", option[0], option[1]]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("does not apply to a constraint program"), "{}", run.stderr);
    }
    let run = scratch.gchr(&["run", "sums.chr", "--semantics", "refined", "--firing", "exhaustive"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    let run = scratch.gchr(&["check", "sums.chr"]);
    assert!(run.code == 0 && run.stderr.contains("C0611"), "{}", run.stderr);
}

#[test]
fn limits_end_a_run_with_exit_code_1() {
    let scratch = Scratch::new();
    scratch.file("loop.trs", LOOP);
    scratch.file("count.chr", COUNT);
    for (program, option, value, code) in [
        ("loop.trs", "--max-steps", "1000", "R0201"),
        ("count.chr", "--max-steps", "1000", "R0201"),
        ("count.chr", "--memory", "4M", "R0202"),
        ("loop.trs", "--timeout", "200ms", "R0204"),
        ("count.chr", "--timeout", "200ms", "R0204"),
    ] {
        let start = Instant::now();
        let run = scratch.gchr(&["run", program, option, value, "--out", "result"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{program} {option}: {}", run.stderr);
        assert!(run.stderr.contains(code) && run.stderr.contains("stopped after"), "{}", run.stderr);
        assert!(start.elapsed() < Duration::from_secs(20), "{program} {option}");
        assert!(!scratch.path("result").exists(), "{program} {option}");
        if value == "1000" {
            // Rule applications that a plan makes in one go are counted in one go.
            let steps = run
                .stderr
                .split("stopped after ")
                .nth(1)
                .and_then(|t| t.split(' ').next()?.parse::<u64>().ok());
            assert!(steps.is_some_and(|n| (1000..1100).contains(&n)), "{}", run.stderr);
        }
    }
    assert_eq!(scratch.names(), ["count.chr", "loop.trs"]);
}

#[test]
fn the_memory_limit_holds_for_terms() {
    let scratch = Scratch::new();
    let grow =
        "sort L = struct Nil() | C(L) | Grow(L);\nvar X: L;\neqn Grow(X) = Grow(C(X));\ninput Grow(Nil());\n";
    scratch.file("grow.trs", grow);
    let run = scratch.gchr(&["run", "grow.trs", "--memory", "16M"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("R0202"), "{}", run.stderr);
}

#[test]
fn failing_and_undefined_steps_are_exit_code_1() {
    let scratch = Scratch::new();
    scratch.file("divide.trs", "map F: Int -> Int;\nvar N: Int;\neqn F(N) = 1 div N;\ninput F(0);\n");
    scratch
        .file("overflow.chr", ":- chr_constraint a(+int).\na(N) <=> N > 0 | M is N * N, a(M).\n?- a(10).\n");
    scratch.file("fail.chr", ":- chr_constraint a.\na <=> fail.\n?- a.\n");
    for (program, code) in [("divide.trs", "R0102"), ("overflow.chr", "R0101"), ("fail.chr", "R0301")] {
        let run = scratch.gchr(&["run", program, "--format", "json"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{program}: {}", run.stderr);
        assert!(run.stderr.contains(code), "{program}: {}", run.stderr);
    }
}

#[test]
fn statistics_go_to_standard_error() {
    let run = gchr(&["run", "examples/tree_exploration.trs", "--stats"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.stdout.lines().count(), 1);
    assert!(run.stderr.contains("rewrites     19\n"), "{}", run.stderr);
    let run = gchr(&["run", "examples/min.chr", "--stats"]);
    assert!(run.stderr.contains("firings      5\n"), "{}", run.stderr);
    assert!(run.stderr.contains("semantics    refined\n"), "{}", run.stderr);
}

#[test]
fn a_trace_goes_to_standard_error() {
    let run = gchr(&["run", "examples/min.chr", "--trace"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "min(5)\n"));
    assert_eq!(run.stderr.lines().count(), 5, "{}", run.stderr);
    assert!(run.stderr.contains("minimum"), "{}", run.stderr);
}

#[test]
fn output_of_the_program_does_not_disturb_json() {
    let scratch = Scratch::new();
    scratch
        .file("hello.chr", ":- chr_constraint hello(?any).\nhello(X) ==> write(X), nl.\n?- hello(world).\n");
    let text = scratch.gchr(&["run", "hello.chr"]);
    assert_eq!((text.code, text.stdout.as_str(), text.stderr.as_str()), (0, "world\nhello(world)\n", ""));
    let json = scratch.gchr(&["run", "hello.chr", "--format", "json"]);
    assert_eq!((json.code, json.stderr.as_str()), (0, "world\n"));
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(value["store"], serde_json::json!([{"constraint": "hello", "args": ["world"]}]));
}

#[test]
fn formats_of_a_store() {
    let scratch = Scratch::new();
    let program = ":- chr_constraint a(?any), b(?any, ?any).\na(x) <=> true.\n\
                   ?- a(1), a(2.5), a('it''s'), a(\"s\"), a(f(1, [g(y), 2])), b(-3, \"x,y\").\n";
    scratch.file("values.chr", program);
    let json = scratch.gchr(&["run", "values.chr", "--format", "json"]);
    let (store, stats) = json.stdout.split_once(", \"stats\": ").unwrap();
    insta::assert_snapshot!(store, @r#"
    {"store": [
    {"constraint": "a", "args": [1]},
    {"constraint": "a", "args": [2.5]},
    {"constraint": "a", "args": ["s"]},
    {"constraint": "a", "args": ["it's"]},
    {"constraint": "a", "args": [{"functor": "f", "args": [1, [{"functor": "g", "args": ["y"]}, 2]]}]},
    {"constraint": "b", "args": [-3, "x,y"]}]
    "#);
    serde_json::from_str::<serde_json::Value>(&json.stdout).unwrap();
    assert!(stats.contains("\"rewrites\":null"), "{stats}");
    insta::assert_snapshot!(scratch.gchr(&["run", "values.chr", "--format", "csv"]).stdout, @r#"
    a,1
    a,2.5
    a,s
    a,it's
    a,"f(1,[g(y),2])"
    b,-3,"x,y"
    "#);
    insta::assert_snapshot!(scratch.gchr(&["run", "values.chr"]).stdout, @r#"
    a(1)
    a(2.5)
    a("s")
    a('it\'s')
    a(f(1,[g(y),2]))
    b(-3,"x,y")
    "#);
    let one = scratch.gchr(&["run", "values.chr", "--query", "b(2, y), b(1, x)", "--format", "csv"]);
    assert_eq!(one.stdout, "1,x\n2,y\n");
}

#[test]
fn a_result_file_appears_whole_or_not_at_all() {
    let scratch = Scratch::new();
    scratch.file("plus.trs", PLUS);
    let good = ["run", "plus.trs", "--input", "Plus(S(Zero()), Zero())", "--out", "result"];
    let run = scratch.gchr(&good);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    assert_eq!(scratch.read("result"), "S(Zero)\n");
    // What is there stays when the next run fails.
    for bad in
        [["--input", "Plus(S(Zero()), Zero(", "--out", "result"], ["--max-steps", "0", "--out", "result"]]
    {
        let mut args = vec!["run", "plus.trs"];
        if bad[0] != "--input" {
            args.extend(["--input", "Plus(S(Zero()), Zero())"]);
        }
        args.extend(bad);
        assert_ne!(scratch.gchr(&args).code, 0);
        assert_eq!(scratch.read("result"), "S(Zero)\n");
    }
    assert_eq!(scratch.names(), ["plus.trs", "result"]);
}

#[test]
fn a_result_file_that_cannot_be_written_is_said_before_the_run() {
    let scratch = Scratch::new();
    scratch.file("loop.trs", LOOP);
    for out in ["missing/result", "."] {
        let run = scratch.gchr(&["run", "loop.trs", "--out", out]);
        assert_eq!(run.code, 2, "{out:?}: {}", run.stderr);
        assert!(run.stderr.contains("cannot write"), "{out:?}: {}", run.stderr);
    }
    assert_eq!(scratch.names(), ["loop.trs"]);
}

#[cfg(unix)]
#[test]
fn devices_and_links_survive_being_results() {
    let scratch = Scratch::new();
    scratch.file("target", "old");
    std::os::unix::fs::symlink("target", scratch.path("link")).unwrap();
    let min = root().join("examples/min.chr").display().to_string();
    assert_eq!(scratch.gchr(&["run", &min, "--out", "link"]).code, 0);
    assert!(fs::symlink_metadata(scratch.path("link")).unwrap().is_symlink());
    assert_eq!(scratch.read("target"), "min(5)\n");
    assert_eq!(scratch.gchr(&["run", &min, "--out", "/dev/null"]).code, 0);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let full = scratch.gchr(&["run", &min, "--out", "/dev/full"]);
    assert_eq!(full.code, 1, "{}", full.stderr);
    assert!(full.stderr.contains("cannot write"), "{}", full.stderr);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = Command::new(crate::support::BINARY)
        .current_dir(root())
        .args(["run", "examples/mergesort.trs", "--input", "Random(200000, 1)"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut start = [0; 5];
    stdout.read_exact(&mut start).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(&start, b"Cons(", "{}", String::from_utf8_lossy(&start));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_cleanly_and_says_how_far_it_got() {
    let scratch = Scratch::new();
    scratch.file("loop.trs", LOOP);
    scratch.file("count.chr", &COUNT.replace("kept(N), ", ""));
    for (program, device) in [("loop.trs", "cpu"), ("count.chr", "cpu"), ("loop.trs", "sim")] {
        let child = Command::new(crate::support::BINARY)
            .current_dir(scratch.folder())
            .args(["run", program, "--device", device, "--out", "result", "--stats"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The result file is opened just before the run.
        crate::support::wait_until(|| scratch.names().iter().any(|n| n.ends_with(".part")));
        std::thread::sleep(Duration::from_millis(100));
        crate::support::interrupt(&child);
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("interrupted") && errors.contains("stopped after"), "{errors}");
        assert!(errors.contains("run_ms"), "{errors}");
        assert_eq!(scratch.names(), ["count.chr", "loop.trs"]);
    }
}

/// `timeout` sends its signal to the process and to its group: that is one request.
#[cfg(unix)]
#[test]
fn a_signal_that_comes_twice_at_once_is_one() {
    let scratch = Scratch::new();
    scratch.file("loop.trs", LOOP);
    let run = Command::new("timeout")
        .current_dir(scratch.folder())
        .args(["1", crate::support::BINARY, "run", "loop.trs", "--out", "result"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(124), "{errors}");
    assert!(errors.contains("interrupted") && errors.contains("stopped after"), "{errors}");
    assert_eq!(scratch.names(), ["loop.trs"]);
}

/// One function holds all states of the tasks scheduler, which a compiler would look at for minutes.
#[test]
fn programs_of_many_functions_run_under_the_topology_scheduler() {
    let scratch = Scratch::new();
    let scheduler = |functions: usize, more: &[&str]| {
        let mut text = String::from("sort N = struct Z() | S(N);\n");
        (0..functions).for_each(|i| text += &format!("map F{i}: N -> N;\n"));
        text += "var X: N;\neqn\n";
        for i in 0..functions {
            let (next, other) = ((i + 1) % functions, (i + 7) % functions);
            text += &format!("F{i}(Z()) = Z();\nF{i}(S(X)) = S(F{next}(F{other}(X)));\n");
        }
        text += "input F0(S^5(Z()));\n";
        scratch.file("chain.trs", &text);
        let run =
            scratch.gchr(&[&["run", "chain.trs", "--device", "sim", "--format", "json"], more].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let result: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        (result["normal_form"].clone(), result["stats"]["scheduler"].clone())
    };
    let (few, by) = scheduler(8, &[]);
    assert_eq!((by, few), ("tasks".into(), "S^5(Z)".into()));
    let (many, by) = scheduler(100, &[]);
    assert_eq!(by, "topology");
    assert_eq!(scheduler(100, &["--scheduler", "tasks"]), (many, "tasks".into()));
}

#[test]
fn deep_terms_and_long_lists() {
    let n = if cfg!(debug_assertions) { 1_000_000 } else { 10_000_000 };
    let scratch = Scratch::new();
    scratch.file("plus.trs", PLUS);
    let run = scratch.gchr(&["run", "plus.trs", "--input", &format!("Plus(S^{n}(Zero()), S^{n}(Zero()))")]);
    assert_eq!((run.code, run.stdout), (0, format!("S^{}(Zero)\n", 2 * n)), "{}", run.stderr);
    let list = scratch.gchr(&[
        "run",
        &root().join("examples/mergesort.trs").display().to_string(),
        "--input",
        &format!("Even(Random({n}, 7))"),
        "--out",
        "list",
    ]);
    assert_eq!(list.code, 0, "{}", list.stderr);
    let mut count = 0;
    for part in BufReader::new(fs::File::open(scratch.path("list")).unwrap()).split(b'C') {
        count += usize::from(part.unwrap().starts_with(b"ons("));
    }
    assert_eq!(count, n / 2);
}

#[test]
fn deep_nesting_in_a_text_is_no_crash() {
    let scratch = Scratch::new();
    let n = 100_000;
    scratch.file("plus.trs", PLUS);
    let nested = format!("{}Zero(){}", "S(".repeat(n), ")".repeat(n));
    scratch.file("input.trs", &format!("{PLUS}input {nested};\n"));
    let run = scratch.gchr(&["run", "input.trs"]);
    assert_eq!((run.code, run.stdout), (0, format!("S^{n}(Zero)\n")), "{}", run.stderr);
    for (name, text) in [
        ("rule.trs", format!("{PLUS}    Plus(Zero(), X) = {nested};\n")),
        ("open.trs", format!("{PLUS}input {}", "Plus(".repeat(n))),
        (
            "body.chr",
            format!(
                ":- chr_constraint a(?any).\na(1) <=> a({}1{}).\n?- a(1).\n",
                "f(".repeat(n),
                ")".repeat(n)
            ),
        ),
        ("brackets.chr", format!(":- chr_constraint a(?any).\n?- a({}).\n", "[".repeat(n))),
        ("minus.chr", format!(":- chr_constraint a(?any).\n?- X is {}1, a(X).\n", "- ".repeat(n))),
    ] {
        scratch.file(name, &text);
        let run = scratch.gchr(&["check", name]);
        assert!([0, 2].contains(&run.code), "{name}: exit code {}: {:.300}", run.code, run.stderr);
    }
}

#[test]
fn a_million_facts_and_a_bad_line() {
    let rows = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
    let scratch = Scratch::new();
    let program = ":- chr_constraint edge(+int, +int, +int), least(+int).\n\
                   least(A) \\ least(B) <=> A =< B | true.\nedge(0, _, D) ==> least(D).\n";
    scratch.file("edges.chr", program);
    let write = |name: &str, bad: Option<(usize, &str)>| {
        let mut file = std::io::BufWriter::new(fs::File::create(scratch.path(name)).unwrap());
        for line in 1..=rows {
            match bad {
                Some((at, text)) if at == line => writeln!(file, "{text}").unwrap(),
                _ => writeln!(file, "{},{line},{}", line % 1000, 1 + line % 97).unwrap(),
            }
        }
        file.flush().unwrap();
    };
    write("good.csv", None);
    let facts = scratch.gchr(&[
        "run",
        "edges.chr",
        "--facts",
        "edge=good.csv",
        "--format",
        "csv",
        "--out",
        "out.csv",
    ]);
    assert_eq!(facts.code, 0, "{}", facts.stderr);
    let written = fs::read_to_string(scratch.path("out.csv")).unwrap();
    assert_eq!(written.lines().count(), rows + 1);
    assert!(written.ends_with("least,1\n"));
    for (name, text) in
        [("columns.csv", "1,2"), ("number.csv", "1,two,3"), ("large.csv", "1,99999999999999999999,3")]
    {
        write(name, Some((70_001, text)));
        let run = scratch.gchr(&["run", "edges.chr", "--facts", &format!("edge={name}"), "--out", "bad.csv"]);
        assert_eq!(run.code, 2, "{name}: {}", run.stderr);
        assert!(run.stderr.contains("70001") || run.stderr.contains("70,001"), "{name}: {}", run.stderr);
        assert!(!scratch.path("bad.csv").exists());
    }
}

#[test]
fn fact_files_go_with_threads_and_must_exist() {
    let facts = "road=examples/data/roads.csv";
    let run = |threads: &str| gchr(&["run", "examples/roads.chr", "--facts", facts, "--threads", threads]);
    let one = run("1");
    assert_eq!(one.code, 0, "{}", one.stderr);
    assert_eq!(one.stdout, run("4").stdout);
    for wrong in ["road=missing.csv", "street=examples/data/roads.csv", "road=examples"] {
        let run = gchr(&["run", "examples/roads.chr", "--facts", wrong]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{wrong}: {}", run.stderr);
    }
}

#[test]
fn stages_are_printed() {
    for stage in ["ast", "rules", "plan"] {
        for program in ["examples/bst.trs", "examples/floyd.chr"] {
            let run = gchr(&["emit", program, "--stage", stage]);
            assert_eq!(run.code, 0, "{program} {stage}: {}", run.stderr);
            assert!(run.stdout.lines().count() > 5, "{program} {stage}: {}", run.stdout);
        }
    }
}

#[test]
fn the_simulator_has_statistics_and_figures() {
    let tree = "examples/tree_exploration.trs";
    let cpu = gchr(&["run", tree]);
    let run = gchr(&["run", tree, "--device", "sim", "--stats"]);
    assert_eq!((run.code, &run.stdout), (0, &cpu.stdout), "{}", run.stderr);
    for line in
        ["rewrites     19\n", "device       sim\n", "scheduler    tasks\n", "promotions ", "left_over    0\n"]
    {
        assert!(run.stderr.contains(line), "{line}: {}", run.stderr);
    }
    let run = gchr(&["run", tree, "--device", "sim", "--scheduler", "topology", "--stats"]);
    assert_eq!((run.code, &run.stdout), (0, &cpu.stdout), "{}", run.stderr);
    for line in ["rewrites     19\n", "device       sim\n", "scheduler    topology\n", "rounds       18\n"] {
        assert!(run.stderr.contains(line), "{line}: {}", run.stderr);
    }
    let figure = |key: &str| {
        let line = run.stderr.lines().find_map(|l| l.strip_prefix(key)).unwrap_or_default();
        line.trim().parse::<u64>().unwrap_or_else(|_| panic!("{key}: {}", run.stderr))
    };
    assert!(figure("rewritten ") > 19);
    assert!(figure("live_slots ") > 0);
    assert_eq!(figure("live_slots "), figure("reachable "));

    let json =
        gchr(&["run", tree, "--device", "sim", "--strategy", "relaxed", "--gc", "none", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let stats = &value["stats"];
    assert_eq!((&stats["device"], &stats["scheduler"]), (&"sim".into(), &"topology".into()));
    assert_eq!((&stats["rewrites"], &stats["firings"]), (&19.into(), &serde_json::Value::Null));
    for key in ["rounds", "peak_bytes", "live_cells", "collections"] {
        assert!(stats[key].is_u64(), "{key}: {stats}");
    }
    for key in ["wall_ms", "parse_ms", "compile_ms", "run_ms", "device_ms"] {
        assert!(stats[key].is_f64(), "{key}: {stats}");
    }
}

#[test]
fn the_input_is_part_of_what_a_device_compiles() {
    let scratch = Scratch::new();
    // No rule has an operator: those of the input have kernels all the same.
    scratch.file(
        "pair.trs",
        "sort P = struct P(Int, Int);\nmap F: Int -> P;\nvar N: Int;\neqn F(N) = P(N, N);\n",
    );
    for term in ["F(2 + 3 * 4)", "P(7 mod 4, 1)"] {
        let cpu = scratch.gchr(&["run", "pair.trs", "--input", term]);
        let sim = scratch.gchr(&["run", "pair.trs", "--input", term, "--device", "sim"]);
        assert_eq!((sim.code, sim.stdout), (0, cpu.stdout), "{term}: {}", sim.stderr);
    }
    let none = scratch.gchr(&["run", "pair.trs", "--device", "sim"]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("--input TERM"), "{}", none.stderr);
}

#[test]
fn auto_says_what_it_took_and_why() {
    let run = |file: &str, input: &str| {
        gchr(&["run", file, "--input", input, "--device", "auto", "--stats", "--timeout", "60s"])
    };
    // Too short for the GPU to come up, wherever there is one.
    let short = run("examples/fib_int.trs", "Fib(10)");
    assert_eq!((short.code, short.stdout.as_str()), (0, "55\n"), "{}", short.stderr);
    assert!(short.stderr.contains("device       cpu\n"), "{}", short.stderr);
    assert!(
        short.stderr.contains("choice       cpu: it was done before the gpu was ready"),
        "{}",
        short.stderr
    );
    let goals = ["--semantics", "rounds", "--device", "auto", "--stats"];
    let rounds = gchr(&[&["run", "examples/gcd.chr"][..], &goals].concat());
    let cpu = gchr(&["run", "examples/gcd.chr", "--semantics", "rounds"]);
    assert_eq!((rounds.code, &rounds.stdout), (0, &cpu.stdout), "{}", rounds.stderr);
    assert!(rounds.stderr.contains("choice       cpu: it was done before the gpu"), "{}", rounds.stderr);
    // Long enough to know whether there is a GPU.
    let long = run("examples/fib_int.trs", "Fib(27)");
    assert_eq!((long.code, long.stdout.as_str()), (0, "196418\n"), "{}", long.stderr);
    assert!(long.stderr.contains("rewrites     635621\n"), "{}", long.stderr);
    let wrong = run("examples/fib_int.trs", "Fib(9223372036854775807 + 1)");
    assert_eq!(wrong.code, 1);
    assert!(wrong.stderr.contains("[R0101]"), "{}", wrong.stderr);
}

/// What `--device auto` starts for the GPU, with the simulator in its place.
#[test]
fn a_gpu_child_reports_its_run_and_ends_with_its_parent() {
    let child = |input: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gchr"));
        let program = ["run", "--gpu-child", "70000", "examples/fib_int.trs", "--device", "sim"];
        command.args(program).args(["--input", input]).current_dir(env!("CARGO_MANIFEST_DIR"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("gchr starts")
    };
    // Holds standard input open until the child has ended.
    let finish = |mut child: Child| {
        let waits = child.stdin.take();
        let output = child.wait_with_output().expect("gchr ends");
        drop(waits);
        let text = String::from_utf8(output.stdout).expect("a text");
        let (result, report) = text.trim_end().rsplit_once('\n').expect("a result and a report");
        let report: serde_json::Value = serde_json::from_str(report).expect("the report is JSON");
        (result.to_string(), report)
    };
    let (result, report) = finish(child("Fib(10)"));
    assert_eq!((result.as_str(), &report["exit"], &report["error"]), ("55\n", &"done".into(), &Value::Null));
    assert_eq!(report["stats"]["choice"], "gpu: it was done before the cpu");
    assert!(report["stats"]["wall_ms"].as_f64() >= Some(70000.0), "{report}");
    assert!(report["figures"].as_array().is_some_and(|figures| figures.len() >= 4), "{report}");
    let (result, report) = finish(child("Fib(9223372036854775807 + 1)"));
    assert_eq!((result.as_str(), &report["exit"]), ("", &"failed".into()));
    assert!(report["error"].as_str().is_some_and(|error| error.starts_with("overflow in ")), "{report}");
    // The parent process has gone.
    let left = child("Fib(60)").wait_with_output().expect("gchr ends");
    assert_eq!((left.status.code(), left.stdout.len()), (Some(1), 0));
}

#[test]
fn options_of_devices_are_for_devices() {
    let terms = "examples/min.trs";
    for (args, told) in [
        (&["run", terms, "--scheduler", "topology"][..], "--scheduler does not apply to --device cpu"),
        (&["run", terms, "--strategy", "relaxed"], "--strategy does not apply to --device cpu"),
        (&["run", terms, "--device", "cpu", "--gc", "none"], "--gc does not apply to --device cpu"),
        (&["run", terms, "--device", "sim", "--scheduler", "tasks", "--strategy", "relaxed"], "U0105"),
        (&["run", terms, "--device", "sim", "--trace"], "--trace is for --device cpu"),
        (&["run", "examples/min.chr", "--device", "sim"], "--semantics rounds"),
        (&["run", "examples/min.chr", "--device", "gpu"], "--semantics rounds"),
        (&["emit", terms, "--stage", "plan", "--gc", "none"], "--gc is for --stage kernels"),
        (&["emit", terms, "--stage", "cuda", "--arch", "sm_90"], "--arch is for --stage ptx"),
        (&["emit", terms, "--stage", "ptx", "--arch", "9.0"], "sm_90"),
    ] {
        let run = gchr(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(told), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn devices_are_listed() {
    let run = gchr(&["devices"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let names: Vec<_> = run.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names[..2], ["cpu", "sim"]);
    let has_gpu = names.contains(&"gpu:0");
    assert!(has_gpu != run.stderr.contains("[D01"), "{}{}", run.stdout, run.stderr);
}

/// A number that no machine has: without a driver, the driver is missing; with one, the GPU is.
#[test]
fn a_gpu_that_is_not_there_is_a_diagnostic() {
    let scratch = Scratch::new();
    scratch.file("plus.trs", &format!("{PLUS}input Plus(Zero(), Zero());\n"));
    let run = scratch.gchr(&["run", "plus.trs", "--device", "gpu:4000", "--out", "result"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert!(run.stderr.contains("[D01") && run.stderr.contains("Help:"), "{}", run.stderr);
    assert_eq!(scratch.names(), ["plus.trs"]);
}

#[test]
fn limits_end_a_run_on_the_simulator() {
    let scratch = Scratch::new();
    scratch.file("loop.trs", LOOP);
    let tree = root().join("examples/tree_exploration.trs").display().to_string();
    let large = ["--input", "Visit(Multl(S^12(Zero()), Leaf(Zero())))"];
    for (program, options, code) in [
        ("loop.trs", &["--max-steps", "100"][..], "R0201"),
        ("loop.trs", &["--timeout", "300ms"], "R0204"),
        ("loop.trs", &["--input", "Loop(9223372036854775807)"], "R0101"),
        (&tree, &["--memory", "64K", large[0], large[1]], "R0202"),
    ] {
        let start = Instant::now();
        let mut args = vec!["run", program, "--device", "sim", "--stats"];
        args.extend(options);
        let run = scratch.gchr(&args);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{args:?}: {}", run.stderr);
        assert!(
            run.stderr.contains(code) && run.stderr.contains("stopped after"),
            "{args:?}: {}",
            run.stderr
        );
        assert!(run.stderr.contains("device       sim\n"), "{args:?}: {}", run.stderr);
        assert!(start.elapsed() < Duration::from_secs(60), "{args:?}");
    }
}

#[test]
fn kernels_are_printed() {
    let emit = |stage: &str, strategy: &str| {
        let run =
            gchr(&["emit", "examples/bst.trs", "--stage", stage, "--strategy", strategy, "--gc", "compact"]);
        assert_eq!(run.code, 0, "{stage}: {}", run.stderr);
        run.stdout
    };
    let (kernels, cuda) = (emit("kernels", "innermost"), emit("cuda", "innermost"));
    for text in [&kernels, &cuda] {
        assert!(text.contains("iterate") && text.contains("rewrite") && text.ends_with('\n'));
    }
    assert!(cuda.contains("#line") && cuda.contains("examples/bst.trs"));
    assert_ne!(kernels, emit("kernels", "relaxed"));
    assert_eq!(cuda, emit("cuda", "innermost"));
}

/// The compiler that `.ci/fetch-nvrtc` fetched, or the one that the environment names.
fn nvrtc() -> Option<std::path::PathBuf> {
    let named = std::env::var_os("GCHR_NVRTC_DIR").map(Into::into);
    named.or_else(|| Some(root().join("target/nvrtc/13.0.88")).filter(|folder| folder.is_dir()))
}

#[test]
fn compiled_kernels_are_written() {
    let Some(folder) = nvrtc() else {
        let _ = writeln!(std::io::stderr(), "compiled_kernels_are_written: no NVRTC: skipped");
        return;
    };
    let scratch = Scratch::new();
    let tree = root().join("examples/tree_exploration.trs");
    let emit = |args: &[&str]| {
        let mut command = Command::new(crate::support::BINARY);
        command.current_dir(scratch.folder()).arg("emit").arg(&tree).args(args);
        let output = command
            .env("GCHR_NVRTC_DIR", &folder)
            .env("GCHR_CACHE_DIR", scratch.path("cache"))
            .output()
            .unwrap();
        (output.status.code(), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, ptx, errors) = emit(&["--stage", "ptx", "--arch", "sm_90"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(String::from_utf8_lossy(&ptx).contains(".target sm_90"));
    let (code, nothing, errors) = emit(&["--stage", "cubin", "--arch", "sm_90", "--out", "kernels.cubin"]);
    assert_eq!((code, nothing), (Some(0), vec![]), "{errors}");
    assert!(fs::read(scratch.path("kernels.cubin")).unwrap().starts_with(b"\x7fELF"));
    let (code, _, errors) = emit(&["--stage", "cubin", "--arch", "sm_42"]);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("[D0213]"), "{errors}");
}

/// With an empty environment NVRTC is found only where the system itself has one.
#[test]
fn a_missing_compiler_is_a_diagnostic() {
    let scratch = Scratch::new();
    scratch.file("plus.trs", PLUS);
    let output = Command::new(crate::support::BINARY)
        .current_dir(scratch.folder())
        .args(["emit", "plus.trs", "--stage", "ptx", "--out", "kernels.ptx"])
        .env_clear()
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => assert!(scratch.path("kernels.ptx").exists()),
        Some(1) => assert!(errors.contains("[D020") && errors.contains("Help:"), "{errors}"),
        other => panic!("{other:?}: {errors}"),
    }
}

#[test]
fn the_log_shows_the_stages() {
    let output = Command::new(crate::support::BINARY)
        .current_dir(root())
        .args(["run", "examples/min.chr"])
        .env("GCHR_LOG", "gchr=info")
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    for stage in ["parse", "compile", "run", "write"] {
        assert!(log.contains(stage), "{stage}: {log}");
    }
}

#[test]
fn the_commands_of_the_readme_work() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let commands: Vec<_> =
        blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("gchr ")).collect();
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        let shell = format!("'{}' {command}", crate::support::BINARY);
        let output = Command::new("sh").current_dir(root()).args(["-c", &shell]).output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
    for file in readme.split('`').filter(|word| word.contains('/') && !word.contains([' ', '\n'])) {
        assert!(root().join(file).exists(), "README names `{file}`");
    }
}
