//! What a run of rounds on a device is given: program, plan, kernels, input, options.

use gchr_base::rule::Program;
use gchr_constraints::plan::ChrPlan;

use crate::kernels::Kernels;
use crate::start::Input;

/// How to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bytes of device memory that tables and lists may take.
    pub memory: u64,
    /// Rows that a table has at first; tables grow when they are used up.
    pub rows: u32,
    /// Whether the final store, or that of a run that is stopped, is brought back; else it is only counted.
    pub store: bool,
    /// Whether batches whose rounds have a fast path are left to kernels of their own.
    pub fast_paths: bool,
    /// A round of at most so many constraints is left to one block; [`FEW`] unless tests ask for another number.
    pub few: u32,
}

/// What one block does alone in less time than all blocks take to meet.
pub const FEW: u32 = 256;

/// What is run.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its plan for rounds.
    pub plan: &'a ChrPlan,
    /// Its kernels; the device was opened with them.
    pub kernels: &'a Kernels,
    /// Constraints of the facts and of each query; their ids are given by the run.
    pub input: &'a Input,
}
