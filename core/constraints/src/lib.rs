//! Constraint Handling Rules: [`plan`] compiles rules to joins and bodies ([`ir`]) that every backend executes,
//! [`exec`] runs them on the processor under the refined semantics, [`rounds`] in rounds, [`resident`] in either on a
//! store that outlives runs; [`class`] knows the classes of rules that rounds treat as a whole.

pub mod class;
pub mod derivation;
pub mod exec;
pub mod ir;
pub mod plan;
pub mod resident;
pub mod rounds;
