//! The `tasks` scheduler: a term program as one persistent kernel in which threads evaluate calls depth-first on stacks
//! of their own and split their oldest frames when other threads wait for work. See `docs/tasks.md`.
//!
//! [`states`] cuts the functions of a plan at their calls ([`direct`]: but for those that are code of their caller),
//! [`kernels`] generates code for the pieces into the template `tasks.cu`, [`run`] is the host's side. What both sides
//! know of the template is in `contract`.

mod chains;
pub mod codegen;
mod contract;
pub mod direct;
pub mod equality;
pub mod frames;
pub mod kernels;
mod phases;
pub mod run;
pub mod shapes;
pub mod states;
pub mod tracing;
