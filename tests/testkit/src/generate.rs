//! Random programs of both languages that use every construct of their grammars, as text. A case is the number of its
//! seed.

pub mod constraints;
pub mod terms;
