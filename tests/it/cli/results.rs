//! What goes to which stream, formats, result files.

use super::*;

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
