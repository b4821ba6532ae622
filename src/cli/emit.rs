//! `gchr emit`: a program as one of the stages it goes through.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use gchr::base::escape;
use gchr::device::{self, Arch};
use gchr::terms::plan::PASSES;
use gchr::{CompileOptions, Diagnostics, KernelTier, Language, Program, Schedule};

use super::device::ScheduleArgs;
use super::effects::{self, Case};
use super::exit::Exit;
use super::out_file::{self, File};
use super::program::ProgramArgs;
use super::run::KernelsArg;
use super::semantics::SemanticsArgs;
use super::sink::Stdout;
use super::streams::stdin_once;
use super::watchdog::{self, Phase};
use super::{report, values};

/// Arguments of `gchr emit`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// Which form to show
    #[arg(long, value_name = "STAGE", default_value = "rules")]
    stage: Stage,
    /// Show the plan of a term program as it is after this pass of the compiler
    #[arg(long, value_name = "PASS", value_parser = pass_names())]
    after: Option<String>,
    #[command(flatten)]
    schedule: ScheduleArgs,
    #[command(flatten)]
    semantics: SemanticsArgs,
    /// Compile kernels for this GPU architecture, e.g. sm_90 [default: that of the GPU at hand, else sm_90]
    #[arg(long, value_name = "ARCH", value_parser = values::architecture)]
    arch: Option<u32>,
    /// Show one kernel and what it needs, as when it is compiled apart from the others
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Which kernels to show [default: fast]
    #[arg(long, value_name = "WHICH")]
    kernels: Option<KernelsArg>,
    /// Write to a file; it appears when it is complete, or not at all
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

/// `lower`, which makes the first plan, and the passes over it.
fn pass_names() -> clap::builder::PossibleValuesParser {
    let mut names = vec!["lower"];
    for pass in PASSES {
        if !names.contains(&pass.name) {
            names.push(pass.name);
        }
    }
    names.into()
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// The program text as it was understood: it parses back to the same program
    Ast,
    /// Signature and rules in the form common to both languages
    Rules,
    /// What the CPU executes
    Plan,
    /// What devices execute, in the kernel language
    Kernels,
    /// The kernels as CUDA C++
    Cuda,
    /// The kernels in the assembly language of GPUs
    Ptx,
    /// The kernels as machine code of a GPU
    Cubin,
}

impl Stage {
    fn is_of_device(self) -> bool {
        matches!(self, Stage::Kernels | Stage::Cuda) || self.is_compiled()
    }
    fn is_compiled(self) -> bool {
        matches!(self, Stage::Ptx | Stage::Cubin)
    }
}

/// Writes the stage to standard output, or to a file.
pub fn run(args: &Args) -> Exit {
    if let Some((option, stages)) = misplaced(args) {
        report::problem(
            "U0105",
            &format!("{option} is for --stage {stages}"),
            &format!("leave out {option}, or give another --stage"),
        );
        return Exit::Usage;
    }
    if args.stage == Stage::Cubin && args.out.is_none() && std::io::stdout().is_terminal() {
        let help = "give --out PATH, or send the output to a file";
        report::problem("U0111", "machine code is no text for a terminal", help);
        return Exit::Usage;
    }
    let schedule = match args.schedule.schedule() {
        Ok(schedule) => schedule,
        Err(exit) => return exit,
    };
    if let Err(exit) = stdin_once([&args.program.file]) {
        return exit;
    }
    match shown(args, schedule) {
        Ok(exit) | Err(Refused::Told(exit)) => exit,
        Err(Refused::Found(found)) => report::refuse(&found),
    }
}

/// Why there is nothing to show.
enum Refused {
    /// The user has been told.
    Told(Exit),
    Found(Diagnostics),
}

impl From<Diagnostics> for Refused {
    fn from(found: Diagnostics) -> Self {
        Refused::Found(found)
    }
}

