//! The command itself: what it prints, and how it ends.

use std::process::{Command, Output};

fn xtask(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(args)
        .output()
        .expect("the command was built with the tests")
}

/// The same program each time, which is how a failure that one machine reports is looked at on another.
#[test]
fn a_seed_names_a_program() {
    let shown = |seed| xtask(&["fuzz", "--show", "--seed", seed]);
    let first = shown("1234");
    assert!(first.status.success());
    let text = String::from_utf8(first.stdout.clone()).expect("text");
    assert!(text.contains("input ") || text.contains("?- "), "{text}");
    assert_eq!(shown("1234").stdout, first.stdout);
    assert_ne!(shown("1235").stdout, first.stdout);
}

#[test]
fn an_unknown_task_is_a_mistake_of_the_user() {
    let done = xtask(&["mend"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("mend"));
}
