//! `gchr run --inputs`: terms one per line, results in their order, errors in their lines.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::{BINARY, Run, Scratch, gchr, root};

const PROGRAM: &str = "examples/fib_int.trs";

fn batch(terms: &str, options: &[&str]) -> Run {
    let scratch = Scratch::new();
    let file = scratch.folder().join("terms.txt");
    std::fs::write(&file, terms).expect("written");
    let path = file.display().to_string();
    let mut args = vec!["run", PROGRAM, "--inputs", &path];
    args.extend(options);
    gchr(&args)
}

#[test]
fn results_are_in_order_whatever_the_number_of_threads() {
    // The first line is the slowest by far, and holds up the others.
    let terms: Vec<String> =
        std::iter::once("Fib(24)".to_string()).chain((0..6000).map(|i| format!("Fib({})", i % 12))).collect();
    let fib = |n: u64| (0..n).fold((0u64, 1u64), |(a, b), _| (b, a + b)).0;
    let expected: String = std::iter::once(fib(24))
        .chain((0..6000).map(|i| fib(i % 12)))
        .map(|value| format!("{value}\n"))
        .collect();
    for threads in ["1", "2", "7"] {
        let run = batch(&terms.join("\n"), &["--threads", threads]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{threads} threads");
        assert_eq!(run.stdout, expected, "{threads} threads");
    }
}

#[test]
fn a_line_that_fails_is_reported_for_that_line_and_the_others_go_on() {
    let terms = "Fib(3)\n\n% a comment\nFib(-1\n  Fib(4); \r\nFb(3)\nFib(9223372036854775807 + 1)\nFib(5)";
    let run = batch(terms, &["--stats"]);
    assert_eq!(run.code, 1);
    assert_eq!(run.stdout, "2\n\n3\n\n\n5\n");
    for expected in [
        "terms.txt:4:4 ]",
        "[T0004]",
        "terms.txt:6",
        "[T0102]",
        "[R0101]",
        "while the term in",
        "terms.txt:7 was rewritten",
        "lines_done   3\nlines_failed 3",
        "3 of 6 lines have no result",
    ] {
        assert!(run.stderr.contains(expected), "{expected} in\n{}", run.stderr);
    }
    let run = batch(terms, &["--format", "json"]);
    let lines: Vec<serde_json::Value> =
        run.stdout.lines().map(|l| serde_json::from_str(l).expect("a JSON object a line")).collect();
    let numbers: Vec<u64> = lines.iter().filter_map(|l| l["line"].as_u64()).collect();
    assert_eq!(numbers, [1, 4, 5, 6, 7, 8]);
    assert_eq!(lines[0], serde_json::json!({"line": 1, "normal_form": "2", "rewrites": 5}));
    assert_eq!(lines[1]["errors"][0]["code"], "T0004");
    assert_eq!(lines[4]["errors"][0]["code"], "R0101");
}

#[test]
fn a_device_evaluates_lines_side_by_side_and_still_tells_which_one_fails() {
    let device = ["--device", "sim"];
    let terms: Vec<String> = (0..40).map(|i| format!("Fib({})", i % 9)).collect();
    let fib = |n: u64| (0..n).fold((0u64, 1u64), |(a, b), _| (b, a + b)).0;
    let expected: String = (0..40).map(|i| format!("{}\n", fib(i % 9))).collect();
    let run = batch(&terms.join("\n"), &[&device[..], &["--stats"]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (0, expected.as_str()), "{}", run.stderr);
    assert!(run.stderr.contains("device       sim\n"), "{}", run.stderr);
    let terms = "Fib(3)\n% a comment\nFib(-1\nFib(9223372036854775807 + 1)\nFib(5)";
    let run = batch(terms, &device);
    assert_eq!((run.code, run.stdout.as_str()), (1, "2\n\n\n5\n"));
    for expected in ["terms.txt:3", "[T0004]", "[R0101]", "terms.txt:4 was rewritten", "2 of 4 lines"] {
        assert!(run.stderr.contains(expected), "{expected} in\n{}", run.stderr);
    }
    let run = batch("Fib(3)\nFib(12)\nFib(2)\n", &[&device[..], &["--max-steps", "100"]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (1, "2\n\n1\n"));
    assert!(run.stderr.contains("[R0201]"), "{}", run.stderr);
}

#[test]
fn a_line_that_is_no_text_is_one_of_the_failures() {
    let scratch = Scratch::new();
    let file = scratch.folder().join("terms.txt");
    std::fs::write(&file, b"Fib(3)\nFib(\xff)\nFib(4)\n").expect("written");
    let run = gchr(&["run", PROGRAM, "--inputs", &file.display().to_string()]);
    assert_eq!((run.code, run.stdout.as_str()), (1, "2\n\n3\n"));
    assert!(run.stderr.contains("[U0102]") && run.stderr.contains("terms.txt:2"), "{}", run.stderr);
}

#[test]
fn steps_are_limited_by_line_and_time_for_all() {
    let run = batch("Fib(3)\nFib(20)\nFib(2)\n", &["--max-steps", "100"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, "1\n\n1\n".replacen('1', "2", 1).as_str()));
    assert!(run.stderr.contains("[R0201]"), "{}", run.stderr);
    let run = batch("Fib(3)\nFib(90)\nFib(2)\n", &["--timeout", "2s"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, "2\n"));
    assert!(run.stderr.contains("the batch ended after 1 lines"), "{}", run.stderr);
    assert!(run.stderr.contains("time limit of 2.000 s"), "{}", run.stderr);
    // Each line is too short to look at the clock.
    let run = batch(&"Fib(3)\n".repeat(100_000), &["--timeout", "1ms"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("[R0204]"), "{}", run.stderr);
}

#[test]
fn results_go_to_a_file_that_appears_when_it_is_complete() {
    let scratch = Scratch::new();
    let out = scratch.folder().join("out.txt");
    let path = out.display().to_string();
    let run = batch("Fib(3)\nFib(4)\n", &["--out", &path]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    assert_eq!(std::fs::read_to_string(out).expect("the results"), "2\n3\n");
}

/// Line by line in turn; comments count, so that lines keep their numbers.
#[test]
fn shares_of_several_processes_are_the_whole() {
    let terms = "Fib(1)\n% no term\nFib(3)\nFib(4)\n\nFib(6)\nFib(7)\n";
    let whole = batch(terms, &["--format", "json"]);
    let mut shares = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let run = batch(terms, &["--format", "json", "--shard", shard]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{shard}");
        shares.extend(run.stdout.lines().map(str::to_string));
    }
    assert_eq!(batch(terms, &["--shard", "1/3"]).stdout, "1\n3\n13\n");
    let mut wanted: Vec<String> = whole.stdout.lines().map(str::to_string).collect();
    wanted.sort();
    shares.sort();
    assert_eq!((shares.len(), &shares), (5, &wanted));
    for wrong in ["4/3", "0/3", "3", "rank"] {
        let run = batch(terms, &["--shard", wrong]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{wrong}");
    }
    assert_eq!(gchr(&["run", PROGRAM, "--shard", "1/2"]).code, 2);
}

/// A launcher says which share is that of a process.
#[test]
fn the_rank_says_which_share() {
    let scratch = Scratch::new();
    let file = scratch.folder().join("terms.txt");
    std::fs::write(&file, "Fib(6)\nFib(7)\nFib(8)\n").expect("written");
    for (rank, wanted) in [("0", "8\n21\n"), ("1", "13\n")] {
        let output = Command::new(BINARY)
            .current_dir(root())
            .args(["run", PROGRAM, "--shard", "rank", "--inputs"])
            .arg(&file)
            .envs([("PMI_RANK", rank), ("PMI_SIZE", "2")])
            .output()
            .expect("gchr runs");
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stdout).as_ref()),
            (Some(0), wanted)
        );
    }
}

#[test]
fn terms_come_from_standard_input() {
    let mut child = Command::new(BINARY)
        .current_dir(root())
        .args(["run", PROGRAM, "--inputs", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("gchr runs");
    child.stdin.take().expect("a pipe").write_all(b"Fib(6)\nFib(7)").expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"8\n13\n"[..]));
}

#[test]
fn the_simulator_takes_a_batch_too() {
    for scheduler in ["tasks", "topology"] {
        let run = batch("Fib(6)\nFib(\nFib(3)\n", &["--device", "sim", "--scheduler", scheduler]);
        assert_eq!((run.code, run.stdout.as_str()), (1, "8\n\n2\n"));
    }
}

#[test]
fn what_cannot_be_a_batch_is_refused() {
    let run = gchr(&["run", PROGRAM, "--inputs", "no/such/file"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("[U0101]"), "{}", run.stderr);
    let run = gchr(&["run", "examples/gcd.chr", "--inputs", "README.md"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("[U0105]"), "{}", run.stderr);
    assert_eq!(gchr(&["run", PROGRAM, "--inputs", "README.md", "--trace"]).code, 2);
}
