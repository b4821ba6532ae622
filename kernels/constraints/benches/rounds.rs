//! Rounds of constraint programs on a GPU: each program at sizes that fill the card, beside the time that it is to take
//! there.
//!
//! `rounds [REPEATS] [--largest] [--only PART]... [--edges FILE]...` prints a table; `--largest` adds the rows that
//! take seconds. Times are best of the repeats: `device ms` are those of the launches, `loop ms` those of all rounds
//! with the host between launches; context, compilation, facts and the way back of the store are not part of them. A
//! file of edges (two numbers a line) is closed transitively. `--only` picks the rows whose name holds PART.

use gchr_testkit::bench;
use std::time::Instant;

use gchr_base::control::{Control, Limits};
use gchr_base::rule::Program;
use gchr_base::source::SourceMap;
use gchr_constraints::plan::{Joins, RoundsOptions, compile_rounds};
use gchr_kernels_constraints::generate::kernels;
use gchr_kernels_constraints::run::{FEW, Job, Options, run};
use gchr_kernels_constraints::start::{Batch, Input};

use gchr_testkit::bench::GpuMachine;

const FLOYD: &str = include_str!("../../../examples/floyd.chr");
const CLOSURE: &str = include_str!("../../../examples/transitive_closure.chr");
const MIN: &str = include_str!("../../../examples/min.chr");
const PRIMES: &str = include_str!("../../../examples/primes.chr");
const GCD: &str = include_str!("../../../examples/gcd.chr");
const SORT: &str = include_str!("../../../examples/mergesort.chr");
const BITONIC: &str = include_str!("../../../examples/bitonic.chr");
const COMPONENTS: &str = include_str!("../../../examples/components.chr");
const PATHS: &str = include_str!("../../../examples/paths.chr");
/// One firing a round, and nothing else.
const COUNTER: &str = ":- chr_constraint count(+int).\ndown @ count(N) <=> N > 0 | M is N - 1, count(M).\n";

const CLASSES: RoundsOptions = RoundsOptions { classes: true, joins: Joins::Indexed };
const GENERAL: RoundsOptions = RoundsOptions { classes: false, joins: Joins::Indexed };
const EXHAUSTIVE: RoundsOptions = RoundsOptions { classes: false, joins: Joins::Exhaustive };

/// A constraint: name of its symbol, and its arguments.
type Fact = (&'static str, Vec<i64>);

struct Row {
    name: String,
    text: &'static str,
    options: RoundsOptions,
    facts: Vec<Fact>,
    /// The milliseconds that it is to take on one H200, if there is such a bar.
    bar: Option<f64>,
}

fn row(
    name: impl Into<String>,
    text: &'static str,
    options: RoundsOptions,
    facts: Vec<Fact>,
    bar: Option<f64>,
) -> Row {
    Row { name: name.into(), text, options, facts, bar }
}

/// Pseudo-random numbers (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most) as i64
    }
}

fn complete(vertices: i64) -> Vec<Fact> {
    let mut random = Numbers(12345);
    let ends = (0..vertices).flat_map(|i| (0..vertices).map(move |j| (i, j))).filter(|(i, j)| i != j);
    ends.map(|(i, j)| ("edge", vec![i, j, random.below(1_000_000) + 1])).collect()
}

fn graph(vertices: u64, edges: usize) -> Vec<Fact> {
    let mut random = Numbers(42);
    (0..edges).map(|_| ("edge", vec![random.below(vertices), random.below(vertices)])).collect()
}

fn weighted(vertices: u64, edges: usize) -> Vec<Fact> {
    let mut random = Numbers(43);
    let edge = |_| ("edge", vec![random.below(vertices), random.below(vertices), random.below(100) + 1]);
    let from = ("distance", vec![0, 0]);
    (0..edges).map(edge).chain([from]).collect()
}

fn numbers(name: &'static str, count: usize, most: u64) -> Vec<Fact> {
    let mut random = Numbers(44);
    (0..count).map(|_| (name, vec![random.below(most) + 1])).collect()
}

