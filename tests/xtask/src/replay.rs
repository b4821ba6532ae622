//! `cargo xtask replay`: CUDA C++ of all examples from two builds of gchr, and where the two differ.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use rayon::prelude::*;

use super::ReplayArgs;
use super::compare::{around, first_difference};

/// Lines to show of each text.
const SHOWN: usize = 7;

/// Compares all texts; the number of those that differ.
pub fn run(args: &ReplayArgs) -> Result<usize, String> {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().map_err(|e| e.to_string())?;
    let start = Instant::now();
    // First what changes most, so that its errors are shown at once.
    let new = match &args.new {
        Some(binary) => runnable(binary)?,
        None => build(&root, None, &[])?,
    };
    let checkout = args.revision.as_ref().map(|revision| Checkout::of(&root, revision)).transpose()?;
    let old = match (&checkout, &args.old) {
        (Some(checkout), _) => checkout.build()?,
        (None, Some(binary)) => runnable(binary)?,
        (None, None) => return Err("a revision or --old is needed".into()),
    };
    let built = start.elapsed();
    let runs = runs(&root, &args.examples)?;
    let compare = |run: &Run| compare(&root, &old, &new, run, args.names);
    let found: Vec<Comparison> = runs.par_iter().map(compare).collect::<Result<_, _>>()?;
    let differences: Vec<&Difference> = found.iter().filter_map(Comparison::difference).collect();
    alike(&differences).iter().for_each(|texts| println!("{}", shown(texts)));
    let refused = found.iter().filter(|found| matches!(found, Comparison::Refused)).count();
    let (compared, differ) = (runs.len() - refused, differences.len());
    println!("{compared} texts compared, {differ} differ; {refused} refused by both");
    let compared_in = start.elapsed() - built;
    eprintln!("built in {:.0} s, compared in {:.0} s", built.as_secs_f64(), compared_in.as_secs_f64());
    if compared == 0 { Err("there is nothing to compare".into()) } else { Ok(differ) }
}

/// What came of a run.
enum Comparison {
    Same,
    Differs(Difference),
    /// Both refuse it: there are no texts.
    Refused,
}

/// How the two texts of a run differ.
struct Difference {
    run: String,
    /// Where, or that one side refuses the run.
    place: String,
    /// Lines of both, or the message of the side that refuses.
    lines: String,
}

impl Comparison {
    fn difference(&self) -> Option<&Difference> {
        match self {
            Comparison::Differs(difference) => Some(difference),
            Comparison::Same | Comparison::Refused => None,
        }
    }
}

/// Differences with the same lines together: most changes do the same to many texts.
fn alike<'d>(differences: &[&'d Difference]) -> Vec<Vec<&'d Difference>> {
    let mut groups: Vec<Vec<&Difference>> = Vec::new();
    for difference in differences {
        match groups.iter_mut().find(|group| group[0].lines == difference.lines) {
            Some(group) => group.push(difference),
            None => groups.push(vec![difference]),
        }
    }
    groups
}

/// Differences with the same lines, as text: the first in full, the others by name.
fn shown(alike: &[&Difference]) -> String {
    let [first, others @ ..] = alike else {
        return String::new();
    };
    let mut text = format!("{}: {}\n{}", first.run, first.place, first.lines);
    if !others.is_empty() {
        text += &format!("  the same in {} more:\n", others.len());
        others.iter().for_each(|other| text += &format!("    {}\n", other.run));
    }
    text
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
    let (place, lines) = match (emit(root, old, run)?, emit(root, new, run)?) {
        (Ok(a), Ok(b)) => match first_difference(&a, &b, names) {
            Some((at_a, at_b)) => {
                let lines = |sign: char, text: &str, at: usize| -> String {
                    around(text, at, SHOWN).map(|line| format!("    {sign} {line}\n")).collect()
                };
                let place = format!("first in line {} before, {} now", at_a + 1, at_b + 1);
                (place, lines('-', &a, at_a) + &lines('+', &b, at_b))
            }
            None => return Ok(Comparison::Same),
        },
        (Err(_), Err(_)) => return Ok(Comparison::Refused),
        (Ok(_), Err(said)) => ("refused now".to_owned(), said),
        (Err(said), Ok(_)) => ("no longer refused".to_owned(), said),
    };
    Ok(Comparison::Differs(Difference { run: run.join(" "), place, lines }))
}

