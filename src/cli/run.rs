//! `gchr run`: from a program file to its result.

mod anew;
mod args;
mod as_gpu_child;
mod choices;
mod execute;
mod gpu_child;
mod kept;
mod later_kernels;
mod leaving;
mod output;
mod tables;
mod team;
mod typed;

use std::time::Instant;

use gchr::base::limited::Limited;
use gchr::base::reading::is_stdin;
use gchr::report::profile::{Profile, Why};
use gchr::{BatchOptions, CompileOptions, Control, Device, Executable, Program, Recorder, WhyOptions};

use super::checkpoints::Files;
use super::exit::Exit;
use super::sink::Stdout;
use super::unwritten::unwritten;
use super::watchdog::{self, Phase};
use super::{batch, interrupt, out_file, profile, report};
use choices::FormatArg;
use execute::{How, Ran, execute};
use leaving::Leaving;
use output::{Out, deliver, deliver_of_child, give_up};
use team::Member;

pub use args::Args;
pub use as_gpu_child::run_as_gpu_child;
pub use choices::KernelsArg;
pub use later_kernels::compile as compile_later_kernels;

/// Runs the program; what goes wrong is on standard error when this returns.
pub fn run(args: &Args, start: Instant) -> Exit {
    watchdog::limit(args.limits.timeout(), start);
    args.limits.bound_process(args.device.device());
    match run_from(args, start) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn run_from(args: &Args, start: Instant) -> Result<Exit, Exit> {
    let mut member = Member::of(args);
    let prepared = prepare(args, &member);
    let (program, options) = member.agree(prepared, |(program, _)| digest(program, args))?;
    let compiled = compile(args, &program, &options).and_then(|executable| {
        args.note_files();
        // The file is opened before the run: a path that cannot be written is known at once, not hours later.
        watchdog::enter(Phase::Open);
        let out = if member.shows_results() { Out::open(args, &program)? } else { Out::nowhere() };
        let checkpoints = args.kept.open(&program, &options, member.shows_results())?;
        Ok((executable, out, checkpoints))
    });
    let (executable, out, checkpoints) = member.agree(compiled, |_| 0)?;
    member.speak();
    let exit = match args.inputs {
        Some(_) => {
            let exit = run_batch(args, &executable, start, out);
            std::mem::forget(executable);
            Ok(exit)
        }
        None => run_one(args, executable, &options, checkpoints.as_ref(), start, out, &member),
    };
    // The process ends: nothing need be given back piece by piece.
    std::mem::forget(program);
    exit
}

/// The checked program, and how to compile it.
fn prepare(args: &Args, member: &Member) -> Result<(Program, CompileOptions), Exit> {
    let schedule = args.device.schedule()?;
    args.check_stdin()?;
    args.start_threads_to_load()?;
    let program = load(args)?;
    watchdog::enter(Phase::Compile);
    let options = args.options(args.device(&program), schedule);
    let options = CompileOptions { workers: member.workers(options.workers), ..options };
    args.check(&program, &options)?;
    Ok((program, options))
}

fn compile<'p>(args: &Args, program: &'p Program, options: &CompileOptions) -> Result<Executable<'p>, Exit> {
    if matches!(options.device, Device::Gpu(_) | Device::Sim) {
        report::cache();
    }
    args.start_threads_to_run(program, options)?;
    let executable = program.compile(options).map_err(|found| report::refuse(&found))?;
    report::differences(&executable.warnings(), &args.program.file);
    if !is_stdin(&args.program.file) {
        later_kernels::start_for(executable.kernels());
    }
    Ok(executable)
}

/// What the processes of a team must have in common.
fn digest(program: &Program, args: &Args) -> u64 {
    let limits = args.limits.limits(args.device.device());
    let bounds = (limits.max_steps, limits.max_rounds);
    program.digest(&format!("{} {bounds:?} {:?}", env!("CARGO_PKG_VERSION"), args.kept.shared()))
}

fn load(args: &Args) -> Result<Program, Exit> {
    let program = args.input().parse().map_err(|found| report::refuse(&found))?;
    report::warnings(program.warnings(), &args.program.file);
    report::notices(program.notices());
    out_file::reads_texts(program.sources());
    Ok(program)
}

fn run_batch(args: &Args, executable: &Executable<'_>, start: Instant, out: Out) -> Exit {
    let Some(terms) = &args.inputs else { return Exit::Usage };
    let request = batch::Request {
        terms,
        json: matches!(args.format(), FormatArg::Json | FormatArg::Jsonl),
        stats: args.stats,
    };
    let limits = args.limits.limits(args.device.device());
    let (threads, interrupt) = (batch::workers(args.threads), Some(interrupt::flag()));
    let options = BatchOptions { limits, threads, interrupt, start: Some(start), shard: args.shard() };
    batch::run(&request, executable, &options, out.stdout, out.file)
}

