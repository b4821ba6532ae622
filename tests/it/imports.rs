//! Term programs of several files, on the command line.

use crate::support::Scratch;

const NUMBERS: &str = "sort Nat = struct Z | S(Nat);\nmap Plus: Nat # Nat -> Nat;\nvar X, Y: Nat;
eqn Plus(Z, Y) = Y;\n    Plus(S(X), Y) = S(Plus(X, Y));\ninput Plus(Z, Z);\n";
const MAIN: &str =
    "import \"lib/numbers.trs\";\nmap Double: Nat -> Nat;\nvar N: Nat;\neqn Double(N) = Plus(N, N);
input Double(S(Z));\n%> Double(S^2(Z))\n%= S^4(Z)\n";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("lib")).expect("a folder");
    scratch.file("lib/numbers.trs", NUMBERS);
    scratch.file("main.trs", MAIN);
    scratch
}

#[test]
fn programs_of_several_files_run() {
    let scratch = scratch();
    for args in [
        &["run", "main.trs"][..],
        &["run", "main.trs", "--device", "sim"],
        &["run", "main.trs", "--device", "sim", "--scheduler", "topology"],
    ] {
        let run = scratch.gchr(args);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "S(S(Z))\n", ""), "{args:?}");
    }
    let tested = scratch.gchr(&["test", "main.trs"]);
    assert_eq!((tested.code, tested.stderr.as_str()), (0, "1 passed, 0 failed\n"));
    let checked = scratch.gchr(&["check", "main.trs", "lib/numbers.trs"]);
    assert_eq!((checked.code, checked.stderr.contains("Warning")), (0, false), "{}", checked.stderr);
    let laid_out = scratch.gchr(&["fmt", "--check", "main.trs", "lib/numbers.trs"]);
    assert_eq!((laid_out.code, laid_out.stderr.as_str()), (0, ""));
    // The syntax tree is that of the file, and reads back beside it; the rules are those of all files.
    let ast = scratch.gchr(&["emit", "main.trs", "--stage", "ast"]);
    assert!(ast.stdout.starts_with("import \"lib/numbers.trs\";\n"), "{}", ast.stdout);
    scratch.file("again.trs", &ast.stdout);
    let rules = |file: &str| scratch.gchr(&["emit", file, "--stage", "rules"]).stdout;
    assert!(rules("main.trs").contains("removed Plus(S("), "{}", rules("main.trs"));
    assert_eq!(rules("again.trs"), rules("main.trs"));
}

#[test]
fn profiles_name_the_texts_and_the_sorts_of_rules() {
    let scratch = scratch();
    let trees =
        "sort Tree(A) = struct Leaf | Node(Tree(A), A);\nmap Size: Tree(A) -> Int;\nvar X: A; T: Tree(A);
eqn Size(Leaf) = 0;\n    Size(Node(T, X)) = Size(T) + 1;\n";
    scratch.file("lib/trees.trs", trees);
    let start = "input Size(Node(Node(Leaf, 1), 2)) + Size(Node(Leaf, true));";
    scratch.file("trees.trs", &format!("import \"lib/trees\";\nmap F: Int;\neqn F = 1;\n{start}\n"));
    let run = scratch.gchr(&["run", "trees.trs", "--profile", "out.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "3\n"), "{}", run.stderr);
    let profile: serde_json::Value = serde_json::from_str(&scratch.read("out.json")).expect("JSON");
    let rules = profile["rules"].as_array().expect("rules").iter();
    let applied =
        rules.filter(|rule| rule["applied"] != 0).map(|rule| rule["name"].as_str().expect("a name"));
    let expected = [
        "Size(Tree(Int)), line 5 of lib/trees.trs",
        "Size(Tree(Int)), line 4 of lib/trees.trs",
        "Size(Tree(Bool)), line 4 of lib/trees.trs",
        "Size(Tree(Bool)), line 5 of lib/trees.trs",
    ];
    assert_eq!(applied.collect::<Vec<_>>(), expected);
}

#[test]
fn results_take_the_place_of_no_text() {
    let scratch = scratch();
    scratch.file(
        "whole.chr",
        ":- include('part.pl').\n:- chr_constraint p(+int).\np(X) <=> X > 0 | q(X).\n?- p(1).\n",
    );
    scratch.file("part.pl", ":- chr_constraint q(+int).\n");
    for (command, program, text) in [
        (&["run"][..], "main.trs", "lib/numbers.trs"),
        (&["emit", "--stage", "plan"], "main.trs", "lib/numbers.trs"),
        (&["why", "--of", "1"], "main.trs", "lib/numbers.trs"),
        (&["run"], "whole.chr", "part.pl"),
    ] {
        let run = scratch.gchr(&[command, &[program, "--out", text]].concat());
        assert!(run.code == 2 && run.stderr.contains("a text of the program"), "{command:?} {}", run.stderr);
    }
    let compared = scratch.gchr(&["compare", "main.trs", "--out", "lib/numbers.trs"]);
    assert!(compared.code == 2 && compared.stderr.contains("a text of the program"), "{}", compared.stderr);
    let saved = scratch.gchr_with_input(&["repl", "whole.chr"], "p(2).\n:save part.pl\n");
    assert!(saved.stderr.contains("a text of the program"), "{}", saved.stderr);
    assert_eq!(scratch.read("lib/numbers.trs"), NUMBERS);
    assert_eq!(scratch.read("part.pl"), ":- chr_constraint q(+int).\n");
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_waited_for() {
    let scratch = scratch();
    let made = std::process::Command::new("mkfifo").arg(scratch.path("pipe.trs")).status();
    assert!(made.expect("mkfifo runs").success());
    for (file, said) in [
        ("pipe.trs", "not a regular file"),
        ("/dev/zero", "not a regular file"),
        ("lib", "a folder"),
        ("x", "not found"),
    ] {
        scratch.file("main.trs", &format!("import \"{file}\";\ninput 1;\n"));
        let run = scratch.gchr(&["check", "main.trs"]);
        assert!(
            run.code == 2 && run.stderr.contains("[T0110]") && run.stderr.contains(said),
            "{}",
            run.stderr
        );
    }
    scratch.file("main.trs", "import \"large.trs\";\ninput 1;\n");
    scratch.file("large.trs", &"% a line of a comment\n".repeat(3_000_000));
    let run = scratch.gchr(&["run", "main.trs", "--memory", "40MiB"]);
    assert!(run.code == 2 && run.stderr.contains("cannot be read"), "{}", run.stderr);
}

#[test]
fn what_tells_programs_apart_covers_what_they_import() {
    let scratch = scratch();
    let digest = || gchr::Input::file(scratch.path("main.trs")).parse().expect("a program").digest("");
    let first = digest();
    assert_eq!(first, digest());
    scratch.file("lib/numbers.trs", &NUMBERS.replace("S(Plus(X, Y))", "Plus(X, S(Y))"));
    assert_ne!(first, digest());
}
