//! The schedulers of terms: tests from outside the crate, in one binary.

mod functions;
mod generated;
mod tasks;
mod tasks_compile;
mod templates;
mod topology;
mod topology_compile;
