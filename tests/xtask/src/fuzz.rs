//! `cargo xtask fuzz`: random programs, each run in all ways, compared with the reference interpreters of the test kit.
//!
//! Workers are processes of this executable, so that one which dies says so, and needs nothing but itself. A worker
//! writes what it does in lines on standard output (`worker`); this module starts workers and adds up what they say.

mod answer;
mod binary;
mod case;
mod constraints;
mod findings;
mod known;
mod shrink;
mod terms;
#[cfg(test)]
mod tests;
mod worker;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gchr_testkit::coverage::{self, Coverage};

/// Programs from which on the generators must have used every construct.
const ENOUGH: u64 = 20_000;

/// What `cargo xtask fuzz` is asked for.
#[derive(clap::Args, Clone, Debug)]
pub struct FuzzArgs {
    /// How long to look
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Where to begin; else another place each time
    #[arg(long)]
    seed: Option<u64>,
    /// Worker processes; else one for each core
    #[arg(long)]
    jobs: Option<usize>,
    /// Run kernels on the simulator for one of so many programs; 0 for none
    #[arg(long, default_value_t = 40)]
    simulate: u64,
    /// Run kernels on the first GPU for one of so many programs; 0 for none
    #[arg(long, default_value_t = 0)]
    gpu: u64,
    /// Run every program with this gchr as well, and compare what it prints
    #[arg(long, value_name = "BINARY")]
    gchr: Option<PathBuf>,
    /// Where minimised failures are written
    #[arg(long, default_value = "tests/regressions", value_name = "FOLDER")]
    out: PathBuf,
    /// Run this file in all ways instead, and say what differs
    #[arg(long, value_name = "PROGRAM")]
    file: Option<PathBuf>,
    /// Print the program of the seed instead
    #[arg(long, requires = "seed")]
    show: bool,
    /// Print what was covered, and how often
    #[arg(long)]
    coverage: bool,
    /// One of the workers
    #[arg(long, hide = true)]
    worker: Option<u64>,
    /// The worker's folder
    #[arg(long, hide = true)]
    folder: Option<PathBuf>,
}

/// How long a worker may be at one program, failures made small included.
const PATIENCE: Duration = Duration::from_secs(300);

/// A worker, and the seed that it is at since a moment.
struct Worker {
    child: Child,
    at: Arc<Mutex<(String, Instant)>>,
}

impl Worker {
    /// Ends a worker that is at one program for too long; it then says so like one that died.
    fn watch(&mut self) {
        let since = self.at.lock().map_or(Instant::now(), |at| at.1);
        if since.elapsed() > PATIENCE {
            let _ = self.child.kill();
        }
    }
}

/// A line of a worker, or the end of it.
enum Message {
    Line(String),
    Died(String),
}

/// What all workers have done.
#[derive(Default)]
struct Total {
    counts: BTreeMap<String, u64>,
    reasons: BTreeMap<String, u64>,
    covered: [Coverage; 2],
    failures: Vec<String>,
}

/// Looks for failures; their number.
pub fn run(args: &FuzzArgs) -> Result<usize, String> {
    if let Some(file) = &args.file {
        return worker::run_file(file, args);
    }
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..1 << 40));
    if args.show {
        let case = case::Case::of_seed(seed);
        println!("{}", case.to_file(&[]));
        return Ok(0);
    }
    if let (Some(number), Some(folder)) = (args.worker, &args.folder) {
        worker::work(number, folder, seed, args)?;
        return Ok(0);
    }
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    println!("seed {seed}, {jobs} workers, {} minutes", args.minutes);
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let start = Instant::now();
    let mut total = Total {
        covered: [Coverage::new(coverage::terms::all()), Coverage::new(coverage::constraints::all())],
        ..Total::default()
    };
    let (send, receive) = channel();
    let mut workers = Vec::new();
    for number in 0..jobs as u64 {
        workers.push(start_worker(args, seed, number, folder.path(), send.clone())?);
    }
    drop(send);
    let mut shown = Instant::now();
    loop {
        match receive.recv_timeout(Duration::from_secs(5)) {
            Ok(message) => total.take(message),
            Err(RecvTimeoutError::Timeout) => workers.iter_mut().for_each(Worker::watch),
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if shown.elapsed() > Duration::from_secs(20) {
            shown = Instant::now();
            println!("{}", total.line(start.elapsed()));
        }
    }
    for worker in &mut workers {
        worker.child.wait().map_err(|e| e.to_string())?;
    }
    total.report(args, start.elapsed())
}

