//! The command line from outside: exit codes, what goes to which stream, limits, result files, signals, bad input.

mod devices;
mod limits;
mod results;
mod usage;
#[cfg(target_os = "linux")]
mod waits;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Scratch, gchr, root};

const PLUS: &str = "sort Nat = struct Zero() | S(Nat) | Plus(Nat, Nat);
var X, Y : Nat;
eqn Plus(Zero(), Y) = Y;
    Plus(S(X), Y) = S(Plus(X, Y));
";
const LOOP: &str = "map Loop: Int -> Int;\nvar N: Int;\neqn Loop(N) = Loop(N + 1);\ninput Loop(0);\n";
const COUNT: &str = ":- chr_constraint count(+int), kept(+int).
count(N) <=> kept(N), M is N + 1, count(M).
?- count(0).
";

const SUMS: &str = ":- chr_option(semantics, rounds).\n:- chr_constraint s(+int).\ns(A), s(B) <=> C is A + B, s(C).\n\
                    ?- s(1), s(2), s(3), s(4), s(5), s(6).\n";

/// The compiler that `.ci/fetch-nvrtc` fetched, or the one that the environment names.
fn nvrtc() -> Option<std::path::PathBuf> {
    let named = std::env::var_os("GCHR_NVRTC_DIR").map(Into::into);
    named.or_else(|| Some(root().join("target/nvrtc/13.0.88")).filter(|folder| folder.is_dir()))
}
