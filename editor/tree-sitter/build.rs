//! Compiles the generated parsers, and the scanner of constraint programs.

use std::path::Path;

fn main() {
    for grammar in ["trs", "chr"] {
        let folder = Path::new(grammar).join("src");
        let mut build = cc::Build::new();
        build.std("c11").include(&folder).warnings(false);
        if cfg!(target_env = "msvc") {
            build.flag("-utf-8");
        }
        for file in ["parser.c", "scanner.c"] {
            let path = folder.join(file);
            println!("cargo:rerun-if-changed={}", path.display());
            if path.exists() {
                build.file(path);
            }
        }
        build.compile(&format!("tree-sitter-{grammar}"));
    }
}
