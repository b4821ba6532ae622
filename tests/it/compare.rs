//! Comparisons from the command line: the pairs of the examples, disagreement, limits, bad input.

use crate::support::{Scratch, gchr};
use serde_json::Value;

const PAIRS: [(&str, &str); 6] = [
    ("examples/floyd.trs,examples/floyd.chr", "5,7"),
    ("examples/mergesort.trs,examples/mergesort.chr", "20,50"),
    ("examples/gcd.trs,examples/gcd.chr", "30,60"),
    ("examples/min.trs,examples/min.chr", "30,60"),
    ("examples/primes.trs,examples/primes.chr", "30,60"),
    ("examples/fib.trs,examples/fib_int.trs,examples/fib.chr", "6,9"),
];

fn compare(files: &str, sizes: &str, more: &[&str]) -> (i32, Value) {
    let mut args = vec!["compare"];
    args.extend(files.split(','));
    args.extend(["--sizes", sizes, "--repeats", "2", "--format", "json"]);
    args.extend(more);
    let run = gchr(&args);
    let value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{files}: {e}\n{}", run.stderr));
    (run.code, value)
}

#[test]
fn the_pairs_of_the_examples_agree() {
    for (files, sizes) in PAIRS {
        let (code, report) = compare(files, sizes, &[]);
        assert_eq!(code, 0, "{files}: {report}");
        let rows = report["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 2 * files.split(',').count());
        for row in rows {
            assert_eq!(row["agrees"], true, "{row}");
            let measured = &row["measured"];
            assert!(measured["rows"].as_u64() > Some(0), "an empty answer proves nothing: {row}");
            assert!(measured["steps"].as_u64() > Some(0) && measured["run_ms"]["runs"] == 2, "{row}");
        }
        assert_eq!(report["growth"].as_array().map(Vec::len), Some(files.split(',').count()));
    }
}

/// The same program by several executors; what one of them cannot do is said in its rows, and the rest goes on.
#[test]
fn ways_to_run_are_compared() {
    let with = [
        "--with",
        "",
        "--with",
        "--device sim",
        "--with",
        "--device sim --scheduler topology --strategy relaxed --gc compact",
    ];
    let (_, report) = compare("examples/mergesort.trs,examples/mergesort.chr", "8", &with);
    let rows = report["rows"].as_array().expect("rows");
    // The strategy is an option of term programs: it makes a row of that program only.
    assert_eq!(rows.len(), 5);
    for row in rows.iter().filter(|r| r["program"] == "mergesort.trs") {
        assert_eq!(row["agrees"], true, "{row}");
        let measured = &row["measured"];
        assert_eq!(measured["steps"], rows[0]["measured"]["steps"]);
        let simulated = row["options"] != "";
        let in_rounds = row["options"].as_str().is_some_and(|options| options.contains("topology"));
        assert_eq!(measured["rounds"].is_u64(), in_rounds, "{row}");
        assert_eq!(measured["peak_parallelism"].as_u64() > Some(1), in_rounds, "{row}");
        assert_eq!(measured["traffic"]["read"].as_u64() > Some(0), simulated, "{row}");
    }
    assert_eq!(rows[3]["agrees"], true, "the store agrees with the normal form: {}", rows[3]);
}

#[test]
fn a_limit_concerns_its_row_only() {
    let with = ["--with", "--max-steps 60", "--with", ""];
    let (code, report) = compare("examples/gcd.trs,examples/gcd.chr", "10", &with);
    assert_eq!(code, 1);
    let rows = report["rows"].as_array().expect("rows");
    let stopped: Vec<_> = rows.iter().map(|row| row["error"].as_str()).collect();
    assert!(stopped[0].is_some_and(|why| why.contains("60")), "{stopped:?}");
    assert!(stopped[1].is_none() && stopped[2].is_none() && stopped[3].is_none(), "{stopped:?}");
    assert_eq!((&rows[1]["agrees"], &rows[3]["agrees"]), (&Value::Bool(true), &Value::Bool(true)));
}

const MAPPING: &str = r#"
[programs."a.chr"]
start = "p({n})"
answer = """
:- chr_constraint row(+int).
p(X) ==> row(X).
"""
[programs."b.trs"]
start = "{n}"
answer = """
:- chr_constraint row(+int).
root(X) ==> Y is X + 1, row(Y).
"""
"#;

fn pair() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("a.chr", ":- chr_constraint p(+int).\np(0) <=> true.\n");
    scratch.file("b.trs", "map F: Int -> Int;\nvar X: Int;\neqn F(X) = X;\n");
    scratch
}

