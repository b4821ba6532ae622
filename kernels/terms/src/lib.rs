//! Term rewriting on a device: the scheduler [`tasks`], which evaluates depth-first and shares work, and [`topology`],
//! the papers'.

mod reach;
pub mod tasks;
pub mod templates;
pub mod topology;

pub use reach::COUNTED;
