//! The programs of the folder `examples`, on the inputs that they have.

use super::agree;

#[test]
fn examples_agree() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut programs = 0;
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "trs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        if text.contains("\ninput") {
            agree(&text);
            programs += 1;
        }
    }
    assert!(programs >= 15, "{programs} examples");
}
