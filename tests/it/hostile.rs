//! Names, strings and paths with everything that a terminal, a page or a compiler would obey, through every way out of
//! gchr.

use std::fs;
use std::process::Command;

use gchr::base::escape::{is_hidden, turns_text};

use crate::support::{BINARY, Run, Scratch};

/// Everything hidden that a file name can hold, and what markup, CUDA, JSON and CSV read as their own.
fn evil() -> String {
    let hidden = ('\u{1}'..='\u{a0}').chain('\u{2000}'..='\u{2070}').filter(|&c| is_hidden(c));
    let mut text: String =
        ["\u{1b}[31m", "\u{9b}31m", "<b>&amp;</b>\"'`", "*/ #line 1", "//", "=1+1,\t;", "\\"].concat();
    text.extend(hidden);
    text.replace('/', "|")
}

/// An atom in quotes.
fn atom(name: &str) -> String {
    let escaped = |c: char| match c {
        '\'' | '\\' => format!("\\{c}"),
        c if is_hidden(c) => format!("\\x{:x}\\", u32::from(c)),
        c => c.to_string(),
    };
    format!("'{}'", name.chars().map(escaped).collect::<String>())
}

/// A program whose names are all like that; with raw text in a comment.
fn program(goal: &str) -> String {
    let evil = evil();
    let [c, d, rule] = ["c", "d", "r"].map(|start| atom(&format!("{start}{evil}")));
    let comment = evil.replace('\n', "");
    format!(
        ":- chr_constraint {c}(?any), {d}(+int).\n% {comment}\n\
         {rule} @ {d}(X) \\ {d}(Y) <=> X =< Y | true.\n\
         {d}(X) ==> X < 3 | {c}({c}(X, \"{}\")).\n?- {d}(1), {d}(2), {c}({rule}){goal}.\n",
        "s\\e",
    )
}

fn is_obeyed(c: char) -> bool {
    is_hidden(c) && !matches!(c, '\n' | '\t')
}

/// Nothing of the standard streams is obeyed.
fn check(what: &str, run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        assert!(!text.contains(is_obeyed), "{what}: {text:?}");
    }
}

/// Runs gchr on a file whose name is as bad as what it holds.
fn run(scratch: &Scratch, args: &[&str]) -> Run {
    let run = scratch.gchr(args);
    check(&format!("{:?}", &args[..args.len().min(3)]), &run);
    run
}

