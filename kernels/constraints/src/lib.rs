//! Constraint programs on a device in deterministic rounds: generated enumeration and bodies around the template
//! `rounds.cu`.
//!
//! [`layout`] says which buffers a program has, [`generate`] makes its [`kernels`], [`run`] drives them on any
//! [`Device`](gchr_kernel::device::Device). What a round is, and why the result does not depend on the device, is in
//! `docs/semantics.md`; how the device does it in `docs/rounds.md`.

mod class;
mod codegen;
mod contract;
pub mod generate;
mod job;
pub mod kernels;
pub mod layout;
pub mod output;
pub mod run;
mod specialised;
pub mod start;
mod tables;
pub mod templates;
mod terms;
