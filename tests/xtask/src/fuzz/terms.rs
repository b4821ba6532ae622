//! Every way to run a term program, against the reference.

use std::num::NonZeroUsize;

use gchr::base::rule::{Goal, GoalKind};
use gchr::base::source::SourceMap;
use gchr::{
    BatchLine, BatchOptions, CompileOptions, Device, Diagnostics, Input, Native, Program, Schedule, Scheduler,
};
use gchr_kernels_terms::topology::codegen::Strategy;
use gchr_kernels_terms::topology::kernels::Collector;
use gchr_testkit::coverage;
use gchr_testkit::reference::{End, LARGE, terms as reference};

use super::answer::{self, Answer, Ran, caught, first_code, limits, of_code};
use super::case::Case;
use super::findings::{Devices, Findings};

/// Runs a case in all ways. `turn` chooses among the configurations of devices, which are too many for one case; `None`
/// takes all.
pub fn check(case: &Case, devices: Devices, turn: Option<u64>, found: &mut Findings) {
    let program = match caught(|| Input::terms(case.text.as_str()).parse()) {
        Ok(Ok(program)) => program,
        Ok(Err(refused)) => return found.refused = Some(first_code(&refused)),
        Err(message) => return found.differ("reading", "panic", message),
    };
    let mut sources = SourceMap::new();
    let id = sources.add("program.trs", case.text.as_str());
    let ast = gchr_trs::parse(&sources, id).ast;
    let mut covered = coverage::Coverage::default();
    covered.count(coverage::terms::used(&case.text, &ast, program.rules()));
    found.coverage = Some((covered, true));
    let model = reference::Program::new(&ast);
    let normalised = |text: &str| {
        let mut sources = SourceMap::new();
        let id = sources.add("input", format!("input {text};"));
        model.run_input(&gchr_trs::parse(&sources, id).ast)
    };
    let starts = case.starts.iter().filter_map(|start| {
        let input = Input::terms(case.text.as_str()).term(start.as_str()).parse().ok()?;
        Some((input, normalised(start)?))
    });
    let own = model.run();
    let first_start: Option<(Program, _)> = own.map(|n| (program, n));
    let all: Vec<(Program, reference::Normalised)> = first_start.into_iter().chain(starts).collect();
    for (program, normalised) in &all {
        found.note(&normalised.end);
        if normalised.end == End::Unknown(LARGE) {
            return;
        }
        let expected = Answer::expected(&normalised.end, || Answer::NormalForm(normalised.text.clone()));
        start(program, expected, found);
    }
    let Some((program, normalised)) = all.first() else { return };
    round_trip(program, found);
    batches(case, program, &model, found);
    if devices.simulator || devices.gpu {
        on_devices(program, normalised, devices, turn, found);
    }
}

/// The interpreter in its forms, and native code.
fn start(program: &Program, expected: Option<Answer>, found: &mut Findings) {
    let limits = if expected.is_some() { limits() } else { answer::small_limits() };
    let interpreted = CompileOptions { native: Native::Off, ..CompileOptions::default() };
    let plain = answer::run(program, &interpreted, limits);
    found.look_at("cpu", &plain);
    let expected = match expected {
        Some(expected) => {
            found.compare("cpu", &expected, &plain, false);
            expected
        }
        None if plain.answer.is_of_program() => plain.answer.clone(),
        None => return,
    };
    // It ends, so that a run that reaches its limits does not.
    let limits = answer::limits();
    let native = CompileOptions { native: Native::On, ..CompileOptions::default() };
    let forms = [
        ("cpu without inlining", CompileOptions { inline: false, ..CompileOptions::default() }),
        ("cpu native", CompileOptions { threads: NonZeroUsize::new(1), ..native }),
        ("cpu native, three threads", CompileOptions { threads: NonZeroUsize::new(3), ..native }),
        ("cpu traced", CompileOptions { trace: true, ..CompileOptions::default() }),
    ];
    for (name, options) in forms {
        let ran = answer::run(program, &options, limits);
        found.compare(name, &expected, &ran, false);
        same_steps(name, &plain, &ran, found);
    }
}

fn same_steps(name: &str, one: &Ran, other: &Ran, found: &mut Findings) {
    let both_end =
        matches!((&one.answer, &other.answer), (Answer::NormalForm(a), Answer::NormalForm(b)) if a == b);
    if both_end && one.steps != other.steps {
        found.differ(name, "number of rule applications", format!("{:?} and {:?}", one.steps, other.steps));
    }
}

/// The tree prints as a program that means the same.
fn round_trip(program: &Program, found: &mut Findings) {
    let text = program.ast().to_string();
    let again = match Input::terms(text.as_str()).parse() {
        Ok(again) => again,
        Err(refused) => return found.differ("printed program", first_code(&refused), text),
    };
    if again.ast().to_string() != text {
        found.differ("printed program", "another text when printed again", text.clone());
    }
    let run = |program: &Program, limits| answer::run(program, &CompileOptions::default(), limits);
    let one = run(program, answer::small_limits());
    if one.answer.is_of_program() {
        let other = run(&again, answer::limits());
        found.compare("printed program", &one.answer, &other, false);
    }
}

