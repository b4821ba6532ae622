//! Any text is read as kernels without a panic; what is read passes the verifier, and prints as a text that reads back
//! the same.

#![no_main]

use gchr_base::source::SourceMap;
use gchr_kernel::text::parse;
use gchr_kernel::verify::verify;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let id = sources.add("fuzz.cu", text);
    let Ok(module) = parse(&sources, id) else { return };
    assert_eq!(verify(&module), []);
    let again = sources.add("printed.cu", module.to_string());
    assert_eq!(parse(&sources, again).as_ref(), Ok(&module));
});
