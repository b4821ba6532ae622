//! `gchr test`: expectations in comments of programs.

use crate::support::{Scratch, gchr};

const GCD: &str = ":- chr_constraint gcd(+int), fail_at(+int).
gcd(0) <=> true.
gcd(N) \\ gcd(M) <=> 0 < N, N =< M | L is M mod N, gcd(L).
fail_at(N) <=> N > 0 | fail.
%> gcd(9), gcd(6)
%= gcd(3)
%> gcd(8),
%> gcd(12)
%= gcd(4)
%> fail_at(1)
%= error R0301
%> gcdd(1)
%= error C0302
%> gcd(0)
";

#[test]
fn what_holds_passes() {
    let scratch = Scratch::new();
    scratch.file("gcd.chr", GCD);
    scratch.file("f.trs", "map F: Int -> Int;\nvar n: Int;\neqn F(n) = n + 1;\n%> F(F(1))\n%= 3\n");
    for more in [&[][..], &["--semantics", "refined"]] {
        let run = scratch.gchr(&[&["test", "gcd.chr"], more].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, "5 passed, 0 failed\n"), "{more:?}");
    }
    let rounds = scratch.gchr(&["test", "gcd.chr", "--semantics", "rounds"]);
    assert_eq!(rounds.code, 0, "{}", rounds.stderr);
    let both = scratch.gchr(&["test", "f.trs", "gcd.chr"]);
    assert_eq!((both.code, both.stderr.as_str()), (0, "6 passed, 0 failed\n"));
    assert_eq!(scratch.gchr(&["test", "f.trs", "--device", "sim"]).code, 0);
    let examples = gchr(&["test", "examples/gcd.chr", "examples/fib_int.trs"]);
    assert_eq!(examples.code, 0, "{}", examples.stderr);
}

#[test]
fn what_does_not_hold_is_shown() {
    let scratch = Scratch::new();
    scratch.file("gcd.chr", &GCD.replace("%= gcd(3)", "%= gcd(4)"));
    let run = scratch.gchr(&["test", "gcd.chr"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    for said in
        ["FAILED gcd.chr:5: gcd(9), gcd(6)", "expected gcd(4)", "found    gcd(3)", "4 passed, 1 failed"]
    {
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    }
    scratch.file("lines.chr", &GCD.replace("%= gcd(4)", "%= gcd(5)"));
    let lines = scratch.gchr(&["test", "lines.chr"]);
    assert!(lines.stderr.contains("FAILED lines.chr:7: gcd(8), gcd(12)\n"), "{}", lines.stderr);
    let limited = scratch.gchr(&["test", "gcd.chr", "--max-steps", "0"]);
    assert!(limited.code == 1 && limited.stderr.contains("error R0201"), "{}", limited.stderr);
    for (name, text) in [
        ("none.chr", "a.\n"),
        ("result.chr", "%= a\n"),
        ("wrong.chr", "%> a\n:- chr_constraint.\na <=> b.\n"),
    ] {
        scratch.file(name, text);
        assert_eq!(scratch.gchr(&["test", name]).code, 2, "{name}");
    }
    assert_eq!(scratch.gchr(&["test", "missing.chr"]).code, 2);
}

/// Examples say what they give, and give it.
#[test]
fn the_examples_keep_their_word() {
    let root = crate::support::root();
    let folders = ["examples", "examples/chr", "examples/formats", "examples/language"].map(|f| root.join(f));
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let programs: Vec<_> = paths.filter(|path| gchr::Syntax::of_path(path).is_some()).collect();
    assert!(programs.len() > 50, "{programs:?}");
    for path in programs {
        let text = std::fs::read_to_string(&path).expect("a text");
        let says = ["\n%= ", "\n;= ", "\n***= "].iter().any(|mark| text.contains(mark));
        assert!(says, "{} says what it gives", path.display());
    }
    let run = gchr(&["test", "examples"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
}

/// A folder stands for its programs that expect something, in the order of their names.
#[test]
fn folders_are_walked() {
    let scratch = Scratch::new();
    for folder in ["all/b", "all/.hidden", "none"] {
        std::fs::create_dir_all(scratch.path(folder)).expect("a folder");
    }
    let wrong = GCD.replace("%= gcd(3)", "%= gcd(4)");
    for (name, text) in [
        ("all/c.chr", wrong.as_str()),
        ("all/b/a.chr", &wrong),
        ("all/a.chr", GCD),
        ("all/silent.chr", ":- chr_constraint p.\np <=> true.\n"),
        ("all/notes.txt", "%> nothing\n%= at all\n"),
        ("all/.hidden/d.chr", &wrong),
        ("none/silent.chr", ":- chr_constraint p.\np <=> true.\n"),
    ] {
        scratch.file(name, text);
    }
    let run = scratch.gchr(&["test", "all"]);
    let failed = "FAILED all/b/a.chr:5: gcd(9), gcd(6)\n  expected gcd(4)\n  found    gcd(3)\n";
    let expected = format!("{failed}{}13 passed, 2 failed\n", failed.replace("b/a.chr", "c.chr"));
    assert_eq!((run.code, run.stderr), (1, expected));
    let none = scratch.gchr(&["test", "none"]);
    assert!(none.code == 2 && none.stderr.contains("none expects nothing"), "{}", none.stderr);
}

/// Each run has the limits for itself: what stops one of them stops no other.
#[test]
fn limits_are_those_of_each_run() {
    let scratch = Scratch::new();
    let grow = ":- chr_constraint s(+int).\ns(N) ==> M is N + 1, s(M).\n";
    let endless = ":- chr_constraint s(+int).\ns(N) <=> M is N + 1, s(M).\n";
    for (text, limit, value, code) in
        [(grow, "--memory", "60M", "R0202"), (endless, "--timeout", "300ms", "R0204")]
    {
        let expected = format!("{text}%> s(1)\n%= error {code}\n%> s(2)\n%= error {code}\n");
        scratch.file("endless.chr", &expected);
        let run = scratch.gchr(&["test", "endless.chr", limit, value]);
        assert_eq!((run.code, run.stderr.as_str()), (0, "2 passed, 0 failed\n"));
    }
}