/// Runs of one element each; no two are equal.
fn runs(count: i64) -> Vec<Fact> {
    let mut random = Numbers(45);
    (0..count).map(|n| ("run", vec![1, random.below(1000) * 1_000_000_000 + n])).collect()
}

/// As many runs of one element each, by place.
fn places(count: i64) -> Vec<Fact> {
    let values = numbers("", count as usize, 1 << 40).into_iter().enumerate();
    let run = |(at, (_, value)): (usize, Fact)| ("run", vec![1, at as i64, 0, value[0]]);
    [("size", vec![count])].into_iter().chain(values.map(run)).collect()
}

fn edges(path: &str) -> Vec<Fact> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let number = |word: &str| word.parse().unwrap_or_else(|_| panic!("{path}: {word} is no number"));
    text.lines().map(|line| ("edge", line.split_whitespace().map(number).collect())).collect()
}

/// Rows that take seconds.
const SECONDS: [&str; 5] =
    ["min 10^8", "exhaustive floyd 64", "general min 10^6", "gcd 10^6", "merge sort 10^6"];

type Make = Box<dyn Fn() -> Row>;

fn rows(files: &[String]) -> Vec<(String, Make)> {
    let mut rows: Vec<(String, Make)> = Vec::new();
    let mut add = |name: &str, text, options, facts: Box<dyn Fn() -> Vec<Fact>>, bar| {
        let label = name.to_string();
        rows.push((name.to_string(), Box::new(move || row(label.clone(), text, options, facts(), bar))));
    };
    for (n, bar) in [(64, 0.3), (1024, 25.0), (2048, 100.0)] {
        add(&format!("floyd {n}"), FLOYD, CLASSES, Box::new(move || complete(n)), Some(bar));
    }
    for n in [16, 32, 64] {
        add(&format!("exhaustive floyd {n}"), FLOYD, EXHAUSTIVE, Box::new(move || complete(n)), None);
    }
    add("closure 2000/4000", CLOSURE, CLASSES, Box::new(|| graph(2000, 4000)), Some(2.0));
    add("closure 16000/32000", CLOSURE, CLASSES, Box::new(|| graph(16000, 32000)), Some(35.0));
    for file in files {
        let name = std::path::Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bar = match &*name {
            "p2p-Gnutella09" => Some(7.0),
            "fe_body" => Some(60.0),
            "usroads" => Some(350.0),
            _ => None,
        };
        let path = file.clone();
        add(&format!("closure {name}"), CLOSURE, CLASSES, Box::new(move || edges(&path)), bar);
    }
    add("min 10^8", MIN, CLASSES, Box::new(|| numbers("min", 100_000_000, 1 << 40)), Some(2.0));
    add("min 10^7", MIN, CLASSES, Box::new(|| numbers("min", 10_000_000, 1 << 40)), None);
    add("general min 10^6", MIN, GENERAL, Box::new(|| numbers("min", 1_000_000, 1 << 40)), Some(100.0));
    let candidates = || (2..=100_000).map(|n| ("prime", vec![n])).collect();
    add("primes to 10^5", PRIMES, CLASSES, Box::new(candidates), Some(15.0));
    let multiples =
        || numbers("gcd", 1_000_000, 100_000).into_iter().map(|(n, v)| (n, vec![6 * v[0]])).collect();
    add("gcd 10^6", GCD, CLASSES, Box::new(multiples), None);
    // The oldest of all, as in the example: else all pairs of runs are in its list.
    let sort = |count| [("collect", Vec::new())].into_iter().chain(runs(count)).collect();
    add("merge sort 10^6", SORT, CLASSES, Box::new(move || sort(1_000_000)), None);
    add("merge sort 10^4", SORT, CLASSES, Box::new(move || sort(10_000)), None);
    add("merge sort in places 10^6", BITONIC, CLASSES, Box::new(|| places(1_000_000)), None);
    add("a counter from 10^4", COUNTER, CLASSES, Box::new(|| vec![("count", vec![10_000])]), Some(200.0));
    add("components 10^6/4·10^6", COMPONENTS, CLASSES, Box::new(|| graph(1_000_000, 4_000_000)), None);
    add("paths 10^5/5·10^5", PATHS, CLASSES, Box::new(|| weighted(100_000, 500_000)), None);
    rows
}

