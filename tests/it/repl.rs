//! `gchr repl` with piped lines, and in a terminal.

use crate::support::{Run, Scratch};

const PATHS: &str = ":- chr_constraint edge(+int, +int), path(+int, +int).
path(X, Y) \\ path(X, Y) <=> true.
edge(X, Y) ==> path(X, Y).
edge(X, Y), path(Y, Z) ==> path(X, Z).
?- edge(8, 9).
";

const FIB: &str = "map Fib: Int -> Int;
var n: Int;
eqn n < 2 -> Fib(n) = n;
    Fib(n) = Fib(n - 1) + Fib(n - 2);
input Fib(10);
";

/// What a session does with these lines.
fn repl(scratch: &Scratch, args: &[&str], lines: &str) -> Run {
    scratch.gchr_with_input(&[&["repl"], args].concat(), lines)
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("paths.chr", PATHS);
    scratch.file("fib.trs", FIB);
    scratch.file("edges.csv", "4,5\n5,6\n");
    scratch
}

/// What changes nothing, and what a session cannot do, leave the store as it is.
#[test]
fn switches_keep_the_store() {
    let scratch = scratch();
    scratch.file(
        "leq.chr",
        ":- chr_constraint leq(?any, ?any).\nleq(X, X) <=> true.\nt @ leq(X, Y), leq(Y, X) <=> X = Y.\n",
    );
    let lines = "edge(1, 3)\n:set why off\n:set why on\n:set answers 0\n:store\n:undo\n:store\n";
    let ground = repl(&scratch, &["paths.chr"], lines);
    assert_eq!(ground.stdout.matches("edge(1,3)").count(), 2, "{}\n{}", ground.stdout, ground.stderr);
    assert!(ground.stderr.contains("when the store is empty"), "{}", ground.stderr);
    assert!(ground.stderr.contains("answers is 1, more, or all"), "{}", ground.stderr);
    let with_why = repl(&scratch, &["paths.chr", "--why"], "edge(1, 3)\n:set why on\n:store\n");
    assert_eq!(with_why.stdout.matches("edge(1,3)").count(), 2, "{}\n{}", with_why.stdout, with_why.stderr);
    let logic = repl(&scratch, &["leq.chr"], "leq(A, b)\n:set why on\n:store\nmember(X, [1])\n");
    assert!(logic.stderr.contains("U0142") && !logic.stderr.contains("C0302"), "{}", logic.stderr);
    assert!(logic.stdout.matches("leq(").count() >= 2, "{}", logic.stdout);
}