/// A binary that was named on the command line, which need not lie in the folder where it is started.
pub(crate) fn runnable(binary: &Path) -> Result<PathBuf, String> {
    binary.canonicalize().map_err(|e| format!("{}: {e}", binary.display()))
}

/// Builds the gchr of a folder, with these options of cargo; its binary. The folder of what is compiled is the usual
/// one of the environment, or one that is named here.
pub(crate) fn build(folder: &Path, target: Option<&Path>, options: &[&str]) -> Result<PathBuf, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder).args(["build", "--bin", "gchr", "--locked", "--message-format"]);
    command.arg("json-render-diagnostics").args(options).stderr(Stdio::inherit());
    if let Some(target) = target {
        // The features of the default are formats of files and native code, which no kernel depends on.
        command.arg("--no-default-features").arg("--target-dir").arg(target);
    }
    let output = command.output().map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo build in {}: {}", folder.display(), output.status));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let executable = |line: &str| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        (message["target"]["name"] == "gchr").then(|| message["executable"].as_str().map(PathBuf::from))?
    };
    let found = messages.lines().find_map(executable);
    found.ok_or_else(|| format!("cargo build in {} names no executable", folder.display()))
}

/// The worktree of git in which revisions are built. It is kept, so that the next build compiles only what differs
/// between two revisions, and has a target folder of its own, so that the usual one never holds another revision.
struct Checkout {
    folder: PathBuf,
    /// Held while the binary is in use: another comparison would build another revision in its place.
    _lock: File,
}

impl Checkout {
    fn of(root: &Path, revision: &str) -> Result<Self, String> {
        let commit = commit(root, revision)?;
        let folder = root.join("target/replay");
        let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let lock = File::create(folder.join("lock")).map_err(failed)?;
        if lock.try_lock().is_err() {
            eprintln!("waiting for the end of another comparison");
            lock.lock().map_err(failed)?;
        }
        let checkout = Self { folder, _lock: lock };
        let tree = checkout.tree();
        if tree.join(".git").exists() {
            git(&tree, &["checkout", "--quiet", "--force", "--detach", &commit])?;
        } else {
            // Git still knows the worktree of a target folder that was deleted.
            git(root, &["worktree", "prune"])?;
            git(root, &["worktree", "add", "--quiet", "--detach", &tree.display().to_string(), &commit])?;
        }
        Ok(checkout)
    }

    fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    fn build(&self) -> Result<PathBuf, String> {
        build(&self.tree(), Some(&self.folder.join("build")), &[])
    }
}

/// The commit that a revision names.
fn commit(root: &Path, revision: &str) -> Result<String, String> {
    let name = format!("{revision}^{{commit}}");
    let mut command = Command::new("git");
    command.current_dir(root).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &name]);
    let output = command.output().map_err(|e| format!("git: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!("git knows no commit {revision}")),
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    match Command::new("git").current_dir(folder).args(arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("git {}: {status}", arguments.join(" "))),
        Err(e) => Err(format!("git: {e}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_differences_are_shown_once() {
        let difference = |run: &str, lines: &str| Difference {
            run: run.to_owned(),
            place: "first in line 3 before, 4 now".to_owned(),
            lines: format!("    {lines}\n"),
        };
        let found = [difference("a", "- x"), difference("b", "- y"), difference("c", "- x")];
        let groups = alike(&found.iter().collect::<Vec<_>>());
        let texts: Vec<String> = groups.iter().map(|group| shown(group)).collect();
        let first = "first in line 3 before, 4 now";
        let same = "  the same in 1 more:\n    c\n";
        assert_eq!(texts, [format!("a: {first}\n    - x\n{same}"), format!("b: {first}\n    - y\n")]);
    }
}
