//! Oracles for the tests of this workspace, behind the feature `testing`: slow, obvious, and separate from what they
//! check.

pub mod counted;
