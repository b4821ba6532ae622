//! `gchr compare`: programs for one problem side by side.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};
use gchr::base::escape;
use gchr::base::rule::Semantics;
use gchr::report::compare::{Comparison, Mapping, Plan, Subject, Variant};
use gchr::{CompileOptions, Device, Input, Language, Program};

use super::device::DeviceArgs;
use super::effects::{self, Case, GivenOptions};
use super::exit::Exit;
use super::limits::LimitArgs;
use super::out_file::{self, File};
use super::progress::Measuring;
use super::semantics::SemanticsArgs;
use super::sink::Stdout;
use super::streams::no_stdin;
use super::watchdog::{self, Phase};
use super::{interrupt, report, words};

/// Arguments of `gchr compare`.
#[derive(clap::Args)]
pub struct Args {
    /// Programs for the same problem: .trs (term rewriting) or .chr, .pl (Constraint Handling Rules)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Run every program with these options too; may be given several times, e.g. --with "" --with "--device sim"
    /// [default: ""]
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    with: Vec<String>,
    /// Sizes to run at, in place of n in braces in the starts of the programs [default: those of the mapping]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    sizes: Vec<u64>,
    /// Timed runs of each program, way and size
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=1000))]
    repeats: u64,
    /// File that says how the programs start and how their results correspond [default: NAME.compare.toml beside NAME]
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Term to start term programs on; n in braces stands for the size
    #[arg(long, value_name = "TERM", allow_hyphen_values = true)]
    input: Option<String>,
    /// Goals to start constraint programs on; n in braces stands for the size
    #[arg(long, value_name = "GOALS")]
    query: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
    /// How to write the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: FormatArg,
    /// Write the report to a file; it appears when it is complete, or not at all
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatArg {
    /// Aligned tables
    Text,
    /// One JSON object
    Json,
    /// One page with plots
    Html,
}

