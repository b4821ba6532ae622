//! Any text is read as a report of measurements without a panic; what is read is written as a text that reads back the
//! same, and can be compared.

#![no_main]

use gchr::report::bench::Report;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(report) = serde_json::from_str::<Report>(text) else { return };
    let printed = serde_json::to_string(&report).expect("a report is written");
    let again: Report = serde_json::from_str(&printed).expect("what is written is read");
    assert_eq!(serde_json::to_string(&again).expect("a report is written"), printed);
    let _ = report.against(&again);
});
