//! Reading of files within a limit of memory: what a name stands for may have no end.

pub mod named;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::diagnostic::Diagnostic;
use crate::error::StopReason;
use crate::source::{SourceMap, Span};
use crate::watch::Watch;

/// Bytes read at a time where the system does not tell how long a file is.
const PIECE: u64 = 1 << 20;
/// Bytes read between two looks at the account.
const LOOK: u64 = 1 << 24;

/// Memory that is taken while input is read, by all threads, and what stops the reading.
#[derive(Default, Debug)]
pub struct Account<'w> {
    limit: Option<u64>,
    taken: AtomicU64,
    watch: Watch<'w>,
}

impl<'w> Account<'w> {
    /// An account that refuses more than `limit` bytes.
    pub fn new(limit: Option<u64>) -> Self {
        Self { limit, taken: AtomicU64::new(0), watch: Watch::new() }
    }
    /// Refuses more soon after a watch says so: whatever counts memory as it goes on is stopped.
    #[must_use]
    pub fn watched(mut self, watch: Watch<'w>) -> Self {
        self.watch = watch;
        self
    }
    /// Counts bytes; says whether they are allowed. What is refused stays counted.
    #[must_use]
    pub fn take(&self, bytes: u64) -> bool {
        let taken = self.taken.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        self.limit.is_none_or(|limit| taken <= limit) && self.watch.look().is_ok()
    }
    /// Gives bytes back.
    pub fn give(&self, bytes: u64) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
    /// Bytes that may be taken in all.
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }
    /// Bytes that may still be taken.
    pub fn left(&self) -> u64 {
        self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.taken.load(Ordering::Relaxed)))
    }
    /// Why no more may be taken by `what`.
    pub fn reason(&self, what: String) -> StopReason {
        let stopped = self.watch.look().err();
        stopped.unwrap_or(StopReason::Memory { limit: self.limit.unwrap_or(u64::MAX), what })
    }
}

/// The content of a file; it is counted, and what is counted for it stays so. The error is a [`StopReason`] when there
/// is too much.
pub fn read(path: &Path, account: &Account) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let known = file.metadata().ok().filter(std::fs::Metadata::is_file).map_or(0, |known| known.len());
    read_from(file, known, path, account)
}

/// The same of a text.
pub fn read_string(path: &Path, account: &Account) -> io::Result<String> {
    String::from_utf8(read(path, account)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// The same of what stands behind a reader, which has about `known` bytes; `path` is its name.
pub fn read_from(mut input: impl Read, known: u64, path: &Path, account: &Account) -> io::Result<Vec<u8>> {
    let too_much = || io::Error::from(account.reason(format!("the text of {}", path.display())));
    let mut bytes = Vec::new();
    loop {
        // One byte more than it should have shows whether a file has ended.
        let room =
            (known + 1).saturating_sub(bytes.len() as u64).max(PIECE).min(account.left().saturating_add(1));
        bytes.try_reserve_exact(room as usize).map_err(|_| too_much())?;
        let room = room.min(LOOK);
        let read = (&mut input).take(room).read_to_end(&mut bytes)? as u64;
        if !account.take(read) {
            return Err(too_much());
        }
        if read < room {
            return Ok(bytes);
        }
    }
}

/// The folder of a program file, where the files are that it names, and how much may be read.
pub struct Files<'a> {
    folder: Option<PathBuf>,
    account: &'a Account<'a>,
}

impl<'a> Files<'a> {
    /// Files beside a program file, or none when the text comes from no file.
    pub fn beside(program: Option<&Path>, account: &'a Account<'a>) -> Self {
        let folder = program.map(|path| path.parent().unwrap_or(Path::new("")).to_path_buf());
        Self { folder, account }
    }

    /// The first of some files that there is; why there is none.
    pub fn find(&self, names: &[String]) -> Result<PathBuf, String> {
        let Some(folder) = &self.folder else { return Err("the program is not read from a file".into()) };
        let mut paths = names.iter().map(|name| folder.join(name));
        paths.find(|path| path.is_file()).ok_or_else(|| {
            let first = names.first().map_or_else(|| folder.clone(), |name| folder.join(name));
            format!("there is no file {}", first.display())
        })
    }

    /// Reads a file as [`read_text`] does.
    pub fn read(
        &self,
        path: &Path,
        sources: &mut SourceMap,
        wanted: &str,
    ) -> Result<String, Box<Diagnostic>> {
        read_text(path, sources, wanted, self.account)
    }
}

/// Why a file was not read: a limit that was reached, or, under a code and with the help that is given, what the system
/// says.
pub fn unread(error: io::Error, code: &'static str, path: &Path, help: &str) -> Diagnostic {
    let cause = match StopReason::from(error) {
        _ if path.is_dir() => "it is a folder".to_string(),
        StopReason::Output { message } => message,
        reason => return reason.to_diagnostic(),
    };
    Diagnostic::error(code, format!("cannot read {}: {cause}", path.display())).help(help)
}

/// Reads a whole text file; what is wrong with it is said with the place where it can be, and `wanted` when it cannot
/// be read at all. The text is counted in `account`.
pub fn read_text(
    path: &Path,
    sources: &mut SourceMap,
    wanted: &str,
    account: &Account,
) -> Result<String, Box<Diagnostic>> {
    let bytes = read(path, account).map_err(|error| Box::new(unread(error, "U0101", path, wanted)))?;
    text_of(bytes, path, sources)
}

/// The same of [standard input](is_stdin).
pub fn read_stdin_text(
    sources: &mut SourceMap,
    wanted: &str,
    account: &Account,
) -> Result<String, Box<Diagnostic>> {
    let name = Path::new("-");
    let bytes = read_from(io::stdin().lock(), 0, name, account);
    text_of(bytes.map_err(|error| Box::new(unread(error, "U0101", name, wanted)))?, name, sources)
}

/// Whether a file is standard input, which is called `-`.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn text_of(bytes: Vec<u8>, path: &Path, sources: &mut SourceMap) -> Result<String, Box<Diagnostic>> {
    let shown = path.display();
    if marks_comments(path) && outside_comments(&bytes) {
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let id = sources.add(shown.to_string(), String::from_utf8_lossy(error.as_bytes()));
        Box::new(
            Diagnostic::error("U0102", format!("{shown} is not a UTF-8 text"))
                .label(
                    Span::new(id, at, at + char::REPLACEMENT_CHARACTER.len_utf8()),
                    "this byte is no UTF-8",
                )
                .note(format!("byte {at} of the file"))
                .help("save the file as UTF-8"),
        )
    })
}

