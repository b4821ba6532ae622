//! A worker of `cargo xtask fuzz`: case after case, until the time is over. It says on standard output which seed is
//! next (`at`), which failures it found (`failure`), and at the end what it has counted.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use gchr::Language;
use gchr_testkit::coverage::Coverage;

use super::FuzzArgs;
use super::answer::expect_panics;
use super::case::Case;
use super::constraints::{self, Tools};
use super::findings::{Devices, Difference, Findings};
use super::known::Known;
use super::{shrink, terms};

/// How long a failure is made smaller.
const PATIENCE: Duration = Duration::from_secs(40);
/// Failures of one kind that a worker reports.
const ALIKE: usize = 2;
/// How far workers are apart in what chooses the cases for devices.
const APART: u64 = 370;
/// Room for the recursion of the reference.
const STACK: usize = 1 << 30;

/// Runs a case in all ways.
pub fn check(case: &Case, tools: &Tools, devices: Devices, turn: Option<u64>) -> Findings {
    let mut found = Findings::default();
    match case.language {
        Language::Terms => terms::check(case, devices, turn, &mut found),
        Language::Constraints => constraints::check(case, tools, devices, turn, &mut found),
    }
    if let Some(binary) = &tools.binary {
        binary.check(case, &mut found);
    }
    found
}

/// Runs something with a stack for the recursion of the reference; panics of what is tested are no news on standard
/// error.
pub fn with_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, f);
        thread.expect("a thread").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Runs a file in all ways and prints what differs; how much does.
pub fn run_file(file: &Path, args: &FuzzArgs) -> Result<usize, String> {
    let case = Case::read(file)?;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let tools = Tools::new(folder.path().to_path_buf(), args.gchr.as_ref())?;
    let devices = Devices { simulator: args.simulate > 0, gpu: args.gpu > 0 };
    let found = with_stack(|| check(&case, &tools, devices, None));
    if let Some(code) = &found.refused {
        return Err(format!("{}: refused with {code}", file.display()));
    }
    found.differences.iter().for_each(|difference| println!("{difference}"));
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(why) = Known::read(&args.out)?.why(&name) {
        println!("known to fail: {why}");
    }
    found.reasons.iter().for_each(|(reason, count)| println!("{count} starts: {reason}"));
    println!("{} runs, {} differences", found.runs, found.differences.len());
    Ok(found.differences.len())
}

/// Works until the time is over.
pub fn work(number: u64, folder: &Path, seed: u64, args: &FuzzArgs) -> Result<(), String> {
    expect_panics();
    let tools = Tools::new(folder.to_path_buf(), args.gchr.as_ref())?;
    let known = Known::read(&args.out)?;
    with_stack(|| Worker::new(&tools, args, known).work(number, seed));
    Ok(())
}

struct Worker<'a> {
    tools: &'a Tools,
    args: &'a FuzzArgs,
    counts: BTreeMap<&'static str, u64>,
    reasons: BTreeMap<String, u64>,
    covered: [Coverage; 2],
    /// What was reported, and how often.
    reported: Vec<(String, usize)>,
    known: Known,
    seen: HashSet<String>,
}

impl<'a> Worker<'a> {
    fn new(tools: &'a Tools, args: &'a FuzzArgs, known: Known) -> Self {
        let (counts, reasons) = (BTreeMap::new(), BTreeMap::new());
        let covered = [Coverage::default(), Coverage::default()];
        let (reported, seen) = (Vec::new(), HashSet::new());
        Self { tools, args, counts, reasons, covered, reported, known, seen }
    }

    fn work(mut self, number: u64, seed: u64) {
        let deadline = Instant::now() + Duration::from_secs_f64(self.args.minutes * 60.0);
        // Workers take seeds far apart from each other.
        let first = seed.wrapping_add(number << 24);
        let mut said = Instant::now();
        for n in 0.. {
            if Instant::now() >= deadline {
                break;
            }
            let seed = first + n;
            say(&format!("at {seed}"));
            // Workers come to devices and compilers at other times than each other.
            self.case(n + APART * number, seed);
            if said.elapsed() > Duration::from_secs(5) {
                said = Instant::now();
                self.tell();
            }
        }
        self.tell();
        for (language, covered) in ["terms", "constraints"].into_iter().zip(&self.covered) {
            covered.iter().for_each(|(name, count)| say(&format!("{language} {count} {name}")));
        }
        self.reasons.iter().for_each(|(reason, count)| say(&format!("reason {count} {reason}")));
        say("end");
    }

