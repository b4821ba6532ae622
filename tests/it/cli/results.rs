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
fn threads_that_come_to_a_large_number_begin_again() {
    let scratch = Scratch::new();
    // Long enough that native code takes it, with calls that can run side by side.
    let program = "map f: Nat -> Nat;\nvar n: Pos;\neqn f(0) = exp(10, 20);\n    f(1) = exp(10, 20);\n    \
                   n > 1 -> f(n) = f(abs(n - 1)) + f(abs(n - 2));\n";
    scratch.file("large.mcrl2", program);
    for threads in ["1", "2", "3"] {
        let run = scratch.gchr(&["run", "large.mcrl2", "--input", "f(24)", "--threads", threads]);
        let found = (run.code, run.stdout.as_str(), run.stderr.as_str());
        assert_eq!(found, (0, "7502500000000000000000000\n", ""), "{threads} threads");
    }
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
    {"constraint": "a", "args": [{"string": "s"}]},
    {"constraint": "a", "args": ["it's"]},
    {"constraint": "a", "args": [{"functor": "f", "args": [1, [{"functor": "g", "args": ["y"]}, 2]]}]},
    {"constraint": "b", "args": [-3, {"string": "x,y"}]}]
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
    // The columns do not depend on what the store holds.
    assert_eq!(one.stdout, "b,1,x\nb,2,y\n");
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
    for help in [&["--help"][..], &["--version"], &["run", "--help"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = Command::new(crate::support::BINARY).args(help).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{help:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("[U0107]"), "{help:?}");
    }
}

/// A limit of the size of files is told, and leaves no part of one.
#[cfg(unix)]
#[test]
fn a_file_beyond_the_limit_of_its_size_is_an_error() {
    let scratch = Scratch::new();
    scratch
        .file("many.chr", ":- chr_constraint s(+int).\ns(N) ==> N < 100000 | M is N + 1, s(M).\n?- s(1).\n");
    let script = format!("ulimit -f 100; exec '{}' run many.chr --out store", crate::support::BINARY);
    let output =
        Command::new("sh").args(["-c", &script]).current_dir(scratch.folder()).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("[U0107]"), "{:?}: {said}", output.status);
    assert_eq!(scratch.names(), ["many.chr"]);
}

/// Every way to name a file that is there.
#[cfg(unix)]
fn names_of(scratch: &Scratch, name: &str) -> Vec<String> {
    let [soft, far, hard] = ["soft", "far", "hard"].map(|kind| format!("{kind}-{name}"));
    let folder = scratch.folder().file_name().unwrap().to_string_lossy().into_owned();
    std::os::unix::fs::symlink(name, scratch.path(&soft)).unwrap();
    std::os::unix::fs::symlink(scratch.path(&soft), scratch.path(&far)).unwrap();
    fs::hard_link(scratch.path(name), scratch.path(&hard)).unwrap();
    vec![name.into(), format!("./{name}"), format!("../{folder}/{name}"), soft, far, hard]
}