/// Whether `%` begins a comment wherever it stands: in specifications of mCRL2, early ones of which have names of
/// people in other encodings there.
fn marks_comments(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "mcrl2" || ending == "dataspec")
}

/// Whether a text is UTF-8 but for comments, which `%` begins.
fn outside_comments(bytes: &[u8]) -> bool {
    bytes.split(|&byte| byte == b'\n').all(|line| {
        let end = line.iter().position(|&byte| byte == b'%').unwrap_or(line.len());
        std::str::from_utf8(&line[..end]).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_early_specifications_need_not_be_utf_8() {
        let read_as = |name: &str, bytes: &[u8]| {
            let path = std::env::temp_dir().join(format!("gchr-reading-{}-{name}", std::process::id()));
            std::fs::write(&path, bytes).expect("a file");
            let found = read_text(&path, &mut SourceMap::new(), "", &Account::new(None));
            std::fs::remove_file(&path).expect("the file");
            found.map_err(|found| found.code)
        };
        assert_eq!(
            read_as("a.mcrl2", b"% caf\xe9\nmap f: Nat;").as_deref(),
            Ok("% caf\u{fffd}\nmap f: Nat;")
        );
        assert_eq!(read_as("b.mcrl2", b"map f\xe9: Nat; % x"), Err("U0102"));
        assert_eq!(read_as("c.trs", b"% caf\xe9"), Err("U0102"));
    }

    #[test]
    fn what_has_no_end_ends_at_the_limit() {
        let zeros = Path::new("/dev/zero");
        if !zeros.exists() {
            return;
        }
        for limit in [0, 1000, 5 << 20] {
            let error = read(zeros, &Account::new(Some(limit))).expect_err("there is too much");
            let what = "the text of /dev/zero".to_string();
            assert_eq!(StopReason::from(error), StopReason::Memory { limit, what });
        }
    }

    #[test]
    fn a_file_is_read_to_its_last_byte_and_counted() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/reading.rs");
        let whole = std::fs::read(&path).unwrap();
        let size = whole.len() as u64;
        for limit in [Some(size), Some(size + 1), None] {
            let account = Account::new(limit);
            assert_eq!(read(&path, &account).unwrap(), whole);
            assert_eq!(account.left(), limit.map_or(u64::MAX, |limit| limit - size));
        }
        assert!(read(&path, &Account::new(Some(size - 1))).is_err());
        assert!(read(Path::new("no/such/file"), &Account::default()).is_err());
    }
}
