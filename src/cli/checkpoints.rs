//! Checkpoints as files of a folder: one for each worker, and one that names those of the last complete checkpoint.
//!
//! Each is written aside, brought to the disk and renamed; the one that names the others comes last, and only then the
//! files before it go. So a process that dies at any moment leaves a complete checkpoint.

mod folder;

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use gchr::{CheckpointPart, Checkpoints, Fingerprint, Seal, Worker};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::out_file;
use super::values::Every;
use folder::{CheckpointFolder, NAMES, part_name};

/// What each file begins with; the number is that of the format.
const FIRST_LINE: &[u8] = b"gchr checkpoint 1\n";
const HASH: usize = 32;
/// Bytes of the file that names the parts, at most.
const MOST_NAMES: u64 = 1 << 26;

/// The run that checkpoints are of.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Run {
    version: String,
    program: [u8; HASH],
    facts: [u8; HASH],
    /// How rounds find what fires.
    firing: String,
}

impl Run {
    /// The run of a program; `firing` says what else its state depends on.
    pub fn new(Fingerprint { program, facts }: Fingerprint, firing: String) -> Self {
        Self { version: env!("CARGO_PKG_VERSION").into(), program, facts, firing }
    }

    /// What is another one in a run, in words.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        let differences = [
            (self.version != other.version, "another version of gchr"),
            (self.program != other.program, "another program, or of other goals"),
            (self.facts != other.facts, "other facts"),
            (self.firing != other.firing, "a run with another --firing"),
        ];
        differences.into_iter().find(|(differs, _)| *differs).map(|(_, what)| what)
    }
}

/// A complete checkpoint.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
struct Complete {
    run: Run,
    rounds: u64,
    /// One a worker.
    parts: Vec<Seal>,
}

/// Where a complete checkpoint is.
#[derive(Clone, Debug)]
struct Source {
    folder: PathBuf,
    complete: Complete,
}

/// The checkpoints of one run.
#[derive(Debug)]
pub struct Files {
    run: Run,
    every: Every,
    /// Where new ones go.
    target: Option<CheckpointFolder>,
    /// The last complete one.
    last: Mutex<Option<Source>>,
    /// When the last one was complete, or the run began.
    since: Mutex<Instant>,
}

/// Why a folder is not what it should be.
#[derive(Debug)]
pub enum Refusal {
    /// Nothing goes on from it, or it is of another run.
    Resume(String),
    /// No checkpoint may be written there.
    Target(String),
    Io(String),
}

impl Files {
    /// Opens folders: that of new checkpoints, and that of the one to go on from. Only the first of several processes
    /// looks after the former.
    pub fn open(
        run: Run,
        every: Every,
        target: Option<&Path>,
        resume: Option<&Path>,
        is_first: bool,
    ) -> Result<Self, Refusal> {
        let last = match resume {
            Some(folder) => Some(Source { folder: folder.into(), complete: complete_in(folder, &run)? }),
            None => None,
        };
        let goes_on = matches!((target, resume), (Some(a), Some(b)) if same_folder(a, b));
        let target = target.map(|folder| CheckpointFolder::open(folder, goes_on, is_first)).transpose()?;
        let since = Mutex::new(Instant::now());
        Ok(Self { run, every, target, last: Mutex::new(last), since })
    }

    fn last(&self) -> MutexGuard<'_, Option<Source>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_part(&self, worker: Worker, rounds: u64, part: &CheckpointPart) -> io::Result<Seal> {
        let Some(target) = &self.target else { return Err(io::Error::other("there is no folder for it")) };
        let path = target.folder.join(part_name(rounds, worker.rank));
        out_file::replace(&path, |file| {
            let mut sealed = Sealed { file, hash: Sha256::new(), bytes: 0 };
            sealed.write_all(FIRST_LINE)?;
            postcard::to_io(part, &mut sealed).map_err(io::Error::other)?;
            Ok(seal(sealed.bytes, sealed.hash))
        })
    }
}

impl Checkpoints for Files {
    fn is_due(&self, rounds: u64) -> bool {
        self.target.is_some()
            && match self.every {
                Every::Rounds(every) => rounds.is_multiple_of(every.get()),
                Every::Time(every) => {
                    self.since.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= every
                }
            }
    }

    fn write(&self, worker: Worker, rounds: u64, part: &CheckpointPart) -> Result<Seal, String> {
        self.write_part(worker, rounds, part).map_err(|error| self.unwritten(&error))
    }

