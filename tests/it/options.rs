//! Every option of every command that takes a program, on every kind of program: it changes something, or it is
//! refused, or it is listed here as one whose effect does not show.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Run, Scratch};

const TERMS: &str = "map Fib: Int -> Int;
var n: Int;
eqn n < 2 -> Fib(n) = n;
    Fib(n) = Fib(n - 1) + Fib(n - 2);
input Fib(10);
%> Fib(3)
%= 2
";

const GROUND: &str = ":- chr_constraint gcd(+int), done.
gcd(0) <=> true.
gcd(N) \\ gcd(M) <=> N =< M, N > 0 | K is M - N, gcd(K).
?- gcd(9), gcd(6), done.
%> gcd(4), gcd(6)
%= gcd(2)
";

const LOGIC: &str = ":- chr_constraint leq/2, done.
leq(X, X) <=> true.
leq(X, Y), leq(Y, X) <=> X = Y.
leq(X, Y), leq(Y, Z) ==> leq(X, Z).
?- leq(A, B), leq(B, C), leq(C, A), done.
%> leq(A, B), leq(B, A)
%= B = A
";

/// A kind of run: its name, the program, the options that make it one.
type Kind = (&'static str, &'static str, &'static [&'static str]);

const KINDS: [Kind; 6] = [
    ("terms", "t.trs", &[]),
    ("refined", "g.chr", &[]),
    ("rounds", "g.chr", &["--semantics", "rounds"]),
    ("logic", "l.chr", &[]),
    ("terms on sim", "t.trs", &["--device", "sim"]),
    ("rounds on sim", "g.chr", &["--semantics", "rounds", "--device", "sim"]),
];

const COMMANDS: [&str; 7] = ["run", "repl", "why", "check", "test", "emit", "verify"];

/// Kinds of programs that a command is not for.
const REFUSED: &[(&str, &str)] = &[("why", "logic"), ("verify", "logic")];

/// Options whose effect does not show in what these runs write, by command and kind (`*`: any), with the reason.
const UNSEEN: &[(&str, &str, &str, &str)] = &[
    ("--language", "*", "*", "it is what the ending says"),
    ("--max-steps", "*", "*", "the bound is not reached"),
    ("--max-rounds", "*", "rounds*", "the bound is not reached"),
    ("--memory", "*", "*", "the bound is not reached"),
    ("--timeout", "*", "*", "the bound is not reached"),
    ("--max-output", "*", "*", "the bound is not reached"),
    ("--depth", "why", "*", "the derivation is not as deep"),
    ("--limit", "why", "*", "one constraint matches"),
    ("--threads", "*", "*", "results are the same on any number; it is the most that a run may use"),
    ("--device", "run", "*", "auto stays on the processor, where the run is over at once"),
    ("--device", "test", "*", "the same"),
    ("--native", "run", "terms", "results are the same"),
    ("--native", "run", "refined", "results are the same"),
    ("--semantics", "*", "refined", "it is what the program has anyway"),
    ("--semantics", "*", "logic", "the same"),
    ("--firing", "repl", "rounds*", "results are the same"),
    ("--firing", "test", "rounds*", "results are the same"),
    ("--firing", "verify", "rounds", "the verdicts are the same"),
    ("--scheduler", "*", "terms on sim", "results are the same"),
    ("--strategy", "*", "terms on sim", "results are the same"),
    ("--gc", "*", "terms on sim", "results are the same"),
    ("--profile", "run", "*", "it writes a file"),
    ("--checkpoint", "run", "rounds", "it writes a folder"),
    ("--every", "run", "rounds", "it is about that folder"),
    ("--why", "run", "r*", "it writes to the profile"),
    ("--why", "run", "terms*", "it writes to the profile"),
    ("--why", "repl", "*", "it is for :why"),
    ("--partial", "run", "*", "the run is not stopped"),
    ("--all", "run", "logic", "there is one answer"),
    ("--answers", "run", "logic", "there is one answer"),
    ("--seed", "*", "*", "the program has no random numbers"),
    ("--header", "repl", "*", "it is for :facts"),
    ("--logic", "repl", "*", "goals with variables show it"),
    ("--logic", "run", "*", "integers of more than 64 bits show it"),
    ("--allow", "check", "*", "there is no such warning"),
    ("--deny", "check", "*", "there are no warnings"),
];

