//! Whole programs: every example in every treatment, all against one expectation.
//!
//! `examples/expected/NAME.out` holds, for each run of `examples/NAME`, the command, the number of rule applications or
//! firings, and the result. `UPDATE_EXPECTED=1 cargo test --test programs` rewrites the files from plain runs: read the
//! difference before you keep it.

use std::path::{Path, PathBuf};
use std::process::Command;

use gchr::base::rule::Start;
use gchr::device::{Collector, Strategy};
use gchr::terms::plan::{self, TermOptions};
use gchr::{
    Answer, CompileOptions, Control, Device, Format, Input, Language, Outcome, Program, Recorder, Schedule,
    Scheduler, SchedulerReport,
};
use gchr_terms::testing::counted;
use libtest_mimic::{Arguments, Failed, Trial};

/// One run of a program and what it must give.
#[derive(Clone)]
struct Case {
    /// Arguments after `gchr run`.
    args: Vec<String>,
    /// Rule applications or firings.
    steps: u64,
    /// Text form of the result.
    result: String,
}

/// A way to run a case.
struct Treatment {
    name: &'static str,
    run: fn(&Case) -> Result<(), Failed>,
}

const TREATMENTS: &[Treatment] = &[
    Treatment { name: "plain", run: plain },
    Treatment { name: "reparsed", run: reparsed },
    Treatment { name: "not_inlined", run: not_inlined },
    Treatment { name: "traced", run: traced },
    Treatment { name: "json", run: json },
    Treatment { name: "csv", run: csv },
    Treatment { name: "command", run: command },
];

/// For term programs only.
const TERM_TREATMENTS: &[Treatment] = &[
    Treatment { name: "counted", run: by_counts },
    Treatment { name: "sim:tasks", run: tasks },
    Treatment { name: "sim:topology", run: topology },
];

fn main() {
    let arguments = Arguments::from_args();
    let programs = programs();
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        programs.iter().for_each(|program| update(program));
    }
    let trials = programs.iter().flat_map(|program| {
        let cases = read_expected(program);
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_term = Language::of_path(program) == Some(Language::Terms);
        let of_terms = TERM_TREATMENTS.iter().filter(move |_| is_term);
        TREATMENTS.iter().chain(of_terms).map(move |treatment| {
            let cases = cases.clone();
            Trial::test(format!("{name}::{}", treatment.name), move || match cases {
                Ok(cases) => cases.iter().try_for_each(treatment.run),
                Err(message) => Err(message.into()),
            })
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn programs() -> Vec<PathBuf> {
    let entries = ["examples", "examples/formats", "examples/language"]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(root().join(folder)).expect("a folder of examples"));
    let mut found: Vec<_> = entries.map(|entry| entry.expect("entry of examples").path()).collect();
    found.retain(|path| Language::of_path(path).is_some());
    found.sort();
    assert!(found.len() > 20, "only {} examples found", found.len());
    found
}

fn expected_path(program: &Path) -> PathBuf {
    let name = format!("{}.out", program.file_name().unwrap_or_default().to_string_lossy());
    root().join("examples/expected").join(name)
}

fn read_expected(program: &Path) -> Result<Vec<Case>, String> {
    let path = expected_path(program);
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let sections: Vec<&str> = text.split("$ gchr run ").skip(1).collect();
    if sections.is_empty() {
        return Err(format!("{}: no line starts with `$ gchr run`", path.display()));
    }
    sections.iter().map(|section| read_case(section)).collect()
}

fn read_case(section: &str) -> Result<Case, String> {
    let (command, rest) = section.split_once('\n').ok_or("a command without result")?;
    let (count, result) = rest.split_once('\n').ok_or("a command without count")?;
    let steps = count.rsplit(' ').next().and_then(|n| n.parse().ok());
    let steps = steps.ok_or_else(|| format!("no count in `{count}`"))?;
    Ok(Case { args: split(command), steps, result: result.trim_end_matches('\n').to_string() + "\n" })
}

/// Splits a command as a shell does, as far as these commands need it: words, and double quotes.
fn split(command: &str) -> Vec<String> {
    let mut words = vec![];
    for (i, part) in command.split('"').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_string());
        } else {
            words.extend(part.split_whitespace().map(str::to_string));
        }
    }
    words
}