    fn complete(&self, rounds: u64, seals: &[Seal]) -> Result<(), String> {
        let Some(target) = &self.target else { return Err("there is no folder for it".into()) };
        for (rank, seal) in seals.iter().enumerate() {
            let path = target.folder.join(part_name(rounds, rank));
            if fs::metadata(&path).map(|known| known.len()).ok() != Some(seal.bytes) {
                let folder = target.folder.display();
                return Err(format!("{folder} is not the same folder for process {}", rank + 1));
            }
        }
        let complete = Complete { run: self.run.clone(), rounds, parts: seals.to_vec() };
        let named = encoded(&complete)
            .and_then(|bytes| out_file::replace(&target.folder.join(NAMES), |file| file.write_all(&bytes)));
        named.map_err(|error| self.unwritten(&error))?;
        target.remove_but(rounds, seals.len());
        *self.last() = Some(Source { folder: target.folder.clone(), complete });
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Ok(())
    }

    fn parts(&self) -> usize {
        self.last().as_ref().map_or(0, |source| source.complete.parts.len())
    }

    fn read(&self, part: usize) -> Result<CheckpointPart, String> {
        let (path, seal) = {
            let last = self.last();
            let found = last.as_ref().and_then(|source| {
                let path = source.folder.join(part_name(source.complete.rounds, part));
                source.complete.parts.get(part).map(|&seal| (path, seal))
            });
            found.ok_or("there is no such part")?
        };
        read_part(&path, seal).map_err(|what| format!("{}: {what}", path.display()))
    }
}

impl Files {
    fn unwritten(&self, error: &io::Error) -> String {
        let folder = self.target.as_ref().map(|target| target.folder.display().to_string());
        format!("cannot write to {}: {error}", folder.unwrap_or_default())
    }
}

/// A file that is hashed while it is written.
struct Sealed<W> {
    file: W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Write for Sealed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn seal(bytes: u64, hash: Sha256) -> Seal {
    let hash = hash.finalize();
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(hash.chunks(8)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    }
    Seal { bytes, hash: words }
}

/// Opens a regular file, and its length: others may have no end, or no beginning.
fn open_file(path: &Path) -> io::Result<(fs::File, u64)> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let file = fs::File::open(path)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

fn read_part(path: &Path, wanted: Seal) -> Result<CheckpointPart, String> {
    let mut bytes = Vec::new();
    let (file, length) = open_file(path).map_err(|error| error.to_string())?;
    if length != wanted.bytes {
        return Err(format!("it is damaged: it has {length} bytes in the place of {}", wanted.bytes));
    }
    gchr::base::memory::ask(length).map_err(|_| "there is no memory to read it".to_string())?;
    file.take(length).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let found = seal(bytes.len() as u64, Sha256::new_with_prefix(&bytes));
    match bytes.strip_prefix(FIRST_LINE) {
        Some(body) if found == wanted => postcard::from_bytes(body).map_err(|_| "it is damaged".to_string()),
        _ => Err("it is damaged: its checksum does not hold".into()),
    }
}

fn encoded(complete: &Complete) -> io::Result<Vec<u8>> {
    let body = postcard::to_stdvec(complete).map_err(io::Error::other)?;
    Ok([FIRST_LINE, &Sha256::digest(&body), &body].concat())
}

/// The complete checkpoint of a folder, which must be of this run.
fn complete_in(folder: &Path, run: &Run) -> Result<Complete, Refusal> {
    let path = folder.join(NAMES);
    let shown = path.display();
    let unread = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => {
            Refusal::Resume(format!("there is no complete checkpoint in {}", folder.display()))
        }
        _ => Refusal::Io(format!("cannot read {shown}: {error}")),
    };
    let (file, length) = open_file(&path).map_err(unread)?;
    let mut bytes = Vec::new();
    // It has some bytes for each worker.
    file.take(length.min(MOST_NAMES)).read_to_end(&mut bytes).map_err(unread)?;
    let damaged = |what: &str| Refusal::Resume(format!("{shown} is damaged: {what}"));
    let rest = bytes.strip_prefix(FIRST_LINE).ok_or_else(|| damaged("its first line is another one"))?;
    let (hash, body) = rest.split_at_checked(HASH).ok_or_else(|| damaged("it is cut off"))?;
    if Sha256::digest(body)[..] != *hash {
        return Err(damaged("its checksum does not hold"));
    }
    let complete: Complete =
        postcard::from_bytes(body).map_err(|_| damaged("it is of another version of gchr"))?;
    match complete.run.difference(run) {
        None if complete.parts.is_empty() => Err(damaged("it names no part")),
        None => Ok(complete),
        Some(what) => Err(Refusal::Resume(format!("the checkpoint in {} is of {what}", folder.display()))),
    }
}

fn same_folder(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}
