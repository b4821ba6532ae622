//! Profiles of runs: counters against counts by hand, files, and the page in a real browser.

mod support;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{Scratch, gchr};

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
    assert_eq!(last["rounds"], profile["stats"]["steps"]);
    assert_eq!(last["collections"], profile["stats"]["collections"]);
    assert!(last["traffic"]["read"].as_u64() > Some(0));
    let kernel = &profile["kernels"][0];
    assert_eq!(kernel["name"], "iterate");
    assert_eq!(kernel["traffic"]["read"], last["traffic"]["read"]);
    assert_eq!(kernel["launches"].as_u64().map(|n| n as usize), Some(points.len() - 1));
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
    assert!(profile["stats"]["steps"].as_u64() > Some(500), "{}", profile["stats"]);
    assert_eq!(points.len() as u64, profile["stats"]["steps"].as_u64().unwrap_or(0) + 1);
    let run = scratch.gchr(&["run", "long.trs", "--profile", "p.svg"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let drawing = scratch.read("p.svg");
    assert!(drawing.starts_with("<svg ") && drawing.len() < 200_000, "{} bytes", drawing.len());
}

/// A browser, as Debian calls it.
fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success()));
    let required = std::env::var_os("GCHR_REQUIRE_BROWSER").is_some_and(|v| v == "1");
    assert!(found.is_some() || !required, "GCHR_REQUIRE_BROWSER=1, and there is no chromium");
    if found.is_none() {
        eprintln!("there is no chromium here: the page was not looked at (apt-get install chromium)");
    }
    found
}

/// Shows a page and makes a picture of it; gives what the browser says.
fn look(browser: &str, page: &Path, picture: &Path) -> String {
    let home = tempfile::tempdir().expect("a folder for the browser");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--enable-logging=stderr",
        ])
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=900,1400"])
        .arg(format!("--user-data-dir={}", home.path().display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

/// Pixels of a picture by colour, the most frequent first.
fn colours(picture: &Path) -> Vec<([u8; 3], usize)> {
    let file = std::io::BufReader::new(std::fs::File::open(picture).expect("a picture"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a frame");
    let mut found = std::collections::HashMap::new();
    for pixel in pixels[..info.buffer_size()].chunks_exact(info.color_type.samples()) {
        *found.entry([pixel[0], pixel[1], pixel[2]]).or_insert(0) += 1;
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|c| std::cmp::Reverse(c.1));
    found
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
    for wanted in ["Throughput", "Candidates tried", "Memory", "Hot rules by firings", "id=L10", "floydw"] {
        assert!(text.contains(wanted), "no {wanted}");
    }
    let namespace = text.matches("http://www.w3.org/2000/svg").count();
    assert_eq!(text.matches("http://").count(), namespace, "the page names another address");
    assert!(!text.contains("https://") && !text.contains("<script"), "the page loads something");
    let Some(browser) = browser() else { return };
    let picture = scratch.path("p.png");
    let said = look(browser, &page, &picture);
    assert!(!said.contains("CONSOLE"), "the console says:\n{said}");
    let found = colours(&picture);
    let background = found[0].1;
    let all: usize = found.iter().map(|c| c.1).sum();
    assert!(background < all * 97 / 100, "the picture is blank: {:?}", &found[..found.len().min(4)]);
    // The areas under the curves, blue at 18 % on white.
    let area = found.iter().filter(|(c, _)| c[2] > 220 && c[2] - 20 > c[0]).map(|c| c.1).sum::<usize>();
    assert!(area > all / 50, "no curve is drawn: {area} of {all} pixels, {:?}", &found[..found.len().min(6)]);
}
