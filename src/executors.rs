//! What runs programs on a device, and on the processor with a device beside it.

pub(crate) mod auto_terms;
pub(crate) mod device_rounds;
pub(crate) mod device_terms;
