//! `cargo xtask replay`: CUDA C++ of all examples from two builds of gchr, and where the two differ.

use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

use super::ReplayArgs;
use super::compare::{around, first_difference};

/// Lines to show of each text.
const SHOWN: usize = 7;

/// Compares all texts; the number of those that differ.
pub fn run(args: &ReplayArgs) -> Result<usize, String> {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().map_err(|e| e.to_string())?;
    // Each tree has its own target folder, whatever the environment says; the old one's is kept, so that dependencies
    // are built once.
    let target = root.join("target/replay");
    let checkout = match &args.revision {
        Some(revision) => Some(Worktree::of(&root, revision)?),
        None => None,
    };
    let old = match (&checkout, &args.old) {
        (Some(worktree), _) => build(&worktree.folder(), &target.join("old"))?,
        (None, Some(binary)) => binary.clone(),
        (None, None) => return Err("a revision or --old is needed".into()),
    };
    let new = match &args.new {
        Some(binary) => binary.clone(),
        None => build(&root, &target.join("new"))?,
    };
    let runs = runs(&root, &args.examples)?;
    let compare = |run: &Run| compare(&root, &old, &new, run, args.names);
    let found: Vec<Comparison> = runs.par_iter().map(compare).collect::<Result<_, _>>()?;
    let differences: Vec<&String> = found.iter().filter_map(Comparison::difference).collect();
    differences.iter().for_each(|difference| println!("{difference}"));
    let refused = found.iter().filter(|found| matches!(found, Comparison::Refused)).count();
    let (compared, differ) = (runs.len() - refused, differences.len());
    println!("{compared} texts compared, {differ} differ; {refused} refused by both");
    if compared == 0 { Err("there is nothing to compare".into()) } else { Ok(differ) }
}

/// What came of a run.
enum Comparison {
    Same,
    /// In words.
    Differs(String),
    /// Both refuse it: there are no texts.
    Refused,
}

impl Comparison {
    fn difference(&self) -> Option<&String> {
        match self {
            Comparison::Differs(how) => Some(how),
            Comparison::Same | Comparison::Refused => None,
        }
    }
}

/// Options of `gchr emit`.
type Run = Vec<String>;

/// Every example with every scheduler and collector.
fn runs(root: &Path, only: &[String]) -> Result<Vec<Run>, String> {
    let folder = root.join("examples");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut examples: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    examples.sort();
    let mut runs = Vec::new();
    for example in examples {
        let name = example.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !only.is_empty() && !only.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        let mut add = |options: &str| {
            let options = options.split_whitespace().map(String::from);
            runs.push(std::iter::once(format!("examples/{name}")).chain(options).collect());
        };
        match example.extension().and_then(|e| e.to_str()) {
            Some("trs") => {
                for collector in ["none", "queue", "compact"] {
                    add(&format!("--scheduler tasks --gc {collector}"));
                    for strategy in ["innermost", "relaxed"] {
                        add(&format!("--scheduler topology --strategy {strategy} --gc {collector}"));
                    }
                }
            }
            Some("chr") => add("--semantics rounds"),
            _ => {}
        }
    }
    if runs.is_empty() { Err("no example has such a name".into()) } else { Ok(runs) }
}

/// What a gchr emits: its text, or its complaint.
fn emit(root: &Path, binary: &Path, run: &Run) -> Result<Result<String, String>, String> {
    let mut command = Command::new(binary);
    command.current_dir(root).arg("emit").args(run).args(["--stage", "cuda"]);
    let output = command.output().map_err(|e| format!("{}: {e}", binary.display()))?;
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Ok(if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) })
}

/// How the texts of a run differ, if they do.
fn compare(root: &Path, old: &Path, new: &Path, run: &Run, names: bool) -> Result<Comparison, String> {
    let title = run.join(" ");
    let difference = match (emit(root, old, run)?, emit(root, new, run)?) {
        (Ok(a), Ok(b)) => first_difference(&a, &b, names).map(|(at_a, at_b)| {
            let lines = |sign: char, text: &str, at: usize| -> String {
                around(text, at, SHOWN).map(|line| format!("    {sign} {line}\n")).collect()
            };
            let place = format!("first in line {} before, {} now", at_a + 1, at_b + 1);
            format!("{title}: {place}\n{}{}", lines('-', &a, at_a), lines('+', &b, at_b))
        }),
        (Err(_), Err(_)) => return Ok(Comparison::Refused),
        (Ok(_), Err(said)) => Some(format!("{title}: refused now\n{said}")),
        (Err(said), Ok(_)) => Some(format!("{title}: no longer refused\n{said}")),
    };
    Ok(difference.map_or(Comparison::Same, Comparison::Differs))
}

/// Builds the gchr of a folder; its binary.
fn build(folder: &Path, target: &Path) -> Result<PathBuf, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder).args(["build", "--bin", "gchr", "--locked", "--target-dir"]).arg(target);
    match command.status() {
        Ok(status) if status.success() => Ok(target.join("debug/gchr")),
        Ok(status) => Err(format!("cargo build in {}: {status}", folder.display())),
        Err(e) => Err(format!("cargo: {e}")),
    }
}

/// A temporary worktree of git.
struct Worktree {
    root: PathBuf,
    parent: tempfile::TempDir,
}

impl Worktree {
    fn of(root: &Path, revision: &str) -> Result<Self, String> {
        let parent = tempfile::tempdir().map_err(|e| e.to_string())?;
        let worktree = Self { root: root.to_path_buf(), parent };
        let folder = worktree.folder();
        git(root, &["worktree", "add", "--quiet", "--detach", &folder.display().to_string(), revision])?;
        Ok(worktree)
    }

    fn folder(&self) -> PathBuf {
        self.parent.path().join("tree")
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        let folder = self.folder().display().to_string();
        if let Err(message) = git(&self.root, &["worktree", "remove", "--force", &folder]) {
            eprintln!("warning: {message}");
        }
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    match Command::new("git").current_dir(folder).args(arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("git {}: {status}", arguments.join(" "))),
        Err(e) => Err(format!("git: {e}")),
    }
}
