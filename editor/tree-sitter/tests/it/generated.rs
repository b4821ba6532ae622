//! The generated parsers belong to the grammars.

use std::path::Path;

use sha2::{Digest, Sha256};

#[test]
fn parsers_are_generated_from_the_grammars() {
    for grammar in ["trs", "chr"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(grammar);
        let text = std::fs::read(folder.join("grammar.js")).expect("a grammar");
        let found: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
        let noted = std::fs::read_to_string(folder.join("grammar.js.sha256")).expect("a hash");
        assert_eq!(
            noted.split_whitespace().next(),
            Some(found.as_str()),
            "grammar.js has changed: in editor/tree-sitter/{grammar}, run \
             `tree-sitter generate && sha256sum grammar.js > grammar.js.sha256`"
        );
    }
}
