//! Standard streams: programs from standard input, and streams that are closed.

use std::process::Command;

use crate::support::{BINARY, Scratch, root};

const PATHS: &str = ":- chr_constraint e(+int, +int), p(+int, +int).\ne(X, Y) ==> p(X, Y).\n?- e(1, 2).\n";

#[test]
fn programs_are_read_from_standard_input() {
    let scratch = Scratch::new();
    scratch.file("m.pl", "twice(X, Y) :- Y is 2 * X.\n");
    scratch.file("e.csv", "3,4\n");
    for (args, text, wanted) in [
        (&["run", "-", "--language", "chr"][..], PATHS, "e(1,2)\np(1,2)\n"),
        (
            &["run", "-", "--language", "chr", "--facts", "e=e.csv", "--show", "p/2"],
            PATHS,
            "p(1,2)\np(3,4)\n",
        ),
        (&["run", "-", "--language", "chr", "--device", "auto"], PATHS, "e(1,2)\np(1,2)\n"),
        // Files that it names are beside the process.
        (&["run", "-", "--language", "chr"], ":- include(m).\n?- twice(2, X).\n", "X = 4\n"),
        (
            &["why", "-", "--language", "chr", "--of", "p(1,2)", "--depth", "1"],
            PATHS,
            "p(1,2)#1 by rule 1 (-:2)",
        ),
        (
            &["emit", "-", "--language", "trs", "--stage", "rules"],
            "map f: Int -> Int;\ninput f(1);\n",
            "f/1 : Int",
        ),
        (&["check", "-", "--language", "chr", "--format", "json"], PATHS, "\"errors\": 0"),
    ] {
        let run = scratch.gchr_with_input(args, text);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        assert!(run.stdout.contains(wanted), "{args:?}: {}", run.stdout);
    }
    for (args, code) in [
        (&["run", "-"][..], "[U0104]"),
        (&["run", "-", "--language", "chr", "--facts", "e=-"], "[U0105]"),
        (&["run", "-", "--language", "trs", "--inputs", "-"], "[U0105]"),
        // They read a program more than once, or lines from there.
        (&["test", "-", "--language", "chr"], "[U0105]"),
        (&["compare", "-", "m.pl"], "[U0105]"),
        (&["repl", "-", "--language", "chr"], "[U0105]"),
    ] {
        let run = scratch.gchr_with_input(args, PATHS);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(code), "{args:?}: {}", run.stderr);
    }
}

/// Whether facts on standard input are packed is seen by their first bytes.
#[test]
fn packed_facts_are_read_from_standard_input() {
    use std::io::Write;
    let scratch = Scratch::new();
    scratch.file("p.chr", PATHS);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"3,4\n5,6\n").unwrap();
    let packed = packed.finish().unwrap();
    let args = &["run", "p.chr", "--facts", "e=-", "--show", "e/2"];
    let run = scratch.gchr_with_input(args, &packed);
    assert_eq!((run.code, run.stdout.as_str()), (0, "e(1,2)\ne(3,4)\ne(5,6)\n"), "{}", run.stderr);
    let cut = scratch.gchr_with_input(args, &packed[..packed.len() - 9]);
    assert_eq!((cut.code, cut.stdout.as_str()), (2, ""));
    assert!(cut.stderr.contains("the packed data ends too early"), "{}", cut.stderr);
}

/// A file with the name of standard output is nobody's wish.
#[test]
fn results_are_not_written_to_a_file_called_by_a_dash() {
    let scratch = Scratch::new();
    scratch.file("p.chr", PATHS);
    for args in
        [&["run", "p.chr"][..], &["emit", "p.chr", "--stage", "plan"], &["why", "p.chr", "--of", "p/2"]]
    {
        let run = scratch.gchr(&[args, &["--out", "-"]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("--out - names no file"), "{args:?}: {}", run.stderr);
    }
    assert_eq!(scratch.names(), ["p.chr"]);
    assert_eq!(scratch.gchr(&["run", "p.chr", "--out", "./-"]).code, 0);
}

/// Runs gchr by a shell that closes one of its streams: the exit code and standard error.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn with_closed(stream: &str, args: &[&str]) -> (i32, String) {
    let script = format!("\"$0\" \"$@\" {stream}");
    let mut shell = Command::new("sh");
    let output = shell.current_dir(root()).args(["-c", &script, BINARY]).args(args).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
#[test]
fn what_cannot_be_written_or_read_is_an_error() {
    let scratch = Scratch::new();
    let (gcd, out) = ("examples/gcd.chr", scratch.path("out").display().to_string());
    for args in [
        &["run", gcd][..],
        &["run", gcd, "--format", "json"],
        &["run", gcd, "--sizes"],
        &["run", gcd, "--query", "write(a)"],
        &["run", "examples/mergesort.trs", "--inputs", "examples/data/lists.txt"],
        &["why", gcd, "--of", "gcd/1"],
        &["emit", gcd, "--stage", "plan"],
        &["check", gcd, "--format", "json"],
        &["compare", gcd],
        &["verify", "examples/fib.trs"],
        &["devices"],
        &["completions", "bash"],
        &["--help"],
        &["--version"],
        &["lsp"],
    ] {
        let (code, errors) = with_closed(">&-", args);
        assert_eq!(code, 1, "{args:?}: {errors}");
        assert!(errors.contains("standard output is closed"), "{args:?}: {errors}");
    }
    // Nothing is written there.
    let (code, errors) = with_closed(">&-", &["run", gcd, "--out", &out]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(scratch.read("out"), "gcd(21)\n");
    for args in [
        &["run", "-", "--language", "chr"][..],
        &["run", "examples/roads.chr", "--facts", "road=-"],
        &["run", "examples/mergesort.trs", "--inputs", "-"],
        &["repl", gcd],
        &["fmt", "-", "--language", "chr"],
        &["lsp"],
    ] {
        let (code, errors) = with_closed("<&-", args);
        assert_eq!(code, 2, "{args:?}: {errors}");
        assert!(errors.contains("standard input is closed"), "{args:?}: {errors}");
    }
    assert_eq!(with_closed("<&-", &["run", gcd]).0, 0);
}
