//! Result files that are being written aside, under another name in the folder of the result.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The files, so that they can be removed when the process is ended from outside.
static ASIDE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Remembers a file that is being written.
pub fn add(file: &Path) {
    if let Ok(mut aside) = ASIDE.lock() {
        aside.push(file.to_path_buf());
    }
}

/// Forgets a file that has got its name.
pub fn forget(file: &Path) {
    if let Ok(mut aside) = ASIDE.lock() {
        aside.retain(|known| known != file);
    }
}

/// Removes the files that are being written aside.
pub fn remove_aside_files() {
    let paths = ASIDE.lock().map(|mut aside| std::mem::take(&mut *aside)).unwrap_or_default();
    for path in paths {
        let _ = fs::remove_file(path);
    }
}