#[test]
fn answers_that_differ_are_shown() {
    let scratch = pair();
    scratch.file("a.compare.toml", MAPPING);
    let run = scratch.gchr(&["compare", "a.chr", "b.trs", "--sizes", "3,4", "--repeats", "1"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("DIFFERS") && run.stdout.contains("row(4) against row(3)"), "{}", run.stdout);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let scratch = pair();
    let refused = |args: &[&str], code: &str, words: &[&str]| {
        let mut all = vec!["compare"];
        all.extend(args);
        let run = scratch.gchr(&all);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(code), "{args:?}: {}", run.stderr);
        assert!(words.iter().all(|w| run.stderr.contains(w)), "{args:?}: {}", run.stderr);
    };
    refused(&["a.chr", "b.trs"], "U0122", &["a.chr", "answer"]);
    refused(&["a.chr", "--sizes", "3"], "U0124", &["{n}"]);
    refused(&["a.chr", "--query", "p({n})"], "U0124", &["--sizes"]);
    refused(&["a.chr", "--mapping", "none.toml"], "U0121", &["none.toml"]);
    refused(&["a.chr", "--with", "--devize cpu"], "U0105", &["--devize"]);
    refused(&["a.chr", "--with", "--gc none"], "U0105", &["--gc"]);
    refused(&["c.txt"], "U0104", &["c.txt"]);
    refused(&["a.chr", "absent.trs"], "U0101", &["absent.trs"]);
    refused(&["a.chr", "--out", "no/such/folder/x"], "U0107", &["--out"]);
    scratch.file("wrong.toml", "title = \"x\"\n[programs.\"a.chr\"]\nbegin = \"p\"\n");
    refused(&["a.chr", "--mapping", "wrong.toml"], "U0121", &["begin", "wrong.toml:3"]);
    scratch.file("other.toml", MAPPING.replace("b.trs", "c.trs").as_str());
    refused(&["a.chr", "b.trs", "--mapping", "other.toml"], "U0123", &["b.trs", "c.trs"]);
}

#[test]
fn a_program_that_is_wrong_has_a_row_that_says_so() {
    let scratch = pair();
    scratch.file("a.compare.toml", &MAPPING.replace("\"p({n})\"", "\"q({n})\""));
    let run = scratch.gchr(&["compare", "a.chr", "b.trs", "--sizes", "3", "--repeats", "1"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("[C0") && run.stdout.contains("agrees (1 row)"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_reports_what_it_has() {
    let scratch = Scratch::new();
    scratch.file("a.trs", "map F: Int -> Int;\nvar X: Int;\neqn F(X) = X;\ninput F(1);\n");
    scratch.file("b.trs", "map F: Int -> Int;\nvar X: Int;\neqn F(X) = F(X);\ninput F(1);\n");
    let child = std::process::Command::new(crate::support::BINARY)
        .current_dir(scratch.folder())
        .args(["compare", "a.trs", "b.trs", "--repeats", "1", "--format", "json", "--out", "report"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("gchr starts");
    crate::support::wait_until(|| scratch.names().iter().any(|n| n.ends_with(".part")));
    std::thread::sleep(std::time::Duration::from_millis(500));
    crate::support::interrupt(&child);
    let output = child.wait_with_output().expect("gchr ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
    assert_eq!(signal, Some(2), "{errors}");
    assert!(errors.contains("interrupted"), "{errors}");
    let report: Value = serde_json::from_str(&scratch.read("report")).expect("the report is JSON");
    let rows = report["rows"].as_array().expect("rows");
    assert!(rows.last().is_some_and(|row| row["error"].is_string()), "{report}");
}

#[test]
fn the_report_is_a_page() {
    let scratch = Scratch::new();
    let page = scratch.path("report.html");
    let run = gchr(&[
        "compare",
        "examples/min.trs",
        "examples/min.chr",
        "--sizes",
        "20,40,80",
        "--repeats",
        "1",
        "--format",
        "html",
        "--out",
        &page.display().to_string(),
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = scratch.read("report.html");
    assert!(
        text.contains("Size 80") && text.contains("Growth") && text.matches("<figure>").count() == 4,
        "{text}"
    );
    crate::support::browser::check_page(&page);
}
