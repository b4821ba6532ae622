//! Any bytes are read as a table of typed columns, in each format and for columns of every type, without a panic.

#![no_main]

use gchr::Input;
use libfuzzer_sys::fuzz_target;

const PROGRAM: &str = ":- chr_type color ---> red ; green.\n\
    :- chr_constraint i(+int), n(+natural, +float), t(+atom, +string, +number), any(?any, ?), open/2, c(+color).\n";

fuzz_target!(|bytes: &[u8]| {
    for ending in ["parquet", "arrow", "arrows", "db"] {
        let file = std::env::temp_dir().join(format!("gchr-fuzz-tables-{}.{ending}", std::process::id()));
        std::fs::write(&file, bytes).expect("a temporary file");
        for constraint in ["i", "n", "t", "any", "open", "c"] {
            match Input::constraints(PROGRAM).facts(constraint, &file).parse() {
                Ok(program) => drop(program.warnings().render(false)),
                Err(found) => assert!(found.counts().0 > 0 && !found.render(false).is_empty()),
            }
        }
    }
});
