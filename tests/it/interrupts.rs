//! Runs of each kind, interrupted at random moments: each ends soon, as it should, and leaves nothing behind.

use std::time::Duration;

use crate::support::Scratch;
use crate::support::process::{Process, Stdout};

/// Moments in all.
const MOMENTS: usize = 51;
/// The latest moment, in milliseconds.
const LATEST: u64 = 900;
/// Processor time that a process may take after a signal, or after its time limit: a second on each of two cores, and a
/// little.
const SOON: Duration = Duration::from_millis(2500);

const LOOP: &str = "map Loop: Int -> Int;\nvar N: Int;\neqn Loop(N) = Loop(N + 1);\ninput Loop(0);\n";
const COUNT: &str = ":- chr_constraint count(+int).\ncount(N) <=> M is N + 1, count(M).\n?- count(0).\n";
const GROW: &str = ":- chr_constraint p(+int).\np(X) ==> Y is X + 1, p(Y).\n?- p(0).\n";
const TREE: &str = "sort T = struct L() | Node(T, T);\nmap B: Int -> T; P: T -> T;\nvar N: Int; X: T;\n\
                    eqn B(0) = L();\n    B(N) = P(B(N - 1));\n    P(X) = Node(X, X);\ninput B(60);\n";
const ROWS: &str = ":- chr_constraint row(+any, +int), go(+int).\ngo(N) <=> M is N + 1, go(M).\n?- go(0).\n";

/// What is interrupted, by name.
fn kinds(has_compiler: bool) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut kinds = vec![
        ("terms", vec!["run", "loop.trs", "--out", "result"]),
        ("refined", vec!["run", "count.chr", "--out", "result"]),
        ("rounds", vec!["run", "grow.chr", "--semantics", "rounds", "--out", "result"]),
        ("sim tasks", vec!["run", "loop.trs", "--device", "sim", "--out", "result"]),
        ("sim topology", vec!["run", "loop.trs", "--device", "sim", "--scheduler", "topology"]),
        ("sim rounds", vec!["run", "grow.chr", "--semantics", "rounds", "--device", "sim"]),
        ("facts", vec!["run", "rows.chr", "--facts", "row=rows.csv", "--out", "result"]),
        ("a program", vec!["run", "rules.chr", "--out", "result"]),
        ("a batch", vec!["run", "loop.trs", "--inputs", "terms", "--threads", "2", "--out", "result"]),
        ("writing", vec!["run", "tree.trs", "--out", "result"]),
        ("a profile", vec!["run", "count.chr", "--profile", "p.html", "--out", "result"]),
    ];
    if has_compiler {
        kinds.push(("a compilation", vec!["emit", "rules.trs", "--stage", "cubin", "--out", "result"]));
    }
    kinds
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let rules: String = (0..200_000).map(|i| format!("a({i}, X) <=> b({i}, X).\n")).collect();
    let functions = 60;
    let declared: String = (0..functions).map(|i| format!("map F{i}: N -> N;\n")).collect();
    let equations: String = (0..functions)
        .map(|i| {
            let (next, other) = ((i + 1) % functions, (i + 7) % functions);
            format!("F{i}(Z()) = Z();\nF{i}(S(X)) = S(F{next}(F{other}(X)));\n")
        })
        .collect();
    for (name, text) in [
        ("loop.trs", LOOP.to_string()),
        ("count.chr", COUNT.to_string()),
        ("grow.chr", GROW.to_string()),
        ("tree.trs", TREE.to_string()),
        ("rows.chr", ROWS.to_string()),
        ("rows.csv", (0..1_000_000).map(|i| format!("a{i},{i}\n")).collect()),
        ("rules.chr", format!(":- chr_constraint a(+int, ?any), b(+int, ?any).\n{rules}?- a(1, x).\n")),
        (
            "rules.trs",
            format!("sort N = struct Z() | S(N);\n{declared}var X: N;\neqn\n{equations}input F0(Z());\n"),
        ),
        ("terms", (0..1000).map(|i| format!("Loop({i})\n")).collect()),
    ] {
        scratch.file(name, &text);
    }
    scratch
}

#[test]
fn every_kind_of_run_ends_soon_at_any_moment() {
    let compiler = std::env::var_os("GCHR_NVRTC_DIR").is_some();
    let (scratch, kinds) = (scratch(), kinds(compiler));
    let names = scratch.names();
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let mut random = fastrand::Rng::with_seed(seed);
    for moment in 0..MOMENTS {
        let (kind, args) = &kinds[moment % kinds.len()];
        let after = random.u64(1..LATEST);
        let signal = [Some(libc::SIGINT), Some(libc::SIGTERM), None][random.usize(0..3)];
        let timeout = format!("{after}ms");
        let mut args = args.clone();
        // Only runs have a time limit.
        let signal = if args[0] == "run" { signal } else { signal.or(Some(libc::SIGINT)) };
        if signal.is_none() {
            args.extend(["--timeout", &timeout]);
        }
        let process = Process::start(scratch.folder(), &args, Stdout::Dropped);
        if signal.is_some() {
            std::thread::sleep(Duration::from_millis(after));
        }
        let ended = process.end(signal);
        let what = format!("seed {seed}, {kind} after {after} ms, signal {signal:?}: {ended:?}");
        match signal {
            Some(_) => {
                assert_eq!(ended.signal, signal, "{what}");
                // Before it listens, a process ends by a signal without a word.
                assert!(ended.stderr.is_empty() || ended.stderr.contains("R0205"), "{what}");
                assert!(ended.cpu_after < SOON, "{what}");
            }
            None => {
                assert_eq!(ended.code, Some(1), "{what}");
                assert!(ended.stderr.contains("R0204"), "{what}");
                assert!(ended.cpu < SOON + 2 * Duration::from_millis(after), "{what}");
            }
        }
        let mut left = scratch.names();
        left.retain(|name| name != "cache");
        // A profile shows how far a run got, and the results of a batch are those of the lines before: none here.
        for (of, name) in [("a profile", "p.html"), ("a batch", "result")] {
            if of == *kind && left.iter().any(|found| found == name) {
                assert!(name == "p.html" || scratch.read(name).is_empty(), "{what}");
                std::fs::remove_file(scratch.path(name)).expect("removed");
                left.retain(|found| found != name);
            }
        }
        assert_eq!(left, names, "{what}");
    }
}