fn update(program: &Path) {
    let relative = program.strip_prefix(root()).expect("examples are in the project").display().to_string();
    let commands: Vec<String> = match std::fs::read_to_string(expected_path(program)) {
        Ok(old) => old.lines().filter_map(|l| l.strip_prefix("$ gchr run ")).map(str::to_string).collect(),
        Err(_) => vec![relative],
    };
    let sections = commands.iter().map(|command| {
        let case = Case { args: split(command), steps: 0, result: String::new() };
        let found = run_with(&case.args, &CompileOptions::default(), Input::parse, |outcome| {
            let (unit, steps) = count(outcome);
            format!("$ gchr run {command}\n{unit}: {steps}\n{outcome}")
        });
        found.unwrap_or_else(|error| panic!("{command}: {error:?}"))
    });
    let text = sections.collect::<Vec<_>>().join("\n");
    std::fs::write(expected_path(program), text).expect("expected file written");
}

/// The input that the arguments stand for.
fn input(args: &[String]) -> Input {
    let mut input = Input::file(root().join(&args[0]));
    for option in args[1..].chunks(2) {
        let [name, value] = option else { panic!("option without value in {args:?}") };
        input = match name.as_str() {
            "--input" => input.term(value),
            "--query" => input.query(value),
            "--facts" => {
                let (constraint, file) = value.split_once('=').expect("C=FILE");
                input.facts(constraint, root().join(file))
            }
            other => panic!("unknown option {other} in an expectation"),
        };
    }
    input
}

fn count(outcome: &Outcome) -> (&'static str, u64) {
    let stats = outcome.stats();
    match outcome.answer() {
        Answer::NormalForm(_) => ("rewrites", stats.rewrites.expect("rewrites of a term program")),
        Answer::Store(_) | Answer::Sizes(_) | Answer::Logic(_) => {
            ("firings", stats.firings.expect("firings of a constraint program"))
        }
    }
}

fn run_with<T>(
    args: &[String],
    options: &CompileOptions,
    parse: impl Fn(&Input) -> Result<Program, gchr::Diagnostics>,
    then: impl FnOnce(&Outcome) -> T,
) -> Result<T, Failed> {
    let program = parse(&input(args))?;
    let outcome = program.compile(options)?.run(&mut Control::default())?;
    Ok(then(&outcome))
}

/// The same, with counts by rule.
fn recorded<T>(
    case: &Case,
    options: &CompileOptions,
    then: impl FnOnce(&Outcome) -> T,
) -> Result<(Vec<u64>, T), Failed> {
    let program = input(&case.args).parse()?;
    let mut recorder = Recorder::new();
    let outcome = program.compile(options)?.run(&mut Control::default().profile(&mut recorder))?;
    let result = then(&outcome);
    let mut by_rule: Vec<u64> = recorder.rules().iter().map(|rule| rule.applied).collect();
    by_rule.resize(program.rules().rules.len(), 0);
    Ok((by_rule, result))
}

fn compare(case: &Case, what: &str, steps: u64, result: &str) -> Result<(), Failed> {
    if result != case.result {
        return Err(format!("{:?}: {what}: result\n{result}instead of\n{}", case.args, case.result).into());
    }
    if steps != case.steps {
        return Err(format!("{:?}: {what}: {steps} steps instead of {}", case.args, case.steps).into());
    }
    Ok(())
}

fn check(case: &Case, what: &str, options: CompileOptions) -> Result<(), Failed> {
    let (steps, result) =
        run_with(&case.args, &options, Input::parse, |outcome| (count(outcome).1, outcome.to_string()))?;
    compare(case, what, steps, &result)
}

fn plain(case: &Case) -> Result<(), Failed> {
    check(case, "plain", CompileOptions::default())
}

fn not_inlined(case: &Case) -> Result<(), Failed> {
    check(case, "without inlining", CompileOptions { inline: false, ..CompileOptions::default() })
}