/// A value for an option, by the kind of program.
fn value(option: &str, kind: &str) -> Option<&'static str> {
    let (terms, logic) = (kind.starts_with("terms"), kind == "logic");
    Some(match option {
        "--all" | "--sizes" | "--partial" | "--stats" | "--trace" | "--logic" | "--explain"
        | "--confluence" | "--termination" | "--complete" => "",
        "--language" => {
            if terms {
                "trs"
            } else {
                "chr"
            }
        }
        "--input" => "Fib(5)",
        "--inputs" => "terms.txt",
        "--shard" => "1/2",
        "--query" => "done",
        "--facts" => {
            if logic {
                "leq=leq.csv"
            } else {
                "gcd=gcd.csv"
            }
        }
        "--header" => "no",
        "--facts-format" => "csv",
        "--answers" => "2",
        "--seed" => "7",
        "--device" => "auto",
        "--scheduler" => "topology",
        "--strategy" => "relaxed",
        "--gc" => "none",
        "--semantics" => "refined",
        "--firing" => "general",
        "--format" => "json",
        "--show" if logic => "leq/2",
        "--show" => "done/0",
        "--out-dir" => "tables",
        "--out" => "out.txt",
        "--profile" => "p.json",
        "--why" => {
            if terms {
                "."
            } else {
                "gcd(3)"
            }
        }
        "--native" => "on",
        "--kernels" => "soon",
        "--max-steps" | "--max-rounds" => "1000000",
        "--memory" => "900M",
        "--timeout" => "100s",
        "--max-output" => "10M",
        "--workers" => "2",
        "--checkpoint" | "--resume" => "kept",
        "--every" => "1",
        "--threads" | "--depth" | "--limit" => "1",
        "--allow" => "C0501",
        "--deny" => "warnings",
        "--stage" => "plan",
        "--after" => "lower",
        "--arch" => "sm_80",
        "--kernel" => "none",
        _ => return None,
    })
}

/// Options that another one needs.
fn needed(option: &str, command: &str) -> &'static [&'static str] {
    match (option, command) {
        ("--every", _) => &["--checkpoint", "kept"],
        ("--shard", _) => &["--inputs", "terms.txt"],
        ("--why", "run") => &["--profile", "p.json"],
        _ => &[],
    }
}

/// What a command writes, without times.
fn shown(run: &Run) -> (i32, String) {
    let text = format!("{}\n{}", run.stdout, run.stderr);
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let end = rest[at..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(rest.len(), |n| at + n);
        plain.push_str(&rest[..at]);
        // Numbers with a point are times.
        plain.push_str(if rest[at..end].contains('.') { "#" } else { &rest[at..end] });
        rest = &rest[end..];
    }
    (run.code, plain + rest)
}

fn is_unseen(option: &str, command: &str, kind: &str) -> bool {
    let fits = |pattern: &str, text: &str| match pattern.strip_suffix('*') {
        Some(start) => text.starts_with(start),
        None => text == pattern,
    };
    UNSEEN.iter().any(|(o, c, k, _)| *o == option && fits(c, command) && fits(k, kind))
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("t.trs", TERMS);
    scratch.file("g.chr", GROUND);
    scratch.file("l.chr", LOGIC);
    scratch.file("gcd.csv", "7\n");
    scratch.file("leq.csv", "1,2\n");
    scratch.file("terms.txt", "Fib(3)\nFib(4)\n");
    scratch
}

