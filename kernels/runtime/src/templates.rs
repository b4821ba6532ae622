//! Templates of device functions that several schedulers use.

use gchr_kernel::template::Template;

/// All threads of a cooperative launch wait for each other.
pub static GRID_BARRIER: Template =
    Template { name: "grid_barrier", text: include_str!("../templates/grid_barrier.cu"), includes: &[] };

/// Operators on numbers that report errors.
pub static ARITHMETIC: Template =
    Template { name: "arithmetic", text: include_str!("../templates/arithmetic.cu"), includes: &[] };

/// Whether operations on numbers have values.
pub static CHECKED: Template =
    Template { name: "checked", text: include_str!("../templates/checked.cu"), includes: &[&ARITHMETIC] };

/// Powers of floats, with the bits of the CPU's.
pub static POWER: Template = Template {
    name: "power",
    text: include_str!("../templates/power.cu"),
    includes: &[&ARITHMETIC, &CHECKED],
};

/// Operators on texts of bytes.
pub static TEXTS: Template =
    Template { name: "texts", text: include_str!("../templates/texts.cu"), includes: &[&ARITHMETIC] };

/// Hashing of keys of 64-bit words.
pub static HASH: Template =
    Template { name: "hash", text: include_str!("../templates/hash.cu"), includes: &[] };

/// Exclusive scan of a buffer of counts by all blocks of a cooperative launch.
pub static OFFSETS: Template =
    Template { name: "offsets", text: include_str!("../templates/offsets.cu"), includes: &[&GRID_BARRIER] };

/// All templates of this crate.
pub static ALL: [&Template; 7] = [&GRID_BARRIER, &ARITHMETIC, &CHECKED, &POWER, &TEXTS, &HASH, &OFFSETS];
