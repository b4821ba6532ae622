//! The simulator on kernels in text form.

mod control;
mod faults;
mod order;
mod support;
