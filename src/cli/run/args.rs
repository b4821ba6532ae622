//! The command line of `gchr run`, and what follows from it.

mod typed;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use gchr::base::reading::is_stdin;
use gchr::base::rule::Semantics;
use gchr::{
    Answers, CompileOptions, Device, FactFile, FactFormat, Firing, Format, Header, Input, KernelTier,
    Language, Program, Schedule, Selection, Shard, Workers,
};

use super::choices::{FactsFormatArg, FileFormat, FormatArg, KernelsArg, NativeArg};
use super::kept::KeptArgs;
use crate::cli::device::DeviceArgs;
use crate::cli::effects::{self, Case};
use crate::cli::exit::Exit;
use crate::cli::limits::LimitArgs;
use crate::cli::program::ProgramArgs;
use crate::cli::semantics::SemanticsArgs;
use crate::cli::streams::{stdin_of, stdin_once};
use crate::cli::{batch, memory, out_file, profile, report, values};

/// Arguments of `gchr run`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Term to rewrite, in place of the program's own input (.trs)
    #[arg(long, value_name = "TERM", allow_hyphen_values = true)]
    pub input: Option<String>,
    /// Terms to rewrite, one per line of a file (- for standard input), side by side; results are in their order (.trs)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["input", "trace", "profile"])]
    pub inputs: Option<PathBuf>,
    /// Only the K-th of N shares of the lines of --inputs, line by line in turn, e.g. 3/8; rank takes both from MPI or
    /// Slurm (.trs)
    #[arg(long, value_name = "K/N", value_parser = values::shard, requires = "inputs")]
    shard: Option<Shard>,
    /// Goals to run, in place of the program's own queries; may be given several times (.chr)
    #[arg(long, value_name = "GOALS")]
    pub query: Vec<String>,
    /// Rows of constraint C from a CSV, TSV or JSON-lines file (.csv, .tsv, .jsonl, packed: .csv.gz, .csv.zst), a table
    /// of typed columns (.parquet, .arrow, .arrows, .db or .db:TABLE), or from standard input (-), added before the
    /// queries; may be given several times (.chr)
    #[arg(long, value_name = "C=FILE", value_parser = values::facts)]
    pub facts: Vec<(String, PathBuf)>,
    /// Whether the first line of fact files names their columns: auto guesses, and says how; C=WHEN is for the files of
    /// constraint C; may be given several times [default: auto] (.chr)
    #[arg(long, value_name = "WHEN", value_parser = values::header)]
    pub header: Vec<(Option<String>, Header)>,
    /// How fact files are written, where their endings do not tell; standard input is CSV without it (.chr)
    #[arg(long, value_name = "FORMAT")]
    facts_format: Option<FactsFormatArg>,
    /// Look for all answers of the last query, not for the first one only (.chr)
    #[arg(long, conflicts_with = "answers")]
    pub all: bool,
    /// Look for the first N answers of the last query (.chr)
    #[arg(long, visible_alias = "limit", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub answers: Option<u64>,
    /// Run a constraint program on the logic machine, whatever it needs: integers have any size there (.chr)
    #[arg(long)]
    pub logic: bool,
    /// Seed of the random numbers of a program [default: 1] (.chr)
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub semantics: SemanticsArgs,
    /// How to write the result [default: text; csv with --out-dir]
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatArg>,
    /// Write only this constraint of the store; may be given several times (.chr)
    #[arg(long, value_name = "NAME/ARITY", value_parser = values::symbol)]
    show: Vec<(String, Option<usize>)>,
    /// Write how many there are of each constraint in the place of the constraints (.chr)
    #[arg(long)]
    pub sizes: bool,
    /// Write a file for each constraint to a folder: NAME.csv with one line for each row, no name and no header;
    /// --format tsv, jsonl, parquet, arrow and arrows as well (.chr)
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "inputs", "partial", "sizes"])]
    pub out_dir: Option<PathBuf>,
    /// Write the result to a file; it appears when it is complete, or not at all
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// When a limit or an error stops the run, write the store as it was then, or the results of the terms that have
    /// one, where the result would have gone; the exit code stays 1
    #[arg(long)]
    pub partial: bool,
    /// Show statistics on standard error (JSON results always have them)
    #[arg(long)]
    pub stats: bool,
    /// Record the run and write plots of it, with counts by rule, to a file that ends in .html, .svg or .json. Times
    /// include recording (`gchr bench profile` measures it). On a GPU programs in rounds and under --scheduler tasks
    /// run twice, first with kernels that count, then timed
    #[arg(long, value_name = "PATH", value_parser = profile::target)]
    pub profile: Option<profile::ProfileFile>,
    /// Add to the profile what led to a constraint, e.g. "path(1,4)", or to a place in a normal form, e.g. 1.2: the
    /// program runs once more on the processor, as `gchr why` runs it
    #[arg(long, value_name = "WHAT", requires = "profile")]
    pub why: Option<String>,
    /// Whether the processor runs machine code made of the rules in the place of the interpreter: auto does when the
    /// run is not over after a moment (.trs, and .chr under the refined semantics)
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub native: NativeArg,
    /// What a GPU gets when its kernels are not in the cache: soon compiles some that run slower and, in the
    /// background, fast ones for later runs; fast waits for these [default: soon; fast with --profile]
    #[arg(long, value_name = "WHICH")]
    pub kernels: Option<KernelsArg>,
    /// Show every rule application on standard error
    #[arg(long)]
    pub trace: bool,
    /// Run on a GPU for a process that began so many milliseconds before, and for which --device auto was given
    #[arg(long, value_name = "MS", hide = true)]
    pub gpu_child: Option<u64>,
    /// Compile fast kernels for the cache, for a process that runs others
    #[arg(long, hide = true)]
    pub later_kernels: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Share the run among so many workers of this process, each with a part of the store, and with --device gpu a GPU
    /// of its own (.chr with --semantics rounds); under mpiexec each process is a worker, without this option
    #[arg(long, value_name = "N", value_parser = values::workers)]
    pub workers: Option<NonZeroUsize>,
    #[command(flatten)]
    pub kept: KeptArgs,
    /// Number of threads for loading facts, for rounds, for --inputs, and for a term with native code [default: all
    /// cores]
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub threads: Option<usize>,
}