/// Starts a worker, whose lines are sent.
fn start_worker(
    args: &FuzzArgs,
    seed: u64,
    number: u64,
    folder: &std::path::Path,
    send: Sender<Message>,
) -> Result<Worker, String> {
    let own = folder.join(number.to_string());
    std::fs::create_dir_all(&own).map_err(|e| e.to_string())?;
    let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
    // Notes of kernels that were checked would fill the cache of who runs this.
    command.env("GCHR_CACHE_DIR", own.join("cache")).args(["fuzz", "--worker", &number.to_string()]);
    command.args(["--seed", &seed.to_string(), "--minutes", &args.minutes.to_string()]);
    command.args(["--simulate", &args.simulate.to_string(), "--gpu", &args.gpu.to_string()]);
    command.arg("--folder").arg(&own).arg("--out").arg(&args.out);
    if let Some(gchr) = &args.gchr {
        command.arg("--gchr").arg(gchr);
    }
    let spawned = command.stdout(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|e| format!("a worker: {e}"))?;
    let lines = child.stdout.take().ok_or("a worker without output")?;
    let at = Arc::new(Mutex::new((String::from("nothing"), Instant::now())));
    let last = Arc::clone(&at);
    std::thread::spawn(move || {
        let mut ended = false;
        for line in BufReader::new(lines).lines().map_while(Result::ok) {
            ended |= line == "end";
            match (line.strip_prefix("at "), last.lock()) {
                (Some(seed), Ok(mut last)) => *last = (seed.to_string(), Instant::now()),
                _ => drop(send.send(Message::Line(line))),
            }
        }
        if !ended {
            let seed = last.lock().map_or(String::new(), |last| last.0.clone());
            let _ = send.send(Message::Died(seed));
        }
    });
    Ok(Worker { child, at })
}

impl Total {
    fn take(&mut self, message: Message) {
        let line = match message {
            Message::Line(line) => line,
            Message::Died(seed) => {
                let what = format!(
                    "a worker died, or did not end, at the program of seed {seed} (cargo xtask fuzz --show --seed {seed})"
                );
                println!("FAILURE {what}");
                return self.failures.push(what);
            }
        };
        let mut words = line.splitn(3, ' ');
        let (what, number, rest) = (words.next(), words.next(), words.next().unwrap_or_default());
        let number: u64 = number.and_then(|n| n.parse().ok()).unwrap_or(0);
        match what {
            Some("count") => *self.counts.entry(rest.into()).or_default() += number,
            Some("reason") => *self.reasons.entry(rest.into()).or_default() += number,
            Some("terms") => (0..number).for_each(|_| self.covered[0].count([rest.to_string()])),
            Some("constraints") => (0..number).for_each(|_| self.covered[1].count([rest.to_string()])),
            Some("failure") => {
                println!("FAILURE {rest}");
                self.failures.push(rest.into());
            }
            _ => {}
        }
    }

    fn get(&self, count: &str) -> u64 {
        self.counts.get(count).copied().unwrap_or(0)
    }

    fn line(&self, time: Duration) -> String {
        let programs = self.get("programs");
        let rate = programs as f64 / time.as_secs_f64().max(0.001);
        let failures = self.failures.len();
        format!("{:.0} s: {programs} programs, {rate:.0} a second, {failures} failures", time.as_secs_f64())
    }

    fn report(self, args: &FuzzArgs, time: Duration) -> Result<usize, String> {
        println!("{}", self.line(time));
        for (name, count) in self.counts.iter().filter(|(name, _)| *name != "programs") {
            println!("  {count} {name}");
        }
        println!("the reference ends with:");
        self.reasons.iter().for_each(|(reason, count)| println!("  {count} {reason}"));
        let mut missing = 0;
        for (language, covered) in ["term", "constraint"].into_iter().zip(&self.covered) {
            let without = covered.missing();
            println!(
                "{} of {} constructs of {language} programs",
                covered.len() - without.len(),
                covered.len()
            );
            without.iter().for_each(|name| println!("  not used: {name}"));
            missing += without.len();
            if args.coverage {
                covered.iter().for_each(|(name, count)| println!("  {count} {name}"));
            }
        }
        let programs = self.get("programs");
        if missing > 0 && programs >= ENOUGH {
            return Err(format!("{missing} constructs are used by none of {programs} programs"));
        }
        Ok(self.failures.len())
    }
}
