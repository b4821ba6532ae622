//! Workers on several hosts: a process each, started by `mpiexec` or a scheduler of a cluster, that exchange words over
//! MPI.
//!
//! Any MPI with the standard binary interface of version 5.0 of the standard serves (MPICH 5, Open MPI 6). It is looked
//! for when the process was started as one of several, so that nothing of it is needed to build, or to run alone.

mod abi;
mod launch;
mod mpi;

pub use launch::{launched, place_on_host};
pub use mpi::{Mpi, MpiError};
