//! Workers at the command line: `--workers`, and processes that MPI's launcher starts.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::support::{BINARY, Scratch, gchr, root};

const CLOSURE: &str = "examples/transitive_closure.chr";
const GRAPH: [&str; 4] = ["--semantics", "rounds", "--query", "random(60, 90, 3)"];

fn options<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["run", CLOSURE], &GRAPH[..], more].concat()
}

#[test]
fn workers_print_what_one_prints() {
    for example in ["transitive_closure", "paths", "components"] {
        let file = format!("examples/{example}.chr");
        let run = ["run", &file, "--semantics", "rounds", "--stats"];
        let (alone, shared) = (gchr(&run), gchr(&[&run[..], &["--workers", "3"]].concat()));
        assert_eq!((shared.code, &shared.stdout), (0, &alone.stdout), "{example}: {}", shared.stderr);
        for key in ["firings", "rounds", "candidates", "live_cells"] {
            let value = |text: &str| text.lines().find(|line| line.starts_with(key)).map(String::from);
            assert_eq!(value(&shared.stderr), value(&alone.stderr), "{example}: {key}");
        }
        assert!(shared.stderr.contains("workers      3"), "{}", shared.stderr);
    }
}

/// The simulator stands for as many devices as there are workers.
#[test]
fn workers_on_devices_print_what_one_prints() {
    for more in [&["--query", "random(30, 40, 3)"][..], &["--sizes"], &["--sizes", "--format", "json"]] {
        let run = [&["run", CLOSURE, "--semantics", "rounds"], more].concat();
        let alone = gchr(&run);
        for devices in [&["--device", "sim"][..], &["--device", "sim", "--workers", "3"]] {
            let shared = gchr(&[&run[..], devices].concat());
            let counts = |text: &str| text.split(", \"stats\"").next().map(String::from);
            assert_eq!(counts(&shared.stdout), counts(&alone.stdout), "{devices:?}: {}", shared.stderr);
        }
    }
    let stats =
        gchr(&["run", CLOSURE, "--semantics", "rounds", "--stats", "--device", "sim", "--workers", "2"]);
    assert_eq!(stats.code, 0, "{}", stats.stderr);
    assert!(
        stats.stderr.contains("workers      2") && !stats.stderr.contains("candidates"),
        "{}",
        stats.stderr
    );
    // A run that stops is told as one worker tells it.
    let run =
        ["run", CLOSURE, "--semantics", "rounds", "--max-rounds", "2", "--device", "sim", "--workers", "2"];
    let stopped = gchr(&run);
    assert!(stopped.code == 1 && stopped.stderr.contains("limit of 2 rounds reached"), "{}", stopped.stderr);
}

