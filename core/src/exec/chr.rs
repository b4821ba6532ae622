//! exec/chr.
