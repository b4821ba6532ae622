//! Whatever takes long hears the time limit, signals and the other limits: results without end, input without end,
//! pipes without a peer.

use std::time::Duration;

use super::*;
use crate::support::process::{Ended, Process, Stdout};

/// A value of 2^60 leaves in 60 cells.
const SHARED: &str = ":- chr_constraint s(+any,+int).
s(X,N) <=> N > 0 | M is N-1, s(f(X,X),M).
?- s(a,60).
";
const WRITES: &str = ":- chr_constraint s(+any,+int).
s(X,N) <=> N > 0 | M is N-1, s(f(X,X),M).
s(X,0) <=> write(X).
?- s(a,60).
";
/// No comma shows early that a field of CSV needs quotes.
const SUM: &str = ":- chr_constraint s(+any,+int).
s(X,N) <=> N > 0 | M is N-1, s(X+X,M).
?- s(a,60).
";
const BEFORE: &str = ":- chr_constraint s(+any,+any,+int), less.
s(X,Y,N) <=> N > 0 | M is N-1, s(f(X,X),f(Y,Y),M).
s(X,Y,0) <=> X @< Y | less.
?- s(a,b,60).
";
/// An error that has a value as its operand.
const OPERAND: &str = ":- chr_constraint s(+any,+int), t(+any).
s(X,N) <=> N > 0 | M is N-1, s(f(X,X),M).
s(X,0) <=> Y is X + 1, t(Y).
?- s(a,60).
";
const TREE: &str = "sort T = struct L() | Node(T, T, T, T);
map B: Int -> T; P: T -> T;
var N: Int; X: T;
eqn B(0) = L();
    B(N) = P(B(N - 1));
    P(X) = Node(X, X, X, X);
input B(40);
";

/// The same as the answer of a program with logical variables, and in its store.
const ANSWER: &str = ":- chr_constraint s(+int,?any), kept(?any).
s(0,X) <=> X = a.
s(N,X) <=> N > 0 | M is N-1, X = f(Y,Y), s(M,Y).
?- s(60,X), kept(X).
";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    for (name, text) in [
        ("shared.chr", SHARED),
        ("writes.chr", WRITES),
        ("sum.chr", SUM),
        ("before.chr", BEFORE),
        ("operand.chr", OPERAND),
        ("tree.trs", TREE),
        ("answer.chr", ANSWER),
    ] {
        scratch.file(name, text);
    }
    scratch
}

fn run_to_end(scratch: &Scratch, args: &[&str], signal: Option<(i32, u64)>) -> Ended {
    let process = Process::start(scratch.folder(), &[&["run"], args].concat(), Stdout::Dropped);
    if let Some((_, after)) = signal {
        std::thread::sleep(Duration::from_millis(after));
    }
    process.end(signal.map(|(signal, _)| signal))
}

/// Runs of two seconds at most, in little memory.
fn assert_bounded(ended: &Ended, what: &str) {
    assert!(ended.cpu < Duration::from_millis(4500), "{what}: {ended:?}");
    assert!(ended.peak < 400 << 20, "{what}: {ended:?}");
}

#[test]
fn results_without_end_hear_the_time_limit() {
    let scratch = scratch();
    for args in [
        &["shared.chr"][..],
        &["shared.chr", "--format", "csv"],
        &["shared.chr", "--format", "json"],
        &["shared.chr", "--semantics", "rounds"],
        &["sum.chr", "--format", "csv"],
        &["writes.chr"],
        &["tree.trs"],
        &["tree.trs", "--format", "json"],
    ] {
        for out in [&["--out", "result"][..], &[]] {
            let ended =
                run_to_end(&scratch, &[args, out, &["--timeout", "700ms", "--memory", "16M"]].concat(), None);
            assert_eq!(ended.code, Some(1), "{args:?}: {ended:?}");
            assert!(ended.stderr.contains("R0204"), "{args:?}: {}", ended.stderr);
            assert_bounded(&ended, &format!("{args:?}"));
            assert!(!scratch.names().iter().any(|name| name.starts_with("result") || name.ends_with("part")));
        }
    }
}