/// A session that waits for a line ends by a signal, and says no word of what it has not read or run.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_session_that_waits() {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};

    let scratch = scratch();
    let mut command = Command::new(crate::support::BINARY);
    command.current_dir(scratch.folder()).args(["repl", "paths.chr"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("gchr runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"edge(1, 2)\n:sizes\n").expect("it reads");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let sizes = lines.by_ref().map_while(Result::ok).find(|line| line.contains("path/2"));
    assert!(sizes.is_some(), "the sizes were written");
    std::thread::sleep(std::time::Duration::from_millis(300));
    crate::support::interrupt(&child);
    let ended = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.signal(), Some(libc::SIGINT), "{said}");
    assert!(said.contains("while a line was waited for") && !said.contains("nothing was run"), "{said}");
    drop(input);
}

/// A limit of time and Ctrl-C end the command that reads or writes a file, and not the session.
#[cfg(unix)]
#[test]
fn files_of_commands_hear_limits_and_signals() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    let scratch = scratch();
    scratch.file("many.csv", &(0..100_000).map(|i| format!("{i},{i}\n")).collect::<String>());
    scratch.file("plain.chr", ":- chr_constraint edge(+int, +int).\n");
    let lines = "edge(1, 2)\n:set timeout 1ms\n:facts edge=many.csv\n:set timeout off\n:sizes\n:facts edge=many.csv\n\
        :save a.session\n:set timeout 1ms\n:save b.session\n:open a.session\n:set timeout off\n:undo\n\
        :open a.session\n:sizes\n";
    let run = repl(&scratch, &["plain.chr"], lines);
    assert_eq!(run.stderr.matches("R0204").count(), 3, "{}", run.stderr);
    let expected = "edge(1,2)\nedge/2 1\n100001 constraints: edge/2 100001\nedge(1,2)\nedge/2 100001\n";
    assert_eq!(run.stdout, expected);
    assert!(!scratch.names().iter().any(|name| name.starts_with("b.session")), "{:?}", scratch.names());

    // A file of facts that comes slowly; the signal is there before its rows are.
    scratch.file("more.csv", &(0..1_000_000).map(|i| format!("a{i},{i}\n")).collect::<String>());
    scratch.file("texts.chr", ":- chr_constraint row(+any, +int).\n");
    let mut command = Command::new(crate::support::BINARY);
    command.current_dir(scratch.folder()).args(["repl", "texts.chr"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("gchr runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut ask = |text: &str, wanted: &str| {
        input.write_all(text.as_bytes()).expect("it reads");
        let line = lines.by_ref().map_while(Result::ok).find(|line| line.contains(wanted));
        assert!(line.is_some(), "{wanted} was written");
    };
    ask("row(a, 1)\n:sizes\n:facts row=more.csv\n", "row/2 1");
    std::thread::sleep(std::time::Duration::from_millis(30));
    crate::support::interrupt(&child);
    ask(":sizes\n", "row/2 1");
    drop(input);
    let ended = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains("R0205") && !said.contains("while"), "{said}");
}

/// The way out of a limit is one that a session has.
#[test]
fn limits_are_moved_by_commands() {
    let scratch = scratch();
    let lines = ":set max-steps 1\nedge(1, 2), edge(2, 3)\n:set max-steps off\n:set max-output 4\nedge(1, 2)\n:store\n";
    let run = repl(&scratch, &["paths.chr"], lines);
    assert_eq!(run.code, 1, "{}", run.stderr);
    for way in ["raise it with :set max-steps N, or :set max-steps off", "raise it with :set max-output SIZE"]
    {
        assert!(run.stderr.contains(way), "{way}: {}", run.stderr);
    }
    assert!(!run.stderr.contains("--max"), "{}", run.stderr);
    // The limit of the process, and that of what is read, go with it.
    scratch.file("grow.chr", ":- chr_constraint s(+int).\ns(N) ==> M is N + 1, s(M).\n");
    let lines = "s(1)\n:set memory 80M\ns(1)\n:set memory 1K\n:sizes\n:set memory off\n";
    let run = repl(&scratch, &["grow.chr", "--memory", "60M"], lines);
    for limit in ["60 MiB", "80 MiB"] {
        assert!(run.stderr.contains(&format!("memory limit of {limit} reached")), "{limit}: {}", run.stderr);
    }
    assert_eq!(run.stderr.matches("raise it with :set memory SIZE").count(), 2, "{}", run.stderr);
    assert_eq!(run.stderr.matches("in use already").count(), 1, "{}", run.stderr);
    assert_eq!(run.stderr.matches("Error").count(), 3, "{}", run.stderr);
    // Before the session is open, options are what there is.
    let run = repl(&scratch, &["grow.chr", "--memory", "1"], "");
    assert!(run.stderr.contains("raise it with --memory SIZE"), "{}", run.stderr);
}

#[test]
fn a_store_is_kept_in_a_file() {
    let scratch = scratch();
    let saved = repl(&scratch, &["paths.chr"], "edge(1, 2), edge(2, 3)\n:save a.session\n:save paths.chr\n");
    assert_eq!(saved.code, 1, "{}", saved.stderr);
    assert!(saved.stderr.contains("U0114"), "{}", saved.stderr);
    let lines = ":open a.session\n:sizes\nedge(3, 4)\n:open none.session\n:open edges.csv\n:save\n";
    let opened = repl(&scratch, &["paths.chr"], lines);
    assert_eq!(
        opened.stdout,
        "edge/2 2\npath/2 3\nedge(1,2)\nedge(2,3)\nedge(3,4)\n\
         path(1,2)\npath(1,3)\npath(1,4)\npath(2,3)\npath(2,4)\npath(3,4)\n"
    );
    for said in ["U0101", "none.session", "U0145", "edges.csv is no saved session", ":save takes a file"] {
        assert!(opened.stderr.contains(said), "{said}: {}", opened.stderr);
    }
    scratch.file("other.chr", &PATHS.replace("path(Y, Z) ==>", "path(Y, Z) ==> X < Z |"));
    let other = repl(&scratch, &["other.chr"], ":open a.session\n:sizes\n");
    assert!(other.stderr.contains("U0144") && !other.stdout.contains('2'), "{}", other.stderr);
}

/// A session reads terms as its program is written: `^` is a power in one language and a bit operation in another.
#[test]
fn terms_are_read_as_their_program_is_written() {
    let scratch = Scratch::new();
    scratch.file("m.maude", "fmod M is\n protecting LIST{Nat} .\nendfm\n");
    scratch.file(
        "m.mcrl2",
        "map f: List(Nat) # Nat -> Nat;\nvar l: List(Nat); n: Nat;\neqn f(l, n) = #l + exp(n, n);\n",
    );
    scratch.file("m.ari", "(format TRS)\n(fun f 1)\n(fun a 0)\n(rule (f x) x)\n");
    let maude = repl(&scratch, &["m.maude"], "2 ^ 10\nsize(1 2 3)\n2 +\n4 rem 3\n");
    assert_eq!(maude.stdout, "1024\n3\n1\n", "{}", maude.stderr);
    assert!(maude.stderr.contains("T3102"), "{}", maude.stderr);
    let mcrl2 = repl(&scratch, &["m.mcrl2"], "f([1, 2], 3)\nexp(2, 5)\n1 ^ 2\n");
    assert_eq!(mcrl2.stdout, "29\n", "{}", mcrl2.stderr);
    assert!(mcrl2.stderr.contains("T2404") && mcrl2.stderr.contains("T2001"), "{}", mcrl2.stderr);
    assert_eq!(repl(&scratch, &["m.ari"], "(f (f a))\nf(a)\n").stdout, "a\na\n");
}

#[test]
fn the_store_stays_from_goal_to_goal() {
    let scratch = scratch();
    let run =
        repl(&scratch, &["paths.chr"], "edge(1, 2)\n% a comment\n\nedge(2,\n 3).\n:store path/2\n:sizes\n");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected = "edge(1,2)\npath(1,2)\n\
        edge(1,2)\nedge(2,3)\npath(1,2)\npath(1,3)\npath(2,3)\n\
        path(1,2)\npath(1,3)\npath(2,3)\n\
        edge/2 2\npath/2 3\n";
    assert_eq!(run.stdout, expected);
    let rounds =
        repl(&scratch, &["paths.chr", "--semantics", "rounds"], "edge(1, 2)\nedge(2, 3)\n:store path/2\n");
    assert!(rounds.stdout.ends_with("path(1,2)\npath(1,3)\npath(2,3)\n"), "{}", rounds.stdout);
}

#[test]
fn a_goal_that_fails_leaves_the_store_and_the_session() {
    let scratch = scratch();
    let lines =
        "edge(1, 2)\nedge(2, 3), fail\nedgee(1, 2)\nedge(1, x)\nedge(3, 4)\n:undo\n:undo\n:undo\n:store\n";
    let run = repl(&scratch, &["paths.chr"], lines);
    assert_eq!(run.code, 1, "{}", run.stdout);
    for said in ["R0301", "the store is what it was before", "C0302", "nothing to take back"] {
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    }
    assert!(
        run.stdout.contains("edge(1,2)\nedge(3,4)\n") && !run.stdout.contains("edge(2,3)"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.ends_with("path(3,4)\nedge(1,2)\npath(1,2)\n"), "{}", run.stdout);
}

/// What the help of an error names is there: in sessions and runs, under both semantics, in goals and in rules.
#[test]
fn ways_out_of_errors_are_there() {
    let scratch = scratch();
    scratch.file("large.chr", ":- chr_constraint c(+int), d(+int).\nc(X) <=> Y is X * X, d(Y).\n");
    let goal = "c(10000000000)\n";
    for semantics in ["refined", "rounds"] {
        let session = repl(&scratch, &["large.chr", "--semantics", semantics], goal);
        assert!(session.stderr.contains("R0101"), "{semantics}: {}", session.stderr);
        assert!(session.stderr.contains("gchr repl --logic"), "{semantics}: {}", session.stderr);
        let failed = repl(&scratch, &["large.chr", "--semantics", semantics], "1 > 2\n");
        assert!(failed.stderr.contains("all goals of a query"), "{semantics}: {}", failed.stderr);
    }
    let run = ["run", "large.chr", "--query", goal.trim_end()];
    let rounds = scratch.gchr(&[&run[..], &["--semantics", "rounds"]].concat());
    assert!(rounds.stderr.contains("(--logic, without --semantics rounds"), "{}", rounds.stderr);
    for logic in
        [scratch.gchr(&[&run[..], &["--logic"]].concat()), repl(&scratch, &["large.chr", "--logic"], goal)]
    {
        assert!(logic.stdout.contains("d(100000000000000000000)"), "{}", logic.stderr);
    }
}

#[test]
fn commands_change_the_session() {
    let scratch = scratch();
    let lines = ":facts edge=edges.csv\n:set max-steps 1\nedge(1, 4)\n:set max-steps off\nedge(1, 4)\n\
        :stats on\n:run\n:stats off\n:clear\n:store\n:trace\nedge(1, 1)\n:trace off\n:help\n:reload\n:quit\nedge(0, 0)\n";
    let run = repl(&scratch, &["paths.chr"], lines);
    assert_eq!(run.code, 1, "{}", run.stderr);
    for said in ["step limit of 1 reached", "firings", "trace is on", "edge(1,1)#", ":store [NAME/ARITY ...]"]
    {
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    }
    assert!(run.stdout.contains("edge(1,4)\nedge(4,5)\nedge(5,6)\npath(1,4)\n"), "{}", run.stdout);
    assert!(run.stdout.contains("edge(8,9)") && !run.stdout.contains("edge(0,0)"), "{}", run.stdout);
    let wrong = ":nonsense\n:set nothing 1\n:set timeout never\n:store nothing/2\n:facts edge\n:facts edge=no.csv\n\
        :device tpu\n:device sim\n:sizes 1\nedge(1, 2)\n";
    let run = repl(&scratch, &["paths.chr"], wrong);
    assert_eq!(run.code, 1);
    assert_eq!(run.stderr.matches("Error:").count(), 9, "{}", run.stderr);
    assert_eq!(run.stdout, "edge(1,2)\npath(1,2)\n");
}

#[test]
fn terms_are_evaluated() {
    let scratch = scratch();
    let lines = "Fib(10)\nFib(\n 11)\nFob(1)\n:run\n:trace on\nFib(2)\n:trace off\n:store\n:device sim\nFib(7);\n:quit\n";
    let run = repl(&scratch, &["fib.trs"], lines);
    assert_eq!(run.stdout, "55\n89\n55\n1\n13\n", "{}", run.stderr);
    assert!(run.stderr.contains("did you mean") && run.stderr.contains("a term program has no store"));
    assert_eq!(run.code, 1);
    assert_eq!(repl(&scratch, &["fib.trs"], "Fib(3)\n").code, 0);
}

#[test]
fn the_end_of_input_within_a_goal_is_told() {
    let scratch = scratch();
    let run = repl(&scratch, &["paths.chr"], "edge(1, 2)\nedge(2,");
    assert_eq!((run.code, run.stdout.as_str()), (1, "edge(1,2)\npath(1,2)\n"), "{}", run.stderr);
    assert!(run.stderr.contains("U0118") && run.stderr.contains("edge(2,"), "{}", run.stderr);
    assert_eq!(repl(&scratch, &["paths.chr"], "edge(1, \"open\n").code, 1);
    assert_eq!(repl(&scratch, &["paths.chr"], "").code, 0);
    assert_eq!(repl(&scratch, &["missing.chr"], "edge(1, 2)\n").code, 2);
}

#[test]
fn programs_of_the_logic_machine_have_answers() {
    let scratch = Scratch::new();
    scratch.file("leq.chr", ":- chr_constraint leq(?any, ?any).\nleq(X, X) <=> true.\n\
        leq(X, Y), leq(Y, X) <=> X = Y.\nleq(X, Y) \\ leq(X, Y) <=> true.\nleq(X, Y), leq(Y, Z) ==> leq(X, Z).\n");
    let lines = "leq(a, b), member(X, [1, 2])\nleq(b, c)\nleq(c, d), throw(no)\n:set answers all\n\
        member(X, [1, 2])\n:undo\n:sizes\n:undo\n:save leq.session\nhalt(3)\n";
    let run = repl(&scratch, &["leq.chr", "--logic"], lines);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stdout.starts_with("X = 1\nleq(a, b)\n"), "{}", run.stdout);
    assert!(run.stdout.contains("leq(a, c)") && !run.stdout.contains("leq(c, d)"), "{}", run.stdout);
    assert!(run.stdout.contains(";\nX = 2\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("leq/2 3\n"), "{}", run.stdout);
    for said in ["R0304", "nothing to take back", "U0144"] {
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    }
}

/// In a terminal: lines are edited, Ctrl-C stops the goal and not the session, Ctrl-D ends it.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_is_one() {
    use std::time::{Duration, Instant};

    use crate::support::terminal::Terminal;

    let scratch = scratch();
    scratch
        .file("loop.chr", ":- chr_constraint p(+int).\np(X) <=> Y is X + 1, Y > 0, Z is Y mod 1000, p(Z).\n");
    let mut terminal = Terminal::start(scratch.folder(), &["repl", "loop.chr"]);
    terminal.wait_for("gchr> ");
    terminal.send("p(1)\r");
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    terminal.send("\x03");
    terminal.wait_for("interrupted");
    assert!(start.elapsed() < Duration::from_secs(5));
    terminal.wait_for("gchr> ");
    terminal.send(":he\t\r");
    terminal.wait_for("so does Ctrl-D");
    // At the prompt it only clears the line.
    terminal.send("\x03");
    assert_eq!(terminal.end_by("\x04"), Some(0));

    // A terminal that is closed ends the session; its lines are kept all the same, behind those of others.
    let history = || scratch.read("state/gchr/history");
    assert!(history().contains("p(1)\n") && history().contains(":he"), "{}", history());
    let mut closed = Terminal::start(scratch.folder(), &["repl", "loop.chr"]);
    closed.wait_for("gchr> ");
    closed.send(":sizes\r");
    closed.wait_for("gchr> ");
    closed.hang_up();
    assert!(history().contains("p(1)\n") && history().ends_with(":sizes\n"), "{}", history());
}

#[test]
fn derivations_are_shown_when_they_are_recorded() {
    let scratch = Scratch::new();
    scratch.file("paths.chr", PATHS);
    let lines = "edge(1,2), edge(2,3)\nfail\n:why path(1,3)\n:undo\n:why path(1,3)\n:why\n";
    let run = repl(&scratch, &["paths.chr", "--why"], lines);
    let tree =
        "path(1,3)#4 by rule 3 (paths.chr:4) with X = 1, Y = 2, Z = 3\n├─ edge(1,2)#0 is a goal of run 1\n";
    assert!(run.stdout.contains(tree), "{}", run.stdout);
    for said in ["R0301", "U0141", ":why takes a constraint"] {
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    }
    let later = repl(
        &scratch,
        &["paths.chr"],
        "edge(1,2)\n:why path(1,2)\n:set why on\n:clear\nedge(1,2)\n:why path(1,2)\n",
    );
    assert!(later.stderr.contains("U0143") && later.stderr.contains(":clear"), "{}", later.stderr);
    assert!(later.stdout.contains("path(1,2)#1 by rule 2"), "{}", later.stdout);
    scratch.file("fib.trs", FIB);
    let terms = repl(&scratch, &["fib.trs"], ":why .\nFib(3)\n:why .\n:why 1\n:why f(1)\n");
    assert!(terms.stdout.starts_with("55 (the result)\nmade by"), "{}{}", terms.stdout, terms.stderr);
    assert!(
        terms.stdout.contains("2\n2 (the result)\nmade by rule 2 (fib.trs:4) on Fib(3) with n = 3"),
        "{}",
        terms.stdout
    );
    assert!(["U0141", "U0140"].iter().all(|code| terms.stderr.contains(code)), "{}", terms.stderr);
}

/// The store goes to a device with `:device`, stays there from goal to goal, and comes back.
#[test]
fn a_store_goes_to_a_device_and_back() {
    let scratch = scratch();
    let lines = "edge(1, 2)\n:device sim\nedge(2, 3)\n:stats on\nedge(3, 4), fail\n:stats off\n:sizes\n:undo\n:undo\n\
        :facts edge=edges.csv\n:save a.session\n:device cpu\nedge(2, 4)\n:sizes\n:why path(1,2)\n";
    let args = ["paths.chr", "--semantics", "rounds"];
    let run = repl(&scratch, &args, lines);
    let small = "edge(1,2)\npath(1,2)\n";
    let two = "edge(1,2)\nedge(2,3)\npath(1,2)\npath(1,3)\npath(2,3)\n";
    let facts = "edge(1,2)\nedge(4,5)\nedge(5,6)\npath(1,2)\npath(4,5)\npath(4,6)\npath(5,6)\n";
    let last = "edge(1,2)\nedge(2,4)\nedge(4,5)\nedge(5,6)\npath(1,2)\npath(1,4)\npath(1,5)\npath(1,6)\npath(2,4)\n\
        path(2,5)\npath(2,6)\npath(4,5)\npath(4,6)\npath(5,6)\n";
    let sizes = ["edge/2 2\npath/2 3\n", "edge/2 4\npath/2 10\n"];
    assert_eq!(run.stdout, [small, two, sizes[0], small, facts, last, sizes[1]].concat(), "{}", run.stderr);
    for said in ["R0301", "the store is what it was before", "there is nothing to take back", "U0143"] {
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    }
    // A file of a session on a device is one of any other.
    let opened = repl(&scratch, &[&args[..], &["--device", "sim"]].concat(), ":open a.session\nedge(2, 4)\n");
    assert_eq!((opened.code, opened.stdout.as_str()), (0, last), "{}", opened.stderr);
    // Where that is not possible, the session goes on as it was.
    let refined = repl(&scratch, &["paths.chr"], "edge(1, 2)\n:device sim\n:sizes\n");
    assert_eq!(refined.stdout, format!("{small}edge/2 1\npath/2 1\n"));
    assert!(refined.stderr.contains("U0110"), "{}", refined.stderr);
    let recorded =
        repl(&scratch, &[&args[..], &["--why"]].concat(), "edge(1, 2)\n:device sim\n:why path(1,2)\n");
    assert!(recorded.stderr.contains("derivations are recorded on the processor"), "{}", recorded.stderr);
    assert!(recorded.stdout.contains("path(1,2)#1"), "{}", recorded.stdout);
}

/// The next run is recorded, also one that stops; the runs behind it are not.
#[test]
fn runs_have_profiles() {
    let scratch = scratch();
    let lines = ":profile a.html\nedge(1, 2)\nedge(2, 3)\n:profile b.json\n:set max-steps 1\nedge(3, 4)\n:set max-steps off\n\
        :profile c.txt\n:profile\n:profile paths.chr\n:profile d.json\nedge(\"x\")\n";
    let run = repl(&scratch, &["paths.chr"], lines);
    let page = scratch.read("a.html");
    assert!(page.contains("Profile of paths.chr") && page.contains("<main>"), "{page}");
    let stopped: serde_json::Value = serde_json::from_str(&scratch.read("b.json")).expect("JSON");
    assert!(stopped["stopped"].as_str().is_some_and(|why| why.contains("step limit")), "{stopped}");
    assert_eq!(stopped["points"].as_array().map(|points| points.is_empty()), Some(false));
    assert!(run.stderr.contains(".html, .svg or .json") && run.stderr.contains(":profile takes a file"));
    assert!(!scratch.path("d.json").exists() && !scratch.path("c.txt").exists(), "{}", run.stderr);
    let terms = repl(&scratch, &["fib.trs"], ":profile f.svg\nFib(12)\n");
    assert_eq!(terms.stdout, "144\n", "{}", terms.stderr);
    assert!(scratch.read("f.svg").starts_with("<svg "));
}
