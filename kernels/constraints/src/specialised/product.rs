//! Monotone replacements whose rounds are products of matrices over (min, +) or (max, +).

mod run;

pub(crate) use run::Product;
