//! Pages of the documentation, whose programs and commands are tested.

use std::collections::BTreeSet;
use std::path::Path;

/// A fenced block of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fence {
    /// The words that follow the opening fence.
    pub info: String,
    /// Its lines.
    pub text: String,
}

/// The text of a page, by its path from the project's folder.
pub fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The fenced blocks of a page, in order; each must be closed.
pub fn fences(page: &str) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut open: Option<Fence> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some(Fence { info: info.trim().to_string(), text: String::new() }),
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(fence), None) => fence.text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed: {open:?}");
    found
}

/// The sources of a crate, by its folder, as one text.
pub fn sources(crate_folder: &str) -> String {
    let mut text = String::new();
    read_all(&Path::new(crate_folder).join("src"), &mut text);
    text
}

fn read_all(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_all(&path, text);
        } else {
            *text += &std::fs::read_to_string(path).expect("a text");
        }
    }
}

/// The codes of findings in a text: numbers of four digits behind `prefix`.
pub fn codes(text: &str, prefix: &str) -> BTreeSet<String> {
    let is_code = |code: &&str| code.bytes().all(|b| b.is_ascii_digit());
    text.split(prefix).skip(1).filter_map(|rest| rest.get(..4)).filter(is_code).map(String::from).collect()
}
