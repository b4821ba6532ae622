//! The checker on the kernels that gchr ships and generates, on those of the thesis, and on wrong ones.
//!
//! `tests/paper` and `tests/wrong` hold one kernel a file. Its first comment lines say what the checker says of it and
//! what the simulator finds when it runs: `expect: accepted`, `expect: refused RULE [at FUNCTION, statement N]`,
//! `launch: KERNEL BLOCKS THREADS [cooperative] ARGUMENTS`, `finds: nothing` or the codes of the reports that are among
//! those found. An argument is a number, `u32=5`, or a buffer, `u32*64` (zeros) or `u32*64=iota` (0, 1, 2, ...).

use gchr_testkit::programs;
use std::path::{Path, PathBuf};

use gchr_base::control::Control;
use gchr_base::source::SourceMap;
use gchr_checker::{Verdict, check};
use gchr_constraints::plan::{RoundsOptions, compile_rounds};
use gchr_kernel::device::Arg;
use gchr_kernel::ir::{Module, Scalar};
use gchr_kernel::text::{Aliases, parse_with};
use gchr_kernels_constraints as rounds;
use gchr_kernels_terms::tasks::kernels::{self as tasks, Tuning};
use gchr_kernels_terms::topology::codegen::Strategy;
use gchr_kernels_terms::topology::kernels::{Collector, kernels};
use gchr_kernels_terms::topology::system::System;
use gchr_simulator::{LaunchError, Program, Shape, SimControl, Simulator, SimulatorOptions};
use gchr_terms::plan::TermOptions;
use gchr_testkit::programs::files;

fn parse(path: &Path, text: &str) -> Module {
    let mut sources = SourceMap::new();
    let id = sources.add(path.display().to_string(), text);
    let aliases: Aliases = [("T".to_string(), Scalar::U64)].into_iter().collect();
    programs::made(parse_with(&sources, id, &aliases), &sources)
}

/// The lines of the head that say something under a name.
fn head<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(name)?.strip_prefix(": "))
}

/// Says how a verdict differs from what the head of the file says.
fn compare(text: &str, verdict: &Verdict) -> Result<(), String> {
    let expected = head(text, "expect").ok_or("no verdict is expected")?;
    if expected == "accepted" {
        return if verdict.accepted() { Ok(()) } else { Err("it should be accepted".into()) };
    }
    let expected = expected.strip_prefix("refused ").ok_or("an unknown verdict")?;
    let (rule, place) = expected.split_once(" at ").map_or((expected, None), |(rule, at)| (rule, Some(at)));
    let Some(reason) = verdict.reasons.iter().find(|r| r.rule.name() == rule) else {
        return Err(format!("the rule {rule} should be broken"));
    };
    let other = verdict.reasons.iter().find(|r| r.rule.name() != rule);
    let found = format!("{}, statement {}", reason.place.function, reason.place.statement);
    match (place.is_none_or(|place| place == found), other) {
        (false, _) => Err(format!("the rule is broken at {found}")),
        (true, Some(other)) => Err(format!("another rule is broken too: {}", other.rule)),
        (true, None) => Ok(()),
    }
}

/// Runs the launch of the head of the file; the codes of what the simulator reports.
fn simulate(text: &str, module: &Module, seed: u64) -> Option<Vec<&'static str>> {
    let launch = head(text, "launch")?;
    let mut words = launch.split_whitespace().peekable();
    let kernel = words.next().expect("names a kernel");
    let mut number = || words.next().expect("has a shape").parse::<u32>().expect("is a number");
    let (grid, block) = (number(), number());
    let cooperative = words.next_if_eq(&"cooperative").is_some();
    let program = Program::with_steps(module).expect("lowers");
    let mut device = Simulator::new(SimulatorOptions { seed, ..SimulatorOptions::default() });
    let args: Vec<Arg<'_>> = words.map(|word| argument(&mut device, word)).collect();
    let mut control = Control::default();
    let mut control = SimControl::new(&mut control).max_thread_steps(1_000_000);
    match device.launch(&program, kernel, Shape { grid, block, cooperative }, &args, &mut control) {
        Ok(_) => Some(Vec::new()),
        Err(LaunchError::Faults(reports) | LaunchError::Steps { reports, .. }) => {
            Some(reports.iter().map(|r| r.fault.code()).collect())
        }
        Err(error) => panic!("{error}"),
    }
}

