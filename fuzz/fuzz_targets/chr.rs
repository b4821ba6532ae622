//! Any text is parsed without a panic.

#![no_main]

use gchr_core::source::SourceMap;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let id = sources.add("fuzz.chr", text);
    let _ = gchr_chr::parse(&sources, id);
});
