//! Any text is read as a program of the µ-SIMD machine, and as its memory, without a panic; what is read passes the
//! verifier, prints as a text that reads back the same, and runs.

#![no_main]

use gchr_base::control::{Control, Limits};
use gchr_base::source::SourceMap;
use gchr_simd::{Machine, Options, parse, parse_memory};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let id = sources.add("fuzz.simd", text);
    let _ = parse_memory(&sources, id);
    let Ok(program) = parse(&sources, id) else { return };
    assert_eq!(program.verify(), []);
    let printed = program.to_string();
    let again = sources.add("printed.simd", printed.clone());
    assert_eq!(parse(&sources, again).expect("what is printed is read").to_string(), printed);
    if let Ok(mut machine) = Machine::new(&program, Options::default()) {
        let limits = Limits { max_steps: Some(10_000), ..Limits::default() };
        let _ = machine.run(&mut Control::new(limits));
    }
});
