//! Any text is read as the description of a comparison (TOML) without a panic.

#![no_main]

use gchr::report::compare::Mapping;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(found) = Mapping::parse("fuzz.compare.toml", text) {
        assert!(found.counts().0 > 0 && !found.render(false).is_empty());
    }
});
