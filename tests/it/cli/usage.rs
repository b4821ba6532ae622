//! Usage: help, options that are wrong, checks without a run.

use super::*;

#[test]
fn help_and_version_are_results() {
    for args in [
        &["--help"][..],
        &["--version"],
        &["run", "--help"],
        &["check", "--help"],
        &["emit", "--help"],
        &["devices", "--help"],
        &["simd", "--help"],
    ] {
        let run = gchr(args);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
        assert!(run.stdout.contains("gchr"), "{args:?}");
    }
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let file = "examples/min.chr";
    for args in [
        &[][..],
        &["run"],
        &["walk", file],
        &["run", file, "--speed", "9"],
        &["run", file, "--memory", "lots"],
        &["run", file, "--timeout", "0"],
        &["run", file, "--threads", "0"],
        &["run", file, "--max-steps", "-1"],
        &["run", file, "--facts", "min"],
        &["run", file, "--format", "xml"],
        &["emit", file, "--stage", "sass"],
        &["run", file, "--device", "tpu"],
        &["run", file, "--device", "gpu:x"],
    ] {
        let run = gchr(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        assert!(!run.stderr.is_empty(), "{args:?}");
    }
}

/// What is to be logged and is not known is told, and the run goes on.
#[test]
fn a_log_that_is_not_known_is_told() {
    let log = |wanted: &str| {
        let run = std::process::Command::new(env!("CARGO_BIN_EXE_gchr"))
            .args(["run", "examples/min.trs", "--out", "/dev/null"])
            .current_dir(crate::support::root())
            .env("GCHR_LOG", wanted)
            .output()
            .expect("gchr runs");
        assert!(run.status.success(), "{wanted}");
        String::from_utf8(run.stderr).expect("UTF-8")
    };
    for wrong in ["nonsense", "info,nonsense", "gchr=loud", "gchr[[=debug"] {
        assert!(log(wrong).starts_with("gchr: nothing is logged: GCHR_LOG is "), "{wrong}: {}", log(wrong));
    }
    for right in ["", "off", "error", "gchr", "gchr_cuda=debug,warn"] {
        assert!(!log(right).contains("nothing is logged"), "{right}");
    }
}

#[test]
fn what_does_not_exist_yet_is_not_accepted() {
    for option in ["--semantics", "--firing", "--profile"] {
        assert_eq!(gchr(&["run", "examples/min.chr", option, "x"]).code, 2, "{option}");
    }
    assert_eq!(gchr(&["run", "examples/min.trs", "--device", "any"]).code, 2);
}

#[test]
fn unreadable_programs_are_diagnostics() {
    let scratch = Scratch::new();
    let shown = |name: &str, run: &dyn Fn(&str) -> crate::support::Run| {
        let run = run(name);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{name}: {}", run.stderr);
        run.stderr
    };
    let run = |name: &str| scratch.gchr(&["run", name]);
    scratch.file("empty.trs", "");
    scratch.file("blank.chr", "  \n\n");
    scratch.bytes("latin.trs", b"sort N = struct Zero();\n% caf\xe9\n");
    scratch.file("program.txt", PLUS);
    fs::create_dir(scratch.path("folder.trs")).unwrap();
    insta::assert_snapshot!(shown("missing.trs", &run), @r#"
    [U0101] Error: cannot read missing.trs: No such file or directory (os error 2)
      Help: give the path of a program file, e.g. examples/mergesort.trs
    "#);
    insta::assert_snapshot!(shown("folder.trs", &run), @r#"
    [U0101] Error: cannot read folder.trs: it is a folder
      Help: give the path of a program file, e.g. examples/mergesort.trs
    "#);
    insta::assert_snapshot!(shown("empty.trs", &run), @r#"
    [U0103] Error: empty.trs is empty
      Help: a program has at least one declaration; see the folder examples/
    "#);
    insta::assert_snapshot!(shown("blank.chr", &run), @r#"
    [U0103] Error: blank.chr is empty
      Help: a program has at least one declaration; see the folder examples/
    "#);
    insta::assert_snapshot!(shown("program.txt", &run), @r#"
    [U0104] Error: the ending of program.txt names no language
      Help: name the file .trs, .rec, .ari, .xml, .mcrl2 or .maude for term rewriting, or .chr for Constraint Handling Rules
    "#);
    insta::assert_snapshot!(shown("latin.trs", &run), @r#"
    [U0102] Error: latin.trs is not a UTF-8 text
       ╭─[ latin.trs:2:6 ]
       │
     2 │ % caf�
       │      ┬
       │      ╰── this byte is no UTF-8
       │
       │ Help: save the file as UTF-8
       │
       │ Note: byte 29 of the file
    ───╯
    "#);
}

#[test]
fn the_language_can_be_given() {
    let scratch = Scratch::new();
    scratch.file("program.txt", PLUS);
    let run =
        scratch.gchr(&["run", "program.txt", "--language", "trs", "--input", "Plus(S(Zero()), S(Zero()))"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "S(S(Zero))\n"), "{}", run.stderr);
}

#[test]
fn options_of_the_other_language_are_refused() {
    for args in [
        &["run", "examples/min.trs", "--query", "min(1)"][..],
        &["run", "examples/min.trs", "--facts", "min=x.csv"],
        &["run", "examples/min.chr", "--input", "Zero()"],
        &["run", "examples/min.trs", "--format", "csv"],
    ] {
        let run = gchr(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.contains("Help:"), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn a_program_without_start_says_how_to_start_it() {
    let scratch = Scratch::new();
    scratch.file("plus.trs", PLUS);
    scratch.file("min.chr", ":- chr_constraint min(+int).\nmin(A) \\ min(B) <=> A =< B | true.\n");
    let term = scratch.gchr(&["run", "plus.trs"]);
    assert_eq!(term.code, 2);
    assert!(term.stderr.contains("--input TERM"), "{}", term.stderr);
    let goals = scratch.gchr(&["run", "min.chr"]);
    assert_eq!(goals.code, 2);
    assert!(goals.stderr.contains("--query GOALS"), "{}", goals.stderr);
}

#[test]
fn every_finding_is_shown_and_nothing_runs() {
    let scratch = Scratch::new();
    scratch.file(
        "bad.trs",
        &PLUS.replace("Plus(X, Y));", "Plus(X, Q));\n    Plus(X) = X;\n    Plus(X, Y) = Frob(X);"),
    );
    let run = scratch.gchr(&["run", "bad.trs", "--input", "Zero()"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.matches("Error").count() >= 3, "{}", run.stderr);
    let check = scratch.gchr(&["check", "bad.trs"]);
    assert_eq!(check.code, 2);
    assert!(check.stderr.contains(&run.stderr), "{}", check.stderr);
}

#[test]
fn check_accepts_all_examples() {
    let folders = ["examples", "examples/chr", "examples/formats", "examples/language"]
        .map(|folder| root().join(folder));
    let programs = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|e| e.unwrap().path());
    let programs: Vec<_> = programs.filter(|p| gchr::Language::of_path(p).is_some()).collect();
    let mut args = vec!["check".to_string()];
    args.extend(programs.iter().map(|p| p.display().to_string()));
    let run = gchr(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stderr.matches(": no errors, ").count(), programs.len(), "{}", run.stderr);
    // Functions that are partial by intention, rules whose overlap does no harm, facts from a file, processes.
    let warned: Vec<_> =
        run.stderr.lines().filter(|l| l.contains(": no errors, ") && !l.contains("no warnings")).collect();
    let expected =
        ["bitonic.chr", "bitonic.trs", "bst.trs", "floyd.trs", "lexer.trs", "roads.chr", "warehouse.mcrl2"];
    assert!(warned.iter().all(|line| expected.iter().any(|name| line.contains(name))), "{warned:#?}");
}

#[test]
fn the_commands_of_the_readme_work() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let commands: Vec<_> =
        blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("gchr ")).collect();
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        let shell = format!("'{}' {command}", crate::support::BINARY);
        let output = Command::new("sh").current_dir(root()).args(["-c", &shell]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        // What is for GPUs alone says that there is none.
        let no_gpu = command.starts_with("devices --warm") && said.contains("D0101");
        assert!(output.status.success() || no_gpu, "{command}: {said}");
    }
    for file in readme.split('`').filter(|word| word.contains('/') && !word.contains([' ', '\n'])) {
        assert!(root().join(file).exists(), "README names `{file}`");
    }
}
