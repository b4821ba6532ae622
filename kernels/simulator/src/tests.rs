//! The simulator on kernels in text form.

mod backend;
mod control;
mod faults;
mod oracle;
mod order;
mod support;
