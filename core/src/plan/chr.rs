//! plan/chr.
