//! Compiled kernels on disk, and which kernels the checker has accepted, so that a program is compiled and checked once per machine.
//!
//! The key of an entry is a hash of everything that the output of the compiler or of the checker depends on. It is written aside
//! and renamed, and carries its lengths and a checksum: a reader sees a whole entry or none, and a damaged one counts as none. The cache
//! is an optimisation: when it cannot be read or written, work goes on without it and a warning is traced. The entries that were not
//! used for longest go when the cache outgrows its limit.

mod accepted;
mod entry;
mod key;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

pub use entry::Entry;
pub use key::CacheKey;

/// The variable that names the folder of all caches of gchr.
pub const VARIABLE: &str = "GCHR_CACHE_DIR";

/// Default limit of the cache in bytes.
pub const DEFAULT_LIMIT: u64 = 512 << 20;

/// Entries that the cache holds at most: each is looked at whenever one is added.
const MAX_ENTRIES: usize = 10_000;

/// Temporary files that are older than this were left by a process that died.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// Ends of the names of entries: compiled kernels, kernels that the checker has accepted.
const COMPILED: &str = "kernels";
const ACCEPTED: &str = "accepted";

/// A folder of compiled kernels. Any number of threads and processes may use the same folder.
#[derive(Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
    limit: u64,
    warned: AtomicBool,
}

impl Cache {
    /// The user's cache: in `GCHR_CACHE_DIR`, else `gchr` in `XDG_CACHE_HOME`, else `~/.cache/gchr`. Without any of them nothing is
    /// kept.
    pub fn from_env() -> Cache {
        Self::from_variables(|name| std::env::var_os(name).map(PathBuf::from))
    }

    fn from_variables(variable: impl Fn(&str) -> Option<PathBuf>) -> Cache {
        let set = |name: &str| variable(name).filter(|path| !path.as_os_str().is_empty());
        // The XDG base directory specification: relative paths are ignored.
        let absolute = |name: &str| set(name).filter(|path| path.is_absolute());
        let folder = set(VARIABLE)
            .or_else(|| absolute("XDG_CACHE_HOME").map(|cache| cache.join("gchr")))
            .or_else(|| absolute("HOME").map(|home| home.join(".cache/gchr")));
        Cache {
            folder: folder.map(|f| f.join("kernels")),
            limit: DEFAULT_LIMIT,
            warned: AtomicBool::new(false),
        }
    }

    /// A cache in a folder, made when it is first written to, of at most so many bytes.
    pub fn at(folder: impl Into<PathBuf>, limit: u64) -> Cache {
        Cache { folder: Some(folder.into()), limit, warned: AtomicBool::new(false) }
    }

    /// A cache that keeps nothing.
    pub fn disabled() -> Cache {
        Cache { folder: None, limit: 0, warned: AtomicBool::new(false) }
    }

    /// Where the entries lie.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Looks an entry up. A damaged entry counts as absent.
    pub fn get(&self, key: &CacheKey) -> Option<Entry> {
        self.read(&key.file_name(COMPILED), Entry::decode)
    }

    /// Stores an entry.
    pub fn put(&self, key: &CacheKey, entry: &Entry) {
        self.write(&key.file_name(COMPILED), &entry.encode());
    }

    /// Whether the checker has accepted these kernels before. A damaged entry counts as none.
    pub fn is_accepted(&self, key: &CacheKey) -> bool {
        self.read(&key.file_name(ACCEPTED), |bytes| accepted::is_for(key, bytes).then_some(())).is_some()
    }

    /// Notes that the checker has accepted kernels, all of them.
    pub fn accept(&self, key: &CacheKey) {
        self.write(&key.file_name(ACCEPTED), &accepted::encode(key));
    }

    /// Reads a file that `decode` finds whole.
    fn read<T>(&self, name: &str, decode: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let path = self.folder.as_ref()?.join(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return None,
            Err(e) => {
                self.warn("read", &e);
                return None;
            }
        };
        let Some(found) = decode(&bytes) else {
            tracing::warn!(file = %path.display(), "damaged entry in the kernel cache; it is made again");
            return None;
        };
        // The time of last use decides the order of eviction. Failing to write it only costs work later.
        let _ =
            File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(found)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let Some(folder) = &self.folder else { return };
        if bytes.len() as u64 > self.limit {
            return;
        }
        if let Err(e) = write_aside(folder, name, bytes).and_then(|()| self.shrink(folder)) {
            self.warn("written", &e);
        }
    }

    /// Removes the entries that were not used for longest until the rest fits the limit, and files left behind.
    fn shrink(&self, folder: &Path) -> io::Result<()> {
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for file in fs::read_dir(folder)? {
            let file = file?;
            // Another process may have removed it in the meantime.
            let Ok(data) = file.metadata() else { continue };
            let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if file.path().extension().is_some_and(|e| e == COMPILED || e == ACCEPTED) {
                entries.push((used, data.len(), file.path()));
            } else if data.is_file() && now.duration_since(used).is_ok_and(|age| age > LEFT_BEHIND) {
                let _ = fs::remove_file(file.path());
            }
        }
        let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
        let mut count = entries.len();
        entries.sort();
        for (_, size, path) in entries {
            if total <= self.limit && count <= MAX_ENTRIES {
                break;
            }
            count -= 1;
            match fs::remove_file(path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => total -= size,
            }
        }
        Ok(())
    }

    /// Warns once: the reason is the same for every entry.
    fn warn(&self, what: &str, error: &io::Error) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            let folder = self.folder.as_deref().unwrap_or(Path::new("")).display();
            tracing::warn!(%folder, %error, "the kernel cache cannot be {what}; kernels are compiled and checked every time");
        }
    }
}

/// Writes a file under another name, then renames it: readers see all of it or nothing.
fn write_aside(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".aside-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(folder.join(name)).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(test)]
mod tests;
