//! CPU execution of plans: the readable reference for every other backend.

pub mod chr;
pub mod term;
