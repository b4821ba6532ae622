//! `gchr bench`: the papers' tables, other systems, growth, the choice of a device.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use gchr::Device;
use gchr::base::reading::{self, Account};
use gchr::base::{escape, memory};
use gchr::report::bench::{self, Report, Settings};

use super::exit::Exit;
use super::out_file::File;
use super::progress::Measuring;
use super::sink::Stdout;
use super::watchdog::{self, Phase};
use super::{interrupt, report, values};

/// Arguments of `gchr bench`.
#[derive(clap::Args)]
pub struct Args {
    /// What to measure
    #[arg(value_name = "WHAT")]
    kind: Kind,
    /// Timed runs of each program and size, after one that warms up; fewer when they take long
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=1000))]
    repeats: u64,
    /// These programs only
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Vec<String>,
    /// The smallest size of each program only
    #[arg(long)]
    smallest: bool,
    /// What runs the programs of scale and profile: cpu, gpu, gpu:N or sim (papers takes a GPU when there is one)
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = super::device::device)]
    device: Device,
    /// Time that one run, of gchr or of a peer, may take
    #[arg(long, value_name = "T", default_value = "60s", value_parser = values::duration)]
    timeout: Duration,
    /// Keep the report in a file, for --against
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Show what got slower or faster since the report in a file; ends with an error when something got slower
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// The tables of the papers that gchr builds on: their figures, ours, the ratio
    Papers,
    /// Other systems on the same programs, as far as they are installed: Maude, OCaml, GHC, C++, SWI-Prolog
    Peers,
    /// Every example at three sizes
    Scale,
    /// What recording a profile costs
    Profile,
    /// Every example at three sizes with --device auto, and with the better of the CPU and a GPU
    Auto,
}

/// Measures, and writes the report to standard output.
pub fn run(args: &Args) -> Exit {
    watchdog::enter(Phase::Measure);
    let interrupt = interrupt::flag();
    if let Some(name) = args.only.iter().find(|name| !is_known(name)) {
        let mut known: Vec<_> = bench::TERMS.iter().chain(bench::CONSTRAINTS).map(|b| b.name).collect();
        known.sort_unstable();
        known.dedup();
        let help = format!("give names of examples: {}", known.join(", "));
        report::problem("U0131", &format!("there is no benchmark {name}"), &help);
        return Exit::Usage;
    }
    if args.device != Device::Cpu && !matches!(args.kind, Kind::Scale | Kind::Profile) {
        let help = "leave it out: papers takes a GPU when there is one, auto and peers choose for themselves";
        report::problem("U0105", "--device has no effect: it is for scale and profile", help);
        return Exit::Usage;
    }
    // Both files are looked at before the measurements.
    let create = |path| File::create("--json", path);
    let (old, file) =
        match (args.against.as_deref().map(read).transpose(), args.json.as_deref().map(create).transpose()) {
            (Ok(old), Ok(file)) => (old, file),
            (Err(exit), _) | (_, Err(exit)) => return exit,
        };
    if cfg!(debug_assertions) {
        report::say("gchr: this is an unoptimised build, times mean little\n");
    }
    let line = Measuring::new();
    let settings = Settings {
        repeats: args.repeats as usize,
        only: args.only.clone(),
        smallest: args.smallest,
        device: args.device,
        timeout: args.timeout,
        interrupt,
        progress: &|next| line.next(next),
    };
    let measured = match args.kind {
        Kind::Papers => bench::papers(&settings),
        Kind::Peers => bench::peers(&settings),
        Kind::Scale => bench::scale(&settings),
        Kind::Profile => bench::recording(&settings),
        Kind::Auto => match std::env::current_exe() {
            Ok(gchr) => bench::auto(&settings, &gchr),
            Err(error) => Err(format!("this program does not know where it lies: {error}")),
        },
    };
    drop(line);
    let found = match measured {
        Ok(found) => found,
        Err(why) => {
            report::problem("U0130", &why, "check the folder for temporary files (TMPDIR)");
            return Exit::Failed;
        }
    };
    deliver(&found, old.as_ref(), file)
}

fn deliver(found: &Report, old: Option<&Report>, file: Option<File>) -> Exit {
    let changes = old.map(|old| found.against(old));
    let mut text = found.to_string();
    if let Some(changes) = &changes {
        text += &format!("\n{changes}");
    }
    let interrupted = watchdog::answered();
    let mut out = Stdout::new();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    let kept = match file {
        Some(mut file) => serde_json::to_writer_pretty(escape::json(&mut file), found)
            .map_err(std::io::Error::from)
            .and_then(|()| file.finish()),
        None => Ok(()),
    };
    if let (Err(error), false) = (written.and(kept), out.is_closed()) {
        report::problem("U0107", &format!("cannot write the report: {error}"), "check where it goes");
        return Exit::Failed;
    }
    if interrupted {
        report::say("gchr: interrupted, the report has the entries until then\n");
        return Exit::Failed;
    }
    let slower = changes.is_some_and(|c| c.list.iter().any(gchr::report::bench::Change::is_slower));
    let wrong =
        [found.differing().next(), found.failing().next(), found.slow().next()].iter().any(Option::is_some);
    if slower || wrong { Exit::Failed } else { Exit::Done }
}

fn is_known(name: &str) -> bool {
    bench::TERMS.iter().chain(bench::CONSTRAINTS).any(|b| b.name == name)
}

fn read(path: &Path) -> Result<Report, Exit> {
    let text = reading::read_string(path, &Account::new(Some(memory::left())));
    text.and_then(|text| Ok(serde_json::from_str(&text)?)).map_err(|error| {
        let help = "give --against a file that --json has written";
        report::finding(&reading::unread(error, "U0132", path, help));
        Exit::Usage
    })
}
