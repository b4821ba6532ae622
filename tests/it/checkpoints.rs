//! Checkpoints at the command line: what is in their folder, what is refused, and runs that are killed.

use std::fs;
use std::path::Path;

use super::support::gchr;

const CLOSURE: &str = "examples/transitive_closure.chr";
const GRAPH: [&str; 4] = ["--semantics", "rounds", "--query", "random(60, 90, 3)"];

fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["run", CLOSURE], &GRAPH[..], more].concat()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A folder with a checkpoint of round 6, by so many workers.
fn kept(workers: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept").to_string_lossy().into_owned();
    let stopped =
        gchr(&run(&["--checkpoint", &path, "--every", "3", "--max-rounds", "8", "--workers", workers]));
    assert!(stopped.code == 1 && stopped.stderr.contains("limit of 8 rounds"), "{}", stopped.stderr);
    (folder, path)
}

#[track_caller]
fn refused(args: &[&str], code: i32, wanted: &[&str]) {
    let run = gchr(args);
    assert!(run.code == code && run.stdout.is_empty(), "{args:?}: {}", run.stderr);
    for wanted in wanted {
        assert!(run.stderr.contains(wanted), "{args:?}: {wanted}: {}", run.stderr);
    }
}

#[test]
fn runs_go_on_with_any_number_of_workers() {
    let whole = gchr(&run(&["--stats"]));
    for before in ["1", "3"] {
        let (_folder, path) = kept(before);
        let parts: usize = before.parse().expect("a number");
        assert_eq!(names(path.as_ref()).len(), 2 + parts, "{:?}", names(path.as_ref()));
        for after in [&[][..], &["--workers", "1"], &["--workers", "2"], &["--workers", "3"]] {
            let resumed = gchr(&run(&[&["--stats", "--resume", &path], after].concat()));
            assert_eq!((resumed.code, &resumed.stdout), (0, &whole.stdout), "{before}, {after:?}");
            for key in ["firings", "rounds", "candidates", "live_cells"] {
                let value = |text: &str| text.lines().find(|line| line.starts_with(key)).map(String::from);
                assert_eq!(value(&resumed.stderr), value(&whole.stderr), "{before}, {after:?}: {key}");
            }
        }
        // Limits count from the first start on, and only the last checkpoint stays.
        refused(&run(&["--resume", &path, "--max-rounds", "7", "--workers", "2"]), 1, &["limit of 7 rounds"]);
        let goes_on = [
            "--resume",
            &path,
            "--checkpoint",
            &path,
            "--every",
            "2",
            "--max-rounds",
            "13",
            "--workers",
            "2",
        ];
        refused(&run(&goes_on), 1, &["limit of 13 rounds"]);
        let wanted = ["checkpoint", "checkpoint-12-0", "checkpoint-12-1", "checkpoint.lock"];
        assert_eq!(names(path.as_ref()), wanted);
        assert_eq!(gchr(&run(&["--resume", &path])).stdout, whole.stdout);
    }
}

#[test]
fn what_has_no_checkpoints_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept").to_string_lossy().into_owned();
    let kept = ["--checkpoint", &path];
    refused(&[&["run", CLOSURE], &kept[..]].concat(), 2, &["U0110", "only constraint programs in rounds"]);
    refused(&[&["run", "examples/hanoi.trs"], &kept[..]].concat(), 2, &["U0110"]);
    refused(&run(&["--checkpoint", &path, "--device", "sim"]), 2, &["U0105", "--device does not go"]);
    refused(&run(&["--resume", &path, "--firing", "exhaustive"]), 2, &["U0105", "--firing exhaustive"]);
    refused(&run(&["--resume", &path, "--trace"]), 2, &["--trace"]);
    refused(&run(&["--every", "3"]), 2, &["--checkpoint"]);
    refused(&run(&["--checkpoint", &path, "--every", "soon"]), 2, &["a number of rounds, or a time"]);
    let program = folder.path().join("writes.chr");
    fs::write(&program, ":- chr_constraint p(+int).\np(X) ==> write(X).\n?- p(1).\n").expect("written");
    let program = program.to_string_lossy().into_owned();
    let writes = ["run", &program, "--semantics", "rounds", "--checkpoint", &path];
    refused(&writes, 2, &["U0110", "the program writes"]);
    assert!(!Path::new(&path).exists(), "nothing is made for a run that is refused");
}

/// A checkpoint is of one program, with its goals and facts, and one way to find what fires.
#[test]
fn checkpoints_of_other_runs_are_refused() {
    let (_folder, path) = kept("2");
    let resumed = |more: &[&str], wanted: &str| {
        let args = [&["run", CLOSURE, "--semantics", "rounds", "--resume", &path], more].concat();
        refused(&args, 2, &["U0146", wanted]);
    };
    resumed(&["--query", "random(60, 90, 4)"], "of another program, or of other goals");
    resumed(&[&GRAPH[2..], &["--firing", "general"]].concat(), "of a run with another --firing");
    refused(&run(&["--resume", "examples"]), 2, &["U0146", "no complete checkpoint in examples"]);
}