/// All starts as the lines of a batch, by one and two workers.
fn batches(case: &Case, program: &Program, model: &reference::Program, found: &mut Findings) {
    let Some(own) = own_input(case) else { return };
    let lines: Vec<&str> = case.starts.iter().map(String::as_str).chain([own.as_str()]).collect();
    let options = CompileOptions::default();
    let Ok(executable) = program.compile(&options) else { return };
    let mut sources = SourceMap::new();
    let expected: Vec<Option<Answer>> = lines
        .iter()
        .map(|line| {
            let id = sources.add("line", format!("input {line};"));
            let normalised = model.run_input(&gchr_trs::parse(&sources, id).ast)?;
            Answer::expected(&normalised.end, || Answer::NormalForm(normalised.text.clone()))
        })
        .collect();
    // A line that does not end would end the batch.
    if expected.iter().any(Option::is_none) {
        return;
    }
    for threads in [1, 2] {
        let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        let options = BatchOptions { limits: limits(), threads, ..BatchOptions::default() };
        let mut results = Vec::new();
        let text = lines.join("\n");
        let ran = caught(|| {
            executable.run_batch(text.as_bytes(), "lines", &options, &mut |line: BatchLine| {
                results.push(line);
                Ok(())
            })
        });
        let name = format!("batch of {threads}");
        match ran {
            Err(message) => found.differ(&name, "panic", message),
            Ok(Err(error)) => found.differ(&name, "no batch", format!("{error:?}")),
            Ok(Ok(_)) => {}
        }
        for line in results {
            let number = line.number as usize - 1;
            if lines.get(number).is_some_and(|text| needs_its_program(text, &line.result)) {
                continue;
            }
            let answer = match &line.result {
                Ok(text) => Answer::NormalForm(text.to_string()),
                Err(found) => of_code(first_code(found)),
            };
            let ran = Ran { steps: line.rewrites, ..Ran::without_run(answer) };
            if let Some(Some(expected)) = expected.get(number) {
                found.compare(&name, expected, &ran, false);
            }
        }
    }
}

/// Whether a line is refused that the same text as the input of a program would not be: a list without elements does
/// not say of which sort they would be; there are the rules of what is built in for those sorts alone that the program
/// uses it with, and none of a function without a name.
fn needs_its_program<T>(text: &str, result: &Result<T, Diagnostics>) -> bool {
    let has_one_of = |names: &[&str]| names.iter().any(|name| text.contains(name));
    match result.as_ref().err().map(first_code).as_deref() {
        Some("T0208") => text.contains("[]"),
        Some("T0306") => has_one_of(BUILT_IN_WITH_RULES),
        _ => false,
    }
}

/// What is built in for many sorts and gets rules for each, and functions without names, as they are written.
const BUILT_IN_WITH_RULES: &[&str] =
    &["lambda ", "if(", "|>", "<|", "++", "#", ".", " in ", "head(", "tail("];

/// The input of the program as text on one line.
fn own_input(case: &Case) -> Option<String> {
    let mut sources = SourceMap::new();
    let id = sources.add("program.trs", case.text.as_str());
    let ast = gchr_trs::parse(&sources, id).ast;
    ast.sections.iter().find_map(|section| match section {
        gchr_trs::ast::Section::Input(input) => Some(input.term.display(&ast.names).to_string()),
        _ => None,
    })
}

/// The schedulers, strategies and collectors of devices.
pub fn schedules() -> Vec<(String, Schedule)> {
    let collectors =
        [("none", Collector::None), ("queue", Collector::Queue), ("compact", Collector::Compact)];
    let of = |name: &str, scheduler, strategy| {
        let name = name.to_string();
        collectors.map(|(gc, collector)| {
            (format!("{name} --gc {gc}"), Schedule { scheduler, strategy, collector: Some(collector) })
        })
    };
    [
        of("tasks", Scheduler::Tasks, Strategy::Innermost),
        of("topology innermost", Scheduler::Topology, Strategy::Innermost),
        of("topology relaxed", Scheduler::Topology, Strategy::Relaxed),
    ]
    .concat()
}

fn on_devices(
    program: &Program,
    normalised: &reference::Normalised,
    devices: Devices,
    turn: Option<u64>,
    found: &mut Findings,
) {
    let Some(expected) = Answer::expected(&normalised.end, || Answer::NormalForm(normalised.text.clone()))
    else {
        return;
    };
    let plain = answer::run(program, &CompileOptions::default(), limits());
    let schedules = schedules();
    let chosen = turn.map(|turn| (turn % schedules.len() as u64) as usize);
    for (i, (name, schedule)) in schedules.into_iter().enumerate() {
        if chosen.is_some_and(|c| c != i) {
            continue;
        }
        for (device, text, takes_part) in
            [(Device::Sim, "sim", devices.simulator), (Device::Gpu(0), "gpu", devices.gpu)]
        {
            if !takes_part {
                continue;
            }
            let options = CompileOptions { device, schedule, ..CompileOptions::default() };
            let ran = answer::run(program, &options, limits());
            let name = format!("{text} {name}");
            *(if text == "sim" { &mut found.simulated } else { &mut found.on_gpu }) += 1;
            // The documentation says that this scheduler has no conditions that give variables values.
            let refused =
                matches!(&ran.answer, Answer::Refused(code) | Answer::Stopped(code) if code == "D0108");
            if refused && schedule.scheduler == Scheduler::Topology && binds(program) {
                continue;
            }
            // When several subterms fail, the error that is reported is not fixed.
            found.compare(&name, &expected, &ran, true);
            same_steps(&name, &plain, &ran, found);
        }
    }
}

/// Whether a condition gives variables values.
fn binds(program: &Program) -> bool {
    let is_test = |goal: &Goal| matches!(goal.kind, GoalKind::Test(_));
    program.rules().rules.iter().any(|rule| !rule.guard.iter().all(is_test))
}
