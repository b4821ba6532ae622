//! Constraint Handling Rules: [`plan`] compiles rules to joins and bodies that every backend executes, [`exec`] runs them on the
//! processor, under the refined semantics or in rounds.

pub mod class;
pub mod exec;
pub mod plan;
