//! A rule engine.
