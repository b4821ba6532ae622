//! What is in the store when a run stops: shown where it is asked for, in a form that cannot be taken for a result.

use std::fs;
#[cfg(unix)]
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Scratch, root};

const GROW: &str = ":- chr_constraint p(+int).\ngrow @ p(X) ==> Y is X + 1, p(Y).\n?- p(0).\n";

#[test]
fn the_store_so_far_is_written_when_it_is_asked_for() {
    let scratch = Scratch::new();
    scratch.file("grow.chr", GROW);
    let so_far: String = (0..=5).map(|x| format!("p({x})\n")).collect();
    for how in [
        &["--max-steps", "5"][..],
        &["--max-steps", "5", "--semantics", "rounds"],
        &["--max-rounds", "5", "--semantics", "rounds"],
        &["--max-steps", "5", "--semantics", "rounds", "--firing", "exhaustive"],
        &["--max-steps", "5", "--semantics", "rounds", "--device", "sim"],
        &["--max-rounds", "5", "--semantics", "rounds", "--device", "sim"],
    ] {
        let with = |more: &[&str]| scratch.gchr(&[&["run", "grow.chr"], how, more].concat());
        let silent = with(&["--out", "result"]);
        assert_eq!((silent.code, silent.stdout.as_str()), (1, ""), "{how:?}: {}", silent.stderr);
        let told = "6 constraints were in the store (--partial writes them)";
        assert!(silent.stderr.contains(told), "{how:?}: {}", silent.stderr);
        assert_eq!(scratch.names(), ["grow.chr"], "{how:?}");
        let text = with(&["--partial"]);
        assert_eq!((text.code, text.stdout.as_str()), (1, so_far.as_str()), "{how:?}: {}", text.stderr);
        assert_eq!(
            with(&["--partial", "--format", "csv"]).stdout,
            "p,0\np,1\np,2\np,3\np,4\np,5\n",
            "{how:?}"
        );
        let json = with(&["--partial", "--format", "json", "--out", "result"]);
        assert_eq!((json.code, json.stdout.as_str()), (1, ""), "{how:?}: {}", json.stderr);
        let written: serde_json::Value = serde_json::from_str(&scratch.read("result")).unwrap();
        assert!(written["stopped"].as_str().is_some_and(|why| why.contains("limit of 5")), "{written}");
        assert_eq!(written["partial_store"][5], serde_json::json!({"constraint": "p", "args": [5]}));
        assert!(written["store"].is_null() && written["stats"]["firings"] == 5, "{written}");
        fs::remove_file(scratch.path("result")).unwrap();
    }
    scratch.file("fails.chr", ":- chr_constraint a, b.\na ==> b, fail.\n?- a.\n");
    let failed = scratch.gchr(&["run", "fails.chr", "--partial"]);
    assert_eq!((failed.code, failed.stdout.as_str()), (1, "a\nb\n"), "{}", failed.stderr);
    let terms = scratch.gchr(&["run", &root().join("examples/min.trs").display().to_string(), "--partial"]);
    assert_eq!((terms.code, terms.stdout.as_str()), (2, ""), "{}", terms.stderr);
}

/// A store of the logic machine is text in memory; where there is no room for it, its constraints are counted.
#[test]
fn a_store_that_cannot_be_told_is_counted() {
    let scratch = Scratch::new();
    let grow = ":- chr_constraint a(?any, ?any), b(?any, ?any).\n\
                a(N, X) ==> M is N + 1, b(N, f(X, Y)), a(M, Y).\n?- a(0, X).\n";
    scratch.file("grow.chr", grow);
    for more in [&["--partial"][..], &["--partial", "--format", "json"], &[]] {
        let run = scratch.gchr(&[&["run", "grow.chr", "--memory", "40M"], more].concat());
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{more:?}: {}", run.stderr);
        let told = run.stderr.contains("R0202") && run.stderr.contains("too many or too large to be shown");
        assert!(told, "{more:?}: {}", run.stderr);
    }
    let few = scratch.gchr(&["run", "grow.chr", "--max-steps", "4", "--partial"]);
    assert!(few.code == 1 && few.stdout.contains("b(0, f("), "{}{}", few.stdout, few.stderr);
}

/// The interrupt ends the run, not the writing of what is asked for.
#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_store_so_far_to_be_written() {
    for device in ["cpu", "sim"] {
        let scratch = Scratch::new();
        scratch.file("grow.chr", GROW);
        let child = Command::new(crate::support::BINARY)
            .current_dir(scratch.folder())
            .args(["run", "grow.chr", "--semantics", "rounds", "--device", device])
            .args(["--partial", "--out", "result"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        crate::support::wait_until(|| scratch.names().iter().any(|n| n.ends_with(".part")));
        std::thread::sleep(Duration::from_millis(200));
        crate::support::interrupt(&child);
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), Some(2), "{errors}");
        let result = scratch.read("result");
        let lines = result.lines().count();
        let so_far: std::collections::BTreeSet<String> = (0..lines).map(|x| format!("p({x})")).collect();
        assert_eq!(result.lines().map(String::from).collect::<std::collections::BTreeSet<_>>(), so_far);
        let after = format!("stopped after {} firing", lines - 1);
        assert!(errors.contains(&after), "{lines} lines: {errors}");
        let one = "one constraint was in".to_string();
        let told = if lines == 1 { one } else { format!("{lines} constraints were in") };
        assert!(errors.contains("interrupted") && errors.contains(&told), "{lines} lines: {errors}");
        assert_eq!(scratch.names(), ["grow.chr", "result"]);
    }
}

/// Of several terms, those before the one that has no end have results: in Maude's text and in `.rec`.
#[test]
fn results_of_terms_before_one_without_an_end_are_written_when_they_are_asked_for() {
    let scratch = Scratch::new();
    scratch.file(
        "three.maude",
        "fmod M is protecting STRING . op f : Nat -> Nat . op g : Nat -> String . var N : Nat .
           eq f(N) = f(N + 1) . eq g(N) = \"a string of the text\" + \"!\" . endfm
         red 2 + 3 . red g(1) . red f(0) . red 7 .",
    );
    scratch.file(
        "three.rec",
        "REC-SPEC M SORTS N CONS 0 : -> N s : N -> N OPNS f : N -> N d : N -> N VARS X : N
         RULES f(X) -> f(s(X)) d(X) -> s(s(X)) EVAL d(0) d(s(0)) f(0) d(0) END-SPEC",
    );
    for (file, so_far) in
        [("three.maude", ["5", "\"a string of the text!\""]), ("three.rec", ["s(s(0))", "s(s(s(0)))"])]
    {
        for threads in ["1", "2"] {
            let how = ["run", file, "--max-steps", "5000", "--threads", threads];
            let with = |more: &[&str]| scratch.gchr(&[&how[..], more].concat());
            let silent = with(&[]);
            assert_eq!((silent.code, silent.stdout.as_str()), (1, ""), "{file}: {}", silent.stderr);
            let told = "in term 3 of 4 (--partial writes the results before)";
            assert!(silent.stderr.contains(told), "{file}: {}", silent.stderr);
            let text = with(&["--partial"]);
            let lines: Vec<&str> = text.stdout.lines().collect();
            assert_eq!((text.code, lines.as_slice()), (1, &so_far[..]), "{file}: {}", text.stderr);
            let json = with(&["--partial", "--format", "json"]);
            let written: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
            assert_eq!(written["partial_results"], serde_json::json!(so_far), "{written}");
        }
    }
}
