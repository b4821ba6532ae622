//! Result files that are being written, under another name in the folder of the result. Each is locked by its process:
//! one that is not locked was left by a process that died, and is removed by the next one that writes to the folder.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a name begins and ends with, and how many hexadecimal digits are between.
const START: &str = ".gchr-";
const END: &str = ".part";
const DIGITS: usize = 16;

/// The files, so that they can be removed when the process is ended from outside.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the files that this process is writing.
pub fn remove_parts() {
    let paths = PARTS.lock().map(|mut parts| std::mem::take(&mut *parts)).unwrap_or_default();
    for path in paths {
        let _ = fs::remove_file(path);
    }
}

/// The name of a file that is being written; the file goes with it unless it gets its own name.
#[derive(Debug)]
pub struct Part {
    path: PathBuf,
}

impl Part {
    /// Makes a file in a folder.
    pub fn create(folder: &Path) -> io::Result<(Part, fs::File)> {
        remove_dead(folder);
        loop {
            let number = RandomState::new().build_hasher().finish();
            let path = folder.join(format!("{START}{number:0DIGITS$x}{END}"));
            let file = match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            // Another process that looks for dead parts may see it before it is locked, and remove it. Where files have
            // no locks, nobody removes any.
            let _ = file.lock();
            if is_at(&file, &path) {
                if let Ok(mut parts) = PARTS.lock() {
                    parts.push(path.clone());
                }
                return Ok((Part { path }, file));
            }
        }
    }

    /// Its name until then.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, in the place of what has it now.
    pub fn persist(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.forget();
        std::mem::forget(self);
        Ok(())
    }

    fn forget(&self) {
        if let Ok(mut parts) = PARTS.lock() {
            parts.retain(|known| *known != self.path);
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        self.forget();
    }
}

/// Removes the files in a folder that processes of this user have left behind which are dead.
fn remove_dead(folder: &Path) {
    let Ok(files) = fs::read_dir(folder) else { return };
    for file in files.flatten() {
        if file.file_name().to_str().is_some_and(is_name) && file.file_type().is_ok_and(|ty| ty.is_file()) {
            let path = file.path();
            let _ = open_for_lock(&path).and_then(|file| match file.try_lock() {
                Ok(()) if is_at(&file, &path) => fs::remove_file(&path),
                _ => Ok(()),
            });
        }
    }
}

/// Whether a file of this name is being written, or was left by a process that died.
pub fn is_name(name: &str) -> bool {
    let digits = name.strip_prefix(START).and_then(|rest| rest.strip_suffix(END));
    digits.is_some_and(|d| {
        d.len() == DIGITS && d.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    })
}

/// Opens what may be a part. Only its user may: the file of another one is refused by the system.
fn open_for_lock(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options.open(path)
}

/// Whether a name is still that of an open file.
#[cfg(unix)]
fn is_at(file: &fs::File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &fs::File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |f: io::Result<fs::DirEntry>| f.expect("entry").file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> = fs::read_dir(folder).expect("readable").map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn parts_of_the_dead_go_and_those_of_the_living_stay() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (living, file) = Part::create(folder.path()).expect("made");
        fs::write(folder.path().join(".gchr-0123456789abcdef.part"), "half").expect("made");
        let foreign =
            [".gchr-0123456789abcde.part", ".gchr-0123456789ABCDEF.part", ".gchr-.part", "gchr.part", "x"];
        for name in foreign {
            fs::write(folder.path().join(name), "x").expect("made");
        }
        let (other, _file) = Part::create(folder.path()).expect("made");
        let left = names(folder.path());
        assert_eq!(left.len(), foreign.len() + 2, "{left:?}");
        assert!(
            living.path.exists()
                && other.path.exists()
                && !left.contains(&".gchr-0123456789abcdef.part".into())
        );
        // A name that was given does not go with the part.
        living.persist(&folder.path().join("result")).expect("renamed");
        drop((file, other));
        let mut wanted: Vec<_> = foreign.iter().map(ToString::to_string).chain(["result".into()]).collect();
        wanted.sort();
        assert_eq!(names(folder.path()), wanted);
    }

    #[test]
    fn many_at_once_do_not_take_each_other_for_dead() {
        let folder = tempfile::tempdir().expect("temporary folder");
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let folder = folder.path();
                scope.spawn(move || {
                    for i in 0..50 {
                        let (part, _file) = Part::create(folder).expect("made");
                        part.persist(&folder.join(format!("{thread}-{i}"))).expect("its own file");
                    }
                });
            }
        });
        assert_eq!(names(folder.path()).len(), 400);
    }
}
