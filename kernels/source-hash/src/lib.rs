//! Names a crate by the hash of its sources: for build scripts of crates whose results are kept on disk.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// Gives the crate whose build script calls this the variable `GCHR_SOURCES`: its version and the hash of all files in
/// its `src`.
pub fn name_by_sources() -> io::Result<()> {
    const SOURCES: &str = "src";
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
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    println!("cargo:rustc-env=GCHR_SOURCES={version}-{:016x}", hasher.finish());
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
