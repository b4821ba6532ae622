//! Tests of result files: what a path leads to, and what it may not be.

use super::*;

#[test]
#[cfg(unix)]
fn links_are_followed_to_the_end() {
    use std::os::unix::fs::symlink;
    let scratch = tempfile::tempdir().expect("temporary folder");
    let path = |name: &str| scratch.path().join(name);
    fs::create_dir(path("folder")).expect("made");
    symlink("folder/b", path("a")).expect("linked");
    symlink("../c", path("folder/b")).expect("linked");
    symlink("loop", path("loop")).expect("linked");
    assert_eq!(resolve(&path("a")).expect("a path"), path("folder/../c"));
    assert_eq!(Identity::of(&resolve(&path("a")).expect("a path")), Identity::of(&path("c")));
    fs::write(path("c"), "x").expect("written");
    assert_eq!(Identity::of(&resolve(&path("a")).expect("a path")), Identity::of(&path("c")));
    assert!(resolve(&path("loop")).is_err());
    assert_eq!(resolve(Path::new("plain")).expect("a path"), Path::new("plain"));
}

#[test]
#[cfg(unix)]
fn all_names_of_a_file_are_one() {
    let scratch = tempfile::tempdir().expect("temporary folder");
    let path = |name: &str| scratch.path().join(name);
    let [a, b] = ["a", "./b"].map(path);
    assert_eq!(Identity::of(&path("new")), Identity::of(&path("./new")));
    assert_ne!(Identity::of(&path("new")), Identity::of(&path("other")));
    fs::write(&a, "x").expect("written");
    fs::write(path("c"), "x").expect("written");
    fs::hard_link(&a, &b).expect("linked");
    assert_eq!(Identity::of(&a), Identity::of(&b));
    assert_ne!(Identity::of(&a), Identity::of(&path("c")));
    assert_eq!(Identity::of(Path::new("/dev/null")), None);
    assert_eq!(Identity::of(&path("missing/x")), None);
}
