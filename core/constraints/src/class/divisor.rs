//! Greatest common divisors: of the constraints of one key one lives, with the greatest common divisor of their values.

pub(crate) mod execute;
pub(super) mod recognise;
