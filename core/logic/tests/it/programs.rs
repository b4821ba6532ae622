//! The programs of `tests/programs`: each has queries (`%?`) and the lines of their first answers (`%=`), which are
//! compared with SWI-Prolog where it is installed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gchr_base::control::Limits;
use gchr_logic::{Answers, Options};

use crate::support::{has_swipl, run, run_with};

/// A program with its queries and what they give.
struct Case {
    path: PathBuf,
    text: String,
    queries: Vec<(String, Vec<String>)>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    // Part of a name, to try these alone.
    if let Ok(chosen) = std::env::var("GCHR_LOGIC_PROGRAMS") {
        paths.retain(|path| chosen.split(',').any(|part| path.to_string_lossy().contains(part)));
    }
    paths.into_iter().map(case).collect()
}

fn case(path: PathBuf) -> Case {
    let text = std::fs::read_to_string(&path).expect("a program");
    let mut queries: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(query) = line.strip_prefix("%? ") {
            queries.push((query.into(), Vec::new()));
        } else if let (Some(wanted), Some((_, lines))) = (line.strip_prefix("%= "), queries.last_mut()) {
            lines.push(wanted.into());
        }
    }
    assert!(!queries.is_empty(), "{} has no queries", path.display());
    Case { path, text, queries }
}

#[test]
fn programs_have_their_answers() {
    let mut wrong = String::new();
    for case in cases() {
        for (query, wanted) in &case.queries {
            let found = run(&case.text, query, Answers::First(1), Limits::default());
            if found.lines().ne(wanted) {
                wrong += &format!("{}: {query}\n{found}", case.path.display());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn programs_have_their_answers_when_the_heap_is_collected_at_each_call() {
    let options = Options { collect_always: true, ..Options::default() };
    let mut wrong = String::new();
    for case in cases() {
        for (query, wanted) in &case.queries {
            let found = run_with(&case.text, query, &options, Limits::default(), "");
            if found.lines().ne(wanted) {
                wrong += &format!("{}: {query}\n{found}", case.path.display());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The goals of an answer without what top levels write differently: lines, names of variables, the order of
/// constraints,
/// `false` for the message of a failure.
fn common<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut all: Vec<String> = lines
        .map(|line| line.trim().trim_end_matches('.'))
        .map(|line| if line == "the derivation failed" { "false" } else { line })
        .flat_map(goals)
        .map(str::trim)
        .filter(|goal| !goal.is_empty() && *goal != "true")
        .map(without_names)
        .collect();
    all.sort();
    all
}

/// The parts of a line between commas outside of brackets.
fn goals(line: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, c) in line.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&line[start..]);
    parts
}

/// `_123` and `_A` as `_`.
fn without_names(line: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let begins = c == '_' && !text.ends_with(is_word);
        text.push(c);
        while begins && rest.next_if(|&c| is_word(c)).is_some() {}
    }
    text
}

/// The text that SWI-Prolog's top level writes for each query.
fn swi(case: &Case) -> Vec<String> {
    const MARK: &str = "----next----";
    let mut script = String::from(
        "set_prolog_flag(debug_on_error, false).\n\
         set_prolog_flag(answer_write_options, [quoted(true), portray(true), spacing(next_argument)]).\n",
    );
    for (query, _) in &case.queries {
        script += &format!("write('{MARK}'), nl.\nonce(({query})).\n");
    }
    script += &format!("write('{MARK}'), nl.\n");
    let mut swipl = Command::new("swipl")
        .arg("-q")
        .arg(&case.path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("swipl starts");
    swipl.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("swipl reads");
    let output = swipl.wait_with_output().expect("swipl ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split(MARK).skip(1).map(String::from).collect()
}

#[test]
fn swi_prolog_gives_the_same_answers() {
    if !has_swipl() {
        return;
    }
    let all = cases();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let wrong: String = std::thread::scope(|scope| {
        let parts = all
            .chunks(all.len().div_ceil(workers))
            .map(|part| scope.spawn(move || part.iter().map(differences).collect::<String>()));
        let running: Vec<_> = parts.collect();
        running.into_iter().map(|part| part.join().expect("no panic")).collect()
    });
    assert!(wrong.is_empty(), "{wrong}");
}

/// The queries to which SWI-Prolog gives other answers, with these.
fn differences(case: &Case) -> String {
    let found = swi(case);
    let mut wrong = String::new();
    for (i, (query, wanted)) in case.queries.iter().enumerate() {
        let theirs = found.get(i).map_or("", String::as_str);
        // What follows the mark's own goal is the answer.
        let theirs = theirs.trim_start().strip_prefix("true.").unwrap_or(theirs);
        if common(theirs.lines()) != common(wanted.iter().map(String::as_str)) {
            wrong += &format!("{}: {query}\n{theirs}\n", case.path.display());
        }
    }
    wrong
}
