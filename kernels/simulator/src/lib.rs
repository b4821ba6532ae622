//! A SIMT simulator: runs kernels of the IR on the CPU, warp by warp in lockstep, and reports what they do wrong.
//!
//! Order of calls: [`Program::new`] lowers a verified module once; a [`Simulator`] holds buffers;
//! [`Simulator::launch`] runs a kernel.
//! `docs/simulator.md` says what the machine is, what is checked, and what the checks miss.

mod agreement;
mod alu;
mod backend;
mod clock;
mod code;
mod device;
pub mod divergence;
mod exec;
mod layout;
mod lower;
mod memory;
mod order;
mod report;
mod rng;
mod schedule;
mod warp;

#[cfg(test)]
mod tests;

pub use backend::SimDevice;
pub use code::{ParamShape, Site, WARP};
pub use device::{LaunchError, LaunchReport, MemoryError, Shape, Simulator, SimulatorOptions};
pub use exec::Counters;
pub use layout::Layout;
pub use lower::{LowerError, Program};
pub use report::{Element, Fault, Report, ThreadName, Touch};
pub use schedule::SimControl;
