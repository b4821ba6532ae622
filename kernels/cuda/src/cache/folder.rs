//! A folder of files that only this user writes, and from which only files that were written here are read or removed.
//!
//! What is in such a folder is used as machine code without a further check, so it must come from this user: the folder
//! and each file in it belong to him, nobody else may write to them, a file is a regular one of bounded size, and links
//! are not followed. The user may have named a folder with other things by mistake: files whose names are not of our
//! making are never touched, and a folder that holds such files and was not marked as ours is not used at all.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The file that marks a folder as a cache, for us and for programs that copy files (bford.info/cachedir).
const TAG: &str = "CACHEDIR.TAG";
const SIGNATURE: &str = "Signature: 8a477f597d28d172789f06886806bc55\n";
const TAG_TEXT: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # A cache of gchr: whatever is in it can be removed, and is made again when it is needed.\n";

/// Names of files that are being written: what comes before, and how many letters and digits follow.
const ASIDE: &str = ".aside-";
const ASIDE_RANDOM: usize = 12;

/// Temporary files that are older than this were left by a process that died.
pub(super) const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// Files of a folder are at most so long.
pub(super) const MAX_FILE: u64 = 64 << 20;

/// A folder of files that only this user writes.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Whether a name is that of a file that is kept here.
    is_ours: fn(&str) -> bool,
}

/// Why a folder is not used.
#[derive(Debug)]
pub enum Refusal {
    /// It is no folder.
    NotAFolder,
    /// It belongs to another user.
    Foreign,
    /// Others may write to it.
    Open,
    /// It holds other things, such as this one.
    Mixed(String),
    /// The system does not show it.
    Unreadable(io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NotAFolder => f.write_str("it is no folder"),
            Refusal::Foreign => f.write_str("it belongs to another user"),
            Refusal::Open => f.write_str("other users may write to it"),
            Refusal::Mixed(name) => write!(f, "it holds other things, such as {name:?}"),
            Refusal::Unreadable(error) => error.fmt(f),
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unreadable(error) => error,
            refusal => io::Error::new(io::ErrorKind::PermissionDenied, refusal.to_string()),
        }
    }
}

/// A file of a folder, as the folder lists it.
pub(super) struct Kept {
    pub path: PathBuf,
    pub size: u64,
    /// When it was used last.
    pub used: SystemTime,
}