/// The simulator gives the same, each rule being applied as often as on the CPU, on the input of the file itself; the
/// other inputs are too large for it. No slot is lost. Conditions that give variables values are refused by name.
fn topology(case: &Case) -> Result<(), Failed> {
    if case.args.len() > 1 {
        return Ok(());
    }
    let (scheduler, strategy) = (Scheduler::Topology, Strategy::Innermost);
    match sim_with(case, Schedule { scheduler, strategy, collector: Some(Collector::Queue) }) {
        Err(failed) if failed.message().is_some_and(|text| text.contains("[D0108]")) => Ok(()),
        other => other,
    }
}

/// The simulator under the tasks scheduler, with its own collector and with cells given back at once.
fn tasks(case: &Case) -> Result<(), Failed> {
    if case.args.len() > 1 {
        return Ok(());
    }
    let schedule = Schedule::of(Scheduler::Tasks);
    sim_with(case, schedule)?;
    sim_with(case, Schedule { collector: Some(Collector::Queue), ..schedule })
}

fn sim_with(case: &Case, schedule: Schedule) -> Result<(), Failed> {
    let options = CompileOptions { device: Device::Sim, schedule, ..CompileOptions::default() };
    let (by_rule, (steps, result, report)) = recorded(case, &options, |outcome| {
        (count(outcome).1, outcome.to_string(), outcome.report().copied())
    })?;
    compare(case, "simulated", steps, &result)?;
    let (expected, ()) = recorded(case, &CompileOptions::default(), |_| ())?;
    if by_rule != expected {
        return Err(format!("{:?}: counts by rule {by_rule:?} instead of {expected:?}", case.args).into());
    }
    match report.ok_or("a device run without report")? {
        SchedulerReport::Topology(report) if report.reachable_slots != Some(report.live_slots) => {
            Err(format!("{:?}: slots were lost: {report:?}", case.args).into())
        }
        SchedulerReport::Tasks(report) if report.left_over.is_some_and(|cells| cells != 0) => {
            Err(format!("{:?}: cells were lost: {report:?}", case.args).into())
        }
        _ => Ok(()),
    }
}

/// Reference counts that follow the plan to the letter balance, and lead to the same. For runs that are small enough
/// for that.
fn by_counts(case: &Case) -> Result<(), Failed> {
    if case.steps > 300_000 {
        return Ok(());
    }
    let program = input(&case.args).parse()?;
    let rules = program.rules();
    let Start::Term(Some(term)) = &rules.start else { return Err("no start term".into()) };
    let run = || {
        let plan = plan::compile(rules, &TermOptions::tasks(true)).map_err(|e| format!("{e:?}"))?;
        counted::run(rules, &plan, term, case.steps).map_err(|e| format!("{:?}: {e:?}", case.args))
    };
    let found = gchr::with_large_stack(run)?;
    let live = run_with(&case.args, &CompileOptions::default(), Input::parse, |o| o.stats().live_cells)?;
    if Some(found.live_cells) != live {
        return Err(format!("{:?}: {} live cells instead of {live:?}", case.args, found.live_cells).into());
    }
    if rules.signature.notations.is_empty() {
        return compare(case, "counted", found.rewrites, &format!("{}\n", found.text));
    }
    // There, everything is written as an application.
    let mut plain = rules.clone();
    plain.signature.notations.clear();
    let plan = plan::compile(&plain, &TermOptions::default()).map_err(|e| format!("{e:?}"))?;
    let expected = gchr_terms::exec::run(&plain, &plan, term, &mut Control::default());
    let expected = expected.map_err(|e| format!("{:?}: {e:?}", case.args))?.normal_form.to_text();
    let applied = Case { result: expected, ..case.clone() };
    compare(&applied, "counted", found.rewrites, &found.text)
}

/// The printed syntax tree is a program that means the same, and prints as itself.
fn reparsed(case: &Case) -> Result<(), Failed> {
    let first = Input::file(root().join(&case.args[0])).parse()?;
    let printed = first.ast().to_string();
    let ending = Path::new(&case.args[0]).extension().unwrap_or_default().to_string_lossy();
    let file = tempfile::Builder::new().suffix(&format!(".{ending}")).tempfile()?;
    std::fs::write(file.path(), &printed)?;
    let mut args = case.args.clone();
    args[0] = file.path().display().to_string();
    let (steps, result, again) = run_with(&args, &CompileOptions::default(), Input::parse, |o| {
        (count(o).1, o.to_string(), o.program().ast().to_string())
    })?;
    if again != printed {
        return Err(
            format!("{:?}: the printed program prints as\n{again}instead of\n{printed}", case.args).into()
        );
    }
    compare(case, "reparsed", steps, &result)
}

