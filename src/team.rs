//! The processes that were started together to share a run: joined over MPI before the program is compiled, left
//! before the process ends.

use std::sync::{Mutex, PoisonError};

use gchr_base::diagnostic::Diagnostic;
use gchr_constraints::rounds::workers::{Wire, Worker};
use gchr_hosts::{Mpi, launched, place_on_host as place};

/// The wire of this process, which has at most one.
static WIRE: Mutex<Option<Mpi>> = Mutex::new(None);

/// The processes of one run. Dropping it leaves them.
#[derive(Debug)]
pub struct Team(());

/// What the processes of a team have found of each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// All are ready for the same run.
    Ready,
    /// This one is not ready, the first of them.
    NotReady(usize),
    /// This one has another program, version or options than the first one.
    Different(usize),
}

impl Team {
    /// Which of several processes this one is, by the environment of MPI's launchers.
    pub fn launched() -> Option<Worker> {
        launched(|name| std::env::var(name).ok())
    }

    /// Joins the processes that were started together. May be called once in a process.
    pub fn join(launched: Worker) -> Result<Self, Diagnostic> {
        let mpi = Mpi::join(launched).map_err(|error| {
            let message = format!("the processes cannot share a run: {error}");
            let help = "install an MPI with the standard binary interface, such as MPICH 5 (`pip install mpich`), start \
                        with its mpiexec, or name its library by the variable GCHR_MPI";
            Diagnostic::error("U0112", message).help(help)
        })?;
        *WIRE.lock().unwrap_or_else(PoisonError::into_inner) = Some(mpi);
        Ok(Self(()))
    }

    /// Tells all processes whether this one is ready, and what it is to run, as a number. All must call.
    pub fn agree(&self, is_ready: bool, what: u64) -> Result<Agreement, Diagnostic> {
        let heard = on_wire(|wire| {
            let ranks = wire.worker().ranks;
            let mut heard = vec![0; 2 * ranks];
            wire.all_to_all(&[u64::from(is_ready), what].repeat(ranks), &mut heard).map(|()| heard)
        });
        let heard = heard.ok_or_else(not_joined)?;
        let heard =
            heard.map_err(|lost| Diagnostic::error("R0305", format!("workers are lost: {}", lost.what)))?;
        let said: Vec<&[u64]> = heard.chunks(2).collect();
        Ok(match said.iter().position(|said| said[0] == 0) {
            Some(rank) => Agreement::NotReady(rank),
            None => match said.iter().position(|one| one[1] != said[0][1]) {
                Some(rank) => Agreement::Different(rank),
                None => Agreement::Ready,
            },
        })
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        *WIRE.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Which of the processes of its host this one is: it takes the GPU of that number.
pub(crate) fn place_on_host() -> u32 {
    place(|name| std::env::var(name).ok()) as u32
}

/// Works on the wire of this process; `None` where it has not joined others.
pub(crate) fn on_wire<T>(work: impl FnOnce(&mut dyn Wire) -> T) -> Option<T> {
    let mut wire = WIRE.lock().unwrap_or_else(PoisonError::into_inner);
    wire.as_mut().map(|wire| work(wire))
}

/// Workers in several processes need a wire.
pub(crate) fn not_joined() -> Diagnostic {
    Diagnostic::error("U0112", "this process has joined no others")
}
