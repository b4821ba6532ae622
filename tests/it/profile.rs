//! Profiles of runs: counters against counts by hand, files, and the page in a real browser.

use crate::support::{Scratch, gchr};
use serde_json::Value;

/// Four applications that do not depend on each other, then one that needs two of the results.
const TREE: &str = "sort T = struct L() | N(T, T) | F() | G(T, T);\nvar X, Y : T;\n\
                    eqn F() = L();\n    G(X, Y) = N(X, Y);\ninput N(N(F(), F()), G(F(), F()));\n";

fn profile_of(scratch: &Scratch, args: &[&str]) -> Value {
    let mut all = vec!["run"];
    all.extend(args);
    all.extend(["--profile", "profile.json"]);
    let run = scratch.gchr(&all);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&scratch.read("profile.json")).expect("a profile is JSON")
}

#[test]
fn the_cpu_counts_by_rule() {
    let scratch = Scratch::new();
    scratch.file("tree.trs", TREE);
    let profile = profile_of(&scratch, &["tree.trs"]);
    let rules: Vec<_> = profile["rules"].as_array().expect("rules").iter().collect();
    let seen: Vec<_> = rules.iter().map(|r| (r["line"].as_u64(), r["applied"].as_u64())).collect();
    assert_eq!(seen, [(Some(3), Some(4)), (Some(4), Some(1))]);
    assert_eq!(profile["stats"]["rewrites"], 5);
    assert_eq!(profile["peak_parallelism"], Value::Null);
}

/// Rewrites of each iteration of the topology scheduler: the four first, then the one that waited for them.
#[test]
fn the_topology_scheduler_reports_each_iteration() {
    let scratch = Scratch::new();
    scratch.file("tree.trs", TREE);
    let args = ["tree.trs", "--device", "sim", "--scheduler", "topology"];
    let profile = profile_of(&scratch, &args);
    assert_eq!(profile["peak_parallelism"], 4);
    let points = profile["points"].as_array().expect("points");
    let totals: Vec<_> = points.iter().filter_map(|p| p["steps"].as_u64()).collect();
    let mut steps: Vec<_> = totals.windows(2).map(|w| w[1] - w[0]).filter(|&n| n > 0).collect();
    steps.sort_unstable();
    assert_eq!(steps, [1, 4]);
    let last = points.last().expect("a last point");
    assert_eq!(last["rounds"], profile["stats"]["rounds"]);
    assert_eq!(last["collections"], profile["stats"]["collections"]);
    assert!(last["traffic"]["read"].as_u64() > Some(0));
    let kernel = &profile["kernels"][0];
    assert_eq!(kernel["name"], "iterate");
    assert_eq!(kernel["traffic"]["read"], last["traffic"]["read"]);
    assert_eq!(kernel["launches"].as_u64().map(|n| n as usize), Some(points.len() - 1));
}

/// Every executor counts by rule, and the traffic of kernels is random or coalesced.
#[test]
fn all_executors_count_by_rule() {
    let scratch = Scratch::new();
    scratch.file("tree.trs", TREE);
    scratch.file(
        "gcd.chr",
        ":- chr_constraint gcd(+int).\nzero @ gcd(0) <=> true.\n\
         step @ gcd(N) \\ gcd(M) <=> N =< M, N > 0 | L is M - N, gcd(L).\n?- gcd(9), gcd(6).\n",
    );
    let ways: [(&[&str], &[u64]); 5] = [
        (&["tree.trs", "--device", "sim", "--scheduler", "topology"], &[4, 1]),
        (&["tree.trs", "--device", "sim", "--scheduler", "tasks"], &[4, 1]),
        (&["gcd.chr"], &[3, 1]),
        // Euclid's algorithm is a class: one of the two constraints is dropped as it is stored.
        (&["gcd.chr", "--semantics", "rounds"], &[1, 0]),
        (&["gcd.chr", "--semantics", "rounds", "--device", "sim"], &[1, 0]),
    ];
    for (args, expected) in ways {
        let profile = profile_of(&scratch, args);
        let rules = profile["rules"].as_array().expect("rules");
        let applied: Vec<_> = rules.iter().filter_map(|r| r["applied"].as_u64()).collect();
        assert_eq!(applied, expected, "{args:?}");
        let last = profile["points"].as_array().and_then(|p| p.last()).expect("a point");
        assert_eq!(last["steps"].as_u64(), Some(expected.iter().sum()), "{args:?}");
        if args.contains(&"sim") {
            let traffic = |what: &str| last["traffic"][what].as_u64().expect("a number");
            assert!(traffic("random") > 0 && traffic("random") <= traffic("read") + traffic("written"));
        }
    }
}

