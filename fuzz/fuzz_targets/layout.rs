//! Any text has a layout or a reason for none; a layout is its own.

#![no_main]

use gchr::{Input, Syntax};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for syntax in [Syntax::Trs, Syntax::Chr] {
        let lay_out = |text: &str| Input::unsaved("program", text).syntax(syntax).formatted();
        match lay_out(text) {
            Ok((before, after)) => {
                assert_eq!(before, text);
                if !after.is_empty() {
                    assert_eq!(lay_out(&after).expect("a layout").1, after);
                }
            }
            Err(found) => assert!(found.list().iter().all(|found| found.code != "I0007"), "{found}"),
        }
    }
});
