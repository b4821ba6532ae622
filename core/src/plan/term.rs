//! plan/term.