/// The options that the help of a command shows.
fn options(scratch: &Scratch, command: &str) -> Vec<String> {
    let help = scratch.gchr(&[command, "--help"]).stdout;
    let of_line = |line: &str| {
        let line = line.strip_prefix("      ").or_else(|| line.strip_prefix("  -"))?;
        let at = line.find("--").filter(|&at| at < 4)?;
        let name = line[at..].split([' ', '=']).next()?;
        Some(name.to_string())
    };
    let found: Vec<String> = help.lines().filter_map(of_line).filter(|option| option != "--help").collect();
    assert!(found.len() > 5, "{help}");
    found
}

/// How many options were refused, and how many had an effect; runs with those that had none, and did not say so.
type Counts = (usize, usize, Vec<String>);

/// One command on one kind of program, with each of its options.
fn walk(command: &str, (kind, file, base): Kind) -> Counts {
    let scratch = scratch();
    let (terms, logic) = (kind.starts_with("terms"), kind == "logic");
    let of: &[&str] = match command {
        "why" if terms => &["--of", "."],
        "why" => &["--of", "gcd(3)"],
        _ => &[],
    };
    let input = if terms {
        "Fib(4)\n"
    } else if logic {
        "leq(A, B), leq(B, A).\n"
    } else {
        "gcd(4), gcd(6).\n"
    };
    let base: &[&str] = if command == "verify" { &[] } else { base };
    let run = |more: &[&str]| {
        let _ = std::fs::remove_dir_all(scratch.path("kept"));
        scratch.gchr_with_input(&[&[command, file], base, of, more].concat(), input)
    };
    let plain = run(&[]);
    if (plain.code == 2) != REFUSED.contains(&(command, kind)) {
        return (0, 0, vec![format!("gchr {command} {file} ({kind}) ends with {}", plain.code)]);
    }
    if plain.code == 2 {
        return Counts::default();
    }
    let (mut refused, mut different, mut silent) = Counts::default();
    for option in options(&scratch, command) {
        if base.contains(&&*option) || option == "--of" {
            continue;
        }
        let value = match (&*option, command) {
            ("--why", "repl") | ("--check", _) => "",
            (option, _) => {
                value(option, kind).unwrap_or_else(|| panic!("give {option} a value in this test"))
            }
        };
        let needs = needed(&option, command);
        let before = if needs.is_empty() { shown(&plain) } else { shown(&run(needs)) };
        let given: Vec<&str> = [&*option, value].into_iter().filter(|word| !word.is_empty()).collect();
        let with = run(&[needs, &given].concat());
        let place = format!("gchr {command} {file} {base:?} {needs:?} {given:?} ({kind})");
        if with.code == 2 {
            let told = with.stderr.contains(&*option)
                || with.stderr.starts_with("[U")
                || with.stderr.starts_with("[T");
            assert!(told && with.stdout.is_empty() || command == "check", "{place}\n{}", with.stderr);
            refused += 1;
        } else if shown(&with) != before {
            different += 1;
        } else {
            silent.extend((!is_unseen(&option, command, kind)).then_some(place));
        }
    }
    (refused, different, silent)
}

#[test]
fn no_option_is_passed_over_in_silence() {
    let mut cases = Vec::new();
    for command in COMMANDS {
        for kind in KINDS {
            let on_sim = kind.0.ends_with("sim");
            if !on_sim || command == "run" {
                cases.push((command, kind));
            }
        }
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut all = Counts::default();
        while let Some(&(command, kind)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (refused, different, silent) = walk(command, kind);
            all.0 += refused;
            all.1 += different;
            all.2.extend(silent);
        }
        all
    };
    let counts: Vec<Counts> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a walk")).collect()
    });
    let silent: Vec<&String> = counts.iter().flat_map(|of| &of.2).collect();
    assert!(silent.is_empty(), "nothing changes, and nothing is said:\n{silent:#?}");
    let (refused, different) = counts.iter().fold((0, 0), |all, of| (all.0 + of.0, all.1 + of.1));
    assert!(refused > 80 && different > 80, "{refused} refused, {different} with an effect");
}