/// An option that has no effect on the stage, and the stages that it is for.
fn misplaced(args: &Args) -> Option<(&'static str, &'static str)> {
    if args.after.is_some() && args.stage != Stage::Plan {
        return Some(("--after", "plan"));
    }
    if args.arch.is_some() && !args.stage.is_compiled() {
        return Some(("--arch", "ptx and --stage cubin"));
    }
    if let (Some(option), Stage::Ast) = (args.semantics.given(), args.stage) {
        return Some((option, "rules, plan, kernels, cuda, ptx and cubin"));
    }
    if args.semantics.firing_is_given() && args.stage == Stage::Rules {
        return Some(("--firing", "plan, kernels, cuda, ptx and cubin"));
    }
    let kernel = args.kernel.is_some().then_some("--kernel");
    let kernels = args.kernels.is_some().then_some("--kernels");
    let given = args.schedule.given().or(kernel).or(kernels).filter(|_| !args.stage.is_of_device());
    given.map(|option| (option, "kernels, cuda, ptx and cubin"))
}

fn shown(args: &Args, schedule: Schedule) -> Result<Exit, Refused> {
    let rounds = args.semantics.rounds() || args.stage.is_of_device();
    let program = args.program.input().for_rounds(rounds).parse()?;
    report::warnings(program.warnings(), &args.program.file);
    let options = args.semantics.complete(CompileOptions::default());
    let case = Case::of(&program, &options);
    // Devices know no other semantics.
    let in_rounds =
        case.in_rounds || args.stage.is_of_device() && program.language() == Language::Constraints;
    effects::check(&[Case { in_rounds, ..case }]).map_err(Refused::Told)?;
    out_file::reads("the program", &args.program.file);
    out_file::reads_texts(program.sources());
    // Opened before anything is compiled: a path that cannot be written is known at once.
    let file = args.out.as_ref().map(|path| File::create("--out", path)).transpose();
    let file = file.map_err(Refused::Told)?;
    let content = if args.stage.is_of_device() {
        kernels(args, &program, schedule)?
    } else {
        stage(args, &program, &options)?
    };
    Ok(write(file, &content))
}

fn write(file: Option<File>, content: &[u8]) -> Exit {
    let mut out = Stdout::new();
    let written = match file {
        None => out.write_all(content).and_then(|()| out.flush()),
        Some(mut file) => file.write_all(content).and_then(|()| file.finish()),
    };
    match written {
        Err(error) if !out.is_closed() => {
            report::problem("U0107", &format!("cannot write: {error}"), "check where the output goes");
            Exit::Failed
        }
        _ => Exit::Done,
    }
}

fn stage(args: &Args, program: &Program, options: &CompileOptions) -> Result<Vec<u8>, Refused> {
    let text = match (args.stage, args.after.as_deref()) {
        (Stage::Ast, _) => program.ast().to_string(),
        (Stage::Plan, Some(pass)) => program.term_plan_after(pass)?,
        (Stage::Plan, None) => program.compile(options)?.plan().to_string(),
        _ if program.is_logic() => program.explain()?,
        _ => program.rules().to_string(),
    };
    // A syntax tree has its own escapes, so that it reads back.
    let text = if args.stage == Stage::Ast { text } else { escape::lines(&text).into_owned() };
    Ok(lines(text))
}

fn kernels(args: &Args, program: &Program, schedule: Schedule) -> Result<Vec<u8>, Refused> {
    watchdog::enter(Phase::Compile);
    let wanted = args.kernels.map_or(KernelTier::Fast, KernelTier::from);
    let options = CompileOptions { schedule, kernels: wanted, only_start: true, ..CompileOptions::default() };
    let mut kernels = program.kernels(&args.semantics.complete(options))?;
    if let Some(name) = &args.kernel {
        if !kernels.names().contains(&name.as_str()) {
            let help = format!("give one of {}", kernels.names().join(", "));
            report::problem("U0105", &format!("the program has no kernel `{}`", escape::lines(name)), &help);
            return Err(Refused::Told(Exit::Usage));
        }
        kernels = kernels.only(name);
    }
    if args.stage.is_compiled() {
        report::cache();
    }
    let number = || args.arch.unwrap_or_else(device::default_architecture);
    Ok(match args.stage {
        Stage::Cubin => kernels.compile(Arch::Real(number()))?.content().to_vec(),
        Stage::Ptx => kernels.compile(Arch::Virtual(number()))?.content().to_vec(),
        Stage::Cuda => lines(kernels.cuda()?),
        _ => lines(kernels.module().to_string()),
    })
}

/// A text that ends with a line break.
fn lines(mut text: String) -> Vec<u8> {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.into_bytes()
}