/// A trace has one line for each rule application or firing.
fn traced(case: &Case) -> Result<(), Failed> {
    let program = input(&case.args).parse()?;
    let mut lines = 0;
    let mut control = Control::default().trace(|_| lines += 1);
    let options = CompileOptions { trace: true, inline: false, ..CompileOptions::default() };
    let outcome = program.compile(&options)?.run(&mut control)?;
    drop(control);
    compare(case, "traced", lines, &outcome.to_string())
}

fn json(case: &Case) -> Result<(), Failed> {
    let text = run_with(&case.args, &CompileOptions::default(), Input::parse, |outcome| {
        let mut out = Vec::new();
        outcome.write(Format::Json, &mut out).map(|()| out)
    })??;
    let value: serde_json::Value = serde_json::from_slice(&text)?;
    let stats = value["stats"].as_object().ok_or("no stats")?;
    let all = serde_json::to_value(gchr::Stats::default())?;
    if !stats.keys().eq(all.as_object().ok_or("no keys")?.keys()) {
        return Err(format!("keys of stats are {:?}", stats.keys()).into());
    }
    let always =
        ["wall_ms", "parse_ms", "compile_ms", "run_ms", "live_cells", "peak_bytes", "collections", "device"];
    if let Some(key) = always.iter().find(|key| stats[**key].is_null()) {
        return Err(format!("{key} of stats is null").into());
    }
    let rows = case.result.lines().count();
    match (&value["normal_form"], &value["store"]) {
        (serde_json::Value::String(term), serde_json::Value::Null) => compare(
            case,
            "json",
            value["stats"]["rewrites"].as_u64().ok_or("no rewrites")?,
            &format!("{term}\n"),
        ),
        (serde_json::Value::Null, serde_json::Value::Array(store)) if store.len() == rows => {
            let names_agree = store.iter().zip(case.result.lines()).all(|(row, line)| {
                let name = row["constraint"].as_str().unwrap_or_default();
                line.starts_with(name) && row["args"].is_array()
            });
            if names_agree { Ok(()) } else { Err("rows differ from the text form".into()) }
        }
        _ => Err(format!("not the JSON of a result with {rows} lines: {value}").into()),
    }
}

/// A store has one record a constraint; a normal form has no CSV form.
fn csv(case: &Case) -> Result<(), Failed> {
    let (language, written) = run_with(&case.args, &CompileOptions::default(), Input::parse, |outcome| {
        let mut out = Vec::new();
        let written = outcome.write(Format::Csv, &mut out).map(|()| out);
        (outcome.program().language(), written)
    })?;
    match (language, written) {
        (Language::Terms, Err(gchr::FormatError::NotTabular)) => Ok(()),
        (Language::Constraints, Ok(text)) => {
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&text[..]);
            let records = reader.records().collect::<Result<Vec<_>, _>>()?.len();
            let rows = case.result.lines().count();
            if records == rows {
                Ok(())
            } else {
                Err(format!("{records} records for {rows} constraints").into())
            }
        }
        (_, other) => Err(format!("unexpected: {other:?}").into()),
    }
}

/// The command line gives the same on standard output; on standard error at most the number of warnings, and how the
/// first lines of fact files were taken.
fn command(case: &Case) -> Result<(), Failed> {
    let output =
        Command::new(env!("CARGO_BIN_EXE_gchr")).current_dir(root()).arg("run").args(&case.args).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let quiet = errors
        .lines()
        .all(|line| line.contains("shown by `gchr check") || line.starts_with("gchr: took line 1 of "));
    if !output.status.success() || !quiet {
        return Err(format!("{:?}: {}: {errors}", case.args, output.status).into());
    }
    compare(case, "command", case.steps, &String::from_utf8_lossy(&output.stdout))
}
