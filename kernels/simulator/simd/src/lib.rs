//! The µ-SIMD machine: warps that run a small instruction set in lockstep, with `everywhere` blocks.
//!
//! After Moreira, Collange, Pereira, "Definição Semântica de Blocos Everywhere para Programação SIMD": its instructions
//! (figure 5), its rules (figures 6 to 8) and its abstract machine, whose synchronisation and context stacks are those
//! of the simulator of kernels ([`sim::divergence`](gchr_simulator::divergence)). `docs/simd.md` has the text form, the
//! rules, and where they depart from the printed ones.
//!
//! Order of calls: [`parse`] reads a [`Program`], or [`compile`] makes one from a kernel; a [`Machine`] runs it.

mod compile;
mod counters;
mod fault;
mod machine;
mod memory;
mod parse;
mod print;
mod program;
mod rules;
mod warp;

pub use compile::compile;
pub use counters::Counters;
pub use fault::{Fault, Report, Stop, Undefined};
pub use machine::{Machine, Options};
pub use parse::{parse, parse_memory};
pub use program::{
    BinaryOp, Instr, Label, MAX_CELLS, MAX_THREADS, Operand, Program, Settings, Value, Variable,
};
pub use rules::Rule;

#[cfg(test)]
mod tests;