    /// Says what was counted since the last time.
    fn tell(&mut self) {
        std::mem::take(&mut self.counts)
            .iter()
            .for_each(|(name, count)| say(&format!("count {count} {name}")));
    }

    fn case(&mut self, n: u64, seed: u64) {
        let case = Case::of_seed(seed);
        // Constraint programs and term programs have different last digits: both come to devices.
        let every = |n: u64, one_of: u64| one_of > 0 && (n / 10).is_multiple_of(one_of);
        let devices = Devices { simulator: every(n, self.args.simulate), gpu: every(n, self.args.gpu) };
        let turn = Some(n / 10 / self.args.simulate.max(1) + n);
        let found = check(&case, self.tools, devices, turn);
        for (name, count) in [
            ("programs", 1),
            ("programs that are refused", u64::from(found.refused.is_some())),
            ("starts of which the reference knows the end", found.known),
            ("starts of which it does not", found.unknown),
            ("runs", found.runs),
            ("runs on the simulator", found.simulated),
            ("runs on a GPU", found.on_gpu),
        ] {
            *self.counts.entry(name).or_default() += count;
        }
        if let Some(code) = &found.refused {
            *self.reasons.entry(format!("refused with {code}")).or_default() += 1;
        }
        for (reason, count) in &found.reasons {
            *self.reasons.entry(reason.clone()).or_default() += count;
        }
        if let Some((covered, terms)) = &found.coverage {
            self.covered[usize::from(!terms)].add(covered);
        }
        let mut kinds: Vec<Difference> = Vec::new();
        for difference in found.differences {
            if !kinds.iter().any(|known| known.is_like(&difference)) {
                kinds.push(difference);
            }
        }
        let all = kinds.len();
        kinds.retain(|difference| !self.known.has(difference));
        if kinds.is_empty() && all > 0 {
            *self.counts.entry("programs that differ where that is known").or_default() += 1;
        }
        // One defect shows in many ways to run: the first one stands for all of a case.
        if let Some(difference) = kinds.first() {
            self.failure(&case, seed, difference, devices, turn);
        }
    }

    fn failure(
        &mut self,
        case: &Case,
        seed: u64,
        difference: &Difference,
        devices: Devices,
        turn: Option<u64>,
    ) {
        let kind = format!("{}: {}", difference.executor, difference.what);
        let count = self.reported.iter_mut().find(|(known, _)| *known == kind);
        let alike = match count {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                self.reported.push((kind.clone(), 1));
                1
            }
        };
        *self.counts.entry("programs that differ").or_default() += 1;
        if alike > ALIKE {
            return;
        }
        // Kernels are run again only for what shows on them.
        let on_device = difference.executor.starts_with("sim") || difference.executor.starts_with("gpu");
        let devices = if on_device { devices } else { Devices { simulator: false, gpu: false } };
        let mut last = difference.clone();
        let smallest = shrink::shrink(case, PATIENCE, &mut |smaller| {
            let found = check(smaller, self.tools, devices, turn);
            let same = found.differences.into_iter().find(|d| d.is_like(difference));
            let fails = same.is_some();
            last = same.unwrap_or_else(|| last.clone());
            fails
        });
        let text = smallest.to_file(&[format!("Seed {seed}. {last}")]);
        let body = smallest.to_file(&[]);
        if !self.seen.insert(body) {
            return;
        }
        let path = self.args.out.join(format!("seed-{seed}.{}", smallest.ending()));
        let written = std::fs::create_dir_all(&self.args.out).and_then(|()| std::fs::write(&path, text));
        let place = written.map_or_else(|e| format!("(not written: {e})"), |()| path.display().to_string());
        say(&format!("failure 0 {kind} (seed {seed}, {place})"));
    }
}

/// Writes a line at once, so that it is there when the process dies.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{}", line.replace('\n', " "));
    let _ = out.flush();
}
