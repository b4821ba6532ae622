//! Limits, signals, deep and large input.

#[cfg(unix)]
use std::os::unix::process::ExitStatusExt as _;

use super::*;

#[test]
fn rounds_by_option_of_the_program_or_the_command_line() {
    let scratch = Scratch::new();
    scratch.file("sums.chr", SUMS);
    let run = scratch.gchr(&["run", "sums.chr", "--stats", "--threads", "2"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "s(21)\n"), "{}", run.stderr);
    assert!(run.stderr.contains("rounds"), "{}", run.stderr);
    for firing in ["indexed", "general", "exhaustive"] {
        let run = scratch.gchr(&["run", "sums.chr", "--firing", firing, "--trace"]);
        assert_eq!((run.code, run.stdout.as_str()), (0, "s(21)\n"), "{firing}: {}", run.stderr);
        assert!(run.stderr.contains("round 1 rule 1: \\ s(3)#2 s(2)#1\n"), "{firing}: {}", run.stderr);
    }
    let run = scratch.gchr(&["run", "sums.chr", "--max-rounds", "2"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert!(
        run.stderr.contains("R0206") && run.stderr.contains("3 constraints were in the store"),
        "{}",
        run.stderr
    );
    for option in [["--gc", "queue"], ["--scheduler", "tasks"]] {
        let run = scratch.gchr(&["run", "sums.chr", "--device", "sim", option[0], option[1]]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("does not apply to a constraint program"), "{}", run.stderr);
    }
    let run = scratch.gchr(&["run", "sums.chr", "--semantics", "refined", "--firing", "exhaustive"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    let run = scratch.gchr(&["check", "sums.chr"]);
    assert!(run.code == 0 && run.stderr.contains("C0611"), "{}", run.stderr);
}

/// Whoever runs the program, interpreter, native code or kernels of either scheduler.
#[test]
fn an_application_without_a_rule_is_shown_with_its_function() {
    const TEXT: &str =
        "sort N = struct Z();\nmap G: Int -> Int;\nvar N: Int;\neqn N > 3 -> G(N) = G(N - 1);\n";
    let scratch = Scratch::new();
    scratch.file("gap.trs", TEXT);
    for options in [
        &["--native", "off"][..],
        &["--native", "on"],
        &["--device", "sim"],
        &["--device", "sim", "--scheduler", "topology"],
        &["--trace"],
    ] {
        for (input, steps) in [("G(3) + 1", 0), ("G(5)", 2)] {
            let run = scratch.gchr(&[&["run", "gap.trs", "--input", input], options].concat());
            assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{options:?}: {}", run.stderr);
            assert!(run.stderr.contains("no rule matches G(3)"), "{options:?}: {}", run.stderr);
            assert!(run.stderr.contains("none of its equations matches"), "{options:?}: {}", run.stderr);
            assert!(run.stderr.contains("gap.trs:2:5") || steps > 0, "{options:?}: {}", run.stderr);
        }
    }
}

#[test]
fn limits_end_a_run_with_exit_code_1() {
    let scratch = Scratch::new();
    scratch.file("loop.trs", LOOP);
    scratch.file("count.chr", COUNT);
    for (program, option, value, code) in [
        ("loop.trs", "--max-steps", "1000", "R0201"),
        ("count.chr", "--max-steps", "1000", "R0201"),
        ("count.chr", "--memory", "4M", "R0202"),
        ("loop.trs", "--timeout", "1s", "R0204"),
        ("count.chr", "--timeout", "1s", "R0204"),
    ] {
        let start = Instant::now();
        let run = scratch.gchr(&["run", program, option, value, "--out", "result"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{program} {option}: {}", run.stderr);
        assert!(run.stderr.contains(code) && run.stderr.contains("stopped after"), "{}", run.stderr);
        assert!(run.stderr.contains(&format!("raise it with {option} ")), "{option}: {}", run.stderr);
        assert!(start.elapsed() < Duration::from_secs(20), "{program} {option}");
        assert!(!scratch.path("result").exists(), "{program} {option}");
        if value == "1000" {
            // Rule applications that a plan makes in one go are counted in one go.
            let steps = run
                .stderr
                .split("stopped after ")
                .nth(1)
                .and_then(|t| t.split(' ').next()?.parse::<u64>().ok());
            assert!(steps.is_some_and(|n| (1000..1100).contains(&n)), "{}", run.stderr);
        }
    }
    assert_eq!(scratch.names(), ["count.chr", "loop.trs"]);
}

/// Such terms are small, and exponentially large when they are written out. The processor, and the scheduler `tasks`
/// for start terms, compare shared subterms once. Kernels compare all that is written out, those of `tasks` until they
/// refuse it, and hear their limits meanwhile.
#[test]
fn comparing_terms_that_share_subterms_ends_or_hears_its_limit() {
    let scratch = Scratch::new();
    let text = "sort N = struct Z | P(N, N);\nmap D: N -> N; Same: N # N -> Bool;\nvar X, Y: N;\n\
        eqn D(X) = P(X, X); Same(X, Y) = X == Y;\ninput Z;\n";
    scratch.file("same.trs", text);
    let run = |options: &[&str], input: &str, limit: &str| {
        let start = Instant::now();
        let fixed = ["run", "same.trs", "--input", input, "--timeout", limit];
        let run = scratch.gchr(&[&fixed, options].concat());
        assert!(start.elapsed() < Duration::from_secs(60), "{options:?} {input}");
        run
    };
    let tasks = ["--device", "sim", "--scheduler", "tasks"];
    let topology = ["--device", "sim", "--scheduler", "topology"];
    for options in [&["--device", "cpu"][..], &tasks] {
        for input in ["D^28(Z) == D^28(Z)", "D^60(Z) == D^60(Z)"] {
            let ended = run(options, input, "50s");
            assert_eq!(
                (ended.code, ended.stdout.as_str()),
                (0, "true\n"),
                "{options:?} {input}: {}",
                ended.stderr
            );
        }
    }
    for (options, input) in [(tasks, "Same(D^60(Z), D^60(Z))"), (topology, "D^60(Z) == D^60(Z)")] {
        let stopped = run(&options, input, "3s");
        assert_eq!((stopped.code, stopped.stdout.as_str()), (1, ""), "{options:?}: {}", stopped.stderr);
        assert!(stopped.stderr.contains("R0204"), "{options:?}: {}", stopped.stderr);
    }
}

#[test]
fn the_memory_limit_holds_for_terms() {
    let scratch = Scratch::new();
    let grow =
        "sort L = struct Nil() | C(L) | Grow(L);\nvar X: L;\neqn Grow(X) = Grow(C(X));\ninput Grow(Nil());\n";
    scratch.file("grow.trs", grow);
    let run = scratch.gchr(&["run", "grow.trs", "--memory", "16M"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("R0202"), "{}", run.stderr);
}

/// Runs gchr in a process that may have so many KiB of address space.
#[cfg(target_os = "linux")]
fn in_address_space(scratch: &Scratch, kib: u64, args: &[&str]) -> crate::support::Run {
    let command = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .current_dir(scratch.folder())
        .args(["-c", &command, crate::support::BINARY])
        .args(args)
        .output()
        .unwrap();
    crate::support::Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Address space is what threads, heaps and the allocator share: little of it is enough for a small run, and less than
/// enough is an error with a name.
#[cfg(target_os = "linux")]
#[test]
fn limited_address_space_is_enough_or_an_error() {
    let scratch = Scratch::new();
    let sort = root().join("examples/mergesort.trs").display().to_string();
    let fib = root().join("examples/fib.chr").display().to_string();
    scratch.file("count.chr", COUNT);
    let terms: String = (0..600).map(|seed| format!("Sort(Random(50, {seed}))\n")).collect();
    scratch.file("terms", &terms);
    let runs: [&[&str]; 4] = [
        &["run", &sort, "--inputs", "terms", "--threads", "8"],
        &["run", &sort, "--inputs", "terms", "--threads", "2", "--memory", "1G"],
        &["run", &fib, "--semantics", "rounds", "--threads", "64"],
        &["run", "count.chr", "--semantics", "rounds", "--max-steps", "3000", "--threads", "8"],
    ];
    for (args, end) in runs.into_iter().zip([0, 0, 0, 1]) {
        for kib in [200_000, 300_000, 500_000, 1_000_000, 6 << 20] {
            let run = in_address_space(&scratch, kib, args);
            let named = run.code == 1 && ["R0202", "R0208"].iter().any(|code| run.stderr.contains(code));
            assert!(run.code == end || named, "{args:?} in {kib} KiB: {}: {}", run.code, run.stderr);
            if kib >= 1_000_000 {
                assert_eq!(run.code, end, "{args:?} in {kib} KiB: {}", run.stderr);
                assert!(!run.stderr.contains("R0202"), "{args:?} in {kib} KiB: {}", run.stderr);
            }
        }
    }
}

/// A program whose plan takes more than there is ends every command that reads it with the same words, where the system
/// would kill a process that goes on to ask for memory.
#[cfg(target_os = "linux")]
#[test]
fn every_command_that_reads_a_program_is_bounded() {
    let scratch = Scratch::new();
    let fields: Vec<String> = (0..4000).map(|i| format!("p{i}: N")).collect();
    let text = format!("sort N = struct Z;\nsort W = struct w({});\ninput Z;\n", fields.join(", "));
    scratch.file("wide.trs", &text);
    let of_system = "Help: end other programs, or raise the limit of the process";
    let of_command = "Help: raise it with --memory SIZE";
    let commands: [(&[&str], &str); 4] = [
        (&["run"], of_command),
        (&["check"], of_system),
        (&["emit", "--stage", "plan"], of_system),
        (&["verify"], of_system),
    ];
    for (command, help) in commands {
        let run = in_address_space(&scratch, 800_000, &[command, &["wide.trs"]].concat());
        assert_eq!(run.code, 1, "{command:?}: {}", run.stderr);
        assert!(run.stderr.contains("[R0202] Error: memory limit"), "{command:?}: {}", run.stderr);
        assert!(run.stderr.contains("nothing was run"), "{command:?}: {}", run.stderr);
        assert!(run.stderr.contains(help), "{command:?}: {}", run.stderr);
    }
}

/// Runs gchr; gives its end and the most memory, in bytes, that it had of the machine.
#[cfg(target_os = "linux")]
fn with_peak(scratch: &Scratch, args: &[&str]) -> (crate::support::Run, u64) {
    let mut command = Command::new(crate::support::BINARY);
    let mut child = command
        .current_dir(scratch.folder())
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = String::new();
    let read = std::io::Read::read_to_string(child.stderr.as_mut().unwrap(), &mut stderr);
    assert!(read.is_ok());
    let cost = gchr_testkit::child::wait(child);
    let code = cost.status.code().unwrap_or(-1);
    (crate::support::Run { code, stdout: String::new(), stderr }, cost.peak)
}

/// What the process has of the machine, but for what every process of gchr has.
#[cfg(target_os = "linux")]
#[test]
fn the_memory_limit_bounds_the_process() {
    let scratch = Scratch::new();
    scratch.file(
        "grow.trs",
        "sort L = struct Nil() | C(L) | Grow(L);\nvar X: L;\neqn Grow(X) = Grow(C(X));\ninput Grow(Nil());\n",
    );
    scratch.file("count.chr", COUNT);
    scratch.file("end.trs", &format!("{PLUS}input Zero();\n"));
    let least = |device| {
        let (done, peak) = with_peak(&scratch, &["run", "end.trs", "--device", device]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        peak
    };
    for args in [
        &["run", "grow.trs"][..],
        &["run", "count.chr"],
        &["run", "count.chr", "--semantics", "rounds", "--threads", "2"],
        &["run", "grow.trs", "--device", "sim"],
    ] {
        let (run, peak) = with_peak(&scratch, &[args, &["--memory", "64M"]].concat());
        assert_eq!(run.code, 1, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("R0202") && run.stderr.contains("64 MiB"), "{args:?}: {}", run.stderr);
        let most =
            least(if args.contains(&"sim") { "sim" } else { "cpu" }) + (64 << 20) / 10 * 11 + (4 << 20);
        assert!(peak < most, "{args:?}: {} of {} MiB", peak >> 20, most >> 20);
    }
}

/// A program that is small as a text, and large as what is made of it before it runs.
#[cfg(target_os = "linux")]
#[test]
fn the_memory_limit_bounds_what_is_made_of_a_program() {
    let scratch = Scratch::new();
    let functions = |n: usize| {
        let declared: String = (0..=n).map(|i| format!("map F{i}: Int -> Int;\n")).collect();
        let rules: String = (0..n).map(|i| format!("F{i}(N) = F{}(N + 1);\n", i + 1)).collect();
        format!("{declared}var N: Int;\neqn {rules}F{n}(N) = N;\ninput F0(1);\n")
    };
    scratch.file("one.trs", &functions(1));
    scratch.file("many.trs", &functions(40_000));
    let (done, least) = with_peak(&scratch, &["run", "one.trs"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    for args in [&["run", "many.trs"][..], &["why", "many.trs", "--of", "."]] {
        let (run, peak) = with_peak(&scratch, &[args, &["--memory", "24M"]].concat());
        assert_eq!(run.code, 1, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("R0202") && run.stderr.contains("24 MiB"), "{args:?}: {}", run.stderr);
        // What the watchdog leaves, and what is taken until it looks.
        let most = least + (24 << 20) + (32 << 20);
        assert!(peak < most, "{args:?}: {} of {} MiB", peak >> 20, most >> 20);
    }
}

/// Whatever the limit is met in, from the reading of the text to the writing of the result, it is the limit that ended
/// the run.
#[cfg(target_os = "linux")]
#[test]
fn a_memory_limit_is_no_mistake_of_the_user_wherever_it_is_met() {
    let scratch = Scratch::new();
    let mut text = String::from("sort N = struct Z() | S(N);\n");
    (0..1500).for_each(|i| text += &format!("map F{i}: N -> N;\n"));
    text += "var X: N;\neqn\n";
    (0..1500).for_each(|i| text += &format!("F{i}(Z()) = Z();\nF{i}(S(X)) = S(F{}(X));\n", (i + 1) % 1500));
    scratch.file("large.trs", &(text + "input F0(S^5(Z()));\n"));
    let mut ends = std::collections::BTreeSet::new();
    for device in ["cpu", "sim"] {
        for mib in [1, 2, 3, 5, 8, 12, 20, 30, 45, 70, 4000] {
            let limit = format!("{mib}M");
            let run = scratch.gchr(&["run", "large.trs", "--device", device, "--memory", &limit]);
            let named = run.code == 1 && run.stderr.contains("R0202");
            assert!(named || run.code == 0, "{limit} on {device}: {}: {}", run.code, run.stderr);
            ends.insert((device, run.code));
        }
    }
    assert_eq!(ends.len(), 4, "a limit that is met, and one that is not, on both devices: {ends:?}");
}

#[test]
fn failing_and_undefined_steps_are_exit_code_1() {
    let scratch = Scratch::new();
    scratch.file("divide.trs", "map F: Int -> Int;\nvar N: Int;\neqn F(N) = 1 div N;\ninput F(0);\n");
    scratch.file(
        "overflow.chr",
        ":- chr_constraint a(+float).\na(N) <=> N > 0 | M is N * N, a(M).\n?- a(10.0).\n",
    );
    scratch.file("fail.chr", ":- chr_constraint a.\na <=> fail.\n?- a.\n");
    for (program, code) in [("divide.trs", "R0102"), ("overflow.chr", "R0101"), ("fail.chr", "R0301")] {
        let run = scratch.gchr(&["run", program, "--format", "json"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{program}: {}", run.stderr);
        assert!(run.stderr.contains(code), "{program}: {}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_cleanly_and_says_how_far_it_got() {
    let scratch = Scratch::new();
    scratch.file("loop.trs", LOOP);
    scratch.file("count.chr", &COUNT.replace("kept(N), ", ""));
    for (program, device) in [("loop.trs", "cpu"), ("count.chr", "cpu"), ("loop.trs", "sim")] {
        let child = Command::new(crate::support::BINARY)
            .current_dir(scratch.folder())
            .args(["run", program, "--device", device, "--out", "result", "--stats"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The result file is opened just before the run.
        crate::support::wait_until(|| scratch.names().iter().any(|n| n.ends_with(".part")));
        std::thread::sleep(Duration::from_millis(100));
        crate::support::interrupt(&child);
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), Some(2), "{errors}");
        assert!(errors.contains("interrupted") && errors.contains("stopped after"), "{errors}");
        assert!(errors.contains("run_ms"), "{errors}");
        assert_eq!(scratch.names(), ["count.chr", "loop.trs"]);
    }
}

/// `timeout` sends its signal to the process and to its group: that is one request.
#[cfg(unix)]
#[test]
fn a_signal_that_comes_twice_at_once_is_one() {
    let scratch = Scratch::new();
    scratch.file("loop.trs", LOOP);
    let run = Command::new("timeout")
        .current_dir(scratch.folder())
        .args(["1", crate::support::BINARY, "run", "loop.trs", "--out", "result"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(124), "{errors}");
    assert!(errors.contains("interrupted") && errors.contains("stopped after"), "{errors}");
    assert_eq!(scratch.names(), ["loop.trs"]);
}

/// Nothing but `--scheduler` chooses another scheduler, however large a program is.
#[test]
fn programs_of_few_and_many_functions_run_under_one_scheduler() {
    let scratch = Scratch::new();
    let scheduler = |functions: usize, more: &[&str]| {
        let mut text = String::from("sort N = struct Z() | S(N);\n");
        (0..functions).for_each(|i| text += &format!("map F{i}: N -> N;\n"));
        text += "var X: N;\neqn\n";
        for i in 0..functions {
            let (next, other) = ((i + 1) % functions, (i + 7) % functions);
            text += &format!("F{i}(Z()) = Z();\nF{i}(S(X)) = S(F{next}(F{other}(X)));\n");
        }
        text += "input F0(S^5(Z()));\n";
        scratch.file("chain.trs", &text);
        let run =
            scratch.gchr(&[&["run", "chain.trs", "--device", "sim", "--format", "json"], more].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let result: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        (result["normal_form"].clone(), result["stats"]["scheduler"].clone())
    };
    let (few, by) = scheduler(8, &[]);
    assert_eq!((by, few), ("tasks".into(), "S^5(Z)".into()));
    let (many, by) = scheduler(100, &[]);
    assert_eq!(by, "tasks");
    assert_eq!(scheduler(100, &["--scheduler", "topology"]), (many, "topology".into()));
}

#[test]
fn deep_terms_and_long_lists() {
    let n = if cfg!(debug_assertions) { 1_000_000 } else { 10_000_000 };
    let scratch = Scratch::new();
    scratch.file("plus.trs", PLUS);
    let run = scratch.gchr(&["run", "plus.trs", "--input", &format!("Plus(S^{n}(Zero()), S^{n}(Zero()))")]);
    assert_eq!((run.code, run.stdout), (0, format!("S^{}(Zero)\n", 2 * n)), "{}", run.stderr);
    let list = scratch.gchr(&[
        "run",
        &root().join("examples/mergesort.trs").display().to_string(),
        "--input",
        &format!("Even(Random({n}, 7))"),
        "--out",
        "list",
    ]);
    assert_eq!(list.code, 0, "{}", list.stderr);
    let mut count = 0;
    for part in BufReader::new(fs::File::open(scratch.path("list")).unwrap()).split(b'C') {
        count += usize::from(part.unwrap().starts_with(b"ons("));
    }
    assert_eq!(count, n / 2);
}

#[test]
fn deep_nesting_in_a_text_is_no_crash() {
    let scratch = Scratch::new();
    let n = 100_000;
    scratch.file("plus.trs", PLUS);
    let nested = format!("{}Zero(){}", "S(".repeat(n), ")".repeat(n));
    scratch.file("input.trs", &format!("{PLUS}input {nested};\n"));
    let run = scratch.gchr(&["run", "input.trs"]);
    assert_eq!((run.code, run.stdout), (0, format!("S^{n}(Zero)\n")), "{}", run.stderr);
    for (name, text) in [
        ("rule.trs", format!("{PLUS}    Plus(Zero(), X) = {nested};\n")),
        ("open.trs", format!("{PLUS}input {}", "Plus(".repeat(n))),
        (
            "body.chr",
            format!(
                ":- chr_constraint a(?any).\na(1) <=> a({}1{}).\n?- a(1).\n",
                "f(".repeat(n),
                ")".repeat(n)
            ),
        ),
        ("brackets.chr", format!(":- chr_constraint a(?any).\n?- a({}).\n", "[".repeat(n))),
        ("minus.chr", format!(":- chr_constraint a(?any).\n?- X is {}1, a(X).\n", "- ".repeat(n))),
    ] {
        scratch.file(name, &text);
        let run = scratch.gchr(&["check", name]);
        assert!([0, 2].contains(&run.code), "{name}: exit code {}: {:.300}", run.code, run.stderr);
    }
}

#[test]
fn a_million_facts_and_a_bad_line() {
    let rows = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
    let scratch = Scratch::new();
    let program = ":- chr_constraint edge(+int, +int, +int), least(+int).\n\
                   least(A) \\ least(B) <=> A =< B | true.\nedge(0, _, D) ==> least(D).\n";
    scratch.file("edges.chr", program);
    let write = |name: &str, bad: Option<(usize, &str)>| {
        let mut file = std::io::BufWriter::new(fs::File::create(scratch.path(name)).unwrap());
        for line in 1..=rows {
            match bad {
                Some((at, text)) if at == line => writeln!(file, "{text}").unwrap(),
                _ => writeln!(file, "{},{line},{}", line % 1000, 1 + line % 97).unwrap(),
            }
        }
        file.flush().unwrap();
    };
    write("good.csv", None);
    let facts = scratch.gchr(&[
        "run",
        "edges.chr",
        "--facts",
        "edge=good.csv",
        "--format",
        "csv",
        "--out",
        "out.csv",
    ]);
    assert_eq!(facts.code, 0, "{}", facts.stderr);
    let written = fs::read_to_string(scratch.path("out.csv")).unwrap();
    assert_eq!(written.lines().count(), rows + 1);
    assert!(written.ends_with("least,1\n"));
    for (name, text) in
        [("columns.csv", "1,2"), ("number.csv", "1,two,3"), ("large.csv", "1,99999999999999999999,3")]
    {
        write(name, Some((70_001, text)));
        let run = scratch.gchr(&["run", "edges.chr", "--facts", &format!("edge={name}"), "--out", "bad.csv"]);
        assert_eq!(run.code, 2, "{name}: {}", run.stderr);
        assert!(run.stderr.contains("70001") || run.stderr.contains("70,001"), "{name}: {}", run.stderr);
        assert!(!scratch.path("bad.csv").exists());
    }
}

#[test]
fn fact_files_go_with_threads_and_must_exist() {
    let facts = "road=examples/data/roads.csv";
    let run = |threads: &str| gchr(&["run", "examples/roads.chr", "--facts", facts, "--threads", threads]);
    let one = run("1");
    assert_eq!(one.code, 0, "{}", one.stderr);
    assert_eq!(one.stdout, run("4").stdout);
    for wrong in ["road=missing.csv", "street=examples/data/roads.csv", "road=examples"] {
        let run = gchr(&["run", "examples/roads.chr", "--facts", wrong]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{wrong}: {}", run.stderr);
    }
}