impl Args {
    /// The program and its start.
    pub fn input(&self) -> Input {
        let rounds = self.semantics.rounds();
        let input = self.program.input().memory(self.limits.memory_of_host());
        let mut input = input.for_rounds(rounds).for_logic(self.logic).without_unreadable(true);
        if let Some(term) = &self.input {
            input = input.term(term);
        }
        for goals in &self.query {
            input = input.query(goals);
        }
        for (constraint, file) in &self.facts {
            input = input.fact_file(FactFile {
                constraint: constraint.clone(),
                path: file.clone(),
                header: values::header_of(&self.header, constraint),
                format: self.facts_format.map(FactFormat::from),
            });
        }
        input
    }

    /// How the result is written.
    pub fn format(&self) -> FormatArg {
        self.format.unwrap_or(if self.out_dir.is_some() { FormatArg::Csv } else { FormatArg::Text })
    }

    /// How a result of any kind is written; the other formats are refused where a result is no table.
    pub fn text_format(&self) -> Format {
        self.format().text().unwrap_or(Format::Text)
    }

    /// Which constraints are written.
    pub fn selection(&self) -> Selection {
        Selection::of_symbols(self.show.clone())
    }

    /// Which lines of a batch are evaluated.
    pub fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    /// Notes what is read, so that no result is written over it.
    pub fn note_files(&self) {
        out_file::reads("the program", stdin_of(&self.program.file));
        let format = self.facts_format.map(FactFormat::from);
        let facts = self.facts.iter().map(|(_, file)| stdin_of(gchr::split_table(file, format).0));
        facts.for_each(|file| out_file::reads("a file of facts", file));
        if let Some(file) = &self.inputs {
            out_file::reads("the file of --inputs", stdin_of(file));
        }
    }

