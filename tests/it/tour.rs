//! The commands of `docs/tour.md` and `docs/comparison.md` work, one after the other in one folder, on the programs
//! that the pages show.

use std::path::Path;
use std::process::Command;

use gchr_testkit::pages::{self, Fence, fences};

use crate::support::{BINARY, Scratch, root};

/// Runs a line of a block in a shell that knows `gchr`.
fn run(folder: &Path, line: &str) -> (String, String) {
    let binaries = Path::new(BINARY).parent().expect("a folder of binaries").display().to_string();
    let path = format!("{binaries}:{}", std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{line}\n{out}\n{err}");
    (out, err)
}

#[test]
fn every_command_of_the_tour_works() {
    let scratch = Scratch::new();
    let mut said = String::new();
    let mut commands = 0;
    for Fence { info, text } in fences(&pages::read("docs/tour.md")) {
        match info.split_once(' ') {
            Some((_, name)) => scratch.file(name, &text),
            None if info == "sh" => {
                for line in text.lines() {
                    let (out, err) = run(scratch.folder(), line);
                    said += &format!("$ {line}\n{out}{err}");
                    commands += 1;
                }
            }
            None => panic!("a block of kind `{info}` is neither a file nor commands"),
        }
    }
    assert!(commands >= 15, "only {commands} commands found");
    // What the text says of them.
    for wanted in ["65536", "131088", "reach(a,c)", "mean par.", "rounds", "no warnings"] {
        assert!(said.contains(wanted), "`{wanted}` is not in\n{said}");
    }
    for file in ["tree.html", "reach.html", "rounds.json", "store.txt"] {
        assert!(scratch.path(file).exists(), "{file}");
    }
}

/// The commands of the page on comparisons run in the project's folder.
#[test]
fn the_commands_of_the_comparison_work() {
    let scratch = Scratch::new();
    std::os::unix::fs::symlink(root().join("examples"), scratch.path("examples")).expect("a link");
    let mut commands = fences(&pages::read("docs/comparison.md"));
    commands.retain(|fence| fence.info == "sh");
    assert!(!commands.is_empty());
    for line in commands.iter().flat_map(|fence| fence.text.lines()) {
        let (out, err) = run(scratch.folder(), line);
        assert!(out.contains("agrees") || scratch.path("report.html").exists(), "{line}\n{out}{err}");
    }
}