/// Commands that compare results as text keep them within the same limits.
#[test]
fn results_without_end_are_not_compared() {
    let scratch = scratch();
    let tested = |text: &str, input: &str, result: &str| format!("{text}{input}\n{result}\n");
    scratch.file("tested.trs", &tested(TREE, "%> B(40)", "%= error R0204"));
    scratch.file("tested.chr", &tested(SHARED, "%> s(a, 60)", "%= error R0204"));
    for (args, code, says) in [
        (["compare", "tree.trs"], 1, "R0204"),
        (["compare", "shared.chr"], 1, "R0204"),
        (["test", "tested.trs"], 0, ""),
        (["test", "tested.chr"], 0, ""),
    ] {
        let limits = ["--timeout", "700ms", "--memory", "1G"];
        let ended = Process::start(scratch.folder(), &[&args[..], &limits].concat(), Stdout::Kept).end(None);
        assert_eq!(ended.code, Some(code), "{args:?}: {ended:?}");
        let said = format!("{}{}", String::from_utf8_lossy(&ended.stdout), ended.stderr);
        assert!(said.contains(says), "{args:?}: {ended:?}");
        assert!(ended.cpu < Duration::from_millis(9000), "{args:?}: {ended:?}");
    }
}

#[test]
fn results_without_end_hear_signals() {
    let scratch = scratch();
    for args in [
        &["shared.chr", "--out", "result"][..],
        &["shared.chr", "--format", "csv"],
        &["writes.chr"],
        &["tree.trs", "--out", "result"],
    ] {
        let ended = run_to_end(&scratch, args, Some((libc::SIGTERM, 500)));
        assert_eq!(ended.signal, Some(libc::SIGTERM), "{args:?}: {ended:?}");
        assert!(ended.stderr.contains("interrupted"), "{args:?}: {}", ended.stderr);
        assert_bounded(&ended, &format!("{args:?}"));
        assert!(!scratch.names().iter().any(|name| name.starts_with("result") || name.ends_with("part")));
    }
}

#[test]
fn values_are_compared_and_shown_in_messages_without_being_written_out() {
    let scratch = scratch();
    for semantics in ["refined", "rounds"] {
        let how = ["--semantics", semantics, "--timeout", "20s", "--memory", "64M"];
        let before = scratch.gchr(&[&["run", "before.chr"][..], &how].concat());
        assert_eq!((before.code, before.stdout.as_str()), (0, "less\n"), "{}", before.stderr);
        let operand = scratch.gchr(&[&["run", "operand.chr"][..], &how].concat());
        assert!(operand.code == 1 && operand.stderr.contains("R0103"), "{:.500}", operand.stderr);
        assert!(operand.stderr.len() < 2000, "{:.500}", operand.stderr);
        let traced =
            run_to_end(&scratch, &["shared.chr", "--trace", "--max-output", "10K", how[0], how[1]], None);
        assert!(traced.stderr.contains("R0207") && traced.stderr.len() < 400_000, "{:.500}", traced.stderr);
    }
}

