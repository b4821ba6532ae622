//! exec/term.
