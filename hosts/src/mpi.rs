//! A wire over MPI.

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::abi::{Abi, Blocks, Code};
use gchr_constraints::rounds::workers::{Lost, Wire, Worker};

/// Names of libraries with the standard binary interface.
const NAMES: [&str; 2] = ["libmpi_abi.so.1", "libmpi_abi.so"];

/// The variable that names a library.
const VARIABLE: &str = "GCHR_MPI";

/// How long a wait asks without a pause, leaving its core to others in between: messages come within microseconds where
/// each process has a core, and an exchange takes several of them, for each of which both sides must ask.
const SPIN: Duration = Duration::from_millis(1);

/// The first and the longest pause after that: a process that waits for long work of another one needs no core.
const PAUSES: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(1)];

/// The processes that were started together, joined over MPI.
pub struct Mpi {
    abi: Abi,
}

/// Why processes are not joined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MpiError {
    /// No library was found; what was said of each.
    NoLibrary(Vec<String>),
    /// A library sees other processes than the launcher started: it belongs to another MPI.
    OtherLauncher {
        /// Processes that the launcher has started.
        started: usize,
        /// Processes that the library sees.
        seen: usize,
    },
}

impl fmt::Display for MpiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLibrary(tried) => {
                write!(f, "no MPI with the standard binary interface was found ({})", tried.join("; "))
            }
            Self::OtherLauncher { started, seen } => write!(
                f,
                "the launcher has started {started} processes, of which the library of MPI sees {seen}: they belong to \
                 different MPIs"
            ),
        }
    }
}

impl Mpi {
    /// Joins the processes that a launcher has started. May be called once in a process.
    pub fn join(launched: Worker) -> Result<Self, MpiError> {
        let mut tried = Vec::new();
        for path in candidates() {
            match Abi::open(&path) {
                Ok(abi) if abi.ranks == launched.ranks => return Ok(Self { abi }),
                Ok(mut abi) => {
                    abi.finalize();
                    return Err(MpiError::OtherLauncher { started: launched.ranks, seen: abi.ranks });
                }
                Err(why) => tried.push(why),
            }
        }
        Err(MpiError::NoLibrary(tried))
    }

    fn lost(Code(code): Code) -> Lost {
        Lost { what: format!("MPI ends an exchange with error {code}") }
    }
}

/// Where a library may be: the one that is named, the ones that the system finds, and those beside the launcher.
fn candidates() -> Vec<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return vec![named.into()];
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let launcher = std::env::split_paths(&path).find(|folder| folder.join("mpiexec").is_file());
    let beside = launcher.and_then(|folder| Some(folder.parent()?.join("lib")));
    let beside = beside.map(|folder| folder.join(NAMES[0]));
    beside.into_iter().filter(|library| library.is_file()).chain(NAMES.map(PathBuf::from)).collect()
}

/// A pause that grows while nothing comes.
fn pauses() -> impl FnMut() {
    let start = Instant::now();
    let [mut pause, longest] = PAUSES;
    move || {
        if start.elapsed() < SPIN {
            std::thread::yield_now();
        } else {
            std::thread::sleep(pause);
            pause = (pause * 2).min(longest);
        }
    }
}

impl Wire for Mpi {
    fn worker(&self) -> Worker {
        Worker { rank: self.abi.rank, ranks: self.abi.ranks }
    }

    fn all_to_all(&mut self, send: &[u64], received: &mut [u64]) -> Result<(), Lost> {
        let words = self.abi.all_to_all(send, pauses()).map_err(Self::lost)?;
        received.copy_from_slice(&words);
        Ok(())
    }

    fn all_to_all_v(&mut self, send: Vec<Vec<u64>>, lengths: &[usize]) -> Result<Vec<Vec<u64>>, Lost> {
        let to = Blocks::new(send.iter().map(Vec::len));
        let mut words = Vec::with_capacity(to.words());
        send.into_iter().for_each(|mut block| words.append(&mut block));
        let from = Blocks::new(lengths.iter().copied());
        let received = self.abi.all_to_all_v((words, to), from, pauses()).map_err(Self::lost)?;
        let mut rest = received.as_slice();
        let blocks = lengths.iter().map(|&length| {
            let (block, behind) = rest.split_at(length);
            rest = behind;
            block.to_vec()
        });
        Ok(blocks.collect())
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        self.abi.finalize();
    }
}
