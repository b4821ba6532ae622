//! Plans: what every backend executes, so that an optimisation is written once. One kind for terms, one for constraints.

pub mod chr;
pub mod term;
