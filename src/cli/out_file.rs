//! Result files: written aside, renamed when they are complete, and never in the place of what the same command reads
//! or writes.

mod identity;
mod part;

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use gchr::base::source::SourceMap;

use super::exit::Exit;
use super::report;
use identity::Identity;
use part::Part;

pub use part::{is_name as is_part, remove_parts};

/// Links in a row that a path may lead through, as on Linux.
const MAX_LINKS: usize = 40;

/// The files that this command reads and writes, each with what it is.
static INVOLVED: Mutex<Vec<(Identity, String)>> = Mutex::new(Vec::new());

/// Notes that the command reads a file: no result may take its place. `what` says what the file is: "the program".
pub fn reads(what: &str, path: &Path) {
    if let Ok(target) = resolve(path)
        && let Some(identity) = Identity::of(&target)
    {
        note(identity, what.to_string());
    }
}

/// The same of the texts of a program: it may name further files.
pub fn reads_texts(sources: &SourceMap) {
    sources.iter().for_each(|(_, source)| reads("a text of the program", Path::new(&source.name)));
}

fn note(identity: Identity, what: String) {
    if let Ok(mut involved) = INVOLVED.lock() {
        involved.push((identity, what));
    }
}

/// What the command does with a file besides, if anything.
fn involved(identity: &Identity) -> Option<String> {
    if let Some(stream) = identity::stream(identity) {
        return Some(stream.into());
    }
    let known = INVOLVED.lock().ok()?;
    known.iter().find(|(other, _)| other == identity).map(|(_, what)| what.clone())
}

/// A result file.
pub struct File {
    inner: Inner,
}

enum Inner {
    /// Written aside, renamed at the end.
    Aside {
        /// Where it goes.
        target: PathBuf,
        /// What is written.
        part: Part,
        file: BufWriter<fs::File>,
    },
    /// Devices and pipes cannot be renamed over: they are written as they are.
    Direct(BufWriter<fs::File>),
}

/// Why there is no result file.
enum Refusal {
    /// The command does something else with it.
    Involved(String),
    /// It looks like standard output, and would be a file.
    Dash,
    Io(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Refusal::Io(error)
    }
}

impl File {
    /// Opens the file that an option names for a result, and says so when that cannot be. What is there stays until
    /// [`finish`](Self::finish).
    pub fn create(option: &str, path: &Path) -> Result<Self, Exit> {
        let shown = path.display();
        let (code, message, help) = match Self::open(option, path) {
            Ok(file) => return Ok(file),
            Err(Refusal::Dash) => {
                let message =
                    format!("{option} - names no file: without {option} a result goes to standard output");
                ("U0105", message, "./- for a file of this name".to_string())
            }
            Err(Refusal::Involved(what)) => {
                ("U0114", format!("{option} would overwrite {what}: {shown}"), "another path".to_string())
            }
            Err(Refusal::Io(error)) => {
                let help = "a path in a folder that you may write to";
                ("U0107", format!("cannot write {shown}: {error}"), help.to_string())
            }
        };
        report::problem(code, &message, &format!("give {option} {help}"));
        Err(Exit::Usage)
    }

    fn open(option: &str, path: &Path) -> Result<Self, Refusal> {
        if path.as_os_str() == "-" {
            return Err(Refusal::Dash);
        }
        match fs::metadata(path) {
            Ok(known) if known.is_dir() => return Err(io::Error::other("it is a folder").into()),
            Ok(known) if !known.is_file() => {
                let file = fs::OpenOptions::new().write(true).open(path)?;
                return Ok(Self { inner: Inner::Direct(BufWriter::new(file)) });
            }
            Err(_) if path.as_os_str().as_encoded_bytes().ends_with(b"/") => {
                return Err(io::Error::other("it names a folder").into());
            }
            // Also where a link leads to.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            Ok(_) | Err(_) => {}
        }
        let target = resolve(path)?;
        let identity = Identity::of(&target);
        if let Some(what) = identity.as_ref().and_then(involved) {
            return Err(Refusal::Involved(what));
        }
        if target.exists() {
            // A file that may not be written must not be replaced either, which a rename alone would do.
            fs::OpenOptions::new().write(true).open(&target)?;
        }
        let (part, file) = Part::create(folder(&target))?;
        if let Some(identity) = identity {
            note(identity, format!("the file of {option}"));
        }
        Ok(Self { inner: Inner::Aside { target, part, file: BufWriter::with_capacity(1 << 16, file) } })
    }

    /// Where the result is written aside, by whom else writes it there; nothing of a pipe or a device.
    pub fn aside(&self) -> Option<&Path> {
        match &self.inner {
            Inner::Aside { part, .. } => Some(part.path()),
            Inner::Direct(_) => None,
        }
    }

    /// Makes the result appear under its name, once it is safely stored.
    pub fn finish(self) -> io::Result<()> {
        match self.inner {
            Inner::Direct(mut file) => file.flush(),
            Inner::Aside { target, part, file } => complete(&target, part, file),
        }
    }
}

/// Puts a file in the place of another one, or of none, at once: what is there stays until the new one is on the disk.
pub fn replace<T>(
    target: &Path,
    write: impl FnOnce(&mut BufWriter<fs::File>) -> io::Result<T>,
) -> io::Result<T> {
    let (part, file) = Part::create(folder(target))?;
    let mut file = BufWriter::with_capacity(1 << 16, file);
    let written = write(&mut file)?;
    complete(target, part, file)?;
    Ok(written)
}

/// Gives what was written aside its name, once it is safely stored.
fn complete(target: &Path, part: Part, file: BufWriter<fs::File>) -> io::Result<()> {
    let file = file.into_inner().map_err(|e| e.into_error())?;
    keep_permissions(target, &file)?;
    store(&file)?;
    part.persist(target)?;
    // A folder that cannot be opened or stored for itself is written back in time.
    let _ = fs::File::open(folder(target)).and_then(|folder| folder.sync_all());
    Ok(())
}

impl Write for File {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match &mut self.inner {
            Inner::Aside { file, .. } | Inner::Direct(file) => file.write(text),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.inner {
            Inner::Aside { file, .. } | Inner::Direct(file) => file.flush(),
        }
    }
}

/// Where a path leads: the file that links name in the end, also one that does not exist yet. So the links stay.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = folder(&target).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("too many links lead from one to the next"))
}

/// The folder of a file.
fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Gives a file the permissions of the one whose place it takes. What lets a program run in another name is none of
/// them: the content is another one.
#[cfg(unix)]
fn keep_permissions(target: &Path, file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    match fs::metadata(target) {
        Ok(known) => file.set_permissions(fs::Permissions::from_mode(known.permissions().mode() & 0o777)),
        Err(_) => Ok(()),
    }
}

#[cfg(not(unix))]
fn keep_permissions(_: &Path, _: &fs::File) -> io::Result<()> {
    Ok(())
}

/// Brings what was written to the disk: a name must not outlive a content that only memory has.
fn store(file: &fs::File) -> io::Result<()> {
    match file.sync_all() {
        // Some file systems keep nothing that could be stored.
        Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => {
            Ok(())
        }
        stored => stored,
    }
}

#[cfg(test)]
mod tests;