/// Facts of other texts are other facts, also where these have the same numbers.
#[test]
fn checkpoints_of_other_texts_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    };
    let program = file(
        "p.chr",
        ":- chr_constraint e(?atom, ?atom), p(?atom, ?atom).\np(X, Y) \\ p(X, Y) <=> true.\n\
            e(X, Y) ==> p(X, Y).\ne(X, Y), p(Y, Z) ==> p(X, Z).\n",
    );
    let (a, b) = (file("a.csv", "a,b\nb,c\n"), file("b.csv", "k,l\nl,m\n"));
    let kept = folder.path().join("kept").to_string_lossy().into_owned();
    let run = |facts: &str, option: &str| {
        let facts = format!("e={facts}");
        gchr(&[
            "run",
            &program,
            "--semantics",
            "rounds",
            "--header",
            "no",
            "--facts",
            &facts,
            option,
            &kept,
            "--workers",
            "2",
        ])
    };
    let more = ["--every", "1"];
    let facts = format!("e={a}");
    let first = gchr(
        &[
            &["run", &program, "--semantics", "rounds", "--header", "no", "--facts", &facts][..],
            &["--checkpoint", &kept],
            &more,
        ]
        .concat(),
    );
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert_eq!(run(&a, "--resume").stdout, first.stdout);
    let other = run(&b, "--resume");
    assert!(other.code == 2 && other.stderr.contains("is of other facts"), "{}", other.stderr);
}

/// Whatever is cut off or changed in a file of a checkpoint is found.
#[test]
fn damaged_files_are_refused() {
    let (_folder, path) = kept("2");
    let whole = gchr(&run(&[])).stdout;
    for name in ["checkpoint", "checkpoint-6-0", "checkpoint-6-1"] {
        let file = Path::new(&path).join(name);
        let bytes = fs::read(&file).expect("a file");
        let damaged = |bytes: &[u8], about: String| {
            fs::write(&file, bytes).expect("written");
            let resumed = gchr(&run(&["--resume", &path]));
            let code = if name == "checkpoint" { "U0146" } else { "R0306" };
            assert!(resumed.code > 0 && resumed.stdout.is_empty(), "{name}: {about}");
            let said = resumed.stderr.contains(code) && resumed.stderr.contains("damaged");
            assert!(said, "{name}: {about}: {}", resumed.stderr);
        };
        // Every place would take its time: the checksum is over all of them.
        for at in (0..bytes.len()).step_by(bytes.len() / 12) {
            damaged(&bytes[..at], format!("cut at {at}"));
            let mut other = bytes.clone();
            other[at] ^= 1 << (at % 8);
            damaged(&other, format!("another bit at {at}"));
        }
        damaged(&[&bytes[..], b"x"].concat(), "longer".into());
        fs::remove_file(&file).expect("removed");
        assert!(gchr(&run(&["--resume", &path])).code > 0, "{name} is missing");
        fs::write(&file, &bytes).expect("written");
    }
    assert_eq!(gchr(&run(&["--resume", &path])).stdout, whole);
}

/// What is not ours stays as it is.
#[test]
fn files_of_others_are_left_alone() {
    let (folder, path) = kept("2");
    refused(&run(&["--checkpoint", &path]), 2, &["U0147", "has a checkpoint already"]);
    let (_other, elsewhere) = kept("1");
    refused(
        &run(&["--checkpoint", &path, "--resume", &elsewhere]),
        2,
        &["U0147", "has a checkpoint already"],
    );
    for (name, text) in [("notes.txt", "notes"), ("checkpoint-3-0", "mine"), ("checkpoint", "mine")] {
        let others = folder.path().join(name.replace('.', "-"));
        fs::create_dir(&others).expect("made");
        fs::write(others.join(name), text).expect("written");
        let shown = others.to_string_lossy().into_owned();
        refused(&run(&["--checkpoint", &shown]), 2, &["U0147", "has other files, such as", name]);
        assert_eq!(names(&others), [name]);
        assert_eq!(fs::read_to_string(others.join(name)).expect("readable"), text);
    }
    // What a process has left that died while it wrote goes with the next checkpoint.
    let left = [".gchr-0123456789abcdef.part", "checkpoint-9-0"];
    let first = fs::read(Path::new(&path).join("checkpoint-6-1")).expect("a part");
    left.iter().for_each(|name| fs::write(Path::new(&path).join(name), &first).expect("written"));
    let goes_on = ["--resume", &path, "--checkpoint", &path, "--every", "5", "--max-rounds", "10"];
    refused(&run(&goes_on), 1, &["limit of 10 rounds"]);
    assert_eq!(names(path.as_ref()), ["checkpoint", "checkpoint-10-0", "checkpoint.lock"]);
}

/// A run that is killed at any moment goes on from what it has left.
#[cfg(unix)]
#[test]
fn killed_runs_go_on() {
    use super::support::{BINARY, root};
    use std::process::{Command, Stdio};

    let whole = gchr(&run(&[])).stdout;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept").to_string_lossy().into_owned();
    let mut kills = 0;
    for attempt in 0_u64..200 {
        let complete = Path::new(&path).join("checkpoint").exists();
        let from: &[&str] = if complete { &["--resume", &path] } else { &[] };
        let workers = ["1", "2", "3"][attempt as usize % 3];
        let args = [from, &["--checkpoint", &path, "--every", "1", "--workers", workers]].concat();
        let mut job = Command::new(BINARY)
            .args(run(&args))
            .current_dir(root())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("gchr runs");
        // Some before the first checkpoint, some while one is written.
        std::thread::sleep(std::time::Duration::from_millis(60 + attempt * 37 % 200));
        let _ = job.kill();
        let output = job.wait_with_output().expect("it ends");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            assert_eq!(text(&output.stdout), whole);
            break;
        }
        assert!(output.status.code().is_none(), "{}", text(&output.stderr));
        kills += 1;
    }
    assert!(kills > 0, "it was never killed");
    assert_eq!(gchr(&run(&["--resume", &path])).stdout, whole);
}
