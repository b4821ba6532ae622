//! Benchmarks from the command line: counts against the papers, peers that are there and that are not, comparison with
//! an earlier report.

use std::process::Command;

use crate::support::{Scratch, gchr};
use serde_json::Value;

fn report(scratch: &Scratch, args: &[&str]) -> Value {
    let file = scratch.path("report.json").display().to_string();
    let mut all = vec!["bench"];
    all.extend(args);
    all.extend(["--repeats", "1", "--smallest", "--json", &file]);
    let run = gchr(&all);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    serde_json::from_str(&scratch.read("report.json")).expect("a report is JSON")
}

/// Terms rewritten follow the formulas of the papers' Table 3, in every configuration on the simulator; of the binary
/// search tree the article marks 2N - 2 terms more. Times are compared on the CPU alone.
#[test]
fn counts_of_the_papers_are_met() {
    let scratch = Scratch::new();
    let report = report(&scratch, &["papers", "--only", "tree_exploration,bst"]);
    let entries = report["entries"].as_array().expect("entries");
    let simulated: Vec<_> =
        entries.iter().filter(|e| e["way"].as_str().is_some_and(|w| w.starts_with("sim"))).collect();
    if report["machine"]["gpus"].as_array().is_some_and(Vec::is_empty) {
        assert_eq!(simulated.len(), 10);
        for entry in simulated {
            let (ours, theirs) = (entry["rewritten"][0].as_u64(), entry["rewritten"][1].as_u64());
            let size = entry["size"].as_u64().expect("a size");
            let missing = if entry["name"] == "Binary search tree" { 2 * size - 2 } else { 0 };
            assert_eq!(ours.map(|n| n + missing), theirs, "{entry}");
            assert!(entry["ratio"].is_null() && entry["rounds"].as_u64() > Some(10), "{entry}");
        }
    }
    let cpu: Vec<_> = entries.iter().filter(|e| e["way"] == "CPU").collect();
    assert_eq!(cpu.len(), 2);
    for entry in cpu {
        let (best, theirs) = (entry["ours"]["min"].as_f64(), entry["theirs"].as_f64());
        let ratio = entry["ratio"].as_f64().expect("a ratio");
        assert!((theirs.expect("a time") / best.expect("a time") - ratio).abs() < 1e-6 * ratio, "{entry}");
    }
}

/// Whatever is installed gives the same results, numbers and truth values; the rest is named.
#[test]
fn peers_agree_or_are_left_out() {
    let scratch = Scratch::new();
    let report = report(&scratch, &["peers", "--only", "gcd,bitonic"]);
    let notes = report["notes"].to_string();
    let entries = report["entries"].as_array().expect("entries");
    for peer in ["maude", "ocamlopt", "ghc", "g++, rules", "g++, problem", "swipl"] {
        let there = entries.iter().filter(|e| e["way"] == peer).count();
        assert_eq!(there == 0, notes.contains(&format!("{peer} is not installed")), "{peer}: {notes}");
    }
    for entry in entries {
        assert_eq!(entry["agrees"], true, "{entry}");
        assert!(entry["ratio"].as_f64() > Some(0.0) && entry["note"].is_null(), "{entry}");
    }
}

#[test]
fn without_any_peer_there_is_nothing_to_do() {
    let scratch = Scratch::new();
    let output = Command::new(crate::support::BINARY)
        .args(["bench", "peers", "--smallest", "--only", "gcd"])
        .env("PATH", scratch.folder())
        .output()
        .expect("gchr runs");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.matches("is not installed: left out").count(), 6, "{text}");
}

/// The report with all times multiplied.
fn scaled(report: &Value, by: f64) -> String {
    let mut report = report.clone();
    for entry in report["entries"].as_array_mut().into_iter().flatten() {
        for time in ["min", "median", "max"] {
            let ms = entry["ours"][time].as_f64().expect("a time");
            entry["ours"][time] = (ms * by).into();
        }
    }
    report.to_string()
}

#[test]
fn an_earlier_report_is_compared() {
    let scratch = Scratch::new();
    let now = report(&scratch, &["scale", "--only", "fib,nrev"]);
    scratch.file("slow.json", &scaled(&now, 1000.0));
    scratch.file("fast.json", &scaled(&now, 0.001));
    let against = |file: &str| {
        let file = scratch.path(file).display().to_string();
        gchr(&["bench", "scale", "--only", "fib,nrev", "--repeats", "1", "--smallest", "--against", &file])
    };
    let run = against("slow.json");
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("of 3 entries, 0 got slower and 3 faster"), "{}", run.stdout);
    let run = against("fast.json");
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.contains("3 got slower"), "{}", run.stdout);
}

#[test]
fn wrong_arguments_are_told() {
    let scratch = Scratch::new();
    scratch.file("report.json", "{}");
    let cases: [(&[&str], &str); 4] = [
        (&["bench", "scale", "--only", "nothing"], "U0131"),
        (&["bench", "scale", "--against", "none.json"], "U0132"),
        (&["bench", "scale", "--against", "report.json"], "U0132"),
        (&["bench", "scale", "--json", "no/such/folder/x.json"], "U0107"),
    ];
    for (args, code) in cases {
        let run = scratch.gchr(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(code) && run.stderr.contains("Help"), "{args:?}: {}", run.stderr);
    }
}