#[cfg(unix)]
#[test]
fn no_result_takes_the_place_of_what_is_read() {
    let scratch = Scratch::new();
    const MAPPING: &str = "[programs.\"p.trs\"]\nstart = \"Zero()\"\n";
    let chr = ":- chr_constraint e(+int).\ne(X) \\ e(X) <=> true.\n";
    let texts =
        [("p.trs", PLUS), ("p.chr", chr), ("e.csv", "1\n2\n"), ("t.txt", "Zero()\n"), ("m.toml", MAPPING)];
    for (name, text) in texts {
        scratch.file(name, text);
    }
    let batch = ["run", "p.trs", "--inputs", "t.txt"];
    let facts = ["run", "p.chr", "--facts", "e=e.csv"];
    let emit = ["emit", "p.trs"];
    let compare = ["compare", "p.trs", "--input", "Zero()", "--mapping", "m.toml"];
    let cases: [(&[&str], &[&str]); 4] = [
        (&batch, &["p.trs", "t.txt"]),
        (&facts, &["p.chr", "e.csv"]),
        (&emit, &["p.trs"]),
        (&compare, &["p.trs", "m.toml"]),
    ];
    let names: Vec<_> = texts.iter().map(|(name, _)| (*name, names_of(&scratch, name))).collect();
    for (command, read) in cases {
        for (name, aliases) in names.iter().filter(|(name, _)| read.contains(name)) {
            for alias in aliases {
                let run = scratch.gchr(&[command, &["--out", alias.as_str()]].concat());
                assert_eq!(run.code, 2, "{command:?} to {alias}: {}", run.stderr);
                let refused = run.stderr.contains("[U0114] Error: --out would overwrite ");
                assert!(refused && run.stderr.contains(alias), "{command:?} to {alias}: {}", run.stderr);
                let text = texts.iter().find(|(other, _)| other == name).unwrap().1;
                assert_eq!(scratch.read(name), text, "{command:?} to {alias}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn no_result_takes_the_place_of_standard_input() {
    let scratch = Scratch::new();
    scratch.file("p.trs", PLUS);
    scratch.file("t.txt", "Zero()\n");
    let output = Command::new(crate::support::BINARY)
        .current_dir(scratch.folder())
        .args(["run", "p.trs", "--inputs", "-", "--out", "t.txt"])
        .stdin(fs::File::open(scratch.path("t.txt")).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("would overwrite the file of --inputs"));
    assert_eq!(scratch.read("t.txt"), "Zero()\n");
}

#[cfg(unix)]
#[test]
fn no_two_results_go_to_one_file() {
    let scratch = Scratch::new();
    scratch.file("p.trs", PLUS);
    scratch.file("old.json", "old");
    let old = names_of(&scratch, "old.json");
    std::os::unix::fs::symlink("new.json", scratch.path("dangling.json")).unwrap();
    let new = ["new.json", "./new.json", "dangling.json"].map(String::from);
    for group in [&old[..], &new] {
        for (out, profile) in group.iter().flat_map(|a| group.iter().map(move |b| (a, b))) {
            let args = ["run", "p.trs", "--input", "Zero()", "--out", out, "--profile", profile];
            let run = scratch.gchr(&args);
            let wanted = format!("--profile would overwrite the file of --out: {profile}");
            assert!(run.code == 2 && run.stderr.contains(&wanted), "{out}, {profile}: {}", run.stderr);
        }
    }
    // Nor to the file of standard output; devices take everything.
    let run = |out: &str, stdout: fs::File| {
        Command::new(crate::support::BINARY)
            .current_dir(scratch.folder())
            .args(["run", "p.trs", "--input", "Zero()", "--out", out])
            .stdout(stdout)
            .output()
            .unwrap()
    };
    let same = run("stdout.txt", fs::File::create(scratch.path("stdout.txt")).unwrap());
    assert_eq!(same.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&same.stderr).contains("what standard output goes to"));
    let null = fs::File::options().write(true).open("/dev/null").unwrap();
    assert_eq!(run("/dev/null", null).status.code(), Some(0));
    assert_eq!(scratch.read("old.json"), "old");
    assert!(!scratch.path("new.json").exists());
}

#[cfg(unix)]
#[test]
fn a_result_goes_where_links_lead_with_plain_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("folder")).unwrap();
    symlink("folder/near", scratch.path("link")).unwrap();
    symlink("../far", scratch.path("folder/near")).unwrap();
    symlink("loop", scratch.path("loop")).unwrap();
    let min = root().join("examples/min.chr").display().to_string();
    // Nothing is there at first, then a file.
    for mode in [None, Some(0o4755), Some(0o2711), Some(0o1640), Some(0o600)] {
        if let Some(mode) = mode {
            fs::set_permissions(scratch.path("far"), fs::Permissions::from_mode(mode)).unwrap();
        }
        let run = scratch.gchr(&["run", &min, "--out", "link"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(fs::symlink_metadata(scratch.path("link")).unwrap().is_symlink());
        assert!(fs::symlink_metadata(scratch.path("folder/near")).unwrap().is_symlink());
        let far = fs::symlink_metadata(scratch.path("far")).unwrap();
        assert!(far.is_file());
        if let Some(mode) = mode {
            assert_eq!(far.permissions().mode() & 0o7777, mode & 0o777, "{mode:o}");
        }
        assert_eq!(scratch.read("far"), "min(5)\n");
    }
    let run = scratch.gchr(&["run", &min, "--out", "loop"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(fs::symlink_metadata(scratch.path("loop")).unwrap().is_symlink());
    assert_eq!(scratch.names(), ["far", "folder", "link", "loop"]);
}

#[test]
fn messages_name_the_path_of_the_user() {
    let scratch = Scratch::new();
    scratch.file("p.trs", PLUS);
    scratch.file("file", "x");
    for out in ["missing/x.json", "file/x.json", "folder/", &format!("{}.json", "x".repeat(300))] {
        for option in ["--out", "--profile"] {
            let run = scratch.gchr(&["run", "p.trs", "--input", "Zero()", option, out]);
            assert_eq!(run.code, 2, "{option} {out}: {}", run.stderr);
            let named = out.ends_with('/') && option == "--profile" || run.stderr.contains(out);
            assert!(named && !run.stderr.contains(".part"), "{option} {out}: {}", run.stderr);
        }
    }
    assert_eq!(scratch.names(), ["file", "p.trs"]);
}

#[cfg(unix)]
#[test]
fn what_a_killed_run_leaves_is_removed_by_the_next_one() {
    let scratch = Scratch::new();
    scratch.file("loop.trs", LOOP);
    let parts = || scratch.names().iter().filter(|name| name.ends_with(".part")).count();
    let start = || {
        let mut child = Command::new(crate::support::BINARY)
            .current_dir(scratch.folder())
            .args(["run", "loop.trs", "--out", "result"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        for _ in 0..1000 {
            if parts() > 0 || child.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        child
    };
    let mut killed = start();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(parts(), 1);
    let mut living = start();
    // The part of the dead one is gone when that of a third one is there, and that of the living one is not.
    let min = root().join("examples/min.chr").display().to_string();
    let mut seen = 0;
    for _ in 0..100 {
        assert_eq!(scratch.gchr(&["run", &min, "--out", "other"]).code, 0);
        seen = parts();
        if seen == 1 {
            break;
        }
    }
    assert_eq!(seen, 1);
    living.kill().unwrap();
    living.wait().unwrap();
    assert_eq!(scratch.gchr(&["run", &min, "--out", "other"]).code, 0);
    assert_eq!(scratch.names(), ["loop.trs", "other"]);
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