fn argument<'a>(device: &mut Simulator, word: &str) -> Arg<'a> {
    if let Some(value) = word.strip_prefix("u32=") {
        return value.parse::<u32>().expect("is a number").into();
    }
    let (count, values) =
        word.strip_prefix("u32*").expect("is a buffer").split_once('=').unwrap_or((&word[4..], ""));
    let count: u32 = count.parse().expect("is a number");
    let values: Vec<u32> = (0..count).map(|i| if values == "iota" { i } else { 0 }).collect();
    device.alloc_from(&values).expect("fits").into()
}

/// A folder of kernels, beside these tests.
fn tests(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)
}

/// Checks all files of a folder.
fn check_folder(folder: &str) {
    let folder = &tests(folder);
    let mut failures = Vec::new();
    for (path, text) in files(folder, "cu") {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let module = parse(&path, &text);
        let verdicts = check(&module);
        let [verdict] = verdicts.as_slice() else { panic!("{name}: one kernel is expected") };
        if let Err(how) = compare(&text, verdict) {
            failures.push(format!("{name}: {how}\n{verdict}"));
        }
        for seed in 0..3 {
            let Some(found) = simulate(&text, &module, seed) else { continue };
            let expected = head(&text, "finds").expect("says what the simulator finds");
            let fits = match expected {
                "nothing" => found.is_empty(),
                codes => codes.split(' ').any(|code| found.contains(&code)),
            };
            if !fits {
                failures
                    .push(format!("{name}: the simulator finds {found:?} with seed {seed}, not {expected}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn kernels_of_the_thesis() {
    check_folder("paper");
}

#[test]
fn wrong_kernels() {
    check_folder("wrong");
}

#[test]
fn every_rule_has_a_wrong_kernel() {
    let texts = files(&tests("wrong"), "cu");
    for rule in gchr_checker::Rule::ALL {
        let refused = format!("refused {rule}");
        let found = texts.iter().any(|(_, text)| {
            head(text, "expect").is_some_and(|e| e == refused || e.starts_with(&format!("{refused} ")))
        });
        assert!(found || rule.name() == "limit", "no kernel breaks the rule {rule}");
    }
}

#[test]
fn kernels_of_constraint_examples_are_accepted() {
    let mut checked = 0;
    for (name, text) in programs::examples("chr") {
        let (sources, program) = programs::constraints(&name, &text);
        let plan = compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
        // Some examples have something that devices do not run.
        let Ok(made) = rounds::generate::kernels(&program, &plan, &sources) else { continue };
        for verdict in check(&made.module) {
            assert!(verdict.accepted(), "{name}\n{verdict}");
        }
        checked += 1;
    }
    assert!(checked >= 9, "only {checked} examples have kernels");
}

#[test]
fn kernels_that_trace_cells_are_accepted() {
    for name in ["lexer.trs", "mergesort_tree.trs", "queens.trs"] {
        let (_, text) =
            programs::examples("trs").into_iter().find(|(file, _)| file == name).expect("it is there");
        let (sources, program) = programs::terms(name, &text);
        let plan =
            gchr_terms::plan::compile(&program, &TermOptions::tasks(false)).expect("the plan compiles");
        let tuning = Tuning { compact: true, ..Tuning::default() };
        let made = programs::made(tasks::kernels(&plan, &program, &sources, tuning), &sources);
        for verdict in check(&made.module) {
            assert!(verdict.accepted(), "{name}\n{verdict}");
        }
    }
}

#[test]
fn kernels_of_all_examples_are_accepted() {
    for (name, text) in programs::examples("trs") {
        let (sources, program) = programs::terms(&name, &text);
        let system = System::new(&program);
        for strategy in [Strategy::Innermost, Strategy::Relaxed] {
            for collector in [Collector::None, Collector::Queue, Collector::Compact] {
                let made = kernels(&system, &program, &sources, strategy, collector);
                let made = programs::made(made, &sources);
                for verdict in check(&made.module) {
                    assert!(verdict.accepted(), "{name}, {strategy:?}, {collector:?}\n{verdict}");
                }
            }
        }
    }
}
