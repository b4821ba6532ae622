//! `gchr fmt`.

use gchr_testkit::programs::files;

use crate::support::{Scratch, gchr, root};

const LOOSE: &str = ":-chr_constraint a(?int) .\na(X)<=>X>1|\n  true.\n";
const LAID_OUT: &str = ":- chr_constraint a(?int).\na(X) <=> X > 1 |\n    true.\n";

#[test]
fn files_are_laid_out_in_their_place() {
    let scratch = Scratch::new();
    scratch.file("loose.chr", LOOSE);
    scratch.file("good.chr", LAID_OUT);
    let text = || std::fs::read_to_string(scratch.path("loose.chr")).expect("a text");
    let checked = scratch.gchr(&["fmt", "--check", "loose.chr", "good.chr"]);
    assert_eq!((checked.code, checked.stderr.as_str()), (1, "loose.chr: another layout\n"));
    assert_eq!(text(), LOOSE);
    let done = scratch.gchr(&["fmt", "loose.chr", "good.chr"]);
    assert_eq!((done.code, done.stderr.as_str()), (0, "loose.chr: laid out\n"));
    assert_eq!(text(), LAID_OUT);
    let again = scratch.gchr(&["fmt", "--check", "loose.chr", "good.chr"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
}

#[test]
fn what_has_no_layout_stays_as_it_is() {
    let scratch = Scratch::new();
    scratch.file("broken.chr", "a:-b(.\n");
    scratch.file("m.maude", "fmod M is endfm\n");
    scratch.file("loose.chr", LOOSE);
    let found = scratch.gchr(&["fmt", "broken.chr", "m.maude", "none.chr", "loose.chr"]);
    assert_eq!(found.code, 2);
    for part in ["C0101", "broken.chr:1:5", "U0125", "none.chr", "loose.chr: laid out"] {
        assert!(found.stderr.contains(part), "{part}: {}", found.stderr);
    }
    let text = |name: &str| std::fs::read_to_string(scratch.path(name)).expect("a text");
    assert_eq!((text("broken.chr").as_str(), text("loose.chr").as_str()), ("a:-b(.\n", LAID_OUT));
    assert_eq!(scratch.gchr(&["fmt", "-", "-"]).code, 2);
}

/// The programs that show how programs are written.
#[test]
fn examples_are_laid_out() {
    let folders = [root().join("examples"), root().join("examples/chr")];
    let files = folders.iter().flat_map(|folder| ["trs", "chr"].map(|ending| files(folder, ending)));
    let paths: Vec<String> = files.flatten().map(|(path, _)| path.display().to_string()).collect();
    assert!(paths.len() > 30);
    let args: Vec<&str> = ["fmt", "--check"].into_iter().chain(paths.iter().map(String::as_str)).collect();
    let checked = gchr(&args);
    assert_eq!((checked.code, checked.stderr.as_str()), (0, ""));
}