#[test]
fn a_path_that_cannot_be_written_is_known_before_the_run() {
    let scratch = Scratch::new();
    scratch.file("endless.trs", "sort N = struct Z() | F(N);\nvar X : N;\neqn F(X) = F(X);\ninput F(Z());\n");
    for path in ["no/such/folder/p.html", "."] {
        let run = scratch.gchr(&["run", "endless.trs", "--profile", path]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("--profile"), "{}", run.stderr);
    }
    let run = scratch.gchr(&["run", "endless.trs", "--profile", "p.txt"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains(".html, .svg or .json"), "{}", run.stderr);
    assert_eq!(scratch.names(), ["endless.trs"]);
}

#[test]
fn a_run_that_hits_a_limit_has_a_profile() {
    let scratch = Scratch::new();
    scratch.file("endless.trs", "sort N = struct Z() | F(N);\nvar X : N;\neqn F(X) = F(X);\ninput F(Z());\n");
    let args = ["run", "endless.trs", "--max-steps", "100000", "--profile", "p.html", "--out", "result"];
    let run = scratch.gchr(&args);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(scratch.names(), ["endless.trs", "p.html"]);
    let page = scratch.read("p.html");
    assert!(page.contains("ended without a result") && page.contains("limit"), "{page}");
}

/// Many iterations are drawn as curves of bounded size.
#[test]
fn drawings_of_long_runs_are_small() {
    let scratch = Scratch::new();
    let program = "sort N = struct Z() | S(N) | F(N);\nvar X : N;\neqn F(S(X)) = F(X);\n    F(Z()) = Z();\ninput F(S^600(Z()));\n";
    scratch.file("long.trs", program);
    let profile =
        profile_of(&scratch, &["long.trs", "--device", "sim", "--scheduler", "topology", "--gc", "none"]);
    let points = profile["points"].as_array().expect("points");
    assert!(profile["stats"]["rounds"].as_u64() > Some(500), "{}", profile["stats"]);
    assert_eq!(points.len() as u64, profile["stats"]["rounds"].as_u64().unwrap_or(0) + 1);
    let run = scratch.gchr(&["run", "long.trs", "--profile", "p.svg"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let drawing = scratch.read("p.svg");
    assert!(drawing.starts_with("<svg ") && drawing.len() < 200_000, "{} bytes", drawing.len());
}

/// Rows that are tried are no candidates; where they are not counted by rule, nothing is said of a rule.
#[test]
fn rows_tried_are_counted_as_far_as_they_are_known() {
    let scratch = Scratch::new();
    let primes = crate::support::root().join("examples/primes.chr").display().to_string();
    for (semantics, by_rule) in [("refined", true), ("rounds", false)] {
        let profile = profile_of(
            &scratch,
            &[&primes, "--semantics", semantics, "--query", "candidate(2, 300)", "--out", "store"],
        );
        let of = |values: &serde_json::Value| values["tried"].as_u64();
        let last = profile["points"].as_array().and_then(|points| points.last()).expect("a last point");
        let rules = profile["rules"].as_array().expect("rules");
        let sum: Option<u64> = rules.iter().map(of).sum();
        assert_eq!(sum, if by_rule { of(last) } else { None }, "{semantics}: {rules:?}");
        assert!(of(last) > Some(0), "{semantics}: {last}");
        assert_eq!(profile["stats"]["candidates"].is_null(), by_rule, "{}", profile["stats"]);
    }
}

/// Thousands of rounds: a recorder keeps some of their points, and the total and the peak of all.
#[test]
fn runs_of_thousands_of_rounds_are_thinned() {
    let scratch = Scratch::new();
    let primes = crate::support::root().join("examples/primes.chr").display().to_string();
    let args = [&primes, "--semantics", "rounds", "--query", "candidate(2, 9000)", "--out", "store"];
    let profile = profile_of(&scratch, &args);
    let points = profile["points"].as_array().expect("points");
    assert!((1000..=4096).contains(&points.len()), "{} points", points.len());
    let last = points.last().expect("a last point");
    assert_eq!(
        (&last["rounds"], &last["steps"]),
        (&profile["stats"]["rounds"], &profile["stats"]["firings"])
    );
    assert_eq!((last["rounds"].as_u64(), profile["peak_parallelism"].as_u64()), (Some(9000), Some(2)));
    assert_eq!(points[0]["seconds"].as_f64(), Some(0.0), "the clock starts with the run");
    let run = scratch.gchr(&[&["run"][..], &args, &["--profile", "p.html"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = scratch.read("p.html");
    assert!(page.len() < 200_000 && page.contains(">most<"), "{} bytes", page.len());
}

#[test]
fn the_page_is_shown_by_a_browser() {
    let scratch = Scratch::new();
    let page = scratch.path("p.html");
    let run = gchr(&[
        "run",
        "examples/floyd.chr",
        "--query",
        "complete(24, 42)",
        "--out",
        &scratch.path("store").display().to_string(),
        "--profile",
        &page.display().to_string(),
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = scratch.read("p.html");
    assert!(text.matches("<figure>").count() >= 6, "one for each plot");
    for wanted in ["Throughput", "Rows tried", "Memory", "Hot rules by firings", "id=L10", "floydw"] {
        assert!(text.contains(wanted), "no {wanted}");
    }
    let namespace = text.matches("http://www.w3.org/2000/svg").count();
    assert_eq!(text.matches("http://").count(), namespace, "the page names another address");
    assert!(!text.contains("https://") && !text.contains("<script"), "the page loads something");
    crate::support::browser::check_page(&page);
}