#[test]
fn messages_and_results_are_shown_only() {
    let scratch = Scratch::new();
    let name = format!("p{}.chr", evil());
    let file = name.as_str();
    scratch.file(file, &program(""));
    let done = run(&scratch, &["run", file, "--trace", "--stats"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(
        done.stdout.contains("\\x1B\\[31m") && done.stderr.contains("\\u{"),
        "{}\n{}",
        done.stdout,
        done.stderr
    );
    for args in
        [&["--semantics", "rounds", "--trace"][..], &["--format", "json"], &["--max-steps", "1", "--partial"]]
    {
        run(&scratch, &[&["run", file], args].concat());
    }
    for stage in ["ast", "rules", "plan", "kernels", "cuda"] {
        let emitted = run(&scratch, &["emit", file, "--stage", stage]);
        assert_eq!(emitted.code, 0, "{stage}: {}", emitted.stderr);
    }
    run(&scratch, &["check", file, "--explain"]);
    run(&scratch, &["verify", file, "--explain"]);
    run(&scratch, &["verify", file, "--format", "json"]);
    // Errors, in names and in texts.
    scratch.file(file, &program(&format!(", {}(1, 2), x", atom(&evil()))));
    for format in ["text", "json", "sarif"] {
        let checked = run(&scratch, &["check", file, "--format", format]);
        assert_eq!(checked.code, 2, "{format}: {}", checked.stderr);
        let is_json = serde_json::from_str::<serde_json::Value>(&checked.stdout).is_ok();
        assert_eq!(is_json, format != "text", "{}", checked.stdout);
    }
    scratch.file(file, &format!("{}\n'{}\n", evil(), evil()));
    assert_eq!(run(&scratch, &["run", file]).code, 2);
    let trs = format!("t{}.trs", evil());
    scratch.file(&trs, &format!("sort {};\ninput A;\n", evil()));
    assert_eq!(run(&scratch, &["run", &trs]).code, 2);
}

#[test]
fn paths_and_arguments_are_shown_only() {
    let scratch = Scratch::new();
    let evil = evil();
    let missing = format!("missing{evil}");
    scratch.file("p.chr", ":- chr_constraint e(+int).\ne(X) \\ e(X) <=> true.\n");
    scratch.file("t.trs", "map F: Int -> Int;\nvar n: Int;\neqn F(n) = n;\ninput F(1);\n");
    scratch.file("lines", &format!("F(1)\n{}\n", evil.replace('\n', "")));
    let csv = format!("e{evil}.csv");
    scratch.file(&csv, &format!("x\n1\n{evil}\n"));
    scratch.bytes(&format!("latin{evil}.trs"), b"\xff");
    let facts = format!("e={csv}");
    let cases: [&[&str]; 12] = [
        &["run", &missing],
        &["run", &format!("{missing}.chr")],
        &["run", &format!("latin{evil}.trs")],
        &["run", "p.chr", "--facts", &facts],
        &["run", "p.chr", "--facts", &format!("e={missing}.csv")],
        &["run", "p.chr", "--query", &evil],
        &["run", "t.trs", "--input", &evil],
        &["run", "t.trs", "--inputs", "lines"],
        &["run", "t.trs", "--inputs", &missing],
        &["run", "t.trs", "--out", &format!("no{evil}/x")],
        &["compare", "p.chr", &format!("{missing}.trs")],
        &["simd", &missing],
    ];
    for args in cases {
        assert_ne!(run(&scratch, args).code, 0, "{args:?}");
    }
    for args in [
        &["run", "t.trs", "--format", &evil][..],
        &[&evil],
        &["run", "t.trs", &evil],
        &["run", "t.trs", "--memory", &evil],
    ] {
        assert_eq!(run(&scratch, args).code, 2, "{args:?}");
    }
    scratch.file(&csv, "x\n1\n");
    let done = run(&scratch, &["run", "p.chr", "--facts", &facts]);
    assert!(done.code == 0 && done.stderr.contains("took line 1 of e\\u{1b}[31m"), "{}", done.stderr);
}

/// Whether XML 1.0 has a character.
fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Elements that are open at the end of a text in which each `&` and `<` is markup.
fn check_markup(name: &str, text: &str) {
    assert!(text.chars().all(|c| is_xml(c) && !turns_text(c) && !is_obeyed(c)), "{name}: {text:?}");
    for entity in text.split('&').skip(1) {
        let (word, _) = entity.split_once(';').unwrap_or_default();
        assert!(["amp", "lt", "gt", "quot", "#39"].contains(&word), "{name}: &{word};");
    }
    assert!(!text.contains("<b>"), "{name}");
}

#[test]
fn pages_and_drawings_hold_it_as_text() {
    let scratch = Scratch::new();
    let file = format!("p{}.chr", evil());
    scratch.file(&file, &program(""));
    for name in ["p.html", "p.svg", "p.json"] {
        let done = run(&scratch, &["run", &file, "--profile", name, "--out", "r"]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        match name {
            "p.json" => {
                let text = scratch.read(name);
                assert!(!text.contains(is_obeyed));
                serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
            }
            _ => check_markup(name, &scratch.read(name)),
        }
    }
    for format in ["html", "json", "text"] {
        let args = ["compare", &file, "--repeats", "1", "--format", format, "--out", "compared"];
        let done = run(&scratch, &args);
        assert_eq!(done.code, 0, "{}", done.stderr);
        if format == "html" {
            check_markup("compare", &scratch.read("compared"));
        }
    }
}

/// A terminal: what a program is shown there, as the master side reads it.
#[cfg(unix)]
fn on_terminal(scratch: &Scratch, args: &[&str]) -> String {
    use std::io::Read;
    use std::os::fd::{FromRawFd, OwnedFd};
    let (mut master, mut slave) = (0, 0);
    // SAFETY: both numbers are written; the other arguments may be null.
    let made = unsafe {
        let none = std::ptr::null_mut();
        libc::openpty(&raw mut master, &raw mut slave, none, none.cast(), none.cast())
    };
    assert_eq!(made, 0, "there is no terminal to be had");
    // SAFETY: both were just opened, and are used nowhere else.
    let (master, slave) = unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
    let mut command = Command::new(BINARY);
    command.current_dir(scratch.folder()).args(args).env("NO_COLOR", "1");
    let mut child =
        command.stderr(slave.try_clone().expect("a descriptor")).stdout(slave).spawn().expect("gchr runs");
    drop(command);
    let mut shown = Vec::new();
    // A terminal whose other side is closed gives an error.
    let _ = fs::File::from(master).read_to_end(&mut shown);
    child.wait().expect("it ends");
    String::from_utf8(shown).expect("text").replace("\r\n", "\n")
}

#[cfg(unix)]
#[test]
fn a_terminal_obeys_no_result_and_nothing_that_a_program_writes() {
    let scratch = Scratch::new();
    let evil = evil();
    scratch.file("p.chr", &program(&format!(", write({}), nl", atom(&evil))));
    for format in ["text", "csv", "json"] {
        let shown = on_terminal(&scratch, &["run", "p.chr", "--format", format]);
        assert!(!shown.contains(|c| is_obeyed(c) && c != '\r'), "{format}: {shown:?}");
        assert!(shown.contains("\\u{1b}[31m"), "{format}: {shown:?}");
    }
    // What is written to standard error, as messages are; nothing tells a program's own colours from those of data.
    let all = atom(&evil);
    let goals = [
        format!("format(user_error, \"~w~n\", [{all}])"),
        format!("print_message(error, format(\"~w\", [{all}]))"),
        format!("with_output_to(string(S), write({all})), write(user_error, S)"),
    ];
    for goal in goals {
        scratch.file("w.chr", &format!(":- chr_constraint go.\ngo <=> {goal}.\n?- go.\n"));
        for format in ["text", "json"] {
            let shown = on_terminal(&scratch, &["run", "w.chr", "--format", format]);
            assert!(!shown.contains(|c| is_obeyed(c) && c != '\r'), "{goal}, {format}: {shown:?}");
            assert!(shown.contains("\\u{1b}[31m"), "{goal}, {format}: {shown:?}");
        }
    }
    // Other programs get what is there.
    let piped = scratch.gchr(&["run", "p.chr"]);
    assert!(piped.stdout.starts_with(&evil), "{:?}", piped.stdout);
    let csv = scratch.gchr(&["run", "p.chr", "--format", "csv"]);
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(csv.stdout.as_bytes());
    let names: Vec<_> = reader.records().map(|row| row.expect("a row")[0].to_string()).collect();
    assert!(names.contains(&format!("c{evil}")), "{names:?}");
}