#[test]
fn output_is_bounded_by_its_size() {
    let scratch = scratch();
    scratch.file("terms", "B(1)\nB(40)\nB(2)\n");
    for args in [
        &["shared.chr"][..],
        &["writes.chr"],
        &["tree.trs"],
        &["tree.trs", "--inputs", "terms"],
        &["answer.chr"],
        &["answer.chr", "--format", "json"],
        &["answer.chr", "--format", "csv"],
    ] {
        let limited = [&["run"][..], args, &["--max-output", "100K"]].concat();
        let ended = Process::start(scratch.folder(), &limited, Stdout::Kept).end(None);
        assert_eq!((ended.code, ended.stdout.len()), (Some(1), 100 << 10), "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("R0207"), "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("output limit of 100 KiB reached"), "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("--max-output"), "{args:?}: {}", ended.stderr);
        let ended = run_to_end(&scratch, &[&limited[1..], &["--out", "result"]].concat(), None);
        assert_eq!(ended.code, Some(1), "{args:?}: {}", ended.stderr);
        assert!(!scratch.names().iter().any(|name| name.starts_with("result") || name.ends_with("part")));
    }
    let whole = scratch.gchr(&["run", "tree.trs", "--input", "B(1)", "--max-output", "17"]);
    assert_eq!((whole.code, whole.stdout.as_str()), (0, "Node(L, L, L, L)\n"), "{}", whole.stderr);
}

/// Lines before and behind a long one are what they are alone, and the long one is written as it comes.
#[test]
fn a_long_line_of_a_batch_is_written_in_its_turn() {
    let scratch = scratch();
    let terms: Vec<String> =
        (0..2000).map(|i| format!("B({})", if i % 400 == 17 { 9 } else { i % 3 })).collect();
    scratch.file("terms", &terms.join("\n"));
    let expected = scratch.gchr(&["run", "tree.trs", "--inputs", "terms", "--threads", "1"]);
    assert_eq!(expected.code, 0, "{}", expected.stderr);
    assert_eq!(expected.stdout.lines().count(), 2000);
    for (term, line) in terms.iter().zip(expected.stdout.lines()) {
        let leaves = 4usize.pow(term[2..3].parse().unwrap());
        assert_eq!(line.matches('L').count(), leaves, "{term}");
    }
    let run = scratch.gchr(&["run", "tree.trs", "--inputs", "terms", "--threads", "4"]);
    assert!(run.code == 0 && run.stdout == expected.stdout, "{}", run.stderr);
    let json = scratch.gchr(&["run", "tree.trs", "--inputs", "terms", "--threads", "4", "--format", "json"]);
    for (line, text) in json.stdout.lines().zip(expected.stdout.lines()) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["normal_form"], text);
    }
    scratch.file("terms", "B(1)\nB(40)\nB(2)\n");
    for format in ["text", "json"] {
        let args =
            ["tree.trs", "--inputs", "terms", "--memory", "64M", "--timeout", "700ms", "--format", format];
        let ended = run_to_end(&scratch, &args, None);
        assert!(ended.code == Some(1) && ended.stderr.contains("R0204"), "{ended:?}");
        assert_bounded(&ended, format);
    }
}

/// Lines that were done are results, whatever ends the batch.
#[test]
fn lines_before_the_end_of_a_batch_are_written() {
    let scratch = Scratch::new();
    scratch
        .file("wait.trs", "map W: Int -> Int;\nvar N: Int;\neqn N > 0 -> W(N) = W(N + 1);\n    W(N) = N;\n");
    scratch.file("terms", "W(0)\nW(-3)\nW(1)\nW(0)\n");
    let args = ["run", "wait.trs", "--inputs", "terms"];
    let timed =
        Process::start(scratch.folder(), &[&args[..], &["--timeout", "1s"]].concat(), Stdout::Kept).end(None);
    assert_eq!((timed.code, &timed.stdout[..]), (Some(1), &b"0\n-3\n"[..]), "{}", timed.stderr);
    assert!(timed.stderr.contains("R0204") && timed.stderr.contains("after 2 lines"), "{}", timed.stderr);
    let process = Process::start(scratch.folder(), &args, Stdout::Kept);
    std::thread::sleep(Duration::from_millis(700));
    let ended = process.end(Some(libc::SIGINT));
    assert_eq!((ended.signal, &ended.stdout[..]), (Some(libc::SIGINT), &b"0\n-3\n"[..]), "{}", ended.stderr);
    assert!(ended.stderr.contains("R0205") && ended.stderr.contains("after 2 lines"), "{}", ended.stderr);
}

