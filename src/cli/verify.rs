//! `gchr verify`: what the checker says of kernels.

use clap::ValueEnum;
use gchr::base::escape;
use gchr::device::{Assumption, Reason, Verdict, verify_file};
use gchr::{CompileOptions, Firing, Language, Schedule};
use serde_json::{Value, json};

use super::device::ScheduleArgs;
use super::effects::{self, Case};
use super::exit::Exit;
use super::program::ProgramArgs;
use super::report;
use super::semantics::FiringArg;
use super::sink::print;
use super::streams::stdin_once;

/// Arguments of `gchr verify`.
#[derive(clap::Args)]
#[command(
    after_help = "FILE may also be a text in the kernel language (.cu).\n\nExit codes: 0 all kernels are accepted, 1 one is refused, 2 usage or source error."
)]
pub struct Args {
    /// Program whose kernels are generated and checked (.trs), or a file in the kernel language (.cu)
    #[command(flatten)]
    program: ProgramArgs,
    /// Check this kernel only
    #[arg(long, value_name = "KERNEL")]
    kernel: Option<String>,
    /// Show what the verdicts rest on: assumptions, sources of the rules, what the check took
    #[arg(long)]
    explain: bool,
    /// Form of the verdicts on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    schedule: ScheduleArgs,
    /// How the rounds whose kernels are checked find what can fire [default: indexed] (.chr)
    #[arg(long, value_name = "FIRING")]
    firing: Option<FiringArg>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// JSON: an array of verdicts
    Json,
}

/// Writes the verdicts to standard output; fails when a kernel is refused.
pub fn run(args: &Args) -> Exit {
    let is_text = args.program.file.extension().is_some_and(|ending| ending == "cu");
    let given = args.schedule.given().or(args.firing.map(|_| "--firing"));
    if let (true, Some(option)) = (is_text, given) {
        let message = format!("{option} does not apply to kernels that are given");
        report::problem("U0105", &message, &format!("leave out {option}, or give a program (.trs)"));
        return Exit::Usage;
    }
    if args.explain && args.format == Format::Json {
        let help = "leave it out: JSON has all that is known of a verdict";
        report::problem("U0105", "--explain has no effect with --format json", help);
        return Exit::Usage;
    }
    let schedule = match args.schedule.schedule() {
        Ok(schedule) => schedule,
        Err(exit) => return exit,
    };
    let found = match is_text {
        true => verify_file(&args.program.file).map_err(|found| report::refuse(&found)),
        false => generated(args, schedule),
    };
    let mut verdicts = match found {
        Ok(verdicts) => verdicts,
        Err(exit) => return exit,
    };
    if let Some(kernel) = &args.kernel {
        let names: Vec<String> = verdicts.iter().map(|v| v.kernel.clone()).collect();
        verdicts.retain(|v| v.kernel == *kernel);
        if verdicts.is_empty() {
            let message = format!("there is no kernel {kernel}");
            report::problem("U0112", &message, &format!("the kernels are: {}", names.join(", ")));
            return Exit::Usage;
        }
    }
    let text = match args.format {
        Format::Text => verdicts.iter().map(|v| describe(v, args.explain)).collect(),
        Format::Json => {
            escape::json_text(&format!("{:#}\n", Value::Array(verdicts.iter().map(as_json).collect())))
        }
    };
    match print(&text) {
        Exit::Done if !verdicts.iter().all(Verdict::accepted) => Exit::Failed,
        exit => exit,
    }
}

fn generated(args: &Args, schedule: Schedule) -> Result<Vec<Verdict>, Exit> {
    stdin_once([&args.program.file])?;
    let program = args.program.input().for_rounds(true).parse().map_err(|found| report::refuse(&found))?;
    let firing = args.firing.map_or(Firing::default(), FiringArg::firing);
    let options = CompileOptions { schedule, firing, ..CompileOptions::default() };
    // Kernels of constraint programs are those of rounds.
    let in_rounds = program.language() == Language::Constraints;
    effects::check(&[Case { in_rounds, ..Case::of(&program, &options) }])?;
    Ok(program.kernels(&options).map_err(|found| report::refuse(&found))?.verify())
}

/// A verdict in a few lines; with `explain`, all that is known of it.
fn describe(verdict: &Verdict, explain: bool) -> String {
    if !explain {
        let text = verdict.to_string();
        let lines = text.lines().enumerate().take_while(|(n, _)| *n <= reasons_end(verdict));
        let mut text: String = lines.map(|(_, line)| format!("{line}\n")).collect();
        if let (n @ 1.., true) = (verdict.assumptions.len(), verdict.accepted()) {
            let plural = if n == 1 { "" } else { "s" };
            text.push_str(&format!("  under {n} assumption{plural}, shown by --explain\n"));
        }
        return text;
    }
    let mut text = verdict.to_string();
    let mut rules: Vec<_> = verdict.reasons.iter().map(|r| r.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    for rule in rules {
        text.push_str(&format!("  rule {rule}: {}\n", rule.source()));
    }
    text
}

/// The last line of the text of a verdict that is about its reasons.
fn reasons_end(verdict: &Verdict) -> usize {
    verdict.reasons.iter().map(|r| if r.other.is_some() { 3 } else { 2 }).sum()
}

fn as_json(verdict: &Verdict) -> Value {
    let reasons: Vec<Value> = verdict
        .reasons
        .iter()
        .map(|Reason { rule, place, other, text }| {
            json!({
                "rule": rule.name(), "code": rule.code(), "source": rule.source(), "text": text,
                "place": place.to_string(), "line": place.line,
                "other": other.as_ref().map(ToString::to_string),
            })
        })
        .collect();
    let assumptions: Vec<Value> = verdict
        .assumptions
        .iter()
        .map(|Assumption { name, kind, place, places }| {
            json!({"name": name, "kind": kind.source(), "place": place.to_string(), "places": places})
        })
        .collect();
    let steps: Vec<Value> = verdict
        .steps
        .iter()
        .map(|Assumption { name, place, places, .. }| {
            json!({"name": name, "place": place.to_string(), "places": places})
        })
        .collect();
    let effort = verdict.effort;
    json!({
        "kernel": verdict.kernel, "accepted": verdict.accepted(), "reasons": reasons, "assumptions": assumptions,
        "steps": steps,
        "statements": effort.statements, "intervals": effort.intervals,
        "accesses": effort.accesses, "pairs": effort.pairs,
    })
}