    /// How to compile for a device.
    pub fn options(&self, device: Device, schedule: Schedule) -> CompileOptions {
        let options = CompileOptions {
            trace: self.trace,
            inline: !self.trace,
            device,
            native: self.native.into(),
            kernels: self.kernels(),
            schedule,
            answers: self.answers(),
            answers_as_found: self.shows_answers_as_they_are(),
            seed: self.seed.unwrap_or(1),
            threads: Some(batch::workers(self.threads)),
            only_start: self.inputs.is_none(),
            only_sizes: self.sizes && !self.partial && self.profile.is_none(),
            workers: self.workers.or(self.device.count()).map_or(Workers::Alone, Workers::Here),
            ..CompileOptions::default()
        };
        self.semantics.complete(options)
    }

    /// Whether statistics are written: JSON has them.
    pub fn shows_stats(&self) -> bool {
        self.stats || matches!(self.format(), FormatArg::Json)
    }

    /// Whether the answers of a logic program are written to standard output as text, each as a whole.
    fn shows_answers_as_they_are(&self) -> bool {
        let elsewhere = self.out.is_some() || self.out_dir.is_some();
        matches!(self.format(), FormatArg::Text) && !elsewhere && !self.sizes && self.show.is_empty()
    }

    /// What matters of a GPU's kernels. A profile is one of those that run fast.
    fn kernels(&self) -> KernelTier {
        match self.kernels {
            Some(kernels) => kernels.into(),
            None if self.profile.is_some() => KernelTier::Fast,
            None => KernelTier::Soon,
        }
    }

    /// How many answers are looked for.
    fn answers(&self) -> Answers {
        match (self.all, self.answers) {
            (true, _) => Answers::All,
            (false, n) => Answers::First(n.unwrap_or(1)),
        }
    }

    /// Refuses that standard input is read for two things.
    pub fn check_stdin(&self) -> Result<(), Exit> {
        stdin_once(self.facts.iter().map(|(_, file)| file).chain(&self.inputs).chain([&self.program.file]))
    }

    /// Starts the threads that load facts, and those whose number is given.
    pub fn start_threads_to_load(&self) -> Result<(), Exit> {
        let wanted = self.threads.is_some() || !self.facts.is_empty() || memory::is_tight();
        if wanted { memory::start_threads(self.threads) } else { Ok(()) }
    }

    /// Starts the threads that a program needs.
    pub fn start_threads_to_run(&self, program: &Program, options: &CompileOptions) -> Result<(), Exit> {
        let in_rounds =
            program.language() == Language::Constraints && program.semantics(options) == Semantics::Rounds;
        if in_rounds { memory::start_threads(self.threads) } else { Ok(()) }
    }

    /// Whether a GPU runs beside the processor, in a process of its own.
    pub fn races(&self, program: &Program) -> bool {
        let single = self.inputs.is_none() && !self.trace && self.profile.is_none();
        // Standard input is read once, and files are written by one process.
        let single = single
            && self.out_dir.is_none()
            && self.format().text().is_some()
            && !self.facts.iter().any(|(_, file)| is_stdin(file))
            && !is_stdin(&self.program.file);
        let options = self.semantics.complete(CompileOptions::default());
        let in_rounds = || program.semantics(&options) == Semantics::Rounds && !program.writes();
        self.device.device() == Device::Auto
            && single
            && (program.language() == Language::Terms || in_rounds())
    }

    /// What is to be explained must be something that the program has.
    fn check_why(&self, program: &Program) -> Result<(), Exit> {
        let Some(of) = &self.why else { return Ok(()) };
        if self.profile.as_ref().is_some_and(|target| !target.takes_text()) {
            let help = "give --profile a file that ends in .html or .json";
            report::problem("U0105", "--why has no effect: a drawing shows no derivations", help);
            return Err(Exit::Usage);
        }
        program.check_why(of).map_err(|found| report::refuse(&found))
    }