/// Everything that reads a file of the user's: what a name stands for may have no end.
#[test]
fn files_without_end_are_bounded() {
    let scratch = scratch();
    std::os::unix::fs::symlink("/dev/zero", scratch.path("zero")).unwrap();
    let folder = scratch.path("kept");
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.join("checkpoint")).unwrap();
    for args in [
        &["simd", "zero"][..],
        &["compare", "shared.chr", "sum.chr", "--mapping", "zero"],
        &["bench", "scale", "--against", "zero"],
        &["run", "shared.chr", "--semantics", "rounds", "--resume", "kept"],
    ] {
        // These commands have no option for it: the process gets what it may have from the system.
        let ended = Process::start_within(scratch.folder(), args, 1 << 30).end(None);
        assert!(ended.code.is_some_and(|code| code == 1 || code == 2), "{args:?}: {ended:?}");
        let told = if args[0] == "run" { "U0107" } else { "R0202" };
        assert!(ended.stderr.contains(told), "{args:?}: {}", ended.stderr);
        assert!(!ended.stderr.contains("the system gives no more memory"), "{args:?}: {}", ended.stderr);
    }
}

/// A line of a session, a saved store and the texts of a goal are within the limits of the session.
#[test]
fn sessions_hear_limits_from_the_first_byte_to_the_last() {
    let scratch = scratch();
    let session = |args: &[&str], lines: &mut dyn std::io::Read| {
        let all = [&["repl", "shared.chr", "--memory", "64M"], args].concat();
        let mut process = Process::start_with_input(scratch.folder(), &all, Stdout::Dropped);
        process.feed(lines);
        process.end(None)
    };
    let endless = session(&[], &mut std::io::repeat(b'a'));
    assert!(endless.code == Some(1) && endless.stderr.contains("R0202"), "{endless:?}");
    assert!(endless.stderr.contains("a line of the input"), "{}", endless.stderr);
    let open = session(&[], &mut &b"s(\n".repeat(1 << 18)[..]);
    assert!(open.code == Some(1) && open.stderr.contains("U0118"), "{open:?}");
    let written = session(&["--timeout", "700ms"], &mut &b"s(a, 60)\n:store\ns(b, 1)\n"[..]);
    assert!(
        written.code == Some(1) && written.stderr.contains("while the result was written"),
        "{written:?}"
    );
    let zero = session(&[], &mut &b":open /dev/zero\n"[..]);
    assert!(zero.code == Some(1) && zero.stderr.contains("R0202"), "{zero:?}");
    for (ended, what) in [(endless, "endless"), (open, "open"), (written, "written"), (zero, "zero")] {
        assert_bounded(&ended, what);
    }
}