/// What `--with` may say.
#[derive(Parser)]
#[command(name = "--with", no_binary_name = true, disable_help_flag = true)]
struct With {
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    semantics: SemanticsArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

impl With {
    /// The one language that an option is for.
    fn language(&self) -> Option<Language> {
        match (self.device.is_for_terms(), self.semantics.given().is_some()) {
            (true, false) => Some(Language::Terms),
            (false, true) => Some(Language::Constraints),
            _ => None,
        }
    }
}

/// Runs all, and writes the report. Ends with an error when answers differ or a row has none.
pub fn run(args: &Args) -> Exit {
    watchdog::enter(Phase::Measure);
    let plan = match plan(args) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    args.files.iter().for_each(|file| out_file::reads("a program", file));
    let file = match args.out.as_deref().map(|path| File::create("--out", path)).transpose() {
        Ok(file) => file,
        Err(exit) => return exit,
    };
    if plan.variants.iter().any(|variant| matches!(variant.options.device, Device::Gpu(_) | Device::Sim)) {
        report::cache();
    }
    let line = Measuring::new();
    let mut comparison = plan.run(interrupt::flag(), |row| {
        line.next(row);
        !interrupt::requested()
    });
    drop(line);
    let interrupted = watchdog::answered();
    if interrupted {
        report::say("gchr: interrupted, the report has the rows until then\n");
    }
    comparison.command = Some(super::words::command_line());
    let whole = !interrupted && comparison.is_complete();
    let exit = if whole && comparison.agrees() { Exit::Done } else { Exit::Failed };
    match deliver(args.format, &comparison, file) {
        Ok(()) => exit,
        Err(failed) => failed,
    }
}

fn deliver(format: FormatArg, comparison: &Comparison, file: Option<File>) -> Result<(), Exit> {
    let content = match format {
        FormatArg::Text => Ok(comparison.to_string()),
        FormatArg::Json => {
            let text = serde_json::to_string_pretty(comparison).map_err(std::io::Error::from);
            text.map(|text| escape::json_text(&text) + "\n")
        }
        FormatArg::Html => Ok(comparison.html()),
    };
    let mut out = Stdout::new();
    let written = content.and_then(|text| match file {
        Some(mut file) => file.write_all(text.as_bytes()).and_then(|()| file.finish()),
        None => out.write_all(text.as_bytes()).and_then(|()| out.flush()),
    });
    match written {
        Err(error) if !out.is_closed() => {
            report::problem("U0107", &format!("cannot write the report: {error}"), "check where it goes");
            Err(Exit::Failed)
        }
        _ => Ok(()),
    }
}

/// A usage error.
fn refuse(code: &str, message: &str, help: &str) -> Exit {
    report::problem(code, message, help);
    Exit::Usage
}

fn plan(args: &Args) -> Result<Plan, Exit> {
    no_stdin("gchr compare", &args.files)?;
    let mapping = mapping(args)?;
    let subjects =
        args.files.iter().map(|path| subject(args, mapping.as_ref(), path)).collect::<Result<Vec<_>, _>>()?;
    let texts = [""];
    let with: Vec<&str> =
        if args.with.is_empty() { texts.to_vec() } else { args.with.iter().map(|w| w.as_str()).collect() };
    let variants = with.into_iter().map(|text| variant(args, text)).collect::<Result<Vec<_>, _>>()?;
    check_options(args, &variants)?;
    let variants: Vec<Variant> = variants.into_iter().map(|(variant, _)| variant).collect();
    let known = mapping.as_ref().map_or(&[][..], |m| &m.sizes);
    let takes_sizes = subjects.iter().all(|s| s.start.as_ref().is_some_and(|start| start.contains("{n}")));
    let sizes = match takes_sizes {
        true if args.sizes.is_empty() => known.to_vec(),
        true => args.sizes.clone(),
        false if args.sizes.is_empty() => Vec::new(),
        false => {
            let message = "--sizes has no effect: not every program has a start with {n}";
            let help = "give --input TERM or --query GOALS with {n} in it, or a mapping with `start` for each program";
            return Err(refuse("U0124", message, help));
        }
    };
    if sizes.is_empty() && takes_sizes {
        return Err(refuse(
            "U0124",
            "the starts have {n}, and there is no size to put for it",
            "give --sizes N,...",
        ));
    }
    check_comparable(&subjects)?;
    let title = mapping
        .and_then(|m| m.title)
        .unwrap_or_else(|| subjects.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(" and "));
    Ok(Plan { title, subjects, variants, sizes, repeats: args.repeats as usize })
}

/// Refuses options that have no effect on any of the programs, as each variant reads them.
fn check_options(args: &Args, variants: &[(Variant, GivenOptions)]) -> Result<(), Exit> {
    let mut all = Vec::new();
    for (variant, given) in variants {
        let in_rounds = variant.options.semantics == Some(Semantics::Rounds);
        let parsed = args.files.iter().map(|file| Input::file(file).for_rounds(in_rounds).parse());
        let parsed: Vec<_> = parsed.collect();
        parsed.iter().flatten().for_each(|program| out_file::reads_texts(program.sources()));
        // A program with errors may be of any kind; its row says what is wrong.
        let Ok(programs) = parsed.into_iter().collect::<Result<Vec<_>, _>>() else { return Ok(()) };
        let runs =
            |program: &&Program| variant.language.is_none_or(|language| program.language() == language);
        let cases = |program| Case::of(program, &variant.options);
        let place = format!("--with {:?}: ", variant.label);
        given.check(&place, &programs.iter().map(cases).collect::<Vec<_>>())?;
        all.extend(programs.iter().filter(runs).map(cases));
    }
    effects::check(&all)
}

/// Results of different languages correspond only through rules.
fn check_comparable(subjects: &[Subject]) -> Result<(), Exit> {
    let mapped = subjects.iter().filter(|s| s.answer.is_some()).count();
    let first = subjects.first().map(|s| s.language);
    let one_language = subjects.iter().all(|s| Some(s.language) == first);
    if mapped == subjects.len() || mapped == 0 && one_language {
        return Ok(());
    }
    let missing = subjects.iter().find(|s| s.answer.is_none()).map_or("", |s| s.name.as_str());
    let message =
        format!("nothing says which results of {missing} correspond to those of the other programs");
    let help =
        "write a mapping with `answer` for each program, beside it or for --mapping (docs/comparison.md)";
    Err(refuse("U0122", &message, help))
}

fn mapping(args: &Args) -> Result<Option<Mapping>, Exit> {
    let beside = || args.files.iter().map(|file| Mapping::beside(file)).find(|path| path.is_file());
    let Some(path) = args.mapping.clone().or_else(beside) else { return Ok(None) };
    out_file::reads("the mapping", &path);
    Mapping::read(&path).map(Some).map_err(|found| report::refuse(&found))
}

fn subject(args: &Args, mapping: Option<&Mapping>, path: &Path) -> Result<Subject, Exit> {
    let Some(language) = Language::of_path(path) else {
        let message = format!("the ending of {} names no language", path.display());
        return Err(refuse("U0104", &message, "name the files .trs or .chr"));
    };
    let side = mapping.and_then(|m| m.side(path));
    if let (Some(mapping), None, Some(_)) = (mapping, side, &args.mapping) {
        let known = mapping.programs.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let message = format!("the mapping says nothing of {}", path.display());
        return Err(refuse(
            "U0123",
            &message,
            &format!("it has programs {known}: add one, or compare those"),
        ));
    }
    let given = match language {
        Language::Terms => &args.input,
        Language::Constraints => &args.query,
    };
    let subject = Subject {
        name: path
            .file_name()
            .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned()),
        path: path.to_path_buf(),
        language,
        start: given.clone().or_else(|| side.and_then(|s| s.start.clone())),
        answer: side.and_then(|s| s.answer.clone()),
    };
    subject.check_file().map_err(|found| report::refuse(&found))?;
    Ok(subject)
}

fn variant(args: &Args, text: &str) -> Result<(Variant, GivenOptions), Exit> {
    let split = words::split(text).map_err(|cause| {
        refuse("U0105", &format!("--with {text:?}: {cause}"), "write the options as for `gchr run`")
    })?;
    let matches = With::command().try_get_matches_from(split);
    let parsed = matches.and_then(|matches| Ok((With::from_arg_matches(&matches)?, matches)));
    let (with, matches) = parsed.map_err(|error| {
        let first = error.to_string();
        let first = first.lines().next().unwrap_or("").trim_start_matches("error: ").to_string();
        let help = "it takes the options of `gchr run` that say what runs a program and what bounds it";
        refuse("U0105", &format!("--with {text:?}: {first}"), help)
    })?;
    with.device.check_alone("gchr compare")?;
    let options = CompileOptions {
        device: with.device.device(),
        schedule: with.device.schedule()?,
        only_start: true,
        ..CompileOptions::default()
    };
    let mut options = with.semantics.complete(options);
    if matches!(options.device, Device::Gpu(_) | Device::Sim) {
        // Devices know no other semantics: one `--with` serves term and constraint programs.
        options.semantics.get_or_insert(Semantics::Rounds);
    }
    let limits = with.limits.or(args.limits).limits(with.device.device());
    let variant = Variant { label: text.to_string(), language: with.language(), options, limits };
    Ok((variant, GivenOptions::of("compare", &matches)))
}
