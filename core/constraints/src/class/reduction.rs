//! Reductions: of the constraints of one key one lives.

pub(super) mod recognise;