    /// What runs the program in this process.
    pub fn device(&self, program: &Program) -> Device {
        if self.races(program) { Device::Cpu } else { self.device.device() }
    }

    /// Refuses workers for what they cannot share.
    fn check_workers(&self, program: &Program, options: &CompileOptions) -> Result<(), Exit> {
        let asked = match options.workers {
            Workers::Alone => return Ok(()),
            Workers::Here(_) if self.workers.is_none() => "--device gpu:N-M",
            Workers::Here(_) => "--workers",
            Workers::Team => "mpiexec",
        };
        self.check_devices(options)?;
        program.check_ground(asked).map_err(|found| report::refuse(&found))?;
        if !Case::of(program, options).in_rounds {
            let message = format!("{asked}: workers share constraint programs in rounds, and no other run");
            let help =
                "give --semantics rounds with a .chr program; lines of --inputs are shared by --shard rank";
            report::problem("U0110", &message, help);
            return Err(Exit::Usage);
        }
        let watched = [
            ("--trace", self.trace),
            ("--profile", self.profile.is_some()),
            ("--firing", options.firing != Firing::Indexed),
            ("--device auto", self.device.device() == Device::Auto),
        ];
        if let Some((option, _)) = watched.iter().find(|(_, given)| *given) {
            let message = format!(
                "{option} does not go with {asked}: workers share plain runs on processors or devices"
            );
            report::problem("U0105", &message, "leave out one of the two");
            return Err(Exit::Usage);
        }
        Ok(())
    }

    /// Refuses several devices where their number, or that of processes, says something else.
    fn check_devices(&self, options: &CompileOptions) -> Result<(), Exit> {
        let Some(count) = self.device.count() else { return Ok(()) };
        if options.workers == Workers::Team {
            let help = "give --device gpu:N: the processes of a host take the GPUs from there on";
            report::problem("U0105", "each process that mpiexec has started takes one GPU", help);
            return Err(Exit::Usage);
        }
        if self.workers.is_some_and(|workers| workers != count) {
            let message = format!("--device names {count} GPUs, and --workers another number of them");
            report::problem("U0105", &message, "leave out --workers: each GPU has a worker");
            return Err(Exit::Usage);
        }
        Ok(())
    }

    /// Refuses options that would have no effect on this program.
    pub fn check(&self, program: &Program, options: &CompileOptions) -> Result<(), Exit> {
        let is_watched = self.trace || self.profile.is_some();
        let case = Case::of(program, options);
        let device = self.device.device();
        effects::check(&[Case { device, has_facts: !self.facts.is_empty(), is_watched, ..case }])?;
        self.check_output(program)?;
        self.check_why(program)?;
        self.check_workers(program, options)?;
        self.kept.check(device, program, options)?;
        values::check_header(&self.header, &self.facts)
    }

    /// Refuses ways to write a result that do not fit it.
    fn check_output(&self, program: &Program) -> Result<(), Exit> {
        let terms = program.language() == Language::Terms;
        if let (FormatArg::Csv | FormatArg::Tsv, true) = (self.format(), terms && self.out_dir.is_none()) {
            let help = "use --format text, --format json or --format jsonl";
            report::problem("U0109", "a normal form has no rows and columns to write as CSV", help);
            return Err(Exit::Usage);
        }
        self.check_typed(program)?;
        if self.out_dir.is_some() && FileFormat::of(self.format()).is_none() {
            let help = "give --format csv, tsv, jsonl, parquet, arrow, arrows or sqlite";
            report::problem("U0105", "--out-dir writes tables, not this format", help);
            return Err(Exit::Usage);
        }
        self.selection().check(&program.constraints()).map_err(|found| {
            report::finding(&found.note("in --show"));
            Exit::Usage
        })
    }
}
