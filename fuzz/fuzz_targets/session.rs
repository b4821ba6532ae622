//! Any bytes behind a checksum that holds are a saved session or none, without a panic.

#![no_main]

use std::sync::LazyLock;

use gchr::{CompileOptions, Control, Input, Session};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

const PROGRAM: &str = ":- chr_constraint p/1, q(+int, +float), r(+atom, ?any).\n\
    p(X), p(Y) ==> X @< Y | r(a, f(X, Y)).\n\
    r(_, X) \\ r(_, X) <=> true.\n\
    q(X, Y) ==> p(X), p(Y), p(\"s\").\n";
/// Bytes before what is hashed.
const HEAD: usize = "gchr session 1\n".len() + 32;

fn open() -> Session {
    Input::constraints(PROGRAM).open(&CompileOptions::default()).expect("a program")
}

/// A file of a session.
static SAVED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut session = open();
    session.add_goals("q(1, 2.5), p(g([a, b]))").expect("goals");
    session.run(&mut Control::default()).expect("a store");
    session.save().expect("bytes")
});

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let mut file = SAVED[..HEAD + first as usize % (SAVED.len() - HEAD)].to_vec();
    file.extend_from_slice(rest);
    let hash = Sha256::digest(&file[HEAD..]);
    file[HEAD - 32..HEAD].copy_from_slice(&hash);
    let mut session = open();
    if session.restore("a file", &file).is_ok() {
        session.save().expect("bytes");
    }
});
