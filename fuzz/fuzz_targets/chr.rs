//! Any text is loaded without a panic, and a program passes the verifier.

#![no_main]

use gchr_base::rule::verify;
use gchr_base::source::SourceMap;
use gchr_chr::{Request, load, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let program = sources.add("fuzz.chr", text);
    let _ = parse(&sources, program);
    let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts: Vec::new() });
    if let Some(program) = loaded.program {
        assert_eq!(verify(&program), []);
    }
});