/// Runs the program on its start, with a profile if one is wanted.
fn run_one(
    args: &Args,
    executable: Executable<'_>,
    options: &CompileOptions,
    checkpoints: Option<&Files>,
    start: Instant,
    mut out: Out,
    member: &Member,
) -> Result<Exit, Exit> {
    let program = executable.program();
    let open = |target| profile::Output::open(target, args.device.device());
    let mut recorded = args.profile.as_ref().map(open).transpose()?;
    watchdog::enter(Phase::Run);
    let counted = match recorded {
        Some(_) => counted(args, options, program, start, &mut out.stdout),
        None => None,
    };
    let recorder = recorded.as_mut().map(profile::Output::begin);
    let how = How { device: options.device, races: args.races(program), checkpoints };
    let elapsed = || Some(start.elapsed().as_secs_f64() * 1e3);
    match execute(args, &executable, how, start, &mut out.stdout, recorder) {
        Ok(Ran::OfChild(result)) => {
            std::mem::forget(executable);
            Ok(deliver_of_child(args, &result, out))
        }
        Ok(Ran::Here(mut outcome)) => {
            outcome.stats_mut().wall_ms = elapsed();
            let leaving = Leaving::begin(executable);
            let mut exit = deliver(args, &outcome, out);
            if let Some(recorded) = &mut recorded {
                match explain(args, program, options, start) {
                    Ok(why) => recorded.explain(why),
                    Err(failed) if exit == Exit::Done => exit = failed,
                    Err(_) => {}
                }
            }
            let written = match recorded
                .map(|r| r.write(&profiled(program, outcome.stats()), counted.as_ref(), None))
            {
                Some(Err(failed)) if exit == Exit::Done => Err(failed),
                _ => Ok(exit),
            };
            std::mem::forget(outcome);
            leaving.end();
            written
        }
        Err(failure) if anew::begins_anew(args, program, options, &failure) => {
            std::mem::forget((failure, executable));
            run_anew(args, options, start, out, member)
        }
        Err(mut failure) => {
            failure.stats.wall_ms = elapsed();
            let exit = give_up(args, program, &failure, out);
            // What stops all of them has a store.
            if failure.error.is_some() && failure.left.is_none() {
                member.sign();
            }
            if let (Some(recorded), Some(error)) = (recorded, failure.diagnostics.list().first()) {
                // The failure of the run is the one to tell.
                let _ = recorded.write(
                    &profiled(program, &failure.stats),
                    counted.as_ref(),
                    Some(&error.message),
                );
            }
            std::mem::forget((failure, executable));
            Ok(exit)
        }
    }
}

/// Runs the program from its beginning where integers have any size.
fn run_anew(
    args: &Args,
    options: &CompileOptions,
    start: Instant,
    out: Out,
    member: &Member,
) -> Result<Exit, Exit> {
    let notice = "an integer needs more than 64 bits: the logic machine runs the program anew (--logic: from the start)";
    report::notices(&[notice.into()]);
    // What its author should know was told before.
    let program = args.input().for_logic(true).parse().map_err(|found| report::refuse(&found))?;
    watchdog::enter(Phase::Compile);
    let executable = compile(args, &program, options)?;
    let exit = run_one(args, executable, options, None, start, out, member);
    std::mem::forget(program);
    exit
}

/// What a profile is made of a recorded run.
fn profiled<'a>(program: &'a Program, stats: &'a gchr::Stats) -> impl Fn(&Recorder) -> Option<Profile> + 'a {
    |recorder| Some(Profile::new(program, recorder, stats))
}

/// What led to what `--why` asks for, by a run on the processor; what goes wrong is on standard error then.
fn explain(
    args: &Args,
    program: &Program,
    options: &CompileOptions,
    start: Instant,
) -> Result<Option<Why>, Exit> {
    let Some(of) = &args.why else { return Ok(None) };
    watchdog::enter(Phase::Run);
    let limits = args.limits.limits(Device::Cpu);
    let mut control = Control::new(limits).since(start).interrupt(interrupt::flag());
    // The run on a device was the one before.
    let options = CompileOptions { device: Device::Cpu, ..*options };
    let explained = program.why(of, &options, &WhyOptions::default(), &mut control);
    let explanation = explained.map_err(|failure| {
        report::diagnostics(&failure.diagnostics);
        Exit::Failed
    })?;
    let mut text = Vec::new();
    let mut out = Limited::new(&mut text, watchdog::limits()).max_output(args.limits.max_output());
    let written = explanation.write_text(&mut out);
    drop(out);
    written.map_err(|error| {
        unwritten("the derivation", error.into());
        Exit::Failed
    })?;
    let derivation = String::from_utf8_lossy(&text).into_owned();
    Ok(Some(Why { of: of.clone(), derivation }))
}

/// What the kernels of a GPU count: they do it in a run of its own before the one that is timed. `None` on other
/// devices, which count while they are timed.
fn counted(
    args: &Args,
    options: &CompileOptions,
    program: &Program,
    start: Instant,
    stdout: &mut Stdout,
) -> Option<Recorder> {
    if !options.counts_apart() {
        return None;
    }
    let executable = program.compile(&CompileOptions { record: true, ..*options }).ok()?;
    let mut recorder = Recorder::new();
    // What goes wrong here goes wrong in the other run too, and is told there.
    let how = How { device: options.device, races: false, checkpoints: None };
    let _ = execute(args, &executable, how, start, stdout, Some(&mut recorder));
    Some(recorder)
}
