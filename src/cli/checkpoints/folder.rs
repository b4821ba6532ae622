//! The folder that new checkpoints go to: it has no files of others, one process at a time looks after it, and what is
//! not of the last complete checkpoint is removed.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::{FIRST_LINE, Refusal};
use crate::cli::out_file;

/// The file that names those of the last complete checkpoint.
pub const NAMES: &str = "checkpoint";
/// What the parts of workers begin with.
const PART: &str = "checkpoint-";
/// The file that the process which looks after the folder has locked.
const LOCK: &str = "checkpoint.lock";

/// The name of the part of a worker.
pub fn part_name(rounds: u64, rank: usize) -> String {
    format!("{PART}{rounds}-{rank}")
}

/// A folder for checkpoints.
#[derive(Debug)]
pub struct CheckpointFolder {
    pub folder: PathBuf,
    /// As long as this process looks after it.
    _lock: Option<fs::File>,
}

impl CheckpointFolder {
    /// Opens a folder, which is made if there is none. `goes_on` says that the run goes on from what is there.
    pub fn open(folder: &Path, goes_on: bool, is_first: bool) -> Result<Self, Refusal> {
        let shown = folder.display();
        let unusable = |error: io::Error| Refusal::Io(format!("cannot use the folder {shown}: {error}"));
        fs::create_dir_all(folder).map_err(unusable)?;
        if !is_first {
            return Ok(Self { folder: folder.into(), _lock: None });
        }
        for entry in fs::read_dir(folder).map_err(unusable)? {
            let entry = entry.map_err(unusable)?;
            if !is_own(&entry) {
                let message = format!("{shown} has other files, such as {}", entry.file_name().display());
                return Err(Refusal::Target(message));
            }
        }
        let lock = locked(&folder.join(LOCK)).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => {
                Refusal::Target(format!("another run writes its checkpoints to {shown}"))
            }
            _ => unusable(error),
        })?;
        if !goes_on && folder.join(NAMES).exists() {
            return Err(Refusal::Target(format!("{shown} has a checkpoint already")));
        }
        Ok(Self { folder: folder.into(), _lock: Some(lock) })
    }

    /// Removes all parts but those of a checkpoint. Where one cannot be removed now, the next checkpoint tries again.
    pub fn remove_but(&self, rounds: u64, parts: usize) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let kept: Vec<String> = (0..parts).map(|rank| part_name(rounds, rank)).collect();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let is_old =
                name.to_str().is_some_and(|name| is_part(name) && !kept.iter().any(|own| own == name));
            if is_old && is_own(&entry) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Whether a file is one of a checkpoint: by its name, and by how it begins.
fn is_own(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let Some(name) = name.to_str() else { return false };
    if !entry.file_type().is_ok_and(|ty| ty.is_file()) {
        return false;
    }
    out_file::is_part(name) || (name == NAMES || name == LOCK || is_part(name)) && begins(&entry.path())
}

fn is_part(name: &str) -> bool {
    let numbers = name.strip_prefix(PART).and_then(|rest| rest.split_once('-'));
    let is_number = |text: &str| text.parse::<u64>().is_ok_and(|number| number.to_string() == text);
    numbers.is_some_and(|(rounds, rank)| is_number(rounds) && is_number(rank))
}

fn begins(path: &Path) -> bool {
    let mut first = [0; FIRST_LINE.len()];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && first == *FIRST_LINE
}

/// Makes the file of the lock if there is none, and locks it.
fn locked(path: &Path) -> io::Result<fs::File> {
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
        // Where files have no locks, nobody can tell.
        Err(fs::TryLockError::Error(_)) => {}
    }
    if file.metadata()?.len() == 0 {
        file.write_all(FIRST_LINE)?;
    }
    Ok(file)
}
