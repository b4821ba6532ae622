//! `cargo xtask growth`: time and memory of whole processes by the size of the text that they read.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gchr_testkit::child::{self, Cost};
use gchr_testkit::growth::{ALL, Text};

/// The smaller text has at least this many bytes, the larger one four times as many: up to 60,000 rules.
const BYTES: usize = 1 << 18;
/// The most that the larger text may take, and how many times what the smaller one takes, if it is four times as large.
const SECONDS: f64 = 2.0;
const TIMES: f64 = 5.0;
/// Times below this are taken for this, since starting a process takes as long.
const LEAST_SECONDS: f64 = 0.05;
/// A process that takes longer than this is ended.
const PATIENCE: &str = "20s";

/// Arguments of `cargo xtask growth`.
#[derive(clap::Args)]
pub struct GrowthArgs {
    /// Only kinds of texts in whose language or name one of these occurs
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The gchr to measure; without it one is built, optimised
    #[arg(long, value_name = "BINARY")]
    gchr: Option<PathBuf>,
    /// How many times as large as usual the texts are
    #[arg(long, default_value_t = 1)]
    scale: usize,
    /// Keep the texts in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// Measures all kinds of texts; how many are beyond a bound.
pub fn run(args: &GrowthArgs) -> Result<usize, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let gchr = match &args.gchr {
        Some(binary) => super::replay::runnable(binary)?,
        None => super::replay::build(&root, None, &["--release"])?,
    };
    let aside = tempfile::tempdir().map_err(|e| e.to_string())?;
    let folder = args.keep.as_deref().unwrap_or(aside.path());
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    println!("| language | kind of text | command | KiB | s | KiB | s | times | MiB |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let is_wanted = |language: &str, name: &str| {
        args.names.is_empty()
            || args.names.iter().any(|part| language == part || name.contains(part.as_str()))
    };
    let mut beyond = 0;
    for &(ending, language, kinds) in ALL {
        for &(name, n, text) in kinds.iter().filter(|(name, _, _)| is_wanted(language, name)) {
            let [(small, few), (large, many)] =
                [1, 4].map(|times| of_size(text, n, times * args.scale * BYTES));
            let texts = [small, large];
            let files = ["small", "large"].map(|size| {
                folder.join(format!("{}-{size}.{ending}", name.replace(|c: char| !c.is_alphanumeric(), "-")))
            });
            for (file, text) in files.iter().zip(&texts) {
                std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))?;
            }
            for command in ["check", "run"] {
                let cost = |file: &PathBuf| cost(&gchr, command, language, file, folder);
                let costs = [cost(&files[0])?, cost(&files[1])?];
                let sizes = texts.each_ref().map(String::len);
                // What a text makes may be more than what is in it.
                let more = (sizes[1] as f64 / sizes[0] as f64).max(many as f64 / few as f64);
                let row = Row { language, name, command, sizes, more, costs };
                beyond += usize::from(row.show(args.scale));
                // What is refused is not run.
                if costs[1].status.code() == Some(2) {
                    break;
                }
            }
        }
    }
    Ok(beyond)
}

/// What a command took for a small and a large text of a kind.
struct Row<'a> {
    language: &'a str,
    name: &'a str,
    command: &'a str,
    sizes: [usize; 2],
    /// How many times as large the large one is.
    more: f64,
    costs: [Cost; 2],
}

impl Row<'_> {
    /// Prints it; whether it is beyond a bound.
    fn show(&self, scale: usize) -> bool {
        let seconds = self.costs.map(|cost| cost.cpu.as_secs_f64());
        let [small, large] = seconds.map(|s| s.max(LEAST_SECONDS));
        let kib = self.sizes.map(|size| size as f64 / 1024.0);
        let times = large / small * 4.0 / self.more;
        let is_beyond = times > TIMES || large > SECONDS * scale as f64;
        println!(
            "| {} | {} | {} | {:.0} | {:.2} | {:.0} | {:.2} | {times:.1}{} | {} |",
            self.language,
            self.name,
            self.command,
            kib[0],
            seconds[0],
            kib[1],
            seconds[1],
            if is_beyond { " !" } else { "" },
            self.costs[1].peak >> 20,
        );
        is_beyond
    }
}

/// A text of a kind that has at least so many bytes, and few more, with its size. That is not larger than these.
fn of_size(text: Text, n: usize, bytes: usize) -> (String, usize) {
    let mut n = n;
    loop {
        let found = text(n);
        if found.len() >= bytes || n >= bytes {
            return (found, n);
        }
        let wanted = n.saturating_mul(bytes) / found.len();
        n = wanted.clamp(n + n / 8 + 1, 8 * n).min(bytes);
    }
}

/// Runs a command of gchr on a file. Its findings and results go to files, which take nothing of its time.
fn cost(gchr: &Path, command: &str, language: &str, file: &Path, folder: &Path) -> Result<Cost, String> {
    let output = |name: &str| File::create(folder.join(name)).map_err(|e| e.to_string());
    let mut child = Command::new(gchr);
    child.arg(command).args(["--language", language, "--timeout", PATIENCE]).arg(file);
    child.stdin(Stdio::null()).stdout(output("stdout")?).stderr(output("stderr")?);
    Ok(child::wait(child.spawn().map_err(|e| format!("{}: {e}", gchr.display()))?))
}