#[test]
fn devices_that_cannot_be_meant_are_refused() {
    let refused = |args: &[&str], wanted: &str| {
        let run = gchr(args);
        let told = run.code == 2 && run.stdout.is_empty() && run.stderr.contains(wanted);
        assert!(told, "{args:?}: {}", run.stderr);
    };
    let rounds = ["run", CLOSURE, "--semantics", "rounds"];
    let with = |more: &[&'static str]| [&rounds[..], more].concat();
    refused(&with(&["--device", "gpu:3-1"]), "N less than M");
    refused(&with(&["--device", "gpu:0-1", "--workers", "3"]), "--device names 2 GPUs");
    refused(&with(&["--device", "auto", "--workers", "2"]), "--device auto does not go with --workers");
    refused(&["run", CLOSURE, "--device", "gpu:0-1"], "workers share constraint programs in rounds");
    refused(&["run", "examples/fib_int.trs", "--device", "gpu:0-1"], "--device gpu:N-M");
    refused(&["test", CLOSURE, "--device", "gpu:0-1"], "gchr test takes one device");
    let floyd = ["run", "examples/floyd.chr", "--semantics", "rounds", "--device", "sim", "--workers", "2"];
    refused(&floyd, "workers cannot share this program");
}

#[test]
fn what_workers_cannot_share_says_why() {
    let refused = |args: &[&str], wanted: &str| {
        let run = gchr(args);
        assert!(
            run.code == 2 && run.stdout.is_empty() && run.stderr.contains(wanted),
            "{args:?}: {}",
            run.stderr
        );
    };
    let floyd = ["run", "examples/floyd.chr", "--workers", "2", "--semantics", "rounds"];
    refused(&floyd, "workers cannot share this program: floydw: it replaces values in place");
    refused(&["run", CLOSURE, "--workers", "2"], "workers share constraint programs in rounds");
    refused(
        &["run", "examples/fib_int.trs", "--workers", "2"],
        "workers share constraint programs in rounds",
    );
    refused(&options(&["--workers", "2", "--trace"]), "--trace does not go with --workers");
    refused(&options(&["--workers", "0"]), "expected a number from 1 to 4096");
}

#[test]
fn limits_hold_for_all_workers_together() {
    let stopped = |more: &[&str], wanted: &str| {
        let run = gchr(&options(more));
        assert!(
            run.code == 1 && run.stdout.is_empty() && run.stderr.contains(wanted),
            "{more:?}: {}",
            run.stderr
        );
    };
    stopped(&["--workers", "3", "--max-steps", "100"], "step limit of 100 reached");
    stopped(&["--workers", "3", "--max-rounds", "5"], "limit of 5 rounds reached");
    stopped(&["--workers", "2", "--timeout", "1ms"], "time limit of 0.001 s reached");
    // A part of the store is no store.
    let endless = ["--query", "random(3000, 100000000, 3)", "--workers", "2", "--partial"];
    let run =
        gchr(&[&["run", CLOSURE, "--semantics", "rounds", "--timeout", "200ms"], &endless[..]].concat());
    assert!(run.code == 1 && run.stdout.is_empty(), "{}", run.stderr);
    assert!(run.stderr.contains("there is no store to show"), "{}", run.stderr);
}

/// The launcher of an MPI with the standard binary interface, if there is one. `GCHR_MPIEXEC` names it;
/// `GCHR_REQUIRE_MPI` fails the tests where it is missing.
fn mpiexec(test: &str) -> Option<PathBuf> {
    let named = std::env::var_os("GCHR_MPIEXEC").map(PathBuf::from);
    let found =
        named.or_else(|| Some(root().join("target/mpich/5.0.2/bin/mpiexec"))).filter(|path| path.is_file());
    if found.is_none() {
        assert!(std::env::var_os("GCHR_REQUIRE_MPI").is_none(), "there is no mpiexec (.ci/fetch-mpi)");
        eprintln!("{test}: not run, as there is no mpiexec (.ci/fetch-mpi)");
    }
    found
}

/// A command that starts so many processes.
fn started(mpiexec: &Path, processes: &str, args: &[&str]) -> Command {
    let folder = mpiexec.parent().unwrap_or(Path::new("."));
    let mut command = Command::new(mpiexec);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", folder.display())).current_dir(root()).stdin(Stdio::null());
    command.args(["-n", processes, BINARY]).args(args);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn run(mpiexec: &Path, processes: &str, args: &[&str]) -> Output {
    started(mpiexec, processes, args).output().expect("mpiexec runs")
}

#[test]
fn processes_share_a_run() {
    let Some(mpiexec) = mpiexec("processes_share_a_run") else { return };
    let alone = gchr(&options(&[]));
    for processes in ["1", "2", "3"] {
        let shared = run(&mpiexec, processes, &options(&["--stats"]));
        assert!(shared.status.success(), "{}", text(&shared.stderr));
        assert_eq!(text(&shared.stdout), alone.stdout, "{processes} processes");
        let said = format!("workers      {processes}");
        assert!(processes == "1" || text(&shared.stderr).contains(&said), "{}", text(&shared.stderr));
    }
}

#[test]
fn processes_with_devices_share_a_run() {
    let Some(mpiexec) = mpiexec("processes_with_devices_share_a_run") else { return };
    let small = ["run", CLOSURE, "--semantics", "rounds", "--query", "random(30, 40, 3)"];
    let alone = gchr(&small);
    let shared = run(&mpiexec, "2", &[&small[..], &["--device", "sim", "--stats"]].concat());
    assert!(shared.status.success(), "{}", text(&shared.stderr));
    assert_eq!(text(&shared.stdout), alone.stdout, "{}", text(&shared.stderr));
    let refused = run(&mpiexec, "2", &[&small[..], &["--device", "gpu:0-1"]].concat());
    assert!(text(&refused.stderr).contains("each process that mpiexec has started takes one GPU"));
}

/// Each finding is said once, and all processes end.
#[test]
fn processes_that_cannot_share_a_run_say_so_once() {
    let Some(mpiexec) = mpiexec("processes_that_cannot_share_a_run_say_so_once") else { return };
    let refused = |args: &[&str], wanted: &str| {
        let output = run(&mpiexec, "3", args);
        let stderr = text(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{args:?}");
        assert_eq!(stderr.matches(wanted).count(), 1, "{args:?}: {stderr}");
    };
    refused(&["run", "examples/missing.chr", "--semantics", "rounds"], "cannot read examples/missing.chr");
    refused(&["run", "examples/gcd.chr", "--semantics", "rounds"], "workers cannot share this program");
    refused(&["run", CLOSURE], "workers share constraint programs in rounds");
    refused(&options(&["--max-rounds", "5"]), "limit of 5 rounds reached");
    let endless = options(&["--query", "random(3000, 100000000, 3)", "--timeout", "300ms"]);
    refused(&endless, "time limit of 0.300 s");
    refused(&endless, "gchr: this was process ");
    let mut others = started(&mpiexec, "1", &options(&[]));
    others.args([":", "-n", "1", BINARY, "run", "examples/paths.chr", "--semantics", "rounds"]);
    let output = others.output().expect("mpiexec runs");
    let wanted = "process 2 of 2 has another program, version or options";
    assert!(!output.status.success() && text(&output.stderr).contains(wanted), "{}", text(&output.stderr));
}

/// A process that dies ends them all soon, without a result.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_dies_ends_the_run() {
    let Some(mpiexec) = mpiexec("a_process_that_dies_ends_the_run") else { return };
    let endless = ["run", CLOSURE, "--semantics", "rounds", "--query", "random(3000, 100000000, 3)"];
    let mut command = started(&mpiexec, "3", &endless);
    let job = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpiexec runs");
    let start = Instant::now();
    while process_of(job.id(), 1).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(20), "no second process");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    kill(job.id(), 1);
    let killed = Instant::now();
    let output = job.wait_with_output().expect("mpiexec ends");
    assert!(killed.elapsed() < Duration::from_secs(5), "it took {:?}", killed.elapsed());
    // The launcher says there which process has died.
    assert!(!output.status.success() && !text(&output.stdout).contains("path("), "{}", text(&output.stdout));
}

/// The processes of a rank that a launcher has started.
#[cfg(target_os = "linux")]
fn process_of(launcher: u32, rank: usize) -> Vec<i32> {
    let processes = std::fs::read_dir("/proc").expect("there are processes").flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let wanted = format!("PMI_RANK={rank}");
    let is_ours = |pid: &i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        text(&environment).split('\0').any(|variable| variable == wanted) && is_below(*pid, launcher as i32)
    };
    numbers.filter(is_ours).collect()
}

