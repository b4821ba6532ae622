//! Compiled kernels on disk, and which kernels the checker has accepted, so that a program is compiled and checked once
//! per machine.
//!
//! The key of an entry is a hash of everything that the output of the compiler or of the checker depends on. An entry
//! is written aside and renamed, and carries its key, its length and a checksum: a reader sees a whole entry or none,
//! and a damaged one counts as none. Only what this user has written is read ([`Folder`]). The cache is an
//! optimisation: when it cannot be read or written, work goes on without it, a warning is traced, and [`failure`] tells
//! afterwards; [`Cache::refusal`] says when its folder is not used at all. The entries that were not used for longest
//! go when the cache outgrows its limit.

mod entry;
mod folder;
mod key;
mod sealed;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

pub use entry::Entry;
pub use folder::{Folder, Refusal};
pub use key::CacheKey;

/// The variable that names the folder of all caches of gchr.
pub const VARIABLE: &str = "GCHR_CACHE_DIR";

/// Default limit of the cache in bytes.
pub const DEFAULT_LIMIT: u64 = 512 << 20;

/// Entries that the cache holds at most: each is looked at whenever one is added.
const MAX_ENTRIES: usize = 10_000;

/// Ends of the names of entries: compiled kernels, kernels that the checker has accepted. What they begin with.
const COMPILED: &str = "kernels";
const COMPILED_MAGIC: &[u8; 8] = b"gchrker2";
const ACCEPTED: &str = "accepted";
const ACCEPTED_MAGIC: &[u8; 8] = b"gchracc2";

/// A folder of compiled kernels. Any number of threads and processes may use the same folder.
#[derive(Debug)]
pub struct Cache {
    folder: Option<Folder>,
    limit: u64,
    warned: AtomicBool,
}

impl Cache {
    /// The user's cache: in [`root_folder`]. Without any nothing is kept.
    pub fn from_env() -> Cache {
        Self::from_variables(variable)
    }

    fn from_variables(variable: impl Fn(&str) -> Option<PathBuf>) -> Cache {
        match root_of(variable) {
            Some(folder) => Cache::at(folder.join("kernels"), DEFAULT_LIMIT),
            None => Cache::disabled(),
        }
    }

    /// A cache in a folder, made when it is first written to, of at most so many bytes.
    pub fn at(folder: impl Into<PathBuf>, limit: u64) -> Cache {
        Cache { folder: Some(Folder::at(folder, key::is_file_name)), limit, warned: AtomicBool::new(false) }
    }

    /// A cache that keeps nothing.
    pub fn disabled() -> Cache {
        Cache { folder: None, limit: 0, warned: AtomicBool::new(false) }
    }

    /// Where the entries lie.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(Folder::path)
    }

    /// Why the folder is not used, as it is now; the cache keeps nothing then.
    pub fn refusal(&self) -> Option<Refusal> {
        self.folder.as_ref()?.refusal()
    }

    /// Whether entries are kept, as it is now.
    pub fn keeps(&self) -> bool {
        self.folder.is_some() && self.refusal().is_none()
    }

    /// Looks an entry up. A damaged entry counts as absent.
    pub fn get(&self, key: &CacheKey) -> Option<Entry> {
        self.read(key, COMPILED, COMPILED_MAGIC, Entry::decode)
    }

    /// Stores an entry.
    pub fn put(&self, key: &CacheKey, entry: &Entry) {
        self.write(key, COMPILED, COMPILED_MAGIC, &entry.encode());
    }

    /// Whether the checker has accepted these kernels before. A damaged note counts as none.
    pub fn is_accepted(&self, key: &CacheKey) -> bool {
        self.read(key, ACCEPTED, ACCEPTED_MAGIC, |note| note.is_empty().then_some(())).is_some()
    }

    /// Notes that the checker has accepted kernels, all of them.
    pub fn accept(&self, key: &CacheKey) {
        self.write(key, ACCEPTED, ACCEPTED_MAGIC, &[]);
    }

    /// Reads a file that is for a key, and that `decode` finds whole.
    fn read<T>(
        &self,
        key: &CacheKey,
        ending: &str,
        magic: &[u8; 8],
        decode: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Option<T> {
        let name = key.file_name(ending);
        let bytes = match self.folder.as_ref()?.read(&name) {
            Ok(bytes) => bytes?,
            Err(e) => {
                self.warn("read", &e);
                return None;
            }
        };
        let found = sealed::open(magic, key, &bytes).and_then(decode);
        if found.is_none() {
            tracing::warn!(file = name, "damaged entry in the kernel cache; it is made again");
        }
        found
    }

    fn write(&self, key: &CacheKey, ending: &str, magic: &[u8; 8], content: &[u8]) {
        let Some(folder) = &self.folder else { return };
        let bytes = sealed::seal(magic, key, content);
        if bytes.len() as u64 > self.limit {
            return;
        }
        if let Err(e) = folder.write(&key.file_name(ending), &bytes).and_then(|()| self.shrink(folder)) {
            self.warn("written", &e);
        }
    }

    /// Removes the entries that were not used for longest until the rest fits the limit.
    fn shrink(&self, folder: &Folder) -> io::Result<()> {
        let mut entries = folder.kept()?;
        let mut total: u64 = entries.iter().map(|entry| entry.size).sum();
        let mut count = entries.len();
        entries.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        for entry in entries {
            if total <= self.limit && count <= MAX_ENTRIES {
                break;
            }
            count -= 1;
            match fs::remove_file(entry.path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => total -= entry.size,
            }
        }
        Ok(())
    }

    /// Warns once: the reason is the same for every entry.
    fn warn(&self, what: &str, error: &io::Error) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            let folder = self.folder().unwrap_or(Path::new("")).display();
            tracing::warn!(%folder, %error, "the kernel cache cannot be {what}; kernels are compiled and checked every time");
            // The first failure is the one to tell.
            let _ = FAILURE.set(format!("the kernel cache {folder} cannot be {what}: {error}"));
        }
    }
}

static FAILURE: OnceLock<String> = OnceLock::new();

/// Why caches of this process could not keep, or not find, what was compiled; `None` while all went well.
pub fn failure() -> Option<&'static str> {
    FAILURE.get().map(String::as_str)
}

/// The folder of all caches of gchr: `GCHR_CACHE_DIR`, else `gchr` in `XDG_CACHE_HOME`, else `~/.cache/gchr`. `None`
/// without any of them.
pub fn root_folder() -> Option<PathBuf> {
    root_of(variable)
}

fn root_of(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|path| !path.as_os_str().is_empty());
    // The XDG base directory specification: relative paths are ignored.
    let absolute = |name: &str| set(name).filter(|path| path.is_absolute());
    set(VARIABLE)
        .or_else(|| absolute("XDG_CACHE_HOME").map(|cache| cache.join("gchr")))
        .or_else(|| absolute("HOME").map(|home| home.join(".cache/gchr")))
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

#[cfg(test)]
mod tests;