impl Folder {
    /// A folder, made when it is first written to. `is_ours` knows the names of the files that are kept in it.
    pub fn at(path: impl Into<PathBuf>, is_ours: fn(&str) -> bool) -> Folder {
        Folder { path: path.into(), is_ours }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why it must not be used, as it is now. A folder that does not exist yet may be.
    pub fn refusal(&self) -> Option<Refusal> {
        let found = match fs::metadata(&self.path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => return Some(Refusal::Unreadable(error)),
        };
        if !found.is_dir() {
            return Some(Refusal::NotAFolder);
        }
        if !is_own(&found) {
            return Some(Refusal::Foreign);
        }
        if is_open(&found) {
            return Some(Refusal::Open);
        }
        if self.is_marked() {
            return None;
        }
        match self.foreign_name() {
            Ok(name) => name.map(Refusal::Mixed),
            Err(error) => Some(Refusal::Unreadable(error)),
        }
    }

    /// Reads a file; `None` if there is none. An error says why it is not to be trusted, or cannot be read.
    pub fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        if let Some(refusal) = self.refusal() {
            return Err(refusal.into());
        }
        let Some((mut file, size)) = self.open(name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX))?;
        (&mut file).take(size).read_to_end(&mut bytes)?;
        // The time of last use decides the order of eviction. Failing to write it only costs work later.
        let _ = file.set_modified(SystemTime::now());
        Ok(Some(bytes))
    }

    /// Writes a file, so that readers see all of it or nothing. Makes the folder, for this user alone, if there is
    /// none.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() as u64 > MAX_FILE {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "too large for the cache"));
        }
        self.make()?;
        if let Some(refusal) = self.refusal() {
            return Err(refusal.into());
        }
        if !self.is_marked() {
            self.write_aside(TAG, TAG_TEXT.as_bytes())?;
        }
        self.write_aside(name, bytes)
    }

    /// The files that are kept. Removes those that processes have left behind which died while they wrote.
    pub(super) fn kept(&self) -> io::Result<Vec<Kept>> {
        let mut kept = Vec::new();
        for file in fs::read_dir(&self.path)? {
            let file = file?;
            // Another process may have removed it in the meantime.
            let Ok(data) = file.metadata() else { continue };
            let name = file.file_name();
            let Some(name) = name.to_str().filter(|_| data.is_file()) else { continue };
            let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if (self.is_ours)(name) {
                kept.push(Kept { path: file.path(), size: data.len(), used });
            } else if is_aside(name) && used.elapsed().is_ok_and(|age| age > LEFT_BEHIND) {
                let _ = fs::remove_file(file.path());
            }
        }
        Ok(kept)
    }

    fn make(&self) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.path)
    }

    fn write_aside(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file =
            tempfile::Builder::new().prefix(ASIDE).rand_bytes(ASIDE_RANDOM).tempfile_in(&self.path)?;
        file.write_all(bytes)?;
        file.persist(self.path.join(name)).map_err(|e| e.error)?;
        Ok(())
    }

    /// Whether the folder says that it is one of ours.
    fn is_marked(&self) -> bool {
        self.mark().is_some_and(|text| text == TAG_TEXT.as_bytes())
    }

    /// Whether the mark is one of ours that was not written to its end. What many programs write is the signature
    /// alone.
    fn is_half_marked(&self) -> bool {
        self.mark().is_some_and(|text| TAG_TEXT.as_bytes().starts_with(&text) && text != SIGNATURE.as_bytes())
    }

    fn mark(&self) -> Option<Vec<u8>> {
        let (file, size) = self.open(TAG).ok()??;
        let mut text = Vec::new();
        let is_short = size <= TAG_TEXT.len() as u64;
        (is_short && file.take(size).read_to_end(&mut text).is_ok()).then_some(text)
    }

    /// The first name, in alphabetical order, of something in the folder that was not made here.
    fn foreign_name(&self) -> io::Result<Option<String>> {
        let mut first = None;
        for file in fs::read_dir(&self.path)? {
            let name = file?.file_name().to_string_lossy().into_owned();
            let ours = (self.is_ours)(&name) || is_aside(&name) || name == TAG && self.is_half_marked();
            if !ours && first.as_ref().is_none_or(|first| name < *first) {
                first = Some(name);
            }
        }
        Ok(first)
    }

    /// Opens a file that this user has written, and gives its size.
    fn open(&self, name: &str) -> io::Result<Option<(File, u64)>> {
        let mut options = fs::OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        // A link may lead anywhere, and a pipe would be waited for.
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let file = match options.open(self.path.join(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        // Of the file that is open, whatever is under its name by now.
        let found = file.metadata()?;
        let refuse = |why: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, why.to_string()));
        if !found.is_file() {
            return refuse("it is no regular file");
        }
        if !is_own(&found) || is_open(&found) {
            return refuse("another user may have written it");
        }
        if found.len() > MAX_FILE {
            return refuse("it is too large");
        }
        Ok(Some((file, found.len())))
    }
}

fn is_aside(name: &str) -> bool {
    name.strip_prefix(ASIDE)
        .is_some_and(|rest| rest.len() == ASIDE_RANDOM && rest.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Whether a file belongs to the user of this process.
#[cfg(unix)]
fn is_own(found: &Metadata) -> bool {
    // SAFETY: it takes nothing and cannot fail.
    let user = unsafe { libc::geteuid() };
    std::os::unix::fs::MetadataExt::uid(found) == user
}

#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

/// Whether other users may write to a file or folder.
#[cfg(unix)]
fn is_open(found: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(found) & 0o022 != 0
}

#[cfg(not(unix))]
fn is_open(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests;