#[cfg(target_os = "linux")]
fn kill(launcher: u32, rank: usize) {
    for pid in process_of(launcher, rank) {
        // SAFETY: the call has no preconditions; the process was started by this test.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
}

/// A run of some hundred rounds.
#[cfg(target_os = "linux")]
fn larger<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["run", CLOSURE, "--semantics", "rounds", "--query", "random(400, 440, 3)"], more].concat()
}

/// Processes of which one is killed leave a checkpoint, from which any number of them goes on.
#[cfg(target_os = "linux")]
#[test]
fn runs_with_a_killed_process_go_on() {
    let Some(mpiexec) = mpiexec("runs_with_a_killed_process_go_on") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept").to_string_lossy().into_owned();
    let names = folder.path().join("kept/checkpoint");
    let path = path.as_str();
    let alone = gchr(&larger(&[]));
    for (attempt, processes) in ["3", "2", "3"].into_iter().enumerate() {
        let from: &[&str] = if names.exists() { &["--resume", path] } else { &[] };
        let args = larger(&[from, &["--checkpoint", path, "--every", "1"]].concat());
        let before = std::fs::read(&names).ok();
        let mut command = started(&mpiexec, processes, &args);
        let mut job = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("mpiexec runs");
        let start = Instant::now();
        while std::fs::read(&names).ok() == before && job.try_wait().expect("known").is_none() {
            assert!(start.elapsed() < Duration::from_secs(60), "no checkpoint");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(31 * attempt as u64 % 50));
        kill(job.id(), attempt % 2);
        job.wait().expect("mpiexec ends");
    }
    for processes in ["1", "2", "3"] {
        let resumed = run(&mpiexec, processes, &larger(&["--resume", path]));
        assert!(resumed.status.success(), "{}", text(&resumed.stderr));
        assert!(text(&resumed.stdout) == alone.stdout, "{processes} processes");
    }
}

