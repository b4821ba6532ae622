//! The files of the project.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::root;

/// Files that git knows with an ending; all files below the root where there is no git.
pub fn files(ending: &str) -> Vec<PathBuf> {
    let listed = Command::new("git")
        .current_dir(root())
        .args(["ls-files", "-z", "-co", "--exclude-standard"])
        .output();
    let names = match listed {
        Ok(output) if output.status.success() => String::from_utf8(output.stdout).expect("names are text"),
        _ => return files_below(root(), ending),
    };
    let paths = names.split('\0').filter(|name| name.ends_with(ending)).map(|name| root().join(name));
    paths.filter(|path| path.exists()).collect()
}

/// All files below a folder with an ending, but for what is built and hidden.
pub fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            found.extend(files_below(&path, ending));
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
    found
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
