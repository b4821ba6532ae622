//! Names the checker by its own sources, so that verdicts which are kept on disk belong to the very checker that gave them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// Verdicts rest on the checker, on the kernel IR and on what its text form says: all of the crate, to be on the safe side.
const SOURCES: &str = "src";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed={SOURCES}");
    println!("cargo:rerun-if-changed=build.rs");
    let mut files = Vec::new();
    collect(Path::new(SOURCES), &mut files)?;
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.hash(&mut hasher);
        fs::read(&file)?.hash(&mut hasher);
    }
    println!("cargo:rustc-env=GCHR_CHECKER={}-{:016x}", env!("CARGO_PKG_VERSION"), hasher.finish());
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