fn main() {
    let repeats = bench::repeats();
    let (mut largest, mut only, mut files) = (false, Vec::new(), Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_else(|| panic!("{arg} needs a value"));
        match &*arg {
            "--largest" => largest = true,
            "--only" => only.push(value()),
            "--edges" => files.push(value()),
            // Of `cargo bench`.
            "--bench" => {}
            other => assert!(other.parse::<u32>().is_ok(), "what is {other}?"),
        }
    }
    let Some(machine) = GpuMachine::find() else { return };
    println!(
        "| program | facts | constraints | firings | rounds | bytes each | device ms | loop ms | bar ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, make) in rows(&files) {
        let wanted = if only.is_empty() {
            largest || !SECONDS.contains(&&*name)
        } else {
            only.iter().any(|part| name.contains(part))
        };
        if wanted {
            bench(&make(), repeats, &machine);
        }
    }
}

/// The facts as the first batch.
fn batch(program: &Program, facts: &[Fact]) -> Batch {
    let symbol = |(name, values): &Fact| {
        let found = program.signature.constraints.iter_enumerated();
        let mut found = found.filter(|(_, c)| c.name == *name && c.columns.len() == values.len());
        found.next().expect("the program has the symbol").0
    };
    let mut rows = Batch::default();
    for fact in facts {
        let values: Vec<u64> = fact.1.iter().map(|&n| n as u64).collect();
        rows.push(symbol(fact), &values);
    }
    rows
}

fn bench(row: &Row, repeats: u32, machine: &GpuMachine) {
    let start = Instant::now();
    let mut sources = SourceMap::new();
    let id = sources.add(&row.name, row.text);
    let request = gchr_chr::Request { program: id, queries: Vec::new(), facts: Vec::new() };
    let program = gchr_chr::load(&mut sources, &request).program.expect("the example is right");
    let plan = compile_rounds(&program, row.options).expect("the plan compiles");
    let kernels = kernels(&program, &plan, &sources).unwrap_or_else(|_| panic!("kernels of {}", row.name));
    let (mut gpu, memory) = machine.gpu(&kernels.module, &row.name);
    let input = Input { batches: vec![batch(&program, &row.facts)], ..Input::default() };
    let job = Job { program: &program, plan: &plan, kernels: &kernels, input: &input };
    let (mut device, mut rounds) = (f64::INFINITY, f64::INFINITY);
    let mut counts = String::new();
    for _ in 0..repeats {
        let options = Options { memory, rows: 1 << 16, store: false, fast_paths: true, few: FEW };
        let outcome = match run(job, options, &mut gpu, &mut Control::new(Limits::default())) {
            Ok(outcome) => outcome,
            Err(failure) => return println!("| {} | {failure:?} |", row.name),
        };
        let stats = outcome.stats;
        device = device.min(stats.device_ms.unwrap_or(f64::INFINITY));
        rounds = rounds.min(outcome.rounds_ms);
        let live = stats.live_cells.unwrap_or(0);
        let (firings, rounds) = (stats.firings.unwrap_or(0), stats.rounds.unwrap_or(0));
        let each = stats.peak_bytes.unwrap_or(0) / live.max(1);
        counts = format!("{} | {live} | {firings} | {rounds} | {each}", row.facts.len());
    }
    let bar = row.bar.map_or_else(|| "-".to_string(), |bar| bar.to_string());
    println!("| {} | {counts} | {device:.3} | {rounds:.3} | {bar} |", row.name);
    eprintln!("{}: {:.1} s in all", row.name, start.elapsed().as_secs_f64());
}