#[test]
fn input_without_end_ends_at_the_memory_limit() {
    let scratch = scratch();
    std::os::unix::fs::symlink("/dev/zero", scratch.path("zero.csv")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", scratch.path("zero.trs")).unwrap();
    let rows: String = (0..300_000).map(|i| format!("a{i},{i}\n")).collect();
    scratch.file("rows.csv", &rows);
    for args in [
        &["shared.chr", "--facts", "s=zero.csv", "--memory", "64M"][..],
        &["zero.trs", "--memory", "64M"],
        &["tree.trs", "--inputs", "/dev/zero", "--memory", "64M"],
        &["shared.chr", "--facts", "s=rows.csv", "--memory", "1K"],
        &["shared.chr", "--facts", "s=rows.csv", "--memory", "8M"],
    ] {
        let ended = run_to_end(&scratch, args, None);
        assert_eq!(ended.code, Some(1), "{args:?}: {ended:?}");
        assert!(ended.stderr.contains("R0202"), "{args:?}: {}", ended.stderr);
        assert!(ended.peak < 200 << 20, "{args:?}: {ended:?}");
    }
}

#[test]
fn a_pipe_without_a_peer_hears_limits_and_signals() {
    let scratch = scratch();
    for name in ["pipe.csv", "pipe.trs", "pipe"] {
        assert!(Command::new("mkfifo").arg(scratch.path(name)).status().unwrap().success());
    }
    for args in [
        &["shared.chr", "--facts", "s=pipe.csv"][..],
        &["pipe.trs"],
        &["tree.trs", "--inputs", "pipe"],
        &["tree.trs", "--input", "B(1)", "--out", "pipe"],
    ] {
        let ended = run_to_end(&scratch, &[args, &["--timeout", "500ms"]].concat(), None);
        assert_eq!(ended.code, Some(1), "{args:?}: {ended:?}");
        assert!(
            ended.stderr.contains("R0204") && ended.stderr.contains("while"),
            "{args:?}: {}",
            ended.stderr
        );
        let ended = run_to_end(&scratch, args, Some((libc::SIGINT, 300)));
        assert_eq!(ended.signal, Some(libc::SIGINT), "{args:?}: {ended:?}");
        assert!(ended.stderr.contains("interrupted"), "{args:?}: {}", ended.stderr);
    }
}

/// Reading, checking and planning look at no limit: the process is ended.
#[test]
fn programs_are_read_and_planned_within_the_time_limit() {
    let scratch = Scratch::new();
    let rules = |n: usize| (0..n).map(|i| format!("a({i}, X) <=> b({i}, X).\n")).collect::<String>();
    let text = format!(":- chr_constraint a(+int, ?any), b(+int, ?any).\n{}?- a(1, x).\n", rules(200_000));
    scratch.file("rules.chr", &text);
    let ended = run_to_end(&scratch, &["rules.chr", "--timeout", "1s"], None);
    assert!(ended.code == Some(1) && ended.stderr.contains("R0204"), "{ended:?}");
    // How much memory it has by then is a matter of how fast it reads.
    assert!(ended.cpu < Duration::from_millis(4500), "{ended:?}");
    let ended = run_to_end(&scratch, &["rules.chr"], Some((libc::SIGINT, 700)));
    assert!(ended.signal == Some(libc::SIGINT) && ended.stderr.contains("interrupted"), "{ended:?}");
    assert!(ended.cpu_after < Duration::from_millis(1000), "{ended:?}");
    for command in ["check", "emit"] {
        let process = Process::start(scratch.folder(), &[command, "rules.chr"], Stdout::Dropped);
        std::thread::sleep(Duration::from_millis(400));
        let ended = process.end(Some(libc::SIGTERM));
        assert!(ended.signal == Some(libc::SIGTERM), "{command}: {ended:?}");
        assert!(ended.cpu_after < Duration::from_millis(1000), "{command}: {ended:?}");
    }
}

#[test]
fn a_reader_that_does_not_read_is_not_waited_for() {
    let scratch = scratch();
    let args = ["run", "tree.trs", "--timeout", "500ms"];
    let mut child = Command::new(crate::support::BINARY)
        .current_dir(scratch.folder())
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let held = child.stdout.take();
    let output = child.wait_with_output().unwrap();
    drop(held);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("R0204") && errors.contains("standard output has"), "{errors}");
}

/// What a shell started to ignore stays ignored; what it did not ends the process as a shell expects.
#[test]
fn signals_end_a_process_as_shells_expect() {
    let scratch = Scratch::new();
    scratch.file("loop.trs", LOOP);
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        let args = ["run", "loop.trs", "--stats"];
        let process = Process::start(scratch.folder(), &args, Stdout::Dropped);
        std::thread::sleep(Duration::from_millis(300));
        let ended = process.end(Some(signal));
        assert_eq!((ended.code, ended.signal), (None, Some(signal)), "{ended:?}");
        assert!(ended.stderr.contains("R0205") && ended.stderr.contains("stopped after"), "{}", ended.stderr);
        assert!(ended.stderr.contains("run_ms"), "{}", ended.stderr);
        let mut process = Process::start_with(scratch.folder(), &args, Stdout::Dropped, libc::SIG_IGN);
        std::thread::sleep(Duration::from_millis(300));
        process.send(signal);
        std::thread::sleep(Duration::from_millis(300));
        assert!(process.goes_on(), "{signal}");
        process.end(Some(libc::SIGKILL));
    }
}