/// Whether a process was started by another one, or by one that was.
#[cfg(target_os = "linux")]
fn is_below(pid: i32, ancestor: i32) -> bool {
    let parent = |pid: i32| -> Option<i32> {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
    };
    std::iter::successors(parent(pid), |&pid| parent(pid))
        .take_while(|&pid| pid > 1)
        .any(|pid| pid == ancestor)
}

/// What stands in the way is what is told, and not what was given already.
#[test]
fn programs_beyond_rules_over_ground_stores_say_what_is_beyond() {
    let scratch = Scratch::new();
    let choice = ":- chr_constraint p(+int), q(+int).\np(X) <=> (X > 3 -> q(X) ; q(0)).\n?- p(5).\n";
    scratch.file("choice.chr", choice);
    scratch.file("open.chr", ":- chr_constraint p(?int), q(?int).\np(X) <=> q(X).\n?- p(X).\n");
    let said = |args: &[&str], parts: &[&str], never: &[&str]| {
        let run = scratch.gchr(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        for part in parts {
            assert!(run.stderr.contains(part), "{args:?}: {part}\n{}", run.stderr);
        }
        for part in never {
            assert!(!run.stderr.contains(part), "{args:?}: {part}\n{}", run.stderr);
        }
    };
    for option in [&["--workers", "3"][..], &["--checkpoint", "kept"], &["--device", "sim"]] {
        let named = format!("{} does not go with this program", option[0]);
        let (parts, rounds) = ([&*named, "disjunction needs"], ["give --semantics rounds"]);
        said(&[&["run", "choice.chr"], option].concat(), &[&parts[..], &rounds].concat(), &["not supported"]);
        said(
            &[&["run", "open.chr"], option].concat(),
            &["the variable X is not bound here"],
            &["give --semantics rounds"],
        );
        let both = [&["run", "open.chr", "--semantics", "rounds"], option].concat();
        said(
            &both,
            &["the variable X is not bound here", "logic machine"],
            &["give --semantics rounds", "not supported"],
        );
    }
    let shared = ["run", "choice.chr", "--semantics", "rounds", "--workers", "3"];
    said(&shared, &["branch 1 of rule 1: a choice in a rule"], &["give --semantics rounds"]);
    said(&["verify", "open.chr"], &["has no kernels", "the variable X is not bound here"], &[]);
    said(&["emit", "open.chr", "--stage", "kernels"], &["has no kernels"], &[]);
    // A file that cannot be written is known before anything is compiled, and one that gets nothing is left as it was.
    let missing = ["emit", "open.chr", "--stage", "kernels", "--out", "missing/kernels"];
    said(&missing, &["cannot write missing/kernels"], &["has no kernels"]);
    scratch.file("kernels", "as before");
    said(&["emit", "open.chr", "--stage", "kernels", "--out", "kernels"], &["has no kernels"], &[]);
    assert_eq!(scratch.read("kernels"), "as before");
    let refined = ["emit", "choice.chr", "--stage", "kernels", "--semantics", "refined"];
    said(&refined, &["--semantics refined does not apply to kernels"], &[]);
    // What rounds make rules of is checked as such.
    let checked = scratch.gchr(&["check", "choice.chr", "--explain", "--semantics", "rounds"]);
    assert!(checked.code == 0 && checked.stderr.contains("branch 1 of rule 1"), "{}", checked.stderr);
}
